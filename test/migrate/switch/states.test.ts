import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import cors from 'cors'
import express5, { type Express, json } from 'express'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import { memoryStore, migration, type MigrationOptions, type RouteState } from '@routecontrollers/switch'
import {
  checkAcceptOptions,
  checkMigrationOptions,
  type MigrationSettings,
} from '../../../packages/switch/src/states/options.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { closeShops, describeWays, serveShop, type Shop, silent, TestClock, until, ways } from './shop.js'

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

  it('counts as a route of the legacy app what that answers by Controllers of its own', async () => {
    const { send, switching } = await serveShop(way, {
      ...shop,
      legacy: (app) => {
        const moved = new Controller('GET', '/items/:id', (_req, res) => res.json({ by: 'legacy' }))
        app.use('/', new RouteControllers([moved]).middleware())
      },
    })
    expect((await send('/items/7')).json()).toEqual({ by: 'legacy' })
    expect(switching.status().routes.map(({ state }) => state)).toEqual([
      'legacy',
      'native',
      'native',
      'native',
    ])
    await switching.set('GET /items/:id', 'native', why)
    expect((await send('/items/7')).json()).toEqual({ by: 'native', id: '7' })
  })

  it('logs each change as one line, and which routes have no way back', async () => {
    const { send, switching, logged } = await serveShop(way, shop)
    await send('/new')
    expect(logged).toEqual([
      'info migration: the legacy app has no route for GET /new: it goes back by nothing but set()',
    ])
    await switching.set('GET /new', 'legacy', { reason: 'a\nb\u001b[2K', by: 'Ada\r' })
    expect(logged.slice(1)).toEqual([
      'info migration: GET /new is at legacy now, by Ada\\x0d: a\\nb\\x1b[2K',
      'warn migration: GET /new is not at native now, and it has nothing else to answer: clients get what the app answers without that route, mostly 404. Set what is to answer to native',
    ])
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

describeWays('migration and what is around a request', (way) => {
  const corsOf = (by: string) => cors({ origin: `https://${by}.example` })
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  }

  it('leaves a preflight to the side that has the route that it asks for', async () => {
    const { send, switching } = await serveShop(way, {
      native,
      setup: (routeControllers) => void routeControllers.addGlobal(corsOf('native')),
      legacy: (app) => {
        app.use(corsOf('legacy'))
        legacy(app)
      },
    })
    const by = async (): Promise<unknown> =>
      (await send('/items/7', preflight)).headers['access-control-allow-origin']
    expect(await by()).toBe('https://legacy.example')
    await switching.set('GET /items/:id', 'native', why)
    expect(await by()).toBe('https://native.example')
    expect(switching.status().requests).toBe(0)
  })

  it('counts the requests of a Controller for OPTIONS, which are no preflights of another one', async () => {
    const { send, switching } = await serveShop(way, {
      native: () => [new Controller('OPTIONS', '/items', () => 'native')],
      legacy: (app) => void app.options('/items', (_req, res) => void res.send('legacy')),
    })
    expect((await send('/items', { method: 'OPTIONS' })).text).toBe('legacy')
    await switching.set('*', 'native', why)
    expect((await send('/items', { method: 'OPTIONS' })).text).toBe('native')
    const { legacy: old, native: own, lastAskedAt } = switching.status().routes[0]!
    expect([old.requests, own.requests, lastAskedAt !== undefined]).toEqual([1, 1, true])
  })

  it('takes a path with a broken escape for no answer of either side', async () => {
    const { send, switching } = await serveShop(way, { ...shop, shadow: false })
    for (const state of ['canary 0%', 'canary 100%'] as const) {
      await switching.set('*', state, why)
      await send('/items/%zz')
      await send('/items/7')
    }
    const route = () => switching.status().routes[0]!
    await until(() => route().native.watched > 0 && route().legacy.watched > 0)
    expect([route().legacy.watched, route().native.watched]).toEqual([1, 1])
  })

  it('follows a hook that rewrites the URL', async () => {
    const { send, switching } = await serveShop(way, {
      ...shop,
      setup: (routeControllers) =>
        void routeControllers.addGlobal(
          (req, _res, next) => {
            req.url = req.url!.replace('/old/', '/items/').replace('/new', '/items/8')
            next()
          },
          { scope: 'every' },
        ),
    })
    expect((await send('/old/7')).json()).toEqual({ by: 'legacy', id: '7' })
    // From a route that is at native to one that is not.
    expect((await send('/new')).json()).toEqual({ by: 'legacy', id: '8' })
    await switching.set('*', 'native', why)
    expect((await send('/old/7')).json()).toEqual({ by: 'native', id: '7' })
  })

  it('is not blocked by event streams, which it does not compare', async () => {
    const { send, switching } = await serveShop(way, {
      native: () => [...native(), new Controller('GET', '/events', () => 'x')],
      legacy: (app) => {
        legacy(app)
        app.get('/events', (_req, res) => {
          res.setHeader('content-type', 'text/event-stream')
          res.write('data: 1\n\n')
          setTimeout(() => res.end('data: 2\n\n'), 50)
        })
      },
      shadow: { queue: 1, concurrency: 1 },
    })
    await switching.set('*', 'shadow', why)
    await Promise.all(Array.from({ length: 5 }, () => send('/events')))
    await send('/items/7')
    await until(() => switching.status().routes[0]!.shadow.compared === 1)
    expect(switching.status().shadow).toMatchObject({
      heldBytes: 0,
      dropped: { queue: 0, size: 0, failed: 0 },
    })
  })
})

describe('migration on one connection', () => {
  afterEach(closeShops)

  it('changes sides between two requests, and survives an upload that breaks off', async () => {
    const { port, switching, send } = await serveShop(ways[0]!, {
      ...shop,
      shadow: { unsafe: ['POST /items'] },
    })
    await switching.set('*', 'canary 100%', why)
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    const get = 'GET /items/1 HTTP/1.1\r\nHost: t\r\n\r\n'
    socket.write(get)
    await until(() => text.includes('"by":"native"'))
    await switching.set('*', 'legacy', why)
    socket.write(get)
    await until(() => text.includes('"by":"legacy"'))
    await switching.set('*', 'canary 100%', why)
    socket.write(
      'POST /items HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    await until(() => switching.status().routes[1]!.native.requests === 1)
    socket.destroy()
    await until(() => switching.status().routes[1]!.native.aborted === 1)
    // It says nothing of how long an answer takes.
    expect(switching.status().routes[1]!.native).toMatchObject({ watched: 1, p50Ms: undefined })
    await until(() => switching.status().shadow.running === 0)
    expect(switching.status().shadow.heldBytes).toBe(0)
    expect((await send('/items/2')).json().by).toBe('native')
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
  afterEach(closeShops)

  it.each<[Record<string, RouteState>, string[]]>([
    [{ '/api': 'native' }, ['/api', '/api/users', '/api/users/7']],
    [{ '/api/': 'native' }, ['/api', '/api/users', '/api/users/7']],
    [{ '/api/users': 'native' }, ['/api/users', '/api/users/7']],
    [{ '/apidocs': 'native' }, ['/apidocs']],
    [{ '/': 'native', '/api': 'legacy' }, ['/apidocs', '/api-2/users']],
    [{ '/api': 'native', '/api/users': 'legacy' }, ['/api']],
    [
      { '/api/users': 'native', '/api': 'legacy', '*': 'native' },
      ['/api/users', '/api/users/7', '/apidocs', '/api-2/users'],
    ],
    [{ '/api/users': 'native', 'GET /api/users': 'legacy' }, ['/api/users/7']],
  ])('leads %j to the Controllers of %j, and of no path that only begins alike', async (states, led) => {
    const paths = ['/api', '/api/users', '/api/users/7', '/apidocs', '/api-2/users']
    const { send } = await serveShop(ways[0]!, {
      legacy: (app) => void app.use((_req, res) => void res.send('legacy')),
      native: () => paths.map((path) => new Controller('GET', path, () => 'native')),
      initial: 'legacy',
      store: memoryStore(states),
    })
    const answers = await Promise.all(paths.map(async (path) => [path, (await send(path)).text]))
    expect(answers.filter(([, text]) => text === 'native').map(([path]) => path)).toEqual(led)
  })

  it('says when a route was asked last, and that it is dead after so many days without a request', async () => {
    const clock = new TestClock()
    const { send, switching } = await serveShop(ways[0]!, { ...shop, clock, deadAfterDays: 0.01 })
    const [items, other] = [0, 1].map((at) => () => switching.status().routes[at]!)
    await send('/items/7')
    clock.advance(500_000)
    await send('/items/8')
    const at = clock.now()
    clock.advance(360_000)
    const agoOf = (time: string | undefined): number => Math.abs(Date.parse(time!) - at)
    expect(agoOf(items!().lastAskedAt)).toBeLessThan(100_000)
    expect([other!().lastAskedAt, other!().isDead]).toEqual([undefined, false])
    clock.advance(100_000)
    expect(switching.status().dead).toEqual(['POST /items', 'GET /new', 'GET /stream'])
    expect(items!().isDead).toBe(false)
    clock.advance(500_000)
    expect(items!().isDead).toBe(true)
    await send('/items/7')
    expect(items!().isDead).toBe(false)
  })

  it('tells the share of requests that Controllers have got', async () => {
    const { send, switching } = await serveShop(ways[0]!, shop)
    expect(switching.status().nativeShare).toBe(0)
    for (const path of ['/items/7', '/items/8', '/items/9', '/new']) await send(path)
    expect(switching.status().nativeShare).toBe(0.25)
  })

  it('makes each change, and tells of it once, however many there are', async () => {
    const { switching } = await serveShop(ways[0]!, shop)
    const ids: string[] = []
    switching.on('change', ({ id }) => ids.push(id))
    for (let at = 0; at < 2100; at++)
      await switching.set('GET /items/:id', at % 2 === 0 ? 'shadow' : 'legacy', why)
    expect([ids.length, new Set(ids).size, switching.status().history.length]).toEqual([2100, 2100, 200])
  })

  it('leaves no timer and no watch when it is closed, and tells nobody any more', async () => {
    const clock = new TestClock()
    const memory = memoryStore()
    let reads = 0
    const watchers = new Set<() => void>()
    const { switching } = await serveShop(ways[0]!, {
      ...shop,
      clock,
      store: {
        ...memory,
        read: (routes) => {
          reads++
          return memory.read(routes)
        },
        watch: (changed) => {
          watchers.add(changed)
          return () => void watchers.delete(changed)
        },
      },
    })
    const told: string[] = []
    switching.on('change', ({ to }) => told.push(to))
    await switching.set('*', 'native', why)
    const [late] = watchers
    await switching.close()
    expect([clock.waiting, watchers.size]).toEqual([0, 0])
    // A store that was about to tell of a change when it was closed.
    const before = reads
    late!()
    expect(reads).toBe(before)
    await switching.set('*', 'legacy', why)
    expect(told).toEqual(['native'])
  })

  it('finds its first states in the store', async () => {
    const store = memoryStore({ '/items': 'native' })
    const { send } = await serveShop(ways[0]!, { ...shop, store })
    expect((await send('/items/7')).json().by).toBe('native')
  })

  it.each([
    ['Express 5', express5],
    ['Express 4', express4 as never],
  ] as [string, () => Express][])(
    'knows the routes of an app below the path that it stands at: %s',
    async (_name, make) => {
      const app = make()
      const routeControllers = new RouteControllers([
        new Controller('GET', '/items/:id', () => 'native'),
        new Controller('GET', '/new', () => 'native'),
      ])
      const switching = migration({
        legacy: app,
        routeControllers,
        logger: silent,
        shadow: { maxDelayMs: 60_000, maxUtilization: 1 },
      })
      app.use('/api', switching.middleware())
      app.get('/api/items/:id', (_req, res) => void res.send('legacy'))
      app.get('/other', (_req, res) => void res.send('legacy'))
      const { port, close } = await listenOn(app)
      const send = sendTo(port)
      expect((await send('/api/items/7')).text).toBe('legacy')
      expect((await send('/api/new')).text).toBe('native')
      expect(switching.status().legacyOnly).toEqual(['GET /other'])
      await switching.set('*', 'shadow', why)
      await send('/api/items/8?tea=1')
      const route = () => switching.status().routes[0]!
      await until(() => route().shadow.compared === 1)
      expect(route().differences.some(({ target }) => target === '/api/items/8?tea=1')).toBe(true)
      await close()
      await switching.close()
    },
  )

  it('stands in front of an http.Server with its listener, and of any (req, res), which begin at legacy', async () => {
    for (const legacy of [
      createServer((_req, res) => void res.end('legacy')),
      (_req: unknown, res: ServerResponse) => void res.end('legacy'),
    ]) {
      const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'native')])
      const switching = migration({ legacy, routeControllers, logger: silent })
      const { port, close } = await listenOn(switching.listener())
      expect((await sendTo(port)('/x')).text).toBe('legacy')
      await switching.set('GET /x', 'native', why)
      expect((await sendTo(port)('/x')).text).toBe('native')
      expect((await sendTo(port)('/y')).text).toBe('legacy')
      await close()
      await switching.close()
    }
  })

  it('says so where legacy leads to its own listener', async () => {
    const logged: string[] = []
    const note = (line: string): void => void logged.push(line)
    const logger = { info: note, warn: note, error: note }
    const server = createServer()
    const app = express5()
    for (const legacy of [server, app]) {
      const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'native')])
      const switching = migration({ legacy, routeControllers, logger })
      if (legacy === app) app.use(switching.listener())
      else server.on('request', switching.listener())
      const { port, close } = await listenOn(
        legacy === app ? app : (req, res) => void server.emit('request', req, res),
      )
      expect((await sendTo(port)('/else')).status).toBe(508)
      expect(logged.pop()).toContain('use middleware()')
      await switching.set('*', 'native', why)
      expect((await sendTo(port)('/x')).text).toBe('native')
      await close()
      await switching.close()
    }
  })

  it('answers a web Request by its Controller, as nobody stands behind', async () => {
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'native')])
    const switching = migration({ legacy: () => {}, routeControllers })
    const answer = await routeControllers.getCallback()(new Request('http://x/x'))
    expect(await answer.text()).toBe('native')
    await switching.close()
  })

  it('keeps its states once it is closed, and makes room for another one', async () => {
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'native')])
    const legacy = (_req: unknown, res: ServerResponse): void => void res.end('legacy')
    const switching = migration({ legacy, routeControllers })
    expect(() => migration({ legacy, routeControllers })).toThrow(
      expect.objectContaining({ code: 'ERR_MIGRATION_EXISTS' }),
    )
    const { port, close } = await listenOn(switching.listener())
    await switching.close()
    await switching.close()
    expect((await sendTo(port)('/x')).text).toBe('legacy')
    const other = migration({ legacy, routeControllers, initial: 'native' })
    expect((await sendTo(port)('/x')).text).toBe('native')
    await other.close()
    await close()
  })

  const routeControllers = (): RouteControllers =>
    new RouteControllers([new Controller('GET', '/x', () => 'x')])
  it('accepts no difference without a reason', () => {
    for (const reason of [undefined, '', ' ', 7])
      expect(() => checkAcceptOptions({ reason, by: 'Ada' } as never)).toThrow(
        'acceptDifference: reason is a sentence that says why',
      )
    expect(() => checkAcceptOptions({ reason: 'as meant', by: 'Ada' })).not.toThrow()
  })

  it('has a replica of each process and migration, where it is given no name', () => {
    const nameOf = (): string =>
      checkMigrationOptions({ legacy: () => {}, routeControllers: routeControllers() }, memoryStore).replica
    const names = [nameOf(), nameOf()]
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(new RegExp(`^[^#\\s]+-${process.pid}-[0-9a-f]{6}$`))
  })

  it('compares all headers, and all routes, unless it is told of some', () => {
    const { shadow } = checkMigrationOptions(
      { legacy: () => {}, routeControllers: routeControllers() },
      memoryStore,
    )
    expect(shadow).toMatchObject({ unsafe: [], exclude: [], redact: [], ignoreHeaders: [], asIs: [] })
  })

  it('reads options under their former names', () => {
    const settingsOf = (more: Partial<MigrationOptions>) =>
      checkMigrationOptions({ legacy: () => {}, routeControllers: routeControllers(), ...more }, memoryStore)
    const former = settingsOf({
      shadow: { sample: 0.5 },
      rollback: { minSamples: 7 },
      plan: { samples: 8 },
    })
    const now = settingsOf({ shadow: { share: 0.5 }, rollback: { minAnswers: 7 }, plan: { answers: 8 } })
    const read = ({ shadow, rollback, plan }: MigrationSettings) => ({ shadow, rollback, plan })
    expect(read(former)).toEqual(read(now))
    expect(read(now)).toMatchObject({
      shadow: { share: 0.5 },
      rollback: { minAnswers: 7 },
      plan: { answers: 8 },
    })
    const both = settingsOf({ shadow: { sample: 0.5, share: 0.2 } })
    expect(both.shadow).toMatchObject({ share: 0.2 })
  })

  it.each([
    [{ legacy: undefined }, 'legacy is an Express app'],
    [{ routeControllers: {} }, 'routeControllers is new RouteControllers'],
    [{ store: {} }, 'store is a store'],
    [{ initial: 'canary' }, "initial is 'legacy', 'shadow', 'canary 5%' or 'native', not \"canary\""],
    [{ shadow: { samples: 1 } }, 'shadow has no option "samples"'],
    [{ shadow: { share: 2 } }, 'shadow.share is a share: a number from 0 to 1, not 2'],
    [{ shadow: { sample: 2 } }, 'shadow.sample is a share: a number from 0 to 1, not 2'],
    [{ rollback: { errorRate: '5' } }, 'rollback.errorRate is a share'],
    [{ rollback: { falseAlarmRate: 0 } }, 'rollback.falseAlarmRate is a share: a number from 1e-9 to 0.5'],
    [{ rollback: { minSamples: 0 } }, 'rollback.minSamples is a count: a whole number from 1 on'],
    [{ shadow: { maxHeldBytes: 0 } }, 'shadow.maxHeldBytes is bytes: a whole number from 1 to 2147483648'],
    [{ plan: { steps: [5, 1] } }, 'plan.steps is an array of shares that grow'],
    [{ plan: { steps: [5, 5] } }, 'plan.steps is an array of shares that grow'],
    [{ plan: { steps: [0, 5] } }, 'plan.steps is an array of shares that grow'],
    [{ plan: { steps: [5, 101] } }, 'plan.steps is an array of shares that grow'],
    [{ plan: { steps: ['5'] } }, 'plan.steps is an array of shares that grow'],
    [
      { plan: { steps: [5, 100 / 3] } },
      'plan.steps is an array of shares with two decimals at the most, not 33.333333333333336',
    ],
    [
      { plan: { steps: [0.001] } },
      'plan.steps is an array of shares with two decimals at the most, not 0.001',
    ],
    [{ plan: { steps: [] } }, 'plan.steps is an array of shares that grow'],
    [{ plan: { steps: 5 } }, 'plan.steps is an array of shares that grow'],
    [{ plan: { answers: -1 } }, 'plan.answers is a count: a whole number from 0 on'],
    [{ app: express5() }, 'app has its native callbacks in its routes, legacy and routeControllers are two'],
    [{ stickyBy: 'user' }, 'stickyBy is a function'],
    [{ tea: 1 }, 'migration has no option "tea"'],
  ])('refuses %j', (wrong, message) => {
    const make = (): unknown =>
      migration({ legacy: () => {}, routeControllers: routeControllers(), ...wrong } as never)
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
    expect(make).toThrow(message)
  })

  it.each([
    [
      'GET /y',
      'native',
      why,
      "\"GET /y\" is no route: name one as 'GET /users/:id', all below a path as '/api', or all as '*'; did you mean 'GET /x'?",
    ],
    ['GET /x', 'naive', why, 'set: state is'],
    ['GET /x', 'native', undefined, 'set takes an object { reason, by }'],
    ['GET /x', 'native', 'a reason', 'set takes an object { reason, by }'],
    ['GET /x', 'native', { reason: ' ' }, 'set: reason is a sentence that says why'],
    ['GET /x', 'native', { reason: 7 }, 'set: reason is a sentence that says why'],
    ['GET /x', 'native', { ...why, by: '' }, 'set: by is a name, not ""'],
    ['GET /x', 'native', { ...why, by: 7 }, 'set: by is a name, not 7'],
    ['GET /x', 'native', { reason: 'a', who: 'b' }, 'has no option "who"'],
  ])('set refuses %s, %s, %j', async (route, state, options, message) => {
    const switching = migration({ legacy: () => {}, routeControllers: routeControllers() })
    await expect(switching.set(route, state as never, options as never)).rejects.toThrow(message)
    expect(switching.status().settings).toEqual({})
    await switching.close()
  })
})

