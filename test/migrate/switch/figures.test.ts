// The figures by which the switch decides, each alone: by how much a Controller is worse, and what replicas tell one another.
import { Controller } from 'routecontrollers'
import type { Exchange, RunnableController } from 'routecontrollers/introspection'
import type { Keeping } from '../../../packages/switch/src/shadow/copies.js'
import { noShadow, Shadow, type ShadowParts } from '../../../packages/switch/src/shadow/shadow.js'
import {
  AutomaticChanges,
  type AutomaticChangesParts,
} from '../../../packages/switch/src/states/automatic-changes.js'
import { enoughFor } from '../../../packages/switch/src/states/decision/alarm-rate.js'
import { type Counts, countsSince, noCounts } from '../../../packages/switch/src/states/decision/counts.js'
import { ShareTest } from '../../../packages/switch/src/states/decision/evidence.js'
import {
  type Figures,
  fleetFigures,
  ownFigures,
  slowAbove,
} from '../../../packages/switch/src/states/decision/figures.js'
import { Fleet } from '../../../packages/switch/src/states/decision/fleet.js'
import { Members } from '../../../packages/switch/src/states/decision/members.js'
import type { Clock } from '../../../packages/switch/src/states/clock.js'
import { type MigrationSettings, rollbackDefaults } from '../../../packages/switch/src/states/options.js'
import type { FleetView } from '../../../packages/switch/src/states/schema.js'
import { checkState } from '../../../packages/switch/src/states/states.js'
import { type Side, SwitchedRoute } from '../../../packages/switch/src/states/switched-route.js'
import { until } from './shop.js'

const rollback = { ...rollbackDefaults, minTimings: 10 }

function routeAt(state = 'canary 50%', path = '/a'): SwitchedRoute {
  const controller = new Controller('GET', path, () => 'a') as unknown as RunnableController
  return new SwitchedRoute(controller, checkState('a test', state), 100, true)
}

/** Notes answers of one side, of which the last ones have failed. */
function answer(side: Side, well: number, failed: number): void {
  for (let at = 0; at < well; at++) side.add(false)
  for (let at = 0; at < failed; at++) side.add(true)
}

function fill<One>(count: number, call: () => One): void {
  for (let at = 0; at < count; at++) call()
}

describe('the last answers of a process', () => {
  it('are worse by the latest of them, which tell first of a Controller that has begun to fail', () => {
    const route = routeAt()
    answer(route.native, 90, 4)
    // 4 of 94 are few, and 4 of the latest 20 are many.
    expect(ownFigures(route, rollback).measure('errors', 1)).toEqual({
      cause: 'errors',
      measured: 0.2,
      limit: 0.05,
      answers: 20,
    })
    // What a share goes up by is the whole window.
    expect(ownFigures(route, rollback).measure('errors', 2)).toMatchObject({ answers: 94, limit: 0.025 })
    for (const isDifferent of [false, true]) {
      fill(isDifferent ? 4 : 90, () => {
        route.differs.add(isDifferent)
        route.latestDiffers.add(isDifferent)
      })
    }
    expect(ownFigures(route, rollback).measure('differences', 1)).toMatchObject({
      measured: 0.2,
      answers: 20,
    })
    expect(ownFigures(route, rollback).measure('differences', 2)).toMatchObject({ answers: 94, limit: 0.025 })
  })

  it('are not worse where there are few of them, or legacy fails as often', () => {
    const route = routeAt()
    answer(route.native, 0, 4)
    expect(ownFigures(route, rollback).measure('errors', 1)).toBeUndefined()
    answer(route.native, 0, 1)
    expect(ownFigures(route, rollback).measure('errors', 1)).toMatchObject({ measured: 1, answers: 5 })
    answer(route.legacy, 0, 5)
    expect(ownFigures(route, rollback).measure('errors', 1)).toBeUndefined()
  })

  it('are slow above three times the p99 of legacy, and above 100 ms more', () => {
    const route = routeAt()
    expect(slowAbove(route, rollback, 1)).toBeUndefined()
    fill(9, () => route.legacy.timings.add(10))
    expect(slowAbove(route, rollback, 1)).toBeUndefined()
    fill(1, () => route.legacy.timings.add(10))
    expect([slowAbove(route, rollback, 1), slowAbove(route, rollback, 2)]).toEqual([110, 60])
    fill(10, () => route.native.timings.add(90))
    expect(ownFigures(route, rollback).measure('slow', 1)).toBeUndefined()
    expect(ownFigures(route, rollback).measure('slow', 2)).toEqual({
      cause: 'p99',
      measured: 90,
      limit: 60,
      answers: 10,
    })
    const few = routeAt()
    fill(10, () => few.legacy.timings.add(10))
    fill(30, () => few.native.timings.add(300))
    expect(ownFigures(few, rollback).measure('slow', 1)).toMatchObject({ answers: 10 })
    fill(40, () => few.legacy.timings.add(10))
    expect(ownFigures(few, rollback).measure('slow', 1)).toMatchObject({ answers: 30 })
    const equal = routeAt()
    fill(10, () => equal.legacy.timings.add(10))
    fill(10, () => equal.native.timings.add(110))
    expect(ownFigures(equal, rollback).measure('slow', 1)).toBeUndefined()
    const slow = routeAt()
    fill(10, () => slow.legacy.timings.add(1000))
    expect(slowAbove(slow, rollback, 1)).toBe(3000)
  })
})

