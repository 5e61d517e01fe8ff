import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAnswers } from './answers.js'

/** A request as it is sent, byte for byte, and what may come back; an entry of requests.json. */
export interface HostileRequest {
  name: string
  category: string
  /** One character is one byte. */
  raw: string
  /** In words. */
  expectation: string
  source: string
  /** What the first answer may be: a status, `4xx` and its like, `closed` without any, or `hang`. */
  status: string[]
  /** What it may be of a server that does all it can; in place of `status`. */
  strict?: string[]
  /** A pattern that a 2xx answer has. */
  must?: string
  /** A pattern that no answer has, in any case of letters. */
  mustNot?: string
  /** Least and greatest number of answers. */
  min?: number
  max?: number
  /** Least number of bytes that come back. */
  minBytes?: number
  /** What the client does after it: closes its half, resets the connection, or waits, as without it. */
  then?: 'end' | 'destroy' | 'none'
  /** How it is cut: 1 byte by byte, 2 after each CR. */
  parts?: number
}

export interface Outcome {
  /** All that came back, in Latin-1. */
  received: string
  /** Of the final answers; 0 for bytes that are none. */
  statuses: number[]
  /** The first of them, else `closed` or `hang`. */
  result: string
}

/** A server that has said nothing for so long says nothing at all. Only where that is expected is little of it enough on a busy machine. */
const patience = { silence: 3_000, answer: 60_000 }
/** After its answers a server might send one more, to a request that was smuggled. */
const settling = 150

/** Sends it on a connection of its own, and reads until the server closes, has answered it all, or hangs. */
export function sendHostile(
  port: number,
  { raw, min = 1, then, parts }: Pick<HostileRequest, 'raw' | 'min' | 'then' | 'parts'>,
  expected: keyof typeof patience = 'answer',
): Promise<Outcome> {
  const methods = Array.from(raw.matchAll(/(?:^|\r\n\r\n)([A-Z]+) \S+ HTTP/g), ([, method]) => method!)
  return new Promise((resolve) => {
    let received = ''
    let closed = false
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.setEncoding('latin1')

    const settle = (): void => {
      clearTimeout(timer)
      socket.destroy()
      const { statuses } = readAnswers(received, methods, closed)
      resolve({ received, statuses, result: String(statuses[0] ?? (closed ? 'closed' : 'hang')) })
    }
    let timer = setTimeout(settle, patience[expected])

    socket.on('connect', () => {
      void write(socket, raw, parts).then(async () => {
        if (then !== 'end' && then !== 'destroy') return
        await sleep(30)
        if (then === 'end') socket.end()
        else socket.resetAndDestroy()
      })
    })
    socket.on('data', (chunk: string) => {
      received += chunk
      const { statuses, complete } = readAnswers(received, methods, closed)
      if (!complete || statuses.length < min) return
      clearTimeout(timer)
      timer = setTimeout(settle, settling)
    })
    // A reset while it still writes: what came before it counts.
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      closed = true
      settle()
    })
  })
}

async function write(socket: Socket, raw: string, parts: number | undefined): Promise<void> {
  const pieces = parts === 1 ? [...raw] : parts === 2 ? raw.split(/(?<=\r)/) : [raw]
  for (const piece of pieces) {
    if (socket.destroyed) return
    await new Promise<void>((resolve) => socket.write(piece, 'latin1', () => resolve()))
    // So that each piece is a packet, and is read alone.
    if (parts !== undefined) await sleep(parts === 1 ? 0 : 5)
  }
}

/** What is wrong about an outcome, one sentence each; by the strict list where there is one. */
export function judge(request: HostileRequest, { received, statuses, result }: Outcome): string[] {
  const { strict, status, must, mustNot, min = 0, max = Infinity, minBytes = 0 } = request
  const allowed = strict ?? status
  const isAllowed = allowed.some((one) => one === result || (one.endsWith('xx') && isOfClass(result, one)))
  return [
    !isAllowed && `${result} is not among ${allowed.join(', ')}`,
    statuses.length > max && `${statuses.length} answers are more than ${max}`,
    statuses.length < min && `${statuses.length} answers are fewer than ${min}`,
    must !== undefined && isOfClass(result, '2xx') && !new RegExp(must).test(received) && `lacks ${must}`,
    mustNot !== undefined && new RegExp(mustNot, 'i').test(received) && `has ${mustNot}`,
    received.length < minBytes && `${received.length} bytes are fewer than ${minBytes}`,
  ].filter((wrong) => wrong !== false)
}

function isOfClass(result: string, wanted: string): boolean {
  return /^\d{3}$/.test(result) && result[0] === wanted[0]
}
