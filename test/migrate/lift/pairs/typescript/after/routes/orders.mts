import { type RequestHandler } from 'express'
import { Controller, fromConnect } from 'routecontrollers'

export interface Order {
  id: string
}

interface Extra {
  user?: { id: string }
}

const requireUser: RequestHandler = (req, res, next) =>
  req.get('x-user') === undefined ? void res.status(401).send('who are you?') : next()

export const orders = [
  new Controller('GET', '/:id', (req, res) => res.json({ id: req.params.id } satisfies Order)),
  new Controller<'/:id', Extra>(
    'PUT',
    '/:id',
    (req, res) => {
      return res.json({ id: req.params.id, by: req.user?.id ?? null })
    },
  ),
  new Controller<'/', Extra>(
    'POST',
    '/',
    (req, res) => res.status(201).json({ by: req.user?.id ?? null }),
    { body: 'stream' },
  ).use(fromConnect(requireUser)),
  new Controller(
    'GET',
    '/:id/lines',
    (req, res) => {
      return res.json([req.params.id])
    },
  ).use(fromConnect(requireUser), fromConnect((_req, _res, next) => next())),
]
