import { AsyncLocalStorage } from 'node:async_hooks'
import bodyParser from 'body-parser'
import multer from 'multer'
import { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AnyController,
  around,
  Controller,
  type ControllerOptions,
  fromConnect,
  type Hook,
  type Next,
} from 'routecontrollers'
import { express5 } from 'routecontrollers/express'
import { describeServings, type Serving } from '../support/describe-servings.js'
import { closeHosted } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'

type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown

/** One controller with this middleware, whose callback tells what `req.mark` is. */
function guarded(...middleware: Hook[]): AnyController {
  const controller = new Controller<'/', { mark?: unknown }>('*', '/', (req) => ({ mark: req.mark ?? null }))
  for (const one of middleware) controller.use(fromConnect(one))
  return controller
}

const mark =
  (name: string): Middleware =>
  (req, _res, next) => {
    const marked = req as IncomingMessage & { mark?: string[] }
    marked.mark = [...(marked.mark ?? []), name]
    next()
  }

const sends =
  (status: number, text: string): Middleware =>
  (_req, res) =>
    void res.writeHead(status, { 'Content-Type': 'text/plain', 'X-By': 'middleware' }).end(text)

/** What a client is told of a failure, where Express or we tell it. */
const told = ({ errors }: Serving, ours: object, hosts: object): object => (errors === 'us' ? ours : hosts)

