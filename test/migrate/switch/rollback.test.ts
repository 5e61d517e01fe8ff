import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import { describeHandler } from 'routecontrollers/introspection'
import {
  memoryStore,
  type MigrationStore,
  type OpenDifference,
  type PlanOptions,
  type RollbackEvidence,
  type RollbackOptions,
  type RouteState,
} from '@routecontrollers/switch'
import { AutomaticChanges } from '../../../packages/switch/src/states/automatic-changes.js'
import { PairTest } from '../../../packages/switch/src/states/decision/evidence.js'
import { type Counts, noCounts } from '../../../packages/switch/src/states/decision/counts.js'
import { checkMigrationOptions } from '../../../packages/switch/src/states/options.js'
import { checkState } from '../../../packages/switch/src/states/states.js'
import { type Side, SwitchedRoute } from '../../../packages/switch/src/states/switched-route.js'
import { describeWays, serveShop, closeShops, type Shop, silent, TestClock, until, ways } from './shop.js'

const why = { reason: 'a test', by: 'test' }

interface Sides {
  legacyFails?: boolean
  nativeFails?: boolean
  nativeDelayMs?: number
}

function shopOf(sides: Sides): Shop {
  return {
    legacy: (app) => {
      app.get('/x', (_req, res) => void res.status(sides.legacyFails ? 500 : 200).send('answer'))
    },
    native: (): AnyController[] => [
      new Controller('GET', '/x', async (_req, res) => {
        if (sides.nativeDelayMs) await new Promise((resolve) => setTimeout(resolve, sides.nativeDelayMs))
        if (sides.nativeFails) throw new Error('planted')
        return res.send('answer')
      }),
    ],
    shadow: false,
  }
}

describeWays('rollback', (way) => {
  it('takes a route whose Controller begins to fail back within 50 requests', async () => {
    const sides: Sides = {}
    const { send, switching, logged } = await serveShop(way, shopOf(sides))
    const rollbacks: RollbackEvidence[] = []
    switching.on('rollback', (one) => rollbacks.push(one))
    await switching.set('GET /x', 'canary 100%', why)
    const route = () => switching.status().routes[0]!
    for (let at = 0; at < 30; at++) expect((await send('/x')).status).toBe(200)
    await until(() => route().native.watched === 30)
    sides.nativeFails = true
    let failed = 0
    while (route().state !== 'legacy' && failed < 50) if ((await send('/x')).status === 500) failed++
    expect(route().state).toBe('legacy')
    expect(failed).toBeLessThanOrEqual(50)
    expect((await send('/x')).status).toBe(200)
    expect(rollbacks).toHaveLength(1)
    expect(rollbacks[0]).toMatchObject({ route: 'GET /x', from: 'canary 100%', cause: 'errors' })
    expect([rollbacks[0]!.answers, rollbacks[0]!.samples]).toEqual(Array(2).fill(expect.any(Number)))
    const lines = logged.filter((line) => line.includes('goes back'))
    expect(lines).toEqual([`error ${rollbacks[0]!.message}`])
    expect(lines[0]).toMatch(
      /^error migration: GET \/x goes back from canary 100% to legacy: [\d.]+% of \d+ answers have failed, more than 5\.0%$/,
    )
    expect(switching.status().history.at(-1)).toMatchObject({ to: 'legacy', by: 'rollback' })
    expect(route().coolDownUntil).toBeDefined()
  })
})

