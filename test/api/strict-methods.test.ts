import cors from 'cors'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import { express5, fromApp, fromExpress } from 'routecontrollers/express'
import { describeServings, type ServeOptions, type Serving } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

const strict = { methods: 'strict' } as const

const controllers = (): AnyController[] => [
  new Controller('GET', '/users', () => 'users'),
  new Controller('POST', '/users', () => 'made'),
  new Controller('GET', '/users/me', () => 'me'),
  new Controller('DELETE', '/users/:id', () => 'gone'),
  new Controller('OPTIONS', '/own', (_req, res) => res.header('Allow', 'OPTIONS, TEA').end()),
  new Controller('PUT', '/own', () => 'put'),
  new Controller('*', '/any', (req) => req.method),
  new Controller('HEAD', '/head', (_req, res) => res.end()),
]

/** A host or a fallback that answers whatever comes, and with whose answer a 405 could be mixed up. */
const behind: NonNullable<ServeOptions['downstream']> = (app) =>
  void app.use((req, res) => void res.status(299).send(`behind ${req.method}`))

const strictMethods = (serving: Serving): void => {
  const send = async (method: string, target: string, options: ServeOptions = {}) =>
    (await serving.serve(controllers(), { ...strict, downstream: behind, ...options })).send(target, {
      method,
    })

  it.each([
    ['PUT', '/users', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/users/7', 'DELETE, OPTIONS'],
    ['GET', '/users/7', 'DELETE, OPTIONS'],
    ['POST', '/users/me', 'DELETE, GET, HEAD, OPTIONS'],
    ['DELETE', '/own', 'OPTIONS, PUT'],
    ['GET', '/head', 'HEAD, OPTIONS'],
    ['PROPFIND', '/users?a=1', 'GET, HEAD, OPTIONS, POST'],
  ])('answers %s %s with 405 and Allow: %s, whoever stands behind', async (method, target, allow) => {
    const answer = await send(method, target)
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow])
  })

  it('answers HEAD with 405 and no body', async () => {
    const answer = await send('HEAD', '/own')
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([405, 'OPTIONS, PUT', ''])
  })

  it.each([
    ['/users', 'GET, HEAD, OPTIONS, POST'],
    ['/users/me', 'DELETE, GET, HEAD, OPTIONS'],
    ['/head', 'HEAD, OPTIONS'],
  ])('answers OPTIONS %s with 204 and Allow: %s', async (target, allow) => {
    const answer = await send('OPTIONS', target)
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([204, allow, ''])
  })

  it('leaves OPTIONS to a Controller of its own, and all methods to one for all', async () => {
    expect((await send('OPTIONS', '/own')).headers['allow']).toBe('OPTIONS, TEA')
    for (const method of ['PATCH', 'OPTIONS']) {
      expect(await send(method, '/any')).toMatchObject({ status: 200, text: method })
    }
  })

  it.each([
    ['GET', '/users', 'users'],
    ['DELETE', '/users/me', 'gone'],
  ])('answers %s %s as ever', async (method, target, text) => {
    expect(await send(method, target)).toMatchObject({ status: 200, text })
  })

  it('passes a path on that is not there under any method', async () => {
    for (const [method, target] of [
      ['GET', '/none'],
      ['OPTIONS', '/none'],
      ['PUT', '/users/'],
    ] as const) {
      expect((await send(method, target)).status).toBe(serving.misses === 'us' ? 404 : 299)
    }
  })

  it('is what a hook has made of the method and the path', async () => {
    const answer = await send('POST', '/users', {
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          req.method = 'PATCH'
          req.url = '/own'
          next()
        }),
    })
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'OPTIONS, PUT'])
  })

  it('is forgotten where a hook leads the request to a route that has its method', async () => {
    const rewritten = await send('PATCH', '/users', {
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          req.url = '/any'
          next()
        }),
    })
    expect([rewritten.status, rewritten.text]).toEqual([200, 'PATCH'])
  })

  it('is forgotten where a hook leads the request to a path that is not there', async () => {
    const answer = await send('PATCH', '/users', {
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          req.url = '/none'
          next()
        }),
    })
    expect(answer.status).toBe(serving.misses === 'us' ? 404 : 299)
  })

  it('lets hooks see the request first: cors answers a preflight, and its headers are on a 405', async () => {
    const { send: sendTo } = await serving.serve(controllers(), {
      ...strict,
      downstream: behind,
      setup: (routeControllers) => routeControllers.addGlobal(cors()),
    })
    const preflight = await sendTo('/users/7', {
      method: 'OPTIONS',
      headers: { origin: 'http://a', 'access-control-request-method': 'DELETE' },
    })
    expect([
      preflight.status,
      preflight.headers['access-control-allow-methods'],
      preflight.headers['allow'],
    ]).toEqual([204, 'GET,HEAD,PUT,PATCH,POST,DELETE', undefined])
    const refused = await sendTo('/users/7', { method: 'PUT', headers: { origin: 'http://a' } })
    expect([
      refused.status,
      refused.headers['allow'],
      refused.headers['access-control-allow-origin'],
    ]).toEqual([405, 'DELETE, OPTIONS', '*'])
  })

  it('shows the error to error hooks and to onError', async () => {
    const seen: unknown[] = []
    const { send: sendTo, logged } = await serving.serve(controllers(), {
      ...strict,
      setup: (routeControllers) =>
        routeControllers.addGlobal(
          (error: unknown, _req: object, _res: object, next: (error: unknown) => void) => {
            seen.push(error)
            next(error)
          },
        ),
      onError: (error, _req, res) => {
        seen.push(error)
        return res.status(405).json({ code: (error as { code: string }).code })
      },
    })
    const answer = await sendTo('/users/7', { method: 'PUT' })
    expect([answer.status, answer.json()]).toEqual([405, { code: 'ERR_METHOD_NOT_ALLOWED' }])
    expect(seen).toEqual([
      expect.objectContaining({
        code: 'ERR_METHOD_NOT_ALLOWED',
        status: 405,
        headers: { Allow: 'DELETE, OPTIONS' },
      }),
      expect.objectContaining({ code: 'ERR_METHOD_NOT_ALLOWED' }),
    ])
    expect(logged).toEqual([])
  })

  it('is no answer to what a Controller of the method has passed on', async () => {
    const { send: sendTo } = await serving.serve(
      [
        new Controller(
          'GET',
          '/passes',
          fromExpress((_req, _res, next) => next()),
        ),
        new Controller('POST', '/passes', () => 'posted'),
      ],
      { ...strict, downstream: behind },
    )
    expect((await sendTo('/passes')).status).toBe(serving.misses === 'us' ? 404 : 299)
  })

  it('asks the guards before it tells of a method', async () => {
    const { send: sendTo } = await serving.serve(controllers(), {
      ...strict,
      downstream: behind,
      setup: (routeControllers) =>
        routeControllers.addGlobal('/users', (_req, res) => void res.writeHead(401).end()),
    })
    const refused = await sendTo('/users', { method: 'PUT' })
    expect([refused.status, refused.headers['allow']]).toEqual([401, undefined])
  })

  it("is no answer to what a hook has passed on with next('router')", async () => {
    const answer = await send('PUT', '/users', {
      setup: (routeControllers) => routeControllers.addGlobal((_req, _res, next) => next('router')),
    })
    expect(answer.status).toBe(serving.misses === 'us' ? 404 : 299)
  })
}

