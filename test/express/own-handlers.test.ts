// Requests that run Express's handlers outside of their app, compared with the same in that app.
import diagnostics from 'node:diagnostics_channel'
import { IncomingMessage } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { fromApp, fromExpress, native, toControllers } from 'routecontrollers/express'
import { migration } from '@routecontrollers/switch'
import { createListener } from '../../src/run/listener.js'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { ask } from './support/compare.js'

afterEach(closeHosted)

const listen = async (served: Parameters<typeof host>[0]): Promise<number> => (await host(served)).port
const silent = { info() {}, warn() {}, error() {} }

describe.each([
  [4, express4],
  [5, express5],
] as const)('A request in Express %i', (version, express: any) => {
  it('passes an app once, whose routes stand at two places among the Controllers', async () => {
    const asked: string[] = []
    const app = express().set('env', 'test')
    app.use((req: any, _res: any, next: any) => (asked.push(req.url), next()))
    app.get('/a', (_req: any, res: any) => res.send('a'))
    app.get('/b', (_req: any, _res: any, next: any) => next())
    const [a, b] = toControllers(app).controllers
    const own = new Controller('GET', '/own', () => 'own')
    const all = new RouteControllers([a!, own, b!], { profile: fromApp(app) })
    const port = await listen(createListener(all.getCallback(), {}))
    expect((await ask(port, { method: 'GET', target: '/b' })).statusLine).toContain(' 404 ')
    expect(asked).toEqual(['/b'])
  })

  it('has the members of Node and of its app in a handler, and not those of a callback', async () => {
    const app = express().set('env', 'test')
    app.request.text = () => 'of the app'
    app.post('/a', async (req: any, res: any) => {
      const read: string[] = []
      const failed = (error: Error): unknown => read.push(error.message)
      const readAll = async (): Promise<void> => {
        for await (const chunk of req) read.push(String(chunk))
      }
      await readAll().catch(failed)
      res.json([...read, req.text(), typeof req.signal])
    })
    const all = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
    await using server = await new Server().start({ port: 0, routeControllers: all })
    const request = [`${server.getURL()}/a`, { method: 'POST', body: 'tea' }] as const
    // Of Node 24 and later.
    const signal = 'signal' in IncomingMessage.prototype ? 'object' : 'undefined'
    for (const answer of [await fetch(...request), await all.getCallback()(new Request(...request))]) {
      expect(await answer.json()).toEqual(['tea', 'of the app', signal])
    }
  })

  it('reaches a Controller between those of an app, and none that was left out of the list', async () => {
    const app = express().set('env', 'test')
    for (const path of ['/a', '/b', '/c']) app.get(path, (_req: any, res: any) => res.send(path))
    const [a, , c] = toControllers(app).controllers
    const own = new Controller('GET', '/own', () => 'own')
    const all = new RouteControllers([a!, own, c!], { profile: fromApp(app) })
    const port = await listen(createListener(all.getCallback(), {}))
    const answers = ['/a', '/b', '/c', '/own'].map(async (target) => {
      const { statusLine, body } = await ask(port, { method: 'GET', target })
      return `${statusLine.split(' ')[1]!} ${body.length > 4 ? 'page' : body}`
    })
    expect(await Promise.all(answers)).toEqual(['200 /a', '404 page', '200 /c', '200 own'])
  })

  it('reaches a Controller before what stands for the rest of an app that has a route of all paths', async () => {
    const app = express().set('env', 'test')
    app.get(version === 4 ? '*' : '/{*all}', (_req: any, res: any, next: any) => {
      res.set('X-Passed', 'all')
      next()
    })
    app.get('/b', (_req: any, res: any) => res.send('b'))
    const taken = toControllers(app, { middleware: true }).controllers
    const own = new Controller('GET', '/own', () => 'own')
    const all = new RouteControllers([...taken.slice(0, -1), own, taken.at(-1)!], { profile: fromApp(app) })
    const port = await listen(createListener(all.getCallback(), {}))
    for (const target of ['/b', '/own']) {
      const { headers, body } = await ask(port, { target })
      expect([target, body, headers.includes('X-Passed: all')]).toEqual([target, target.slice(1), true])
    }
  })

  it('has one description for all requests of a route that was taken over', async () => {
    const seen = new Set<unknown>()
    const subscribers = {
      start() {},
      end: (message: any) => void seen.add(message.route),
      asyncStart() {},
      asyncEnd() {},
      error() {},
    }
    const channel = diagnostics.tracingChannel('routecontrollers.request')
    const app = express()
      .set('env', 'test')
      .get('/teas/:id', (_req: any, res: any) => res.send('tea'))
    const all = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
    channel.subscribe(subscribers)
    try {
      const port = await listen(createListener(all.getCallback(), {}))
      for (const target of ['/teas/1', '/teas/2']) await ask(port, { target })
    } finally {
      channel.unsubscribe(subscribers)
    }
    expect([...seen]).toEqual([{ method: 'GET', path: '/teas/:id', name: undefined }])
  })

  it('meets no handler of five parameters, which Express does not call', async () => {
    const five: any = (_a: any, _b: any, res: any, _d: any, _e: any) => res.send('five')
    const last = (_req: any, res: any): void => res.send('last')
    const app = express().get('/x', five, last)
    const controllers = [new Controller('GET', '/x', fromExpress(five, last))]
    const all = new RouteControllers(controllers, { profile: fromApp(app) })
    for (const served of [app, createListener(all.getCallback(), {})]) {
      expect((await ask(await listen(served), { method: 'GET', target: '/x' })).body).toBe('last')
    }
  })

  it('is left to its app where a hook makes one of another method of it, which is at legacy', async () => {
    const app = express().set('env', 'test')
    app.put('/x', (_req: any, res: any) => res.send('legacy'))
    const controllers = ['POST', 'PUT'].map(
      (method) => new Controller(method, '/x', () => `native ${method}`),
    )
    const all = new RouteControllers(controllers, { profile: fromApp(app) })
    all.addGlobal((req: any, _res, next) => {
      if (req.headers['x-method'] !== undefined) req.method = req.headers['x-method']
      next()
    })
    const switching = migration({ legacy: app, routeControllers: all, logger: silent })
    closeLater(() => switching.close())
    const port = await listen(createListener(all.getCallback(), { fallback: app }))
    const answer = async (headers: Record<string, string> = {}): Promise<string> =>
      (await ask(port, { method: 'POST', target: '/x', headers })).body
    await switching.set('POST /x', 'native', { by: 'Ada', reason: 'a test' })
    await switching.set('PUT /x', 'legacy', { by: 'Ada', reason: 'a test' })
    expect([await answer(), await answer({ 'X-Method': 'PUT' })]).toEqual(['native POST', 'legacy'])
    await switching.set('PUT /x', 'native', { by: 'Ada', reason: 'a test' })
    expect(await answer({ 'X-Method': 'PUT' })).toBe('native PUT')
  })

  it.each([201, 404, 200])(
    'has the status %i that a middleware has set, beside its handler as in it',
    async (status) => {
      const app = express().set('env', 'test')
      const setting = (_req: any, res: any, next: any): void => (res.status(status), next())
      app.get(
        '/native',
        setting,
        native(() => 'tea'),
      )
      app.get('/express', setting, (_req: any, res: any) => res.send('tea'))
      const port = await listen(app)
      const answers = await Promise.all(
        ['/native', '/express'].map((target) => ask(port, { method: 'GET', target })),
      )
      expect(answers.map(({ statusLine }) => statusLine)).toEqual(
        Array(2).fill(expect.stringContaining(` ${status} `)),
      )
    },
  )

  it('runs the handlers of one callback by each method of a path', async () => {
    const same = fromExpress((req: any, res: any) => res.send(`by ${req.method}`))
    const all = new RouteControllers(
      ['GET', 'POST', 'DELETE'].map((method) => new Controller(method, '/x', same)),
    )
    const port = await listen(createListener(all.getCallback(), {}))
    for (const method of ['GET', 'POST', 'DELETE'])
      expect((await ask(port, { method, target: '/x' })).body).toBe(`by ${method}`)
  })

  it('finds the next function of its router behind handlers that have passed it on', async () => {
    const passing = (_req: any, _res: any, next: any): void => next()
    const told = (req: any, res: any, next: any): void => res.json(req.next === next)
    const [theirs, ours] = [express(), express()]
    theirs.get('/x', passing)
    ours.use(new RouteControllers([new Controller('GET', '/x', fromExpress(passing))]).middleware())
    const answers = [theirs, ours].map(async (app) => {
      app.use(told)
      return (await ask(await listen(app), { method: 'GET', target: '/x' })).body
    })
    const [was, is] = await Promise.all(answers)
    expect(is).toBe(was)
  })

  it('is answered 304 without the type and the length that a hook has set', async () => {
    const app = express().set('env', 'test')
    const setting = (_req: any, res: any, next: any): void => (res.set('Content-Type', 'text/x'), next())
    const all = new RouteControllers([new Controller('GET', '/x', () => 'tea')], { profile: fromApp(app) })
    all.addGlobal(setting)
    const theirs = express().set('env', 'test').use(setting)
    theirs.get('/x', (_req: any, res: any) => res.send('tea'))
    const ports = [await listen(createListener(all.getCallback(), {})), await listen(theirs)]
    const headers = { 'If-None-Match': '*' }
    const [ours, expected] = await Promise.all(
      ports.map((port) => ask(port, { method: 'GET', target: '/x', headers })),
    )
    expect(expected!.statusLine).toContain(' 304 ')
    expect(ours).toEqual(expected)
  })
})
