// Compiles, or does not: what flows from middleware, groups and schemas into callbacks. `npm run test:environments` compiles it
// with every version of TypeScript that is supported, against the declarations of the packed package.
import { type } from 'arktype'
import {
  type Added,
  Controller,
  group,
  type Middleware,
  type NextAnswer,
  type ResponseBuilder,
  RouteControllers,
  type RouteRequest,
} from 'routecontrollers'
import * as v from 'valibot'
import { z } from 'zod'
import { expectType } from './equal.js'

interface User {
  id: number
  name: string
}
const User = z.object({ id: z.number(), name: z.string() })

const requireUser = async (req: RouteRequest, res: ResponseBuilder) => {
  if (!req.get('authorization')) return res.status(401).json({ error: 'who' })
  const user: User = { id: 1, name: 'Ada' }
  return { user }
}
const timing = async (_req: RouteRequest, _res: ResponseBuilder, next: NextAnswer) => {
  const answer = await next()
  answer.headers.set('X-Took', '1')
  return answer
}

// What a middleware adds is what it returns.
expectType<Added<typeof requireUser>, { user: User }>()
expectType<Added<typeof timing>, {}>()
expectType<keyof Added<() => undefined>, never>()
expectType<keyof Added<() => void>, never>()
expectType<keyof Added<() => any>, never>()
expectType<keyof Added<Middleware>, never>()
expectType<Added<() => Promise<{ a: 1 } | undefined>>, { a?: 1 | undefined }>()
declare const either: Added<() => { a: 1; b: 2 } | { a: 3 }>
const eitherA: 1 | 3 = either.a
const eitherB: 2 | undefined = either.b
void [eitherA, eitherB]

// Through groups, with the params of the prefix.
const api = group('/orgs/:org', timing, requireUser)
const list = [
  api.get(
    '/users/:id',
    (req, res) => {
      expectType<typeof req.params, { org: string; id: string }>()
      expectType<typeof req.user, User>()
      // @ts-expect-error no middleware adds it
      void req.account
      // @ts-expect-error a member that is misspelt
      void req.bodyy
      return res.json({ name: req.user.name })
    },
    { name: 'user' },
  ),
  api.post(
    '/users',
    (req, res) => {
      expectType<typeof req.body, { name: string }>()
      expectType<typeof req.query, { page: number }>()
      return res.status(201).json({ id: req.query.page, name: req.user.name })
    },
    {
      input: { body: z.object({ name: z.string() }), query: z.object({ page: z.coerce.number() }) },
      output: { 201: User },
    },
  ),
  // @ts-expect-error an answer of another shape
  api.post('/users', (_req, res) => res.status(201).json({ id: 'x' }), { output: { 201: User } }),
  // @ts-expect-error a status that is not declared
  api.post('/users', (_req, res) => res.status(200).json({ id: 1, name: '' }), { output: { 201: User } }),
  // @ts-expect-error an object that is returned is the answer 200
  api.get('/one', () => ({ id: 'x' }), { output: { 200: User } }),
  api.get('/one', () => ({ id: 1, name: '' }), { output: { 200: User } }),
  api.get(
    '/as-text',
    (_req, res) => {
      // @ts-expect-error the schema takes no text
      void res.text('Ada')
      // @ts-expect-error the schema takes no text
      void res.html('<p>Ada')
      // @ts-expect-error the schema takes no text
      void res.send('Ada')
      // @ts-expect-error an object of another shape
      void res.send({ id: 'x', name: '' })
      // @ts-expect-error 204 is not declared
      void res.send(null)
      // @ts-expect-error a status that is not declared
      void res.status(400).text('no')
      void res.send({ id: 1, name: '' })
      void res.stream([] as unknown as AsyncIterable<string>)
      // Bytes are not checked.
      return res.send(new Uint8Array(1))
    },
    { output: { 200: User } },
  ),
  api.get(
    '/text',
    (_req, res) => {
      // @ts-expect-error another text than those of the schema
      void res.status(404).text('perhaps')
      void res.status(404).location('/a').text('no')
      void res.status(409).html('<p>any text')
      void res.status(410).text('a schema that does not tell its type')
      void res.header('X-A', '1').location('/a').cookie('a', 'b').text('yes')
      void res.send(null)
      return res.send('yes')
    },
    {
      output: {
        200: z.string(),
        204: z.undefined(),
        404: z.enum(['no', 'gone']),
        409: v.union([v.string(), v.object({ error: v.string() })]),
        410: z.unknown(),
      },
    },
  ),
  api.get(
    '/arktype',
    (_req, res) => {
      // @ts-expect-error the schema takes no text
      void res.text('Ada')
      return res.status(400).text('no')
    },
    { output: { 200: type({ id: 'number' }), 400: type('string') } },
  ),
]

