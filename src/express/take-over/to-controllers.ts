import { Controller } from '../../define/controller.js'
import { withNodeCallback } from '../../define/node-callback.js'
import { RouteControllersError } from '../../ground/errors.js'
import { checkOptionNames } from '../../ground/options.js'
import { createForeignPath } from '../../routing/pattern.js'
import { methodsOf } from '../model/methods.js'
import type { Route } from '../model/layer.js'
import { checkRouter, routerOfApp } from '../model/own-router.js'
import { invalid, isApp } from '../model/router.js'
import { Selection } from '../model/selection.js'
import type { TakenApp, TakenPath } from '../engine/taken-app.js'
import { View } from '../model/view.js'

/** Options of `toControllers`. */
export interface ToControllersOptions {
  /**
   * The routes to take over. All others stay with the app, which is then the host or the `fallback`. An entry is `'GET /path'`,
   * or `'/path'` for all methods. Write the path as `routecontrollers inspect` prints it, in the same case. `*` stands for a part
   * of a segment, and `**` for any number of segments: `'GET /account/**'`. GET includes HEAD, but not OPTIONS. Any path of a
   * list of paths chooses the route, and so does the list as `getPath()` gives it. Default: all routes.
   */
  only?: readonly string[]
  /** The routes to leave with the app, of those that `only` has chosen. Entries are as in `only`. Default: none. */
  except?: readonly string[]
  /**
   * True to add a last Controller for requests that no route of the app answers: its files, its 404 page, its answers to OPTIONS.
   * Use it to serve without the app. Default: false.
   */
  middleware?: boolean
  /**
   * What to do once the app has changed. `'reread'` uses its new routes and guards, from the next request on. `'fallback'` leaves
   * its requests to the host or the fallback, and answers 503 where there is none. `'throw'` fails with ERR_APP_CHANGED. Default:
   * `'reread'`.
   */
  onStale?: 'reread' | 'fallback' | 'throw'
}

/** A layer that `toControllers` cannot read. Routes behind it stay with the app. */
export interface LeftLayer {
  /** The name of its function. */
  readonly name: string
  /** Where it stands: `/api`. */
  readonly path: string
  /** Why it cannot be read. */
  readonly reason: string
}

/** An app as Controllers. */
export interface AppControllers {
  /** The Controllers, in the order of the app. */
  readonly controllers: readonly Controller[]
  /** The layers that cannot be read, and why. Empty for nearly all apps. */
  readonly left: readonly LeftLayer[]
}

/**
 * Makes Controllers of a live Express app or Router, version 4 or 5: one for each method of each route.
 *
 * The app's own router runs each request. It runs all middleware, guards, callbacks of `param` and error handlers that the
 * request passes there, in routers and mounted apps to any depth. It leaves out the layers that the path cannot match. Serve the
 * Controllers under the profile of the app, `fromApp(app)`. In front of the app, a request that a route has passed on ends here,
 * with the app's own 404. It never runs a second time.
 *
 * Throws ERR_OPTION_INVALID for any other value, and for an option that does not exist. Throws ERR_APP_WRAPPED for an app or a
 * Router whose `handle` was replaced.
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
      'toControllers: middleware: true answers every request, but only and except leave some requests to the app: leave one of them out',
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
    // Its route runs in the chain of the app: a middleware that is added here would guard nothing.
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
    `Controller(${this.method}, ${this.getPath()}).use: toControllers has taken this route over with the chain of its app, and no middleware can be added to that: use addGlobal(path, hook), or app.use before toControllers`,
  )
}

// The app's own middleware read the body.
const streamed = { body: 'stream' } as const

// Never called: the engine of a profile runs the app, and no other engine takes such a path.
const run = withNodeCallback({ run: () => undefined, handlers: [], extendClasses: (classes) => classes })
