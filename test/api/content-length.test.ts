import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import methodOverride from 'method-override'
import {
  type Answer,
  type Callback,
  Controller,
  type Hook,
  type ResponseBuilder,
  RouteControllers,
  toConnect,
  toListener,
} from 'routecontrollers'
import { isWhole } from '../support/counts.js'
import { type Served, type ServeOptions, type Serving } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'
import { closeHosted, closeLater, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'
import { Source } from '../support/source.js'

type Respond = (res: ResponseBuilder) => unknown

/** Serves callbacks by their paths, for GET. */
function serveAll(
  { serve }: Serving,
  callbacks: Record<string, Respond>,
  options?: ServeOptions,
): Promise<Served> {
  const controllers = Object.entries(callbacks).map(([path, respond]) => {
    const callback: Callback = (_req, res) => respond(res) as Answer
    return new Controller('GET', path, callback)
  })
  return serve(controllers, options)
}

const hooked = (routeControllers: RouteControllers): void =>
  void routeControllers.addGlobal((_req, _res, next) => next())
const withAndWithoutHook: [string, ServeOptions][] = [
  ['', {}],
  [' with a hook', { setup: hooked }],
]

const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

/** A stream of pieces, each in a turn of its own; of bytes, as those of fetch() are. */
function slowly(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve))
      const piece = pieces.shift()
      if (piece !== undefined) return controller.enqueue(encode(piece))
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
}

async function* generate(...pieces: string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    await new Promise((resolve) => setImmediate(resolve))
    yield piece
  }
}

