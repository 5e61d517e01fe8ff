import { type RequestHandler, Router } from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

interface Tea {
  readonly name: string
}

interface Search {
  readonly from?: string
}

const router = Router()
const check: RequestHandler<{ id: string }, Tea | string, Tea, Search> = (req, res, next) => {
  if (req.query.from === 'nowhere') res.status(404).json('nothing')
  else next()
}

router.use(new RouteControllers([
new Controller('GET', expressPath('/teas/:id'), fromExpress<{ id: string }, Tea | string, Tea, Search>(check, (req, res) => {
  res.json({ name: req.params.id.toUpperCase() + (req.query.from ?? '') })
})),
new Controller('PUT', /* of one */ expressPath('/teas/:id'), fromExpress<{ id: string }>((req, res) => void res.send(req.params.id.trim()))),
new Controller('POST', expressPath('/teas/:id'), fromExpress<'/teas/:id', { id: string }, Tea>((req, res) => {
  res.json({ name: req.params.id.trim() })
})),
  new Controller('GET', expressPath('/more/:id'), fromExpress<{ id: string }, Tea>((req, res) => {
    res.json({ name: req.params.id.trim() })
  })),
new Controller('GET', expressPath('/plain/:id/:other'), fromExpress((req, res) => void res.send(req.params.id.trim() + req.params.other))),
new Controller('GET', expressPath('/made'), fromExpress<unknown, { made: string }>((_req, res) => void res.json({ made: 'it' }))),
new Controller('DELETE', expressPath('/teas/:id'), fromExpress((_req, res) => void res.sendStatus(204))),
], { profile: fromRouter(router) }).middleware())

export default router