describeServings('fromConnect', (serving) => {
  it('shows the callback what the middleware has put on req, in the order of use', async () => {
    const { send } = await serving.serve([guarded(mark('a'), mark('b'))])
    expect((await send('/')).json()).toEqual({ mark: ['a', 'b'] })
  })

  it('keeps the status that the middleware has set, where the callback sets none', async () => {
    const sets = fromConnect((_req, res, next) => {
      res.statusCode = 203
      next()
    })
    const { send } = await serving.serve([
      new Controller('GET', '/json', (_req, res) => res.json({})).use(sets),
      new Controller('GET', '/value', () => 'value').use(sets, fromConnect(mark('a'))),
      new Controller('GET', '/own', (_req, res) => res.status(201).text('own')).use(sets),
      new Controller('GET', '/ours', (_req, res) => res.text('ours'))
        .use((_req, res) => void res.status(201))
        .use(fromConnect(mark('a'))),
      new Controller('GET', '/Response', () => new Response('web')).use(sets),
      new Controller('GET', '/fails', () => Promise.reject(new Error('it fails'))).use(sets),
    ])
    const statuses = []
    for (const path of ['/json', '/value', '/own', '/ours', '/Response', '/fails'])
      statuses.push((await send(path)).status)
    expect(statuses).toEqual([203, 203, 201, 201, 200, 500])
  })

  it.each([['203'], [203.5], [[203]], ['text'], [undefined], [Infinity], [600]])(
    'takes the status %j that a middleware has set as Node sends it, and none that is no status',
    async (status) => {
      const sets = fromConnect((_req, res, next) => {
        res.statusCode = status as number
        next()
      })
      const { send } = await serving.serve([new Controller('GET', '/', () => 'value').use(sets)])
      expect((await send('/')).status).toBe(String(status).startsWith('203') ? 203 : 200)
    },
  )

  it('keeps its place among middleware of ours', async () => {
    const order: string[] = []
    const controller = new Controller('GET', '/', () => order.join(' '))
    controller
      .use(() => void order.push('ours'))
      .use(
        fromConnect((_req, _res, next) => {
          order.push('connect')
          next()
        }),
      )
      .use(() => void order.push('ours again'))
    const { send } = await serving.serve([controller])
    expect((await send('/')).text).toBe('ours connect ours again')
  })

  it('gives it Node’s own request and response, and the params of the route', async () => {
    const seen: unknown[] = []
    const controller = new Controller('GET', '/users/:id', (req, res) => res.json(req.params))
    controller.use(
      fromConnect((req: IncomingMessage & { params?: object }, res, next) => {
        seen.push(req instanceof IncomingMessage, res instanceof ServerResponse, req.url, { ...req.params })
        next()
      }),
    )
    const { send } = await serving.serve([controller])
    expect((await send('/users/7?a=1')).json()).toEqual({ id: '7' })
    expect(seen).toEqual([true, true, '/users/7?a=1', { id: '7' }])
  })

  it('keeps headers that it has set, but for those of the answer itself', async () => {
    const controller = new Controller('GET', '/', (_req, res) => res.header('X-Both', 'ours').text('x'))
    controller.use(
      fromConnect((_req, res, next) => {
        res.setHeader('X-Its', '1')
        res.setHeader('X-Both', 'its')
        res.setHeader('Set-Cookie', 'a=1')
        next()
      }),
    )
    const { send } = await serving.serve([controller])
    const answer = await send('/')
    expect(answer.headers).toMatchObject({ 'x-its': '1', 'x-both': 'ours' })
    expect(answer.cookies).toEqual(['a=1'])
  })

  it.each<[string, Middleware]>([
    ['at once', sends(401, 'stop')],
    ['later', (req, res, next) => void setImmediate(() => sends(401, 'stop')(req, res, next))],
    [
      'from an async function',
      async (req, res, next) => {
        await Promise.resolve()
        sends(401, 'stop')(req, res, next)
      },
    ],
    [
      'and goes on all the same',
      (req, res, next) => {
        sends(401, 'stop')(req, res, next)
        next()
      },
    ],
  ])('ends the chain with a response that it sends %s', async (_when, middleware) => {
    const { send, logged } = await serving.serve([guarded(middleware, mark('after'))])
    expect(await send('/')).toMatchObject({
      status: 401,
      text: 'stop',
      headers: expect.objectContaining({ 'x-by': 'middleware' }),
    })
    expect(logged).toEqual([])
  })

  it('does not run the callback after a response of the middleware', async () => {
    let called = 0
    const controller = new Controller('GET', '/', () => `called ${++called}`)
    controller.use(fromConnect(sends(403, 'no')))
    const { send } = await serving.serve([controller])
    expect((await send('/')).status).toBe(403)
    expect(called).toBe(0)
  })

  it.each<[string, Middleware]>([
    ['gives to next()', (_req, _res, next) => next(teapot())],
    ['gives to next() later', (_req, _res, next) => void setImmediate(() => next(teapot()))],
    [
      'throws',
      () => {
        throw teapot()
      },
    ],
    ['rejects', () => Promise.reject(teapot())],
    [
      'gives to next() although it has called next() before',
      (_req, _res, next) => {
        next()
        next(teapot())
      },
    ],
  ])('leads the error that the middleware %s where errors of the controller go', async (_how, middleware) => {
    const controller = new Controller('GET', '/', () => new Promise<string>(() => {}))
    controller.use(fromConnect(middleware))
    const { send } = await serving.serve([controller], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal(
          (error: Error & { status?: number }, _req: unknown, res: ServerResponse, _next: unknown) => {
            res.statusCode = error.status!
            res.end(`error hook: ${error.message}`)
          },
        ),
    })
    expect(await send('/')).toMatchObject({ status: 418, text: 'error hook: short and stout' })
    const { send: plain } = await serving.serve([controller])
    expect(await plain('/')).toMatchObject(
      told(serving, { status: 418, text: 'short and stout' }, { status: 418 }),
    )
  })

  it('goes on for next(undefined)', async () => {
    const { send } = await serving.serve([guarded((_req, _res, next) => next(undefined), mark('after'))])
    expect((await send('/')).json()).toEqual({ mark: ['after'] })
  })

  describe.each([
    ['without a profile', {}],
    ['under a profile', { profile: express5() }],
  ])('%s', (_profile, options) => {
    it.each([
      ['route', 'alone'],
      ['router', 'alone'],
      ['route', 'within another that runs around it'],
    ])(
      'skips the callback for next(%p), as middleware of a route of Express does: %s',
      async (signal, where) => {
        const seen: string[] = []
        const controller = new Controller('GET', '/', () => {
          seen.push('callback')
          return 'secret'
        })
        if (where !== 'alone') controller.use((_req, _res, next) => next())
        controller.use(fromConnect((_req, _res, next) => next(signal)))
        const { send } = await serving.serve([controller], {
          ...options,
          downstream: (app) => void app.use((_req, res) => void res.send('behind')),
        })
        const { status, text } = await send('/')
        expect(seen).toEqual([])
        if (serving.misses === 'us') expect(status).toBe(404)
        else expect([status, text]).toEqual([200, 'behind'])
      },
    )
  })

  it.each<[string, object]>([
    ['no profile', {}],
    ['a profile', { profile: express5() }],
  ])('cannot fail a request under %s that it has passed on', async (_under, options) => {
    const failed: unknown[] = []
    let fail = (): void => {}
    const controller = new Controller('GET', '/', () => 'callback')
    controller.use(
      fromConnect((_req, _res, next) => {
        fail = () => next(new Error('too late'))
        next('route')
      }),
    )
    const { send } = await serving.serve([controller], {
      ...options,
      onError: (error) => void failed.push(error),
      onNotFound: () => Promise.resolve().then(() => (fail(), 'behind')),
      downstream: (app) =>
        void app.use((_req, res) => {
          fail()
          res.status(404).send('behind')
        }),
    })
    const { status, text } = await send('/')
    expect([status, text, failed]).toEqual([404, 'behind', []])
  })

  it("gives the request to the next route of a profile for next('route')", async () => {
    const first = new Controller('GET', '/', () => 'first')
    first.use(fromConnect((_req, _res, next) => next('route')))
    const { send } = await serving.serve([first, new Controller('GET', '/', () => 'second')], {
      profile: express5(),
    })
    expect((await send('/')).text).toBe('second')
  })

  it('goes on for next(req, res)', async () => {
    const { send } = await serving.serve([guarded((req, res, next) => next(req, res), mark('after'))])
    expect((await send('/')).json()).toEqual({ mark: ['after'] })
  })

  it.each<[string, object]>([
    ['no profile', {}],
    ['a profile', { profile: express5() }],
  ])(
    'does not go on for next(req, error) under %s: a second value that is no response lets nothing through',
    async (_under, options) => {
      for (const second of [null, new Error('Refused'), 'route']) {
        const reached: string[] = []
        const guard = guarded(
          (req, _res, next) => next(req, second as never),
          () => void reached.push('callback'),
        )
        const { send } = await serving.serve([guard], options)
        expect([(await send('/')).status, reached]).toEqual([500, []])
        const hooked = await serving.serve(
          [new Controller('GET', '/', () => void reached.push('behind a hook'))],
          {
            ...options,
            setup: (routeControllers) =>
              void routeControllers.addGlobal((req, _res, next) => next(req, second as never)),
          },
        )
        expect([(await hooked.send('/')).status, reached]).toEqual([500, []])
      }
    },
  )

  it.each<[string, object]>([
    ['no profile', {}],
    ['a profile', { profile: express5() }],
  ])(
    'goes to the error handlers for next(req) under %s, as a route of Express does',
    async (_under, options) => {
      const reached: string[] = []
      const failed: unknown[] = []
      const { send } = await serving.serve(
        [
          new Controller('GET', '/', () => void reached.push('callback')).use(
            fromConnect((req, _res, next) => next(req)),
          ),
        ],
        {
          ...options,
          setup: (routeControllers) =>
            void routeControllers.addGlobal(
              (error: unknown, _req: unknown, res: ServerResponse, _next: Next) => {
                failed.push(String(error))
                res.writeHead(500).end('handled')
              },
            ),
        },
      )
      const { status, text } = await send('/')
      expect([status, text, reached]).toEqual([500, 'handled', []])
      expect(failed).toEqual([expect.stringContaining('has given next() its request alone')])
    },
  )

  it('runs the rest once when next() is called twice, and names the middleware in the log', async () => {
    const { send, logged } = await serving.serve([
      guarded(function twice(_req: unknown, _res: unknown, next: Next) {
        next()
        next()
      }, mark('after')),
    ])
    expect((await send('/')).json()).toEqual({ mark: ['after'] })
    expect(logged).toEqual([expect.stringMatching(/^warn .*\btwice\b.*next\(\) twice/)])
  })

  it('runs the callback inside next(), without waiting a tick', async () => {
    const order: string[] = []
    const controller = new Controller('GET', '/', () => {
      order.push('callback')
      return 'x'
    })
    controller.use(
      fromConnect((_req, _res, next) => {
        order.push('before')
        next()
        order.push('after')
      }),
    )
    const { send } = await serving.serve([controller])
    await send('/')
    expect(order).toEqual(['before', 'callback', 'after'])
  })

  it('may patch the response, also where Express is the host', async () => {
    const controller = new Controller('GET', '/', () => 'patched')
    controller.use(
      fromConnect((_req, res, next) => {
        const end = res.end.bind(res) as (...all: unknown[]) => ServerResponse
        res.end = (...parameters: unknown[]) => {
          res.setHeader('X-Patched', '1')
          return end(...parameters)
        }
        next()
      }),
    )
    const { send } = await serving.serve([controller])
    expect((await send('/')).headers).toMatchObject({ 'x-patched': '1' })
  })

  it('sees a body that was parsed before it, or the stream itself for a controller that wants it', async () => {
    const raw = bodyParser.raw({ type: '*/*' })
    const route = (path: string, options: ControllerOptions): Controller =>
      new Controller(
        'POST',
        path,
        (req) => ({ bytes: Buffer.isBuffer(req.body), body: String(req.body) }),
        options,
      ).use(fromConnect(raw))
    const { send } = await serving.serve([route('/parsed', {}), route('/stream', { body: 'stream' })])
    const options = { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } }
    expect((await send('/parsed', options)).json()).toEqual({ bytes: false, body: 'text' })
    expect((await send('/stream', options)).json()).toEqual({ bytes: true, body: 'text' })
  })
})

