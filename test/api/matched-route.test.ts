import type { Express } from 'express'
import {
  Controller,
  fromConnect,
  type Next,
  RouteControllers,
  type RouteControllersOptions,
} from 'routecontrollers'
import { express5, fromExpress } from 'routecontrollers/express'
import { type ServeOptions } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

const echo = (req: { route: unknown }) => ({ route: req.route })

describeServingsAndHttp2('req.route', (serving) => {
  it.each([
    ['GET', '/users/7?a=1', { method: 'GET', path: '/users/:id', name: 'user' }],
    ['HEAD', '/seen/7', { method: 'GET', path: '/seen/:id' }],
    ['POST', '/files/a/b', { method: '*', path: '/files/*rest' }],
  ])('is what has matched: %s %s', async (method, target, expected) => {
    const seen: unknown[] = []
    const note = (req: { route: unknown }): string => {
      seen.push(req.route)
      return 'ok'
    }
    const { send } = await serving.serve([
      new Controller('get', '/users/:id', note, { name: 'user' }),
      new Controller('GET', '/seen/:id', note),
      new Controller('*', '/files/*rest', note),
    ])
    expect((await send(target, { method })).status).toBe(200)
    expect(seen).toEqual([{ name: undefined, ...expected }])
  })

  it('is one frozen object for all requests of a Controller', async () => {
    const seen: unknown[] = []
    const controller = new Controller('GET', '/', (req) => {
      seen.push(req.route)
      return 'ok'
    })
    controller.use((req) => {
      seen.push(req.route)
    })
    const { send } = await serving.serve([controller])
    await send('/')
    await send('/')
    expect(new Set(seen).size).toBe(1)
    expect(Object.isFrozen(seen[0])).toBe(true)
  })

  it('is undefined for onNotFound, also where a Controller has passed its request on', async () => {
    const seen: unknown[] = []
    const { send } = await serving.serve(
      [new Controller('GET', '/passes', () => 'x').use(fromConnect((_req, _res, next) => next('route')))],
      { onNotFound: (req, res) => (seen.push(req.route), res.status(404).end()) },
    )
    expect((await send('/passes')).status).toBe(404)
    expect(seen).toEqual(serving.misses === 'us' ? [undefined] : [])
  })

  it('is there in hooks, in error hooks and in onError', async () => {
    const seen: unknown[] = []
    const note = (req: object): void => void seen.push((req as { route: unknown }).route)
    const route = { method: 'GET', path: '/fails/:how', name: 'fails' }
    const controller = new Controller('GET', '/fails/:how', () => Promise.reject(new Error('no')), {
      name: 'fails',
    })
    const { send } = await serving.serve([controller], {
      onError: (_error, req, res) => {
        note(req)
        return res.status(500).text('failed')
      },
      setup: (routeControllers) => {
        routeControllers
          .addGlobal((req, _res, next) => {
            note(req)
            next()
          })
          .addGlobal((error: unknown, req: object, _res: object, next: Next) => {
            note(req)
            next(error)
          })
      },
    })
    expect(await send('/fails/hard')).toMatchObject({ status: 500, text: 'failed' })
    expect(seen).toEqual([route, route, route])
  })

  it('follows a path that a hook has rewritten', async () => {
    const { send } = await serving.serve(
      [new Controller('GET', '/old', echo), new Controller('GET', '/new', echo)],
      {
        setup: (routeControllers) =>
          routeControllers.addGlobal((req, _res, next) => {
            req.url = '/new'
            next()
          }),
      },
    )
    expect((await send('/old')).json()).toEqual({ route: { method: 'GET', path: '/new' } })
  })
})

describeServingsAndHttp2(
  'req.route of what no route answers',
  (serving) => {
    it('is undefined in onNotFound', async () => {
      const { send } = await serving.serve([new Controller('GET', '/', echo)], {
        onNotFound: (req, res) => res.status(404).json({ is: typeof req.route }),
      })
      expect((await send('/none')).json()).toEqual({ is: 'undefined' })
    })
  },
  ({ misses }) => misses === 'us',
)

const passing: ServeOptions['upstream'] = (app: Express) => void app.all(/.*/, (_req, _res, next) => next())

describeServingsAndHttp2(
  'req.route inside Express',
  (serving) => {
    it('is ours, where a route of Express has passed the request on', async () => {
      const { send } = await serving.serve([new Controller('GET', '/ours', echo)], { upstream: passing })
      expect((await send('/ours')).json()).toEqual({ route: { method: 'GET', path: '/ours' } })
    })

    it("is Express's again behind us", async () => {
      const { send } = await serving.serve([new Controller('GET', '/ours', echo)], {
        upstream: passing,
        setup: (routeControllers) =>
          routeControllers.addGlobal((_req, _res, next) => next(), { scope: 'every' }),
        downstream: (app) =>
          void app.use((req, res) => {
            res.json({
              path: String((req.route as { path: unknown }).path),
              own: Object.hasOwn(req, 'route'),
            })
          }),
      })
      expect((await send('/theirs')).json()).toEqual({ path: '/.*/', own: true })
    })
  },
  ({ errors }) => errors === 'host',
)

describeServingsAndHttp2('req.route under a profile', (serving) => {
  const profiled: RouteControllersOptions = { profile: express5() }

  it("of our own callback has the same members, on top of Express's own route", async () => {
    const { send } = await serving.serve(
      [
        new Controller(
          'GET',
          '/files/*rest',
          (req) => ({ ...req.route, methods: (req.route as unknown as { methods: object }).methods }),
          { name: 'files' },
        ),
      ],
      profiled,
    )
    expect((await send('/files/a/b')).json()).toEqual({
      method: 'GET',
      path: '/files/*rest',
      name: 'files',
      methods: { get: true },
    })
  })

  it('of an Express handler is what Express has', async () => {
    const { send } = await serving.serve(
      [
        new Controller(
          'GET',
          '/users/:id',
          fromExpress((req, res) => res.json({ path: req.route.path, methods: req.route['methods'] })),
        ),
      ],
      profiled,
    )
    expect((await send('/users/7')).json()).toEqual({ path: '/users/:id', methods: { get: true } })
  })
})

describe('The option name of a Controller', () => {
  it.each([[''], [7], [null], [{}]])('is not %p', (name) => {
    expect(() => new Controller('GET', '/', () => 'ok', { name: name as string })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringMatching(/^Controller\(GET, \/\): name is a string that is not empty, not /),
      }),
    )
  })

  it('may be undefined', () => {
    expect(new RouteControllers([new Controller('GET', '/', () => 'ok', {})])).toBeDefined()
  })
})
