import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setInterval as every, setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import autocannon from 'autocannon'
import express from 'express'
import { Controller, RouteControllers, Server, type ServerOptions } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { sendTo } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { openRaw, parseAnswers, RawClient } from '../support/raw-socket.js'
import { refusal } from '../support/refusal.js'

// What a server holds on to for its grace of 25 s, or for good, fails here by the time limit of 5 s.

/** An event that a callback waits for, or brings about. */
class Gate {
  open = (): void => {}
  readonly opened = new Promise<void>((resolve) => (this.open = resolve))
}

let arrived: Gate
let released: Gate
let signal: AbortSignal | undefined
let logged: string[]

beforeEach(() => {
  arrived = new Gate()
  released = new Gate()
  signal = undefined
  logged = []
})
afterEach(async () => {
  jest.useRealTimers()
  released.open()
  await closeHosted()
})

/** Answers when it is told to. */
const slow = new Controller('GET', '/slow', async (req) => {
  signal = req.signal
  arrived.open()
  await released.opened
  return 'slow'
})

async function start(
  controllers: Controller[] = [],
  options: Partial<ServerOptions> = {},
): Promise<{ server: Server; port: number }> {
  const line = (message: string): void => void logged.push(message)
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: new RouteControllers(
      [new Controller('GET', '/hello', () => 'hello'), slow, ...controllers],
      {
        logger: { info: line, warn: line, error: line },
      },
    ),
    ...options,
  })
  closeLater(() => server.stop({ graceMs: 0 }))
  return { server, port: server.getPort() }
}

function get(path: string, ...fields: string[]): string {
  return `GET ${path} HTTP/1.1\r\n${['Host: t', ...fields].join('\r\n')}\r\n\r\n`
}

/** Resolves when so many have reached the server: those that wait for it to accept their connection are lost. */
function requests(server: Server, count: number): Promise<void> {
  return new Promise((resolve) => {
    server.nodeServer!.on('request', () => {
      if (--count === 0) resolve()
    })
  })
}

/** From here to the end of the test the server does not look every two seconds at what is left. */
function withoutLooks(): void {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout'],
  })
}

describe('Server.isReady', () => {
  it('is true from when it listens until it begins to stop', async () => {
    const server = new Server()
    expect(server.isReady).toBe(false)
    const starting = server.start({ port: 0, routeControllers: new RouteControllers([slow]) })
    expect(server.isReady).toBe(false)
    await starting
    expect(server.isReady).toBe(true)
    const stopping = server.stop()
    expect(server.isReady).toBe(false)
    await stopping
    expect(server.isReady).toBe(false)
  })
})

describe('While it is a lame duck, a server', () => {
  it('answers old and new connections, each for the last time, and then takes none', async () => {
    const { server, port } = await start()
    const old = await openRaw(port)
    await old.write(get('/hello')).until('hello')
    const before = performance.now()
    const stopping = server.stop({ lameDuckMs: 1000 })
    expect(old.received).not.toMatch(/^Connection: close/m)
    expect(await old.write(get('/hello')).untilClosed()).toMatch(/^Connection: close\r$[^]*hello$/m)
    const answers = await Promise.all(['/hello', '/nowhere'].map((path) => sendTo(port)(path)))
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [200, 'close'],
      [404, 'close'],
    ])
    await stopping
    // A timer may be a millisecond early.
    expect(performance.now() - before).toBeGreaterThanOrEqual(998)
    const refused = connect(port, '127.0.0.1')
    await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('keeps idle connections until then', async () => {
    const { server, port } = await start()
    const idle = await openRaw(port)
    await idle.write(get('/hello')).until('hello')
    const stopping = server.stop({ lameDuckMs: 300 })
    await sleep(100)
    expect(idle.closed).toBe(false)
    await stopping
    expect(await idle.untilClosed()).toMatch(/hello$/)
  })

  it.each(['before', 'after'])(
    'answers all that a client has sent without waiting, %s that',
    async (when) => {
      const { server, port } = await start()
      const client = await openRaw(port)
      const further = get('/hello') + get('/nowhere')
      client.write(get('/slow') + (when === 'before' ? further : ''))
      await arrived.opened
      // By now what was sent before has been read.
      await sendTo(port)('/hello')
      const stopping = server.stop({ lameDuckMs: 300 })
      if (when === 'after') client.write(further)
      await sendTo(port)('/hello')
      released.open()
      const answers = parseAnswers(await client.untilClosed())
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
      await stopping
    },
  )
})

