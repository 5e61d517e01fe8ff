import type { Session, SessionData } from 'express-session'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import type { Setup } from './setup.js'
import { ShopError } from './shop.js'

/** What the session middleware adds to a request, inside Express and as a hook of ours alike. */
interface WithSession {
  session: Session & Partial<SessionData>
}

const thirtyDaysInSeconds = 30 * 24 * 60 * 60

/** What has moved, ready to be served inside Express, in front of it and alone. */
export function createRouteControllers(setup: Setup): RouteControllers {
  return new RouteControllers(createControllers(setup), {
    // What `express.json()` allows, so that nothing is too large for one side only.
    bodyLimit: 100 * 1024,
    // The shop's refusals look as its clients know them; whatever else fails takes the usual way.
    onError: (error, _req, res) =>
      error instanceof ShopError ? res.status(error.status).json({ error: error.message }) : undefined,
  }).addHeader('X-Answered-By', 'RouteControllers')
}

/** The routes that have moved, each with all that it needs. */
function createControllers({ shop, isAdminToken }: Setup): AnyController[] {
  const products = new Controller('GET', '/products', (req, res) => res.json(shop.searchProducts(req.query)))

  const product = new Controller('GET', '/products/:id', (req, res) => {
    const found = shop.findProduct(req.params.id)
    if (!found) return res.status(404).json({ error: `There is no product ${req.params.id}` })
    return res
      .cookie('lastViewed', found.name, {
        maxAgeSeconds: thirtyDaysInSeconds,
        httpOnly: true,
        sameSite: 'lax',
      })
      .json(found)
  })

  const productsCsv = new Controller('GET', '/products.csv', (_req, res) =>
    res
      .header('Content-Type', 'text/csv; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="products.csv"')
      .send(shop.productsAsCsv()),
  )

  // The address of the catalogue in the printed flyers.
  const oldAddress = new Controller('GET', '/teas', (_req, res) => res.redirect('/products', 301))

  const showCart = new Controller<'/cart', WithSession>('GET', '/cart', (req, res) =>
    res.json(shop.viewCart(req.session.cart ?? {})),
  )

  const addToCart = new Controller<'/cart', WithSession>('POST', '/cart', (req, res) => {
    req.session.cart = shop.addToCart(req.session.cart ?? {}, req.body)
    return res.status(201).json(shop.viewCart(req.session.cart))
  })

  const emptyCart = new Controller<'/cart', WithSession>('DELETE', '/cart', (req, res) => {
    delete req.session.cart
    return res.status(204).end()
  })

  const health = new Controller('GET', '/health', (_req, res) =>
    res.json({ status: 'ok', products: shop.products.length }),
  )

  const report = new Controller('GET', '/admin/report', (_req, res) => res.json(shop.report()))
  // In front of Express no `app.use('/admin', …)` stands before it: the guard moves with the route.
  report.use((req, res) => {
    if (isAdminToken(req.get('x-admin-token'))) return
    return res.status(401).json({ error: 'Send the admin token as X-Admin-Token' })
  })

  return [products, product, productsCsv, oldAddress, showCart, addToCart, emptyCart, health, report]
}
