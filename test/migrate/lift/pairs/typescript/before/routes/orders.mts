import express, { type Router } from 'express'
import { native } from 'routecontrollers/express'

export interface Order {
  id: string
}

export const orders: Router = express.Router()

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
