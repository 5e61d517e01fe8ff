// Undoes the content codings of a body, as far as it is small.
import type { ZlibOptions } from 'node:zlib'
import { builtin } from '../../../src/ground/builtin.js'

type Unpack = (packed: Uint8Array, options: ZlibOptions) => Buffer

/** Of a body that was packed more often nothing is undone. */
const mostCodings = 3

// What few programs need is loaded when it is: it takes time at each start.
const zlib = () => builtin('node:zlib', 'a packed body')

const unpackOf = new Map<string, Unpack>([
  ['gzip', (packed, options) => zlib().gunzipSync(packed, options)],
  ['x-gzip', (packed, options) => zlib().gunzipSync(packed, options)],
  ['br', (packed, options) => zlib().brotliDecompressSync(packed, options)],
  // Some servers leave out the head of zlib. RFC 9110 8.4.1.2
  [
    'deflate',
    (packed, options) => zlib()[packed[0] === 0x78 ? 'inflateSync' : 'inflateRawSync'](packed, options),
  ],
])

/** A body whose letters are bytes, as it was before it was packed. Undefined where it has more than `maxBytes`, packed or not. */
export function unpacked(body: string, coding: string | undefined, maxBytes: number): string | undefined {
  if (body.length > maxBytes) return undefined
  const codings = (coding ?? '')
    .toLowerCase()
    .split(/[\s,]/)
    .filter((one) => one !== '' && one !== 'identity')
  if (codings.length > mostCodings) return body
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
