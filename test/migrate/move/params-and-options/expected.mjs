import express, { Router } from 'express'
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress, fromRouter } from 'routecontrollers/express'

const app = express()
app.enable('case sensitive routing')

const strict = Router({ strict: true, caseSensitive: true })
strict.param('id', (req, res, next, id) => {
  req.found = `found ${id}`
  next()
})
strict.use(new RouteControllers([
new Controller('GET', expressPath('/x/:id'), fromExpress((req, res) => res.send(req.found))),
new Controller('GET', expressPath('/x/:id/more'), fromExpress((req, res, next) => next('route'))),
new Controller('GET', expressPath('/x/:id/more'), fromExpress((req, res) => res.send(`more of ${req.found}`))),
], { profile: fromRouter(strict) }).middleware())

const late = Router()
late.get('/:name', (req, res) => res.send(req.named))
late.param('name', (req, res, next, name) => {
  req.named = name.toUpperCase()
  next()
})

const twice = Router()
twice.param('id', (req, res, next) => {
  res.append('x-param', 'called')
  next()
})
twice.get('/:id', (req, res, next) => next())
twice.use((req, res, next) => next())
twice.get('/:id', (req, res) => res.send('twice'))
twice.use(new RouteControllers([new Controller('GET', expressPath('/no/param'), fromExpress((req, res) => res.send('none')))], { profile: fromRouter(twice) }).middleware())

const leaving = Router()
leaving.get('/leave', (req, res, next) => next('router'))
leaving.use(new RouteControllers([new Controller('GET', expressPath('/leave'), fromExpress((req, res) => res.send('never')))], { profile: fromRouter(leaving) }).middleware())

app.use('/strict', strict)
app.use('/late', late)
app.use('/twice', twice)
app.use('/leaving', leaving)
app.use(new RouteControllers([new Controller('POST', expressPath('/Only'), fromExpress((req, res) => res.send('posted')))], { profile: fromApp(app) }).middleware())
app.use((error, req, res, next) => res.status(500).send('failed'))

export default app
