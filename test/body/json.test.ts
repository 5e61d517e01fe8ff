import fc from 'fast-check'
import { parseJson } from '../../src/body/json.js'
import { times } from '../support/counts.js'

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

  it.each(['[', '{"a":', '[{"a":'])('of a million %s overflows no stack', (open) => {
    expect(() => parseJson(open.repeat(1_000_000))).toThrow('The JSON body has more than 200 levels')
  })

  it('is no matter for what is no JSON', () => {
    for (const text of ['"'.repeat(501), ']'.repeat(500), `"${'\\'.repeat(501)}`]) {
      expect(() => parseJson(text)).toThrow('The body is not valid JSON')
    }
  })
})
