import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { canBeCoded } from '../../src/node/content-coding.js'

const text = Buffer.from('tea '.repeat(20))
// More than is looked at, and more than is undone.
const random = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + (at >> 3)) % 256))
const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])

it.each([
  ['gzip', gzipSync(text)],
  ['gzip', gzipSync(random)],
  ['gzip', gzipSync(Buffer.alloc(1_000_000))],
  ['x-gzip', gzipSync(text)],
  ['GZIP ', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['br', brotliCompressSync(random)],
  ['zstd', zstd],
  ['zstd', zstd.subarray(0, 2)],
  ['br, gzip', gzipSync(brotliCompressSync(text))],
  ['of-another-maker', text],
  ['gzip', Buffer.alloc(0)],
  ['gzip', 'no bytes'],
])('a body may have the coding %s (%#)', (codings, bytes) => {
  expect(canBeCoded(codings, bytes)).toBe(true)
})

it.each([
  ['gzip', text],
  ['deflate', text],
  ['br', text],
  ['zstd', text],
  ['gzip, br', gzipSync(text)],
  ['br', gzipSync(text)],
])('a body has not the coding %s that is said of it (%#)', (codings, bytes) => {
  expect(canBeCoded(codings, bytes)).toBe(false)
})