describeServingsAndHttp2('A Content-Length that a callback has set', (serving) => {
  describe.each(withAndWithoutHook)('on a body that is there at once%s', (_how, options) => {
    it.each<[string, Respond, string]>([
      ['too small, of a text', (res) => res.header('Content-Length', '3').text('héllo'), '6'],
      ['too large, of JSON', (res) => res.header('content-length', 99).json({ a: 1 }), '7'],
      ['that is a list', (res) => res.header('Content-Length', ['3', '5']).text('hello'), '5'],
      ['that is none', (res) => res.header('Content-Length', 'many').text('hello'), '5'],
      ['of a value that is sent', (res) => res.header('Content-Length', '3').send(Buffer.from('hello')), '5'],
      ['of nothing', (res) => res.header('Content-Length', '3').end(), '0'],
      ['of a touched answer', (res) => touch(res.text('hello'), '3'), '5'],
    ])('is replaced by the true one: %s', async (_what, respond, length) => {
      const { send } = await serveAll(serving, { '/': respond }, options)
      const { status, headers, body } = await send('/')
      expect([status, headers['content-length'], String(body.length)]).toEqual([200, length, length])
    })

    it.each<[string, Respond, string]>([
      ['a text', (res) => res.header('Content-Length', '3').text('hello'), '5'],
      ['a touched answer', (res) => touch(res.text('hello'), '3'), '5'],
      ['a Response', () => new Response('hello', { headers: { 'Content-Length': '3' } }), '5'],
    ])('is replaced for HEAD too: %s', async (_what, respond, length) => {
      const { send } = await serveAll(serving, { '/': respond }, options)
      const { headers, text } = await send('/', { method: 'HEAD' })
      expect([headers['content-length'], text]).toEqual([length, ''])
    })

    it.each([204, 205, 304])('is not sent with %d', async (status) => {
      const { send } = await serveAll(
        serving,
        {
          '/light': (res) => res.status(status).header('Content-Length', '3').end(),
          '/text': (res) => res.status(status).header('Content-Length', '3').text('abc'),
          '/native': () => new Response(null, { status, headers: { 'content-length': '3' } }),
        },
        options,
      )
      for (const path of ['/light', '/text', ...(serving.onNode ? ['/native'] : [])]) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await send(path, { method })
          expect([answer.status, answer.headers['content-length'] ?? '0', answer.text]).toEqual([
            status,
            '0',
            '',
          ])
        }
      }
    })
  })

  describe.each(withAndWithoutHook)('on a stream%s', (_how, options) => {
    const declared = (length: string | string[], ...pieces: string[]): Respond[] => [
      (res) => res.header('Content-Length', length).stream(generate(...pieces)),
      ...(serving.onNode
        ? [
            () => new Response(slowly(...pieces), { headers: { 'Content-Length': String(length) } }),
            () =>
              new Response(slowly(...pieces).pipeThrough(new TransformStream()), {
                headers: { 'Content-Length': String(length) },
              }),
          ]
        : []),
    ]

    it('is sent when it is true', async () => {
      for (const respond of declared('6', 'abc', 'dé')) {
        const { send, logged } = await serveAll(serving, { '/': respond }, options)
        const { headers, text } = await send('/')
        expect([headers['content-length'], text, logged]).toEqual(['6', 'abcdé', []])
      }
    })

    it.each([
      ['in the middle of a piece', '4', 'abcd'],
      ['between two pieces', '3', 'abc'],
      ['in the first piece', '2', 'ab'],
      ['before all', '0', ''],
    ])('ends it there, %s, and the surplus is logged', async (_where, length, expected) => {
      for (const respond of declared(length, 'abc', 'def', 'ghi')) {
        const { send, logged } = await serveAll(serving, { '/': respond }, options)
        const { headers, text } = await send('/')
        expect([headers['content-length'], text]).toEqual([length, expected])
        // It comes after all that the client waits for.
        for (let turn = 0; turn < 200 && logged.length === 0; turn++) await sleep(5)
        expect(logged).toEqual([
          expect.stringMatching(new RegExp(`^error GET /: .* more than its Content-Length of ${length}`)),
        ])
      }
    })

    it('gives up a source that has more', async () => {
      const source = new Source().give('abc', 'def')
      const respond: Respond = (res) => res.header('Content-Length', '4').stream(source.asIterable())
      const { send } = await serveAll(serving, { '/': respond }, options)
      expect((await send('/')).text).toBe('abcd')
      await source.whenCancelled
    })

    it('cuts the connection when less comes, and logs it', async () => {
      for (const respond of declared('9', 'abc')) {
        const { send, logged } = await serveAll(serving, { '/': respond }, options)
        await expect(send('/')).rejects.toThrow()
        expect(logged).toEqual([expect.stringContaining('6 bytes before its Content-Length of 9')])
      }
    })

    it.each(['many', '-1', '1e3', '5, 5', '', '0x3'])('that is %p is not sent', async (length) => {
      for (const respond of declared(length, 'abc')) {
        const { send } = await serveAll(serving, { '/': respond }, options)
        const { headers, text } = await send('/')
        expect([headers['content-length'], text]).toEqual([undefined, 'abc'])
      }
    })

    it('is not sent when there are two', async () => {
      const { send } = await serveAll(serving, { '/': declared(['3', '5'], 'abc')[0]! }, options)
      const { headers, text } = await send('/')
      expect([headers['content-length'], text]).toEqual([undefined, 'abc'])
    })

    it('is told to HEAD', async () => {
      for (const respond of declared('3', 'abc')) {
        const { send } = await serveAll(serving, { '/': respond }, options)
        const { headers, text } = await send('/', { method: 'HEAD' })
        expect([headers['content-length'], text]).toEqual(['3', ''])
      }
    })
  })
})

function touch(answer: Response, length: string): Response {
  answer.headers.set('Content-Length', length)
  return answer
}

