import { parseJson } from '../../src/body/json.js'

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

  it('does not tell the client what the parser thought', () => {
    expect(() => parseJson('{"secret":')).toThrow(/^The body is not valid JSON$/)
  })
})
