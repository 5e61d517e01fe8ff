import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk'
import {
  fileStore,
  type Migration,
  type MigrationOptions,
  type MigrationStore,
  openFeatureStore,
  redisStore,
  type RouteState,
} from '@routecontrollers/switch'
import { FakeRedis } from './fake-redis.js'
import { TestClock, until } from './shop.js'
import { startMigration, statesOf } from './two-processes.js'

const ada = { by: 'Ada', reason: 'done' }
const keys = '{routecontrollers:migration}'
const open: Migration[] = []
let folder: string
let clock: TestClock

beforeEach(() => {
  clock = new TestClock()
  folder = mkdtempSync(join(tmpdir(), 'emptied-'))
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  // A write that its store has not waited for may still be under way.
  await promises.rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function start(store: MigrationStore, options: Pick<MigrationOptions, 'initial'> = {}) {
  const away: boolean[] = []
  const { switching, logged } = startMigration(['/a', '/b'], clock, { store, ...options })
  switching.on('store', ({ isAway }) => void away.push(isAway))
  open.push(switching)
  const states = (): string => statesOf(switching)
  return { switching, logged, away, states }
}

const linesWith = (logged: readonly string[], text: string): number =>
  logged.filter((line) => line.includes(text)).length

describe('redisStore that is emptied', () => {
  async function filled() {
    const redis = new FakeRedis()
    const [here, there] = [
      start(redisStore({ client: redis.client() })),
      start(redisStore({ client: redis.client() })),
    ]
    await here.switching.set('*', 'native', ada)
    await here.switching.set('GET /b', 'canary 5%', ada)
    await clock.until(() => there.switching.status().store.version === 2)
    return { redis, here, there }
  }

  it.each<[string, (redis: FakeRedis) => void]>([
    ['wholly', (redis) => redis.flush()],
    ['of its states alone', (redis) => redis.flush(`${keys}:states`)],
    ['of its version alone', (redis) => redis.flush(`${keys}:version`)],
  ])('%s: the last states hold, and a replica puts them back', async (_how, empty) => {
    const { redis, here, there } = await filled()
    empty(redis)
    await clock.until(() => here.away.at(-1) === false || there.away.at(-1) === false)
    await clock.until(() => [here, there].every(({ switching }) => switching.status().store.version === 3))
    for (const { states, switching } of [here, there]) {
      expect(states()).toBe('native canary 5%')
      expect(switching.status().history.map(({ to }) => to)).toEqual(['native', 'canary 5%'])
    }
    expect(redis.hash(`${keys}:states`)).toEqual({ '*': 'native', 'GET /b': 'canary 5%' })
    const logged = [...here.logged, ...there.logged]
    expect(linesWith(logged, 'is away (Error: it has lost its states')).toBeGreaterThan(0)
    expect(linesWith(logged, 'the states of the store redis were put back')).toBe(1)
    for (const { away } of [here, there]) expect([[], [true, false]]).toContainEqual(away)
    // For a process that is started then, too.
    const next = start(redisStore({ client: redis.client() }))
    await next.switching.ready
    expect([next.states(), next.switching.status().history.length]).toEqual(['native canary 5%', 2])
  })

  it('after a failover has lost the last changes: who has seen them puts them back', async () => {
    const { redis, here } = await filled()
    redis.flush()
    const behind = start(redisStore({ client: redis.client() }))
    // It is refused where another one has looked in between.
    await Promise.allSettled([behind.switching.set('*', 'shadow', ada)])
    await clock.until(() => behind.states() === 'native canary 5%')
    expect(here.states()).toBe('native canary 5%')
    // It has written, and may still wait for what the store answers.
    await clock.until(() => here.switching.status().store.version === 3)
    expect(here.switching.status().store.version).toBe(3)
  })

  it('with a change at once: nothing but that is another one', async () => {
    const { redis, here } = await filled()
    redis.flush()
    expect(await here.switching.set('GET /a', 'shadow', ada)).toEqual({ isStored: true })
    expect(redis.hash(`${keys}:states`)).toEqual({
      '*': 'native',
      'GET /b': 'canary 5%',
      'GET /a': 'shadow',
    })
  })

  it('is away with one line for those who may not write', async () => {
    const redis = new FakeRedis()
    const client = redis.client()
    const writer = start(redisStore({ client }))
    await writer.switching.set('*', 'native', ada)
    const store = redisStore({ client })
    const readOnly: MigrationStore = { name: 'redis', read: (routes) => store.read(routes) }
    const { switching, states, logged, away } = start(readOnly)
    await switching.ready
    await writer.switching.close()
    redis.flush()
    await clock.until(() => switching.status().store.isAway)
    for (let second = 0; second < 5; second++) {
      clock.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([states(), away, linesWith(logged, 'it has lost its states')]).toEqual([
      'native native',
      [true],
      1,
    ])
  })

  it('is no store that has never held anything: a new process does not begin at initial', async () => {
    const { redis, here, there } = await filled()
    await here.switching.close()
    await there.switching.close()
    redis.flush(`${keys}:states`)
    const { switching, states, logged } = start(redisStore({ client: redis.client() }), { initial: 'native' })
    await clock.until(() => switching.status().store.isAway)
    expect([states(), linesWith(logged, 'it has lost its states')]).toEqual(['legacy legacy', 1])
    // What a user says then is all that there is.
    expect(await switching.set('GET /a', 'shadow', ada)).toEqual({ isStored: true })
    expect([states(), switching.status().store.isAway]).toEqual(['shadow native', false])
  })

  it('begins at initial where it has never held anything, and once that is known', async () => {
    const { switching, states } = start(redisStore({ client: new FakeRedis().client() }), {
      initial: 'native',
    })
    expect(states()).toBe('legacy legacy')
    await switching.ready
    expect(states()).toBe('native native')
  })

  it('is put back by one of many', async () => {
    const { redis } = await filled()
    const store = redisStore({ client: redis.client() })
    const stored = { states: { '*': 'native' }, history: [], version: 2 }
    redis.flush()
    expect(await store.restore!(stored, 0)).toEqual({ isStored: true })
    expect(await store.restore!({ ...stored, states: { '*': 'legacy' } }, 0)).toEqual({ isStored: false })
    expect(await store.read([])).toMatchObject({ states: { '*': 'native' }, version: 3 })
  })
})

it('redisStore keeps what is accepted there: who puts states back may know an older reason', async () => {
  const store = redisStore({ client: new FakeRedis().client() })
  const at = '2030-01-01T00:00:00.000Z'
  const newer = { route: 'GET /a', place: 'body', at, ...ada }
  const older = { ...newer, reason: 'a first look' }
  const other = { ...older, place: 'header etag' }
  await store.accept!(newer, false)
  await store.restore!({ states: { '*': 'native' }, accepted: [older, other] }, undefined)
  expect((await store.read([])).accepted).toEqual([newer, other])
})

describe('fileStore whose file is gone', () => {
  it('holds the last states, and writes them anew once it stays away', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, JSON.stringify({ states: { '*': 'native', 'GET /b': 'canary 5%' } }))
    const { switching, states, logged } = start(fileStore({ file }))
    rmSync(file)
    await clock.until(() => switching.status().store.isAway)
    expect([states(), existsSync(file)]).toEqual(['native canary 5%', false])
    // An editor may be about to write it.
    expect(switching.status().store.problem).toContain('there is no')
    await clock.until(() => existsSync(file))
    await clock.until(() => !switching.status().store.isAway)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      version: 1,
      states: { '*': 'native', 'GET /b': 'canary 5%' },
    })
    expect(states()).toBe('native canary 5%')
    expect(linesWith(logged, 'is away')).toBe(1)
  })

  it('has a greater version than before once it is put back', async () => {
    const store = fileStore({ file: join(folder, 'states.json') })
    expect(await store.restore!({ states: { '*': 'native' }, version: 7 }, undefined)).toEqual({
      isStored: true,
    })
    expect(await store.read([])).toMatchObject({ version: 8, states: { '*': 'native' } })
  })

  it('waits for an editor each time that it is gone', async () => {
    const file = join(folder, 'states.json')
    const store = fileStore({ file })
    for (let time = 0; time < 2; time++) {
      writeFileSync(file, JSON.stringify({ states: { '*': 'native' } }))
      expect(await store.read([])).toMatchObject({ isLost: false })
      rmSync(file)
      expect(() => store.read([])).toThrow('any more')
      const isLost = (): boolean => {
        try {
          return (store.read([]) as { isLost?: boolean }).isLost === true
        } catch {
          return false
        }
      }
      await until(isLost)
    }
  })

  it('follows what an editor writes in its place', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, JSON.stringify({ states: { '*': 'native' } }))
    const { switching, states } = start(fileStore({ file }))
    rmSync(file)
    await clock.until(() => switching.status().store.isAway)
    writeFileSync(file, JSON.stringify({ states: { '*': 'shadow' } }))
    await clock.until(() => states() === 'shadow shadow')
    const store = fileStore({ file })
    for (const version of [undefined, 5]) {
      const stored = { states: { '*': 'native' }, ...(version && { version }) }
      expect(await store.restore!(stored, version)).toEqual({ isStored: false })
    }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ states: { '*': 'shadow' } })
  })

  it('does not take a change for all that there is', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, JSON.stringify({ states: { '*': 'native', 'GET /b': 'canary 5%' } }))
    const store = fileStore({ file })
    const { switching, states } = start({ ...store, watch: () => () => {} })
    await switching.ready
    rmSync(file)
    expect(await switching.set('GET /a', 'shadow', ada)).toEqual({ isStored: false })
    expect(existsSync(file)).toBe(false)
    await clock.until(() => switching.status().store.pending === 0)
    expect(JSON.parse(readFileSync(file, 'utf8')).states).toEqual({
      '*': 'native',
      'GET /b': 'canary 5%',
      'GET /a': 'shadow',
    })
    expect(states()).toBe('shadow canary 5%')
  })
})

