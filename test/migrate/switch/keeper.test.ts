// How the states of a process and those of a store stay the same, with stores that say what a test has them say.
import { Acceptances } from '../../../packages/switch/src/stores/acceptances.js'
import {
  type Change,
  createEntry,
  Keeper,
  type KeeperParts,
} from '../../../packages/switch/src/stores/keeper.js'
import { limited } from '../../../packages/switch/src/stores/limited.js'
import type {
  Acceptance,
  HistoryEntry,
  MigrationStore,
  RouteState,
  StoreAnswer,
  StoreChange,
  StoredStates,
} from '../../../packages/switch/src/states/schema.js'
import { TestClock } from './shop.js'

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

interface Setting {
  /** What it answers to each change, the last answer for all that follow. */
  readonly answers?: readonly (StoreAnswer | Error)[]
  readonly canWrite?: boolean
  readonly more?: Partial<KeeperParts>
}

function begin({ answers = [{ isStored: true }], canWrite = true, more }: Setting = {}) {
  const clock = new TestClock()
  const lines: string[] = []
  const told: string[] = []
  const writes: StoreChange[] = []
  /** What counts while the store is asked. */
  const counting: unknown[] = []
  const log = (line: string): void => void lines.push(line)
  const now: { stored: StoredStates; isAway: boolean } = {
    stored: { states: {}, history: [], version: 1 },
    isAway: false,
  }
  const store: MigrationStore = {
    name: 'test',
    read: () => {
      if (now.isAway) throw new Error('no way there')
      return now.stored
    },
    ...(canWrite && {
      write(change: StoreChange) {
        const answer = answers[Math.min(writes.length, answers.length - 1)]!
        writes.push(change)
        counting.push(keeper.states[change.route])
        if (answer instanceof Error) throw answer
        if (answer.isStored)
          now.stored = { ...now.stored, states: { ...now.stored.states, [change.route]: change.state } }
        return answer
      },
    }),
  }
  const acceptances = new Acceptances(store, clock)
  const keeper = new Keeper({
    ...{ store, acceptances, snapshot: undefined, startTimeoutMs: 5000, clock },
    logger: { info: log, warn: log, error: log },
    routes: () => ['GET /a', 'GET /b', 'GET /b/c'],
    changed: (entries) => told.push(...entries.map(({ route, to, by }) => `${by}: ${route} ${to}`)),
    awayChanged: () => void told.push('away or back'),
    dropped: ({ route }) => void told.push(`dropped ${route}`),
    ...more,
  })
  const changeOf = (route: string, to: RouteState, rest: Partial<HistoryEntry> = {}): Change => {
    const entry = createEntry(clock, { route, from: undefined, to, by: 'Ada', reason: 'a test', ...rest })
    return { route, state: to, entry }
  }
  return { clock, lines, told, writes, counting, now, acceptances, keeper, changeOf }
}

