import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import express from 'express'
import { Controller, RouteControllers, Server, type ServerOptions } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { sendTo } from '../support/describe-servings.js'
import { freePort } from '../support/free-port.js'
import { refusal } from '../support/refusal.js'

const routeControllers = new RouteControllers([new Controller('GET', '/hello', () => 'hello')])

const onLocalhost = { port: 0, host: '127.0.0.1', routeControllers } as const

const started: Server[] = []

/** A server that listens until the end of the test. */
async function start(options: Partial<ServerOptions> = {}): Promise<Server> {
  const server = new Server()
  started.push(server)
  return server.start({ ...onLocalhost, ...options })
}

afterEach(async () => {
  for (const server of started.splice(0)) {
    server.nodeServer?.closeAllConnections()
    await server.stop()
  }
})

describe('Server.start', () => {
  it('resolves with the server when it listens, on a port of its own choice for 0', async () => {
    const server = new Server()
    started.push(server)
    expect(await server.start(onLocalhost)).toBe(server)
    expect(server.nodeServer?.listening).toBe(true)
    expect(server.getPort()).toBeGreaterThan(0)
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    expect((await sendTo(server.getPort())('/nowhere')).status).toBe(404)
  })

  it('answers without the TextEncoder of the web, which Jest has not in its environment jsdom', async () => {
    const server = await start()
    const { TextEncoder: kept } = globalThis
    Reflect.deleteProperty(globalThis, 'TextEncoder')
    try {
      expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    } finally {
      globalThis.TextEncoder = kept
    }
  })

  it('gives what no controller matches to the fallback', async () => {
    const app = express().get('/legacy', (req, res) => void res.send(`legacy ${req.url}`))
    const server = await start({ fallback: app })
    const send = sendTo(server.getPort())
    expect((await send('/hello')).text).toBe('hello')
    expect((await send('/legacy?x=1')).text).toBe('legacy /legacy?x=1')
  })

  it('serves on the port that it was given', async () => {
    const free = await freePort()
    expect((await start({ port: free })).getPort()).toBe(free)
  })

  it('rejects with a sentence when the port is in use, and can be started again', async () => {
    const other = await start()
    const server = new Server()
    started.push(server)
    await expect(server.start({ ...onLocalhost, port: other.getPort() })).rejects.toEqual(
      refusal('ERR_PORT_UNAVAILABLE', `Port ${other.getPort()} is in use`, '0 picks a free one'),
    )
    expect(server.nodeServer).toBeUndefined()
    await server.start(onLocalhost)
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
  })

  it('rejects with a sentence when the host is not here', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toEqual(
      refusal('ERR_PORT_UNAVAILABLE', 'cannot listen on 192.0.2.1:0'),
    )
  })

  it('rejects when it has been started already', async () => {
    const server = new Server()
    started.push(server)
    const starting = server.start(onLocalhost)
    await expect(server.start(onLocalhost)).rejects.toEqual(refusal('ERR_SERVER_STATE', 'starting already'))
    await starting
    await expect(server.start(onLocalhost)).rejects.toEqual(
      refusal('ERR_SERVER_STATE', 'listening already', 'stop it first'),
    )
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
  })

  it('can be started again after it has stopped', async () => {
    const server = await start()
    await server.stop()
    await server.start({
      ...onLocalhost,
      routeControllers: new RouteControllers([new Controller('GET', '/hello', () => 'again')]),
    })
    expect((await sendTo(server.getPort())('/hello')).text).toBe('again')
  })

  it('serves HTTPS with tls', async () => {
    const secure = new RouteControllers([
      new Controller('GET', '/', (req) => (req as unknown as IncomingMessage).socket.constructor.name),
    ])
    const server = await start({ tls: { key, cert }, routeControllers: secure, host: 'localhost' })
    expect(server.getURL()).toBe(`https://localhost:${server.getPort()}`)
    const outgoing = httpsRequest(`${server.getURL()}/`, { ca: cert, agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const body = (await incoming.toArray()).join('')
    expect([incoming.statusCode, body]).toEqual([200, 'TLSSocket'])
  })

  it('takes its RouteControllers under the former name of that option too', async () => {
    const server = new Server()
    started.push(server)
    await server.start({ port: 0, host: '127.0.0.1', RouteControllers: routeControllers })
    expect(await (await fetch(`${server.getURL()}/hello`)).text()).toBe('hello')
    const nothing = { port: 0, host: '127.0.0.1' } as unknown as ServerOptions
    await expect(server.stop().then(() => server.start(nothing))).rejects.toThrow(
      'Server.start takes { routeControllers: new RouteControllers([…]) }',
    )
  })

  const wrong: [string, object, ...string[]][] = [
    ['no port', { port: undefined }, 'port', '65535'],
    ['a port that is a text', { port: '3000' }, 'not "3000"', 'Number(process.env.PORT)'],
    ['a port that is no number', { port: 'http' }, 'not "http"'],
    ['a port below 0', { port: -1 }, 'not -1'],
    ['a port over 65535', { port: 65_536 }, 'not 65536'],
    ['a port that is NaN', { port: NaN }, 'not NaN'],
    ['a host that is no string', { host: 127 }, 'host', 'not number'],
    ['no RouteControllers', { routeControllers: undefined }, 'routeControllers: new RouteControllers'],
    ['a list for RouteControllers', { routeControllers: [] }, 'routeControllers: new RouteControllers'],
    ['a list for its former name', { RouteControllers: [] }, 'routeControllers: new RouteControllers'],
    ['two RouteControllers', { RouteControllers: new RouteControllers([]) }, 'another name of that option'],
    ['a fallback that is no function', { fallback: {} }, 'fallback is a function'],
    ['tls that is no object', { tls: true }, 'tls', 'not boolean'],
    ['tls with a key that is none', { tls: { key: 'k', cert: 'c' } }, 'tls'],
    ['a signal that is none', { signal: { aborted: false } }, 'signal is an AbortSignal'],
    ['trustProxy as a number of hops', { trustProxy: 1 }, 'trustProxy'],
    ['trustProxy that is no address', { trustProxy: ['nowhere'] }, '"nowhere"'],
    ['a name that does not exist', { Port: 1 }, '"Port"', 'port, host'],
    ['limits that are no object', { limits: 5 }, 'limits takes an object'],
    ['limits that are null', { limits: null }, 'limits takes an object'],
    [
      'a limit that does not exist',
      { limits: { requestTimeout: 1 } },
      '"requestTimeout"',
      'requestTimeoutMs',
    ],
    ['a limit that is NaN', { limits: { requestTimeoutMs: NaN } }, 'limits.requestTimeoutMs is milliseconds'],
    [
      'a limit in apples',
      { limits: { maxHeaderBytes: '10 apples' } },
      'maxHeaderBytes is bytes',
      '10 apples',
    ],
    ['a limit below 0', { limits: { keepAliveTimeoutMs: -1 } }, 'keepAliveTimeoutMs', 'not -1'],
    ['a limit that is a fraction', { limits: { socketTimeoutMs: 0.5 } }, 'socketTimeoutMs', 'not 0.5'],
    [
      'a timeout that no timer has',
      { limits: { socketTimeoutMs: Infinity } },
      'socketTimeoutMs',
      'not Infinity',
    ],
    [
      'a head that may take longer than the whole',
      { limits: { headersTimeoutMs: 2000, requestTimeoutMs: 1000 } },
      'headersTimeoutMs (2000)',
      'requestTimeoutMs (1000)',
    ],
  ]

  it.each(wrong)('refuses %s, and listens nowhere', async (_what, options, ...parts) => {
    const server = new Server()
    started.push(server)
    await expect(server.start({ ...onLocalhost, ...options })).rejects.toEqual(
      refusal('ERR_OPTION_INVALID', ...parts),
    )
    expect(server.nodeServer).toBeUndefined()
  })

  it('refuses no options at all', async () => {
    await expect(new Server().start(undefined as never)).rejects.toEqual(refusal('ERR_OPTION_INVALID'))
  })

  it('hands its limits to Node, its own defaults where none are given', async () => {
    const server = await start({
      limits: { requestTimeoutMs: 10_000, keepAliveTimeoutMs: undefined as never },
    })
    expect(server.nodeServer).toMatchObject({
      requestTimeout: 10_000,
      // Part of the above, so no longer than it.
      headersTimeout: 10_000,
      keepAliveTimeout: 72_000,
      timeout: 120_000,
    })
    expect((await start()).nodeServer).toMatchObject({ requestTimeout: 120_000, headersTimeout: 20_000 })
  })

  it('answers 431 to a head over maxHeaderBytes', async () => {
    const server = await start({ limits: { maxHeaderBytes: 1000 } })
    const send = sendTo(server.getPort())
    expect((await send('/hello', { headers: { 'x-a': 'x'.repeat(500) } })).status).toBe(200)
    expect((await send('/hello', { headers: { 'x-a': 'x'.repeat(1500) } })).status).toBe(431)
  })
})

describe('Server.getURL and Server.getPort', () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((some) =>
    some?.some(({ address }) => address === '::1'),
  )

  it.each<[string | undefined, string]>([
    [undefined, 'http://localhost:'],
    ['0.0.0.0', 'http://localhost:'],
    ['127.0.0.1', 'http://127.0.0.1:'],
    ['localhost', 'http://localhost:'],
    ...(hasIPv6
      ? [['::', 'http://localhost:'] as [string, string], ['::1', 'http://[::1]:'] as [string, string]]
      : []),
  ])('say where a server with the host %p answers', async (host, url) => {
    const server = new Server()
    started.push(server)
    await server.start({ port: 0, routeControllers, ...(host !== undefined && { host }) })
    expect(server.getURL()).toBe(`${url}${server.getPort()}`)
    expect(await (await fetch(`${server.getURL()}/hello`)).text()).toBe('hello')
  })

  it('throw before the start and after the stop', async () => {
    const server = new Server()
    const silent = refusal('ERR_SERVER_STATE', 'does not listen', 'server.start(')
    expect(() => server.getURL()).toThrow(silent)
    expect(() => server.getPort()).toThrow(silent)
    await server.start(onLocalhost)
    await server.stop()
    expect(() => server.getURL()).toThrow(silent)
    expect(() => server.getPort()).toThrow(silent)
  })
})

