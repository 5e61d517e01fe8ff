import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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
  migration,
  openFeatureStore,
  redisStore,
} from 'routecontrollers/migrate'
import { createRandom, pick } from '../../hard/random.js'
import { times } from '../../support/counts.js'
import { FakeRedis } from './fake-redis.js'
import { until } from './shop.js'

const why = { reason: 'a test', by: 'test' }
const open: Migration[] = []
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switch-'))
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  rmSync(folder, { recursive: true, force: true })
})

function start(store: MigrationStore): { switching: Migration; logged: string[]; state: () => string } {
  const logged: string[] = []
  const note = (message: string): void => void logged.push(message)
  const routeControllers = new RouteControllers([
    new Controller('GET', '/items/:id', () => 'native'),
    new Controller('GET', '/other', () => 'native'),
  ])
  const switching = migration({
    legacy: (_req, res) => void res.end('legacy'),
    routeControllers,
    store,
    logger: { info: note, warn: note, error: note },
  })
  open.push(switching)
  return { switching, logged, state: () => switching.status().routes[0]!.state }
}

interface Kind {
  readonly name: string
  /** Makes two that share their states, as two processes have them. */
  readonly pair: () => readonly [MigrationStore, MigrationStore]
}

const kinds: readonly Kind[] = [
  {
    name: 'memoryStore',
    pair: () => {
      const store = memoryStore()
      return [store, store]
    },
  },
  {
    name: 'fileStore',
    pair: () => {
      const file = join(folder, 'states.json')
      return [fileStore({ file }), fileStore({ file })]
    },
  },
  {
    name: 'redisStore',
    pair: () => {
      const redis = new FakeRedis()
      return [redisStore({ client: redis.client() }), redisStore({ client: redis.client() })]
    },
  },
]

describe.each(kinds)('$name', ({ pair }) => {
  it('tells others within a second, with who and why', async () => {
    const [one, two] = pair()
    const here = start(one)
    const there = start(two)
    await there.switching.ready
    const changes: unknown[] = []
    there.switching.on('change', ({ route, to, by, reason }) => changes.push([route, to, by, reason]))
    const began = Date.now()
    expect(await here.switching.set('GET /items/:id', 'canary 5%', why)).toEqual({ isStored: true })
    await until(() => there.state() === 'canary 5%')
    expect(Date.now() - began).toBeLessThan(5000)
    expect(changes).toEqual([['GET /items/:id', 'canary 5%', 'test', 'a test']])
    expect(there.switching.status().history).toHaveLength(1)
  })

  it('keeps all of many changes that several make at once', async () => {
    const [one, two] = pair()
    const both = [start(one), start(two)]
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        both[at % 2]!.switching.set(at % 4 < 2 ? 'GET /items/:id' : 'GET /other', `canary ${at}%`, why),
      ),
    )
    await until(() => both.every(({ switching }) => switching.status().history.length === 20))
    const [here, there] = both.map(({ switching }) => switching.status().settings)
    expect(here).toEqual(there)
    expect(Object.keys(here!)).toHaveLength(2)
  })

  it('takes back what was set for the parts of a group', async () => {
    const [one, two] = pair()
    const here = start(one)
    const there = start(two)
    await here.switching.set('GET /items/:id', 'native', why)
    await here.switching.set('*', 'shadow', why)
    await until(() => there.state() === 'shadow')
    expect(there.switching.status().settings).toEqual({ '*': 'shadow' })
  })
})

describe('fileStore', () => {
  it('follows people who edit the file, and holds on while what they write cannot be read', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, '{ "states": { "/items": "native" } }')
    const { switching, state, logged } = start(fileStore({ file }))
    // Before the first request, so at once.
    expect(state()).toBe('native')
    writeFileSync(file, '{ "states": { "/items": "can')
    await until(() => switching.status().store.isAway)
    expect(state()).toBe('native')
    await new Promise((resolve) => setTimeout(resolve, 50))
    writeFileSync(file, '[1]')
    await until(() => switching.status().store.problem?.includes('no object') === true)
    expect(await switching.set('GET /other', 'shadow', why)).toEqual({ isStored: false })
    expect([switching.status().routes[1]!.state, switching.status().store.pending]).toEqual(['shadow', 1])
    writeFileSync(
      file,
      '{ "states": { "/items": "shadow", "GET /gone": "native", "GET /other": "strange" } }',
    )
    await until(() => state() === 'shadow')
    await until(() => switching.status().store.pending === 0)
    expect(switching.status().store).toMatchObject({ isAway: false, ignored: ['GET /gone'] })
    expect(JSON.parse(readFileSync(file, 'utf8')).states).toMatchObject({ 'GET /other': 'shadow' })
    expect(logged.filter((line) => line.includes('is away'))).toHaveLength(1)
    expect(switching.status().history.some(({ by }) => by === 'store file')).toBe(true)
    expect(readdirSync(folder)).toEqual(['states.json'])
  })
})

