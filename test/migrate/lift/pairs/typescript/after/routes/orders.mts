import express, { type RequestHandler } from 'express'
import { fromRouter } from 'routecontrollers/express'
import { Controller, fromConnect, RouteControllers } from 'routecontrollers'

export interface Order {
  id: string
}

const seen: RequestHandler = (req, res, next) => {
  res.set('x-orders', req.baseUrl)
  next()
}

interface Extra {
  user?: { id: string }
}

const requireUser: RequestHandler = (req, res, next) =>
  req.get('x-user') === undefined ? void res.status(401).send('who are you?') : next()

export const orders = new RouteControllers([
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
], { profile: fromRouter(express.Router()) })
orders.addGlobal(seen, { scope: 'every' })
