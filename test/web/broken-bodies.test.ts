// What a client sends may break off, have no end, or be of no interest: getCallback() answers, and reads no more than a connection would.
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import { fromApp, fromExpress, toControllers } from 'routecontrollers/express'

const quiet = { info() {}, warn() {}, error() {} }
const echo = new Controller('POST', '/x', (req, res) => res.json(req.body ?? null))
const pass = (_req: unknown, _res: unknown, next: () => void): void => next()

const appOf = (express: any): any => {
  const app = express().set('env', 'test').use(express.json())
  app.post('/x', (req: any, res: any) => res.json(req.body ?? null))
  return app
}
const taken = (express: any): RouteControllers<any> => {
  const app = appOf(express)
  const { controllers } = toControllers(app, { middleware: true })
  return new RouteControllers(controllers, { profile: fromApp(app), logger: quiet })
}

const ways: Readonly<Record<string, () => RouteControllers<any>>> = {
  'by itself': () => new RouteControllers([echo], { logger: quiet }),
  'with a hook': () => new RouteControllers([echo], { logger: quiet }).addGlobal(pass),
  'with the parser of Express as a hook': () =>
    new RouteControllers([echo], { logger: quiet }).addGlobal(express5.json()),
  'with a handler of Express': () =>
    new RouteControllers(
      [
        new Controller(
          'POST',
          '/x',
          fromExpress(express5.json(), (req, res) => void res.json(req.body ?? null)),
        ),
      ],
      { logger: quiet },
    ),
  'with a profile': () => new RouteControllers([echo], { profile: 'express5', logger: quiet }),
  'an app of Express 4': () => taken(express4),
  'an app of Express 5': () => taken(express5),
}

const kib = 1024
interface Sent {
  /** How many bytes were taken. */
  taken: number
  cancelled: boolean
}

/** Spaces, `end` of which come before it breaks off. */
function spaces(end = Infinity, later = true): { body: ReadableStream<Uint8Array>; sent: Sent } {
  const sent = { taken: 0, cancelled: false }
  const give = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (sent.cancelled) return
    if (sent.taken >= end) return controller.error(new Error('the line is dead'))
    sent.taken += 64 * kib
    controller.enqueue(new Uint8Array(64 * kib).fill(32))
  }
  const body = new ReadableStream<Uint8Array>({
    pull: later
      ? (controller) => new Promise<void>((done) => setImmediate(() => (give(controller), done())))
      : give,
    cancel: () => void (sent.cancelled = true),
  })
  return { body, sent }
}

const post = (all: RouteControllers<any>, body: ReadableStream, path = '/x', more: RequestInit = {}) =>
  all.getCallback()(
    new Request(`http://x${path}`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
      ...more,
    }),
  )

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise(setImmediate)
}

describe.each(Object.entries(ways))('A body that getCallback() is given, %s', (_way, make) => {
  it.each([0, 64 * kib])('is answered with 400 where it breaks off after %i bytes', async (end) => {
    const { body } = spaces(end)
    const response = await post(make(), body)
    expect(response.status).toBe(400)
    await response.text()
  })

  it.each(['in turns', 'at once'])('is read no more where it has no end, and comes %s', async (how) => {
    const { body, sent } = spaces(Infinity, how === 'in turns')
    const response = await post(make(), body)
    expect(response.status).toBe(413)
    await response.text()
    await until(() => sent.cancelled)
    expect(sent.taken).toBeLessThan(6 * kib * kib)
  })

  it('is read no more where no route takes it', async () => {
    const { body, sent } = spaces()
    const response = await post(make(), body, '/none')
    expect(response.status).not.toBe(200)
    await response.text()
    expect(sent.taken).toBeLessThan(6 * kib * kib)
  })

  it.each([
    ['of no length', {}, false],
    ['of a length', { 'content-length': '5' }, false],
    ['of a length that has aborted before', { 'content-length': '5' }, true],
  ])('is given up with its signal, %s', async (_what, length, isGone) => {
    const gone = new AbortController()
    if (isGone) gone.abort()
    const body = new ReadableStream({ pull: () => new Promise(() => {}) })
    const headers = { 'content-type': 'application/json', ...length }
    const answer = post(make(), body, '/x', { signal: gone.signal, headers })
    await new Promise(setImmediate)
    gone.abort()
    expect([400, 500]).toContain((await answer).status)
  })
})