describeServingsAndHttp2(
  'A Response whose body is there at once',
  (serving) => {
    const made: [string, () => Response][] = [
      ['a text', () => new Response('héllo!')],
      ['bytes', () => new Response(new Uint8Array(7))],
      ['JSON', () => Response.json([1, 2, 3])],
      ['an ArrayBuffer', () => new Response(new ArrayBuffer(7))],
      ['form fields', () => new Response(new URLSearchParams({ name: 'ad' }))],
      ['a clone', () => new Response('1234567').clone()],
      ['a body of another Response', () => new Response(new Response('1234567').body, { status: 201 })],
      ['a false length', () => new Response('1234567', { headers: { 'content-length': '3' } })],
    ]

    it.each(made)('of %s is sent with Content-Length, and so is its HEAD', async (_what, make) => {
      for (const [, options] of withAndWithoutHook) {
        const { send } = await serveAll(serving, { '/': make }, options)
        const got = await send('/')
        expect(got.headers).toMatchObject({ 'content-length': '7' })
        expect(got.headers['transfer-encoding']).toBeUndefined()
        expect(got.body.length).toBe(7)
        const head = await send('/', { method: 'HEAD' })
        expect([head.headers['content-length'], head.text]).toEqual(['7', ''])
      }
    })

    it('may be empty, and large', async () => {
      const big = 'x'.repeat(3_000_000)
      const { send } = await serveAll(serving, {
        '/empty': () => new Response(''),
        '/big': () => new Response(big),
      })
      expect((await send('/empty')).headers['content-length']).toBe('0')
      const { headers, text } = await send('/big')
      expect([headers['content-length'], text === big]).toEqual([String(big.length), true])
    })

    it('gets what addHeader and res add', async () => {
      const { send } = await serveAll(
        serving,
        { '/': (res) => (res.header('X-A', '1'), new Response('hello')) },
        { setup: (routeControllers) => void routeControllers.addHeader('X-B', '2') },
      )
      expect((await send('/')).headers).toMatchObject({ 'x-a': '1', 'x-b': '2', 'content-length': '5' })
    })
  },
  ({ onNode }) => onNode,
)

describeServingsAndHttp2('HEAD on a Response', (serving) => {
  it('of a text has its Content-Length', async () => {
    const { send } = await serveAll(serving, { '/': () => new Response('hello') })
    expect((await send('/', { method: 'HEAD' })).headers['content-length']).toBe('5')
  })

  it('of an endless stream of bytes cancels it', async () => {
    for (const [, options] of withAndWithoutHook) {
      let cancel = (): void => {}
      const cancelled = new Promise<void>((resolve) => (cancel = resolve))
      const source = new ReadableStream({
        type: 'bytes',
        pull: (controller) => controller.enqueue(encode('x')),
        cancel,
      })
      const { send } = await serveAll(serving, { '/': () => new Response(source) }, options)
      const { status, headers, text } = await send('/', { method: 'HEAD' })
      expect([status, headers['content-length'], text]).toEqual([200, undefined, ''])
      await cancelled
    }
  })

  it('of a silent stream of bytes answers', async () => {
    const { send } = await serveAll(serving, {
      '/': () => new Response(new ReadableStream({ type: 'bytes' })),
    })
    expect((await send('/', { method: 'HEAD' })).status).toBe(200)
  })
})

it('The head of a stream of bytes does not wait for its first piece', async () => {
  let push = (_text: string): void => {}
  const source = new ReadableStream({
    type: 'bytes',
    start(controller) {
      push = (text) => {
        controller.enqueue(encode(text))
        controller.close()
      }
    },
  })
  const { port } = await host(toListener(async () => new Response(source)))
  const client = await openRaw(port)
  const head = await client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n').until('\r\n\r\n')
  expect(head).toMatch(/transfer-encoding: chunked\r\n\r\n$/i)
  push('at last')
  await client.until('at last')
  await closeHosted()
})