describe('A store of the user', () => {
  it('counts with its states, whatever its history holds', () => {
    const history = [null, 7, { id: 'a' }] as never
    const { switching, state } = start({ name: 'own', read: () => ({ states: { '*': 'shadow' }, history }) })
    expect([state(), switching.status().store.isAway, switching.status().history]).toEqual([
      'shadow',
      false,
      [],
    ])
  })
})

describe('A store that is away for long', () => {
  it('gets what counts in the end, and takes no memory for what was overridden meanwhile', async () => {
    const memory = memoryStore()
    let isAway = true
    const store: MigrationStore = {
      ...memory,
      write: (change) => {
        if (isAway) throw new Error('away')
        return memory.write!(change)
      },
    }
    const { switching } = start(store)
    const other = start(memoryStore())
    const states = (one: typeof switching): unknown =>
      one.status().routes.map(({ state, setFor }) => [state, setFor])
    const keys = ['GET /items/:id', 'GET /other', '/items', '/other', '*']
    const random = createRandom(7)
    for (let at = 0; at < times(800, 2_400); at++) {
      // Now and then several keys, and then one so often that what it overrides is left out.
      const key = at % 200 < 8 ? pick(random, keys) : 'GET /other'
      const state = pick(random, ['legacy', 'native', 'canary 5%'] as const)
      await Promise.all([switching.set(key, state, why), other.switching.set(key, state, why)])
      expect(switching.status().store.pending).toBeLessThanOrEqual(200)
      expect(states(switching)).toEqual(states(other.switching))
    }
    isAway = false
    await until(() => switching.status().store.pending === 0)
    expect(states(switching)).toEqual(states(other.switching))
    expect(states(start(memory).switching)).toEqual(states(other.switching))
  })
})

describe('fileStore', () => {
  it('holds on where there is something else than a file of states', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, '{ "states": { "*": "shadow", "__proto__": "native", "constructor": "legacy" } }')
    const { switching, state } = start(fileStore({ file }))
    expect(state()).toBe('shadow')
    expect([...switching.status().store.ignored].sort()).toEqual(['__proto__', 'constructor'])
    const becomes = async (make: () => void, problem: string): Promise<void> => {
      rmSync(file, { recursive: true })
      make()
      await until(() => switching.status().store.problem?.includes(problem) === true, problem)
      expect(await switching.set('GET /other', 'native', why)).toEqual({ isStored: false })
      expect([state(), switching.status().store.isAway]).toEqual(['shadow', true])
    }
    await becomes(() => mkdirSync(file), 'is no file')
    await becomes(() => void spawnSync('mkfifo', [file]), 'is no file')
    await becomes(() => writeFileSync(file, `"${'x'.repeat(5_000_000)}"`), 'more than')
    await becomes(() => symlinkSync(file, file), 'ELOOP')
    rmSync(file)
    writeFileSync(file, '{}')
    await until(() => !switching.status().store.isAway)
    await until(() => switching.status().store.pending === 0)
    expect(switching.status().routes.map((one) => one.state)).toEqual(['legacy', 'native'])
  })
})

describe('environmentStore', () => {
  it('reads a variable, and what is set in the process counts until that is another one', async () => {
    process.env['SWITCH_TEST'] = 'GET /items/:id canary 5%; * = legacy; GET /other nonsense'
    const { switching, state } = start(environmentStore({ variable: 'SWITCH_TEST' }))
    expect(state()).toBe('canary 5%')
    expect(switching.status().store).toMatchObject({ canWrite: false, ignored: ['GET /other'] })
    expect(await switching.set('GET /items/:id', 'legacy', why)).toEqual({ isStored: false })
    expect(state()).toBe('legacy')
    process.env['SWITCH_TEST'] = 'GET /items/:id native'
    await until(() => state() === 'native')
    delete process.env['SWITCH_TEST']
    await until(() => state() === 'legacy')
  })
})

