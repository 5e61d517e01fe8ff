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
  isStuck = false
  end = (): void => void this.#leave('end')
  destroy = (): void => void this.#leave('destroy')
  setHeader = (): void => {}
  write(text: string): boolean {
    const [, name] = /^event: (\w+)/.exec(text) ?? []
    if (name !== undefined) this.events.push(name)
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

describe('The stream of the page', () => {
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
