import { Controller, withNodeCallback } from '../controller.js'
import { RouteControllersError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import { createForeignPath } from '../routing/pattern.js'
import { methodsOf } from './methods.js'
import { checkRouter, invalid, isApp, type Route, routerOfApp } from './router.js'
import { Selection } from './selection.js'
import type { TakenApp, TakenPath } from './taken-app.js'
import { View } from './view.js'

/** Options of `toControllers`. */
export interface ToControllersOptions {
  /**
   * The routes to take over; all others stay with the app, which is then the host or the `fallback`. An entry is `'GET /path'`, or `'/path'`
   * for all methods, with the path as `routecontrollers inspect` prints it, in the same case; `*` stands for a part of a segment and `**`
   * for any number of segments: `'GET /account/**'`. GET takes HEAD with it, and not OPTIONS. A route of a list of paths is chosen by
   * any of them. Default all routes.
   */
  only?: readonly string[]
  /** The routes to leave with the app, of those that `only` has chosen. Entries as in `only`. Default none. */
  except?: readonly string[]
  /**
   * True to add, as the last Controller, all that the app does for a request that none of its routes answers: its files, its 404 page,
   * its answers to OPTIONS. For serving without the app. Default false.
   */
  middleware?: boolean
  /**
   * What to do once the app has changed: `'reread'` takes what it has then, from the next request on; `'fallback'` leaves its requests
   * to the host or the fallback, and answers 503 where there is none; `'throw'` fails with ERR_APP_CHANGED. Default `'reread'`.
   */
  onStale?: 'reread' | 'fallback' | 'throw'
}

/** What `toControllers` could not look into: routes behind it stay with the app. */
export interface LeftLayer {
  /** The name of its function. */
  readonly name: string
  /** Where it stands: `/api`. */
  readonly path: string
  /** Why it could not be looked into. */
  readonly reason: string
}

/** An app as Controllers. */
export interface AppControllers {
  /** In the order of the app. */
  readonly controllers: readonly Controller[]
  /** What could not be looked into, and why. Empty for nearly all apps. */
  readonly left: readonly LeftLayer[]
}

/**
 * Makes Controllers of a live Express app or Router, version 4 or 5: one for each method of each route.
 *
 * A request for one of them is run by the app's own router, with all middleware and guards that it passes there, in routers and
 * mounted apps to any depth, callbacks of `param`, and the error handlers behind it; the layers that its path cannot meet are left
 * out. Serve them under the profile of the app, `fromApp(app)`. In front of the app, a request that a route has passed on is
 * finished here, with the app's own 404, and never runs a second time.
 *
 * Throws ERR_OPTION_INVALID for anything but an app or a Router, and for an option that does not exist; ERR_APP_WRAPPED for one
 * whose way of running a request somebody has replaced.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { RouteControllers } from 'routecontrollers'
 * import { fromApp, toControllers } from 'routecontrollers/express'
 *
 * const app = express()
 * app.use('/admin', (req, res, next) => (req.get('x-token') === 'teapot' ? next() : res.sendStatus(401)))
 * app.get('/admin/report', (req, res) => res.json({ orders: 2 }))
 *
 * const { controllers } = toControllers(app, { middleware: true })
 * const fetchHandler = new RouteControllers(controllers, { profile: fromApp(app) }).getCallback()
 * console.log((await fetchHandler(new Request('http://x/admin/report'))).status) // 401
 * ```
 */
export function toControllers(routerOrApp: unknown, options: ToControllersOptions = {}): AppControllers {
  checkOptionNames('toControllers', options, ['only', 'except', 'middleware', 'onStale'])
  const { only, except, middleware = false, onStale = 'reread' } = options
  if (typeof middleware !== 'boolean') throw invalid('toControllers: middleware is true or false')
  if (!['reread', 'fallback', 'throw'].includes(onStale)) {
    throw invalid("toControllers: onStale is 'reread', 'fallback' or 'throw'")
  }
  const selection = only === undefined && except === undefined ? undefined : new Selection(only, except)
  if (selection !== undefined && middleware) {
    throw invalid(
      'toControllers: middleware: true answers every request, so it cannot stand with only or except, which leave some to the app',
    )
  }
  const app = isApp(routerOrApp) ? routerOrApp : undefined
  const router = app === undefined ? checkRouter(routerOrApp, 'toControllers') : undefined
  const controllers: Controller[] = []
  const taken: TakenApp = {
    app,
    onStale,
    controllers,
    selection,
    router: () => router ?? routerOfApp(app!, 'toControllers'),
  }
  const add = (method: string, path: string, route?: Route): void => {
    const foreign: TakenPath = Object.freeze({ path, taken, route, isRest: route === undefined })
    const controller = new Controller(method, createForeignPath(path, foreign), run, streamed)
    // Its route runs in the chain of the app: what is added here would guard nothing.
    controllers.push(Object.defineProperty(controller, 'use', { value: refuseUse }))
  }
  const current = taken.router()
  const { routes = [], opaque = [] } = current === undefined ? {} : new View(current)
  selection?.check(routes)
  for (const entry of routes) {
    for (const method of selection?.methodsOf(entry) ?? methodsOf(entry.route))
      add(method, entry.path, entry.route)
  }
  if (middleware) add('*', '*')
  return { controllers, left: opaque }
}

function refuseUse(this: Controller): never {
  throw new RouteControllersError(
    'ERR_CONTROLLER_ORDER',
    `Controller(${this.method}, ${this.getPath()}).use: toControllers has taken this route over with the chain of its app, into which no middleware can be put: use addGlobal(path, hook), or app.use before toControllers`,
  )
}

// The app's own middleware read the body.
const streamed = { body: 'stream' } as const

// Never called: the engine of a profile runs the app, and no other engine takes such a path.
const run = withNodeCallback({ run: () => undefined, handlers: [], extendClasses: (classes) => classes })
