import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MigrationStatus } from '@routecontrollers/switch'
import type { Clock } from '../../../packages/switch/src/states/clock.js'
import { PageStreams } from '../../../packages/switch/src/page/page-stream.js'

/** A clock that a test moves, and on which a look at the numbers may take its time. */
class SlowClock implements Clock {
  #ms = 0
  #calls: { at: number; call: () => void }[] = []

  now = (): number => this.#ms
  monotonic = (): number => this.#ms
  every = (): (() => void) => () => {}
  after(ms: number, call: () => void): () => void {
    const one = { at: this.#ms + ms, call }
    this.#calls.push(one)
    return () => void (this.#calls = this.#calls.filter((other) => other !== one))
  }
  take(ms: number): void {
    this.#ms += ms
  }
  advance(ms: number): void {
    const end = this.#ms + ms
    for (;;) {
      const due = this.#calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#calls = this.#calls.filter((one) => one !== due)
      this.#ms = Math.max(this.#ms, due.at)
      due.call()
    }
    this.#ms = Math.max(this.#ms, end)
  }
}

/** A response whose reader stops when a test says so. */
class Reader extends EventEmitter {
  readonly events: string[] = []
  readonly data: string[] = []
  statusCode = 0
  isStuck = false
  end = (): void => void this.#leave('end')
  destroy = (): void => void this.#leave('destroy')
  setHeader = (): void => {}
  write(text: string): boolean {
    const [, name] = /^event: (\w+)/.exec(text) ?? []
    if (name !== undefined) this.events.push(name)
    if (name !== undefined) this.data.push(text.slice(text.indexOf('{')))
    return !this.isStuck
  }
  #leave(how: string): void {
    this.events.push(how)
    this.emit('close')
  }
}

const route = (requests: number): object => ({
  route: 'GET /',
  legacy: { requests },
  native: {},
  shadow: { noise: [], notCopied: [] },
  differences: [],
})

function open(cost = 0) {
  const clock = new SlowClock()
  let looks = 0
  let tell = (): void => {}
  const listening = new Set<string>()
  const switching = {
    status: () => {
      clock.take(cost)
      return { routes: [route(++looks)], history: [] } as never as MigrationStatus
    },
    on: (event: string, call: (event: never) => void) => {
      tell = () => call(undefined as never)
      listening.add(event)
      return () => void listening.delete(event)
    },
  }
  const streams = new PageStreams(switching, clock, 5)
  const reader = new Reader()
  streams.open({ socket: {} } as IncomingMessage, reader as never as ServerResponse)
  return { clock, reader, streams, listening, looks: () => looks, tell: () => tell() }
}

const difference = { place: 'status 200 404', count: 1, lastAt: '2030-01-01T00:00:00.000Z' }
const whole = {
  ...{ route: 'GET /', state: 'canary 5%', setFor: '*', heldBy: undefined, isDead: false, paused: undefined },
  ...{ lastAskedAt: undefined, coolDownUntil: undefined },
  legacy: { requests: 1, watched: 1, failureRate: 0 },
  native: { requests: 1, watched: 1, failureRate: 0 },
  shadow: { compared: 1, different: 0, differenceRate: 0, dropped: 0, noise: [], notCopied: [] },
  fleet: {
    ...{ compared: 1, different: 0, openDifferences: 0 },
    legacy: { requests: 1, failures: 0 },
    native: { requests: 1, failures: 0 },
  },
  plan: { next: 'canary 25%', notBefore: '2030-01-01T00:10:00.000Z', answers: 1, answersNeeded: 100 },
  differences: [difference],
}

describe('What the stream of the page tells of a route', () => {
  it.each<[string, object]>([
    ['its state', { state: 'canary 50%' }],
    ['what it was set for', { setFor: 'GET /' }],
    ['what holds it', { heldBy: 'get /' }],
    ['why it waits', { paused: 'no answers were compared' }],
    ['when it was asked', { lastAskedAt: difference.lastAt }],
    ['that it is dead', { isDead: true }],
    ['its cool-down', { coolDownUntil: difference.lastAt }],
    ['a request', { legacy: { ...whole.legacy, requests: 2 } }],
    ['an answer', { native: { ...whole.native, watched: 2 } }],
    ['failures', { native: { ...whole.native, failureRate: 0.5 } }],
    ...['compared', 'different', 'differenceRate', 'dropped'].map((name): [string, object] => [
      name,
      { shadow: { ...whole.shadow, [name]: 7 } },
    ]),
    ['noise', { shadow: { ...whole.shadow, noise: ['$.id'] } }],
    ['what is not copied', { shadow: { ...whole.shadow, notCopied: ['req.user'] } }],
    ['its next step', { plan: { ...whole.plan, next: 'native' } }],
    ['when that comes', { plan: { ...whole.plan, notBefore: '2030-01-01T00:11:00.000Z' } }],
    ['what that waits for', { plan: { ...whole.plan, answers: 2 } }],
    ['a request of another replica', { fleet: { ...whole.fleet, native: { requests: 2, failures: 0 } } }],
    ['what failed in another replica', { fleet: { ...whole.fleet, native: { requests: 1, failures: 1 } } }],
    ...['compared', 'different', 'openDifferences'].map((name): [string, object] => [
      `${name} of another replica`,
      { fleet: { ...whole.fleet, [name]: 2 } },
    ]),
    ['one more difference', { differences: [difference, { ...difference, place: 'body' }] }],
    ['how often it differs', { differences: [{ ...difference, count: 2 }] }],
    ['when it differed last', { differences: [{ ...difference, lastAt: '2030-01-01T00:00:01.000Z' }] }],
    ['what was accepted', { differences: [{ ...difference, accepted: { by: 'Ada' } }] }],
  ])('is all of it at first, and later what is another one: %s', (_what, change) => {
    const clock = new SlowClock()
    let now: object = whole
    const status = (): MigrationStatus => ({ routes: [now], history: [] }) as never
    const told = (reader: Reader): unknown[] =>
      reader.data.map((text) => (JSON.parse(text) as { routes: unknown[] }).routes.length)
    const streams = new PageStreams({ status, on: () => () => {} }, clock, 5)
    const reader = new Reader()
    streams.open({ socket: {} } as IncomingMessage, reader as never as ServerResponse)
    clock.advance(2000)
    now = { ...whole, ...change }
    clock.advance(4000)
    expect(told(reader)).toEqual([1, 0, 1, 0])
    // Who comes later, alone, gets all of it, too.
    reader.emit('close')
    clock.advance(60_000)
    const next = new Reader()
    streams.open({ socket: {} } as IncomingMessage, next as never as ServerResponse)
    clock.advance(2000)
    expect(told(next)).toEqual([1, 0])
  })
})

it('A stream of the page whose answer has failed is told nothing any more, and its failure ends no process', () => {
  const clock = new SlowClock()
  const status = (): MigrationStatus => ({ routes: [], history: [] }) as never
  const streams = new PageStreams({ status, on: () => () => {} }, clock, 5)
  const reader = new Reader()
  streams.open({ socket: {} } as IncomingMessage, reader as never as ServerResponse)
  clock.advance(2000)
  const { length } = reader.data
  reader.emit('error', new Error('gone'))
  clock.advance(60_000)
  expect(reader.data).toHaveLength(length)
})

it('What the stream of the page tells of the history is each entry once, also where the first ones leave it', () => {
  const clock = new SlowClock()
  let ids = ['a', 'b']
  const status = (): MigrationStatus => ({ routes: [], history: ids.map((id) => ({ id })) }) as never
  const streams = new PageStreams({ status, on: () => () => {} }, clock, 5)
  const reader = new Reader()
  streams.open({ socket: {} } as IncomingMessage, reader as never as ServerResponse)
  for (const next of [['b', 'c'], ['b', 'c'], ['c', 'd', 'e'], []]) {
    ids = next
    clock.advance(2000)
  }
  const told = reader.data.map((text) => (JSON.parse(text) as MigrationStatus).history.map(({ id }) => id))
  expect(told).toEqual([['a', 'b'], ['c'], [], ['d', 'e'], []])
})

describe('The stream of the page', () => {
  it('has as many readers as it may, each without a time limit', () => {
    const { streams } = open()
    const limits: number[] = []
    const all = Array.from({ length: 5 }, () => {
      const reader = new Reader()
      const socket = { setTimeout: (ms: number) => limits.push(ms) }
      streams.open({ socket } as never as IncomingMessage, reader as never as ServerResponse)
      return reader.statusCode
    })
    expect([all, limits]).toEqual([
      [200, 200, 200, 200, 503],
      [0, 0, 0, 0],
    ])
  })

  it('is held back by no proxy, and says when to come again where there is no place', () => {
    const { streams } = open()
    const heads = Array.from({ length: 5 }, () => {
      const [reader, head] = [new Reader(), {} as Record<string, string>]
      reader.setHeader = ((name: string, value: string) => void (head[name] = value)) as () => void
      streams.open({ socket: {} } as IncomingMessage, reader as never as ServerResponse)
      return head
    })
    expect(heads[0]).toEqual({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
    })
    expect(heads.at(-1)).toEqual({
      'Content-Type': 'application/json; charset=utf-8',
      'Retry-After': '30',
    })
  })

  it('tells soon of what happens', () => {
    const { clock, reader, tell } = open()
    clock.advance(500)
    tell()
    clock.advance(60)
    expect(reader.events).toEqual(['status', 'update'])
  })

  it('begins with all, and goes on with what changes, every two seconds', () => {
    const { clock, reader } = open()
    clock.advance(4000)
    expect(reader.events).toEqual(['status', 'update', 'update'])
  })

  it('waits for a reader that is behind, and tells it all again', () => {
    const { clock, reader } = open()
    reader.isStuck = true
    clock.advance(6000)
    expect(reader.events).toEqual(['status', 'update'])
    reader.isStuck = false
    reader.emit('drain')
    clock.advance(4000)
    expect(reader.events).toEqual(['status', 'update', 'status', 'update'])
  })

  it('cuts off a reader that takes nothing any more', () => {
    const { clock, reader } = open()
    reader.isStuck = true
    clock.advance(60_000)
    expect(reader.events).toEqual(['status', 'update', 'destroy'])
  })

  it('ends after ten minutes, so that who comes back is asked who it is', () => {
    const { clock, reader } = open()
    clock.advance(599_000)
    expect(reader.events).not.toContain('end')
    clock.advance(4000)
    expect(reader.events.at(-1)).toBe('end')
  })

  it('looks at nothing while nobody does', () => {
    const { clock, reader, looks } = open()
    reader.emit('close')
    clock.advance(10_000)
    const before = looks()
    clock.advance(600_000)
    expect(looks()).toBe(before)
  })

  it('ends with the page, which then listens to nothing', () => {
    const { clock, reader, streams, listening, looks } = open()
    expect(listening.size).toBe(4)
    streams.close()
    expect([reader.events.at(-1), listening.size]).toEqual(['end', 0])
    const before = looks()
    clock.advance(60_000)
    expect(looks()).toBe(before)
  })

  it('looks at the numbers for a twentieth of the time at the most, however often something happens', () => {
    const { clock, looks, tell } = open(100)
    for (let at = 0; at < 600; at++) {
      clock.advance(100)
      tell()
    }
    expect(looks()).toBeGreaterThan(20)
    expect(looks()).toBeLessThanOrEqual(31)
  })
})
