import { compileFunction } from 'node:vm'
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import {
  type AppControllers,
  express4 as profile4,
  express5 as profile5,
  expressPath,
  fromApp,
  fromExpress,
  toControllers,
} from 'routecontrollers/express'
import {
  checkMigration,
  createLock,
  formatLock,
  inspect,
  parseLock,
  recordRegistrations,
} from '@routecontrollers/cli'
import { inventoryText } from '../../packages/cli/src/report/text.js'
import { currentRecorder } from '../../packages/cli/src/inspect/record.js'
import type { Answerer, RouteRow } from '../../packages/cli/src/documents/inventory.js'
import { findInterceptors, findProblems } from '../../packages/cli/src/inspect/findings.js'
import { lockVersion } from '../../packages/cli/src/check/lock.js'
import { createListener } from '../../src/run/listener.js'
import { keepReading } from './keep-reading.js'
import { type Given, row } from './written-rows.js'

keepReading()

function guard(_req: any, _res: any, next: () => void): void {
  next()
}
const end = (_req: any, res: any): void => res.end()
const rowsOf = (app: unknown): string[] =>
  inspect(app).routes.map(({ method, path, witness, own, passes }) =>
    [method, path, witness, own.by, ...passes.map(({ name }) => name)].join(' '),
  )

describe.each([
  ['express4', '/files/:id?', '/files/', '/files.:id', express4],
  ['express5', '/files{/:id}', '/files', '/files.:id', express5],
] as const)(
  'inspect(routeControllers) with the profile %s',
  (profile, optional, path, dotted, express: any) => {
    it('reads the table of the engine by the grammar and the mounts of its version', () => {
      const profileOf = { express4: () => profile4({ express }), express5: () => profile5({ express }) }
      const controllers = [optional, dotted].map(
        (one) => new Controller('GET', expressPath(one), () => 'files'),
      )
      const routeControllers = new RouteControllers(controllers, { profile: profileOf[profile]() })
      expect(rowsOf(routeControllers)).toEqual([
        `GET ${optional} ${path} Controller`,
        `GET ${dotted} /files.id-1 Controller`,
      ])
    })
  },
)

