import express, { type Express } from 'express'
import serveStatic from 'serve-static'
import { errorHandler, notFound, requireAdmin } from './routes/around.js'
import { cart } from './routes/cart.js'
import { catalogue } from './routes/catalogue.js'
import { operations } from './routes/operations.js'
import { orders } from './routes/orders.js'
import { pages } from './routes/pages.js'
import type { Setup } from './setup.js'

/** The shop before anything moved: every route in Express. `diff legacy-app.ts app.ts` is the whole move. */
export function createLegacyApp(setup: Setup): Express {
  const { shop, middleware, publicFolder } = setup
  const app = express()

  app.use(middleware)
  app.use(serveStatic(publicFolder))
  app.use(express.json())
  app.use(express.urlencoded({ extended: false }))
  app.use('/admin', requireAdmin(setup))

  app.use(pages())
  app.use(catalogue(shop))
  app.use(cart(shop))
  app.use(orders(shop))
  app.use(operations(shop))

  app.use(notFound)
  app.use(errorHandler)
  return app
}
