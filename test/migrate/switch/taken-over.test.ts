import express5, { type Express } from 'express'
import express4 from 'express4'
import { type AnyController, Controller, RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers, type ToControllersOptions } from 'routecontrollers/express'
import { memoryStore, migration, type MigrationOptions } from '@routecontrollers/switch'
import type { NodeHandler } from '../../../src/ground/types.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { anyLoad, silent, until } from './shop.js'

const why = { reason: 'a test', by: 'test' }

const versions = [
  ['Express 4', express4],
  ['Express 5', express5],
] as const

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Parts extends Omit<MigrationOptions, 'legacy' | 'routeControllers'> {
  readonly legacy?: MigrationOptions['legacy']
  readonly own?: readonly AnyController[]
  readonly behind?: readonly AnyController[]
  readonly take?: ToControllersOptions
}

/** An app that was taken over, in front of itself. */
async function serveTaken(
  app: Express,
  { legacy = app, own = [], behind = [], take = {}, ...options }: Parts = {},
) {
  app.set('env', 'test')
  const controllers = [...own, ...toControllers(app, take).controllers, ...behind]
  const routeControllers = new RouteControllers(controllers, { profile: fromApp(app), logger: silent })
  const switching = migration({ legacy, routeControllers, store: memoryStore(), logger: silent, ...options })
  const server = await new Server().start({ port: 0, ...switching.serverOptions })
  closing.push(async () => {
    await server.stop()
    await switching.close()
  })
  const states = (): Record<string, string> =>
    Object.fromEntries(switching.status().routes.map(({ route, state }) => [route, state]))
  const sides = (key: string): readonly [number, number] => {
    const { legacy: one, native } = switching.status().routes.find(({ route }) => route === key)!
    return [one.requests, native.requests]
  }
  return { switching, send: sendTo(server.getPort()), states, sides }
}