describe('an outage', () => {
  const sides: readonly (readonly [legacy: number, native: number, isOutage: boolean])[] = [
    [1, 1, true],
    [1, 0, false],
    [0, 1, false],
    [0, 0, false],
  ]

  it.each(sides)(
    'of this process: legacy fails %d of 1, the Controller %d of 1: %s',
    (legacy, native, is) => {
      const route = routeAt()
      answer(route.legacy, 10 * (1 - legacy), 10 * legacy)
      answer(route.native, 10 * (1 - native), 10 * native)
      expect(ownFigures(route, rollback).isOutage).toBe(is)
    },
  )

  it.each(sides)(
    'of all replicas: legacy fails %d of 1, the Controller %d of 1: %s',
    (legacy, native, is) => {
      const route = routeAt()
      const counts = { native: 10, nativeBad: 10 * native, legacy: 10, legacyBad: 10 * legacy }
      route.evidence.joint.take({ ...noCounts(), ...counts }, 1)
      expect(fleetFigures(route, rollback).isOutage).toBe(is)
    },
  )
})

describe('the answers of all replicas', () => {
  const counts = { native: 100, legacy: 100, compared: 100 }
  const figures = (more: object, isOfStep = false): Figures => {
    const route = routeAt()
    const all = { ...noCounts(), ...counts, ...more }
    if (!isOfStep) route.evidence.joint.take(all, 1)
    return fleetFigures(route, rollback, isOfStep ? all : undefined)
  }

  it.each([false, true])('are compared with those of legacy (of a step: %s)', (isOfStep) => {
    const bad = { nativeBad: 12, legacyBad: 4, different: 8 }
    expect(figures(bad, isOfStep).measure('errors', 1)).toEqual({
      cause: 'errors',
      measured: expect.closeTo(0.12, 9) as number,
      limit: 0.09,
      answers: isOfStep ? 100 : 20,
    })
    expect(figures({ ...bad, nativeBad: 8 }, isOfStep).measure('errors', 1)).toBeUndefined()
    expect(figures({ ...bad, nativeBad: 8 }, isOfStep).measure('errors', 2)).toMatchObject({ measured: 0.08 })
    expect(figures(bad, isOfStep).measure('differences', 1)).toMatchObject({
      cause: 'differences',
      measured: 0.08,
      limit: 0.05,
    })
    expect(figures({ ...bad, different: 4 }, isOfStep).measure('differences', 1)).toBeUndefined()
    expect(figures({ ...bad, different: 4 }, isOfStep).measure('differences', 2)).toMatchObject({
      limit: 0.025,
    })
  })

  it('are slow where more than one of a hundred is, or more than of legacy', () => {
    expect(figures({ nativeSlow: 1 }).measure('slow', 1)).toBeUndefined()
    expect(figures({ nativeSlow: 2 }).measure('slow', 1)).toMatchObject({ measured: 0.02, limit: 0.01 })
    expect(figures({ nativeSlow: 5, legacySlow: 5 }, true).measure('slow', 1)).toBeUndefined()
    expect(figures({ nativeSlow: 6, legacySlow: 5 }, true).measure('slow', 1)).toMatchObject({ limit: 0.05 })
  })
})

