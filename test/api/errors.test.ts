import type { NextFunction, Request as ExpressRequest, Response as ExpressResponse } from 'express'
import { type Callback, Controller, RouteControllers, Server } from 'routecontrollers'
import {
  describeServings,
  listenOn,
  sendTo,
  type Served,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'

const teapot = (details: object = {}): Error =>
  Object.assign(new Error('short and stout'), { status: 418, ...details })

const coded = (message: string, members: object): Error => Object.assign(new Error(message), members)

/** Serves a callback that throws at `/`, for all methods. */
function serveThrowing({ serve }: Serving, thrown: unknown, options: ServeOptions = {}): Promise<Served> {
  return serve(
    [
      new Controller('*', '/', () => {
        throw thrown
      }),
      new Controller('GET', '/fine', () => 'fine'),
    ],
    options,
  )
}

/** Where Express answers errors: what has reached its error handler. */
function catching(caught: unknown[]): NonNullable<ServeOptions['downstream']> {
  return (app) =>
    void app.use((error: unknown, _req: ExpressRequest, res: ExpressResponse, _next: NextFunction) => {
      caught.push(error)
      res.status(599).send('from Express')
    })
}

const ours = ({ errors }: Serving): boolean => errors === 'us'
const theirs = ({ errors }: Serving): boolean => errors === 'host'

describeServings(
  'a thrown error',
  (serving) => {
    it.each([
      ['status', { status: 418 }],
      ['statusCode', { status: undefined, statusCode: 418 }],
      ['a status that says nothing, and statusCode', { status: 200, statusCode: 418 }],
      ['expose: true', { expose: true }],
    ])('with a 4xx status is shown and not logged: %s', async (_what, details) => {
      const { send, logged } = await serveThrowing(serving, teapot(details))
      const { status, text, headers } = await send('/')
      expect([status, text, headers['content-type']]).toEqual([
        418,
        'short and stout',
        'text/plain; charset=utf-8',
      ])
      expect(logged).toEqual([])
    })

    it('shows no message with an expose that is not true', async () => {
      const { send } = await serveThrowing(serving, Object.assign(teapot({ status: 403 }), { expose: 0 }))
      expect(await send('/')).toMatchObject({ status: 403, text: 'Forbidden' })
    })

    it('with expose: false keeps its status and not its message', async () => {
      const { send } = await serveThrowing(serving, teapot({ status: 403, expose: false }))
      const { status, text } = await send('/')
      expect([status, text]).toEqual([403, 'Forbidden'])
    })

    it.each([
      ['an Error', new Error('secret')],
      ['an error of status 500', teapot({ status: 500 })],
      ['an error of status 200', teapot({ status: 200 })],
      ['an error of status 600', teapot({ status: 600 })],
      ['an error of the status "404"', teapot({ status: '404' })],
      ['an error of status 404.5', teapot({ status: 404.5 })],
      ['a string', 'secret'],
      ["'route'", 'route'],
      ['an object', { secret: true }],
      ['an object without a prototype', Object.create(null)],
      ['undefined', undefined],
      ['null', null],
      ['0', 0],
      ['a symbol', Symbol('secret')],
      [
        'what cannot be looked at',
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('no')
            },
          },
        ),
      ],
    ])('of any other kind is 500 without detail, and one line in the log: %s', async (_what, thrown) => {
      const { send, logged } = await serveThrowing(serving, thrown)
      const { status, text, headers } = await send('/?token=secret')
      expect([status, text, headers['content-type']]).toEqual([
        500,
        'Internal Server Error',
        'text/plain; charset=utf-8',
      ])
      expect(logged).toEqual([expect.stringMatching(/^error GET \/ \(Controller \*:\/\): /)])
      expect((await send('/fine')).text).toBe('fine')
    })

    it('is logged with its stack, and the path without the query', async () => {
      const { send, logged } = await serveThrowing(serving, new Error('whole'))
      await send('/?token=secret')
      expect(logged[0]).toMatch(/Error: whole\n\s+at /)
      expect(logged[0]).not.toContain('token')
    })

    it.each<[string, () => unknown, RegExp]>([
      [
        'its causes, each with its code',
        () => new TypeError('fetch failed', { cause: coded('no address', { code: 'ENOTFOUND' }) }),
        /TypeError: fetch failed\n\s+at [^]*\n {2}\[cause\]: Error: no address\n\s+at [^]*\n {2}code: ENOTFOUND$/,
      ],
      [
        'the errors of an AggregateError',
        () => new AggregateError([new Error('first'), new Error('second')], 'all failed'),
        /AggregateError: all failed[^]*\[cause\]: Error: first[^]*\[cause\]: Error: second/,
      ],
      [
        'the code of a database, and not its row',
        () => coded('not unique', { code: '23505', detail: 'secret' }),
        /Error: not unique[^]*\n {2}code: 23505$/,
      ],
      ['a text that is no Error', () => 'bad', /: something that is no Error: bad$/],
      ['nothing', () => undefined, /: something that is no Error: undefined$/],
      [
        'the message of an object that is no Error',
        () => ({ message: 'bad' }),
        /: something that is no Error: bad$/,
      ],
    ])('is logged with %s', async (_what, make, line) => {
      const { send, logged } = await serveThrowing(serving, make())
      await send('/')
      expect(logged).toEqual([expect.stringMatching(line)])
      expect(logged[0]).not.toContain('secret')
    })

    it('is logged within a limit, also where it is a cause of itself', async () => {
      const endless = new Error('endless')
      endless.cause = new AggregateError(Array(1000).fill(endless), 'x'.repeat(100_000), { cause: endless })
      let deep = new Error('the deepest')
      for (let depth = 0; depth < 100; depth++) deep = new Error('deep', { cause: deep })
      for (const error of [endless, deep]) {
        const { send, logged } = await serveThrowing(serving, error)
        await send('/')
        expect(logged[0]!.length).toBeLessThan(30_000)
        expect(logged[0]).not.toContain('the deepest')
      }
    })

    it.each([
      ['application/json', true],
      ['text/html, application/json;q=0.9, */*', true],
      ['application/problem+json', true],
      ['application/vnd.api+json', true],
      ['application/json;q=0', false],
      ['*/*', false],
      ['text/html', false],
      ['', false],
    ])('for a client that accepts %p comes as a problem of RFC 9457: %p', async (accept, asProblem) => {
      const { send } = await serveThrowing(serving, teapot({ status: 404 }))
      const answer = await send('/', { headers: { accept } })
      const { headers, status, text } = answer
      expect(status).toBe(404)
      if (!asProblem) return expect(text).toBe('short and stout')
      expect(headers['content-type']).toBe('application/problem+json')
      expect(answer.json()).toEqual({
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'short and stout',
      })
    })

    it('is a problem without detail when it is a 500', async () => {
      const { send } = await serveThrowing(serving, new Error('secret'))
      expect((await send('/', { headers: { accept: 'application/json' } })).json()).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
      })
    })

    it('is answered to HEAD without a body', async () => {
      const { send } = await serveThrowing(serving, teapot())
      const { status, text } = await send('/', { method: 'HEAD' })
      expect([status, text]).toEqual([418, ''])
    })

    it('drops the headers that the callback had set', async () => {
      const { send } = await serving.serve([
        new Controller('GET', '/', (_req, res) => {
          res.status(201).header('X-Half', 'done').cookie('half', 'done')
          throw teapot()
        }),
      ])
      const { status, headers, cookies } = await send('/')
      expect([status, headers['x-half'], cookies]).toEqual([418, undefined, []])
    })
  },
  ours,
)

