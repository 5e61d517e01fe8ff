import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import express from 'express'
import {
  Controller,
  fromConnect,
  type MatchedRoute,
  type Next,
  type RequestTraceMessage,
} from 'routecontrollers'
import { express5, expressPath, fromApp, fromExpress, toControllers } from 'routecontrollers/express'
import { closeAll, type Serving, servings } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

const channel = tracingChannel<object, RequestTraceMessage>('routecontrollers.request')
type Name = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error'

interface Event {
  name: Name
  /** As they were at that time. */
  route: MatchedRoute
  method: string
  status: number | undefined
  durationMs: number | undefined
  error: unknown
  message: RequestTraceMessage
}

let events: Event[] = []
const note =
  (name: Name) =>
  (message: RequestTraceMessage): void => {
    const { route, method, status, durationMs, error } = message
    events.push({ name, route, method, status, durationMs, error, message })
  }
const subscribers = {
  start: note('start'),
  end: note('end'),
  asyncStart: note('asyncStart'),
  asyncEnd: note('asyncEnd'),
  error: note('error'),
}

beforeEach(() => {
  events = []
  channel.subscribe(subscribers)
})
afterEach(() => {
  channel.unsubscribe(subscribers)
})

/** The names of what was published, once as many requests are complete. */
async function completed(requests = 1): Promise<Name[]> {
  while (events.filter(({ name }) => name === 'asyncEnd').length < requests) await setImmediate()
  return events.map(({ name }) => name)
}

const [web, standalone] = servings as [Serving, Serving]

const whole = ['start', 'end', 'asyncStart', 'asyncEnd']

