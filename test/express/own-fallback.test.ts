// An app that was taken over and stands behind itself answers by HTTP/2 and HTTP/1.1 what it answers alone.
import diagnostics from 'node:diagnostics_channel'
import https from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { RouteControllers, Server } from 'routecontrollers'
import { fromApp, serve, toControllers } from 'routecontrollers/express'
import { type Protocol, sendBy } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { cert, key } from '../support/certificate.js'
import { type Received, type SendOptions, sendTo } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { sides } from './support/side-by-side.js'

afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosted()
})

describe.each(sides)('An app of %s in front of itself', (_name, express: any) => {
  const createApp = (): any => {
    const app = express().set('env', 'test')
    app.use(express.json())
    app.request.color = 'green'
    const admin = express.Router()
    admin.use((req: any, res: any, next: any) =>
      req.headers['x-user'] === 'mia' ? next() : res.status(401).json({ error: 'who?' }),
    )
    admin.get('/teas/:id', (req: any, res: any) => res.json({ id: req.params.id, base: req.baseUrl }))
    app.use('/admin', admin)
    app.get('/teas', (req: any, res: any) =>
      res.json([req.color, req.query.q, req.app === app, res.app === app, req.secure, req.hostname]),
    )
    app.post('/teas', (req: any, res: any) => res.status(201).location('/teas/2').json(req.body))
    app.get('/fails', () => {
      // The page shows the stack, which tells who has called the handler.
      throw Object.assign(new Error('no tea'), { stack: 'no tea' })
    })
    app.get('/pass', (_req: any, _res: any, next: any) => next())
    app.get('/old', (_req: any, res: any) => res.redirect('/teas'))
    return app
  }

  const ofConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding']
  const shown = ({ status, headers, text }: Received): object => ({
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name))),
    text,
  })

  const etag = async (send: (target: string) => Promise<Received>): Promise<string> =>
    (await send('/teas?q=1')).headers.etag!

  // With a logger of its own the Controllers run the app; without one the app runs itself.
  describe.each([
    ['itself', {}],
    ['its Controllers', { logger: { info() {}, warn() {}, error() {} } }],
  ])('run by %s', (_how, given) => {
    it.each<[Protocol, string, SendOptions]>(
      (['h2', 'http/1.1'] as const).flatMap((protocol) => [
        [protocol, '/teas?q=1', {}],
        [protocol, '/teas?q=1', { method: 'HEAD' }],
        [protocol, '/teas?q=1', { headers: { 'if-none-match': 'ETAG' } }],
        // Express reads it without its fragment, and we would refuse it.
        [protocol, '/teas?q=1#top', {}],
        [protocol, '/teas', { method: 'OPTIONS' }],
        [
          protocol,
          '/teas',
          { method: 'POST', body: '{"name":"Sencha"}', headers: { 'content-type': 'application/json' } },
        ],
        [protocol, '/teas', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
        [protocol, '/admin/teas/1', {}],
        [protocol, '/admin/teas/1', { headers: { 'x-user': 'mia' } }],
        [protocol, '/admin/nothing', {}],
        [protocol, '/ADMIN/teas/%31/', { headers: { 'x-user': 'mia' } }],
        [protocol, '/nothing', {}],
        [protocol, '/pass', {}],
        [protocol, '/old', {}],
        [protocol, '/teas/%zz', {}],
        [protocol, '/fails', {}],
      ]),
    )('answers %s %s %j as it does alone', async (protocol, target, options) => {
      const alone = https.createServer({ key, cert }, createApp()).listen(0, '127.0.0.1')
      await once(alone, 'listening')
      closeLater(() => alone.close())
      const app = createApp()
      const { port } = await serveHttp2(
        new RouteControllers(toControllers(app).controllers, { profile: fromApp(app), ...given }),
        { fallback: app },
      )
      const ask = sendBy('http/1.1', (alone.address() as AddressInfo).port)
      const headers =
        options.headers?.['if-none-match'] === undefined
          ? options.headers
          : { 'if-none-match': await etag((asked) => ask(asked)) }
      const sent = { ...options, ...(headers && { headers }) }
      expect(shown(await sendBy(protocol, port)(target, sent))).toEqual(shown(await ask(target, sent)))
    })
  })

  it.each<[string, object, (routeControllers: RouteControllers) => unknown, string, string]>([
    ['onError', { onError: () => 'mended' }, () => {}, '/fails', '500 mended'],
    ['onNotFound', { onNotFound: () => 'missed' }, () => {}, '/pass', 'missed'],
    ['answerTimeoutMs', { answerTimeoutMs: 50 }, () => {}, '/never', '503 <!DOCTYPE html>'],
    ['a hook', {}, (one) => one.addGlobal((_req, res) => void res.end('hooked')), '/teas', 'hooked'],
  ])('has %s of its RouteControllers', async (_what, options, prepare, target, text) => {
    const app = createApp()
    app.get('/never', () => {})
    const routeControllers = new RouteControllers(toControllers(app).controllers, {
      profile: fromApp(app),
      ...options,
    })
    prepare(routeControllers)
    const server = await new Server().start({ port: 0, host: '127.0.0.1', routeControllers, fallback: app })
    closeLater(() => server.stop({ graceMs: 0 }))
    jest.spyOn(console, 'error').mockImplementation(() => {})
    const answer = await sendTo(server.getPort())(target)
    expect(`${answer.status} ${answer.text}`).toContain(text)
  })

  // By itself, and with a logger by its Controllers.
  it.each<[string, (app: any, router: any, deny: unknown) => void]>([
    ['another handle of the app', (app, _router, deny) => (app.handle = deny)],
    ['another handle of its router', (_app, router, deny) => (router.handle = deny)],
    [
      'a guard before all layers',
      (app, router, deny) => {
        app.use(deny)
        router.stack.unshift(router.stack.pop())
      },
    ],
    [
      'a guard of its path',
      (app, router, deny) => {
        app.all('/teas', deny)
        router.stack.unshift(router.stack.pop())
      },
    ],
  ])('has %s from the next request on', async (what, change) => {
    const silent = { info() {}, warn() {}, error() {} }
    for (const options of [{}, { logger: silent }]) {
      const app = createApp()
      const server = await serve(app, { port: 0, host: '127.0.0.1', ...options })
      closeLater(() => server.stop({ graceMs: 0 }))
      const send = sendTo(server.getPort())
      expect((await send('/teas')).status).toBe(200)
      change(app, app._router ?? app.router, (_req: unknown, res: any) => {
        res.statusCode = 401
        res.end()
      })
      // By its Controllers an app whose router is not Express's own any more cannot be read, which is 500.
      const refused = what.includes('of its router') && 'logger' in options ? 500 : 401
      for (const method of ['GET', 'HEAD', 'POST']) {
        expect((await send('/teas', { method })).status).toBe(refused)
      }
    }
  })

  it('is published to the tracing channel', async () => {
    const app = createApp()
    const server = await serve(app, { port: 0, host: '127.0.0.1' })
    closeLater(() => server.stop({ graceMs: 0 }))
    const seen: unknown[] = []
    const start = (message: any): void => void seen.push(message.route.path)
    const channel = diagnostics.channel('tracing:routecontrollers.request:start')
    channel.subscribe(start)
    try {
      await sendTo(server.getPort())('/teas')
    } finally {
      channel.unsubscribe(start)
    }
    expect(seen).toEqual(['/teas'])
  })

  it('has trustProxy of its Server', async () => {
    const app = createApp()
    app.get('/ip', (req: any, res: any) => res.json([req.ip, req.protocol]))
    const routeControllers = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
    const options = { port: 0, host: '127.0.0.1', routeControllers, fallback: app }
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
    for (const [trustProxy, seen] of [
      [undefined, ['127.0.0.1', 'http']],
      ['loopback', ['203.0.113.7', 'https']],
    ] as const) {
      const server = await new Server().start({ ...options, ...(trustProxy && { trustProxy }) })
      closeLater(() => server.stop({ graceMs: 0 }))
      expect((await sendTo(server.getPort())('/ip', { headers })).json()).toEqual(seen)
    }
  })

  it('fails once it has changed, where onStale says so', async () => {
    const app = createApp()
    const { controllers } = toControllers(app, { onStale: 'throw' })
    const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
    const server = await new Server().start({ port: 0, host: '127.0.0.1', routeControllers, fallback: app })
    closeLater(() => server.stop({ graceMs: 0 }))
    jest.spyOn(console, 'error').mockImplementation(() => {})
    app.get('/new', (_req: any, res: any) => res.json('new'))
    expect((await sendTo(server.getPort())('/teas')).status).toBe(500)
  })
})
