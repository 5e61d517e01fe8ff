import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextFunction, Request as ExpressRequest, Response as ExpressResponse } from 'express'
import express5 from 'express'
import { Controller, RouteControllers, toConnect } from 'routecontrollers'
import { inEach } from '../support/contenders.js'
import { closeAll, describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))
afterEach(closeHosted)
afterEach(closeAll)
afterEach(async () => {
  // Node tells of an unhandled rejection once the microtasks are done.
  await new Promise(setImmediate)
  expect(unhandled.splice(0)).toEqual([])
})

/** All that somebody behind could see that was not there before. */
function look(message: IncomingMessage | ServerResponse): unknown {
  const emitter: EventEmitter = message
  return {
    keys: Reflect.ownKeys(message).map(String),
    listeners: emitter.eventNames().map((name) => [name, emitter.listenerCount(name)]),
    socket: message.socket?.eventNames().map((name) => [name, message.socket?.listenerCount(name)]),
    headers: 'getHeaders' in message ? { ...message.getHeaders() } : { ...message.headers },
    ...('readableFlowing' in message && { flowing: message.readableFlowing, read: message.readableDidRead }),
  }
}

describe.each(inEach(expresses))('%s', (_name, contender, anyExpress) => {
  it('leaves request and response as they were when it passes on', async () => {
    const looks: unknown[] = []
    const store = new AsyncLocalStorage<string>()
    const app = createExpress(anyExpress)
    const noteLook = (req: ExpressRequest, res: ExpressResponse, next: NextFunction): void => {
      looks.push([look(req), look(res), store.getStore()])
      next()
    }
    app.use((_req, _res, next) => store.run('upstream', next))
    app.use(noteLook, contender.create({}), noteLook)
    app.use((req, res) => {
      req.setEncoding('utf8').on('data', (text: string) => void res.end(text))
    })
    const { send } = await host(app)
    expect((await send('/', { method: 'POST', body: 'untouched' })).text).toBe('untouched')
    expect(looks).toHaveLength(2)
    expect(looks[1]).toEqual(looks[0])
    expect(looks[0]).toContain('upstream')
  })

  it.each<[string, (res: ExpressResponse) => void, string]>([
    ['been sent', (res) => void res.send('first'), 'first'],
    [
      'begun',
      (res) => {
        res.write('fir')
        setImmediate(() => res.end('st'))
      },
      'first',
    ],
  ])('stays out when an answer has %s before', async (_what, answer, expected) => {
    const reached: string[] = []
    const app = createExpress(anyExpress)
    app.use((_req, res, next) => {
      answer(res)
      next()
    })
    app.use(
      contender.create({
        'GET /': () => {
          reached.push('handler')
          return { body: 'second' }
        },
      }),
    )
    app.use(() => void reached.push('behind'))
    const { send } = await host(app)
    expect((await send('/')).text).toBe(expected)
    expect(reached).toEqual([])
  })

  it.each(['throws', 'rejects'])(
    'answers 500 through the app when a handler %s, and goes on serving',
    async (how) => {
      const app = createExpress(anyExpress)
      app.use(
        contender.create({
          'GET /': () => {
            if (how === 'rejects') return Promise.reject(new Error('boom'))
            throw new Error('boom')
          },
          'GET /fine': () => ({ body: 'fine' }),
        }),
      )
      const { send } = await host(app)
      expect((await send('/')).status).toBe(500)
      expect((await send('/fine')).text).toBe('fine')
    },
  )

  it("answers itself when the host's next(error) throws", async () => {
    const lines = jest.spyOn(console, 'error').mockImplementation(() => {})
    const handler = contender.create({
      'GET /': async () => {
        throw Object.assign(new Error('no such tea'), { status: 404 })
      },
    })
    const { send } = await host((req, res) =>
      handler(req, res, (error) => {
        res.statusCode = (error as { code: number }).code
        throw new RangeError('as polka does')
      }),
    )
    const answer = await send('/')
    expect([answer.status, answer.text]).toEqual([404, 'no such tea'])
    expect(lines.mock.calls.flat().join('\n')).toContain('next(error) has thrown: RangeError: as polka does')
    lines.mockRestore()
  })
})

