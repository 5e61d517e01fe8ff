import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers } from 'routecontrollers'
import {
  express4 as profile4,
  express5 as profile5,
  fromApp,
  fromExpress,
  toControllers,
} from 'routecontrollers/express'
import { listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { ask } from './support/compare.js'

const versions = { 4: express4, 5: express5 } as const

afterEach(closeHosted)

describe.each([
  [4, 5],
  [5, 4],
  [4, 4],
  [5, 5],
] as const)('the Controllers of an app of Express %i in a host of Express %i', (ofApp, ofHost) => {
  const createApp = (): any => {
    const app: any = versions[ofApp]().set('env', 'test').set('json spaces', 1)
    app.use((req: any, _res: unknown, next: () => void) => {
      req.seen = [req.app === app, req.url, req.baseUrl]
      next()
    })
    app.get('/show/:id', (req: any, res: any) =>
      res
        .cookie('a', 'b')
        .json([req.seen, req.query, req.params, req.originalUrl, req.route.path, res.app === app]),
    )
    app.get('/passes', (_req: unknown, _res: unknown, next: () => void) => next())
    app.get('/fails', () => {
      throw Object.assign(new Error('no tea'), { status: 418 })
    })
    return app
  }

  const serve = async (mount: (host: any) => void): Promise<number> => {
    const host: any = versions[ofHost]().set('env', 'test').set('json spaces', 3)
    mount(host)
    host.use((req: any, res: any) => res.json([req.app === host, res.app === host, req.url, req.query]))
    host.use((error: any, req: any, res: any, _next: unknown) =>
      res.status(error.status).json([error.message, req.app === host, res.app === host]),
    )
    const { port, close } = await listenOn(host)
    closeLater(close)
    return port
  }

  it.each(['', '/at'])('answer, pass and fail as host.use(%p, app) does', async (path) => {
    const at = path === '' ? [] : [path]
    const theirs = await serve((host) => host.use(...at, createApp()))
    const app = createApp()
    const { controllers } = toControllers(app, { middleware: true })
    const ours = new RouteControllers(controllers, { profile: fromApp(app) })
    const port = await serve((host) => host.use(...at, ours.middleware()))
    for (const target of ['/show/7', '/show/7?a=1&b=2', '/passes?x=1', '/fails', '/none?y=2']) {
      const request = { target: path + target }
      expect({ target, ...(await ask(port, request)) }).toEqual({ target, ...(await ask(theirs, request)) })
    }
  })

  it('find the locals that middleware of the host has set, and leave it theirs', async () => {
    const app: any = versions[ofApp]().set('env', 'test')
    app.get('/locals', (_req: unknown, res: any) => res.json(res.locals))
    app.get('/passes', (_req: unknown, res: any, next: () => void) => {
      res.locals.cups = 2
      next()
    })
    const { controllers } = toControllers(app)
    const handlers = fromExpress((_req, res) => void res.json(res.locals))
    const ours = new RouteControllers([...controllers, new Controller('GET', '/handlers', handlers)], {
      profile: fromApp(app),
    })
    const port = await serve((host) => {
      host.use((_req: unknown, res: any, next: () => void) => {
        res.locals.tea = 'Assam'
        next()
      })
      host.use(ours.middleware())
      host.get('/passes', (_req: unknown, res: any) => res.json(res.locals))
    })
    const locals = async (target: string): Promise<unknown> => JSON.parse((await ask(port, { target })).body)
    expect(await locals('/locals')).toEqual({ tea: 'Assam' })
    expect(await locals('/handlers')).toEqual({ tea: 'Assam' })
    expect(await locals('/passes')).toEqual({ tea: 'Assam', cups: 2 })
  })

  it('show what is ours after a mounted app has passed the request on', async () => {
    const app: any = versions[ofApp]().set('env', 'test')
    app.use('/m', versions[ofHost]().set('env', 'test'))
    app.get('/other', (_req: unknown, res: any) => res.end())
    const own = new Controller('POST', '/m', (req, res) =>
      res.json([req.body, Buffer.from(req.rawBody!).toString(), req.signal.aborted]),
    )
    const routeControllers = new RouteControllers(
      [...toControllers(app, { middleware: true }).controllers, own],
      {
        profile: fromApp(app),
      },
    )
    const port = await serve((host) => host.use(routeControllers.middleware()))
    const request = {
      method: 'POST',
      target: '/m',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
    }
    expect((await ask(port, request)).body).toContain('[{"a":1},"{\\"a\\":1}",false]')
  })
})

it.each([
  ['4', express4, () => profile4({ express: express4 })],
  ['5', express5, () => profile5({ express: express5 })],
] as const)(
  'Controllers do not run for a request that a host of Express %s has answered and given on',
  async (_name, express, profile) => {
    let runs = 0
    const routeControllers = new RouteControllers([new Controller('GET', '/x', () => `run ${++runs}`)], {
      profile: profile(),
    })
    let hooks = 0
    routeControllers.addGlobal((_req, _res, next) => {
      hooks++
      next()
    })
    const host: any = express()
    host.use((req: any, res: any, next: () => void) => {
      if (req.query.answered !== undefined) res.send('answered')
      next()
    })
    host.use(routeControllers.middleware())
    const { port, close } = await listenOn(host)
    closeLater(close)
    const answers = [await ask(port, { target: '/x?answered' }), await ask(port, { target: '/x' })]
    expect(answers).toMatchObject([{ body: 'answered' }, { body: 'run 1' }])
    expect(hooks).toBe(1)
  },
)
