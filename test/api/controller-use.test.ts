import { Controller, type Middleware, RouteControllers } from 'routecontrollers'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'

describe('Controller.use', () => {
  it('gives the Controller back, to go on with', () => {
    const controller = new Controller('GET', '/x', () => 'x')
    expect(controller.use(() => {}).use(() => {})).toBe(controller)
  })

  it('refuses all of a list of which one is no function', () => {
    const controller = new Controller('GET', '/x', () => 'x')
    const guard = (): void => {}
    expect(() => controller.use(guard, 'guard' as never)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'not string'),
    )
    expect(() => controller.use([guard, guard] as never)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'use(a, b) instead of use([a, b])'),
    )
    expect(() => (controller.use as () => unknown)()).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'not undefined'),
    )
    expect(controller.middleware).toEqual([])
  })

  it.each([[undefined], [null], ['guard'], [[() => {}]]])('refuses %p, naming the route', (middleware) => {
    expect(() => new Controller('GET', '/x', () => 'x').use(middleware as never)).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'Controller(GET, /x).use takes a function'),
    )
  })
})

describeServings('Controller.use', ({ serve, errors }) => {
  const waits = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('runs middleware in the order of use, sync and async, and then the callback', async () => {
    const { send } = await serve([
      new Controller<'/', { seen: string[] }>('GET', '/', (req, res) => res.json([...req.seen, 'callback']))
        .use((req) => {
          req.seen = ['first']
        })
        .use(async (req) => {
          await waits()
          req.seen.push('second')
        })
        .use((req) => {
          req.seen.push('third')
        }),
    ])
    expect((await send('/')).json()).toEqual(['first', 'second', 'third', 'callback'])
  })

  it('takes several at once, and the last of them may be the guard', async () => {
    const seen: string[] = []
    const { send } = await serve([
      new Controller('GET', '/', () => {
        seen.push('callback')
        return 'secret'
      })
        .use(
          () => void seen.push('first'),
          () => void seen.push('second'),
          (_req, res) => res.status(401).text('no'),
        )
        .use(() => void seen.push('never')),
    ])
    expect(await send('/')).toMatchObject({ status: 401, text: 'no' })
    expect(seen).toEqual(['first', 'second'])
  })

  it('does not wait between middleware that are sync', async () => {
    const seen: string[] = []
    const { send } = await serve([
      new Controller('GET', '/', () => {
        seen.push('callback')
        return 'x'
      })
        .use(() => {
          seen.push('first')
          queueMicrotask(() => seen.push('a tick later'))
        })
        .use(() => {
          seen.push('second')
        }),
    ])
    await send('/')
    expect(seen).toEqual(['first', 'second', 'callback', 'a tick later'])
  })

  it('shows the callback what a middleware has put on req', async () => {
    const { send } = await serve([
      new Controller<'/users/:id', { extraInfo: string }>('GET', '/users/:id', (req, res) =>
        res.json({ info: req.extraInfo, id: req.params.id }),
      ).use(async (req) => {
        req.extraInfo = `of ${req.params.id}`
      }),
    ])
    expect((await send('/users/7')).json()).toEqual({ info: 'of 7', id: '7' })
  })

  it('gives each request a req of its own', async () => {
    const { send } = await serve([
      new Controller<'/', { count: number | undefined }>('GET', '/', (req) => String(req.count)).use(
        (req) => {
          req.count = (req.count ?? 0) + 1
        },
      ),
    ])
    await send('/')
    expect((await send('/')).text).toBe('1')
  })

  const guards: Record<string, Middleware> = {
    'a guard that returns its answer': (_req, res) => res.status(401).text('no'),
    'an async guard that returns its answer': async (_req, res) => {
      await waits()
      return res.status(401).text('no')
    },
    'a guard that returns a web Response': () =>
      new Response('no', { status: 401, headers: { 'content-type': 'text/plain' } }),
    'a guard that answers without return': (_req, res) => {
      res.status(401).text('no')
    },
    'an async guard that answers without return': async (_req, res) => {
      await waits()
      res.status(401).text('no')
    },
  }

  it.each(Object.entries(guards))('lets nothing through behind %s', async (_name, guard) => {
    const reached: string[] = []
    const { send, logged } = await serve([
      new Controller('GET', '/', () => {
        reached.push('callback')
        return 'x'
      })
        .use(guard)
        .use(() => {
          reached.push('next middleware')
        }),
    ])
    expect(await send('/')).toMatchObject({ status: 401, text: 'no' })
    expect(reached).toEqual([])
    expect(logged).toEqual([])
  })

  it.each<[string, Middleware]>([
    ['a guard', (_req, res) => res.status(401) as never],
    [
      'an async guard',
      async (_req, res) => {
        await waits()
        return res.status(401).header('WWW-Authenticate', 'Basic') as never
      },
    ],
  ])(
    'lets nothing through behind %s that returns res without an answer, and says what is missing',
    async (_name, guard) => {
      const reached: string[] = []
      const told: unknown[] = []
      const { send, logged } = await serve(
        [
          new Controller('GET', '/secret', () => {
            reached.push('callback')
            return 'secret'
          })
            .use(guard)
            .use(() => void reached.push('next middleware')),
        ],
        {
          downstream: (app) =>
            void app.use((error: unknown, _req: unknown, res: any, _next: unknown) => {
              told.push(error)
              res.status(500).end()
            }),
        },
      )
      const { status, text } = await send('/secret')
      expect([status, text.includes('secret'), reached]).toEqual([500, false, []])
      if (errors === 'us')
        expect(logged).toEqual([expect.stringMatching(/GET:\/secret.*return res\.status\(401\)\.end\(\)/)])
      else expect(told).toEqual([expect.objectContaining({ code: 'ERR_NO_ANSWER' })])
    },
  )

  it('keeps the status and the headers that a middleware has set', async () => {
    const { send } = await serve([
      new Controller('GET', '/', (_req, res) => res.text('x')).use((_req, res) => {
        res.status(202).header('X-By', 'middleware').cookie('a', '1')
      }),
    ])
    const answer = await send('/')
    expect([answer.status, answer.headers['x-by'], answer.cookies]).toEqual([
      202,
      'middleware',
      ['a=1; Path=/'],
    ])
  })

  it('keeps the status of one middleware through those that set none, and gives it to them', async () => {
    const { send } = await serve([
      new Controller('GET', '/', (_req, res) => res.text('x')).use(
        (_req, res) => void res.status(202),
        (_req, res) => void res.header('X-By', 'another'),
        () => {},
        async () => {},
      ),
      new Controller('GET', '/ends', () => 'not reached').use(
        (_req, res) => void res.status(403),
        (_req, res) => res.text('no'),
      ),
    ])
    expect(await send('/')).toMatchObject({ status: 202, text: 'x' })
    expect(await send('/ends')).toMatchObject({ status: 403, text: 'no' })
  })

  const throwing: Record<string, Middleware> = {
    sync: () => {
      throw new Error('secret')
    },
    async: async () => {
      await waits()
      throw new Error('secret')
    },
  }

  it.each(Object.entries(throwing))(
    'answers 500 when a middleware throws (%s)',
    async (_name, middleware) => {
      const reached: string[] = []
      const { send, logged } = await serve(
        [
          new Controller('GET', '/', () => {
            reached.push('callback')
            return 'x'
          }).use(middleware),
        ],
        {
          downstream: (app) =>
            void app.use(
              (_error: unknown, _req: unknown, res: any, _next: unknown) =>
                void res.status(500).send('told by the host'),
            ),
        },
      )
      const answer = await send('/')
      expect([answer.status, answer.text]).toEqual([
        500,
        errors === 'us' ? 'Internal Server Error' : 'told by the host',
      ])
      expect(reached).toEqual([])
      expect(logged).toHaveLength(errors === 'us' ? 1 : 0)
    },
  )

  it('runs the middleware of the Controller that answers, and of no other', async () => {
    const seen: string[] = []
    const note =
      (name: string): Middleware =>
      () =>
        void seen.push(name)
    const { send } = await serve([
      new Controller('GET', '/users/:id', () => 'user').use(note('user')),
      new Controller('GET', '/users/me', () => 'me').use(note('me')),
      new Controller('*', '*', () => 'any').use(note('any')),
    ])
    await send('/users/me')
    expect(seen).toEqual(['me'])
  })

  it('takes effect also when it is called after RouteControllers was made', async () => {
    const controller = new Controller('GET', '/', () => 'open')
    const { send } = await serve([controller])
    expect((await send('/')).text).toBe('open')
    controller.use((_req, res) => res.status(403).end())
    expect((await send('/')).status).toBe(403)
  })
})

describe('A guard of a Controller, by HTTP/2', () => {
  afterEach(closeHosted)

  it.each<[string, Middleware[], number]>([
    ['the second of two at once', [() => {}, (_req, res) => res.status(401).end()], 401],
    ['that returns res without an answer', [(_req, res) => res.status(401) as never], 500],
  ])('lets nothing through: %s', async (_what, [first, ...more], status) => {
    const logger = { info() {}, warn() {}, error() {} }
    const secret = new Controller('GET', '/', () => 'secret').use(first!, ...more)
    const { port } = await serveHttp2(new RouteControllers([secret], { logger }))
    const answer = await sendOn(await openSession(port), '/')
    expect([answer.status, answer.text.includes('secret')]).toEqual([status, false])
  })
})
