import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import { join } from 'node:path'
import type express5 from 'express'
import type { Express } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { Controller, type NodeHandler, RouteControllers, Server, type ServerLimits } from 'routecontrollers'
import { WebSocket, WebSocketServer } from 'ws'
import { createLegacyApp } from '../../examples/express-app/legacy-app.js'
import { createSetup } from '../../examples/express-app/setup.js'
import { closeHosted, closeLater, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'

afterEach(closeHosted)

/** A server with `app` behind it; as long as Node's own keep-alive, which is told in a header. */
async function inFront(
  app: NodeHandler,
  routeControllers = new RouteControllers([new Controller('GET', '/moved', () => 'moved')]),
  limits: ServerLimits = {},
): Promise<{ port: number; nodeServer: HttpServer }> {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    fallback: app,
    limits: { keepAliveTimeoutMs: 5_000, ...limits },
  })
  const nodeServer = server.nodeServer!
  closeLater(async () => {
    nodeServer.closeAllConnections()
    await server.stop()
  })
  return { port: server.getPort(), nodeServer }
}

/** All bytes that come back, but for the time of day and ETags of it. */
async function exchange(port: number, bytes: string): Promise<string> {
  const client = await openRaw(port)
  const received = await client.write(bytes).untilClosed()
  return received.replace(/^Date: .*$/gm, 'Date: now')
}

function createApp(express: typeof express5): Express {
  const app = createExpress(express)
  app.get('/', (_req, res) => void res.cookie('a', '1').send('<p>hello'))
  app.get('/json', (_req, res) => void res.json({ a: [1, 'é'] }))
  app.get('/query', (req, res) => void res.json([req.url, req.query, req.ip, req.hostname]))
  app.post('/echo', express.text({ type: '*/*' }), (req, res) => void res.send(req.body))
  app.post('/trailers', (req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { Trailer: 'X-Back' })
      res.write('body')
      res.addTrailers({ 'X-Back': String(req.trailers['x-sum']) })
      res.end()
    })
  })
  app.get('/throws', () => {
    // Its stack is shown, and is not the same behind another function.
    throw Object.assign(new Error('boom'), { stack: 'boom' })
  })
  app.get('/raw', (req, res) => {
    res.shouldKeepAlive = false
    res.writeHead(200, ['X-A', '1', 'x-a', '2', 'Content-Length', '2'])
    res.end('ok')
  })
  return app
}

const post = (path: string, body: string, ...headers: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
const get = (target: string, method = 'GET', ...headers: string[]): string =>
  [`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')

const requests: Record<string, string> = {
  'a page': get('/'),
  JSON: get('/json'),
  HEAD: get('/json', 'HEAD'),
  'a conditional request': get('/json', 'GET', 'If-None-Match: W/"d-cGx/FwUPy2Fi2Xjdm0nLX6ZHjLs"'),
  'a query': get('/query?a=1&a=2&b[c]=%E9'),
  '404': get('/nowhere'),
  OPTIONS: get('/json', 'OPTIONS'),
  'OPTIONS *': get('*', 'OPTIONS'),
  TRACE: get('/', 'TRACE'),
  'another method': get('/', 'PROPFIND'),
  'a target in absolute form': get('http://other.test/query?a=1'),
  'an empty segment': get('//'),
  'a malformed escape': get('/%zz'),
  'a fragment': get('/json#x'),
  dots: get('/x/../json'),
  'a malformed Host': 'GET /query HTTP/1.1\r\nHost: evil.com/x?\r\nConnection: close\r\n\r\n',
  'two Hosts': 'GET /query HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
  'no Host in HTTP/1.0': 'GET /json HTTP/1.0\r\n\r\n',
  'no Host in HTTP/1.1': 'GET /json HTTP/1.1\r\n\r\n',
  'no HTTP': 'HELLO\r\n\r\n',
  'a body': post('/echo', 'é and more'),
  'a body in chunks':
    'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  'a body that nobody reads': post('/nowhere', 'x'.repeat(100_000)),
  'Expect: 100-continue': post('/echo', 'expected', 'Expect: 100-continue'),
  'another expectation': post('/echo', 'expected', 'Expect: the-spanish-inquisition'),
  'trailers, both ways':
    'POST /trailers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n1\r\na\r\n0\r\nX-Sum: 42\r\n\r\n',
  'an error': get('/throws'),
  'an answer by writeHead and a flat list': get('/raw'),
  'two requests in a row': 'GET /json HTTP/1.1\r\nHost: x\r\n\r\n' + get('/'),
  'an upgrade that nobody listens to': get('/json', 'GET', 'Upgrade: websocket').replace(
    'close',
    'upgrade, close',
  ),
}

describe.each(expresses)('What no controller matches, with %s behind', (_name, express) => {
  it.each(Object.keys(requests))('gets the same bytes as from the app alone: %s', async (what) => {
    const alone = await host(createApp(express))
    const behind = await inFront(createApp(express))
    const expected = await exchange(alone.port, requests[what]!)
    expect(expected).toMatch(/^HTTP\/1\.1 /)
    expect(await exchange(behind.port, requests[what]!)).toBe(expected)
  })

  it.each(['no hooks', 'a hook for every request'])(
    'is on req and res as it is in the app alone, with %s',
    async (hooks) => {
      const looks: unknown[] = []
      const prototypes: unknown[] = []
      const app = createExpress(express)
      app.use((req, res) => {
        looks.push([req, res, req.socket].map((one) => Reflect.ownKeys(one).map(String).sort()))
        looks.push(
          [req, res].map((one) =>
            one.eventNames().map((name) => [String(name), one.listenerCount(name as 'close')]),
          ),
        )
        prototypes.push(
          Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response,
        )
        res.end()
      })
      const routeControllers = new RouteControllers([
        new Controller('GET', '/moved', () => 'moved'),
      ]).addHeader('X-Ours', '1')
      if (hooks !== 'no hooks') {
        routeControllers.addGlobal((_req, _res, next) => next(), { scope: 'every' })
        routeControllers.addGlobal('/deep', (_req, _res, next) => next(), { scope: 'every' })
      }
      const alone = await host(app)
      await exchange(alone.port, get('/deep/x?a=1'))
      // A time limit of the server stands on its sockets.
      const behind = await inFront(app, routeControllers, { socketTimeoutMs: 0 })
      expect(await exchange(behind.port, get('/deep/x?a=1'))).not.toMatch(/x-ours/i)
      expect(looks).toHaveLength(4)
      expect(looks.slice(2)).toEqual(looks.slice(0, 2))
      expect(prototypes).toEqual([true, true])
    },
  )

  it('is timed, cut and limited by the server as in the app alone', async () => {
    const app = createExpress(express)
    app.get('/silent', (_req, res) => void res.setTimeout(20, () => res.status(503).end('took too long')))
    const { port } = await inFront(app, undefined, {
      headersTimeoutMs: 50,
      connectionsCheckingIntervalMs: 10,
    })
    expect(parseAnswers(await exchange(port, get('/silent')))[0]).toMatchObject({
      status: 503,
      body: 'took too long',
    })
    expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: ')).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('finds the http.Server behind its socket', async () => {
    const servers: unknown[] = []
    const app = createExpress(express)
    app.use((req, res) => {
      servers.push((req.socket as unknown as { server: unknown }).server)
      res.end()
    })
    const { port, nodeServer } = await inFront(app)
    await exchange(port, get('/'))
    expect(servers.length).toBe(1)
    expect(servers[0] === nodeServer).toBe(true)
    expect(nodeServer).toBeInstanceOf(HttpServer)
    expect(nodeServer.listenerCount('checkContinue')).toBe(0)
  })

  it('may be a WebSocket of the server', async () => {
    const { port, nodeServer } = await inFront(createApp(express))
    serveEcho(nodeServer)
    expect(await talk(`ws://127.0.0.1:${port}/chat`)).toBe('echo: hello')
    expect(await exchange(port, get('/json'))).toContain('200 OK')
  })

  it('may be a WebSocket that http-proxy-middleware of the app hands on', async () => {
    const target = await host((_req, res) => void res.end('the target'))
    serveEcho(target.server)
    const app = createExpress(express)
    app.use('/live', createProxyMiddleware({ target: `http://127.0.0.1:${target.port}`, ws: true }))
    const { port } = await inFront(app)
    // It begins to listen for upgrades with the first request that it sees, by `req.socket.server`.
    expect(await exchange(port, get('/live/x'))).toContain('the target')
    expect(await talk(`ws://127.0.0.1:${port}/live/chat`)).toBe('echo: hello')
  })
})

