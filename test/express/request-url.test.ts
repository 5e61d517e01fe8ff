import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import hpp from 'hpp'
import express5 from 'express'
import { Controller, type Hook, RouteControllers, type RouteControllersOptions } from 'routecontrollers'
import { express4 } from './support/profiles.js'
import { express5 as profile5, type ExpressRequest, fromExpress } from 'routecontrollers/express'
import { closeAll, describeServings, servings } from '../support/describe-servings.js'
import { describeReading, type Read } from './support/reading.js'

const queries = Object.fromEntries(
  Object.entries({
    none: '',
    empty: '?',
    'a name alone': '?a',
    'a name and nothing': '?a=',
    'a value alone': '?=b',
    'twice the same': '?a=1&a=2&b=3',
    brackets: '?a[b]=1&a[c][d]=2&e[]=3&e[]=4',
    'a long list': `?${Array.from({ length: 30 }, (_, i) => `a[]=${i}`).join('&')}`,
    'an index': '?a[25]=1&a[0]=2',
    deep: '?a[b][c][d][e][f][g][h]=1',
    escapes: '?a%20b=c+d&e=%2B%26',
    'a malformed escape': '?a=%&b=%zz&c=%E9',
    'names of Object': '?__proto__=1&constructor=2&toString=3&a[__proto__]=4&hasOwnProperty=5',
    'a second question mark': '??a=1?&b=2',
    'empty parts': '?&&a=1&&=&&',
    'more than a thousand': `?${Array.from({ length: 1005 }, (_, i) => `a${i}`).join('&')}`,
  }).map(([name, query]) => [name, { target: `/x${query}` }]),
)

const query: Read = (req) => req.query

describeReading('req.query', queries, query)

for (const parser of ['simple', 'extended', true, false, (text: string | null) => ({ text })]) {
  describeReading(`req.query, query parser ${String(parser)}`, queries, query, {
    settings: { 'query parser': parser },
  })
}

describeReading(
  'req.query of each reading',
  { 'a query': { target: '/x?a=1' } },
  (req) => {
    const first = req.query
    first['added'] = 'b'
    req.url = '/x?changed=1'
    return [first === req.query, req.query, req.url, req.originalUrl, req.path]
  },
  // Without a profile it is ours: read once, and anew when the URL is.
  { settings: {} },
)

// Sloppy code, as most middleware is: what cannot be assigned is passed over.
const assignSloppily = runInNewContext('(req, name) => { req[name] = "assigned" }') as (
  req: object,
  name: string,
) => void

describeReading(
  'members that are assigned',
  { 'any request': { target: '/x?a=1', headers: { host: 'host' } } },
  (req) => {
    const names = [
      'query',
      'path',
      'protocol',
      'hostname',
      'secure',
      'xhr',
      'subdomains',
      'fresh',
      'body',
      'baseUrl',
    ]
    const result = names.map((name) => {
      let thrown = ''
      try {
        ;(req as unknown as Record<string, unknown>)[name] = 'strictly'
      } catch (error) {
        thrown = (error as Error).name
      }
      const strictly = (req as unknown as Record<string, unknown>)[name]
      assignSloppily(req, name)
      return [name, thrown, strictly, (req as unknown as Record<string, unknown>)[name]]
    })
    return result
  },
  { settings: {} },
)

describeReading(
  'where a request came to',
  {
    plain: { target: '/x' },
    'with a slash behind it': { target: '/x/?a=1' },
    'in capitals': { target: '/X' },
  },
  (req) => [req.url, req.originalUrl, req.baseUrl, req.path, req.method, req.query, req.route.path],
  { settings: {} },
)

describeReading('the objects that belong together', { 'any request': {} }, (req, res) => [
  req.res === res,
  res.req === req,
  req.app === res.app,
  typeof req.next,
  req.body,
  req.cookies,
  req.signedCookies,
  'body' in req,
])

