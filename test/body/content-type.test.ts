import { parseContentType } from '../../src/body/content-type.js'

describe('parseContentType', () => {
  it.each([undefined, '', 'json', 'application/json x'])('makes nothing of %p, always the same', (header) => {
    expect(parseContentType(header)).toBe(parseContentType(undefined))
    expect(parseContentType(header)).toEqual({ essence: '', charset: 'utf-8', kind: 'other' })
  })

  it('makes one thing of the most common one', () => {
    expect(parseContentType('application/json')).toBe(parseContentType('application/json'))
    expect(Object.isFrozen(parseContentType('application/json'))).toBe(true)
    expect(Object.isFrozen(parseContentType(undefined))).toBe(true)
  })

  it.each([
    ['application/json', 'application/json', 'json', 'utf-8'],
    ['Application/JSON ; Charset="UTF-16LE"', 'application/json', 'json', 'utf-16le'],
    ['application/ld+json', 'application/ld+json', 'json', 'utf-8'],
    ['application/jsonp', 'application/jsonp', 'other', 'utf-8'],
    ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded', 'form', 'utf-8'],
    ['multipart/form-data; boundary=x', 'multipart/form-data', 'multipart', 'utf-8'],
    ['multipart/mixed; boundary=x', 'multipart/mixed', 'other', 'utf-8'],
    ['text/plain', 'text/plain', 'text', 'utf-8'],
    ['text/html; charset=iso-8859-1', 'text/html', 'text', 'iso-8859-1'],
    ['image/png', 'image/png', 'other', 'utf-8'],
  ])('reads %s', (header, essence, kind, charset) => {
    expect(parseContentType(header)).toEqual({ essence, kind, charset })
  })

  it.each([
    undefined,
    '',
    'json',
    '/',
    'application/',
    '/json',
    'application/json/x',
    'application/json, text/html',
    'application/json x',
    'application/json;',
    'application/json; charset',
    'text/plain\0',
  ])('takes %p for no type that is parsed as JSON by anybody who guesses', (header) => {
    const { kind } = parseContentType(header)
    // A trailing semicolon is lenient in every parser, ours included.
    expect(kind).toBe(header === 'application/json;' ? 'json' : 'other')
  })
})
