import { Text, TextTable } from '../../src/routing/text-table.js'

describe('Text', () => {
  it.each([0, 1, 11, 12, 13, 24, 25, 40])('of %i characters stands where all of them are', (length) => {
    const whole = 'abcdefghijklmnopqrstuvwxyz0123456789-_.~'.slice(0, length)
    const text = new Text(whole)
    expect(text.standsAt(whole, 0)).toBe(true)
    expect(text.standsAt(`/${whole}/x`, 1)).toBe(true)
    for (let i = 0; i < length; i++) {
      expect(text.standsAt(`/${whole.slice(0, i)}!${whole.slice(i + 1)}`, 1)).toBe(false)
      expect(text.standsAt(`/${whole.slice(0, i)}`, 1)).toBe(false)
    }
  })
})

describe('TextTable', () => {
  /** Each text is found as a whole path and in the middle of one, and nothing else is. */
  function expectToHold(texts: readonly string[], strangers: readonly string[]): void {
    const table = new TextTable(texts.map((text) => [text, text]))
    for (const text of texts) {
      expect(table.find(text, 0, text.length)).toBe(text)
      expect(table.find(`/x/${text}/y`, 3, 3 + text.length)).toBe(text)
    }
    for (const stranger of strangers) {
      expect(table.find(stranger, 0, stranger.length)).toBeUndefined()
      expect(table.find(`/${stranger}/`, 1, 1 + stranger.length)).toBeUndefined()
    }
  }

  it('holds nothing, or the empty text', () => {
    expectToHold([], ['', 'a'])
    expectToHold([''], ['a', '/'])
  })

  it('tells texts apart by length and by any character', () => {
    expectToHold(['a', 'b', 'ab', 'ba', 'abc', 'abd', ''], ['c', 'bb', 'abe', 'abcd', 'é', '\uffff\uffff'])
  })

  it('holds thousands of texts that differ here and there', () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `/api/resource-${i}/${i % 7}/edit`)
    expectToHold(texts, ['/api/resource-5000/2/edit', '/api/resource-1/2/edit', '/api/resource-1/1/edix'])
  })

  it('holds texts that no four characters tell apart', () => {
    const texts = Array.from({ length: 1024 }, (_, i) => i.toString(2).padStart(10, '0'))
    expectToHold(texts, ['0000000002', '00000000000', 'x000000000'])
  })

  it('holds texts whose characters repeat one another', () => {
    const texts = Array.from({ length: 900 }, (_, i) => `${100 + i}-${100 + i}-${100 + i}`)
    expectToHold(texts, ['100-100-101', '999-999-998'])
  })
})
