// A small shop twice: the Express app that it was, and the Controllers that replace it.
import express, { type Express } from 'express'
import { type AnyController, Controller, etag, group } from 'routecontrollers'

export interface Product {
  readonly id: string
  readonly name: string
  readonly price: number
}

/** What both sides read and write. */
export class Store {
  readonly products: readonly Product[] = [
    { id: '1', name: 'Teapot', price: 24 },
    { id: '2', name: 'Cup', price: 7 },
  ]
  readonly orders: { product: string; count: number }[] = []
}

/** Mistakes that the new code can have, to see what the migration makes of them. */
export interface Faults {
  /** It leaves the price out. */
  noPrice: boolean
  /** It fails. */
  fails: boolean
}

export function createLegacyApp(store: Store): Express {
  const app = express()
  app.use(express.json())
  app.get('/products', (_req, res) => {
    res.json({ at: new Date().toISOString(), products: store.products })
  })
  app.get('/products/:id', (req, res) => {
    const product = store.products.find(({ id }) => id === req.params.id)
    if (product === undefined) res.status(404).json({ error: 'There is no such product' })
    else res.json(product)
  })
  app.post('/orders', (req, res) => {
    const { product, count } = req.body as { product: string; count: number }
    store.orders.push({ product, count })
    res.status(201).json({ orders: store.orders.length })
  })
  app.get('/old-catalogue', (_req, res) => res.redirect('/products'))
  return app
}

export function createControllers(store: Store, faults: Faults): AnyController[] {
  const shop = group('', etag())
  return [
    shop.get('/products', (_req, res) =>
      res.json({ at: new Date().toISOString(), products: store.products }),
    ),
    shop.get('/products/:id', (req, res) => {
      if (faults.fails) throw new Error('The new shop has failed')
      const product = store.products.find(({ id }) => id === req.params.id)
      if (product === undefined) return res.status(404).json({ error: 'There is no such product' })
      const { id, name, price } = product
      return res.json(faults.noPrice ? { id, name } : { id, name, price })
    }),
    shop.post('/orders', (req, res) => {
      const { product, count } = req.body as { product: string; count: number }
      store.orders.push({ product, count })
      return res.status(201).json({ orders: store.orders.length })
    }),
    new Controller('GET', '/health', (_req, res) => res.json({ ok: true })),
  ]
}