describeServings(
  'req.query without a profile',
  ({ serve }) => {
    afterEach(closeAll)

    it('is what Express 5 reads by default, whatever is in it', async () => {
      let seen: unknown
      const { send } = await serve([
        new Controller(
          'GET',
          '/x',
          fromExpress((req, res) => {
            seen = req.query
            res.end()
          }),
        ),
      ])
      const parse = express5().get('query parser fn') as (text: string) => unknown
      const piece = fc.constantFrom(
        'a',
        'b',
        '=',
        '&',
        '+',
        '%',
        '%20',
        '%C3%A9',
        '%E9',
        '%F0%9F',
        '?',
        '[',
        ']',
        ';',
        '.',
      )
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
          const text = pieces.join('')
          await send(`/x?${text}`)
          expect(seen).toEqual(parse(text))
        }),
        { numRuns: 60 },
      )
    })

    it('is what a hook has put in its place', async () => {
      let seen: unknown
      const { send } = await serve(
        [
          new Controller(
            'GET',
            '/x',
            fromExpress((req, res) => {
              seen = req.query
              res.end()
            }),
          ),
        ],
        { setup: (routeControllers) => void routeControllers.addGlobal(putQuery) },
      )
      expect((await send('/x?a=1')).status).toBe(200)
      expect(seen).toEqual({ put: 'here' })
    })
  },
  ({ name }) => !name.startsWith('inside'),
)

// As validators and hpp do it in the apps that they were written for.
const putQuery: Hook = (req, _res, next) => {
  ;(req as unknown as ExpressRequest).query = { put: 'here' }
  next()
}

describe('req.query under a profile', () => {
  afterEach(closeAll)
  const standalone = servings.find(({ name }) => name === 'standalone')!

  async function read(
    profile: RouteControllersOptions['profile'],
    hooks: readonly Hook[],
    target: string,
  ): Promise<unknown[]> {
    const seen: unknown[] = []
    const { send } = await standalone.serve(
      [
        new Controller(
          'GET',
          '/x',
          fromExpress((req, _res, next) => {
            seen.push(req.query)
            next()
          }),
        ),
        new Controller('GET', '/x', (req, res) => {
          seen.push(req.query)
          return res.end()
        }),
      ],
      {
        profile: profile!,
        setup(routeControllers: RouteControllers) {
          for (const hook of hooks) routeControllers.addGlobal(hook)
        },
      },
    )
    seen.push((await send(target)).status)
    return seen
  }

  it('is the same for callbacks of ours', async () => {
    const nested = { a: { b: '1' } }
    expect(await read(express4(), [], '/x?a[b]=1')).toEqual([nested, nested, 200])
    expect(await read(profile5(), [], '/x?a[b]=1')).toEqual([{ 'a[b]': '1' }, { 'a[b]': '1' }, 200])
  })

  it('is in Express 4 what a hook has put in its place, and in Express 5 cannot be assigned', async () => {
    expect(await read(express4(), [putQuery], '/x?a=1')).toEqual([{ put: 'here' }, { put: 'here' }, 200])
    expect(await read(profile5(), [putQuery], '/x?a=1')).toEqual([500])
  })

  it('is in Express 4 without what hpp takes out of it', async () => {
    expect(await read(express4(), [hpp() as Hook], '/x?a=1&a=2')).toEqual([{ a: '2' }, { a: '2' }, 200])
  })

  it('is in Express 4 that of the URL as it came, in Express 5 that of the URL as it is', async () => {
    const rewrite: Hook = (req, _res, next) => {
      req.url = '/x?rewritten=1'
      next()
    }
    expect(await read(express4(), [rewrite], '/x?a=1')).toEqual([{ a: '1' }, { a: '1' }, 200])
    expect(await read(profile5(), [rewrite], '/x?a=1')).toEqual([{ rewritten: '1' }, { rewritten: '1' }, 200])
  })
})