it('the answers of all replicas are compared with those of legacy to this one, where legacy has told of none', () => {
  const route = routeAt()
  answer(route.legacy, 9, 1)
  route.evidence.joint.take({ ...noCounts(), native: 100, nativeBad: 30 }, 1)
  expect(fleetFigures(route, rollback).measure('errors', 1)?.limit).toBeCloseTo(0.15, 9)
  route.evidence.joint.take({ ...noCounts(), legacy: 100 }, 1)
  expect(fleetFigures(route, rollback).measure('errors', 1)?.limit).toBeCloseTo(0.05, 9)
})

it('how slow all replicas are is one evidence of its own', () => {
  const { evidence } = routeAt()
  evidence.joint.take({ ...noCounts(), slow0: 1000, slow1: 1000, slow2: 1000 }, 1)
  expect(evidence.joint.slow.log).toBeCloseTo(Math.log(0.4) + 1, 9)
  expect(evidence.joint.errors.log).toBe(-Infinity)
})

describe('the rate of false alarms', () => {
  const plan = { falseAlarmRate: 0.01, states: 4, measure: 'errors' as const }

  it('is for what one process has seen, where there is one', () => {
    expect(enoughFor({ ...plan, replicas: 1 })).toEqual({ own: Math.log(800), joint: Infinity })
    expect(enoughFor({ ...plan, measure: 'slow', replicas: 1 }).own).toBeCloseTo(Math.log(1600), 9)
  })

  it('is for the most part for what all have seen, where there are several', () => {
    const { own, joint } = enoughFor({ ...plan, replicas: 2 })
    expect([own, joint]).toEqual([
      expect.closeTo(Math.log(800 * 5 * 2), 9),
      expect.closeTo(Math.log((800 / 0.8) * 2), 9),
    ])
  })
})

it('what was counted between two sums is their difference, and nothing in a store that has lost some', () => {
  const sum = (native: number): Counts => ({ ...noCounts(), native, errors0: 10 * native })
  expect(countsSince(sum(3), sum(5))).toEqual(sum(2))
  expect(countsSince(sum(5), sum(3))).toEqual(noCounts())
  expect(countsSince({ ...sum(3), different: 400, legacy: 1 }, { ...sum(5), different: 400 })).toEqual(
    noCounts(),
  )
})

/** A clock that a test sets. */
function settableClock(): Clock & { ms: number } {
  const clock = {
    ms: 1_000_000,
    now: () => clock.ms,
    monotonic: () => clock.ms,
    every: () => () => {},
    after: () => () => {},
  }
  return clock
}

const settingsOf = (more: object): MigrationSettings =>
  ({ replica: 'a', appVersion: '1', rollback, ...more }) as unknown as MigrationSettings

describe('what replicas tell of themselves', () => {
  const told = (name: string, routes: readonly SwitchedRoute[], openHere: number): string =>
    new Members(settingsOf({ replica: name }), settableClock()).tell(routes, 7, () => openHere)

  it('has the differences that are open elsewhere, and not those of this one', () => {
    const members = new Members(settingsOf({}), settableClock())
    const routes = [routeAt()]
    const own = members.tell(routes, 7, () => 5)
    members.take(new Map([['a', own]]))
    expect(members.openDifferences('GET /a')).toBe(0)
    members.take(
      new Map([
        ['a', own],
        ['b', told('b', routes, 3)],
        ['c', told('c', routes, 2)],
      ]),
    )
    expect([members.openDifferences('GET /a'), members.openDifferences('GET /b')]).toEqual([3, 0])
  })

  it('names one that has been in other states for three seconds, and none that has other routes', () => {
    const clock = settableClock()
    const members = new Members(settingsOf({}), clock)
    const own = members.tell([routeAt('legacy')], 7, () => 0)
    const take = (): (readonly [string, boolean])[] => {
      members.take(
        new Map([
          ['a', own],
          ['b', told('b', [routeAt('native')], 0)],
          ['c', told('c', [routeAt('native', '/c')], 0)],
          ['d', 'no JSON'],
        ]),
      )
      return members.status().map(({ replica, disagrees }) => [replica, disagrees] as const)
    }
    const of = (isOther: boolean): unknown => [
      ['a', false],
      ['b', isOther],
      ['c', false],
    ]
    expect(take()).toEqual(of(false))
    clock.ms += 2999
    expect(take()).toEqual(of(false))
    clock.ms += 1
    expect(take()).toEqual(of(true))
  })
})

