import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import express5, {
  type NextFunction,
  type Request as ExpressRequest,
  type Response as ExpressResponse,
} from 'express'
import express4 from 'express4'
import { Controller, group, type ControllerOptions, type RouteRequest } from 'routecontrollers'
import { sendRaw } from '../support/client.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import {
  describeServings,
  type Received,
  type SendOptions,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'

type Read = (req: RouteRequest) => unknown

const form = 'application/x-www-form-urlencoded'
const bytes = 'application/octet-stream'

/** Posts a body to a callback that answers with what `read` finds in it. */
async function post(
  { serve }: Serving,
  type: string | undefined,
  body: string | Buffer,
  {
    read = (req) => req.body,
    controller,
    serveOptions,
    headers,
    ...options
  }: SendOptions & { read?: Read; controller?: ControllerOptions; serveOptions?: ServeOptions } = {},
): Promise<Received> {
  const { send } = await serve(
    [
      new Controller(
        'POST',
        '/',
        async (req, res) => res.json({ read: (await read(req)) ?? 'nothing' }),
        controller,
      ),
    ],
    serveOptions,
  )
  return send('/', {
    method: 'POST',
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
    // As bytes: a web Request gives a string a Content-Type of its own.
    body: Buffer.from(body),
    ...options,
  })
}

/** What was read, or the status that it was refused with. */
const outcome = (answer: Received): unknown => (answer.status === 200 ? answer.json().read : answer.status)

