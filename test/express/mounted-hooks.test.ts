import express5Module from 'express'
import express4Module from 'express4'
import { Controller, type Next, RouteControllers } from 'routecontrollers'
import { express5, expressPath, fromExpress } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import { type CompareOptions, describeAlike } from './support/compare.js'
import { express4 } from './support/profiles.js'

type Note = (req: any, how: string) => void
type MountedHook = (req: any, res: any, next: (error?: unknown) => void) => void

const note: Note = (req, how) => {
  const { url, originalUrl, baseUrl, path, params } = req
  ;(req.seen ??= []).push({ how, url, originalUrl, baseUrl, path, params: { ...params } })
}

/** Compares hooks at paths with `app.use(path, hook)`: what each of them has seen, and then a route that all paths match. */
function describeHooks(
  topic: string,
  hooks: readonly (readonly [path: string | undefined, hook: MountedHook])[],
  targets: readonly string[],
  options: CompareOptions = {},
): void {
  const requests = Object.fromEntries(targets.map((target) => [target, { target }]))
  const tell = (req: any, res: any): void => {
    note(req, 'route')
    res.end(JSON.stringify(req.seen))
  }
  const tellError = (error: any, req: any, res: any, _next: unknown): void => {
    note(req, `error ${error.message}`)
    res.end(JSON.stringify(req.seen))
  }
  describeAlike(topic, requests, [], {
    withoutProfile: false,
    legacy(app) {
      for (const [path, hook] of hooks) app.use(path ?? '/', hook)
      app.all(/.*/, tell)
      app.use(tellError)
    },
    setup(routeControllers: RouteControllers) {
      for (const [path, hook] of hooks) {
        if (path === undefined) routeControllers.addGlobal(hook)
        else routeControllers.addGlobal(path, hook)
      }
      routeControllers.addGlobal(tellError)
    },
    controllers: () => [new Controller('*', expressPath(/.*/), fromExpress(tell))],
    ...options,
  })
}

const see =
  (how: string): MountedHook =>
  (req, _res, next) => {
    note(req, how)
    next()
  }

/** Lets what follows see another URL, or whatever Express leaves of it. */
const rewrite =
  (change: (url: string) => string): MountedHook =>
  (req, _res, next) => {
    req.url = change(req.url)
    note(req, 'rewritten')
    next()
  }

const setStatus: MountedHook = (_req, res, next) => {
  res.status(203)
  next()
}
describeAlike(
  'a status that a hook sets and a callback leaves as it is',
  { GET: {}, HEAD: { method: 'HEAD' } },
  [],
  {
    withoutProfile: false,
    legacy(app) {
      app.use(setStatus)
      app.all('/x', (_req: any, res: any) => res.json({ a: 1 }))
    },
    setup: (routeControllers: RouteControllers) => void routeControllers.addGlobal(setStatus),
    controllers: () => [new Controller('*', '/x', (_req, res) => res.json({ a: 1 }))],
  },
)

describeHooks(
  'what a hook at a path sees',
  [
    [undefined, see('all')],
    ['/', see('root')],
    ['/m', see('static')],
    ['/m/:id', see('param')],
    ['/m/', see('slash')],
    ['/M/a/b', see('deep')],
  ],
  [
    '/',
    '/m',
    '/m/',
    '/m?x=/m/1',
    '/M/',
    '/m/7',
    '/m/7/',
    '/m/7?a=1',
    '/m/7/more',
    '/m/a/b',
    '/m/a//b',
    '/m/a%2Fb',
    '//m/7',
    '/m//7',
    '/mm',
    '/m.7',
    '/m/7.txt',
  ],
)
describeHooks(
  'the same with case sensitive routing',
  [['/M/:id', see('param')]],
  ['/M/7', '/m/7', '/M/7/x'],
  {
    settings: { 'case sensitive routing': true },
  },
)
describeHooks(
  'a hook at a path, for a target in absolute form',
  [['/m/:id', see('param')]],
  [
    'http://test/m/7',
    'http://test/m/7/x?a=1',
    'http://test',
    'http://test?a=/m/7',
    'http://test/m/7?http://x/',
  ],
  { web: false },
)
describeHooks(
  'a param that cannot be decoded',
  [
    ['/m/:id', see('guard')],
    [undefined, see('behind')],
  ],
  ['/m/%', '/m/%E0%A4%A', '/m/%41'],
)
describeHooks(
  'a mounted hook that ends with an error',
  [
    ['/m/:id', (_req, _res, next) => next(new Error('refused'))],
    ['/m', see('behind')],
  ],
  ['/m/7/x', '/x'],
)

