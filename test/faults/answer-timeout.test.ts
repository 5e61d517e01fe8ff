import { request as httpRequest, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import compression from 'compression'
import { Controller, fromConnect, type Hook, RouteControllers } from 'routecontrollers'
import express from 'express'
import { fromApp, fromExpress } from 'routecontrollers/express'
import { describeServings, listenOn, type ServeOptions, type Serving } from '../support/describe-servings.js'
import { Source } from '../support/source.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { openRaw } from '../support/raw-socket.js'
import { Body } from '../../src/body/body.js'

const never = (): Promise<never> => new Promise(() => {})
const answerTimeoutMs = 40
const hello = new Controller('GET', '/hello', () => 'hello')

/** Sends `/`, which is not answered in time. */
async function expectTimeout(
  serving: Serving,
  controllers: Controller<any, any>[],
  options: ServeOptions,
  pending: string,
) {
  const served = await serving.serve([...controllers, hello], { answerTimeoutMs, ...options })
  const answer = await served.send('/')
  expect(answer.status).toBe(503)
  if (serving.errors === 'us' && options.profile === undefined)
    expect(answer.text).toBe('Service Unavailable')
  expect(served.logged).toEqual([`error GET /: no answer after 40 ms: ${pending} has not settled`])
  return served
}

const stuck: Hook = function stuck() {}
const passing: Hook = function passing(_req, _res, next) {
  next()
}

describeServings('With answerTimeoutMs', (serving) => {
  it('a callback that never settles is 503, and named in one log line', async () => {
    const { send } = await expectTimeout(
      serving,
      [new Controller('GET', '/', never)],
      {},
      'the Controller GET:/',
    )
    expect((await send('/hello')).text).toBe('hello')
  })

  it('so is a middleware', async () => {
    const controller = new Controller('GET', '/', () => 'not reached').use(never)
    await expectTimeout(serving, [controller], {}, 'the Controller GET:/')
  })

  it('so is a hook that never calls next()', async () => {
    const setup: ServeOptions['setup'] = (routeControllers) =>
      routeControllers.addGlobal(passing).addGlobal('/', stuck)
    await expectTimeout(
      serving,
      [new Controller('GET', '/', () => 'not reached')],
      { setup },
      'the hook stuck',
    )
  })

  it('no other hook is called where that one calls next() when it is over', async () => {
    let goOn: () => void = () => {}
    let isReached = false
    const { send } = await expectTimeout(
      serving,
      [new Controller('GET', '/', () => 'not reached')],
      {
        setup: (routeControllers) =>
          routeControllers
            .addGlobal('/', function late(req, _res, next) {
              if (req.url === '/hello') return next()
              goOn = next
            })
            .addGlobal((req, _res, next) => {
              isReached ||= req.url !== '/hello'
              next()
            }),
      },
      'the hook late',
    )
    goOn()
    expect(isReached).toBe(false)
    expect((await send('/hello')).text).toBe('hello')
  })

  it('so is a hook of one controller, and the callback behind one', async () => {
    const held = new Controller('GET', '/', () => 'not reached').use(fromConnect(stuck))
    await expectTimeout(serving, [held], {}, 'the hook stuck')
    const passed = new Controller('GET', '/', never).use(fromConnect(passing))
    await expectTimeout(serving, [passed], {}, 'the Controller GET:/')
  })

  it.each([
    ['sends', (res: any) => res.set('X-Late', '1').status(200).send('late')],
    ['writes', (res: any) => (res.writeHead(200, { 'X-Late': '1' }), res.write('late'), res.end('more'))],
    [
      'has headers',
      (res: any) => (res.setHeader('X-Late', '1'), res.removeHeader('Date'), res.flushHeaders()),
    ],
  ])('what an Express handler %s when it is over is ignored', async (_what, late) => {
    let isOver: (error?: unknown) => void
    const over = new Promise((resolve) => (isOver = resolve))
    const handler = fromExpress((_req, res) => {
      // Whatever is thrown here would end the process.
      setTimeout(() => {
        try {
          late(res)
          isOver()
        } catch (error) {
          isOver(error)
        }
      }, 3 * answerTimeoutMs)
    })
    const { send } = await expectTimeout(
      serving,
      [new Controller('GET', '/', handler)],
      {},
      'the Controller GET:/',
    )
    expect(await over).toBeUndefined()
    expect((await send('/hello')).text).toBe('hello')
  })

  it('what an Express handler sends while the answer is still compressed is ignored', async () => {
    let isOver: (error?: unknown) => void
    const over = new Promise((resolve) => (isOver = resolve))
    const handler = fromExpress((_req, res) => {
      const sendLate = (): void => {
        if (!res.headersSent) return void setImmediate(sendLate)
        try {
          res.status(200).set('X-Late', '1').send('late')
          isOver()
        } catch (error) {
          isOver(error)
        }
      }
      sendLate()
    })
    const { send, logged } = await serving.serve([new Controller('GET', '/', handler)], {
      answerTimeoutMs,
      setup: (all) => void all.addGlobal(compression({ threshold: 0 })),
    })
    const { status, headers, body } = await send('/', { headers: { 'accept-encoding': 'gzip' } })
    expect([status, headers['content-encoding'], headers['x-late']]).toEqual([503, 'gzip', undefined])
    expect(gunzipSync(body).toString()).toMatch(/Service Unavailable|No answer came in time/)
    expect(await over).toBeUndefined()
    expect(logged).toHaveLength(1)
  })

  it('so is an onError that does not settle when it is told of that', async () => {
    const served = await serving.serve([new Controller('GET', '/', never)], {
      answerTimeoutMs,
      onError: never,
    })
    expect((await served.send('/')).status).toBe(503)
  })

  it('so is an error hook', async () => {
    const setup: ServeOptions['setup'] = (routeControllers) =>
      routeControllers.addGlobal(function stuckToo(
        _error: unknown,
        _req: unknown,
        _res: unknown,
        _next: unknown,
      ) {})
    const failing = new Controller('GET', '/', () => Promise.reject(new Error('first')))
    await expectTimeout(serving, [failing], { setup }, 'the hook stuckToo')
  })

  it('onError may answer it, and is told what it is', async () => {
    const { send, logged } = await serving.serve([new Controller('GET', '/', never)], {
      answerTimeoutMs,
      onError: (error, _req, res) => res.status(504).text((error as { code: string }).code),
    })
    expect(await send('/')).toMatchObject({ status: 504, text: 'ERR_ANSWER_TIMEOUT' })
    expect(logged).toHaveLength(1)
  })

  it('so is an onNotFound that never settles', async () => {
    if (serving.misses === 'host') return
    await expectTimeout(serving, [], { onNotFound: never }, 'onNotFound')
  })

  it('an onError that never settles is not waited for twice', async () => {
    const { send, logged } = await serving.serve(
      [new Controller('GET', '/', () => Promise.reject(new Error('first')))],
      {
        answerTimeoutMs,
        onError: never,
      },
    )
    expect((await send('/')).status).toBe(503)
    expect(logged).toEqual(['error GET /: no answer after 40 ms: onError has not settled'])
  })

  it('the stream with which onError answers after that is given up, unread', async () => {
    const source = new Source().give('late')
    const failing = new Controller('GET', '/', () => Promise.reject(new Error('first')))
    const { send } = await serving.serve([failing], {
      answerTimeoutMs,
      onError: async (_error, _req, res) => {
        await sleep(4 * answerTimeoutMs)
        return res.stream(source.asIterable())
      },
    })
    expect((await send('/')).status).toBe(503)
    await source.whenCancelled
    expect([source.asked, source.cancelled]).toEqual([0, 1])
  })

  it('neither is one that is told of a body which was refused while it was read', async () => {
    const { send, logged } = await serving.serve([new Controller('POST', '/', () => 'x')], {
      answerTimeoutMs,
      bodyLimit: 1,
      onError: never,
    })
    const headers = { 'content-type': 'text/plain' }
    expect((await send('/', { method: 'POST', headers, body: 'long', chunked: true })).status).toBe(503)
    expect(logged).toEqual(['error POST /: no answer after 40 ms: onError has not settled'])
  })

  it.each(['a text', 'a stream', 'an error', 'next()', 'next(error)'] as const)(
    '%s that comes late is ignored, and nothing breaks',
    async (late) => {
      const source = new Source()
      let settled = (): void => {}
      const done = new Promise<void>((resolve) => (settled = resolve))
      let reached = 0
      const { send, logged } = await serving.serve(
        [
          hello,
          new Controller('GET', '/', async (_req, res) => {
            reached++
            await sleep(2 * answerTimeoutMs)
            setImmediate(settled)
            if (late === 'an error') throw new Error('late')
            return late === 'a stream' ? res.stream(source.asStream()) : 'late'
          }),
        ],
        {
          answerTimeoutMs,
          setup(routeControllers) {
            if (!late.startsWith('next')) return
            routeControllers.addGlobal('/', (req, _res, next) => {
              if (req.url !== '/') return next()
              setTimeout(() => {
                next(late === 'next(error)' ? new Error('late') : undefined)
                settled()
              }, 2 * answerTimeoutMs)
            })
          },
        },
      )
      expect((await send('/')).status).toBe(503)
      await done
      expect((await send('/hello')).text).toBe('hello')
      expect(reached).toBe(late.startsWith('next') ? 0 : 1)
      if (late === 'a stream') expect([source.asked, source.cancelled]).toEqual([0, 1])
      const told = logged.filter((line) => !line.includes('has not settled'))
      expect(told).toEqual(late === 'an error' ? [expect.stringContaining('Error: late')] : [])
      expect(logged).toHaveLength(1 + told.length)
    },
  )

  it('an error that a hook throws late is logged', async () => {
    let settled = (): void => {}
    const done = new Promise<void>((resolve) => (settled = resolve))
    const { send, logged } = await serving.serve([hello], {
      answerTimeoutMs,
      setup: (routeControllers) =>
        void routeControllers.addGlobal('/hello', async () => {
          await sleep(2 * answerTimeoutMs)
          setImmediate(settled)
          throw new Error('late')
        }),
    })
    expect((await send('/hello')).status).toBe(503)
    await done
    expect(logged).toEqual([
      expect.stringContaining('has not settled'),
      expect.stringMatching(/^error The hook .* has failed after the answer of its time limit: Error: late/),
    ])
  })

  it('a request that nobody takes is 404 at once, behind a hook for every request too', async () => {
    const { send, logged } = await serving.serve([hello], {
      answerTimeoutMs,
      setup: (routeControllers) => void routeControllers.addGlobal(passing, { scope: 'every' }),
    })
    expect((await send('/none')).status).toBe(404)
    expect(logged).toEqual([])
  })

  it('an answer that has begun may take as long as it likes', async () => {
    const slow = new Controller('GET', '/', (_req, res) =>
      res.stream(
        (async function* () {
          yield 'a'
          await sleep(3 * answerTimeoutMs)
          yield 'b'
        })(),
      ),
    )
    const { send, logged } = await serving.serve([slow], { answerTimeoutMs })
    expect((await send('/')).text).toBe('ab')
    expect(logged).toEqual([])
  })
})

describeServingsAndHttp2(
  'A coded Response whose first piece is awaited, with answerTimeoutMs,',
  (serving) => {
    // In getCallback() such a Response is returned as it is, unless there is a hook.
    const setup: ServeOptions['setup'] = (all) => void all.addGlobal(passing)
    let given: ReadableByteStreamController | undefined
    let cancelled = 0
    beforeEach(() => void ((given = undefined), (cancelled = 0)))
    /** As the body of a Response of fetch(), which is a byte stream. */
    const coded = (): Response => {
      const body = new ReadableStream({
        type: 'bytes',
        start: (controller) => void (given = controller),
        cancel: () => void cancelled++,
      })
      return new Response(body, { status: 201, headers: { 'content-encoding': 'gzip', 'x-late': '1' } })
    }

    it('is 503 where that does not come in time, and its source is cancelled once', async () => {
      const { send, logged } = await serving.serve([new Controller('GET', '/', coded), hello], {
        answerTimeoutMs,
        setup,
      })
      const { status, headers } = await send('/')
      expect([status, headers['content-encoding'], headers['x-late']]).toEqual([503, undefined, undefined])
      expect(logged).toEqual(['error GET /: no answer after 40 ms: the Controller GET:/ has not settled'])
      expect(cancelled).toBe(1)
      expect((await send('/hello')).text).toBe('hello')
    })

    it('is not waited for twice where onError answers with another', async () => {
      const { send, logged } = await serving.serve([new Controller('GET', '/', coded)], {
        answerTimeoutMs,
        setup,
        onError: coded,
      })
      const { status, headers, text } = await send('/')
      expect([status, headers['x-late'], text]).toEqual([503, undefined, 'Service Unavailable'])
      expect(logged).toEqual([
        expect.stringContaining('the Controller GET:/ has not settled'),
        expect.stringContaining('onError has not settled'),
      ])
      expect(cancelled).toBe(2)
    })

    it('may take as long as it likes once that has come', async () => {
      const ms = 5 * answerTimeoutMs
      const { send, logged } = await serving.serve([new Controller('GET', '/', coded)], {
        answerTimeoutMs: ms,
        setup,
      })
      const received = send('/', { headers: { 'accept-encoding': 'gzip' } })
      while (given === undefined) await sleep(1)
      const bytes = new Uint8Array(gzipSync('slow'))
      given.enqueue(bytes.slice(0, 12))
      await sleep(1.5 * ms)
      given.enqueue(bytes.slice(12))
      given.close()
      const { status, body } = await received
      expect([status, gunzipSync(body).toString(), logged]).toEqual([201, 'slow', []])
    })
  },
)

describeServings(
  'A request that goes on to somebody else, with answerTimeoutMs,',
  (serving) => {
    it.each<[string, ServeOptions]>([
      ['without hooks', {}],
      [
        'behind a hook for every request',
        { setup: (all) => void all.addGlobal(passing, { scope: 'every' }) },
      ],
      [
        'behind a hook that leads it there',
        {
          setup: (all) =>
            void all.addGlobal((req, _res, next) => {
              req.url = '/slow'
              next()
            }),
        },
      ],
    ])('is theirs to answer: %s', async (how, options) => {
      const { send, logged } = await serving.serve([hello], {
        answerTimeoutMs,
        ...options,
        downstream: (app) =>
          void app.get(
            '/slow',
            (_req, res) => void setTimeout(() => res.send('theirs'), 3 * answerTimeoutMs),
          ),
      })
      expect((await send(how.endsWith('there') ? '/hello' : '/slow')).text).toBe('theirs')
      expect(logged).toEqual([])
    })

    it('is theirs to answer where a Controller has passed it on', async () => {
      const passes = new Controller(
        'GET',
        '/slow',
        fromExpress((_req, _res, next) => next()),
      )
      const { send, logged } = await serving.serve([passes], {
        answerTimeoutMs,
        downstream: (app) =>
          void app.get(
            '/slow',
            (_req, res) => void setTimeout(() => res.send('theirs'), 3 * answerTimeoutMs),
          ),
      })
      expect((await send('/slow')).text).toBe('theirs')
      expect(logged).toEqual([])
    })
  },
  ({ misses }) => misses === 'host',
)

describeServings(
  'An error that a host answers, with answerTimeoutMs,',
  (serving) => {
    /** Answers later than in time, and notes what it is told. */
    const answersSlowly =
      (told: string[]): NonNullable<ServeOptions['downstream']> =>
      (app) =>
        void app.use(((error: Error, _req: unknown, res: ServerResponse, _next: unknown) => {
          told.push(error.message)
          setTimeout(() => res.end('theirs'), 4 * answerTimeoutMs)
        }) as never)

    it('is theirs to answer, and may take as long as it likes', async () => {
      const told: string[] = []
      const fails = new Controller('GET', '/', () => Promise.reject(new Error('failed')))
      const { send, logged } = await serving.serve([fails], {
        answerTimeoutMs,
        downstream: answersSlowly(told),
      })
      expect((await send('/')).text).toBe('theirs')
      expect([told, logged]).toEqual([['failed'], []])
    })

    it.each([false, true])(
      'comes to them once, where a callback fails after its time, with an error hook: %p',
      async (hasErrorHook) => {
        const told: string[] = []
        const late = new Controller('GET', '/', async () => {
          await sleep(2 * answerTimeoutMs)
          throw new Error('late')
        })
        const { send, logged } = await serving.serve([late], {
          answerTimeoutMs,
          downstream: answersSlowly(told),
          setup(all) {
            if (!hasErrorHook) return
            all.addGlobal((error: unknown, _req: unknown, _res: unknown, next: (given: unknown) => void) => {
              told.push('hook')
              next(error)
            })
          },
        })
        expect((await send('/')).text).toBe('theirs')
        expect(told).toEqual(['No answer came in time'])
        expect(logged).toEqual([
          expect.stringContaining('has not settled'),
          expect.stringContaining('Error: late'),
        ])
      },
    )
  },
  ({ errors }) => errors === 'host',
)

describeServings(
  'The time that a client takes to send its body',
  (serving) => {
    it('does not count, and that after it does', async () => {
      const controllers = [
        new Controller('POST', '/', (req) => String(req.body)),
        new Controller('POST', '/stuck', never),
      ]
      const { port, logged } = await serving.serve(controllers, { answerTimeoutMs })
      const post = (path: string): Promise<[number, string]> =>
        new Promise((resolve, reject) => {
          const outgoing = httpRequest({
            port,
            path,
            method: 'POST',
            headers: { 'content-type': 'text/plain' },
            agent: false,
          })
          outgoing.on('error', reject).on('response', (incoming) => {
            let text = ''
            incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
            incoming.on('end', () => resolve([incoming.statusCode!, text]))
          })
          outgoing.write('slow')
          setTimeout(() => outgoing.end('ly'), 3 * answerTimeoutMs)
        })
      expect(await post('/')).toEqual([200, 'slowly'])
      expect(logged).toEqual([])
      expect((await post('/stuck'))[0]).toBe(503)
    })
  },
  ({ onNode }) => onNode,
)

describe('The timer of answerTimeoutMs', () => {
  const ms = 54_321
  const timers = new Set<unknown>()
  beforeEach(() => {
    const { setTimeout: set, clearTimeout: clear } = globalThis
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, after: number) => {
      const timer = set(run, after)
      if (after === ms) timers.add(timer)
      return timer
    }) as never)
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      timers.delete(timer)
      clear(timer)
    })
  })
  afterEach(() => {
    for (const timer of timers) clearTimeout(timer as NodeJS.Timeout)
    jest.restoreAllMocks()
  })

  const silent = { info() {}, warn() {}, error() {} }
  const serve = (controllers: Controller<any, any>[], hook: Hook | undefined, options = {}) => {
    const all = new RouteControllers(controllers, { answerTimeoutMs: ms, logger: silent, ...options })
    if (hook !== undefined) all.addGlobal(hook)
    return all.getCallback()
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  describe.each([
    ['without Node', undefined],
    ['behind a hook', passing],
  ])('%s', (_how, hook) => {
    const rows: [string, Controller<any, any>, object?][] = [
      ['a text', hello],
      [
        'a promise of one',
        new Controller('GET', '/hello', async () => {
          await turn()
          return 'hello'
        }),
      ],
      [
        'a stream',
        new Controller('GET', '/hello', (_req, res) =>
          res.stream(
            (async function* () {
              await turn()
              yield 'hello'
            })(),
          ),
        ),
      ],
      ['a Response', new Controller('GET', '/hello', () => new Response('hello'))],
      ['an error', new Controller('GET', '/hello', () => Promise.reject(new Error('no')))],
      [
        'what onError makes of one',
        new Controller('GET', '/hello', () => Promise.reject(new Error('no'))),
        { onError: () => 'error' },
      ],
      ['a 404', new Controller('GET', '/other', () => 'other')],
      [
        'what onNotFound makes of one',
        new Controller('GET', '/other', () => 'other'),
        { onNotFound: () => '' },
      ],
      [
        'a handler of Express',
        new Controller(
          'GET',
          '/hello',
          fromExpress((_req, res) => void res.end('hello')),
        ),
      ],
    ]
    // A row that is shorter would have `done` in its place.
    const whole = rows.map(([what, controller, options]) => [what, controller, options ?? {}] as const)
    it.each(whole)('keeps no process once there is %s', async (_what, controller, options) => {
      const response = await serve([controller], hook, options)(new Request('http://x/hello'))
      await response.text()
      await turn()
      expect(timers.size).toBe(0)
    })
  })

  it('keeps none either where the client has gone before', async () => {
    const client = new AbortController()
    const { signal } = client
    const answering = serve(
      [new Controller('GET', '/', never)],
      passing,
    )(new Request('http://x/', { signal }))
    await turn()
    expect(timers.size).toBe(1)
    client.abort()
    await answering
    await turn()
    expect(timers.size).toBe(0)
  })

  it('keeps none where the client goes in the middle of the body', async () => {
    const posted = new Controller('POST', '/', () => 'x')
    const parsing = jest.spyOn(Body.prototype, 'bytes')
    const all = new RouteControllers([posted], { answerTimeoutMs: ms, logger: silent })
    const { port, close } = await listenOn(all.middleware())
    const client = await openRaw(port)
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{')
    while (parsing.mock.results.length === 0) await turn()
    client.reset()
    await expect(parsing.mock.results[0]!.value).rejects.toThrow()
    await turn()
    await turn()
    expect(timers.size).toBe(0)
    await close()
  })
})