describe('An answer in flight when a server stops', () => {
  it.each<[string, Partial<ServerOptions>]>([
    ['of a controller', {}],
    ['over TLS', { tls: { key, cert } }],
    [
      'of the fallback',
      {
        routeControllers: new RouteControllers([]),
        fallback: express().get('/slow', async (_req, res) => {
          arrived.open()
          await released.opened
          res.send('slow')
        }),
      },
    ],
  ])('%s is completed, with Connection: close', async (_what, options) => {
    const { server, port } = await start([], options)
    const agent = options.tls ? new TlsAgent({ keepAlive: true, ca: cert }) : new Agent({ keepAlive: true })
    closeLater(() => agent.destroy())
    const protocol = options.tls ? 'https:' : 'http:'
    const outgoing = httpRequest({ protocol, host: 'localhost', family: 4, port, path: '/slow', agent }).end()
    const answer = once(outgoing, 'response') as Promise<[IncomingMessage]>
    await arrived.opened
    const stopping = server.stop()
    released.open()
    const [incoming] = await answer
    expect((await incoming.toArray()).join('')).toBe('slow')
    expect(incoming.headers.connection).toBe('close')
    await stopping
  })

  it('whose head has promised another is the last all the same: its connection is closed when it is idle', async () => {
    const { server, port } = await start([
      new Controller('GET', '/begun', (_req, res) =>
        res.stream(
          (async function* () {
            yield 'begun'
            await released.opened
            yield 'ended'
          })(),
        ),
      ),
    ])
    const client = await openRaw(port)
    await client.write(get('/begun')).until('begun')
    withoutLooks()
    const stopping = server.stop()
    released.open()
    expect(await client.untilClosed()).toMatch(/^Connection: keep-alive\r$[^]*ended\r\n0\r\n\r\n$/m)
    await stopping
  })

  it.each<[string, Partial<ServerOptions>]>([
    ['over TCP', {}],
    ['over TLS', { tls: { key, cert } }],
  ])('that is ended %s, and not yet read by its client, is sent whole', async (_what, options) => {
    const size = 20_000_000
    const { server, port } = await start(
      [new Controller('GET', '/large', () => Buffer.alloc(size, 'x'))],
      options,
    )
    const open = async (): Promise<Socket> => {
      const socket = options.tls
        ? connectTls({ port, host: '127.0.0.1', ca: cert })
        : connect(port, '127.0.0.1')
      closeLater(() => socket.destroy())
      await once(socket, options.tls ? 'secureConnect' : 'connect')
      return socket
    }
    const [reader, other] = [await open(), new RawClient(await open())]
    reader.write(get('/large'))
    const [first] = (await once(reader, 'data')) as [Buffer]
    reader.pause()
    other.write(get('/slow'))
    await arrived.opened
    withoutLooks()
    const stopping = server.stop()
    // Each answer that ends meanwhile closes what is idle.
    released.open()
    expect(await other.untilClosed()).toMatch(/slow$/)
    let length = first.length
    reader.on('data', (chunk: Buffer) => (length += chunk.length)).resume()
    await Promise.all([stopping, once(reader, 'close')])
    expect(length).toBeGreaterThan(size)
  })

  it('does not hear of it through req.signal, so that what it has begun may go on', async () => {
    const { server, port } = await start()
    const answer = sendTo(port)('/slow')
    await arrived.opened
    const stopping = server.stop()
    await new Promise(setImmediate)
    expect(signal!.aborted).toBe(false)
    released.open()
    expect((await answer).text).toBe('slow')
    await stopping
    expect(signal!.aborted).toBe(false)
  })

  it('may take longer than what waits for a client: the callback, a body that it lets wait, and one that still comes', async () => {
    const { server, port } = await start([
      new Controller(
        'POST',
        '/late',
        async (req, res) => {
          await released.opened
          return res.json((await req.arrayBuffer()).byteLength)
        },
        { body: 'stream', bodyLimit: 4_000_000 },
      ),
      new Controller('POST', '/upload', async (req, res) => res.json((await req.arrayBuffer()).byteLength)),
    ])
    const all = requests(server, 3)
    const callback = sendTo(port)('/slow')
    const waiting = sendTo(port)('/late', { method: 'POST', body: Buffer.alloc(4_000_000) })
    const upload = httpRequest({ port, path: '/upload', method: 'POST', agent: false })
    const uploaded = once(upload, 'response') as Promise<[IncomingMessage]>
    upload.write('x')
    await all
    const stopping = server.stop()
    for (let count = 0; count < 12; count++) {
      await sleep(250)
      upload.write('x')
    }
    upload.end()
    released.open()
    expect((await callback).text).toBe('slow')
    expect((await waiting).text).toBe('4000000')
    expect((await (await uploaded)[0].toArray()).join('')).toBe('13')
    await stopping
  })

  it('is cut at the end of the grace, which its signal tells', async () => {
    const { server, port } = await start()
    const answer = sendTo(port)('/slow')
    await arrived.opened
    await Promise.all([
      server.stop({ graceMs: 50 }),
      expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' }),
    ])
    if (!signal!.aborted) await once(signal!, 'abort')
  })
})

