import express, { Router } from 'express'
import { native, sendFile } from 'routecontrollers/express'

const app = express()
app.set('json spaces', 2)
app.use(express.json())

const teas = ['Assam', 'Keemun']
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))

app.get('/teas', native((req, res) => {
  return res.json(teas.map((name) => ({ name })))
}), (req, res) => {
  res.json(teas.map((name) => ({ name })))
})

// Comments stay, and so do quotes.
app.get('/teas/:id', native((req, res) => {
  const { id } = req.params
  if (teas[Number(id)] === undefined) return res.status(404).html("no such tea")
  return res.header('X-Tea', 'yes').json({ id, url: req.url, all: req.originalUrl, query: req.query }) // answered
}), (req, res) => {
  const { id } = req.params
  if (teas[Number(id)] === undefined) return res.status(404).send("no such tea")
  res.set('X-Tea', 'yes').send({ id, url: req.url, all: req.originalUrl, query: req.query }) // answered
})
app.post('/teas', native(async (req, res) => {
  await null
  if (req.body?.name === undefined) throw Object.assign(new Error('no name'), { status: 422 })
  return res
    .status(201)
    .cookie('last', 'tea', { maxAgeSeconds: 60, httpOnly: true })
    .json({ added: req.body.name })
}, { body: 'stream' }), async (req, res, next) => {
  await null
  if (req.body?.name === undefined) throw Object.assign(new Error('no name'), { status: 422 })
  res
    .status(201)
    .cookie('last', 'tea', { maxAge: 60_000, httpOnly: true })
    .json({ added: req.body.name })
},)
app.delete('/teas/:id', requireUser,
  native((req, res) => res.status(204).text('No Content'), { body: 'stream' }),
  (req, res) => res.sendStatus(204))
app.all('/any/:id',
  native((req, res) => res.html('any ' + req.method), { body: 'stream' }),
  (req, res) => res.send('any ' + req.method))
app.get('/older{/:year}',
  native((req, res) => res.json({ year: req.params.year })),
  (req, res) => res.json({ year: req.params.year }))
app.get('/file', native(() => sendFile('/nothing')), (req, res) => res.sendFile('/nothing'))
app.get(['/a', '/b/:id'],
  native((req, res) => res.json({ url: req.url })),
  (req, res) => res.json({ url: req.url }))
app.route('/one').get(native((req, res) => res.html('one')), (req, res) => res.send('one'))
app.route('/two')
  .get(
    native((req, res) => res.json({ method: req.method })),
    (req, res) => res.json({ method: req.method }))
  .post(
    native((req, res) => res.json({ method: req.method }), { body: 'stream' }),
    (req, res) => res.json({ method: req.method }))

const users = Router({ mergeParams: true, strict: true })
users.get('/',
  native((req, res) => res.json({ params: req.params, url: req.url })),
  (req, res) => res.json({ params: req.params, url: req.url }))
users.get('/:user',
  native((req, res) => res.json({ params: req.params, url: req.url, all: req.originalUrl })),
  (req, res) => res.json({ params: req.params, url: req.url, all: req.originalUrl }))
users.get('/:user', native((req, res) => res.json('never')), (req, res) => res.json('never'))
users.get('/:user/broken', native(() => {
  throw new Error('broken')
}), (req, res) => {
  throw new Error('broken')
})

const orders = Router()
orders.param('order', (req, res, next, id) => {
  req.params.order = `order ${id}`
  next()
})
orders.get('/:order',
  native((req, res) => res.json({ order: req.params.order })),
  (req, res) => res.json({ order: req.params.order }))

app.use('/teams/:team', users)
app.use('/orders', orders)

export default app
