// Error handlers that stand between a guard and what it guards: one that calls `next()` lets on what the guard has refused.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import {
  express4 as profile4,
  express5 as profile5,
  fromApp,
  fromExpress,
  fromRouter,
  native,
  toControllers,
} from 'routecontrollers/express'
import {
  type Change,
  checkMigration,
  createLock,
  formatLock,
  inspect,
  type Lock,
  parseLock,
  recordRegistrations,
} from '@routecontrollers/cli'
import { createListener } from '../../src/run/listener.js'
import { keepReading } from './keep-reading.js'

keepReading()

const silent = { info() {}, warn() {}, error() {} }

type Next = (error?: unknown) => void

function logger(_req: any, _res: any, next: Next): void {
  next()
}
function auth(req: any, _res: any, next: Next): void {
  if (req.headers.user === undefined) return next(Object.assign(new Error('No'), { status: 401 }))
  next()
}
function letOn(_error: any, _req: any, _res: any, next: Next): void {
  next()
}
function answers(error: any, _req: any, res: any, _next: Next): void {
  res.status(error.status ?? 500).send('refused')
}
function secret(_req: any, res: any): void {
  res.statusCode = 200
  res.end('SECRET')
}

const others = { answers: (error: any, _req: any, res: any, _next: Next) => void res.end(error.stack) }

async function ask(app: any, method: string, path: string): Promise<number> {
  if (app.set !== undefined) app.set('env', 'test')
  const server = createServer(app.getCallback === undefined ? app : createListener(app.getCallback(), {}))
  server.listen(0)
  try {
    const { port } = server.address() as AddressInfo
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status
  } finally {
    server.close()
  }
}

function statusOf(app: unknown, path = '/a'): Promise<number> {
  return ask(app, 'GET', path)
}

/** The kinds of findings, and the functions that each says an error handler may let on. */
type Told = [kind: string, name?: string, of?: string[]]

function told({ kind, ...change }: Change): Told {
  return change.code === 'let-on' ? [kind, change.pass.name, change.of.map(({ name }) => name)] : [kind]
}

function found(before: unknown, now: unknown): Told[] {
  return checkMigration(before, now).routes.flatMap(({ changes }) => changes.map(told))
}

/** The error handlers in what requests pass, with how many functions each may get an error of. */
function handlersOf(app: unknown, at = 0): [name: string, catches: number | undefined][] {
  return inspect(app).routes[at]!.passes.flatMap(({ kind, name, catches }) =>
    kind === 'error' ? [[name, catches]] : [],
  )
}

