// Handlers that say what their requests are.
import express, { type Request, type Response, Router } from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromExpress, fromRouter } from 'routecontrollers/express'

interface Tea {
  readonly name: string
  readonly grams: number
}

interface Known extends Request {
  user?: string
}

const router = Router()
const check = (req: Known, _res: Response, next: () => void): void => {
  req.user = 'Ada'
  next()
}
const pathOf = (req: Request): string => req.originalUrl.replace(/\?.*/, '')

router.use(express.json())
router.use(new RouteControllers([
new Controller('GET', expressPath('/ip/:id'), fromExpress((req: Request, res: Response) => {
  res.json({ secure: req.secure, id: req.params['id'] ?? null })
})),
new Controller('GET', expressPath('/user'), fromExpress(check, (req: Known, res: Response) => {
  res.json({ user: req.user ?? null })
})),
new Controller('POST', expressPath('/teas'), fromExpress((req: Request<object, unknown, Tea | undefined>, res: Response) => {
  if (req.body?.name === undefined) return res.status(422).json({ missing: 'name' })
  const { name, grams } = req.body
  return res.status(201).json({ name: name.toUpperCase(), grams })
})),
new Controller('PUT', expressPath('/teas/:id'), fromExpress(check, (req: Request<{ id: string }, unknown, Tea | undefined>, res: Response) => {
  res.json({ id: req.params.id.trim(), grams: req.body?.grams ?? null })
})),
new Controller('GET', expressPath('/path'), fromExpress((req: express.Request, res: Response) => {
  res.json({ path: pathOf(req) })
})),
new Controller('GET', expressPath('/plain/:id'), fromExpress((req: Request<{ id: string }>, res: Response) => {
  res.json({ id: req.params.id })
})),
// Nothing says what its body is.
new Controller('POST', expressPath('/untyped'), fromExpress((req, res) => {
  res.json({ name: (req.body?.name as unknown) ?? null })
})),
], { profile: fromRouter(router) }).middleware())

export default router
