import { findBuiltin } from '../ground/builtin.js'
import { isRouteControllersError, RouteControllersError } from '../ground/errors.js'
import { BoundedBytes, tooLarge } from './limits.js'

/** Each coding as DecompressionStream names it. Brotli has no name that all runtimes know. */
const codings: ReadonlyMap<string, 'gzip' | 'deflate'> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
])

/**
 * True for a Content-Encoding that `decompress` undoes: one layer of gzip, deflate or br (RFC 9110 8.4.1). Where there is no `node:zlib`,
 * as on Workers without `nodejs_compat`, br is not undone.
 */
export function isCompressed(coding: string): boolean {
  return codings.has(coding) || (coding === 'br' && findBuiltin('node:zlib') !== undefined)
}

type Undo = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void

/** Undoes one layer of compression. Rejects with 413 at the first byte over `limit`, with 400 for bytes that are malformed. */
export async function decompress(bytes: Uint8Array, coding: string, limit: number): Promise<Uint8Array> {
  if (bytes.byteLength === 0) return bytes
  const zlib = findBuiltin('node:zlib')
  if (zlib === undefined) return decompressByStream(bytes, coding, limit)
  const undo: Undo =
    coding === 'br' ? zlib.brotliDecompress : coding === 'deflate' ? zlib.inflate : zlib.gunzip
  // It takes neither 0 nor Infinity.
  const maxOutputLength = Math.min(Math.max(limit, 1), 2 ** 31 - 1)
  return new Promise((resolve, reject) => {
    undo(bytes, { maxOutputLength }, (error, result) => {
      // By its name: the error of workerd has no code.
      if (error?.name === 'RangeError' || (!error && result.byteLength > limit)) reject(tooLarge(limit))
      else if (error) reject(malformed(coding, error))
      else resolve(result)
    })
  })
}

async function decompressByStream(bytes: Uint8Array, coding: string, limit: number): Promise<Uint8Array> {
  const undone = new BoundedBytes(limit)
  const { readable, writable } = new DecompressionStream(codings.get(coding)!) as {
    readable: ReadableStream<Uint8Array>
    writable: WritableStream<Uint8Array>
  }
  const writer = writable.getWriter()
  // What fails here fails for the reader too.
  writer.write(bytes).catch(() => {})
  writer.close().catch(() => {})
  const reader = readable.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return undone.join()
      undone.add(value)
    }
  } catch (error) {
    if (!isRouteControllersError(error)) throw malformed(coding, error)
    reader.cancel().catch(() => {})
    throw error
  }
}

function malformed(coding: string, cause: unknown): RouteControllersError {
  return new RouteControllersError('ERR_BODY_MALFORMED', `The body is not valid ${coding}`, { cause })
}