describe('Server.stop', () => {
  /** A server whose `/slow` answers when it is told to, and an agent that keeps its connections. */
  async function slow(): Promise<{
    server: Server
    agent: Agent
    reached: Promise<void>
    release: () => void
    get: (path: string) => Promise<{ text: string; connection: string | undefined }>
  }> {
    let release = (): void => {}
    let arrive = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const reached = new Promise<void>((resolve) => (arrive = resolve))
    const server = await start({
      routeControllers: new RouteControllers([
        new Controller('GET', '/hello', () => 'hello'),
        new Controller('GET', '/slow', async () => {
          arrive()
          await released
          return 'slow'
        }),
        new Controller('GET', '/begun', (_req, res) =>
          res.stream(
            (async function* () {
              yield 'begun '
              arrive()
              await released
              yield 'and ended'
            })(),
          ),
        ),
      ]),
    })
    const agent = new Agent({ keepAlive: true })
    const port = server.getPort()
    const get = async (path: string): Promise<{ text: string; connection: string | undefined }> => {
      const outgoing = httpRequest({ host: '127.0.0.1', port, path, agent }).end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      return { text: (await incoming.toArray()).join(''), connection: incoming.headers.connection }
    }
    return { server, agent, reached, release, get }
  }

  const refuses = async (port: number): Promise<unknown> => {
    const socket = connect(port, '127.0.0.1')
    const [error] = (await Promise.race([once(socket, 'error'), once(socket, 'connect')])) as [
      { code: string }?,
    ]
    socket.destroy()
    return error?.code
  }

  it('takes no new connection from then on', async () => {
    const server = await start()
    const port = server.getPort()
    await server.stop()
    expect(await refuses(port)).toBe('ECONNREFUSED')
    expect(server.nodeServer).toBeUndefined()
  })

  // An idle connection is kept for 72 s: a stop() that waits for it fails by the time limit of the test.
  it('closes connections that are idle', async () => {
    const { server, agent, get } = await slow()
    await get('/hello')
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
    await server.stop()
    agent.destroy()
  })

  it.each([
    ['/slow', 'slow'],
    ['/begun', 'begun and ended'],
  ])('lets the answer to %s finish, and closes its connection after it', async (path, text) => {
    const { server, agent, reached, release, get } = await slow()
    const port = server.getPort()
    const answer = get(path)
    await reached
    let stopped = false
    const stopping = server.stop().then(() => (stopped = true))
    expect(await refuses(port)).toBe('ECONNREFUSED')
    expect(stopped).toBe(false)
    release()
    expect((await answer).text).toBe(text)
    await stopping
    agent.destroy()
  })

  it('may be called again, while it stops and after', async () => {
    const { server, agent, reached, release, get } = await slow()
    const answer = get('/slow')
    await reached
    const stopping = server.stop()
    expect(server.stop()).toBe(stopping)
    await expect(server.start(onLocalhost)).rejects.toEqual(refusal('ERR_SERVER_STATE', 'stopping already'))
    release()
    await answer
    await stopping
    await expect(server.stop()).resolves.toBeUndefined()
    agent.destroy()
  })

  it('settles closed, once for each start, and where a start fails', async () => {
    const server = new Server()
    await server.closed
    const options = { port: 0, routeControllers: new RouteControllers([]) }
    let closed = 0
    for (const started of [1, 2]) {
      const starting = server.start(options)
      void server.closed.then(() => closed++)
      await starting
      await new Promise(setImmediate)
      expect(closed).toBe(started - 1)
      await server.stop()
      await server.closed
      expect(closed).toBe(started)
    }
    await expect(server.start({ ...options, host: '203.0.113.1' })).rejects.toThrow()
    await server.closed
  })

  it('may be called on a server that was never started', async () => {
    await expect(new Server().stop()).resolves.toBeUndefined()
  })

  it('stops also a server that is about to listen', async () => {
    const server = new Server()
    const starting = server.start(onLocalhost)
    await server.stop()
    await starting
    expect(server.nodeServer).toBeUndefined()
    expect(() => server.getPort()).toThrow(refusal('ERR_SERVER_STATE'))
  })

  it('resolves also when the start that it waits for fails', async () => {
    const other = await start()
    const server = new Server()
    const starting = server.start({ ...onLocalhost, port: other.getPort() })
    const failed = expect(starting).rejects.toEqual(refusal('ERR_PORT_UNAVAILABLE'))
    await expect(server.stop()).resolves.toBeUndefined()
    await failed
  })

  it('is what [Symbol.asyncDispose] does', async () => {
    const server = await start()
    const port = server.getPort()
    await server[Symbol.asyncDispose]()
    expect(await refuses(port)).toBe('ECONNREFUSED')
  })
})