describe.each([
  [4, express4],
  [5, express5],
] as const)('inspect(app) of Express %d', (version, express: any) => {
  it('reads an app and a router that stand in a route, where they get the whole path', () => {
    const app = express()
    const router = express.Router()
    router.get('/shop', end)
    const other = express()
    other.get('/app', end)
    app.get('/shop', guard, router)
    app.get('/app', guard, other)
    const rows = inspect(app).routes.map(({ path, own, passes }) => [
      path,
      own.name,
      ...passes.map(({ name }) => name),
    ])
    expect(rows).toEqual([
      ['/shop', 'guard'],
      ['/shop', 'end', 'guard'],
      ['/app', 'guard'],
      ['/app', 'end', 'guard'],
    ])
  })

  it('reads an app that nobody has recorded', () => {
    const app = express()
    const sub = express()
    const router = express.Router({ mergeParams: true })
    router.param('id', guard)
    router.route('/:id').all(guard).get(end).post(end)
    sub.use('/:tenant', router)
    app.use('/v1', guard, sub)
    expect(rowsOf(app)).toEqual([
      '* /v1/:tenant/:id /v1/tenant-1/id-1 Express guard guard',
      'GET /v1/:tenant/:id /v1/tenant-1/id-1 Express guard guard guard',
      'POST /v1/:tenant/:id /v1/tenant-1/id-1 Express guard guard guard',
    ])
    expect([...inspect(app).routes[1]!.params].sort()).toEqual(['id', 'tenant'])
  })

  it('has a row for each path of a list, however deep that is', () => {
    const path = ['/a', ['/b', ['/c', ['/d']]]] as unknown as string[]
    const ours = new Controller('GET', expressPath(path), fromExpress(end))
    const profile = version === 4 ? profile4({ express }) : profile5({ express })
    const rows = ['/a', '/b', '/c', '/d'].map((one) => `GET ${one} ${one}`)
    expect(rowsOf(express().get(path, end))).toEqual(rows.map((one) => `${one} Express`))
    expect(rowsOf(new RouteControllers([ours], { profile }))).toEqual(rows.map((one) => `${one} Controller`))
  })

  it('finds no interceptor where no request is known', () => {
    const { findings } = inspect(
      express()
        .get(/^\/(?!x)(?=y)z$/, guard)
        .get('/x', guard),
    )
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['no-witness', '/^\\/(?!x)(?=y)z$/'],
      ['interceptor', '/x'],
    ])
  })

  it('takes the handler that keeps its request for the answer, where functions of all methods follow it', () => {
    const app = express()
    function login(_req: any, _res: any, next: () => void): void {
      next()
    }
    app.route('/items/:item').get(guard, end).all(login).put(end)
    const { routes, findings } = inspect(app)
    const told = routes.map(({ method, own, passes, shadowed }) => [
      ...[method, own.name, shadowed, own.followed],
      ...passes.map(({ name }) => name),
    ])
    expect(told).toEqual(
      expect.arrayContaining([
        ['GET', 'end', false, true, 'guard'],
        ['PUT', 'end', false, undefined, 'login'],
        ['*', 'login', false, true],
      ]),
    )
    expect(findings.map(({ code, method }) => [code, method])).toEqual([['interceptor', '*']])
    const open = express()
    open.route('/items/:item').get(end).all(login).put(end)
    const lost = checkMigration(app, open).routes.flatMap(({ method, changes }) =>
      changes.map(({ what }) => [method, what]),
    )
    expect(lost).toEqual([['GET', 'guard']])
  })

  it('names the method that answers before a route, and not the guards of all methods beside it', () => {
    const app = express()
    app.route('/items/:item').all(guard).get(end)
    app.get('/items/:item', end)
    expect(inspect(app).routes.map(({ shadowed, answer }) => [shadowed, answer.route])).toEqual([
      [false, '* /items/:item'],
      [false, 'GET /items/:item'],
      [true, 'GET /items/:item'],
    ])
  })

  it.each<[string, (route: any) => unknown, (readonly [method: string, isFollowed: true | undefined])[]]>([
    [
      'of another method',
      (route) => route.get(end).post(end),
      [
        ['GET', undefined],
        ['POST', undefined],
      ],
    ],
    [
      'of all methods',
      (route) => route.get(end).all(end),
      [
        ['GET', undefined],
        ['*', undefined],
      ],
    ],
    [
      'of a method behind all',
      (route) => route.all(end).get(end),
      [
        ['*', true],
        ['GET', undefined],
      ],
    ],
    ['of the same method', (route) => route.get(guard).get(end), [['GET', undefined]]],
  ])('says which handlers others of their route follow: %s', (_which, register, followed) => {
    const app = express()
    register(app.route('/teas'))
    const told = inspect(app).routes.map(({ method, own }) => [method, own.followed])
    expect(told.sort()).toEqual([...followed].sort())
  })

  it.each<[string, (handler: any) => any]>([
    ['a promise', (fn) => (req: any, res: any, next: any) => Promise.resolve(fn(req, res, next)).catch(next)],
    [
      'its own promise',
      (fn) => (req: any, res: any, next: any) => fn(req, res, next).catch((e: any) => next(e)),
    ],
    [
      'a function',
      (fn) =>
        function wrapped(req: any, res: any, next: any) {
          return Promise.resolve(fn(req, res)).catch(next)
        },
    ],
    [
      'await',
      (fn) => async (req: any, res: any, next: any) => {
        try {
          await fn(req, res, next)
        } catch (error) {
          next(error)
        }
      },
    ],
    [
      'all arguments',
      (fn) =>
        (...args: any[]) =>
          fn(...args).catch(args[2]),
    ],
    [
      'all arguments and a promise',
      (fn) =>
        (...args: any[]) => {
          void Promise.resolve(fn(...args)).catch(args[args.length - 1])
        },
    ],
    [
      'express-async-handler',
      (fn) =>
        function asyncUtilWrap(...args: any[]) {
          const fnReturn = fn(...args)
          const next = args[args.length - 1]
          return Promise.resolve(fnReturn).catch(next)
        },
    ],
  ])('counts a wrapper of async handlers, by %s, as the handler that it wraps', (_what, asyncHandler) => {
    const app = express()
    const show = async (_req: any, res: any): Promise<void> => res.json({})
    const mayLetOn = async (req: any, res: any, next: any): Promise<void> =>
      req.user ? res.json({}) : next()
    app.route('/a').get(guard, asyncHandler(show)).all(end)
    app.route('/b').get(guard, asyncHandler(mayLetOn)).all(end)
    app
      .route('/c')
      .get(guard, asyncHandler(asyncHandler(show)))
      .all(end)
    const rows = inspect(app).routes.filter(({ method }) => method === 'GET')
    expect(rows.map(({ own, passes }) => [own.name === 'end', passes.length])).toEqual([
      [false, 1],
      [true, 2],
      [false, 1],
    ])
  })

  it('keeps what may be a guard, where a function of all methods answers behind it', () => {
    const app = express()
    const verify = (_req: any, _res: any, next: (error?: unknown) => void): void => {
      const done = (error?: unknown): void => next(error)
      done()
    }
    app.route('/items/:item').get(guard, verify).all(end).put(end)
    const row = inspect(app).routes.find(({ method }) => method === 'GET')
    expect([row?.own.name, row?.shadowed, row?.passes.map(({ name }) => name)]).toEqual([
      'end',
      false,
      ['guard', 'verify'],
    ])
  })

  it('follows params that are named like members of Object', () => {
    const app = express()
    app.param('year', guard)
    app.get('/season/:year/:constructor', end)
    app.get('/a/:__proto__/:toString', end)
    expect(rowsOf(app)).toEqual([
      'GET /season/:year/:constructor /season/year-1/constructor-1 Express guard',
      'GET /a/:__proto__/:toString /a/__proto__-1/toString-1 Express',
    ])
  })

  describe('where layers are wrapped', () => {
    const app = (): any => {
      const whole = express()
      const router = express.Router({ mergeParams: true })
      router.use(guard)
      router.get('/:id', end)
      whole.use('/v1/:tenant', router)
      const sub = express()
      sub.get('/:id', end)
      whole.use('/sub', sub)
      return whole
    }
    const layersOf = (whole: any): any[] => (version === 4 ? whole._router : whole.router).stack.slice(-2)
    const wrap =
      (handle: any): any =>
      (...parameters: unknown[]) =>
        handle(...parameters)
    const expected = ['GET /v1/:tenant/:id /v1/tenant-1/id-1 Express guard', 'GET /sub/:id /sub/id-1 Express']

    it('by what copies the fields of a router, as express-async-errors does', () => {
      const whole = app()
      const [layer] = layersOf(whole)
      layer.handle = Object.assign(wrap(layer.handle), layer.handle)
      expect(rowsOf(whole)).toEqual(expected)
      expect(inspect(whole).findings).toEqual([])
    })

    it('by what wraps every layer: what Express 4 itself puts first is not what a request passes', () => {
      const whole = app()
      const { stack } = version === 4 ? whole._router : whole.router
      for (const layer of stack) layer.handle = Object.assign(wrap(layer.handle), layer.handle)
      const [row] = inspect(whole).routes
      expect(row?.passes.map(({ name }) => name)).toEqual(['guard'])
    })

    it('by what keeps the function in __original, as tracers do', () => {
      const whole = app()
      for (const layer of layersOf(whole))
        layer.handle = Object.assign(wrap(layer.handle), { __original: layer.handle })
      expect(rowsOf(whole)).toEqual(expected)
    })

    it('by what hides all, after it was recorded', () => {
      const stop = recordRegistrations(express)
      const whole = app()
      stop()
      for (const layer of layersOf(whole)) layer.handle = wrap(layer.handle)
      expect(rowsOf(whole)).toEqual(expected)
    })

    it('by what hides all: a finding says what cannot be seen', () => {
      const whole = app()
      for (const layer of layersOf(whole)) layer.handle = wrap(layer.handle)
      expect(inspect(whole)).toMatchObject({
        routes: [
          { kind: 'mount', path: '/v1/:tenant' },
          { kind: 'mount', path: '/sub' },
        ],
        findings: [
          { kind: 'opaque', message: expect.stringContaining('a router that is wrapped') },
          { kind: 'opaque', message: expect.stringContaining('an app that is wrapped') },
        ],
      })
    })
  })

  it('says at which line each route was registered, and leaves the traces of errors as they are', () => {
    const { stackTraceLimit } = Error
    const stop = recordRegistrations(express)
    Error.stackTraceLimit = 7
    const app = express()
    app.get('/one', end)
    app.route('/two').post(end)
    express.Router()
    app.use('/sub', express.Router().get('/three', end))
    expect(Error.stackTraceLimit).toBe(7)
    Error.stackTraceLimit = stackTraceLimit
    const { routes } = inspect(app)
    stop()
    const lines = routes.map(({ own: { at } }) =>
      Number(/^test\/migrate\/inspect\.test\.ts:(\d+)$/.exec(at!)![1]),
    )
    expect(routes.map(({ path }) => path)).toEqual(['/one', '/two', '/sub/three'])
    expect(lines.map((line) => line - lines[0]!)).toEqual([0, 1, 3])
  })

  it('remembers a hundred registrations that came after the server listened, and no more', () => {
    const stop = recordRegistrations(express)
    const recorder = currentRecorder()!
    const app = express().get('/early', end)
    expect(recorder.late).toEqual([])
    recorder.isServing = true
    for (let i = 0; i < 102; i++) app.get('/late', end)
    stop()
    expect(recorder.late).toHaveLength(100)
  })

  it('says that a path is case-sensitive, in whatever case it is written', () => {
    for (const path of ['/ABC', '/abc', '/Abc']) {
      const settings = [true, false].map((isSensitive) => {
        const app = express().set('case sensitive routing', isSensitive).get(path, end)
        return inspect(app).routes[0]!.settings.caseSensitive
      })
      expect(settings).toEqual([true, false])
    }
  })

  it('reads routes that toControllers has taken over, in front and alone', () => {
    const app = express().use(guard).get('/a/:id', end)
    const { controllers } = toControllers(app)
    const alone = new RouteControllers(controllers, { profile: fromApp(app) })
    expect(rowsOf(alone)).toEqual(['GET /a/:id /a/id-1 Controller guard'])
    expect(checkMigration(app, alone).ok).toBe(true)
  })

  it('reads what a router has beside its routes that toControllers has taken over', () => {
    const router = express.Router().use(guard).get('/', end).get('/a', end).use('/files', end)
    const { controllers } = toControllers(router, { middleware: true })
    expect(rowsOf(new RouteControllers(controllers, { profile: fromApp(express()) }))).toEqual([
      'GET / / Controller guard',
      'GET /a /a Controller guard',
      '* /files /files Controller guard end',
    ])
  })

  it('shows a path that is empty as that of its mount', () => {
    const router = express.Router().get('', end)
    expect(rowsOf(express().get('/', end).use('/in', router))).toEqual([
      'GET / / Express',
      'GET /in /in Express',
    ])
  })

  it('finds a short request for a route of all paths', () => {
    const all = version === 4 ? '*' : '/{*all}'
    const { path, witness } = inspect(express().get(all, end)).routes[0]!
    expect([path, witness]).toEqual([all, version === 4 ? '/x' : '/'])
  })

  it('lists a route with RouteControllers among its handlers as that route', () => {
    const inner = new RouteControllers([new Controller('GET', '/teas/:id', () => 'tea')])
    const app = express().all('/teas/:id', guard, inner.middleware())
    expect(inspect(app).routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['* /teas/:id'])
  })

  const shop = (): any =>
    express()
      .use(guard)
      .get('/teas/:id', end)
      .use('/files', end)
      .use('/inner', express.Router().get('/cups', end))
      .post('/orders', end)
  it.each<[string, (app: any) => AppControllers['controllers']]>([
    ['the routes of only', (app) => toControllers(app, { only: ['/teas/:id', '/inner/**'] }).controllers],
    ['what except leaves', (app) => toControllers(app, { except: ['/teas/:id'] }).controllers],
    ['some of its Controllers', (app) => toControllers(app).controllers.slice(1)],
    ['all routes', (app) => toControllers(app).controllers],
    ['all of it', (app) => toControllers(app, { middleware: true }).controllers],
  ])(
    'lists what answers where %s of an app are served alone, and check has the rest as gone',
    async (_part, take) => {
      const app = shop()
      const alone = new RouteControllers(take(app), { profile: fromApp(app) })
      const callback = alone.getCallback()
      const served: string[] = []
      const gone: string[] = []
      for (const { method, path, witnessMethod, witness } of inspect(app).routes) {
        const { status } = await callback(new Request(`http://x${witness!}`, { method: witnessMethod }))
        ;(status === 404 ? gone : served).push(`${method} ${path}`)
      }
      expect(inspect(alone).routes.map(({ method, path }) => `${method} ${path}`)).toEqual(served)
      const { routes } = checkMigration(app, alone)
      const lost = routes.filter(({ changes }) => changes.some(({ kind }) => kind === 'gone'))
      expect(lost.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(gone.sort())
    },
  )

  it.each(['/', '/in'])('reads an app that what has taken it over stands in, at %s', (path) => {
    const app = express().get('/a', guard, end)
    const { controllers } = toControllers(app)
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    app.use(path, routeControllers.middleware())
    const below = path === '/' ? '/a Express' : '/in/a Controller'
    const [first, second] = inspect(app).routes
    expect([first, second].map((row) => `${row!.path} ${row!.answer.by}`)).toEqual(['/a Express', below])
    expect(rowsOf(routeControllers)).toEqual(['GET /a /a Controller guard'])
    app.get('/b', end)
    routeControllers.processAllControllers()
    expect(rowsOf(routeControllers)).toEqual(['GET /a /a Controller guard', 'GET /b /b Controller'])
  })

  it('lists below its path what only takes of an app in front of other things, once it is registered', () => {
    const app = shop()
    const { controllers } = toControllers(app, { only: ['/inner/**'] })
    app.get('/inner/later', end)
    const part = new RouteControllers(controllers, { profile: fromApp(app) })
    expect(rowsOf(express().use('/shop', part.middleware()).get('/own', end))).toEqual([
      'GET /shop/inner/cups /shop/inner/cups Controller guard',
      'GET /shop/inner/later /shop/inner/later Controller guard',
      'GET /own /own Express',
    ])
  })

  it('lists what stands behind RouteControllers, which their hooks are no part of', () => {
    const front = new RouteControllers([new Controller('GET', '/own', () => 'own')])
    front.addGlobal(function hook(_req, _res, next) {
      next()
    })
    const served = createListener(front.getCallback(), { fallback: shop() })
    expect(rowsOf(served)).toEqual([
      'GET /own /own Controller hook',
      'GET /teas/:id /teas/id-1 Express guard',
      '* /files /files Express guard end',
      'GET /inner/cups /inner/cups Express guard',
      'POST /orders /orders Express guard',
    ])
  })

  it('lists what stands behind a fetch handler of which nothing is known', () => {
    const served = createListener(() => new Response('none'), { fallback: express().get('/own', end) })
    // That may answer any request.
    expect(inspect(served).routes).toMatchObject([{ path: '/own', witness: undefined }])
  })

  it('finds a request for a function of use that a route leaves other methods alone', () => {
    const all = version === 4 ? '*' : '/{*all}'
    const app = express().use('/any', end).get(all, end).use(express.static('test'))
    const mounts = inspect(app).routes.filter(({ kind }) => kind === 'mount')
    expect(mounts.map(({ path, witnessMethod, witness }) => [path, witnessMethod, witness])).toEqual([
      ['/any', 'GET', '/any'],
      ['/', 'POST', '/'],
    ])
  })

  it('names the route of GET as the one that answers HEAD', () => {
    const app = express()
    app.get('/a', end)
    app.head('/a', end)
    const { shadowed, answer } = inspect(app).routes.at(-1)!
    expect([shadowed, answer.route]).toEqual([true, 'GET /a'])
  })

  it('lists an error handler where a route may be at its path', () => {
    if (version === 5) return
    const failed = (_error: any, _req: any, _res: any, next: any): void => next()
    const app = express().get('/tea(s)?', end).get('/(t)?eas', end).get('/teapots', end).use('/teas', failed)
    const handlers = inspect(app).routes.map(({ path, errorHandlers }) => [path, errorHandlers.length])
    expect(handlers).toEqual([
      ['/tea(s)?', 1],
      ['/(t)?eas', 1],
      ['/teapots', 0],
    ])
  })

  it('has what each of many routes passes', () => {
    const app = express()
    for (let at = 0; at < 60; at++) app.get(`/teas/${at}`, end)
    app.use('/cups', guard)
    for (let at = 0; at < 60; at++) app.get(`/cups/${at}`, end)
    const passed = inspect(app).routes.map(({ path, passes }) => [path.split('/')[1], passes.length])
    expect(new Set(passed.map(String))).toEqual(new Set(['teas,0', 'cups,1']))
  })

  it('shows a function of use at the path through all routers, and in a route at its own', () => {
    const inner = express.Router().use('/files', express.static('test')).get('/', end)
    const app = express()
      .use('/', express.Router().use('/deep', inner))
      .get('/teas/:id', express.Router().use('/teas/7', express.static('test')))
    const paths = inspect(app).routes.map(({ kind, path }) => `${kind} ${path}`)
    expect(paths).toEqual(['mount /deep/files', 'route /deep', 'route /teas/:id', 'mount /teas/7'])
  })

  it('finds paths that regular expressions and checked params ask for', () => {
    const app = express().get(/^\/r\/(\d{4})-(?:a|b)$/, end)
    if (version === 4) app.get('/n/:day(\\d+-\\d+-\\d+)', end).get('/o/:one?', end).get('/files/*', end)
    else app.get('/o{/:one}', end).get('/files/*path', end).get('/q/:"a b"', end)
    for (const { witness } of inspect(app).routes) expect(witness).toMatch(/^\//)
    expect(inspect(app).findings).toEqual([])
  })
})

