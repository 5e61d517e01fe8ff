// Compiles, or does not: an application typed with @types/express. `npm run test:environments` compiles it with @types/express 4
// and 5, without skipLibCheck, against the declarations of the packed package.
import express from 'express'
import { createServer } from 'node:http'
import { Controller, fromConnect, RouteControllers, Server, toConnect } from 'routecontrollers'
import {
  express4,
  express5,
  type ExpressRequest,
  fromApp,
  fromExpress,
  fromRouter,
  toControllers,
} from 'routecontrollers/express'
import { routerOf, versionOf } from 'routecontrollers/express-model'

const requireUser: express.RequestHandler = (req, res, next) =>
  req.get('authorization') === undefined ? void res.sendStatus(401) : next()
const getUser: express.RequestHandler<{ id: string }> = (req, res) => void res.json({ id: req.params.id })
const onError: express.ErrorRequestHandler = (error, _req, res, next) =>
  res.headersSent ? next(error) : void res.sendStatus(500)

const app = express()
const router = express.Router()
router.get('/users/:id', requireUser, getUser)
app.use(router)

const user = new Controller('GET', '/moved/:id', fromExpress(requireUser, getUser, onError))
user.use(fromConnect(requireUser))
const annotated = new Controller(
  'GET',
  '/annotated/:id',
  fromExpress((req: express.Request, res: express.Response) => void res.send(req.params)),
)
const inferred = new Controller(
  'GET',
  '/inferred/:id',
  fromExpress((req, res) => void res.send(req.params.id.toUpperCase())),
)
// @ts-expect-error the pattern has no such name
fromExpress((req: ExpressRequest<{ id: string }>) => void req.params.name)
// @ts-expect-error a handler is a function
fromExpress('requireUser')

// What a tool asks an app.
const known: 4 | 5 = versionOf(app)
const ownVersion: 4 | 5 = versionOf(router)
const layers = routerOf(app)?.stack.map(({ name }) => name)
console.log(known, ownVersion, layers)

const { controllers } = toControllers(app, { middleware: true })
const profiles = [
  fromApp(app),
  fromRouter(router),
  express4({ express }),
  express5({ express, strict: true }),
]
const all = profiles.map(
  (profile) => new RouteControllers([user, annotated, inferred, ...controllers], { profile }),
)

const [first] = all
if (first !== undefined) {
  first.addGlobal(requireUser).addGlobal('/admin', requireUser).addGlobal(onError)
  app.use(first.middleware())
  app.use('/fetch', toConnect(first.getCallback(), { logger: console }))
  app.use(
    '/app',
    toConnect((request) => new Response(request.url)),
  )
  first.setServer(createServer())
  void new Server().start({ port: 0, routeControllers: first, fallback: app })
}