for (const [how, change] of Object.entries({
  'to the root': () => '/',
  'to a query': () => '/?b=2',
  'to another path': () => '/other',
  'with a slash before': (url: string) => `/${url}`,
  'without its first character': (url: string) => url.slice(1),
})) {
  describeHooks(
    `a mounted hook that rewrites its URL ${how}`,
    [
      ['/m', rewrite(change)],
      ['/m', see('behind')],
    ],
    ['/m', '/m/', '/m?a=1', '/m/7', '/m/7?a=1'],
  )
}

const isOwnNext: MountedHook = (req, res, next) => {
  res.format({
    text: (_req: unknown, _res: unknown, given: unknown) => {
      if (given !== next || req.next !== next) return void res.status(500).send('another next')
      next()
    },
  })
}
describeHooks(
  'the next that req.next and res.format give to a hook',
  [
    [undefined, isOwnNext],
    ['/m', isOwnNext],
    ['/fails', (req) => void setImmediate(() => req.next(new Error('told by req.next')))],
  ],
  ['/', '/m/7', '/fails/7'],
)

for (const [version, express] of [
  [4, express4Module],
  [5, express5Module],
] as const) {
  const tell = (req: any, res: any): void => void res.send(`${req.mark} request, ${res.mark} response`)
  const tellError: any = (_error: unknown, req: any, res: any, _next: unknown) => tell(req, res)
  const createInner = (): any => {
    const inner: any = express()
    inner.request.mark = inner.response.mark = 'marked'
    inner.get('/', tell)
    inner.get('/fails', (_req: any, _res: any, next: any) => next(new Error('of the inner app')))
    return inner
  }
  const targets = { 'it answers': '/sub', 'it passes on': '/sub/foo', 'it fails': '/sub/fails' }
  describeAlike(
    'an app as a hook, whose members are on no request that it has passed on',
    Object.fromEntries(Object.entries(targets).map(([name, target]) => [name, { target }])),
    [],
    {
      versions: [version],
      withoutProfile: false,
      legacy: (app) => void app.use('/sub', createInner()).get('/sub/foo', tell).use(tellError),
      setup: (routeControllers) =>
        void routeControllers.addGlobal('/sub', createInner()).addGlobal(tellError),
      controllers: () =>
        Object.values(targets).map((path) => new Controller('GET', expressPath(path), fromExpress(tell))),
    },
  )
}

describeServings('a hook at a path for every request, under a profile', ({ serve }) => {
  it.each([
    ['express4', express4],
    ['express5', express5],
  ] as const)('sees what nobody here answers as %s shows it', async (_name, profile) => {
    const seen: unknown[] = []
    const see: MountedHook = (req, _res, next) => {
      seen.push([req.url, req.baseUrl, { ...req.params }])
      next()
    }
    const { send } = await serve([new Controller('GET', '/other', () => 'other')], {
      profile: profile(),
      setup: (routeControllers) =>
        routeControllers
          .addGlobal('/m/:id', see, { scope: 'every' })
          .addGlobal('/m', see, { scope: 'every' })
          .addGlobal(see, { scope: 'every' }),
    })
    await send('/m/7/x?a=1')
    expect(seen).toEqual([
      ['/x?a=1', '/m/7', { id: '7' }],
      ['/7/x?a=1', '/m', {}],
      ['/m/7/x?a=1', '', {}],
    ])
  })
})

describe.each([
  ['express4', '/a(b', express4],
  ['express5', '/a(b', express5],
] as const)('A hook under the profile %s', (_name, path, profile) => {
  it('is refused at once where Express cannot read its path', () => {
    const all = new RouteControllers([new Controller('GET', '/', () => '')], { profile: profile() })
    expect(() => all.addGlobal(path, (_req, _res, next) => next())).toThrow(
      expect.objectContaining({ code: 'ERR_PATTERN_INVALID', message: expect.stringContaining(path) }),
    )
  })
})

describeServings('A hook that throws its own request', ({ serve }) => {
  it.each(Object.entries({ express4, express5 }))(
    'lets nothing through under the profile %s, and neither does one that calls next(req)',
    async (_name, profile) => {
      const now = (req: unknown): never => {
        throw req as Error
      }
      const passing = (req: unknown, _res: unknown, next: Next): void => next(req)
      for (const hook of [now, async (req: unknown) => now(req), passing]) {
        const { send } = await serve([new Controller('GET', '/', () => 'secret')], {
          profile: profile({ settings: { env: 'test' } }),
          setup: (all) => void all.addGlobal(hook),
        })
        const { status, text } = await send('/')
        expect([status, text.includes('secret')]).toEqual([500, false])
      }
    },
  )
})
