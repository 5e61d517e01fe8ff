import { Router, type NextFunction, type Request, type Response } from 'express'
import { native } from 'routecontrollers/express'

const router = Router()

router.use((req: Request, res: Response, next: NextFunction): void => {
  if (req.get('x-user') === undefined) {
    res.status(401).json({ error: `who asks for ${req.path}?` })
    return
  }
  res.locals['user'] = req.get('x-user')
  next()
})
router.use(async (_req: Request, res: Response, next: NextFunction) => {
  res.set('x-teas', String(res.locals['user']))
  next()
})

router.get('/', native((_req, res) => res.json(['Assam'])))
router.delete(
  '/:id',
  (req: Request<{ id: string }>, res: Response, next: NextFunction) =>
    req.params.id === '404' ? void res.status(404).end() : next(),
  native(
    (req, res) => {
      return res.json({ gone: req.params.id })
    },
    { body: 'stream' },
  ),
)

export default router
