import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import compression from 'compression'
import session from 'express-session'
import helmet from 'helmet'
import { fromConnect } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import morgan from 'morgan'
import {
  type AnyController,
  Controller,
  RouteControllers,
  type RouteControllersOptions,
  Server,
  type ServerOptions,
} from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { closeHosted, createExpress, expresses } from '../support/hosting.js'
import { refusal } from '../support/refusal.js'
import { Source } from '../support/source.js'
import { frame, headBlock, preface } from '../support/http2-frames.js'
import { openRawTls, openSession, readAnswer, sendBy, sendOn } from './http2-client.js'
import { serveHttp2 } from './serve-http2.js'

let logged: string[]
const warnings: string[] = []
const noteWarning = (warning: Error): void => void warnings.push(warning.message)
beforeAll(() => void process.on('warning', noteWarning))
afterAll(() => void process.off('warning', noteWarning))
beforeEach(() => {
  logged = []
})
afterEach(closeHosted)

async function serve(
  controllers: AnyController[],
  {
    setup,
    options = {},
    ...serverOptions
  }: Partial<ServerOptions> & {
    setup?: (routeControllers: RouteControllers) => void
    options?: RouteControllersOptions
  } = {},
): Promise<{ server: Server; port: number }> {
  const line = (message: string): void => void logged.push(message)
  const routeControllers = new RouteControllers(controllers, {
    logger: { info: line, warn: line, error: line },
    ...options,
  })
  setup?.(routeControllers)
  return serveHttp2(routeControllers, serverOptions)
}

const incomingOf = (req: unknown): IncomingMessage & { socket: TLSSocket } => req as never

