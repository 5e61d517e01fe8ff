// Compiles, or does not: each handler stands here twice, as an app registers it with @types/express, and as it stands after a move,
// its text unchanged. `npm run test:environments` compiles it with @types/express 4 and 5, without skipLibCheck, against the
// declarations of the packed package.
import express from 'express'
import type { EventEmitter } from 'node:events'
import { Controller, type Middleware, RouteControllers } from 'routecontrollers'
import {
  type ErrorHandler,
  expressPath,
  type ExpressRequest,
  type ExpressResponse,
  fromApp,
  fromExpress,
  type Handler,
} from 'routecontrollers/express'

interface Account {
  id: number
  name: string
}
declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      signedInAs?: Account
    }
    interface Response {
      fail(reason: string): void
    }
    interface Locals {
      startedAt?: number
    }
  }
}
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function expectType<T, U>(..._same: Equal<T, U> extends true ? [] : ['the types differ']): void {}

// What the app has
interface AuthenticatedRequest extends express.Request {
  signedInAs: Account
}
interface TokenRequest<Params = { id: string }> extends express.Request<Params, { ok: boolean }, Draft> {
  token: string
}
interface Draft {
  title: string
  tags?: string[]
}
interface Search {
  page?: string
}
declare function findSession(req: express.Request, res: express.Response): Account | undefined
declare function fail(res: express.Response, status: number): express.Response
declare function saveDraft(draft: Draft): Promise<Account>
declare function register(app: express.Application, events: EventEmitter): void

const requireAccount: express.RequestHandler = (req, res, next) => {
  const account = findSession(req, res)
  if (account === undefined) return void fail(res, 401)
  req.signedInAs = account
  next()
}
const checkDraft: express.RequestHandler<{ id: string }, { ok: boolean }, Draft, Search> = (
  req,
  _res,
  next,
) => next(req.body.title === '' || req.query.page === '' ? new Error(req.params.id) : undefined)
const onlyOwn = async (req: AuthenticatedRequest, res: express.Response, next: express.NextFunction) => {
  if (String(req.signedInAs.id) !== req.params['id']) {
    res.status(403).json({ reason: req.signedInAs.name })
    return
  }
  next()
}
const byToken = (req: TokenRequest, res: express.Response<{ ok: boolean }>) =>
  res.json({ ok: req.token === req.params.id + req.body.title })
const withLocals: express.RequestHandler<object, string, unknown, object, { tenant: string }> = (_req, res) =>
  void res.send(res.locals.tenant)
const onError: express.ErrorRequestHandler = (error, _req, res, next) =>
  res.headersSent ? next(error) : void res.status(500).send({ reason: error.message })
const onDraftError = (
  error: Error,
  _req: express.Request,
  res: express.Response,
  _next: express.NextFunction,
) => void res.status(400).send(error.message)
const guards: express.RequestHandler[] = [requireAccount, (_req, _res, next) => next()]

// Before
const app = express()
app.post('/drafts', requireAccount, async (req, res) => {
  const { title, tags = [] } = req.body
  if (!title) return void res.status(400).send({ reason: 'no-title', tags })
  const account = await saveDraft(req.body)
  res.locals['saved'] = account.name.length
  res
    .status(201)
    .cookie('draft', account.id, { maxAge: 1000 })
    .json({ id: account.id, owner: req.signedInAs?.name })
})
app.get('/accounts/:id', guards, onlyOwn as never, (req: express.Request, res: express.Response) => {
  res.json({ id: req.params['id'], at: res.locals['startedAt'] })
})
app.get<{ id: string }, { ok: boolean }, Draft, Search>('/typed/:id', checkDraft, (req, res) => {
  const page: string | undefined = req.query.page
  res.json({ ok: req.params.id === page && req.body.title === '' })
})
app.get('/accounts/:id/posts/:post', (req, res) => {
  const { id, post } = req.params
  const agent = req.headers['user-agent'] ?? req.get('x-agent')
  if (req.query['from'] === 'here') return res.redirect('/' + id.toUpperCase())
  res.set('x-agent', agent).send(post.trim() + String(req.cookies.theme) + req.app.get('title').length)
})
app.use(onError)

