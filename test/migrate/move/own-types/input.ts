// Handlers that say what their requests are.
import express, { type Request, type Response, Router } from 'express'

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
router.get('/ip/:id', (req: Request, res: Response) => {
  res.json({ secure: req.secure, id: req.params['id'] ?? null })
})
router.get('/user', check, (req: Known, res: Response) => {
  res.json({ user: req.user ?? null })
})
router.post('/teas', (req: Request<object, unknown, Tea | undefined>, res: Response) => {
  if (req.body?.name === undefined) return res.status(422).json({ missing: 'name' })
  const { name, grams } = req.body
  return res.status(201).json({ name: name.toUpperCase(), grams })
})
router.put('/teas/:id', check, (req: Request<{ id: string }, unknown, Tea | undefined>, res: Response) => {
  res.json({ id: req.params.id.trim(), grams: req.body?.grams ?? null })
})
router.route('/path').get((req: express.Request, res: Response) => {
  res.json({ path: pathOf(req) })
})
router.get('/plain/:id', (req: Request<{ id: string }>, res: Response) => {
  res.json({ id: req.params.id })
})
// Nothing says what its body is.
router.post('/untyped', (req, res) => {
  res.json({ name: (req.body?.name as unknown) ?? null })
})

export default router