describe.each(['h2', 'http/1.1'] as const)('On a port with http2, a client of %s', (protocol) => {
  it('is answered by that protocol', async () => {
    const { port, server } = await serve([
      new Controller('GET', '/version', (req, res) => {
        const { httpVersion, socket } = incomingOf(req)
        return res.json({
          httpVersion,
          alpn: socket.alpnProtocol,
          encrypted: socket.encrypted,
          ip: req.realIp,
        })
      }),
    ])
    expect(server.getURL()).toMatch(/^https:/)
    expect((await sendBy(protocol, port)('/version')).json()).toEqual({
      httpVersion: protocol === 'h2' ? '2.0' : '1.1',
      alpn: protocol,
      encrypted: true,
      ip: '127.0.0.1',
    })
  })

  it('gets status, headers, cookies and body as from any serving', async () => {
    const { port } = await serve([
      new Controller('GET', '/items/:id', (req, res) =>
        res
          .status(201)
          .header('X-One', 'Été')
          .header('Vary', ['Accept', 'Cookie'])
          .header('Connection', 'close')
          .cookie('a', '1')
          .cookie('b', '2')
          .json({ params: req.params, query: req.query, cookie: req.get('cookie') }),
      ),
    ])
    const answer = await sendBy(protocol, port)('/items/%C3%A9?x=1&x=2', {
      headers: { cookie: 'c=1; d=2' },
    })
    const { status, headers, cookies, body } = answer
    expect(status).toBe(201)
    expect(answer.json()).toEqual({ params: { id: 'é' }, query: { x: ['1', '2'] }, cookie: 'c=1; d=2' })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      'x-one': 'Été',
      vary: 'Accept, Cookie',
      date: expect.any(String),
    })
    expect(cookies).toEqual(['a=1; Path=/', 'b=2; Path=/'])
    for (const name of ['connection', 'keep-alive', 'transfer-encoding']) {
      if (protocol === 'h2') expect(headers).not.toHaveProperty(name)
    }
  })

  it('is asked for the Host that it has named, in a web Request too', async () => {
    const { port } = await serve([
      new Controller('GET', '/host', (req, res) =>
        res.json([req.get('host'), incomingOf(req).headers.host, Object.keys(incomingOf(req).headers)]),
      ),
    ])
    const [host, same, names] = (await sendBy(protocol, port)('/host')).json()
    expect([host, same]).toEqual([`localhost:${port}`, `localhost:${port}`])
    expect(names.filter((name: string) => name.startsWith(':'))).toEqual([])
  })

  it('gets the head alone for HEAD, and nothing for 204 and 304', async () => {
    const { port } = await serve([
      new Controller('GET', '/text', () => 'four'),
      new Controller('GET', '/stream', (_req, res) => res.stream(new Source().asIterable())),
      new Controller('GET', '/:status', (req, res) => res.status(Number(req.params.status)).end()),
    ])
    const send = sendBy(protocol, port)
    expect(await send('/text', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '4' },
    })
    expect(await send('/stream', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    for (const status of [204, 304]) expect(await send(`/${status}`)).toMatchObject({ status, text: '' })
  })

  it('sends bodies of all kinds, exact to the byte of the limit', async () => {
    const { port } = await serve(
      [
        new Controller('POST', '/', (req, res) => res.json(req.body)),
        new Controller('POST', '/form', async (req, res) => res.json([...(await req.formData()).keys()])),
        new Controller(
          'POST',
          '/stream',
          async (req, res) => {
            let size = 0
            for await (const chunk of req) size += chunk.length
            return res.json(size)
          },
          { body: 'stream' },
        ),
      ],
      { options: { bodyLimit: 100 } },
    )
    const send = sendBy(protocol, port)
    const json = (size: number): string => JSON.stringify(['x'.repeat(size - 4)])
    const headers = { 'content-type': 'application/json' }
    for (const chunked of [false, true]) {
      expect((await send('/', { method: 'POST', headers, body: json(100), chunked })).text).toBe(json(100))
      expect((await send('/', { method: 'POST', headers, body: json(101), chunked })).status).toBe(413)
    }
    expect((await send('/', { method: 'POST', headers, body: '{' })).status).toBe(400)
    const form = { 'content-type': 'multipart/form-data; boundary=b' }
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
    expect((await send('/form', { method: 'POST', headers: form, body: part })).json()).toEqual(['a'])
    const large = Buffer.alloc(3_000_000, 'x')
    expect((await send('/stream', { method: 'POST', body: large })).json()).toBe(3_000_000)
  })

  it('may leave out a body where one is not sent', async () => {
    const { port } = await serve([
      new Controller('POST', '/', (req, res) => res.json({ body: req.body === undefined })),
    ])
    expect((await sendBy(protocol, port)('/', { method: 'POST' })).json()).toEqual({ body: true })
  })

  it('gets a large stream whole, and events as they come', async () => {
    const source = new Source().give('one')
    const { port } = await serve([
      new Controller('GET', '/large', (_req, res) =>
        res.stream(
          (async function* () {
            for (let count = 0; count < 200; count++) yield Buffer.alloc(20_000, 'x')
          })(),
        ),
      ),
      new Controller('GET', '/events', (_req, res) => res.sse(source.asIterable())),
    ])
    const send = sendBy(protocol, port)
    expect((await send('/large')).body.length).toBe(4_000_000)
    source.give('two').end()
    const events = await send('/events')
    expect([events.headers['content-type'], events.text]).toEqual([
      'text/event-stream',
      'data: one\n\ndata: two\n\n',
    ])
  })

  it('passes hooks of Connect, which answer, compress and keep sessions', async () => {
    const lines: string[] = []
    const { port } = await serve(
      [
        new Controller('GET', '/large', () => 'x'.repeat(5000)),
        new Controller('GET', '/count', (req, res) => {
          const state = (req as unknown as { session: { count?: number } }).session
          state.count = (state.count ?? 0) + 1
          return res.json(state.count)
        }),
      ],
      {
        setup: (routeControllers) =>
          void routeControllers
            .addGlobal(
              morgan(':method :url HTTP/:http-version :status', {
                stream: { write: (line) => void lines.push(line) },
              }),
            )
            .addGlobal(helmet())
            .addGlobal(compression())
            .addGlobal(session({ secret: 's', resave: false, saveUninitialized: true }))
            .addGlobal('/denied', (_req, res) => {
              res.statusCode = 403
              res.end('denied by a hook')
            }),
      },
    )
    const send = sendBy(protocol, port)
    const large = await send('/large', { headers: { 'accept-encoding': 'gzip' } })
    expect(large.headers).toMatchObject({ 'content-encoding': 'gzip', 'x-content-type-options': 'nosniff' })
    expect(await send('/denied')).toMatchObject({ status: 403, text: 'denied by a hook' })
    const first = await send('/count')
    const cookie = first.cookies[0]!.split(';')[0]!
    expect((await send('/count', { headers: { cookie } })).json()).toBe(2)
    const version = protocol === 'h2' ? '2.0' : '1.1'
    expect(lines).toContain(`GET /denied HTTP/${version} 403\n`)
  })

  it.each(expresses)(
    'finds the whole of %s behind, with its body parsers, views of the request and errors',
    async (_name, express) => {
      const app = createExpress(express)
      app.use(express.json())
      app.get('/legacy/:id', (req, res) => {
        res
          .cookie('a', '1')
          .json([req.params.id, req.query['x'], req.protocol, req.hostname, req.ip, req.secure])
      })
      app.post('/legacy', (req, res) => void res.status(201).send(req.body))
      app.get('/thrown', () => {
        throw Object.assign(new Error('teapot'), { status: 418 })
      })
      app.get('/file', (_req, res) => res.sendFile(__filename))
      const { port } = await serve([new Controller('GET', '/ours', () => 'ours')], { fallback: app })
      const send = sendBy(protocol, port)
      expect((await send('/ours')).text).toBe('ours')
      const legacy = await send('/legacy/7?x=1')
      expect(legacy.json()).toEqual(['7', '1', 'https', 'localhost', '127.0.0.1', true])
      expect(legacy.cookies).toEqual(['a=1; Path=/'])
      const headers = { 'content-type': 'application/json' }
      expect(await send('/legacy', { method: 'POST', headers, body: '{"a":1}' })).toMatchObject({
        status: 201,
        text: '{"a":1}',
      })
      expect((await send('/legacy', { method: 'POST', headers, body: '{' })).status).toBe(400)
      expect((await send('/thrown')).status).toBe(418)
      expect((await send('/nowhere')).status).toBe(404)
      expect((await send('/file')).text).toContain('finds the whole of')
      expect(await send('/legacy/7', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    },
  )

  it.each(['Host', 'path'])('is refused with 400 for a malformed %s', async (what) => {
    const { port } = await serve([new Controller('GET', '/hello', () => 'hello')])
    const send = sendBy(protocol, port)
    const host = protocol === 'h2' ? ':authority' : 'host'
    const answer =
      what === 'Host'
        ? // One that HTTP/2 of every Node lets through: newer ones refuse others by themselves.
          await send('/hello', { headers: { [host]: 'x:99999' } })
        : await send('/hello#fragment', {})
    expect(answer.status).toBe(400)
  })

  it.each(['post', 'Get', 'FETCH'])('is refused with 400 for the method %s', async (method) => {
    const seen: unknown[] = []
    const { port } = await serve([new Controller('*', '/', () => 'ours')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal(
          (req, _res, next) => {
            seen.push(req.method)
            next()
          },
          { scope: 'every' },
        ),
      fallback: (_req, res) => void res.end('behind'),
    })
    if (protocol === 'h2') {
      const client = await openSession(port)
      for (const target of ['/', '/behind'])
        expect((await sendOn(client, target, { method })).status).toBe(400)
      const stream = client.request({ ':method': method, ':path': '/' })
      stream.write('half of a body')
      expect((await readAnswer(stream)).status).toBe(400)
    } else {
      const raw = await openRawTls(port, protocol)
      await raw.write(`${method} / HTTP/1.1\r\nHost: t\r\n\r\n`).until('HTTP/1.1 400 ')
    }
    expect(seen).toEqual([])
  })

  it.each(expresses)(
    'sends a body without its length to the parsers of %s, in hooks, Controllers and an app behind, within their limits',
    async (_name, express) => {
      const parse = express.json({ limit: 100 })
      const app = createExpress(express)
      app.use(parse)
      app.post('/behind', (req, res) => void res.json(req.body))
      const { port } = await serve(
        [
          new Controller('POST', '/hooked', (req) => ({ ...(req.body as object) })),
          new Controller('POST', '/connect', (req) => ({ ...(req.body as object) }), { body: 'stream' }).use(
            fromConnect(parse),
          ),
          new Controller('POST', '/express', fromExpress([parse, (req, res) => void res.json(req.body)]), {
            body: 'stream',
          }),
          new Controller(
            'POST',
            '/announced',
            (req, res) => res.text(`${incomingOf(req).headers['transfer-encoding']}`),
            { body: 'stream' },
          ),
        ],
        { fallback: app, setup: (routeControllers) => void routeControllers.addGlobal('/hooked', parse) },
      )
      const send = sendBy(protocol, port)
      const headers = { 'content-type': 'application/json' }
      const request = { method: 'POST', headers, chunked: true }
      for (const target of ['/hooked', '/connect', '/express', '/behind']) {
        const answer = await send(target, { ...request, body: '{"a":1}' })
        expect([target, answer.status, answer.text]).toEqual([target, 200, '{"a":1}'])
        const large = await send(target, { ...request, body: JSON.stringify({ a: 'x'.repeat(100) }) })
        expect([target, large.status]).toEqual([target, 413])
      }
      expect((await send('/announced', { ...request, body: 'x' })).text).toBe('chunked')
      expect((await send('/announced', { ...request, chunked: false, body: 'x' })).text).toBe('undefined')
      expect((await send('/announced', { method: 'POST', headers: { 'content-length': '0' } })).text).toBe(
        'undefined',
      )
    },
  )

  it('gets the answer of who announces trailers', async () => {
    const write = (_req: unknown, res: ServerResponse): void => {
      res.setHeader('Trailer', 'X-Sum')
      res.write('one ')
      res.addTrailers({ 'X-Sum': '1' })
      res.end('two')
    }
    const { port } = await serve(
      [
        new Controller('GET', '/hooked', () => 'one two'),
        new Controller('GET', '/hooked/stream', (_req, res) =>
          res.stream(new Source().give('one two').end().asIterable()),
        ),
        new Controller('GET', '/hooked/none', () => null),
        new Controller('GET', '/express', fromExpress(write)),
      ],
      {
        fallback: write,
        setup: (routeControllers) =>
          void routeControllers.addGlobal('/hooked', (_req, res: ServerResponse, next) => {
            res.setHeader('Trailer', 'X-Sum')
            next()
          }),
      },
    )
    const send = sendBy(protocol, port)
    for (const target of ['/hooked', '/hooked/stream', '/express', '/behind']) {
      const { status, text, headers } = await send(target)
      expect([target, status, text]).toEqual([target, 200, 'one two'])
      if (protocol === 'h2' || target.startsWith('/hooked')) expect(headers).not.toHaveProperty('trailer')
    }
    expect((await send('/hooked/none')).status).toBe(204)
    expect(await send('/hooked/stream', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it('is refused with 431 for more header fields, and more bytes of them, than the limits say', async () => {
    const { port } = await serve([new Controller('GET', '/hello', () => 'hello')], {
      limits: { maxHeaderFields: 10, maxHeaderBytes: 2000 },
    })
    const send = sendBy(protocol, port)
    const some = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'x']))
    expect((await send('/hello', { headers: some(5) })).status).toBe(200)
    expect((await send('/hello', { headers: some(11) })).status).toBe(431)
    expect((await send('/hello', { headers: { x: 'x'.repeat(1500) } })).status).toBe(200)
    expect((await send('/hello', { headers: { x: 'x'.repeat(2100) } })).status).toBe(431)
  })

  it('gets 500 for what is thrown, and sees an answer that breaks off', async () => {
    const source = new Source().give('begun')
    const { port } = await serve([
      new Controller('GET', '/thrown', () => {
        throw new Error('secret')
      }),
      new Controller('GET', '/broken', (_req, res) => res.stream(source.asIterable())),
    ])
    const send = sendBy(protocol, port)
    expect(await send('/thrown')).toMatchObject({ status: 500, text: 'Internal Server Error' })
    source.fail(new Error('no more'))
    await expect(send('/broken')).rejects.toThrow()
    expect(logged).toEqual([expect.stringContaining('secret'), expect.stringContaining('no more')])
  })
})

it('Nothing of that has made Node warn', () => {
  expect(warnings).toEqual([])
})

describe('HTTP/2', () => {
  it('carries several requests at once, each with its own answer', async () => {
    const gate = new Source()
    const { port } = await serve([
      new Controller('GET', '/slow', async () => {
        await gate.asIterable()[Symbol.asyncIterator]().next()
        return 'slow'
      }),
      new Controller('GET', '/fast', () => 'fast'),
    ])
    const client = await openSession(port)
    const slow = sendOn(client, '/slow')
    expect((await sendOn(client, '/fast')).text).toBe('fast')
    gate.end()
    expect((await slow).text).toBe('slow')
  })

  it('tells req.signal when a stream is reset, and when the connection is gone', async () => {
    const signals: AbortSignal[] = []
    const { port } = await serve([
      new Controller('GET', '/slow', async (req) => {
        signals.push(req.signal)
        await new Promise(() => {})
      }),
      new Controller('GET', '/fast', (req) => {
        signals.push(req.signal)
        return 'fast'
      }),
    ])
    const client = await openSession(port)
    await sendOn(client, '/fast')
    const one = client.request({ ':path': '/slow' })
    const other = client.request({ ':path': '/slow' })
    one.on('error', () => {})
    other.on('error', () => {})
    await sendOn(client, '/fast')
    one.close(constants.NGHTTP2_CANCEL)
    await once(signals[1]!, 'abort')
    expect(signals[2]!.aborted).toBe(false)
    client.destroy()
    await once(signals[2]!, 'abort')
    expect([signals[0]!.aborted, signals[3]!.aborted]).toEqual([false, false])
  })

  it('does not take a body that breaks off for a whole one', async () => {
    let ended!: (how: string) => void
    const how = new Promise<string>((resolve) => (ended = resolve))
    let arrived!: () => void
    const begun = new Promise<void>((resolve) => (arrived = resolve))
    const { port } = await serve([
      new Controller(
        'POST',
        '/',
        async (req) => {
          try {
            for await (const _chunk of req) arrived()
            ended('whole')
          } catch {
            ended('broken off')
          }
          return ''
        },
        { body: 'stream' },
      ),
    ])
    const client = await openSession(port)
    const stream = client.request({ ':method': 'POST', ':path': '/' })
    stream.on('error', () => {})
    stream.write('half')
    await begun
    client.destroy()
    expect(await how).toBe('broken off')
  })

  it('does not wait for a body that nobody asks for: the answer comes, and the client need not send the rest', async () => {
    const { port } = await serve([new Controller('GET', '/', () => 'root')])
    const client = await openSession(port)
    const stream = client.request({ ':method': 'POST', ':path': '/' })
    stream.write('half')
    expect((await readAnswer(stream)).status).toBe(404)
  })

  it.each(['', 'denied'])(
    'sends the whole answer %j of a hook that does not wait for the body',
    async (text) => {
      const { port } = await serve([], {
        setup: (routeControllers) =>
          void routeControllers.addGlobal((_req, res: ServerResponse) => void res.writeHead(403).end(text)),
      })
      const stream = (await openSession(port)).request({ ':method': 'POST', ':path': '/' })
      stream.write('half')
      expect(await readAnswer(stream)).toMatchObject({ status: 403, text })
    },
  )

  it('has 100 Continue, early hints, and trailers of a request', async () => {
    const { port } = await serve(
      [
        new Controller('POST', '/', async (req, res) => {
          const text = await req.text()
          return res.json([text, (req as unknown as IncomingMessage).trailers])
        }),
      ],
      {
        setup: (routeControllers) =>
          void routeControllers.addGlobal((_req, res: ServerResponse, next) => {
            res.writeEarlyHints({ link: '</shop.css>; rel=preload; as=style' })
            next()
          }),
      },
    )
    const client = await openSession(port)
    const stream = client.request(
      { ':method': 'POST', ':path': '/', expect: '100-continue', 'content-type': 'text/plain' },
      { waitForTrailers: true },
    )
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '1' }))
    const answer = readAnswer(stream)
    await once(stream, 'continue')
    stream.end('body')
    const [hints] = (await once(stream, 'headers')) as [object]
    expect(hints).toMatchObject({ ':status': 103, link: '</shop.css>; rel=preload; as=style' })
    expect((await answer).json()).toEqual(['body', { 'x-sum': '1' }])
  })

  it('refuses CONNECT, a request without a host, and a Host that says otherwise than :authority', async () => {
    const { port } = await serve([new Controller('GET', '/hello', () => 'hello')])
    const client = await openSession(port)
    const connecting = client.request({ ':method': 'CONNECT', ':authority': 't:1' })
    expect((await readAnswer(connecting)).status).toBe(405)
    expect((await sendOn(client, '/hello', { headers: { host: 'other', ':authority': 't' } })).status).toBe(
      400,
    )
    const raw = await openRawTls(port, 'h2')
    // :method GET, :scheme https, :path / of the static table (RFC 7541), and nothing else.
    raw.write(
      Buffer.concat([Buffer.from(preface), frame(4, 0, 0), frame(1, 5, 1, Buffer.from([0x82, 0x87, 0x84]))]),
    )
    // RST_STREAM of stream 1 with PROTOCOL_ERROR.
    await raw.until('\0\0\x04\x03\0\0\0\0\x01\0\0\0\x01')
  })

  it('OPTIONS * is about the server', async () => {
    const { port } = await serve([new Controller('GET', '/hello', () => 'hello')])
    const answer = await sendOn(await openSession(port), '*', { method: 'OPTIONS' })
    expect([answer.status, answer.headers['allow']]).toEqual([204, 'GET, HEAD'])
  })

  it('keeps to so many streams at a time as the limit says', async () => {
    const { port } = await serve([], { limits: { maxConcurrentStreams: 7 } })
    const client = await openSession(port)
    if (client.remoteSettings.maxConcurrentStreams !== 7) await once(client, 'remoteSettings')
    expect(client.remoteSettings.maxConcurrentStreams).toBe(7)
  })

  // With literals Node 20 ended the process when the session was destroyed while it was reading.
  it.each([
    ['', Buffer.concat([Buffer.from([0x82, 0x87, 0x84, 0x41, 1]), Buffer.from('t')])],
    [
      ' with literals in its heads',
      headBlock([
        [':method', 'GET'],
        [':scheme', 'https'],
        [':authority', 'localhost'],
        [':path', '/'],
      ]),
    ],
  ])('does not serve a connection that opens streams and resets them for ever%s', async (_how, head) => {
    let count = 0
    const { port } = await serve([
      new Controller('GET', '/', async () => {
        count++
        await new Promise(() => {})
      }),
    ])
    const raw = await openRawTls(port, 'h2')
    raw.write(Buffer.concat([Buffer.from(preface), frame(4, 0, 0)]))
    const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])
    for (let stream = 1; stream < 8_000 && !raw.closed;) {
      const frames: Buffer[] = []
      for (let times = 0; times < 100; times++, stream += 2)
        frames.push(frame(1, 5, stream, head), frame(3, 0, stream, cancel))
      raw.write(Buffer.concat(frames))
      await new Promise((resolve) => setImmediate(resolve))
    }
    // GOAWAY, with an error.
    await raw.until(/\0\0\x08\x07\0{5}[^]{4}\0\0\0[^\0]/)
    expect(count).toBeLessThan(2000)
  })

  it.each([
    ['without a request', () => {}],
    [
      'after an answer',
      async (port: number) => {
        const client = await openSession(port)
        await sendOn(client, '/hello')
        await once(client, 'close')
      },
    ],
  ])('closes a connection that is idle for keepAliveTimeoutMs %s', async (_what, use) => {
    const { port } = await serve([new Controller('GET', '/hello', () => 'hello')], {
      limits: { keepAliveTimeoutMs: 50 },
    })
    await use(port)
    const raw = await openRawTls(port, 'h2')
    await raw.write(Buffer.concat([Buffer.from(preface), frame(4, 0, 0)])).untilClosed()
  })

  it('cuts a stream that is silent for socketTimeoutMs, and not one of events', async () => {
    const source = new Source().give('one')
    const { port } = await serve(
      [
        new Controller('GET', '/silent', () => new Promise<string>(() => {})),
        new Controller('GET', '/events', (_req, res) => res.sse(source.asIterable())),
      ],
      { limits: { socketTimeoutMs: 50 } },
    )
    const client = await openSession(port)
    const events = sendOn(client, '/events')
    await expect(sendOn(client, '/silent')).rejects.toThrow()
    await expect(sendOn(client, '/silent')).rejects.toThrow()
    source.give('two').end()
    expect((await events).text).toBe('data: one\n\ndata: two\n\n')
  })

  it('answers 408 to a body that does not come to its end in requestTimeoutMs', async () => {
    const { port } = await serve([new Controller('POST', '/', (req) => req.text())], {
      limits: { requestTimeoutMs: 100 },
    })
    const client = await openSession(port)
    const stream = client.request({ ':method': 'POST', ':path': '/', 'content-type': 'text/plain' })
    stream.write('half')
    expect((await readAnswer(stream)).status).toBe(408)
  })

  it('answers nothing to a body that nobody reads and whose stream its client has reset', async () => {
    let cut!: () => void
    const whenCut = new Promise<void>((resolve) => (cut = resolve))
    const { port } = await serve(
      [
        new Controller('POST', '/', async (req) => {
          await new Promise<void>((resolve) => req.signal.addEventListener('abort', () => resolve()))
          cut()
        }),
      ],
      { limits: { requestTimeoutMs: 100 } },
    )
    const stream = (await openSession(port)).request({ ':method': 'POST', ':path': '/' })
    stream.on('error', () => {})
    // More than is kept of what nobody reads.
    stream.write(Buffer.alloc(60_000))
    setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), 30)
    // An error of the timer would fail this test.
    await whenCut
  })

  it('answers 417 to an expectation that is none, unless somebody takes it', async () => {
    const { port, server } = await serve([new Controller('GET', '/hello', () => 'hello')])
    const expecting = async (expect: string): Promise<number> =>
      (await sendOn(await openSession(port), '/hello', { headers: { expect } })).status
    expect([await expecting('tea'), await expecting('100-Continue')]).toEqual([417, 200])
    const take = (_req: IncomingMessage, res: ServerResponse): void => void res.writeHead(299).end()
    server.nodeServer!.on('checkExpectation', take)
    expect(await expecting('tea')).toBe(299)
    server.nodeServer!.on('checkContinue', take)
    expect(await expecting('100-continue')).toBe(299)
  })

  it('takes the Host field of a client that names no authority', async () => {
    const { port } = await serve([new Controller('GET', '/host', (req) => req.get('host')!)])
    const client = await openSession(port)
    expect((await sendOn(client, '/host', { headers: { host: 'named.example' } })).text).toBe('named.example')
  })

  it('has no time limits where they are 0', async () => {
    const { port } = await serve([new Controller('POST', '/', (req) => req.text())], {
      limits: { requestTimeoutMs: 0, headersTimeoutMs: 0, socketTimeoutMs: 0, keepAliveTimeoutMs: 0 },
    })
    const client = await openSession(port)
    const headers = { 'content-type': 'text/plain' }
    const answer = await sendOn(client, '/', { method: 'POST', headers, body: 'whole', chunked: true })
    expect(answer.text).toBe('whole')
  })

  it('leaves out of an answer what a hook says of the connection', async () => {
    const { port } = await serve([], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, res: ServerResponse) => {
          const names = ['Upgrade', 'Proxy-Connection', 'Keep-Alive', 'HTTP2-Settings', 'X-Kept']
          for (const name of names) res.setHeader(name, 'x')
          res.end('done')
        }),
    })
    const { text, headers } = await sendOn(await openSession(port), '/')
    expect([text, headers['x-kept']]).toEqual(['done', 'x'])
    for (const name of ['upgrade', 'proxy-connection', 'keep-alive', 'http2-settings'])
      expect(headers).not.toHaveProperty(name)
  })

  const failure = { status: 500, text: 'Internal Server Error' }

  it.each<[string, (res: ServerResponse) => void]>([
    ['a head of more than 64 KiB', (res) => void res.setHeader('X-Large', 'x'.repeat(70_000)).end('bad')],
    [
      'many headers of more than 64 KiB',
      (res) => {
        for (let at = 0; at < 1_000; at++) res.setHeader(`x-${at}`, 'x'.repeat(60))
        res.end('bad')
      },
    ],
    [
      'cookies of more than 64 KiB',
      (res) => void res.setHeader('Set-Cookie', Array(70).fill('x'.repeat(1_000))).end(),
    ],
    ['a status of 600', (res) => void res.writeHead(600).end('bad')],
    ['a final status of 101', (res) => void res.writeHead(101).end()],
    ['a final status of 103', (res) => void res.writeHead(103).end()],
    ['a final status of 199', (res) => void res.writeHead(199).end()],
    [
      'a body that does not end behind a head that cannot be sent',
      (res) => {
        res.writeHead(200, { 'X-Large': 'x'.repeat(70_000) }).flushHeaders()
        const writing = setInterval(() => res.write('bad'), 5)
        res.once('close', () => clearInterval(writing))
      },
    ],
  ])('answers 500 where an answer has %s, and goes on with the others', async (_what, answer) => {
    const lines: string[] = []
    const line = (message: string): void => void lines.push(message)
    const gate = new Source()
    const { port } = await serve(
      [
        new Controller('GET', '/slow', async () => {
          await gate.asIterable()[Symbol.asyncIterator]().next()
          return 'slow'
        }),
      ],
      { fallback: (_req, res) => answer(res), logger: { info: line, warn: line, error: line } },
    )
    const client = await openSession(port)
    let goaway = false
    client.on('goaway', () => (goaway = true))
    const slow = sendOn(client, '/slow')
    expect(await sendOn(client, '/bad?x')).toMatchObject(failure)
    expect(await sendOn(client, '/bad', { method: 'POST', body: 'x' })).toMatchObject(failure)
    expect(await sendOn(client, '/bad', { method: 'HEAD' })).toMatchObject({ status: 500, text: '' })
    gate.end()
    expect([(await slow).text, goaway, lines.length]).toEqual(['slow', false, 3])
    expect(lines[0]).toMatch(/^GET \/bad: the answer cannot be sent by HTTP\/2: ./)
  })

  it('leaves out early hints that it cannot send', async () => {
    const { port } = await serve([new Controller('GET', '/', () => 'answered')], {
      logger: { info() {}, warn() {}, error() {} },
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, res: ServerResponse, next) => {
          res.writeEarlyHints({ link: Array(2_000).fill('</shop.css>; rel=preload; as=style') })
          next()
        }),
    })
    const client = await openSession(port)
    for (let times = 0; times < 2; times++) expect((await sendOn(client, '/')).text).toBe('answered')
  })

  it('goes on with a client whose bodies are not read, and keeps none of their streams', async () => {
    const streams = new Set<object>()
    const { port } = await serve(
      [
        new Controller('POST', '/denied', (_req, res) => res.status(401).text('denied')),
        new Controller('POST', '/stream', () => 'denied', { body: 'stream' }),
        new Controller('GET', '/', () => 'root'),
      ],
      {
        limits: { maxConcurrentStreams: 10 },
        fallback: (req, res) => {
          // Reads half of it.
          req.once('data', () => {
            req.pause()
            res.end('denied')
          })
        },
        setup: (routeControllers) =>
          void routeControllers.addGlobal(
            (req, _res, next) => {
              const { stream } = req as unknown as { stream: NodeJS.EventEmitter }
              streams.add(stream)
              stream.once('close', () => streams.delete(stream))
              next()
            },
            { scope: 'every' },
          ),
      },
    )
    const client = await openSession(port)
    const body = Buffer.alloc(60_000)
    for (let times = 0; times < 15; times++) {
      for (const target of ['/denied', '/stream', '/behind']) {
        const whole = await sendOn(client, target, { method: 'POST', body })
        expect([times, target, whole.text]).toEqual([times, target, 'denied'])
        // Without its end.
        const half = client.request({ ':method': 'POST', ':path': target })
        half.write(body)
        expect((await readAnswer(half)).text).toBe('denied')
      }
    }
    expect((await sendOn(client, '/')).text).toBe('root')
    while (streams.size > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('keeps no connection of a client that goes while an unread body is answered', async () => {
    const { port, server } = await serve([
      new Controller(
        'POST',
        '/',
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 5))
          return 'late'
        },
        { body: 'stream' },
      ),
    ])
    const head = headBlock(
      Object.entries({ ':method': 'POST', ':scheme': 'https', ':authority': 't', ':path': '/' }),
    )
    for (let times = 0; times < 40; times++) {
      const raw = await openRawTls(port, 'h2')
      const requests = [1, 3].flatMap((stream) => [
        frame(1, 4, stream, head),
        frame(0, 0, stream, Buffer.alloc(3_000)),
      ])
      raw.write(Buffer.concat([Buffer.from(preface), frame(4, 0, 0), ...requests]))
      await new Promise((resolve) => setTimeout(resolve, 3 + (times % 8)))
      raw.socket.destroy()
    }
    const left = (): Promise<number> =>
      new Promise((resolve) => server.nodeServer!.getConnections((_error, count) => resolve(count)))
    while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('does not serve a connection that makes it reset streams for ever', async () => {
    let count = 0
    const { port } = await serve([
      new Controller(
        'POST',
        '/',
        async () => {
          count++
          await new Promise(() => {})
        },
        { body: 'stream' },
      ),
    ])
    const raw = await openRawTls(port, 'h2')
    raw.write(Buffer.concat([Buffer.from(preface), frame(4, 0, 0), frame(4, 1, 0)]))
    // One byte where five are announced.
    const head = headBlock(
      Object.entries({
        ':method': 'POST',
        ':scheme': 'https',
        ':authority': 't',
        ':path': '/',
        'content-length': '5',
      }),
    )
    for (let stream = 1; stream < 6_000 && !raw.closed;) {
      const frames: Buffer[] = []
      for (let times = 0; times < 50; times++, stream += 2)
        frames.push(frame(1, 4, stream, head), frame(0, 1, stream, 'x'))
      raw.write(Buffer.concat(frames))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(raw.closed).toBe(true)
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(2_000)
  })

  it('answers nothing more of a connection that resets thousands of streams after their answer, and closes it', async () => {
    let count = 0
    const limits = { keepAliveTimeoutMs: 1_000 }
    const { port } = await serve([new Controller('GET', '/', () => String(count++))], { limits })
    const raw = await openRawTls(port, 'h2')
    raw.write(Buffer.concat([Buffer.from(preface), frame(4, 0, 0), frame(4, 1, 0)]))
    const head = headBlock(
      Object.entries({ ':method': 'GET', ':scheme': 'https', ':authority': 't', ':path': '/' }),
    )
    const cancelled = Buffer.of(0, 0, 0, constants.NGHTTP2_CANCEL)
    for (let first = 1; first < 8_000 && !raw.closed; first += 100) {
      const streams = Array.from({ length: 50 }, (_one, at) => first + 2 * at)
      const expected = count + streams.length
      raw.write(Buffer.concat(streams.map((stream) => frame(1, 5, stream, head))))
      for (let turn = 0; turn < 20 && count < expected; turn++) await new Promise(setImmediate)
      raw.write(Buffer.concat(streams.map((stream) => frame(3, 0, stream, cancelled))))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(2_500)
    while (!raw.closed) await new Promise((resolve) => setTimeout(resolve, 20))
  })

  it('tells a timeout to whoever has asked the socket for one, and to none who has taken that back', async () => {
    const heard: string[] = []
    const never = (): void => void heard.push('taken back')
    const { port } = await serve([], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((req, res: ServerResponse) => {
          req.socket.setTimeout(20, never)
          req.socket.setTimeout(0, never)
          req.socket.setTimeout(20, () => heard.push('socket'))
          req.setTimeout(20, () => heard.push('request'))
          res.setTimeout(20, () => res.writeHead(408).end())
        }),
    })
    const stream = (await openSession(port)).request({ ':method': 'POST', ':path': '/' })
    expect((await readAnswer(stream)).status).toBe(408)
    expect(heard.sort()).toEqual(['request', 'socket'])
  })

  it('cuts a silent stream by itself where nobody listens for that, as Node does in HTTP/1', async () => {
    const { port, server } = await serve([new Controller('GET', '/', () => new Promise<string>(() => {}))], {
      limits: { socketTimeoutMs: 50 },
    })
    server.nodeServer!.removeAllListeners('timeout')
    await expect(sendOn(await openSession(port), '/')).rejects.toThrow()
  })

  it('cuts an answer that has begun when its request does not come to its end', async () => {
    const source = new Source().give('begun')
    const { port } = await serve(
      [new Controller('POST', '/', (_req, res) => res.stream(source.asIterable()), { body: 'stream' })],
      { limits: { requestTimeoutMs: 100 } },
    )
    const stream = (await openSession(port)).request({ ':method': 'POST', ':path': '/' })
    await expect(readAnswer(stream)).rejects.toThrow()
    await source.whenCancelled
  })

  it('needs tls', async () => {
    const routeControllers = new RouteControllers([])
    const start = (options: object): Promise<Server> =>
      new Server().start({ port: 0, routeControllers, ...options })
    await expect(start({ http2: true })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'http2 needs tls', 'proxy'),
    )
    await expect(start({ http2: 'yes', tls: { key, cert } })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'http2 is true or false'),
    )
    await expect(start({ limits: { maxConcurrentStreams: 0 } })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'maxConcurrentStreams', 'from 1'),
    )
  })
})

