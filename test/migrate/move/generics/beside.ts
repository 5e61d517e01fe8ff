import { type RequestHandler, Router } from 'express'
import { fromExpress, native } from 'routecontrollers/express'

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

router.get<{ id: string }, Tea | string, Tea, Search>('/teas/:id', check, native(fromExpress<{ id: string }, Tea | string, Tea, Search>((req, res) => {
  res.json({ name: req.params.id.toUpperCase() + (req.query.from ?? '') })
})), (req, res) => {
  res.json({ name: req.params.id.toUpperCase() + (req.query.from ?? '') })
})
router.put<{ id: string }>(/* of one */ '/teas/:id',
  native<object>(fromExpress<{ id: string }>((req, res) => void res.send(req.params.id.trim()))),
  (req, res) => void res.send(req.params.id.trim()))
router.post<'/teas/:id', { id: string }, Tea>('/teas/:id', native<'/teas/:id'>(fromExpress<'/teas/:id', { id: string }, Tea>((req, res) => {
  res.json({ name: req.params.id.trim() })
})), (req, res) => {
  res.json({ name: req.params.id.trim() })
})
router
  .route('/more/:id')
  .get<{ id: string }, Tea>(native(fromExpress<{ id: string }, Tea>((req, res) => {
    res.json({ name: req.params.id.trim() })
  })), (req, res) => {
    res.json({ name: req.params.id.trim() })
  })
router.get('/plain/:id/:other',
  native<'/plain/:id/:other'>((req, res) => res.html(req.params.id.trim() + req.params.other)),
  (req, res) => void res.send(req.params.id.trim() + req.params.other))
router.get<unknown, { made: string }>('/made',
  native<object>(fromExpress<unknown, { made: string }>((_req, res) => void res.json({ made: 'it' }))),
  (_req, res) => void res.json({ made: 'it' }))
router.delete('/teas/:id',
  native<'/teas/:id'>((_req, res) => res.status(204).text('No Content'), { body: 'stream' }),
  (_req, res) => void res.sendStatus(204))

export default router
