import { gzipSync } from 'node:zlib'
import { aborted, Body, type BodySource } from '../../src/body/body.js'
import { defaultLimits, type ReadRules } from '../../src/body/limits.js'
import { refusal } from '../support/refusal.js'

type Headers = Readonly<Record<string, string>>
type Options = Partial<ReadRules> & { limit?: number; decoded?: 'bytes' | 'text' }

function bodyOf(content: string | Uint8Array, headers: Headers = {}, options: Options = {}) {
  const { limit = 100, decoded, ...rules } = options
  const asked: number[] = []
  const source: BodySource = {
    header: (name) => headers[name],
    decoded,
    async readBytes(most) {
      asked.push(most)
      return typeof content === 'string' ? new TextEncoder().encode(content) : content
    },
  }
  const body = new Body(source, limit, { limits: defaultLimits, decompress: false, ...rules })
  return { body, reads: () => asked.length, asked }
}

const json = { 'content-type': 'application/json' }
const plain = { 'content-type': 'text/plain' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const malformed = { code: 'ERR_BODY_MALFORMED', status: 400 }
const wrongType = { code: 'ERR_BODY_TYPE', status: 415 }

afterEach(() => jest.restoreAllMocks())

/** What `parse` makes of all bytes. */
const parsed = async ({ body }: { body: Body }): Promise<unknown> => body.parse(await body.bytes())

describe('Body', () => {
  it('reads its source once, however often and in whatever form somebody asks', async () => {
    const { body, reads } = bodyOf('{"a":1}', json)
    const [text, value, bytes] = await Promise.all([
      body.text(),
      body.parse(await body.bytes()),
      body.arrayBuffer(),
    ])
    expect([text, value, bytes.byteLength, await body.json()]).toEqual(['{"a":1}', { a: 1 }, 7, { a: 1 }])
    expect(reads()).toBe(1)
    expect(await body.json()).toBe(await body.json())
    expect(body.type).toBe(body.type)
  })

  it('asks for as much as its limit', async () => {
    const { body, asked } = bodyOf('x', plain, { limit: 7 })
    await body.bytes()
    expect(asked).toEqual([7])
  })

  it('has the rules of who has set none', async () => {
    const header = (name: string) => ({ ...json, 'content-encoding': 'gzip' })[name]
    const readBytes = async () => new Uint8Array(1)
    const body = new Body({ header, decoded: undefined, readBytes }, 10)
    expect(await body.bytes()).toHaveLength(1)
    await expect(body.json()).rejects.toMatchObject(wrongType)
  })

  it('does not read what is declared too long', async () => {
    const { body, reads } = bodyOf('x', { ...plain, 'content-length': '101' })
    expect(() => body.checkHead()).toThrow(refusal('ERR_BODY_TOO_LARGE', 'more than 100 bytes'))
    await expect(body.text()).rejects.toMatchObject({ status: 413 })
    await expect(body.arrayBuffer()).rejects.toMatchObject({ status: 413 })
    await expect(body.bytes()).rejects.toMatchObject({ status: 413 })
    expect(reads()).toBe(0)
  })

  it('reads what is declared as long as it may be', async () => {
    expect(await bodyOf('x', { ...plain, 'content-length': '100' }).body.text()).toBe('x')
  })

  it.each([
    ['json', 'text/plain', {}],
    ['formData', 'application/json', {}],
    ['json', 'application/json', { 'content-encoding': 'gzip' }],
    ['formData', 'multipart/form-data; boundary=b', { 'content-encoding': 'br' }],
    ['text', 'text/plain', { 'content-encoding': 'gzip' }],
  ] as const)('refuses %s() of %s with %p by 415, unread', async (read, type, headers) => {
    const { body, reads } = bodyOf('{}', { 'content-type': type, ...headers })
    await expect(body[read]()).rejects.toMatchObject(wrongType)
    expect(reads()).toBe(0)
  })

  it('names the type that it would take and the one that it was given', async () => {
    await expect(bodyOf('', plain).body.json()).rejects.toThrow(
      'The body has to be application/json, not text/plain',
    )
    await expect(bodyOf('', json).body.formData()).rejects.toThrow(
      'The body has to be multipart/form-data, not application/json',
    )
    await expect(bodyOf('', {}).body.json()).rejects.toThrow(
      'The body has to be application/json, not of no or a malformed Content-Type',
    )
  })

  it('gives an ArrayBuffer of its own, with its bytes and no others', async () => {
    const { body } = bodyOf(Buffer.from('whole').subarray(1, 3))
    const buffer = await body.arrayBuffer()
    expect(Buffer.from(buffer).toString()).toBe('ho')
    new Uint8Array(buffer)[0] = 0
    expect(await body.text()).toBe('ho')
  })
})

describe('Body.parse', () => {
  it.each<[what: string, content: string, headers: Headers, value: unknown]>([
    ['JSON', '{"a":[1]}', json, { a: [1] }],
    ['fields', 'a=1&a=2&b=', form, { a: ['1', '2'], b: '' }],
    ['text', 'a=1', plain, 'a=1'],
    ['nothing of no type', '{}', {}, undefined],
    ['nothing of JSON', '', json, undefined],
    ['nothing of a form', '', form, undefined],
    ['nothing of text', '', plain, undefined],
  ])('gives %s', async (_what, content, headers, value) => {
    const read = await parsed(bodyOf(content, headers))
    expect(typeof read === 'object' ? { ...read } : read).toEqual(value)
  })

  it('has the limits that were set', async () => {
    const limits = { ...defaultLimits, maxJsonDepth: 2, maxFormFields: 1 }
    expect(await parsed(bodyOf('[[]]', json, { limits }))).toEqual([[]])
    await expect(parsed(bodyOf('[[[]]]', json, { limits }))).rejects.toThrow('more than 2 levels')
    await expect(bodyOf('[[[]]]', json, { limits }).body.json()).rejects.toThrow('more than 2 levels')
    await expect(parsed(bodyOf('a=1&b=2', form, { limits }))).rejects.toThrow('more than 1 fields')
    await expect(bodyOf('a=1&b=2', form, { limits }).body.formData()).rejects.toThrow('more than 1 fields')
  })
})

describe('Body.formData', () => {
  it('reads multipart and urlencoded bodies', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
    const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
    expect([...(await bodyOf(part, multipart).body.formData())]).toEqual([['a', '1']])
    expect([...(await bodyOf('a=1', form).body.formData())]).toEqual([['a', '1']])
  })
})