describeServingsAndHttp2('The tracing channel', (serving) => {
  it('gets a request once that a middleware for Node has before every Controller', async () => {
    const { send } = await serving.serve([new Controller('GET', '/', () => 'ok')], {
      setup: (routeControllers) => void routeControllers.use(fromConnect((_req, _res, next) => next())),
    })
    expect((await send('/')).text).toBe('ok')
    expect(await completed()).toEqual(whole)
  })

  it.each<[string, () => Controller]>([
    ['a callback', () => new Controller('GET', '/users/:id', () => 'ok', { name: 'user' }) as never],
    [
      'a promise',
      () => new Controller('GET', '/users/:id', async () => setImmediate('ok'), { name: 'user' }) as never,
    ],
    [
      'an Express handler',
      () =>
        new Controller(
          'GET',
          '/users/:id',
          fromExpress((_req, res) => void res.send('ok')),
          { name: 'user' },
        ) as never,
    ],
    [
      'a stream',
      () =>
        new Controller(
          'GET',
          '/users/:id',
          async function (_req, res) {
            async function* chunks() {
              yield 'o'
              await setImmediate()
              yield 'k'
            }
            return res.stream(chunks())
          },
          { name: 'user' },
        ) as never,
    ],
  ])(
    'has each event once, with the route, the method, the status and the duration: %s',
    async (_what, make) => {
      const { send } = await serving.serve([make()])
      expect((await send('/users/7?a=1')).text).toBe('ok')
      expect(await completed()).toEqual(whole)
      const [start] = events
      const last = events.at(-1)!
      expect([start!.route, start!.method, start!.status]).toEqual([
        { method: 'GET', path: '/users/:id', name: 'user' },
        'GET',
        undefined,
      ])
      expect([last.route, last.status, last.error]).toEqual([start!.route, 200, undefined])
      expect(last.durationMs).toBeGreaterThan(0)
      expect(new Set(events.map(({ message }) => message)).size).toBe(1)
    },
  )

  it('names the method of the request and that of the route', async () => {
    const { send } = await serving.serve([new Controller('GET', '/a', () => 'ok')])
    await send('/a', { method: 'HEAD' })
    await completed()
    expect([events[0]!.method, events[0]!.route.method]).toEqual(['HEAD', 'GET'])
  })

  it.each<[string, number | undefined]>([
    ['a status', 409],
    ['none', undefined],
  ])('has what is thrown, before the answer to it: with %s', async (_what, status) => {
    const error = Object.assign(new Error('no'), { status })
    const { send } = await serving.serve([new Controller('GET', '/', () => Promise.reject(error))], {
      upstream: (app) => void app.set('env', 'test'),
    })
    const answer = await send('/')
    expect(answer.status).toBe(status ?? 500)
    expect(await completed()).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    expect(events[2]!.error).toBe(error)
    expect(events.at(-1)!.status).toBe(answer.status)
  })

  it('has an error that onError answers once, with the status of that answer', async () => {
    const { send } = await serving.serve(
      [new Controller('GET', '/', () => Promise.reject(new Error('no')))],
      {
        onError: (_error, _req, res) => res.status(422).end(),
      },
    )
    await send('/')
    expect((await completed()).filter((name) => name === 'error')).toHaveLength(1)
    expect(events.at(-1)!.status).toBe(422)
  })

  it('has what is thrown, and another error that an error hook makes of it, each once', async () => {
    const [first, second] = [new Error('no'), Object.assign(new Error('another'), { status: 409 })]
    const { send } = await serving.serve([new Controller('GET', '/', () => Promise.reject(first))], {
      upstream: (app) => void app.set('env', 'test'),
      setup: (routeControllers) =>
        routeControllers
          .addGlobal((_error: unknown, _req: unknown, _res: unknown, next: Next) => next(second))
          .addGlobal((error: unknown, _req: unknown, _res: unknown, next: Next) => next(error)),
    })
    expect((await send('/')).status).toBe(409)
    await completed()
    const thrown = events.filter(({ name }) => name === 'error')
    expect(thrown.map(({ error }) => error)).toEqual([first, second])
  })

  it('has params that cannot be decoded, as an error of their route', async () => {
    const { send } = await serving.serve([new Controller('GET', '/users/:id', () => 'ok')], {
      upstream: (app) => void app.set('env', 'test'),
    })
    expect((await send('/users/%zz')).status).toBe(400)
    await completed()
    expect(events.at(-1)).toMatchObject({ status: 400, error: { code: 'ERR_PARAM_MALFORMED' } })
    expect(events.at(-1)!.route.path).toBe('/users/:id')
  })

  it('has what a hook refuses under the route that it guards', async () => {
    const { send } = await serving.serve([new Controller('GET', '/users/:id', () => 'ok')], {
      setup: (routeControllers) =>
        routeControllers.addGlobal((_req, res) => {
          res.statusCode = 401
          res.end()
        }),
    })
    await send('/users/7')
    expect(await completed()).toEqual(whole)
    expect([events.at(-1)!.route.path, events.at(-1)!.status]).toEqual(['/users/:id', 401])
  })

  it('follows what a hook rewrites', async () => {
    const { send } = await serving.serve(
      [new Controller('GET', '/old', () => 'old'), new Controller('GET', '/new', () => 'new')],
      {
        setup: (routeControllers) =>
          routeControllers.addGlobal((req, _res, next) => {
            req.url = '/new'
            next()
          }),
      },
    )
    expect((await send('/old')).text).toBe('new')
    await completed()
    expect([events[0]!.route.path, events.at(-1)!.route.path]).toEqual(['/old', '/new'])
  })

  it('has nothing for what no route answers', async () => {
    const { send } = await serving.serve([new Controller('GET', '/', () => 'ok')], {
      methods: 'strict',
      setup: (routeControllers) => routeControllers.addGlobal((_req, _res, next) => next()),
    })
    await send('/none')
    await send('/', { method: 'POST' })
    await send('/')
    expect(await completed()).toEqual(whole)
  })

  it('ends without a status where a Controller passes the request on', async () => {
    const { send } = await serving.serve([
      new Controller(
        'GET',
        '/passes',
        fromExpress((_req, _res, next) => next()),
      ),
    ])
    expect((await send('/passes')).status).toBe(404)
    await completed()
    expect([events.at(-1)!.route.path, events.at(-1)!.status]).toEqual(['/passes', undefined])
  })

  it('ends without a status where a hook leads the request to a path that no route has', async () => {
    const { send } = await serving.serve([new Controller('GET', '/old', () => 'old')], {
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          req.url = '/none'
          next()
        }),
    })
    expect((await send('/old')).status).toBe(404)
    await completed()
    const isOurs = serving.misses === 'us'
    expect([events.at(-1)!.route.path, events.at(-1)!.status]).toEqual(['/old', isOurs ? 404 : undefined])
  })

  it('runs hooks, middleware, the body and the callback in the store that is bound to start', async () => {
    const storage = new AsyncLocalStorage<{ id: number }>()
    let id = 0
    channel.start.bindStore(storage, () => ({ id: ++id }))
    try {
      const controller = new Controller<'/users', { ids: unknown[] }>('POST', '/users', async (req) => {
        await setImmediate()
        return { ids: [...req.ids, storage.getStore()?.id], body: req.body }
      })
      controller.use((req) => {
        req.ids = [(req as unknown as { inHook: unknown }).inHook, storage.getStore()?.id]
      })
      const { send } = await serving.serve([controller], {
        setup: (routeControllers) =>
          routeControllers.addGlobal((req, _res, next) => {
            ;(req as unknown as { inHook: unknown }).inHook = storage.getStore()?.id
            next()
          }),
      })
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[1]' }
      expect((await send('/users', post)).json()).toEqual({ ids: [1, 1, 1], body: [1] })
      expect((await send('/users', post)).json()).toEqual({ ids: [2, 2, 2], body: [1] })
      expect(storage.getStore()).toBeUndefined()
      await completed(2)
    } finally {
      channel.start.unbindStore(storage)
    }
  })

  it('answers as ever without a subscriber, with one to a single event, and with one that comes later', async () => {
    channel.unsubscribe(subscribers)
    const { send } = await serving.serve([new Controller('GET', '/', () => 'ok')])
    expect((await send('/')).text).toBe('ok')
    expect(events).toEqual([])
    channel.asyncEnd.subscribe(subscribers.asyncEnd as never)
    expect((await send('/')).text).toBe('ok')
    expect(await completed()).toEqual(['asyncEnd'])
    channel.asyncEnd.unsubscribe(subscribers.asyncEnd as never)
  })

  it.each(['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const)(
    'has %s for who subscribes to nothing else',
    async (name) => {
      channel.unsubscribe(subscribers)
      const { send } = await serving.serve(
        [new Controller('GET', '/', () => Promise.reject(new Error('no')))],
        {
          upstream: (app) => void app.set('env', 'test'),
        },
      )
      channel[name].subscribe(subscribers[name] as never)
      try {
        await send('/')
        while (events.length === 0) await setImmediate()
      } finally {
        channel[name].unsubscribe(subscribers[name] as never)
      }
      expect(events.map((event) => event.name)).toEqual([name])
    },
  )
})

