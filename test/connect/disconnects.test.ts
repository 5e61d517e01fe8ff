import type { ServerResponse } from 'node:http'
import type { NextFunction } from 'express'
import {
  around,
  Controller,
  fromConnect,
  type Hook,
  type ResponseBuilder,
  RouteControllers,
} from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { openClient } from '../support/client.js'
import { inEach, type Asked, type Reply } from '../support/contenders.js'
import { closeAll, describeServings, type Served } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

afterEach(closeHosted)
afterEach(closeAll)

function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve = (_value: T): void => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe.each(inEach(expresses))('%s', (_name, contender, anyExpress) => {
  /** Serves `reply`; `touched` are the members of the response that were used after it had closed. */
  async function serve(reply: (asked: Asked) => Reply | Promise<Reply>) {
    const touched: string[] = []
    const closed = deferred()
    const app = createExpress(anyExpress)
    app.use((_req, res: ServerResponse, next: NextFunction) => {
      res.on('close', () => {
        for (const name of ['setHeader', 'writeHead', 'write', 'end', 'flushHeaders'] as const) {
          Object.assign(res, { [name]: () => (touched.push(name), res) })
        }
        closed.resolve()
      })
      next()
    })
    app.use(contender.create({ 'GET /': reply }))
    return { ...(await host(app)), touched, closed: closed.promise }
  }

  /** Replies when the client has gone; gives the members of the response that are used from then on. */
  async function replyTooLate(reply: Reply): Promise<string[]> {
    const [begun, late] = [deferred(), deferred()]
    const { port, touched, closed } = await serve(async () => {
      begun.resolve()
      await late.promise
      return reply
    })
    const client = await openRaw(port)
    client.write(get)
    await begun.promise
    client.reset()
    await closed
    late.resolve()
    return touched
  }

  it('gives its source up, once, when the client goes in the middle', async () => {
    const source = new Source().give('one')
    const { port, closed } = await serve(() => ({ body: source }))
    const client = await openRaw(port)
    await client.write(get).until('one')
    client.reset()
    await closed
    await source.whenCancelled
    source.give('two')
    await new Promise(setImmediate)
    expect(source.cancelled).toBe(1)
  })

  it('gives its source up, once, when the client goes before there is a first chunk', async () => {
    const source = new Source()
    const { port, touched, closed } = await serve(() => ({ body: source }))
    const client = await openRaw(port)
    await client.write(get).until('\r\n\r\n')
    client.reset()
    await closed
    await source.whenCancelled
    expect([source.cancelled, touched]).toEqual([1, []])
  })

  it('gives its source up, once, when the client goes while it does not read', async () => {
    const source = new Source()
    for (let megabyte = 0; megabyte < 64; megabyte++) source.give('x'.repeat(1024 * 1024))
    const { port, touched, closed } = await serve(() => ({ body: source }))
    const client = await openRaw(port)
    await client.write(get).until('\r\n\r\n')
    client.socket.pause()
    client.reset()
    await closed
    await source.whenCancelled
    await new Promise(setImmediate)
    expect([source.cancelled, touched]).toEqual([1, []])
    expect(source.asked).toBeLessThan(64)
  })

  it('gives up, unread, the stream of an answer that comes too late', async () => {
    const source = new Source().give('late')
    const touched = await replyTooLate({ body: source })
    await source.whenCancelled
    expect([source.asked, source.cancelled, touched]).toEqual([0, 1, []])
  })

  it('leaves the response alone when an answer comes too late', async () => {
    const touched = await replyTooLate({ headers: { 'X-Late': '1' }, body: 'late' })
    await new Promise(setImmediate)
    expect(touched).toEqual([])
  })

  it('aborts its signal when the client goes', async () => {
    const [begun, aborted] = [deferred(), deferred()]
    const { port } = await serve(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      begun.resolve()
      await aborted.promise
      return {}
    })
    const client = await openRaw(port)
    client.write(get)
    await begun.promise
    client.reset()
    await aborted.promise
  })

  it('does not take a complete request for one that is broken off', async () => {
    const [half, end] = [deferred(), deferred()]
    let signal: AbortSignal | undefined
    const { port } = await serve(async (asked) => {
      signal = asked.signal
      half.resolve()
      await end.promise
      return { body: 'still there' }
    })
    // Node destroys the request object as soon as it is read to its end.
    const client = openClient({ port } as Served, '/')
    await half.promise
    await new Promise(setImmediate)
    expect(signal!.aborted).toBe(false)
    end.resolve()
    expect(await client.read()).toBe('still there')
    expect(signal!.aborted).toBe(false)
  })
})

