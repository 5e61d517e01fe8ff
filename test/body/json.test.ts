import fc from 'fast-check'
import { parse } from 'secure-json-parse'
import { parseJson } from '../../src/body/json.js'
import { slowRows, times } from '../support/counts.js'

describe('parseJson', () => {
  it.each([
    '{}',
    '[]',
    '{"a":{"b":[null,1.5e3,"\\u00e9"]}}',
    '{"prototype":1,"proto":2}',
    '{"constructor":"x"}',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it.each([
    '',
    'null',
    '1',
    '"x"',
    'true',
    '{',
    '{}x',
    '{"__proto__":null}',
    '{"a":{"__proto__":{}}}',
    '[{"\\u005f\\u005fproto__":1}]',
    '{"constructor":{"prototype":1}}',
  ])('refuses %s with 400', (text) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({ code: 'ERR_BODY_MALFORMED', status: 400 }),
    )
  })

  it.each(['{', '{"__proto__":null}'])('says of %s why, as the cause', (text) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }))
  })

  it('refuses each key that the library refuses, however it is spelled', () => {
    const escape = (character: string): string =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    const spelled = (key: string): fc.Arbitrary<string> =>
      fc
        .array(fc.integer({ min: 0, max: 4 }), { minLength: key.length, maxLength: key.length })
        .map((choices) => [...key].map((one, at) => (choices[at] === 0 ? escape(one) : one)).join(''))
    const plain = (key: string): fc.Arbitrary<string> =>
      fc.oneof({ weight: 3, arbitrary: fc.constant(key) }, spelled(key))
    const names = fc.oneof(...['__proto__', 'constructor', 'prototype', 'proto', 'a'].map(plain))
    const texts = fc
      .tuple(names, names, fc.constantFrom('1', 'null', '{}', '[]'), fc.constantFrom('', '\ufeff'))
      .map(([outer, inner, value, mark]) => `${mark}{"${outer}":{"${inner}":${value}}}`)
    const outcomeOf = (run: () => unknown): unknown => {
      try {
        return run()
      } catch {
        return 'refused'
      }
    }
    fc.assert(
      fc.property(texts, (text) => {
        const expected = outcomeOf(() => parse(text, { protoAction: 'error', constructorAction: 'error' }))
        expect(outcomeOf(() => parseJson(text))).toEqual(expected)
      }),
      { seed: 20_261_125, numRuns: times(300, 5_000) },
    )
  })

  it.each(['null', '1', '"x"', 'true'])('says that %s is not what a body may be', (text) => {
    expect(() => parseJson(text)).toThrow(/^The JSON body is neither an object nor an array$/)
  })

  it('does not tell the client what the parser thought', () => {
    expect(() => parseJson('{"secret":')).toThrow(/^The body is not valid JSON$/)
  })
})

describe('The depth of JSON', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

  it('is counted as somebody who walks through the value counts it, brackets in strings aside', () => {
    const strings = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', '\u2028') })
    const values = fc.anything({
      key: strings,
      values: [strings, fc.integer(), fc.boolean()],
      maxDepth: 6,
      withNullPrototype: false,
    })
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 6 }), fc.boolean(), (inner, most, spaced) => {
        fc.pre(typeof inner === 'object' && inner !== null)
        const text = JSON.stringify(inner, undefined, spaced ? 1 : undefined)
        const depth = depthOf(JSON.parse(text))
        if (depth <= most) expect(parseJson(text, most)).toEqual(JSON.parse(text))
        else expect(() => parseJson(text, most)).toThrow(`The JSON body has more than ${most} levels`)
      }),
      { seed: 20_261_121, numRuns: times(150, 2_000) },
    )
  })

  it.each(
    slowRows(2, [
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ] as const),
  )('of a million %s overflows no stack', (open, close) => {
    const [levels, inner] = [1_000_000, open === '[' ? '' : '1']
    const text = open.repeat(levels) + inner + close.repeat(levels)
    expect(() => parseJson(text)).toThrow('The JSON body has more than 200 levels')
    expect(() => parseJson(`${text} `.slice(0, -2))).toThrow('The body is not valid JSON')
  })

  it('does not count what other code has put on the prototype of all objects', () => {
    const text = JSON.stringify({ teas: Array(200).fill({ name: 'Sencha' }) })
    Object.defineProperty(Object.prototype, 'added', { value: {}, enumerable: true, configurable: true })
    try {
      expect(Object.keys(parseJson(text) as object)).toEqual(['teas'])
    } finally {
      delete (Object.prototype as { added?: object }).added
    }
  })

  it.each([
    ['[', ']'],
    ['{"":', '}'],
  ])('of %s has a limit that is exact, also in the shortest text', (open, close) => {
    const text = (levels: number): string =>
      open.repeat(levels - 1) + (open === '[' ? '[]' : '{}') + close.repeat(levels - 1)
    expect(() => parseJson(text(200))).not.toThrow()
    expect(() => parseJson(text(201))).toThrow('The JSON body has more than 200 levels')
  })

  it.each(['[[[1, "two", null, false]]]', '{"a":{"b":{"c":1,"d":"two","e":null}}}', '[{"a":[null, "two"]}]'])(
    'of %s is three: what is no object and no array is no level',
    (text) => {
      expect(parseJson(text, 3)).toEqual(JSON.parse(text))
      expect(() => parseJson(text, 2)).toThrow('The JSON body has more than 2 levels')
    },
  )

  it.each([
    ['arrays', '[', '[]', ']'],
    ['objects', '[', '{}', ']'],
  ])('of many %s beside each other is two', (_what, open, one, close) => {
    expect(parseJson(`${open}${Array(500).fill(one).join()}${close}`)).toHaveLength(500)
  })

  it('of half arrays and half objects counts both', () => {
    const text = (levels: number): string => '[{"a":'.repeat(levels) + '1' + '}]'.repeat(levels)
    expect(parseJson(text(100))).toHaveLength(1)
    expect(() => parseJson(text(101))).toThrow('The JSON body has more than 200 levels')
  })

  it('is no matter for what is no JSON', () => {
    for (const text of ['"'.repeat(501), ']'.repeat(500), `"${'\\'.repeat(501)}`]) {
      expect(() => parseJson(text)).toThrow('The body is not valid JSON')
    }
  })
})
