// What is handed around in the place of an app: a Proxy of it, a copy, an heir, a facade, the stub of a unit test.
import express5, { type Express } from 'express'
import { type AnyController, Controller, RouteControllers, toListener } from 'routecontrollers'
import { addControllers, expressPath, fromApp, fromExpress, fromRouter } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'

afterEach(closeHosted)

const answer = (): AnyController =>
  new Controller(
    'GET',
    '/users/:id',
    fromExpress((req, res) => void res.json({ id: req.params['id'], isApp: typeof req.app === 'function' })),
  )
type Members = Record<string, any>

const standIns: readonly (readonly [string, (app: Express) => unknown])[] = [
  [
    'a Proxy of a copy',
    (app) =>
      new Proxy(
        { ...app },
        {
          get: (_target, name) => (app as unknown as Members)[name as string],
          set: (_target, name, value) => ((app as unknown as Members)[name as string] = value) !== Symbol(),
        },
      ),
  ],
  [
    'a Proxy of an empty object',
    (app) =>
      new Proxy(
        {},
        {
          get: (_target, name) => (app as unknown as Members)[name as string],
        },
      ),
  ],
  ['a Proxy of the app itself', (app) => new Proxy(app, {})],
  ['a copy', (app) => ({ ...app })],
  ['an heir with members of its own', (app) => Object.assign(Object.create(app), { log: () => {} })],
]

describeServings('with fromApp', ({ serve }) => {
  it.each(standIns)('%s has the settings of its app', async (_name, standIn) => {
    const app = createExpress(express5).set('json spaces', 1)
    // Its router is made: a copy has that of its app from here on.
    app.use((_req, _res, next) => next())
    const { send } = await serve([answer()], { profile: fromApp(standIn(app)) })
    const { status, text } = await send('/users/7')
    expect({ status, text }).toEqual({ status: 200, text: '{\n "id": "7",\n "isApp": true\n}' })
    expect((await send('/users/%')).status).toBe(400)
  })
})

describe.each(expresses)('An app of %s', (_name, express) => {
  it.each(standIns)(
    '%s takes Controllers as the app does, with its params as guards',
    async (_of, standIn) => {
      const app = createExpress(express)
      app.param('id', (_req, res, next, id) => (id === '0' ? void res.sendStatus(403) : next()))
      const given = standIn(app) as Express
      given.use(new RouteControllers([answer()], { profile: fromApp(given) }).middleware())
      const { send } = await host(app)
      expect((await send('/users/7')).json()).toEqual({ id: '7', isApp: true })
      expect((await send('/users/0')).status).toBe(403)
      expect((await send('/users/7', { method: 'OPTIONS' })).headers['allow']).toMatch(/^GET, ?HEAD$/)
      expect((await send('/other')).status).toBe(404)
    },
  )

  it.each(standIns)('%s takes them by addControllers, and so does a Router', async (_of, standIn) => {
    const app = createExpress(express)
    // Version 4 makes a router by the first `use`: a copy that is made before it has one of its own.
    app.use((_req, _res, next) => next())
    const router = addControllers(express.Router(), [answer()])
    addControllers(standIn(app), [answer()])
    app.use('/router', router)
    const { send } = await host(app)
    expect((await send('/users/7')).json()).toEqual({ id: '7', isApp: true })
    expect((await send('/router/users/8')).json()).toEqual({ id: '8', isApp: true })
    const native = new Controller('GET', '/native', () => 'native')
    const facade = { get: app.get.bind(app) }
    addControllers(facade, [native.use((_req, _res, next) => next())])
    expect((await send('/native')).text).toBe('native')
  })

  it.each<[string, () => Members]>([
    ['', () => ({})],
    [' and a request of another app', () => ({ request: { app: createExpress(express) } })],
  ])('a facade with some methods of the app%s gets the app when a request comes', async (_with, more) => {
    const app = createExpress(express).set('case sensitive routing', true)
    app.param('id', (_req, res, next, id) => (id === '0' ? void res.sendStatus(403) : next()))
    const facade = { get: app.get.bind(app), use: app.use.bind(app), ...more() }
    const routeControllers = new RouteControllers([answer()], { profile: fromApp(facade) })
    const hook = jest.fn((_req, _res, next) => next())
    routeControllers.addGlobal('/users', hook)
    facade.use(routeControllers.middleware())
    facade.get('/behind', (_req: unknown, res: any) => res.send('behind'))
    const { send } = await host(app)
    expect((await send('/users/7')).json()).toEqual({ id: '7', isApp: true })
    expect(hook).toHaveBeenCalledTimes(1)
    expect((await send('/users/0')).status).toBe(403)
    expect((await send('/USERS/7')).status).toBe(404)
    expect((await send('/behind')).text).toBe('behind')
    // Added to the list since.
    routeControllers.processAllControllers()
    expect((await send('/users/8')).json()).toEqual({ id: '8', isApp: true })
  })
})

