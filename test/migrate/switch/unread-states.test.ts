import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk'
import { Controller, RouteControllers } from 'routecontrollers'
import {
  environmentStore,
  fileStore,
  memoryStore,
  type Migration,
  type MigrationStore,
  openFeatureStore,
  redisStore,
} from '@routecontrollers/switch'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { FakeRedis } from './fake-redis.js'
import { Placement } from '../../../packages/switch/src/states/placement.js'
import { closeShops, describeWays, serveShop, TestClock, until, ways } from './shop.js'

const why = { reason: 'a test', by: 'test' }
const open: (() => Promise<unknown>)[] = []
let clock: TestClock
beforeEach(() => {
  clock = new TestClock()
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

type States = Readonly<Record<string, unknown>>

/** A store whose states a test writes as a person does who edits them. */
interface Edited {
  readonly store: MigrationStore
  readonly write: (states: States) => unknown
}

function editedStore(first: States): Edited {
  let states = first
  return {
    store: { name: 'own', read: () => ({ states: states as Record<string, string> }) },
    write: (next) => (states = next),
  }
}

const stores: readonly { readonly name: string; readonly make: (first: States) => Promise<Edited> }[] = [
  { name: 'a store of the user', make: async (first) => editedStore(first) },
  {
    name: 'fileStore',
    make: async (first) => {
      const folder = mkdtempSync(join(tmpdir(), 'unread-'))
      open.push(async () => rmSync(folder, { recursive: true }))
      const file = join(folder, 'states.json')
      const write = (states: States): void => writeFileSync(file, JSON.stringify({ states }))
      write(first)
      return { store: fileStore({ file }), write }
    },
  },
  {
    name: 'environmentStore',
    make: async (first) => {
      open.push(async () => delete process.env['UNREAD_TEST'])
      const write = (states: States): void => {
        const settings = Object.entries(states).map(([key, state]) => `${key} ${state as string}`)
        process.env['UNREAD_TEST'] = settings.join('; ')
      }
      write(first)
      return { store: environmentStore({ variable: 'UNREAD_TEST' }), write }
    },
  },
  {
    name: 'redisStore',
    make: async (first) => {
      const redis = new FakeRedis()
      const write = (states: States): void => {
        for (const [key, state] of Object.entries(states))
          redis.hSet('{routecontrollers:migration}:states', key, String(state))
      }
      write(first)
      return { store: redisStore({ client: redis.client() }), write }
    },
  },
  {
    name: 'memoryStore',
    make: async (first) => {
      const store = memoryStore(first as never)
      return {
        store,
        write: (states) => {
          for (const [route, state] of Object.entries(states)) {
            const entry = {
              id: String(Math.random()),
              at: '2030-01-01T00:00:00Z',
              route,
              by: 'x',
              reason: 'y',
            }
            void store.write!({ route, state, takeBack: [], entry: { ...entry, to: state } } as never)
          }
        },
      }
    },
  },
  {
    name: 'openFeatureStore with one flag',
    make: async (first) => {
      const flagOf = (states: States): object => ({
        'route-migration': { variants: { on: states }, defaultVariant: 'on', disabled: false },
      })
      const flags = new InMemoryProvider(flagOf(first) as never)
      await OpenFeature.setProviderAndWait(flags)
      open.push(() => OpenFeature.close())
      return {
        store: openFeatureStore({ client: OpenFeature.getClient() }),
        write: (states) => flags.putConfiguration(flagOf(states) as never),
      }
    },
  },
  {
    name: 'openFeatureStore with a flag for each route',
    make: async (first) => {
      const flagsOf = (states: States): object =>
        Object.fromEntries(
          ['GET /pay', 'GET /card', 'GET /other'].map((route) => [
            route,
            { variants: { on: states[route] ?? states['*'] }, defaultVariant: 'on', disabled: false },
          ]),
        )
      const flags = new InMemoryProvider(flagsOf(first) as never)
      await OpenFeature.setProviderAndWait(flags)
      open.push(() => OpenFeature.close())
      return {
        store: openFeatureStore({ client: OpenFeature.getClient(), flagOf: (route) => route }),
        write: (states) => flags.putConfiguration(flagsOf(states) as never),
      }
    },
  },
]

interface Started {
  readonly switching: Migration
  readonly warned: string[]
  readonly stateOf: (route: string) => string
}

function start(
  store: MigrationStore,
  routes: readonly string[] = ['GET /pay', 'GET /card', 'GET /other'],
  options: object = {},
): Started {
  const warned: string[] = []
  const note = (message: string): void => void warned.push(message)
  const switching = createMigration(
    {
      legacy: (_req, res) => void res.end('legacy'),
      routeControllers: new RouteControllers(
        routes.map((route) => {
          const [method, path] = route.split(' ') as [string, string]
          return new Controller(method, path, () => 'native')
        }),
      ),
      store,
      // Without it no line says that a rollback holds in one process alone.
      rollback: false,
      logger: { info() {}, warn: note, error: note },
      ...options,
    },
    clock,
  )
  open.push(() => switching.close())
  const of = (route: string) => switching.status().routes.find((one) => one.route === route)!
  return { switching, warned, stateOf: (route) => of(route).state }
}

/** Lets the stores be read twice more. */
async function nextReads(): Promise<void> {
  for (let time = 0; time < 2; time++) {
    clock.advance(1000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe.each(stores)('A state that cannot be read, in $name', ({ make }) => {
  it('leaves a route where it was, beside * at native; one line warns', async () => {
    const before = { '*': 'native', 'GET /pay': 'legacy', 'GET /card': 'canary 5%' }
    const { store, write } = await make(before)
    const { switching, warned, stateOf } = start(store)
    await switching.ready
    const states = (): string[] => ['GET /pay', 'GET /card', 'GET /other'].map(stateOf)
    expect(states()).toEqual(['legacy', 'canary 5%', 'native'])
    await write({ ...before, 'GET /pay': 'Legacy', 'GET /card': 'canary 200%' })
    await clock.until(() => switching.status().store.unread.length > 1)
    expect(states()).toEqual(['legacy', 'canary 5%', 'native'])
    expect(switching.status().store).toMatchObject({
      isAway: false,
      ignored: ['GET /pay', 'GET /card'],
      unread: [
        { key: 'GET /pay', state: 'Legacy', what: 'state', routes: ['GET /pay'] },
        { key: 'GET /card', state: 'canary 200%', what: 'state', routes: ['GET /card'] },
      ],
    })
    expect(switching.status().routes.map(({ heldBy }) => heldBy)).toEqual([
      'GET /pay',
      'GET /card',
      undefined,
    ])
    // The store is read once a second.
    await nextReads()
    const write4 = "write 'legacy', 'shadow', 'canary 5%' or 'native'"
    expect(warned.at(-1)).toBe(
      `migration: the store ${store.name} has what cannot be read: "GET /pay" is at "Legacy", so GET /pay stays at legacy: ${write4}; "GET /card" is at "canary 200%", so GET /card stays at canary 5%: ${write4}`,
    )
    // A store that is written key by key may be read in between.
    expect(warned.length).toBeLessThanOrEqual(2)
    await write({ '*': 'native', 'GET /pay': 'native', 'GET /card': 'native' })
    await clock.until(() => stateOf('GET /card') === 'native')
    expect(states()).toEqual(['native', 'native', 'native'])
    expect(switching.status().store.unread).toEqual([])
  })

  it('begins at legacy in a process that has just started', async () => {
    const { store } = await make({ '*': 'native', 'GET /pay': 'Legacy' })
    const { switching, warned, stateOf } = start(store)
    await switching.ready
    expect([stateOf('GET /pay'), stateOf('GET /other')]).toEqual(['legacy', 'native'])
    expect(warned).toHaveLength(1)
  })
})

describe('A setting that cannot be read', () => {
  it('is none where its group has slashes at its end, and of two for one route the first counts', () => {
    const group = start(editedStore({ '/pay//': 'native' }).store)
    expect([group.stateOf('GET /pay'), group.switching.status().store.unread]).toEqual(['native', []])
    const two = start(editedStore({ 'get /pay': 'shadow', 'Get /pay': 'legacy', '*': 'native' }).store)
    expect(two.switching.status().routes.find(({ route }) => route === 'GET /pay')!.heldBy).toBe('get /pay')
  })

  it('is told of again where it was mended in between', async () => {
    const { store, write } = editedStore({ 'GET /pay': 'legcay' })
    const { switching, warned } = start(store)
    await switching.ready
    await nextReads()
    await write({ 'GET /pay': 'legacy' })
    await nextReads()
    expect(warned).toHaveLength(1)
    await write({ 'GET /pay': 'legcay' })
    await nextReads()
    expect(warned).toHaveLength(2)
  })

  it('has its route begin at legacy, also where routes begin at native', () => {
    for (const states of [{ 'GET /pay': 'legcay' }, { 'get /pay': 'legacy' }]) {
      const { switching, stateOf } = start(editedStore(states).store, undefined, { initial: 'native' })
      expect([stateOf('GET /pay'), stateOf('GET /other')]).toEqual(['legacy', 'native'])
      const [key] = Object.keys(states)
      expect(switching.status().store.unread).toMatchObject([{ key, routes: ['GET /pay'] }])
      expect(switching.status().routes[0]).toMatchObject({ setFor: key, heldBy: key })
    }
  })

  it('is shown with no routes where it keeps none', () => {
    const { switching } = start(editedStore({ 'GET /b': 'native' }).store)
    expect(switching.status().store.unread).toMatchObject([{ key: 'GET /b', routes: [] }])
  })
})

describeWays('A route whose state cannot be read', (way) => {
  it('is answered by legacy, and the others by their Controllers', async () => {
    const { store, write } = editedStore({ '*': 'native', 'GET /pay': 'legacy' })
    const { send, switching } = await serveShop(way, {
      store,
      clock,
      native: () => ['/pay', '/other'].map((path) => new Controller('GET', path, () => 'native')),
      legacy: (app) => {
        for (const path of ['/pay', '/other']) app.get(path, (_req, res) => void res.send('legacy'))
      },
    })
    const answers = async (): Promise<string[]> => [(await send('/pay')).text, (await send('/other')).text]
    expect(await answers()).toEqual(['legacy', 'native'])
    write({ '*': 'native', 'GET /pay': 'Legacy' })
    await clock.until(() => switching.status().store.unread.length > 0)
    expect(await answers()).toEqual(['legacy', 'native'])
    await switching.set('*', 'native', why)
    expect(await answers()).toEqual(['native', 'native'])
  })
})

describe('A state that cannot be read', () => {
  it.each([
    [null],
    [0],
    [100],
    [true],
    [[]],
    [['native']],
    [{}],
    [{ state: 'native' }],
    [''],
    [' '],
    ['canary'],
    ['canary 200%'],
    ['canary -1%'],
    ['canary 5.555%'],
    ['canary 1e2%'],
    ['NATIVE'],
    ['natïve'],
    ['native\u200b'],
    ['toString'],
    ['__proto__'],
    [10n],
    [undefined],
    [Symbol('native')],
    [() => 'native'],
  ])('is %p', (value) => {
    const { store } = editedStore({ '*': 'native', 'GET /pay': value })
    const { switching, warned, stateOf } = start(store)
    expect([stateOf('GET /pay'), stateOf('GET /other')]).toEqual(['legacy', 'native'])
    expect(switching.status().store.isAway).toBe(false)
    expect(warned).toHaveLength(1)
    JSON.stringify(switching.status())
  })

  it.each([['native '], ['\tnative\n'], ['canary 5 %'], ['canary:5'], ['canary  5%']])(
    'is not %p',
    (value) => {
      const { store } = editedStore({ '*': 'legacy', 'GET /pay': value })
      const { warned, stateOf } = start(store)
      expect(stateOf('GET /pay')).toBe(value.includes('native') ? 'native' : 'canary 5%')
      expect(warned).toEqual([])
    },
  )

  it('of a group leaves each of its routes where that was', async () => {
    const routes = ['GET /api/a', 'GET /api/b', 'GET /api/c', 'GET /x']
    const { store, write } = editedStore({ 'GET /api/a': 'shadow', 'GET /api/b': 'native' })
    const { switching, stateOf } = start(store, routes)
    write({ '/api': 'nativ', 'GET /api/c': 'shadow', '*': 'native' })
    await clock.until(() => switching.status().store.unread.length > 0)
    expect(routes.map(stateOf)).toEqual(['shadow', 'native', 'shadow', 'native'])
    expect(switching.status().store.unread[0]!.routes).toEqual(['GET /api/a', 'GET /api/b'])
  })

  it('is overridden by what is set in the process', async () => {
    const { store } = editedStore({ '*': 'native', 'GET /pay': 'Legacy' })
    const { switching, stateOf } = start(store)
    await switching.set('GET /pay', 'canary 5%', why)
    expect(stateOf('GET /pay')).toBe('canary 5%')
    expect(switching.status().store.unread).toEqual([])
    await switching.set('*', 'shadow', why)
    expect([stateOf('GET /pay'), stateOf('GET /other')]).toEqual(['shadow', 'shadow'])
  })

  it('keeps a plan from leading its route on', async () => {
    const { store, write } = editedStore({ 'GET /x': 'canary 10%' })
    const { switching, send } = await serveShop(ways[0]!, {
      store,
      clock,
      native: () => [new Controller('GET', '/x', () => 'x')],
      legacy: (app) => void app.get('/x', (_req, res) => void res.send('x')),
      stickyBy: (req) => String(req.headers['x-user']),
      shadow: { ignoreHeaders: ['content-type', 'etag'] },
      plan: { steps: [10, 100], minutes: 1, answers: 0 },
    })
    const compared = async (count: number): Promise<void> => {
      await send('/x')
      await until(() => switching.status().routes[0]!.shadow.compared === count)
    }
    await compared(1)
    write({ 'GET /x': 'Legacy' })
    clock.advance(120_000)
    expect(switching.status().routes[0]).toMatchObject({ state: 'canary 10%', heldBy: 'GET /x' })
    await new Promise((resolve) => setImmediate(resolve))
    write({ 'GET /x': 'canary 10%' })
    clock.advance(61_000)
    await compared(2)
    clock.advance(61_000)
    expect(switching.status().routes[0]!.state).toBe('native')
    await closeShops()
  })

  it('writes no control character of a store into the log', () => {
    const { store } = editedStore({ 'GET /pay': 'leg\u001b[2Kacy\n\u202e', 'GET\r /pay': 'legacy' })
    const { warned } = start(store)
    expect(warned).toHaveLength(1)
    expect(warned[0]).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]/)
  })

  it('is one line for many, which names some', () => {
    const routes = Array.from({ length: 50 }, (_one, at) => `GET /r${at}`)
    const { store } = editedStore(Object.fromEntries(routes.map((route) => [route, 'x'.repeat(10_000)])))
    const { warned } = start(store, routes)
    expect(warned).toHaveLength(1)
    expect(warned[0]).toContain('and 47 more')
    expect(warned[0]!.length).toBeLessThan(2000)
  })
})

describe('A key that is for no route', () => {
  it.each([
    ['get /pay'],
    ['Get /pay'],
    ['GET /Pay'],
    ['GET  /pay'],
    [' GET /pay'],
    ['GET /pay '],
    ['GET\t/pay'],
    ['GET /pay/'],
    ['GET pay'],
    ['GET/pay'],
    ['GET /pya'],
    ['GET /pays'],
    ['GTE /pay'],
    ['POST /pay'],
    ['/Pay'],
    ['pay'],
    ['/pay*'],
    ['GET /pay/*'],
    ['GET'],
    ['all routes'],
    ['**'],
    [''],
  ])('and may mean a route, as %p, keeps it from its Controller', (key) => {
    for (const state of ['legacy', 'shadow', 'canary 5%']) {
      const { store } = editedStore({ '*': 'native', [key]: state })
      const { warned, stateOf, switching } = start(store)
      expect(stateOf('GET /pay')).toBe('legacy')
      expect(switching.status().store).toMatchObject({ ignored: [key], unread: [{ key, what: 'key' }] })
      expect(warned).toHaveLength(1)
    }
  })

  it('leaves a route where it was', async () => {
    const { store, write } = editedStore({ '*': 'native' })
    const { warned, stateOf, switching } = start(store)
    write({ '*': 'native', 'get /pay': 'legacy' })
    await clock.until(() => switching.status().store.unread.length > 0)
    expect([stateOf('GET /pay'), stateOf('GET /other')]).toEqual(['native', 'native'])
    expect(warned).toEqual([
      'migration: the store own has what cannot be read: "get /pay" is for no route, so GET /pay stays at native: did you mean "GET /pay"?',
    ])
  })

  it('names the params of its route in another way', () => {
    const { store } = editedStore({ '*': 'native', 'GET /users/:userId': 'legacy' })
    const { stateOf } = start(store, ['GET /users/:id', 'GET /users'])
    expect([stateOf('GET /users/:id'), stateOf('GET /users')]).toEqual(['legacy', 'native'])
  })

  it.each([
    [{ '*': 'native', 'GET /pay': 'native', 'get /pay': 'legacy' }, 'native'],
    [{ '*': 'shadow', 'get /pay': 'canary 5%' }, 'shadow'],
    [{ '*': 'native', 'get /pay': 'native' }, 'native'],
    [{ '*': 'legacy', 'get /pay': 'native' }, 'legacy'],
    [{ '*': 'native', 'GET /long-gone': 'legacy' }, 'native'],
    [{ '*': 'native', _comment: 'see the wiki', '//': 'and ask Ada' }, 'native'],
  ])('changes nothing where the right one is there, or nothing can be lost: %j', (states, expected) => {
    const { stateOf } = start(editedStore(states).store)
    expect(stateOf('GET /pay')).toBe(expected)
  })

  it.each([
    ['get /pay', 'canary 5%'],
    ['get /pay', 'native'],
    ['GET /b', 'native'],
    ['GET /b', 'legacy'],
    ['/b', 'shadow'],
    ['//', 'native'],
    ['pay', 'native'],
  ])('is told in one warning, and in no line of a change: %s at %s', async (key, state) => {
    const { store, write } = editedStore({ 'GET /other': 'shadow' })
    const logged: string[] = []
    const note = (message: string): void => void logged.push(message)
    const changes: unknown[] = []
    const { switching } = start(store, undefined, { logger: { info: note, warn: note, error: note } })
    switching.on('change', (entry) => changes.push(entry))
    write({ 'GET /other': 'shadow', [key]: state })
    await clock.until(() => switching.status().store.unread.length > 0)
    await nextReads()
    expect(switching.status().store).toMatchObject({ ignored: [key], unread: [{ key, state, what: 'key' }] })
    expect(switching.status().history).toEqual([])
    expect(changes).toEqual([])
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(`${JSON.stringify(key)} is for no route`)
  })

  it('of another process is in the history, and in no line of a change', async () => {
    const shared = memoryStore()
    const logged: string[] = []
    const note = (message: string): void => void logged.push(message)
    const here = start(shared, ['GET /pay'], { logger: { info: note, warn: note, error: note } })
    const there = start(shared, ['GET /b', 'GET /pay'])
    await there.switching.set('GET /b', 'canary 5%', why)
    await there.switching.set('GET /pay', 'canary 5%', why)
    await clock.until(() => here.stateOf('GET /pay') === 'canary 5%')
    expect(here.switching.status().history.map(({ route }) => route)).toEqual(['GET /b', 'GET /pay'])
    expect(logged.filter((line) => line.includes(' now, by '))).toEqual([
      'migration: GET /pay is at canary 5% now, by test: a test',
    ])
  })

  it('is looked up in bounded time', () => {
    const routes = Array.from({ length: 1000 }, (_one, at) => `GET /api/v1/resources/number-${at}`)
    const states = Object.fromEntries(routes.map((route, at) => [`${route.toLowerCase()}-${at}x`, 'legacy']))
    // Compared with each route by each letter, the long key alone would take minutes.
    const { switching } = start(
      editedStore({ '*': 'native', ...states, ['x'.repeat(1_000_000)]: 'legacy' }).store,
      routes,
    )
    expect(new Set(switching.status().routes.map(({ state }) => state))).toEqual(new Set(['legacy']))
  })
})

describe('initial that gives no state', () => {
  it.each([
    [() => 'Legacy'],
    [() => undefined],
    [() => 5],
    [async () => 'native'],
    [async () => Promise.reject(new Error('no answer'))],
    [
      () => {
        throw new Error('no\nanswer')
      },
    ],
  ])('has its routes begin at legacy, says so once, and shows it: %p', async (initial) => {
    const rejected = jest.fn()
    process.once('unhandledRejection', rejected)
    const { store } = editedStore({})
    const { switching, warned, stateOf } = start(store, ['GET /pay'], { initial })
    for (let time = 0; time < 3; time++) expect(stateOf('GET /pay')).toBe('legacy')
    expect(switching.status().routes[0]!.heldBy).toBe('initial')
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', rejected)
    expect(rejected).not.toHaveBeenCalled()
    expect(warned).toEqual([expect.stringMatching(/^migration: .*; GET \/pay begins at legacy$/)])
  })

  it.each([['Legacy'], ['canary 200%'], [null], [5]])('is refused at once: %p', (initial) => {
    expect(() => start(editedStore({}).store, ['GET /pay'], { initial })).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })
})

describe('the route that a key means which is for none', () => {
  const meant = (key: string, routes: readonly string[]): string | undefined => {
    const placement = new Placement()
    placement.take({ [key]: 'canary 5%' }, routes)
    return placement.unread()[0]?.meant
  }

  it.each([
    ['GET /usrs', 'GET /users', 'GET /users'],
    ['GET /uzerz', 'GET /users', 'GET /users'],
    ['GET /uzzzz', 'GET /users', undefined],
    ['GET //a//b//c//d', 'GET /a/b/c/d', 'GET /a/b/c/d'],
    // So few letters may be any.
    ['/x', '* /a', '/a'],
    ['/xy', '* /ab', undefined],
    ['/abcd', '* /abxy', '/abxy'],
  ])('of %s is by its letters, beside %s: %s', (key, route, expected) => {
    expect(meant(key, [route])).toBe(expected)
  })

  it('is looked for among so many names alone', () => {
    const routes = (count: number): string[] => [
      ...Array.from({ length: count }, (_, at) => `GET /r${10_000 + at}`),
      'GET /qqqqqq',
    ]
    expect(meant('GET /qqqqqz', routes(1999))).toBe('GET /qqqqqq')
    expect(meant('GET /qqqqqz', routes(2000))).toBeUndefined()
  })

  it('is none before anything is set', () => {
    expect(new Placement().unread()).toEqual([])
  })
})