describeServings('an error', (serving) => {
  it.each<[string, () => Controller]>([
    [
      'the callback',
      () =>
        new Controller('GET', '/', () => {
          throw teapot()
        }),
    ],
    [
      'the promise of the callback',
      () =>
        new Controller('GET', '/', async () => {
          throw teapot()
        }),
    ],
    [
      'a middleware',
      () =>
        new Controller('GET', '/', () => 'x').use(() => {
          throw teapot()
        }),
    ],
    [
      'the promise of a middleware',
      () =>
        new Controller('GET', '/', () => 'x').use(async () => {
          throw teapot()
        }),
    ],
    [
      'a middleware after one that waits',
      () =>
        new Controller('GET', '/', () => 'x')
          .use(async () => {})
          .use(() => {
            throw teapot()
          }),
    ],
  ])('is the same whether it comes from %s', async (_where, make) => {
    const caught: unknown[] = []
    const { send } = await serving.serve([make()], { downstream: catching(caught) })
    const { status, text } = await send('/')
    expect([status, text]).toEqual(ours(serving) ? [418, 'short and stout'] : [599, 'from Express'])
    expect(caught).toHaveLength(ours(serving) ? 0 : 1)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['false', false],
    ['an empty string', ''],
  ])('that is a promise rejected with %s is an error all the same', async (_what, reason) => {
    const { send } = await serving.serve([new Controller('GET', '/', () => Promise.reject(reason))])
    expect((await send('/')).status).toBe(500)
  })
})

