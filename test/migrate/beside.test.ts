// Native callbacks in routes of Express: how far each route is, and what `check` says where one passes a guard.
import express5 from 'express'
import express4 from 'express4'
import { checkMigration, createLock, inspect, recordRegistrations } from '@routecontrollers/cli'
import { RouteControllers } from 'routecontrollers'
import { fromApp, fromExpress, native, toControllers } from 'routecontrollers/express'
import { placesOf } from 'routecontrollers/express-model'
import { accept, formerRow } from '../../packages/cli/src/check/lock.js'
import { inventoryPage } from '../../packages/cli/src/report/inventory-page.js'
import { inventoryText } from '../../packages/cli/src/report/text.js'
import { keepReading } from './keep-reading.js'

keepReading()

function requireUser(_req: any, _res: any, next: () => void): void {
  next()
}
function audit(_req: any, _res: any, next: () => void): void {
  next()
}
function loadId(_req: any, _res: any, next: () => void): void {
  next()
}
function letOn(_error: unknown, _req: any, _res: any, next: () => void): void {
  next()
}
const passingFor = (name: string) => (req: any, res: any, next: () => void) => {
  if (req.query[name] === undefined) next()
  else res.send(name)
}
const requireRole = (role: string) => (req: any, _res: any, next: (error?: unknown) => void) =>
  next(req.role === role ? undefined : new Error('No'))
function legacy(_req: any, res: any): void {
  res.send('legacy')
}
function second(_req: any, res: any): void {
  res.send('second')
}
function passing(req: any, res: any, next: () => void): void {
  if (req.query.a === undefined) next()
  else res.send('passing')
}
const show = native(function shows() {
  return 'native'
})

