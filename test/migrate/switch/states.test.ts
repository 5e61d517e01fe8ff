import type { Express } from 'express'
import { json } from 'express'
import { type AnyController, Controller } from 'routecontrollers'
import { memoryStore } from 'routecontrollers/migrate'
import { describeWays, serveShop, type Shop, until, ways } from './shop.js'

const legacy = (app: Express): void => {
  app.get('/items/:id', (req, res) => void res.json({ by: 'legacy', id: req.params.id }))
  app.post('/items', json(), (req, res) => void res.json({ by: 'legacy', body: req.body }))
  app.get('/only', (_req, res) => void res.json({ by: 'legacy' }))
  app.get('/stream', (_req, res) => {
    for (const part of ['legacy', ' ', 'stream']) res.write(part)
    res.end()
  })
}

const native = (): AnyController[] => [
  new Controller('GET', '/items/:id', (req, res) => res.json({ by: 'native', id: req.params.id })),
  new Controller('POST', '/items', (req, res) => res.json({ by: 'native', body: req.body })),
  new Controller('GET', '/new', (_req, res) => res.json({ by: 'native' })),
  new Controller('GET', '/stream', (_req, res) =>
    res.send(
      (async function* () {
        for (const part of ['native', ' ', 'stream']) yield part
      })(),
    ),
  ),
]

const shop: Shop = { legacy, native }
const why = { reason: 'a test', by: 'test' }

describeWays('migration', (way) => {
  it('begins at legacy where the legacy app has the route, else at native', async () => {
    const { send, switching } = await serveShop(way, shop)
    expect((await send('/items/7')).json()).toEqual({ by: 'legacy', id: '7' })
    expect((await send('/new')).json()).toEqual({ by: 'native' })
    expect((await send('/only')).json()).toEqual({ by: 'legacy' })
    const { routes, legacyOnly } = switching.status()
    expect(routes.map(({ route, state, setFor }) => [route, state, setFor])).toEqual([
      ['GET /items/:id', 'legacy', 'initial'],
      ['POST /items', 'legacy', 'initial'],
      ['GET /new', 'native', 'initial'],
      ['GET /stream', 'legacy', 'initial'],
    ])
    expect(legacyOnly).toEqual(['GET /only'])
  })

  it('leads a route to its Controller and back while the server runs, body and all', async () => {
    const { send, switching } = await serveShop(way, shop)
    const post = async (): Promise<unknown> =>
      (
        await send('/items', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"tea":1}',
        })
      ).json()
    for (const state of ['legacy', 'native', 'canary 100%', 'legacy', 'canary 0%'] as const) {
      await switching.set('POST /items', state, why)
      const by = state === 'native' || state === 'canary 100%' ? 'native' : 'legacy'
      expect(await post()).toEqual({ by, body: { tea: 1 } })
    }
    // The others stay where they were.
    expect((await send('/items/7')).json().by).toBe('legacy')
  })

  it('streams the answer of either side', async () => {
    const { send, switching } = await serveShop(way, shop)
    for (const state of ['legacy', 'shadow', 'native', 'canary 100%'] as const) {
      await switching.set('GET /stream', state, why)
      const by = state === 'legacy' || state === 'shadow' ? 'legacy' : 'native'
      expect((await send('/stream')).text).toBe(`${by} stream`)
    }
  })

  it('sets a group and all, and takes back what was set for their parts', async () => {
    const { send, switching } = await serveShop(way, shop)
    await switching.set('GET /items/:id', 'native', why)
    await switching.set('/items', 'legacy', why)
    expect((await send('/items/7')).json().by).toBe('legacy')
    await switching.set('*', 'native', why)
    expect((await send('/items/7')).json().by).toBe('native')
    expect(switching.status().settings).toEqual({ '*': 'native' })
  })

  it('counts what each side has got', async () => {
    const { send, switching } = await serveShop(way, shop)
    await send('/items/7')
    await switching.set('GET /items/:id', 'canary 100%', why)
    await send('/items/7')
    await send('/items/8')
    await send('/only')
    const route = () => switching.status().routes[0]!
    await until(() => route().native.watched === 2)
    expect([route().legacy.requests, route().native.requests]).toEqual([1, 2])
    const { requests, nativeRequests } = switching.status()
    expect([requests, nativeRequests]).toEqual([3, 2])
  })

  it('runs hooks for what a Controller takes alone', async () => {
    const seen: string[] = []
    const { send, switching } = await serveShop(way, {
      ...shop,
      setup: (routeControllers) =>
        void routeControllers.addGlobal((req, _res, next) => {
          seen.push(req.url!)
          next()
        }),
    })
    await send('/items/1')
    await switching.set('GET /items/:id', 'native', why)
    await send('/items/2')
    expect(seen).toEqual(['/items/2'])
  })
})

describeWays(
  "migration with methods: 'strict'",
  (way) => {
    it('passes on what is at legacy, and is no 405', async () => {
      const { send } = await serveShop(way, { ...shop, options: { methods: 'strict' } })
      expect((await send('/items/7')).json().by).toBe('legacy')
    })
  },
  (way) => way.options === undefined,
)

describe('migration', () => {
  it('finds its first states in the store', async () => {
    const store = memoryStore({ '/items': 'native' })
    const { send } = await serveShop(ways[0]!, { ...shop, store })
    expect((await send('/items/7')).json().by).toBe('native')
  })
})
