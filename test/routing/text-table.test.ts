import { Text, TextTable } from '../../src/routing/text-table.js'
import { stringWorkOf } from './string-work.js'

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

  it('is compared in pieces of up to 12 characters', () => {
    for (const pieces of [
      ['abc'],
      ['abcdefghijkl'],
      ['abcdefghijkl', 'mnopqrstuvwx'],
      ['abcdefghijkl', 'm'],
    ]) {
      const text = new Text(pieces.join(''))
      expect(stringWorkOf(() => text.standsAt(`/${pieces.join('')}/x`, 1)).pieces).toEqual(pieces)
    }
  })
})

describe('TextTable', () => {
  /** Each text is found as a whole path and in the middle of one, and nothing else is. */
  function expectToHold(texts: readonly string[], strangers: readonly string[]): void {
    const table = new TextTable(texts.map((text) => [text, text]))
    const finds = (text: string, value: string | undefined) =>
      table.find(text, 0, text.length) === value && table.find(`/x/${text}/y`, 3, 3 + text.length) === value
    expect(texts.filter((text) => !finds(text, text))).toEqual([])
    expect(strangers.filter((stranger) => !finds(stranger, undefined))).toEqual([])
  }

  it('holds nothing, or the empty text', () => {
    expectToHold([], ['', 'a'])
    expectToHold([''], ['a', '/'])
  })

  it('holds nothing of a length between two others', () => {
    expectToHold(['a', 'abc'], ['', 'ab', 'abcd'])
  })

  it('holds single texts of many lengths', () => {
    const texts = Array.from({ length: 20 }, (_, i) => String.fromCharCode(0x61 + i).repeat(i + 1))
    expectToHold(texts, ['b', 'aa', 'cc'])
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
  describe('looks at few texts, whatever their number:', () => {
    const beginning = '/a-long-beginning'
    const letter = (i: number) => String.fromCharCode(0x41 + i)
    const digits = (i: number, base: number, width: number) => i.toString(base).padStart(width, '0')
    const texts = (count: number, text: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => text(i))

    /** The most and all comparisons that finding each text takes; undefined where a Map takes the piece as a whole. */
    function comparisonsOf(texts: readonly string[]): { most: number; all: number } | undefined {
      const table = new TextTable(texts.map((text) => [text, text]))
      const counts = texts.map((text) => {
        const { pieces } = stringWorkOf(() => table.find(`/x${text}/y`, 2, 2 + text.length))
        if (pieces.some((piece) => piece.length > 12)) return Infinity
        // Each comparison begins with the same piece of the path.
        return pieces.filter((piece) => piece === text.slice(0, 12)).length
      })
      const all = counts.reduce((sum, count) => sum + count)
      return all === Infinity ? undefined : { most: Math.max(...counts), all }
    }

    it.each<[name: string, texts: string[]]>([
      ['one', [beginning]],
      ['those that differ at their end', texts(30, (i) => `${beginning}${letter(i)}`)],
      ['those that differ in the middle', texts(30, (i) => `${beginning}${letter(i)}${beginning}`)],
      ['those that differ in four places', texts(2401, (i) => beginning + digits(i, 7, 4))],
      ['numbers, several times over', texts(900, (i) => `${100 + i}${beginning}${100 + i}-${100 + i}`)],
      // The sample is told apart by the two letters alone; the digit is what is left to choose.
      [
        'more than are looked at to choose',
        texts(
          2890,
          (i) => beginning + letter(i % 17) + letter(Math.floor(i / 17) % 17) + Math.floor(i / 289),
        ),
      ],
    ])('%s', (_name, all) => {
      const comparisons = comparisonsOf(all)
      expect(comparisons?.most).toBeLessThanOrEqual(4)
      // A third of the slots is taken: by chance a sixth of the texts meets another before it.
      expect((comparisons?.all ?? Infinity) / all.length).toBeLessThan(1.3)
    })

    it('at up to four, and in a Map where it would be a fifth', () => {
      // Each differs from the others in one place: four characters tell four of them, and the rest is alike.
      const differing = (count: number) =>
        texts(count, (i) => `${'-'.repeat(i)}x${'-'.repeat(count - i)}${beginning}`)
      expect(comparisonsOf(differing(8))?.most).toBe(4)
      expect(comparisonsOf(differing(9))).toBeUndefined()
    })

    it('and compares a path as a whole where the text is all of it', () => {
      const table = new TextTable([[beginning, 1]])
      expect(stringWorkOf(() => table.find(beginning, 0, beginning.length)).pieces).toEqual([])
    })

    it('and in a Map those that no four characters tell apart', () => {
      expect(comparisonsOf(texts(1024, (i) => beginning + digits(i, 2, 10)))).toBeUndefined()
    })
  })
})
