import { parseContentType } from '../../src/body/content-type.js'
import { bytesOfConsumed, decodedUpstream } from '../../src/body/raw.js'
import { parse } from 'node:querystring'

const json = parseContentType('application/json')
const form = parseContentType('application/x-www-form-urlencoded')
const none = parseContentType(undefined)
const textOf = (rawBody: unknown, body: unknown, type = none): string =>
  new TextDecoder().decode(bytesOfConsumed(rawBody, body, type))

describe('bytesOfConsumed', () => {
  it('prefers rawBody, as bytes or as text', () => {
    expect(textOf(Buffer.from('raw'), { other: 1 }, json)).toBe('raw')
    expect(textOf('raw é', { other: 1 }, json)).toBe('raw é')
    expect(textOf('', 'other')).toBe('')
  })

  it('takes a body that is text', () => {
    expect(textOf(undefined, 'text é')).toBe('text é')
    expect(textOf(undefined, '', json)).toBe('')
  })

  it('takes the part of a buffer that a view covers', () => {
    expect(textOf(undefined, Buffer.from('whole').subarray(1, 3))).toBe('ho')
    expect(textOf(new DataView(new TextEncoder().encode('whole').buffer, 1, 2), undefined)).toBe('ho')
  })

  it('writes JSON again', () => {
    expect(textOf(undefined, { a: [1, 'é'] }, json)).toBe('{"a":[1,"é"]}')
  })

  it('writes a form again, so that it is read to the same value', () => {
    const body = { a: '1', list: ['x', 'y z'], empty: '', 'odd&=': '%é' }
    expect({ ...parse(textOf(undefined, body, form)) }).toEqual(body)
  })

  it('writes what is nested in a form in brackets', () => {
    const body = {
      user: { name: 'x', tags: ['a', 'b'] },
      rows: [{ id: '1' }],
      list: [null],
      nothing: null,
      missing: undefined,
      number: 7,
      off: false,
    }
    expect(decodeURIComponent(textOf(undefined, body, form))).toBe(
      'user[name]=x&user[tags]=a&user[tags]=b&rows[][id]=1&list=&nothing=&missing=&number=7&off=false',
    )
  })

  it.each([
    ['nothing', undefined, json],
    ['null', null, json],
    ['a number', 7, json],
    [
      'an object of a type that is not written again',
      { a: 1 },
      parseContentType('multipart/form-data; boundary=b'),
    ],
    ['an object of no type', { a: 1 }, none],
  ])('is an error that names the ways out where req.body is %s', (_what, body, type) => {
    expect(() => bytesOfConsumed(undefined, body, type)).toThrow(
      expect.objectContaining({
        code: 'ERR_BODY_CONSUMED',
        status: 500,
        message: expect.stringContaining('rawBody'),
      }),
    )
  })
})

describe('The error of a body that cannot be written again', () => {
  it.each([
    [parseContentType('multipart/form-data; boundary=b'), 'written again as multipart/form-data;'],
    [none, 'written again as bytes without a Content-Type;'],
  ])('of %p says what was asked for', (type, said) => {
    expect(() => bytesOfConsumed(undefined, { a: 1 }, type)).toThrow(said)
  })
})

describe('decodedUpstream', () => {
  it.each([
    [Buffer.from('x'), { a: 1 }, 'bytes'],
    [undefined, Buffer.from('x'), 'bytes'],
    ['x', Buffer.from('x'), 'text'],
    [undefined, 'x', 'text'],
    [undefined, { a: 1 }, 'text'],
  ])('of rawBody %p and body %p is %s', (rawBody, body, expected) => {
    expect(decodedUpstream(rawBody, body)).toBe(expected)
  })
})