describe('A server that stops is not held', () => {
  const heldBy: [string, (port: number) => Promise<RawClient>][] = [
    ['a connection that has never said anything', openRaw],
    ['one that is idle', async (port) => answered(await openRaw(port), get('/hello'))],
    ['half a head', async (port) => (await openRaw(port)).write('GET /hello HTTP/1.1\r\nHo')],
    [
      'half a head after an answer',
      async (port) => (await answered(await openRaw(port), get('/hello'))).write('GET'),
    ],
    [
      'half a body',
      async (port) =>
        (await openRaw(port)).write('POST /body HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nhalf'),
    ],
    [
      'half a body to nobody',
      async (port) => (await openRaw(port)).write('POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nx'),
    ],
  ]

  // All at once, for each of them takes its two seconds.
  it(`by ${heldBy.map(([what]) => what).join(', ')}`, async () => {
    const { server, port } = await start([new Controller('POST', '/body', (req) => req.text())])
    const clients = await Promise.all(heldBy.map(([, open]) => open(port)))
    // By now what was sent before has been read.
    await sendTo(port)('/hello')
    await server.stop()
    await Promise.all(clients.map((client) => client.untilClosed()))
  })

  it('by one that is open since before a thousand others have come and gone', async () => {
    const { server, port } = await start()
    const silent = await openRaw(port)
    for (let round = 0; round < 28; round++) {
      const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'))
      await Promise.all(
        sockets.map(async (socket) => {
          await once(socket.resume(), 'connect')
          await once(socket.end(), 'close')
        }),
      )
    }
    await sendTo(port)('/hello')
    await server.stop()
    await silent.untilClosed()
  })

  it('by a TLS handshake that does not come, nor by silence after one, and completes an answer meanwhile', async () => {
    const { server, port } = await start([], { tls: { key, cert } })
    const openSecure = async (): Promise<RawClient> => {
      const secure = connectTls({ port, host: '127.0.0.1', ca: cert })
      closeLater(() => secure.destroy())
      await once(secure, 'secureConnect')
      return new RawClient(secure)
    }
    const [silent, secure, busy] = await Promise.all([openRaw(port), openSecure(), openSecure()])
    busy.write(get('/slow'))
    await arrived.opened
    const stopping = server.stop()
    await Promise.all([silent.untilClosed(), secure.untilClosed()])
    released.open()
    expect(await busy.untilClosed()).toMatch(/slow$/)
    await stopping
  })

  it('for longer than the grace by a connection that has been upgraded, which it keeps until then', async () => {
    const { server, port } = await start()
    const upgraded: Socket[] = []
    server.nodeServer!.on('upgrade', (_req, socket: Socket) => {
      upgraded.push(socket)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.pipe(socket)
    })
    const client = await openRaw(port)
    await client.write(get('/', 'Connection: Upgrade', 'Upgrade: echo')).until('\r\n\r\n')
    const stopping = server.stop({ graceMs: 6000 })
    await sleep(2300)
    expect(await client.write('still here').until('still here')).toMatch(/still here$/)
    await stopping
    await client.untilClosed()
  })
})

async function answered(client: RawClient, request: string): Promise<RawClient> {
  await client.write(request).until(/hello$/)
  return client
}

describe('An event stream ends when a server stops', () => {
  const ticks = (signal: AbortSignal) => every(10, 'tick', { signal }) as AsyncIterable<string>
  const ticking = new Controller('GET', '/events', (_req, res) => res.sse(ticks))

  it('by its signal, as its source chooses', async () => {
    const { server, port } = await start([
      new Controller('GET', '/events', (_req, res) =>
        res.sse(async function* (signal) {
          yield 'first'
          await once(signal, 'abort')
          yield 'goodbye'
        }),
      ),
    ])
    const client = await openRaw(port)
    await client.write(get('/events')).until('first')
    withoutLooks()
    await server.stop()
    expect(parseAnswers(await client.untilClosed())[0]!.body).toBe('data: first\n\ndata: goodbye\n\n')
    // The chunk that says that it is whole.
    expect(client.received).toMatch(/\r\n0\r\n\r\n$/)
  })

  it('with a source that throws at its signal, and nothing is logged', async () => {
    const { server, port } = await start([ticking])
    const client = await openRaw(port)
    await client.write(get('/events')).until('tick')
    await server.stop()
    await client.untilClosed()
    expect(logged).toEqual([])
  })

  it('not during the lame-duck delay', async () => {
    const { server, port } = await start([ticking])
    const client = await openRaw(port)
    await client.write(get('/events')).until('tick')
    const stopping = server.stop({ lameDuckMs: 300 })
    await sleep(150)
    expect(client.closed).toBe(false)
    await stopping
  })

  it('with a source that does not listen, which is given up', async () => {
    const returned = new Gate()
    const { server, port } = await start([
      new Controller('GET', '/events', (_req, res) =>
        res.sse(
          (async function* () {
            try {
              for (;;) {
                yield 'tick'
                await sleep(20)
              }
            } finally {
              returned.open()
            }
          })(),
        ),
      ),
    ])
    const client = await openRaw(port)
    await client.write(get('/events')).until('tick')
    await server.stop()
    await returned.opened
    expect(logged).toEqual([])
  })

  it('also one that begins when the server stops already', async () => {
    const { server, port } = await start([
      new Controller('GET', '/events', async (_req, res) => {
        arrived.open()
        await released.opened
        return res.sse(ticks)
      }),
    ])
    const client = await openRaw(port)
    client.write(get('/events'))
    await arrived.opened
    const stopping = server.stop()
    released.open()
    expect(await client.untilClosed()).toMatch(/tick/)
    await stopping
  })

  it('also one of the fallback', async () => {
    const fallback = express().get('/events', (_req, res) => {
      res.type('text/event-stream').write('data: tick\n\n')
    })
    const { server, port } = await start([], { fallback })
    const client = await openRaw(port)
    await client.write(get('/events')).until('tick')
    await server.stop()
    await client.untilClosed()
  })
})

