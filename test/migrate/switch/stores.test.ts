import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import promises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk'
import {
  environmentStore,
  fileStore,
  memoryStore,
  type Migration,
  type MigrationStore,
  openFeatureStore,
  redisStore,
  type RouteState,
  type StoredStates,
} from '@routecontrollers/switch'
import { noteInFile } from '../../../packages/switch/src/stores/audit-file.js'
import { createRandom, pick } from '../../hard/random.js'
import { itSlow, times } from '../../support/counts.js'
import { FakeRedis } from './fake-redis.js'
import { TestClock, until } from './shop.js'
import { kinds, startMigration } from './two-processes.js'

const why = { reason: 'a test', by: 'test' }
const open: Migration[] = []
let folder: string
let clock: TestClock

beforeEach(() => {
  clock = new TestClock()
  folder = mkdtempSync(join(tmpdir(), 'switch-'))
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  // A write that its store has not waited for may still be under way.
  await promises.rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function start(store: MigrationStore): { switching: Migration; logged: string[]; state: () => string } {
  const { switching, logged } = startMigration(['/items/:id', '/other'], clock, { store })
  open.push(switching)
  return { switching, logged, state: () => switching.status().routes[0]!.state }
}

describe.each(kinds)('$name', (kind) => {
  const pair = () => kind.pair(folder)
  it('tells others, with who and why', async () => {
    const [one, two] = pair()
    const here = start(one)
    const there = start(two)
    await there.switching.ready
    const changes: unknown[] = []
    there.switching.on('change', ({ route, to, by, reason }) => changes.push([route, to, by, reason]))
    expect(await here.switching.set('GET /items/:id', 'canary 5%', why)).toEqual({ isStored: true })
    await clock.until(() => there.state() === 'canary 5%')
    expect(changes).toEqual([['GET /items/:id', 'canary 5%', 'test', 'a test']])
    expect(there.switching.status().history).toHaveLength(1)
  })

  it('keeps all of many changes that several make at once, each for routes of its own', async () => {
    const [one, two] = pair()
    const both = [start(one), start(two)]
    const all = Array.from({ length: 20 }, (_, at) =>
      both[at % 2]!.switching.set(at % 2 === 0 ? 'GET /items/:id' : 'GET /other', `canary ${at}%`, why),
    )
    expect(await Promise.all(all)).toEqual(Array(20).fill({ isStored: true }))
    await clock.until(() => both.every(({ switching }) => switching.status().history.length === 20))
    for (const { switching } of both)
      expect(switching.status().settings).toEqual({
        'GET /items/:id': 'canary 18%',
        'GET /other': 'canary 19%',
      })
  })

  it('has what was stored of many changes that several make at once for the same route, and no more', async () => {
    const [one, two] = pair()
    const both = [start(one), start(two)]
    await Promise.all(both.map(({ switching }) => switching.ready))
    const all = Array.from({ length: 20 }, (_, at) =>
      both[at % 2]!.switching.set('GET /items/:id', `canary ${at}%`, why),
    )
    const outcomes = await Promise.allSettled(all)
    const stored = outcomes.filter(({ status }) => status === 'fulfilled').length
    expect(stored).toBeGreaterThan(0)
    for (const one of outcomes)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'ERR_STATE_CHANGED' })
    await clock.until(() => both.every(({ switching }) => switching.status().history.length === stored))
    expect(both[0]!.state()).toBe(both[1]!.state())
  })

  it('keeps the newest of a long history', async () => {
    const [one, two] = pair()
    for (let at = 0; at < 205; at++) {
      const entry = {
        id: String(at),
        at: new Date(at).toISOString(),
        route: '*',
        from: undefined,
        to: 'native',
        by: 'a',
        reason: 'b',
      } as const
      await one.write!({ route: '*', state: 'native', takeBack: [], entry })
    }
    const { history = [] } = await two.read([])
    expect([history.length, history[0]!.id, history.at(-1)!.id]).toEqual([200, '5', '204'])
  })

  it('takes back what was set for the parts of a group', async () => {
    const [one, two] = pair()
    const here = start(one)
    const there = start(two)
    await here.switching.set('GET /items/:id', 'native', why)
    await here.switching.set('*', 'shadow', why)
    await clock.until(() => there.state() === 'shadow')
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
    await clock.until(() => switching.status().store.isAway)
    expect(state()).toBe('native')
    await new Promise((resolve) => setTimeout(resolve, 50))
    writeFileSync(file, '[1]')
    await clock.until(() => switching.status().store.problem?.includes('an array') === true)
    expect(await switching.set('GET /other', 'shadow', why)).toEqual({ isStored: false })
    expect([switching.status().routes[1]!.state, switching.status().store.pending]).toEqual(['shadow', 1])
    writeFileSync(
      file,
      '{ "states": { "/items": "shadow", "GET /gone": "native", "GET /other": "strange" } }',
    )
    await clock.until(() => state() === 'shadow')
    await clock.until(() => switching.status().store.pending === 0)
    expect(switching.status().store).toMatchObject({ isAway: false, ignored: ['GET /other', 'GET /gone'] })
    // The person has had the last word for it.
    expect(JSON.parse(readFileSync(file, 'utf8')).states).toMatchObject({ 'GET /other': 'strange' })
    expect(logged.filter((line) => line.includes('is dropped: GET /other to shadow'))).toHaveLength(1)
    expect(logged.filter((line) => line.includes('is away'))).toHaveLength(1)
    expect(switching.status().history.some(({ by }) => by === 'store file')).toBe(true)
    expect(readdirSync(folder)).toEqual(['states.json'])
  })
})

