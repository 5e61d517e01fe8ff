import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { fromApp, fromExpress, fromRouter, toControllers } from 'routecontrollers/express'
import { listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'
import { ask } from './support/compare.js'

type Next = (signal?: unknown) => void

afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosted()
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('an app of Express %i that was taken over', (version, express: any) => {
  const routerOf = (app: any): any => (version === 4 ? app._router : app.router)
  const keepsPaths = (app: any): boolean =>
    routerOf(app).stack.some((layer: any) => layer.rawPath !== undefined)
  const silent = { info() {}, warn() {}, error() {} }
  const deny = (_req: unknown, res: any): void => void res.status(401).end('denied')

  const serve = async (
    app: any,
    options: object = {},
    fallback?: any,
  ): Promise<(target: string) => Promise<string>> => {
    const { controllers } = toControllers(app, options)
    const server = new Server()
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers: new RouteControllers(controllers, { profile: fromApp(app), logger: silent }),
      ...(fallback && { fallback }),
    })
    closeLater(() => server.stop())
    return async (target) => {
      const { statusLine, body } = await ask(server.getPort(), { target })
      return `${statusLine.split(' ')[1]!} ${body.startsWith('<') ? 'page' : body}`
    }
  }

  it('has a guard that is added later, in a router too, from the next request on', async () => {
    const app = express().set('env', 'test')
    const router = express.Router()
    router.get('/x', (_req: unknown, res: any) => res.end('x'))
    app.use('/r', router)
    const send = await serve(app)
    expect(await send('/r/x')).toBe('200 x')
    router.use(deny)
    router.stack.unshift(router.stack.pop())
    expect(await send('/r/x')).toBe('401 denied')
  })

  const behindLayer =
    (act: () => void) =>
    (_req: unknown, _res: unknown, next: Next): void =>
      void setImmediate(() => {
        act()
        next()
      })

  it.each<[string, (app: any, router: any) => () => void]>([
    [
      'before its route',
      (app, router) => {
        const act = (): void => {
          app.use('/r', deny)
          const { stack } = routerOf(app)
          stack.splice(stack.length - 2, 0, stack.pop())
        }
        router.get('/x', (_req: unknown, res: any) => res.end('x'))
        return act
      },
    ],
    [
      'at the end of a router before it',
      (app, router) => {
        const first = express.Router()
        first.use(express.Router().get('/x', (_req: unknown, _res: unknown, next: Next) => next()))
        app.use('/r', first)
        router.get('/x', (_req: unknown, res: any) => res.end('x'))
        return () => first.use(deny)
      },
    ],
    [
      'in the place of a router',
      (app, router) => {
        router.get('/x', (_req: unknown, res: any) => res.end('x'))
        return () => {
          routerOf(app).stack.at(-1).handle = deny
        }
      },
    ],
    [
      'in its router, before it',
      (_app, router) => {
        router.get('/x', (_req: unknown, res: any) => res.end('x'))
        router.get('/:other/deeper', deny)
        return () => {
          router.use(deny)
          router.stack.unshift(router.stack.pop())
        }
      },
    ],
  ])('has a guard that is added while a request waits, %s, for that request', async (_name, fill) => {
    const create = (): any => {
      const app = express().set('env', 'test')
      const router = express.Router()
      let act = (): void => {}
      app.use(behindLayer(() => act()))
      act = fill(app, router)
      app.use('/r', router)
      // What the request cannot match is left out.
      app.get('/others', (_req: unknown, res: any) => res.end('others'))
      app.use('/r', (_req: unknown, _res: unknown, next: Next) => next())
      const { stack } = routerOf(app)
      stack.splice(stack.length - 3, 0, stack.pop())
      stack.push(...stack.splice(stack.length - 2, 1))
      return app
    }
    const alone = await listenOn(create())
    closeLater(alone.close)
    expect((await ask(alone.port, { target: '/r/x' })).body).toBe('denied')
    expect(await (await serve(create()))('/r/x')).toBe('401 denied')
    const app = create()
    // Before router 2.3 nothing tells the path of a router, and its routes cannot be named.
    const only = version === 4 || keepsPaths(app) ? ['GET /r/x'] : ['GET /others']
    expect(await (await serve(app, { only }, app))('/r/x')).toBe('401 denied')
  })

  it('has a callback of param that is added later, for Controllers in the place of its routes and for its own', async () => {
    const app = express().set('env', 'test')
    const router = express.Router()
    const show = fromExpress((req, res) => void res.end(req.params['id']))
    const controllers = (): Controller[] => [new Controller('GET', '/:id', show)]
    router.use(new RouteControllers(controllers(), { profile: fromRouter(router, { app }) }).middleware())
    app.use('/r', router)
    app.use(new RouteControllers(controllers(), { profile: fromApp(app) }).middleware())
    const { port, close } = await listenOn(app)
    closeLater(close)
    const own = new RouteControllers(controllers(), {
      profile: fromApp(app, { params: { id: (_req, _res, next) => next() } }),
    })
    const status = async (target: string): Promise<string> =>
      (await ask(port, { target })).statusLine.split(' ')[1]!
    expect([await status('/r/7'), await status('/7')]).toEqual(['200', '200'])
    expect((await own.getCallback()(new Request('http://x/7'))).status).toBe(200)
    router.param('id', deny)
    app.param('id', deny)
    expect([await status('/r/7'), await status('/7')]).toEqual(['401', '401'])
    expect((await own.getCallback()(new Request('http://x/7'))).status).toBe(401)
  })

  it('runs a guard that is for another path since', async () => {
    const app = express().set('env', 'test')
    app.use('/a', deny)
    app.get('/x', (_req: unknown, res: any) => res.end('x'))
    const send = await serve(app)
    expect(await send('/x')).toBe('200 x')
    const layer = routerOf(app).stack.at(-2)
    const matched = { path: '', params: {}, keys: [] }
    // Only router 2.3 gives what has matched. Before, it is left on the layer.
    layer.match = () => (keepsPaths(app) ? matched : Boolean(Object.assign(layer, matched)))
    expect(await send('/x')).toBe('401 denied')
  })

  it('keeps to the settings that its router was made with, whatever the app has later', async () => {
    const app = express().set('env', 'test').set('case sensitive routing', true)
    app.use('/Admin', deny)
    app.get('/z', (_req: unknown, res: any) => res.end('z'))
    const show = fromExpress((_req, res) => void res.end('shown'))
    const own = new Controller('GET', '/Admin/x', show)
    app.set('case sensitive routing', false)
    const { controllers } = toControllers(app)
    const fetchHandler = new RouteControllers([...controllers, own], {
      profile: fromApp(app),
      logger: silent,
    }).getCallback()
    const ask = async (path: string): Promise<number> =>
      (await fetchHandler(new Request(`http://x${path}`))).status
    expect([await ask('/Admin/x'), await ask('/admin/x')]).toEqual([401, 404])
  })

  it('is left alone where a layer has another function each time that it is read', async () => {
    const app = express().set('env', 'test')
    app.get('/x', (_req: unknown, res: any) => res.end('x'))
    app.use(deny)
    Object.defineProperty(routerOf(app).stack.at(-1), 'handle', { get: () => deny.bind(undefined) })
    const behind = express4()
    behind.get('/x', (_req, res) => void res.end('left'))
    expect(await (await serve(app))('/x')).toBe('503 page')
    expect(await (await serve(app, {}, behind))('/x')).toBe('200 left')
    const create = (): RouteControllers =>
      new RouteControllers(toControllers(app).controllers, { profile: fromApp(app), logger: silent })
    expect((await create().getCallback()(new Request('http://x/x'))).status).toBe(503)
    const host = express5().use(create().middleware(), behind)
    const { port, close } = await listenOn(host)
    expect((await ask(port, { target: '/x' })).body).toBe('left')
    await close()
  })

  it('answers no more for a route that was removed, and for one that was added', async () => {
    const app = express().set('env', 'test')
    app.get('/old', (_req: unknown, res: any) => res.end('old'))
    const send = await serve(app)
    expect(await send('/old')).toBe('200 old')
    routerOf(app).stack.pop()
    app.get('/new', (_req: unknown, res: any) => res.end('new'))
    expect(await send('/old')).toBe('404 page')
    expect(await send('/new')).toBe('200 new')
  })

  it('answers for what an app that is mounted in it, or a wrapped router, gets later', async () => {
    const app = express().set('env', 'test')
    const sub = express()
    sub.get('/old', (_req: unknown, res: any) => res.end('old'))
    app.use('/sub', sub)
    const router = express.Router()
    router.get('/old', (_req: unknown, res: any) => res.end('old'))
    app.use('/wrapped', router)
    const layer = routerOf(app).stack.at(-1)
    const handle = layer.handle
    layer.handle = Object.assign((...parameters: unknown[]) => handle(...parameters), { __original: handle })
    const send = await serve(app)
    for (const [path, inner] of [
      ['/sub', sub],
      ['/wrapped', router],
    ] as const) {
      expect(await send(`${path}/old`)).toBe('200 old')
      inner.get('/new', (_req: unknown, res: any) => res.end('new'))
      expect(await send(`${path}/new`)).toBe('200 new')
      inner.route('/both').get((_req: unknown, res: any) => res.end('both'))
      expect(await send(`${path}/both`)).toBe('200 both')
    }
  })

  it('answers by a method, and by a handler, that a route gets later', async () => {
    const app = express().set('env', 'test')
    const route = app.route('/x').post((_req: unknown, res: any) => res.end('posted'))
    const send = await serve(app)
    expect(await send('/x')).toBe('404 page')
    route.get((_req: unknown, _res: unknown, next: Next) => next())
    expect(await send('/x')).toBe('404 page')
    route.get((_req: unknown, res: any) => res.end('got'))
    expect(await send('/x')).toBe('200 got')
  })

  it.each(['throw', 'fallback'])(
    'counts a handler that a route gets as a change for onStale %p',
    async (onStale) => {
      const app = express().set('env', 'test')
      const route = app.route('/x').get((_req: unknown, res: any) => res.end('x'))
      const send = await serve(app, { onStale })
      expect(await send('/x')).toBe('200 x')
      route.post((_req: unknown, res: any) => res.end('posted'))
      expect(await send('/x')).toBe(onStale === 'throw' ? '500 page' : '503 page')
    },
  )

  it.each(['g', 'y'])(
    'runs a guard of a list of paths that was changed since, and counts no match of an expression with the flag %s',
    async (flag) => {
      const app = express().set('env', 'test')
      const paths = ['/admin']
      app.all(paths, deny)
      paths.splice(0, 1, '/other')
      app.all(new RegExp('^/turns', flag), deny)
      app.get(['/admin', '/turns'], (_req: unknown, res: any) => res.end('reached'))
      const send = await serve(app)
      expect(await send('/admin')).toBe('401 denied')
      // Express goes on where its last match has ended, so that every second request passes.
      for (const answer of ['401 denied', '200 reached', '401 denied'])
        expect(await send('/turns')).toBe(answer)
    },
  )

  it('is not taken over, nor run on, once somebody has wrapped its handle', async () => {
    const wrap = (app: any): void => {
      const { handle } = app
      app.handle = function guarded(req: any, res: any, next: Next) {
        if (req.url.startsWith('/x')) return deny(req, res)
        handle.call(app, req, res, next)
      }
    }
    const app = express().set('env', 'test')
    app.get('/x', (_req: unknown, res: any) => res.end('x'))
    const [alone, inFront] = [await serve(app), await serve(app, {}, app)]
    expect([await alone('/x'), await inFront('/x')]).toEqual(['200 x', '200 x'])
    wrap(app)
    // Without anything behind, what wraps it answers also for the page of the 503.
    expect([await alone('/x'), await inFront('/x')]).toEqual(['401 denied', '401 denied'])
    expect(() => toControllers(app)).toThrow(refusal('ERR_APP_WRAPPED', 'the handle of this app', 'guarded'))
  })

  it.each(['fallback', 'reread'])(
    'that cannot be read any more (%p) takes what is listed behind it along',
    async (onStale) => {
      const app = express().set('env', 'test')
      app.use('/own', deny)
      app.get('/a', (_req: unknown, res: any) => res.end('a'))
      app.get('/z', (_req: unknown, res: any) => res.end('z'))
      const { controllers } = toControllers(app, { onStale: onStale as 'reread' })
      const own = new Controller(
        'GET',
        '/own',
        fromExpress((_req, res) => res.end('own')),
      )
      const first = new Controller(
        'GET',
        '/first',
        fromExpress((_req, res) => res.end('first')),
      )
      const list = [first, controllers[0]!, own, controllers[1]!]
      const server = await new Server().start({
        port: 0,
        host: '127.0.0.1',
        routeControllers: new RouteControllers(list, { profile: fromApp(app), logger: silent }),
        fallback: app,
      })
      closeLater(() => server.stop())
      const send = async (target: string): Promise<string> => (await ask(server.getPort(), { target })).body
      expect([await send('/own'), await send('/first')]).toEqual(['denied', 'first'])
      if (onStale === 'fallback') app.get('/late', (_req: unknown, res: any) => res.end('late'))
      else routerOf(app).stack.reverse()
      expect([await send('/own'), await send('/first')]).toEqual(['denied', 'first'])
    },
  )

  it('runs once where two lists of its Controllers stand in one', async () => {
    const app = express().set('env', 'test')
    const calls: string[] = []
    const note = (name: string) => (_req: unknown, _res: unknown, next: Next) => (calls.push(name), next())
    app.use(note('guard'))
    for (const name of ['a', 'b', 'c']) app.get(`/${name}`, note(name))
    const lists = ['GET /a', 'GET /b'].map((only) => toControllers(app, { only: [only] }).controllers)
    const server = await new Server().start({
      port: 0,
      host: '127.0.0.1',
      routeControllers: new RouteControllers(lists.flat(), { profile: fromApp(app) }),
    })
    closeLater(() => server.stop())
    await ask(server.getPort(), { target: '/b' })
    expect(calls).toEqual(['guard', 'b'])
  })

  it('runs the function that somebody has put in place of a handler', async () => {
    const app = express().set('env', 'test')
    app.use('/x', (_req: unknown, _res: unknown, next: Next) => next())
    app.get('/x', (_req: unknown, res: any) => res.end('x'))
    const send = await serve(app)
    expect(await send('/x')).toBe('200 x')
    routerOf(app).stack.at(-2).handle = deny
    expect(await send('/x')).toBe('401 denied')
  })

  it('has a guard that comes while a request is on its way, and all behind it, once', async () => {
    const createApp = (called: string[]): any => {
      const note = (name: string) => (_req: unknown, _res: unknown, next: Next) => {
        called.push(name)
        next()
      }
      const app = express().set('env', 'test')
      app.use((_req: unknown, _res: unknown, next: Next) => {
        app.use(note('guard'))
        const { stack } = routerOf(app)
        stack.splice(-3, 0, stack.pop())
        next()
      })
      app.use(note('a')).use('/x', note('b'))
      app.get('/x', (_req: unknown, res: any) => res.end('x'))
      return app
    }
    const called: string[] = []
    const send = await serve(createApp(called))
    expect([await send('/x'), called]).toEqual(['200 x', ['guard', 'a', 'b']])
  })

  it.each([
    ['fallback', false, '503 page'],
    ['fallback', true, '200 behind'],
    ['throw', false, '500 page'],
  ])(
    'that has changed is answered by onStale %p, with something behind: %p',
    async (onStale, behind, expected) => {
      const app = express().set('env', 'test')
      app.get('/x', (_req: unknown, res: any) => res.end('x'))
      const send = await serve(
        app,
        { onStale },
        behind ? (_req: unknown, res: any) => res.end('behind') : undefined,
      )
      expect(await send('/x')).toBe('200 x')
      app.get('/y', (_req: unknown, res: any) => res.end('y'))
      expect(await send('/x')).toBe(expected)
    },
  )

  it.each(['first', 'last'])(
    'leads back to its own Controllers, %s among its layers, without running a guard twice',
    async (where) => {
      const app = express().set('env', 'test')
      let guarded = 0
      const routes = (): void => {
        app.use((_req: unknown, _res: unknown, next: Next) => {
          guarded++
          next()
        })
        app.get('/x', (_req: unknown, res: any) => res.end('x'))
        app.get('/passes', (_req: unknown, _res: unknown, next: Next) => next())
      }
      let middleware: any = (_req: unknown, _res: unknown, next: Next) => next()
      const mount = (): void =>
        app.use((req: unknown, res: unknown, next: Next) => middleware(req, res, next))
      if (where === 'first') mount()
      routes()
      if (where === 'last') mount()
      const routeControllers = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
      middleware = routeControllers.middleware()
      const { port, close } = await listenOn(app)
      closeLater(close)
      for (const [target, status] of [
        ['/x', '200'],
        ['/passes', '404'],
        ['/none', '404'],
      ] as const) {
        guarded = 0
        expect((await ask(port, { target })).statusLine).toContain(status)
        expect([target, guarded]).toEqual([target, 1])
      }
    },
  )

  it.each([
    [
      'a tracer has wrapped, which keeps what it has wrapped',
      (layer: any) => {
        const original = layer.handle
        if (original.length === 4) return
        const patched = function (this: unknown, req: unknown, res: unknown, next: unknown): unknown {
          return original.call(this, req, res, next)
        }
        for (const key in original) {
          Object.defineProperty(patched, key, {
            get: () => original[key],
            set: (value) => (original[key] = value),
          })
        }
        Object.defineProperty(patched, '__original', { value: original })
        layer.handle = patched
      },
    ],
    [
      'a package for async errors has wrapped, which copies what it has wrapped',
      (layer: any) => {
        const original = layer.handle
        const wrapped = function newFn(this: unknown, ...given: unknown[]): unknown {
          return original.apply(this, given)
        }
        Object.defineProperty(wrapped, 'length', { value: original.length })
        layer.handle = Object.assign(wrapped, original)
      },
    ],
  ])('runs layers that %s', async (_name, wrap) => {
    const app = express().set('env', 'test')
    app.use((req: any, res: any, next: Next) =>
      req.originalUrl.startsWith('/admin') ? deny(req, res) : next(),
    )
    const router = express.Router({ mergeParams: true })
    router.get('/:id', (req: any, res: any) => res.end(JSON.stringify([req.params, req.query])))
    app.use('/teams/:team', router)
    app.get('/admin/x', (_req: unknown, res: any) => res.end('secret'))
    for (const layer of routerOf(app).stack) wrap(layer)
    for (const layer of router.stack) wrap(layer)
    const { left } = toControllers(app)
    expect(left).toEqual([])
    const send = await serve(app)
    expect(await send('/teams/a/7?q=1')).toBe('200 [{"team":"a","id":"7"},{"q":"1"}]')
    expect(await send('/admin/x')).toBe('401 denied')
  })

  it.each<[string, (router: any, guarded: (...given: any[]) => unknown) => unknown]>([
    [
      'stands for it',
      (router, guarded) => new Proxy(router, { apply: (_router, _self, given) => guarded(...given) }),
    ],
    [
      'inherits from it',
      (router, guarded) => Object.setPrototypeOf((...given: any[]) => guarded(...given), router),
    ],
  ])('runs a router by the function that %s', async (_name, wrap) => {
    const app = express().set('env', 'test')
    const router = express.Router()
    router.get('/list', (_req: unknown, res: any) => res.end('secret'))
    const guarded = (req: any, res: any, next: Next): unknown =>
      req.get('x-user') === undefined ? deny(req, res) : router(req, res, next)
    app.use('/admin', wrap(router, guarded))
    app.get('/open', (_req: unknown, res: any) => res.end('open'))
    const send = await serve(app)
    expect([await send('/admin/list'), await send('/open')]).toEqual(['401 denied', '200 open'])
  })

  it('whose first layers somebody has wrapped parses the query for hooks and Controllers of our own', async () => {
    const app = express().set('env', 'test')
    app.get('/x', (_req: unknown, res: any) => res.end('x'))
    for (const layer of routerOf(app).stack) {
      const original = layer.handle
      layer.handle = function newFn(this: unknown, ...given: unknown[]): unknown {
        return original.apply(this, given)
      }
    }
    const show = fromExpress((req, res) => void res.end(JSON.stringify(req.query)))
    const own = new Controller('GET', '/own', show)
    const routeControllers = new RouteControllers([own, ...toControllers(app).controllers], {
      profile: fromApp(app),
    })
    routeControllers.addGlobal((req: any, res: any, next: Next) => (req.query.deny ? deny(req, res) : next()))
    const server = new Server()
    await server.start({ port: 0, host: '127.0.0.1', routeControllers })
    closeLater(() => server.stop())
    expect((await ask(server.getPort(), { target: '/own?a=1' })).body).toContain('{"a":"1"}')
    expect((await ask(server.getPort(), { target: '/x?deny=1' })).statusLine).toContain('401')
    const fetchHandler = routeControllers.getCallback()
    expect(await (await fetchHandler(new Request('http://x/own?a=1'))).text()).toBe('{"a":"1"}')
    expect((await fetchHandler(new Request('http://x/x?deny=1'))).status).toBe(401)
    const host: any = (version === 4 ? express5 : express4)()
    host.use(routeControllers.middleware())
    const { port, close } = await listenOn(host)
    closeLater(close)
    expect((await ask(port, { target: '/own?a=1' })).body).toContain('{"a":"1"}')
    expect((await ask(port, { target: '/x?deny=1' })).statusLine).toContain('401')
  })

  it('runs what stands around one of its first layers, by the name of that', async () => {
    if (version === 5) return
    // The one that parses the query runs for hooks too, which stand before all layers.
    for (const [at, expected] of [2, 1].entries()) {
      let calls = 0
      const app = express().set('env', 'test')
      app.get('/x', (req: any, res: any) => res.end(req.query.a))
      const layer = routerOf(app).stack[at]
      const original = layer.handle
      layer.handle = function (this: unknown, ...given: unknown[]): unknown {
        calls++
        return original.apply(this, given)
      }
      Object.defineProperty(layer.handle, 'name', { value: original.name })
      expect([await (await serve(app))('/x?a=tea'), calls]).toEqual(['200 tea', expected])
    }
  })

  it.each<[string, (router: any, around: (handle: any) => any) => void]>([
    [
      'the use of all routers, and keeps what was there in __original',
      (router, around) => {
        const { use } = router
        jest.spyOn(router, 'use').mockImplementation(function (this: any, ...given: unknown[]) {
          const count = this.stack.length
          use.apply(this, given)
          for (const layer of this.stack.slice(count)) {
            layer.handle = Object.assign(around(layer.handle), { __original: layer.handle })
          }
          return this
        })
      },
    ],
    [
      'the functions of all layers',
      (router, around) => {
        const prototype = Object.getPrototypeOf(router().use(deny).stack[0])
        const handles = new WeakMap<object, unknown>()
        const get = jest.fn(function (this: object) {
          return handles.get(this)
        })
        const set = (layer: object, handle: any): void => void handles.set(layer, handle && around(handle))
        Object.defineProperty(prototype, 'handle', {
          configurable: true,
          get,
          set(this: object, handle: any) {
            set(this, handle)
          },
        })
        closeLater(() => Reflect.deleteProperty(prototype, 'handle'))
      },
    ],
  ])('runs its first layers as they are where somebody has wrapped %s', async (_what, wrap) => {
    if (version === 5) return
    const called: string[] = []
    wrap(express.Router, (original) => {
      const around = function (this: unknown, req: any, res: unknown, next: unknown): unknown {
        called.push(original.name)
        return original.call(this, req, res, next)
      }
      return Object.defineProperty(around, 'name', { value: original.name })
    })
    const app = express().set('env', 'test')
    app.get('/x', (req: any, res: any) => res.end(req.query.a))
    const send = await serve(app)
    called.length = 0
    expect(await send('/x?a=tea')).toBe('200 tea')
    expect(called).toEqual(expect.arrayContaining(['query', 'expressInit']))
  })

  it('has no first layers where somebody has taken them away', async () => {
    const app = express().set('env', 'test')
    app.get('/x', (_req: unknown, res: any) => res.end('x'))
    routerOf(app).stack.length = 0
    app.get('/y', (_req: unknown, res: any) => res.end('y'))
    const send = await serve(app)
    expect([await send('/x'), await send('/y')]).toEqual(['404 page', '200 y'])
    routerOf(app).stack.length = 0
    const own = new RouteControllers([new Controller('GET', '/own', () => 'own')], { profile: fromApp(app) })
    expect(await (await own.getCallback()(new Request('http://x/own'))).text()).toBe('own')
  })

  it('may have a router that stands in itself', async () => {
    const router = express.Router()
    router.get('/x', (req: any, res: any) => res.end(req.originalUrl))
    router.use('/again', router)
    const send = await serve(express().set('env', 'test').use('/at', router), { middleware: true })
    for (const target of ['/at/x', '/at/again/x', '/at/again/again/x'])
      expect(await send(target)).toBe(`200 ${target}`)
    expect(await send('/at/again/none')).toBe('404 page')
  })

  it('is refused where its router is run by somebody else', () => {
    const app = express()
    app.get('/x', deny)
    routerOf(app).handle = function patchedHandle(): void {}
    expect(() => toControllers(app)).toThrow(
      expect.objectContaining({ code: 'ERR_APP_WRAPPED', message: expect.stringContaining('patchedHandle') }),
    )
  })

  it('keeps the params of the parent for Controllers that take the place of its router’s routes', async () => {
    const app = express().set('env', 'test')
    const router = express.Router({ mergeParams: true })
    router.param('id', (req: any, res: any, next: Next, id: string) => (id === '0' ? deny(req, res) : next()))
    const show = fromExpress((req, res) => void res.end(JSON.stringify(req.params)))
    const own = new RouteControllers([new Controller('GET', '/:id', show)], {
      profile: fromRouter(router, { app }),
    })
    router.use(own.middleware())
    app.use('/teams/:team', router)
    const { port, close } = await listenOn(app)
    closeLater(close)
    expect((await ask(port, { target: '/teams/a/7' })).body).toContain('{"team":"a","id":"7"}')
    expect((await ask(port, { target: '/teams/a/0' })).statusLine).toContain('401')
  })

  it('runs a guard at a literal path for a request that a middleware rewrites to it', async () => {
    const app = express().set('env', 'test')
    app.use((req: any, _res: unknown, next: Next) => {
      if (req.url.startsWith('/v1/')) req.url = req.url.slice(3)
      next()
    })
    app.use('/admin', deny)
    app.get('/users/admin', deny)
    app.get('/users/:id', (req: any, res: any) => res.end(req.params.id))
    app.get('/v1/:a/:b', (_req: unknown, res: any) => res.end('v1'))
    app.get('/admin/x', (_req: unknown, res: any) => res.end('secret'))
    const send = await serve(app)
    expect(await send('/users/7')).toBe('200 7')
    expect(await send('/users/admin')).toBe('401 denied')
    expect(await send('/v1/users/admin')).toBe('401 denied')
    expect(await send('/v1/admin/x')).toBe('401 denied')
  })
})
