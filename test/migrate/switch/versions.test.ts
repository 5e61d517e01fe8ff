import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  fileStore,
  type Migration,
  type MigrationEvents,
  type MigrationStore,
  redisStore,
  type StoreChange,
} from '@routecontrollers/switch'
import { FakeRedis } from './fake-redis.js'
import { TestClock, until } from './shop.js'
import { type Kind, kinds, startMigration, unwatched } from './two-processes.js'

const ada = { by: 'Ada', reason: 'incident' }
const bob = { by: 'Bob', reason: 'go on' }
const open: Migration[] = []
let folder: string
let clock: TestClock

beforeEach(() => {
  clock = new TestClock()
  folder = mkdtempSync(join(tmpdir(), 'versions-'))
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  // A write that its store has not waited for may still be under way.
  await promises.rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

interface Started {
  readonly switching: Migration
  readonly logged: string[]
  readonly dropped: MigrationEvents['dropped'][]
  readonly state: () => string
}

/** A process of its own, as far as states go. */
function start(store: MigrationStore): Started {
  const dropped: MigrationEvents['dropped'][] = []
  const { switching, logged } = startMigration(['/items/:id', '/other'], clock, { store })
  switching.on('dropped', (one) => void dropped.push(one))
  open.push(switching)
  return { switching, logged, dropped, state: () => switching.status().routes[0]!.state }
}

/** A change as a store gets it. */
function change(route: string, state: StoreChange['state'], seen?: number): StoreChange {
  const id = `${route} ${state} ${Math.random()}`
  const entry = { id, at: '2030-01-01T00:00:00.000Z', route, from: undefined, to: state, ...ada }
  return { route, state, takeBack: [], entry, seen }
}

// None tells of a change, so each reads once a second.
const pairOf = (kind: Kind): readonly [MigrationStore, MigrationStore] => {
  const [one, two] = kind.pair(folder)
  return kind.name === 'memoryStore' ? [one, two] : [unwatched(one), unwatched(two)]
}

describe.each(kinds)('$name', (kind) => {
  const pair = () => pairOf(kind)
  it('counts its changes, and refuses one that has not seen the last of them', async () => {
    const [one, two] = pair()
    expect((await one.read([])).version).toBe(0)
    expect((await two.read([])).version).toBe(0)
    expect(await one.write!(change('GET /items/:id', 'shadow', 0))).toEqual({ isStored: true })
    expect(await two.write!(change('GET /items/:id', 'native', 0))).toEqual({ isStored: false })
    const { version, states, history } = await two.read([])
    expect([version, states, history!.map((entry) => [entry.to, entry.version])]).toEqual([
      1,
      { 'GET /items/:id': 'shadow' },
      [['shadow', 1]],
    ])
    expect(await two.write!(change('GET /items/:id', 'native', 1))).toEqual({ isStored: true })
    expect((await two.read([])).version).toBe(2)
  })

  it('has who comes second told the last one of those who were first', async () => {
    const [one, two] = pair()
    const [here, there] = [start(one), start(two)]
    await Promise.all([here.switching.ready, there.switching.ready])
    const { version = 0 } = there.switching.status().store
    await here.switching.set('GET /items/:id', 'shadow', ada)
    await here.switching.set('GET /items/:id', 'canary 5%', bob)
    await clock.until(() => there.switching.status().store.version === version + 2)
    await expect(
      there.switching.set('GET /items/:id', 'native', { ...ada, seen: version }),
    ).rejects.toMatchObject({
      message: 'set: Bob has set GET /items/:id to canary 5%: look at it, then set GET /items/:id again',
    })
  })

  it('has who comes second told who was first, and nothing changes', async () => {
    const [one, two] = pair()
    const [here, there] = [start(one), start(two)]
    await Promise.all([here.switching.ready, there.switching.ready])
    await here.switching.set('GET /items/:id', 'legacy', ada)
    // The time stands still, so it has not read that.
    await expect(there.switching.set('GET /items/:id', 'native', bob)).rejects.toMatchObject({
      code: 'ERR_STATE_CHANGED',
      status: 409,
      message: 'set: Ada has set GET /items/:id to legacy: look at it, then set GET /items/:id again',
    })
    const { history, store, settings } = there.switching.status()
    expect([there.state(), settings]).toEqual(['legacy', { 'GET /items/:id': 'legacy' }])
    expect(history.map(({ by }) => by)).toEqual(['Ada'])
    expect(store).toMatchObject({ pending: 0, version: 1, isAway: false })
    expect(there.dropped).toEqual([])
    // Now it has seen it.
    expect(await there.switching.set('GET /items/:id', 'native', bob)).toEqual({ isStored: true })
  })

  it.each([
    ['a group of it', '/items', 'GET /items/:id', true],
    ['all routes', '*', 'GET /items/:id', true],
    ['a part of it', 'GET /items/:id', '/items', true],
    ['a part of all', '/items', '*', true],
    ['another route', 'GET /other', 'GET /items/:id', false],
    ['another group', '/other', '/items', false],
  ] as const)('refuses what was said for %s since: %s before %s', async (_what, first, second, isRefused) => {
    const [one, two] = pair()
    const [here, there] = [start(one), start(two)]
    await Promise.all([here.switching.ready, there.switching.ready])
    await here.switching.set(first, 'shadow', ada)
    const setting = there.switching.set(second, 'native', bob)
    if (isRefused) await expect(setting).rejects.toMatchObject({ code: 'ERR_STATE_CHANGED' })
    else await expect(setting).resolves.toEqual({ isStored: true })
    expect(there.switching.status().settings[second] === 'native').toBe(!isRefused)
  })

  it('takes the version that somebody has looked at, in whichever process', async () => {
    const [one, two] = pair()
    const [here, there] = [start(one), start(two)]
    await Promise.all([here.switching.ready, there.switching.ready])
    await here.switching.set('GET /items/:id', 'shadow', ada)
    const seen = here.switching.status().store.version!
    await here.switching.set('GET /other', 'shadow', ada)
    // This one has read neither.
    expect(await there.switching.set('GET /items/:id', 'canary 5%', { ...bob, seen })).toEqual({
      isStored: true,
    })
    for (const { switching } of [here, there])
      await expect(switching.set('GET /items/:id', 'native', { ...ada, seen })).rejects.toMatchObject({
        message: 'set: Bob has set GET /items/:id to canary 5%: look at it, then set GET /items/:id again',
      })
    await expect(here.switching.set('*', 'native', { ...ada, seen: -1 })).rejects.toMatchObject({
      code: 'ERR_OPTION_INVALID',
    })
  })
})

describe('A change that waits for a store that is away', () => {
  async function partitioned() {
    const redis = new FakeRedis()
    const cut = new FakeRedis()
    const client = redis.client()
    let isCut = false
    const through = new Proxy(client, {
      get: (_target, name): unknown => Reflect.get(isCut ? cut.client() : client, name),
    })
    cut.isAway = true
    const here = start(redisStore({ client }))
    const there = start(redisStore({ client: through }))
    await Promise.all([here.switching.ready, there.switching.ready])
    return {
      here,
      there,
      partition: () => (isCut = true),
      heal: async () => {
        isCut = false
        await clock.until(() => !there.switching.status().store.isAway)
        await clock.until(() => there.switching.status().store.pending === 0)
      },
    }
  }

  it('is dropped with a line and an event when somebody else has said something since', async () => {
    const { here, there, partition, heal } = await partitioned()
    partition()
    expect(await there.switching.set('GET /items/:id', 'canary 50%', bob)).toEqual({ isStored: false })
    expect(there.state()).toBe('canary 50%')
    await here.switching.set('GET /items/:id', 'native', ada)
    await here.switching.set('GET /items/:id', 'legacy', ada)
    await heal()
    await clock.until(() => here.switching.status().store.version === 2)
    expect([here.state(), there.state()]).toEqual(['legacy', 'legacy'])
    const message =
      'migration: Ada has set GET /items/:id to legacy, so what Bob had set before is dropped: GET /items/:id to canary 50% (go on)'
    expect(there.dropped).toMatchObject([
      { message, change: { to: 'canary 50%', ...bob }, first: { to: 'legacy', ...ada } },
    ])
    expect(there.logged.filter((line) => line === message)).toHaveLength(1)
    for (const { switching } of [here, there])
      expect(switching.status().history.map(({ to }) => to)).toEqual(['native', 'legacy'])
  })

  it('is made when nobody has said anything for its routes', async () => {
    const { here, there, partition, heal } = await partitioned()
    partition()
    await there.switching.set('GET /items/:id', 'canary 50%', bob)
    await there.switching.set('GET /items/:id', 'canary 60%', bob)
    await here.switching.set('GET /other', 'native', ada)
    await heal()
    await clock.until(() => here.state() === 'canary 60%')
    expect(there.dropped).toEqual([])
    expect(here.switching.status().settings).toEqual(there.switching.status().settings)
    expect(here.switching.status().store.version).toBe(3)
  })

  it('is dropped without a line when another one has said the same', async () => {
    const { here, there, partition, heal } = await partitioned()
    partition()
    await there.switching.set('GET /items/:id', 'legacy', bob)
    await here.switching.set('GET /items/:id', 'legacy', ada)
    await heal()
    expect([there.state(), there.dropped]).toEqual(['legacy', []])
    expect(there.switching.status().history.map(({ by }) => by)).toEqual(['Ada'])
  })

  it('is dropped with a line where another one has said the same for other routes as well', async () => {
    const { here, there, partition, heal } = await partitioned()
    partition()
    await there.switching.set('GET /items/:id', 'legacy', bob)
    await here.switching.set('*', 'legacy', ada)
    await heal()
    expect(there.dropped).toMatchObject([{ change: { route: 'GET /items/:id' }, first: { route: '*' } }])
  })

  it.each([
    ['plan', 'legacy'],
    ['Ada', 'canary 50%'],
  ])('takes a route back that a rollback has stopped, where %s has led it on: %s', async (by, expected) => {
    const { here, there, partition, heal } = await partitioned()
    partition()
    await there.switching.set('GET /items/:id', 'legacy', { by: 'rollback', reason: 'errors' })
    await here.switching.set('GET /items/:id', 'canary 50%', { by, reason: 'well' })
    await heal()
    await clock.until(() => here.state() === expected)
    expect(there.state()).toBe(expected)
    expect(there.dropped).toHaveLength(by === 'plan' ? 0 : 1)
  })

  it('was made by a process that had read nothing, and is older than what the store holds', async () => {
    const redis = new FakeRedis()
    const here = start(redisStore({ client: redis.client() }))
    await here.switching.set('*', 'legacy', ada)
    redis.isAway = true
    const fresh = start(redisStore({ client: redis.client() }))
    expect(await fresh.switching.set('GET /items/:id', 'native', bob)).toEqual({ isStored: false })
    redis.isAway = false
    await clock.until(() => fresh.dropped.length === 1)
    expect(fresh.state()).toBe('legacy')
    // Who sets at the start without waiting has seen what is read then.
    const next = start(redisStore({ client: redis.client() }))
    expect(await next.switching.set('*', 'shadow', bob)).toEqual({ isStored: true })
  })
})

describe('The version that somebody has looked at', () => {
  it.each([
    ['as many changes as the history has', 200, true],
    ['more changes than that, of which the first may be for any route', 201, false],
  ])('is enough where it was followed by %s', async (_what, count, isEnough) => {
    const [one, two] = pairOf(kinds[0]!)
    const [here, there] = [start(one), start(two)]
    for (let at = 0; at < count; at++)
      await here.switching.set('GET /other', at % 2 === 0 ? 'shadow' : 'legacy', ada)
    await clock.until(() => there.switching.status().store.version === count)
    const setting = there.switching.set('GET /items/:id', 'native', { ...bob, seen: 0 })
    if (isEnough) await expect(setting).resolves.toEqual({ isStored: true })
    else await expect(setting).rejects.toMatchObject({ code: 'ERR_STATE_CHANGED' })
  })
})

describe('A change that the store has taken without an answer', () => {
  it('is no word of another user, however many follow it while the store is away', async () => {
    const [memory] = pairOf(kinds[0]!)
    let isAway = false
    const store: MigrationStore = {
      ...memory,
      read(routes) {
        if (isAway) throw new Error('away')
        return memory.read(routes)
      },
      write(written) {
        if (written.state !== 'shadow') return memory.write!(written)
        void memory.write!(written)
        isAway = true
        throw new Error('lost')
      },
    }
    const { switching, dropped, state } = start(store)
    await switching.ready
    await switching.set('GET /items/:id', 'shadow', ada)
    for (let at = 0; at < 250; at++) await switching.set('GET /items/:id', `canary ${at % 50}%`, ada)
    isAway = false
    await clock.until(() => switching.status().store.pending === 0)
    expect([state(), dropped]).toEqual(['canary 49%', []])
    expect((await memory.read([])).states).toEqual({ 'GET /items/:id': 'canary 49%' })
  })
})

describe('A store that can be read, and takes no changes', () => {
  it('is followed, with one line and an event', async () => {
    const redis = new FakeRedis()
    const client = redis.client()
    let mayWrite = false
    const refusing: typeof client = {
      ...client,
      evalSha: (sha, call) =>
        mayWrite
          ? client.evalSha(sha, call)
          : Promise.reject(new Error("READONLY You can't write against a read only replica.")),
    }
    const here = start(redisStore({ client }))
    const there = start(redisStore({ client: refusing }))
    const told: unknown[] = []
    there.switching.on('store', ({ isAway, problem }) => told.push([isAway, problem?.slice(0, 15)]))
    await Promise.all([here.switching.ready, there.switching.ready])
    expect(await there.switching.set('GET /other', 'native', bob)).toEqual({ isStored: false })
    await here.switching.set('GET /items/:id', 'shadow', ada)
    await clock.until(() => there.state() === 'shadow')
    await here.switching.set('GET /items/:id', 'legacy', ada)
    await clock.until(() => there.state() === 'legacy')
    const { store, routes } = there.switching.status()
    expect(store).toMatchObject({ isAway: false, pending: 1, version: 2 })
    expect(store.problem).toContain('READONLY')
    expect(routes[1]!.state).toBe('native')
    mayWrite = true
    await clock.until(() => here.switching.status().routes[1]!.state === 'native')
    await clock.until(() => there.switching.status().store.problem === undefined)
    expect(told).toEqual([
      [false, 'Error: READONLY'],
      [false, undefined],
    ])
    expect(there.logged.filter((line) => line.includes('takes no changes (Error: READONLY'))).toHaveLength(1)
    expect(there.logged.filter((line) => line.includes('takes changes again'))).toHaveLength(1)
    expect(there.logged.filter((line) => line.includes('is away'))).toEqual([])
  })

  it('is followed while a change is never answered', async () => {
    let states = {}
    const { switching, state } = start({
      name: 'own',
      read: async () => ({ states }),
      write: () => new Promise(() => {}),
    })
    await switching.ready
    void switching.set('GET /other', 'native', bob)
    states = { 'GET /items/:id': 'shadow' }
    await clock.until(() => state() === 'shadow')
    await clock.until(() => switching.status().store.problem?.includes('no answer within') === true)
    expect(switching.status().store).toMatchObject({ isAway: false, pending: 1 })
  })
})

describe('redisStore', () => {
  const keys = '{routecontrollers:migration}'

  it('names its script by its hash, and gives it whole to a Redis that has not got it', async () => {
    const redis = new FakeRedis()
    const { switching } = start(redisStore({ client: redis.client() }))
    for (const state of ['shadow', 'native'] as const) await switching.set('*', state, ada)
    expect(redis.asked).toEqual(['evalSha', 'eval', 'evalSha'])
  })

  it('does not give a script twice that has failed for another reason', async () => {
    const redis = new FakeRedis()
    redis.isAway = true
    const store = redisStore({ client: redis.client() })
    await expect(store.write!(change('*', 'native'))).rejects.toThrow('Socket closed')
    expect(redis.asked).toEqual(['evalSha'])
  })

  it('keeps what it writes under one hash tag, that of its key where there is one', async () => {
    const redis = new FakeRedis()
    for (const key of [undefined, '{shop}:migration', 'shop:migration'])
      await redisStore({ client: redis.client(), ...(key !== undefined && { key }) }).write!(
        change('*', 'shadow'),
      )
    for (const prefix of [keys, '{shop}:migration', '{shop:migration}'])
      expect(redis.hash(`${prefix}:states`)).toEqual({ '*': 'shadow' })
  })

  it('tells the time of Redis, which is one clock for all', async () => {
    const redis = new FakeRedis()
    const { switching } = start(redisStore({ client: redis.client() }))
    await switching.set('*', 'shadow', ada)
    await clock.until(() => switching.status().history[0]!.version === 1)
    expect(switching.status().history.map(({ at }) => at)).toEqual(['2031-01-01T00:00:00.000Z'])
  })

  it('reads the states of versions that knew no hash tag, and takes them over with the first change', async () => {
    const redis = new FakeRedis()
    const former = 'routecontrollers:migration'
    redis.hSet(`${former}:states`, 'GET /items/:id', 'canary 5%')
    redis.hSet(`${former}:states`, 'GET /other', 'native')
    redis.rPush(`${former}:history`, JSON.stringify(change('GET /items/:id', 'canary 5%').entry))
    const { switching, state } = start(redisStore({ client: redis.client() }))
    await switching.ready
    expect([state(), switching.status().history.length, switching.status().store.version]).toEqual([
      'canary 5%',
      1,
      0,
    ])
    await switching.set('GET /other', 'shadow', bob)
    expect(redis.hash(`${keys}:states`)).toEqual({ 'GET /items/:id': 'canary 5%', 'GET /other': 'shadow' })
    expect(switching.status().history.map(({ to }) => to)).toEqual(['canary 5%', 'shadow'])
    // From then on the former keys are those of nobody.
    redis.hSet(`${former}:states`, 'GET /items/:id', 'native')
    clock.advance(2000)
    const { state: next, switching: later } = start(redisStore({ client: redis.client() }))
    await later.ready
    expect([state(), next()]).toEqual(['canary 5%', 'canary 5%'])
  })

  it.each([
    ['NOPERM No permissions to access a key', false],
    ['MOVED 1234 10.0.0.1:6379', false],
    ['Socket closed unexpectedly', true],
  ])('is away for want of the former keys where that may be an accident: %s', async (message, isAway) => {
    const redis = new FakeRedis()
    const client = { ...redis.client(), hGetAll: () => Promise.reject(new Error(message)) }
    const { switching } = start(redisStore({ client }))
    await until(() => switching.status().store.version !== undefined || switching.status().store.isAway)
    expect(switching.status().store.isAway).toBe(isAway)
  })
})

describe('fileStore', () => {
  const write = (file: string, content: object): void => writeFileSync(file, JSON.stringify(content))
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

  it('has what was set before close(), and leaves no lock', async () => {
    const file = join(folder, 'states.json')
    const { switching } = start(fileStore({ file }))
    void switching.set('*', 'legacy', { by: 'rollback', reason: 'errors' })
    void switching.set('GET /other', 'shadow', ada)
    await switching.close()
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
    expect(read(file)).toMatchObject({ version: 2, states: { '*': 'legacy', 'GET /other': 'shadow' } })
    const next = start(fileStore({ file }))
    expect(await next.switching.set('*', 'shadow', bob)).toEqual({ isStored: true })
  })

  it('reads a file without a version on, and gives it one', async () => {
    const file = join(folder, 'states.json')
    write(file, { states: { '*': 'shadow' }, history: [] })
    const { switching, state } = start(fileStore({ file }))
    expect([state(), switching.status().store.version]).toEqual(['shadow', 0])
    await switching.set('GET /items/:id', 'native', ada)
    expect(read(file)).toMatchObject({
      version: 1,
      states: { '*': 'shadow', 'GET /items/:id': 'native' },
      history: [{ version: 1 }],
    })
  })

  it('has no change written over what a person has written since it was read', async () => {
    const file = join(folder, 'states.json')
    write(file, { version: 3, states: { '*': 'shadow' } })
    const store = { ...fileStore({ file }), watch: () => () => {} }
    const { switching, state } = start(store)
    // Of the same version, as people count none.
    write(file, { version: 3, states: { '*': 'legacy' } })
    await expect(switching.set('*', 'native', bob)).rejects.toMatchObject({
      message: 'set: store file has set * to legacy: look at it, then set * again',
    })
    expect(state()).toBe('legacy')
    write(file, { version: 3, states: { '*': 'legacy', 'GET /other': 'shadow' } })
    expect(await switching.set('GET /items/:id', 'native', bob)).toEqual({ isStored: true })
    // Each edit is a change, too.
    expect(read(file)).toMatchObject({
      version: 6,
      states: { '*': 'legacy', 'GET /other': 'shadow', 'GET /items/:id': 'native' },
    })
    // Of the same size and date, so that nothing but its content is another one.
    const date = new Date(1_800_000_000_000)
    utimesSync(file, date, date)
    clock.advance(1000)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"*": "legacy"', '"*": "native"'))
    utimesSync(file, date, date)
    await expect(switching.set('*', 'shadow', bob)).rejects.toMatchObject({ code: 'ERR_STATE_CHANGED' })
    expect(state()).toBe('native')
    // Written anew without one, it goes on from what is known.
    write(file, { states: { '*': 'shadow' } })
    await clock.until(() => state() === 'shadow')
    expect(switching.status().store.version).toBe(8)
    await switching.set('*', 'native', bob)
    expect(read(file)).toMatchObject({ version: 9 })
  })
})