describe('The tracing channel, when the client goes before the answer', () => {
  afterEach(closeAll)

  it('ends without a status, over a socket', async () => {
    const gone = new AbortController()
    const { port } = await standalone.serve([
      new Controller('GET', '/', async (req) => {
        gone.abort()
        await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
        return 'late'
      }),
    ])
    await expect(fetch(`http://127.0.0.1:${port}/`, { signal: gone.signal })).rejects.toThrow()
    expect(await completed()).toEqual(whole)
    expect(events.at(-1)!.status).toBeUndefined()
  })

  it.each(['without hooks', 'behind a hook'])('ends in getCallback() %s', async (how) => {
    const gone = new AbortController()
    const { routeControllers } = await web.serve(
      [
        new Controller('GET', '/', async () => {
          gone.abort()
          await setImmediate()
          return 'late'
        }),
      ],
      {
        setup: (one) => {
          if (how === 'behind a hook') one.addGlobal((_req, _res, next) => next())
        },
      },
    )
    const answering = routeControllers.getCallback()(new Request('http://x/', { signal: gone.signal }))
    expect(await completed()).toEqual(whole)
    await answering
  })
})

describeServingsAndHttp2('The tracing channel under a profile', (serving) => {
  const { serve } = serving

  it('names routes as they were written, and those of Express as they are shown', async () => {
    const { send } = await serve(
      [
        new Controller('GET', '/files/*rest', () => 'ok', { name: 'files' }),
        new Controller(
          '*',
          '/any/:id',
          fromExpress((_req, res) => void res.send('ok')),
        ),
        new Controller('GET', expressPath('/a{/:b}'), () => 'got', { name: 'got' }),
        new Controller('POST', expressPath('/p{/:b}'), () => 'posted', { name: 'posted' }),
      ],
      { profile: express5() },
    )
    await send('/files/a/b', { method: 'HEAD' })
    await send('/any/7', { method: 'PUT' })
    await send('/a/7')
    await send('/p/7', { method: 'POST' })
    await completed(4)
    expect(events.filter(({ name }) => name === 'start').map(({ method, route }) => [method, route])).toEqual(
      [
        ['HEAD', { method: 'GET', path: '/files/*rest', name: 'files' }],
        ['PUT', { method: '*', path: '/any/:id', name: undefined }],
        ['GET', { method: 'GET', path: '/a{/:b}', name: 'got' }],
        ['POST', { method: 'POST', path: '/p{/:b}', name: 'posted' }],
      ],
    )
    expect(events.filter(({ name }) => name === 'asyncEnd').map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ])
  })

  it('names the route that has answered, where others have passed the request on', async () => {
    const { send } = await serve(
      [
        new Controller(
          'GET',
          '/x/:a',
          fromExpress((_req, _res, next) => next('route')),
        ),
        new Controller('GET', '/x/:b', () => 'second', { name: 'second' }),
      ],
      { profile: express5() },
    )
    expect((await send('/x/1')).text).toBe('second')
    expect(await completed()).toEqual(whole)
    expect([events[0]!.route.path, events.at(-1)!.route]).toEqual([
      '/x/:a',
      { method: 'GET', path: '/x/:b', name: 'second' },
    ])
  })

  it('has the routes of an app that was taken over, with the mount that has led to each, and its refusals', async () => {
    const api = express.Router()
    api.get('/users/:id', (_req, res) => void res.send('user'))
    api
      .route('/items')
      .get((_req, res) => void res.send('items'))
      .post((_req, res) => void res.send('item'))
    const app = express().set('env', 'test')
    app.use('/v1', (req, res, next) => (req.get('token') === undefined ? void res.sendStatus(401) : next()))
    app.use('/v1', api)
    app.use('/v2', api)
    const { controllers } = toControllers(app)
    const { send } = await serve(controllers, { profile: fromApp(app) })
    expect((await send('/v2/users/7')).text).toBe('user')
    expect((await send('/v1/users/7')).status).toBe(401)
    for (const method of ['GET', 'POST', 'GET']) await send('/v2/items', { method })
    await completed(5)
    expect(
      events
        .filter(({ name }) => name === 'asyncEnd')
        .map(({ route: { method, path }, status }) => [method, path, status]),
    ).toEqual([
      ['GET', '/v2/users/:id', 200],
      ['GET', '/v1/users/:id', 401],
      ['GET', '/v2/items', 200],
      ['POST', '/v2/items', 200],
      ['GET', '/v2/items', 200],
    ])
  })

  it.each<[string, (path: string) => Controller]>([
    ['a callback', (path) => new Controller('GET', path, () => 'new')],
    [
      'an Express handler',
      (path) =>
        new Controller(
          'GET',
          path,
          fromExpress((_req, res) => void res.send('new')),
        ),
    ],
  ])('has a request from where a hook rewrites it to a route: %s', async (_what, make) => {
    const { send } = await serve([new Controller('GET', '/other', () => 'other'), make('/new/:id')], {
      profile: express5(),
      setup: (routeControllers) =>
        routeControllers.addGlobal(
          (req, _res, next) => {
            expect(events).toEqual([])
            if (req.url === '/old/7?a=1') req.url = '/new/7?a=1'
            next()
          },
          { scope: 'every' },
        ),
    })
    expect((await send('/old/7?a=1')).text).toBe('new')
    expect(await completed()).toEqual(whole)
    expect(events[0]!.route).toEqual({ method: 'GET', path: '/new/:id', name: undefined })
    expect(events.at(-1)).toMatchObject({ route: { path: '/new/:id' }, status: 200 })
    events = []
    await send('/none')
    await send('/other', { method: 'POST' })
    expect(events).toEqual([])
  })

  it('has a request once from where a hook makes it one for a route, which passes it on to another', async () => {
    const { send } = await serve(
      [
        new Controller(
          'PUT',
          '/:any',
          fromExpress((_req, _res, next) => next()),
        ),
        new Controller('PUT', '/:all', () => 'put'),
      ],
      {
        profile: express5(),
        setup: (routeControllers) =>
          routeControllers.addGlobal(
            (req, _res, next) => {
              req.method = 'PUT'
              next()
            },
            { scope: 'every' },
          ),
      },
    )
    expect((await send('/teas', { method: 'POST' })).text).toBe('put')
    expect(await completed()).toEqual(whole)
    expect([events[0]!.route.path, events.at(-1)!.route.path]).toEqual(['/:any', '/:all'])
  })

  it('has what the middleware of an app that was taken over rewrites, and each mount, in the store of start', async () => {
    const storage = new AsyncLocalStorage<{ path: string }>()
    const api = express.Router()
    api.get('/users/:id', (_req, res) => void res.send(storage.getStore()?.path))
    const app = express().set('env', 'test')
    app.use((req, _res, next) => {
      req.url = req.url.replace(/^\/de/, '')
      next()
    })
    app.use('/v1', api)
    app.use('/v2', api)
    app.get('/:page', (_req, res) => void res.send(storage.getStore()?.path))
    channel.start.bindStore(storage, ({ route }) => ({ path: route.path }))
    try {
      const { send } = await serve(toControllers(app, { middleware: true }).controllers, {
        profile: fromApp(app),
      })
      const routes = ['/v1/users/:id', '/v2/users/:id', '/:page']
      expect((await send('/de/v1/users/7')).text).toBe(routes[0])
      expect((await send('/de/v2/users/7')).text).toBe(routes[1])
      expect((await send('/de/about')).text).toBe(routes[2])
      expect((await send('/de/v1/none')).status).toBe(404)
      await completed(3)
      for (const name of ['start', 'asyncEnd']) {
        const published = events.filter((event) => event.name === name)
        expect(published.map(({ route }) => route.path)).toEqual(routes)
      }
    } finally {
      channel.start.unbindStore(storage)
    }
  })

  it('has what our own callback throws, and nothing for what no route answers', async () => {
    const { send } = await serve([new Controller('GET', '/', () => Promise.reject(new Error('no')))], {
      profile: fromApp(express().set('env', 'test')),
      upstream: (app) => void app.set('env', 'test'),
    })
    await send('/none')
    expect((await send('/')).status).toBe(500)
    expect(await completed()).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    expect(events.at(-1)).toMatchObject({ status: 500, error: { message: 'no' } })
  })
})