function serveEcho(server: HttpServer): void {
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => socket.send(`echo: ${(data as Buffer).toString()}`)),
  )
  closeLater(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  })
}

async function talk(url: string): Promise<string> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  socket.send('hello')
  const [data] = (await once(socket, 'message')) as [Buffer]
  socket.close()
  await once(socket, 'close')
  return data.toString()
}

describe('What a controller matches, with an app behind', () => {
  it('may expect 100-continue', async () => {
    const { port } = await inFront(
      (_req, res) => void res.end('behind'),
      new RouteControllers([new Controller('POST', '/moved', async (req) => `got ${await req.text()}`)]),
    )
    const client = await openRaw(port)
    client.write(
      'POST /moved HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n',
    )
    expect(await client.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    client.write('body')
    expect(parseAnswers(await client.untilClosed()).at(-1)).toMatchObject({ status: 200, body: 'got body' })
  })

  it('may have trailers', async () => {
    const { port } = await inFront(
      (_req, res) => void res.end('behind'),
      new RouteControllers([
        new Controller<'/moved', { trailers: Record<string, string> }>(
          'POST',
          '/moved',
          (req) => req.trailers,
        ),
      ]),
    )
    const received = await exchange(
      port,
      'POST /moved HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 42\r\n\r\n',
    )
    expect(parseAnswers(received)[0]!.body).toBe('{"x-sum":"42"}')
  })
})

describe('The example shop behind a server', () => {
  const paths = [
    '/',
    '/products',
    '/products?size=50',
    '/products/sencha',
    '/products/nothing',
    '/products.csv',
    '/teas',
    '/cart',
    '/health',
    '/admin/report',
    '/style.css',
    '/nowhere',
    '/%zz',
    '//products',
  ]

  it.each(paths)('answers with the same bytes as alone: %s', async (path) => {
    const shop = (): Express =>
      createLegacyApp(
        createSetup({
          publicFolder: join(__dirname, '../../examples/express-app/public'),
          adminToken: 'teapot',
          log: () => {},
        }),
      )
    const nobody = new RouteControllers([])
    const alone = await host(shop())
    const behind = await inFront(shop(), nobody)
    for (const request of [
      get(path),
      get(path, 'HEAD'),
      post(path, 'productId=assam', 'Content-Type: application/x-www-form-urlencoded'),
    ]) {
      const steady = (bytes: string): string =>
        bytes.replace(/^(X-Response-Time|Set-Cookie|X-Request-Id|RateLimit.*|ETag): .*$/gim, '$1')
      const expected = steady(await exchange(alone.port, request))
      expect(steady(await exchange(behind.port, request))).toBe(expected)
    }
  })
})