function teapot(): Error {
  return Object.assign(new Error('short and stout'), { status: 418 })
}

const upload = {
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\ncontent\r\n--x--\r\n',
}
const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' }

describeServings(
  'A guard of GET by fromConnect',
  ({ serve }) => {
    afterEach(closeHosted)
    const guard = fromConnect((req, res, next) => {
      if (req.headers.authorization !== undefined) return next()
      res.writeHead(401).end('refused')
    })
    const head = (lines: string): string =>
      `GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 9\r\n${lines}\r\n`
    const answers = async (
      port: number,
      sent: string,
      rest: Promise<string> | string,
    ): Promise<unknown[]> => {
      const client = (await openRaw(port)).write(sent)
      client.write(await rest)
      return parseAnswers(await client.untilClosed()).map(({ status, body }) => [status, body])
    }

    it.each(['GET', 'HEAD'])('refuses %s before the body has come', async (method) => {
      const { port } = await serve([new Controller('GET', '/', () => 'reached').use(guard)])
      const client = (await openRaw(port!)).write(head('').replace('GET', method))
      expect(await client.until('\r\n\r\n')).toContain('HTTP/1.1 401 Unauthorized')
    })

    it('lets the request on to a callback that has the body', async () => {
      let passed = (): void => {}
      const isPassed = new Promise<void>((resolve) => (passed = resolve))
      const { port } = await serve([
        new Controller('GET', '/', (req) => ({ body: req.body ?? null })).use(
          guard,
          fromConnect((_req, _res, next) => {
            passed()
            next()
          }),
          (req) => ({ seen: req.body }),
        ),
      ])
      const rest = isPassed.then(() => '{"a":"bc"')
      const whole = head('Authorization: x\r\n').replace('Length: 9', 'Length: 10')
      expect(
        await answers(
          port!,
          whole,
          rest.then((text) => text + '}'),
        ),
      ).toEqual([[200, '{"body":{"a":"bc"}}']])
    })

    it.each([
      ['', 401],
      ['Authorization: x\r\n', 400],
    ])('decides before a malformed body is an error: with %j it is %i', async (lines, status) => {
      const { port } = await serve([new Controller('GET', '/', () => 'reached').use(guard)])
      expect(await answers(port!, head(lines), 'malformed')).toEqual([[status, expect.anything()]])
    })
  },
  ({ onNode }) => onNode,
)