describe('what is changed without a user', () => {
  const begin = (more: Partial<AutomaticChangesParts> = {}) => {
    const clock = settableClock()
    const changed: string[] = []
    const reasons: string[] = []
    const lines: string[] = []
    const automatic = new AutomaticChanges({
      settings: settingsOf({
        plan: { steps: [60], minutes: 0, answers: 1, routes: ['*'] },
        logger: { info() {}, warn: (line: string) => void lines.push(line), error() {} },
      }),
      clock,
      // A store may not have it yet.
      change: (_route, state, { by, reason }) => {
        changed.push(`${state} by ${by}`)
        reasons.push(reason)
      },
      mayLeadUp: () => true,
      differences: () => [],
      compared: () => 10,
      canProbe: () => false,
      isProbing: () => false,
      openElsewhere: () => 0,
      replicas: () => 1,
      fleet: () => undefined,
      urge() {},
      rolledBack() {},
      ...more,
    })
    const route = routeAt()
    route.native.watched = 10
    return { automatic, clock, route, changed, reasons, lines }
  }

  it('is a step of a plan, and none with one difference that is open in another replica', () => {
    const alone = begin()
    alone.automatic.tick([alone.route])
    expect(alone.changed).toEqual(['canary 60% by plan'])
    const other = begin({ openElsewhere: () => 1 })
    other.automatic.tick([other.route])
    expect([other.changed, other.route.paused]).toEqual([
      [],
      '1 differences are open in another replica, whose status() names them',
    ])
  })

  it('is told once where it waits for one reason, whatever its number', () => {
    let open = 1
    const { automatic, route, lines } = begin({ openElsewhere: () => open })
    for (open of [1, 2, 12]) automatic.tick([route])
    expect(route.paused).toMatch(/^12 differences/)
    expect(lines).toEqual([expect.stringMatching(/GET \/a waits at canary 50%: 1 differences/)])
  })

  it('is a step of a plan where answers were slow once, and their times do not say so', () => {
    const { automatic, changed } = begin()
    const route = routeAt('canary 100%')
    route.native.watched = 10
    fill(50, () => route.evidence.alone.slow.add(true, 0.05))
    automatic.tick([route])
    expect(changed).toEqual(['native by plan'])
  })

  it('is no step of a plan that another replica leads, or that cannot be read, or is for other routes', () => {
    const other = begin({ mayLeadUp: () => false })
    other.automatic.tick([other.route])
    const held = begin()
    held.route.heldBy = 'GET /A'
    held.automatic.tick([held.route])
    expect([other.changed, held.changed]).toEqual([[], []])
  })

  it('is a rollback, from which on no plan leads the route up until it has cooled down', () => {
    const differences = [{ what: 'status', legacy: '200', native: '500', count: 1 }] as never
    const { automatic, clock, route, changed, reasons } = begin({ differences: () => differences })
    for (let at = 0; changed.length === 0 && at < 50; at++) {
      automatic.answered(route, route.legacy, { isFailure: false, ms: 1 }, true)
      route.native.add(true)
      automatic.answered(route, route.native, { isFailure: true, ms: 1 }, true)
    }
    expect(changed).toEqual(['legacy by rollback'])
    // What differs is no reason for it.
    expect(reasons).toEqual([expect.stringMatching(/^100\.0% of \d+ answers have failed, more than 5\.0%$/)])
    ;(differences as unknown[]).length = 0
    route.native.clear()
    route.evidence.clear()
    changed.length = 0
    clock.ms += rollback.coolDownMs - 1
    automatic.tick([route])
    expect(changed).toEqual([])
    clock.ms += 1
    automatic.tick([route])
    expect(changed).toEqual(['canary 60% by plan'])
  })
})

