import { type RequestHandler, Router } from 'express'
import { native } from 'routecontrollers/express'

const requireUser: RequestHandler = (req, res, next) => {
  if (req.get('x-user') === undefined) res.sendStatus(401)
  else next()
}

export const orders: Router = Router()
orders.use(requireUser)
orders.get(
  '/',
  native(() => []),
)
orders.get(
  '/:id',
  native(function show() {
    return { id: 1 }
  }),
)
