import { Controller } from 'routecontrollers'
import { express5, expressPath, fromExpress } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import { describeAlike } from './support/compare.js'
import { describeRoutes, tell } from './support/routes.js'

const routes = [
  ['POST', '/a', tell('post')],
  ['GET', '/a', tell('get')],
  ['PUT', '/:any', tell('put')],
  ['GET', '/b/:id', tell('b')],
  ['all', '/all', tell('all')],
  ['OPTIONS', '/own', tell('own')],
] as const

describeRoutes('OPTIONS', routes, [
  'OPTIONS /a',
  'OPTIONS /A/',
  'OPTIONS /b/7',
  'OPTIONS /all',
  'OPTIONS /own',
  'OPTIONS /nope/x/y',
  'OPTIONS /b/%',
])
describeRoutes('OPTIONS *', routes, ['OPTIONS *'], { web: false })
describeRoutes(
  'OPTIONS behind a route that passes on',
  [
    ['GET', '/a', tell('get')],
    ['all', '/a', (_req, _res, next) => next()],
    ['OPTIONS', '/a', (_req, _res, next) => next()],
    ['DELETE', '/a', tell('delete')],
  ],
  ['OPTIONS /a'],
)
describeRoutes(
  'HEAD',
  [
    ['GET', '/get', (_req, res) => res.end('text')],
    ['HEAD', '/head', (_req, res) => res.set('X-Head', 'own').end()],
    ['GET', '/head', (_req, res) => res.end('text')],
    ['GET', '/late', (_req, res) => res.end('text')],
    ['HEAD', '/late', (_req, res) => res.set('X-Head', 'own').end()],
    ['POST', '/post', tell('post')],
    ['HEAD', '/alone', (_req, res) => res.set('X-Head', 'own').end()],
  ],
  ['HEAD /get', 'HEAD /head', 'HEAD /late', 'HEAD /post', 'GET /head', 'HEAD /alone', 'GET /alone'],
)

const sharedPath = expressPath('/one')
describeAlike(
  'Controllers that share a path are one route',
  { options: { method: 'OPTIONS', target: '/one' }, head: { method: 'HEAD', target: '/one' } },
  [],
  {
    withoutProfile: false,
    legacy(app) {
      app
        .route('/one')
        .get(tell('get') as never)
        .post(tell('post') as never)
        .head((_req, res) => void res.set('X-Head', 'own').end())
    },
    controllers: () => [
      new Controller('GET', sharedPath, fromExpress(tell('get') as any)),
      new Controller('POST', sharedPath, fromExpress(tell('post') as any)),
      new Controller(
        'HEAD',
        sharedPath,
        fromExpress((_req, res) => res.set('X-Head', 'own').end()),
      ),
    ],
  },
)

describeServings('A HEAD request that no route takes', ({ serve, misses }) => {
  it('meets no hook where something stands behind', async () => {
    const seen: string[] = []
    const { send } = await serve([new Controller('POST', '/post', () => 'posted')], {
      profile: express5(),
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          seen.push(req.method!)
          next()
        }),
    })
    expect((await send('/post', { method: 'HEAD' })).status).toBe(404)
    expect((await send('/post', { method: 'POST' })).text).toBe('posted')
    expect(seen).toEqual(misses === 'us' ? ['HEAD', 'POST'] : ['POST'])
  })
})
