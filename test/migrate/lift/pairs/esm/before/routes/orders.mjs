// What a shop has sold.
import { Router } from 'express'
import { native } from 'routecontrollers/express'
import { find } from './store.mjs'

/** The orders of a shop. */
const orders = Router({ mergeParams: true })

// All of them.
orders.get('/', native((req, res) => res.json({ shop: req.params.shop, orders: [1, 2] }))) // for lists

function show(req, res) {
  const order = find(req.params.id)
  if (order === undefined) return res.status(404).text(`no order
in this shop`)
  return res.json({ ...order, shop: req.params.shop, base: req.baseUrl })
}

orders.get('/new', native(() => 'a form'))
orders.get('/:id', native(show, { name: 'order' }))
orders.post(
  '/',
  // Twice the limit of the others.
  native((req, res) => res.status(201).json({ made: req.body ?? null }), { bodyLimit: 2_000_000 }),
)
orders.delete('/:id', native((req, res) => {
  if (req.params.id === '9') throw new Error('cannot')
  return res.status(204).end()
}))
orders.all('/:id/notes', native((req, res) => res.text(`${req.method} notes of ${req.params.id}`)))

export default orders