describe('rollback', () => {
  afterEach(closeShops)
  const way = ways[0]!

  it('takes a native route back too', async () => {
    const { send, switching } = await serveShop(way, shopOf({ nativeFails: true }))
    await switching.set('*', 'native', why)
    const route = () => switching.status().routes[0]!
    for (let at = 0; at < 60 && route().state !== 'legacy'; at++) await send('/x')
    expect(route().state).toBe('legacy')
  })

  it('leaves a new route where it is, which legacy would answer with 404', async () => {
    const { send, switching } = await serveShop(way, { ...shopOf({ nativeFails: true }), legacy: () => {} })
    for (let at = 0; at < 100; at++) expect((await send('/x')).status).toBe(500)
    expect(switching.status().routes[0]!.state).toBe('native')
  })

  it('leaves a route alone that fails as often at legacy', async () => {
    const { send, switching } = await serveShop(way, shopOf({ legacyFails: true, nativeFails: true }))
    const route = () => switching.status().routes[0]!
    await switching.set('*', 'canary 0%', why)
    for (let at = 0; at < 25; at++) await send('/x')
    await switching.set('*', 'canary 100%', why)
    for (let at = 0; at < 40; at++) await send('/x')
    await until(() => route().native.failures === 40)
    expect(route().state).toBe('canary 100%')
  })

  it('does nothing where it is switched off, and below the least number of answers', async () => {
    const off = await serveShop(way, { ...shopOf({ nativeFails: true }), rollback: false })
    await off.switching.set('*', 'canary 100%', why)
    const few = await serveShop(way, { ...shopOf({ nativeFails: true }), rollback: { minAnswers: 1000 } })
    await few.switching.set('*', 'canary 100%', why)
    for (const { send, switching } of [off, few]) {
      for (let at = 0; at < 40; at++) await send('/x')
      await until(() => switching.status().routes[0]!.native.failures === 40)
      expect(switching.status().routes[0]!.state).toBe('canary 100%')
    }
  })

  it('counts one client once among few requests, however many others it says that it speaks for', async () => {
    const sides: Sides = {}
    const { send, switching } = await serveShop(way, { ...shopOf(sides), clock: new TestClock() })
    const route = () => switching.status().routes[0]!
    await switching.set('*', 'canary 100%', why)
    for (let at = 1; at <= 9; at++) {
      await send('/x', { headers: { 'x-forwarded-for': `203.0.113.${at}` } })
      await until(() => route().native.watched === at)
      sides.nativeFails = true
    }
    expect([route().native.failures, route().state]).toEqual([8, 'canary 100%'])
  })

  it('takes a route back that is much slower than legacy', async () => {
    const clock = new TestClock()
    const sides: Sides = {}
    const { send, switching } = await serveShop(way, {
      ...shopOf(sides),
      clock,
      stickyBy: (req) => String(req.headers['x-client']),
      rollback: { minTimings: 10, p99MarginMs: 20, p99Factor: 1.5 },
    })
    const route = () => switching.status().routes[0]!
    await switching.set('*', 'canary 0%', why)
    for (let at = 0; at < 20; at++) await send('/x', { headers: { 'x-client': `c${at}` } })
    clock.advance(1000)
    await switching.set('*', 'canary 50%', why)
    // On a busy machine legacy may be slow for a while. The new code is slower than that, each time.
    for (let at = 0; route().state === 'canary 50%'; at = (at + 6) % 60) {
      sides.nativeDelayMs = Math.ceil(route().legacy.p99Ms! * 2) + 50
      const some = Array.from({ length: 6 }, (_, one) =>
        send('/x', { headers: { 'x-client': `c${at + one}` } }),
      )
      await Promise.all(some)
      clock.advance(1000)
    }
    expect(route().state).toBe('legacy')
    expect(switching.status().history.at(-1)!.reason).toMatch(/^its p99 is \d+ ms, more than \d+ ms/)
  })

  it('takes a route back whose answers differ', async () => {
    const shop: Shop = {
      legacy: (app) => void app.get('/x', (_req, res) => void res.json({ by: 'legacy' })),
      native: () => [new Controller('GET', '/x', (_req, res) => res.json({ by: 'native' }))],
      rollback: { minAnswers: 5 },
    }
    const { send, switching } = await serveShop(way, shop)
    await switching.set('*', 'canary 100%', why)
    for (let at = 0; at < 20; at++) await send('/x')
    await until(() => switching.status().routes[0]!.state === 'legacy')
    expect(switching.status().history.at(-1)!.reason).toContain('compared answers differ')
  })
})