describeServingsAndHttp2('A method that a hook has replaced', (serving) => {
  const override: Hook = (req, _res, next) => {
    req.method = req.headers['x-method'] as string
    next()
  }
  const setup = (routeControllers: RouteControllers): void =>
    void routeControllers.addGlobal(override, { scope: 'every' })

  it('by HEAD leaves the body, for which the client waits', async () => {
    const { send } = await serveAll(
      serving,
      { '/text': () => 'whole', '/native': () => new Response('whole'), '/stream': () => generate('whole') },
      { setup },
    )
    for (const path of ['/text', '/native', '/stream']) {
      expect((await send(path, { method: 'POST', headers: { 'x-method': 'HEAD' } })).text).toBe('whole')
    }
  })

  it('in place of HEAD brings none, and gives up a stream', async () => {
    let cancel = (): void => {}
    const cancelled = new Promise<void>((resolve) => (cancel = resolve))
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(encode('x')), cancel })
    const { send } = await serveAll(
      serving,
      { '/text': () => 'whole', '/stream': (res) => res.stream(endless) },
      { setup },
    )
    const head = { method: 'HEAD', headers: { 'x-method': 'GET' } }
    const { headers, text } = await send('/text', head)
    expect([headers['content-length'], text]).toEqual(['5', ''])
    expect((await send('/stream', head)).text).toBe('')
    await cancelled
  })
})

it('method-override with HEAD does not shift the answers of a connection', async () => {
  const routeControllers = new RouteControllers([
    new Controller('GET', '/x', () => 'first'),
    new Controller('GET', '/y', () => 'second'),
  ]).addGlobal(methodOverride())
  const { port } = await host(toListener(routeControllers.getCallback()))
  const client = await openRaw(port)
  client.write('POST /x HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: HEAD\r\nContent-Length: 0\r\n\r\n')
  client.write('GET /y HTTP/1.1\r\nHost: a\r\n\r\n')
  const answers = parseAnswers(await client.until('second'))
  expect(answers.map(({ body }) => body)).toEqual(['first', 'second'])
  await closeHosted()
})

