/** How many bytes of a body are looked at, and how many they may become. */
const maxLookedAt = 1_024
const maxUndone = 65_536

/**
 * False for a body that cannot be decompressed by its Content-Encoding, as its first bytes show.
 *
 * `fetch()` decompresses a body and keeps its headers. So `new Response(upstream.body, upstream)` says gzip and is not. Of
 * several codings the last is checked, because it was applied last.
 */
export function canBeCoded(codings: string, bytes: unknown): boolean {
  if (!(ArrayBuffer.isView(bytes) && bytes.byteLength > 0)) return true
  const start = new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxLookedAt))
  const coding = codings.split(',').at(-1)!.trim().toLowerCase()
  // RFC 8878 3.1.1; zlib knows it from Node 22.15 on.
  if (coding === 'zstd')
    return [0x28, 0xb5, 0x2f, 0xfd].every((byte, at) => start[at] === byte || at >= start.length)
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const byZlib = { finishFlush: Z_SYNC_FLUSH, maxOutputLength: maxUndone }
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return undoes(() => zlib.gunzipSync(start, byZlib))
    case 'deflate':
      // Without the head of zlib, which RFC 9110 asks for, clients take it too.
      return undoes(() => zlib.inflateSync(start, byZlib)) || undoes(() => zlib.inflateRawSync(start, byZlib))
    case 'br':
      return undoes(() =>
        zlib.brotliDecompressSync(start, { ...byZlib, finishFlush: BROTLI_OPERATION_FLUSH }),
      )
    default:
      return true
  }
}

function undoes(undo: () => unknown): boolean {
  try {
    undo()
    return true
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
  }
}
