import { Body, type BodySource } from '../../src/body/body.js'

function bodyOf(text: string, headers: Record<string, string>, limit = 100) {
  let reads = 0
  const source: BodySource = {
    header: (name) => headers[name],
    decoded: undefined,
    async readBytes() {
      reads++
      return new TextEncoder().encode(text)
    },
  }
  return { body: new Body(source, limit), reads: () => reads }
}

describe('Body', () => {
  it('reads its source once, however often and in whatever form somebody asks', async () => {
    const { body, reads } = bodyOf('{"a":1}', { 'content-type': 'application/json' })
    const [text, parsed, bytes] = await Promise.all([
      body.text(),
      body.parse(await body.bytes()),
      body.arrayBuffer(),
    ])
    expect([text, parsed, bytes.byteLength, await body.json()]).toEqual(['{"a":1}', { a: 1 }, 7, { a: 1 }])
    expect(reads()).toBe(1)
  })

  it('does not read what is declared too long', async () => {
    const { body, reads } = bodyOf('x', { 'content-type': 'text/plain', 'content-length': '101' })
    await expect(body.text()).rejects.toMatchObject({ status: 413 })
    await expect(body.arrayBuffer()).rejects.toMatchObject({ status: 413 })
    expect(reads()).toBe(0)
  })

  it.each([
    ['json', 'text/plain', {}],
    ['formData', 'application/json', {}],
    ['json', 'application/json', { 'content-encoding': 'gzip' }],
    ['formData', 'multipart/form-data; boundary=b', { 'content-encoding': 'br' }],
    ['text', 'text/plain', { 'content-encoding': 'gzip' }],
  ] as const)('refuses %s() of %s with %p by 415, unread', async (form, type, headers) => {
    const { body, reads } = bodyOf('{}', { 'content-type': type, ...headers })
    await expect(body[form]()).rejects.toMatchObject({ code: 'ERR_BODY_TYPE', status: 415 })
    expect(reads()).toBe(0)
  })

  it('names the type that it would take and the one that it was given', async () => {
    await expect(bodyOf('', { 'content-type': 'text/plain' }).body.json()).rejects.toThrow(
      'The body has to be application/json, not text/plain',
    )
    await expect(bodyOf('', {}).body.json()).rejects.toThrow(/no or a malformed Content-Type/)
  })
})
