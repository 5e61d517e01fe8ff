import type { ServerResponse } from 'node:http'
import type { AnswerTimer } from '../answer/answer-timer.js'
import { findHeader, parseLength, withoutHeaders } from '../answer/headers.js'
import { isLight, type LightResponse, partsOf } from '../answer/light-response.js'
import { isBodiless, type Payload } from '../answer/web-response.js'
import {
  cancel,
  checkedPiece,
  discard,
  ExactSource,
  isByteStream,
  isStream,
  open,
  PeekedSource,
  type Source,
  type StreamBody,
  unread,
} from '../answer/streams.js'
import { canBeCoded } from './content-coding.js'

/** A response whose middleware (compression) can flush what it buffers. */
type Flushing = ServerResponse & { flush?: () => void }

/**
 * Sends an answer in one piece: one `writeHead` and one `end`. It is only for a response that no other code has had: on-headers
 * and similar packages read headers that are set, not those of `writeHead`. Returns false when the answer needs more than that.
 */
export function sendAtOnce(
  res: ServerResponse,
  answer: LightResponse | Response,
  withBody: boolean,
): boolean {
  if (!isLight(answer) || answer.touched !== undefined || answer.statusMessage !== '') return false
  const { statusCode, headerList, payload } = answer
  if (isBodiless(statusCode) || isStream(payload) || (!withBody && payload === null)) return false
  if (res.headersSent || res.destroyed || res.getHeaderNames().length > 0) return false
  // Both would be sent as they are.
  const headers =
    findHeader(headerList, 'Content-Length') < 0 ? headerList : withoutHeaders(headerList, ['content-length'])
  res.writeHead(statusCode, [...headers, 'Content-Length', String(byteLength(payload))])
  if (!withBody || payload === null) res.end()
  else res.end(besideHead(payload, headerList))
  return true
}

/** Bytes of a body that is there at once; Node's own count, which makes no copy, and is there under jsdom too. */
function byteLength(payload: string | Uint8Array | null): number {
  return payload === null ? 0 : Buffer.byteLength(payload)
}

/**
 * Sends an answer on a ServerResponse, together with what was set on it before.
 *
 * A header of the answer replaces an earlier one of its name; `Set-Cookie` and `Vary` add to it. Throws for what HTTP cannot
 * carry, with nothing sent and nothing left on the response. Where a Response must be read first, the promise rejects. It rejects with
 * `timer` where the first piece does not come in time. Reports a later failure to `onError`, and then destroys the connection.
 */
export function sendResponse(
  res: ServerResponse,
  answer: LightResponse | Response,
  withBody: boolean,
  onError: (error: unknown) => void,
  timer?: AnswerTimer,
): Promise<void> | undefined {
  const { status, statusText, headers, payload } = partsOf(answer)
  if (res.headersSent || res.writableEnded || res.destroyed) return void discard(payload)

  const body = isBodiless(status) ? null : payload
  if (body !== payload) discard(payload)
  const isOpaque = !isLight(answer) && isStream(body) && mayTell(body, withBody, headers)
  const source = isStream(body) ? (withBody ? open(body) : unread(body)) : undefined
  const undo = remember(res, headers)
  const failed = (error: unknown): never => {
    if (source !== undefined) cancel(source)
    if (!res.headersSent) undo()
    throw error
  }
  try {
    applyHeaders(res, headers)
    // A hook may have announced trailers. There will be none, and Node throws where the answer does not come in chunks.
    res.removeHeader('Trailer')
    settleLength(res, status, body, withBody, isLight(answer))
    res.statusCode = status
    // It is set even where it is empty: an earlier answer may have set one with which it could not be sent.
    res.statusMessage = statusText
    if (source === undefined) end(res, body as string | Uint8Array | null, withBody, headers)
    else if (isOpaque) return sendOpaque(res, headers, source, withBody, onError, timer).catch(failed)
    else sendStream(res, source, withBody, onError)
  } catch (error) {
    failed(error)
  }
  return undefined
}

/**
 * True where reading the body of a Response may give its length. A stream of the program is not read for its head alone, and its
 * head does not wait for the first piece. It takes 20 µs to find out that it is no byte stream.
 */
