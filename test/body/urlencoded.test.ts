import fc from 'fast-check'
import { parseFields, parseForm } from '../../src/body/urlencoded.js'
import { refusal } from '../support/refusal.js'
import { anyText } from '../support/any-text.js'

describe('parseFields', () => {
  it.each([
    ['', {}],
    ['a', { a: '' }],
    ['a=1&a=2&b=3&a=', { a: ['1', '2', ''], b: '3' }],
    ['a+b=%2B+%26', { 'a b': '+ &' }],
    ['%zz=%', { '%zz': '%' }],
    ['&=&', { '': '' }],
    ['?a=?', { '?a': '?' }],
    ['?a=1', { '?a': '1' }],
    ['a=?', { a: '?' }],
  ])('reads %p', (source, expected) => {
    expect({ ...parseFields(source) }).toEqual(expected)
  })

  it('has no prototype to pollute', () => {
    const fields = parseFields('__proto__=a&__proto__=b&toString=c')
    expect(Object.getPrototypeOf(fields)).toBeNull()
    expect(Object.entries(fields)).toEqual([
      ['__proto__', ['a', 'b']],
      ['toString', 'c'],
    ])
  })

  it('reads back whatever URLSearchParams writes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 8 }), (pairs) => {
        const fields = parseFields(new URLSearchParams(pairs).toString())
        for (const [name] of pairs) {
          const values = pairs.filter(([other]) => other === name).map(([, value]) => value)
          expect([fields[name]].flat()).toEqual(values)
        }
      }),
      { seed: 20_261_121 },
    )
  })

  it('never throws, whatever it reads', () => {
    fc.assert(
      fc.property(anyText(), (source) => {
        parseFields(source)
      }),
      { seed: 20_261_121 },
    )
  })
})

describe('parseForm', () => {
  it('refuses with 413 what parseFields would cut', () => {
    const fields = (count: number): string => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&')
    expect(Object.keys(parseForm(fields(1000)))).toHaveLength(1000)
    expect(() => parseForm(fields(1001))).toThrow(refusal('ERR_BODY_TOO_LARGE', 'more than 1000 fields'))
    expect(Object.keys(parseFields(fields(1001)))).toHaveLength(1000)
  })

  it('counts what stands between two &, if only nothing', () => {
    expect({ ...parseForm('&a=1', 2) }).toEqual({ a: '1' })
    expect(() => parseForm('&a=1', 1)).toThrow(expect.objectContaining({ status: 413 }))
    expect(() => parseForm('a=1&&', 2)).toThrow(expect.objectContaining({ status: 413 }))
  })
})
