import { Router, type RequestHandler } from 'express'
import type { Shop } from '../shop.js'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

/** Ordering, for customers who are logged in, and the list of all orders for the admin. */
export function orders(shop: Shop): Router {
  const router = Router()
  router.use('/orders', requireCustomer)

  router.use(new RouteControllers([
  new Controller('GET', expressPath('/orders'), fromExpress((req, res) => {
    res.json({ orders: shop.ordersOf(req.session.customer ?? '') })
  })),

  new Controller('POST', expressPath('/orders'), fromExpress((req, res) => {
    const order = shop.placeOrder(req.session.customer ?? '', req.session.cart ?? {})
    delete req.session.cart
    res.status(201).location(`/orders/${order.id}`).json(order)
  })),

  new Controller('GET', expressPath('/orders/:id'), fromExpress((req, res) => {
    const order = shop.ordersOf(req.session.customer ?? '').find(({ id }) => `${id}` === req.params.id)
    if (order) res.json(order)
    else res.status(404).json({ error: `You have no order ${req.params.id}` })
  })),

  new Controller('GET', expressPath('/admin/orders.csv'), fromExpress((_req, res) => {
    res.type('csv').set('Content-Disposition', 'attachment; filename="orders.csv"').send(shop.ordersAsCsv())
  })),
  ], { profile: fromRouter(router) }).middleware())

  return router
}

const requireCustomer: RequestHandler = (req, res, next) => {
  if (req.session.customer !== undefined) next()
  else res.status(401).json({ error: 'Log in first' })
}
