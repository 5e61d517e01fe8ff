import type { IncomingMessage, ServerResponse } from 'node:http'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express, { type RequestHandler } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import morgan from 'morgan'
import {
  type AnyController,
  type Answer,
  type Callback,
  type ConnectHandler,
  Controller,
  type ErrorHook,
  type EventStream,
  type FetchHandler,
  type Hook,
  isRouteControllersError,
  type Logger,
  type Middleware,
  type Next,
  type NodeHandler,
  type ResponseBuilder,
  type RouteCheckResult,
  RouteControllers,
  type RouteControllersOptions,
  type RouteRequest,
  Server,
  type ServerOptions,
  toConnect,
  toListener,
  type TypeRequest,
  type TypeRequestInternalObject,
  type TypeResponseInternalObject,
  type TypeReturnCallback,
  type CookieOptions,
} from 'routecontrollers'
import { type Equal, expectTrue } from './equal.js'

type IsAny<T> = 0 extends 1 & T ? true : false

function expectType<T>(_value: T): void {}

interface User {
  name: string
}

// Params are inferred from a literal path.
new Controller('GET', '/users/:userId/posts/:postId', (req, res) => {
  expectTrue<Equal<typeof req.params, { userId: string; postId: string }>>()
  // @ts-expect-error the pattern has no such param
  void req.params.userID
  return res.json(req.params)
})
new Controller('GET', '/files/*path', (req) => req.params.path)
new Controller('GET', '*', (req) => req.params['*'])
new Controller('GET', '/none', (req) => {
  // @ts-expect-error the pattern has no params
  return String(req.params.id)
})
new Controller('GET', '/users/:userId', async (req) => req.params.userId).use((req) => {
  const { params } = req
  expectTrue<Equal<typeof params, { userId: string }>>()
  return { user: params.userId }
})
// @ts-expect-error a middleware returns an answer, an object or nothing
new Controller('GET', '/x', () => '').use(() => 'text')
declare const dynamicPath: string
new Controller('GET', dynamicPath, (req) => {
  const { params } = req
  expectTrue<Equal<typeof params, Record<string, string>>>()
  return params
})

// What middleware add can be declared, for the middleware and the callback alike.
new Controller<'/x', { user: User }>('GET', '/x', (req) => {
  expectTrue<Equal<typeof req.user, User>>()
  // @ts-expect-error not declared
  void req.usr
  return req.user.name
})
  .use((req) => {
    req.user = { name: 'Ada' }
  })
  .use((req) => {
    // @ts-expect-error a user is an object with a name
    req.user = 'Ada'
  })
new Controller<'/users/:id', { user: User }>('GET', '/users/:id', (req) => req.params.id + req.user.name)

// What nobody declares is not there.
new Controller('GET', '/x', (req, res) => {
  // @ts-expect-error nobody declares it
  return res.json({ info: req.extraInfo })
}).use(async (req) => {
  // @ts-expect-error nobody declares it
  req.extraInfo = 'seen by the callback'
})

// What a callback may return.
declare const events: EventStream
for (const callback of [
  () => 'text',
  () => ({ a: 1 }),
  () => [1, 2],
  () => null,
  () => undefined,
  () => {},
  () => new Uint8Array(1),
  () => new ArrayBuffer(1),
  () => new Blob([]),
  () => new Response(),
  () => new ReadableStream<Uint8Array>(),
  async () => ({ a: 1 }),
  (_req: RouteRequest, res: ResponseBuilder) => res.sse(events),
  (_req: RouteRequest, res: ResponseBuilder) =>
    res.status(201).header('X-A', ['1', '2']).cookie('a', '1').end(),
] satisfies Callback[]) {
  new Controller('GET', dynamicPath, callback)
}
// @ts-expect-error a number is no answer
new Controller('GET', '/', () => 42)
// @ts-expect-error no more is a boolean
new Controller('GET', '/', async () => true)
// @ts-expect-error a Controller answers
new Controller('GET', '/')
// @ts-expect-error the callback comes third
new Controller('GET', (_req, res) => res.end())
// @ts-expect-error a method is a string
new Controller(['GET'], '/', () => 'x')
// @ts-expect-error no such option
new Controller('GET', '/', () => 'x', { limit: 1 })
// @ts-expect-error bytes are a number
new Controller('GET', '/', () => 'x', { bodyLimit: '1mb' })
// @ts-expect-error a middleware is a function
new Controller('GET', '/', () => 'x').use('guard')
// @ts-expect-error res.json takes a value
new Controller('GET', '/', (_req, res) => res.json())