it('fileStore does not take a difference that is accepted for all that there is', async () => {
  const file = join(folder, 'states.json')
  writeFileSync(file, JSON.stringify({ states: { '*': 'native' } }))
  const store = fileStore({ file })
  const [one, other] = [start({ ...store, watch: () => () => {} }), start(fileStore({ file }))]
  rmSync(file)
  expect(await one.switching.acceptDifference('GET /a', 'body $.x', ada)).toEqual({ isStored: false })
  expect(existsSync(file)).toBe(false)
  await clock.until(() => existsSync(file) && readFileSync(file, 'utf8').includes('body $.x'))
  expect(JSON.parse(readFileSync(file, 'utf8')).states).toEqual({ '*': 'native' })
  await clock.until(() => !other.switching.status().store.isAway)
  expect([one.states(), other.states()]).toEqual(['native native', 'native native'])
})

describe('A store of the user that is emptied', () => {
  it('gets each of its states again', async () => {
    let held: Record<string, string> = { '*': 'native', 'GET /b': 'canary 5%' }
    const { switching, states, logged } = start({
      name: 'own',
      read: async () => ({ states: held }),
      write: async ({ route, state }) => void (held = { ...held, [route]: state }),
    })
    await switching.ready
    held = {}
    await clock.until(() => Object.keys(held).length === 2)
    await clock.until(() => !switching.status().store.isAway && states() === 'native canary 5%')
    expect(held).toEqual({ '*': 'native', 'GET /b': 'canary 5%' })
    expect(linesWith(logged, 'were put back')).toBe(1)
  })

  it.each([
    [undefined, 'native native'],
    [true, 'native native'],
    [false, 'legacy legacy'],
  ])('says itself whether it has lost them: %s', async (isLost, expected) => {
    let held: { states: Record<string, RouteState>; isLost?: boolean | undefined } = {
      states: { '*': 'native' },
    }
    const { switching, states } = start({ name: 'own', read: () => held })
    held = { states: {}, isLost }
    clock.advance(1000)
    expect([states(), switching.status().store.isAway]).toEqual([expected, isLost !== false])
  })
})

it('openFeatureStore holds the last states when its flag is gone', async () => {
  const flags = new InMemoryProvider({
    'route-migration': { variants: { on: { '*': 'native' } }, defaultVariant: 'on', disabled: false },
  })
  await OpenFeature.setProviderAndWait(flags)
  const { switching, states } = start(openFeatureStore({ client: OpenFeature.getClient() }))
  await switching.ready
  flags.putConfiguration({})
  await clock.until(() => switching.status().store.isAway)
  expect(states()).toBe('native native')
  await until(() => switching.status().store.problem?.includes('it has lost its states') === true)
  await OpenFeature.close()
})
