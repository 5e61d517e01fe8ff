import { Router } from 'express'
import type { Shop } from '../shop.js'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

/** For those who run the shop. */
export function operations(shop: Shop): Router {
  const router = Router()

  router.use(new RouteControllers([
  new Controller('GET', expressPath('/health'), fromExpress((_req, res) => {
    res.json({ status: 'ok', products: shop.products.length })
  })),

  new Controller('GET', expressPath('/admin/report'), fromExpress((_req, res) => {
    res.json(shop.report())
  })),
  ], { profile: fromRouter(router) }).middleware())

  return router
}
