// The requests of test/hostile, mutated, against servers that nothing may bring down, hold or make fail.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { HostileRequest } from '../hostile/client.js'
import { ServerChild } from './child.js'
import { mutate } from './mutate.js'
import { below, createRandom, type Random } from './random.js'
import { countsOf, grouped, judge, type Row, runMany } from './row.js'

const requests = JSON.parse(
  readFileSync(join(import.meta.dirname, '../hostile/requests.json'), 'utf8'),
) as HostileRequest[]
const corpus = requests.map(({ raw }) => raw)

/** Each way with its share of the requests. */
const ways = { standalone: 0.5, 'in-front': 0.2, express5: 0.15, express4: 0.15 } as const

const atOnce = 192
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
      await runMany(total, atOnce, async (at) => {
        if (!server.isRunning) return
        // Of its own, so that one of them can be sent again alone.
        const random = createRandom(seed * 1_000_003 + at)
        const raw = mutate(random, corpus)
        const { received, hangs } = await send(server.port, raw, random)
        const found = answered(received)
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
      // Else the run proves nothing.
      if (answers < done / 2) findings.push(`${way}: only ${answers} answers to ${done} requests`)
      if (!server.isRunning) {
        findings.push(`${way}: the server has exited after ${done} of ${total} requests`)
        continue
      }
      const logged = await server.ask<string[]>()
      for (const line of logged.filter((one) => !isWanted(one))) findings.push(`${way} has logged: ${line}`)
      const health = await send(server.port, 'GET /__health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n')
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

/** Sends it, in one piece or in some; tells what came back until the server has closed. */
function send(port: number, raw: string, random?: Random): Promise<{ received: string; hangs: boolean }> {
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
      resolve({ received, hangs })
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