describeServings('req.body of JSON', (serving) => {
  it.each([
    ['application/json', '{"a":[1,"é",null]}', { a: [1, 'é', null] }],
    ['application/json; charset=utf-8', '["é"]', ['é']],
    ['application/json;charset="UTF-8"', '["é"]', ['é']],
    ['APPLICATION/JSON', '{}', {}],
    ['application/problem+json', '{"title":"x"}', { title: 'x' }],
    ['application/json', ' \r\n[ ]\t', []],
    ['application/json', '{"a":1,"a":2}', { a: 2 }],
  ])('of type %s is parsed: %s', async (type, body, expected) => {
    expect(outcome(await post(serving, type, body))).toEqual(expected)
  })

  it.each([
    ['what ends too early', '{"a":'],
    ['what goes on after its end', '{} {}'],
    ['a trailing comma', '[1,]'],
    ['a single quote', "{'a':1}"],
    ['nothing but space', ' '],
    ['a number at the top', '1'],
    ['a string at the top', '"a"'],
    ['null at the top', 'null'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__ further down', '{"a":[{"__proto__":1}]}'],
    ['__proto__ with an escape', '{"\\u005f_proto__":{"admin":true}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"admin":true}}}'],
    ['bytes that are no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
  ])('is refused with 400 for %s', async (_what, body) => {
    const answer = await post(serving, 'application/json', body)
    expect(answer.status).toBe(400)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

describeServings('req.body of a form', (serving) => {
  it('is read like a query: repeated names, plus, escapes', async () => {
    const answer = await post(serving, form, 'a=1&b=x+y%26z&a=2&c&d=%zz&e=%C3%A9')
    expect(outcome(answer)).toEqual({ a: ['1', '2'], b: 'x y&z', c: '', d: '%zz', e: 'é' })
  })

  it('has no prototype, and __proto__ is a name like others', async () => {
    const read: Read = ({ body }) => [Object.getPrototypeOf(body) === null, Object.entries(body as object)]
    expect(outcome(await post(serving, form, '__proto__=a&__proto__=b', { read }))).toEqual([
      true,
      [['__proto__', ['a', 'b']]],
    ])
  })

  it('has 1000 fields at most, and is refused with 413 rather than cut', async () => {
    const fields = (count: number): string => Array(count).fill('a=1').join('&')
    const read: Read = ({ body }) => (body as { a: string[] }).a.length
    expect(outcome(await post(serving, form, fields(1000), { read }))).toBe(1000)
    expect((await post(serving, form, fields(1001), { read })).status).toBe(413)
  })
})

describeServings('req.body of text', (serving) => {
  it.each([
    ['text/plain', Buffer.from('é'), 'é'],
    ['text/html; charset=utf-8', Buffer.from('<p>é'), '<p>é'],
    ['text/csv; charset=iso-8859-1', Buffer.from('é', 'latin1'), 'é'],
    ['text/plain; charset=utf-16le', Buffer.from('é', 'utf16le'), 'é'],
  ])('of type %s is a string', async (type, body, expected) => {
    expect(outcome(await post(serving, type, body))).toBe(expected)
  })

  it('is refused with 400 for bytes that the charset does not have', async () => {
    expect((await post(serving, 'text/plain', Buffer.from([0xc3]))).status).toBe(400)
  })

  it('is refused with 415 for a charset that is not known', async () => {
    expect((await post(serving, 'text/plain; charset=klingon', 'x')).status).toBe(415)
  })
})

describeServings('req.formData() of a multipart body', (serving) => {
  const multipart = 'multipart/form-data; boundary=b'
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const read: Read = async (req) => [
    req.body ?? 'not parsed',
    await Promise.all(
      [...(await req.formData())].map(async ([name, value]) =>
        typeof value === 'string' ? [name, value] : [name, value.name, value.type, await value.text()],
      ),
    ),
  ]

  it('has fields and files, and req.body stays undefined', async () => {
    const file =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nin it\r\n'
    const answer = await post(serving, multipart, `${field('name', 'é')}${file}--b--\r\n`, { read })
    expect(outcome(answer)).toEqual([
      'not parsed',
      [
        ['name', 'é'],
        ['file', 'a.txt', 'text/plain', 'in it'],
      ],
    ])
  })

  it.each([
    ['without its end', multipart, field('a', '1')],
    ['of nothing', multipart, 'no part at all'],
    ['without a boundary', 'multipart/form-data', `${field('a', '1')}--b--\r\n`],
  ])('is refused with 400 %s', async (_what, type, body) => {
    expect((await post(serving, type, body, { read })).status).toBe(400)
  })

  it('is refused with 413 for more than 1000 parts', async () => {
    const body = (count: number): string => `${field('a', '').repeat(count)}--b--\r\n`
    const count: Read = async (req) => [...(await req.formData())].length
    expect(outcome(await post(serving, multipart, body(1000), { read: count }))).toBe(1000)
    expect((await post(serving, multipart, body(1001), { read: count })).status).toBe(413)
  })

  it('is refused with 413 over the limit', async () => {
    const body = `${field('a', '1')}--b--\r\n`
    const options = { read, chunked: true }
    expect(
      (await post(serving, multipart, body, { ...options, controller: { bodyLimit: body.length } })).status,
    ).toBe(200)
    expect(
      (await post(serving, multipart, body, { ...options, controller: { bodyLimit: body.length - 1 } }))
        .status,
    ).toBe(413)
  })
})

describeServings('req.body of any other type', (serving) => {
  it.each([bytes, 'image/png', 'application/xml', undefined, 'nonsense', 'application/json; charset', '/'])(
    'is not parsed: %s',
    async (type) => {
      const read: Read = async (req) => [req.body ?? 'not parsed', await req.text()]
      expect(outcome(await post(serving, type, '{"a":1}', { read }))).toEqual(['not parsed', '{"a":1}'])
    },
  )
})

describeServingsAndHttp2('a request without a body whose end a hook has read', (serving) => {
  it.each([
    ['GET', []],
    ['DELETE', []],
    ['POST', []],
    // It sets an empty object as the body.
    ['GET', [express4.json()]],
  ] as const)('%s gives an empty body to who asks', async (method, parsers) => {
    const read = async (req: RouteRequest) => [await req.text(), (await req.arrayBuffer()).byteLength]
    const { send } = await serving.serve([new Controller(method, '/', read)], {
      setup(routeControllers) {
        for (const parser of parsers) routeControllers.addGlobal(parser)
        routeControllers.addGlobal((req, _res, next) => void req.resume().on('end', () => next()))
      },
    })
    expect((await send('/', { method })).json()).toEqual(['', 0])
  })
})

describeServings('an empty body', (serving) => {
  it.each(['application/json', form, 'text/plain', bytes])('of type %s is no body', async (type) => {
    for (const chunked of [false, true]) {
      expect(outcome(await post(serving, type, '', { chunked }))).toBe('nothing')
    }
  })

  it('is refused with 400 when the callback asks for JSON', async () => {
    expect((await post(serving, 'application/json', '', { read: (req) => req.json() })).status).toBe(400)
  })
})

describeServings('bodyLimit', (serving) => {
  const texts = { 'one byte each': 'abcdefgh', 'two bytes each': 'éééé', 'four bytes each': '😀😀' }
  const limit = 8
  const read: Read = async (req) => [req.body ?? null, await req.text()]

  describe.each(Object.entries(texts))('of 8 bytes, characters of %s', (_size, text) => {
    it.each([
      ['text/plain', false],
      ['text/plain', true],
      [bytes, false],
      [bytes, true],
    ])('takes a body of 8 and refuses one of 9 with 413 (%s, chunked: %s)', async (type, chunked) => {
      const options = { read, chunked, controller: { bodyLimit: limit } }
      const parsed = type === bytes ? null : text
      expect(outcome(await post(serving, type, text, options))).toEqual([parsed, text])
      expect((await post(serving, type, `${text}!`, options)).status).toBe(413)
    })
  })

  it('is 1 MiB unless it is given', async () => {
    const size = 1024 * 1024
    const length: Read = ({ body }) => (body as string).length
    expect(outcome(await post(serving, 'text/plain', Buffer.alloc(size, 97), { read: length }))).toBe(size)
    expect((await post(serving, 'text/plain', Buffer.alloc(size + 1, 97), { read: length })).status).toBe(413)
  })

  it('of a controller counts in place of the one of RouteControllers, both ways', async () => {
    const status = async (bodyLimit: number, own: number): Promise<number> =>
      (
        await post(serving, 'text/plain', '12345', {
          serveOptions: { bodyLimit },
          controller: { bodyLimit: own },
        })
      ).status
    expect(await status(1, 5)).toBe(200)
    expect(await status(5, 1)).toBe(413)
  })

  it('of a controller also counts for hooks that read the body before', async () => {
    const hooked = (bodyLimit: number): Promise<Received> =>
      post(serving, 'text/plain', '12345', {
        controller: { bodyLimit },
        serveOptions: {
          bodyLimit: 3,
          setup: (routeControllers) =>
            void routeControllers.addGlobal(async (req, _res, next) => {
              await (req as unknown as RouteRequest).text()
              next()
            }),
        },
      })
    expect(outcome(await hooked(5))).toBe('12345')
    expect((await hooked(4)).status).toBe(413)
  })

  it('of 0 takes no body at all, and lets a request without one through', async () => {
    const options = { controller: { bodyLimit: 0 } }
    expect((await post(serving, 'text/plain', '', options)).status).toBe(200)
    expect((await post(serving, 'text/plain', '1', options)).status).toBe(413)
  })

  it('does not let the callback run when it is exceeded', async () => {
    let ran = false
    await post(serving, 'text/plain', '123', { controller: { bodyLimit: 2 }, read: () => (ran = true) })
    expect(ran).toBe(false)
  })
})

describeServings(
  'a body over its limit, on a socket',
  ({ serve }) => {
    const echo = async (): Promise<number> => {
      const { port } = await serve(
        [
          new Controller('POST', '/', (req) => req.text()),
          new Controller('POST', '/stream', (req) => req.text(), { body: 'stream' }),
        ],
        {
          bodyLimit: 10,
          // Express's own error page waits for the whole request.
          downstream: (app) =>
            void app.use(
              (
                error: { status: number },
                _req: ExpressRequest,
                res: ExpressResponse,
                _next: NextFunction,
              ) => {
                res.sendStatus(error.status)
              },
            ),
        },
      )
      return port!
    }
    const answered = (text: string): boolean => text.includes('\r\n\r\n')

    it.each([
      ['/', 'application/json'],
      ['/', bytes],
      ['/stream', 'application/json'],
    ])('is refused by its declared length, without being sent (%s, %s)', async (path, type) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: test\r\nContent-Type: ${type}\r\nContent-Length: 11\r\n\r\n`
      expect(await sendRaw(await echo(), head, answered)).toMatch(/^HTTP\/1\.1 413 /)
    })

    it('is refused at the first byte too many, however much would follow', async () => {
      const head =
        'POST / HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n'
      expect(await sendRaw(await echo(), `${head}b\r\n12345678901\r\n`, answered)).toMatch(/^HTTP\/1\.1 413 /)
    })

    it('leaves the connection fit for the next request', async () => {
      const refused =
        'POST / HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nContent-Length: 300000\r\n\r\n' +
        'x'.repeat(300_000)
      const next =
        'POST / HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnext'
      const text = await sendRaw(await echo(), refused + next)
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    })
  },
  ({ onNode }) => onNode,
)

describeServings(
  'a body over its limit, in a Request',
  ({ serve }) => {
    const endless = (): {
      stream: ReadableStream<Uint8Array>
      pulled: () => number
      cancelled: () => boolean
    } => {
      let pulled = 0
      let cancelled = false
      const stream = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            pulled++
            controller.enqueue(new Uint8Array(4))
          },
          cancel: () => void (cancelled = true),
        },
        { highWaterMark: 0 },
      )
      return { stream, pulled: () => pulled, cancelled: () => cancelled }
    }
    const status = async (body: ReadableStream, headers: Record<string, string>): Promise<number> => {
      const { routeControllers } = await serve([new Controller('POST', '/', (req) => req.text())], {
        bodyLimit: 10,
      })
      const init = { method: 'POST', body, headers, duplex: 'half' as const }
      return (await routeControllers.getCallback()(new Request('http://test/', init))).status
    }

    it('is refused by its declared length, without being read', async () => {
      const { stream, pulled } = endless()
      expect(await status(stream, { 'content-type': 'text/plain', 'content-length': '11' })).toBe(413)
      expect(pulled()).toBe(0)
    })

    it('is cancelled at the first byte too many', async () => {
      const { stream, pulled, cancelled } = endless()
      expect(await status(stream, { 'content-type': 'text/plain' })).toBe(413)
      expect([pulled(), cancelled()]).toEqual([3, true])
    })
  },
  ({ onNode }) => !onNode,
)

describeServings('Content-Encoding', (serving) => {
  const packed = gzipSync('{"a":1}')

  it.each(['application/json', 'application/json; charset=utf-8', form, 'text/plain'])(
    'of a body of type %s is refused with 415',
    async (type) => {
      expect((await post(serving, type, packed, { headers: { 'content-encoding': 'gzip' } })).status).toBe(
        415,
      )
    },
  )

  it('of no body at all is none', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '0' }
    expect(outcome(await post(serving, 'application/json', '', { headers }))).toBe('nothing')
  })

  it.each(['Identity', ''])('"%s" is none', async (coding) => {
    const headers = { 'content-encoding': coding }
    expect(outcome(await post(serving, 'application/json', '{"a":1}', { headers }))).toEqual({ a: 1 })
  })

  it('of a type that nobody parses is left to the callback: its bytes, but no text', async () => {
    const options = { headers: { 'content-encoding': 'gzip' } }
    const length: Read = async (req) => (await req.arrayBuffer()).byteLength
    expect(outcome(await post(serving, bytes, packed, { ...options, read: length }))).toBe(packed.length)
    expect((await post(serving, bytes, packed, { ...options, read: (req) => req.text() })).status).toBe(415)
  })
})

describeServings("body: 'stream'", (serving) => {
  const controller = { body: 'stream', bodyLimit: 8 } as const

  it('leaves a body of any type unread, whatever it is', async () => {
    const read: Read = async (req) => {
      const before = [req.body ?? null, req.rawBody ?? null]
      let text = ''
      for await (const chunk of req) text += Buffer.from(chunk).toString()
      return [before, text]
    }
    const answer = await post(serving, 'application/json', '{"no', { controller, read })
    expect(outcome(answer)).toEqual([[null, null], '{"no'])
  })

  it.each(['', 'text'])('gives a body that was read before once more, in one piece: %j', async (body) => {
    const read: Read = async (req) => {
      await req.text()
      const pieces: string[] = []
      for await (const chunk of req) pieces.push(Buffer.from(chunk).toString())
      return pieces
    }
    const answer = await post(serving, bytes, body, { controller, read })
    expect(outcome(answer)).toEqual(body === '' ? [] : [body])
  })

  it('does not hold what the callback reads itself to the limit', async () => {
    const read: Read = async (req) => {
      let size = 0
      for await (const chunk of req) size += chunk.byteLength
      return size
    }
    expect(outcome(await post(serving, bytes, Buffer.alloc(100_000), { controller, read }))).toBe(100_000)
  })

  it('lets the callback ask for a form of it, within the limit', async () => {
    const read: Read = (req) => req.json()
    expect(outcome(await post(serving, 'application/json', '{"a":1}', { controller, read }))).toEqual({
      a: 1,
    })
    expect((await post(serving, 'application/json', '{"a":  1}', { controller, read })).status).toBe(413)
  })

  it('may be left unread', async () => {
    const read: Read = () => 'not read'
    expect(outcome(await post(serving, bytes, Buffer.alloc(300_000), { controller, read }))).toBe('not read')
  })
})

describeServings('a body', (serving) => {
  it('is parsed before the first middleware', async () => {
    const controller = group('', (req) => ({ seen: [req.body] })).post('/', (req) => req.seen)
    const { send } = await serving.serve([controller])
    const headers = { 'content-type': 'application/json' }
    expect((await send('/', { method: 'POST', headers, body: '{"a":1}' })).json()).toEqual([{ a: 1 }])
  })

  it('is parsed also when a hook has read it by req.text() before', async () => {
    const answer = await post(serving, 'application/json', '{"a":1}', {
      read: async (req) => [req.body, Buffer.from(req.rawBody!).toString(), await req.json()],
      serveOptions: {
        setup: (routeControllers) =>
          void routeControllers.addGlobal(async (req, _res, next) => {
            await (req as unknown as RouteRequest).text()
            next()
          }),
      },
    })
    expect(outcome(answer)).toEqual([{ a: 1 }, '{"a":1}', { a: 1 }])
  })

  it('whose client goes away before its end does not reach the callback', async () => {
    let ran = false
    let notice: () => void
    const gone = new Promise<void>((resolve) => (notice = resolve))
    const served = await serving.serve(
      [new Controller('POST', '/', () => (ran = true) && 'x'), new Controller('GET', '/', () => 'alive')],
      { upstream: (app) => void app.use((req, _res, next) => (req.once('close', notice), next())) },
    )
    if (served.port === undefined) {
      const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
      const init = {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body,
        duplex: 'half' as const,
      }
      expect((await served.routeControllers.getCallback()(new Request('http://test/', init))).status).toBe(
        400,
      )
    } else {
      const half = 'POST / HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nab'
      const socket = connect(served.port, '127.0.0.1')
      await new Promise<void>((resolve) => socket.write(half, () => resolve()))
      socket.resetAndDestroy()
      if (serving.errors === 'host') await gone
    }
    expect((await served.send('/')).text).toBe('alive')
    expect([ran, served.logged]).toEqual([false, []])
  })
})

describeServings(
  'a body that Express has read before',
  (serving) => {
    const express = serving.name.endsWith('4') ? express4 : express5
    type Verified = { verify?: (req: object, res: object, buffer: Buffer) => void }
    const parsers = {
      json: (options: Verified) => express.json(options),
      urlencoded: (options: Verified) => express.urlencoded({ extended: true, ...options }),
      text: (options: Verified) => express.text(options),
      raw: (options: Verified) => express.raw(options),
    }
    const keeping = {
      verify: (req: object, _res: object, buffer: Buffer) => void Object.assign(req, { rawBody: buffer }),
    }
    const asText = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value)
    const read: Read = async (req) => [asText(req.body), await req.text(), await req.text()]

    const rows = [
      ['json', 'application/json', '{ "a": 1.0 }', { a: 1 }, '{"a":1}'],
      ['urlencoded', form, 'a=1&b[c]=x+y', { a: '1', b: { c: 'x y' } }, 'a=1&b%5Bc%5D=x+y'],
      ['text', 'text/plain', 'as it is é', 'as it is é', 'as it is é'],
      ['raw', bytes, 'as it is é', 'as it is é', 'as it is é'],
    ] as const

    it.each(rows)(
      'by express.%s() is written again for whoever asks',
      async (parser, type, body, parsed, again) => {
        const upstream: ServeOptions['upstream'] = (app) => void app.use(parsers[parser]({}))
        expect(outcome(await post(serving, type, body, { read, serveOptions: { upstream } }))).toEqual([
          parsed,
          again,
          again,
        ])
      },
    )

    it.each(rows)(
      'by express.%s() with rawBody is there byte for byte',
      async (parser, type, body, parsed) => {
        const upstream: ServeOptions['upstream'] = (app) => void app.use(parsers[parser](keeping))
        expect(outcome(await post(serving, type, body, { read, serveOptions: { upstream } }))).toEqual([
          parsed,
          body,
          body,
        ])
      },
    )

    it('is there in each form', async () => {
      const upstream: ServeOptions['upstream'] = (app) =>
        void app.use(express.json(), express.urlencoded({ extended: false }))
      const json: Read = async (req) => [await req.json(), (await req.arrayBuffer()).byteLength]
      expect(
        outcome(await post(serving, 'application/json', '[1]', { read: json, serveOptions: { upstream } })),
      ).toEqual([[1], 3])
      const fields: Read = async (req) => [...(await req.formData())]
      expect(
        outcome(await post(serving, form, 'a=1&a=2&b=', { read: fields, serveOptions: { upstream } })),
      ).toEqual([
        ['a', '1'],
        ['a', '2'],
        ['b', ''],
      ])
    })

    it('and decoded is not decoded again', async () => {
      const upstream: ServeOptions['upstream'] = (app) => void app.use(express.json(), express.text())
      const packed = gzipSync('{"a":"é"}')
      const unpacked = await post(serving, 'application/json', packed, {
        read: async (req) => [req.body, await req.json()],
        headers: { 'content-encoding': 'gzip' },
        serveOptions: { upstream },
      })
      expect(outcome(unpacked)).toEqual([{ a: 'é' }, { a: 'é' }])
      const latin1 = await post(serving, 'text/plain; charset=iso-8859-1', Buffer.from('é', 'latin1'), {
        read,
        serveOptions: { upstream },
      })
      expect(outcome(latin1)).toEqual(['é', 'é', 'é'])
    })

    it('of another type than the reader takes is parsed here', async () => {
      const upstream: ServeOptions['upstream'] = (app) => void app.use(express.json())
      expect(outcome(await post(serving, form, 'a=1', { serveOptions: { upstream } }))).toEqual({ a: '1' })
    })

    it('and of which nothing is left is an error for whoever asks for it, and for nobody else', async () => {
      const upstream: ServeOptions['upstream'] = (app) =>
        void app.use((req, _res, next) => void req.resume().on('end', () => next()))
      const options = { serveOptions: { upstream } }
      expect(outcome(await post(serving, 'text/plain', 'gone', { ...options, read: () => 'fine' }))).toBe(
        'fine',
      )
      const answer = await post(serving, 'text/plain', 'gone', { ...options, read: (req) => req.text() })
      expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('rawBody')])
    })
  },
  ({ errors }) => errors === 'host',
)

describeServings(
  'a Request whose body was read before',
  ({ serve }) => {
    it.each([false, true])('reaches a callback that does not need it (with a hook: %s)', async (hooked) => {
      const { routeControllers, logged } = await serve([
        new Controller('POST', '/', () => 'fine'),
        new Controller('POST', '/read', (req) => req.text()),
      ])
      if (hooked) routeControllers.addGlobal((_req, _res, next) => next())
      const used = async (path: string): Promise<Response> => {
        const request = new Request(`http://test${path}`, { method: 'POST', body: 'x' })
        await request.text()
        return routeControllers.getCallback()(request)
      }
      expect(await (await used('/')).text()).toBe('fine')
      expect((await used('/read')).status).toBe(500)
      expect(logged).toEqual([expect.stringMatching(/ERR_BODY_CONSUMED|was read|has been read/)])
    })
  },
  ({ onNode }) => !onNode,
)
