import express, { Router } from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress, fromRouter } from 'routecontrollers/express'

const app = express()
app.set('json spaces', 2)
app.use(express.json())

const teas = ['Assam', 'Keemun']
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401))

const twoPath = expressPath('/two')
app.use(new RouteControllers([
new Controller('GET', '/teas', (req, res) => {
  return res.json(teas.map((name) => ({ name })))
}, { body: 'stream' }),

// Comments stay, and so do quotes.
new Controller('GET', '/teas/:id', (req, res) => {
  const { id } = req.params
  if (teas[Number(id)] === undefined) return res.status(404).html("no such tea")
  return res.header('X-Tea', 'yes').json({ id, url: req.url, all: req.originalUrl, query: req.query }) // answered
}, { body: 'stream' }),
new Controller('POST', '/teas', async (req, res) => {
  await null
  if (req.body?.name === undefined) throw Object.assign(new Error('no name'), { status: 422 })
  return res
    .status(201)
    .cookie('last', 'tea', { maxAgeSeconds: 60, httpOnly: true })
    .json({ added: req.body.name })
}, { body: 'stream' },),
new Controller('DELETE', expressPath('/teas/:id'), fromExpress(requireUser, (req, res) => res.sendStatus(204))),
new Controller('*', '/any/:id', (req, res) => res.html('any ' + req.method), { body: 'stream' }),
new Controller('GET', expressPath('/older{/:year}'), (req, res) => res.json({ year: req.params.year }), { body: 'stream' }),
new Controller('GET', expressPath('/file'), fromExpress((req, res) => res.sendFile('/nothing'))),
new Controller('GET', expressPath(['/a', '/b/:id']), (req, res) => res.json({ url: req.url }), { body: 'stream' }),
new Controller('GET', '/one', (req, res) => res.html('one'), { body: 'stream' }),
  new Controller('GET', twoPath, fromExpress((req, res) => res.json({ method: req.method }))),
  new Controller('POST', twoPath, fromExpress((req, res) => res.json({ method: req.method }))),
], { profile: fromApp(app) }).middleware())

const users = Router({ mergeParams: true, strict: true })
users.use(new RouteControllers([
new Controller('GET', '/', (req, res) => res.json({ params: req.params, url: req.url }), { body: 'stream' }),
new Controller('GET', '/:user', (req, res) => res.json({ params: req.params, url: req.url, all: req.originalUrl }), { body: 'stream' }),
new Controller('GET', '/:user', (req, res) => res.json('never'), { body: 'stream' }),
new Controller('GET', '/:user/broken', () => {
  throw new Error('broken')
}, { body: 'stream' }),
], { profile: fromRouter(users) }).middleware())

const orders = Router()
orders.param('order', (req, res, next, id) => {
  req.params.order = `order ${id}`
  next()
})
orders.use(new RouteControllers([new Controller('GET', expressPath('/:order'), fromExpress((req, res) => res.json({ order: req.params.order })))], { profile: fromRouter(orders) }).middleware())

app.use('/teams/:team', users)
app.use('/orders', orders)

export default app
