import {
  bounded,
  BoundedBytes,
  checkDeclaredLength,
  checkLimits,
  defaultBodyLimit,
  defaultLimits,
  defaultRules,
  tooMany,
} from '../../src/body/limits.js'
import { promisedDefaults } from '../support/promised-defaults.js'
import { refusal } from '../support/refusal.js'

describe('checkLimits', () => {
  it('fills up what is set with the defaults', () => {
    expect(checkLimits({})).toEqual(defaultLimits)
    expect(defaultLimits).toEqual(promisedDefaults('src/body/limits.ts', 'RequestLimits'))
    expect(checkLimits({ maxJsonDepth: 7, maxFormFiles: 0, maxFormFields: undefined } as object)).toEqual({
      maxTargetBytes: 16_384,
      maxQueryFields: 1_000,
      maxJsonDepth: 7,
      maxFormFields: 1_000,
      maxFormFiles: 0,
    })
    expect(checkLimits({ maxTargetBytes: Infinity }).maxTargetBytes).toBe(Infinity)
  })

  it('leaves the defaults as they are', () => {
    checkLimits({ maxJsonDepth: 7 })
    expect([defaultBodyLimit, defaultLimits.maxJsonDepth]).toEqual([1_048_576, 200])
    expect(defaultRules).toEqual({ limits: defaultLimits, decompress: false })
    expect([defaultLimits, defaultRules].every(Object.isFrozen)).toBe(true)
  })

  it.each([
    ['maxTargetBytes', 'bytes'],
    ['maxQueryFields', 'a count'],
    ['maxJsonDepth', 'a count of levels'],
    ['maxFormFields', 'a count'],
    ['maxFormFiles', 'a count'],
  ])('refuses a %s that is no number, and says that it is %s', (name, unit) => {
    for (const value of [NaN, -1, 1.5, '10 apples', null]) {
      expect(() => checkLimits({ [name]: value })).toThrow(
        refusal('ERR_OPTION_INVALID', `limits.${name} is ${unit}: a whole number`),
      )
    }
  })

  it('refuses a name that is none, and names those there are', () => {
    expect(() => checkLimits({ maxFields: 1 } as object)).toThrow(
      refusal('ERR_OPTION_INVALID', 'limits has no option "maxFields"', 'maxTargetBytes, maxQueryFields'),
    )
  })
})

const tooLarge = expect.objectContaining({ code: 'ERR_BODY_TOO_LARGE', status: 413 })

describe('checkDeclaredLength', () => {
  it.each([undefined, '0', '10', '', 'x', '-1', '5, 5', 'NaN'])(
    'lets %p through to what is really read',
    (length) => {
      expect(() => checkDeclaredLength(length, 10)).not.toThrow()
    },
  )

  it.each(['11', '1e9', '0x10', '99999999999999999999', 'Infinity'])('refuses %p', (length) => {
    expect(() => checkDeclaredLength(length, 10)).toThrow(tooLarge)
    expect(() => checkDeclaredLength(length, 10)).toThrow('The body has more than 10 bytes')
  })
})

describe('tooMany', () => {
  it.each(['fields', 'files'] as const)('says of which there are too many: %s', (what) => {
    const error = tooMany(what, 3)
    expect(error).toEqual(refusal('ERR_BODY_TOO_LARGE', `The body has more than 3 ${what}`))
    expect(error.status).toBe(413)
  })
})

describe('bounded', () => {
  function chunksOf(...sizes: number[]): { chunks: AsyncGenerator<Uint8Array>; left: () => boolean } {
    let left = false
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (const size of sizes) yield new Uint8Array(size)
      } finally {
        left = true
      }
    }
    return { chunks: chunks(), left: () => left }
  }

  it('gives the same chunks up to the limit', async () => {
    const sizes: number[] = []
    for await (const chunk of bounded(chunksOf(2, 0, 3).chunks, 5)) sizes.push(chunk.byteLength)
    expect(sizes).toEqual([2, 0, 3])
  })

  it('throws in place of the chunk that has the first byte over it, and leaves the source', async () => {
    const { chunks, left } = chunksOf(2, 3, 1, 1)
    const sizes: number[] = []
    const read = async () => {
      for await (const chunk of bounded(chunks, 5)) sizes.push(chunk.byteLength)
    }
    await expect(read()).rejects.toEqual(tooLarge)
    expect(sizes).toEqual([2, 3])
    expect(left()).toBe(true)
  })

  it('leaves its source when it is left', async () => {
    const { chunks, left } = chunksOf(1, 1)
    for await (const _ of bounded(chunks, 5)) break
    expect(left()).toBe(true)
  })
})

describe('BoundedBytes', () => {
  it('joins what was added, in order', () => {
    const bytes = new BoundedBytes(6)
    for (const chunk of [[1, 2], [], [3], [4, 5, 6]]) bytes.add(Uint8Array.from(chunk))
    expect([...bytes.join()]).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('copies nothing where there is one chunk', () => {
    const bytes = new BoundedBytes(6)
    const chunk = Uint8Array.from([1, 2])
    bytes.add(chunk)
    expect(bytes.join()).toBe(chunk)
  })

  it('is empty when nothing was added', () => {
    expect(new BoundedBytes(0).join()).toEqual(new Uint8Array(0))
  })

  it('refuses the first byte over its limit, however it comes', () => {
    const bytes = new BoundedBytes(3)
    bytes.add(new Uint8Array(3))
    bytes.add(new Uint8Array(0))
    expect(() => bytes.add(new Uint8Array(1))).toThrow(tooLarge)
    expect(() => new BoundedBytes(3).add(new Uint8Array(4))).toThrow(tooLarge)
  })
})