// What is no pattern does not compile, and the error says what to write.
// @ts-expect-error there are no optional params
new Controller('GET', '/x/:id?', () => '')
// @ts-expect-error there are no regular expressions
new Controller('GET', '/x/:id(\\d+)', () => '')
// @ts-expect-error there are no groups
new Controller('GET', '/x{/:id}', () => '')
// @ts-expect-error nothing repeats
new Controller('GET', '/x/:id+', () => '')
// @ts-expect-error there are no optional params
group('/x/:id?')
// @ts-expect-error there are no optional params
group('/x').get('/:id?', () => '')
// @ts-expect-error there are no optional params
group('/x').route('GET', '/:id?', () => '')
// @ts-expect-error there are no optional params
group('/x').group('/:id?')
const somePath: string = ['/x', ':id', '*rest'].join('/')
new Controller('GET', somePath, (req) => req.params['id'])
new Controller('GET', `/x/${Math.random() > 2 ? 'a' : 'b'}/:id`, (req) => req.params.id)

// A field of a query may be missing.
new Controller('GET', '/x', (req) => {
  expectType<(typeof req.query)[string], string | string[] | undefined>()
  // @ts-expect-error it may be missing
  return req.query['page'].length.toString()
})

// A guard that is missing shows where what it adds is read.
group('/open').get('/me', (req, res) => {
  // @ts-expect-error nobody adds it
  return res.json(req.user.name)
})

// Middleware sees what that before it adds; of two of one name the later counts.
const needsUser = (req: RouteRequest<string, { user: User }>) => ({ isAda: req.user.name === 'Ada' })
group('/a', requireUser, needsUser).get('/', (req) => {
  expectType<typeof req.isAda, boolean>()
  return req.user.name
})
group('/a')
  .with(requireUser)
  .with((req) => ({ user: req.user.name }))
  .with({ tags: ['a'] })
  .get('/b', (req) => {
    expectType<typeof req.user, string>()
    return req.user
  })
// What `use` returns is the group itself, with the types.
const changed = group('/a')
changed
  .use(requireUser)
  .use((req) => ({ initial: req.user.name[0] }))
  .get('/b', (req) => {
    expectType<typeof req.initial, string | undefined>()
    return req.user.name
  })
// @ts-expect-error the type of a variable does not change: write `with`
changed.get('/c', (req) => req.user.name)
// @ts-expect-error it needs a user, and nobody adds one
group('/a').with(needsUser)
// @ts-expect-error a misspelt option
group('/a').with({ tag: ['a'] })
group('/a').with((req) => {
  expectType<typeof req.params, {}>()
  return { tea: req.url }
})
// @ts-expect-error it needs a user, and nobody adds one
group('/a', needsUser)
// @ts-expect-error a member that each request has
group('/a', () => ({ params: {} }))
// @ts-expect-error a member that each request has
group('/a').use((req) => ({ body: req.url }))
group('/a')
  .group('/:b', requireUser)
  .group('/:c', (req) => {
    expectType<typeof req.params, { b: string; c: string }>()
    return { initial: req.user.name[0] }
  })
  .route('PROPFIND', '/*', (req) => {
    expectType<typeof req.params, { b: string; c: string; '*': string }>()
    expectType<typeof req.initial, string | undefined>()
    return req.params
  })

// Schemas of a group are those of its routes, unless a route has one of its own for that part.
group('/v1')
  .with({ input: { headers: z.object({ 'x-tenant': z.string() }), query: z.object({ a: z.string() }) } })
  .group('/x')
  .get(
    '/:id',
    (req) => {
      expectType<(typeof req.headers)['x-tenant'], string>()
      expectType<typeof req.query, { b: number }>()
      expectType<typeof req.params, { id: number }>()
      expectType<typeof req.body, unknown>()
      return req.get('x')
    },
    { input: { query: z.object({ b: z.coerce.number() }), params: z.object({ id: z.coerce.number() }) } },
  )

// Controllers alone take schemas too, of each library.
new Controller('POST', '/users/:id', (req, res) => res.json({ id: req.params.id, name: req.body.name }), {
  input: { body: z.object({ name: z.string() }) },
})
new Controller('POST', '/users/:id', (req, res) => res.text(req.body.name.trim()), {
  input: { body: v.object({ name: v.string() }) },
})
new Controller('POST', '/users/:id', (req, res) => res.text(req.body.name.trim()), {
  input: { body: type({ name: 'string' }) },
})
new Controller('GET', '/a', (req, res) => {
  // @ts-expect-error a member that is misspelt
  return res.json(req.bodyy)
})

// Names and params of URLs.
const routeControllers = new RouteControllers([
  ...list,
  new Controller('GET', '/', () => 'home', { name: 'home' }),
  new Controller('GET', '/unnamed/:x', () => ''),
])
routeControllers.url('user', { org: 'acme', id: 7 }, { query: { page: 2, tag: ['a', 'b'] } })
routeControllers.url('home')
// @ts-expect-error no route is called so
routeControllers.url('usr', { org: 'acme', id: 7 })
// @ts-expect-error a param is missing
routeControllers.url('user', { org: 'acme' })
// @ts-expect-error params are missing
routeControllers.url('user')
const any: RouteControllers = routeControllers
any.url('whatever', { a: 1 })

// Middleware for all.
routeControllers.use(timing, requireUser, (req, _res, next) => (req.url === '/' ? undefined : next()))
