// The server of the rows about load: `bare` is node:http and node:http2 alone, `ours` everything that a route may do.
// Each listens on two ports: one for HTTP/1.1, and one for HTTP/2, which it tells when it is asked for `secure`.
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { serveParent } from './child.js'
import { chunksOf, digest } from './noise.js'

const host = '127.0.0.1'

/** What a process takes, once its garbage is collected; in bytes. */
export interface Holdings {
  rss: number
  heap: number
  /** The heap and what hangs on it outside. */
  held: number
  descriptors: number
}

function hold(): Holdings {
  for (let round = 0; round < 4; round++) global.gc!()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed, held: heapUsed + external, descriptors: readdirSync('/proc/self/fd').length }
}

/** The greatest resident size since it was last asked. */
let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20).unref()

function answer(question: string): unknown {
  if (question === 'secure') return securePort
  if (question !== 'peak') return hold()
  const greatest = peak
  peak = 0
  return greatest
}

async function* endless(signal: AbortSignal): AsyncGenerator<string> {
  for (let count = 0; !signal.aborted; count++) {
    yield `event ${count}`
    await sleep(5)
  }
}

function createOurs(): RouteControllers {
  const keyed = new Controller('GET', '/keyed/:id', (req) => ({ id: req.params.id }))
  keyed.use((req, res) => {
    if (req.get('x-key') === undefined) return res.status(401).text('no key')
  })
  const routeControllers = new RouteControllers(
    [
      keyed,
      new Controller('GET', '/', () => 'ok'),
      new Controller('GET', '/users/:id', (req) => ({ id: req.params.id, query: req.query })),
      new Controller('POST', '/json', (req, res) => res.status(201).json(req.body)),
      new Controller('POST', '/form', (req) => ({ body: req.body })),
      new Controller('POST', '/upload', async (req) => ({ fields: [...(await req.formData())].length })),
      new Controller('GET', '/late', async (_req, res) => {
        await sleep(3)
        return res.cookie('a', 'b').text('late')
      }),
      new Controller('GET', '/events', (_req, res) => res.sse(endless)),
      new Controller('GET', '/throw', () => {
        throw new Error('thrown')
      }),
      new Controller('GET', '/down', (req, res) =>
        res.header('Content-Length', Number(req.query['bytes'])).stream(chunksOf(Number(req.query['bytes']))),
      ),
      new Controller(
        'POST',
        '/up',
        // Slower than the client sends, now and then.
        (req) => digest(req, { pauseMs: 30, everyBytes: 32 * 1024 * 1024 }),
        { body: 'stream' },
      ),
    ],
    { logger: { info() {}, warn() {}, error() {} } },
  )
  return routeControllers.addGlobal('/users', (_req, res, next) => {
    res.setHeader('X-Hook', 'seen')
    next()
  })
}

let securePort = 0

async function listenBare(): Promise<number> {
  const head = { 'content-type': 'text/plain; charset=utf-8', 'content-length': 2 }
  const server = createServer((_req, res) => res.writeHead(200, head).end('ok'))
  // As long as ours, so that none is closed while they are counted.
  server.keepAliveTimeout = 72_000
  const secure = createSecureServer({ key, cert })
  secure.on('stream', (stream) => {
    stream.respond({ ':status': 200, ...head })
    stream.end('ok')
  })
  for (const one of [server, secure]) await new Promise<void>((resolve) => one.listen(0, host, resolve))
  securePort = (secure.address() as AddressInfo).port
  return (server.address() as AddressInfo).port
}

async function listenOurs(): Promise<number> {
  const server = new Server()
  await server.start({ port: 0, host, routeControllers: createOurs() })
  const secure = new Server()
  await secure.start({ port: 0, host, routeControllers: createOurs(), tls: { key, cert }, http2: true })
  securePort = secure.getPort()
  return server.getPort()
}

serveParent(await (process.argv[2] === 'bare' ? listenBare() : listenOurs()), answer)
