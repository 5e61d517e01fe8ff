import { mayPass, needOfMount } from '../../src/express/model/may-pass.js'

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
    [false, false, (_req: any, res: any, _: any) => res.end()],
    [true, true, (req: any) => req.next()],
    [true, true, (req: any, res: any) => req['next'](res)],
    [true, true, ({ next }: any, _res: any) => next()],
    [true, true, ({ query, next: go }: any, _res: any) => go(query)],
    [true, true, (req: any, _res: any) => { const { query, next } = req; next(query) }], // prettier-ignore
    [false, false, (req: any, res: any) => { const { next } = req.page; res.json(next) }], // prettier-ignore
    [false, false, ({ nextPage }: any, res: any) => res.json(nextPage)],
    [true, true, (...all: any[]) => all[2]()],
    // eslint-disable-next-line prefer-rest-params -- what it is about
    [true, true, function (this: any) { return arguments[2] }], // prettier-ignore
    [true, true, (_req: any, _res: any, { go }: any) => go()],
    [true, true, (_req: any, _res: any, { call: go }: any) => go()],
    // Letters that are not of ASCII are not read as a name.
    [true, true, (_req: any, _res: any, _nächster: any) => {}],
    // Its parameters cannot be told.
    [true, true, (_req: any, res: any, _next: any = '(') => res.end()],
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- as written: a compiler has its own spaces and comments
    [true, false, new Function('_req', '_res', 'next', 'next (new Error("x"))')],
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- as written
    [true, true, new Function('req', 'res', 'req[ "next" ](res)')],
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- as written
    [false, false, new Function('_req', 'res', '/* { [native code] } */ res.end()')],
    [true, false, Math.max],
    [true, false, ((_req: any, _res: any) => {}).bind(null)],
  ])('as middleware %s, as the last of a route %s: %p', (asMiddleware, asLast, run) => {
    expect([mayPass(run), mayPass(run, true)]).toEqual([asMiddleware, asLast])
  })
})

it('A function of the platform is known by its text, as Node and as Bun write that', () => {
  for (const text of ['function () { [native code] }', 'function () {\n    [native code]\n}\n']) {
    const bound = (): void => {}
    const written = jest.spyOn(Function.prototype, 'toString').mockReturnValue(text)
    const passes = [mayPass(bound), mayPass(bound, true)]
    written.mockRestore()
    expect(passes).toEqual([true, false])
  }
})

describe('What a function needs its mount for', () => {
  const reads = (name: string): string => `a function reads req.${name}, which its mount changes`
  it.each<[string | undefined, string | undefined, any]>([
    [undefined, undefined, (req: any, res: any) => res.json(req.body)],
    [reads('url'), reads('url'), (req: any, res: any) => res.json(req.url)],
    [reads('path'), reads('path'), (request: any, res: any) => res.json(request?.path)],
    [reads('baseUrl'), reads('baseUrl'), (req: any, res: any) => { const { baseUrl, body } = req; res.json(baseUrl, body) }], // prettier-ignore
    [reads('url'), reads('url'), ({ url }: any, res: any) => res.json(url)],
    [reads('route'), reads('route'), (_error: any, req: any, res: any, _next: any) => res.json(req.route)],
    [undefined, reads('params'), (req: any, res: any) => res.json(req.params)],
    [undefined, undefined, (req: any, res: any) => res.json(req.originalUrl || req.url)],
    [undefined, undefined, (req: any, res: any) => res.json(req.originalUrl, res.path, req.file.path)],
    [undefined, undefined, (_req: any, res: any) => res.cookie('a', 'b', { path: '/' })],
    ['the text of a function cannot be read', 'the text of a function cannot be read', Math.max],
  ])('as a handler %s, as middleware %s: %p', (asHandler, asMiddleware, run) => {
    expect([needOfMount(run, true), needOfMount(run, false)]).toEqual([asHandler, asMiddleware])
  })
})
