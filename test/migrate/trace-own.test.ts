import express5 from 'express'
import express4 from 'express4'
import { inspect } from '@routecontrollers/cli'
import { Controller, RouteControllers, toListener } from 'routecontrollers'
import {
  addControllers,
  expressPath,
  fromApp,
  fromExpress,
  native,
  toControllers,
} from 'routecontrollers/express'
import { mayMeet } from 'routecontrollers/express-model'
import { itSlow } from '../support/counts.js'
import { errorHandlersBehind, LayerIndex, trace } from '../../src/express/model/trace.js'
import { fromConnect } from '../../src/index.js'
import { closeHosted, host } from '../support/hosting.js'

afterEach(closeHosted)

describe('What a request passes in RouteControllers, followed without a call', () => {
  it('is no Controller where a param cannot be decoded, but the hooks before and the error hooks', async () => {
    const seen: string[] = []
    const routeControllers = new RouteControllers([
      new Controller('GET', '/p/:id', function controller() {
        seen.push('controller')
        return 'x'
      }),
    ])
    routeControllers.addGlobal(function hook(_req, _res, next) {
      seen.push('hook')
      next()
    })
    routeControllers.addGlobal(function errorHook(
      error: unknown,
      _req: unknown,
      _res: unknown,
      next: (error: unknown) => void,
    ) {
      seen.push('errorHook')
      next(error)
    })
    const callback = routeControllers.getCallback()
    const passed = async (path: string): Promise<{ really: string[]; followed: string[] }> => {
      seen.length = 0
      await callback(new Request(`http://x${path}`))
      return {
        really: [...seen],
        followed: trace(toListener(callback), 'GET', path).map(({ run }) => run.name),
      }
    }
    for (const [path, names] of [
      ['/p/7', ['hook', 'controller']],
      ['/p/%E9', ['hook', 'errorHook']],
    ] as const) {
      expect(await passed(path)).toEqual({ really: names, followed: names })
    }
  })
})

const followed = (served: unknown, method: string, path: string): string[] =>
  trace(served, method, path).map(({ kind, run }) => (kind === 'options' ? kind : run.name))

