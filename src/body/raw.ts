import { RouteControllersError } from '../ground/errors.js'
import { bodyTypes } from './body-types.js'
import type { ContentType } from './content-type.js'

/**
 * The bytes of a body that a middleware upstream has read: `rawBody` byte for byte, else `body` serialised again in its own
 * content type.
 *
 * The serialised bytes may differ from the original (`1.0` becomes `1`), so a signature over the body needs `rawBody`:
 * `express.json({ verify: (req, res, bytes) => { req.rawBody = bytes } })`.
 */
export function bytesOfConsumed(rawBody: unknown, body: unknown, type: ContentType): Uint8Array {
  if (ArrayBuffer.isView(rawBody)) return viewToBytes(rawBody)
  if (typeof rawBody === 'string') return encode(rawBody)
  if (ArrayBuffer.isView(body)) return viewToBytes(body)
  if (typeof body === 'string') return encode(body)
  if (typeof body === 'object' && body !== null) {
    const { write } = bodyTypes[type.kind]
    if (write !== undefined) return encode(write(body))
  }
  throw new RouteControllersError(
    'ERR_BODY_CONSUMED',
    `The body was read by a middleware before this. It left no req.rawBody, and its req.body cannot be written again as ${type.essence || 'bytes without a Content-Type'}; take req.body, or keep the bytes in req.rawBody`,
  )
}

/** Whether `bytesOfConsumed` gives bytes as the client sent them, but for a Content-Encoding, or text in UTF-8. */
export function decodedUpstream(rawBody: unknown, body: unknown): 'bytes' | 'text' {
  return ArrayBuffer.isView(rawBody) || (typeof rawBody !== 'string' && ArrayBuffer.isView(body))
    ? 'bytes'
    : 'text'
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function viewToBytes(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}
