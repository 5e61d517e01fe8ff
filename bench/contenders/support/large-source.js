import { Readable } from 'node:stream'

const chunk = Buffer.alloc(64 * 1024, 'x')

/** A stream of so many bytes, from memory: what is measured is the way out. */
export function createSource(bytes) {
  let left = bytes
  return new Readable({
    read() {
      if (left === 0) return void this.push(null)
      const next = chunk.subarray(0, Math.min(left, chunk.length))
      left -= next.length
      this.push(next)
    },
  })
}

export async function countBytes(stream) {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}