describe.each([
  [4, express4],
  [5, express5],
] as const)('What a request passes in RouteControllers of an app of Express %d', (version, express: any) => {
  const seen: string[] = []
  const passing = (name: string): any =>
    Object.defineProperty((_req: any, _res: any, next: any) => (seen.push(name), next()), 'name', {
      value: name,
    })
  const sent = async (served: any, method: string, target: string): Promise<string[]> => {
    const { send } = await host(served)
    seen.length = 0
    const { headers } = await send(target, { method })
    return [...seen, ...(headers['allow'] === undefined ? [] : ['options'])]
  }
  const own = (path: string): Controller =>
    new Controller('GET', path, function controller() {
      seen.push('controller')
      return 'own'
    })
  const silent = (): any => express().set('env', 'test')

  it('ends with the Controller that answers, in front of an app', async () => {
    const served = toListener(new RouteControllers([own('/own')]).getCallback(), {
      fallback: silent().use(passing('guard')).get('/other', passing('other')),
    })
    expect(followed(served, 'GET', '/own')).toEqual(['controller'])
    expect(await sent(served, 'GET', '/own')).toEqual(['controller'])
    expect(followed(served, 'GET', '/other')).toEqual(['guard', 'other'])
    expect(await sent(served, 'GET', '/other')).toEqual(['guard', 'other'])
  })

  it.each<[string, string | RegExp, boolean]>([
    ['an app', '/api', true],
    ['an app, by a regular expression', /^\/api\/?/, true],
    ['a Router without an app', '/api', false],
  ])('is what it is where a mount in %s takes two slashes for one', async (_what, mount, isApp) => {
    const middleware = new RouteControllers([own('/teas')]).middleware()
    const router = (isApp ? silent() : express.Router()).use(mount, middleware)
    const served = isApp
      ? router
      : Object.assign((req: any, res: any) => router(req, res, () => res.end()), { stack: router.stack })
    for (const target of ['/api/teas', '/api//teas']) {
      expect([target, followed(router, 'GET', target)]).toEqual([target, await sent(served, 'GET', target)])
    }
    const takesTwo = version === 5 && typeof mount !== 'string'
    expect(followed(router, 'GET', '/api//teas')).toEqual(takesTwo ? ['controller'] : [])
  })

  it('is what it is there behind a mounted app of the other version, too', async () => {
    // With a route: an app of Express 4 has no router before it has one.
    const other = (version === 4 ? express5 : express4)().get('/else', passing('else'))
    const middleware = new RouteControllers([own('/teas')]).middleware()
    const app = silent().use(other).use('/api', middleware)
    for (const target of ['/api/teas', '/api//teas'])
      expect([target, followed(app, 'GET', target)]).toEqual([target, await sent(app, 'GET', target)])
    expect(followed(app, 'GET', '/api//teas')).toEqual([])
  })

  it('is all that stands behind Controllers in their own router, for OPTIONS, behind other routers too', async () => {
    const app = silent()
    app.use(express.Router().get('/else', passing('else')))
    const controller = new Controller('GET', expressPath('/x'), fromExpress(passing('ours')))
    app.use(new RouteControllers([controller], { profile: fromApp(app) }).middleware())
    app.use(passing('behind'))
    app.post('/x', passing('posted'))
    expect(followed(app, 'OPTIONS', '/x')).toEqual(['behind', 'options'])
    expect(await sent(app, 'OPTIONS', '/x')).toEqual(['behind', 'options'])
  })

  it('has the error handler of a Controller of Express’s handlers', async () => {
    const fails = (_req: any, _res: any, next: any): void => (seen.push('fails'), next(new Error('no')))
    function failed(_error: any, _req: any, res: any, _next: any): void {
      seen.push('failed')
      res.end()
    }
    const controller = new Controller('GET', '/x', fromExpress(fails, failed))
    const served = toListener(new RouteControllers([controller]).getCallback())
    expect(followed(served, 'GET', '/x')).toEqual(['fails', 'failed'])
    expect(await sent(served, 'GET', '/x')).toEqual(['fails', 'failed'])
    const [, step] = trace(served, 'GET', '/x')
    expect(step).toMatchObject({ kind: 'error', owner: controller, catches: 1 })
  })

  itSlow(
    'may end at a middleware of a Controller that gets next and does not call it, and at no other one',
    () => {
      const answered = (use: (controller: Controller) => unknown): unknown => {
        const controller = own('/x')
        use(controller)
        const [row] = inspect(new RouteControllers([controller])).routes
        return [row!.witness, row!.answer.name]
      }
      const around: any = function keeps(_req: any, res: any, _next: any): unknown {
        return res.status(503).end()
      }
      const before: any = function before(_req: any, res: any): unknown {
        return res.status(401).end()
      }
      const hook: any = function hook(_req: any, res: any, _next: any): void {
        res.end()
      }
      expect(answered((one) => one.use(around))).toEqual(['/x', 'keeps'])
      expect(answered((one) => one.use(before))).toEqual(['/x', 'controller'])
      expect(answered((one) => one.use(fromConnect(hook)))).toEqual(['/x', 'hook'])
    },
  )

  it('ends where the Controllers in front of an app have a part of it, also where that passes the request on', async () => {
    const app = silent().use(passing('guard')).get('/a', passing('a')).get('/b', passing('b'))
    const { controllers } = toControllers(app, { only: ['/a'] })
    const all = new RouteControllers(controllers, { profile: fromApp(app) })
    const served = toListener(all.getCallback(), { fallback: app })
    for (const [target, names] of [
      ['/a', ['guard', 'a']],
      ['/b', ['guard', 'b']],
    ] as const) {
      expect([target, followed(served, 'GET', target)]).toEqual([target, names])
      expect([target, await sent(served, 'GET', target)]).toEqual([target, names])
    }
  })

  it('ends where a param of a Controller in front of an app cannot be decoded', async () => {
    const served = toListener(new RouteControllers([own('/p/:id')]).getCallback(), {
      fallback: silent().use(passing('guard')),
    })
    for (const [target, names] of [
      ['/p/7', ['controller']],
      ['/p/%E9', []],
      ['/q', ['guard']],
    ] as const) {
      expect([target, followed(served, 'GET', target)]).toEqual([target, names])
      expect([target, await sent(served, 'GET', target)]).toEqual([target, names])
    }
  })

  it('is a Controller among the routes of an app', async () => {
    const app = silent().use(passing('guard'))
    addControllers(app, [own('/own')])
    expect(followed(app, 'GET', '/own')).toEqual(['guard', 'controller'])
    expect(await sent(app, 'GET', '/own')).toEqual(['guard', 'controller'])
  })

  it('has one handler of a route that is to answer, the last one', () => {
    const app = silent().get('/x', passing('guard'), passing('first'), passing('last'))
    expect(trace(app, 'GET', '/x').map(({ run, isLast }) => [run.name, isLast])).toEqual([
      ['guard', false],
      ['first', false],
      ['last', true],
    ])
  })

  it('leads an error to error handlers alone, also to those at other paths that are asked for', () => {
    function failed(_error: any, _req: any, _res: any, next: any): void {
      next()
    }
    const app = silent().use(passing('guard')).use('/other', passing('other')).use('/other', failed)
    const behind = (meets: boolean): string[] =>
      errorHandlersBehind(app, 'GET', '/x', 0, new LayerIndex(), () => meets).map(({ run }) => run.name)
    expect([behind(true), behind(false)]).toEqual([['failed'], []])
  })

  it('is no route behind a param that cannot be decoded, but an error handler', async () => {
    const failed = (error: any, _req: any, res: any, _next: any): void => {
      seen.push('failed')
      res.status(error.status).end()
    }
    const app = silent().get('/:id', passing('first')).get(/^\/.*/, passing('second')).use(failed)
    for (const target of ['/7', '/%E9']) {
      const names = trace(app, 'GET', target).flatMap(({ run, catches }) =>
        catches === undefined ? run.name : [],
      )
      expect([target, names]).toEqual([target, await sent(app, 'GET', target)])
    }
  })

  it('is an error handler between a native callback and the handler that it replaces, and none twice', () => {
    const handlers = ['before', 'between', 'behind'].map((name) =>
      Object.defineProperty((_error: any, _req: any, _res: any, next: any) => next(), 'name', {
        value: name,
      }),
    )
    const shows = native(function shows() {
      return 'native'
    })
    const [before, between, behind] = handlers
    const app = silent().get('/x', passing('guard'), before, shows, between, passing('legacy'), behind)
    expect(
      trace(app, 'GET', '/x').map(({ kind, run }) => `${kind} ${kind === 'error' ? run.name : ''}`.trim()),
    ).toEqual(['handler', 'error before', 'error between', 'handler', 'error behind'])
  })

  it('is each handler of a native callback of several, of which the last one is to answer', () => {
    function legacy(_req: any, res: any): void {
      res.send('legacy')
    }
    const last = Object.defineProperty((_req: any, res: any) => res.send('native'), 'name', { value: 'last' })
    function failed(_error: any, _req: any, _res: any, next: any): void {
      next()
    }
    const app = silent().get('/x', native(fromExpress(passing('first'), last, failed)), legacy)
    expect(
      trace(app, 'GET', '/x').map(({ kind, run, isLast, behind }) => [
        kind,
        run.name,
        isLast,
        behind?.map((one) => one.run.name),
      ]),
    ).toEqual([
      ['handler', 'first', false, ['legacy']],
      ['handler', 'last', true, ['legacy']],
      ['error', 'failed', false, ['legacy']],
    ])
    expect(trace(app, 'GET', '/x').map(({ catches }) => catches)).toEqual([undefined, undefined, 2])
  })
})

it.each<[string, string, boolean]>([
  ['/teas/:id', '/teas', true],
  ['/cups', '/teas', false],
  // A router of Express takes no notice of case unless it is told to.
  ['/Teas/:id', '/teas', true],
  ['/teas/cups', '/:kind/cups', true],
  ['/teas/cups', '/:kind/mugs', false],
  ['/cups', '/*x', true],
  ['/cups', '/x*', true],
  ['/(cups)', '/teas', true],
  ['/(cups', '/teas', true],
])('A request for %s may be one below the mount %s: %p', (path, mount, expected) => {
  expect(mayMeet(path, mount, false)).toBe(expected)
})
