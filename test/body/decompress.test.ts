import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { decompress, isCompressed } from '../../src/body/decompress.js'
import { refusal } from '../support/refusal.js'

const codings: [
  coding: string,
  compress: (bytes: Uint8Array) => Uint8Array,
  how: 'gunzip' | 'inflate' | 'brotliDecompress',
][] = [
  ['gzip', gzipSync, 'gunzip'],
  ['x-gzip', gzipSync, 'gunzip'],
  ['deflate', deflateSync, 'inflate'],
  ['br', brotliCompressSync, 'brotliDecompress'],
]

afterEach(() => jest.restoreAllMocks())

describe('isCompressed', () => {
  it.each(codings)('knows %s', (coding) => {
    expect(isCompressed(coding)).toBe(true)
  })

  it.each(['', 'identity', 'compress', 'zstd', 'GZIP', 'gzip, br', 'gzip,gzip'])(
    'leaves %j alone',
    (coding) => {
      expect(isCompressed(coding)).toBe(false)
    },
  )
})

describe.each(codings)('decompress of %s', (coding, compress, how) => {
  const plain = Buffer.from('one layer, é, '.repeat(100))

  it('undoes one layer, and no second one', async () => {
    expect(Buffer.from(await decompress(compress(plain), coding, Infinity))).toEqual(plain)
    const inner = compress(plain)
    expect(Buffer.from(await decompress(compress(inner), coding, Infinity))).toEqual(Buffer.from(inner))
  })

  it('has a limit of what comes out, exact to the byte', async () => {
    expect(await decompress(compress(plain), coding, plain.length)).toHaveLength(plain.length)
    await expect(decompress(compress(plain), coding, plain.length - 1)).rejects.toMatchObject({
      code: 'ERR_BODY_TOO_LARGE',
      status: 413,
      message: `The body has more than ${plain.length - 1} bytes`,
    })
  })

  it('takes 0 for a limit too', async () => {
    expect(await decompress(compress(Buffer.alloc(0)), coding, 0)).toHaveLength(0)
    await expect(decompress(compress(Buffer.alloc(1)), coding, 0)).rejects.toMatchObject({ status: 413 })
  })

  it('stops at the limit, and not when a bomb has become what it would be', async () => {
    const undo = jest.spyOn(zlib, how)
    for (const [limit, maxOutputLength] of [
      [plain.length, plain.length],
      [0, 1],
      [Infinity, 2 ** 31 - 1],
    ] as const) {
      await decompress(compress(plain), coding, limit).catch(() => {})
      expect(undo).toHaveBeenLastCalledWith(expect.anything(), { maxOutputLength }, expect.any(Function))
    }
  })

  it('takes no bytes for none', async () => {
    expect(await decompress(new Uint8Array(0), coding, 10)).toHaveLength(0)
  })

  it('refuses what is malformed or ends too early', async () => {
    for (const bytes of [Buffer.from('not compressed'), compress(plain).subarray(0, -10)]) {
      const decompressed = decompress(bytes, coding, Infinity)
      await expect(decompressed).rejects.toThrow(refusal('ERR_BODY_MALFORMED', `not valid ${coding}`))
      await expect(decompressed).rejects.toMatchObject({
        status: 400,
        cause: expect.objectContaining({ message: expect.any(String) }),
      })
    }
  })
})

describe('Where there is no node:zlib', () => {
  it('reads no further than the limit', async () => {
    without()
    const cancel = jest.spyOn(ReadableStreamDefaultReader.prototype, 'cancel')
    await expect(decompress(gzipSync(plain), 'gzip', 10)).rejects.toThrow(refusal('ERR_BODY_TOO_LARGE', '10'))
    expect(cancel).toHaveBeenCalledTimes(1)
  })

  const plain = Buffer.from('one layer, é, '.repeat(10_000))
  const without = (): void => {
    const actual = process.getBuiltinModule.bind(process)
    const replaced = (name: string): unknown => (name === 'node:zlib' ? undefined : actual(name))
    jest.spyOn(process, 'getBuiltinModule').mockImplementation(replaced as never)
  }

  it('br is not undone', () => {
    without()
    expect(['gzip', 'x-gzip', 'deflate', 'br'].map(isCompressed)).toEqual([true, true, true, false])
  })

  it.each(codings.slice(0, 3))(
    '%s is, with the same limit and the same refusals',
    async (coding, compress) => {
      without()
      const bytes = compress(plain)
      expect(Buffer.from(await decompress(bytes, coding, plain.length)).equals(plain)).toBe(true)
      await expect(decompress(bytes, coding, plain.length - 1)).rejects.toMatchObject({ status: 413 })
      await expect(decompress(compress(Buffer.alloc(1)), coding, 0)).rejects.toMatchObject({ status: 413 })
      for (const broken of [Buffer.from('not compressed'), bytes.subarray(0, -10)]) {
        await expect(decompress(broken, coding, Infinity)).rejects.toThrow(
          refusal('ERR_BODY_MALFORMED', `not valid ${coding}`),
        )
      }
    },
  )
})

it('A limit that node:zlib of a runtime reports without a code is 413', async () => {
  jest.spyOn(zlib, 'gunzip').mockImplementation((...given: unknown[]) => {
    const done = given[2] as (error: Error) => void
    done(new RangeError('Memory limit exceeded'))
  })
  await expect(decompress(gzipSync('a'), 'gzip', 1)).rejects.toMatchObject({ status: 413 })
})
