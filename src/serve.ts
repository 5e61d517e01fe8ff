import { type AnyController, isController } from './define/controller.js'
import { RouteControllersError } from './ground/errors.js'
import { hasMethods, isOptions, nameType } from './ground/options.js'
import type { Logger } from './ground/types.js'
import { RouteControllers } from './route-controllers.js'
import type { Server } from './server.js'
import type { ServerOptions, ServingOptions } from './server/options.js'

/** What `serve` takes: Controllers, lists of them to any depth, or one RouteControllers. */
export type Routes = AnyController | RouteControllers | RouteList

/** A list of Controllers, or of such lists. */
export type RouteList = readonly (AnyController | RouteList)[]

/** Options of `serve`: those of `Server.start` but for what it serves. */
export type ServeOptions = ServingOptions

/**
 * Serves Controllers on a port, and resolves with the Server when it listens.
 *
 * It is `new Server().start({ routeControllers: new RouteControllers(routes), ...options })`. For hooks and for options of RouteControllers make
 * one and give that. `logger` is that of both. Rejects as `new RouteControllers` and `Server.start` fail, and with ERR_OPTION_INVALID for what
 * is no route. An Express app is served by `serve` of `routecontrollers/express`.
 *
 * @example
 * ```ts
 * import { Controller, serve } from 'routecontrollers'
 *
 * const server = await serve([new Controller('GET', '/teas', () => ['Assam', 'Sencha'])], { port: 0 })
 * console.log(await (await fetch(`${server.getURL()}/teas`)).text()) // ["Assam","Sencha"]
 * await server.stop()
 * ```
 */
export async function serve(routes: Routes, options: ServeOptions): Promise<Server> {
  checkServeOptions(options)
  return startServer({ ...options, routeControllers: routeControllersOf(routes, options.logger) })
}

/** Loaded when it is needed, as by `listen`: a program that only mounts does not load the server. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { Server } = await import('./server.js')
  return new Server().start(options)
}

/** Throws ERR_OPTION_INVALID for options that are none, and for those that say once more what is served. */
export function checkServeOptions(options: unknown): void {
  if (!isOptions(options))
    throw wrong(`serve takes an object of options, as { port: 3000 }, not ${nameType(options)}`)
  for (const name of ['routeControllers', 'RouteControllers']) {
    if (name in options) throw wrong(`serve has no option ${name}: give it as the routes`)
  }
}

/** A RouteControllers as it is, and one of all Controllers that are given. */
export function routeControllersOf(routes: Routes, logger: Logger | undefined): RouteControllers {
  if (isRouteControllers(routes)) return routes
  const controllers = isController(routes) ? [routes] : flat(routes, 'routes')
  return new RouteControllers(controllers, logger === undefined ? {} : { logger })
}

function flat(routes: unknown, place: string): AnyController[] {
  if (isController(routes)) return [routes]
  if (Array.isArray(routes)) return routes.flatMap((one, at) => flat(one, `${place}[${at}]`))
  const remedy = isRouteControllers(routes)
    ? 'a RouteControllers stands alone: give it as the routes, or its Controllers'
    : hasMethods(routes, 'handle', 'set')
      ? "an Express app is served by serve of 'routecontrollers/express'"
      : 'it takes Controllers, lists of them, or one RouteControllers'
  throw wrong(`serve: ${place} is ${nameType(routes)}; ${remedy}`)
}

function isRouteControllers(value: unknown): value is RouteControllers {
  return hasMethods(value, 'getCallback')
}

function wrong(message: string): RouteControllersError {
  return new RouteControllersError('ERR_OPTION_INVALID', message)
}
