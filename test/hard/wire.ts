// The requests of test/hostile, mutated, against servers that nothing may bring down, hold or make fail.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { HostileRequest } from '../hostile/client.js'
import { type Http2Form, toHttp2, withoutForm } from '../hostile/http2.js'
import { frame, headBlock, headFrames } from '../support/http2-frames.js'
import { ServerChild } from './child.js'
import { mutate } from './mutate.js'
import { below, createRandom, pick, type Random } from './random.js'
import { connectRaw, hasGoaway, opening, requestFrames, statusesIn } from './raw-http2.js'
import { countsOf, grouped, judge, type Row, runMany } from './row.js'

const requests = JSON.parse(
  readFileSync(join(import.meta.dirname, '../hostile/requests.json'), 'utf8'),
) as HostileRequest[]
const corpus = requests.map(({ raw }) => raw)
const framed = requests.filter(({ name }) => !(name in withoutForm))
const framedCorpus = framed.map((request) => toFrames(toHttp2(request)).toString('latin1'))

/** Each way with its share of the requests. */
const ways = {
  standalone: 0.45,
  'in-front': 0.15,
  http2: 0.06,
  'http2-in-front': 0.04,
  express5: 0.15,
  express4: 0.15,
} as const

/** Of HTTP/2 each connection has to be encrypted on both sides. */
const atOnce = (way: string): number => (way.startsWith('http2') ? 48 : 192)
/** The client says that it has no more to say once so long nothing has come; a few wait for what takes longer. */
const quietMs = 25
const patientMs = 260
/** A server that has heard that the client has finished has closed by then, or it hangs. */
const patienceMs = 15_000

export const row: Row = {
  asked: '200 000 mutated requests of the corpus: 0 exits, hangs, 5xx of ours',
  async run({ seed, count, tell }) {
    const findings: string[] = []
    const told: string[] = []
    for (const [way, share] of Object.entries(ways)) {
      const total = count(200_000 * share)
      const server = await ServerChild.start('hostile/serve.ts', way, '0')
      const statuses: Record<string, number> = {}
      let done = 0
      const isHttp2 = way.startsWith('http2')
      await runMany(total, atOnce(way), async (at) => {
        if (!server.isRunning) return
        // Of its own, so that one of them can be sent again alone.
        const random = createRandom(seed * 1_000_003 + at)
        const raw = isHttp2 ? mutateFrames(random) : mutate(random, corpus)
        const { statuses: found, hangs } = await (isHttp2 ? sendFrames : send)(server.port, raw, random)
        for (const status of found) statuses[`${status[0]}xx`] = (statuses[`${status[0]}xx`] ?? 0) + 1
        const show = (fault: string): void =>
          void findings.push(`${way}, seed ${seed}, request ${at}: ${fault}: ${JSON.stringify(raw)}`)
        if (hangs) show('hangs')
        if (!server.isRunning) show('the server has exited, after this or another one on its way')
        for (const status of found.filter((one) => isOurs(one, raw))) show(`answered with ${status}`)
        if (++done % 20_000 === 0) tell(`${way}: ${grouped(done)} of ${grouped(total)}`)
      })
      told.push(`${way} ${grouped(done)} (${countsOf(statuses)})`)
      const answers = Object.values(statuses).reduce((sum, one) => sum + one, 0)
      // Else the run proves nothing. Of HTTP/2 most of what is malformed is told by a reset, or by the end of the connection.
      if (answers < done / (isHttp2 ? 5 : 2))
        findings.push(`${way}: only ${answers} answers to ${done} requests`)
      if (!server.isRunning) {
        findings.push(`${way}: the server has exited after ${done} of ${total} requests`)
        continue
      }
      const logged = await server.ask<string[]>()
      for (const line of logged.filter((one) => !isWanted(one))) findings.push(`${way} has logged: ${line}`)
      const health = isHttp2
        ? await sendFrames(server.port, requestFrames('/__health').toString('latin1'))
        : await send(server.port, 'GET /__health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n')
      if (!health.received.includes('{"unhandled":0,"uncaught":0,"polluted":false}')) {
        findings.push(`${way} is not well: ${health.received}`)
      }
      await server.stop()
    }
    return judge(`${told.join(', ')}: ${findings.length} faults`, findings)
  },
}

function answered(received: string): string[] {
  return Array.from(received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) [A-Z][^\r\n]*\r\n/g), ([, status]) => status!)
}

/** Status 501 and 505 are what RFC 9110 wants for a method or version of the client's making. */
function isOurs(status: string, raw: string): boolean {
  const fails = /\/(?:throw|reject|setheader|redirect)/.test(raw)
  return status.startsWith('5') && status !== '501' && status !== '505' && !fails
}

