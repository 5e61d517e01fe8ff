import { Router, type NextFunction, type Request, type Response } from 'express'
import { fromRouter } from 'routecontrollers/express'
import { Controller, fromConnect, RouteControllers } from 'routecontrollers'

const router = new RouteControllers([
  new Controller('GET', '/', (_req, res) => res.json(['Assam'])),
  new Controller(
    'DELETE',
    '/:id',
    (req, res) => {
      return res.json({ gone: req.params.id })
    },
    { body: 'stream' },
  ).use(fromConnect((req: Request<{ id: string }>, res: Response, next: NextFunction) =>
    req.params.id === '404' ? void res.status(404).end() : next())),
], { profile: fromRouter(Router()) })
router.addGlobal((req: Request, res: Response, next: NextFunction): void => {
  if (req.get('x-user') === undefined) {
    res.status(401).json({ error: `who asks for ${req.path}?` })
    return
  }
  res.locals['user'] = req.get('x-user')
  next()
}, { scope: 'every' })
router.addGlobal(async (_req: Request, res: Response, next: NextFunction) => {
  res.set('x-teas', String(res.locals['user']))
  next()
}, { scope: 'every' })

export default router
