// What the types of a route of `@types/express` say to the callback of `native`, and what that leaves for the handlers behind it.
import express, { type RequestHandler } from 'express'
import { fromExpress, native } from 'routecontrollers/express'
import { z } from 'zod'
import { expectType } from './equal.js'

const app = express()
const guard: RequestHandler = (_req, _res, next) => next()

// Behind another handler, and in a chain, the path is known.
app.get(
  '/:id',
  (_req, _res, next) => next(),
  native((req, res) => {
    expectType<typeof req.params, { id: string }>()
    return res.json(req.params.id)
  }),
  (req, res) => {
    expectType<typeof req.params, { id: string }>()
    res.json(req.params.id)
  },
)
app.route('/:id').get(
  native((req) => {
    expectType<typeof req.params, { id: string }>()
    return req.params.id
  }),
)
// Alone, or before all others, any name is a text; and those behind it have the types that they had.
app.get(
  '/:id',
  native((req, res) => {
    expectType<typeof req.params, Record<string, string>>()
    return res.json({})
  }),
  (req, res) => {
    expectType<typeof req.params, { id: string }>()
    res.json({})
  },
)
app.get(
  '/:id',
  native<'/:id'>((req, res) => {
    expectType<typeof req.params, { id: string }>()
    // @ts-expect-error -- the path has no such param
    return res.json(req.params.other)
  }),
  (req, res) => {
    expectType<typeof req.params, { id: string }>()
    res.json({})
  },
)
// A param of a group may be absent, and a pattern of a param is no part of its name.
app.get(
  '/teas/:kind{/:id}',
  native<'/teas/:kind{/:id}'>((req, res) => {
    expectType<typeof req.params, { kind: string; id?: string }>()
    const { id = 'all' } = req.params
    return res.json({ id })
  }),
)
app.get(
  '/teas/:id(\\d+)',
  native<'/teas/:id(\\d+)'>((req, res) => {
    expectType<typeof req.params, Record<string, string>>()
    return res.json({})
  }),
)
// What move --as-is writes.
app.put(
  '/teas/:id',
  native<'/teas/:id'>(
    fromExpress((req, res) => {
      expectType<typeof req.params, { id: string }>()
      res.json({ id: req.params.id })
    }),
  ),
)
const show: RequestHandler<{ id: string }> = native((req) => {
  expectType<typeof req.params, { id: string }>()
  return req.params.id
})

// What guards have added, schemas, and handlers as they are.
app.post(
  '/orders',
  native<'/orders', { user: { name: string } }>((req, res) => res.status(201).json(req.user.name)),
)
app.post(
  '/orders',
  native(
    (req, res) => {
      expectType<typeof req.body, { amount: number }>()
      return res.json({ id: req.body.amount })
    },
    {
      name: 'order',
      bodyLimit: 100,
      input: { body: z.object({ amount: z.number() }) },
      output: { 200: z.object({ id: z.number() }) },
    },
  ),
)
app.post(
  '/orders',
  native(
    // @ts-expect-error -- the schema of 200 asks for a number
    (_req, res) => res.json({ id: 'one' }),
    { output: { 200: z.object({ id: z.number() }) } },
  ),
)
// A request of a type of one's own, as a handler has given it, goes where that type goes.
interface SignedIn extends express.Request {
  user?: { name: string }
}
const pathOf = (req: express.Request): string => req.path
app.get(
  '/:id',
  native<'/:id', express.Request>(({ ip, path, params }, res) => res.json({ ip, path, id: params.id })),
)
app.get(
  '/:id',
  native<'/:id', SignedIn>((req, res) => {
    expectType<typeof req.user, { name: string } | undefined>()
    return res.json({ path: pathOf(req), id: req.params.id, title: req.app.locals['title'] as unknown })
  }),
)
app.post(
  '/:id',
  native<'/:id', express.Request<{ id: string }, unknown, { tea: string }>>((req, res) => {
    expectType<typeof req.body, { tea: string }>()
    return res.json({ tea: req.body.tea.length, id: req.params.id })
  }),
)
app.post(
  '/',
  native<'/', { body: any }>((req, res) => res.json({ tea: req.body.tea as string })),
)
app.get('/:id', native(fromExpress(show)), show)
app.get('/:id', native(fromExpress((req, res) => void res.send(req.params['id']))), guard)

// @ts-expect-error -- a text is no callback
native('no')
// @ts-expect-error -- no Controller has such an option
native(() => 'yes', { middleware: [] })