describe('When it stops, a server with HTTP/2', () => {
  const gates = (): {
    arrived: Promise<void>
    arrive: () => void
    released: Promise<void>
    release: () => void
  } => {
    let arrive!: () => void
    let release!: () => void
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const released = new Promise<void>((resolve) => (release = resolve))
    return { arrived, arrive, released, release }
  }

  async function serveSlow() {
    const gate = gates()
    const served = await serve([
      new Controller('GET', '/hello', () => 'hello'),
      new Controller('POST', '/body', (req) => req.text()),
      new Controller('GET', '/slow', async () => {
        gate.arrive()
        await gate.released
        return 'slow'
      }),
      new Controller('GET', '/events', (_req, res) =>
        res.sse(async function* (signal) {
          yield 'first'
          await once(signal, 'abort')
          yield 'goodbye'
        }),
      ),
    ])
    return { ...served, gate }
  }

  it('says GOAWAY, completes what is open and closes its connections', async () => {
    const { server, port, gate } = await serveSlow()
    const [busy, idle] = [await openSession(port), await openSession(port)]
    await sendOn(idle, '/hello')
    const slow = sendOn(busy, '/slow')
    await gate.arrived
    const told = Promise.all([once(busy, 'goaway'), once(idle, 'goaway'), once(idle, 'close')])
    const stopping = server.stop()
    await told
    gate.release()
    expect((await slow).text).toBe('slow')
    await stopping
  })

  it('goes on serving as a lame duck, and sends each client away after its first answer', async () => {
    const { server, port } = await serveSlow()
    const stopping = server.stop({ lameDuckMs: 500 })
    const late = await openSession(port)
    const told = once(late, 'goaway')
    expect((await sendOn(late, '/hello')).text).toBe('hello')
    await told
    await stopping
  })

  it('ends event streams by their signal', async () => {
    const { server, port } = await serveSlow()
    const stream = (await openSession(port)).request({ ':path': '/events' })
    const events = readAnswer(stream)
    await once(stream, 'data')
    await server.stop()
    expect((await events).text).toBe('data: first\n\ndata: goodbye\n\n')
  })

  it('ends those that do not end by their signal, and those of a fallback, which has none', async () => {
    const { server, port } = await serve(
      [new Controller('GET', '/ours', (_req, res) => res.sse(new Source().give('deaf').asIterable()))],
      {
        fallback: (_req, res) =>
          void res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: theirs\n\n'),
      },
    )
    const client = await openSession(port)
    const answers: Promise<{ text: string }>[] = []
    for (const path of ['/ours', '/theirs']) {
      const stream = client.request({ ':path': path })
      answers.push(readAnswer(stream))
      await once(stream, 'data')
    }
    await server.stop()
    const texts = (await Promise.all(answers)).map(({ text }) => text)
    expect(texts).toEqual(['data: deaf\n\n', 'data: theirs\n\n'])
  })

  it('is not held by half a body, nor by a client that has said nothing, nor by half a request', async () => {
    const { server, port } = await serveSlow()
    const client = await openSession(port)
    const half = client.request({ ':method': 'POST', ':path': '/body', 'content-type': 'text/plain' })
    half.on('error', () => {})
    half.write('half')
    const silent = await openRawTls(port, 'h2')
    const begun = (await openRawTls(port, 'h2')).write(
      Buffer.concat([Buffer.from(preface), frame(4, 0, 0), frame(1, 0, 1, Buffer.from([0x82]))]),
    )
    await sendOn(client, '/hello')
    await server.stop()
    await Promise.all([silent.untilClosed(), begun.untilClosed()])
  })

  it('cuts what is left when the grace is over', async () => {
    const { server, port, gate } = await serveSlow()
    const slow = sendOn(await openSession(port), '/slow')
    await gate.arrived
    await Promise.all([server.stop({ graceMs: 50 }), expect(slow).rejects.toThrow()])
  })
})

it('Protocols of the option tls are those of a server with http2, in place of its own', async () => {
  const all = new RouteControllers([new Controller('GET', '/', (req) => req.headers.host ?? 'none')])
  const { port } = await serveHttp2(all, { tls: { key, cert, ALPNProtocols: ['h2'] } })
  expect((await sendBy('h2', port)('/')).status).toBe(200)
  await expect(openRawTls(port, 'http/1.1')).rejects.toMatchObject({
    code: expect.stringMatching(/ALERT|ECONNRESET|PROTOCOL/) as string,
  })
})
