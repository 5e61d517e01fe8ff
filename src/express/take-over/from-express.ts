import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Callback } from '../../define/controller.js'
import { type NodeCallback, withNodeCallback } from '../../define/node-callback.js'
import { assignable, keep } from '../../ground/assignable.js'
import { RouteControllersError } from '../../ground/errors.js'
import { exchangeKey, requestMembers } from '../../request/exchange.js'
import type { NodeExchange } from '../../node/exchange.js'
import { isBundled } from '../../ground/installed.js'
import { MemberLayer } from '../../node/member-layer.js'
import { defaultApp, isDefaultApp } from '../model/express-module.js'
import type { ExpressParams, ExpressQuery, Handlers } from '../model/express-types.js'
import { canMount, Members, ofHttp2 } from '../members/members.js'
import { addHandlers, catchingAll } from '../engine/own-routes.js'
import type { Done, Handle, Route } from '../model/layer.js'
import { createRouter, routerLike, routerPrototype } from '../model/own-router.js'
import { type App, isApp, versionOf } from '../model/router.js'

/* eslint-disable @typescript-eslint/no-explicit-any -- the defaults of express.RequestHandler, whose text has to compile here */

/**
 * Makes of unchanged Express handlers the callback of a Controller.
 *
 * Handlers are `(req, res, next)`, error handlers `(err, req, res, next)`, and arrays of them are flattened. Inside Express they
 * get the `req` and `res` of Express, elsewhere those of Node with the members of the installed Express. `next()` goes to the
 * next handler. Behind the last one it goes on: under a profile to the next route that matches, otherwise to Express, the
 * fallback or 404. `next('route')` skips the rest of them. `next(error)` goes to the error handlers among them and then on.
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
export function fromExpress<
  Path extends string = string,
  Params = ExpressParams<Path>,
  ResBody = any,
  ReqBody = any,
  Query = ExpressQuery,
  Locals extends object = Record<string, any>,
>(...handlers: readonly Handlers<Params, ResBody, ReqBody, Query, Locals>[]): Callback<Path, object>
/**
 * With the type parameters of `express.RequestHandler`: what was `app.get<Params, ResBody, ReqBody, Query, Locals>(path, …handlers)`
 * is `fromExpress<Params, ResBody, ReqBody, Query, Locals>(…handlers)`.
 */
export function fromExpress<
  Params,
  ResBody = any,
  ReqBody = any,
  Query = ExpressQuery,
  Locals extends object = Record<string, any>,
>(...handlers: readonly Handlers<Params, ResBody, ReqBody, Query, Locals>[]): Callback<string, object>
export function fromExpress(...handlers: readonly Handlers[]): Callback<string, object> {
  /* eslint-enable @typescript-eslint/no-explicit-any */
  const steps = flatten(handlers)
  const run: NodeCallback['run'] = (incoming: Incoming, outgoing, { method, pattern }, done) => {
    const host = isApp(incoming.app) && !isDefaultApp(incoming.app) ? incoming.app : undefined
    const exchange = incoming[exchangeKey]!
    // Inside Express its own members are in sight again, and its own query.
    if (host !== undefined) exchange.release()
    else if (!canMount(incoming, outgoing)) return done(ofHttp2())
    const restore = host === undefined ? defaultMembers().open(exchange) : undefined
    if (host === undefined) beginUrl(incoming, exchange)
    const route = routeIn(host ?? defaultMembers().app, method, pattern.source)
    const { next } = incoming
    const leave: Done = (signal) => {
      incoming.next = next
      restore?.()
      done(signal)
    }
    incoming.next = leave
    route.dispatch(incoming, outgoing, leave)
  }

  /** One for each route that has this callback, in each Express that it is called in. */
  const routes = new WeakMap<App, Map<string, Route>>()
  const routeIn = (app: App, method: string, path: string): Route => {
    let ofApp = routes.get(app)
    if (ofApp === undefined) routes.set(app, (ofApp = new Map<string, Route>()))
    const key = `${method} ${path}`
    let route = ofApp.get(key)
    if (route === undefined) ofApp.set(key, (route = createRoute(app, method, path, steps)))
    return route
  }

  const extendClasses: NodeCallback['extendClasses'] = (classes) => defaultMembers().extendClasses(classes)
  const check = (): void => {
    try {
      defaultMembers()
    } catch (error) {
      // A bundle may have the Express of the host inside, and then the handlers have that one.
      if (!isBundled('fromExpress')) throw error
    }
  }
  return withNodeCallback({ handlers: steps, check, extendClasses, run })
}

type Incoming = IncomingMessage & {
  app?: unknown
  next?: Done | undefined
  originalUrl?: string | undefined
  baseUrl?: string
  [exchangeKey]?: NodeExchange
}

/** What an app does before its first layer. A plain server of Node has neither of the two. */
function beginUrl(incoming: Incoming, exchange: NodeExchange): void {
  incoming.originalUrl ??= exchange.originalUrl
  incoming.baseUrl ??= ''
}

function flatten(handlers: readonly Handlers[]): readonly Handle[] {
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
  return steps as readonly Handle[]
}

// Express has a `get` of its own, and notes its route.
const { get: _get, route: _route, ...ownMembers } = requestMembers
const ownLayer = new MemberLayer('request-members', {
  ...ownMembers,
  // Rate limiters among the hooks ask the app whether X-Forwarded-For counts.
  app: assignable<Incoming>('app', function () {
    return defaultMembers().appFor(this[exchangeKey]?.trust)
  }),
  // Hooks have a request before any handler of Express has prepared it.
  res: assignable<Incoming>('res', function () {
    return this[exchangeKey]?.outgoing
  }),
})
const ownResponseLayer = new MemberLayer('response-members', {
  app: assignable<ServerResponse>('app', function () {
    return (this.req as Incoming).app
  }),
  locals: assignable<ServerResponse>('locals', function () {
    return keep(this, 'locals', Object.create(null) as object)
  }),
})

let members: Members | undefined

/** The members for handlers that run without a profile and outside of Express: those of Express, beside those of this package. */
function defaultMembers(): Members {
  return (members ??= new Members(defaultApp(), ownLayer, ownResponseLayer))
}

/** The route of Express that runs the handlers, each within the `next()` of the one before. */
function createRoute(app: App, method: string, path: string, steps: readonly Handle[]): Route {
  const prototype = routerPrototype(routerLike(app, 'fromExpress'))!
  const route = createRouter(prototype, {}).route('/')
  // For all: a middleware may have replaced the method since the Controller was found, and Express does not know every method.
  addHandlers(route, '*', catchingAll(versionOf(app), steps))
  // Its path and its method are shown, and match nothing.
  const methods: Route['methods'] = method === '*' ? route.methods : { [method.toLowerCase()]: true }
  return Object.assign(route, { path, methods })
}
