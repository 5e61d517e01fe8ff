import { Controller, RouteControllers } from 'routecontrollers'
import { express4 } from './support/profiles.js'
import { express5, expressPath, fromExpress, type ParamCallback } from 'routecontrollers/express'
import { describeAlike, type AnyHandler } from './support/compare.js'
import { describeRoutes, tell } from './support/routes.js'

const param = [
  ['POST', '/posted/:id', tell('posted')],
  ['GET', '/p/:id', tell('param')],
] as const

describeRoutes('params are decoded after the match', param, [
  '/p/a%2Fb',
  '/p/a+b',
  '/p/%25',
  '/p/%E4%BD%A0',
  '/p/a%20b/',
  '/p/',
  '/p/a%00b',
])
describeRoutes('an escape that is none is 400, whatever the method, where a param meets it', param, [
  '/p/%',
  '/p/%E9',
  '/posted/%',
  '/other/%',
  'HEAD /p/%',
])
describeRoutes(
  'names in a RegExp and in several of them',
  [['GET', /^\/r(\d)(?<name>\w)?(x)?$/, tell('re')]],
  ['/r1', '/r1a', '/r1ax'],
)
describeRoutes(
  'a param that is called as a member of Object, which Express has too',
  [
    ['GET', '/made/:constructor', tell('made')],
    ['GET', '/text/:toString', tell('text')],
  ],
  ['/made/a', '/text/a'],
)
describeRoutes(
  'wildcards of version 4',
  [['GET', '/f/*', tell('rest')]],
  ['/f/a%20b/c', '/f/', '/f', '/f/%'],
  { versions: [4] },
)
describeRoutes('optional params of version 4', [['GET', '/u/:id?', tell('user')]], ['/u', '/u/7'], {
  versions: [4],
})
describeRoutes(
  'wildcards of version 5',
  [
    ['GET', '/f/*splat', tell('rest')],
    ['GET', '/o{/*splat}', tell('optional')],
  ],
  ['/f/a%20b/c', '/f/', '/f/a//b', '/o', '/o/a/b', '/o/%'],
  { versions: [5] },
)

const calls = (): { callbacks: Record<string, ParamCallback[]>; log: string[] } => {
  const log: string[] = []
  const note: ParamCallback = (req, _res, next, value, name) => {
    log.push(`${name}=${value}`)
    if (value === 'skip') return next('route')
    if (value === 'fail') return next(new Error('no such user'))
    if (value === 'throw') throw new Error('thrown')
    req.params[name] = `${value}!`
    next()
  }
  return { callbacks: { id: [note, (_req, _res, next) => setImmediate(next)] }, log }
}
const again: AnyHandler = (_req, _res, next) => next()

describe.each([
  ['express4', express4],
  ['express5', express5],
] as const)('the option params of %s', (_name, profile) => {
  it('calls a callback once for each value of a request, before the routes that have it', async () => {
    const { callbacks, log } = calls()
    const controllers = [
      new Controller('GET', '/u/:id', fromExpress(again as any)),
      new Controller('GET', '/u/:id', (req) => ({ id: req.params.id })),
    ]
    const fetchHandler = new RouteControllers(controllers, {
      profile: profile({ params: callbacks, settings: { env: 'test' } }),
    }).getCallback()
    const answer = await fetchHandler(new Request('http://test/u/7'))
    expect(await answer.json()).toEqual({ id: '7!' })
    expect(log).toEqual(['id=7'])
  })

  it.each([null, 'id', 7])('refuses %p', (params) => {
    expect(() => profile({ params: params as never })).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })

  it('refuses what is no function', () => {
    expect(() => profile({ params: { id: 'load' as never } })).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }),
    )
  })
})

const { callbacks } = calls()
describeAlike(
  'param callbacks',
  {
    changed: { target: '/u/7' },
    skipped: { target: '/u/skip' },
    failed: { target: '/u/fail' },
    'HEAD of a route that has none': { method: 'HEAD', target: '/posted/fail' },
    'HEAD of a route that has none, which goes on': { method: 'HEAD', target: '/posted/7' },
    thrown: { target: '/u/throw' },
  },
  [],
  {
    withoutProfile: false,
    profile: { params: callbacks },
    legacy(app) {
      for (const callback of callbacks['id']!) app.param('id', callback as never)
      app.get('/u/:id', tell('one') as never)
      app.get('/u/:other', tell('other') as never)
      app.post('/posted/:id', tell('posted') as never)
    },
    controllers: () => [
      new Controller('GET', expressPath('/u/:id'), fromExpress(tell('one') as any)),
      new Controller('GET', expressPath('/u/:other'), fromExpress(tell('other') as any)),
      new Controller('POST', expressPath('/posted/:id'), fromExpress(tell('posted') as any)),
    ],
  },
)
