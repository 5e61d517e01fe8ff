import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const chunkBytes = 64 * 1024

/** So many bytes that repeat nowhere, the same each time; each chunk is one of its own. */
export async function* chunksOf(bytes: number): AsyncGenerator<Uint8Array> {
  const pattern = new Uint8Array(chunkBytes)
  for (let at = 0; at < chunkBytes; at++) pattern[at] = Math.imul(at, 0x9e3779b1) >>> 24
  for (let sent = 0, count = 0; sent < bytes; sent += chunkBytes, count++) {
    const chunk = pattern.slice()
    new DataView(chunk.buffer).setUint32(0, count)
    // Cut when it has its number, which the last one may be too short for.
    yield chunk.subarray(0, bytes - sent)
  }
}

/** Reads all of it, with a pause each time that so many bytes have come: how many there were, and their SHA-256. */
export async function digest(
  chunks: AsyncIterable<Uint8Array>,
  { pauseMs = 0, everyBytes = Infinity }: { pauseMs?: number; everyBytes?: number } = {},
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.byteLength
    if (bytes % everyBytes < chunk.byteLength) await sleep(pauseMs)
  }
  return { bytes, sha256: hash.digest('hex') }
}