function mayTell(body: StreamBody, withBody: boolean, headers: readonly string[]): boolean {
  return (withBody && findHeader(headers, 'Content-Encoding') < 0) || isByteStream(body)
}

/** Returns a function that restores status and headers. The error must not have the headers of an answer that cannot be sent. */
function remember(res: ServerResponse, headers: readonly string[]): () => void {
  const earlier = new Map<string, ReturnType<ServerResponse['getHeader']>>()
  for (let at = 0; at < headers.length; at += 2) earlier.set(headers[at]!, res.getHeader(headers[at]!))
  earlier.set('Content-Length', res.getHeader('Content-Length'))
  const { statusCode, statusMessage } = res
  return () => {
    Object.assign(res, { statusCode, statusMessage })
    for (const [name, value] of earlier) {
      if (value === undefined) res.removeHeader(name)
      else res.setHeader(name, value)
    }
  }
}

/** Sets the one true Content-Length, or none. RFC 9110 8.6 */
function settleLength(
  res: ServerResponse,
  status: number,
  body: Payload,
  withBody: boolean,
  isKnown: boolean,
): void {
  if (status === 204 || status === 304) return res.removeHeader('Content-Length')
  if (status === 205 || !(isStream(body) || (!withBody && body === null))) {
    res.setHeader('Content-Length', String(byteLength(body as string | Uint8Array | null)))
  } else if (parseLength(res.getHeader('Content-Length')) === undefined) {
    res.removeHeader('Content-Length')
    // A Response without a body may be a head that was fetched.
    if (body !== null || !isKnown) return
    res.setHeader('Content-Length', '0')
  }
  // A middleware upstream has set it: the two headers exclude each other. RFC 9112 6.2
  if (res.hasHeader('Transfer-Encoding')) res.removeHeader('Transfer-Encoding')
}

function end(
  res: ServerResponse,
  body: string | Uint8Array | null,
  withBody: boolean,
  headers: readonly string[],
): void {
  if (!withBody || body === null) res.end()
  else res.end(besideHead(body, headers))
}

function sendStream(
  res: ServerResponse,
  source: Source,
  withBody: boolean,
  onError: (error: unknown) => void,
): void {
  if (!withBody) {
    cancel(source)
    res.end()
    return
  }
  const length = parseLength(res.getHeader('Content-Length'))
  // The head is sent before the first chunk exists: an event stream may be silent for minutes.
  flushHead(res)
  void pump(res, length === undefined ? source : new ExactSource(source, length, onError), onError)
}

/** Sends the body of a Response that may be one of a text or a stream. */
async function sendOpaque(
  res: ServerResponse,
  headers: readonly string[],
  source: Source,
  withBody: boolean,
  onError: (error: unknown) => void,
  timer: AnswerTimer | undefined,
): Promise<void> {
  const peeked = new PeekedSource(source)
  const whole = await peeked.whole()
  const coded = findHeader(headers, 'Content-Encoding')
  if (coded >= 0 && !canBeCoded(headers[coded + 1]!, whole ?? (await firstOf(res, peeked, timer)))) {
    res.removeHeader('Content-Encoding')
    res.removeHeader('Content-Length')
  }
  if (res.headersSent || res.writableEnded || res.destroyed) return cancel(peeked)
  if (whole === undefined) return sendStream(res, peeked, withBody, onError)
  settleLength(res, res.statusCode, whole, withBody, true)
  end(res, whole, withBody, [])
}

/** The first piece of a body; nothing when the client disconnects before it comes. Rejects with `timer` where that expires before. */
async function firstOf(
  res: ServerResponse,
  peeked: PeekedSource,
  timer: AnswerTimer | undefined,
): Promise<unknown> {
  const onExpire = timer?.onExpire
  let late: unknown
  const giveUp = (expired?: unknown): void => {
    late = expired
    // This ends the wait.
    cancel(peeked)
  }
  res.once('close', giveUp)
  if (timer) timer.onExpire = giveUp
  // The next reader gets the error.
  const first = await peeked.first().catch(() => undefined)
  res.off('close', giveUp)
  if (timer) timer.onExpire = onExpire!
  if (late !== undefined) throw late as Error
  return first?.value
}

