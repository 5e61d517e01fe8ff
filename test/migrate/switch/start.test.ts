import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  promises as files,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  environmentStore,
  fileStore,
  memoryStore,
  type Migration,
  type MigrationOptions,
  type MigrationStore,
  redisStore,
} from '@routecontrollers/switch'
import { Snapshot } from '../../../packages/switch/src/stores/snapshot.js'
import { FakeRedis } from './fake-redis.js'
import { silent, TestClock, until } from './shop.js'
import { startMigration, statesOf } from './two-processes.js'

const ada = { by: 'Ada', reason: 'done' }
const bob = { by: 'Bob', reason: 'go on' }
const open: Migration[] = []
let folder: string
let snapshot: string
let clock: TestClock
let redis: FakeRedis

beforeEach(() => {
  clock = new TestClock()
  folder = mkdtempSync(join(tmpdir(), 'start-'))
  snapshot = join(folder, 'snapshot.json')
  redis = new FakeRedis()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  rmSync(folder, { recursive: true })
})

type Options = Pick<MigrationOptions, 'snapshot' | 'startTimeoutMs' | 'initial'>

function start(options: Options = {}, store: MigrationStore = redisStore({ client: redis.client() })) {
  const changes: string[] = []
  const outcomes: unknown[] = []
  const { switching, logged } = startMigration(['/a', '/b'], clock, { store, ...options })
  switching.on('change', ({ route, to, by }) => void changes.push(`${by}: ${route} ${to}`))
  switching.ready.then(
    ({ from }) => outcomes.push(from),
    (error: unknown) => outcomes.push(error),
  )
  open.push(switching)
  const states = (): string => statesOf(switching)
  return { switching, logged, changes, outcomes, states }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Has a process read what is there, and keep it. */
async function keep(): Promise<void> {
  const { switching } = start({ snapshot })
  await switching.set('*', 'native', ada)
  await switching.set('GET /b', 'canary 5%', ada)
  await until(() => readSnapshot().includes('canary 5%'))
  await switching.close()
}

function readSnapshot(): string {
  return readdirSync(folder).includes('snapshot.json') ? readFileSync(snapshot, 'utf8') : ''
}

describe('ready', () => {
  it('tells that the store was read', async () => {
    const one = start()
    expect(one.switching.status().store.from).toBe('nothing')
    await expect(one.switching.ready).resolves.toEqual({ from: 'store' })
    expect(one.switching.status().store.from).toBe('store')
    // At once, where the store answers at once.
    const other = start({}, memoryStore())
    expect(other.switching.status().store.from).toBe('store')
    await expect(other.switching.ready).resolves.toEqual({ from: 'store' })
  })

  it.each([
    [undefined, 10_000],
    [2000, 2000],
  ])('rejects after startTimeoutMs where the store is away: %s', async (startTimeoutMs, ms) => {
    redis.isAway = true
    const { switching, outcomes, states } = start({
      initial: 'native',
      ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    })
    await turns()
    clock.advance(ms - 1)
    await turns()
    expect(outcomes).toEqual([])
    clock.advance(1)
    await turns()
    expect(outcomes).toEqual([
      expect.objectContaining({
        code: 'ERR_STORE_AWAY',
        message: `migration: the store redis was not read within ${ms} ms (Error: Socket closed unexpectedly): with the option snapshot a process begins with what was read before`,
      }),
    ])
    expect([switching.status().store.from, states()]).toEqual(['nothing', 'legacy legacy'])
    redis.isAway = false
    await clock.until(() => switching.status().store.from === 'store')
    expect(states()).toBe('native native')
  })

  it('rejects when it is closed before, and leaves no timer', async () => {
    redis.isSilent = true
    const { switching, outcomes } = start()
    await switching.close()
    await turns()
    expect(outcomes).toEqual([expect.objectContaining({ code: 'ERR_STORE_AWAY' })])
    clock.advance(5000)
    expect(clock.waiting).toBe(0)
  })

  it.each([{ startTimeoutMs: -1 }, { startTimeoutMs: '5 s' }, { snapshot: 7 }, { snapshot: '' }])(
    'takes no other options: %j',
    (options) => {
      expect(() => start(options as Options)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
    },
  )
})

describe('A snapshot', () => {
  it('is written where it is another one than before, and then alone', async () => {
    const file = join(folder, 'own.json')
    const kept = new Snapshot(file, silent)
    const keepStates = async (states: Record<string, string>): Promise<number> => {
      kept.keep({ version: 1, states })
      await kept.written()
      return statSync(file).ino
    }
    const first = await keepStates({ 'GET /a': 'native' })
    expect(await keepStates({ 'GET /a': 'native' })).toBe(first)
    expect(await keepStates({ 'GET /a': 'legacy' })).not.toBe(first)
    rmSync(file)
  })

  it('holds what it was given last, also where that is what it is just being written', async () => {
    const file = join(folder, 'own.json')
    const kept = new Snapshot(file, silent)
    for (const state of ['native', 'legacy', 'native']) kept.keep({ version: 1, states: { 'GET /a': state } })
    await kept.written()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ states: { 'GET /a': 'native' } })
    rmSync(file)
  })

  it('holds what was read, and what a process begins with while the store is away', async () => {
    await keep()
    expect(JSON.parse(readSnapshot())).toMatchObject({
      version: 2,
      states: { '*': 'native', 'GET /b': 'canary 5%' },
      history: [{ to: 'native' }, { to: 'canary 5%' }],
    })
    expect(readdirSync(folder)).toEqual(['snapshot.json'])
    redis.isAway = true
    const { switching, outcomes, states, changes } = start({ snapshot })
    // Before the first request.
    expect(states()).toBe('native canary 5%')
    await turns()
    expect([outcomes, switching.status().store.from]).toEqual([[], 'snapshot'])
    clock.advance(10_000)
    await turns()
    expect(outcomes).toEqual(['snapshot'])
    expect(switching.status()).toMatchObject({
      store: { isAway: true, from: 'snapshot', version: 2 },
      history: [{ to: 'native' }, { to: 'canary 5%' }],
    })
    redis.isAway = false
    redis.hSet('{routecontrollers:migration}:states', 'GET /b', 'shadow')
    await clock.until(() => states() === 'native shadow')
    expect([switching.status().store.from, changes, switching.status().history.length]).toEqual([
      'store',
      [],
      2,
    ])
    await until(() => readSnapshot().includes('shadow'))
  })

  it('is what an emptied store gets back after all processes have ended', async () => {
    await keep()
    redis.flush()
    const { switching, states, outcomes } = start({ snapshot, initial: 'shadow' })
    await clock.until(() => switching.status().store.from === 'store')
    expect([states(), outcomes]).toEqual(['native canary 5%', ['store']])
    expect(redis.hash('{routecontrollers:migration}:states')).toEqual({
      '*': 'native',
      'GET /b': 'canary 5%',
    })
  })

  it('is what a file gets back that is not there at the start, and nothing for a variable that was cleared', async () => {
    await keep()
    const file = join(folder, 'states.json')
    const { switching, states, outcomes } = start({ snapshot, initial: 'shadow' }, fileStore({ file }))
    expect(states()).toBe('native canary 5%')
    await until(() => switching.status().store.from === 'store')
    expect([states(), outcomes]).toEqual(['native canary 5%', ['store']])
    expect(JSON.parse(readFileSync(file, 'utf8')).states).toEqual({ '*': 'native', 'GET /b': 'canary 5%' })
    expect(start({ snapshot }, environmentStore({ variable: 'NO_SUCH_STATES' })).states()).toBe(
      'legacy legacy',
    )
  })

  it('is no newer than another store, however it counts', async () => {
    await keep()
    const { states } = start({ snapshot }, memoryStore({ '*': 'shadow' }))
    expect(states()).toBe('shadow shadow')
    const other = new FakeRedis()
    const store = redisStore({ client: other.client() })
    const entry = { id: 'a', at: '2030-01-01T00:00:00Z', route: '*', from: undefined, ...ada }
    await store.write!({ route: '*', state: 'shadow', takeBack: [], entry: { ...entry, to: 'shadow' } })
    const next = start({ snapshot }, store)
    await next.switching.ready
    expect(next.states()).toBe('shadow shadow')
  })

  it.each([
    ['of another user, which drops it', 'legacy'],
    ['of nobody else', 'shadow'],
  ])('is what a change has seen that waits for the store, with the word %s', async (_whose, expected) => {
    await keep()
    redis.isAway = true
    const { switching, states } = start({ snapshot })
    expect(await switching.set('GET /a', 'shadow', bob)).toEqual({ isStored: false })
    redis.isAway = false
    if (expected === 'legacy') {
      const other = start()
      await other.switching.set('GET /a', 'legacy', ada)
    }
    await clock.until(() => switching.status().store.pending === 0)
    expect(states()).toBe(`${expected} canary 5%`)
  })

  it.each<[string, () => void, number]>([
    ['is not there', () => {}, 0],
    ['is none', () => writeFileSync(snapshot, '{ "states": '), 1],
    ['holds no states', () => writeFileSync(snapshot, '[]'), 1],
    ['is a folder', () => mkdirSync(snapshot), 1],
  ])('is nothing to begin with where it %s', async (_what, make, lines) => {
    make()
    redis.isAway = true
    const { switching, logged, outcomes } = start({ snapshot })
    clock.advance(10_000)
    await turns()
    expect(logged.filter((line) => line.includes('cannot be read'))).toHaveLength(lines)
    expect(outcomes).toEqual([expect.objectContaining({ code: 'ERR_STORE_AWAY' })])
    expect(switching.status().store.from).toBe('nothing')
  })

  it('is what a change at the start has seen, and not what is read then', async () => {
    await keep()
    const other = start()
    await other.switching.set('GET /a', 'legacy', ada)
    const { switching, states } = start({ snapshot })
    await expect(switching.set('GET /a', 'shadow', bob)).rejects.toMatchObject({ code: 'ERR_STATE_CHANGED' })
    expect(states()).toBe('legacy canary 5%')
  })

  it('is written before close() is done', async () => {
    const { rename } = files
    const slowly = jest.spyOn(files, 'rename').mockImplementation(async (from, to) => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve))
      await rename(from, to)
    })
    const { switching } = start({ snapshot })
    await switching.ready
    void switching.set('*', 'native', ada)
    await until(() => switching.status().store.version === 1)
    await switching.close()
    slowly.mockRestore()
    expect(JSON.parse(readSnapshot())).toMatchObject({ version: 1, states: { '*': 'native' } })
    expect(readdirSync(folder)).toEqual(['snapshot.json'])
  })

  it('that cannot be written is one line, and nothing else', async () => {
    const file = join(folder, 'none', 'snapshot.json')
    const { switching, logged, states } = start({ snapshot: file })
    const lines = (): number => logged.filter((line) => line.includes('is not written: ')).length
    await switching.set('*', 'native', ada)
    await until(() => lines() === 1)
    await switching.set('*', 'shadow', ada)
    expect(states()).toBe('shadow shadow')
    for (let time = 0; time < 10; time++) {
      clock.advance(1000)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    // It is tried again and again.
    mkdirSync(join(folder, 'none'))
    await clock.until(() => existsSync(file))
    expect(lines()).toBe(1)
  })
})

it('a snapshot keeps all that was read: states, their version, their history, and what is accepted', async () => {
  const entry = {
    id: '1',
    at: '2030-01-01T00:00:00.000Z',
    route: 'GET /a',
    from: 'legacy',
    to: 'shadow',
    ...ada,
  } as const
  const accepted = [{ route: 'GET /a', place: 'body $.a', at: entry.at, ...ada }]
  const read = { version: 7, states: { 'GET /a': 'shadow' }, history: [entry], accepted }
  const kept = new Snapshot(snapshot, silent)
  kept.keep(read)
  await kept.written()
  expect(new Snapshot(snapshot, silent).read()).toEqual(read)
})