it('fileStore counts what a person writes into it by hand as a change that others must have seen', async () => {
  const file = join(folder, 'states.json')
  const { switching } = start(fileStore({ file }))
  await switching.set('GET /other', 'canary 5%', why)
  const versionOf = (): number => switching.status().store.version!
  const stateOf = (): string => switching.status().routes[1]!.state
  for (const [at, change] of [{}, { version: undefined }].entries()) {
    const seen = versionOf()
    const content = JSON.parse(readFileSync(file, 'utf8')) as object
    const states = { 'GET /other': `canary ${10 + at}%` }
    writeFileSync(file, JSON.stringify({ ...content, ...change, states }))
    await clock.until(() => stateOf() === states['GET /other'])
    expect(switching.status().history.at(-1)).toMatchObject({ by: 'store file', version: seen + 1 })
    const blind = switching.set('GET /other', 'native', { ...why, seen })
    await expect(blind).rejects.toMatchObject({ code: 'ERR_STATE_CHANGED' })
    await switching.set('GET /other', 'canary 5%', { ...why, seen: versionOf() })
    expect([versionOf(), stateOf()]).toEqual([seen + 2, 'canary 5%'])
  }
  // No state is another one.
  await switching.acceptDifference('GET /other', 'body $.x', why)
  const before = versionOf()
  clock.advance(1000)
  await until(() => readFileSync(file, 'utf8').includes('body $.x'))
  expect(versionOf()).toBe(before)
})

describe('Content of another form', () => {
  const states = { 'GET /other': 'legacy', '*': 'native' }
  const contents: readonly [string, unknown][] = [
    ['a mistyped "states"', { state: states }],
    ['"States"', { States: states }],
    ['states without "states"', states],
    ['no states at all', {}],
    ['a history alone', { history: [] }],
    ['states in "__proto__"', JSON.parse('{ "__proto__": { "states": {} } }')],
    ['a list of states', { states: [states] }],
    ['a list', [states]],
    ['an empty list', []],
    ['null', null],
    ['states that are null', { states: null }],
    ['states that are a text', { states: 'native' }],
    ['states twice', { states: { states } }],
  ]

  it.each(contents)('takes no states away from a file: %s', async (_name, content) => {
    const file = join(folder, 'states.json')
    writeFileSync(file, JSON.stringify({ states }))
    const { switching, logged } = start(fileStore({ file }))
    const shown = (): string[] => switching.status().routes.map(({ state }) => state)
    expect(shown()).toEqual(['native', 'legacy'])
    writeFileSync(file, JSON.stringify(content))
    await clock.until(() => switching.status().store.isAway)
    clock.advance(2000)
    expect(shown()).toEqual(['native', 'legacy'])
    expect(logged.filter((line) => line.includes('the last known states count'))).toHaveLength(1)
    // What somebody has to mend is not written over.
    expect(await switching.set('*', 'shadow', why)).toEqual({ isStored: false })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(content)
    writeFileSync(file, JSON.stringify({ states }))
    await clock.until(() => switching.status().store.pending === 0)
    expect(switching.status().store.isAway).toBe(false)
  })

  it.each([...contents, ['a Map', { states: new Map(Object.entries(states)) }], ['nothing', undefined]])(
    'takes no states away from a store of the user: %s',
    async (_name, content) => {
      let held: unknown = { states }
      const { switching, logged } = start({ name: 'own', read: () => held as never })
      held = content
      await clock.until(() => switching.status().store.isAway)
      expect(switching.status().routes.map(({ state }) => state)).toEqual(['native', 'legacy'])
      expect(logged.filter((line) => line.includes('is away'))).toHaveLength(1)
    },
  )

  it.each([[states], [[states]], ['*: native'], [null]])(
    'takes no states away from a flag: %j in "states", or alone',
    async (content) => {
      const flagOf = (value: unknown): never =>
        ({ 'route-migration': { variants: { on: value }, defaultVariant: 'on', disabled: false } }) as never
      const flags = new InMemoryProvider(flagOf(states))
      await OpenFeature.setProviderAndWait(flags)
      const { switching } = start(openFeatureStore({ client: OpenFeature.getClient() }))
      await switching.ready
      flags.putConfiguration(flagOf(content === states ? { states } : content))
      await clock.until(() => switching.status().store.isAway)
      expect(switching.status().routes.map(({ state }) => state)).toEqual(['native', 'legacy'])
      await OpenFeature.close()
    },
  )

  it.each([[{}], ['none'], [null], [[1]]])('of a history does not matter: %j', async (history) => {
    const file = join(folder, 'states.json')
    writeFileSync(file, JSON.stringify({ history, states, of: 'the shop' }))
    const { switching, logged } = start(fileStore({ file }))
    expect(switching.status().routes.map(({ state }) => state)).toEqual(['native', 'legacy'])
    expect(logged).toEqual([])
    expect(await switching.set('*', 'shadow', why)).toEqual({ isStored: true })
  })

  it('is not a BOM before the JSON of a file', () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, `\uFEFF${JSON.stringify({ states })}`)
    const { switching } = start(fileStore({ file }))
    expect(switching.status().routes.map(({ state }) => state)).toEqual(['native', 'legacy'])
    expect(switching.status().store.isAway).toBe(false)
  })
})

