import { tmpdir } from 'node:os'
import cors from 'cors'
import express5, { type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import { express4 as profile4, express5 as profile5 } from 'routecontrollers/express'
import { migration } from '@routecontrollers/switch'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { describeWays, serveShop, silent } from './shop.js'

const docs: RequestHandler = (_req, res) => void res.send('old docs')
const passes: RequestHandler = (_req, _res, next) => next()

describeWays('A path that the legacy app answers by a mount', (way) => {
  it('is answered by it after the first deploy, and by its Controller once that is set', async () => {
    const { send, switching, logged } = await serveShop(way, {
      native: () =>
        ['/docs', '/docs/:page', '/new'].map((path) => new Controller('GET', path, () => 'native')),
      legacy: (app) => {
        app.use(passes)
        app.use('/docs', docs)
        app.use((_req, res) => void res.status(404).send('none'))
      },
    })
    const answers = async (): Promise<string[]> => [
      (await send('/docs')).text,
      (await send('/docs/start')).text,
      (await send('/new')).text,
    ]
    expect(await answers()).toEqual(['old docs', 'old docs', 'native'])
    expect(logged).toContain(
      'info migration: the legacy app has no route for GET /docs, GET /docs/:page, but functions of use at paths of their own that may answer: they begin at legacy; where none does, set what are new to native',
    )
    await switching.set('/docs', 'native', { reason: 'a test' })
    expect(await answers()).toEqual(['native', 'native', 'native'])
  })
})

type Apps = { readonly make: () => Express; readonly Router: typeof express5.Router; readonly four: boolean }

const kinds: readonly (readonly [string, Apps])[] = [
  ['Express 4', { make: express4 as never, Router: express4.Router as never, four: true }],
  ['Express 5', { make: express5, Router: express5.Router, four: false }],
]

describe.each(kinds)('What a Controller begins with in front of %s', (_name, { make, Router, four }) => {
  /** The state of a Controller of each path. */
  function states(
    setUp: (app: Express) => void,
    paths: readonly string[],
    { method = 'GET', profile = false, isInside = false } = {},
  ): Record<string, string> {
    const legacy = make()
    const routeControllers = new RouteControllers(
      paths.map((path) => new Controller(method, path, () => 'native')),
      profile
        ? { profile: four ? profile4({ express: express4 as never }) : profile5({ express: express5 }) }
        : {},
    )
    const switching = migration({ legacy, routeControllers, logger: silent })
    if (isInside) legacy.use(passes, cors())
    if (isInside) legacy.use('/', passes, switching.middleware())
    setUp(legacy)
    const { routes } = switching.status()
    void switching.close()
    return Object.fromEntries(routes.map(({ path, state }) => [path, state]))
  }

  const mounted: Readonly<Record<string, (app: Express) => unknown>> = {
    'a function': (app) => app.use('/docs', docs),
    'a list of functions': (app) => app.use('/docs', [passes, [passes, docs]] as never),
    'static files': (app) => app.use('/docs', express5.static(tmpdir())),
    'another case': (app) => app.use('/DOCS', docs),
    'a slash at the end': (app) => app.use('/docs/', docs),
    'a list of paths': (app) => app.use(['/help', '/docs'], docs),
    'a regular expression': (app) => app.use(/^\/docs/, docs),
    'a param': (app) => app.use('/:section', docs),
    'a router with a function': (app) => app.use('/docs', Router().use(docs)),
    'a router with a mount': (app) => app.use(Router().use('/docs', docs)),
    'routers in routers': (app) => app.use('/', Router().use(Router().use('/docs', Router().use('/', docs)))),
    'an app': (app) => app.use('/docs', make().use(docs)),
    'an app with a mount': (app) => app.use(make().use('/docs', docs)),
    'a function that may pass': (app) => app.use('/docs', passes),
  }

  it.each(Object.entries(mounted))('is legacy below %s', (_title, setUp) => {
    for (const profile of [false, true]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const found = states(setUp, ['/docs', '/docs/:page', '/docs/a/b'], { profile, method })
        expect(found).toEqual({ '/docs': 'legacy', '/docs/:page': 'legacy', '/docs/a/b': 'legacy' })
      }
      expect(states(setUp, ['/docs'], { profile, isInside: true })).toEqual({ '/docs': 'legacy' })
    }
  })

  it.each([
    ['params', '/tenants/:id/docs', '/tenants/:tenant/docs/:page'],
    ['a part of a path', '/v1/docs', '/v1/docs'],
  ])('is legacy below a mount with %s', (_title, mount, path) => {
    expect(states((app) => app.use(mount, docs), [path, '/other'])).toEqual({
      [path]: 'legacy',
      '/other': 'native',
    })
  })

  it.each(['/:page', '/*', '*'])('is legacy for %s, which takes the path of a mount too', (path) => {
    expect(states((app) => app.use('/docs', docs), [path, '/other'])).toEqual({
      [path]: 'legacy',
      '/other': 'native',
    })
    expect(states((app) => app.get('/docs', docs), [path, '/other'])).toEqual({
      [path]: 'legacy',
      '/other': 'native',
    })
  })

  it.each(['/:a/:b', '/:a/page', '/:a/:b/:c', '/:a/*'])(
    'is legacy for %s, which takes a path below a mount',
    (path) => {
      for (const setUp of Object.values(mounted)) {
        const found = states(setUp, [path, '/other/:id/of/all'])
        expect(found[path]).toBe('legacy')
      }
      for (const profile of [false, true]) {
        const found = states((app) => app.use('/docs', docs), [path, '/shop/:b/:c', '/other'], { profile })
        expect(found).toEqual({ [path]: 'legacy', '/shop/:b/:c': 'native', '/other': 'native' })
      }
      const found = states((app) => app.use('/:tenant/docs', docs), ['/shop/:b/:c', '/shop/:b'])
      expect(found).toEqual({ '/shop/:b/:c': 'legacy', '/shop/:b': 'legacy' })
    },
  )

  const everywhere: Readonly<Record<string, (app: Express) => unknown>> = {
    middleware: (app) => app.use(passes),
    'a 404 handler': (app) => app.use((_req, res) => void res.sendStatus(404)),
    'static files': (app) => app.use(express5.static(tmpdir())),
    'a slash': (app) => app.use('/', docs),
    'a pattern of all paths': (app) => app.use(four ? '*' : '/{*all}', docs),
    'another pattern of all paths': (app) => app.use(four ? '/*' : '/*all', docs),
    'a regular expression of all paths': (app) => app.use(/.*/, docs),
    'an error handler below it': (app) =>
      app.use(
        '/docs',
        ((_error: unknown, _req: never, res: Parameters<RequestHandler>[1], _next: never) =>
          void res.send('x')) as never,
      ),
    'a router below it without such a route': (app) => app.use('/docs', Router().get('/other', docs)),
    'an app below it without such a route': (app) => app.use('/docs', make().get('/other', docs)),
    'a path that begins alike': (app) =>
      app.use('/doc', docs).use('/docs/guide', docs).use('/docsmore', docs),
  }

  it.each(Object.entries(everywhere))('is native behind %s', (_title, setUp) => {
    for (const isInside of [false, true])
      expect(states(setUp, ['/docs', '/docs/a'], { isInside })).toEqual({
        '/docs': 'native',
        '/docs/a': 'native',
      })
  })

  it('is legacy inside at a path where the app has a route at that path, which then is no route of its own', async () => {
    const legacy = make()
    const controllers = ['/', '/new'].map((path) => new Controller('GET', path, () => 'native'))
    const routeControllers = new RouteControllers(controllers)
    const switching = migration({ legacy, routeControllers, logger: silent })
    legacy.use('/api', switching.middleware())
    legacy.get('/api', docs)
    const { port, close } = await listenOn(legacy)
    expect((await sendTo(port)('/api')).text).toBe('old docs')
    const { routes, legacyOnly } = switching.status()
    expect(routes.map(({ path, state }) => [path, state])).toEqual([
      ['/', 'legacy'],
      ['/new', 'native'],
    ])
    expect(legacyOnly).toEqual([])
    await close()
    await switching.close()
  })

  it('is native inside at a path, whatever has passed the request on before', async () => {
    const legacy = make()
    const controllers = [
      new Controller('GET', '/new', () => 'native'),
      new Controller('GET', '/docs', () => 'native'),
    ]
    const switching = migration({
      legacy,
      routeControllers: new RouteControllers(controllers),
      logger: silent,
    })
    legacy.use('/api', cors(), passes, switching.middleware())
    legacy.use('/api/docs', docs)
    const { port, close } = await listenOn(legacy)
    expect((await sendTo(port)('/api/new')).text).toBe('native')
    expect((await sendTo(port)('/api/docs')).text).toBe('old docs')
    await close()
    await switching.close()
  })
})
