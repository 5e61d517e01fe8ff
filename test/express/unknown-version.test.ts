// A version of Express that is not known is refused by name, and not taken for one that is known.
import { inspect } from '@routecontrollers/cli'
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import {
  addControllers,
  express5 as profile5,
  fromApp,
  fromRouter,
  toControllers,
} from 'routecontrollers/express'
import { versionOf } from 'routecontrollers/express-model'
import { closeHosted, createExpress, host } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'
import { expresses6 } from './support/express-6.js'

afterEach(closeHosted)

const answer = () => new Controller('GET', '/mine', () => 'mine')
const refused = (...parts: string[]) => refusal('ERR_EXPRESS_VERSION', ...parts, 'install express@5')

describe.each(expresses6)('An app of an Express 6 %s', (_name, express6) => {
  const withRoute = () => express6().get('/users', (_req, res) => void res.end('users'))

  it('is refused wherever an app is read', () => {
    expect(() => toControllers(withRoute())).toThrow(
      refused('is of no version of Express that is known here, which are 4 and 5: it'),
    )
    expect(() => fromApp(withRoute())).toThrow(refused())
    expect(() => addControllers(withRoute(), [answer()])).toThrow(refused())
    expect(() => inspect(withRoute())).toThrow(refused())
  })

  it('is refused while it has no routes, too', () => {
    expect(() => toControllers(express6())).toThrow(refused())
    expect(() => fromApp(express6())).toThrow(refused())
    expect(() => addControllers(express6(), [answer()])).toThrow(refused())
  })

  it('is refused as what a profile is to be made of', () => {
    expect(() => profile5({ express: express6 })).toThrow(refusal('ERR_EXPRESS_VERSION', 'express@5'))
  })

  it('stays whole where an app of Express 5 has it mounted', async () => {
    const app = createExpress(express5)
    app.get('/own', (_req, res) => void res.send('own'))
    app.use('/six', withRoute())
    const { controllers, left } = toControllers(app)
    expect(controllers.map((one) => one.getPath())).toEqual(['/own'])
    expect(left.map(({ path, reason }) => [path, reason])).toContainEqual([
      '/six',
      expect.stringContaining('no version of Express that is known here'),
    ])
    app.use(new RouteControllers(controllers, { profile: fromApp(app) }).middleware())
    const { send } = await host(app)
    expect((await send('/own')).text).toBe('own')
    expect((await send('/six/users')).text).toBe('users')
  })
})

it.each(expresses6.slice(1))('An app of an Express 6 %s is called an app', (_name, express6) => {
  expect(() => versionOf(express6())).toThrow(refused('this app is of no version'))
})

it('What is no app and no Router is of no version', () => {
  expect(() => versionOf({})).toThrow(refused('this Router', 'it has the members'))
})

describe('A Router whose layers have other members', () => {
  const [[, express6]] = expresses6 as [(typeof expresses6)[number]]

  it('is refused wherever a Router is read', () => {
    const router = () => express6.Router().get('/users', (_req, res) => void res.send('users'))
    expect(() => toControllers(router())).toThrow(refused('this Router', 'handle', 'pattern'))
    expect(() => fromRouter(router())).toThrow(refused())
    expect(() => addControllers(router(), [answer()])).toThrow(refused())
    expect(() => inspect(router())).toThrow(refused())
  })

  it('stays whole where an app of Express 5 has it mounted', () => {
    const app = createExpress(express5)
    const router = express6.Router().get('/users', (_req, res) => void res.send('users'))
    app.use('/six', router)
    const { controllers, left } = toControllers(app)
    expect([controllers, left]).toEqual([
      [],
      [expect.objectContaining({ path: '/six', reason: expect.stringContaining('no version of Express') })],
    ])
  })

  it('is refused while it has no routes, too', () => {
    expect(() => toControllers(express6.Router())).toThrow(refused())
    expect(() => fromRouter(express6.Router())).toThrow(refused())
    expect(() => addControllers(express6.Router(), [answer()])).toThrow(refused())
  })
})

describe.each([
  ['4', express4],
  ['5', express5],
])('What is of Express %s', (version, express) => {
  it('is known by its layers where a wrapper has these alone', () => {
    const router = express.Router()
    router.get('/users/:id', (_req, res) => void res.send('users'))
    const { stack, params } = router as unknown as Record<string, unknown>
    const wrapper = Object.assign((...parameters: [never, never, never]) => router(...parameters), {
      stack,
      params,
    })
    const { apps, routes } = inspect(wrapper)
    expect(apps).toMatchObject([{ version: Number(version), routes: 1 }])
    expect(routes[0]).toMatchObject({ witness: expect.stringContaining('/users/') })
  })

  it('is known without reading the router, which Express 5 makes with the settings of that time', () => {
    const app = createExpress(express)
    inspect(new RouteControllers([answer()]))
    expect(profile5({ express: express5, strict: true }).name).toBe('express5')
    app.enable('case sensitive routing')
    app.get('/users', (_req, res) => void res.send('users'))
    expect(toControllers(app).controllers).toHaveLength(1)
  })

  it('is known where a program has given the app a lazyrouter of its own, for packages that call it', async () => {
    const app = createExpress(express)
    const { lazyrouter = () => {} } = app as unknown as { lazyrouter?: () => void }
    Object.assign(app, { lazyrouter })
    expect(versionOf(app)).toBe(Number(version))
    const empty = Object.assign(createExpress(express), { lazyrouter })
    expect(toControllers(empty).controllers).toEqual([])
    expect(versionOf(Object.setPrototypeOf(() => undefined, empty) as object)).toBe(Number(version))
    app.enable('case sensitive routing')
    app.get('/users', (_req, res) => void res.send('users'))
    const routeControllers = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
    const fetchHandler = routeControllers.getCallback()
    expect(await (await fetchHandler(new Request('http://x/users'))).text()).toBe('users')
    expect((await fetchHandler(new Request('http://x/Users'))).status).toBe(404)
  })

  it('is read of its layers once, and not for each request', () => {
    const router = express.Router()
    let reads = 0
    router.get('/users', (_req, res) => void res.send('users'))
    const { stack } = router as unknown as { stack: { regexp?: unknown }[] }
    const { regexp } = stack[0]!
    Object.defineProperty(stack[0], 'regexp', { get: () => (reads++, regexp) })
    expect(versionOf(router)).toBe(Number(version))
    const once = reads
    expect(once).toBeGreaterThan(0)
    expect(versionOf(router)).toBe(Number(version))
    expect(reads).toBe(once)
  })
})