describe('what is noted of a route', () => {
  const begin = (more: Partial<AutomaticChangesParts> = {}): AutomaticChanges =>
    new AutomaticChanges({
      ...{ settings: settingsOf({}), clock: settableClock(), replicas: () => 1, fleet: () => undefined },
      ...{ canProbe: () => false, isProbing: () => false, urge() {} },
      ...more,
    } as AutomaticChangesParts)

  it('has copies among the answers of legacy where no client gets one of those', () => {
    const [shared, native] = [routeAt(), routeAt('native')]
    for (const route of [shared, native]) begin().legacyAnswered(route, { isFailure: true, ms: 1 })
    expect([shared, native].map(({ legacy }) => [legacy.failed.count, legacy.failed.rate])).toEqual([
      [0, 0],
      [1, 1],
    ])
  })

  it('has how many answers were compared, and how many of them differed', () => {
    const route = routeAt()
    for (const isDifferent of [true, false]) begin().compared(route, isDifferent, true)
    expect([route.allCompared, route.allDifferent]).toEqual([2, 1])
  })
})

it('whether legacy fails as well is asked of each route ten times a second at most', () => {
  const clock = settableClock()
  const asked: string[] = []
  const [one, other] = [routeAt('native'), routeAt('native', '/b')]
  const settings = { queue: 1, unsafe: [], exclude: [], ignoreHeaders: [], redact: [] }
  const copies = { keep: ({ path }: Exchange) => void asked.push(`${path} ${clock.ms}`) }
  const shadow = new Shadow({ settings, copies, clock } as unknown as ShadowParts)
  const capture = (route: SwitchedRoute, path: string): void =>
    shadow.capture(route, true, { method: 'GET', path } as Exchange, { counts: true, isProbe: true })
  for (const ms of [0, 50, 99, 100, 150, 250]) {
    clock.ms = ms
    capture(one, '/a')
    if (ms === 50) capture(other, '/b')
  }
  expect(asked).toEqual(['/a 0', '/b 50', '/a 100', '/a 250'])
})

it('legacy is being asked until it has answered all copies that it has', async () => {
  const clock = settableClock()
  const ends: ((answer: string) => void)[] = []
  const kept = {
    ...{ bytes: 0, request: {}, answer: { status: 200, headers: new Map(), body: '' } },
    ask: () => new Promise((resolve) => ends.push(resolve)),
  }
  const copies = {
    keep: (_exchange: Exchange, _first: string, { done }: Keeping) => void done(kept as never),
  }
  const settings = { queue: 9, unsafe: [], exclude: [], ignoreHeaders: [], redact: [], timeoutMs: 1000 }
  const parts = { settings, copies, clock, legacyAnswered() {} }
  const shadow = new Shadow(parts as unknown as ShadowParts)
  const route = routeAt('native')
  for (clock.ms of [0, 100, 200])
    shadow.capture(route, true, { method: 'GET', path: '/a' } as Exchange, { counts: true, isProbe: true })
  const seen: boolean[] = [shadow.isProbing(route)]
  for (const end of ends) {
    end('closed')
    await new Promise(setImmediate)
    seen.push(shadow.isProbing(route))
  }
  expect([seen, shadow.isProbing(routeAt('native'))]).toEqual([[true, true, true, false], false])
})

it.each([
  ['an answer', { answer: { status: 200, headers: new Map(), body: '' }, isTagged: false, missed: [] }, 1],
  ['none', 'failed', 0],
])('what a copy has taken is counted where it has %s', async (_what, asked, count) => {
  const kept = {
    ...{ bytes: 0, request: { headers: {} }, answer: { status: 200, headers: new Map(), body: '' } },
    ask: () => Promise.resolve(asked),
  }
  const copies = {
    keep: (_exchange: Exchange, _first: string, { done }: Keeping) => void done(kept as never),
  }
  const settings = { queue: 9, unsafe: [], exclude: [], ignoreHeaders: [], redact: [], timeoutMs: 60_000 }
  const parts = { settings, copies, clock: settableClock(), legacyAnswered() {} }
  const shadow = new Shadow(parts as unknown as ShadowParts)
  const route = routeAt('native')
  const how = { counts: true, isProbe: true }
  shadow.capture(route, true, { method: 'GET', path: '/a' } as Exchange, how)
  await shadow.close()
  expect(route.copyTimes.count).toBe(count)
})