// Controllers of different paths and additions stand in one list.
const controllers = [
  new Controller('GET', '/a/:b', (req) => req.params.b),
  new Controller<'/x', { user: User }>('GET', '/x', (req) => req.user.name),
  new Controller('*', '*', () => 'any'),
]
expectType<readonly AnyController[]>(controllers)
const routeControllers = new RouteControllers(controllers, { bodyLimit: 1024, logger: console })
new RouteControllers([])
// @ts-expect-error a list
new RouteControllers(controllers[0])
// @ts-expect-error of Controllers
new RouteControllers([{ method: 'GET', path: '/', callback: () => 'x' }])
// @ts-expect-error no such option
new RouteControllers([], { bodyLimt: 1 })
new RouteControllers([], {
  onError: (error, req, res) => {
    expectTrue<Equal<typeof error, unknown>>()
    return res.status(500).json({ at: req.url })
  },
  onNotFound: (req, res) => res.status(404).text(req.method),
})

// addGlobal takes the middleware of Express as they are.
routeControllers
  .addGlobal(helmet())
  .addGlobal(cors())
  .addGlobal(morgan('tiny'))
  .addGlobal(compression())
  .addGlobal(cookieParser())
  .addGlobal(session({ secret: 'x', resave: false, saveUninitialized: false }))
  .addGlobal(express.json())
  .addGlobal(express.urlencoded({ extended: true }))
  .addGlobal('/public', express.static('public'))
  .addGlobal('/admin', helmet(), { scope: 'every' })
  .addGlobal((req, res, next) => {
    expectTrue<Equal<typeof req, IncomingMessage>>()
    expectTrue<Equal<typeof res, ServerResponse>>()
    expectTrue<Equal<typeof next, Next>>()
    next()
    next(new Error('x'))
    next('route')
    next(req, res)
  })
  .addGlobal(async (_req, _res, next) => next())
  .addGlobal((_req, res) => res.end())
  .addGlobal((err: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) => next(err))
  .addGlobal(
    '/admin',
    (err: Error, _req: IncomingMessage, _res: ServerResponse, next: Next) => next(err.message),
    { scope: 'answered' },
  )
  .addGlobal((req: express.Request, res: express.Response, next: express.NextFunction) => {
    if (req.path === '/') res.send('x')
    else next()
  })
  .addGlobal((err: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(err.message)
  })
// The parameters of an error hook are inferred from its type; between two overloads TypeScript infers three at most.
const errorHook: ErrorHook = (err, req, res, next) => {
  expectTrue<Equal<typeof err, unknown>>()
  expectTrue<Equal<typeof req, IncomingMessage>>()
  expectTrue<Equal<typeof res, ServerResponse>>()
  expectTrue<Equal<typeof next, Next>>()
  next(err)
}
routeControllers.addGlobal(errorHook).addGlobal('/admin', errorHook, { scope: 'every' })
// @ts-expect-error a hook is a function
routeControllers.addGlobal('/admin')
// @ts-expect-error no such scope
routeControllers.addGlobal(helmet(), { scope: 'all' })
// @ts-expect-error a hook has at most four parameters
routeControllers.addGlobal((_a, _b, _c, _d, _e) => {})

// A cookie's lifetime is in seconds; `maxAge`, which is milliseconds in Express, does not compile.
new Controller('GET', '/cookie', (_req, res) => res.cookie('a', '1', { maxAgeSeconds: 3600 }).end())
new Controller('GET', '/cookie', (_req, res) => {
  // @ts-expect-error write maxAgeSeconds
  res.cookie('a', '1', { maxAge: 3_600_000 })
  const options = { maxAge: 3_600_000 }
  // @ts-expect-error write maxAgeSeconds
  return res.cookie('a', '1', options).end()
})
// What the compiler says of it is the remedy.
const cookieRemedy: CookieOptions['maxAge'] =
  'maxAge is milliseconds in Express: write maxAgeSeconds, which is seconds'
void cookieRemedy

// What every request has: the route that has matched, and its cookies.
new Controller(
  'GET',
  '/named',
  (req) => {
    expectType<{ method: string; path: string; name: string | undefined }>(req.route)
    expectTrue<Equal<typeof req.cookies.session, string | undefined>>()
    // @ts-expect-error it is the same object for all requests
    req.route.name = 'other'
    return null
  },
  { name: 'named' },
)
// @ts-expect-error a name is a string
new Controller('GET', '/named', () => null, { name: 7 })
new Controller<'/', { cookies: Record<string, string> }>('GET', '/', (req) => req.cookies['a']!.length + '')