describe('a plan', () => {
  afterEach(closeShops)

  async function planned(sides: Sides, store: MigrationStore = memoryStore()) {
    const clock = new TestClock()
    const served = await serveShop(ways[0]!, {
      ...shopOf(sides),
      shadow: { ignoreHeaders: ['etag', 'content-type'] },
      clock,
      stickyBy: (req) => String(req.headers['x-user']),
      rollback: { coolDownMs: 600_000 },
      plan: { steps: [40, 70, 100], minutes: 5, answers: 20 },
      store,
    })
    let user = 0
    /** Sends until so many have come to the Controller, or until it gets none any more. */
    const ask = async (count: number): Promise<void> => {
      const before = state().native.requests
      const isAsked = (): boolean => state().native.requests < before + count && state().state !== 'legacy'
      for (let at = 0; at < 1000 && isAsked(); at++) {
        await served.send('/x', { headers: { 'x-user': `u${user++}` } })
      }
      await until(() => state().native.watched === state().native.requests)
      await until(() => {
        const { running, waiting } = served.switching.status().shadow
        return running + waiting === 0
      })
    }
    const state = () => served.switching.status().routes[0]!
    return { ...served, clock, ask, state }
  }

  it('goes up step by step, each with its time and its answers, up to native', async () => {
    const { switching, clock, ask, state } = await planned({})
    expect(state().plan).toBeUndefined()
    await switching.set('GET /x', 'canary 40%', why)
    const { notBefore, ...first } = state().plan!
    expect(first).toEqual({ next: 'canary 70%', answers: 0, answersNeeded: 20 })
    // Five minutes from now on; the time since then is that of the machine.
    expect(Math.round((Date.parse(notBefore) - clock.now()) / 60_000)).toBe(5)
    await ask(1)
    clock.advance(301_000)
    // Not enough answers.
    expect(state().state).toBe('canary 40%')
    expect(state().plan).toMatchObject({ next: 'canary 70%', answers: 1, answersNeeded: 20 })
    await ask(19)
    clock.advance(1000)
    expect(state().state).toBe('canary 70%')
    await ask(20)
    clock.advance(290_000)
    // Not enough time.
    expect(state().state).toBe('canary 70%')
    clock.advance(11_000)
    expect(state().state).toBe('canary 100%')
    expect(state().plan).toMatchObject({ next: 'native', answers: 0 })
    await ask(20)
    clock.advance(301_000)
    expect(state().state).toBe('native')
    expect(state().plan).toBeUndefined()
    expect(switching.status().history.map(({ by }) => by)).toEqual(['test', 'plan', 'plan', 'plan'])
  })

  it('is not gone on with while it is not known what others have said', async () => {
    const memory = memoryStore()
    let isSilent = false
    // As it is for a process that was stopped for a while: what it is told comes later than what it does.
    const store: MigrationStore = {
      ...memory,
      read: (routes) => (isSilent ? new Promise(() => {}) : memory.read(routes)),
    }
    const { switching, clock, ask, state } = await planned({}, store)
    await switching.set('GET /x', 'canary 40%', why)
    await ask(20)
    isSilent = true
    clock.advance(301_000)
    expect(state().state).toBe('canary 40%')
    expect(switching.status().store).toMatchObject({ isAway: true, pending: 0 })
  })

  it('counts its next step once the store has it, and never where somebody was first', async () => {
    const memory = memoryStore()
    let answer = (): void => {}
    let isSlow = false
    const store: MigrationStore = {
      ...memory,
      write: async (change) => {
        if (isSlow) await new Promise<void>((resolve) => (answer = resolve))
        return memory.write!(change)
      },
    }
    const { switching, clock, ask, state } = await planned({}, store)
    const states: string[] = []
    switching.on('change', ({ to, by }) => states.push(`${by} ${to}`))
    await switching.set('GET /x', 'canary 40%', why)
    await ask(20)
    isSlow = true
    clock.advance(301_000)
    expect([state().state, switching.status().store.pending]).toEqual(['canary 40%', 1])
    const entry = { id: 'a', at: '2030-01-01T00:00:00Z', route: 'GET /x', from: undefined, ...why }
    await memory.write!({
      route: 'GET /x',
      state: 'legacy',
      takeBack: [],
      entry: { ...entry, to: 'legacy', by: 'Ada' },
    })
    isSlow = false
    answer()
    await clock.until(() => state().state === 'legacy')
    await ask(0)
    expect(states).toEqual(['test canary 40%', 'Ada legacy'])
    expect(switching.status().history.map(({ by }) => by)).toEqual(['test', 'Ada'])
  })

  it('offers no step a second time to a store that takes none', async () => {
    const memory = memoryStore()
    const { switching, clock, ask, state } = await planned(
      {},
      {
        ...memory,
        write: (change) => {
          if (change.entry.by === 'plan') throw new Error('full')
          return memory.write!(change)
        },
      },
    )
    await switching.set('GET /x', 'canary 40%', why)
    await ask(20)
    clock.advance(310_000)
    expect(state().state).toBe('canary 40%')
    expect(switching.status().store).toMatchObject({ pending: 0, problem: expect.stringContaining('full') })
  })

  it('does not begin by itself, and leaves a route alone for a while that was taken back', async () => {
    const sides: Sides = {}
    const { switching, clock, ask, state, send } = await planned(sides)
    await send('/x')
    clock.advance(600_000)
    expect(state().state).toBe('legacy')
    await switching.set('GET /x', 'canary 70%', why)
    sides.nativeFails = true
    await ask(20)
    expect(state().state).toBe('legacy')
    sides.nativeFails = false
    switching.forgetDifferences()
    await switching.set('GET /x', 'canary 70%', { reason: 'mended' })
    await ask(25)
    clock.advance(301_000)
    expect(state().state).toBe('canary 70%')
    expect(Date.parse(state().coolDownUntil!)).toBeGreaterThan(clock.now())
    expect(state().plan).toMatchObject({ next: 'canary 100%', notBefore: state().coolDownUntil })
    clock.advance(300_000)
    expect(state().state).toBe('canary 100%')
    expect(state().coolDownUntil).toBeUndefined()
  })

  it.each([3_600_000, -3_600_000])(
    'goes up by the time that has passed, whoever sets the clock by %d ms',
    async (jump) => {
      const { switching, clock, ask, state, send } = await planned({})
      await send('/x')
      await switching.set('GET /x', 'canary 40%', why)
      await ask(20)
      clock.advance(100_000)
      clock.set(clock.now() + jump)
      clock.advance(150_000)
      expect(state().state).toBe('canary 40%')
      clock.advance(60_000)
      expect(state().state).toBe('canary 70%')
      // The times that it shows are those of the clock as it is now.
      expect(Math.abs(Date.parse(state().lastAskedAt!) - clock.now())).toBeLessThan(400_000)
    },
  )

  it('leaves a route alone that was taken back, whoever sets the clock', async () => {
    const sides: Sides = { nativeFails: true }
    const { switching, clock, ask, state } = await planned(sides)
    await switching.set('GET /x', 'canary 70%', why)
    await ask(20)
    expect(state().state).toBe('legacy')
    sides.nativeFails = false
    switching.forgetDifferences()
    await switching.set('GET /x', 'canary 70%', { reason: 'mended' })
    await ask(25)
    clock.advance(200_000)
    clock.set(clock.now() + 86_400_000)
    clock.advance(200_000)
    expect(state().state).toBe('canary 70%')
    clock.advance(210_000)
    expect(state().state).toBe('canary 100%')
  })
})

