import { mayPass } from '../../src/migrate/may-pass.js'

describe('Whether a function may give its request on', () => {
  it.each<[boolean, boolean, any]>([
    [true, true, (_req: any, _res: any, next: any) => next()],
    [true, true, (_req: any, _res: any, next: any) => next('route')],
    [true, false, (_req: any, _res: any, next: any) => next(new Error('x'))],
    [true, false, async (_req: any, res: any, next: any) => res.load().catch(next)],
    [true, true, (req: any, res: any, next: any) => res.load(next, req)],
    [false, false, (_req: any, _res: any, _next: any) => {}],
    [false, false, (_req: any, res: any) => res.end()],
    [false, false, (res: any) => res],
    [true, true, (req: any) => req.next()],
    [true, true, (...all: any[]) => all[2]()],
    // eslint-disable-next-line prefer-rest-params -- what it is about
    [true, true, function (this: any) { return arguments[2] }], // prettier-ignore
    [true, true, (_req: any, _res: any, { go }: any) => go()],
    [true, false, Math.max],
    [true, false, ((_req: any, _res: any) => {}).bind(null)],
  ])('as middleware %s, as the last of a route %s: %p', (asMiddleware, asLast, run) => {
    expect([mayPass(run), mayPass(run, true)]).toEqual([asMiddleware, asLast])
  })
})
