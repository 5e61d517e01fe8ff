// Which answers count as failures of their side, and what a copy of data has in common with it: nothing.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { runInNewContext } from 'node:vm'
import { Controller } from 'routecontrollers'
import type { RunnableController } from 'routecontrollers/introspection'
import { Copier, TooLarge } from '../../../packages/switch/src/shadow/copier.js'
import { checkState } from '../../../packages/switch/src/states/states.js'
import { SwitchedRoute } from '../../../packages/switch/src/states/switched-route.js'
import { Watches } from '../../../packages/switch/src/states/watch.js'

class Answer extends EventEmitter {
  headersSent = false
  writableFinished = false
  statusCode = 200
  type: string | undefined
  _header: string | null = null
  getHeader(name: string): string | undefined {
    return name === 'content-type' ? this.type : undefined
  }
  end(status = 200): void {
    this.headersSent = this.writableFinished = true
    this.statusCode = status
    this.emit('close')
  }
}

function begin() {
  const clock = {
    ms: 0,
    now: () => 0,
    monotonic: () => clock.ms,
    every: () => () => {},
    after: () => () => {},
  }
  const told: { isFailure: boolean; ms: number | undefined; counts: boolean }[] = []
  const watches = new Watches(clock, {
    answered: (_route, _side, outcome, counts) => void told.push({ ...outcome, counts }),
  })
  const controller = new Controller('GET', '/a', () => 'a') as unknown as RunnableController
  const route = new SwitchedRoute(controller, checkState('a test', 'canary 5%'), 100, true)
  const add = (answer = new Answer()): Answer => {
    const watch = { began: clock.ms, route, side: route.legacy, counts: true }
    watches.add(answer as unknown as ServerResponse, watch)
    return answer
  }
  return { add, clock, route, told, watches }
}

describe('an answer that is watched', () => {
  it('has failed with 500 and above, and takes as long as it takes', () => {
    const { add, clock, route, told } = begin()
    const [well, ill] = [add(), add()]
    clock.ms = 20
    well.end(499)
    ill.end(500)
    expect(told).toEqual([
      { isFailure: false, ms: 20, counts: true },
      { isFailure: true, ms: 20, counts: true },
    ])
    expect(route.legacy.status()).toMatchObject({ watched: 2, failures: 1, aborted: 0, failureRate: 0.5 })
  })

  it('has failed where its client went away before its end, unless it is an event stream that has begun', () => {
    const { add, route, told } = begin()
    add().emit('close')
    expect(told).toEqual([{ isFailure: true, ms: undefined, counts: true }])
    const silent = add()
    silent.type = 'text/event-stream'
    silent.emit('close')
    expect(told).toHaveLength(2)
    const stream = add()
    stream.type = 'text/event-stream; charset=utf-8'
    stream.headersSent = true
    stream.emit('close')
    expect(told).toHaveLength(2)
    expect(route.legacy.status()).toMatchObject({ watched: 3, failures: 0, aborted: 3 })
  })

  it.each([
    ['Content-Type: text/event-stream', true],
    ['content-type:text/event-stream; charset=utf-8', true],
    ['Content-Type: text/plain', false],
    ['X-Content-Type: text/event-stream', false],
  ])('is an event stream by its head alone where writeHead was given all headers: %s', (line, isStream) => {
    const { add, told } = begin()
    const answer = add()
    answer._header = `HTTP/1.1 200 OK\r\nDate: x\r\n${line}\r\n\r\n`
    answer.headersSent = true
    answer.emit('close')
    expect(told).toHaveLength(isStream ? 0 : 1)
  })

  it('takes no time where it is an event stream, which lasts as long as its client likes', () => {
    const { add, clock, route, told } = begin()
    const stream = add()
    stream.type = 'text/event-stream'
    clock.ms = 5000
    stream.end()
    expect(told).toEqual([{ isFailure: false, ms: undefined, counts: true }])
    expect(route.legacy.status()).toMatchObject({ watched: 1, failures: 0, p50Ms: undefined })
    expect(route.legacy.times.count).toBe(0)
  })

  it('has failed once where it has not begun after 30 seconds, and not where a download goes on', () => {
    const { add, clock, route, told, watches } = begin()
    const hung = add()
    const download = add()
    download.headersSent = true
    clock.ms = 29_999
    const later = add()
    watches.tick()
    expect(told).toEqual([])
    clock.ms = 30_000
    watches.tick()
    watches.tick()
    expect(told).toEqual([{ isFailure: true, ms: undefined, counts: true }])
    // What comes late is shown, and counts no second time.
    hung.end()
    download.end()
    later.end()
    expect(told.map(({ counts }) => counts)).toEqual([true, false, false, true])
    expect([route.legacy.failed.count, route.legacy.failed.rate]).toEqual([3, 1 / 3])
    clock.ms = 100_000
    watches.tick()
    expect(told).toHaveLength(4)
  })

  it('is watched once, by who has it last', () => {
    const { add, clock, told, watches } = begin()
    const other = begin()
    const answer = add()
    other.add(answer)
    clock.ms = other.clock.ms = 30_000
    watches.tick()
    expect(told).toEqual([])
    answer.end()
    expect([told, other.told.length]).toEqual([[], 1])
  })
})

