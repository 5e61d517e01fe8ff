// What serves on Bun and Deno, by stand-ins for their servers. In the runtimes themselves test/package/environments/runtimes.test.ts asks.
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { fromConnect } from 'routecontrollers'
import { express5 } from 'routecontrollers/express'
import { cert, key } from '../support/certificate.js'
import { Source } from '../support/source.js'

type Handler = (request: Request, server: object) => Promise<Response>
interface Asked {
  readonly port: number
  readonly hostname: string
  readonly fetch: Handler
  readonly [option: string]: unknown
}

const host = globalThis as { Bun?: object; Deno?: object }
const lines: string[] = []
const logger = {
  info: (line: string) => void lines.push(line),
  warn: (line: string) => void lines.push(line),
  error: (line: string) => void lines.push(line),
}
let asked: Asked[]
let calls: string[]
let stopping: () => Promise<void>
let serve: (options: Asked) => object

beforeEach(() => {
  lines.length = 0
  asked = []
  calls = []
  stopping = () => Promise.resolve()
  serve = (options) => {
    asked.push(options)
    return {
      port: options.port === 0 ? 4000 : options.port,
      hostname: options.hostname,
      requestIP: () => ({ address: '203.0.113.7' }),
      timeout: (_request: Request, seconds: number) => void calls.push(`timeout ${seconds}`),
      stop: (isAbrupt: boolean) => {
        calls.push(isAbrupt ? 'cut' : 'end')
        return isAbrupt ? Promise.resolve() : stopping()
      },
    }
  }
  host.Bun = { serve: (options: Asked) => serve(options) }
})
afterEach(() => {
  delete host.Bun
  delete host.Deno
})

const controllers = (): RouteControllers =>
  new RouteControllers([new Controller('GET', '/ip', (req) => req.realIp)])
const start = (options: object = {}): Promise<Server> =>
  new Server().start({ port: 0, routeControllers: controllers(), logger, ...options })