/** What the application under test throws itself. */
function isWanted(line: string): boolean {
  return /\(Controller GET:\/(?:throw|reject|setheader|redirect)\)/.test(line)
}

interface Reply {
  received: string
  statuses: string[]
  hangs: boolean
}

/** Sends it, in one piece or in some; tells what came back until the server has closed. */
function send(port: number, raw: string, random?: Random): Promise<Reply> {
  return new Promise((resolve) => {
    let received = ''
    const quiet = random !== undefined && random() < 0.9 ? quietMs : patientMs
    const resets = random !== undefined && random() < 0.05
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.setEncoding('latin1')
    const finish = (): void => {
      if (resets) socket.resetAndDestroy()
      else socket.end()
    }
    let silence: NodeJS.Timeout | undefined
    const patience = setTimeout(() => settle(true), patienceMs)
    const settle = (hangs: boolean): void => {
      clearTimeout(silence)
      clearTimeout(patience)
      socket.destroy()
      resolve({ received, statuses: answered(received), hangs })
    }
    socket.on('connect', () => {
      void writePieces(socket, cut(raw, random)).then(() => {
        silence = setTimeout(finish, quiet)
      })
    })
    socket.on('data', (chunk: string) => {
      if (received.length < 1_000_000) received += chunk
      silence?.refresh()
    })
    // A server that closes before it has read all of it resets; what it has answered counts.
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('close', () => settle(false))
  })
}

function toFrames({ fields, body, isWhole }: Http2Form): Buffer {
  const head = headFrames(1, headBlock(fields), isWhole && body === undefined)
  return body === undefined ? head : Buffer.concat([head, frame(0, isWhole ? 1 : 0, 1, body)])
}

/** The frames of a request: changed as bytes, or with others between them, or those of a request that was changed before. */
function mutateFrames(random: Random): string {
  const chance = random()
  if (chance < 0.2) return mutate(random, framedCorpus)
  if (chance < 0.35) {
    const [first, second] = [pick(random, framedCorpus), randomFrame(random)]
    return random() < 0.5 ? first + second : second + first
  }
  for (;;) {
    const request = { ...pick(random, framed), raw: mutate(random, corpus) }
    try {
      const frames = toFrames(toHttp2(request))
      return frames.toString('latin1')
    } catch {
      // It is no request any more, and has no frames: another one.
    }
  }
}

function randomFrame(random: Random): string {
  const payload = Buffer.from(Array.from({ length: below(random, 20) }, () => below(random, 256)))
  return frame(
    below(random, 12),
    below(random, 256),
    pick(random, [0, 1, 1, 2, 3, 2 ** 31 - 1]),
    payload,
  ).toString('latin1')
}

/** The same on a connection of HTTP/2. */
function sendFrames(port: number, raw: string, random?: Random): Promise<Reply> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    let size = 0
    const quiet = random !== undefined && random() < 0.9 ? 4 * quietMs : patientMs
    const resets = random !== undefined && random() < 0.05
    let silence: NodeJS.Timeout | undefined
    const settle = (hangs: boolean): void => {
      clearTimeout(silence)
      clearTimeout(patience)
      tcp.destroy()
      const all = Buffer.concat(received)
      resolve({ received: all.toString('latin1'), statuses: statusesIn(all), hangs })
    }
    const patience = setTimeout(() => settle(true), patienceMs)
    const { socket, tcp } = connectRaw(port, () => {
      socket.write(opening)
      void writePieces(socket, cut(raw, random)).then(() => {
        silence = setTimeout(() => {
          if (resets) tcp.resetAndDestroy()
          // Of such a connection Node 20 reads nothing any more, and so not that its client has finished.
          else if (hasGoaway(Buffer.concat(received))) tcp.destroy()
          else socket.end()
        }, quiet)
      })
    })
    socket.on('data', (chunk: Buffer) => {
      if (size < 1_000_000) received.push(chunk)
      size += chunk.length
      silence?.refresh()
    })
    tcp.on('close', () => settle(false))
  })
}

async function writePieces(socket: ReturnType<typeof connect>, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return
    await new Promise<void>((resolve) => socket.write(piece, 'latin1', () => resolve()))
  }
}

function cut(raw: string, random: Random | undefined): string[] {
  if (random === undefined || random() < 0.7) return [raw]
  const first = below(random, raw.length)
  const second = first + below(random, raw.length - first)
  return [raw.slice(0, first), raw.slice(first, second), raw.slice(second)].filter((piece) => piece !== '')
}
