import { Router } from 'express'
import type { Shop } from '../shop.js'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

/** The cart, kept in the session. */
export function cart(shop: Shop): Router {
  const router = Router()

  router.use(new RouteControllers([
  new Controller('GET', expressPath('/cart'), fromExpress((req, res) => {
    res.json(shop.viewCart(req.session.cart ?? {}))
  })),

  new Controller('POST', expressPath('/cart'), fromExpress((req, res) => {
    req.session.cart = shop.addToCart(req.session.cart ?? {}, req.body)
    res.status(201).json(shop.viewCart(req.session.cart))
  })),

  new Controller('DELETE', expressPath('/cart'), fromExpress((req, res) => {
    delete req.session.cart
    res.status(204).end()
  })),
  ], { profile: fromRouter(router) }).middleware())

  return router
}