describe('Server signal', () => {
  it('stops the server when it aborts', async () => {
    const abort = new AbortController()
    const server = await start({ signal: abort.signal })
    const closed = once(server.nodeServer!, 'close')
    abort.abort()
    await closed
    expect(() => server.getPort()).toThrow(refusal('ERR_SERVER_STATE'))
  })

  it('does not stop what is started after the server has stopped', async () => {
    const abort = new AbortController()
    const server = await start({ signal: abort.signal })
    await server.stop()
    await server.start(onLocalhost)
    abort.abort()
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    expect(server.nodeServer?.listening).toBe(true)
  })

  it('rejects the start with its reason when it is aborted already, or while the server starts', async () => {
    const reason = new Error('not today')
    await expect(start({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    // It does not even listen.
    const other = await start({})
    await expect(start({ port: other.getPort(), signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await other.stop()
    const abort = new AbortController()
    const starting = start({ signal: abort.signal })
    abort.abort(reason)
    await expect(starting).rejects.toBe(reason)
    for (const server of started) expect(() => server.getPort()).toThrow(refusal('ERR_SERVER_STATE'))
  })

  it.each(['while it starts', 'when it listens'])(
    'that aborts while the server starts is waited for by a stop() that comes %s',
    async (when) => {
      const abort = new AbortController()
      const starting = expect(start({ signal: abort.signal, shutdown: { lameDuckMs: 50 } })).rejects.toThrow()
      abort.abort()
      const server = started.at(-1)!
      if (when === 'when it listens') while (!server.nodeServer?.listening) await new Promise(setImmediate)
      await server.stop()
      expect(server.lane).toBeUndefined()
      await starting
    },
  )
})

describe('Server.nodeServer', () => {
  it('is the node:http server while it is started', async () => {
    const server = new Server()
    started.push(server)
    expect(server.nodeServer).toBeUndefined()
    await server.start(onLocalhost)
    expect(server.nodeServer).toBeInstanceOf(createServer().constructor)
    expect((server.nodeServer!.address() as AddressInfo).port).toBe(server.getPort())
  })
})