describe('a copy of data', () => {
  const copier = (maxBytes = 1000): Copier => new Copier({ maxBytes, asIs: new Set(['req.db']) })

  it('shares nothing with it that can be changed', () => {
    const data = {
      date: new Date(7),
      buffer: Buffer.from('abc'),
      bytes: Uint8Array.of(1, 2),
      list: [{ deep: true }],
      bare: Object.assign(Object.create(null) as object, { a: 1 }),
    }
    const copy = copier().copy(data, 'req.body') as typeof data
    expect(copy).toEqual(data)
    data.date.setTime(8)
    data.buffer[0] = data.bytes[0] = 0
    data.list[0]!.deep = false
    expect([copy.date.getTime(), copy.buffer.toString(), [...copy.bytes], copy.list]).toEqual([
      ...[7, 'abc', [1, 2]],
      [{ deep: true }],
    ])
    expect(Buffer.isBuffer(copy.buffer)).toBe(true)
  })

  it('has the circles of the data, and gives what is named as it is', () => {
    const data: { self?: unknown } = {}
    data.self = data
    const copy = copier().copy(data, 'req.a') as typeof data
    expect(copy.self).toBe(copy)
    expect(copy).not.toBe(data)
    expect(copier().copy(data, 'req.db')).toBe(data)
    const list: unknown[] = []
    list.push(list, data)
    const [own, other] = copier().copy(list, 'req.a') as [unknown[], typeof data]
    expect([own[0], other.self]).toEqual([own, other])
    expect(own).not.toBe(list)
  })

  it('has what can be listed, and reads nothing that is made when it is read', () => {
    let reads = 0
    const data = Object.defineProperty(
      {
        a: 1,
        get made() {
          return ++reads
        },
      },
      'hidden',
      { value: 2 },
    )
    const copy = copier().copy(data, 'req.a') as object
    expect([Object.getOwnPropertyNames(copy), reads]).toEqual([['a', 'made'], 0])
  })

  it('is one of plain data of another realm, and of no instance of a class', () => {
    const other = runInNewContext(
      '({ a: { b: 1 }, c: Object.create(null), d: new (class { e = 1 })() })',
    ) as object
    const copy = copier().copy(other, 'req.a') as { a: { b: number }; c: object; d: unknown }
    expect([copy.a.b, copy.c]).toEqual([1, {}])
    expect(copy.d).not.toHaveProperty('e')
  })

  it('tells who looks for a function, and shares what does so among copies, of a thousand names at the most', () => {
    const missed: string[] = []
    const putOn = (name: string): object => {
      const copy = {}
      const telling = new Copier({ maxBytes: 1000, asIs: new Set() }, (one) => missed.push(one))
      telling.put(copy, new Map([[name, () => {}]]), 'req')
      return copy
    }
    const isShared = (name: string): boolean => {
      const [one, other] = [putOn(name), putOn(name)].map((copy) =>
        Object.getOwnPropertyDescriptor(copy, name),
      )
      return one!.get === other!.get
    }
    const shared = Array.from({ length: 1100 }, (_, at) => isShared(`name${at}`))
    expect([shared[0], shared.at(-1)]).toEqual([true, false])
    expect(shared.filter(Boolean).length).toBeLessThanOrEqual(1000)
    const copy = putOn('late') as { late: unknown }
    expect([copy.late, (copy.late = 7), copy.late, missed]).toEqual([undefined, 7, 7, ['req.late']])
  })

  it('is none of data that is too large or too deep', () => {
    const bytes = { a: Buffer.alloc(500), b: Buffer.alloc(500) }
    expect(() => copier().copy(bytes, 'req.a')).toThrow(TooLarge)
    let deep: unknown = []
    for (let level = 0; level < 300; level++) deep = [deep]
    expect(() => copier(1_000_000).copy(deep, 'req.a')).toThrow(TooLarge)
  })
})
