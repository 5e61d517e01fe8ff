import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Callback, type NodeCallback, type RunnableController, withNodeCallback } from '../controller.js'
import { RouteControllersError } from '../errors.js'
import type { Route } from '../routing/route-index.js'
import { callHandler, maxDepth } from './call-handler.js'
import type { ErrorHandler, ExpressParams, Handler, Handlers } from './handler.js'
import { createRouteView, type RouteView } from './route-view.js'
import { defaultSurface } from './members/surface.js'

/**
 * Makes of unchanged Express handlers the callback of a Controller.
 *
 * Handlers are `(req, res, next)`, error handlers `(err, req, res, next)`, arrays of them are flattened. Inside Express they
 * get its own `req` and `res`, elsewhere Node's with the members that Express adds. `next()` goes to the next of them and
 * behind the last to whatever would have come next: under a profile the next route that matches, otherwise Express, the
 * fallback or 404. `next('route')` skips the rest of them, `next(error)` goes to the error handlers among them and then on.
 * Throws ERR_CONTROLLER_INVALID for anything but functions.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { fromExpress } from 'routecontrollers/express'
 *
 * const user = new Controller(
 *   'GET',
 *   '/users/:id',
 *   fromExpress((req, res) => res.status(201).json({ id: req.params.id })),
 * )
 * const fetchHandler = new RouteControllers([user]).getCallback()
 * console.log(await (await fetchHandler(new Request('http://x/users/7'))).text()) // {"id":"7"}
 * ```
 */
export function fromExpress<Path extends string = string>(
  ...handlers: readonly Handlers<ExpressParams<Path>>[]
): Callback<Path, object> {
  const steps = flatten(handlers)
  const runSteps = steps.length === 1 && steps[0]!.length <= 3 ? runOne(steps[0] as Handler) : runAll(steps)
  const viewOf = createRouteViews(steps)
  const run: NodeCallback['run'] = (incoming: ExpressIncoming, outgoing, route, done) => {
    if (depth >= maxDepth) return void setImmediate(run, incoming, outgoing, route, done)
    defaultSurface.add(incoming, outgoing)
    const leave = defaultSurface.isOn(outgoing) ? done : restoring(incoming, done)
    incoming.next = leave
    incoming.route = viewOf(route)
    runSteps(incoming, outgoing, leave)
  }
  return withNodeCallback({ extendClasses: defaultSurface.extendClasses, run })
}

interface ExpressIncoming extends IncomingMessage {
  next?: Done
  route?: RouteView
}

/** Leaves a route: on with nothing and with `'route'`, past the others with `'router'`, else with an error. */
type Done = (signal?: unknown) => void

/** A router of Express gives `req.next` back when it is through. */
function restoring(incoming: ExpressIncoming, done: Done): Done {
  const { next } = incoming
  return (signal) => {
    incoming.next = next!
    done(signal)
  }
}

type Step = Handler | ErrorHandler

function flatten(handlers: readonly Handlers[]): readonly Step[] {
  const steps = (handlers as readonly unknown[]).flat(Infinity)
  for (const step of steps) {
    if (typeof step !== 'function') {
      throw new RouteControllersError(
        'ERR_CONTROLLER_INVALID',
        `fromExpress takes functions (req, res, next), or arrays of them, not ${step === null ? 'null' : typeof step}`,
      )
    }
  }
  if (steps.length === 0) {
    throw new RouteControllersError('ERR_CONTROLLER_INVALID', 'fromExpress takes at least one handler')
  }
  return steps as readonly Step[]
}

type Run = (incoming: IncomingMessage, outgoing: ServerResponse, leave: Done) => void

/** Runs the only handler of a route: its `next` is what leaves the route. */
function runOne(handler: Handler): Run {
  return (incoming, outgoing, leave) => invoke(handler, undefined, incoming, outgoing, leave)
}

/**
 * Runs the handlers of a route, each within the `next()` of the one before.
 *
 * They share one `next`, as in Express: a handler that calls it twice goes on twice, from where the others have got to.
 */
function runAll(steps: readonly Step[]): Run {
  return (incoming, outgoing, leave) => {
    let at = 0
    const next: Done = (signal) => {
      if (signal === 'route' || signal === 'router') return leave(signal)
      if (depth >= maxDepth) return void setImmediate(next, signal)
      while (at < steps.length) {
        const step = steps[at++]!
        if (signal ? step.length === 4 : step.length <= 3)
          return invoke(step, signal, incoming, outgoing, next)
      }
      leave(signal)
    }
    next()
  }
}

// How many handlers are on the stack.
let depth = 0

function invoke(
  step: Step,
  error: unknown,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next: Done,
): void {
  depth++
  try {
    if (error) callHandler(step as ErrorHandler, next, error, incoming as never, outgoing as never, next)
    else callHandler(step as Handler, next, incoming as never, outgoing as never, next)
  } finally {
    depth--
  }
}

/** What `req.route` shows: made once for each route. */
function createRouteViews(steps: readonly Step[]): (route: Route<RunnableController>) => RouteView {
  let last: Route<RunnableController> | undefined
  let view: RouteView
  return (route) => {
    if (route !== last) view = createRouteView(route, steps)
    last = route
    return view
  }
}
