import express5, { type Express } from 'express'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers, Server } from 'routecontrollers'
import { fromApp, fromExpress, toControllers } from 'routecontrollers/express'
import { describeServings, listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { ask, type WireRequest } from './support/compare.js'
import { testedExpress } from './versions/tested.js'

afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosted()
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('toControllers of an app of Express %i', (version, express) => {
  /** What functions have been called, in their order. */
  let calls: string[]

  const createApp = (): any => express().set('env', 'production')

  /** How the path of `use` is shown: routers of Express 5 before 2.3 do not keep it. */
  const shown = (path: string): string =>
    version === 5 && ['2.0.0', '2.1.0', '2.2.0'].includes(testedExpress?.router ?? '') ? '(unknown)' : path

  const note =
    (name: string) =>
    (_req: unknown, _res: unknown, next: () => void): void => {
      calls.push(name)
      next()
    }
  const say =
    (text: string) =>
    (_req: unknown, res: any): void => {
      calls.push(text)
      res.end(text)
    }

  beforeEach(() => {
    calls = []
    jest.spyOn(console, 'error').mockImplementation(() => {})
  })

  /** Serves Controllers by a server of ours, with the app behind it if one is given. */
  const serve = async (
    controllers: readonly AnyController[],
    app: Express,
    fallback?: Express,
  ): Promise<(request: WireRequest) => ReturnType<typeof ask>> => {
    const server = new Server()
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers: new RouteControllers(controllers, { profile: fromApp(app) }),
      ...(fallback && { fallback }),
    })
    closeLater(() => server.stop())
    return (request) => ask(server.getPort(), request)
  }

  const serveApp = async (app: Express): Promise<(request: WireRequest) => ReturnType<typeof ask>> => {
    const { port, close } = await listenOn(app)
    closeLater(close)
    return (request) => ask(port, request)
  }

  it('makes a Controller for each method of each route, in order, with the paths of what it stands in', () => {
    const app = createApp()
    const inner = express.Router()
    inner.route('/:id').get(say('get')).delete(say('delete'))
    const mounted = express()
    mounted.all('/', say('all'))
    const router = express.Router()
    router.use('/users', inner)
    router.use('/sub', mounted)
    app.get(['/a', '/b'], say('two'))
    app.use('/api', router)
    app.post(/^\/x/, say('regexp'))
    const root = express.Router()
    root.get('/', say('root'))
    root.get(/y$/, say('no beginning'))
    app.use(root)
    const { controllers, left } = toControllers(app)
    expect(controllers.map(({ method, pattern }) => `${method} ${pattern.source}`)).toEqual([
      'GET [/a, /b]',
      `GET ${shown('/api')}/${shown('users')}/:id`,
      `DELETE ${shown('/api')}/${shown('users')}/:id`,
      `* ${shown('/api')}/${shown('sub')}`,
      'POST /^\\/x/',
      'GET /',
      'GET /y$/',
    ])
    expect(left).toEqual([])
  })

  it('reads a Router as it reads an app', async () => {
    const router = express.Router()
    router.use('/a', note('guard'))
    router.get('/a/b', say('answer'))
    const send = await serve([...toControllers(router).controllers], createApp())
    expect((await send({ target: '/a/b' })).body).toContain('answer')
    expect(calls).toEqual(['guard', 'answer'])
  })

  it.each([...'\t\n\f\r #\u00a0\ufeff'])(
    'finds what Express finds behind %j in a URL that middleware has rewritten',
    async (mark) => {
      const app = createApp()
      app.use((req: any, _res: unknown, next: () => void) => {
        req.url = req.url === '/in/x' ? `/in/x${mark}` : `/in/x${mark}y`
        next()
      })
      const router = express.Router()
      router.get('/x', say('x'))
      router.get('/:other', (req: any, res: any) => res.end(`other ${encodeURIComponent(req.params.other)}`))
      app.use('/in', router)
      const send = await serve([...toControllers(app).controllers], app)
      const theirs = await serveApp(app)
      for (const target of ['/in/x', '/in/z'])
        expect(await send({ target })).toEqual(await theirs({ target }))
    },
  )

  it('reads a mount whose path has a dot, and leads no other path there', async () => {
    const app = createApp()
    const router = express.Router()
    router.get('/x', say('x'))
    app.use('/v1.2', router)
    app.use('/a.b/:id', router)
    const { controllers } = toControllers(app)
    expect(controllers.map((one) => one.getPath())).toEqual([`${shown('/v1.2')}/x`, `${shown('/a.b/:id')}/x`])
    const send = await serve([...controllers], app)
    for (const target of ['/v1.2/x', '/a.b/7/x']) expect((await send({ target })).body).toContain('x')
    for (const target of ['/v1x2/x', '/axb/7/x']) {
      expect((await send({ target })).statusLine).toBe('HTTP/1.1 404 Not Found')
    }
    expect(calls).toEqual(['x', 'x'])
  })

  it('goes on behind a mount where a dot follows, as Express 4 does and Express 5 does not', async () => {
    const app = createApp()
    const router = express.Router()
    router.get('/.json', say('json'))
    app.use(/^\/files/, router)
    const all = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
    expect(all.checkRoute('GET /files.json').exists).toBe(version === 4)
    const send = await serve([...toControllers(app).controllers], app)
    const theirs = await serveApp(app)
    expect(await send({ target: '/files.json' })).toEqual(await theirs({ target: '/files.json' }))
    expect(calls).toEqual(version === 4 ? ['json', 'json'] : [])
  })

  it('ends a request that a route has passed on, and gives it to no fallback', async () => {
    const app = createApp()
    app.get('/x', note('passed'))
    const behind = ((_req: unknown, res: any) => res.end('behind')) as never
    const send = await serve([...toControllers(app).controllers], app, behind)
    expect((await send({ target: '/x' })).statusLine).toBe('HTTP/1.1 404 Not Found')
    expect((await send({ target: '/y' })).body).toContain('behind')
    expect(calls).toEqual(['passed'])
  })

  it('gives a request back with the members of its app, once another app has passed it on', async () => {
    const [app, other] = [createApp(), createApp()]
    other.all('/x', note('other'))
    const tell = new Controller(
      'GET',
      '/x',
      fromExpress(
        (req, res) => void res.end(`${(req.app as unknown) === app} ${(res.app as unknown) === app}`),
      ),
    )
    const send = await serve([...toControllers(other).controllers, tell], app)
    expect((await send({ target: '/x' })).body).toContain('true true')
    expect(calls).toEqual(['other'])
  })

  it('reads an app that has no layers yet', () => {
    expect(toControllers(createApp())).toEqual({ controllers: [], left: [] })
  })

  it('does not run anything while it reads', () => {
    const app = createApp()
    const mounted = express()
    mounted.use(note('in a mounted app'))
    mounted.use((_error: unknown, _req: unknown, _res: unknown, next: () => void) => {
      calls.push('error handler of a mounted app')
      next()
    })
    app.use('/x', mounted)
    toControllers(app, { middleware: true })
    expect(calls).toEqual([])
  })

  it('runs nothing twice where one route gives its request on to the next', async () => {
    const app = createApp()
    app.use(note('first'))
    app.get('/x', note('one'))
    app.use('/x', note('between'))
    app.all('/:any', note('two'))
    app.use(note('last'))
    app.get('/x', say('three'))
    const send = await serve([...toControllers(app).controllers], app)
    expect((await send({})).body).toContain('three')
    expect(calls).toEqual(['first', 'one', 'between', 'two', 'last', 'three'])
  })

  it('keeps the guards of a route that is served alone, those among the routes too', async () => {
    const app = createApp()
    app.use('/admin', note('guard of the path'))
    app.all('/admin/*rest'.slice(0, version === 4 ? 8 : undefined), note('guard that is a route'))
    app.get('/admin/report', say('report'))
    const { controllers } = toControllers(app)
    const send = await serve([controllers.at(-1)!], app)
    expect((await send({ target: '/ADMIN/report/' })).body).toContain('report')
    expect(calls).toEqual(['guard of the path', 'guard that is a route', 'report'])
  })

  describe('with a Controller of another’s making among them', () => {
    const create = (seen: string[]): AnyController =>
      new Controller(
        'GET',
        '/:a/x',
        fromExpress((req: any, _res: any, next: () => void) => {
          seen.push(`own ${req.url} ${req.params.a}`)
          next()
        }),
      )
    const fill = (app: any, asOne: boolean): void => {
      const router = express.Router({ mergeParams: true })
      const other = asOne ? router : express.Router()
      router.get('/x', note('one'))
      other.use(note('guard'))
      other.get('/x', say('three'))
      app.use('/:in', router)
      if (!asOne) app.use('/in', other)
    }

    it.each([
      ['before its first', 0, ['own /in/x in', 'one', 'guard', 'three']],
      ['between two, as it is listed', 1, ['one', 'own /in/x in', 'guard', 'three']],
    ])('runs it %s', async (_where, at, expected) => {
      const app = createApp()
      fill(app, false)
      const list: AnyController[] = [...toControllers(app).controllers]
      list.splice(at, 0, create(calls))
      const send = await serve(list, app)
      expect((await send({ target: '/in/x?q=1' })).body).toContain('three')
      expect(calls.map((one) => one.replace('?q=1', ''))).toEqual(expected)
    })

    it('runs it behind the last, once the app has passed the request on', async () => {
      const app = createApp()
      app.get('/in/x', note('app'))
      const own = new Controller('GET', '/:a/x', (_req, res) => res.json('own'))
      const send = await serve([...toControllers(app).controllers, own], app)
      expect((await send({ target: '/in/x' })).body).toBe('"own"')
      expect(calls).toEqual(['app'])
    })

    it('runs it between two, one of which has the same path', async () => {
      const app = createApp()
      app.get('/a', note('a'))
      app.get('/:b', say('b'))
      const list: AnyController[] = [...toControllers(app).controllers]
      const own = (path: string, name: string) => new Controller('GET', path, fromExpress(note(name)))
      list.splice(1, 0, own('/:b', 'first'), own('/a', 'second'))
      const send = await serve(list, app)
      expect((await send({ target: '/a' })).body).toBe('b')
      expect(calls).toEqual(['a', 'first', 'second', 'b'])
    })

    it('runs it between the two mounts of one router, and behind both', async () => {
      const app = createApp()
      const router = express.Router()
      router.get('/x', (req: any, res: any, next: () => void) =>
        req.query.on === undefined ? res.end(`router at ${req.baseUrl}`) : next(),
      )
      app.use('/a', router)
      app.use('/b', router)
      const [a, b] = toControllers(app).controllers
      const own = (path: string, name: string) => new Controller('GET', path, () => name)
      const behind = await serve([a!, b!, own('/b/*', 'own')], app)
      expect((await behind({ target: '/b/x' })).body).toBe('router at /b')
      expect((await behind({ target: '/b/x?on' })).body).toBe('own')
      const between = await serve([a!, own('/b/*', 'own'), own('/a/*', 'second'), b!], app)
      expect((await between({ target: '/a/x' })).body).toBe('router at /a')
      expect((await between({ target: '/a/x?on' })).body).toBe('second')
      expect((await between({ target: '/b/x' })).body).toBe('own')
    })

    it('runs it where it is listed among the mounts of a router that stands twice at one path', async () => {
      const app = createApp()
      const router = express.Router()
      const pass = (req: any, res: any, next: () => void) =>
        req.query.on === undefined ? res.end('router') : next()
      router.route('/x').get(pass).post(pass)
      app.use('/a', router)
      app.use((req: any, res: any, next: () => void) => (req.query.key ? next() : res.end('guard')))
      app.use('/a', router)
      const list = toControllers(app, { middleware: true }).controllers
      const own = new Controller('GET', '/own', () => 'own')
      for (const at of [2, 4]) {
        const send = await serve([...list.slice(0, at), own, ...list.slice(at)], app)
        expect((await send({ target: '/a/x' })).body).toBe('router')
        expect((await send({ target: '/own' })).body).toBe('guard')
        expect((await send({ target: '/own?key=1' })).body).toBe('own')
      }
    })

    it('runs several behind the last route in the order of the list, before what no route answers', async () => {
      const app = createApp()
      app.get(version === 4 ? '*' : '/{*all}', note('all'))
      app.use(say('behind'))
      const list: AnyController[] = [...toControllers(app, { middleware: true }).controllers]
      const own = (name: string) => new Controller('GET', '/a', fromExpress(note(name)))
      list.splice(1, 0, own('first'), own('second'))
      const send = await serve(list, app)
      expect((await send({ target: '/a' })).body).toBe('behind')
      expect(calls).toEqual(['all', 'first', 'second', 'behind'])
    })

    it('refuses it between two that stand in one router, naming all three', () => {
      const app = createApp()
      fill(app, true)
      const [one, three] = toControllers(app).controllers
      const own = new Controller('GET', '/own', () => 'own')
      expect(() => new RouteControllers([one!, own, three!], { profile: fromApp(app) })).toThrow(
        expect.objectContaining({
          code: 'ERR_CONTROLLER_ORDER',
          message: expect.stringContaining(
            `GET /own stands between GET ${shown('/:in')}/x and GET ${shown('/:in')}/x`,
          ),
        }),
      )
    })
  })

  it('leaves what no route answers to the app, untouched', async () => {
    const app = createApp()
    app.use(note('first'))
    app.get('/x', say('route'))
    app.use((req: any, res: any) =>
      res.end([req.url, req.baseUrl, req.app === app, Object.keys(req).includes('app')].join(' ')),
    )
    const send = await serve([...toControllers(app).controllers], app, app)
    expect((await send({ target: '/y' })).body).toContain('/y  true false')
    expect(calls).toEqual(['first'])
  })

  it('gives an error to the error handlers behind its layer, and what they leave to the profile', async () => {
    const app = createApp()
    const names =
      (name: string) =>
      (error: Error, _req: unknown, _res: unknown, next: (error: Error) => void): void => {
        calls.push(`${name}: ${error.message}`)
        next(error)
      }
    app.use(names('before'))
    app.get('/x', () => {
      throw Object.assign(new Error('no tea'), { status: 418 })
    })
    app.use('/y', names('elsewhere'))
    app.use('/x', names('behind'))
    const send = await serve([...toControllers(app).controllers], app)
    const theirs = await serveApp(app)
    expect(await send({})).toEqual(await theirs({}))
    expect(calls).toEqual(['behind: no tea', 'behind: no tea'])
  })

  it('shows a mounted app as req.app, with its settings, for as long as a request is in it', async () => {
    const app = createApp().disable('x-powered-by')
    const mounted = express().set('title', 'inner').set('etag', false)
    mounted.locals['name'] = 'inner'
    const tell = (req: any, res: any): void =>
      res.end([req.app === mounted, req.app.get('title'), res.app.locals.name, req.app.mountpath].join(' '))
    mounted.get('/leave', (_req: any, _res: any, next: (signal: string) => void) => next('router'))
    mounted.get('/', tell)
    app.set('title', 'outer')
    app.use('/in', mounted)
    app.use(tell)
    const send = await serve([...toControllers(app, { middleware: true }).controllers], app)
    const theirs = await serveApp(app)
    for (const target of ['/in', '/in/leave', '/out', '/in/nothing']) {
      expect([target, await send({ target })]).toEqual([target, await theirs({ target })])
    }
  })

  it('has the members that the app has given its requests and responses', async () => {
    const app = createApp()
    app.request.shout = function (this: { url: string }) {
      return this.url.toUpperCase()
    }
    app.response.reply = function (this: { end(text: string): void }, text: string) {
      this.end(`reply: ${text}`)
    }
    const mounted = express()
    ;(mounted.response as any).reply = app.response.reply.bind({})
    ;(mounted.response as any).reply = function (this: { end(text: string): void }, text: string) {
      this.end(`mounted: ${text}`)
    }
    mounted.get('/', (req: any, res: any) => res.reply(req.shout()))
    app.get('/x', (req: any, res: any) => res.reply(req.shout()))
    app.use('/in', mounted)
    const send = await serve([...toControllers(app, { middleware: true }).controllers], app)
    const theirs = await serveApp(app)
    for (const target of ['/x', '/in?q']) expect(await send({ target })).toEqual(await theirs({ target }))
  })

  it('calls a router that is mounted in itself as the function that it is', async () => {
    const app = createApp()
    const router = express.Router()
    router.get('/end', say('end'))
    router.use('/again', note('round'), router)
    app.use(router)
    const { controllers, left } = toControllers(app, { middleware: true })
    expect(left).toEqual([])
    const send = await serve([...controllers], app)
    expect((await send({ target: '/again/again/end' })).body).toContain('end')
    expect(calls).toEqual(['round', 'round', 'end'])
  })

  it('runs a guard whose way of matching somebody has replaced, for every path', async () => {
    const app = createApp()
    app.use('/elsewhere', (_req: unknown, res: any) => res.end('guarded'))
    const [guard] = (app._router ?? app.router).stack.slice(-1)
    const { match } = guard
    guard.match = () => {
      const found = match.call(guard, '/elsewhere')
      if (found === true) guard.path = ''
      return found === true ? true : { ...found, path: '' }
    }
    app.get('/x/:id', say('x'))
    const { controllers, left } = toControllers(app, { middleware: true })
    expect(left).toEqual([])
    const send = await serve([...controllers], app)
    const sendToApp = await serveApp(app)
    expect((await sendToApp({ target: '/x/1' })).body).toBe('guarded')
    expect((await send({ target: '/x/1' })).body).toBe('guarded')
    expect(calls).toEqual([])
  })

  it('runs a guard whose path has slashes before what may be left out', async () => {
    const app = createApp()
    const [path, target] = version === 4 ? ['/a//:x?', '/a/'] : ['/a//{b}', '/a//']
    app.all(path, (_req: unknown, res: any) => res.status(401).end('denied'))
    app.use('/a', say('secret'))
    const send = await serve([...toControllers(app, { middleware: true }).controllers], app)
    const sendToApp = await serveApp(app)
    expect((await sendToApp({ target })).body).toBe('denied')
    expect((await send({ target })).body).toBe('denied')
  })

  it('runs a guard whose path says by a sign how often its slash is there', async () => {
    if (version === 5) return
    for (const [path, target] of [
      ['/a/{0,1}b', '/ab'],
      ['/a/?b', '/ab'],
      ['/a/+b', '/a//b'],
      ['/a|/b', '/b'],
    ] as const) {
      const app = createApp()
      app.all(path, (_req: unknown, res: any) => res.status(401).end('denied'))
      app.use(say('secret'))
      const send = await serve([...toControllers(app, { middleware: true }).controllers], app)
      const sendToApp = await serveApp(app)
      expect([path, (await sendToApp({ target })).body]).toEqual([path, 'denied'])
      expect([path, (await send({ target })).body]).toEqual([path, 'denied'])
    }
  })

  it('runs twenty thousand layers, and as many handlers of a route, without an overflow of the stack', async () => {
    const app = createApp()
    for (let layer = 0; layer < 20_000; layer++)
      app.use((_req: unknown, _res: unknown, next: () => void) => next())
    const handlers = Array.from(
      { length: 20_000 },
      () => (_req: unknown, _res: unknown, next: () => void) => next(),
    )
    app.get('/x', ...handlers, say('through'))
    const send = await serve([...toControllers(app).controllers], app)
    // Express 4.17 knows no guard against that itself.
    const isGuarded = testedExpress?.express !== '4.17.3' || version === 5
    expect((await send({})).body).toContain(isGuarded ? 'through' : 'Internal Server Error')
  })
})