describeServings(
  'inside Express, an error',
  (serving) => {
    it.each([
      ['an Error', teapot()],
      ['a string', 'a string'],
      ['an object', { any: 'object' }],
    ])(
      'reaches the error handler as the very one that was thrown, and is not logged here: %s',
      async (_what, thrown) => {
        const caught: unknown[] = []
        const { send, logged } = await serveThrowing(serving, thrown, { downstream: catching(caught) })
        expect((await send('/')).status).toBe(599)
        expect(caught).toEqual([thrown])
        expect(caught[0]).toBe(thrown)
        expect(logged).toEqual([])
      },
    )

    it.each(['route', 'router', undefined, null, 0, ''])(
      'that next() would take for something else reaches it as an Error: %p',
      async (thrown) => {
        const caught: unknown[] = []
        const { send } = await serveThrowing(serving, thrown, { downstream: catching(caught) })
        expect((await send('/')).status).toBe(599)
        expect(caught).toEqual([new Error(`Thrown: ${String(thrown)}`)])
      },
    )

    it('leaves no header of the answer that was not given', async () => {
      const { send } = await serving.serve(
        [
          new Controller('GET', '/', (_req, res) => {
            res.header('X-Half', 'done').json({})
            throw teapot()
          }),
        ],
        { downstream: catching([]) },
      )
      const { headers, text } = await send('/')
      expect([headers['x-half'], text]).toEqual([undefined, 'from Express'])
    })
  },
  theirs,
)

