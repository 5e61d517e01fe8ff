// What a shop has sold.
import { find } from './store.mjs'
import { Controller } from 'routecontrollers'

function show(req, res) {
  const order = find(req.params.id)
  if (order === undefined) return res.status(404).text(`no order
in this shop`)
  return res.json({ ...order, shop: req.params.shop, base: req.baseUrl })
}

/** The orders of a shop. */
const orders = [
  // All of them.
  new Controller('GET', '/', (req, res) => res.json({ shop: req.params.shop, orders: [1, 2] })), // for lists
  new Controller('GET', '/new', () => 'a form'),
  new Controller('GET', '/:id', show, { name: 'order' }),
  new Controller(
    'POST',
    '/',
    // Twice the limit of the others.
    (req, res) => res.status(201).json({ made: req.body ?? null }), { bodyLimit: 2_000_000 },
  ),
  new Controller('DELETE', '/:id', (req, res) => {
    if (req.params.id === '9') throw new Error('cannot')
    return res.status(204).end()
  }),
  new Controller('*', '/:id/notes', (req, res) => res.text(`${req.method} notes of ${req.params.id}`)),
]

export default orders
