import express, { type Express } from 'express'
import type { RouteControllers } from 'routecontrollers'
import serveStatic from 'serve-static'
import { errorHandler, notFound, requireAdmin } from './routes/around.js'
import { orders } from './routes/orders.js'
import { pages } from './routes/pages.js'
import type { Setup } from './setup.js'

/**
 * The shop half-way: the catalogue, the cart and operations have moved to Controllers (`controllers.ts`).
 *
 * With `routeControllers` they are answered inside, behind the middleware of Express as before; without, the app is
 * what stands behind a server that has them in front.
 */
export function createApp(setup: Setup, routeControllers?: RouteControllers): Express {
  const { shop, middleware, publicFolder } = setup
  const app = express()

  app.use(middleware)
  app.use(serveStatic(publicFolder))
  app.use(express.json())
  app.use(express.urlencoded({ extended: false }))
  app.use('/admin', requireAdmin(setup))

  if (routeControllers) app.use(routeControllers.middleware())
  app.use(pages())
  app.use(orders(shop))

  app.use(notFound)
  app.use(errorHandler)
  return app
}