describe('inspect', () => {
  it('takes a router, RouteControllers, its middleware, and several', () => {
    const router = express5.Router().get('/r', end) as unknown
    const list = [new Controller('*', '*', () => 'any'), new Controller('GET', '/c/*rest', () => 'c')]
    const routeControllers = new RouteControllers(list, { logger: { info() {}, warn() {}, error() {} } })
    expect(rowsOf([router, routeControllers, routeControllers.middleware()])).toEqual([
      'GET /r /r Express',
      '* * /any-1 Controller',
      'GET /c/*rest /c/rest-1 Controller',
      '* * /any-1 Controller',
      'GET /c/*rest /c/rest-1 Controller',
    ])
  })

  it.each([undefined, null, 7, {}, () => {}])('refuses %p', (app) => {
    expect(() => inspect(app)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
  })

  it('lists error middleware behind a route alone where its requests may come there', () => {
    const onError = (name: string): any =>
      Object.defineProperty((_error: any, _req: any, _res: any, next: any) => next(), 'name', { value: name })
    const answer = (_req: any, res: any): void => res.end()
    const app = express5()
      .get('/', answer)
      .get('/users/:id', answer)
      .get('/Admin/users', answer)
      .get('/:any/users', answer)
      .get('/files/*path', answer)
      .use('/static', express5.static('test'))
      .use('/admin', onError('ofAdmin'))
      .use('/users/:id/more', onError('ofMore'))
      .use('/static/a', onError('ofStatic'))
      .use(['/files/a', '/other'], onError('ofList'))
      .use(onError('ofAll'))
    const handlers = inspect(app).routes.map(({ path, errorHandlers }) => [
      path,
      ...errorHandlers.map(({ name }) => name),
    ])
    expect(handlers).toEqual([
      ['/', 'ofAll'],
      ['/users/:id', 'ofList', 'ofAll'],
      ['/Admin/users', 'ofAdmin', 'ofAll'],
      ['/:any/users', 'ofAdmin', 'ofList', 'ofAll'],
      ['/files/*path', 'ofList', 'ofAll'],
      ['/static', 'ofStatic', 'ofList', 'ofAll'],
    ])
  })

  it('refuses a wrong option, recordRegistrations anything but Express, and a lock of another version is none', () => {
    const code = { code: 'ERR_OPTION_INVALID' }
    expect(() => inspect(express5(), { rot: '.' } as never)).toThrow(expect.objectContaining(code))
    expect(() => inspect(express5(), { root: 7 } as never)).toThrow(expect.objectContaining(code))
    expect(() => recordRegistrations({})).toThrow(TypeError)
    for (const none of [{ version: lockVersion + 1, routes: [] }, undefined, null]) {
      expect(() => checkMigration(none, express5())).toThrow(expect.objectContaining(code))
    }
  })

  it('goes on behind a Controller that passes its request on, and stops at what cannot be decoded', () => {
    const list = [
      new Controller('GET', '/a/:id', fromExpress(guard)),
      new Controller('GET', '/a/:any', fromExpress(guard, end)),
    ]
    const app = express5().use(new RouteControllers(list, { profile: profile5() }).middleware())
    expect(rowsOf(app)).toEqual([
      'GET /a/:id /a/id-1 Controller',
      'GET /a/:any /a/any-1 Controller guard guard',
    ])
  })

  it('gives a lock that can be written and read', () => {
    const lock = createLock(inspect(express5().use('/b', guard).get('/b', end).get('/a', end)))
    expect(parseLock(formatLock(lock))).toEqual(lock)
    expect(lock.routes.map(({ path }) => path)).toEqual(['/a', '/b'])
    expect(
      checkMigration(lock, express5().get('/a', end)).routes.map(({ path, changes }) => [
        path,
        changes[0]?.kind,
      ]),
    ).toEqual([['/b', 'gone']])
  })
})

it('A Controller of a method that Node does not have is a finding, which says that no request reaches it', () => {
  const list = ['GTE', '*', 'PROPFIND', 'M-SEARCH'].map(
    (method) => new Controller(method, '/a', () => 'hello'),
  )
  const found = inspect(new RouteControllers(list)).findings.filter(({ code }) => code === 'unknown-method')
  expect(found.map(({ method, path, message }) => [method, path, message])).toEqual([
    ['GTE', '/a', expect.stringContaining('a server of Node answers 400 to the method GTE')],
  ])
})

it.each([
  ...['serve-static', 'serve-index', 'express-static-gzip', 'sirv', 'st'].map(
    (name) => [name, true] as const,
  ),
  ...['http-proxy-middleware', 'express-http-proxy'].map((name) => [name, true] as const),
  ...['stats', 'not-sirv', 'helmet'].map((name) => [name, false] as const),
])('Middleware of the package %s answers by itself, also as it calls next(): %j', (name, isAnswer) => {
  const filename = `/shop/node_modules/${name}/index.js`
  const middleware = compileFunction('return function serve(req, res, next) { next() }', [], { filename })()
  const [row] = inspect(express5().use('/files', middleware)).routes
  expect([row!.kind, row!.answer.by]).toEqual(['mount', isAnswer ? 'Express' : 'middleware'])
})

it('What inspect finds of rows is told once, and of the first reason', () => {
  const at = (route: string, more: Given = {}): RouteRow => row(route, [], more)
  const shadowed = (by: Partial<Answerer>): Given => ({ shadowed: true, answer: by })
  const codesOf = (...rows: RouteRow[]): string[] =>
    findProblems(rows).map(({ code, path }) => `${code} ${path}`)
  const first = at('GET /a')
  expect(codesOf(first, at('GET /a'))).toEqual(['duplicate /a'])
  expect(codesOf(first, at('POST /a'), at('GET /b'))).toEqual([])
  // The second one is behind the first, which is no finding of its own.
  expect(codesOf(first, at('GET /a', shadowed({ by: 'Express' })))).toEqual(['duplicate /a'])
  const mount = at('* /a', { kind: 'mount' })
  expect(codesOf(mount, mount, at('* /a'), mount)).toEqual([])
  expect(codesOf(at('GET /a', shadowed({ by: 'Express', route: 'GET /*' })))).toEqual(['shadowed /a'])
  expect(codesOf(at('GET /a', shadowed({ by: 'Controller' })))).toEqual(['shadowed /a'])
  expect(codesOf(at('GET /a', shadowed({ by: 'middleware', route: undefined })))).toEqual(['unreachable /a'])
  expect(codesOf({ ...mount, ...at('* /a', { kind: 'mount', ...shadowed({ by: 'middleware' }) }) })).toEqual([
    'unreachable /a',
  ])
  expect(codesOf(at('GET /a', { witness: undefined, ...shadowed({ by: 'Express' }) }))).toEqual([
    'no-witness /a',
  ])
  expect(codesOf(at('TEA /a'), at('* /b'))).toEqual(['unknown-method /a'])
  const [found] = findProblems([at('* /a', { ...shadowed({ by: 'Express' }), witnessMethod: 'POST' })])
  expect(found).toMatchObject({ app: 0, method: '*', path: '/a', at: 'app.js:9', witness: 'POST /a' })
})

it('A route that may give its request on is told where it is reached', () => {
  const may = { mayPass: true }
  const rows = [row('GET /a', [], may), row('GET /b'), row('* /c', [], { ...may, kind: 'mount' })]
  rows.push(row('GET /d', [], { ...may, witness: undefined }))
  expect(findInterceptors(rows)).toEqual([
    { code: 'interceptor', app: 0, method: 'GET', path: '/a', at: 'app.js:9', witness: 'GET /a' },
  ])
  // One that another route answers is no interceptor, whatever it would do.
  const app = express5().get('/x', end).get('/x', guard)
  expect(inspect(app).routes.map(({ shadowed, mayPass }) => [shadowed, mayPass])).toEqual([
    [false, false],
    [true, false],
  ])
})

it.each<[string, (app: any) => unknown]>([
  ['a route', (app) => app.get('/a', end)],
  ['a route by its path', (app) => app.route('/a')],
  ['a method of such a route', (app) => app.route('/a').post(end)],
  ['a middleware', (app) => app.use(guard)],
  ['a callback of a param', (app) => app.param('id', guard)],
  ['a route of a router', () => express5.Router().get('/a', end)],
  ['a Controller', () => new Controller('GET', '/a', () => '')],
])('The time is known at which something was last registered: %s', (_what, registers) => {
  const stop = recordRegistrations(express5)
  try {
    const app = express5()
    const { lastAt } = currentRecorder()!
    const until = performance.now()
    while (performance.now() === until);
    registers(app)
    expect(currentRecorder()!.lastAt).toBeGreaterThan(Math.max(lastAt, until))
    const known = currentRecorder()!.lastAt
    // Reading a setting registers nothing.
    app.get('etag')
    expect(currentRecorder()!.lastAt).toBe(known)
  } finally {
    stop()
  }
})

it('Of a long call that gives several functions, each is told with its index', () => {
  const inventory = inspect(express5().get('/a', guard, guard, end))
  const given = `validate({ name: '${'x'.repeat(60)}' })`
  const [row] = inventory.routes
  const passes = row!.passes.map((pass, at) => ({ ...pass, argument: `${given}[${at}]` }))
  const text = inventoryText({ ...inventory, routes: [{ ...row!, passes }] }, { hasColors: false } as never)
  expect(text.match(/validate.*?(?=  |\n|$)/g)).toEqual(['validate(...)[0]', 'validate(...)[1]'])
})

it('what each route passes first is told with each where its path differs', () => {
  const app = express5().use('/a', guard).use('/b', guard).get('/a/c', end).get('/b/c', end)
  const text = inventoryText(inspect(app), { colours: false })
  expect(text).not.toContain('first:')
  expect(text.match(/middleware +guard at \S+/g)).toEqual(
    expect.arrayContaining(['middleware  guard at /a', 'middleware  guard at /b']),
  )
})

it('two apps with one route each have no duplicate, and one app with two has', () => {
  const app = express5().get('/a', end).get('/b', end)
  const [first, second] = inspect(app).routes
  const twin = { ...second!, path: '/a' }
  const codesOf = (app: number): string[] => findProblems([first!, { ...twin, app }]).map(({ code }) => code)
  expect(codesOf(0)).toEqual(['duplicate'])
  expect(codesOf(1)).toEqual([])
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('inspect(app) of Express %i', (_version, express: any) => {
  it('tells a function without a text from those that can be read', () => {
    const app = express()
    app.use(guard, guard.bind(null))
    app.get('/a', end)
    const { passes } = inspect(app).routes.find(({ path }) => path === '/a')!
    expect(passes.map(({ name, unverifiable }) => [name, unverifiable])).toEqual([
      ['guard', false],
      ['bound guard', true],
    ])
  })

  it('tells what mounted apps trust where that is not what their app trusts', () => {
    const app = express().set('trust proxy', 1)
    const [inheriting, equal, other] = [
      express(),
      express().set('trust proxy', 1),
      express().set('trust proxy', 'loopback'),
    ]
    for (const [name, one] of Object.entries({ inheriting, equal, other })) {
      one.get('/a', end)
      app.use(`/${name}`, one)
    }
    other.use('/inner', express().set('trust proxy', 2).get('/b', end))
    const settings = inspect(app).routes.map(({ path, settings: own }) => [
      path,
      own.trustProxy,
      own.mountedTrustProxy,
    ])
    expect(settings).toEqual([
      ['/inheriting/a', 1, undefined],
      ['/equal/a', 1, undefined],
      ['/other/a', 1, ['loopback']],
      ['/other/inner/b', 1, ['loopback', 2]],
    ])
  })

  it('takes a guard of all methods for one of a route that no request is known for', () => {
    const app = express()
    app.all(/^\/x/, guard)
    app.post(/^\/x/, guard)
    app.get(/^\/x(?=y)(?!.)|(?!)/, end)
    const { witness, passes } = inspect(app).routes.at(-1)!
    expect([witness, passes.map(({ name }) => name)]).toEqual([undefined, ['guard']])
  })
})