/** Serves one body, compressed, from elsewhere. */
async function serveUpstream(packed: Buffer, coding: string): Promise<string> {
  const server = createServer((req, res: ServerResponse) => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': coding }
    res.writeHead(200, req.url === '/chunked' ? headers : { ...headers, 'Content-Length': packed.length })
    res.end(packed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeLater(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

const page = '<!DOCTYPE html><title>A page</title>' + 'some text '.repeat(300)
const codings: [string, (text: string) => Buffer][] = [
  ['gzip', (text) => gzipSync(text)],
  ['x-gzip', (text) => gzipSync(text)],
  ['deflate', (text) => deflateSync(text)],
  ['br', (text) => brotliCompressSync(text)],
  ['gzip, BR', (text) => brotliCompressSync(gzipSync(text))],
]

describeServingsAndHttp2('What fetch() has brought and decompressed', (serving) => {
  const ways: [string, (url: string) => Record<string, Respond>, ServeOptions?][] = [
    ['as it is', (url) => ({ '/': () => fetch(url) })],
    ['with a hook', (url) => ({ '/': () => fetch(url) }), { setup: hooked }],
    [
      'with headers of res',
      (url) => ({ '/': async (res) => (res.header('X-A', '1').cookie('a', '1'), await fetch(url)) }),
    ],
    [
      'with headers of addHeader',
      (url) => ({ '/': () => fetch(url) }),
      { setup: (routeControllers) => void routeControllers.addHeader('X-A', '1') },
    ],
    ['as a clone', (url) => ({ '/': async () => (await fetch(url)).clone() })],
    // In getCallback() a Response is handed on as it is, and how it came can be told from its URL alone.
    ...((serving.onNode
      ? [
          ['as a copy', (url) => ({ '/': async () => copyOf(await fetch(url)) })],
          [
            'as a copy of body and headers',
            (url) => ({
              '/': async () => {
                const { body, headers } = await fetch(url)
                return new Response(body, { status: 201, headers })
              },
            }),
          ],
        ]
      : []) as typeof ways),
  ]

  it.each(codings)('from %s is sent as what it has become', async (coding, pack) => {
    const url = await serveUpstream(pack(page), coding)
    // The way on is the same for all codings.
    for (const [, callbacks, options] of isWhole || coding === 'gzip' ? ways : ways.slice(0, 1)) {
      for (const [at, target] of [url, `${url}chunked`].entries()) {
        // In the loop each way on goes with one of both.
        if (!isWhole && at !== ways.findIndex((way) => way[1] === callbacks) % 2) continue
        const { send, logged } = await serveAll(serving, callbacks(target), options)
        const { headers, text } = await send('/')
        expect([headers['content-encoding'], text === page]).toEqual([undefined, true])
        expect(headers['content-length'] ?? String(page.length)).toBe(String(page.length))
        expect(logged).toEqual([])
        const head = await send('/', { method: 'HEAD' })
        expect([head.headers['content-encoding'], head.text]).toEqual([undefined, ''])
        expect(head.headers['content-length'] ?? String(page.length)).toBe(String(page.length))
      }
    }
  })
})

const copyOf = (response: Response): Response => new Response(response.body, response)

describeServingsAndHttp2(
  'A Content-Encoding that is true',
  (serving) => {
    it.each<[string, Buffer]>([
      ['deflate', deflateRawSync(page)],
      ['deflate', deflateSync(page)],
      ['br, gzip', gzipSync(brotliCompressSync(page))],
      ['gzip, BR', brotliCompressSync(gzipSync(page))],
      // Of which the beginning is more than anybody would look at.
      ['gzip', gzipSync('x'.repeat(20_000_000))],
      ['x-own', Buffer.from('coded')],
    ])('of %s stays, and so do the bytes', async (coding, bytes) => {
      const own = (): Response =>
        new Response(new Uint8Array(bytes), { headers: { 'Content-Encoding': coding } })
      const { send } = await serving.serve([new Controller('GET', '/', own)])
      const { headers, body } = await send('/', { headers: { 'accept-encoding': coding } })
      expect([headers['content-encoding'], body.equals(bytes)]).toEqual([coding, true])
    })

    const packed = gzipSync(page)

    it.each<[string, () => Response | Promise<Response>]>([
      ['of bytes', () => new Response(packed, { headers: { 'Content-Encoding': 'gzip' } })],
      [
        'of a stream',
        () => new Response(new Blob([packed]).stream(), { headers: { 'Content-Encoding': 'gzip' } }),
      ],
    ])('stays: %s', async (_what, make) => {
      const { send } = await serveAll(serving, { '/': make })
      const { headers, body } = await send('/', { headers: { 'accept-encoding': 'gzip' } })
      expect([headers['content-encoding'], body.equals(packed)]).toEqual(['gzip', true])
    })

    it.each<[string, string, number[]]>([
      ['zstd', 'a frame of zstd', [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00]],
      ['zstd', 'the beginning of one', [0x28, 0xb5]],
      ['gzip', 'nothing', []],
    ])('stays: %s on %s', async (coding, _what, bytes) => {
      const make = () => new Response(new Uint8Array(bytes), { headers: { 'Content-Encoding': coding } })
      const { send } = await serveAll(serving, { '/': make })
      const { headers, body } = await send('/', { headers: { 'accept-encoding': coding } })
      expect([headers['content-encoding'], [...body]]).toEqual([coding, bytes])
    })

    it('does not stay: zstd on a text', async () => {
      const make = () => new Response('a text', { headers: { 'Content-Encoding': 'zstd' } })
      const { send } = await serveAll(serving, { '/': make })
      const { headers, text } = await send('/')
      expect([headers['content-encoding'], text]).toEqual([undefined, 'a text'])
    })

    it('stays where fetch() knows none of it', async () => {
      const url = await serveUpstream(Buffer.from('abc'), 'x-own')
      const { send } = await serveAll(serving, { '/': () => fetch(url) })
      const { headers, text } = await send('/')
      expect([headers['content-encoding'], headers['content-length'], text]).toEqual(['x-own', '3', 'abc'])
    })
  },
  ({ onNode }) => onNode,
)

/** A text that is as long, packed, as what comes before the answer in it. */
function smuggled(): string {
  const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n<script>attacker()</script'
  for (let length = 0; ; length++) {
    const text = 'x'.repeat(length) + evil
    if (gzipSync(text).length === length) return text
  }
}

describe.each([
  ['toListener', toListener],
  ...expresses.map(
    ([name, express]) =>
      [
        `toConnect in ${name}`,
        (handler: Parameters<typeof toConnect>[0]) => createExpress(express).use(toConnect(handler)),
      ] as const,
  ),
] as const)('A fetch handler of somebody else, in %s', (_name, toHandler) => {
  afterEach(closeHosted)

  it.each<[string, (upstream: Response) => Response]>([
    ['as it is', (upstream) => upstream],
    ['as a copy', copyOf],
    [
      'as a copy whose coding cannot be told',
      ({ body, status, headers }) => {
        const own = new Headers(headers)
        own.delete('Content-Encoding')
        return new Response(body, { status, headers: own })
      },
    ],
  ])('does not let what fetch() has brought into the next answer, %s', async (_how, take) => {
    const url = await serveUpstream(gzipSync(smuggled()), 'gzip')
    const error = jest.spyOn(console, 'error').mockImplementation()
    const { port } = await host(
      toHandler(async (request) =>
        request.url.endsWith('/proxy') ? take(await fetch(url)) : new Response('my own answer'),
      ),
    )
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1').on('data', (text) => (received += String(text)))
    socket.write('GET /proxy HTTP/1.1\r\nHost: a\r\n\r\nGET /mine HTTP/1.1\r\nHost: a\r\n\r\n')
    for (let turn = 0; turn < 200 && !received.includes('my own answer'); turn++) await sleep(5)
    socket.destroy()
    error.mockRestore()
    expect(parseAnswers(received).map(({ body }) => body)).toHaveLength(2)
    expect(parseAnswers(received)[1]!.body).toBe('my own answer')
  })

  it('is answered with Content-Length where the body is there at once', async () => {
    const { send } = await host(toHandler(async () => Response.json({ a: 1 })))
    expect((await send('/')).headers['content-length']).toBe('7')
    const head = await send('/', { method: 'HEAD' })
    expect([head.headers['content-length'], head.text]).toEqual(['7', ''])
  })
})

it('A Trailer that was announced upstream does not go beside a Content-Length', async () => {
  for (const callback of [() => 'text', () => new Response('text'), () => Response.json('text')]) {
    const app = createExpress(expresses[0][1])
    app.use((_req, res, next) => {
      res.setHeader('Trailer', 'X-Sum')
      next()
    })
    app.use(new RouteControllers([new Controller('GET', '/', callback)]).middleware())
    const { send } = await host(app)
    const { status, headers, text } = await send('/')
    expect([status, headers['trailer'], text.replaceAll('"', '')]).toEqual([200, undefined, 'text'])
  }
})

it('A Transfer-Encoding that was set upstream does not go beside a Content-Length', async () => {
  const app = createExpress(expresses[0][1])
  app.use((_req, res, next) => {
    res.setHeader('Transfer-Encoding', 'chunked')
    next()
  })
  app.use(
    toConnect(async (request) =>
      request.url.endsWith('/stream')
        ? new Response(slowly('who', 'le'), { headers: { 'Content-Length': '5' } })
        : new Response('whole'),
    ),
  )
  const { send } = await host(app)
  for (const path of ['/', '/stream']) {
    const { headers, text } = await send(path)
    expect([headers['transfer-encoding'], headers['content-length'], text]).toEqual([undefined, '5', 'whole'])
  }
  await closeHosted()
})

it.each([
  ['gzip, x-own', 'gzip, x-own'],
  ['gzip, BR', null],
])('A Response of fetch() with the coding %p has the coding %p', async (coding, expected) => {
  const fetched = new Response('x', { headers: { 'Content-Encoding': coding } })
  Object.defineProperty(fetched, 'url', { value: 'http://elsewhere.example/' })
  const all = new RouteControllers([new Controller('GET', '/', () => fetched)])
  const { headers } = await all.getCallback()(new Request('http://test/'))
  expect(headers.get('content-encoding')).toBe(expected)
})
