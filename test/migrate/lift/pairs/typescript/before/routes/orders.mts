import express, { type RequestHandler, type Router } from 'express'
import { native } from 'routecontrollers/express'

export interface Order {
  id: string
}

export const orders: Router = express.Router()

const seen: RequestHandler = (req, res, next) => {
  res.set('x-orders', req.baseUrl)
  next()
}
orders.use('/', seen)

interface Extra {
  user?: { id: string }
}

orders.get('/:id', native<'/:id'>((req, res) => res.json({ id: req.params.id } satisfies Order)))
orders.put(
  '/:id',
  native<'/:id', Extra>((req, res) => {
    return res.json({ id: req.params.id, by: req.user?.id ?? null })
  }),
)

const requireUser: RequestHandler = (req, res, next) =>
  req.get('x-user') === undefined ? void res.status(401).send('who are you?') : next()

orders.post(
  '/',
  requireUser,
  native<'/', Extra>(
    (req, res) => res.status(201).json({ by: req.user?.id ?? null }),
    { body: 'stream' },
  ),
)
orders.get(
  '/:id/lines',
  requireUser,
  (_req, _res, next) => next(),
  native((req, res) => {
    return res.json([req.params.id])
  }),
)
