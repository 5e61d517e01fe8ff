import { RouteControllers } from '../../route-controllers.js'
import { likelyName } from '../../ground/closest-name.js'
import { nameType } from '../../ground/options.js'
import type { NodeHandler } from '../../ground/types.js'
import {
  checkServeOptions,
  type Routes,
  routeControllersOf,
  type ServeOptions,
  startServer,
} from '../../serve.js'
import type { Server } from '../../server.js'
import { invalid, isApp } from '../model/router.js'
import { fromApp } from './profiles.js'
import { toControllers } from './to-controllers.js'

/** Options of `serve` for an Express app: those of `Server.start` but for what it serves, and routes in front of the app. */
export interface ServeAppOptions extends Omit<ServeOptions, 'fallback'> {
  /** Controllers in front of the app, which gets all other requests. Default: those that `toControllers` makes of the app. */
  routes?: Routes
}

/**
 * Serves an Express app of version 4 or 5 on a port, in place of `app.listen`, and resolves with the Server when it listens.
 *
 * Alone the app is in front of itself: its own router answers each request, and runs only the layers that the request can meet. With
 * `routes` these Controllers answer what they match, and the app gets all other requests. They do not pass its middleware. Rejects as
 * `toControllers` and `Server.start` fail, and with ERR_OPTION_INVALID for what is no app and no route.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { Controller } from 'routecontrollers'
 * import { serve } from 'routecontrollers/express'
 *
 * const app = express().get('/teas', (req, res) => void res.json(['Assam']))
 * const routes = [new Controller('GET', '/cups', () => ['small', 'large'])]
 * const server = await serve(app, { port: 0, routes })
 * console.log(await (await fetch(`${server.getURL()}/cups`)).text()) // ["small","large"]
 * await server.stop()
 * ```
 */
export async function serve(app: NodeHandler, options: ServeAppOptions): Promise<Server> {
  if (!isApp(app)) {
    throw invalid(
      `serve of 'routecontrollers/express' takes an app of Express 4 or 5, not ${nameType(app)}; Controllers are served by serve of 'routecontrollers'`,
    )
  }
  checkServeOptions(options)
  const misspelt = Object.keys(options).find((name) => name !== 'routes' && likelyName(name, ['routes']))
  if (misspelt !== undefined)
    throw invalid(`serve has no option ${JSON.stringify(misspelt)}. Did you mean routes?`)
  if ('fallback' in options)
    throw invalid('serve has no option fallback: the app gets what routes do not match')
  const { routes, ...rest } = options
  const routeControllers =
    routes === undefined ? inFrontOfItself(app, options) : routeControllersOf(routes, options.logger)
  return startServer({ ...rest, routeControllers, fallback: app })
}

function inFrontOfItself(app: NodeHandler, { logger }: ServeAppOptions): RouteControllers {
  const { controllers } = toControllers(app)
  return new RouteControllers(controllers, { profile: fromApp(app), ...(logger && { logger }) })
}
