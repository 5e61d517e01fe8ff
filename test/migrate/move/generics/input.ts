import { type RequestHandler, Router } from 'express'

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

router.get<{ id: string }, Tea | string, Tea, Search>('/teas/:id', check, (req, res) => {
  res.json({ name: req.params.id.toUpperCase() + (req.query.from ?? '') })
})
router.put<{ id: string }>(/* of one */ '/teas/:id', (req, res) => void res.send(req.params.id.trim()))
router.post<'/teas/:id', { id: string }, Tea>('/teas/:id', (req, res) => {
  res.json({ name: req.params.id.trim() })
})
router
  .route('/more/:id')
  .get<{ id: string }, Tea>((req, res) => {
    res.json({ name: req.params.id.trim() })
  })
router.get('/plain/:id/:other', (req, res) => void res.send(req.params.id.trim() + req.params.other))
router.get<unknown, { made: string }>('/made', (_req, res) => void res.json({ made: 'it' }))
router.delete('/teas/:id', (_req, res) => void res.sendStatus(204))

export default router