// It serves inside Express, on node:http and as a web-standard handler.
const app = express()
app.use(routeControllers.middleware())
app.use('/api', routeControllers.middleware())
app.use(toConnect(async (request) => (request.url === '' ? undefined : new Response('x'))))
expectType<RequestHandler>(routeControllers.middleware())
expectType<NodeHandler>(toListener(() => undefined))
expectType<(req: Request) => Promise<Response>>(routeControllers.getCallback())
expectType<FetchHandler>(routeControllers.getCallback())
expectType<ConnectHandler>(toConnect(routeControllers.getCallback()))
// @ts-expect-error a Response, or undefined
toConnect(async () => 'text')
// @ts-expect-error neither
toListener(() => null)

const server = new Server()
void server.start({ port: 0, routeControllers })
void server.start({ port: 0, routeControllers, fallback: app })
void server.start({ port: 0, routeControllers, fallback: (_req, res) => res.end() })
// @ts-expect-error a port
void server.start({ routeControllers })
// @ts-expect-error what answers
void server.start({ port: 0 })
// @ts-expect-error a number
void server.start({ port: '3000', routeControllers })
// @ts-expect-error no such limit
void server.start({ port: 0, routeControllers, limits: { requestTimeout: 1 } })

void new RouteControllers([], {
  bodyParsers: {
    'application/xml': (body) => {
      expectType<string>(body.text())
      expectType<string>(body.type)
      expectType<Uint8Array>(body.bytes)
      return Promise.resolve({})
    },
  },
})
// @ts-expect-error no function
void new RouteControllers([], { bodyParsers: { 'application/xml': true } })

// @ts-expect-error a value is a string, a number or a list of them
routeControllers.addHeader('X-A', true)
expectType<Record<string, string | undefined>>(routeControllers.getQueryParams('/?a=1'))
// @ts-expect-error a wrong server
routeControllers.setServer(app)

declare const thrown: unknown
if (isRouteControllersError(thrown)) {
  expectType<string>(thrown.code)
  // @ts-expect-error no such code
  void (thrown.code === 'ERR_UNHEARD_OF')
}

// The names of the specification.
expectTrue<Equal<TypeRequest, Request>>()
expectTrue<Equal<TypeRequestInternalObject, RouteRequest>>()
expectTrue<Equal<TypeResponseInternalObject, ResponseBuilder>>()
expectTrue<Equal<TypeReturnCallback, Answer>>()
expectTrue<Equal<RouteCheckResult, { exists: boolean; params: Record<string, string>; key: string }>>()

// No `any` stands where somebody could lean on it: in no member, no parameter and no result.
type Leaks<T> = {
  [Name in keyof T]-?: IsAny<T[Name]> extends true
    ? Name
    : NonNullable<T[Name]> extends (...parameters: infer Parameters) => infer Result
      ? IsAny<Result> extends true
        ? Name
        : IsAny<Awaited<Result>> extends true
          ? Name
          : true extends { [At in keyof Parameters]: IsAny<Parameters[At]> }[number]
            ? Name
            : never
      : never
}[keyof T]

// The check itself finds what it is for.
expectTrue<
  Equal<
    Leaks<{
      a: any
      b: () => any
      c: (x: any) => void
      d: () => Promise<any>
      e: (x: unknown) => string
      f: 1
    }>,
    'a' | 'b' | 'c' | 'd'
  >
>()

expectTrue<Equal<Leaks<Controller>, never>>()
expectTrue<Equal<Leaks<RouteControllers>, never>>()
expectTrue<Equal<Leaks<RouteControllersOptions>, never>>()
expectTrue<Equal<Leaks<Server>, never>>()
expectTrue<Equal<Leaks<ServerOptions>, never>>()
expectTrue<Equal<Leaks<ResponseBuilder>, never>>()
expectTrue<Equal<Leaks<RouteRequest<'/:id', { user: User }>>, never>>()
expectTrue<Equal<Leaks<RouteCheckResult>, never>>()
expectTrue<Equal<Leaks<Logger>, never>>()
expectTrue<
  Equal<
    Leaks<{
      callback: Callback<'/:id'>
      middleware: Middleware<'/:id'>
      hook: Hook
      connect: ConnectHandler
      node: NodeHandler
      fetch: FetchHandler
      toConnect: typeof toConnect
      toListener: typeof toListener
      getInstance: typeof RouteControllers.getInstance
      isError: typeof isRouteControllersError
      answer: Answer
    }>,
    never
  >
>()