interface Judging {
  readonly rollback?: RollbackOptions | false
  readonly plan?: PlanOptions
  readonly state?: RouteState
}

/** A route whose numbers a test sets, and where it is led. */
function judge({ rollback = {}, plan, state = 'canary 50%' }: Judging) {
  const clock = new TestClock()
  const logged: string[] = []
  const logger = { ...silent, warn: (line: string) => void logged.push(line) }
  const routeControllers = new RouteControllers([new Controller('GET', '/x', () => 'answer')])
  const settings = checkMigrationOptions(
    { legacy: () => {}, routeControllers, logger, rollback, ...(plan && { plan }) },
    memoryStore,
  )
  const [controller] = describeHandler(routeControllers.getCallback())!.controllers
  const route = new SwitchedRoute(controller!, checkState('', state), settings.rollback?.window ?? 200, true)
  const open: OpenDifference[] = []
  const known = {
    compared: 1,
    replicas: 1,
    isProbing: false,
    openElsewhere: 0,
    fleet: undefined as Counts | undefined,
    urged: 0,
  }
  const changes: string[] = []
  const reasons: string[] = []
  const enter = (to: RouteState, heldBy?: string): void =>
    route.enter(checkState('', to), route.key, heldBy, clock.monotonic())
  const automatic = new AutomaticChanges({
    settings,
    clock,
    change: (_route, to, { reason }) => {
      changes.push(to)
      reasons.push(reason)
      enter(to)
    },
    mayLeadUp: () => true,
    differences: () => open,
    compared: () => known.compared,
    canProbe: () => false,
    isProbing: () => known.isProbing,
    openElsewhere: () => known.openElsewhere,
    replicas: () => known.replicas,
    fleet: () => known.fleet,
    urge: () => void known.urged++,
    rolledBack: () => {},
  })
  route.since = clock.monotonic()
  const answer = (side: Side, isFailure = false, ms = 10): void => {
    side.watched++
    side.add(isFailure)
    side.timings.add(ms)
    automatic.answered(route, side, { isFailure, ms }, true)
  }
  /** So many answers of each side in turn, of which some are bad, at equal distances. */
  const both = (count: number, bad: number, badOfLegacy = 0, [ofLegacy, ofNative] = [10, 10]): void => {
    for (let at = 0; at < count; at++) {
      answer(route.legacy, isBad(at, count, badOfLegacy), ofLegacy)
      answer(route.native, isBad(at, count, bad), ofNative)
    }
  }
  const compare = (count: number, different: number): void => {
    for (let at = 0; at < count; at++) automatic.compared(route, isBad(at, count, different), true)
  }
  const tick = (ms = 1000): void => {
    clock.advance(ms)
    automatic.tick([route])
  }
  return { route, automatic, changes, reasons, logged, open, known, enter, answer, both, compare, tick }
}

function isBad(at: number, count: number, bad: number): boolean {
  return Math.floor(((at + 1) * bad) / count) > Math.floor((at * bad) / count)
}