describeServings('A client that goes away', ({ serve }) => {
  it('runs the finally of a generator that streams, once', async () => {
    const ended = deferred()
    let times = 0
    const source = new Source().give('one')
    const served = await serve([
      new Controller('GET', '/', (req, res) =>
        res.stream(
          (async function* () {
            try {
              const iterator = source.asIterable()[Symbol.asyncIterator]()
              req.signal.addEventListener('abort', () => source.end())
              for (let next = await iterator.next(); !next.done; next = await iterator.next())
                yield next.value
            } finally {
              times++
              ended.resolve()
            }
          })(),
        ),
      ),
    ])
    const client = openClient(served, '/')
    expect(await client.read()).toBe('one')
    client.leave()
    await ended.promise
    expect(times).toBe(1)
  })

  it('is no error of a callback that has waited with its signal; another one is logged', async () => {
    const begun = { '/waits': deferred(), '/fails': deferred() }
    const [thrown, logged] = [deferred(), deferred()]
    const errors: string[] = []
    const error = (line: string): void => {
      errors.push(line)
      logged.resolve()
    }
    const gone = (signal: AbortSignal): Promise<unknown> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))
    const served = await serve(
      [
        new Controller('GET', '/waits', async ({ signal }) => {
          begun['/waits'].resolve()
          const reason = await gone(signal)
          thrown.resolve()
          throw reason
        }),
        new Controller('GET', '/fails', async ({ signal }) => {
          begun['/fails'].resolve()
          await gone(signal)
          throw new TypeError('its own')
        }),
      ],
      { logger: { info() {}, warn() {}, error } },
    )
    for (const path of ['/waits', '/fails'] as const) {
      const client = openClient(served, path)
      await begun[path].promise
      client.leave()
      if (path === '/waits') await thrown.promise
    }
    await logged.promise
    expect(errors).toEqual([expect.stringContaining('TypeError: its own')])
  })

  it('aborts the signal that an event source is given', async () => {
    const aborted = deferred()
    const source = new Source().give('one')
    const served = await serve([
      new Controller('GET', '/', (_req, res) =>
        res.sse((signal) => {
          signal.addEventListener('abort', () => aborted.resolve())
          return source.asIterable()
        }),
      ),
    ])
    const client = openClient(served, '/')
    expect(await client.read()).toBe('data: one\n\n')
    client.leave()
    await Promise.all([aborted.promise, source.whenCancelled])
    expect(source.cancelled).toBe(1)
  })
})

describeServings(
  'A coded Response whose client goes before its first piece',
  ({ serve }) => {
    it('has its source given up', async () => {
      const [asked, givenUp] = [deferred(), deferred()]
      const body = new ReadableStream({
        type: 'bytes',
        pull() {
          asked.resolve()
          return new Promise(() => {})
        },
        cancel: () => givenUp.resolve(),
      })
      const coded = (): Response => new Response(body, { headers: { 'Content-Encoding': 'gzip' } })
      const { port } = await serve([new Controller('GET', '/', coded)])
      const client = await openRaw(port!)
      client.write(get)
      await asked.promise
      client.reset()
      await givenUp.promise
    })
  },
  ({ onNode }) => onNode,
)

