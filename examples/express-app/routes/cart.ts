import { Router } from 'express'
import type { Shop } from '../shop.js'

/** The cart, kept in the session. */
export function cart(shop: Shop): Router {
  const router = Router()

  router.get('/cart', (req, res) => {
    res.json(shop.viewCart(req.session.cart ?? {}))
  })

  router.post('/cart', (req, res) => {
    req.session.cart = shop.addToCart(req.session.cart ?? {}, req.body)
    res.status(201).json(shop.viewCart(req.session.cart))
  })

  router.delete('/cart', (req, res) => {
    delete req.session.cart
    res.status(204).end()
  })

  return router
}