it('an answer that came in time leaves no timer, and neither does one that failed', async () => {
  const clock = new TestClock()
  expect(await limited(clock, Promise.resolve(7))).toBe(7)
  await expect(limited(clock, Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(clock.waiting).toBe(0)
  const never = limited(clock, new Promise(() => {}))
  expect(clock.waiting).toBe(1)
  clock.advance(3000)
  await expect(never).rejects.toThrow('no answer within 3000 ms')
})

it('what was seen of a history that is long over is forgotten', async () => {
  const { keeper, clock, now, changeOf } = begin({})
  await keeper.start()
  const clearing = jest.spyOn(Set.prototype, 'clear')
  try {
    for (let round = 0; round < 12; round++) {
      const history = Array.from({ length: 200 }, () => changeOf('GET /a', 'native').entry)
      now.stored = { ...now.stored, history, version: round + 2 }
      clock.advance(1000)
      await turns()
    }
    expect(clearing).toHaveBeenCalled()
  } finally {
    clearing.mockRestore()
  }
  const told = keeper.history.length
  clock.advance(1000)
  await turns()
  // None of it is news a second time.
  expect(keeper.history.length).toBe(told)
})

describe('A change', () => {
  it('that was decided under a lease that is over is not offered again, and does not count', async () => {
    const { keeper, clock, told, writes, counting, changeOf } = begin({
      answers: [{ isStored: false, isLeaseOver: true }],
    })
    await keeper.start()
    const change = { ...changeOf('GET /a', 'canary 50%', { by: 'plan' }), lease: 'a#1' }
    expect(await keeper.set(change, { countsAtOnce: false })).toMatchObject({ isStored: false })
    clock.advance(5000)
    await turns()
    expect(writes.map(({ lease }) => lease)).toEqual(['a#1'])
    expect([keeper.states, keeper.pending, keeper.isChanging('GET /a')]).toEqual([{}, 0, false])
    expect([counting, told, keeper.history]).toEqual([[undefined], [], []])
  })

  it('that a store has refused for its version is offered again at once, with what it has read', async () => {
    const { keeper, writes, now, changeOf } = begin({ answers: [{ isStored: false }, { isStored: true }] })
    await keeper.start()
    now.stored = { ...now.stored, version: 7 }
    expect(await keeper.set(changeOf('GET /a', 'native'))).toMatchObject({ isStored: true })
    expect(writes.map(({ seen }) => seen)).toEqual([7, 7])
    expect([keeper.states, keeper.version, keeper.pending]).toEqual([{ 'GET /a': 'native' }, 7, 0])
  })

  it('is offered fifty times in a row at most, and again a second later', async () => {
    const { keeper, clock, writes, changeOf } = begin({ answers: [{ isStored: false }] })
    await keeper.start()
    expect(await keeper.set(changeOf('GET /a', 'native'))).toMatchObject({ isStored: false })
    expect([writes.length, keeper.pending, keeper.states]).toEqual([50, 1, { 'GET /a': 'native' }])
    clock.advance(1000)
    await turns()
    expect(writes.length).toBe(100)
  })

  it.each([
    ['that counts at once waits for a store that fails', true, 3, ['native', 1]],
    ['that counts once it is stored is gone with a store that fails', false, 1, [undefined, 0]],
  ] as const)('%s', async (_what, countsAtOnce, offers, [state, pending]) => {
    const { keeper, clock, lines, writes, changeOf } = begin({ answers: [new Error('it is full')] })
    await keeper.start()
    await keeper.set(changeOf('GET /a', 'native'), { countsAtOnce })
    for (const _second of [1, 2]) {
      clock.advance(1000)
      await turns()
    }
    expect(writes.length).toBe(offers)
    expect([keeper.states['GET /a'], keeper.pending]).toEqual([state, pending])
    expect(lines).toEqual([expect.stringContaining('the store test takes no changes (Error: it is full)')])
    expect([keeper.isAway, keeper.problem]).toEqual([false, 'Error: it is full'])
  })

  it('is taken by a store that takes changes again, which is told', async () => {
    const { keeper, clock, lines, told, counting, changeOf } = begin({
      answers: [new Error('it is full'), { isStored: true }],
    })
    await keeper.start()
    await keeper.set(changeOf('GET /a', 'native'))
    clock.advance(1000)
    await turns()
    expect([keeper.pending, keeper.problem, counting]).toEqual([0, undefined, ['native', 'native']])
    expect(lines).toEqual([
      expect.stringContaining('takes no changes (Error: it is full)'),
      'migration: the store test takes changes again',
    ])
    expect(told).toEqual(['Ada: GET /a native', 'away or back', 'away or back'])
  })

  it('of a group replaces those of its routes, also where the store is not written', async () => {
    const { keeper, changeOf } = begin({ canWrite: false })
    await keeper.start()
    await keeper.set(changeOf('/b', 'shadow'))
    await keeper.set(changeOf('GET /b/c', 'native'))
    await keeper.set(changeOf('GET /a', 'shadow'))
    expect(await keeper.set(changeOf('/b', 'legacy'))).toEqual({ isStored: false })
    expect([keeper.states, keeper.canWrite]).toEqual([{ 'GET /a': 'shadow', '/b': 'legacy' }, false])
  })

  it('has the time of the store, once that has it', async () => {
    const { keeper, clock, now, changeOf } = begin()
    await keeper.start()
    const change = changeOf('GET /a', 'native')
    await keeper.set(change)
    const entry = { ...change.entry, at: '2031-01-01T00:00:00.000Z', version: 2 }
    now.stored = { ...now.stored, history: [entry], version: 2 }
    clock.advance(1000)
    await turns()
    expect(keeper.history).toEqual([entry])
  })

  it('that stands in no audit trail is told once', async () => {
    const { keeper, lines, changeOf } = begin({ answers: [{ isStored: true, auditProblem: 'ENOSPC' }] })
    await keeper.start()
    await keeper.set(changeOf('GET /a', 'native'))
    await keeper.set(changeOf('GET /b', 'native'))
    expect(lines).toEqual(['migration: a change does not stand in the audit trail of the store test: ENOSPC'])
  })
})

describe('What is set in the store by hand', () => {
  it('is told as a change of the store, where it is for a route', async () => {
    const { keeper, clock, told, now } = begin()
    await keeper.start()
    now.stored = { ...now.stored, states: { 'GET /a': 'shadow', 'GET /none': 'native', '/b': 'no state' } }
    clock.advance(1000)
    await turns()
    expect(told).toEqual(['store test: GET /a shadow'])
    expect(keeper.unreadable()).toEqual(['/b'])
  })
})

describe('A store that is away', () => {
  it('is told once, and once when it is back', async () => {
    const { keeper, clock, lines, told, now } = begin()
    await keeper.start()
    now.isAway = true
    for (const _second of [1, 2, 3]) {
      clock.advance(1000)
      await turns()
    }
    expect([keeper.isAway, keeper.problem]).toEqual([true, 'Error: no way there'])
    now.isAway = false
    clock.advance(1000)
    await turns()
    expect(lines).toEqual([
      'migration: the store test is away (Error: no way there); the last known states count until it is back',
      'migration: the store test is back',
    ])
    expect(told).toEqual(['away or back', 'away or back'])
  })

  it('has states that are of now for as long as an answer may take', async () => {
    const { keeper, clock, now } = begin()
    await keeper.start()
    clock.advance(20_000)
    await turns()
    expect(keeper.isUpToDate).toBe(true)
    now.isAway = true
    clock.advance(20_000)
    await turns()
    expect([keeper.isUpToDate, keeper.isKnown]).toEqual([false, true])
  })
})

describe('A snapshot', () => {
  const acceptance: Acceptance = { route: 'GET /a', place: 'body', by: 'Ada', reason: 'r', at: '' }
  const kept: StoredStates = { states: { 'GET /a': 'native' }, version: 3, accepted: [acceptance] }

  it('says what counts until the store is there, what is accepted as well', async () => {
    const snapshot = { read: () => kept, keep() {}, written: async () => {} }
    const { keeper, acceptances, now, clock } = begin({ more: { snapshot: snapshot as never } })
    now.isAway = true
    const ready = keeper.start()
    expect([keeper.source, keeper.states, keeper.version]).toEqual(['snapshot', kept.states, 3])
    expect(acceptances.of('GET /a', 'body')).toEqual(acceptance)
    clock.advance(5000)
    await expect(ready).resolves.toEqual({ from: 'snapshot' })
    now.isAway = false
    now.stored = { states: { 'GET /a': 'shadow' }, history: [], version: 4 }
    clock.advance(1000)
    await turns()
    expect([keeper.source, keeper.states]).toEqual(['store', { 'GET /a': 'shadow' }])
    expect(acceptances.of('GET /a', 'body')).toBeUndefined()
  })

  it('is waited for when the process closes', async () => {
    let isWritten = false
    const written = async (): Promise<void> => {
      await turns()
      isWritten = true
    }
    const snapshot = { read: () => undefined, keep() {}, written }
    const { keeper, clock } = begin({ more: { snapshot: snapshot as never } })
    await keeper.start()
    await keeper.close()
    expect([isWritten, clock.waiting]).toEqual([true, 0])
  })
})