describeServings('the Controllers of an app', ({ serve }) => {
  it.each([
    [4, express4],
    [5, express5],
  ] as const)(
    'answer as the app does that they were made of, which is one of Express %i',
    async (_version, express) => {
      const app = express()
      const router = express.Router({ mergeParams: true })
      router.param('id', (req, _res, next, id) => {
        ;(req as { loaded?: string }).loaded = `user ${id}`
        next()
      })
      router.use((_req, res, next) => {
        res.setHeader('X-Passed', 'router')
        next()
      })
      router.get('/:id', (req, res) => {
        const { url, baseUrl, originalUrl, params, query } = req
        res.json({ url, baseUrl, originalUrl, params, query, loaded: (req as { loaded?: string }).loaded })
      })
      router.post('/:id', (req, res) => void res.status(201).json(req.body))
      app.use(express.json())
      app.use('/teams/:team', router)
      app.use((req, res) => void res.status(404).json({ missed: req.url }))
      const { controllers } = toControllers(app, { middleware: true })
      const { send } = await serve(controllers, { profile: fromApp(app) })

      const found = await send('/teams/tea/7?q=1')
      expect(found.headers['x-passed']).toBe('router')
      expect(found.json()).toEqual({
        url: '/7?q=1',
        baseUrl: '/teams/tea',
        originalUrl: '/teams/tea/7?q=1',
        params: { team: 'tea', id: '7' },
        query: { q: '1' },
        loaded: 'user 7',
      })
      const headers = { 'content-type': 'application/json' }
      const posted = await send('/teams/tea/7', { method: 'POST', headers, body: '{"name":"Ada"}' })
      expect([posted.status, posted.text]).toEqual([201, '{"name":"Ada"}'])
      const missed = await send('/nothing')
      expect([missed.status, missed.text]).toEqual([404, '{"missed":"/nothing"}'])
    },
  )
})

describe('toControllers', () => {
  it.each([undefined, null, {}, () => {}, { stack: [] }, 'app'])('refuses %p', (value) => {
    expect(() => toControllers(value)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
    expect(() => fromApp(value as never)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
  })

  it.each([
    [
      { middlewares: true },
      'toControllers has no option "middlewares"; it has only, except, middleware, onStale',
    ],
    [{ middleware: 'yes' }, 'toControllers: middleware is true or false'],
  ])('refuses the options %p', (options, message) => {
    expect(() => toControllers(express5(), options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID', message: expect.stringContaining(message) }),
    )
  })

  it('needs a profile', () => {
    const app = express5()
    app.get('/x', (_req, res) => void res.end())
    const { controllers } = toControllers(app)
    expect(() => new RouteControllers(controllers)).toThrow(
      expect.objectContaining({ code: 'ERR_PATTERN_INVALID' }),
    )
  })
})
