// Guards that a move by hand loses in silence. Each case is the app as it was, and as somebody has moved a route of it.
import express5 from 'express'
import express4 from 'express4'
import request from 'supertest'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import {
  express4 as profile4,
  express5 as profile5,
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
import { keysOfRows } from '../../packages/cli/src/check/lock.js'
import { createListener } from '../../src/run/listener.js'
import { keepReading } from './keep-reading.js'

keepReading()

// Controllers that look as guards, and are none, are what some of these tests are about: each has a warning.
const silent = { info() {}, warn() {}, error() {} }

const assigned = jest.requireActual<Record<string, any>>('./apps/assigned.cjs')

type Kinds = [kind: string, what: string][]

describe.each([
  [4, express4],
  [5, express5],
] as const)('Express %d', (version, express: any) => {
  let end: () => void
  beforeAll(() => {
    end = recordRegistrations(express)
  })
  afterAll(() => end())

  const star = version === 4 ? '*' : '/{*all}'
  const profile = () => (version === 4 ? profile4 : profile5)({ express })

  function auth(_req: any, _res: any, next: () => void): void {
    next()
  }
  function owner(_req: any, _res: any, next: () => void): void {
    next()
  }
  const requireRole = (role: string) => (req: any, _res: any, next: (error?: unknown) => void) =>
    next(req.role === role ? undefined : new Error('No'))
  const secret = (_req: any, res: any): void => res.send('SECRET')
  const refuse = (req: any, res: any, next: () => void): void =>
    req.get('authorization') === undefined ? res.sendStatus(401) : next()

  const controller = (method: string, path: string, ...handlers: any[]): AnyController =>
    new Controller(method, path, fromExpress(...handlers))
  const moved = (path = '/api/a', options = {}): RouteControllers =>
    new RouteControllers([controller('GET', path, secret)], options)
  const inFront = (routeControllers: RouteControllers, fallback: any): unknown =>
    createListener(routeControllers.getCallback(), { fallback })

  /** The app as it was: a guard at `/api`, and behind it a route. */
  const legacy = (): any => express().use('/api', auth).get('/api/a', secret)

  const kindsOf = (before: unknown, after: unknown): Kinds =>
    checkMigration(before, after).routes.flatMap(({ changes }) =>
      changes.map(({ kind, what }): [string, string] => [kind, what]),
    )
  /** Without what is said of Controllers that have no profile: they tell case and a slash at the end. */
  const lostIn = (before: unknown, after: unknown): Kinds =>
    kindsOf(before, after).filter(([kind]) => kind !== 'settings')

  it('says nothing of the same app', () => {
    expect(kindsOf(legacy(), legacy())).toEqual([])
  })

  describe('before a part of the requests of a route', () => {
    const rest = version === 4 ? '/*' : '/*rest'
    const either = /^\/api\/(a|b)$/
    const narrower: [was: any, is: any, path: any][] = [
      ['/api', /^\/api\/[^.]+/, '/api/:id'],
      ['/api', '/api/id-1', '/api/:id'],
      ['/', '/api/a', either],
      ['/', /^\/one[^/]*/, '/:one/:two'],
      ['/api/:id', '/api/:id/two-1', '/api/:id/:two'],
      ['/api', version === 4 ? '/api/:id([a-z0-9-]+)' : '/api/:id', `/api${rest}`],
      [['/api', '/other'], ['/api/id-1', '/other'], '/api/:id'],
    ]

    it.each(narrower)('a guard that stood at %p, and stands at %p, is found before %p', (was, is, path) => {
      const of = (mount: any): any => express().use(mount, auth).get(path, secret)
      expect(kindsOf(of(was), of(was))).toEqual([])
      expect(kindsOf(of(was), of(is))).toEqual([['lost', expect.stringContaining('auth for a part of')]])
      expect(kindsOf(of(is), of(was))).toEqual([])
    })

    it.each<[was: any, is: any, path: any]>([
      ['/api', '/', '/api/:id'],
      ['/api', star, '/api/:id'],
      ['/API', '/api', '/api/:id'],
      ['/api', '/:one', '/api/:id'],
      ['/api', '/api/:any', '/api/:id'],
      ['/api', '/api/:any', '/api/:id/more'],
      ['/api', ['/api', '/other'], '/api/:id'],
      ['/api', /^\/api/, '/api/a'],
      ['/api/id-1', '/api/:id', '/api/:id'],
    ])('one that stood at %p, and stands at %p, is not found before %p', (was, is, path) => {
      const of = (mount: any): any => express().use(mount, auth).get(path, secret)
      expect(kindsOf(of(was), of(is))).toEqual([])
    })

    it.each([
      ['in front', (list: RouteControllers) => inFront(list, express()), '', {}],
      ['in an app', (list: RouteControllers) => express().use('/in', list.middleware()), '/in', {}],
      ['with a profile', (list: RouteControllers) => inFront(list, express()), '', { profile: profile() }],
    ])('a hook is found: a list %s', (_where, serve, prefix, options) => {
      const of = (...paths: string[]): unknown => {
        const list = new RouteControllers([controller('GET', '/api/:id', secret)], options)
        for (const path of paths) list.addGlobal(path, refuse)
        return serve(list)
      }
      expect(kindsOf(of('/api'), of('/'))).toEqual([])
      const [witness] = inspect(of('/api')).routes.map((row) => row.witness!.slice(prefix.length))
      // Of a list that has a guard at that path another witness is chosen. That of the lock is asked for.
      expect(kindsOf(of('/api', '/other'), of(witness!, '/other'))).toEqual([
        ['lost', expect.stringContaining(`it is mounted at ${prefix}${witness}, and was at ${prefix}/api`)],
      ])
    })

    it('a guard of a router is found, with where it stands', () => {
      const of = (mount: any): any =>
        express().use('/api', express.Router().use(mount, auth).get('/:id', secret))
      const what = 'auth for a part of its requests: it is mounted at /api/id-1, and was at /api'
      expect(kindsOf(of('/'), of('/id-1'))).toEqual([['lost', what]])
      const { routes } = checkMigration(of('/'), of('/id-1'))
      expect(routes[0]).toMatchObject({
        passes: [{ is: 'same' }],
        changes: [{ code: 'narrowed', routes: 1 }],
      })
      expect(routes[0]!.changes[0]!.at).toContain('guards.test.ts')
    })
  })

  describe('behind a route that sends some of its requests on', () => {
    const skip = (req: any, _res: any, next: any): void => (req.query.v === '2' ? next('route') : next())
    const chosen = (req: any, _res: any, next: any): void => next(req.query.v === '2' ? 'route' : undefined)
    const leave = (req: any, _res: any, next: any): void => (req.query.v === '2' ? next('router') : next())
    const page = (_req: any, res: any): void => res.send('PAGE')
    const shown = {
      show(req: any, res: any, next: any): void {
        if (req.query.v === '2') next()
        else res.send('PAGE')
      },
    }

    it.each([
      ["next('route')", () => express().get('/a', skip, page)],
      ['a condition', () => express().get('/a', chosen, page)],
      ['another path', () => express().get('/:id', skip, page)],
      ['a bound handler', () => express().get('/a', shown.show.bind(shown))],
      ['a callback of param', () => express().param('id', skip).get('/:id', page)],
      ["next('router')", () => express().use(express.Router().use(leave).get('/a', page))],
    ])('a guard of the next route is found lost: %s', async (_name, first: () => any) => {
      const guarded = (): any => first().get('/a', refuse, secret)
      const open = (): any => first().get('/a', secret)
      expect((await request(guarded()).get('/a?v=2')).status).toBe(401)
      expect((await request(open()).get('/a?v=2')).text).toBe('SECRET')
      expect(kindsOf(guarded(), guarded())).toEqual([])
      expect(kindsOf(guarded(), open())).toEqual([['lost', 'refuse']])
    })

    it('what answers in the first route is nothing that the next one passes', () => {
      const appWith = (first: any): any => express().get('/a', skip, first).get('/a', refuse, secret)
      expect(
        kindsOf(
          appWith(page),
          appWith((_req: any, res: any) => res.send('OTHER')),
        ),
      ).toEqual([])
    })
  })

  it('a guard that an app in front of itself has lost: it goes back into the app', () => {
    const served = (app: any): unknown =>
      inFront(new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) }), app)
    const open = express().get('/api/a', secret)
    for (const { routes } of [
      checkMigration(legacy(), served(open)),
      checkMigration(served(legacy()), served(open)),
    ]) {
      expect(routes.map(({ changes, takenOver, remedy }) => [changes[0]!.kind, takenOver, remedy])).toEqual([
        ['lost', true, 'put it back, or accept it: --accept ROUTE --because REASON'],
      ])
    }
  })

  it('a hook of a list that is mounted: the remedy guards the route', async () => {
    const list = (): RouteControllers => new RouteControllers([controller('GET', '/', secret)])
    const guarded = list()
    guarded.addGlobal(refuse)
    const asHook = express().use('/parcels', guarded.middleware())
    const inApp = express().use('/parcels', refuse).get('/parcels', secret)
    for (const [before, more] of [
      [asHook, ' of the list'],
      [inApp, "; or toControllers(app, { only: ['GET /parcels'] }), which keeps them"],
    ]) {
      const open = list()
      const after = express().use('/parcels', open.middleware())
      const { routes } = checkMigration(before, after)
      expect(routes.map(({ path, remedy }) => [path, remedy])).toEqual([
        ['/parcels', `addGlobal(refuse)${more}`],
      ])
      await request(after).get('/parcels').expect(200)
      open.addGlobal(refuse)
      await request(after).get('/parcels').expect(401)
    }
  })

  it('a guard below the mount of a list: the remedy has its path as the list sees it', async () => {
    const list = new RouteControllers([controller('GET', '/late/:day', secret)])
    const before = express().use('/:shop/parcels/late', refuse).get('/:shop/parcels/late/:day', secret)
    const after = express().use('/:store/parcels', list.middleware())
    const route = checkMigration(before, after).routes.find(({ changes }) => changes[0]?.kind === 'lost')
    expect(route?.remedy).toMatch(/^addGlobal\('\/late', refuse\); or /)
    list.addGlobal('/late', refuse)
    await request(after).get('/x/parcels/late/1').expect(401)
  })

  it('what a call has made: the remedy is the same instance, and shows no secret', () => {
    const session = (_options: object) => (_req: any, _res: any, next: () => void) => next()
    const cookieParser = (_secret: string) => (_req: any, _res: any, next: () => void) => next()
    const kept = session({ secret: 'keyboard cat', resave: false })
    const before = express().use(kept).use('/api', cookieParser('keyboard dog'), auth).get('/api/a', secret)
    const { routes } = checkMigration(before, inFront(moved('/api/a', { profile: profile() }), before))
    expect(JSON.stringify(routes)).not.toContain('keyboard')
    expect(routes[0]!.remedy).toBe(
      "addGlobal(the instance of session({ secret: [redacted], resave: false })), addGlobal('/api', the instance of cookieParser([redacted])), addGlobal('/api', auth); export what the app has, for another instance would have a memory of its own; or toControllers(app, { only: ['GET /api/a'] }), which keeps them",
    )
    const made = (text: string): unknown =>
      express()
        .use(session({ secret: text }))
        .get('/a', secret)
    expect(JSON.stringify(kindsOf(made('keyboard cat'), made('keyboard dog')))).not.toContain('keyboard')
    const one = express()
      .use(session({ secret: 'cat', resave: false }))
      .get('/a', secret)
    const other = express()
      .use(session({ secret: 'dog', resave: false }))
      .get('/a', secret)
    expect(kindsOf(one, other)).toEqual([
      ['changed', expect.stringContaining('in whose argument a text is another')],
    ])
  })

  it('inside, behind app.use(path, guard): kept', () => {
    const after = express()
      .use('/api', auth)
      .use(moved('/api/a', { profile: profile() }).middleware())
    expect(kindsOf(legacy(), after)).toEqual([])
  })

  it('inside, behind it, but without a profile: kept, and what the path may look like is said', () => {
    const after = express().use('/api', auth).use(moved().middleware())
    expect(kindsOf(legacy(), after)).toEqual([
      ['settings', 'a slash at the end makes another path now'],
      ['settings', 'upper and lower case make another path now'],
    ])
  })

  it('inside, before app.use(path, guard): lost', () => {
    const after = express().use(moved().middleware()).use('/api', auth)
    expect(lostIn(legacy(), after)).toEqual([['lost', 'auth']])
  })

  it('lifted out of router.use(guard) to app level, before the router: lost; behind it: kept', () => {
    const create = (lift: (app: any, router: any) => void): any => {
      const app = express()
      const router = express.Router()
      router.use(auth)
      lift(app, router)
      return app
    }
    const before = create((app, router) => app.use('/api', router.get('/a', secret)))
    const first = create((app, router) => app.use(moved().middleware()).use('/api', router))
    const behind = create((app, router) => app.use('/api', router).use(moved().middleware()))
    const within = create((app, router) => app.use('/api', router.use(moved('/a').middleware())))
    expect(lostIn(before, first)).toEqual([['lost', 'auth']])
    expect(lostIn(before, behind)).toEqual([])
    expect(lostIn(before, within)).toEqual([])
  })

  it('in front of app.use(path, guard): lost', () => {
    const app = express().use('/api', auth)
    expect(lostIn(legacy(), inFront(moved('/api/a', { profile: fromApp(app) }), app))).toEqual([
      ['lost', 'auth'],
    ])
  })

  it('in front, with addGlobal(path, guard): kept', () => {
    const app = express().use('/api', auth)
    const routeControllers = moved('/api/a', { profile: fromApp(app) }).addGlobal('/api', auth)
    expect(kindsOf(legacy(), inFront(routeControllers, app))).toEqual([])
  })

  it('in front of app.all(star, guard): lost', () => {
    const before = express().all(star, auth).get('/api/a', secret)
    const after = inFront(moved(), express().all(star, auth))
    expect(lostIn(before, after)).toContainEqual(['lost', 'auth'])
  })

  it('router.param at the same place: lost', () => {
    const create = (fill: (router: any) => void): any => {
      const router = express.Router()
      router.param('id', owner)
      fill(router)
      return express().use('/api', router)
    }
    const before = create((router) => router.get('/:id', secret))
    const after = create((router) => router.use(moved('/:id').middleware()))
    expect(lostIn(before, after)).toEqual([['lost', 'param id: owner']])
  })

  it('a route that a guarded pattern has shadowed becomes reachable: lost', () => {
    const before = express().get('/f/:id', auth, secret).get('/f/public', secret)
    const list = [
      new Controller('GET', '/f/:id', fromExpress(auth, secret)),
      new Controller('GET', '/f/public', fromExpress(secret)),
    ] as AnyController[]
    const after = express().use(new RouteControllers(list, { logger: silent }).middleware())
    const ordered = express().use(new RouteControllers(list, { profile: profile() }).middleware())
    expect(lostIn(before, after)).toContainEqual(['lost', 'auth'])
    expect(kindsOf(before, ordered)).toEqual([])
  })

  it('the argument of a guard factory', () => {
    const before = express().get('/a', requireRole('admin'), secret)
    const after = express().get('/a', requireRole('user'), secret)
    expect(kindsOf(before, after)).toEqual([['changed', "requireRole('admin') to requireRole('user')"]])
    const movedOver = express().use(
      new RouteControllers([controller('GET', '/a', requireRole('admin'), secret)], {
        profile: profile(),
      }).middleware(),
    )
    expect(kindsOf(before, movedOver)).toEqual([
      ['unverifiable', expect.stringContaining('neither the text nor the argument')],
    ])
    const direct = [new Controller('GET', '/a', fromExpress(requireRole('admin'), secret))]
    expect(
      kindsOf(before, express().use(new RouteControllers(direct, { profile: profile() }).middleware())),
    ).toEqual([])
  })

  it('a mount whose params the route saw: params', () => {
    const create = (fill: (router: any) => void): any => {
      const router = express.Router({ mergeParams: true })
      fill(router)
      return express().use('/t/:tenant', router)
    }
    const before = create((router) => router.get('/x/:id', secret))
    const after = create((router) => router.use(moved('/x/:id').middleware()))
    expect(lostIn(before, after)).toEqual([['params', 'without tenant']])
  })

  it('a Controller for all methods that is meant as a guard does not guard without a profile', () => {
    const before = express().all('/adm/:x', auth).get('/adm/x', secret)
    const list = [controller('*', '/adm/*', auth), controller('GET', '/adm/x', secret)]
    const after = express().use(new RouteControllers(list, { logger: silent }).middleware())
    expect(kindsOf(before, after)).toEqual(
      expect.arrayContaining([
        ['lost', 'auth'],
        ['not-a-guard', expect.any(String)],
      ]),
    )
    // Under a profile of Express it does.

    const guarding = inspect(new RouteControllers(list, { logger: silent, profile: profile() }))
    expect(guarding.findings.map(({ code }) => code)).not.toContain('not-a-guard')
    const apart = [
      controller('*', '/adm/*', auth),
      controller('GET', '/open', secret),
      controller('POST', '/open/*', auth),
      controller('GET', '/open/x', secret),
    ]
    const { findings } = inspect(new RouteControllers(apart, { logger: silent }))
    expect(findings.map(({ code }) => code)).toEqual(['interceptor', 'interceptor'])
  })

  it('a route that was left in both places: twice', () => {
    const after = express()
      .use('/api', auth)
      .use(moved('/api/a', { profile: profile() }).middleware())
      .get('/api/a', secret)
    expect(kindsOf(legacy(), after)).toEqual([['twice', 'is still in the app']])
  })

  it('one of several registrations of a route that was moved: nothing, while what each passes is there', () => {
    const serving = (one: AnyController): any =>
      new RouteControllers([one], { profile: profile() }).middleware()
    const guarding = (): any => serving(new Controller('GET', '/api/a', fromExpress(auth)))
    // The guard is a registration of its own, and what it guards is another one: a package's, for instance.
    const before = express().get('/api/a', auth).get('/api/a', secret)
    expect(kindsOf(before, express().use(guarding()).get('/api/a', secret))).toEqual([])
    const other = serving(new Controller('GET', '/api/a', fromExpress(owner)))
    expect(kindsOf(before, express().use(other).get('/api/a', secret))).toEqual([
      ['lost', 'auth'],
      ['gained', 'owner'],
    ])
    expect(kindsOf(before, express().get('/api/a', secret))).toContainEqual(['lost', 'auth'])
    const behind = express().get('/api/a', secret).use(guarding())
    expect(kindsOf(before, behind)).not.toEqual([])
    const twice = ['twice', 'is still in the app']
    const copied = express().use(guarding()).get('/api/a', auth).get('/api/a', secret)
    expect(kindsOf(before, copied)).toContainEqual(twice)
  })

  describe('what is accepted', () => {
    const open = (_req: any, res: any): void => res.send('OPEN')
    const copies = (count: number): any => {
      const app = express()
        .use('/api', auth)
        .use(moved('/api/a', { profile: profile() }).middleware())
      for (let at = 0; at < count; at++) app.get('/api/a', secret)
      return app
    }
    const twins = (...handlers: any[]): any =>
      handlers.reduce((app, handler) => app.get('/api/:id', handler), express())
    const guarded = (...guards: any[]): any => express().get('/a', ...guards, secret)

    it.each<[string, () => unknown, () => unknown, () => unknown, string]>([
      ['one copy that was left: not two', legacy, () => copies(1), () => copies(2), 'twice'],
      [
        'one handler that is first: no other one',
        () => twins(secret, open, auth),
        () => twins(open, secret, auth),
        () => twins(auth, open, secret),
        'reordered',
      ],
      [
        'the loss of one of two equal guards: not that of both',
        () => guarded(auth, auth),
        () => guarded(auth),
        () => guarded(),
        'lost',
      ],
      [
        'one more of a guard: not two',
        () => guarded(auth),
        () => guarded(auth, owner),
        () => guarded(auth, owner, owner),
        'gained',
      ],
      [
        'an order: no other one',
        () => guarded(auth, owner, requireRole('a')),
        () => guarded(owner, auth, requireRole('a')),
        () => guarded(requireRole('a'), owner, auth),
        'reordered',
      ],
    ])('%s', (_name, before, accepted, now, kind) => {
      const lock = createLock(inspect(before()))
      const found = checkMigration(lock, accepted()).routes
      expect(found.length).toBeGreaterThan(0)
      const routes = lock.routes.map((row, at) => {
        const keys = keysOfRows(lock.routes)
        const changes = found.filter(({ key }) => key === keys[at]).flatMap((one) => one.changes)
        const entries = changes.map(({ key, finding }) => ({
          key,
          finding,
          because: 'x',
          date: '2030-01-01',
        }))
        return { ...row, accepted: entries }
      })
      const agreed = { ...lock, routes }
      expect(checkMigration(agreed, accepted()).ok).toBe(true)
      expect(kindsOf(agreed, now()).map(([one]) => one)).toContain(kind)
    })

    it('stays with its own registration of a route in a new lock', () => {
      // Of what a native function hides nothing tells one from the other but its place.
      const app = express().get('/a', auth.bind(null)).get('/a', owner.bind(null))
      const entry = {
        kind: 'unverifiable',
        finding: 'unverifiable',
        key: 'k',
        because: 'x',
        date: '2030-01-01',
      } as const
      for (const place of [0, 1]) {
        const lock = createLock(inspect(app))
        const routes = lock.routes.map((row, at) => (at === place ? { ...row, accepted: [entry] } : row))
        const next = createLock(inspect(app), { ...lock, routes })
        expect(next.routes.map(({ accepted = [] }) => accepted.length)).toEqual(place === 0 ? [1, 0] : [0, 1])
      }
    })
  })

  it('a wider Controller in front of a route: shadowed', () => {
    const before = express().get('/a/b', secret)
    const after = express()
      .use(moved('/a/:any', { profile: profile() }).middleware())
      .get('/a/b', secret)
    expect(kindsOf(before, after)).toContainEqual(['shadowed', 'by GET /a/:any'])
  })

  it('another of several routes with one method and one path answers first: reordered', () => {
    const open = (_req: any, res: any): void => res.send('OPEN')
    const app = (...handlers: any[]): any =>
      handlers.reduce((app, handler) => app.get('/api/:id', handler), express())
    const overtakingIn = (before: unknown, after: unknown): Kinds =>
      kindsOf(before, after).filter(([kind]) => kind === 'reordered')
    const before = app(secret, open, auth)
    const overtaken = (name: string): Kinds => [
      ['reordered', `${name}, a handler of this method and this path that stood behind this one`],
    ]
    expect(overtakingIn(before, app(open, secret, auth))).toEqual(overtaken('open'))
    expect(overtakingIn(before, app(auth, open, secret))).toEqual(overtaken('auth'))
    // Neither of these two has ever had a request.
    expect(overtakingIn(before, app(secret, auth, open))).toEqual([])
    // A handler that was written anew.
    expect(
      kindsOf(
        before,
        app((_req: any, res: any) => res.send('NEW'), open, auth),
      ),
    ).toEqual([])
    // The first of them passes on, so the next one has requests too.
    const passing = app(auth, secret, open)
    expect(overtakingIn(passing, app(auth, open, secret))).toEqual(overtaken('open'))
  })

  it('the same of routes with other names of params, in whatever order a lock has their paths', () => {
    const open = (_req: any, res: any): void => res.send('OPEN')
    const app = (...routes: [path: string, handler: any][]): any =>
      routes.reduce((app, [path, handler]) => app.get(path, handler), express())
    const overtakingIn = (before: unknown, after: unknown): Kinds =>
      kindsOf(before, after).filter(([kind]) => kind === 'reordered')
    for (const [one, two] of [
      ['/api/:a', '/api/:b'],
      ['/api/:b', '/api/:a'],
    ] as const) {
      const passing = app([one, auth], [two, secret])
      expect(overtakingIn(passing, passing)).toEqual([])
      for (const first of [auth, open])
        expect(overtakingIn(app([one, first], [two, secret]), app([two, secret], [one, first]))).toEqual([
          ['reordered', 'secret, a handler of this method and this path that stood behind this one'],
        ])
    }
  })

  it('order, new, gone and unreachable', () => {
    const before = express().use(auth, owner).get('/a', secret).get('/b', secret)
    const after = express().use(owner, auth).get('/a', secret).get('/c', secret)
    expect(kindsOf(before, after)).toEqual([
      ['reordered', expect.stringMatching(/^(?:auth behind owner|owner in front of auth)$/)],
      ['gone', expect.stringContaining('nobody')],
      ['new', 'is not in the lock'],
    ])
    const closed = express()
      .use(auth, owner)
      .use((_req: any, res: any) => res.end())
      .get('/a', secret)
      .get('/b', secret)
    expect(kindsOf(before, closed).map(([kind]) => kind)).toEqual(['unreachable', 'unreachable'])
  })

  describe('Functions of use that are no routes', () => {
    const files = (folder = 'test'): any => express.static(folder)
    const answers = (_req: any, res: any): void => res.send('SECRET')
    const rowsOf = (app: any): string[] =>
      inspect(app).routes.map(({ kind, method, path, own, passes }) =>
        [kind, method, path, own.name, 'passes', ...passes.map(({ name }) => name)].join(' '),
      )

    it('have a row where they answer, and where no route passes them', () => {
      const app = express()
        .use(auth)
        .use('/uploads', owner, files())
        .use('/graphql', owner, answers)
        .use('/adm', owner)
        .use('/api', owner)
        .get('/api/a', secret)
        .use(answers)
      const router = express.Router()
      app.use('/in', router.use(owner, files()))
      expect(rowsOf(app)).toEqual([
        'mount * /uploads serveStatic passes auth owner serveStatic',
        'mount * /graphql answers passes auth owner answers',
        'mount * /adm owner passes auth owner',
        'route GET /api/a secret passes auth owner',
        'mount * /in serveStatic passes auth',
      ])
      expect(inspect(app).apps).toMatchObject([{ routes: 1, mounts: 4 }])
      expect(inspect(app).findings.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['unreachable /in'])
    })

    it('files at / have one too, and what else is mounted there has none', () => {
      const app = express().use(auth, files()).use(owner).get('/a', secret).use(answers)
      expect(rowsOf(app)).toEqual([
        'mount * / serveStatic passes auth serveStatic',
        'route GET /a secret passes auth serveStatic owner',
      ])
    })

    it('an answer at / has one where its request passes what stands in no other row', () => {
      expect(rowsOf(express().use(auth).get('/a', secret).use(owner).use(answers).use(auth))).toEqual([
        'route GET /a secret passes auth',
        'mount * / answers passes auth owner answers',
      ])
      expect(rowsOf(express().get('/a', secret).use(owner))).toEqual(['route GET /a secret passes'])
    })

    it.each<[string, () => any, () => any, Kinds]>([
      [
        'a guard before an answer to all other paths',
        () => express().get('/a', secret).use(auth, answers),
        () => express().get('/a', secret).use(answers),
        [['lost', 'auth']],
      ],
      [
        'a guard before files',
        () => express().use('/u', auth, files()),
        () => express().use('/u', files()),
        [['lost', 'auth']],
      ],
      [
        'a guard before an answer',
        () => express().use('/q', auth, answers),
        () => express().use('/q', answers),
        [['lost', 'auth']],
      ],
      [
        'the argument of a guard',
        () => express().use('/u', requireRole('admin'), files()),
        () => express().use('/u', requireRole('user'), files()),
        [['changed', "requireRole('admin') to requireRole('user')"]],
      ],
      [
        'a guard that moved behind the files',
        () => express().use('/u', auth, owner, files()),
        () => express().use('/u', owner, files(), auth),
        [['lost', 'auth']],
      ],
      [
        'a mount that moved',
        () => express().use('/u', auth, files()),
        () => express().use('/v', auth, files()),
        [
          ['gone', 'is not there any more; nobody gets its requests'],
          ['new', 'is not in the lock'],
        ],
      ],
      [
        'a guard of its own',
        () => express().use('/adm', owner, auth),
        () => express().use('/adm', owner),
        [['lost', 'auth']],
      ],
      [
        'the folder',
        () => express().use('/u', auth, express.static('test')),
        () => express().use('/u', auth, express.static('src')),
        [['changed', "serveStatic (express.static('test')) to serveStatic (express.static('src'))"]],
      ],
    ])('says what is lost: %s', (_name, before, after, expected) => {
      expect(kindsOf(before(), after())).toEqual(expected)
    })

    it('says nothing of an answer with another text, nor of a guard whose routes have moved away', () => {
      const first = express().use('/q', auth, (_req: any, res: any) => res.send('ONE'))
      const second = express().use('/q', auth, (_req: any, res: any) => res.send('ANOTHER'))
      expect(kindsOf(first, second)).toEqual([])
      const before = express().use('/adm', auth).get('/adm/a', secret)
      const front = moved('/adm/a', { profile: profile() }).addGlobal('/adm', auth)
      const after = inFront(front, express().use('/adm', auth))
      expect(rowsOf(after)).toEqual(['route GET /adm/a secret passes auth', 'mount * /adm auth passes auth'])
      expect(kindsOf(before, after)).toEqual([])
    })

    it('is one for each path that its router is mounted at', () => {
      const router = (): any => express.Router().use('/q', auth, answers).get('/one', owner, secret)
      const create = (...paths: string[]): any => {
        const own = router()
        return paths.reduce((app, path) => app.use(path, own), express())
      }
      const both = create('/a', '/b')
      const mounts = inspect(both).routes.flatMap(({ passes }) => passes.map(({ mount }) => mount))
      expect(mounts).toEqual(['/a/q', '/a/q', '/a', '/b/q', '/b/q', '/b'])
      expect(kindsOf(both, create('/a', '/b'))).toEqual([])
      // A guard stands at the path of its own router.
      const of = (...paths: string[]): any => {
        const own = express.Router().use(auth).get('/one', secret)
        return paths.reduce((app, path) => app.use(path, own), express())
      }
      expect(kindsOf(of('/x/:id'), of('/x/me', '/x/:id'))).toEqual([['new', 'is not in the lock']])
    })

    it('finds the right one of several, and nothing where a route comes to stand behind it', () => {
      const before = express().use('/u', files('test')).use('/u', auth).use('/u', files('src'))
      expect(rowsOf(before)).toHaveLength(2)
      expect(kindsOf(before, before)).toEqual([])
      const after = express().use('/u', files('test')).use('/u', files('src'))
      expect(kindsOf(before, after)).toEqual([['lost', 'auth']])
      const guarded = express().use('/adm', auth)
      const more = express().use('/adm', auth).get('/adm/a', secret)
      expect(kindsOf(guarded, more)).toEqual([['new', 'is not in the lock']])
    })

    it('says that a Controller in its place has lost its guard, and nothing where it has not', () => {
      const before = express().use('/q', auth, answers)
      const kept = new Controller('*', '/q', fromExpress(auth, answers))
      const lost = new Controller('*', '/q', fromExpress(answers))
      const of = (one: AnyController): unknown =>
        inFront(new RouteControllers([one], { profile: profile() }), express())
      expect(kindsOf(before, of(kept))).toEqual([])
      expect(kindsOf(before, of(lost))).toEqual([['lost', 'auth']])
    })

    it('are the same for an app that is taken over, and gone where its routes alone are served', () => {
      const app = express().use(auth).use('/u', owner, files()).get('/a', secret)
      const { controllers } = toControllers(app)
      const taken = new RouteControllers(controllers, { profile: fromApp(app) })
      expect(kindsOf(app, inFront(taken, app))).toEqual([])
      expect(kindsOf(app, taken)).toEqual([['gone', 'is not there any more; nobody gets its requests']])
      const whole = new RouteControllers(toControllers(app, { middleware: true }).controllers, {
        profile: fromApp(app),
      })
      expect(kindsOf(app, whole)).toEqual([])
    })
  })

  it('a route with a slash at its end: new where that makes another path', () => {
    const of = (isStrict: boolean, isBoth: boolean): any => {
      const app = express().set('strict routing', isStrict).get('/users', auth, secret)
      return isBoth ? app.get('/users/', secret) : app
    }
    expect(kindsOf(of(true, false), of(true, true))).toEqual([['new', 'is not in the lock']])
    expect(kindsOf(of(true, true), of(true, true))).toEqual([])
    expect(kindsOf(of(false, false), of(false, true))).toEqual([])
  })

  it('a Controller with a slash too many: says that it answers other requests', () => {
    const before = express().get('/users', secret)
    const list = [controller('GET', '/users/', secret)]
    const front = new RouteControllers(list, { logger: silent })
    for (const fallback of [express(), before]) {
      const { routes } = checkMigration(before, inFront(front, fallback))
      expect(routes.map(({ path, changes, remedy }) => [path, changes[0]?.what, remedy])).toEqual([
        [
          '/users',
          'the path of the Controller GET /users/ has a slash at the end, so it answers other requests',
          "write '/users' as the path of the Controller, or give it the profile of the app: profile: fromApp(app)",
        ],
      ])
    }
    expect(kindsOf(before, inFront(new RouteControllers(list, { profile: profile() }), express()))).toEqual(
      [],
    )
    // With a profile its path is not why another one answers.
    const behind = new RouteControllers([controller('GET', '/:any', secret), ...list], { profile: profile() })
    const { routes } = checkMigration(before, inFront(behind, express()))
    expect(routes.find(({ path }) => path === '/users')?.changes.map(({ kind }) => kind)).toEqual([
      'shadowed',
      'params',
    ])
  })

  it('a guard that is a route of its own before the route: nothing in the same app, lost where it is taken out', () => {
    const before = express().get('/a', owner).get('/a', auth).get('/a', secret)
    expect(kindsOf(before, before)).toEqual([])
    expect(kindsOf(before, express().get('/a', owner).get('/a', secret))).toEqual([['lost', 'auth']])
  })

  it('a guard of all methods on the path of a route: nothing in the same app, lost where one is taken out', () => {
    const before = express().all('/a', owner).get('/a', auth, secret)
    expect(kindsOf(before, before)).toEqual([])
    expect(kindsOf(before, express().all('/a', owner).get('/a', secret))).toEqual([['lost', 'auth']])
    const isLost = expect.arrayContaining([['lost', 'owner']])
    expect(kindsOf(before, express().get('/a', auth, secret).all('/a', owner))).toEqual(isLost)
  })

  it('a lock from before functions had the names of the properties that they are assigned to: nothing', () => {
    const app = express()
    app.use(assigned['requireLogin'], assigned['requireAdmin'], assigned['requireOwner'])
    app.use(assigned['requireTenant'], assigned['requireRole'])
    app.get('/list', assigned['list'])
    app.use('/files', assigned['files'])
    const text = formatLock(createLock(inspect(app)))
    const names = [...text.matchAll(/"name": "(.*)"/g)].map(([, name]) => name)
    expect([...new Set(names)]).toEqual([
      'requireLogin',
      'requireAdmin',
      'requireOwner',
      'requireTenant',
      'requireRole',
      '<anonymous>',
    ])
    expect(inspect(app).routes.map(({ own }) => own.name)).toContain('list')
    const old = parseLock(text.replace(/"name": ".*"/g, '"name": "<anonymous>"'))
    for (const [lock, now] of [
      [old, app],
      [parseLock(text), app],
    ] as const) {
      expect(checkMigration(lock, now).routes.flatMap(({ changes }) => changes)).toEqual([])
    }
    const without = express().use(assigned['requireLogin']).get('/list', assigned['list'])
    const lost = checkMigration(old, without).routes.flatMap(({ changes }) => changes.map(({ kind }) => kind))
    expect(lost).toContain('lost')
  })

  it.each<[unknown, unknown]>([
    [false, 1],
    [1, false],
    [1, 2],
    [true, 1],
    ['loopback', true],
  ])('trust proxy of an app that answers itself: %j, and now %j', (was, is) => {
    const of = (proxy: unknown): any => legacy().set('trust proxy', proxy)
    expect(kindsOf(of(was), of(was))).toEqual([])
    const what = `trust proxy was ${JSON.stringify(was)}, and is ${JSON.stringify(is)}`
    expect(kindsOf(of(was), of(is))).toEqual([['settings', what]])
  })

  it('trust proxy of an app that was taken over: settings, where it stands behind its Controllers', () => {
    const app = (proxy: unknown): any => legacy().set('trust proxy', proxy)
    const listOf = (own: any): RouteControllers =>
      new RouteControllers(toControllers(own).controllers, { profile: fromApp(own) })
    const over = (proxy: unknown): unknown => {
      const own = app(proxy)
      return inFront(listOf(own), own)
    }
    const told = [['settings', 'trust proxy was false, and is true']]
    expect([kindsOf(app(false), over(true)), kindsOf(over(false), over(true))]).toEqual([told, told])
    expect([kindsOf(app(true), over(true)), kindsOf(over(true), over(true))]).toEqual([[], []])
    const mounted = (proxy: unknown): any => express().use('/in', app(proxy))
    expect(kindsOf(mounted(1), express().use('/in', listOf(app(1)).middleware()))).toEqual([])
    expect(kindsOf(app(1), listOf(app(1)))).toEqual([])
  })

  it('trust proxy of an app behind several routeControllers: that of the app', () => {
    const app = legacy().set('trust proxy', 1)
    const empty = (): RouteControllers => new RouteControllers([], { logger: silent })
    expect(kindsOf(app, inFront(empty(), inFront(empty(), app)))).toEqual([])
  })
})
