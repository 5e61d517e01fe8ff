import { parseLength } from './headers.js'
import { discard, isReadableStream, isStream, toReadableStream } from './streams.js'

/** What can be sent as a body. */
export type Payload =
  string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | null

/** What an answer consists of, whichever of the two it is. */
export interface AnswerParts {
  status: number
  statusText: string
  /** Names and values, one after the other; nothing of the connection. */
  headers: readonly string[]
  payload: Payload
}

/** RFC 9110 15.3.5, 15.4.5: these have no body, whatever a callback gave. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/**
 * Says that a body which has a Content-Encoding has been encoded. Workers would encode it once more: theirs alone is this member of
 * ResponseInit, and no other runtime reads it.
 */
export function withCoding<Init extends { readonly headers: Headers }>(init: Init): Init {
  return init.headers.has('Content-Encoding') ? { ...init, encodeBody: 'manual' } : init
}

/**
 * True on Bun, which gives a Response without a Content-Type one when it sends it. That of a text is lost once its `body` has been read, and then it
 * is `application/octet-stream`, which browsers download.
 */
export const typesWhenSent: boolean = 'Bun' in globalThis

/** Bytes as a body that gets no type, where none was said. */
export function untyped(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (!typesWhenSent) return bytes
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

/** The web Response of an answer's parts, with the true Content-Length where they have one. */
export function toResponse({ status, statusText, headers: list, payload }: AnswerParts): Response {
  // A Response of a plain object takes a third less on Bun and Deno.
  const plain = plainHeaders(list)
  if (plain !== undefined && typeof payload === 'string' && !isBodiless(status)) {
    return new Response(
      payload,
      statusText === '' ? { status, headers: plain } : { status, statusText, headers: plain },
    )
  }
  const headers = new Headers()
  for (let at = 0; at < list.length; at += 2) headers.append(list[at]!, list[at + 1]!)
  const bodiless = isBodiless(status)
  if (bodiless) discard(payload)
  const body = bodiless ? null : payload
  const length = headers.get('Content-Length')
  if (length !== null) {
    if (bodiless || (isStream(body) && parseLength(length) === undefined)) headers.delete('Content-Length')
    else if (!isStream(body)) headers.set('Content-Length', String(byteLength(body)))
  }
  // A text of no type would be given one.
  const typed =
    typeof body === 'string' && !headers.has('Content-Type') ? untyped(new TextEncoder().encode(body)) : body
  return new Response(
    toBodyInit(typed) as ConstructorParameters<typeof Response>[0],
    withCoding({ status, statusText, headers }),
  )
}

const byType = new Map<string, Headers>()
const mostTypes = 50

/** Headers of nothing but a type, as most answers have them. A Response copies them, which takes less than to read an object. */
function headersOfType(type: string): Headers {
  let headers = byType.get(type)
  if (headers === undefined) {
    headers = new Headers({ 'Content-Type': type })
    // A program may take types from its clients.
    if (byType.size < mostTypes) byType.set(type, headers)
  }
  return headers
}

/** Headers of a text with a type. Undefined where a name is there twice, or a coding, or a length, which may be wrong. */
function plainHeaders(list: readonly string[]): Headers | Record<string, string> | undefined {
  if (list.length === 2 && list[0] === 'Content-Type') return headersOfType(list[1]!)
  const headers: Record<string, string> = {}
  let hasType = false
  for (let at = 0; at < list.length; at += 2) {
    const name = list[at]!
    if (name in headers) return undefined
    if (name.length === 16 && name.toLowerCase() === 'content-encoding') return undefined
    if (name.length === 14 && name.toLowerCase() === 'content-length') return undefined
    if (name.length === 12) hasType ||= name.toLowerCase() === 'content-type'
    headers[name] = list[at + 1]!
  }
  return hasType ? headers : undefined
}

/** The Response to HEAD, with the length that GET would have where that is known. */
export function headResponse(parts: Omit<AnswerParts, 'payload'>, length: number | undefined): Response {
  const head = toResponse({ ...parts, payload: headBody(parts.status, length !== undefined) })
  if (length === undefined || isBodiless(parts.status)) head.headers.delete('Content-Length')
  else head.headers.set('Content-Length', String(length))
  return head
}

/**
 * The body of a Response to HEAD: none, or a stream that is never read where the length is not known. Of no body at all Bun and Deno
 * make `Content-Length: 0`.
 */
export function headBody(status: number, hasLength: boolean): ReadableStream<Uint8Array> | null {
  if (hasLength || isBodiless(status)) return null
  // Read after all, as a test does it, it is empty.
  return new ReadableStream({ pull: (controller) => controller.close() }, { highWaterMark: 0 })
}

/** Bytes of a body that is there at once. */
export function byteLength(payload: string | Uint8Array | null): number {
  if (payload === null) return 0
  return typeof payload === 'string' ? new TextEncoder().encode(payload).length : payload.byteLength
}

function toBodyInit(payload: Payload): string | Uint8Array | ReadableStream | null {
  if (
    typeof payload === 'object' &&
    payload !== null &&
    Symbol.asyncIterator in payload &&
    !isReadableStream(payload)
  ) {
    return toReadableStream(payload)
  }
  return payload as string | Uint8Array | ReadableStream | null
}
