// Undoes the content codings of a body, as far as it is small.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib'

type Unpack = (packed: Uint8Array, options: ZlibOptions) => Buffer

/** Of a body that was packed more often nothing is undone. */
const mostCodings = 3

const unpackOf = new Map<string, Unpack>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  // Some servers leave out the head of zlib. RFC 9110 8.4.1.2
  ['deflate', (packed, options) => (packed[0] === 0x78 ? inflateSync : inflateRawSync)(packed, options)],
])

/** A body whose letters are bytes, as it was before it was packed. Undefined where it has more than `maxBytes`, packed or not. */
export function unpacked(body: string, coding: string | undefined, maxBytes: number): string | undefined {
  if (body.length > maxBytes) return undefined
  const codings = (coding ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((one) => one !== '' && one !== 'identity')
  if (body === '' || codings.length === 0 || codings.length > mostCodings) return body
  let bytes: Buffer = Buffer.from(body, 'latin1')
  try {
    for (const one of codings.reverse()) {
      const unpack = unpackOf.get(one)
      if (unpack === undefined) return body
      bytes = unpack(bytes, { maxOutputLength: maxBytes })
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    // Inside a host whose middleware packs what we have written, it was captured before that. Or it is broken, and compared as it is.
    return body
  }
  return bytes.toString('latin1')
}
