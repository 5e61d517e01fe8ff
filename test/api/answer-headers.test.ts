import {
  type Answer,
  around,
  type Callback,
  Controller,
  type CookieOptions,
  type ResponseBuilder,
  type RouteControllers,
} from 'routecontrollers'
import {
  describeServings,
  type Served,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

const hooked = (routeControllers: RouteControllers): void =>
  void routeControllers.addGlobal((_req, _res, next) => next())

function serveOne(
  { serve }: Serving,
  respond: (res: ResponseBuilder) => unknown,
  options?: ServeOptions,
): Promise<Served> {
  const callback: Callback = (_req, res) => respond(res) as Answer
  return serve([new Controller('*', '/', callback)], options)
}

describeServingsAndHttp2('An answer that is made once and returned for each request', (serving) => {
  const setups: [string, (routeControllers: RouteControllers) => void][] = [
    ['', () => {}],
    [' behind a hook', hooked],
  ]
  const answers: [string, (res: ResponseBuilder) => Response][] = [
    ['as it was built', (res) => res.header('X-Own', '1').json({ a: 1 })],
    [
      'with headers that were read and set on it',
      (res) => {
        const answer = res.json({ a: 1 })
        answer.headers.set('X-Own', answer.headers.has('content-type') ? '1' : '0')
        return answer
      },
    ],
  ]
  describe.each(setups)('collects nothing%s', (_how, alsoSetup) => {
    it.each(answers)('%s', async (_what, make) => {
      let made: Response | undefined
      const { send } = await serveOne(serving, (res) => (made ??= make(res)), {
        setup(routeControllers) {
          alsoSetup(routeControllers)
          routeControllers.addHeader('Set-Cookie', 'v=1').addHeader('X-A', 'b').addHeader('Vary', 'Accept')
        },
      })
      for (let time = 0; time < 4; time++) {
        const { status, headers, cookies, text } = await send('/')
        expect([status, cookies, headers['x-a'], headers['x-own'], headers['vary'], text]).toEqual([
          200,
          ['v=1'],
          'b',
          '1',
          'Accept',
          '{"a":1}',
        ])
        expect((await send('/', { method: 'HEAD' })).cookies).toEqual(['v=1'])
      }
    })
  })

  const ofEach: [string, (res: ResponseBuilder) => Response][] = [
    ...answers,
    ['of a Response without a body', () => new Response(null, { headers: { 'X-Own': '1' } })],
  ]
  it.each(ofEach)('keeps nothing that a middleware sets on it for one client: %s', async (_what, make) => {
    const own = around(async (req, _res, next) => {
      const answer = await next()
      answer.headers.append('Set-Cookie', `session=${req.get('x-user')}`)
      return answer
    })
    let inCallback: Response | undefined
    let inMiddleware: Response | undefined
    const keeping = around(async (_req, _res, next) => (inMiddleware ??= await next()))
    const keeps = around(async (_req, _res, next) => inMiddleware ?? next())
    const { send } = await serving.serve([
      new Controller('GET', '/callback', (_req, res) => (inCallback ??= make(res))).use(own, own),
      new Controller('GET', '/middleware', (_req, res) => make(res)).use(own, keeps, keeping),
    ])
    for (const user of ['ada', 'bob', 'eve']) {
      const session = `session=${user}`
      const ask = { headers: { 'x-user': user } }
      const { cookies, headers } = await send('/callback', ask)
      expect([cookies, headers['x-own']]).toEqual([[session, session], '1'])
      expect((await send('/middleware', ask)).cookies).toEqual([session])
    }
  })
})

describeServingsAndHttp2('A cookie that every answer gets', (serving) => {
  it('stands once on a Response that has it, and beside others of its own', async () => {
    const own = [
      ['Set-Cookie', 'v=1'],
      ['Set-Cookie', 'w=2'],
    ] as [string, string][]
    const { send } = await serveOne(serving, () => new Response('x', { headers: own }), {
      setup: (all) => void all.addHeader('Set-Cookie', ['v=1', 'u=3']),
    })
    expect((await send('/')).cookies).toEqual(['v=1', 'w=2', 'u=3'])
  })
})

describeServingsAndHttp2('The headers of an answer that cannot be sent', (serving) => {
  const own = (res: ResponseBuilder): ResponseBuilder =>
    res
      .header('Cache-Control', 'public, max-age=3600')
      .header('Content-Encoding', 'gzip')
      .header('ETag', '"a"')
      .header('X-Upstream', 'replaced')
      .header('Content-Length', '7')
      .cookie('session', '1')
  const headers = { 'Cache-Control': 'public', 'Content-Encoding': 'gzip', 'X-Upstream': 'replaced' }

  const answers: [string, (res: ResponseBuilder) => unknown][] = [
    [
      'whose events cannot be begun',
      (res) =>
        own(res).sse(() => {
          throw new Error('the database is down')
        }),
    ],
    [
      'whose iterable throws',
      (res) =>
        own(res).stream({
          [Symbol.asyncIterator]() {
            throw new Error('gone')
          },
        }),
    ],
    ['whose stream is none', (res) => own(res).stream({} as never)],
    ...((serving.onNode
      ? [
          [
            'whose header HTTP/1 cannot carry',
            () => new Response('x', { headers: { ...headers, 'X-Broken': 'a\x01b' } }),
          ],
        ]
      : []) as [string, () => Response][]),
  ]
  const upstream: ServeOptions['setup'] = (routeControllers) =>
    void routeControllers.addGlobal((_req, res, next) => {
      res.setHeader('X-Upstream', 'kept')
      next()
    })

  it.each(answers)('are not on the 500: %s', async (what, respond) => {
    // For HEAD no function is asked for its events.
    const methods = what === 'whose events cannot be begun' ? ['GET'] : ['GET', 'HEAD']
    for (const setup of [undefined, upstream]) {
      for (const method of methods) {
        const { send } = await serveOne(serving, respond, setup ? { setup } : {})
        const answer = await send('/', { method })
        expect(answer.status).toBe(500)
        expect(answer.cookies).toEqual([])
        expect([
          answer.headers['content-encoding'],
          answer.headers['etag'],
          answer.headers['cache-control'],
        ]).toEqual([undefined, undefined, undefined])
        expect(answer.headers['x-upstream']).toBe(setup === undefined ? undefined : 'kept')
      }
    }
  })
})

describeServings(
  'An answer that Node refuses when its head is made',
  (serving) => {
    // As a listener of on-headers that throws, once.
    const broken: ServeOptions['setup'] = (routeControllers) =>
      void routeControllers.addGlobal((_req, res, next) => {
        res.writeHead = () => {
          // That of its class is in sight again.
          Reflect.deleteProperty(res, 'writeHead')
          throw new Error('The head cannot be made')
        }
        next()
      })

    it.each<[string, (res: ResponseBuilder) => unknown]>([
      ['of res', (res) => res.text('x')],
      ['which is a Response of the program', () => new Response('x')],
      [
        'which is a Response whose body comes later',
        () => new Response(new Blob(['x']).stream(), { headers: { 'Content-Encoding': 'gzip' } }),
      ],
    ])('is an error that onError answers: %s', async (_what, respond) => {
      const { send } = await serveOne(serving, respond, {
        setup: broken,
        onError: (error, _req, res) => res.status(503).text((error as Error).message),
      })
      const { status, text } = await send('/')
      expect([status, text]).toEqual([503, 'The head cannot be made'])
    })
  },
  ({ onNode }) => onNode,
)

describeServingsAndHttp2('A header of several values', (serving) => {
  it.each([
    ['', undefined],
    [', behind a hook', hooked],
  ])('is sent with each of them, also with one that it has twice%s', async (_how, setup) => {
    const { send } = await serveOne(serving, (res) => res.header('Link', ['a', 'b', 'a']).text('x'), {
      ...(setup && { setup }),
    })
    expect((await send('/')).headers['link']).toBe('a, b, a')
  })
})

describeServingsAndHttp2('A header in Latin-1', (serving) => {
  it.each<[string, (res: ResponseBuilder) => unknown]>([
    ['a stream', (res) => res.header('X-Name', 'é').stream(pieces())],
    ['events', (res) => res.header('X-Name', 'é').sse(pieces())],
    ['a Response', () => new Response('ü', { headers: { 'X-Name': 'é' } })],
    ['a Response of a stream', () => new Response(new Blob(['ü']).stream(), { headers: { 'X-Name': 'é' } })],
  ])('is sent as it is beside %s', async (_what, respond) => {
    for (const options of [{}, { setup: hooked }]) {
      const { send } = await serveOne(serving, respond, options)
      const { headers, text } = await send('/')
      expect([headers['x-name'], text.includes('ü')]).toEqual(['é', true])
    }
  })
})

async function* pieces(): AsyncGenerator<string> {
  await new Promise((resolve) => setImmediate(resolve))
  yield 'ü'
}

describeServingsAndHttp2('res.cookie', (serving) => {
  const whole = { name: 'session', value: 'attacker', path: '/admin', domain: 'example.com', maxAge: 99999 }
  it.each([
    [whole],
    [['a']],
    [Object.assign(() => {}, { value: 'attacker', path: '/admin' })],
    [null],
    [undefined],
    [7],
  ])('refuses %p as its name', async (name) => {
    const errors: unknown[] = []
    const options: CookieOptions = { httpOnly: true, secure: true }
    const { send } = await serveOne(serving, (res) => res.cookie(name as never, 'on', options).end(), {
      onError: (error) => void errors.push(error),
    })
    const { status, cookies } = await send('/')
    expect([status, cookies]).toEqual([500, []])
    expect(errors).toEqual([expect.objectContaining({ code: 'ERR_COOKIE_INVALID' })])
  })
})

describeServingsAndHttp2('A Content-Type that a hook has set', (serving) => {
  const typed = async (respond: (res: ResponseBuilder) => unknown): Promise<unknown> => {
    const { send } = await serveOne(serving, respond, {
      setup(routeControllers) {
        routeControllers.addGlobal((_req, res, next) => {
          res.setHeader('Content-Type', 'text/csv; charset=utf-8')
          next()
        })
      },
    })
    return (await send('/')).headers['content-type']
  }
  const stays: Readonly<Record<string, (res: ResponseBuilder) => unknown>> = {
    JSON: (res) => res.json({ a: 1 }),
    'a returned object': () => ({ a: 1 }),
    HTML: (res) => res.html('<p>'),
    'a text that is sent': (res) => res.send('a'),
    'a returned text': () => 'a',
    bytes: (res) => res.send(new Uint8Array([97])),
    'a stream': (res) => res.stream(new Blob(['a']).stream()),
  }
  it.each(Object.entries(stays))('stays with %s', async (_what, respond) => {
    expect(await typed(respond)).toBe('text/csv; charset=utf-8')
  })

  const replaced: Readonly<Record<string, [(res: ResponseBuilder) => unknown, string]>> = {
    'a header': [(res) => res.header('Content-Type', 'text/html').json({ a: 1 }), 'text/html'],
    text: [(res) => res.text('a'), 'text/plain; charset=utf-8'],
    events: [
      (res) =>
        res.sse(async function* () {
          yield { data: 'a' }
        }),
      'text/event-stream',
    ],
    'a Response': [() => Response.json({ a: 1 }), 'application/json'],
  }
  it.each(Object.entries(replaced))('is replaced by %s', async (_what, [respond, type]) => {
    expect(await typed(respond)).toBe(type)
  })

  it('does not stay with an error', async () => {
    expect(
      await typed(() => {
        throw new Error('no')
      }),
    ).not.toBe('text/csv; charset=utf-8')
  })
})
