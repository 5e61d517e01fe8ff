import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import express from 'express'
import { Controller, type RequestLimits, RouteControllers } from 'routecontrollers'
import { describeServings, type SendOptions } from '../support/describe-servings.js'

const echo = new Controller('POST', '/echo', (req, res) => res.json({ body: req.body }))
const query = new Controller('GET', '/query', (req, res) => res.json(Object.keys(req.query).length))
const upload = new Controller('POST', '/upload', async (req, res) =>
  res.json([...(await req.formData())].length),
)
const read = new Controller('POST', '/read', async (req, res) =>
  res.json({ text: await req.text(), raw: req.rawBody?.byteLength ?? null }),
)
const bytes = new Controller('POST', '/bytes', async (req, res) =>
  res.json((await req.arrayBuffer()).byteLength),
)
const all = [echo, query, upload, read, bytes]

const json = (text: string): SendOptions => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: text,
})
const form = (text: string): SendOptions => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: text,
})
const parts = (...names: string[]): SendOptions => ({
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `${names.map((name) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\nx\r\n`).join('')}--b--\r\n`,
})
const deep = (levels: number): string => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2)

describeServings('A request target', (serving) => {
  it('is answered up to maxTargetBytes, and with 414 one byte over it', async () => {
    const { send } = await serving.serve(all, { limits: { maxTargetBytes: 20 } })
    // `/query?` has seven.
    expect((await send(`/query?${'a'.repeat(13)}`)).status).toBe(200)
    const over = await send(`/query?${'a'.repeat(14)}`)
    expect([over.status, over.text]).toEqual([414, 'The request target has more than 20 bytes'])
  })

  it('goes on untouched, whatever its length, where somebody else answers it', async () => {
    const { send } = await serving.serve(all, {
      limits: { maxTargetBytes: 4 },
      downstream: (app) => app.get('/elsewhere', (_req, res) => res.send('theirs')),
    })
    expect((await send('/elsewhere')).text).toBe(
      serving.misses === 'host' ? 'theirs' : 'The request target has more than 4 bytes',
    )
  })

  it('is what hooks have made of it: too long before, or too long from then on', async () => {
    const { send } = await serving.serve(all, {
      limits: { maxTargetBytes: 20 },
      setup: (routeControllers) =>
        routeControllers.addGlobal((req, _res, next) => {
          req.url = req.url!.length > 20 ? '/query?a' : `/query?${'a'.repeat(20)}`
          next()
        }),
    })
    expect((await send(`/query?${'a'.repeat(30)}`)).status).toBe(200)
    expect((await send('/query')).status).toBe(414)
  })

  it('of 15 000 bytes is taken unless somebody says otherwise', async () => {
    const { send } = await serving.serve(all)
    expect((await send(`/query?${'a'.repeat(15_000)}`)).status).toBe(200)
  })
})

describeServings('Counts', (serving) => {
  it('cut a query at maxQueryFields', async () => {
    const { send } = await serving.serve(all, { limits: { maxQueryFields: 2 } })
    expect([(await send('/query?a&b')).json(), (await send('/query?a&b&c&d')).json()]).toEqual([2, 2])
  })

  it('refuse a form over maxFormFields with 413', async () => {
    const { send } = await serving.serve(all, { limits: { maxFormFields: 2 } })
    expect((await send('/echo', form('a=1&b=2'))).json()).toEqual({ body: { a: '1', b: '2' } })
    const over = await send('/echo', form('a=1&b=2&c'))
    expect([over.status, serving.errors === 'us' && over.text]).toEqual([
      413,
      serving.errors === 'us' && 'The body has more than 2 fields',
    ])
    expect((await send('/upload', form('a=1&b=2&c'))).status).toBe(413)
  })

  it('refuse a multipart body over maxFormFields or maxFormFiles with 413', async () => {
    const { send } = await serving.serve(all, { limits: { maxFormFields: 2, maxFormFiles: 1 } })
    const file = 'name="f"; filename="f.txt"'
    expect((await send('/upload', parts('name="a"', 'name="b"', file))).json()).toBe(3)
    expect((await send('/upload', parts('name="a"', 'name="b"', 'name="c"'))).status).toBe(413)
    expect((await send('/upload', parts(file, file))).status).toBe(413)
  })

  it('refuse JSON over maxJsonDepth with 400, 200 levels unless somebody says otherwise', async () => {
    const { send } = await serving.serve(all)
    expect((await send('/echo', json(deep(200)))).json()).toEqual({ body: JSON.parse(deep(200)) })
    expect((await send('/echo', json(deep(202)))).status).toBe(400)
    const lifted = await serving.serve(all, { limits: { maxJsonDepth: Infinity } })
    expect((await lifted.send('/echo', json(deep(202)))).status).toBe(200)
  })
})

describe('A limit', () => {
  const names: (keyof RequestLimits)[] = [
    'maxTargetBytes',
    'maxQueryFields',
    'maxJsonDepth',
    'maxFormFields',
    'maxFormFiles',
  ]
  it.each(names.flatMap((name) => [NaN, '10 apples', -1, 1.5, null].map((value) => [name, value] as const)))(
    '%s of %p is refused when RouteControllers is made',
    (name, value) => {
      expect(() => new RouteControllers([], { limits: { [name]: value } })).toThrow(
        expect.objectContaining({
          code: 'ERR_OPTION_INVALID',
          message: expect.stringMatching(RegExp(`^limits\\.${name} is .*: a whole number from [01] on`)),
        }),
      )
    },
  )

  it('of no byte for a target is refused: every request has one', () => {
    expect(() => new RouteControllers([], { limits: { maxTargetBytes: 0 } })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: expect.stringMatching(/from 1 on, not 0/),
      }),
    )
  })

  it('of another name is refused with the names that there are', () => {
    expect(() => new RouteControllers([], { limits: { maxDepth: 1 } as RequestLimits })).toThrow(
      `limits has no option "maxDepth"; it has ${['maxTargetBytes', 'maxQueryFields', 'maxJsonDepth', 'maxFormFields', 'maxFormFiles'].join(', ')}`,
    )
  })

  it.each([1, 'yes', null])('decompress: %p is refused', (decompress) => {
    expect(() => new RouteControllers([], { decompress: decompress as unknown as boolean })).toThrow(
      'decompress is true or false',
    )
  })
})

const codings = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const

describeServings('A compressed body', (serving) => {
  const compressed = (coding: string, body: Buffer, type = 'application/json'): SendOptions => ({
    method: 'POST',
    headers: { 'content-type': type, 'content-encoding': coding },
    body,
  })

  it.each(codings)(
    'in %s is 415 unless it is asked for, and then read in every form',
    async (coding, pack) => {
      const body = pack(Buffer.from('{"a":1}'))
      const { send } = await serving.serve(all)
      expect((await send('/echo', compressed(coding, body))).status).toBe(415)
      const asked = await serving.serve(all, { decompress: true })
      expect((await asked.send('/echo', compressed(coding, body))).json()).toEqual({ body: { a: 1 } })
      expect((await asked.send('/read', compressed(coding, body))).json()).toEqual({
        text: '{"a":1}',
        raw: 7,
      })
      expect((await asked.send('/bytes', compressed(coding, body, 'application/x-any'))).json()).toBe(7)
    },
  )

  it.each(codings)('in %s has its limit after decompression, exact to the byte', async (coding, pack) => {
    const { send } = await serving.serve(all, { decompress: true, bodyLimit: 100_000 })
    const padded = (length: number): Buffer => pack(Buffer.from(JSON.stringify(['a'.repeat(length - 4)])))
    expect((await send('/bytes', compressed(coding, padded(100_000)))).json()).toBe(100_000)
    expect((await send('/bytes', compressed(coding, padded(100_001)))).status).toBe(413)
  })

  it('that would grow to gigabytes is 413', async () => {
    const { send } = await serving.serve(all, { decompress: true })
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    expect((await send('/bytes', compressed('gzip', bomb))).status).toBe(413)
  })

  it('is 413 also where no byte at all is allowed', async () => {
    const { send } = await serving.serve(all, { decompress: true, bodyLimit: 0 })
    expect((await send('/bytes', compressed('gzip', gzipSync('a')))).status).toBe(413)
  })

  it.each(['gzip, gzip', 'gzip,br', 'zstd', 'compress'])('in %p is 415 all the same', async (coding) => {
    const { send } = await serving.serve(all, { decompress: true })
    const body = gzipSync(gzipSync('{}'))
    expect((await send('/echo', compressed(coding, body))).status).toBe(415)
    expect((await send('/bytes', compressed(coding, body, 'application/x-any'))).status).toBe(415)
  })

  it.each(['gzip', 'deflate', 'br'])('that is not %s, or not all of it, is 400', async (coding) => {
    const { send } = await serving.serve(all, { decompress: true })
    expect((await send('/echo', compressed(coding, Buffer.from('{"a":1}')))).status).toBe(400)
    const pack = codings.find(([name]) => name === coding)![1]
    const whole = pack(Buffer.from('{"a":"bcdefghijklmnopqrstuvwxyz"}'))
    expect((await send('/echo', compressed(coding, whole.subarray(0, -9)))).status).toBe(400)
  })

  it('without a byte is no body', async () => {
    const { send } = await serving.serve(all, { decompress: true })
    expect((await send('/echo', { ...compressed('gzip', Buffer.alloc(0)), chunked: true })).json()).toEqual(
      {},
    )
  })
})

describeServings(
  'A compressed body that was decompressed upstream',
  (serving) => {
    it('is not decompressed again', async () => {
      const { send } = await serving.serve(all, {
        decompress: true,
        upstream: (app) => app.use(express.json()),
      })
      const answer = await send('/read', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: gzipSync('{"a":1}'),
      })
      expect(answer.json()).toEqual({ text: '{"a":1}', raw: null })
    })
  },
  ({ name }) => name.startsWith('inside'),
)
