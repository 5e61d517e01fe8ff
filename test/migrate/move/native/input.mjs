import express, { Router } from 'express'

const app = express()
app.set('json spaces', 2)
app.use(express.json())

const teas = ['Assam', 'Keemun']
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))

app.get('/teas', (req, res) => {
  res.json(teas.map((name) => ({ name })))
})

// Comments stay, and so do quotes.
app.get('/teas/:id', (req, res) => {
  const { id } = req.params
  if (teas[Number(id)] === undefined) return res.status(404).send("no such tea")
  res.set('X-Tea', 'yes').send({ id, url: req.url, all: req.originalUrl, query: req.query }) // answered
})
app.post('/teas', async (req, res, next) => {
  await null
  if (req.body?.name === undefined) throw Object.assign(new Error('no name'), { status: 422 })
  res
    .status(201)
    .cookie('last', 'tea', { maxAge: 60_000, httpOnly: true })
    .json({ added: req.body.name })
},)
app.delete('/teas/:id', requireUser, (req, res) => res.sendStatus(204))
app.all('/any/:id', (req, res) => res.send('any ' + req.method))
app.get('/older{/:year}', (req, res) => res.json({ year: req.params.year }))
app.get('/file', (req, res) => res.sendFile('/nothing'))
app.get(['/a', '/b/:id'], (req, res) => res.json({ url: req.url }))
app.route('/one').get((req, res) => res.send('one'))
app.route('/two')
  .get((req, res) => res.json({ method: req.method }))
  .post((req, res) => res.json({ method: req.method }))

const users = Router({ mergeParams: true, strict: true })
users.get('/', (req, res) => res.json({ params: req.params, url: req.url }))
users.get('/:user', (req, res) => res.json({ params: req.params, url: req.url, all: req.originalUrl }))
users.get('/:user', (req, res) => res.json('never'))
users.get('/:user/broken', (req, res) => {
  throw new Error('broken')
})

const orders = Router()
orders.param('order', (req, res, next, id) => {
  req.params.order = `order ${id}`
  next()
})
orders.get('/:order', (req, res) => res.json({ order: req.params.order }))

app.use('/teams/:team', users)
app.use('/orders', orders)

export default app
