// The parts by which the switch decides, each alone: which clients count, how long a cool-down lasts, what all replicas have counted.
import type { IncomingMessage } from 'node:http'
import { Controller } from 'routecontrollers'
import type { Exchange, RunnableController } from 'routecontrollers/introspection'
import { addressOf, isMalformed } from '../../../packages/switch/src/states/decision/client-address.js'
import { Clients, MostFrequent } from '../../../packages/switch/src/states/decision/clients.js'
import { CoolDowns } from '../../../packages/switch/src/states/decision/cool-downs.js'
import { Members } from '../../../packages/switch/src/states/decision/members.js'
import { OneKeyWarning } from '../../../packages/switch/src/states/decision/one-key.js'
import { noCounts } from '../../../packages/switch/src/states/decision/counts.js'
import { PairTest } from '../../../packages/switch/src/states/decision/evidence.js'
import { RouteEvidence } from '../../../packages/switch/src/states/decision/route-evidence.js'
import { stateKinds } from '../../../packages/switch/src/states/kinds.js'
import { Histogram, Share, Timings } from '../../../packages/switch/src/states/outcomes.js'
import type { MigrationSettings } from '../../../packages/switch/src/states/options.js'
import { markSide, sideOf, wasReached } from '../../../packages/switch/src/states/side-key.js'
import { checkState, overlap, parseState, within } from '../../../packages/switch/src/states/states.js'
import { bucketOf, isAmong } from '../../../packages/switch/src/states/sticky.js'
import { readStates } from '../../../packages/switch/src/states/stored-states.js'
import { SwitchedRoute } from '../../../packages/switch/src/states/switched-route.js'
import type { Clock } from '../../../packages/switch/src/states/clock.js'
import type { HistoryEntry } from '../../../packages/switch/src/states/schema.js'

/** A clock whose times a test sets. */
function settableClock(): Clock & { day: number; ms: number } {
  const clock = {
    day: Date.parse('2030-01-01T00:00:00.000Z'),
    ms: 1_000_000,
    now: () => clock.day,
    monotonic: () => clock.ms,
    every: () => () => {},
    after: () => () => {},
  }
  return clock
}

describe('the address of a client', () => {
  const exchange = (realIp: string, remoteAddress: string, forwarded?: string): Exchange =>
    ({
      realIp,
      incoming: {
        headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
        socket: { remoteAddress },
      },
    }) as unknown as Exchange

  it.each([
    ['is that of the socket', exchange('10.0.0.1', '10.0.0.1'), '10.0.0.1'],
    ['is what a trusted proxy tells', exchange('192.0.2.7', '10.0.0.1', '192.0.2.7'), '192.0.2.7'],
    [
      'has what an untrusted proxy tells with it',
      exchange('10.0.0.1', '10.0.0.1', '192.0.2.7'),
      '10.0.0.1 192.0.2.7',
    ],
    [
      'is compared without the prefix of IPv6',
      exchange('10.0.0.1', '::ffff:10.0.0.1', '192.0.2.7'),
      '10.0.0.1 192.0.2.7',
    ],
    [
      'has the first of a list, without spaces',
      exchange('10.0.0.1', '10.0.0.1', ' 192.0.2.7 , 192.0.2.8'),
      '10.0.0.1 192.0.2.7',
    ],
    [
      'has no more of it than 200 characters',
      exchange('10.0.0.1', '10.0.0.1', 'a'.repeat(1000)),
      `10.0.0.1 ${'a'.repeat(200)}`,
    ],
  ])('%s', (_name, given, address) => expect(addressOf(given)).toBe(address))

  it('is undefined where there is neither', () => {
    expect(addressOf({ realIp: undefined, incoming: undefined } as unknown as Exchange)).toBeUndefined()
  })
})

it.each([
  ['/plain', false],
  ['/caf%C3%A9', false],
  ['/50%', true],
  ['/%zz?a=1', true],
  ['/plain?rate=50%', false],
])('a path is malformed by its escapes alone: %s', (url, is) => {
  expect(isMalformed({ url } as IncomingMessage)).toBe(is)
})