describe.each([
  [4, express4],
  [5, express5],
] as const)('Native callbacks beside handlers of Express %d', (_version, express: any) => {
  let end: () => void
  beforeAll(() => {
    end = recordRegistrations(express)
  })
  afterAll(() => end())

  const app = (build: (app: any) => void): any => {
    const created = express()
    build(created)
    return created
  }
  const rowsOf = (built: any) => inspect(built).routes
  const found = (before: any, now: any): string[] =>
    checkMigration(before, now).routes.flatMap(({ method, path, changes }) =>
      changes.map((change) => {
        const { kind, what } = change
        const name = 'pass' in change ? change.pass.name : what
        const native = 'native' in change ? ` behind ${change.native}` : ''
        return `${method} ${path}: ${kind} ${name}${native}`
      }),
    )
  const route = (...handlers: any[]): any =>
    app((one) => {
      const router = express.Router({ mergeParams: true })
      router.param('id', loadId)
      router.get('/:id', ...handlers)
      one.use('/orders', requireRole('user'), router)
    })

  describe('inspect', () => {
    it('says how far each route is, with the name and the place of the native callback', () => {
      const built = app((one) => {
        one.get('/legacy', requireUser, legacy)
        one.get('/beside', requireUser, show, legacy)
        one.get('/native', requireUser, show)
        one.get('/taken', native(fromExpress(legacy)), second)
        one.use(requireUser)
      })
      const told = rowsOf(built).map(({ path, own, passes }) => [
        path,
        own.stage,
        own.name,
        own.behind?.map(({ name }) => name),
        passes.map(({ name }) => name),
      ])
      expect(told).toEqual([
        ['/legacy', 'legacy', 'legacy', undefined, ['requireUser']],
        ['/beside', 'beside', 'shows', ['legacy'], ['requireUser']],
        ['/native', 'native', 'shows', [], ['requireUser']],
        ['/taken', 'beside', 'legacy', ['second'], []],
      ])
      const [handler, beside, alone, taken] = rowsOf(built)
      expect(beside!.own).toMatchObject({ by: 'Express', at: expect.stringContaining('beside.test.ts:') })
      expect(beside!.own.definition).toMatch(/beside\.test\.ts:\d+$/)
      expect(beside!.own.behind![0]).toMatchObject({
        definition: handler!.own.definition,
        source: handler!.own.source,
      })
      expect([alone!.own.definition, taken!.own.definition]).toEqual([
        beside!.own.definition,
        handler!.own.definition,
      ])
    })

    it('counts them, in text and as a page', () => {
      const built = app((one) => {
        one.get('/beside', requireUser, show, legacy)
        one.get('/native', requireUser, show)
        one.get('/legacy', requireUser, legacy)
      })
      const text = inventoryText(inspect(built), { hasColors: false } as never)
      expect(text).toMatch(/^Express \d app, 3 routes, 1 beside, 1 native\n/)
      expect(text).toMatch(
        /GET {5}\/beside +Express, beside {2}shows {2}.*\n.*\n {2}behind +legacy +\S+:\d+\n/,
      )
      expect(text).toMatch(/GET {5}\/native +Express, native {2}shows/)
      const page = inventoryPage(inspect(built), 'server.js')
      expect(page).toContain('3 routes, 1 beside, 1 native, ')
      expect(page).toMatch(/Express, beside: shows( <small>[^<]*<\/small>)?<\/li><li class="step behind"/)
    })

    it('finds one that does not stand directly before the handler that it replaces', () => {
      const { findings } = inspect(route(show, requireUser, audit, legacy))
      expect(findings.filter(({ code }) => code === 'native-first')).toEqual([
        expect.objectContaining({
          method: 'GET',
          path: '/orders/:id',
          message:
            'has the native callback shows before requireUser, audit: where it answers, requests do not pass those',
        }),
      ])
      expect(inspect(route(requireUser, show, legacy)).findings).toEqual([])
    })

    it('knows those of all methods, of chains, and of a route for which no request is known', () => {
      const built = app((one) => {
        one.all('/all', show, legacy)
        one.route('/chain').all(requireUser).get(show, legacy).post(legacy)
        one.get(/^\/(?!x)(?=y)z$/, requireUser, show, legacy)
      })
      const told = rowsOf(built).map(({ method, witness, own, passes }) => [
        method,
        witness !== undefined,
        own.stage,
        own.behind?.map(({ name }) => name),
        passes.map(({ name }) => name),
      ])
      expect(told).toEqual([
        ['*', true, 'beside', ['legacy'], []],
        ['*', true, 'legacy', undefined, []],
        ['GET', true, 'beside', ['legacy'], ['requireUser']],
        ['POST', true, 'legacy', undefined, ['requireUser']],
        ['GET', false, 'beside', ['legacy'], ['requireUser']],
      ])
    })
  })

  it('have one place in a route of all methods, and one for each method of others', () => {
    const built = app((one) => {
      one.all('/all', show, legacy)
      one.route('/each').get(show).post(show)
      one.route('/both').all(show).get(show)
    })
    const [all, each, both] = (built._router ?? built.router).stack.flatMap(
      ({ route: one }: any) => one ?? [],
    )
    const places = placesOf(show)!
    const at = (one: any, method: string) => places.find(one, method)!.controller.method
    expect([at(all, 'GET'), at(all, 'POST')]).toEqual(['*', '*'])
    expect(places.find(all, 'GET')).toBe(places.find(all, 'POST'))
    expect([at(each, 'GET'), at(each, 'POST')]).toEqual(['GET', 'POST'])
    expect([at(both, 'GET'), at(both, 'POST')]).toEqual(['GET', '*'])
  })

  describe('check', () => {
    it('finds nothing where one is put before the handler, and where that goes', () => {
      const steps = [route(requireUser, legacy), route(requireUser, show, legacy), route(requireUser, show)]
      for (const before of steps) for (const now of steps) expect(found(before, now)).toEqual([])
    })

    it('fails where one stands before a guard of its route', () => {
      const before = app((one) => one.get('/x', requireUser, requireRole('admin'), legacy))
      const now = app((one) => one.get('/x', requireUser, show, requireRole('admin'), legacy))
      const { ok, routes } = checkMigration(before, now)
      expect(ok).toBe(false)
      const [change, ...others] = routes[0]!.changes
      expect(others).toEqual([])
      expect(change).toMatchObject({
        kind: 'lost',
        severity: 'error',
        native: 'shows',
        what: "requireRole('admin'), which stands behind the native callback shows",
      })
      expect(routes[0]!.remedy).toBe("put the native callback behind requireRole('admin'), in the route")
      expect(routes[0]!.answer).toMatch(/^the native callback shows \S+:\d+$/)
    })

    it.each([
      ['is lost', [show, legacy], ['lost requireUser', 'lost audit']],
      ['is lost, and the handler too', [audit, show], ['lost requireUser']],
      ['stands behind, where all is retired', [requireUser, show, audit], ['lost audit behind shows']],
      ['is another', [requireUser, loadId, show, legacy], ['lost audit', 'gained loadId']],
      ['stands in another order', [audit, requireUser, show, legacy], ['reordered']],
    ])('tells a guard of the route that %s', (_what, handlers, expected) => {
      const changes = found(route(requireUser, audit, legacy), route(...handlers))
      expect(changes).toHaveLength(expected.length)
      for (const [at, one] of expected.entries()) expect(changes[at]).toContain(`GET /orders/:id: ${one}`)
    })

    it('tells a guard that is lost where there is a native callback already', () => {
      expect(found(route(requireUser, show, legacy), route(show, legacy))).toEqual([
        'GET /orders/:id: lost requireUser',
      ])
      expect(found(route(requireUser, show), route(show))).toEqual(['GET /orders/:id: lost requireUser'])
    })

    it('tells guards of a param callback and of the mount that are lost', () => {
      const now = app((one) =>
        one.use('/orders', express.Router().get('/:id', ...[requireUser, show, legacy])),
      )
      expect(found(route(requireUser, legacy), now)).toEqual(
        expect.arrayContaining(['GET /orders/:id: lost <anonymous>', 'GET /orders/:id: lost loadId']),
      )
    })

    it('tells an error handler between one and the handler that it replaces', () => {
      const build = (...behind: any[]): any => app((one) => one.get('/x', requireUser, show, ...behind))
      const locked = app((one) => one.get('/x', requireUser, legacy))
      expect(found(locked, build(letOn, legacy))).toEqual(['GET /x: let-on letOn'])
      expect(found(locked, build(legacy, letOn))).toEqual([])
      const hidden = (...handlers: any[]): any => app((one) => one.get(/^\/(?!x)(?=y)z$/, ...handlers))
      const unreached = hidden(requireUser, legacy)
      expect(found(unreached, hidden(requireUser, show, letOn, legacy))).toContain(
        'GET /^\\/(?!x)(?=y)z$/: let-on letOn',
      )
      expect(found(unreached, hidden(show, requireUser, legacy))).toContain(
        'GET /^\\/(?!x)(?=y)z$/: lost requireUser behind shows',
      )
    })

    it('tells handlers that a call has made by what that was called with', () => {
      const two = (first: (one: any) => void): any =>
        app((one) => {
          first(one)
          one.get('/x', second)
        })
      const locked = two((one) => one.get('/x', passingFor('a')))
      expect(
        found(
          locked,
          two((one) => one.get('/x', native(fromExpress(passingFor('a'))))),
        ),
      ).toEqual([])
      expect(
        found(
          locked,
          two((one) => one.get('/x', native(fromExpress(passingFor('b'))))),
        ),
      ).toEqual(['GET /x: changed <anonymous>'])
      expect(
        found(
          locked,
          two((one) => one.get('/x', native(fromExpress(audit, [passingFor('b')])))),
        ),
      ).toEqual(['GET /x: gained audit', 'GET /x: changed <anonymous>', 'GET /x: gained audit'])
    })

    it('compares with a lock of an older version', () => {
      const twins = (...first: any[]): any =>
        app((one) => {
          one.get('/x', requireUser, ...first)
          one.get('/x', requireUser, second)
        })
      const inventory = inspect(twins(legacy))
      const routes = inventory.routes.map((row) => formerRow(row, 1))
      const lock = { ...createLock({ ...inventory, routes }), version: 1 } as const
      expect(found(lock, twins(show, legacy))).toEqual([])
      const overtaking = app((one) => {
        one.get('/x', requireUser, show, second)
        one.get('/x', requireUser, show, legacy)
      })
      expect(found(lock, overtaking)).toEqual([expect.stringMatching(/^GET \/x: reordered shows,/)])
      const wrong = app((one) => {
        one.get('/x', show, requireUser, legacy)
        one.get('/x', requireUser, second)
      })
      expect(found(lock, wrong)).toContain('GET /x: lost requireUser behind shows')
    })

    it('accepts that a guard stands behind, and not that it goes as well', () => {
      const before = app((one) => one.get('/x', requireUser, legacy))
      const now = app((one) => one.get('/x', show, requireUser, legacy))
      const lock = createLock(inspect(before))
      const reason = { because: 'a test', date: '2026-11-21' }
      const accepted = accept(lock, inspect(now), checkMigration(lock, now).routes, reason)
      expect(found(accepted, now)).toEqual([])
      const gone = app((one) => one.get('/x', show, legacy))
      expect(found(accepted, gone)).toEqual(['GET /x: lost requireUser'])
    })

    it('compares those of all methods and of chains', () => {
      const all = (...handlers: any[]): any => app((one) => one.all('/all', ...handlers))
      expect(found(all(requireUser, legacy), all(requireUser, show, legacy))).toEqual([])
      expect(found(all(requireUser, legacy), all(show, requireUser, legacy))).toEqual([
        '* /all: lost requireUser behind shows',
      ])
      const chain = (before: any[], behind: any[]): any =>
        app((one) =>
          one
            .route('/chain')
            .all(...before)
            .get(...behind),
        )
      const locked = chain([requireUser], [audit, legacy])
      expect(found(locked, chain([requireUser], [audit, show, legacy]))).toEqual([])
      expect(found(locked, chain([requireUser, show], [audit, legacy]))).toContain(
        'GET /chain: lost audit behind shows',
      )
    })

    it('tells what routes behind one that passes on have lost', () => {
      const two = (first: (one: any) => void): any =>
        app((one) => {
          first(one)
          one.get('/x', requireUser, second)
        })
      const locked = two((one) => one.get('/x', audit, passing))
      const kept = [
        two((one) => one.get('/x', audit, native(fromExpress(passing)), passing)),
        two((one) => one.get('/x', audit, native(fromExpress(passing)))),
      ]
      for (const now of kept) expect(found(locked, now)).toEqual([])
      const wrong = two((one) => one.get('/x', native(fromExpress(passing)), audit, passing))
      expect(found(locked, wrong)).toEqual(['GET /x: lost audit behind passing', 'GET /x: lost audit'])
      // One that answers all requests leaves none to the route behind it.
      const answering = two((one) => one.get('/x', audit, show, passing))
      expect(found(locked, answering)).not.toEqual([])
    })

    it('keeps several registrations of a route apart, with their handlers replaced or not', () => {
      const twins = (...each: any[][]): any =>
        app((one) => {
          for (const handlers of each) one.get('/x', ...handlers)
        })
      const locked = twins([legacy], [second])
      expect(found(locked, twins([show, legacy], [second]))).toEqual([])
      expect(found(locked, twins([show, second], [legacy]))).toEqual([
        expect.stringMatching(/^GET \/x: reordered shows,/),
      ])
    })

    it('knows it in an app that was taken over', () => {
      const build = (...handlers: any[]): any => route(requireUser, ...handlers)
      const take = (taken: any): unknown =>
        new RouteControllers(toControllers(taken, { middleware: true }).controllers, {
          profile: fromApp(taken),
        }).middleware()
      const lock = createLock(inspect(build(legacy)))
      expect(found(lock, take(build(show, legacy)))).toEqual([])
      expect(found(lock, take(route(show, requireUser, legacy)))).toEqual([
        'GET /orders/:id: lost requireUser behind shows',
      ])
      expect(rowsOf(take(build(show, legacy))).map(({ own }) => own.stage)).toEqual(['beside'])
    })
  })
})
