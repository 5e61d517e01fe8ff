import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Callback, type RunnableController, withNodeCallback } from '../controller.js'
import { RouteControllersError } from '../errors.js'
import type { Route } from '../routing/route-index.js'
import { isThenable } from '../chain.js'
import type { ErrorHandler, Handler, Handlers } from './handler.js'
import { defaultSurface } from './surface.js'

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
export function fromExpress(...handlers: readonly Handler[]): Callback<string, object>
export function fromExpress(...handlers: readonly Handlers[]): Callback<string, object>
export function fromExpress(...handlers: readonly Handlers[]): Callback<string, object> {
  const steps = flatten(handlers)
  return withNodeCallback({
    extendClasses: defaultSurface.extendClasses,
    run(incoming, outgoing, route, done) {
      defaultSurface.add(incoming, outgoing)
      walk(steps, incoming, outgoing, route, done)
    },
  })
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

/** Runs the handlers of one route, each within the `next()` of the one before. */
function walk(
  steps: readonly Step[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  _route: Route<RunnableController>,
  done: (error?: unknown) => void,
): void {
  const from = (start: number, error: unknown): void => {
    for (let at = start; at < steps.length; at++) {
      const step = steps[at]!
      if ((step.length === 4) !== Boolean(error)) continue
      const next = (argument?: unknown): void => {
        if (argument === 'route' || argument === 'router') return done()
        from(at + 1, argument)
      }
      try {
        const returned: unknown = error
          ? (step as ErrorHandler)(error, incoming as never, outgoing as never, next)
          : (step as Handler)(incoming as never, outgoing as never, next)
        if (isThenable(returned)) {
          returned.then(undefined, (thrown: unknown) => next(thrown || new Error('Rejected promise')))
        }
      } catch (thrown) {
        next(thrown)
      }
      return
    }
    done(error)
  }
  from(0, undefined)
}
