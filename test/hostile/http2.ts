import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fields, headBlock } from '../support/http2-frames.js'
import { connectRewritten } from '../support/http2-rewriter.js'
import type { HostileRequest, Outcome } from './client.js'

/** A hostile request as one stream of HTTP/2. */
export interface Http2Form {
  fields: Fields
  /** Nothing where the stream ends with its head. */
  body: Buffer | undefined
  /** False where its end is never said, as by a client that has announced more. */
  isWhole: boolean
}

/** What is about the framing of HTTP/1, or of its connections, and has no HTTP/2 form; and why. */
export const withoutForm: Readonly<Record<string, string>> = {
  'http10-no-host-url': 'HTTP/2 has no version in a request',
  'http20-version': 'HTTP/2 has no version in a request',
  'version-99': 'HTTP/2 has no version in a request',
  'expect-100-http10': 'HTTP/2 has no version in a request',
  'leading-crlf': 'a frame begins where the one before it ends: there is nothing between them',
  'split-crlf': 'HTTP/2 has no lines; a frame that comes in pieces is tested by the row `wire` of test:hard',
  'pipeline-3': 'each request has a stream of its own; several at once are in test/server/http2.test.ts',
  'garbage-after-close': 'nothing but frames comes after a frame; the row `wire` of test:hard sends others',
  'get-with-body-then-next': 'nothing comes after a request on its stream',
  'te-obs-fold': 'a value is one string: it has no lines to be folded',
  'chunk-ext-20k': 'HTTP/2 has no chunks',
  'chunk-size-overflow': 'HTTP/2 has no chunks',
  'chunk-size-space': 'HTTP/2 has no chunks',
  'chunk-final-lf': 'HTTP/2 has no chunks',
  'chunk-missing-crlf': 'HTTP/2 has no chunks',
  'chunk-trailer-proto':
    'HTTP/2 has no chunks; trailers are a head of their own, in test/server/http2.test.ts',
}

/** A request of HTTP/1, byte for byte as it says it, as a stream of HTTP/2. Throws where it is none. */
export function toHttp2({ name, category, raw }: HostileRequest): Http2Form {
  const headEnd = raw.indexOf('\r\n\r\n')
  const [line = '', ...lines] = raw.slice(0, headEnd).split('\r\n')
  const [, method, target] = /^(\S+) (.*) HTTP\/1\.1$/s.exec(line) ?? []
  if (method === undefined || target === undefined) throw new Error(`${name} is no request: ${line}`)
  const fields = lines.map((one) => {
    const colon = one.indexOf(':')
    if (colon < 0) throw new Error(`${name} has a line without a name`)
    // HTTP/1 takes the space around a value for its own, HTTP/2 has none. Names are in small letters.
    return [one.slice(0, colon).toLowerCase(), one.slice(colon + 1).replace(/^ /, '')] as const
  })
  const valueOf = (wanted: string): string | undefined => fields.find(([one]) => one === wanted)?.[1]
  const isChunked = valueOf('transfer-encoding') === 'chunked' && category !== 'framing'
  const rest = raw.slice(headEnd + 4)
  const { body, isWhole } = isChunked
    ? dechunk(rest)
    : { body: rest, isWhole: isAll(rest, valueOf('content-length')) }
  const authority = valueOf('host')
  const isTunnel = method === 'CONNECT' && !target.startsWith('/')
  return {
    fields: [
      [':method', method],
      ...(isTunnel ? [] : ([[':scheme', 'https']] as const)),
      ...(authority === undefined ? [] : ([[':authority', isTunnel ? target : authority]] as const)),
      ...(isTunnel ? [] : ([[':path', target]] as const)),
      ...fields.filter(([name, value]) => {
        if (name === 'host' || (name === 'connection' && value === 'close')) return false
        return !(isChunked && name === 'transfer-encoding')
      }),
    ],
    body: body === '' && isWhole ? undefined : Buffer.from(body, 'latin1'),
    isWhole,
  }
}

function isAll(body: string, length: string | undefined): boolean {
  return length === undefined || !/^\d+$/.test(length) || Number(length) <= body.length
}

function dechunk(text: string): { body: string; isWhole: boolean } {
  let body = ''
  for (let at = 0; ;) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    if (size === 0) return { body, isWhole: true }
    // No chunk: a size that is no number, or is below zero.
    if (lineEnd < 0 || !(size > 0)) return { body, isWhole: false }
    const start = lineEnd + 2
    body += text.slice(start, start + size)
    at = start + size + 2
    if (at > text.length) return { body, isWhole: false }
  }
}

/** A server that has said nothing for so long says nothing at all; longer than by HTTP/1, for a handshake is work for both. */
const patience = 15_000

/**
 * Sends it on a connection of its own, and reads until the stream closes, or nothing comes. What came is written as by HTTP/1.
 *
 * A stream that is reset before its answer is `closed`: so HTTP/2 refuses what is malformed (RFC 9113 8.1.1).
 */
export async function sendHostileHttp2(
  port: number,
  { fields, body, isWhole }: Http2Form,
  then?: string,
): Promise<Outcome> {
  const { session, heads, socket } = connectRewritten(port)
  try {
    if (
      (await Promise.race([once(session, 'connect'), sleep(patience, undefined, { ref: false })])) ===
      undefined
    )
      throw new Error('No session')
    heads.set(1, headBlock(fields))
    const isHead = fields.some(([name, value]) => name === ':method' && value === 'HEAD')
    // What node:http2 takes for the method decides whether it reads a body.
    const stream = session.request(
      { ':method': isHead ? 'HEAD' : 'POST', ':path': '/' },
      { endStream: body === undefined },
    )
    let head = ''
    let text = ''
    const statuses: number[] = []
    stream.on('response', (fields: IncomingHttpHeaders & { ':status': number }) => {
      statuses.push(fields[':status'])
      head = toText(fields)
    })
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      silence.refresh()
    })
    stream.on('error', () => {})
    let silence!: NodeJS.Timeout
    const over = new Promise<'closed' | 'hang'>((resolve) => {
      stream.once('close', () => resolve('closed'))
      silence = setTimeout(() => resolve('hang'), patience)
    })
    if (body !== undefined) {
      stream.write(body)
      if (isWhole) stream.end()
    }
    if (then === 'end' || then === 'destroy') {
      await sleep(30)
      if (then === 'end') socket.end()
      else socket.resetAndDestroy()
    }
    const result = await over
    clearTimeout(silence)
    return { received: head + text, statuses, result: String(statuses[0] ?? result) }
  } finally {
    session.destroy()
    socket.destroy()
  }
}

function toText(head: IncomingHttpHeaders & { ':status': number }): string {
  const lines = Object.entries(head).flatMap(([name, value]) =>
    name.startsWith(':') ? [] : [value].flat().map((one) => `${name}: ${one}`),
  )
  return [`HTTP/2 ${head[':status']}`, ...lines, '', ''].join('\r\n')
}

/** The same request, as it is judged over HTTP/2: where it may be refused it may be by a reset. */
export function allowReset(request: HostileRequest): HostileRequest {
  const allow = (results: string[]): string[] =>
    results.some((one) => one.startsWith('4')) ? [...results, 'closed'] : results
  const { strict } = request
  return { ...request, status: allow(request.status), ...(strict && { strict: allow(strict) }) }
}
