import {
  Controller,
  type ErrorHook,
  type Hook,
  RouteControllers,
  toConnect,
  toListener,
  serve,
} from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { isWhole } from '../support/counts.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'

const quiet = { info() {}, warn() {}, error() {} }
const refuse = (): never => {
  throw new Error('It cannot be read')
}

function withGetter(name: string, target: object = {}): object {
  return Object.defineProperty(target, name, { get: refuse })
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const hostile = new Proxy(
  {},
  {
    get: refuse,
    has: refuse,
    getPrototypeOf: refuse,
    ownKeys: refuse,
    getOwnPropertyDescriptor: refuse,
  },
)

/** What may be thrown, or returned, and cannot be looked at. */
const unreadable: [string, () => unknown, number?][] = [
  [
    'an error whose message throws',
    () => withGetter('message', Object.assign(new Error('x'), { status: 404 })),
    404,
  ],
  ['an error whose expose throws', () => withGetter('expose', { status: 404 }), 404],
  ['an error whose status throws', () => withGetter('status', new Error('x'))],
  ['an error whose statusCode throws', () => withGetter('statusCode', new Error('x'))],
  ['an error whose stack throws', () => withGetter('stack', new Error('x'))],
  ['an error whose headers throw', () => withGetter('headers', new Error('x'))],
  ['an error whose code throws', () => withGetter('code', new Error('x'))],
  ['an object that is no string', () => ({ toString: refuse, [Symbol.toPrimitive]: refuse })],
  ['an object without a prototype', () => Object.create(null) as object],
  ['a proxy that throws', () => hostile],
  ['a revoked proxy', () => revoked({})],
  ['a revoked proxy of an error', () => revoked(new Error('x'))],
  ['a revoked proxy of a function', () => revoked(() => {})],
  ['a revoked proxy of a list', () => revoked([])],
  ['a symbol', () => Symbol('s')],
  ['nothing', () => undefined],
]

describeServingsAndHttp2('A request is answered, whatever is thrown', (serving) => {
  it.each(unreadable)('%s', async (_what, make, status = 500) => {
    const through: Hook = (_req, _res, next) => next()
    const onward: ErrorHook = (error, _req, _res, next) => next(error)
    const ways: ((routeControllers: RouteControllers) => void)[] = [
      () => {},
      (routeControllers) => void routeControllers.addGlobal(through),
      (routeControllers) => void routeControllers.addGlobal(onward),
    ]
    const controllers = [
      new Controller('GET', '/thrown', () => {
        throw make()
      }),
      new Controller('GET', '/rejected', async () => Promise.reject(make())),
      new Controller('GET', '/guarded', () => 'past the guard').use(() => {
        throw make()
      }),
    ]
    for (const [at, setup] of ways.entries()) {
      // In the loop each way goes with one of both.
      for (const onError of isWhole ? [undefined, refuse] : [at === 1 ? undefined : refuse]) {
        const { send } = await serving.serve(controllers, { setup, ...(onError && { onError }) })
        for (const path of ['/thrown', '/rejected', '/guarded']) {
          const answer = await send(path)
          // Express reads the status of an error, and what throws at that is answered by us.
          if (serving.errors === 'us') expect(answer.status).toBe(status)
          else expect(answer.status).toBeGreaterThanOrEqual(400)
          expect(answer.text).not.toContain('past the guard')
        }
      }
    }
  })
})

describeServingsAndHttp2('A request is answered, whatever is returned', (serving) => {
  it.each([
    ['a proxy that throws', hostile],
    ['a revoked proxy', revoked({})],
    ['a revoked proxy of a function', revoked(() => {})],
    ['a revoked proxy of a Response', revoked(new Response('x'))],
    ['an object that throws at then', withGetter('then')],
    ['an object that throws at toJSON', withGetter('toJSON')],
  ])('%s', async (_what, value) => {
    const controllers = [
      new Controller('GET', '/now', () => value as never),
      new Controller('GET', '/later', async () => [value][0] as never),
      new Controller('GET', '/guarded', () => 'past the guard').use((_req, res) => {
        if (value !== undefined) throw Object.assign(new Error('x'), { status: 403, cause: value })
        return res.end()
      }),
    ]
    const { send } = await serving.serve(controllers)
    for (const path of ['/now', '/later']) expect((await send(path)).status).toBe(500)
    expect((await send('/guarded')).status).toBe(403)
  })
})

describe('getCallback() settles', () => {
  const statuses = [100, 101, 102, 103, 199, 600, 700, 999]
  const answered = async (routeControllers: RouteControllers): Promise<number> =>
    (await routeControllers.getCallback()(new Request('http://x/'))).status

  it.each(statuses)('with 500 where a hook answers %d, which no Response can have', async (status) => {
    const hook: Hook = (_req, res) => {
      res.statusCode = status
      res.end('text')
    }
    expect(await answered(new RouteControllers([], { logger: quiet }).addGlobal(hook))).toBe(500)
  })

  it.each(statuses)('with 500 where a handler of Express answers %d', async (status) => {
    const handler = fromExpress((_req, res) => void res.writeHead(status).end())
    const controllers = [new Controller('GET', '/', handler)]
    expect(await answered(new RouteControllers(controllers, { logger: quiet }))).toBe(500)
  })

  it('with the last answer, where one of 1xx comes first', async () => {
    const hook: Hook = (_req, res) => {
      res.writeContinue()
      res.end('done')
    }
    expect(await answered(new RouteControllers([], { logger: quiet }).addGlobal(hook))).toBe(200)
  })

  it.each<[string, Hook]>([
    ['destroys the response', (_req, res) => void res.destroy()],
    ['destroys the request', (req) => void req.destroy()],
    ['destroys the socket', (req) => void req.socket.destroy()],
    ['ends the socket', (req) => void req.socket.end()],
  ])('where a hook %s', async (_what, hook) => {
    expect(await answered(new RouteControllers([], { logger: quiet }).addGlobal(hook))).toBe(500)
  })

  it('where not even the plain answer can be made', async () => {
    const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'x')], { logger: quiet })
    const request = new Request('http://x/')
    // Read for the answer to an error.
    Object.defineProperty(request, 'headers', { get: refuse })
    const callback = new Controller('GET', '/error', refuse)
    const answers = [
      routeControllers.getCallback()(request),
      new RouteControllers([callback], { logger: quiet }).getCallback()(
        Object.defineProperty(new Request('http://x/error'), 'headers', { get: refuse }),
      ),
    ]
    const settled = await Promise.allSettled(answers)
    expect(settled).toHaveLength(2)
  })
})

