import type { ServerResponse } from 'node:http'
import { findHeader, isHopByHop } from '../headers.js'
import { isBodiless, isLight, type LightResponse, type Payload } from '../response.js'
import { cancel, discard, isStream, open, type Source } from '../streams.js'

/** A response whose middleware (compression) can push out what it holds back. */
type Flushing = ServerResponse & { flush?: () => void }

/**
 * Sends an answer in one piece: one `writeHead` and one `end`. Only for a response that nobody else has had in hand, because
 * on-headers and its like see headers that are set, not those of `writeHead`; false when there is more to the answer.
 */
export function sendAtOnce(res: ServerResponse, answer: LightResponse | Response, head: boolean): boolean {
  if (!isLight(answer) || answer.touched !== undefined || answer.statusMessage !== '') return false
  const { statusCode, headerList, payload } = answer
  if (isBodiless(statusCode) || isStream(payload) || (head && payload === null)) return false
  if (res.headersSent || res.destroyed || res.getHeaderNames().length > 0) return false
  res.writeHead(statusCode, [...headerList, 'Content-Length', String(byteLength(payload))])
  if (head || payload === null) res.end()
  else res.end(besideHead(payload, headerList))
  return true
}

/**
 * Sends an answer on a ServerResponse, together with what was set on it before.
 *
 * A header of the answer replaces an earlier one of its name; `Set-Cookie` and `Vary` add to it. Throws, with nothing
 * sent, for what HTTP cannot carry; reports to `onError` what fails later, and then destroys the connection.
 */
export function sendResponse(
  res: ServerResponse,
  answer: LightResponse | Response,
  head: boolean,
  onError: (error: unknown) => void,
): void {
  const { status, statusText, headers, payload } = read(answer)
  if (res.headersSent || res.writableEnded || res.destroyed) return discard(payload)

  const body = isBodiless(status) ? null : payload
  if (body !== payload) discard(payload)
  applyHeaders(res, headers)
  // A hook may have announced trailers. There will be none, and Node throws where the answer does not come in chunks.
  res.removeHeader('Trailer')
  if (status === 204 || status === 304) res.removeHeader('Content-Length')
  else if (!isStream(body) && !(head && body === null))
    res.setHeader('Content-Length', String(byteLength(body)))
  else if (body === null && !res.hasHeader('Content-Length')) res.setHeader('Content-Length', '0')
  res.statusCode = status
  // Also where there is none: what an answer before this one has set may be the reason that it could not be sent.
  res.statusMessage = statusText

  if (!isStream(body)) {
    if (head || body === null) res.end()
    else res.end(besideHead(body, headers))
  } else if (head) {
    discard(body)
    res.end()
  } else {
    const source = open(body)
    // The head goes out before the first chunk is there: an event stream may be silent for minutes.
    res.flushHeaders()
    void pump(res, source, onError)
  }
}

// Node writes a head and a text in one piece, in UTF-8, in which a character of Latin-1 in the head becomes two.
function besideHead(body: string | Uint8Array, headers: readonly string[]): string | Uint8Array {
  if (typeof body !== 'string') return body
  for (let at = 1; at < headers.length; at += 2) {
    if (/[\x80-\xff]/.test(headers[at]!)) return Buffer.from(body)
  }
  return body
}

function byteLength(body: string | Uint8Array | null): number {
  if (body === null) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

interface Parts {
  status: number
  statusText: string
  headers: readonly string[]
  payload: Payload
}

function read(answer: LightResponse | Response): Parts {
  const response = isLight(answer) ? answer.touched : answer
  if (response === undefined) {
    const light = answer as LightResponse
    return {
      status: light.statusCode,
      statusText: light.statusMessage,
      headers: light.headerList,
      payload: light.payload,
    }
  }
  const headers: string[] = []
  for (const [name, value] of response.headers) if (!isHopByHop(name)) headers.push(name, value)
  return { status: response.status, statusText: response.statusText, headers, payload: response.body }
}

/** Sets headers in place of earlier ones of their names; `Set-Cookie` and `Vary` add to what is there. */
export function applyHeaders(res: ServerResponse, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    const lower = name.toLowerCase()
    if (lower === 'set-cookie') addValue(res, name, value)
    else if (lower === 'vary') addVary(res, value)
    else if (findHeader(headers, name) === at) res.setHeader(name, value)
    else addValue(res, name, value)
  }
}

// By getHeader and setHeader, which middleware patch, and not by appendHeader, which they do not know.
function addValue(res: ServerResponse, name: string, value: string): void {
  const earlier = res.getHeader(name)
  const values = earlier === undefined ? [] : Array.isArray(earlier) ? earlier : [String(earlier)]
  if (!values.includes(value)) res.setHeader(name, [...values, value])
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
  // One for all: compression takes `drain` listeners to a stream of its own, and once() does not get them off it again.
  res.on('drain', () => wake())
  try {
    const isEvents = String(res.getHeader('Content-Type')).startsWith('text/event-stream')
    for (;;) {
      const { done, value } = await source.next()
      if (gone) return
      if (done) break
      // The return value and `drain`, never the callback of write(): compression drops it.
      const ready = res.write(value)
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