describe('which clients count', () => {
  it('has one that makes nearly all requests from the twentieth request on', () => {
    const most = new MostFrequent()
    for (let at = 0; at < 19; at++) most.add(1)
    expect(most.isOne).toBe(false)
    most.add(1)
    expect(most.isOne).toBe(true)
    most.clear()
    expect(most.isOne).toBe(false)
  })

  it('has one with ninety requests of a hundred, and none with eighty-nine', () => {
    const [ninety, fewer] = [new MostFrequent(), new MostFrequent()]
    for (let at = 0; at < 90; at++) ninety.add(1)
    for (let at = 0; at < 10; at++) ninety.add(2 + at)
    for (let at = 0; at < 89; at++) fewer.add(1)
    for (let at = 0; at < 11; at++) fewer.add(2 + at)
    expect([ninety.isOne, fewer.isOne]).toEqual([true, false])
  })

  it('counts each answer from the tenth request on where fewer than five clients have sent them', () => {
    const counted = (clients: number, requests: number): boolean => {
      const some = new Clients()
      for (let at = 0; at < requests - 1; at++) some.counts(`client ${at % clients}`, 1000)
      return some.counts('client 0', 1000)
    }
    expect([counted(4, 9), counted(4, 10), counted(5, 10), counted(5, 19)]).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  it('says nothing of other ten seconds by who made nearly all requests in these', () => {
    const clients = new Clients()
    for (let at = 0; at < 100; at++) clients.counts('a', 5000)
    expect(['b', 'b', 'c', 'c'].map((key) => clients.counts(key, 25_000))).toEqual([true, false, true, false])
  })

  it('counts by each answer in the ten seconds that follow, and in no later ones', () => {
    const begun = (later: number): boolean[] => {
      const clients = new Clients()
      for (let at = 0; at < 10; at++) clients.counts('a', 5000)
      return [clients.counts('b', later), clients.counts('b', later)]
    }
    expect([begun(10_000), begun(19_999), begun(20_000)]).toEqual([
      [true, true],
      [true, true],
      [true, false],
    ])
  })
})

describe('what replicas tell of themselves', () => {
  it('has the open differences of others, and not those that this one has told before', () => {
    const members = new Members({ replica: 'a' } as MigrationSettings, settableClock())
    const route = { key: 'GET /a', state: { text: 'legacy' } } as SwitchedRoute
    const told = members.tell([route], 1, () => 3)
    members.take(new Map([['a', told]]))
    expect(members.openDifferences('GET /a')).toBe(0)
    members.take(new Map(['a', 'b'].map((name) => [name, told])))
    expect([members.openDifferences('GET /a'), members.openDifferences('GET /b')]).toEqual([3, 0])
  })
})

describe('the times of answers', () => {
  it('are in the bucket whose bound they do not exceed', () => {
    const times = new Histogram()
    for (const ms of [5, 5.1, 10_000, 10_001]) times.add(ms)
    expect([times.counts[0], times.counts[1], times.counts.at(-1), times.count]).toEqual([1, 1, 1, 4])
  })
})

describe('the last times', () => {
  it('have the time that a share of them does not exceed, and at the most the longest', () => {
    const timings = new Timings()
    expect(timings.at(0.5)).toBeUndefined()
    for (const ms of [30, 10, 40, 20]) timings.add(ms)
    expect([0, 0.5, 0.74, 0.75, 1].map((share) => timings.at(share))).toEqual([10, 30, 30, 40, 40])
    timings.add(1)
    expect(timings.at(0)).toBe(1)
  })

  it('are those of the last 512 answers', () => {
    const timings = new Timings()
    for (let ms = 0; ms < 600; ms++) timings.add(ms)
    expect([timings.count, timings.at(0), timings.at(1)]).toEqual([512, 88, 599])
    timings.clear()
    expect([timings.count, timings.at(1)]).toEqual([0, undefined])
  })
})

describe('a share of the last answers', () => {
  it('weighs those before less, so that there are no more than it remembers', () => {
    const share = new Share(20)
    expect([share.count, share.rate]).toEqual([0, 0])
    share.add(10, 10)
    expect([share.count, share.rate]).toEqual([10, 1])
    share.add(15, 0)
    expect([share.count, share.rate]).toEqual([20, 0.25])
    share.add(40, 10)
    expect([share.count, share.rate]).toEqual([20, 0.25])
    share.clear()
    expect([share.count, share.rate]).toEqual([0, 0])
  })
})

describe('the warning of one key', () => {
  it('comes once, after a minute in which nearly all requests had one', () => {
    const clock = settableClock()
    const lines: string[] = []
    const note = (line: string): void => void lines.push(line)
    const warning = new OneKeyWarning(clock, { info: note, warn: note, error: note })
    const minute = (keys: (at: number) => string, ms = 60_000): boolean => {
      for (let at = 0; at < 30; at++) warning.add(keys(at))
      clock.ms += ms
      warning.tick()
      return warning.isOne
    }
    expect(minute(() => 'proxy', 59_999)).toBe(false)
    expect(lines).toEqual([])
    clock.ms += 1
    warning.tick()
    expect(warning.isOne).toBe(true)
    expect(lines).toEqual([expect.stringContaining('nearly all requests of the canary had one client key')])
    expect(minute((at) => `client ${at}`)).toBe(false)
    expect(minute(() => 'proxy')).toBe(true)
    expect(lines).toHaveLength(1)
  })
})

describe('a cool-down', () => {
  const entry = (id: string, at: string, by = 'rollback', route = 'GET /a'): HistoryEntry => ({
    ...{ id, at, by, route },
    ...{ from: 'native', to: 'legacy', reason: 'a test' },
  })

  it('lasts from the rollback on, also one that was before this process', () => {
    const clock = settableClock()
    const coolDowns = new CoolDowns(60_000, clock)
    coolDowns.take([
      entry('1', '2029-12-31T23:59:30.000Z'),
      // By a clock that is ahead.
      entry('2', '2030-01-01T00:10:00.000Z', 'rollback', 'GET /ahead'),
      entry('3', '2029-12-31T23:59:59.000Z', 'Ada', 'GET /b'),
    ])
    expect(coolDowns.of('GET /a')).toBe(clock.ms + 30_000)
    expect(coolDowns.of('GET /ahead')).toBe(clock.ms + 60_000)
    expect(coolDowns.of('GET /b')).toBe(-Infinity)
  })

  it('begins anew with each rollback that this process sees, whatever its time, and not with one that it knows', () => {
    const clock = settableClock()
    const coolDowns = new CoolDowns(60_000, clock)
    coolDowns.take([])
    const first = entry('1', '2020-01-01T00:00:00.000Z')
    coolDowns.take([first])
    const until = clock.ms + 60_000
    expect(coolDowns.of('GET /a')).toBe(until)
    clock.ms += 10_000
    coolDowns.take([first])
    expect(coolDowns.of('GET /a')).toBe(until)
    coolDowns.take([first, entry('2', '2020-01-01T00:00:00.000Z')])
    expect(coolDowns.of('GET /a')).toBe(until + 10_000)
  })

  it('is not cut short by an older entry behind it', () => {
    const clock = settableClock()
    const coolDowns = new CoolDowns(60_000, clock)
    coolDowns.take([entry('1', '2029-12-31T23:59:50.000Z'), entry('2', '2029-12-31T23:59:20.000Z')])
    expect(coolDowns.of('GET /a')).toBe(clock.ms + 50_000)
  })
})

describe('the evidence of a route', () => {
  it('counts each answer by its side, its failure and its slowness, once', () => {
    const evidence = new RouteEvidence()
    evidence.answered('native', { isFailure: true, ms: 500 }, 0, 0)
    evidence.slowAboveMs = 100
    evidence.answered('native', { isFailure: true, ms: 101 }, 0, 0)
    evidence.answered('native', { isFailure: false, ms: 100 }, 0, 0)
    evidence.answered('legacy', { isFailure: true, ms: 101 }, 0, 0)
    evidence.answered('legacy', { isFailure: false, ms: undefined }, 0, 0)
    evidence.compared(true, 0)
    evidence.compared(false, 0)
    expect(evidence.takeCounts()).toMatchObject({
      ...{ native: 3, nativeBad: 2, nativeSlow: 1 },
      ...{ legacy: 2, legacyBad: 1, legacySlow: 1 },
      ...{ compared: 2, different: 1 },
    })
    expect(evidence.takeCounts()).toEqual(noCounts())
  })

  it('tells what it has found in thousandths, and never more than that', () => {
    const evidence = new RouteEvidence()
    const test = new PairTest()
    for (const isFailure of [true, false, true, true]) {
      for (const side of ['native', 'legacy'] as const) {
        const isBad = isFailure && side === 'native'
        evidence.answered(side, { isFailure: isBad, ms: undefined }, 0, 0)
        test.add(side, isBad)
      }
    }
    const found = test.takeFactors().map((one) => 1000 * one)
    expect(found.some((one) => one > 0) && found.every((one) => !Number.isInteger(one))).toBe(true)
    const { errors0, errors1, errors2, slow0 } = evidence.takeCounts()
    expect([errors0, errors1, errors2, slow0]).toEqual([...found.map(Math.floor), 0])
  })

  it('knows since when legacy has answered nothing', () => {
    const evidence = new RouteEvidence()
    const answered = (side: 'legacy' | 'native', now: number): void =>
      evidence.answered(side, { isFailure: false, ms: undefined }, 0, now)
    expect(evidence.aloneMs(9)).toBe(0)
    answered('native', 10)
    answered('native', 20)
    expect(evidence.aloneMs(30)).toBe(20)
    answered('legacy', 40)
    expect(evidence.aloneMs(50)).toBe(0)
    answered('native', 60)
    evidence.clear()
    expect(evidence.aloneMs(70)).toBe(0)
  })

  it('begins again where legacy answers, and in another state', () => {
    const evidence = new RouteEvidence()
    evidence.slowAboveMs = 100
    const fill = (): void => {
      evidence.answered('native', { isFailure: true, ms: 200 }, 0, 0)
      evidence.compared(true, 0)
      evidence.joint.take({ ...noCounts(), compared: 1, different: 1 }, 0)
    }
    const logs = (): number[] => [
      ...[evidence.alone.errors.log, evidence.alone.slow.log],
      ...[evidence.own.errors.log, evidence.own.slow.log, evidence.own.differences.log],
      evidence.joint.differences.log,
    ]
    fill()
    expect(logs().map(Number.isFinite)).toEqual([true, true, false, false, true, true])
    // An answer without a time says nothing of slowness.
    evidence.answered('legacy', { isFailure: false, ms: undefined }, 0, 0)
    expect(evidence.alone.errors.log).toBe(-Infinity)
    expect(evidence.alone.slow.log).toBeGreaterThan(0)
    expect(evidence.own.errors.log).not.toBe(-Infinity)
    evidence.answered('legacy', { isFailure: false, ms: 10 }, 0, 0)
    expect(evidence.alone.slow.log).toBe(-Infinity)
    expect(evidence.own.slow.log).not.toBe(-Infinity)
    fill()
    evidence.clear()
    expect(logs()).toEqual(logs().map(() => -Infinity))
  })
})

it('an answer is neither slow nor fast while it is not known how slow legacy is', () => {
  const evidence = new RouteEvidence()
  evidence.answered('legacy', { isFailure: false, ms: 1 }, 0, 0)
  evidence.answered('native', { isFailure: false, ms: 1 }, 0, 0)
  expect([evidence.own.slow.log, evidence.alone.slow.log]).toEqual([-Infinity, -Infinity])
  expect(evidence.own.errors.log).not.toBe(-Infinity)
})

describe('a kind of state', () => {
  it('has a colour of its own on a light page, and one on a dark page', () => {
    const colours = Object.values(stateKinds).flatMap(({ colour }) => [colour.light, colour.dark])
    expect(new Set(colours).size).toBe(8)
    for (const one of colours) expect(one).toMatch(/^#[0-9a-f]{6}$/)
  })

  it.each([
    ['legacy', 1],
    ['shadow', 9],
    ['canary 5%', 9],
    ['native', 1],
  ])('has so many of nine requests watched: %s %d', (state, expected) => {
    const controller = new Controller('GET', '/a', () => 'a') as unknown as RunnableController
    const route = new SwitchedRoute(controller, checkState('a test', state), 100, true)
    route.isWatched()
    expect(Array.from({ length: 9 }, () => route.isWatched()).filter(Boolean)).toHaveLength(expected)
  })
})

describe('a route that is switched', () => {
  const create = (state = 'canary 5%'): SwitchedRoute => {
    const controller = new Controller('GET', '/a', () => 'a') as unknown as RunnableController
    return new SwitchedRoute(controller, checkState('a test', state), 100, true)
  }

  it('keeps what is known of it where it is set to the state that it is in', () => {
    const route = create()
    route.native.add(true)
    route.enter(route.state, '*', undefined, 5)
    expect([route.setFor, route.since, route.native.failed.count]).toEqual(['*', 0, 1])
    route.enter(checkState('a test', 'canary 6%'), '/a', undefined, 7)
    expect([route.setFor, route.since, route.native.failed.count]).toEqual(['/a', 7, 0])
  })

  it('is alarmed for half a minute, in which each request is watched', () => {
    const route = create('native')
    route.isWatched()
    const look = (): boolean[] => [route.isAlarmed, route.isWatched(), route.isWatched()]
    expect(look()).toEqual([false, false, false])
    route.alarm(1000)
    expect(look()).toEqual([true, true, true])
    route.tick(30_999)
    expect(look()).toEqual([true, true, true])
    route.tick(31_000)
    expect(look().slice(0, 1)).toEqual([false])
    expect(look().slice(1)).toEqual([false, false])
  })
})

it('a state has all clients or none, unless it is written with a share', () => {
  const percentOf = (text: string): number | undefined => parseState(text)?.percent
  expect(['legacy', 'shadow', 'native', 'canary 5%', 'canary'].map(percentOf)).toEqual([
    0,
    0,
    100,
    5,
    undefined,
  ])
})

it('a client is among a share by a number of its own, which is less than the share', () => {
  expect(['', 'Ada', 'client 5130'].map(bucketOf)).toEqual([8923, 4646, 500])
  expect([isAmong('client 5130', 5), isAmong('client 5130', 5.01)]).toEqual([false, true])
})

describe('keys of states', () => {
  it('are for the same routes where one is of a group that the other one stands in', () => {
    const pairs = [
      ['/api', '/api/users', true],
      ['/api/users', '/api', true],
      ['/api', 'GET /api/users', true],
      ['/api', '/apis', false],
      ['GET /a', 'POST /a', false],
      ['*', '/a', true],
    ] as const
    for (const [one, other, is] of pairs) expect([one, other, overlap(one, other)]).toEqual([one, other, is])
  })

  it('stand within a wider one, but for itself and the key of all', () => {
    const keys = ['*', '/api', '/api/v1', 'GET /api/x', 'GET /y']
    expect(within(keys, '/api')).toEqual(['/api/v1', 'GET /api/x'])
    expect(within(keys, '*')).toEqual(keys.slice(1))
    expect(within(keys, 'GET /y')).toEqual([])
    expect(within([...keys, '!*'], '!*')).toEqual(keys)
  })
})

describe('the states of a store', () => {
  it('are an object, and have none within them', () => {
    for (const wrong of [[], null, 'native', 7])
      expect(() => readStates(wrong)).toThrow(/^it holds no object \{ "states": \{…\} \}, but /)
    expect(() => readStates({ states: { states: { 'GET /a': 'native' } } })).toThrow(
      'its states stand in another "states": take one of the two away',
    )
  })

  it('have no differences that were accepted, where none were', () => {
    expect(readStates({ states: { 'GET /a': 'native' } })).not.toHaveProperty('accepted')
    expect(readStates({ states: {}, accepted: [] })).toHaveProperty('accepted', [])
  })

  it('have a version that is a whole number, and 0 for any other', () => {
    const versions = [undefined, '', -1, 0, 1.5, 2 ** 53, 'x', '7', 8].map(
      (version) => readStates({ states: {}, version }).version,
    )
    expect(versions).toEqual([0, 0, 0, 0, 0, 0, 0, 7, 8])
  })
})

it('a request has the side that it is made for, and one of a client has none', () => {
  const copy = {}
  expect([sideOf(undefined), sideOf(copy)]).toEqual([undefined, undefined])
  markSide(copy, 'native')
  expect(wasReached(copy)).toBe(false)
  expect([sideOf(copy), wasReached(copy)]).toEqual(['native', true])
})
