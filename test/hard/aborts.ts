// Clients that go away, in six kinds, from five ways of serving.
// Nothing may be left of them: no unhandled rejection, no resource, no descriptor, no source that was not given up once.
import { readdirSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import express5 from 'express'
import express4 from 'express4'
import { Controller, RouteControllers, Server, toConnect } from 'routecontrollers'
import { grouped, judge, type Row } from './row.js'

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
  await alone.start({ port: 0, host: '127.0.0.1', RouteControllers: createOurs() })
  const front = new Server()
  await front.start({ port: 0, host: '127.0.0.1', RouteControllers: createOurs(), fallback: express5() })
  const hosted = [
    express5().set('env', 'test').use(createOurs().middleware()),
    express4().set('env', 'test').use(createOurs().middleware()),
    express5().set('env', 'test').use(foreign),
  ].map((app) => createServer(app))
  for (const server of hosted) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return [alone.nodeServer!, front.nodeServer!, ...hosted]
}

/** One client that comes and goes away; resolves when its socket is closed. */
function abort(port: number, kind: Kind): Promise<void> {
  const { sends, waitsFor } = kinds[kind]
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(sends, () => {
        if (waitsFor === undefined) setImmediate(leave, socket, kind)
      })
    })
    let received = ''
    socket.on('data', (chunk) => {
      if (waitsFor === undefined || received.includes(waitsFor)) return
      received += chunk.toString('latin1')
      if (received.includes(waitsFor)) leave(socket, kind)
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

function leave(socket: Socket, kind: Kind): void {
  if (kind === 'mid-body FIN') socket.end()
  else if (kind === 'mid-header' || kind === 'during SSE') socket.destroy()
  else socket.resetAndDestroy()
}

async function abortMany(servers: readonly HttpServer[], count: number, atOnce: number): Promise<void> {
  const names = Object.keys(kinds) as Kind[]
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const at = next++
      const server = servers[Math.floor(at / names.length) % servers.length]!
      await abort((server.address() as AddressInfo).port, names[at % names.length]!)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function areGone(servers: readonly HttpServer[]): Promise<void> {
  for (const server of servers) {
    const countOpen = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, open) => resolve(open)))
    while ((await countOpen()) > 0) await sleep(20)
  }
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
  // The poll that looks is itself a timer.
  delete counts['Timeout']
  return counts
}

async function settles(isSettled: () => boolean, limitMs = 30_000): Promise<boolean> {
  const end = Date.now() + limitMs
  while (!isSettled()) {
    if (Date.now() > end) return false
    await sleep(20)
  }
  return true
}

export const row: Row = {
  asked: '100 000 client aborts of 6 kinds in 5 ways: 0 handles, descriptors or sources left',
  async run({ count, tell }) {
    process.on('unhandledRejection', () => problems.unhandled++)
    process.on('uncaughtException', () => problems.uncaught++)
    const servers = await listenAll()

    // What is made once, at the first request, is no leak.
    await abortMany(servers, 120, 24)
    await areGone(servers)
    await settles(() => lives.every(({ cancelled }) => cancelled === 1))
    const before = JSON.stringify(holdings())
    lives = []
    bodies = { begun: 0, broken: 0 }

    // Each kind as often.
    const kindCount = Object.keys(kinds).length
    const total = count(Math.ceil(100_000 / kindCount)) * kindCount
    await abortMany(servers, total, 48)
    await areGone(servers)
    await settles(() => lives.every(({ cancelled }) => cancelled > 0) && bodies.broken === bodies.begun)
    await settles(() => JSON.stringify(holdings()) === before)

    const after = JSON.stringify(holdings())
    const once = lives.filter(({ cancelled }) => cancelled === 1).length
    const findings = [
      problems.unhandled > 0 && `${problems.unhandled} unhandled rejections`,
      problems.uncaught > 0 && `${problems.uncaught} uncaught exceptions`,
      lives.length < total / 2 && `${lives.length} streams were opened, not ${total / 2}`,
      once < lives.length && `${lives.length - once} of ${lives.length} sources were not cancelled once`,
      bodies.begun === 0 && 'no body was begun',
      bodies.broken < bodies.begun &&
        `${bodies.begun - bodies.broken} of ${bodies.begun} bodies were not told`,
      after !== before && `held before ${before}, after ${after}`,
    ].filter((finding) => finding !== false)
    tell(`holds ${after}`)
    return judge(
      `${grouped(total)} aborts: ${grouped(once)} of ${grouped(lives.length)} sources cancelled once, ${grouped(bodies.broken)} of ${grouped(bodies.begun)} bodies told, held as before`,
      findings,
    )
  },
}
