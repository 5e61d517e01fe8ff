import fc from 'fast-check'
import { Controller, type ControllerOptions, RouteControllers, type StandardSchema } from 'routecontrollers'
import { type LeftOutRoute, openApi } from 'routecontrollers/openapi'
import { z } from 'zod'
import { anyText } from '../support/any-text.js'
import { times } from '../support/counts.js'
import { lint } from './lint.js'

const Address = z.object({ street: z.string(), zip: z.string().default('0') }).meta({ id: 'Address' })
const User = z.object({ id: z.number(), home: Address.optional() }).meta({ id: 'User' })
const Folder = z.object({
  name: z.string(),
  get folders() {
    return z.array(Folder)
  },
})

/** Schemas that several routes share, by names that clash too. */
const shared = [
  Address,
  User,
  Folder,
  z.array(User),
  z.object({ folder: Folder, owner: User }).meta({ title: 'A folder & its owner' }),
  z.object({ a: z.string() }).meta({ title: 'Problem' }),
  z.object({ b: z.string() }).meta({ title: 'User' }),
  z.object({ amount: z.string().transform(Number).pipe(z.number()) }),
]

const leaf = fc.constantFrom<() => z.ZodType>(
  () => z.string().min(1).describe('Some text'),
  () => z.coerce.number().int().default(1),
  () => z.enum(['a', 'b']),
  () => z.boolean().nullable(),
  () => z.array(z.string()).optional(),
  () => z.iso.datetime().meta({ deprecated: true }),
)
const members = fc.dictionary(anyText({ minLength: 1, maxLength: 8 }), leaf, { maxKeys: 4 })
const flat = members.map((leaves) =>
  z.object(Object.fromEntries(Object.entries(leaves).map(([name, make]) => [name, make()]))),
)
const fields = fc.oneof(
  flat,
  fc.tuple(flat, flat).map((either) => z.union(either)),
  fc.tuple(flat, flat).map(([one, other]) => z.object({ ...one.shape, ...other.shape })),
  fc.constant(z.record(z.string(), z.string())),
)
const anySchema = fc.oneof(
  flat,
  leaf.map((make) => make()),
  fc.constantFrom(...shared),
  fc.constantFrom(...shared).map((one) => z.object({ inner: z.array(one), other: Folder })),
  fc.tuple(flat, fc.constantFrom(...shared)).map((either) => z.union(either)),
)
const headers = fc.constantFrom<StandardSchema>(
  z.object({ 'x-a': z.string(), authorization: z.string() }),
  z.object({ Accept: z.string().optional() }),
)

const segment = fc.constantFrom('users', 'orders', 'a%20b', ':id', ':name', ':id2', ':user_id')
const path = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.constantFrom('', '', '', '/*', '/*rest'))
  .map(([segments, rest]) => segments.map((one) => `/${one}`).join('') + rest || '/')
  .filter((one) => new Set(one.match(/[:*]\w*/g)).size === (one.match(/[:*]\w*/g) ?? []).length)

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const options = fc.record(
  {
    summary: anyText({ minLength: 1 }),
    tags: fc.array(anyText({ minLength: 1, maxLength: 5 }), { maxLength: 3 }),
    deprecated: fc.boolean(),
    hidden: fc.constantFrom(false, false, false, true),
    security: fc.constantFrom([], [{ bearer: [] }], [{ key: [], bearer: ['a'] }, {}]),
    input: fc.record({
      params: optional(flat),
      query: optional(fields),
      headers: optional(headers),
      cookies: optional(flat),
      body: optional(anySchema),
    }),
    output: fc.dictionary(fc.constantFrom('200', '201', '204', '301', '404', '422', '500'), anySchema),
  },
  { requiredKeys: [] },
)
const route = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'QUERY', '*'),
  path,
  options,
  isNamed: fc.boolean(),
})

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', name: 'x-key', in: 'header' },
}

it('The document of any routes is one of OpenAPI 3.1, and has each route or leaves it out with a reason', async () => {
  const table = fc.array(route, { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const byPlace = new Map(
        rows.map((row) => [`${row.method} ${row.path.replace(/([:*])\w*/g, '$1')}`, row]),
      )
      const list = [...byPlace.values()].map(({ method, path, options, isNamed }, at) => {
        const named = { ...options, ...(isNamed && { name: `route${at}` }) } as ControllerOptions
        return new Controller(method, path, () => new Response(), named)
      })
      const left: LeftOutRoute[] = []
      const logger = { info: () => {}, warn: () => {}, error: () => {} }
      const document = openApi(new RouteControllers(list, { logger }), {
        info: { title: 'Any', version: '1' },
        securitySchemes,
        onLeftOut: (one) => left.push(one),
      })
      expect(await lint(document)).toEqual([])
      const operations = Object.values(document.paths).flatMap((item) => Object.keys(item))
      const shown = list.filter(({ options }) => options.hidden !== true)
      const ofAll = shown.filter(({ method }) => method === '*').length
      // A route of all methods becomes up to five operations.
      expect(operations.length + left.length).toBeGreaterThanOrEqual(shown.length)
      expect(operations.length + left.length).toBeLessThanOrEqual(shown.length + 4 * ofAll)
    }),
    { numRuns: times(6, 1000), seed: 14 },
  )
}, 300_000)
