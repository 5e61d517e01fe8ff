import { type AnyController, isController } from '../../define/controller.js'
import { RouteControllersError } from '../../ground/errors.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import { RouteControllers } from '../../route-controllers.js'
import type { RoutePath } from '../model/path.js'
import { fromApp, fromRouter } from './profiles.js'
import { invalid, isRouter } from '../model/router.js'
import { appBehind, isStandIn } from './stand-in.js'

/**
 * Adds Controllers to an app or a Router of Express as its routes, and returns that: `addControllers(app, [user, order])`.
 *
 * It is `app.use(new RouteControllers(controllers, { profile: fromApp(app) }).middleware())`, and `fromRouter` for a Router. It is for
 * code that is handed its app. Anything else that takes routes, as a facade or the stub of a unit test, gets each Controller by a
 * method of its own, `stub.get(path, …handlers)`. It gets the path and the handlers that `expressPath` and `fromExpress` were given.
 * Throws ERR_OPTION_INVALID for what takes no routes, else as `new RouteControllers` does.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { Controller } from 'routecontrollers'
 * import { addControllers, fromExpress } from 'routecontrollers/express'
 *
 * const teas = (app: object) =>
 *   addControllers(app, [new Controller('GET', '/teas', fromExpress((req, res) => res.json(['Assam'])))])
 * teas(express())
 * const paths: string[] = []
 * teas({ get: (path: string) => paths.push(path) })
 * console.log(paths) // [ '/teas' ]
 * ```
 */
export function addControllers<Target>(target: Target, controllers: readonly AnyController[]): Target {
  if (isRouter(target) || appBehind(target) !== undefined) {
    const profile = isRouter(target) ? fromRouter(target) : fromApp(target)
    const router = target as { use(middleware: unknown): unknown }
    router.use(new RouteControllers(controllers, { profile }).middleware())
    return target
  }
  if (!isStandIn(target)) throw invalid('addControllers takes an app or a Router of Express')
  for (const controller of controllers) {
    if (!isController(controller)) {
      throw new RouteControllersError('ERR_CONTROLLER_INVALID', 'addControllers takes Controllers')
    }
    const { method, pattern, callback, middleware } = controller
    const path = (pattern.foreign as RoutePath | undefined)?.path ?? pattern.source
    // Middleware of its own runs in RouteControllers alone.
    const own = middleware.length === 0 ? nodeCallbackOf(callback)?.handlers : undefined
    const handlers = own ?? [new RouteControllers([controller], { profile: fromApp(target) }).middleware()]
    const name = method === '*' ? 'all' : method.toLowerCase()
    ;(target as Record<string, (path: unknown, ...handlers: unknown[]) => unknown>)[name]!(path, ...handlers)
  }
  return target
}
