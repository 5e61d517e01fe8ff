import express from 'express'
import { fromRouter } from 'routecontrollers/express'
import { Controller, RouteControllers } from 'routecontrollers'

const app = express()

const teas = [
  new Controller('GET', '/Green', () => 'green'),
  new Controller('GET', '/:name', (req, res) => res.text(req.params.name)),
]

const cups = new RouteControllers([
  new Controller('GET', '/', () => 'cups'),
], { profile: fromRouter(express.Router()) })
cups.addGlobal((req, res, next) => {
  res.set('x-cups', req.url)
  next()
}, { scope: 'every' })

app.use('/teas', new RouteControllers(teas, { profile: fromRouter(express.Router({ strict: true, caseSensitive: true })) }).middleware())
app.use(cups.middleware())
app.get('/', (req, res) => res.send('never'))

const server = app.listen(0, () => console.log(server.address().port))