describeWays('a migration that is closed', (way) => {
  it('goes on to choose, and watches no answer any more', async () => {
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get('/a', (_req, res) => void res.send('legacy')),
      native: () => [new Controller('GET', '/a', () => 'native')],
      shadow: false,
    })
    await switching.set('GET /a', 'canary 100%', why)
    const watched = (): number => switching.status().routes[0]!.native.watched
    await send('/a')
    await until(() => watched() === 1)
    await switching.close()
    for (let at = 0; at < 3; at++) expect((await send('/a')).text).toBe('native')
    expect(watched()).toBe(1)
  })

  it('takes no route back, whatever the answers are that were under way', async () => {
    const waiting: (() => void)[] = []
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get('/a', (_req, res) => void res.send('legacy')),
      native: () => [
        new Controller('GET', '/a', async (_req, res) => {
          await new Promise<void>((resolve) => void waiting.push(resolve))
          return res.status(500).text('planted')
        }),
      ],
      shadow: false,
    })
    await switching.set('GET /a', 'canary 100%', why)
    const route = () => switching.status().routes[0]!
    const answers = Array.from({ length: 30 }, () => send('/a'))
    await until(() => waiting.length === answers.length)
    await switching.close()
    for (const goOn of waiting) goOn()
    expect((await Promise.all(answers)).every(({ status }) => status === 500)).toBe(true)
    await until(() => route().native.watched === answers.length)
    expect([route().state, route().rollbacks]).toEqual(['canary 100%', 0])
  })
})