describe('A store of the user', () => {
  it('counts with its states, whatever its history holds', () => {
    const entry = {
      id: 'b',
      at: '2030-01-01T00:00:00Z',
      route: 'GET /x',
      by: 'Ada',
      reason: 'why',
      to: 'Legacy',
    }
    const history = [null, 7, { id: 'a' }, { ...entry, to: 'legacy', at: 'never' }, entry] as never
    const { switching, state } = start({ name: 'own', read: () => ({ states: { '*': 'shadow' }, history }) })
    expect([state(), switching.status().store.isAway, switching.status().history]).toEqual([
      'shadow',
      false,
      [],
    ])
  })
})

describe('A migration and its store', () => {
  it('keeps the newest of a long history', async () => {
    const { switching } = start(memoryStore())
    for (let at = 0; at < 205; at++) await switching.set('*', `canary ${at % 100}%`, { reason: String(at) })
    const { history } = switching.status()
    expect([history.length, history[0]!.reason, history.at(-1)!.reason]).toEqual([200, '5', '204'])
  })

  it('calls a store away that has not answered for three seconds, and no other', async () => {
    const memory = memoryStore()
    let answer = (): void => {}
    let isSlow = false
    const { switching, logged } = start({
      ...memory,
      read: async (routes) => {
        if (isSlow) await new Promise<void>((resolve) => (answer = resolve))
        return memory.read(routes)
      },
    })
    await switching.ready
    for (let seconds = 0; seconds < 10; seconds++) {
      clock.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([switching.status().store.isAway, logged]).toEqual([false, []])
    isSlow = true
    clock.advance(1000)
    clock.advance(2900)
    expect(switching.status().store.isAway).toBe(false)
    clock.advance(200)
    expect(switching.status().store.isAway).toBe(true)
    isSlow = false
    answer()
    await clock.until(() => !switching.status().store.isAway)
    expect(logged.map((line) => /is (away|back)/.exec(line)![1])).toEqual(['away', 'back'])
  })

  it('takes back in the process, too, what was set there for the parts of a group', async () => {
    let states = {}
    const { switching, state } = start({ name: 'flags', read: () => ({ states }) })
    await switching.set('GET /items/:id', 'native', why)
    await switching.set('*', 'shadow', why)
    expect([state(), switching.status().settings]).toEqual(['shadow', { '*': 'shadow' }])
    // The store overrides what was set here for all, and brings nothing back that this had replaced.
    states = { '*': 'legacy' }
    clock.advance(1000)
    expect([state(), switching.status().settings]).toEqual(['legacy', states])
  })

  it('leaves what was set in the process for all routes where the store says something else of one since', async () => {
    let states: Record<string, RouteState> = { 'GET /items/:id': 'native', 'GET /other': 'native' }
    const { switching } = start({ name: 'flags', read: () => ({ states }) })
    await switching.set('*', 'legacy', why)
    const both = () => switching.status().routes.map(({ state }) => state)
    clock.advance(1000)
    expect(both()).toEqual(['legacy', 'legacy'])
    // The first one again, at last: it is said anew.
    for (const said of ['canary 5%', 'native'] as const) {
      states = { ...states, 'GET /items/:id': said }
      clock.advance(1000)
      expect(both()).toEqual([said, 'legacy'])
    }
    await switching.set('*', 'legacy', { ...why, override: true })
    states = { ...states, 'GET /other': 'shadow' }
    clock.advance(1000)
    expect(both()).toEqual(['legacy', 'legacy'])
  })

  it('is told which narrower keys are taken back, and never the key that is set', async () => {
    const states = { '*': 'shadow', '/items': 'shadow', 'GET /items/:id': 'native' }
    const written: unknown[] = []
    const { switching } = start({
      name: 'own',
      read: () => ({ states }),
      write: ({ route, takeBack }) => void written.push([route, takeBack]),
    })
    await switching.ready
    await switching.set('/items', 'legacy', why)
    await switching.set('*', 'legacy', why)
    expect(written).toEqual([
      ['/items', ['GET /items/:id']],
      ['*', ['/items', 'GET /items/:id']],
    ])
  })
})

describe('A store that is away for long', () => {
  /** A store that can be read, and takes changes once it has come back. */
  function storeAway() {
    const memory = memoryStore()
    let isAway = true
    const store: MigrationStore = {
      ...memory,
      write: (change) => {
        if (isAway) throw new Error('away')
        return memory.write!(change)
      },
    }
    return { memory, store, comeBack: () => void (isAway = false) }
  }

  it('gets what counts in the end, and takes no memory for what was overridden meanwhile', async () => {
    const { memory, store, comeBack } = storeAway()
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
    comeBack()
    await clock.until(() => switching.status().store.pending === 0)
    expect(states(switching)).toEqual(states(other.switching))
    expect(states(start(memory).switching)).toEqual(states(other.switching))
  })

  it('takes a change of long ago for its own, and not for one of another user', async () => {
    const { store, comeBack } = storeAway()
    const { switching } = start(store)
    void switching.set('GET /items/:id', 'native', why)
    void switching.set('*', 'shadow', why)
    // More than a process keeps in mind of what it has seen.
    await Promise.all(Array.from({ length: 2_100 }, () => switching.set('GET /other', 'legacy', why)))
    comeBack()
    await clock.until(() => switching.status().store.pending === 0)
    expect(switching.status().settings).toEqual({ '*': 'shadow', 'GET /other': 'legacy' })
  })

  it('knows the change that it took without an answer, however many came after it', async () => {
    const memory = memoryStore()
    let isAway = false
    let hasTaken = false
    const store: MigrationStore = {
      ...memory,
      read(routes) {
        if (isAway) throw new Error('away')
        return memory.read(routes)
      },
      write(change) {
        if (isAway) throw new Error('away')
        const answer = memory.write!(change)
        if (hasTaken) return answer
        hasTaken = isAway = true
        throw new Error('away')
      },
    }
    const { switching } = start(store)
    const dropped: unknown[] = []
    switching.on('dropped', (event) => dropped.push(event))
    for (let at = 0; at < 250; at++)
      await switching.set('GET /other', at % 2 === 0 ? 'shadow' : 'native', why)
    isAway = false
    await clock.until(() => switching.status().store.pending === 0)
    expect([memory.read([]), dropped]).toMatchObject([{ states: { 'GET /other': 'native' } }, []])
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
      await clock.until(() => switching.status().store.problem?.includes(problem) === true, problem)
      expect(await switching.set('GET /other', 'native', why)).toEqual({ isStored: false })
      expect([state(), switching.status().store.isAway]).toEqual(['shadow', true])
    }
    await becomes(() => mkdirSync(file), 'is no file')
    await becomes(() => void spawnSync('mkfifo', [file]), 'is no file')
    await becomes(() => writeFileSync(file, `"${'x'.repeat(5_000_000)}"`), 'more than')
    await becomes(() => symlinkSync(file, file), 'ELOOP')
    const remedy = 'mend it, or delete it, and a process that still knows the states writes them anew'
    for (const text of [
      '',
      '{ "states": { "*": "nat',
      '\xff\xfe{',
      '<<<<<<< HEAD',
      '[]',
      '{ "state": {} }',
    ]) {
      await becomes(() => writeFileSync(file, text, 'latin1'), `${file} cannot be read (`)
      expect(switching.status().store.problem).toMatch(new RegExp(`\\): ${remedy}$`))
    }
    rmSync(file)
    writeFileSync(file, '{ "states": {} }')
    await clock.until(() => !switching.status().store.isAway)
    await clock.until(() => switching.status().store.pending === 0)
    // Who has emptied it has had the last word for all.
    expect(switching.status().routes.map((one) => one.state)).toEqual(['legacy', 'legacy'])
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
    await clock.until(() => state() === 'native')
    // Also where the variable has its key no more.
    await switching.set('GET /items/:id', 'legacy', why)
    process.env['SWITCH_TEST'] = '* shadow'
    await clock.until(() => state() === 'shadow')
    delete process.env['SWITCH_TEST']
    await clock.until(() => switching.status().store.isAway)
    expect(state()).toBe('shadow')
  })
})