describe('the figures of a route', () => {
  const rollback = { errorRate: 0.1, differenceRate: 0.1, p99Factor: 3, p99MarginMs: 100, minTimings: 100 }
  const plan = { steps: [50, 100], minutes: 1, samples: 100 }
  type Judged = ReturnType<typeof judge>
  const errors =
    (bad: number, ofLegacy = 0) =>
    ({ both }: Judged): void =>
      both(100, bad, ofLegacy)
  const differences =
    (different: number) =>
    ({ both, compare }: Judged): void => {
      both(100, 0)
      compare(100, different)
    }
  const times =
    (ofLegacy: number, ofNative: number) =>
    ({ answer, both, tick, route }: Judged): void => {
      for (let at = 0; at < 100; at++) answer(route.legacy, false, ofLegacy)
      tick()
      both(100, 0, 0, [ofLegacy, ofNative])
    }

  it.each<[string, (judged: Judged) => void, string[]]>([
    ['4 % of failures, of 10 that it may have', errors(4), ['canary 100%']],
    ['6 % of failures', errors(6), []],
    ['11 % of failures, which may be chance', errors(11), []],
    ['40 % of failures', errors(40), ['legacy']],
    ['24 % of failures where legacy has 20', errors(24, 20), ['canary 100%']],
    ['31 % of failures where legacy has 20, which may be chance', errors(31, 20), []],
    ['80 % of failures where legacy has 20', errors(80, 20), ['legacy']],
    ['4 % of differences, of 10 that it may have', differences(4), ['canary 100%']],
    ['6 % of differences', differences(6), []],
    ['11 % of differences, which may be chance', differences(11), []],
    ['40 % of differences', differences(40), ['legacy']],
    ['a p99 of 190 ms, of 300 that it may have', times(100, 190), ['canary 100%']],
    ['a p99 of 210 ms', times(100, 210), []],
    ['a p99 of 290 ms', times(100, 290), []],
    ['a p99 of 310 ms', times(100, 310), ['legacy']],
    ['a p99 of 50 ms, of 110 by the margin', times(10, 50), ['canary 100%']],
    ['a p99 of 70 ms', times(10, 70), []],
    ['a p99 of 120 ms', times(10, 120), ['legacy']],
  ])('lead it up below half of what takes it back: %s', (_name, come, led) => {
    const judged = judge({ rollback, plan })
    come(judged)
    for (let seconds = 0; seconds < 61; seconds++) judged.tick()
    expect(judged.changes).toEqual(led)
  })

  it('take nothing back before there are as many as are needed', () => {
    const failing = judge({ rollback: { minSamples: 40 } })
    failing.both(39, 39)
    failing.tick()
    expect(failing.changes).toEqual([])
    failing.both(1, 1)
    expect(failing.changes).toEqual(['legacy'])

    const differing = judge({ rollback: { minSamples: 40 } })
    differing.compare(39, 39)
    expect(differing.changes).toEqual([])
    differing.compare(1, 1)
    expect(differing.changes).toEqual(['legacy'])
  })

  it('take a Controller back that always fails before it has failed eleven times', () => {
    const { both, route, changes } = judge({})
    for (let bad = 0; bad < 20 && changes.length === 0; bad++) both(1, 1)
    expect(changes).toEqual(['legacy'])
    expect(route.native.requests + route.native.failed.count).toBeLessThan(11)
  })

  it('take it back for its last answers, however many were well before', () => {
    const { both, changes } = judge({})
    both(2000, 0)
    both(25, 25)
    expect(changes).toEqual(['legacy'])
  })

  it('take nothing back in an outage of both sides, and no plan goes up in it', () => {
    const { both, changes, tick, route } = judge({ plan })
    both(100, 0)
    both(100, 100, 100)
    for (let seconds = 0; seconds < 61; seconds++) tick()
    expect([changes, route.paused]).toEqual([[], 'legacy fails as well'])
  })

  it('need more evidence where other replicas decide as well', () => {
    const badUntil = (replicas: number): number => {
      const { both, changes, known } = judge({})
      known.replicas = replicas
      let bad = 0
      while (changes.length === 0) both(1, ++bad && 1)
      return bad
    }
    expect(badUntil(100)).toBeGreaterThan(badUntil(1))
  })

  /** Legacy was quick; then the Controller is slow, and legacy is asked by copies, if at all. */
  const slow = (state: RouteState, ofCopies: number | undefined): Judged => {
    const judged = judge({ rollback, state })
    const { route, answer, automatic, tick } = judged
    for (let at = 0; at < 100; at++) answer(route.legacy, false, 10)
    tick()
    for (let at = 0; at < 120; at++) {
      answer(route.native, false, 1000)
      if (ofCopies !== undefined && at % 4 === 3)
        automatic.legacyAnswered(route, { isFailure: false, ms: ofCopies })
    }
    tick()
    return judged
  }

  it.each(['native', 'canary 100%'] as const)(
    'take a slow Controller back under %s where copies show that legacy is quick, and not where both are slow',
    (state) => {
      expect(slow(state, 12).changes).toEqual(['legacy'])
      const both = slow(state, 1000)
      expect([both.changes, both.route.paused]).toEqual([[], undefined])
    },
  )

  it('take a slow Controller back by what clients get of legacy, however slow that answers copies', () => {
    const judged = judge({ rollback: { ...rollback, minTimings: 40 } })
    const { route, answer, automatic, changes, tick } = judged
    for (let at = 0; at < 100; at++) answer(route.legacy, false, 10)
    tick()
    for (let at = 0; at < 50; at++) {
      judged.both(1, 0, 0, [10, 1000])
      for (let copy = 0; copy < 9; copy++) automatic.legacyAnswered(route, { isFailure: false, ms: 1000 })
    }
    tick()
    expect(changes).toEqual(['legacy'])
  })

  it('of slow answers alone take nothing back where legacy cannot be asked, and say so once', () => {
    const { changes, route, tick, answer, logged } = slow('native', undefined)
    expect(changes).toEqual([])
    expect(route.paused).toMatch(/^its p99 is 1000 ms, more than 110 ms, .*; legacy gets no requests/)
    // Another figure is the same reason.
    for (let at = 0; at < 20; at++) answer(route.native, false, 1500)
    tick()
    expect(route.paused).toMatch(/^its p99 is 1500 ms/)
    expect(logged.filter((line) => line.includes('legacy gets no requests'))).toHaveLength(1)
    for (let at = 0; at < 600; at++) answer(route.native, false, 10)
    tick()
    expect(route.paused).toBeUndefined()
  })

  it('of slow answers alone take nothing back, whatever has failed before them', () => {
    const { route, known, answer, changes, tick } = judge({
      rollback: { ...rollback, window: 20 },
      state: 'native',
    })
    for (let at = 0; at < 100; at++) answer(route.legacy, false, 10)
    tick()
    known.isProbing = true
    for (let at = 0; at < 200; at++) answer(route.native, true, 10)
    for (let at = 0; at < 120; at++) answer(route.native, false, 1000)
    known.isProbing = false
    tick(5000)
    expect([changes, route.paused]).toEqual([[], expect.stringContaining('its p99 is 1000 ms')])
  })

  it('of slow answers are no reason to wait while legacy has a copy, which may be as slow', () => {
    const { route, known, answer, tick } = judge({ rollback, state: 'native' })
    for (let at = 0; at < 100; at++) answer(route.legacy, false, 10)
    tick()
    known.isProbing = true
    for (let at = 0; at < 120; at++) answer(route.native, false, 1000)
    tick()
    expect(route.paused).toBeUndefined()
    known.isProbing = false
    tick()
    expect(route.paused).toMatch(/legacy gets no requests/)
  })

  it('tell what has differed most often, of those with a remedy before others', () => {
    const judged = judge({ rollback })
    const at = '2030-01-01T00:00:00.000Z'
    const one = { what: 'header', method: 'GET', target: '/x', firstAt: at, lastAt: at } as const
    judged.open.push(
      { ...one, name: 'x-a', place: 'header x-a', count: 1 },
      { ...one, name: 'x-b', place: 'header x-b', count: 9 },
      { ...one, name: 'x-c', place: 'header x-c', count: 9, remedy: 'mend it' },
    )
    judged.compare(50, 50)
    expect(judged.reasons).toEqual([expect.stringContaining('(header x-c; remedy: mend it)')])
  })

  it('have legacy asked from the first slow answer of a native route on', () => {
    const { route, answer, tick } = judge({ rollback, state: 'native' })
    for (let at = 0; at < 100; at++) answer(route.legacy, false, 10)
    tick()
    answer(route.native, false, 109)
    expect(route.isAlarmed).toBe(false)
    answer(route.native, false, 111)
    expect(route.isAlarmed).toBe(true)
  })

  it('wait for a copy that legacy has not answered: it may fail as well', () => {
    const { route, answer, changes, known, tick } = judge({ rollback, state: 'native' })
    for (let at = 0; at < 100; at++) answer(route.legacy)
    known.isProbing = true
    for (let at = 0; at < 50; at++) answer(route.native, true)
    tick(5000)
    expect(changes).toEqual([])
    known.isProbing = false
    tick()
    expect(changes).toEqual(['legacy'])
  })

  describe('of all replicas', () => {
    const counted = (counts: Partial<Counts>): Counts => ({ ...noCounts(), ...counts })
    const well = { native: 200, legacy: 200, compared: 200 }

    it('lead a plan up where this one has no answers of its own', () => {
      const { changes, known, tick } = judge({ plan, state: 'canary 10%' })
      known.fleet = counted(well)
      known.compared = 0
      tick(61_000)
      expect(changes).toEqual(['canary 50%'])
    })

    it.each<[string, Partial<Counts>, string | undefined]>([
      ['failures', { nativeBad: 20 }, '10.0% of 200 answers have failed, more than 5.0%: a step needs'],
      [
        'differences',
        { different: 20 },
        '10.0% of 200 compared answers differ, more than 5.0%: a step needs',
      ],
      [
        'slow answers',
        { nativeSlow: 20 },
        '10.0% of 200 answers were slower than those of legacy may be, more than 0.5%: a step needs',
      ],
      ['too few of them', { native: 99 }, undefined],
      ['none that was compared', { compared: 0 }, 'no answers were compared'],
    ])('keep a plan where it is, whatever this one has seen: %s', (_name, some, why) => {
      const { both, changes, known, route, tick } = judge({ rollback, plan, state: 'canary 10%' })
      known.fleet = counted({ ...well, ...some })
      known.compared = 0
      both(90, 0)
      tick(61_000)
      expect(changes).toEqual([])
      expect(route.paused).toEqual(why === undefined ? undefined : expect.stringContaining(why))
    })

    it('lead a plan up whatever was bad in a few answers of this one, long ago', () => {
      const { both, changes, known, tick } = judge({ rollback, plan, state: 'canary 10%' })
      both(5, 1)
      known.fleet = counted({ ...well, nativeBad: 1 })
      tick(61_000)
      expect(changes).toEqual(['canary 50%'])
    })

    it('keep a plan where it is for a difference that another replica has found', () => {
      const { changes, known, route, tick } = judge({ plan, state: 'canary 10%' })
      known.fleet = counted(well)
      known.openElsewhere = 2
      tick(61_000)
      expect([changes, route.paused]).toEqual([
        [],
        '2 differences are open in another replica, whose status() names them',
      ])
    })

    it('take a route back by what no replica has seen alone', () => {
      const { automatic, changes, known, route } = judge({ state: 'canary 10%' })
      known.replicas = 3
      const pairs = Array.from({ length: 4 }, () => {
        const test = new PairTest()
        for (let at = 0; at < 50; at++) test.add('legacy', false)
        test.clear()
        for (let at = 0; at < 4; at++) test.addBlock({ native: 1, nativeBad: 1, legacy: 9, legacyBad: 0 })
        return test.takeFactors().map((one) => Math.floor(one * 1000))
      })
      for (const [errors0, errors1, errors2] of pairs) {
        const counts = {
          native: 4,
          nativeBad: 4,
          legacy: 36,
          errors0: errors0!,
          errors1: errors1!,
          errors2: errors2!,
        }
        route.evidence.joint.take(counted(counts), 0.05)
        automatic.fleetCounted([route])
        if (changes.length > 0) break
      }
      expect(changes).toEqual(['legacy'])
    })

    it('take no route back by differences that were forgotten', () => {
      const { automatic, changes, known, route } = judge({ state: 'canary 10%' })
      known.replicas = 3
      route.evidence.joint.take(counted({ native: 50, compared: 50, different: 50 }), 0.05)
      route.evidence.compared(true, 0.05)
      route.forgetDifferences()
      automatic.fleetCounted([route])
      expect(changes).toEqual([])
      // For a step of a plan, neither; nor are others told of those that they do not know.
      expect(route.evidence.joint.sums).toEqual(counted({ native: 50 }))
      expect(route.evidence.joint.recent.compared.last.count).toBe(0)
      expect(route.takeCounts()).toEqual(counted({}))
      route.evidence.joint.take(counted({ compared: 50, different: 50 }), 0.05)
      automatic.fleetCounted([route])
      expect(changes).toEqual(['legacy'])
    })

    it('begin again with another state, but for what is known of legacy', () => {
      const { enter, route } = judge({ state: 'canary 10%' })
      const bad = { legacy: 40, legacyBad: 20, native: 40, nativeBad: 40, nativeSlow: 40 }
      route.evidence.joint.take(counted({ ...bad, compared: 40, different: 40 }), 0.05)
      enter('canary 60%')
      const { legacy, native, slow: slowly, compared } = route.evidence.joint.recent
      expect([legacy, native, slowly, compared].map(({ last }) => last.rate)).toEqual([0.5, 0, 0, 0])
    })

    it('are asked for at once where the answers of this one are suspicious, and not before', () => {
      const { both, known } = judge({ state: 'canary 50%' })
      known.replicas = 100
      both(20, 0)
      expect(known.urged).toBe(0)
      both(6, 6)
      expect(known.urged).toBeGreaterThan(0)
    })
  })

  it('count one answer of a client in ten seconds', () => {
    const { automatic, both, changes, route } = judge({})
    both(20, 0)
    for (let at = 0; at < 30; at++) automatic.answered(route, route.native, { isFailure: true, ms: 1 }, false)
    for (let at = 0; at < 30; at++) automatic.compared(route, true, false)
    expect(changes).toEqual([])
  })

  it('begin again with another state', () => {
    const { both, compare, changes, enter } = judge({ rollback: { minSamples: 20 } })
    both(19, 19)
    compare(19, 19)
    enter('canary 60%')
    both(1, 1)
    compare(1, 1)
    expect(changes).toEqual([])
  })

  it('say nothing of another state by what they were: neither by their evidence, nor by an alarm or a reason to wait', () => {
    const { both, changes, enter } = judge({ rollback: { minSamples: 40 } })
    both(39, 39)
    enter('canary 60%')
    both(40, 4)
    expect(changes).toEqual([])

    const alarmed = judge({ state: 'native' })
    alarmed.answer(alarmed.route.native, true)
    expect(alarmed.route.isAlarmed).toBe(true)
    alarmed.enter('legacy')
    expect(alarmed.route.isAlarmed).toBe(false)

    const waiting = judge({ plan: { minutes: 0, answers: 0 } })
    waiting.known.compared = 0
    waiting.tick()
    expect(waiting.route.paused).toMatch(/^no answers were compared/)
    waiting.enter('legacy')
    expect(waiting.route.paused).toBeUndefined()
  })

  it('say nothing any more once they are forgotten, or another state begins', () => {
    const rollback = { minSamples: 5 }
    const differing = judge({ rollback, state: 'shadow' })
    differing.compare(30, 30)
    differing.enter('canary 50%')
    expect(differing.route.differenceRate).toBe(1)
    differing.route.forgetDifferences()
    expect(differing.route.differenceRate).toBe(0)
    differing.automatic.compared(differing.route, false, true)
    for (let bad = 0; bad < 30 && differing.changes.length === 0; bad++)
      differing.automatic.compared(differing.route, true, true)
    const { count, rate } = differing.route.differs
    expect([count, rate]).toEqual([0, 0])
    const [, share, of] = /^([\d.]+)% of (\d+) compared answers/.exec(differing.reasons[0]!)!
    expect(share).toBe(((100 * (Number(of) - 1)) / Number(of)).toFixed(1))
    expect(Number(of)).toBeLessThan(20)

    const failing = judge({ rollback, state: 'shadow' })
    for (let at = 0; at < 30; at++) failing.route.native.add(true)
    failing.route.native.timings.add(1000)
    failing.enter('canary 50%')
    expect(failing.route.native.status()).toMatchObject({ failureRate: 0, p99Ms: undefined })
    failing.both(5, 0)
    for (let bad = 0; bad < 30 && failing.changes.length === 0; bad++) failing.both(1, 1)
    const [, failed, answers] = /^([\d.]+)% of (\d+) /.exec(failing.reasons[0]!)!
    expect(failed).toBe(((100 * (Number(answers) - 5)) / Number(answers)).toFixed(1))
    expect(Number(answers)).toBeLessThan(20)
  })

  it('of copies alone take nothing back: under shadow clients get what legacy answers', () => {
    const { compare, changes, tick } = judge({ rollback, state: 'shadow' })
    compare(200, 200)
    tick()
    expect(changes).toEqual([])
  })

  it('of a steady state are those of one answer in eight, and of each for half a minute after a 5xx', () => {
    const { route, automatic, tick } = judge({ rollback, state: 'native' })
    // The first one tells at once how the state goes.
    expect(judge({ rollback, state: 'native' }).route.isWatched()).toBe(true)
    const watched = (): number => Array.from({ length: 80 }, () => route.isWatched()).filter(Boolean).length
    expect(watched()).toBe(10)
    automatic.answered(route, route.legacy, { isFailure: true, ms: 1 }, true)
    expect(watched()).toBe(10)
    automatic.answered(route, route.native, { isFailure: true, ms: 1 }, true)
    expect(watched()).toBe(80)
    tick(29_000)
    expect(watched()).toBe(80)
    tick(2000)
    expect(watched()).toBe(10)
  })
})

