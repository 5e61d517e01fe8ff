import { Router } from 'express'
import type { Shop } from '../shop.js'

/** For those who run the shop. */
export function operations(shop: Shop): Router {
  const router = Router()

  router.get('/health', (_req, res) => {
    res.json({ status: 'ok', products: shop.products.length })
  })

  router.get('/admin/report', (_req, res) => {
    res.json(shop.report())
  })

  return router
}