const noBytes = new Uint8Array()

function flushHead(res: Flushing): void {
  for (const value of Object.values(res.getHeaders())) {
    if (!/[\x80-\xff]/.test(String(value))) continue
    // flushHeaders() writes it in UTF-8, in which a character of Latin-1 becomes two.
    res.write(noBytes)
    return res.flush?.()
  }
  res.flushHeaders()
}

// Node writes a head and a text in one piece, in UTF-8, in which a character of Latin-1 in the head becomes two.
function besideHead(body: string | Uint8Array, headers: readonly string[]): string | Uint8Array {
  if (typeof body !== 'string') return body
  for (let at = 1; at < headers.length; at += 2) {
    if (/[\x80-\xff]/.test(headers[at]!)) return Buffer.from(body)
  }
  return body
}

/** Sets headers in place of earlier ones of their names; `Set-Cookie` and `Vary` add to what is there. */
export function applyHeaders(res: ServerResponse, headers: readonly string[]): void {
  let cookies: readonly string[] | undefined
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    const lower = name.toLowerCase()
    // Once, where the answer was made of what has set it already. One that a callback sets twice is sent twice, as by Express.
    if (lower === 'set-cookie') {
      if (!(cookies ??= valuesOf(res, name)).includes(value)) addValue(res, name, value)
    } else if (lower === 'vary') addVary(res, value)
    else if (findHeader(headers, name) === at) res.setHeader(name, value)
    else addValue(res, name, value)
  }
}

// By getHeader and setHeader, which middleware patches, and not by appendHeader, which it does not.
function addValue(res: ServerResponse, name: string, value: string): void {
  res.setHeader(name, [...valuesOf(res, name), value])
}

function valuesOf(res: ServerResponse, name: string): readonly string[] {
  const earlier = res.getHeader(name)
  return earlier === undefined ? [] : Array.isArray(earlier) ? earlier : [String(earlier)]
}

function addVary(res: ServerResponse, value: string): void {
  const merged = mergeVary(res.getHeader('Vary'), value)
  if (merged !== undefined) res.setHeader('Vary', merged)
}

/** The Vary header with the fields of `value` added; undefined when it has them all. */
function mergeVary(earlier: number | string | string[] | undefined, value: string): string | undefined {
  if (earlier === undefined) return value
  const fields = (Array.isArray(earlier) ? earlier.join(', ') : String(earlier)).split(/, */)
  const known = new Set(fields.map((field) => field.trim().toLowerCase()))
  const added = value.split(/, */).filter((field) => !known.has(field.trim().toLowerCase()))
  return added.length === 0 ? undefined : [...fields, ...added].join(', ')
}

async function pump(res: Flushing, source: Source, onError: (error: unknown) => void): Promise<void> {
  let gone = false
  let wake = (): void => {}
  const onClose = (): void => {
    gone = true
    cancel(source)
    wake()
  }
  res.once('close', onClose)
  // One listener for all: compression moves `drain` listeners to a stream of its own, and once() cannot remove them from it.
  res.on('drain', () => wake())
  try {
    const isEvents = String(res.getHeader('Content-Type')).startsWith('text/event-stream')
    for (;;) {
      const { done, value } = await source.next()
      if (gone) return
      if (done) break
      // The return value and `drain`, never the callback of write(): compression drops it.
      const ready = !isFull(res, res.write(checkedPiece(value)))
      if (isEvents) res.flush?.()
      if (!ready && !gone) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        if (gone) return
      }
    }
    res.off('close', onClose)
    res.end()
  } catch (error) {
    if (gone) return
    res.off('close', onClose)
    cancel(source)
    onError(error)
    // Cut off, so that the client sees an incomplete answer and not a short one.
    res.destroy()
  }
}

/**
 * True where `drain` will come. An adapter's own socket (of a cloud function) may return nothing and does not say what it keeps: Node makes
 * `false` of that from version 24 on, and its length is no number.
 */
function isFull(res: ServerResponse, written: boolean | undefined): boolean {
  return written === false && !Number.isNaN(res.writableLength)
}
