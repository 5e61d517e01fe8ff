import { Controller, RouteControllers, type StandardSchema } from 'routecontrollers'
import * as v from 'valibot'
import { z } from 'zod'
import { createLock, inspect } from '@routecontrollers/cli'
import { keepReading } from './keep-reading.js'

keepReading()

const samplesOf = (controller: Controller<never>): unknown =>
  createLock(inspect(new RouteControllers([controller]))).routes[0]!.samples

describe('The samples of a lock', () => {
  const order = z.object({
    name: z.string().min(8),
    kind: z.enum(['green', 'black']),
    count: z.number().int().min(3),
    price: z.number().gt(2),
    mail: z.email(),
    id: z.uuid(),
    gift: z.boolean(),
    tags: z.array(z.string()).min(2),
    note: z.string().optional(),
    from: z.union([z.object({ city: z.string() }), z.string()]),
    nothing: z.null(),
  })

  it('have a request that fits the schemas of a route', async () => {
    const controller = new Controller(
      'POST',
      '/shops/:shop/orders/:id',
      (req, res) => res.status(201).json(req.body),
      {
        input: {
          params: z.object({ shop: z.string(), id: z.coerce.number() }),
          query: z.object({ page: z.coerce.number(), sort: z.string().optional() }),
          headers: z.object({ 'x-tenant': z.string() }),
          body: order,
        },
      },
    )
    const [sample] = samplesOf(controller as never) as [
      { url: string; headers: Record<string, string>; body: unknown },
    ]
    expect(sample.url).toBe('/shops/text/orders/1?page=1')
    const answer = await new RouteControllers([controller]).getCallback()(
      new Request(`http://x${sample.url}`, {
        method: 'POST',
        headers: { ...sample.headers, 'content-type': 'application/json' },
        body: JSON.stringify(sample.body),
      }),
    )
    expect(answer.status).toBe(201)
    expect(order.safeParse(sample.body).success).toBe(true)
  })

  it.each<[what: string, schema: z.ZodType, sample: unknown]>([
    ['any number', z.number(), 1],
    ['a number from one on', z.number().min(1), 1],
    ['a number from one and a half on', z.number().min(1.5), 2],
    ['a number above one', z.number().gt(1), 2],
    ['a number above nothing', z.number().positive(), 1],
    ['a number up to nothing', z.number().max(0), 0],
    ['a number below nothing', z.number().negative(), -1],
    ['a number below one', z.number().lt(1), 0],
    ['a whole number between two', z.int().gt(10).lt(12), 11],
    ['a number between two without a whole one', z.number().gt(0.25).lt(0.75), 0.5],
    ['a share', z.number().min(0.1).max(0.9), 0.5],
    ['a multiple', z.number().multipleOf(5), 5],
    ['a multiple from another number on', z.number().multipleOf(5).min(12), 15],
    ['a multiple below another number', z.number().multipleOf(5).lt(0), -5],
    ['a text of some length', z.string().min(6), 'textxx'],
    ['a text of few letters', z.string().max(2), 'te'],
    ['a date', z.iso.date(), '2024-01-31'],
    ['an address', z.url(), 'https://example.com/'],
    ['a list', z.array(z.number()), [1]],
    ['a list that may be empty', z.array(z.number()).min(0), []],
    ['a list of two', z.array(z.number()).min(2), [1, 1]],
    ['a list of none', z.array(z.number()).max(0), []],
    ['a pair', z.tuple([z.string(), z.number()]), ['text', 1]],
    ['a tuple with a rest', z.tuple([z.string()], z.number()), ['text']],
    ['a tuple of nothing', z.tuple([]), []],
    ['one of some', z.enum(['green', 'black']), 'green'],
    ['one of two kinds', z.union([z.boolean(), z.string()]), true],
    ['both of two', z.object({ a: z.number() }).and(z.object({ b: z.null() })), { a: 1, b: null }],
  ])('have %s', (_what, schema, sample) => {
    const body = z.object({ of: schema })
    const controller = new Controller('POST', '/', () => '', { input: { body } })
    expect(samplesOf(controller as never)).toEqual([{ body: { of: sample } }])
    expect(body.safeParse({ of: sample }).success).toBe(true)
  })

  it('stay as somebody has written them', () => {
    const { routes } = inspect(
      new RouteControllers([new Controller('POST', '/', () => '', { input: { body: order } })]),
    )
    const before = createLock({ version: 1, apps: [], routes, findings: [], notes: [] })
    const own = { ...before, routes: before.routes.map((row) => ({ ...row, samples: [{ body: 'mine' }] })) }
    expect(
      createLock({ version: 1, apps: [], routes, findings: [], notes: [] }, own).routes[0]!.samples,
    ).toEqual([{ body: 'mine' }])
  })

  it.each<[string, StandardSchema]>([
    ['a library that writes no JSON Schema', v.object({ a: v.string() })],
    ['what JSON Schema cannot say', z.object({ at: z.date() })],
  ])('are not made of %s', (_what, body) => {
    expect(samplesOf(new Controller('POST', '/', () => '', { input: { body } }) as never)).toBeUndefined()
  })

  it('end, also where a schema refers to itself', () => {
    interface Tree {
      child: Tree
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ child: tree }))
    expect(
      samplesOf(new Controller('POST', '/', () => '', { input: { body: z.object({ tree }) } }) as never),
    ).toHaveLength(1)
  })
})
