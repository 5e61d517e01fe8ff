import { builtin } from '../ground/builtin.js'
import { RouteControllersError } from '../ground/errors.js'
import { tooLarge } from './limits.js'

const codings = ['gzip', 'x-gzip', 'deflate', 'br']

/** True for a Content-Encoding that `decompress` undoes: one layer of gzip, deflate or br (RFC 9110 8.4.1). */
export function isCompressed(coding: string): boolean {
  return codings.includes(coding)
}

type Undo = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: NodeJS.ErrnoException | null, result: Uint8Array) => void,
) => void

/** Undoes one layer of compression. Rejects with 413 at the first byte over `limit`, with 400 for bytes that are malformed. */
export async function decompress(bytes: Uint8Array, coding: string, limit: number): Promise<Uint8Array> {
  if (bytes.byteLength === 0) return bytes
  // Not DecompressionStream, which has no brotli on every Node.
  const zlib = builtin('node:zlib', 'decompress')
  const undo: Undo =
    coding === 'br' ? zlib.brotliDecompress : coding === 'deflate' ? zlib.inflate : zlib.gunzip
  // It takes neither 0 nor Infinity.
  const maxOutputLength = Math.min(Math.max(limit, 1), 2 ** 31 - 1)
  return new Promise((resolve, reject) => {
    undo(bytes, { maxOutputLength }, (error, result) => {
      if (error?.code === 'ERR_BUFFER_TOO_LARGE' || (!error && result.byteLength > limit))
        reject(tooLarge(limit))
      else if (error) reject(malformed(coding, error))
      else resolve(result)
    })
  })
}

function malformed(coding: string, cause: unknown): RouteControllersError {
  return new RouteControllersError('ERR_BODY_MALFORMED', `The body is not valid ${coding}`, { cause })
}