describe('The charset of a body', () => {
  const of = (charset: string, essence = 'text/plain') => ({
    'content-type': `${essence}; charset=${charset}`,
  })

  it.each(['utf-8', 'utf8', 'UTF-8'])('may be %s, and then is checked', async (charset) => {
    expect(await bodyOf('é', of(charset)).body.text()).toBe('é')
    for (const bytes of [[0xc3], [0xff], [0xed, 0xa0, 0x80]]) {
      for (const content of [Uint8Array.from(bytes), Buffer.from(bytes)]) {
        const text = bodyOf(content, of(charset)).body.text()
        await expect(text).rejects.toMatchObject({ ...malformed, message: expect.stringMatching(/utf-?8$/) })
        await expect(text).rejects.toHaveProperty('cause.code', 'ERR_ENCODING_INVALID_ENCODED_DATA')
      }
    }
  })

  it.each([
    ['a mark of the order of bytes', '\ufeffa', 'a'],
    ['a mark in the middle', 'a\ufeff', 'a\ufeff'],
    ['the replacement character', 'a\ufffdb', 'a\ufffdb'],
    ['characters of all lengths', 'aé€😀', 'aé€😀'],
  ])('reads %s from a Buffer as from other bytes', async (_what, sent, read) => {
    expect(await bodyOf(Buffer.from(sent), plain).body.text()).toBe(read)
    expect(await bodyOf(new TextEncoder().encode(sent), plain).body.text()).toBe(read)
  })

  it.each(['utf-8', 'utf8'])(
    '%s of a Buffer is decoded by Node, which is faster, where it is well-formed',
    async (charset) => {
      const decode = jest.spyOn(TextDecoder.prototype, 'decode')
      expect(await bodyOf(Buffer.from('é'), of(charset)).body.text()).toBe('é')
      expect(decode).not.toHaveBeenCalled()
      await bodyOf(Buffer.from('\ufffd'), of(charset)).body.text()
      expect(decode).toHaveBeenCalledTimes(1)
    },
  )

  it('is decoded where there is no Buffer', async () => {
    const kept = globalThis.Buffer
    Object.assign(globalThis, { Buffer: undefined })
    try {
      expect(await bodyOf(new Uint8Array([0xc3, 0xa9]), plain).body.text()).toBe('é')
    } finally {
      globalThis.Buffer = kept
    }
  })

  it('may be another one that the platform knows', async () => {
    expect(await bodyOf(Buffer.from('é'), of('iso-8859-1')).body.text()).toBe('Ã©')
    expect(await bodyOf(Buffer.from('é', 'latin1'), of('iso-8859-1')).body.text()).toBe('é')
    expect(await bodyOf(Buffer.from('é', 'utf16le'), of('utf-16le')).body.text()).toBe('é')
    const odd = bodyOf(Uint8Array.of(0x61), of('utf-16le')).body.text()
    await expect(odd).rejects.toMatchObject({ ...malformed, message: 'The body is not valid utf-16le' })
  })

  it('is refused with 415 where the platform does not know it', async () => {
    await expect(bodyOf('x', of('klingon')).body.text()).rejects.toMatchObject({
      ...wrongType,
      message: 'The body has the charset klingon, which is not read here',
    })
  })

  it('of JSON is UTF-8 or UTF-16', async () => {
    const utf16 = Buffer.from('{"a":"é"}', 'utf16le')
    expect(await bodyOf(utf16, of('utf-16le', 'application/json')).body.json()).toEqual({ a: 'é' })
    for (const read of [parsed, ({ body }: { body: Body }) => body.json()]) {
      await expect(read(bodyOf('{}', of('iso-8859-1', 'application/json')))).rejects.toMatchObject({
        ...wrongType,
        message: 'The body has the charset iso-8859-1, which is not read here',
      })
    }
  })
})