it('A body that a handler goes on to read after its answer is read to its end', async () => {
  let read = 0
  let resolve!: () => void
  const promise = new Promise<void>((done) => (resolve = done))
  const handler = fromExpress((req, res) => {
    res.send('taken')
    res.on('close', () => {
      req.on('data', (chunk: Buffer) => (read += chunk.length)).on('error', () => resolve())
    })
    req.on('data', () => {})
  })
  const { body } = spaces(640 * kib)
  const all = new RouteControllers([new Controller('POST', '/x', handler, { body: 'stream' })], {
    logger: quiet,
  })
  expect(await (await post(all, body, '/x', { headers: {} })).text()).toBe('taken')
  await promise
  expect(read).toBeGreaterThan(320 * kib)
})

describe('A body of which a reader hears now and then', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
  afterEach(() => void jest.useRealTimers())

  const served = (read: (req: any, done: (size: number) => void) => void): RouteControllers<any> =>
    new RouteControllers(
      [
        new Controller(
          'POST',
          '/x',
          fromExpress((req, res) => {
            read(req, (size) => void res.send(String(size)))
            req.on('error', () => {})
          }),
          { body: 'stream' },
        ),
      ],
      { logger: quiet },
    )
  /** Three pieces, the second one when that is said. */
  const pieces = () => {
    let second!: () => void
    const isTime = new Promise<void>((resolve) => (second = resolve))
    let count = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++count === 2) await isTime
        controller.enqueue(new Uint8Array(10))
        if (count === 3) controller.close()
      },
    })
    return { body, second }
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }

  it.each<[string, (req: any, done: (size: number) => void) => void]>([
    [
      'waits with once("readable")',
      (req, done) => {
        let size = 0
        const next = (): void => {
          for (let chunk = req.read(); chunk !== null; chunk = req.read()) size += chunk.length
          if (req.readableEnded) done(size)
          else req.once('readable', next)
        }
        req.once('end', () => done(size))
        next()
      },
    ],
    [
      'reads by hand',
      (req, done) => {
        let size = 0
        req.once('end', () => done(size))
        const next = (): void => {
          for (let chunk = req.read(); chunk !== null; chunk = req.read()) size += chunk.length
          if (!req.readableEnded) setImmediate(next)
        }
        next()
      },
    ],
    [
      'listens late',
      (req, done) => {
        let size = 0
        req.resume()
        req.once('end', () => done(size))
        setImmediate(() => req.on('data', (chunk: Buffer) => (size += chunk.length)))
      },
    ],
  ])('is whole for one that %s, however long it takes', async (_how, read) => {
    const { body, second } = pieces()
    const answer = post(served(read), body, '/x', { headers: {} })
    await turns()
    jest.advanceTimersByTime(60_000)
    await turns()
    second()
    const response = await answer
    expect(response.status).toBe(200)
    expect(Number(await response.text())).toBeGreaterThanOrEqual(20)
  })

  it('breaks off after 5 seconds where it is only discarded', async () => {
    const { body } = pieces()
    const handler = (req: any, done: (size: number) => void): void => {
      req.resume()
      req.once('close', () => done(0))
    }
    const answer = post(served(handler), body, '/x', { headers: {} })
    await turns()
    jest.advanceTimersByTime(4_999)
    await turns()
    let isOver = false
    void answer.then(() => (isOver = true))
    await turns()
    expect(isOver).toBe(false)
    jest.advanceTimersByTime(2)
    await answer
  })
})