describeServings('Many middleware of Connect that another one runs around', ({ serve }) => {
  it('add one listener to the response, where Node warns of more than ten', async () => {
    const counts: number[] = []
    const controller = new Controller('GET', '/', () => 'x').use(around(async (_req, _res, next) => next()))
    const counting = fromConnect((_req, res, next) => {
      counts.push(res.listenerCount('close'))
      next()
    })
    controller.use(counting, counting, counting)
    const { send } = await serve([controller])
    expect((await send('/')).text).toBe('x')
    expect(counts).toEqual([counts[0], counts[0], counts[0]])
  })
})

describeServings('AsyncLocalStorage', ({ serve }) => {
  const store = new AsyncLocalStorage<string>()
  const entering: Hook = (_req, _res, next) => store.run('of the request', next)

  it.each<[string, Hook, typeof posted, ControllerOptions]>([
    ['body-parser', bodyParser.json(), posted, { body: 'stream' }],
    ['multer', multer().single('file'), upload, {}],
    ['a timer', (_req, _res, next) => void setImmediate(next), posted, {}],
    [
      'an await',
      async (_req, _res, next) => {
        await Promise.resolve()
        next()
      },
      posted,
      {},
    ],
  ])(
    'reaches from als.run(store, next) to the callback through %s',
    async (_what, parser, request, options) => {
      const controller = new Controller('POST', '/one', () => store.getStore() ?? 'lost', options)
      controller.use(fromConnect(entering)).use(fromConnect(parser))
      const hooked = new Controller('POST', '/hooked', () => store.getStore() ?? 'lost', options)
      const { send } = await serve([controller, hooked], {
        setup: (routeControllers) =>
          void routeControllers.addGlobal('/hooked', entering).addGlobal('/hooked', parser),
      })
      expect((await send('/one', request)).text).toBe('of the request')
      expect((await send('/hooked', request)).text).toBe('of the request')
      expect((await send('/hooked', { ...request, chunked: true })).text).toBe('of the request')
    },
  )
})

describe('fromConnect', () => {
  it.each([
    ['nothing', undefined],
    ['a string', 'cors'],
    ['an error handler', (_error: unknown, _req: unknown, _res: unknown, _next: unknown) => {}],
  ])('refuses %s', (_what, value) => {
    expect(() => fromConnect(value as never)).toThrow(expect.objectContaining({ code: 'ERR_HOOK_INVALID' }))
  })
})