it.each([
  [499, false],
  [500, true],
  [503, true],
])('legacy has failed at a copy where it has answered %d: %p', async (status, isFailure) => {
  const answer = { status: 200, headers: new Map(), body: '' }
  const kept = {
    ...{ bytes: 0, request: { headers: {} }, answer },
    ask: () => Promise.resolve({ answer: { ...answer, status }, isTagged: false, missed: [] }),
  }
  const copies = {
    keep: (_exchange: Exchange, _first: string, { done }: Keeping) => void done(kept as never),
  }
  const settings = { queue: 9, unsafe: [], exclude: [], ignoreHeaders: [], redact: [], timeoutMs: 60_000 }
  const legacyAnswered = jest.fn()
  const parts = { settings, copies, clock: settableClock(), legacyAnswered }
  const shadow = new Shadow(parts as unknown as ShadowParts)
  const route = routeAt('native')
  shadow.capture(route, true, { method: 'GET', path: '/a' } as Exchange, { counts: true, isProbe: true })
  await shadow.close()
  expect(legacyAnswered.mock.calls).toEqual([[route, { isFailure, ms: 0 }]])
})

it.each([
  ['GET', true],
  ['HEAD', true],
  ['OPTIONS', false],
  ['POST', false],
  ['PUT', false],
  ['PATCH', false],
  ['DELETE', false],
  ['QUERY', false],
])('%s is copied without being named as unsafe: %p', (method, isCopied) => {
  const keep = jest.fn()
  const settings = { queue: 9, share: 1, unsafe: [], exclude: [], ignoreHeaders: [], redact: [] }
  const shadow = new Shadow({
    settings,
    copies: { keep },
    clock: settableClock(),
  } as unknown as ShadowParts)
  const how = { counts: true, isProbe: false }
  shadow.capture(routeAt('shadow'), false, { method, path: '/a' } as Exchange, how)
  expect(keep).toHaveBeenCalledTimes(isCopied ? 1 : 0)
})

it('an event stream is not compared, and counts for nothing', () => {
  const copies = { keep: (_exchange: Exchange, _first: string, { done }: Keeping) => done('stream') }
  const settings = { queue: 9, share: 1, unsafe: [], exclude: [], ignoreHeaders: [], redact: [] }
  const shadow = new Shadow({ settings, copies, clock: settableClock() } as unknown as ShadowParts)
  const route = routeAt('shadow')
  const how = { counts: true, isProbe: false }
  shadow.capture(route, false, { method: 'GET', path: '/a' } as Exchange, how)
  expect([shadow.status(), shadow.ofRoute(route).dropped]).toEqual([noShadow, 0])
})

it('what waits to be compared is compared in the order in which it came', async () => {
  const asked: string[] = []
  const ends: (() => void)[] = []
  const copies = {
    keep({ path }: Exchange, _first: string, { done }: Keeping) {
      const answer = { status: 200, headers: new Map(), body: '' }
      const ask = (): Promise<string> => {
        asked.push(path)
        return new Promise((resolve) => ends.push(() => resolve('failed')))
      }
      done({ bytes: 0, request: {}, answer, ask } as never)
    },
  }
  const settings = {
    ...{ queue: 9, concurrency: 1, share: 1, unsafe: [], exclude: [], ignoreHeaders: [], redact: [] },
    ...{ timeoutMs: 60_000, maxDelayMs: 60_000, maxUtilization: 1 },
  }
  const shadow = new Shadow({ settings, copies, clock: settableClock() } as unknown as ShadowParts)
  const route = routeAt('shadow')
  for (const path of ['/a', '/b', '/c'])
    shadow.capture(route, false, { method: 'GET', path } as Exchange, { counts: true, isProbe: false })
  for (const count of [1, 2, 3]) {
    await until(() => asked.length === count)
    ends.at(-1)!()
  }
  expect(asked).toEqual(['/a', '/b', '/c'])
  await shadow.close()
})