// After
const controllers = [
  new Controller(
    'POST',
    expressPath('/drafts'),
    fromExpress(requireAccount, async (req, res) => {
      const { title, tags = [] } = req.body
      if (!title) return void res.status(400).send({ reason: 'no-title', tags })
      const account = await saveDraft(req.body)
      res.locals['saved'] = account.name.length
      res
        .status(201)
        .cookie('draft', account.id, { maxAge: 1000 })
        .json({ id: account.id, owner: req.signedInAs?.name })
    }),
  ),
  new Controller(
    'GET',
    expressPath('/accounts/:id'),
    fromExpress(guards, onlyOwn as never, (req: express.Request, res: express.Response) => {
      res.json({ id: req.params['id'], at: res.locals['startedAt'] })
    }),
  ),
  new Controller(
    'GET',
    expressPath('/typed/:id'),
    fromExpress<{ id: string }, { ok: boolean }, Draft, Search>(checkDraft, (req, res) => {
      const page: string | undefined = req.query.page
      res.json({ ok: req.params.id === page && req.body.title === '' })
    }),
  ),
  new Controller(
    'GET',
    expressPath('/accounts/:id/posts/:post'),
    fromExpress((req, res) => {
      const { id, post } = req.params
      const agent = req.headers['user-agent'] ?? req.get('x-agent')
      if (req.query['from'] === 'here') return res.redirect('/' + id.toUpperCase())
      res.set('x-agent', agent).send(post.trim() + String(req.cookies['theme']) + req.app.get('title').length)
    }),
  ),
]
app.use(new RouteControllers(controllers, { profile: fromApp(app) }).middleware())

// What an app has typed fits as it is, without a cast.
fromExpress(
  onlyOwn,
  byToken,
  withLocals,
  onError,
  onDraftError,
  guards,
  [[checkDraft, [onError]]],
  express.json(),
)
new Controller('GET', expressPath('/own/:id'), fromExpress(requireAccount, onlyOwn, byToken, onDraftError))
new Controller(
  'GET',
  '/own/:id',
  fromExpress<{ id: string }>(onlyOwn, (req, res) => res.send(req.params.id)),
)

// Params are those of the path, where its grammar is plain; of any other path each is a string.
new Controller(
  'GET',
  expressPath('/a/:id'),
  fromExpress((_req) => expectType<typeof _req.params, { id: string }>()),
)
new Controller(
  'GET',
  expressPath('/a{/:id}'),
  fromExpress((_req) => expectType<typeof _req.params, Record<string, string>>()),
)
new Controller(
  'GET',
  expressPath('/a/:id?'),
  fromExpress((_req) => expectType<typeof _req.params, Record<string, string>>()),
)
new Controller(
  'GET',
  expressPath(/a/),
  fromExpress((_req) => expectType<typeof _req.params, Record<string, string>>()),
)
new Controller(
  'GET',
  expressPath(['/a/:id', '/b/:id']),
  fromExpress((req, res) => res.send(req.params['id'])),
)
new Controller('GET', expressPath('/native/:id'), (req, res) => res.json({ id: req.params.id }))
new Controller('GET', expressPath('/native{/:id}'), (req, res) => res.json({ id: req.params['id'] }))
const authenticate: Middleware<string, { user: Account }> = (req) => ({ user: { id: 1, name: req.url } })
new Controller<'/me/:id', { user: Account }>('GET', expressPath('/me/:id'), (req) => req.user).use(
  authenticate,
)
new Controller<'/me', { user: Account }>('GET', expressPath('/m{e}'), (req) => req.user).use(authenticate)
fromExpress<'/a/:id'>((req, res) => {
  // @ts-expect-error no such param
  res.send(req.params.name)
})

// The type parameters are those of express.RequestHandler; behind a path it has those of `app.get<Path, …>`.
fromExpress<{ id: string }, { ok: boolean }, Draft, Search, { tenant: string }>((req, res) => {
  expectType<typeof req.params, { id: string }>()
  expectType<typeof req.body, Draft>()
  expectType<typeof req.query, Search>()
  expectType<typeof res.locals.tenant, string>()
  res.json({ ok: true })
  // @ts-expect-error not what it answers
  res.json({ ok: 'yes' })
})
fromExpress<unknown, { ok: boolean }>((_req, res) => {
  res.json({ ok: true })
  // @ts-expect-error not what it answers
  res.json({ ok: 'yes' })
})
fromExpress<'/users/:id', { id: string }, { ok: boolean }>((req, res) =>
  res.json({ ok: req.params.id === '' }),
)
fromExpress<'/users/:id'>((req, res) => res.json({ ok: req.params.id === '' }))

// Functions that take the types of @types/express take ours.
fromExpress((req, res, next) => {
  const request: express.Request = req
  const response: express.Response = res
  const application: express.Application = req.app
  const nothing: express.NextFunction = next
  register(req.app, req.app)
  register(res.app, req)
  void [request, response, application, nothing, res.req.originalUrl, req.res.locals]
  return requireAccount(req, res, next)
})
fromExpress<{ id: string }, { ok: boolean }, Draft, Search>((req, res, next) => checkDraft(req, res, next))
const handler: Handler = (req, res, next) => requireAccount(req, res, next)
const errorHandler: ErrorHandler = (error, req, res, next) => onError(error, req, res, next)
const typedByOurs = (req: ExpressRequest, res: ExpressResponse) => fail(res, Number(req.get('x-status')))
fromExpress(handler, typedByOurs, errorHandler)

// @ts-expect-error a handler is a function
fromExpress<{ id: string }>('handler')
fromExpress((req, res) => {
  // @ts-expect-error there is no such member
  void req.nothing
  // @ts-expect-error a status is a number
  res.status('404')
})
