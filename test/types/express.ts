// Compiles, or does not: what fromExpress accepts, and what it tells a handler that says nothing about its types.
import type {
  ErrorRequestHandler,
  NextFunction as TheirNext,
  Request as TheirRequest,
  RequestHandler,
  Response as TheirResponse,
} from 'express'
import type { Server as HttpServer } from 'node:http'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express from 'express'
import multer from 'multer'
import passport from 'passport'
import { Controller, RouteControllers, type Server } from 'routecontrollers'
import {
  type AppServerOptions,
  createServer,
  type ErrorHandler,
  type ExpressRequest,
  expressPath,
  fromExpress,
  type Handler,
  serve,
} from 'routecontrollers/express'
import { expectType } from './equal.js'

interface Body {
  title: string
}
interface UserParams {
  id: string
}
interface Search {
  page?: string
}

// Inferred
new RouteControllers([
  new Controller(
    'GET',
    '/users/:id',
    fromExpress((req, res) => res.status(201).json({ id: req.params.id })),
  ),
])

const user = new Controller(
  'GET',
  '/users/:id/posts/:post',
  fromExpress(
    (req, res, next) => {
      expectType<typeof req.params, { id: string; post: string }>()
      // @ts-expect-error no such param
      void req.params.name
      res.locals['user'] = req.params.id
      next()
    },
    async (req, res) => {
      const id: string = req.params.id
      res.json({ id, agent: req.get('user-agent') })
    },
  ),
)
user.use((req) => void req.params.post)
expectType<typeof user extends Controller<'/users/:id/posts/:post', object> ? true : false, true>()

declare const _annotated: Controller<'/users/:id'>
expectType<Parameters<typeof _annotated.callback>[0]['params'], { id: string }>()
const declared: Controller<'/users/:id', object> = new Controller(
  'GET',
  '/users/:id',
  fromExpress((req, res) => res.send(req.params.id.length)),
)
void declared

declare const anyPath: string
new Controller(
  'GET',
  anyPath,
  fromExpress((_req) => expectType<typeof _req.params, Record<string, string>>()),
)
// A grammar of Express's, which a profile reads.
new Controller(
  'GET',
  '/flights/:from-:to',
  fromExpress((_req) => expectType<typeof _req.params, Record<string, string>>()),
)
new Controller(
  'GET',
  expressPath('/users{/:id}'),
  fromExpress((_req) => expectType<typeof _req.params, Record<string, string>>()),
)

fromExpress((req, res) => {
  expectType<typeof req.body, any>()
  expectType<typeof req.hostname, string>()
  expectType<ReturnType<typeof res.status>, typeof res>()
  const accepted: string | false = req.accepts(['html', 'json'])
  const one: string | false = req.acceptsLanguages('en', 'de')
  const all: string[] = req.acceptsEncodings()
  const range = req.range(100, { combine: true })
  if (Array.isArray(range)) void range[0]?.start
  res.set({ ETag: 'a' }).type('html').vary('Accept').cookie('a', { b: 1 }, { signed: true, maxAge: 1000 })
  res.render('page', { accepted, one, all }, (error, html) => void [error, html])
  res.format({ json: () => res.json({}), default: (_req, response) => response.end() })
  void [req.app.get('env'), res.app.locals['title'], res.req, req.res.locals, req.socket.remoteAddress]
  // @ts-expect-error a status is a number
  res.status('404')
  // @ts-expect-error there is no such member
  void req.nothing
})

// What packages add to req, by the declarations that they bring.
fromExpress(cookieParser(), multer().single('file'), passport.initialize(), cors(), (req, res) => {
  void [req.user, req.file?.mimetype, req.isAuthenticated()]
  res.end()
})

// Typed with @types/express
const theirs: RequestHandler = (req, res) => void res.json(req.params)
const narrow: RequestHandler<UserParams, { title: string }, Body, Search, { tenant: string }> = (req, res) =>
  void res.json({ title: req.body.title + (req.query.page ?? '') + res.locals.tenant + req.params.id })
const onError: ErrorRequestHandler = (error, _req, res, next) => (res.headersSent ? next(error) : res.end())
const onNarrowError: ErrorRequestHandler<UserParams, unknown, Body, Search> = (_error, req, res, _next) =>
  void res.send(req.params.id)

fromExpress(theirs, narrow, onError, onNarrowError)
fromExpress([theirs, [narrow, [onError]]], theirs)
fromExpress((req: TheirRequest, res: TheirResponse) => void res.send(req.params))
fromExpress((req: TheirRequest<{ id: string }, unknown, Body, Search>, res: TheirResponse<string>) => {
  res.send(req.params.id + req.body.title)
})
fromExpress(async (req: TheirRequest<UserParams>, res: TheirResponse, next: TheirNext) => {
  if (req.params.id === '') return next('route')
  res.sendStatus(204)
})
const users = new Controller('GET', '/users/:id', fromExpress(narrow, onNarrowError))
void users

// Theirs and such that say nothing, side by side
new Controller(
  'POST',
  '/users/:id',
  fromExpress(
    (req, _res, next) => next(req.params.id === '' ? new Error('nobody') : undefined),
    narrow,
    [theirs, (req, res, next) => (req.xhr ? next('route') : res.redirect('/login'))],
    (req, res) => res.json({ id: req.params.id }),
    onError,
  ),
)

// Typed with ours
const guard: Handler = (req, res, next) => (req.get('authorization') ? next() : res.sendStatus(401))
const own: Handler<{ id: string }> = (req, res) => res.send(req.params.id)
const ownError: ErrorHandler = (_error, req, res, next) => (res.headersSent ? next() : res.send(req.path))
const wildcard = (req: ExpressRequest<{ splat: string[] }, Body, Search>): string =>
  req.params.splat.join('/') + req.body.title + (req.query.page ?? '')
fromExpress(
  guard,
  own,
  [ownError],
  (req: ExpressRequest<{ splat: string[] }, Body, Search>, res: TheirResponse) =>
    void res.send(wildcard(req)),
)

// @ts-expect-error a handler is a function
fromExpress('handler')
// @ts-expect-error a list of handlers holds functions
fromExpress([theirs, { handle: theirs }])
// @ts-expect-error undefined is a mistake in an import
fromExpress(undefined)

// An app in one line
const served: Promise<Server> = serve(express(), { port: 0, routes: [new Controller('GET', '/', () => 'x')] })
void served
void serve(express(), { port: { fd: 3 }, http2: true })
// @ts-expect-error the app is what stands behind
void serve(express(), { port: 0, fallback: express() })
// @ts-expect-error a port is needed
void serve(express(), {})
// @ts-expect-error an app is no route
void serve(express(), { port: 0, routes: [express()] })

// The server of an app
const appServer: HttpServer = createServer(express(), { keepAliveTimeout: 1, maxHeaderSize: 8192 })
appServer.listen(0)
const serverOptions: AppServerOptions = { requestTimeout: 1 }
createServer(express(), serverOptions)
createServer(express())
// @ts-expect-error the classes are those of the app
createServer(express(), { IncomingMessage: class {} })
// @ts-expect-error it is a server of node:http
createServer(express(), { key: '' })
// @ts-expect-error no app
createServer(express.request)
// @ts-expect-error an app is needed
createServer()
