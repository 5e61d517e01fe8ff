import compression from 'compression'
import express5, { type Request as ExpressRequest, type Response as ExpressResponse } from 'express'
import express4 from 'express4'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGunzip } from 'node:zlib'
import { Controller, type Hook, type Next, RouteControllers, Server } from 'routecontrollers'
import { WebSocket, WebSocketServer } from 'ws'
import { openClient } from '../support/client.js'
import { closeAll, describeServings, listenOn, sendTo } from '../support/describe-servings.js'

/** A gate that a test opens. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

describeServings('compression', ({ serve }) => {
  it('lets the first event of an event stream arrive before there is a second', async () => {
    const second = gate()
    const controller = new Controller('GET', '/', (_req, res) =>
      res.sse(async function* () {
        yield 'first'
        await second.opened
        yield 'second'
      }),
    )
    const served = await serve([controller], {
      setup: (routeControllers) => void routeControllers.addGlobal(compression()),
    })
    const client = openClient(served, '/', { headers: { 'accept-encoding': 'gzip' } })
    expect((await client.head).headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/event-stream',
    })
    const unzipped = createGunzip()
    const feed = (async () => {
      for (let chunk = await client.readBytes(); chunk !== undefined; chunk = await client.readBytes())
        unzipped.write(chunk)
      unzipped.end()
    })()
    const [first] = (await once(unzipped, 'data')) as [Buffer]
    expect(String(first)).toBe('data: first\n\n')
    second.open()
    const [next] = (await once(unzipped, 'data')) as [Buffer]
    expect(String(next)).toBe('data: second\n\n')
    await feed
  })
})

describe('http-proxy-middleware', () => {
  afterEach(closeAll)

  it.each([
    ['standalone', undefined],
    ['in front of Express 5', express5],
  ])('carries a WebSocket, %s', async (_way, fallback) => {
    const behind = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(behind, 'listening')
    behind.on('connection', (socket, request) => {
      socket.on('message', (data: Buffer) => socket.send(`${request.url} ${String(data)}`))
    })
    const { port } = behind.address() as { port: number }
    const proxy = createProxyMiddleware({ target: `ws://127.0.0.1:${port}`, ws: true, pathFilter: '/live' })
    const routeControllers = new RouteControllers([]).addGlobal(proxy, { scope: 'every' })
    const server = new Server()
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      ...(fallback && { fallback: fallback() }),
    })
    // The proxy finds its server by the first request, as it does in Express.
    expect((await sendTo(server.getPort())('/other')).status).toBe(404)
    const socket = new WebSocket(`ws://127.0.0.1:${server.getPort()}/live`)
    await once(socket, 'open')
    socket.send('hello')
    const [answer] = (await once(socket, 'message')) as [Buffer]
    expect(String(answer)).toBe('/live hello')
    socket.close()
    await once(socket, 'close')
    await server.stop()
    behind.close()
  })
})

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])("%s behind a hook of scope 'every'", (_name, express) => {
  const tell = (req: ExpressRequest, res: ExpressResponse): void =>
    void res.cookie('a', '1').json({
      query: req.query,
      ip: req.ip,
      host: req.hostname,
      get: req.get('x-mine'),
      locals: res.locals,
      originalUrl: req.originalUrl,
      keys: Object.keys(req).filter((key) => !key.startsWith('_')),
    })

  const uses: Hook = (
    req: IncomingMessage & Record<string, unknown>,
    res: ServerResponse & { locals: Record<string, unknown> },
    next: Next,
  ) => {
    // Read, so that they are there.
    for (const name of ['query', 'ip', 'realIp', 'secure', 'protocol', 'path', 'app', 'signal'])
      void req[name]
    res.locals['user'] = 'ada'
    next()
  }

  it.each([
    ['in front', true],
    ['around it', false],
  ])('answers with its own req and res, %s', async (_way, inFront) => {
    const makeApp = (): ReturnType<typeof express5> => {
      const app = express()
      app.set('query parser', 'extended')
      app.set('trust proxy', true)
      return app
    }
    const alone = makeApp()
    alone.use((_req, res, next) => {
      res.locals['user'] = 'ada'
      next()
    })
    alone.get('/', tell)

    const app = makeApp()
    const routeControllers = new RouteControllers([new Controller('GET', '/ours', () => 'x')])
    routeControllers.addGlobal(uses, { scope: 'every' })
    if (!inFront) app.use(routeControllers.middleware())
    app.get('/', tell)

    const server = new Server()
    if (inFront) await server.start({ port: 0, host: '127.0.0.1', routeControllers, fallback: app })
    const host = await listenOn(app)
    const reference = await listenOn(alone)
    const options = { headers: { host: 'test', 'x-mine': 'yes', 'x-forwarded-for': '192.0.2.7' } }
    const target = '/?a[b]=1&a[c]=2'
    const answer = await sendTo(inFront ? server.getPort() : host.port)(target, options)
    const expected = await sendTo(reference.port)(target, options)
    const { keys, ...members } = answer.json()
    const { keys: itsKeys, ...itsMembers } = expected.json()
    expect(members).toEqual(itsMembers)
    expect(itsMembers).toMatchObject({ query: { a: { b: '1', c: '2' } }, ip: '192.0.2.7' })
    expect(new Set(keys)).toEqual(new Set(itsKeys))
    expect(answer.cookies).toEqual(expected.cookies)
    await Promise.all([server.stop(), host.close(), reference.close()])
  })
})