describeServings('onError', (serving) => {
  it('answers in place of the default, with the error, the request and res', async () => {
    const { send, logged } = await serveThrowing(serving, teapot(), {
      onError: (error, req, res) => res.status(422).json([(error as Error).message, req.method, req.url]),
      downstream: catching([]),
    })
    const answer = await send('/?a=1')
    expect([answer.status, answer.json()]).toEqual([422, ['short and stout', 'GET', '/?a=1']])
    expect(logged).toEqual([])
  })

  it.each<[string, ServeOptions['onError']]>([
    ['a value', () => ({ handled: true })],
    ['a promise of one', async () => ({ handled: true })],
    ['a Response', () => Response.json({ handled: true })],
    ['nothing, after res.json()', (_error, _req, res) => void res.json({ handled: true })],
  ])('may return %s', async (_what, onError) => {
    const { send } = await serveThrowing(serving, teapot(), { onError: onError! })
    expect((await send('/')).json()).toEqual({ handled: true })
  })

  it('has the status of the error, until it sets another', async () => {
    const told = async (thrown: unknown, onError: NonNullable<ServeOptions['onError']>): Promise<number> =>
      (await (await serveThrowing(serving, thrown, { onError })).send('/')).status
    expect(await told(teapot(), (_error, _req, res) => res.json({ no: true }))).toBe(418)
    expect(await told(teapot(), () => ({ no: true }))).toBe(418)
    expect(await told(new Error('broken'), () => 'no')).toBe(500)
    expect(await told(teapot(), (_error, _req, res) => res.status(200).text('tea'))).toBe(200)
    expect(await told(teapot(), () => new Response('tea'))).toBe(200)
  })

  it('that returns nothing leaves the answer to the default, or to Express', async () => {
    const caught: unknown[] = []
    const { send } = await serveThrowing(serving, teapot(), {
      onError: () => undefined,
      downstream: catching(caught),
    })
    expect((await send('/')).status).toBe(ours(serving) ? 418 : 599)
  })

  it.each<[string, ServeOptions['onError']]>([
    [
      'throws',
      () => {
        throw new Error('in the handler')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('in the handler')
      },
    ],
    ['returns what is no answer', () => 7 as never],
  ])('that %s is logged, and the answer is the default one', async (_what, onError) => {
    const { send, logged } = await serveThrowing(serving, teapot(), {
      onError: onError!,
      downstream: catching([]),
    })
    expect((await send('/')).status).toBe(ours(serving) ? 418 : 599)
    expect(logged).toEqual([expect.stringMatching(/in the handler|not an answer/)])
  })

  it('gets what is wrong with a request as well', async () => {
    const seen: unknown[] = []
    const { send } = await serving.serve([new Controller('POST', '/:id', () => 'x')], {
      onError: (error, req, res) => {
        seen.push((error as { code: string }).code, req.params)
        return res.status(400).end()
      },
    })
    await send('/%zz', { method: 'POST' })
    await send('/1', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' })
    expect(seen).toEqual(['ERR_PARAM_MALFORMED', {}, 'ERR_BODY_MALFORMED', { id: '1' }])
  })
})

describeServings('onNotFound', (serving) => {
  const { serve, misses } = serving

  it('answers what no controller matches, where 404 would', async () => {
    const { send } = await serve([new Controller('GET', '/known', () => 'known')], {
      onNotFound: (req, res) => res.status(404).json({ missing: req.url, params: req.params }),
      downstream: (app) => void app.use((_req, res) => void res.status(404).send('from Express')),
    })
    const answer = await send('/unknown?a=1')
    expect(answer.status).toBe(404)
    if (misses === 'us') expect(answer.json()).toEqual({ missing: '/unknown?a=1', params: {} })
    else expect(answer.text).toBe('from Express')
    expect((await send('/known')).text).toBe('known')
  })
})

describeServings(
  'onNotFound',
  ({ serve }) => {
    it('has the status 404, until it sets another', async () => {
      for (const [onNotFound, status] of [
        [() => ({ none: true }), 404],
        [(_req, res) => res.html('<p>none</p>'), 404],
        [(_req, res) => res.redirect('/'), 302],
        [(_req, res) => res.status(200).text('all'), 200],
      ] as [NonNullable<ServeOptions['onNotFound']>, number][]) {
        const { send } = await serve([], { onNotFound })
        expect((await send('/unknown')).status).toBe(status)
      }
    })

    it('that returns nothing leaves a 404', async () => {
      const { send } = await serve([], { onNotFound: () => undefined })
      const { status, text } = await send('/')
      expect([status, text]).toEqual([404, 'Not Found'])
    })

    it('that throws is logged, and the answer is a 404', async () => {
      const { send, logged } = await serve([], {
        onNotFound: () => {
          throw new Error('in the handler')
        },
      })
      expect((await send('/')).status).toBe(404)
      expect(logged).toEqual([expect.stringContaining('in the handler')])
    })

    it('does not see what a controller answers with 404', async () => {
      let calls = 0
      const { send } = await serve([new Controller('GET', '/', (_req, res) => res.status(404).text('own'))], {
        onNotFound: () => void calls++,
      })
      expect([(await send('/')).text, calls]).toEqual(['own', 0])
    })
  },
  ({ misses }) => misses === 'us',
)

describeServings('a logger that throws', (serving) => {
  it('does not take the answer with it', async () => {
    const broken = (): never => {
      throw new Error('disk full')
    }
    const { send } = await serveThrowing(serving, new Error('x'), {
      logger: { info: broken, warn: broken, error: broken },
    })
    expect((await send('/')).status).toBe(500)
    expect((await send('/fine')).text).toBe('fine')
  })
})

describeServings('an error after somebody else has answered', ({ serve }) => {
  it('is logged, and leaves a complete answer whole', async () => {
    const body = 'x'.repeat(1024 * 1024)
    let answered: () => void
    const sent = new Promise<void>((resolve) => (answered = resolve))
    const { send, logged } = await serve(
      [
        new Controller('GET', '/', async () => {
          await sent
          throw new Error('too late')
        }),
      ],
      {
        setup: (routeControllers) =>
          void routeControllers.addGlobal((_req, res, next) => {
            next()
            res.end(body)
            answered()
          }),
      },
    )
    expect((await send('/')).text).toBe(body)
    expect(logged).toEqual([expect.stringContaining('too late')])
  })
})

describe('a fallback that throws', () => {
  it.each([false, true])('is answered with 500 and logged (behind a hook: %s)', async (hooked) => {
    const logged: string[] = []
    const logger = { info: () => {}, warn: () => {}, error: (line: string) => void logged.push(line) }
    const routeControllers = new RouteControllers([], { logger })
    if (hooked) routeControllers.addGlobal((_req, _res, next) => next(), { scope: 'every' })
    const fallback = (): never => {
      throw new Error('from the fallback')
    }
    const server = await new Server().start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      fallback,
    })
    const { status, text } = await sendTo(server.getPort())('/')
    await server.stop()
    expect([status, text]).toEqual([500, 'Internal Server Error'])
    expect(logged).toEqual([expect.stringContaining('from the fallback')])
  })
})

describe('without a next', () => {
  it('middleware() answers 404 and 500 itself, and logs as elsewhere', async () => {
    const logged: string[] = []
    const logger = { info: () => {}, warn: () => {}, error: (line: string) => void logged.push(line) }
    const middleware = new RouteControllers(
      [
        new Controller('GET', '/', (() => {
          throw new Error('x')
        }) as Callback),
      ],
      {
        logger,
      },
    ).middleware()
    const { port, close } = await listenOn((req, res) => middleware(req, res))
    const send = sendTo(port)
    expect([(await send('/')).status, (await send('/unknown')).status]).toEqual([500, 404])
    expect(logged).toHaveLength(1)
    await close()
  })
})
