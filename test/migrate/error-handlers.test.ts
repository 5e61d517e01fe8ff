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

async function statusOf(app: any, path = '/a'): Promise<number> {
  if (app.set !== undefined) app.set('env', 'test')
  const server = createServer(app).listen(0)
  try {
    const { port } = server.address() as AddressInfo
    return (await fetch(`http://127.0.0.1:${port}${path}`)).status
  } finally {
    server.close()
  }
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
    expect(row!.errorHandlers.map(({ name }) => name)).toEqual(['answers'])
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

  describe('and a lock', () => {
    const create = (...more: any[]): any =>
      express()
        .use(logger, ...more)
        .get('/a', auth, secret)
    const lockOf = (app: unknown): Lock => parseLock(formatLock(createLock(inspect(app))))

    it('keeps it, and how many functions lead to it', () => {
      const lock = lockOf(create(letOn))
      expect(lock.version).toBe(4)
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
})