describe('a fleet', () => {
  const view = (more: object = {}): FleetView => ({
    lease: 'a#1',
    leader: 'a',
    isLeader: true,
    members: new Map(),
    counts: new Map(),
    askedAt: new Map(),
    since: 0,
    now: 0,
    ...more,
  })

  it('has as many open differences as the replica that has most of them', async () => {
    const route = routeAt()
    const other = new Members(settingsOf({ replica: 'b' }), settableClock()).tell([route], 1, () => 3)
    let own = 0
    const report = (): Promise<FleetView> => Promise.resolve(view({ members: new Map([['b', other]]) }))
    const fleet = Fleet.of({
      ...{ settings: settingsOf({ store: { name: 'test', report } }), clock: settableClock(), changed() {} },
      ...{ stateVersion: () => 1, openDifferences: () => own },
    })!
    expect(fleet.routeStatus(route)).toBeUndefined()
    fleet.tick([route])
    await new Promise(setImmediate)
    const most: unknown[] = []
    for (own of [0, 3, 5]) most.push(fleet.routeStatus(route)?.openDifferences)
    expect(most).toEqual([3, 3, 5])
  })

  it('is led by no process whose answer was asked for too long ago', async () => {
    const clock = settableClock()
    let answerIt = (_view: FleetView): void => {}
    const report = (): Promise<FleetView> => new Promise((resolve) => (answerIt = resolve))
    const fleet = Fleet.of({
      settings: settingsOf({ store: { name: 'test', report } }),
      clock,
      stateVersion: () => 1,
      openDifferences: () => 0,
      changed() {},
    })!
    const ask = async (takesMs: number): Promise<boolean> => {
      fleet.tick([routeAt()])
      clock.ms += takesMs
      answerIt(view())
      await new Promise(setImmediate)
      return fleet.isLeader
    }
    expect(await ask(3000)).toBe(true)
    expect(fleet.lease).toBe('a#1')
    clock.ms++
    expect([fleet.isLeader, fleet.isKnown, fleet.lease]).toEqual([false, false, undefined])
    // A process that was stopped in between has lost its lease meanwhile.
    expect(await ask(3001)).toBe(false)
    expect(await ask(10)).toBe(true)
  })

  it.each([
    ['the rollback allows', rollback, rollback.differenceRate],
    ['any share, without rollbacks', undefined, 1],
  ])(
    'takes what all have counted since, with as many differences as %s',
    async (_name, settings, allowed) => {
      let counted = 0
      const counts = (): FleetView['counts'] =>
        new Map([
          ['compared GET /a', counted],
          ['different GET /a', counted * 0.4],
          ['allCompared GET /a', counted],
          ['allDifferent GET /a', counted * 0.4],
          ['nativeRequests GET /a', 7],
          ['nativeFailures GET /a', 2],
          ['legacyRequests GET /a', 5],
          ['legacyFailures GET /a', 1],
        ])
      const report = (): Promise<FleetView> => Promise.resolve(view({ counts: counts() }))
      const fleet = Fleet.of({
        settings: settingsOf({ store: { name: 'test', report }, rollback: settings }),
        clock: settableClock(),
        stateVersion: () => 1,
        openDifferences: () => 3,
        changed() {},
      })!
      const route = routeAt()
      // What was counted before this process was there is not of these seconds.
      for (counted of [500, 600]) {
        fleet.tick([route])
        await new Promise(setImmediate)
      }
      const expected = new ShareTest()
      expected.addMany(100, 40, allowed)
      expect(route.evidence.joint.differences.log).toBe(expected.log)
      expect(fleet.routeStatus(route)).toEqual({
        legacy: { requests: 5, failures: 1 },
        native: { requests: 7, failures: 2 },
        compared: 600,
        different: 240,
        openDifferences: 3,
      })
    },
  )
})