describeServingsAndHttp2("methods: 'strict'", strictMethods, ({ misses }) => misses === 'us')
describeServings(
  "methods: 'strict', where others stand behind",
  strictMethods,
  ({ misses }) => misses === 'host',
)

describeServingsAndHttp2(
  "The 405 of methods: 'strict'",
  (serving) => {
    it('is a problem of RFC 9457 for a client that accepts JSON', async () => {
      const { send: sendTo } = await serving.serve(controllers(), strict)
      const answer = await sendTo('/users/7', { method: 'PUT', headers: { accept: 'application/json' } })
      expect([answer.headers['allow'], answer.json()]).toEqual([
        'DELETE, OPTIONS',
        { type: 'about:blank', title: 'Method Not Allowed', status: 405 },
      ])
    })
  },
  ({ errors }) => errors === 'us',
)

describeServings('Without methods', (serving) => {
  it.each(['PUT', 'OPTIONS'])(
    'a path that is there under others is passed on, or 404: %s',
    async (method) => {
      const { send } = await serving.serve(controllers(), { downstream: behind })
      expect((await send('/users', { method })).status).toBe(serving.misses === 'us' ? 404 : 299)
    },
  )
})

describe('The option methods', () => {
  it.each([['loose'], [true], [['GET']]])('is not %p', (methods) => {
    expect(() => new RouteControllers([], { methods: methods as never })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringContaining("methods is 'strict'"),
      }),
    )
  })

  it.each([fromApp(express4()), express5()])('does not go with the profile of $name', (profile) => {
    expect(() => new RouteControllers([], { methods: 'strict', profile })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringContaining("methods: 'strict' cannot be used with a profile"),
      }),
    )
  })
})

describeServings(
  'OPTIONS *',
  (serving) => {
    it('is answered with all methods that there are, which are those of the whole server', async () => {
      const onNotFound = () => new Response('missing', { status: 404 })
      for (const options of [{}, strict, { onNotFound }, { ...strict, onNotFound }]) {
        const { send } = await serving.serve(controllers(), options)
        const answer = await send('*', { method: 'OPTIONS' })
        expect([answer.status, answer.headers['allow']]).toEqual([
          204,
          'DELETE, GET, HEAD, OPTIONS, POST, PUT',
        ])
      }
    })

    it('is about the whole server also where a Controller has every path', async () => {
      const list = [new Controller('PUT', '/x', () => 'x'), new Controller('GET', '*', () => 'any')]
      const { send } = await serving.serve(list, strict)
      const answer = await send('*', { method: 'OPTIONS' })
      expect([answer.status, answer.headers['allow']]).toEqual([204, 'GET, HEAD, PUT'])
    })
  },
  ({ misses, onNode }) => misses === 'us' && onNode,
)