it.each<[string, object]>([
  ['/api shadow; GET /a native', { '/api': 'shadow', 'GET /a': 'native' }],
  ['/api shadow\nGET /a: native\r\n\n', { '/api': 'shadow', 'GET /a:': 'native' }],
  ['*=canary 5%;; /a = legacy ;', { '*': 'canary 5%', '/a': 'legacy' }],
  ['GET  /a native', { 'GET  /a': 'native' }],
  ['/a', { '/a': '' }],
  ['/a gone away', { '/a': 'gone away' }],
  ['/a going native', { '/a going': 'native' }],
  ['tea cup', { tea: 'cup' }],
  ['tea', { tea: '' }],
])('The variable of an environmentStore has states: %j', (text, states) => {
  process.env['SWITCH_TEST'] = text
  expect(environmentStore({ variable: 'SWITCH_TEST' }).read([])).toEqual({ states })
  delete process.env['SWITCH_TEST']
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
    await clock.until(() => other.switching.status().routes[1]!.state === 'native')
    await clock.until(() => !switching.status().store.isAway)
    expect(logged.filter((line) => line.includes('is away'))).toHaveLength(1)
  })

  it('says what Redis has refused, where it is one of several commands', async () => {
    const redis = new FakeRedis()
    const { switching, logged } = start(redisStore({ client: redis.client() }))
    await switching.ready
    redis.refusal = 'WRONGTYPE Operation against a key holding the wrong kind of value'
    await clock.until(() => switching.status().store.isAway)
    expect(switching.status().store.problem).toContain(redis.refusal)
    expect(logged.join()).toContain(redis.refusal)
  })

  it('looks at once where its connection is there again: a message may have been lost', async () => {
    const redis = new FakeRedis()
    // The time stands still, so nobody looks.
    const { switching, state } = start(redisStore({ client: redis.client() }))
    await switching.ready
    await until(() => redis.subscribers === 1)
    redis.hSet('{routecontrollers:migration}:states', 'GET /items/:id', 'shadow')
    redis.reconnect()
    await until(() => state() === 'shadow')
  })

  it('tells others by a message, before they look themselves', async () => {
    const redis = new FakeRedis()
    const here = start(redisStore({ client: redis.client() }))
    // The time stands still, so nobody looks.
    const there = start(redisStore({ client: redis.client() }))
    await there.switching.ready
    await until(() => redis.subscribers === 2)
    await here.switching.set('GET /items/:id', 'shadow', why)
    await until(() => there.state() === 'shadow')
  })

  it('leaves no connection when it is closed, even before there is one', async () => {
    const redis = new FakeRedis()
    const one = start(redisStore({ client: redis.client() }))
    await clock.until(() => redis.subscribers === 1)
    await one.switching.close()
    expect(redis.subscribers).toBe(0)
    const two = start(redisStore({ client: redis.client() }))
    await two.switching.close()
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(redis.subscribers).toBe(0)
  })

  itSlow('keeps no longer history in Redis than it reads', async () => {
    const redis = new FakeRedis()
    const { switching } = start(redisStore({ client: redis.client() }))
    for (let at = 0; at < 205; at++) await switching.set('*', `canary ${at % 100}%`, why)
    expect(redis.list('{routecontrollers:migration}:history')).toHaveLength(200)
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
    await clock.until(() => told.length > 0)
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
    const transaction: object = {
      hGetAll: () => transaction,
      lRange: () => transaction,
      get: () => transaction,
      exec: async () => [states, history, '1'],
    }
    Object.assign(client, { multi: () => transaction })
    // What it answers may be the word of somebody else.
    await Promise.allSettled([switching.set('GET /other', 'shadow', why)])
    expect(['shadow', 'legacy']).toContain(state())
    expect(switching.status().history.every(({ id }) => typeof id === 'string')).toBe(true)
  })

  it('says what Redis says, and sends a script whole only where Redis does not know it', async () => {
    const redis = new FakeRedis()
    const client = redis.client()
    const failing = { ...client, evalSha: () => Promise.reject(new Error('OOM command not allowed')) }
    const entry = {
      id: '1',
      at: '2030-01-01T00:00:00Z',
      route: '*',
      from: undefined,
      to: 'native',
      ...why,
    } as const
    const change = { route: '*', state: 'native', takeBack: [], entry } as const
    await expect(redisStore({ client: failing }).write!(change)).rejects.toThrow('OOM command')
    expect(redis.asked).toEqual([])
    for (const id of ['1', '2']) await redisStore({ client }).write!({ ...change, entry: { ...entry, id } })
    expect(redis.asked).toEqual(['evalSha', 'eval', 'evalSha'])
  })

  it('goes on where the connection for its messages has an error', () => {
    const subscriber = Object.assign(new EventEmitter(), {
      connect: () => new Promise<void>(() => {}),
      subscribe: () => Promise.resolve(),
      destroy() {},
    })
    const client = { ...new FakeRedis().client(), duplicate: () => subscriber }
    let looks = 0
    const stop = redisStore({ client }).watch!(() => void looks++)
    expect(() => subscriber.emit('error', new Error('gone'))).not.toThrow()
    subscriber.emit('ready')
    expect(looks).toBe(1)
    stop()
  })

  it('is no reason to wait when a client never answers', async () => {
    const redis = new FakeRedis()
    redis.isSilent = true
    const { switching, state } = start(redisStore({ client: redis.client() }))
    void switching.set('GET /items/:id', 'native', why)
    await clock.until(() => switching.status().store.isAway)
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
    await clock.until(() => state() === 'native')
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

  it('leaves no handler with the client when it is closed', async () => {
    const handlers: unknown[] = []
    const { switching } = start(
      openFeatureStore({
        client: {
          getObjectDetails: async () => ({ value: {} }),
          getStringDetails: async () => ({ value: '' }),
          addHandler: (event, handler) => void handlers.push(event, handler),
          removeHandler: (event, handler) => {
            for (const one of [event, handler]) handlers.splice(handlers.indexOf(one), 1)
          },
        },
      }),
    )
    await switching.ready
    expect(handlers).toHaveLength(4)
    await switching.close()
    expect(handlers).toEqual([])
  })

  it.each([
    [{ errorCode: 'GENERAL', errorMessage: 'no connection' }, 'no connection'],
    [{ errorCode: 'GENERAL', errorMessage: '' }, 'GENERAL'],
    [{ errorCode: 'PARSE_ERROR' }, 'PARSE_ERROR'],
  ])('says what a provider has failed with: %j', async (answer, problem) => {
    const details = async () => ({ value: {} as never, ...answer })
    const client = {
      getObjectDetails: details,
      getStringDetails: details,
      addHandler() {},
      removeHandler() {},
    }
    await expect(openFeatureStore({ client }).read([])).rejects.toThrow(new Error(problem))
  })

  it('holds on when the provider fails', async () => {
    const flags = provider({ 'route-migration': { '/items': 'native' } })
    await OpenFeature.setProviderAndWait(flags)
    const { switching, state } = start(openFeatureStore({ client: OpenFeature.getClient() }))
    await switching.ready
    flags.resolveObjectEvaluation = async () => {
      throw new Error('no connection')
    }
    await clock.until(() => switching.status().store.isAway)
    expect(state()).toBe('native')
  })
})