describe.each(versions)('migration() of what toControllers has taken over, %s', (_name, make) => {
  /** Each request passes a guard, and says how many have. */
  function createApp(): { app: Express; guarded: () => number } {
    const app = make()
    let count = 0
    app.use('/api', (req, res, next) => {
      count++
      if (req.get('x-key') === undefined) res.sendStatus(401)
      else next()
    })
    app.get('/a', (_req, res) => void res.json('a'))
    const router = make.Router()
    router.get('/teas/:id', (req, res) => void res.json(req.params))
    router.all('/any', (_req, res) => void res.json('any'))
    app.use('/api', router)
    app.get(['/one', '/two'], (_req, res) => void res.json('list'))
    app.get(/^\/x+$/, (_req, res) => void res.json('x'))
    return { app, guarded: () => count }
  }
  const all = ['GET /a', 'GET /api/teas/:id', '* /api/any', 'GET [/one, /two]', 'GET /^\\/x+$/']

  it('begins at legacy, and each route can be switched', async () => {
    const { app, guarded } = createApp()
    const { send, switching, states, sides } = await serveTaken(app)
    expect(Object.keys(states())).toEqual(all)
    expect(new Set(Object.values(states()))).toEqual(new Set(['legacy']))
    const ask = async (): Promise<string[]> => {
      const headers = { 'x-key': 'k' }
      const targets = ['/a', '/api/teas/7', '/api/teas/%', '/api/any', '/two', '/xx', '/none']
      const answers: string[] = []
      for (const target of targets) {
        const { status, text } = await send(target, { headers })
        // A stack says which of the two has run.
        answers.push(`${target} ${status} ${status === 400 ? '' : text}`)
      }
      answers.push(String((await send('/api/teas/7')).status))
      return answers
    }
    const before = await ask()
    expect(before[0]).toBe('/a 200 "a"')
    expect(before.at(-1)).toBe('401')
    const once = guarded()
    await switching.set('*', 'native', why)
    expect(await ask()).toEqual(before)
    expect(guarded()).toBe(2 * once)
    await switching.set('/api', 'legacy', why)
    expect(await ask()).toEqual(before)
    expect(guarded()).toBe(3 * once)
    expect(sides('GET /a')).toEqual([1, 2])
    expect(sides('GET /api/teas/:id')).toEqual([6, 3])
    expect(sides('* /api/any')).toEqual([2, 1])
    expect(sides('GET [/one, /two]')).toEqual([1, 2])
    expect(sides('GET /^\\/x+$/')).toEqual([1, 2])
  })

  it('leaves a request at legacy to what stands behind, which is the app itself or anything that leads to it', async () => {
    const { app } = createApp()
    const behind: string[] = []
    const legacy: NodeHandler = (req, res) => {
      behind.push(req.url!)
      app(req, res)
    }
    const { send, switching } = await serveTaken(app, { legacy })
    expect((await send('/a')).text).toBe('"a"')
    expect(behind).toEqual(['/a'])
    await switching.set('GET /a', 'native', why)
    expect((await send('/a')).text).toBe('"a"')
    expect((await send('/a', { method: 'HEAD' })).status).toBe(200)
    expect(behind).toEqual(['/a'])
    expect((await send('/two')).text).toBe('"list"')
    expect(behind).toEqual(['/a', '/two'])
  })

  it('has one state for a route that is there twice, and for a Controller in front of its route', async () => {
    const app = make()
    app.get('/twice', (_req, _res, next) => next())
    app.get('/twice', (_req, res) => void res.json('app'))
    app.get('/cart', (_req, res) => void res.json('app'))
    const own = new Controller('GET', '/cart', () => 'Controller')
    const { send, switching, states } = await serveTaken(app, { own: [own] })
    expect(states()).toEqual({ 'GET /cart': 'legacy', 'GET /twice': 'legacy' })
    expect((await send('/cart')).text).toBe('"app"')
    await switching.set('*', 'native', why)
    expect((await send('/cart')).text).toBe('Controller')
    expect((await send('/twice')).text).toBe('"app"')
    await switching.set('GET /cart', 'legacy', why)
    expect((await send('/cart')).text).toBe('"app"')
  })

  it('takes new Controllers beside those of the app as new', async () => {
    const { app } = createApp()
    const behind = [new Controller('GET', '/new', () => 'new')]
    const { send, states } = await serveTaken(app, { behind })
    expect(states()['GET /new']).toBe('native')
    expect((await send('/new')).text).toBe('new')
  })

  it('switches all requests that no route takes, where middleware: true takes them', async () => {
    const app = make()
    app.get('/a', (_req, res) => void res.json('a'))
    app.use((_req, res) => void res.status(404).send('none here'))
    const { send, switching, states, sides } = await serveTaken(app, { take: { middleware: true } })
    expect(states()).toEqual({ 'GET /a': 'legacy', '* *': 'legacy' })
    expect((await send('/b')).text).toBe('none here')
    await switching.set('* *', 'native', why)
    expect((await send('/b')).text).toBe('none here')
    expect(sides('* *')).toEqual([1, 1])
    expect((await send('/a')).text).toBe('"a"')
    expect(sides('GET /a')).toEqual([1, 0])
  })

  it('switches the routes that only and except have chosen', async () => {
    const { app } = createApp()
    const { states } = await serveTaken(app, { take: { only: ['/a', 'GET /api/any'] } })
    expect(Object.keys(states())).toEqual(['GET /a', 'GET /api/any'])
  })

  it('knows the side of a method that a route of all methods was chosen for', async () => {
    const { app } = createApp()
    const { send, switching, sides } = await serveTaken(app, { take: { only: ['GET /api/any'] } })
    const headers = { 'x-key': 'k' }
    await switching.set('*', 'native', why)
    expect((await send('/api/any', { headers })).text).toBe('"any"')
    expect((await send('/api/any', { headers, method: 'POST' })).text).toBe('"any"')
    expect(sides('GET /api/any')).toEqual([0, 1])
  })

  it('takes one app over in place of another, whose routes are legacy', async () => {
    const legacy = make().get('/both', (_req, res) => void res.json('former'))
    legacy.get('/b', (_req, res) => void res.json('former'))
    const app = make()
    app.get(['/a', '/b'], (_req, res) => void res.json('new'))
    app.get('/both', (_req, res) => void res.json('new'))
    app.get('/only-new', (_req, res) => void res.json('new'))
    const { send, switching, states } = await serveTaken(app, { legacy })
    expect(states()).toEqual({ 'GET [/a, /b]': 'legacy', 'GET /both': 'legacy', 'GET /only-new': 'native' })
    expect((await send('/both')).text).toBe('"former"')
    expect((await send('/only-new')).text).toBe('"new"')
    await switching.set('GET /both', 'native', why)
    expect((await send('/both')).text).toBe('"new"')
  })

  it('compares both under shadow', async () => {
    const app = make()
    app.get('/same', (_req, res) => void res.json('same'))
    let count = 0
    app.get('/counts', (_req, res) => void res.json({ count: count++ % 2 === 0 ? count : 'text' }))
    const { send, switching } = await serveTaken(app, { shadow: anyLoad })
    await switching.set('*', 'shadow', why)
    for (let turn = 0; turn < 3; turn++) expect((await send('/same')).text).toBe('"same"')
    const shadow = () => switching.status().routes.find(({ route }) => route === 'GET /same')!.shadow
    await until(() => shadow().compared === 3)
    expect(shadow().different).toBe(0)
  })

  it('gives a client of a canary one side, and the app the others', async () => {
    const { app } = createApp()
    const { send, switching, sides } = await serveTaken(app, {
      stickyBy: (req) => req.headers['x-client'] as string,
      shadow: false,
    })
    await switching.set('GET /a', 'canary 50%', why)
    for (let turn = 0; turn < 40; turn++) await send('/a', { headers: { 'x-client': `client ${turn}` } })
    const [legacy, native] = sides('GET /a')
    expect(legacy + native).toBe(40)
    expect(legacy).toBeGreaterThan(4)
    expect(native).toBeGreaterThan(4)
  })

  it('runs a request once inside of the app that was taken over', async () => {
    const app = make()
    let calls = 0
    const route = (): void =>
      void app.get('/a', (_req, res) => {
        calls++
        res.json('a')
      })
    const routeControllers = (): RouteControllers =>
      new RouteControllers(toControllers(app).controllers, { profile: fromApp(app), logger: silent })
    app.use((req, res, next) => switching.middleware()(req, res, next))
    route()
    const switching = migration({ legacy: app, routeControllers: routeControllers(), logger: silent })
    const { port, close } = await listenOn(app)
    closing.push(close, () => switching.close())
    for (const state of ['legacy', 'native'] as const) {
      await switching.set('*', state, why)
      calls = 0
      expect((await sendTo(port)('/a')).text).toBe('"a"')
      expect(calls).toBe(1)
    }
  })
})

it('says what there is to write where there is nothing to switch', async () => {
  const inFront = migration({
    legacy: express5(),
    routeControllers: new RouteControllers([]),
    logger: silent,
  })
  const beside = migration({ app: express5(), logger: silent })
  closing.push(
    () => inFront.close(),
    () => beside.close(),
  )
  await expect(inFront.set('*', 'shadow', why)).rejects.toThrow(
    'set: there is no route to switch: routeControllers has no Controller. Write one, or take some of toControllers(app)',
  )
  await expect(beside.set('*', 'shadow', why)).rejects.toThrow(
    'set: there is no route to switch: no route of the app has a native callback. Write native(…) before its handler, or have routecontrollers move do so',
  )
})