describe('a plan leads up', () => {
  const plan = { steps: [10, 50, 100], minutes: 2, samples: 50 }

  it('after all of its time and all of its answers, of each step', () => {
    const { both, changes, tick } = judge({ plan, state: 'canary 10%' })
    both(50, 0)
    tick(119_000)
    expect(changes).toEqual([])
    tick(2000)
    expect(changes).toEqual(['canary 50%'])
    // What was answered under the step before says nothing of this one.
    both(49, 0)
    tick(130_000)
    expect(changes).toEqual(['canary 50%'])
    both(1, 0)
    tick()
    expect(changes).toEqual(['canary 50%', 'canary 100%'])
  })

  it('by the time since the state was set, and says what it has seen', () => {
    const { route, both, changes, reasons, tick } = judge({ plan, state: 'canary 10%' })
    tick(600_000)
    route.since += 600_000
    both(50, 0)
    tick(60_000)
    expect(changes).toEqual([])
    tick(61_000)
    expect(changes).toEqual(['canary 50%'])
    expect(reasons).toEqual(['50 answers at 10% in 2 min were well'])
  })

  it('and says the seconds of a step that was shorter than a minute', () => {
    const { both, reasons, tick } = judge({ plan: { ...plan, minutes: 0.25 }, state: 'canary 10%' })
    both(50, 0)
    tick(20_000)
    expect(reasons).toEqual(['50 answers at 10% in 20 s were well'])
  })

  it('where nothing is taken back, whatever the answers are', () => {
    const { both, compare, changes, tick } = judge({ rollback: false, plan, state: 'canary 10%' })
    both(512, 512, 0, [10, 1000])
    compare(50, 50)
    tick(121_000)
    expect(changes).toEqual(['canary 50%'])
  })

  it('from a share that is none of its steps to the next one', () => {
    const { both, changes, tick } = judge({ plan, state: 'canary 30%' })
    both(50, 0)
    tick(121_000)
    expect(changes).toEqual(['canary 50%'])
  })

  it.each<[readonly string[], string[]]>([
    [['/y', '/x'], ['canary 50%']],
    [['GET /x'], ['canary 50%']],
    [['*'], ['canary 50%']],
    [['/y', 'POST /x'], []],
    [[], []],
  ])('the routes that it is for: %j', (routes, led) => {
    const { both, changes, tick } = judge({ plan: { ...plan, routes }, state: 'canary 10%' })
    both(50, 0)
    tick(121_000)
    expect(changes).toEqual(led)
  })

  it('no route of which a setting cannot be read: it may be to take it back', () => {
    const { both, changes, tick, enter } = judge({ plan, state: 'canary 10%' })
    both(50, 0)
    enter('canary 10%', 'GET /x')
    tick(121_000)
    expect(changes).toEqual([])
    enter('canary 10%')
    tick()
    expect(changes).toEqual(['canary 50%'])
  })

  it('nothing of which no answers were compared, or with differences that are open, and says so', () => {
    const judged = judge({ plan, state: 'canary 10%' })
    judged.both(50, 0)
    judged.known.compared = 0
    judged.tick(121_000)
    expect(judged.route.paused).toMatch(/^no answers were compared/)
    // Before the state was set.
    judged.known.compared = judged.route.comparedBefore = 5
    judged.tick()
    expect(judged.route.paused).toMatch(/^no answers were compared/)
    judged.known.compared = 6
    const at = '2030-01-01T00:00:00.000Z'
    judged.open.push({
      what: 'status',
      place: 'status 200 404',
      legacy: '200',
      native: '404',
      method: 'GET',
      target: '/x',
      count: 1,
      firstAt: at,
      lastAt: at,
    })
    judged.tick()
    expect(judged.route.paused).toMatch(/^1 differences are open \(status 200 → 404\)/)
    expect(judged.changes).toEqual([])
    judged.open.length = 0
    judged.tick()
    expect([judged.changes, judged.route.paused]).toEqual([['canary 50%'], undefined])
  })
})