describe('redisStore', () => {
  it('holds the last states while Redis is away, warns once, and catches up when it is back', async () => {
    const redis = new FakeRedis()
    const { switching, state, logged } = start(redisStore({ client: redis.client() }))
    const other = start(redisStore({ client: redis.client() }))
    await switching.set('GET /items/:id', 'shadow', why)
    redis.isAway = true
    expect(await switching.set('GET /other', 'native', why)).toEqual({ isStored: false })
    expect(state()).toBe('shadow')
    expect(switching.status().store).toMatchObject({ isAway: true, pending: 1 })
    redis.isAway = false
    redis.reconnect()
    await until(() => other.switching.status().routes[1]!.state === 'native')
    await until(() => !switching.status().store.isAway)
    expect(logged.filter((line) => line.includes('is away'))).toHaveLength(1)
  })

  it('tells what was changed before the process was there to the history alone', async () => {
    const redis = new FakeRedis()
    const before = start(redisStore({ client: redis.client() }))
    await before.switching.set('GET /items/:id', 'shadow', why)
    const { switching, state } = start(redisStore({ client: redis.client() }))
    const told: string[] = []
    switching.on('change', ({ route, to }) => told.push(`${route} ${to}`))
    await switching.ready
    expect([state(), switching.status().history.length, told]).toEqual(['shadow', 1, []])
    await before.switching.set('GET /other', 'native', why)
    await until(() => told.length > 0)
    expect(told).toEqual(['GET /other native'])
  })

  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, undefined],
    ['a text', 'OK', 'OK'],
    ['numbers', { '*': 7, 'GET /other': null }, [1, null, '{', '[]', '{"id":1}']],
    ['prototypes', JSON.parse('{"__proto__":"native","*":"shadow"}'), ['{"__proto__":{"id":"x"}}']],
  ])('holds on while Redis answers with %s', async (_what, states, history) => {
    const redis = new FakeRedis()
    const client = redis.client()
    const { switching, state } = start(redisStore({ client }))
    await switching.set('*', 'shadow', why)
    Object.assign(client, { hGetAll: async () => states, lRange: async () => history })
    await switching.set('GET /other', 'shadow', why)
    expect(['shadow', 'legacy']).toContain(state())
    expect(switching.status().history.every(({ id }) => typeof id === 'string')).toBe(true)
  })

  it('is no reason to wait when a client never answers', async () => {
    const redis = new FakeRedis()
    redis.isSilent = true
    const { switching, state } = start(redisStore({ client: redis.client() }))
    void switching.set('GET /items/:id', 'native', why)
    await until(() => switching.status().store.isAway)
    expect(state()).toBe('native')
  })
})

describe('openFeatureStore', () => {
  const provider = (flags: Record<string, unknown>): InMemoryProvider =>
    new InMemoryProvider(
      Object.fromEntries(
        Object.entries(flags).map(([name, value]) => [
          name,
          { variants: { on: value }, defaultVariant: 'on', disabled: false },
        ]),
      ) as never,
    )

  afterEach(() => OpenFeature.close())

  it('reads one flag of all states, and follows it', async () => {
    const flags = provider({ 'route-migration': { '/items': 'canary 5%' } })
    await OpenFeature.setProviderAndWait(flags)
    const { switching, state } = start(openFeatureStore({ client: OpenFeature.getClient() }))
    await switching.ready
    expect(state()).toBe('canary 5%')
    flags.putConfiguration({
      'route-migration': { variants: { on: { '/items': 'native' } }, defaultVariant: 'on', disabled: false },
    })
    await until(() => state() === 'native')
  })

  it('reads a flag for each route', async () => {
    await OpenFeature.setProviderAndWait(provider({ items: 'shadow' }))
    const { switching, state } = start(
      openFeatureStore({
        client: OpenFeature.getClient(),
        flagOf: (route) => (route === 'GET /items/:id' ? 'items' : 'other'),
      }),
    )
    await switching.ready
    expect(state()).toBe('shadow')
    expect(switching.status().store).toMatchObject({ isAway: false, ignored: [] })
  })

  it('holds on when the provider fails', async () => {
    const flags = provider({ 'route-migration': { '/items': 'native' } })
    await OpenFeature.setProviderAndWait(flags)
    const { switching, state } = start(openFeatureStore({ client: OpenFeature.getClient() }))
    await switching.ready
    flags.resolveObjectEvaluation = async () => {
      throw new Error('no connection')
    }
    await until(() => switching.status().store.isAway)
    expect(state()).toBe('native')
  })
})