describe('answerTimeoutMs', () => {
  it.each([NaN, -1, 1.5, '1 s', Infinity, 2 ** 31, null])('refuses %p', (value) => {
    expect(() => new RouteControllers([], { answerTimeoutMs: value as number })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringMatching(/^answerTimeoutMs is milliseconds/),
      }),
    )
  })
})

describeServings('With answerTimeoutMs, under a profile', (serving) => {
  const profile = () => fromApp(express().set('env', 'test'))
  const behind = () => new Controller('GET', '/', () => 'not reached')

  it('a hook that never calls next() is 503, and named in one log line', async () => {
    const setup: ServeOptions['setup'] = (all) => void all.addGlobal(passing).addGlobal('/', stuck)
    await expectTimeout(serving, [behind()], { setup, profile: profile() }, 'the hook stuck')
  })

  it('a request that goes on to somebody else is theirs to answer', async () => {
    const { send, logged } = await serving.serve([hello], {
      answerTimeoutMs,
      profile: profile(),
      setup: (all) => void all.addGlobal(passing, { scope: 'every' }),
      downstream: (app) =>
        void app.get('/slow', (_req, res) => void setTimeout(() => res.send('theirs'), 2 * answerTimeoutMs)),
    })
    const answer = await send('/slow')
    expect(answer.status).toBe(serving.misses === 'host' ? 200 : 404)
    expect(logged).toEqual([])
  })

  it.each([[undefined], [new Error('late')]])(
    'a hook that calls next(%p) later changes nothing',
    async (error) => {
      let isOver = (): void => {}
      const over = new Promise<void>((resolve) => (isOver = resolve))
      const late: Hook = function late(req, _res, next) {
        if (req.url === '/hello') return next()
        setTimeout(() => {
          next(error)
          isOver()
        }, 3 * answerTimeoutMs)
      }
      const setup: ServeOptions['setup'] = (all) => void all.addGlobal('/', late)
      const { send } = await expectTimeout(
        serving,
        [behind()],
        { setup, profile: profile() },
        'the hook late',
      )
      await over
      expect((await send('/hello')).text).toBe('hello')
    },
  )

  it('so is a handler of Express that passes an error on later', async () => {
    let passOn: (() => void) | undefined
    const handler = fromExpress((_req, _res, next) => {
      passOn = () => next(new Error('late'))
    })
    const { send, logged } = await expectTimeout(
      serving,
      [new Controller('GET', '/', handler)],
      { profile: profile() },
      'the Controller GET:/',
    )
    passOn!()
    while (logged.length < 2) await sleep(5)
    expect(logged[1]).toContain('Error: late')
    expect((await send('/hello')).text).toBe('hello')
  })
})
