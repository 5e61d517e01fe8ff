import express, { type RequestHandler, Router } from 'express'
import { Controller, fromConnect, RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'

const guard =
  (name: string): RequestHandler =>
  (req, res, next) => {
    if (req.get('x-guard') === name) next()
    else res.sendStatus(403)
  }

const app = express()
const router = Router()
app.use(express.json())
router.get('/users/:id', guard('users'), (req, res) => {
  res.json(req.params)
})
router.get('/files/*path', (req, res) => {
  res.json(req.params)
})
app.use('/api', router)
app.get('/legacy{/:option}', (req, res) => {
  res.send('legacy')
})

const own = new Controller('GET', '/own/:id', (req) => req.params.id)
own.use(fromConnect(guard('own')))
const routeControllers = new RouteControllers([own]).addGlobal('/own', guard('hook'))
app.use(routeControllers.middleware())

const front = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
await new Server().start({ port: 3000, routeControllers: front, fallback: app })