describeServings('What a hook does with next()', ({ serve }) => {
  it('goes on when a hook does nothing but call it', async () => {
    const { send } = await serve([new Controller('GET', '/', () => 'reached')], {
      setup: (routeControllers) => void routeControllers.addGlobal((_req, _res, next) => next()),
    })
    expect((await send('/')).text).toBe('reached')
  })

  it.each<[string, (run: () => void) => void]>([
    ['at once', (run) => run()],
    ['later', (run) => void setImmediate(run)],
  ])('keeps the store in which a hook calls it %s', async (_when, later) => {
    const store = new AsyncLocalStorage<string>()
    const { send } = await serve([new Controller('GET', '/', async () => store.getStore() ?? 'lost')], {
      setup: (routeControllers) =>
        void routeControllers
          .addGlobal((_req, _res, next) => later(() => store.run('kept', next)))
          .addGlobal((_req, _res, next) => next()),
    })
    expect((await send('/')).text).toBe('kept')
  })

  it('keeps the store through a parser, which calls next() from the events of the socket', async () => {
    const store = new AsyncLocalStorage<string>()
    const { send } = await serve([new Controller('POST', '/', () => store.getStore() ?? 'lost')], {
      setup: (routeControllers) =>
        void routeControllers
          .addGlobal((_req, _res, next) => store.run('kept', next))
          .addGlobal(express5.json()),
    })
    const headers = { 'content-type': 'application/json' }
    expect((await send('/', { method: 'POST', headers, body: '{}', chunked: true })).text).toBe('kept')
  })

  it('ignores a second call, and logs the name of the hook', async () => {
    const { send, logged } = await serve([new Controller('GET', '/', () => 'once')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal(function impatient(_req, _res, next) {
          next()
          next()
        }),
    })
    expect((await send('/')).text).toBe('once')
    expect(logged).toEqual([expect.stringContaining('impatient')])
  })

  it.each(['throws', 'rejects'])('answers 500 when a hook %s', async (how) => {
    const { send } = await serve([new Controller('GET', '/', () => 'never reached')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal(() => {
          if (how === 'rejects') return Promise.reject(new Error('boom'))
          throw new Error('boom')
        }),
    })
    expect((await send('/')).status).toBe(500)
  })
})

describeServings(
  'A request that is not as usual',
  ({ serve, misses }) => {
    it('is cut off when a hook fails in the middle of its own answer', async () => {
      const { port } = await serve([new Controller('GET', '/', () => 'never reached')], {
        setup: (routeControllers) =>
          void routeControllers.addGlobal((_req, res) => {
            res.write('half')
            throw new Error('boom')
          }),
      })
      const client = await openRaw(port!)
      const received = await client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n').untilClosed()
      expect(received).not.toContain('\r\n0\r\n\r\n')
      expect(received).not.toContain('boom')
    })

    it('may be about the whole server: OPTIONS *', async () => {
      const { port, send } = await serve([new Controller('GET', '/', () => 'fine')])
      const client = await openRaw(port!)
      client.write('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      const [answer] = parseAnswers(await client.untilClosed())
      expect(answer!.status).toBe(misses === 'us' ? 204 : 404)
      expect((await send('/')).text).toBe('fine')
    })

    it('may have no Host', async () => {
      const { port } = await serve([
        new Controller('GET', '/', (req) => `host: ${req.get('host') ?? 'none'}`),
      ])
      const client = await openRaw(port!)
      const [answer] = parseAnswers(await client.write('GET / HTTP/1.0\r\n\r\n').untilClosed())
      expect([answer!.status, answer!.body]).toEqual([200, 'host: none'])
    })
  },
  ({ onNode }) => onNode,
)

describe('toConnect', () => {
  it.each(expresses)('makes a URL also where there is no Host, in %s', async (_name, anyExpress) => {
    const app = createExpress(anyExpress)
    app.use(toConnect((request) => new Response(request.url)))
    const { port } = await host(app)
    const client = await openRaw(port)
    const [answer] = parseAnswers(await client.write('GET /x HTTP/1.0\r\n\r\n').untilClosed())
    expect([answer!.status, answer!.body]).toEqual([200, 'http://localhost/x'])
  })
})

describe('An error that is thrown where there is an Express', () => {
  it.each(expresses)('comes with the request as the host has made it: %s', async (_name, anyExpress) => {
    const app = createExpress(anyExpress).set('query parser', 'extended')
    const fails = new Controller('GET', '/', (req) => {
      expect(req.query).toEqual({ 'a[b]': '1' })
      throw new Error('boom')
    })
    app.use(new RouteControllers([fails]).middleware())
    app.use((_error: unknown, req: ExpressRequest, res: ExpressResponse, _next: NextFunction) => {
      res.status(500).json({ query: req.query, isOurs: 'realIp' in req })
    })
    const { send } = await host(app)
    expect((await send('/?a[b]=1')).json()).toEqual({ query: { a: { b: '1' } }, isOurs: false })
  })

  it.each(expresses)('has its status there: %s', async (_name, anyExpress) => {
    const app = createExpress(anyExpress)
    app.use(new RouteControllers([new Controller('POST', '/', (req) => req.json())]).middleware())
    const { send } = await host(app)
    const json = { 'content-type': 'application/json' }
    expect((await send('/', { method: 'POST', headers: json, body: '{' })).status).toBe(400)
    expect(
      (await send('/', { method: 'POST', headers: json, body: `"${'x'.repeat(1024 * 1024)}"` })).status,
    ).toBe(413)
  })
})