describe('A Server where the runtime has a server of its own', () => {
  it('takes that, at all addresses', async () => {
    const server = await start()
    expect([server.lane, server.nodeServer, server.isReady]).toEqual(['Bun.serve', undefined, true])
    expect([server.getPort(), server.getURL()]).toEqual([4000, 'http://localhost:4000'])
    expect(asked).toMatchObject([{ hostname: '::', reusePort: false, development: false, idleTimeout: 120 }])
    const answer = await asked[0]!.fetch(new Request('http://x/ip'), {
      requestIP: () => ({ address: '203.0.113.7' }),
    })
    expect(await answer.text()).toBe('203.0.113.7')
    void server.closed.then(() => calls.push('closed'))
    await new Promise(setImmediate)
    expect(calls).toEqual([])
    await server.stop()
    await server.closed
    expect(calls).toEqual(['end', 'closed'])
    expect([server.lane, lines]).toEqual([undefined, []])
    expect(() => server.getPort()).toThrow(expect.objectContaining({ code: 'ERR_SERVER_STATE' }))
  })

  it.each([{ code: 'EAFNOSUPPORT' }, { code: 'EADDRNOTAVAIL' }, { name: 'AddrNotAvailable' }])(
    'takes IPv4 alone where the machine has no other: %p',
    async (error) => {
      const own = serve
      serve = (options) => {
        if (options.hostname === '::') throw Object.assign(new Error('no'), error)
        return own(options)
      }
      const server = await start()
      expect(asked).toMatchObject([{ hostname: '0.0.0.0' }])
      await server.stop()
    },
  )

  it('takes that with options that say nothing', async () => {
    const server = await start({ limits: {}, http2: false, shutdown: {} })
    expect([server.lane, lines]).toEqual(['Bun.serve', []])
    await server.stop()
  })

  it('leaves no timer behind when it has stopped in time', async () => {
    jest.useFakeTimers()
    try {
      const server = await start()
      await server.stop({ graceMs: 25_000 })
      expect(jest.getTimerCount()).toBe(0)
    } finally {
      jest.useRealTimers()
    }
  })

  it.each([
    [
      { code: 'EADDRINUSE' },
      'Port 4001 is in use: stop what listens there, or start with another port (0 picks a free one)',
    ],
    [
      { name: 'AddrInUse' },
      'Port 4001 is in use: stop what listens there, or start with another port (0 picks a free one)',
    ],
    [
      { name: 'PermissionDenied' },
      'Port 4001 is not allowed to this process: ports below 1024 need a privilege',
    ],
    [{ code: 'EOTHER' }, 'The server cannot listen on 127.0.0.1:4001: no'],
  ])('says why it cannot listen: %p', async (error, message) => {
    serve = () => {
      throw Object.assign(new Error('no'), error)
    }
    await expect(start({ port: 4001, host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'ERR_PORT_UNAVAILABLE',
      message,
    })
  })

  it('gives it key and certificate, as texts', async () => {
    for (const given of [Buffer.from(key), new Uint8Array(Buffer.from(key)), String(key)]) {
      const server = await start({ tls: { key: given, cert } })
      expect(asked.pop()).toMatchObject({ tls: { key: String(key), cert: String(cert) } })
      expect(server.getURL()).toMatch(/^https:/)
      await server.stop()
    }
  })

  it('lets an event stream be silent, and ends it when it stops', async () => {
    const heard: string[] = []
    const routeControllers = new RouteControllers([
      new Controller('GET', '/events', (req, res) => {
        req.signal.addEventListener('abort', () => void heard.push('aborted'))
        return res.sse(async function* (signal) {
          yield { data: 'one' }
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          heard.push('left')
        })
      }),
    ])
    const server = await start({ routeControllers })
    const events = await asked[0]!.fetch(new Request('http://x/events'), {
      timeout: (_request: Request, seconds: number) => void calls.push(`timeout ${seconds}`),
    })
    const reader = events.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: one\n\n')
    const next = reader.read()
    await new Promise(setImmediate)
    await server.stop()
    expect(await next).toEqual({ done: true, value: undefined })
    await new Promise(setImmediate)
    expect(heard).toEqual(['aborted', 'left'])
    expect(calls).toEqual(['timeout 0', 'end'])
  })

  it('lets an event stream be silent that is a Response of the program', async () => {
    const events = (): Response =>
      new Response('data: x\n\n', { headers: { 'Content-Type': 'text/event-stream' } })
    const routeControllers = new RouteControllers([
      new Controller('GET', '/events', events),
      new Controller('GET', '/text', () => new Response('text')),
    ])
    const server = await start({ routeControllers })
    const own = { timeout: (_request: Request, seconds: number) => void calls.push(`timeout ${seconds}`) }
    for (const path of ['/text', '/events']) {
      await (await asked[0]!.fetch(new Request(`http://x${path}`), own)).text()
    }
    expect(calls).toEqual(['timeout 0'])
    await server.stop()
  })

  it.each(['/events', '/stream'])(
    'does nothing to an answer of %s that was sent whole before it stops',
    async (path) => {
      stopping = () => new Promise(() => {})
      const sources: Source[] = []
      const signals: AbortSignal[] = []
      const sourceFor = (req: { signal: AbortSignal }): Source => {
        const source = new Source().give('one').end()
        sources.push(source)
        signals.push(req.signal)
        return source
      }
      const routeControllers = new RouteControllers([
        new Controller('GET', '/events', (req, res) => res.sse(sourceFor(req).asIterable())),
        new Controller('GET', '/stream', (req, res) => res.stream(sourceFor(req).asIterable())),
      ])
      const server = await start({ routeControllers })
      const answer = await asked[0]!.fetch(new Request(`http://x${path}`), { timeout() {} })
      expect(await answer.text()).toContain('one')
      await server.stop({ graceMs: 1 })
      expect([sources[0]!.cancelled, signals[0]!.aborted]).toEqual([0, false])
    },
  )

  it.each(['/events', '/stream'])('closes what the answer of %s is read from when it stops', async (path) => {
    stopping = () => new Promise(() => {})
    const source = new Source().give('one')
    const routeControllers = new RouteControllers(
      [
        new Controller('GET', '/events', (_req, res) => res.sse(source.asIterable())),
        new Controller('GET', '/stream', (_req, res) => res.stream(source.asIterable())),
      ],
      { logger },
    )
    const server = await start({ routeControllers })
    const answer = await asked[0]!.fetch(new Request(`http://x${path}`), { timeout() {} })
    const reader = answer.body!.getReader()
    await reader.read()
    const rest = reader.read().catch(() => {})
    await server.stop({ graceMs: 1 })
    await rest
    expect(source.cancelled).toBe(1)
  })

  it('waits for answers until graceMs, and then breaks streams off', async () => {
    stopping = () => new Promise(() => {})
    const routeControllers = new RouteControllers(
      [
        new Controller('GET', '/endless', (_req, res) =>
          res.stream(new ReadableStream({ pull: () => new Promise(() => {}) })),
        ),
      ],
      { logger },
    )
    const server = await start({ routeControllers })
    const answer = await asked[0]!.fetch(new Request('http://x/endless'), {})
    const body = answer.text()
    const stopped = server.stop({ graceMs: 10 })
    await expect(body).rejects.toThrow('The server has stopped, and waits for this answer no longer')
    await stopped
    expect(calls).toEqual(['end', 'cut'])
  })

  it('has stopped once it has cut what was still open', async () => {
    stopping = () => new Promise(() => {})
    const own = serve
    let cut = (): void => {}
    serve = (options) => ({
      ...own(options),
      stop: (isAbrupt: boolean) =>
        new Promise<void>((resolve) => {
          if (isAbrupt) cut = resolve
        }),
    })
    const server = await start()
    let isStopped = false
    const stopped = server.stop({ graceMs: 1 }).then(() => (isStopped = true))
    const cutBy = (): void => {}
    cut = cutBy
    while (cut === cutBy) await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise(setImmediate)
    expect(isStopped).toBe(false)
    cut()
    await stopped
  })

  it('takes that of Deno', async () => {
    delete host.Bun
    let ended = (): void => {}
    let handler: ((request: Request, info: object) => Promise<Response>) | undefined
    host.Deno = {
      serve(options: object, given: typeof handler) {
        asked.push(options as Asked)
        handler = given
        return {
          addr: { hostname: '127.0.0.1', port: 4002 },
          shutdown: () => new Promise<void>((resolve) => (ended = resolve)),
        }
      },
    }
    const routeControllers = new RouteControllers([
      new Controller('GET', '/ip', (req) => req.realIp),
      new Controller('GET', '/never', () => new Promise<undefined>(() => {})),
    ])
    const server = await start({ routeControllers, host: '127.0.0.1' })
    expect([server.lane, server.getURL()]).toEqual(['Deno.serve', 'http://127.0.0.1:4002'])
    const info = { remoteAddr: { hostname: '203.0.113.8' } }
    expect(await (await handler!(new Request('http://x/ip'), info)).text()).toBe('203.0.113.8')
    const never = handler!(new Request('http://x/never'), info)
    routeControllers
      .addGlobal('/hook', () => {})
      .addGlobal((_req, res, next) => {
        res.setHeader('X-Hook', '1')
        next()
      })
    const behindHook = await handler!(new Request('http://x/ip'), info)
    expect([behindHook.headers.get('X-Hook'), await behindHook.text()]).toEqual(['1', '203.0.113.8'])
    const inHook = handler!(new Request('http://x/hook'), info)
    const stopped = server.stop({ graceMs: 10 })
    for (const { status, headers } of await Promise.all([never, inHook])) {
      expect([status, headers.get('Connection')]).toEqual([503, 'close'])
    }
    ended()
    await stopped
  })
})

it('Deno is given answers for the requests alone that have none when the server stops', async () => {
  delete host.Bun
  let handler!: (request: Request, info: object) => Promise<Response>
  let ended = (): void => {}
  host.Deno = {
    serve: (_options: object, given: typeof handler) => {
      handler = given
      return {
        addr: { hostname: '127.0.0.1', port: 4002 },
        shutdown: () => new Promise<void>((resolve) => (ended = resolve)),
      }
    },
  }
  const routeControllers = new RouteControllers([
    new Controller('GET', '/ip', () => 'ip'),
    new Controller('GET', '/never', () => new Promise<undefined>(() => {})),
  ])
  const server = await start({ routeControllers })
  const ask = (path: string): Promise<Response> => handler(new Request(`http://x${path}`), {})
  for (let at = 0; at < 3; at++) await ask('/ip')
  const never = ask('/never')
  const own = globalThis.Response
  let made = 0
  globalThis.Response = class extends own {
    constructor(...given: ConstructorParameters<typeof own>) {
      super(...given)
      made++
    }
  }
  try {
    const stopped = server.stop({ graceMs: 1 })
    expect((await never).status).toBe(503)
    ended()
    await stopped
  } finally {
    globalThis.Response = own
  }
  expect(made).toBe(1)
})

describe('node:http serves all the same', () => {
  const streams = new RouteControllers([new Controller('POST', '/', () => 'x', { body: 'stream' })])
  const connect = fromConnect((_req, _res, next) => next())
  const cases: readonly (readonly [because: string, options: object])[] = [
    ['fallback', { fallback: () => {} }],
    ['limits', { limits: { maxHeaderFields: 7 } }],
    ['trustProxy', { trustProxy: 'loopback' }],
    ['an option of tls besides key and cert', { tls: { key, cert, minVersion: 'TLSv1.3' } }],
    ['http2', { http2: true, tls: { key, cert } }],
    [
      'hooks take the request of Node',
      { routeControllers: controllers().addGlobal((_req, _res, next) => next()) },
    ],
    ['Express runs the Controllers', { routeControllers: new RouteControllers([], { profile: express5() }) }],
    [
      'code of Connect or Express takes the request of Node',
      { routeControllers: controllers().use(connect) },
    ],
    [
      'code of Connect or Express takes the request of Node',
      { routeControllers: new RouteControllers([new Controller('GET', '/', () => 'x').use(connect)]) },
    ],
    ['a Controller streams its body', { routeControllers: streams }],
    [
      'what it serves is not of this package',
      { routeControllers: { getCallback: () => () => Promise.resolve(new Response('x')) } },
    ],
  ]
  it.each(cases)('for %s', async (because, options) => {
    const server = await start(options)
    expect([server.lane, asked]).toEqual(['node:http', []])
    expect(lines).toEqual([`Server: node:http serves, and not Bun.serve: ${because}`])
    await server.stop()
  })

  it('where that is asked for, without a line', async () => {
    const server = await start({ lane: 'node:http' })
    expect([server.lane, lines]).toEqual(['node:http', []])
    await server.stop()
    await expect(start({ lane: 'Bun.serve' })).rejects.toMatchObject({ code: 'ERR_OPTION_INVALID' })
  })

  it('where a runtime has a global of that name, and no server', async () => {
    host.Bun = {}
    const server = await start()
    expect([server.lane, lines]).toEqual(['node:http', []])
    await server.stop()
  })
})