describe('The Content-Encoding of a body', () => {
  const encoded = (coding: string) => ({ ...plain, 'content-encoding': coding })
  const gzipped = gzipSync('é'.repeat(30))

  it('is no matter where it says that there is none', async () => {
    for (const decompress of [false, true]) {
      for (const coding of ['identity', 'Identity']) {
        const { body } = bodyOf('é', encoded(coding), { decompress })
        expect(() => body.checkCoding()).not.toThrow()
        expect(await body.text()).toBe('é')
      }
    }
  })

  it('is not undone unasked', async () => {
    const { body } = bodyOf(gzipped, encoded('GZip'))
    expect(() => body.checkCoding()).toThrow(refusal('ERR_BODY_TYPE', 'Content-Encoding gzip, which'))
    await expect(body.text()).rejects.toMatchObject(wrongType)
    expect(await body.bytes()).toBe(gzipped)
  })

  it('is undone where that is asked for, within the limit of what comes out', async () => {
    const { body } = bodyOf(gzipped, encoded('GZip'), { decompress: true })
    expect(() => body.checkCoding()).not.toThrow()
    expect(await body.text()).toBe('é'.repeat(30))
    const over = bodyOf(gzipped, encoded('gzip'), { decompress: true, limit: 59 })
    await expect(over.body.text()).rejects.toMatchObject({ status: 413 })
  })

  it('leaves a body without one alone', async () => {
    expect(await bodyOf('é', plain, { decompress: true }).body.text()).toBe('é')
  })

  it('is refused with 415 where nobody here undoes it', async () => {
    const { body, reads } = bodyOf('x', encoded('zstd'), { decompress: true })
    await expect(body.text()).rejects.toMatchObject({
      ...wrongType,
      message: 'The body has the Content-Encoding zstd, which is not read here',
    })
    await expect(body.bytes()).rejects.toMatchObject(wrongType)
    expect(reads()).toBe(0)
  })

  it('leaves the bytes as they came where nothing is to be undone', async () => {
    expect(await bodyOf('x', encoded('zstd')).body.bytes()).toHaveLength(1)
  })

  it.each(['bytes', 'text'] as const)(
    'is undone already where %s are left by somebody upstream',
    async (decoded) => {
      for (const decompress of [false, true]) {
        expect(await bodyOf('é', encoded('gzip'), { decoded, decompress }).body.text()).toBe('é')
      }
    },
  )

  it('and the charset are undone already where text is left, but not where bytes are', async () => {
    const latin1 = { 'content-type': 'text/plain; charset=iso-8859-1' }
    expect(await bodyOf('é', latin1, { decoded: 'text' }).body.text()).toBe('é')
    expect(await bodyOf(Buffer.from('é', 'latin1'), latin1, { decoded: 'bytes' }).body.text()).toBe('é')
  })
})

describe('aborted', () => {
  it("is the client's affair, and keeps the cause", () => {
    const cause = new Error('reset')
    const error = aborted(cause)
    expect(error).toEqual(refusal('ERR_BODY_ABORTED', 'The client went away before the end of the body'))
    expect([error.status, error.cause]).toEqual([400, cause])
  })
})
