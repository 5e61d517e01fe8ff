import { Router } from 'express'
import type { Shop } from '../shop.js'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

const thirtyDays = 30 * 24 * 60 * 60 * 1000

/** What the shop sells. */
export function catalogue(shop: Shop): Router {
  const router = Router()

  router.use(new RouteControllers([
  new Controller('GET', expressPath('/products'), fromExpress((req, res) => {
    res.json(shop.searchProducts(req.query))
  })),

  new Controller('GET', expressPath('/products.csv'), fromExpress((_req, res) => {
    res
      .type('csv')
      .set('Content-Disposition', 'attachment; filename="products.csv"')
      .send(shop.productsAsCsv())
  })),

  new Controller('GET', expressPath('/products/:id'), fromExpress((req, res) => {
    const product = shop.findProduct(req.params.id)
    if (!product) {
      res.status(404).json({ error: `There is no product ${req.params.id}` })
      return
    }
    res.cookie('lastViewed', product.name, { maxAge: thirtyDays, httpOnly: true, sameSite: 'lax' })
    res.json(product)
  })),

  // The address of the catalogue in the printed flyers.
  new Controller('GET', expressPath('/teas'), fromExpress((_req, res) => {
    res.redirect(301, '/products')
  })),
  ], { profile: fromRouter(router) }).middleware())

  return router
}
