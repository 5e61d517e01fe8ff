import { BoundedBytes, checkDeclaredLength } from '../../src/body/limits.js'

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
  })
})

describe('BoundedBytes', () => {
  it('joins what was added, in order', () => {
    const bytes = new BoundedBytes(6)
    for (const chunk of [[1, 2], [], [3], [4, 5, 6]]) bytes.add(Uint8Array.from(chunk))
    expect([...bytes.join()]).toEqual([1, 2, 3, 4, 5, 6])
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