describe('Under load', () => {
  it.each([0, 500])(
    'every request that is accepted is answered, with a lame-duck delay of %d ms',
    async (lameDuckMs) => {
      let accepted = 0
      const { server, port } = await start([
        new Controller('GET', '/work', async () => {
          accepted++
          await sleep(accepted % 20)
          return 'done'
        }),
      ])
      const load = autocannon({ url: `http://127.0.0.1:${port}/work`, connections: 50, duration: 30 })
      // Once it has stopped, a server of another program may have its port, and answer what this client goes on to ask.
      const otherwise: number[] = []
      let isStopped = false
      void load.on('response', (_client, status) => {
        if (status !== 200 && !isStopped) otherwise.push(status)
      })
      while (accepted <= 100) await sleep(20)
      await server.stop({ lameDuckMs })
      isStopped = true
      // The last answers are on their way to it.
      await sleep(100)
      load.stop()
      const result = await load
      expect(accepted).toBeGreaterThan(100)
      expect({ answered: result['2xx'], otherwise }).toEqual({
        answered: accepted,
        otherwise: [],
      })
    },
  )
})

describe('Server.stop', () => {
  it('gives the same promise while the server starts, while it stops and after', async () => {
    const server = new Server()
    const starting = server.start({ port: 0, routeControllers: new RouteControllers([slow]) })
    const stopping = server.stop()
    expect(server.stop()).toBe(stopping)
    await starting
    expect(server.stop()).toBe(stopping)
    await stopping
    expect(server.stop({ graceMs: 5 })).toBe(stopping)
    await server.start({ port: 0, routeControllers: new RouteControllers([slow]) })
    expect(server.isReady).toBe(true)
    await server.stop()
    expect(server.isReady).toBe(false)
  })

  it('takes what it is not told from the options of start', async () => {
    const { server, port } = await start([], { shutdown: { lameDuckMs: 200, graceMs: 50 } })
    const answer = expect(sendTo(port)('/slow')).rejects.toMatchObject({ code: 'ECONNRESET' })
    await arrived.opened
    const before = performance.now()
    await server.stop()
    expect(performance.now() - before).toBeGreaterThanOrEqual(248)
    await answer
  })

  it.each<[object, ...string[]]>([
    [{ graceMs: NaN }, 'graceMs is milliseconds', 'not NaN'],
    [{ graceMs: '5s' }, 'graceMs', 'not "5s"'],
    [{ lameDuckMs: -1 }, 'lameDuckMs', 'not -1'],
    [{ lameDuckMs: Infinity }, 'lameDuckMs', 'not Infinity'],
    [{ grace: 5 }, '"grace"', 'lameDuckMs, graceMs'],
  ])('refuses %p, and goes on serving', async (options, ...parts) => {
    const { server, port } = await start()
    await expect(server.stop(options)).rejects.toEqual(refusal('ERR_OPTION_INVALID', ...parts))
    expect(server.isReady).toBe(true)
    expect((await sendTo(port)('/hello')).headers['connection']).toBe('close')
    await expect(start([], { shutdown: options })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', ...parts.slice(0, 1)),
    )
  })

  it.each([['SIGTERM'], [['SIGKILL']], [[undefined]], [{}]])('refuses the signals %p', async (signals) => {
    await expect(start([], { shutdown: { signals: signals as never } })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', 'shutdown.signals', "'SIGTERM' and 'SIGINT'"),
    )
  })
})