/** A Response of another maker, which may have any status. */
function foreignResponse(status: unknown): Response {
  return {
    status,
    statusText: '',
    headers: new Headers({ 'X-Own': '1' }),
    body: null,
    bodyUsed: false,
    url: '',
    [Symbol.toStringTag]: 'Response',
  } as unknown as Response
}

describeServingsAndHttp2('A Response of a status that is no last one', (serving) => {
  it.each([100, 101, 103, 199, 600, 0, NaN, '200 OK', undefined])('is refused: %p', async (status) => {
    const { send } = await serving.serve([new Controller('GET', '/', () => foreignResponse(status))])
    const answer = await send('/')
    expect([answer.status, answer.headers['x-own']]).toEqual([500, undefined])
  })
})

const noTexts: [string, () => unknown][] = [
  ['a list, as a query may give it', () => ['/a', '/b']],
  ['a URL', () => new URL('http://test/a')],
  ['a number', () => 5],
  ['a symbol', () => Symbol('s')],
  ['null', () => null],
]

describeServingsAndHttp2('A hook that sets req.url to no text', (serving) => {
  describe.each([
    ['at once', (next: () => void): void => next()],
    ['later', (next: () => void): void => void setTimeout(next, 1)],
  ])('and goes on %s', (_when, goOn) => {
    it.each(noTexts)('has set it to what no route matches: %s', async (_what, make) => {
      const set: Hook = (req, _res, next) => {
        req.url = make() as string
        goOn(next)
      }
      const routes = [new Controller('GET', '/a', () => 'a'), new Controller('GET', '/b', () => 'b')]
      for (const path of ['/', '/b'] as const) {
        const { send } = await serving.serve(routes, {
          setup: (routeControllers) =>
            void routeControllers
              .addGlobal(path, set, { scope: 'every' })
              .addGlobal('/b', (_req, _res, next) => next(), { scope: 'every' }),
        })
        expect([400, 404]).toContain((await send('/b')).status)
      }
    })
  })
})

describeServingsAndHttp2('A hook that breaks the request and rewrites it', (serving) => {
  it.each(['/', '/b'])('leaves no client without an answer, before a hook at %s', async (path) => {
    const breaks: Hook = (req, _res, next) => {
      req.rawHeaders = null as never
      req.url = '/b'
      next()
    }
    const { send } = await serving.serve([new Controller('GET', '/b', () => 'b')], {
      setup: (routeControllers) =>
        void routeControllers
          .addGlobal(breaks, { scope: 'every' })
          .addGlobal(path, (_req, _res, next) => next(), { scope: 'every' }),
    })
    expect([200, 400]).toContain((await send('/a')).status)
  })
})

it('A server answers a request whose fields a hook has broken, which tell whether a body comes', async () => {
  const breaks: Hook = (req, _res, next) => {
    req.rawHeaders = null as never
    req.url = '/b'
    next()
  }
  const routeControllers = new RouteControllers([new Controller('GET', '/b', () => 'b')])
    .addGlobal(breaks, { scope: 'every' })
    .addGlobal('/', (_req, _res, next) => next(), { scope: 'every' })
  const server = await serve(routeControllers, { port: 0 })
  const { status } = await fetch(`${server.getURL()}/a`)
  expect(status).toBe(400)
  await server.stop()
})

describe.each([
  ['toListener', toListener],
  ...expresses.map(
    ([name, express]) =>
      [
        `toConnect in ${name}`,
        (handler: Parameters<typeof toConnect>[0]) => createExpress(express).use(toConnect(handler)),
      ] as const,
  ),
] as const)('A fetch handler of somebody else, in %s', (_name, toHandler) => {
  let error: jest.SpyInstance
  beforeEach(() => {
    error = jest.spyOn(console, 'error').mockImplementation()
  })
  afterEach(async () => {
    error.mockRestore()
    await closeHosted()
  })

  it.each(unreadable)('is answered for, whatever it throws: %s', async (_what, make) => {
    const handler = async (): Promise<Response> => Promise.reject(make())
    const { send } = await host(toHandler(handler))
    expect((await send('/')).status).toBeGreaterThanOrEqual(400)
  })

  it.each<[string, () => unknown]>([
    ['a Response of 101', () => foreignResponse(101)],
    ['Response.error()', () => Response.error()],
    ['a Response that has been read', () => read(new Response('x', { headers: { 'X-Own': '1' } }))],
    ['a Response that cannot be carried', () => new Response('x', { headers: { 'X-Own': '1', B: '\x01' } })],
    ['null', () => null],
    ['a text', () => 'x'],
    ['a revoked proxy', () => revoked({})],
  ])('is answered for with 500, and none of its headers, when it gives %s', async (_what, make) => {
    const { send } = await host(toHandler(async () => make() as Response))
    const { status, headers } = await send('/')
    expect([status, headers['x-own']]).toEqual([500, undefined])
  })
})

function read(response: Response): Response {
  void response.text()
  return response
}
