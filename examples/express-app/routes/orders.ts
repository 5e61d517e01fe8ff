import { Router, type RequestHandler } from 'express'
import type { Shop } from '../shop.js'

/** Ordering, for customers who are logged in, and the list of all orders for the admin. */
export function orders(shop: Shop): Router {
  const router = Router()
  router.use('/orders', requireCustomer)

  router.get('/orders', (req, res) => {
    res.json({ orders: shop.ordersOf(req.session.customer ?? '') })
  })

  router.post('/orders', (req, res) => {
    const order = shop.placeOrder(req.session.customer ?? '', req.session.cart ?? {})
    delete req.session.cart
    res.status(201).location(`/orders/${order.id}`).json(order)
  })

  router.get('/orders/:id', (req, res) => {
    const order = shop.ordersOf(req.session.customer ?? '').find(({ id }) => `${id}` === req.params.id)
    if (order) res.json(order)
    else res.status(404).json({ error: `You have no order ${req.params.id}` })
  })

  router.get('/admin/orders.csv', (_req, res) => {
    res.type('csv').set('Content-Disposition', 'attachment; filename="orders.csv"').send(shop.ordersAsCsv())
  })

  return router
}

const requireCustomer: RequestHandler = (req, res, next) => {
  if (req.session.customer !== undefined) next()
  else res.status(401).json({ error: 'Log in first' })
}