describe.each([
  [4, express4],
  [5, express5],
] as const)('Express %d: an error handler between a guard and a route', (version, express: any) => {
  let end: () => void
  beforeAll(() => {
    end = recordRegistrations(express)
  })
  afterAll(() => end())

  const profile = () => (version === 4 ? profile4 : profile5)({ express })
  const serving = (list: AnyController[], hooks: [hook: any, options?: object][], isOwn = false): any => {
    const options = { logger: silent, ...(!isOwn && { profile: profile() }) }
    const routeControllers = new RouteControllers(list, options)
    for (const [hook, given] of hooks) routeControllers.addGlobal(hook, given)
    return routeControllers
  }
  const every = { scope: 'every' }
  const none: AnyController[] = []

  it.each<[string, () => any, () => any, () => any]>([
    [
      'in the app',
      () => express().use(auth).get('/a', secret),
      () => express().use(auth).use(letOn).get('/a', secret),
      () => express().use(auth).get('/a', secret).use(letOn),
    ],
    [
      'below a path',
      () => express().use('/a', auth).get('/a', secret),
      () => express().use('/a', auth).use('/a', letOn).get('/a', secret),
      () => express().use('/a', auth).use('/b', letOn).get('/a', secret),
    ],
    [
      'in a router',
      () => express().use(express.Router().use(auth).get('/a', secret)),
      () => express().use(express.Router().use(auth, letOn).get('/a', secret)),
      () => express().use(express.Router().use(auth).get('/a', secret).use(letOn)),
    ],
    [
      'behind the router of the guard',
      () => express().use(express.Router().use(auth)).get('/a', secret),
      () => express().use(express.Router().use(auth)).use(letOn).get('/a', secret),
      () => express().use(letOn).use(express.Router().use(auth)).get('/a', secret),
    ],
    [
      'in a mounted app',
      () => express().use(express().use(auth).get('/a', secret)),
      () => express().use(express().use(auth, letOn).get('/a', secret)),
      () => express().use(express().use(auth).get('/a', secret)).use(letOn),
    ],
    [
      'within the route',
      () => express().get('/a', auth, secret),
      () => express().get('/a', auth, letOn, secret),
      () => express().get('/a', auth, secret, letOn),
    ],
    [
      'within another route before it',
      () => express().all('/a', auth).get('/a', secret),
      () => express().all('/a', auth, letOn).get('/a', secret),
      () => express().all('/a', letOn, auth).get('/a', secret),
    ],
    [
      'among the handlers of fromExpress',
      () => express().use(serving([new Controller('GET', '/a', fromExpress(auth, secret))], []).middleware()),
      () =>
        express().use(
          serving([new Controller('GET', '/a', fromExpress(auth, letOn, secret))], []).middleware(),
        ),
      () =>
        express().use(
          serving([new Controller('GET', '/a', fromExpress(auth, secret, letOn))], []).middleware(),
        ),
    ],
    [
      'among those of fromExpress without a profile',
      () =>
        express().use(
          serving([new Controller('GET', '/a', fromExpress(auth, secret))], [], true).middleware(),
        ),
      () =>
        express().use(
          serving([new Controller('GET', '/a', fromExpress(auth, letOn, secret))], [], true).middleware(),
        ),
      () =>
        express().use(
          serving([new Controller('GET', '/a', fromExpress(auth, secret, letOn))], [], true).middleware(),
        ),
    ],
    [
      'as an error hook of RouteControllers',
      () =>
        express()
          .use(serving(none, [[auth, every]]).middleware())
          .get('/a', secret),
      () =>
        express()
          .use(serving(none, [[auth, every], [letOn]]).middleware())
          .get('/a', secret),
      () =>
        express()
          .get('/a', auth, secret)
          .use(serving(none, [[letOn]]).middleware()),
    ],
    [
      'as an error hook of RouteControllers without a profile',
      () =>
        express()
          .use(serving(none, [[auth, every]], true).middleware())
          .get('/a', secret),
      () =>
        express()
          .use(
            serving(
              none,
              [
                [auth, every],
                [letOn, every],
              ],
              true,
            ).middleware(),
          )
          .get('/a', secret),
      // An error hook that is not for every request gets no error of one that no Controller answers.
      () =>
        express()
          .use(serving(none, [[auth, every], [letOn]], true).middleware())
          .get('/a', secret),
    ],
    [
      'as an error hook in front of an app',
      () =>
        createListener(serving(none, [[auth, every]]).getCallback(), {
          fallback: express().get('/a', secret),
        }),
      () =>
        createListener(serving(none, [[auth, every], [letOn]]).getCallback(), {
          fallback: express().get('/a', secret),
        }),
      () =>
        createListener(serving(none, [[auth, every]]).getCallback(), {
          fallback: express().use(letOn).get('/a', secret),
        }),
    ],
  ])(
    '%s: lets its error on, and is found; behind the route it is not',
    async (_where, before, now, behind) => {
      expect(await statusOf(before())).toBe(401)
      expect(await statusOf(now())).toBe(200)
      expect(await statusOf(behind())).not.toBe(200)
      expect(found(before(), before())).toEqual([])
      expect(found(now(), now())).toEqual([])
      const kinds = found(before(), now())
      expect(kinds).toEqual([['let-on', 'letOn', ['auth']]])
      expect(found(before(), behind()).filter(([kind]) => kind === 'let-on')).toEqual([])
    },
  )

  const logged = (): any => express().use(logger)

  it('lists it with how many functions before it may lead to it, and with where it stands', () => {
    const app = logged()
      .use('/a', auth, letOn)
      .use('/b', letOn)
      .get('/a', logger, answers, secret, letOn)
      .use(answers)
    expect(handlersOf(app)).toEqual([
      ['letOn', 2],
      ['answers', 1],
    ])
    const [row] = inspect(app).routes
    expect(row!.errorHandlers.map(({ name }) => name)).toEqual(['letOn', 'answers'])
    const [handler] = row!.passes.filter(({ kind }) => kind === 'error')
    expect(handler).toMatchObject({ mount: '/a', at: expect.stringMatching(/error-handlers\.test\.ts:\d+$/) })
  })

  it('says which functions, with place and reason', () => {
    const route = (...more: any[]): any => logged().get('/a', auth, auth, auth, ...more, secret)
    const { routes } = checkMigration(route(), route(letOn))
    const [{ changes, remedy }] = routes as [(typeof routes)[0]]
    expect(changes).toMatchObject([
      {
        code: 'let-on',
        severity: 'error',
        at: expect.stringMatching(/error-handlers\.test\.ts:\d+$/),
        what: 'letOn (...more[4]): an error handler stands now between auth, auth, auth and the route, and an error of one of them may be let on',
      },
    ])
    expect(remedy).toContain('behind the routes')
    const one = checkMigration(logged().get('/a', auth, secret), logged().get('/a', auth, letOn, secret))
    expect(one.routes[0]!.changes[0]!.what).toBe(
      'letOn: an error handler stands now between auth and the route, and an error of auth may be let on',
    )
    const many = checkMigration(
      logged().use(auth, auth, auth).get('/a', secret),
      logged().use(auth, auth, auth, letOn).get('/a', secret),
    )
    expect(many.routes[0]!.changes[0]!.what).toContain('between 1 more, auth, auth, auth and the route')
  })

  it('says nothing of error handlers at the end of each router, which no request of another one leads to', () => {
    const router = (path: string, ...more: any[]): any =>
      express
        .Router()
        .use(auth)
        .get(path, secret)
        .use(...more)
    const create = (...more: any[]): any => {
      const app = logged().use(express.json())
      for (const name of ['users', 'orders', 'files']) app.use(`/${name}`, router('/', letOn, ...more))
      return app.use('/users', letOn).get('/health', secret).use(answers)
    }
    const bare = (): any => {
      const app = logged().use(express.json())
      for (const name of ['users', 'orders', 'files']) {
        app.use(`/${name}`, express.Router().use(auth).get('/', secret))
      }
      return app.get('/health', secret)
    }
    for (const { passes } of inspect(create()).routes) {
      expect(passes.filter(({ kind }) => kind === 'error')).toEqual([])
    }
    expect(found(bare(), create())).toEqual([])
    expect(found(create(), create(answers))).toEqual([])
  })

  it('finds that of a router at / whose guard each later request passes too', () => {
    const create = (...more: any[]): any =>
      express()
        .use(
          express
            .Router()
            .use(auth)
            .get('/users', secret)
            .use(...more),
        )
        .use(express.Router().get('/orders', secret))
    expect(found(create(logger), create(logger, letOn))).toEqual([['let-on', 'letOn', ['auth', 'logger']]])
  })

  it('counts one that stands before the guard for nothing', () => {
    const create = (...more: any[]): any =>
      express()
        .use(...more, auth)
        .get('/a', secret)
    expect(found(create(), create(letOn))).toEqual([])
    expect(handlersOf(create(letOn))).toEqual([])
  })

  it('finds a guard that stands before one now, and one that its router has let out', () => {
    const before = express().use(logger, letOn, auth).get('/a', secret)
    const after = express().use(auth, logger, letOn).get('/a', secret)
    expect(found(before, after)).toEqual([['reordered'], ['let-on', 'letOn', ['auth']]])
    const within = express().use(auth).use(express.Router().use(logger, letOn)).get('/a', secret)
    const outside = express().use(auth).use(logger, letOn).get('/a', secret)
    expect(found(within, outside)).toEqual([['let-on', 'letOn', ['auth']]])
    expect(found(outside, within)).toEqual([])
  })

  it('takes one that goes for harmless, unless another one gets its errors now', () => {
    const create = (...more: any[]): any =>
      express()
        .use(auth, ...more)
        .get('/a', secret)
    const report = checkMigration(create(answers), create())
    expect(report.ok).toBe(true)
    expect(report.routes[0]!.notes).toMatchObject([{ code: 'removed', kind: 'removed', name: 'answers' }])
    expect(found(create(letOn, answers), create(letOn))).toEqual([])
    expect(found(create(answers, letOn), create(letOn))).toEqual([['let-on', 'letOn', ['auth']]])
    expect(found(create(answers, letOn), create(letOn, answers))).toEqual([
      ['reordered'],
      ['let-on', 'letOn', ['auth']],
    ])
  })

  it('stands where it stood in an app that is taken over', () => {
    const app = logged().use(express.json(), answers).use(auth).get('/a', auth, letOn, secret)
    const { controllers } = toControllers(app)
    const taken = new RouteControllers(controllers, { profile: fromApp(app), logger: silent })
    for (const now of [taken, createListener(taken.getCallback(), { fallback: app })]) {
      expect(handlersOf(now)).toEqual(handlersOf(app))
      expect(found(app, now)).toEqual([])
    }
    expect(handlersOf(app)).toHaveLength(2)
  })

  it('compares its text and what it was made with, as of any function', () => {
    const forgiving = (status: number) => (error: any, _req: any, _res: any, next: Next) =>
      next(error.status === status ? undefined : error)
    const one = express().use(auth, forgiving(404)).get('/a', secret)
    const other = express().use(auth, forgiving(401)).get('/a', secret)
    expect(found(one, other)).toEqual([['changed']])
    const renamed = express().use(auth, answers).get('/a', secret)
    expect(found(renamed, express().use(auth, letOn).get('/a', secret))).toEqual([
      ['let-on', 'letOn', ['auth']],
    ])
  })

  it('compares those before a route that no request is known for', () => {
    const create = (guards: any[], own: any[]): any =>
      express()
        .use(...guards)
        .get(/^\/a(?=b)c/, ...own)
    const bare = create([auth], [logger, secret])
    expect(inspect(bare).routes[0]!.witness).toBeUndefined()
    expect(found(bare, bare)).toEqual([])
    expect(found(bare, create([auth, letOn], [logger, secret]))).toEqual([['let-on', 'letOn', ['auth']]])
    expect(found(bare, create([auth], [logger, letOn, secret]))).toEqual([['let-on', 'letOn', ['logger']]])
    expect(found(bare, create([letOn, auth], [letOn, logger, secret, letOn]))).toEqual([])
  })

  it('lists it before such a route with the functions of its own router and of its own route alone', () => {
    const router = express
      .Router()
      .use(auth, answers)
      .get(/^\/a(?=b)c/, logger, letOn, secret)
    const app = logged().use(auth).use('/in', router)
    const { witness, passes } = inspect(app).routes.at(-1)!
    expect(witness).toBeUndefined()
    expect(passes.map(({ name, catches }) => [name, catches])).toEqual([
      ['logger', undefined],
      ['auth', undefined],
      ['auth', undefined],
      ['answers', 1],
      ['logger', undefined],
      ['letOn', 1],
    ])
  })

  it('of which nothing stands before it that answers lets on no guard of what is gone', () => {
    const create = (...more: any[]): any => express().use('/a', logger, ...more)
    // The guard alone is lost: behind an error handler there is nothing.
    expect(found(create(auth), create().use(letOn))).toEqual([['lost']])
  })

  describe('and a lock', () => {
    const create = (...more: any[]): any =>
      express()
        .use(logger, ...more)
        .get('/a', auth, secret)
    const lockOf = (app: unknown): Lock => parseLock(formatLock(createLock(inspect(app))))

    it('keeps it, and how many functions lead to it', () => {
      const lock = lockOf(create(letOn))
      expect(lock.version).toBe(5)
      expect(lock.routes[0]!.passes.map(({ kind, catches }) => [kind, catches])).toEqual([
        ['middleware', undefined],
        ['error', 1],
        ['handler', undefined],
      ])
      expect(found(lock, create(letOn))).toEqual([])
      expect(found(lock, create(letOn, letOn))).toEqual([['let-on', 'letOn', ['logger']]])
    })

    it('of an older version is read without, and finds nothing of it', () => {
      const { routes } = lockOf(create())
      for (const more of [[], [letOn]]) {
        expect(found({ version: 3, routes }, create(...more))).toEqual([])
      }
      const open = express().use(logger, letOn).get('/a', secret)
      expect(found({ version: 3, routes }, open)).toEqual([['lost']])
    })

    it('accepts it for the functions that it was found for', () => {
      const lock = createLock(inspect(create()))
      const [route] = checkMigration(lock, create(letOn)).routes
      const accepted = route!.changes.map(({ kind, finding, key }) => ({
        ...{ kind, finding, key },
        because: 'it answers',
        date: '2030-01-01',
      }))
      const agreed = { ...lock, routes: lock.routes.map((row) => ({ ...row, accepted })) }
      expect(checkMigration(agreed, create(letOn)).ok).toBe(true)
      const wider = express().use(logger).get('/a', auth, letOn, secret)
      expect(found(agreed, wider)).toEqual([['let-on', 'letOn', ['auth']]])
    })

    it.each(['1', '0', '-1', '1.5', 'null'])('is refused with a count of %s', (count) => {
      const text = formatLock(createLock(inspect(create(letOn))))
      const read = (): Lock => parseLock(text.replace('"catches": 1', `"catches": ${count}`))
      if (count === '1') expect(read().routes).toHaveLength(1)
      else expect(read).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
    })
  })

  describe('behind a route', () => {
    let met: string[] = []
    const marks = new Map<string, any>()
    /** An error handler that says when it runs, and leaves the error to the next one. */
    const mark = (name: string): any => {
      const known = marks.get(name)
      if (known !== undefined) return known
      const handler = (error: unknown, _req: any, _res: any, next: Next): void => {
        met.push(name)
        next(error)
      }
      Object.defineProperty(handler, 'name', { value: name })
      marks.set(name, handler)
      return handler
    }
    const throws = (): never => {
      throw Object.assign(new Error('No'), { status: 418 })
    }
    const passes = (_req: any, _res: any, next: Next): void => next()
    const router = (...given: unknown[]): any => express.Router(...given)
    const list = (path: string, ...hooks: [hook: any, options?: object][]): any =>
      serving([new Controller('GET', path, throws)], hooks)
    const own = (path: string, ...hooks: [hook: any, options?: object][]): any =>
      serving([new Controller('GET', path, throws)], hooks, true)
    const inFront = (routes: any, app: any): any => createListener(routes.getCallback(), { fallback: app })
    const takenOver = (app: any, only?: string[]): any => {
      const { controllers } = toControllers(app, only && { only })
      return new RouteControllers(controllers, { profile: fromApp(app), logger: silent })
    }
    const inPlace = (into: any, path: string, ...hooks: [hook: any, options?: object][]): any => {
      const profile = into.set === undefined ? fromRouter(into) : fromApp(into)
      const routeControllers = new RouteControllers([new Controller('GET', path, throws)], {
        profile,
        logger: silent,
      })
      for (const [hook, options] of hooks) routeControllers.addGlobal(hook, options)
      return into.use(routeControllers.middleware())
    }

    it.each<[string, () => any]>([
      ['in the app', () => express().use(mark('before')).get('/a', throws).use(mark('one'), mark('two'))],
      [
        'in the route, in its router, in an app around and in that around it',
        () => {
          const inner = router().get('/a', mark('early'), throws, passes, mark('route'), mark('route 2'))
          inner.get('/other', throws, mark('other route')).use(mark('inner'))
          const middle = express().use('/in', mark('before'), inner).use('/else', mark('else'))
          middle.use('/in', mark('middle'), router().use(mark('sibling')))
          return express()
            .use(mark('first'))
            .use('/app', middle)
            .use('/app/in', mark('outer'))
            .use(mark('last'))
        },
      ],
      [
        'of routers that lead to routers alone',
        () => {
          const middle = router().use('/c', router().get('/d', throws)).use(mark('middle'))
          return express()
            .use('/a', router().use('/b', middle).use(mark('outer')))
            .use(mark('app'))
        },
      ],
      [
        'of paths with params',
        () =>
          express()
            .use('/:shop', router({ mergeParams: true }).get('/:id', throws).use('/:any', mark('below')))
            .use('/:shop/:id', mark('at'))
            .use('/:shop/:id/more', mark('too deep')),
      ],
      [
        'of other cases of a path, and of one with a slash at its end',
        () => {
          const app = express()
          app.enable('case sensitive routing')
          return app
            .get('/a/b', throws)
            .use('/A', mark('upper'))
            .use('/a/', mark('lower'))
            .use('/a/b', mark('whole'))
        },
      ],
      [
        'of a part of a segment',
        () => express().get('/ab', throws).use('/a', mark('part')).use('/ab', mark('all')),
      ],
      [
        'of a list of paths',
        () => express().get(['/a', '/b'], throws).use(['/b', '/c'], mark('b')).use('/a', mark('a')),
      ],
      [
        'of a route of all methods, and of one for HEAD',
        () =>
          express()
            .all('/a', throws, mark('of all'))
            .head('/b', throws)
            .get('/b', throws, mark('of get'))
            .use(mark('app')),
      ],
      [
        'of a router among the handlers of a route',
        () =>
          express()
            .get('/a', router().get('/a', throws).use(mark('inner')), passes, mark('route'))
            .use(mark('app')),
      ],
      [
        'of a function of use',
        () => express().use('/a', mark('no'), throws).use('/a', mark('a')).use(mark('app')),
      ],
      [
        'of a native callback before a handler',
        () =>
          express()
            .get('/a', native(throws), mark('between'), secret, mark('behind'))
            .get('/b', passes, native(fromExpress(throws, mark('among'))), mark('route'))
            .use(mark('app')),
      ],
      [
        'of a list of Controllers in the app',
        () => express().use('/in', list('/a').middleware()).use('/in', mark('in')).use(mark('app')),
      ],
      [
        'of such a list with error hooks',
        () => express().use(list('/a', [mark('hook')], [passes], [mark('hook 2')]).middleware(), mark('app')),
      ],
      [
        'of a list without a profile',
        () => express().use('/in', own('/a').middleware()).use('/in', mark('in')).use(mark('app')),
      ],
      [
        'of such a list with error hooks',
        () => express().use(own('/a', [mark('hook')], [passes], [mark('hook 2')]).middleware(), mark('app')),
      ],
      [
        'of handlers of fromExpress',
        () =>
          express()
            .use(
              serving(
                [new Controller('GET', '/a', fromExpress(mark('early'), throws, mark('own')))],
                [],
              ).middleware(),
            )
            .use(
              serving(
                [new Controller('GET', '/b', fromExpress(mark('early'), throws, mark('own')))],
                [],
                true,
              ).middleware(),
            )
            .use(mark('app')),
      ],
      [
        'of Controllers in the place of routes',
        () => {
          const inner = inPlace(router().get('/x', throws), '/a', [mark('hook')]).use(mark('inner'))
          const alone = inPlace(router(), '/b').use('/b', mark('alone')).use('/c', mark('c'))
          const app = express().use('/in', inner).use('/alone', alone).use('/in', mark('in'))
          return inPlace(app, '/c').use(mark('app'))
        },
      ],
      [
        'of Controllers in front of an app',
        () => inFront(list('/a', [mark('hook')]), express().get('/b', throws).use(mark('app'))),
      ],
      [
        'of Controllers without a profile in front of an app',
        () => inFront(own('/a', [mark('hook')]), express().get('/b', throws).use(mark('app'))),
      ],
      [
        'of an app with Controllers in front, in another app',
        () =>
          express()
            .use('/in', inFront(own('/a'), express().get('/b', throws).use(mark('inner'))))
            .use(mark('app')),
      ],
      [
        'of an app that was taken over, and of a part of one',
        () => {
          const inner = router().get('/a', throws).use(mark('inner'))
          return takenOver(express().use('/in', inner).get('/b', throws, mark('own')).use(mark('app')))
        },
      ],
      [
        'of a part of an app that was taken over',
        () => {
          const app = express()
            .use('/in', router().get('/a', throws).use(mark('inner')))
            .get('/b', throws)
            .use(mark('app'))
          return inFront(takenOver(app, ['GET /in/**']), app)
        },
      ],
    ])('is told where an error leads to it: %s', async (_where, create) => {
      const app = create()
      if (app.set !== undefined) app.set('env', 'test')
      const { routes } = inspect(app)
      expect(routes.length).toBeGreaterThan(0)
      const ran: Record<string, string[]> = {}
      for (const { method, path, witness, witnessMethod } of routes) {
        met = []
        await ask(app, witnessMethod, witness!)
        ran[`${method} ${path}`] = met
      }
      const told = routes.map(({ method, path, errorHandlers }) => [
        `${method} ${path}`,
        errorHandlers.map(({ name }) => name),
      ])
      expect(Object.fromEntries(told)).toEqual(ran)
    })

    const texts = (before: unknown, now: unknown): string[] =>
      checkMigration(before, now).routes.flatMap(({ method, path, changes }) =>
        changes.map(({ kind, what }) => `${method} ${path} ${kind} ${what.replace(/ \(.*?\)/, '')}`),
      )
    const notesOf = (before: unknown, now: unknown): string[] =>
      checkMigration(before, now).routes.flatMap(({ notes }) =>
        notes.map(({ kind, what }) => `${kind} ${what}`),
      )
    const lost = 'lost answers, an error handler behind the route'
    const one = (...behind: any[]): any =>
      express()
        .get('/a', secret)
        .use(...behind)
    const open = (): any => express().get('/a', secret)
    const shop = (...behind: any[]): any =>
      express()
        .get('/a', secret)
        .use('/shop', router().get('/b', secret))
        .use('/shop', ...behind)
        .use(...behind)

    it('is lost for each route that it stood behind', () => {
      const bare = express().get('/a', secret).use('/shop', router().get('/b', secret))
      expect(texts(shop(answers), shop(answers))).toEqual([])
      expect(texts(shop(answers), bare)).toEqual([
        `GET /a ${lost}`,
        `GET /shop/b ${lost}`,
        `GET /shop/b ${lost}`,
      ])
      const { ok, routes } = checkMigration(shop(answers), bare)
      expect(ok).toBe(false)
      expect(routes[0]!.remedy).toBe('put it back, or accept it: --accept ROUTE --because REASON')
      const place = expect.stringMatching(/error-handlers\.test\.ts:\d+$/)
      const facts = { code: 'lost', severity: 'error', step: 'error', routes: 2, at: place }
      expect(routes[0]!.changes[0]).toMatchObject(facts)
    })

    it.each<[string, () => any, () => any]>([
      ['is gone from the route', () => express().get('/a', secret, answers), open],
      [
        'is gone from a router',
        () => express().use(router().get('/a', secret).use(answers)),
        () => express().use(router().get('/a', secret)),
      ],
      [
        'is gone from a mounted app',
        () => express().use(express().get('/a', secret).use(answers)),
        () => express().use(express().get('/a', secret)),
      ],
      [
        'is gone from a router of routers',
        () => express().use(router().use(router().get('/a', secret)).use(answers)),
        () => express().use(router().use(router().get('/a', secret))),
      ],
      ['stands before the route now', () => one(answers), () => express().use(answers).get('/a', secret)],
      ['has another path now', () => one(answers), () => express().get('/a', secret).use('/b', answers)],
      [
        'stands behind a route of its own router alone',
        () => one(answers),
        () => express().use(router().get('/a', secret)).use(router().use(answers)),
      ],
      [
        'stood behind a native callback',
        () => express().get('/a', native(secret as never), answers),
        () => express().get('/a', native(secret as never)),
      ],
      [
        'is no hook of the list any more',
        () => express().use(list('/a', [answers]).middleware()),
        () => express().use(list('/a').middleware()),
      ],
      [
        'stood behind a list in the app',
        () => express().use(list('/a').middleware()).use(answers),
        () => express().use(list('/a').middleware()),
      ],
      [
        'stood behind Controllers in the place of routes',
        () => inPlace(express(), '/a').use(answers),
        () => inPlace(express(), '/a'),
      ],
      [
        'stood behind a function of use',
        () => express().use('/a', secret).use(answers),
        () => express().use('/a', secret),
      ],
      [
        'stood behind a route that no request is known for',
        () =>
          express()
            .get(/^\/a(?=b)c/, secret)
            .use(answers),
        () => express().get(/^\/a(?=b)c/, secret),
      ],
    ])('is lost where it %s', (_where, before, now) => {
      expect(texts(before(), before())).toEqual([])
      expect(texts(before(), now())).toEqual([expect.stringMatching(`${lost}$`)])
    })

    it('is told of a route that no request is known for where it stands behind it, at a path of its own', () => {
      const other = (error: unknown, _req: any, _res: any, next: Next): void => next(error)
      const app = express()
        .use(other)
        .get(/^\/a(?=b)c/, secret)
        .use('/a', letOn)
        .use(answers)
      const [route] = inspect(app).routes
      expect(route!.witness).toBeUndefined()
      expect(route!.errorHandlers.map(({ name }) => name)).toEqual(['letOn', 'answers'])
      const inner = router().get(/^\/a(?=b)c/, secret)
      const mounted = inspect(express().use('/in', inner).use('/out', letOn).use('/in', answers)).routes[0]!
      expect(mounted.errorHandlers.map(({ name }) => name)).toEqual(['answers'])
    })

    it('stays where its route becomes a Controller in its place, and is lost for one in front of the app', () => {
      const before = express().get('/a', secret).use(answers)
      expect(texts(before, inPlace(express(), '/a').use(answers))).toEqual([])
      expect(texts(before, express().use(list('/a').middleware()).use(answers))).toEqual([])
      const [kept] = checkMigration(before, express().use(list('/a').middleware())).routes
      expect(kept!.remedy).toBe('put it back, or accept it: --accept ROUTE --because REASON')
      const { routes } = checkMigration(before, inFront(list('/a'), express().use(answers)))
      expect(routes[0]!.changes.map(({ what }) => what)).toEqual([
        'answers, an error handler behind the route',
      ])
      expect(routes[0]!.remedy).toBe(
        "addGlobal(answers); or toControllers(app, { only: ['GET /a'] }), which keeps them",
      )
      const hooked = list('/a')
      hooked.addGlobal(answers)
      expect(texts(before, inFront(hooked, express().use(answers)))).toEqual([])
    })

    it('stays in an app that is taken over, and is lost where it is gone from that', () => {
      const taken = (app: any): any => inFront(takenOver(app), app)
      expect(texts(shop(answers), taken(shop(answers)))).toEqual([])
      expect(texts(one(answers), taken(open()))).toEqual([`GET /a ${lost}`])
    })

    it('has changed by its text, and what it was made with', () => {
      const before = express().get('/a', secret).use(answers)
      const now = express().get('/a', secret).use(others.answers)
      expect(texts(before, now)).toEqual(['GET /a changed answers, whose text is another'])
      const made = (status: number) => (_error: any, _req: any, res: any, _next: Next) =>
        res.sendStatus(status)
      const [first, second] = [
        express().get('/a', secret).use(made(401)),
        express().get('/a', secret).use(made(500)),
      ]
      expect(texts(first, second)).toEqual(['GET /a changed made(401) to made(500)'])
    })

    it('stands in another order', () => {
      expect(texts(one(answers, letOn), one(letOn, answers))).toEqual([
        expect.stringMatching(/^GET \/a reordered .+ (?:behind|in front of) /),
      ])
    })

    it('is a note where it is added', () => {
      expect(checkMigration(open(), one(answers)).ok).toBe(true)
      expect(notesOf(open(), one(answers))).toEqual(['added answers, an error handler behind the route'])
      expect(notesOf(one(answers), one(letOn, answers))).toEqual([
        'added letOn, an error handler behind the route',
      ])
    })

    it('is not told beside what answers in the place of its route', () => {
      const covered = express().get('/:any', secret).use(express().get('/a', secret))
      expect(texts(one(answers), covered)).toEqual([
        'GET /a shadowed by GET /:any',
        'GET /a params with any',
        'GET /:any new is not in the lock',
      ])
      expect(texts(one(answers), express())).toEqual([expect.stringMatching(/^GET \/a gone /)])
    })

    describe('and a lock', () => {
      const lockOf = (app: unknown): Lock => parseLock(formatLock(createLock(inspect(app))))

      it('keeps it', () => {
        const lock = lockOf(shop(answers))
        expect(lock.routes.map(({ errorHandlers = [] }) => errorHandlers.length)).toEqual([1, 2])
        expect(texts(lock, shop(answers))).toEqual([])
        expect(
          texts(lock, express().get('/a', secret).use('/shop', router().get('/b', secret))),
        ).toHaveLength(3)
        const wrong = formatLock(lock).replace('"kind": "error"', '"kind": 7')
        expect(() => parseLock(wrong)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }))
      })

      it.each([1, 2, 3, 4] as const)('of version %i does not have it, and finds nothing of it', (older) => {
        const rowsOf = (app: unknown): any[] => lockOf(app).routes.map(({ errorHandlers: _, ...row }) => row)
        for (const now of [open(), one(answers), one(letOn, answers)]) {
          const report = checkMigration({ version: older, routes: rowsOf(open()) }, now)
          expect(report.routes).toEqual([])
        }
      })

      it('accepts it as it is found, and no other one with it', () => {
        const lock = createLock(inspect(one(answers, letOn)))
        const agreeing = (now: any): Lock => {
          const found = checkMigration(lock, now).routes
          const routes = lock.routes.map((row, at) => ({
            ...row,
            accepted: found[at]!.changes.map(({ kind, finding, key }) => ({
              ...{ kind, finding, key },
              because: 'it answers',
              date: '2030-01-01',
            })),
          }))
          return { ...lock, routes }
        }
        expect(texts(agreeing(one(letOn)), one(letOn))).toEqual([])
        expect(texts(agreeing(one(letOn)), one(answers))).toHaveLength(1)
        expect(texts(agreeing(one(letOn)), open())).toHaveLength(1)
        const guarded = express().use(answers).get('/a', secret)
        expect(texts(agreeing(guarded), open())).toEqual([])
      })
    })
  })
})
