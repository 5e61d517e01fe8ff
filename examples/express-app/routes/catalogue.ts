import { Router } from 'express'
import type { Shop } from '../shop.js'

const thirtyDays = 30 * 24 * 60 * 60 * 1000

/** What the shop sells. */
export function catalogue(shop: Shop): Router {
  const router = Router()

  router.get('/products', (req, res) => {
    res.json(shop.searchProducts(req.query))
  })

  router.get('/products.csv', (_req, res) => {
    res
      .type('csv')
      .set('Content-Disposition', 'attachment; filename="products.csv"')
      .send(shop.productsAsCsv())
  })

  router.get('/products/:id', (req, res) => {
    const product = shop.findProduct(req.params.id)
    if (!product) {
      res.status(404).json({ error: `There is no product ${req.params.id}` })
      return
    }
    res.cookie('lastViewed', product.name, { maxAge: thirtyDays, httpOnly: true, sameSite: 'lax' })
    res.json(product)
  })

  // The address of the catalogue in the printed flyers.
  router.get('/teas', (_req, res) => {
    res.redirect(301, '/products')
  })

  return router
}