describe('A file of states', () => {
  const change = (state: 'native' | 'shadow' = 'native') => ({
    route: '*',
    state,
    takeBack: [],
    entry: { id: state, at: '2030-01-01T00:00:00Z', route: '*', from: undefined, to: state, ...why },
  })
  const statesOf = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8')).states

  it('stays behind its links, and is locked for those who know it without them', async () => {
    mkdirSync(join(folder, 'shared'))
    const target = join(folder, 'shared', 'states.json')
    writeFileSync(target, '{ "states": { "*": "legacy" } }')
    // Each relative to where it stands.
    symlinkSync('shared/states.json', join(folder, 'inner.json'))
    symlinkSync('inner.json', join(folder, 'link.json'))
    const file = join(folder, 'link.json')
    writeFileSync(`${target}.lock`, '')
    const writing = fileStore({ file }).write!(change())
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(statesOf(target)).toEqual({ '*': 'legacy' })
    rmSync(`${target}.lock`)
    await writing
    expect(statesOf(target)).toEqual({ '*': 'native' })
    for (const link of ['link.json', 'inner.json'])
      expect(lstatSync(join(folder, link)).isSymbolicLink()).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['inner.json', 'link.json', 'shared'])
    expect(readdirSync(join(folder, 'shared'))).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('has a change once, however often it is written', async () => {
    const store = fileStore({ file: join(folder, 'states.json') })
    for (let time = 0; time < 2; time++) await store.write!(change())
    await store.write!(change('shadow'))
    expect((await store.read([])).history!.map(({ id }) => id)).toEqual(['native', 'shadow'])
  })

  it('has its last two hundred changes, and a version for each', async () => {
    const store = fileStore({ file: join(folder, 'states.json'), auditEntries: 0 })
    for (let at = 0; at < 202; at++) {
      const { entry, ...rest } = change()
      await store.write!({ ...rest, entry: { ...entry, id: `${at}` } })
    }
    const { history, version } = await store.read([])
    expect([history!.length, history![0]!.id, version]).toEqual([200, '2', 202])
  })

  it('can be read by no other user while it is written, whose file no other one may read', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, '{ "states": {} }', { mode: 0o600 })
    const modes: number[] = []
    const giving = jest.spyOn(promises, 'chmod').mockImplementationOnce(async (draft) => {
      modes.push(statSync(draft).mode & 0o777)
    })
    try {
      await fileStore({ file }).write!(change())
    } finally {
      giving.mockRestore()
    }
    expect(modes).toEqual([0o600])
  })

  it('tells at once of a change behind its link', async () => {
    mkdirSync(join(folder, 'shared'))
    const target = join(folder, 'shared', 'states.json')
    writeFileSync(target, '{ "states": {} }')
    symlinkSync(target, join(folder, 'link.json'))
    let told = 0
    const stop = fileStore({ file: join(folder, 'link.json') }).watch!(() => void told++)
    await fileStore({ file: target, auditEntries: 0 }).write!(change())
    await until(() => told > 0)
    stop()
  })

  it('leaves no draft and no lock where it cannot be written', async () => {
    const file = join(folder, 'states.json')
    const failing = jest.spyOn(promises, 'rename').mockRejectedValueOnce(new Error('planted'))
    try {
      await expect(fileStore({ file }).write!(change())).rejects.toThrow('planted')
    } finally {
      failing.mockRestore()
    }
    expect(readdirSync(folder)).toEqual([])
    await fileStore({ file }).write!(change())
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('is followed where it stands in the folder of a link, and where it is yet to be written', async () => {
    mkdirSync(join(folder, 'shared'))
    const target = join(folder, 'shared', 'states.json')
    symlinkSync(target, join(folder, 'link.json'))
    await fileStore({ file: join(folder, 'link.json') }).write!(change('shadow'))
    expect(statesOf(target)).toEqual({ '*': 'shadow' })
    const { state } = start(fileStore({ file: join(folder, 'link.json') }))
    expect(state()).toBe('shadow')
    await fileStore({ file: target }).write!(change())
    await clock.until(() => state() === 'native')
  })

  it('says so where its links go round in circles', async () => {
    symlinkSync(join(folder, 'b.json'), join(folder, 'a.json'))
    symlinkSync(join(folder, 'a.json'), join(folder, 'b.json'))
    await expect(fileStore({ file: join(folder, 'a.json') }).write!(change())).rejects.toThrow('ELOOP')
  })

  it.each([0o600, 0o640, 0o644, 0o664, 0o400])('keeps its mode %o', async (mode) => {
    const file = join(folder, 'states.json')
    writeFileSync(file, '{ "states": {} }')
    chmodSync(file, mode)
    await fileStore({ file }).write!(change())
    expect((statSync(file).mode & 0o777).toString(8)).toBe(mode.toString(8))
  })

  it('keeps its owner where the process may', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, '{ "states": {} }')
    // Another user is for root alone to give; a member of several groups may give one of those.
    const isRoot = process.getuid!() === 0
    const group = isRoot ? 12_345 : process.getgroups!().at(-1)!
    chownSync(file, isRoot ? 54_321 : process.getuid!(), group)
    const { uid } = statSync(file)
    await fileStore({ file }).write!(change())
    const { uid: now, gid } = statSync(file)
    expect([now, gid]).toEqual([uid, group])
  })

  it('keeps its group where the process may not give it to another user', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(file, '{ "states": {} }')
    const { uid, gid } = statSync(file)
    const { stat } = promises
    const looking = jest
      .spyOn(promises, 'stat')
      .mockImplementation((async (path: string) =>
        path === file
          ? Object.assign(await stat(path), { uid: uid + 1, gid: gid + 2 })
          : stat(path)) as never)
    const given: unknown[] = []
    const giving = jest.spyOn(promises, 'chown').mockImplementation(async (_draft, user, group) => {
      given.push([user, group])
      if (user !== uid) throw new Error('planted')
    })
    try {
      await fileStore({ file }).write!(change())
    } finally {
      looking.mockRestore()
      giving.mockRestore()
    }
    expect(given).toEqual([
      [uid + 1, gid + 2],
      [uid, gid + 2],
    ])
  })

  it('that is new has the permissions of any new file', async () => {
    writeFileSync(join(folder, 'other'), '')
    await fileStore({ file: join(folder, 'states.json') }).write!(change())
    expect(statSync(join(folder, 'states.json')).mode).toBe(statSync(join(folder, 'other')).mode)
  })

  it('is written after a lock that is left over, of whatever date', async () => {
    const file = join(folder, 'states.json')
    const hour = 3_600_000
    for (const [state, date] of [
      ['native', Date.now() - hour],
      ['shadow', Date.now() + hour],
    ] as const) {
      writeFileSync(`${file}.lock`, '')
      utimesSync(`${file}.lock`, new Date(date), new Date(date))
      await fileStore({ file }).write!(change(state))
      expect(statesOf(file)).toEqual({ '*': state })
    }
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('loses no change where many find a lock that is left over', async () => {
    const file = join(folder, 'states.json')
    for (let round = 0; round < times(10, 30); round++) {
      writeFileSync(file, '{ "states": {} }')
      writeFileSync(`${file}.lock`, '')
      utimesSync(`${file}.lock`, 0, 0)
      const routes = Array.from({ length: 12 }, (_one, at) => `GET /${at}`)
      const answers = await Promise.all(
        routes.map(async (route) => {
          const { entry, ...one } = change()
          return await fileStore({ file }).write!({ ...one, route, entry: { ...entry, id: route, route } })
        }),
      )
      expect(answers).toEqual(routes.map(() => ({ isStored: true })))
      expect(Object.keys(statesOf(file) as object).sort()).toEqual(routes.sort())
    }
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('waits for a lock that another process has made in the place of the one that was left over', async () => {
    const file = join(folder, 'states.json')
    writeFileSync(`${file}.lock`, '')
    utimesSync(`${file}.lock`, 0, 0)
    let looks = 0
    const { stat } = promises
    const looked = jest.spyOn(promises, 'stat').mockImplementation(async (path) => {
      const found = await stat(path)
      if (path !== `${file}.lock`) return found
      if (++looks === 1) writeFileSync(`${file}.other`, 'of the other one')
      if (looks === 1) renameSync(`${file}.other`, `${file}.lock`)
      return found
    })
    try {
      const writing = fileStore({ file }).write!(change())
      await until(() => looks > 3 || existsSync(file))
      expect([readFileSync(`${file}.lock`, 'utf8'), existsSync(file)]).toEqual(['of the other one', false])
      rmSync(`${file}.lock`)
      expect(await writing).toEqual({ isStored: true })
    } finally {
      looked.mockRestore()
    }
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('writes over no change of a process that has taken its lock, as it was held up', async () => {
    const file = join(folder, 'states.json')
    const { entry, ...one } = change('shadow')
    const { writeFile } = promises
    let hasBeenHeldUp = false
    const written = jest.spyOn(promises, 'writeFile').mockImplementation(async (...given) => {
      await writeFile(...given)
      if (hasBeenHeldUp || typeof given[0] !== 'string' || !given[0].endsWith('.tmp')) return
      hasBeenHeldUp = true
      utimesSync(`${file}.lock`, 0, 0)
      const other = { ...one, route: 'GET /a', entry: { ...entry, id: 'other', route: 'GET /a' } }
      expect(await fileStore({ file }).write!(other)).toEqual({ isStored: true })
    })
    try {
      expect(await fileStore({ file }).write!(change())).toEqual({ isStored: true })
    } finally {
      written.mockRestore()
    }
    expect(statesOf(file)).toEqual({ '*': 'native', 'GET /a': 'shadow' })
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('leaves the lock of another process, which has taken its own', async () => {
    const file = join(folder, 'states.json')
    const { rename } = promises
    const renamed = jest.spyOn(promises, 'rename').mockImplementation(async (from, to) => {
      await rename(from, to)
      writeFileSync(`${file}.other`, 'of the other one')
      renameSync(`${file}.other`, `${file}.lock`)
    })
    try {
      await fileStore({ file }).write!(change())
    } finally {
      renamed.mockRestore()
    }
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('of the other one')
  })

  it('is written after a process that has ended while it took a lock away', async () => {
    const file = join(folder, 'states.json')
    for (const name of ['lock', 'lock.away']) {
      writeFileSync(`${file}.${name}`, '')
      utimesSync(`${file}.${name}`, 0, 0)
    }
    await fileStore({ file }).write!(change())
    expect(readdirSync(folder)).toEqual(['states.json', 'states.json.audit.jsonl'])
  })

  it('is away with one line that holds no control character of its name', async () => {
    const file = join(folder, 'a\u001b[31mb\nc')
    mkdirSync(file)
    const { switching, logged } = start(fileStore({ file }))
    await clock.until(() => switching.status().store.isAway)
    expect(logged).toEqual([
      expect.stringMatching(/is away \(Error: .*a\\x1b\[31mb\\nc is no file: mend it.*\)/),
    ])
    expect(switching.status().store.problem).not.toMatch(/[\0-\x1f]/)
  })
})

describe('The audit trail', () => {
  it('of a file has an entry once, and the last ones where there are too many', async () => {
    const file = join(folder, 'own.audit.jsonl')
    for (const id of ['a', 'b', 'a', 'a']) await noteInFile(file, { id }, 3)
    expect(readFileSync(file, 'utf8')).toBe('{"id":"a"}\n{"id":"b"}\n')
    for (const id of ['c', 'd', 'b', 'c']) await noteInFile(file, { id }, 3)
    expect(readFileSync(file, 'utf8')).toBe('{"id":"b"}\n{"id":"c"}\n{"id":"d"}\n')
  })

  it('of a file has an entry whole behind one that was cut off, and of the same one', async () => {
    const file = join(folder, 'own.audit.jsonl')
    writeFileSync(file, '{"id":"a"}\n{"id":"b","by":"A')
    for (const id of ['c', 'b']) await noteInFile(file, { id }, 9)
    expect(readFileSync(file, 'utf8')).toBe('{"id":"a"}\n{"id":"b","by":"A\n{"id":"c"}\n{"id":"b"}\n')
  })

  it('of a file leaves no other file behind where it cannot be shortened', async () => {
    const file = join(folder, 'own.audit.jsonl')
    await noteInFile(file, { id: 'a' }, 9)
    const failing = jest.spyOn(promises, 'rename').mockRejectedValueOnce(new Error('planted'))
    try {
      await expect(noteInFile(file, { id: 'b' }, 1)).rejects.toThrow('planted')
    } finally {
      failing.mockRestore()
    }
    expect(readdirSync(folder)).toEqual(['own.audit.jsonl'])
  })

  const entry = (id: string) => ({
    id,
    at: '2030-01-01T00:00:00.000Z',
    route: 'GET /x',
    from: 'legacy' as const,
    to: 'shadow' as const,
    by: 'Ada',
    reason: 'a test',
    replica: 'shop-1',
  })
  const changeOf = (id: string) => ({
    route: 'GET /x',
    state: 'shadow' as const,
    takeBack: [],
    entry: entry(id),
  })
  const acceptance = { route: 'GET /x', place: 'header etag', by: 'Ada', reason: 'meant', at: entry('').at }

  it('of a file has each change once, with its version and who has made it, and no more than it may', async () => {
    const file = join(folder, 'states.json')
    const lines = (): Record<string, unknown>[] =>
      readFileSync(`${file}.audit.jsonl`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    const store = fileStore({ file, auditEntries: 3 })
    for (const id of ['1', '2', '2', '3', '4']) await store.write!(changeOf(id))
    expect(lines().map(({ id, version }) => [id, version])).toEqual([
      ['2', 2],
      ['3', 4],
      ['4', 5],
    ])
    expect(lines()[2]).toEqual({ ...entry('4'), version: 5 })
    await store.accept!(acceptance, false)
    expect(lines()[2]).toMatchObject({ ...acceptance, isTakenBack: false })
    // An older store that knows nothing of what is accepted leaves it where it is.
    await store.write!(changeOf('5'))
    expect((store.read([]) as StoredStates).accepted).toEqual([acceptance])
    await store.accept!(acceptance, true)
    expect((store.read([]) as StoredStates).accepted).toEqual([])
  })

  it('of a file that cannot be written keeps no change from being made, and one line says so', async () => {
    const file = join(folder, 'states.json')
    mkdirSync(`${file}.audit.jsonl`)
    const { switching, logged } = start(fileStore({ file }))
    for (const state of ['shadow', 'native'] as const)
      expect(await switching.set('GET /other', state, why)).toEqual({ isStored: true })
    expect(logged.filter((line) => line.includes('does not stand in the audit trail'))).toHaveLength(1)
  })

  it('is none where it is to have no entries', async () => {
    await fileStore({ file: join(folder, 'states.json'), auditEntries: 0 }).write!(changeOf('1'))
    expect(readdirSync(folder)).toEqual(['states.json'])
    const redis = new FakeRedis()
    await redisStore({ client: redis.client(), auditEntries: 0 }).write!(changeOf('1'))
    expect(redis.list('{routecontrollers:migration}:audit')).toEqual([])
  })

  it('of Redis has each difference that is accepted, and that it is taken back, unless it has no entries', async () => {
    const redis = new FakeRedis()
    const noted = (): object[] =>
      redis.list('{routecontrollers:migration}:audit').map((one) => JSON.parse(one) as object)
    const of = { route: 'GET /a', place: 'body $.a', by: 'Ada', reason: 'meant', at: '2030-01-01T00:00:00Z' }
    await redisStore({ client: redis.client(), auditEntries: 0 }).accept!(of, false)
    expect(noted()).toEqual([])
    const store = redisStore({ client: redis.client() })
    for (const isTakenBack of [false, true]) await store.accept!(of, isTakenBack)
    expect(noted()).toEqual([false, true].map((isTakenBack) => ({ ...of, isTakenBack: String(isTakenBack) })))
  })

  it('of Redis keeps no change from being made whose entry Redis cannot read', async () => {
    const redis = new FakeRedis()
    const store = redisStore({ client: redis.client() })
    const change = { ...changeOf('1'), seen: 0, entry: { ...entry('1'), reason: 'a smile \ud83d' } }
    expect(await store.write!(change)).toEqual({
      isStored: true,
      auditProblem: expect.stringContaining('invalid unicode escape code'),
    })
    expect(await store.read([])).toMatchObject({ version: 1, states: { [change.route]: change.state } })
  })

  it('of Redis has a reason that was cut in the middle of a letter', async () => {
    const redis = new FakeRedis()
    const { switching } = start(redisStore({ client: redis.client() }))
    const said = { reason: 'a smile 😀, and half of one \ud83d', by: 'Ada \udc00' }
    expect(await switching.set('GET /other', 'shadow', said)).toEqual({ isStored: true })
    const [noted] = redis.list('{routecontrollers:migration}:audit').map((one) => JSON.parse(one) as object)
    expect(noted).toMatchObject({ reason: 'a smile 😀, and half of one \ufffd', by: 'Ada \ufffd' })
  })

  it('of Redis has what a plan does once, by whatever replica', async () => {
    const redis = new FakeRedis()
    const store = redisStore({ client: redis.client() })
    await store.write!({ ...changeOf('1'), seen: 0 })
    await store.write!({ ...changeOf('2'), seen: 0 })
    const noted = redis.list('{routecontrollers:migration}:audit').map((one) => JSON.parse(one) as object)
    expect(noted).toEqual([{ ...entry('1'), version: '1' }])
  })
})