describe.each<[string, readonly Hook[]]>([
  ['no hook', []],
  ['a hook', [(_req, _res, next) => next()]],
])('The body of a web Response, behind %s, that is cancelled', (_what, hooks) => {
  it.each<[string, (res: ResponseBuilder, source: Source) => Response]>([
    ['a stream', (res, source) => res.stream(source.asIterable())],
    ['events', (res, source) => res.sse(() => source.asIterable())],
  ])('aborts the signal of %s before it gives the source up, once', async (_form, answer) => {
    const source = new Source().give('one')
    let cancelledBefore: number | undefined
    const controller = new Controller('GET', '/', (req, res) => {
      req.signal.addEventListener('abort', () => (cancelledBefore = source.cancelled))
      return answer(res, source)
    })
    const routeControllers = new RouteControllers([controller])
    for (const hook of hooks) routeControllers.addGlobal(hook)
    const { body } = await routeControllers.getCallback()(new Request('http://x/'))
    const reader = body!.getReader()
    await reader.read()
    void reader.cancel()
    await source.whenCancelled
    await new Promise(setImmediate)
    expect([cancelledBefore, source.cancelled]).toEqual([0, 1])
  })

  it('ends a source that waits for its signal alone', async () => {
    const ended = deferred()
    const controller = new Controller('GET', '/', (_req, res) =>
      res.sse(async function* (signal) {
        try {
          yield 'one'
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        } finally {
          ended.resolve()
        }
      }),
    )
    const routeControllers = new RouteControllers([controller])
    for (const hook of hooks) routeControllers.addGlobal(hook)
    const reader = (await routeControllers.getCallback()(new Request('http://x/'))).body!.getReader()
    await reader.read()
    void reader.read()
    await new Promise(setImmediate)
    void reader.cancel()
    await ended.promise
  })
})

describeServings(
  'A client that goes before middleware of Connect is reached',
  ({ serve }) => {
    it('ends the middleware that runs around it', async () => {
      const [entered, gone, left] = [deferred(), deferred(), deferred()]
      const lease = around(async (_req, _res, next) => {
        entered.resolve()
        await gone.promise
        try {
          return await next()
        } finally {
          left.resolve()
        }
      })
      const notes = fromConnect((_req, res, next) => {
        res.once('close', gone.resolve)
        next()
      })
      const reached = jest.fn(() => 'x')
      const controller = new Controller('GET', '/', reached)
      controller.use(
        notes,
        lease,
        fromConnect((_req, _res, next) => next()),
      )
      const { port } = await serve([controller])
      const client = await openRaw(port!)
      client.write(get)
      await entered.promise
      client.reset()
      await left.promise
      expect(reached).not.toHaveBeenCalled()
    })
  },
  ({ onNode }) => onNode,
)

describe('A client that goes, of a web Request that code of Node answers,', () => {
  it('aborts the signal also where all is written, and not all is taken', async () => {
    const seen = deferred<AbortSignal>()
    const handler = fromExpress((req, res) => {
      seen.resolve((req as unknown as { signal: AbortSignal }).signal)
      res.write('part ')
      res.end('rest')
    })
    const { body } = await new RouteControllers([new Controller('GET', '/', handler)]).getCallback()(
      new Request('http://x/'),
    )
    const signal = await seen.promise
    await body!.cancel()
    await new Promise(setImmediate)
    expect(signal.aborted).toBe(true)
  })

  it.each<[string, (controller: Controller) => void, () => Controller]>([
    [
      'middleware of Connect',
      (controller) => void controller.use(fromConnect((_req, _res, _next) => {})),
      () => new Controller('GET', '/', () => 'never'),
    ],
    [
      'a handler of Express',
      () => {},
      () =>
        new Controller(
          'GET',
          '/',
          fromExpress(() => {}),
        ),
    ],
  ])('ends what runs around %s that does not answer', async (_what, guard, create) => {
    const [begun, ended] = [deferred(), deferred()]
    const controller = create().use(async (_req, _res, next) => {
      begun.resolve()
      try {
        return await next()
      } finally {
        ended.resolve()
      }
    })
    guard(controller)
    const client = new AbortController()
    const { signal } = client
    void new RouteControllers([controller]).getCallback()(new Request('http://x/', { signal }))
    await begun.promise
    await new Promise(setImmediate)
    client.abort()
    await ended.promise
  })
})
