import { tracingChannel } from 'node:diagnostics_channel'
import express from 'express'
import express4 from 'express4'
import { type RequestTraceMessage, RouteControllers, Server } from '../../src/index.js'
import { fromApp, toControllers } from '../../src/express/index.js'
import { closeHosted, host } from '../support/hosting.js'
import { toListener } from '../../src/index.js'
import { ask } from './support/compare.js'

async function start(app: express.Express, prepare: (server: Server) => void = () => {}): Promise<Server> {
  const { controllers } = toControllers(app)
  const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
  const server = await new Server().start({ port: 0, routeControllers, fallback: app })
  prepare(server)
  return server
}

describe('An app that is left to itself', () => {
  it('answers 500, and the process goes on, where it throws', async () => {
    const log = jest.spyOn(console, 'error').mockImplementation(() => {})
    const app = express().get('/teas', (_req, res) => void res.json(['Assam']))
    await using server = await start(app)
    const replaced = app as unknown as { handle: unknown }
    const { handle } = replaced
    // Once: the page for the error is Express's own.
    replaced.handle = () => {
      replaced.handle = handle
      throw new Error('no handle')
    }
    expect((await fetch(`${server.getURL()}/teas`)).status).toBe(500)
    expect(await (await fetch(`${server.getURL()}/teas`)).json()).toEqual(['Assam'])
    log.mockRestore()
  })

  it('is told the client by the proxies that its server trusts', async () => {
    const app = express().get('/ip', (req, res) => void res.end(req.ip))
    const { controllers } = toControllers(app)
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    const headers = { 'X-Forwarded-For': '203.0.113.7' }
    const ipBy = async (options: object): Promise<string> => {
      await using server = await new Server().start({ port: 0, routeControllers, fallback: app, ...options })
      return await (await fetch(`${server.getURL()}/ip`, { headers })).text()
    }
    expect(await ipBy({ trustProxy: 'loopback' })).toBe('203.0.113.7')
    expect(await ipBy({})).toContain('127.0.0.1')
  })

  it('has its mounted apps as they are, where its server trusts proxies', async () => {
    const told = (req: any, res: any): object => [req.app.get('name'), res.app.get('name'), req.ip]
    const sub = express().set('name', 'sub').set('json spaces', 1)
    sub.get('/x', (req, res, next) => void (req.query['passes'] ? next() : res.json(told(req, res))))
    const app = express().set('name', 'main').use('/sub', sub)
    app.use((req, res) => void res.json(told(req, res)))
    const { controllers } = toControllers(app, { middleware: true })
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    await using server = await new Server().start({ port: 0, routeControllers, trustProxy: 'loopback' })
    const headers = { 'X-Forwarded-For': '203.0.113.7' }
    const textOf = async (path: string): Promise<string> =>
      (await fetch(server.getURL() + path, { headers })).text()
    expect(await textOf('/sub/x')).toBe(JSON.stringify(['sub', 'sub', '203.0.113.7'], null, 1))
    expect(await textOf('/sub/x?passes=1')).toBe('["main","main","203.0.113.7"]')
  })

  it('has its requests traced while somebody listens', async () => {
    const app = express().get('/teas/:id', (_req, res) => void res.end('tea'))
    await using server = await start(app)
    const channel = tracingChannel<object, RequestTraceMessage>('routecontrollers.request')
    const traced: string[] = []
    const nothing = (): void => {}
    const subscribers = { start: nothing, end: nothing, asyncStart: nothing, error: nothing }
    const asyncEnd = ({ route }: RequestTraceMessage): void => void traced.push(route.path)
    channel.subscribe({ ...subscribers, asyncEnd })
    try {
      expect(await (await fetch(`${server.getURL()}/teas/7`)).text()).toBe('tea')
    } finally {
      channel.unsubscribe({ ...subscribers, asyncEnd })
    }
    expect(traced).toEqual(['/teas/:id'])
  })

  it('does not get a request that another listener has answered', async () => {
    let count = 0
    const app = express().get('/teas', (_req, res) => {
      count++
      res.end('app')
    })
    // It could not be set any more, and the app would fail before its route.
    app.disable('x-powered-by')
    await using server = await start(app, ({ nodeServer }) => {
      nodeServer!.prependListener('request', (_req, res) => void res.end('listener'))
    })
    expect(await (await fetch(`${server.getURL()}/teas`)).text()).toBe('listener')
    expect(count).toBe(0)
  })
})

describe.each([
  [4, express4],
  [5, express],
] as const)('An app of Express %i in front of itself', (_version, make: any) => {
  afterEach(closeHosted)

  const logger = { info() {}, warn() {}, error() {} }
  const createApp = (layers = 0): any => {
    const app = make().set('env', 'test')
    for (let at = 0; at < layers; at++) app.get(`/${at}`, (_req: any, res: any) => res.send(`${at}`))
    app.get('/x', (_req: any, res: any) => void res.send('x'))
    app.use('/files', (req: any, res: any) => void res.send(`file ${req.url}`))
    return app
  }

  it.each<[string, number, object]>([
    ['of few layers', 0, {}],
    ['of many layers', 100, {}],
    ['with an onError', 0, { onError: () => undefined }],
    ['with a logger', 0, { logger }],
  ])('answers targets that are no paths as it does alone: %s', async (_how, layers, options) => {
    const app = createApp(layers)
    const alone = await host(createApp(layers))
    const { controllers } = toControllers(app)
    const all = new RouteControllers(controllers, { profile: fromApp(app), ...options })
    const itself = await host(toListener(all.getCallback(), { fallback: app, logger }))
    for (const target of ['/x#y', '/files/a#b', 'http://u@h/x', 'http://h\\x', '//h/x', '/x', '/none', '*']) {
      const [expected, { statusLine, body }] = [
        await ask(alone.port, { target }),
        await ask(itself.port, { target }),
      ]
      expect([target, statusLine, body]).toEqual([target, expected.statusLine, expected.body])
    }
  })
})