describe('A stub of an app', () => {
  const stub = () => ({ get: jest.fn(), post: jest.fn(), use: jest.fn() })
  const throwing = (): Members =>
    new Proxy<Members>(
      { use: () => {} },
      {
        get(target, name) {
          if (name in target) return target[name as string]
          throw new Error(`nobody has told of ${String(name)}`)
        },
      },
    )

  it.each([
    ['app', stub as () => Members, fromApp],
    ['app that throws for other members', throwing, fromApp],
    ['router', stub, fromRouter],
  ])('of a unit test is no obstacle to the registration, as an %s', (_name, make, profile) => {
    const app = make()
    const routeControllers = new RouteControllers([answer()], { profile: profile(app) })
    routeControllers.addGlobal('/users', (_req, _res, next) => next())
    routeControllers.use((_req, _res, next) => next())
    expect(() => app['use'](routeControllers.middleware())).not.toThrow()
  })

  it.each([
    ['fromApp', fromApp],
    ['fromRouter', fromRouter],
  ])('%s fails each request that no app has, and lets none pass', async (name, profile) => {
    const logged: string[] = []
    const logger = { info() {}, warn() {}, error: (line: string) => void logged.push(line) }
    const all = new RouteControllers([answer()], { profile: profile(stub()), logger })
    const response = await all.getCallback()(new Request('http://test/users/7'))
    expect(response.status).toBe(500)
    expect(logged.join()).toContain(`${name} takes`)
  })

  it('is not taken for an app that a listener outside of Express has put on the request', async () => {
    const all = new RouteControllers([answer()], {
      profile: fromApp(stub()),
      logger: { info() {}, warn() {}, error() {} },
    })
    const listener = toListener(all.getCallback())
    const { send } = await host((req: any, res: any) => {
      req.app = createExpress(express5)
      listener(req, res)
    })
    expect((await send('/users/7')).status).toBe(500)
  })

  it('of a router is refused inside an app too, whose params are not those of the router', async () => {
    const app = createExpress(express5)
    app.use(new RouteControllers([answer()], { profile: fromRouter(stub()) }).middleware())
    app.use((error: any, _req: any, res: any, _next: any) => res.status(500).json(error.code))
    const { send } = await host(app)
    expect((await send('/users/7')).json()).toBe('ERR_OPTION_INVALID')
  })

  it('gets by addControllers the path and the handlers that a route would have had', () => {
    const app = { get: jest.fn(), all: jest.fn(), post: jest.fn() }
    const [guard, handler] = [(): void => {}, (): void => {}]
    const given = addControllers(app, [
      new Controller('GET', expressPath(['/a', /b/]), fromExpress(guard, handler)),
      new Controller('*', '/all', fromExpress(handler)),
      new Controller('POST', '/native', () => 'native'),
      new Controller('POST', '/guarded', fromExpress(handler)).use(() => new Response(null, { status: 403 })),
    ])
    expect(given).toBe(app)
    expect(app.get.mock.calls).toEqual([[['/a', /b/], guard, handler]])
    expect(app.all.mock.calls).toEqual([['/all', handler]])
    expect(app.post.mock.calls).toEqual([
      ['/native', expect.any(Function)],
      ['/guarded', expect.any(Function)],
    ])
    expect(app.post.mock.calls[1]).not.toContain(handler)
    expect(() => addControllers({}, [])).toThrow(refusal('ERR_OPTION_INVALID', 'addControllers takes an app'))
    expect(() => addControllers(app, [{} as Controller])).toThrow(
      refusal('ERR_CONTROLLER_INVALID', 'Controllers'),
    )
  })

  it('has no routes to look at, and throws nothing where others look', () => {
    const all = new RouteControllers([answer()], { profile: fromApp(stub()) })
    expect(() => all.checkRoute('/users/7')).toThrow(refusal('ERR_OPTION_INVALID', 'fromApp takes'))
  })
})

it.each([
  ['an empty object', {}],
  ['Express itself', express5],
  ['a list', []],
])('fromApp is not made of %s', (_name, other) => {
  expect(() => fromApp(other)).toThrow(refusal('ERR_OPTION_INVALID', 'fromApp takes an Express app'))
})

it('Controllers that are added to the list of a stand-in answer from the next request on', async () => {
  const app = createExpress(express5)
  const list: AnyController[] = [new Controller('GET', '/one', () => 'one')]
  const routeControllers = new RouteControllers(list, { profile: fromApp({ get: () => undefined }) })
  app.use(routeControllers.middleware())
  const { send } = await host(app)
  expect([(await send('/one')).status, (await send('/two')).status]).toEqual([200, 404])
  list.push(new Controller('GET', '/two', () => 'two'))
  routeControllers.processAllControllers()
  expect((await send('/two')).text).toBe('two')
})
