// Guards that a move by hand loses in silence. Each case is the app as it was, and as somebody has moved a route of it.
import express5 from 'express'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import { express4 as profile4, express5 as profile5, fromApp, fromExpress } from 'routecontrollers/express'
import { checkMigration, recordRegistrations } from '../../src/migrate/index.js'
import { createListener } from '../../src/node/listener.js'

// Controllers that look as guards, and are none, are what some of these tests are about: each has a warning.
const silent = { info() {}, warn() {}, error() {} }

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
  })

  it('a route that was left in both places: twice', () => {
    const after = express()
      .use('/api', auth)
      .use(moved('/api/a', { profile: profile() }).middleware())
      .get('/api/a', secret)
    expect(kindsOf(legacy(), after)).toEqual([['twice', 'is still in the app']])
  })

  it('a wider Controller in front of a route: shadowed', () => {
    const before = express().get('/a/b', secret)
    const after = express()
      .use(moved('/a/:any', { profile: profile() }).middleware())
      .get('/a/b', secret)
    expect(kindsOf(before, after)).toContainEqual(['shadowed', 'by GET /a/:any'])
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

  it('trust proxy of an app that answers itself', () => {
    const after = legacy().set('trust proxy', 1)
    expect(kindsOf(legacy(), after)).toEqual([['settings', 'trust proxy was false, and is 1']])
  })
})
