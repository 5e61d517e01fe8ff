import { Controller } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import type { AnyHandler } from './support/compare.js'
import { express4 } from './support/profiles.js'
import { describeRoutes, tell } from './support/routes.js'

const pass: AnyHandler = (_req, _res, next) => next()
const mark =
  (name: string): AnyHandler =>
  (_req, res, next) => {
    res.setHeader('X-Marks', `${String(res.getHeader('X-Marks') ?? '')}${name}`)
    next()
  }
const caught: AnyHandler = (error: any, _req: any, res: any, _next: any) =>
  res.end(`caught ${String(error.message ?? error)}`)
const forgiven: AnyHandler = (_error: any, _req: any, _res: any, next: any) => next()
// Not error handlers and not handlers: neither version calls them.
const odd = ((_a: any, _b: any, _c: any, _d: any, _e: any) => undefined) as never

describeRoutes(
  'next()',
  [
    ['GET', '/list', mark('a'), [mark('b'), mark('c')] as never, odd, tell('list')],
    ['GET', '/:on', mark('d'), (_req, _res, next) => setTimeout(next, 5)],
    ['GET', '/:to', mark('e'), tell('second')],
    ['GET', '/skip/:x', (_req, _res, next) => next('route'), tell('never')],
    ['GET', '/skip/:y', tell('after skip')],
    ['GET', '/leave/:x', (_req, _res, next) => next('router')],
    ['GET', '/leave/:y', tell('never')],
    [
      'GET',
      '/falsy/:v',
      (req, _res, next) =>
        next(({ zero: 0, empty: '', no: false, null: null } as any)[String(req.params['v'])]),
      tell('falsy'),
    ],
    ['GET', '/none', pass, pass],
  ],
  ['/list', '/on', '/skip/7', '/leave/7', '/falsy/zero', '/falsy/empty', '/falsy/no', '/falsy/null', '/none'],
)
describeRoutes(
  'error handlers among the handlers',
  [
    ['GET', '/skipped', caught, tell('no error')],
    ['GET', '/caught', (_req, _res, next) => next(new Error('x')), tell('never'), caught],
    ['GET', '/forgiven', (_req, _res, next) => next(new Error('x')), forgiven, tell('forgiven')],
    [
      'GET',
      '/again',
      () => {
        throw new Error('first')
      },
      () => {
        throw new Error('never')
      },
      () => undefined,
      ((_error: any, _req: any, _res: any, _next: any) => {
        throw new Error('second')
      }) as never,
      caught,
    ],
    ['GET', '/route', (_req, _res, next) => next('route'), caught],
    ['GET', '/:any', tell('behind')],
  ],
  ['/skipped', '/caught', '/forgiven', '/again', '/route'],
)
describeRoutes(
  'next() twice',
  [
    [
      'GET',
      '/twice',
      (_req, _res, next) => (next(), next()),
      mark('a'),
      mark('b'),
      (_req, res) => void res.end('done'),
    ],
  ],
  ['/twice'],
)

describeServings(
  'a chain of handlers',
  ({ serve }) => {
    it('does not overflow the stack with ten thousand that go on at once', async () => {
      let called = 0
      const handlers = Array.from(
        { length: 10_000 },
        () => (_req: unknown, _res: unknown, next: () => void) => {
          called++
          next()
        },
      )
      const last = fromExpress((_req, res) => res.end(String(called)))
      const routes = Array.from(
        { length: 10_000 },
        () => new Controller('GET', '/many', fromExpress(...handlers.slice(0, 1))),
      )
      const { send } = await serve(
        [
          ...routes,
          new Controller('GET', '/many', fromExpress(...handlers)),
          new Controller('GET', '/many', last),
        ],
        { profile: 'express5' },
      )
      expect((await send('/many')).text).toBe('20000')
    })

    it('keeps what stands behind a prefix of thousands of routes at hand', async () => {
      const routes = Array.from(
        { length: 10_000 },
        (_, at) =>
          new Controller(
            'GET',
            `/r${at}/:id`,
            fromExpress((req, res) => res.end(`${at} ${req.params['id']}`)),
          ),
      )
      const { routeControllers, send } = await serve(routes, { profile: express4() })
      expect((await send('/R9999/x/')).text).toBe('9999 x')
      expect(routeControllers.checkRoute('GET:/r5/y')).toEqual({
        exists: true,
        params: { id: 'y' },
        key: 'GET:/r5/:id',
      })
    })
  },
  ({ name }) => name === 'standalone',
)
