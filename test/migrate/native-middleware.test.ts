import express from 'express'
import { Controller, describeGuard, group, type Middleware, RouteControllers } from 'routecontrollers'
import { express5, fromExpress } from 'routecontrollers/express'
import { checkMigration, inspect, recordRegistrations } from '@routecontrollers/cli'
import { keepReading } from './keep-reading.js'

keepReading()

const requireUser: Middleware = (req, res) =>
  req.get('authorization') === undefined ? res.status(401).end() : {}
const timing: Middleware = (_req, _res, next) => next()
const requireRole =
  (role: string): Middleware =>
  (req, res) =>
    req.get('x-role') === role ? undefined : res.status(403).end()

describe('Native middleware, as inspect and check see it', () => {
  let end: () => void
  beforeAll(() => {
    end = recordRegistrations(express)
  })
  afterAll(() => end())

  it('is passed before each route, in its order: that of all, of groups, and its own', () => {
    const admin = group('/admin', timing, requireRole('admin')).use(requireUser)
    const list = [admin.get('/users', () => ''), new Controller('GET', '/open', () => '')]
    const { routes } = inspect(new RouteControllers(list).use(timing))
    expect(routes.map(({ path, passes }) => [path, ...passes.map(({ name }) => name)])).toEqual([
      ['/admin/users', 'timing', 'timing', '<anonymous>', 'requireUser'],
      ['/open', 'timing'],
    ])
    const passes = routes[0]!.passes
    expect(passes.map(({ argument }) => argument)).toEqual([
      undefined,
      undefined,
      "requireRole('admin')",
      undefined,
    ])
    expect(passes.every(({ at }) => /^test\/migrate\/native-middleware\.test\.ts:\d+$/.test(at ?? ''))).toBe(
      true,
    )
  })

  it('is told by what one call has given in a loop, and several at once, with a path or without', () => {
    const list = new RouteControllers([new Controller('GET', '/x', () => '')])
    const guards = [requireRole('loop'), requireRole('other')]
    for (const one of guards) list.use(one)
    list.use(requireRole('first'), timing, requireRole('third'))
    const inGroup = group('/in', requireRole('a'), timing, requireRole('c')).get('/x', () => '')
    const given = (served: RouteControllers): unknown[] =>
      inspect(served).routes[0]!.passes.map(({ argument, name }) => argument ?? name)
    const own = given(list)
    expect(own.slice(0, 2).every((one) => own[0] === one)).toBe(true)
    expect(own.slice(2)).toEqual(["requireRole('first')", 'timing', "requireRole('third')"])
    expect(given(new RouteControllers([inGroup]))).toEqual(["requireRole('a')", 'timing', "requireRole('c')"])
  })

  it('is told beside hooks, and those by what they were made with, with a path or without', () => {
    const makes = (_role: string) => (_req: unknown, _res: unknown, next: () => void) => next()
    const lets = (_role: string) => (_error: unknown, _req: unknown, _res: unknown, next: () => void) =>
      next()
    const every = { scope: 'every' } as const
    const list = new RouteControllers([], { profile: express5({ express }) })
    list.addGlobal(makes('plain'), every)
    list.addGlobal('/x', makes('below'), every)
    list.addGlobal(lets('error'), every)
    list.addGlobal('/x', lets('error below'), every)
    const app = express()
      .use(list.middleware())
      .get('/x', (_req, res) => void res.end())
    const { passes } = inspect(app).routes[0]!
    expect(passes.map(({ kind, argument, catches }) => [kind, argument, catches])).toEqual([
      ['hook', "makes('plain')", undefined],
      ['hook', "makes('below')", undefined],
      ['error', "lets('error')", 2],
      ['error', "lets('error below')", 3],
    ])
    expect(passes.some(({ unverifiable }) => unverifiable)).toBe(false)
  })

  it('is passed before handlers of Express under a profile too', () => {
    const handler = new Controller(
      'GET',
      '/x',
      fromExpress((_req, res) => void res.end()),
    )
    const { routes } = inspect(
      new RouteControllers([handler], { profile: express5({ express }) }).use(requireUser),
    )
    expect(routes[0]!.passes.map(({ name }) => name)).toEqual(['requireUser'])
  })

  it('is told as it was written, also where describeGuard says what it asks for', () => {
    const described = describeGuard(requireUser, { answers: { 401: 'No user' } })
    const passesWith = (guard: Middleware): unknown =>
      inspect(new RouteControllers([group('/me', guard).get('/name', () => '')])).routes[0]!.passes
    const [plain, told] = [passesWith(requireUser), passesWith(described)] as Record<string, unknown>[][]
    const { definition } = plain![0]!
    expect(definition).toMatch(/^test\/migrate\/native-middleware\.test\.ts:\d+$/)
    expect(told![0]).toMatchObject({ name: 'requireUser', definition, source: plain![0]!['source'] })
  })

  it('is a finding when it is lost, or its argument is another', () => {
    const callback = (): string => ''
    const serve = (users: Controller<'/admin/users'>): RouteControllers => new RouteControllers([users])
    const changesOf = (before: unknown, after: unknown): unknown[] =>
      checkMigration(before, after).routes.flatMap(({ changes }) =>
        changes.map(({ kind, what }) => `${kind} ${what}`),
      )
    const whole = group('/admin', timing, requireRole('admin')).use(requireUser).get('/users', callback)
    const same = group('/admin')
      .use(timing)
      .group('', requireRole('admin'), requireUser)
      .get('/users', callback)
    const lost = group('/admin', timing, requireRole('admin')).get('/users', callback)
    const changed = group('/admin', timing, requireRole('user')).use(requireUser).get('/users', callback)
    expect(changesOf(serve(whole as never), serve(same as never))).toEqual([])
    expect(changesOf(serve(whole as never), serve(lost as never))).toEqual([
      expect.stringMatching(/^lost requireUser/),
    ])
    const [row] = checkMigration(serve(whole), serve(lost)).routes
    expect(row!.remedy).toBe('use(requireUser) of the Controller, or of its group')
    expect(changesOf(serve(whole as never), serve(changed as never))).toEqual([
      expect.stringMatching(/^changed .*requireRole\('user'\)/),
    ])
  })
})
