import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AnyController,
  Controller,
  RouteControllers,
  Server,
  type ServerOptions,
  toListener,
} from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { sendTo } from '../support/describe-servings.js'
import { closeHosted, closeLater, createExpress, expresses } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

// What a server holds on to for good fails here by the time limit of 5 s.

afterEach(closeHosted)

async function start(
  controllers: AnyController[],
  options: Partial<ServerOptions> = {},
): Promise<{ server: Server; port: number }> {
  const server = new Server()
  const routeControllers = new RouteControllers(controllers)
  await server.start({ port: 0, host: '127.0.0.1', routeControllers, ...options })
  closeLater(() => server.stop({ graceMs: 0 }))
  return { server, port: server.getPort() }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: t\r\n\r\n`

describe.each<[string, Partial<ServerOptions>]>([
  ['http', {}],
  ['https', { tls: { key, cert } }],
  ['https with HTTP/2', { tls: { key, cert }, http2: true }],
])('A server of %s', (_name, options) => {
  it('has all limits of its own, whatever the defaults of Node are', async () => {
    const { server } = await start([], options)
    expect(server.nodeServer).toMatchObject({
      requestTimeout: 120_000,
      headersTimeout: 20_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 72_000,
      timeout: 120_000,
      maxHeaderSize: 16_384,
      maxHeadersCount: 0,
      insecureHTTPParser: false,
      requireHostHeader: true,
      noDelay: true,
      keepAlive: true,
      // In seconds.
      keepAliveInitialDelay: 60,
    })
  })
})

it('A connection without traffic is cut, unless a listener of the program hears of that', async () => {
  const { server } = await start([], {})
  const cut = ({ own = 0, res, req, complete = false }: Record<string, number | boolean>): boolean => {
    let isCut = false
    const hearing = (count: unknown): object => ({ listenerCount: () => Number(count ?? 0) })
    const message = { ...hearing(res), getHeader() {}, req: { ...hearing(req), complete } }
    for (let at = 0; at < Number(own); at++) server.nodeServer!.on('timeout', () => {})
    server.nodeServer!.emit('timeout', { _httpMessage: message, destroy: () => (isCut = true) })
    return isCut
  }
  expect(cut({})).toBe(true)
  expect(cut({ res: 1 })).toBe(false)
  // Of its request, as long as that comes in.
  expect([cut({ req: 1 }), cut({ req: 1, complete: true })]).toEqual([false, true])
  expect(cut({ own: 1 })).toBe(false)
})

describe('limits.socketTimeoutMs', () => {
  const limits = { socketTimeoutMs: 50 }

  it('cuts a connection on which nothing comes or goes, with or without a request', async () => {
    const { port } = await start([new Controller('GET', '/silent', () => new Promise<string>(() => {}))], {
      limits,
    })
    expect(await (await openRaw(port)).untilClosed()).toBe('')
    expect(await (await openRaw(port)).write(get('/silent')).untilClosed()).toBe('')
  })

  it('does not cut an event stream, and counts again on its connection when that has ended', async () => {
    const source = new Source().give('one')
    const { port } = await start(
      [
        new Controller('GET', '/events', (_req, res) => res.sse(source.asIterable())),
        new Controller('GET', '/silent', () => new Promise<string>(() => {})),
      ],
      { limits },
    )
    // Written at once: a connection on which nothing comes is cut, too.
    const client = (await openRaw(port)).write(get('/events'))
    await client.until('one')
    // Twice as long as the limit.
    for (let at = 0; at < 2; at++) await (await openRaw(port)).write(get('/silent')).untilClosed()
    source.give('two').end()
    await client.until(/two\n\n\r\n0\r\n\r\n/)
    client.write(get('/silent'))
    expect(parseAnswers(await client.untilClosed()).map(({ body }) => body)).toEqual([
      'data: one\n\ndata: two\n\n',
    ])
  })

  it.each(expresses)(
    'does not cut one of %s behind, which is named in writeHead alone',
    async (_name, express) => {
      const app = createExpress(express).disable('x-powered-by')
      app.get('/events', (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: one\n\n')
        void once(app, 'more').then(() => res.end('data: two\n\n'))
      })
      app.get('/silent', () => {})
      const { port } = await start([], { limits, fallback: app })
      const client = await openRaw(port)
      await client.write(get('/events')).until('one')
      await (await openRaw(port)).write(get('/silent')).untilClosed()
      await (await openRaw(port)).write(get('/silent')).untilClosed()
      app.emit('more')
      await client.until('two')
      expect(client.received).toContain('data: two')
    },
  )

  it('cuts an event stream whose client does not read it', async () => {
    let signal: AbortSignal | undefined
    const { port } = await start(
      [
        new Controller('GET', '/events', (req, res) => {
          signal = req.signal
          return res.sse(
            (async function* () {
              for (;;) yield 'x'.repeat(100_000)
            })(),
          )
        }),
      ],
      { limits },
    )
    const client = await openRaw(port)
    client.socket.pause()
    client.write(get('/events'))
    while (signal === undefined) await new Promise(setImmediate)
    if (!signal.aborted) await once(signal, 'abort')
    expect(signal.aborted).toBe(true)
  })

  it('is left to a listener of the server itself', async () => {
    let answer = (_text: string): void => {}
    const silent = new Controller('GET', '/', () => new Promise<string>((resolve) => (answer = resolve)))
    const { server, port } = await start([silent], { limits })
    server.nodeServer!.on('timeout', () => answer('by the listener'))
    expect((await sendTo(port)('/')).text).toBe('by the listener')
  })

  it('is left to a response that listens for it, and to a request that is not complete', async () => {
    const app = createExpress(expresses[0][1])
    app.get('/late', (_req, res) => void res.setTimeout(30, () => void res.status(503).end('late')))
    app.post('/half', (req, res) => void req.setTimeout(30, () => void res.status(408).end('half')))
    const { port } = await start([], { fallback: app })
    expect(await sendTo(port)('/late')).toMatchObject({ status: 503, text: 'late' })
    const half = (await openRaw(port)).write(
      'POST /half HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nhalf',
    )
    expect(await half.until(/half$/)).toMatch(/^HTTP\/1\.1 408 /)
  })
})

it('limits.headersTimeoutMs is also for a TLS handshake', async () => {
  const { port } = await start([], { tls: { key, cert }, limits: { headersTimeoutMs: 50 } })
  expect(await (await openRaw(port)).untilClosed()).toBe('')
})

// Our servers leave this option off, because hooks and what stands behind may write a body where none is sent.
it('Nothing of ours writes a body where none is sent', async () => {
  const payloads: Record<string, () => unknown> = {
    text: () => 'text',
    bytes: () => Buffer.from('bytes'),
    json: () => ({ json: true }),
    stream: () => new Source().give('stream').end().asIterable(),
    web: () => new Response('web'),
    nothing: () => null,
  }
  const logged: string[] = []
  const line = (message: string): void => void logged.push(message)
  const routeControllers = new RouteControllers(
    [
      new Controller('GET', '/:status/:payload', (req, res) => {
        const payload = payloads[req.params.payload]!()
        return payload instanceof Response
          ? payload
          : res.status(Number(req.params.status)).send(payload as string)
      }),
      new Controller('GET', '/thrown', () => {
        throw new RangeError('thrown')
      }),
    ],
    { logger: { info: line, warn: line, error: line } },
  )
  const server = createServer(
    { rejectNonStandardBodyWrites: true },
    toListener(routeControllers.getCallback()),
  )
  closeLater(() => void server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const send = sendTo((server.address() as AddressInfo).port)
  for (const payload of Object.keys(payloads)) {
    for (const status of [200, 204, 205, 304]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await send(`/${status}/${payload}`, { method })
        const wanted = payload === 'web' ? 200 : payload === 'nothing' && status === 200 ? 204 : status
        expect([payload, method, answer.status]).toEqual([payload, method, wanted])
        if (method === 'HEAD' || wanted !== 200) expect(answer.text).toBe('')
      }
    }
  }
  expect((await send('/nowhere', { method: 'HEAD' })).status).toBe(404)
  expect(logged).toEqual([])
  expect((await send('/thrown', { method: 'HEAD' })).status).toBe(500)
  expect(logged).toEqual([expect.stringContaining('RangeError: thrown')])
})
