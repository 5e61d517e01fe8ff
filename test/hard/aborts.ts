// Clients that go away, in six kinds, from five ways of serving, and by HTTP/2 from two.
// Nothing may be left of them: no unhandled rejection, no resource, no descriptor, no source that was not given up once.
import { readdirSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers, Server, toConnect } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { frame } from '../support/http2-frames.js'
import { connectRaw, opening, requestFrames } from './raw-http2.js'
import { grouped, judge, type Row, runMany } from './row.js'

const kinds = {
  'mid-header': { sends: 'GET /events HTTP/1.1\r\nHost: x\r\nX-Unfini', source: false, waitsFor: undefined },
  'mid-body FIN': { sends: body('/body'), source: false, waitsFor: undefined },
  'mid-body RST': { sends: body('/body'), source: false, waitsFor: undefined },
  'before the first chunk': { sends: get('/silent'), source: true, waitsFor: '\r\n\r\n' },
  'mid-download': { sends: get('/download'), source: true, waitsFor: 'xxxx' },
  'during SSE': { sends: get('/events'), source: true, waitsFor: 'data: 1' },
} as const
type Kind = keyof typeof kinds

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
}

function body(path: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(1000)}`
}

const json = { 'content-type': 'text/plain', 'content-length': '100000' }
const half = requestFrames('/body', { fields: json, data: 'x'.repeat(1000) })
/** The same by HTTP/2. */
const http2: Record<Kind, { sends: Buffer; waitsFor: string | undefined }> = {
  'mid-header': { sends: requestFrames('/events').subarray(0, 30), waitsFor: undefined },
  'mid-body FIN': { sends: half, waitsFor: undefined },
  'mid-body RST': { sends: half, waitsFor: undefined },
  // HEADERS of the first stream, with their end.
  'before the first chunk': { sends: requestFrames('/silent'), waitsFor: '\x01\x04\0\0\0\x01' },
  'mid-download': { sends: requestFrames('/download'), waitsFor: 'xxxx' },
  'during SSE': { sends: requestFrames('/events'), waitsFor: 'data: 1' },
}
/** RST_STREAM of the first stream with CANCEL. */
const cancel = frame(3, 0, 1, Buffer.from([0, 0, 0, 8]))

const patienceMs = 15_000

const problems = { unhandled: 0, uncaught: 0 }

/** What became of one stream: it has to be given up once. */
interface Life {
  cancelled: number
}
let lives: Life[] = []
let bodies = { begun: 0, broken: 0 }

/** Chunks without end, or none at all. */
function source(chunk: string | undefined): AsyncIterable<string> {
  const life: Life = { cancelled: 0 }
  lives.push(life)
  let wake = (): void => {}
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (chunk === undefined || life.cancelled > 0) await new Promise<void>((resolve) => (wake = resolve))
        return life.cancelled > 0 ? { done: true, value: undefined } : { done: false, value: chunk! }
      },
      async return() {
        life.cancelled++
        wake()
        return { done: true, value: undefined }
      },
    }),
  }
}

function toStream(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(new TextEncoder().encode(value))
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

async function readBody(asked: { text(): Promise<string> }): Promise<string> {
  bodies.begun++
  try {
    return await asked.text()
  } catch (error) {
    bodies.broken++
    throw error
  }
}

const big = 'x'.repeat(16_384)

const createOurs = (): RouteControllers =>
  new RouteControllers(
    [
      new Controller('POST', '/body', readBody, { body: 'stream' }),
      new Controller('GET', '/silent', (_req, res) => res.stream(source(undefined))),
      new Controller('GET', '/download', (_req, res) => res.stream(source(big))),
      new Controller('GET', '/events', (_req, res) => res.sse(source('1'))),
    ],
    { logger: { info() {}, warn() {}, error() {} } },
  )

const foreign = toConnect(async (request) => {
  switch (new URL(request.url).pathname) {
    case '/body':
      return new Response(await readBody(request))
    case '/silent':
      return new Response(toStream(source(undefined)))
    case '/download':
      return new Response(toStream(source(big)))
    default:
      return new Response(toStream(mapEvents(source('1'))), {
        headers: { 'Content-Type': 'text/event-stream' },
      })
  }
})

function mapEvents(chunks: AsyncIterable<string>): AsyncIterable<string> {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await iterator.next()
        return done ? { done: true, value: undefined } : { done: false, value: `data: ${value}\n\n` }
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}

async function listenAll(): Promise<HttpServer[]> {
  const alone = new Server()
  await alone.start({ port: 0, host: '127.0.0.1', routeControllers: createOurs() })
  // Up to Node 24 a connection that is reset while a stream waits for its window may go unnoticed, until these times are over.
  const limits = { socketTimeoutMs: 2_000, keepAliveTimeoutMs: 2_000 }
  const secure = { tls: { key, cert }, http2: true, limits }
  const http2Alone = new Server()
  await http2Alone.start({ port: 0, host: '127.0.0.1', routeControllers: createOurs(), ...secure })
  const http2Front = new Server()
  await http2Front.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: createOurs(),
    fallback: express5(),
    ...secure,
  })
  const front = new Server()
  await front.start({ port: 0, host: '127.0.0.1', routeControllers: createOurs(), fallback: express5() })
  const hosted = [
    express5().set('env', 'test').use(createOurs().middleware()),
    express4().set('env', 'test').use(createOurs().middleware()),
    express5().set('env', 'test').use(foreign),
  ].map((app) => createServer(app))
  for (const server of hosted) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ours = [alone, front, http2Alone, http2Front].map(({ nodeServer }) => nodeServer!)
  return [...ours, ...hosted]
}

/** One client that comes and goes away; resolves when its socket is closed, with true if it has left, and was let go. */
function abort(port: number, kind: Kind): Promise<boolean> {
  const { sends, waitsFor } = kinds[kind]
  return new Promise((resolve) => {
    let hasLeft = false
    const leaveNow = (): void => {
      hasLeft = true
      leave(socket, kind)
    }
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(sends, () => {
        if (waitsFor === undefined) setImmediate(leaveNow)
      })
    })
    let received = ''
    socket.on('data', (chunk) => {
      if (waitsFor === undefined || received.includes(waitsFor)) return
      received += chunk.toString('latin1')
      if (received.includes(waitsFor)) leaveNow()
    })
    socket.setTimeout(patienceMs, () => {
      hasLeft = false
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(hasLeft))
  })
}

function leave(socket: Socket, kind: Kind): void {
  if (kind === 'mid-body FIN') socket.end()
  else if (kind === 'mid-header' || kind === 'during SSE') socket.destroy()
  else socket.resetAndDestroy()
}

/** The same by HTTP/2; every other one says first that it gives its stream up. */
function abortHttp2(port: number, kind: Kind, cancels: boolean): Promise<boolean> {
  const { sends, waitsFor } = http2[kind]
  return new Promise((resolve) => {
    let hasLeft = false
    const leaveNow = (): void => {
      hasLeft = true
      if (cancels && kind !== 'mid-header') socket.end(cancel)
      else leave(kind === 'mid-body FIN' ? socket : tcp, kind)
    }
    const { socket, tcp } = connectRaw(port, () => {
      socket.write(Buffer.concat([opening, sends]), () => {
        if (waitsFor === undefined) setImmediate(leaveNow)
      })
    })
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      if (hasLeft || waitsFor === undefined) return
      received += chunk.toString('latin1')
      if (received.includes(waitsFor)) leaveNow()
    })
    tcp.setTimeout(patienceMs, () => {
      hasLeft = false
      tcp.destroy()
    })
    tcp.on('close', () => resolve(hasLeft))
  })
}

/** How many of so many clients have left, and were let go. */
async function abortMany(servers: readonly HttpServer[], count: number, atOnce: number): Promise<number> {
  const names = Object.keys(kinds) as Kind[]
  let left = 0
  await runMany(count, atOnce, async (at) => {
    const turn = Math.floor(at / names.length)
    const server = servers[turn % servers.length]!
    const kind = names[at % names.length]!
    const { port } = server.address() as AddressInfo
    const isHttp2 = 'setSecureContext' in server
    const cancels = Math.floor(turn / servers.length) % 2 === 0
    if (await (isHttp2 ? abortHttp2(port, kind, cancels) : abort(port, kind))) left++
  })
  return left
}

async function countOpen(servers: readonly HttpServer[]): Promise<number> {
  const counts = servers.map(
    (server) => new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open))),
  )
  return (await Promise.all(counts)).reduce((sum, open) => sum + open, 0)
}

/** What the process holds: kinds of resources with their counts, and descriptors where /proc tells of them. */
function holdings(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  try {
    counts['descriptors'] = readdirSync('/proc/self/fd').length
  } catch {
    // Elsewhere than on Linux.
  }
  return counts
}

/** Waits for it, but not for ever: what is asked afterwards shows whether it came. */
async function settle(isSettled: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<void> {
  const end = Date.now() + limitMs
  while (!(await isSettled()) && Date.now() < end) await sleep(20)
}

export const row: Row = {
  asked:
    '100 000 client aborts of 6 kinds in 7 ways, two of them by HTTP/2: 0 handles, descriptors or sources left',
  async run({ count, tell }) {
    process.on('unhandledRejection', () => problems.unhandled++)
    process.on('uncaughtException', () => problems.uncaught++)
    const servers = await listenAll()

    // What is made once, at the first request, is no leak.
    await abortMany(servers, 120, 24)
    await settle(async () => (await countOpen(servers)) === 0)
    await settle(() => lives.every(({ cancelled }) => cancelled === 1))
    // Some module may still be on its way from its file.
    await settle(() => holdings()['FSReqCallback'] === undefined)
    const before = holdings()
    const holdsNoMore = (): boolean =>
      Object.entries(holdings()).every(([name, held]) => held <= (before[name] ?? 0))
    lives = []
    bodies = { begun: 0, broken: 0 }

    // Each kind as often.
    const kindCount = Object.keys(kinds).length
    const total = count(Math.ceil(100_000 / kindCount)) * kindCount
    const left = await abortMany(servers, total, 48)
    await settle(async () => (await countOpen(servers)) === 0)
    await settle(() => lives.every(({ cancelled }) => cancelled > 0) && bodies.broken === bodies.begun)
    await settle(holdsNoMore)

    const open = await countOpen(servers)
    const after = JSON.stringify(holdings())
    const once = lives.filter(({ cancelled }) => cancelled === 1).length
    const findings = [
      problems.unhandled > 0 && `${problems.unhandled} unhandled rejections`,
      problems.uncaught > 0 && `${problems.uncaught} uncaught exceptions`,
      left < total && `only ${left} of ${total} clients have left, and were let go`,
      open > 0 && `${open} connections are open`,
      lives.length < total / 2 && `${lives.length} streams were opened, not ${total / 2}`,
      once < lives.length && `${lives.length - once} of ${lives.length} sources were not cancelled once`,
      bodies.begun === 0 && 'no body was begun',
      bodies.broken < bodies.begun &&
        `${bodies.begun - bodies.broken} of ${bodies.begun} bodies were not told`,
      !holdsNoMore() && `held before ${JSON.stringify(before)}, after ${after}`,
    ].filter((finding) => finding !== false)
    tell(`holds ${after}`)
    return judge(
      `${grouped(left)} aborts: ${grouped(once)} of ${grouped(lives.length)} sources cancelled once, ${grouped(bodies.broken)} of ${grouped(bodies.begun)} bodies told, held ${holdsNoMore() ? 'as before' : 'more than before'}`,
      findings,
    )
  },
}
