import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Controller, type RouteRequest } from 'routecontrollers'
import { openClient, sendRaw } from '../support/client.js'
import {
  describeServings,
  type Received,
  type SendOptions,
  type Served,
  type ServeOptions,
  type Serving,
} from '../support/describe-servings.js'

interface Reading extends SendOptions {
  target?: string
  path?: string
  serveOptions?: ServeOptions
}

/** What `read` finds in a request, and how that request was answered. */
async function readBy<T>(
  { serve }: Serving,
  read: (req: RouteRequest) => T,
  { target = '/', path = '*', serveOptions, ...options }: Reading = {},
): Promise<{ value: Awaited<T>; answer: Received }> {
  let value: Awaited<T>
  const { send } = await serve(
    [
      new Controller('*', path, async (req) => {
        value = await read(req)
        return 'read'
      }),
    ],
    serveOptions,
  )
  const answer = await send(target, options)
  return { value: value!, answer }
}

describeServings('req.method', (serving) => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND'])(
    'is %s',
    async (method) => {
      expect((await readBy(serving, (req) => req.method, { method })).value).toBe(method)
    },
  )
})

describeServings('req.url and req.originalUrl', (serving) => {
  it('are path and query as they were sent', async () => {
    const target = '/a%20b/%7Ec/?q=%2F&r=a+b'
    const { value } = await readBy(serving, ({ url, originalUrl }) => ({ url, originalUrl }), { target })
    expect(value).toEqual({ url: target, originalUrl: target })
  })

  it('keep a query that is empty or has a question mark in it', async () => {
    expect((await readBy(serving, (req) => req.originalUrl, { target: '/?a?b=?' })).value).toBe('/?a?b=?')
  })
})

describeServings(
  'req.url of an unusual target',
  (serving) => {
    it.each(['//double//slash', '/a/../b/./c', '/%2e%2e/x', '/\\x', '/a;b=c,d'])(
      'is %s, with nothing resolved or collapsed',
      async (target) => {
        const { value } = await readBy(serving, ({ url, originalUrl }) => [url, originalUrl], { target })
        expect(value).toEqual([target, target])
      },
    )
  },
  ({ onNode }) => onNode,
)

describeServings(
  'req.url below a mount of Express',
  (serving) => {
    it('is without the path of the mount, originalUrl with it', async () => {
      const { serve } = serving
      const { send } = await serve(
        [new Controller('GET', '/items/:id', (req) => [req.url, req.originalUrl, req.params.id])],
        {
          setup: (routeControllers) => (mounted = routeControllers.middleware()),
          upstream: (app) => void app.use(['/shop', '/store'], mounted),
        },
      )
      expect((await send('/shop/items/7?a=1')).json()).toEqual(['/items/7?a=1', '/shop/items/7?a=1', '7'])
      expect((await send('/store/items/8')).json()).toEqual(['/items/8', '/store/items/8', '8'])
    })
    let mounted: ReturnType<Served['routeControllers']['middleware']>
  },
  ({ errors }) => errors === 'host',
)

describeServings('req.headers', (serving) => {
  it('have names in lower case and values as they were sent', async () => {
    const { value } = await readBy(serving, (req) => ({ ...req.headers }), {
      headers: { 'X-Mixed-Case': 'As Sent', Accept: 'text/html, */*;q=0.1' },
    })
    expect(value).toMatchObject({ 'x-mixed-case': 'As Sent', accept: 'text/html, */*;q=0.1' })
  })

  it('have a host, also where a web Request has it in its URL alone', async () => {
    const { value } = await readBy(serving, (req) => [req.headers.host, req.get('Host')])
    expect(value).toEqual([expect.stringMatching(/^test$|^.+:\d+$/), value[0]])
  })
})

describeServings('req.get', (serving) => {
  it('finds a header by its name in any case', async () => {
    const { value } = await readBy(
      serving,
      (req) => [req.get('X-Token'), req.get('x-token'), req.get('X-TOKEN')],
      {
        headers: { 'X-Token': 'abc' },
      },
    )
    expect(value).toEqual(['abc', 'abc', 'abc'])
  })

  it.each(['Referer', 'Referrer'])('finds the header %s by both of its spellings', async (name) => {
    const { value } = await readBy(serving, (req) => [req.get('referer'), req.get('Referrer')], {
      headers: { [name]: 'http://from.example/' },
    })
    expect(value).toEqual(['http://from.example/', 'http://from.example/'])
  })

  it('gives one text of the header that is a list, as in Node', async () => {
    const { value } = await readBy(serving, (req) => [req.headers['set-cookie'], req.get('Set-Cookie')], {
      headers: { 'Set-Cookie': 'a=1' },
    })
    expect(value).toEqual([['a=1'], 'a=1'])
  })

  it('gives undefined for a header that was not sent, whatever objects inherit', async () => {
    const { value } = await readBy(serving, (req) =>
      ['x-missing', 'constructor', '__proto__', 'toString', ''].map((name) => req.get(name)),
    )
    expect(value).toEqual([undefined, undefined, undefined, undefined, undefined])
  })
})

describeServings('what the request and the response of Express have', (serving) => {
  const thrownBy = async (read: (req: any, res: any) => unknown): Promise<unknown> => {
    const { send } = await serving.serve([
      new Controller('GET', '/', (req, res) => {
        try {
          return [read(req, res)]
        } catch (error) {
          return [String(error)]
        }
      }),
    ])
    const [value] = (await send('/', { headers: { accept: 'text/html' } })).json()
    return value
  }
  const isOfExpress = serving.name.startsWith('inside')

  it('is there for req.accepts where Express has made the request', async () => {
    expect(await thrownBy((req) => req.accepts('json', 'html'))).toBe(
      isOfExpress ? 'html' : 'TypeError: req.accepts is not a function',
    )
  })

  it('is never there for res.locals, and inside Express for req.res.locals', async () => {
    expect(await thrownBy((_req, res) => (res.locals.tea = 1))).toMatch(/^TypeError: .*'tea'/)
    if (isOfExpress) expect(await thrownBy((req) => (req.res.locals.tea = 1))).toBe(1)
  })
})

describeServings('req.params', (serving) => {
  it('have the decoded segments, and nothing that objects inherit', async () => {
    const { value } = await readBy(
      serving,
      ({ params }) => [{ ...params }, 'constructor' in params, '__proto__' in params],
      { path: '/:shop/items/*rest', target: '/caf%C3%A9/items/a%2Fb/c' },
    )
    expect(value).toEqual([{ shop: 'café', rest: 'a/b/c' }, false, false])
  })

  it('are empty for a path without any', async () => {
    const { value } = await readBy(serving, ({ params }) => Object.keys(params), { path: '/x', target: '/x' })
    expect(value).toEqual([])
  })
})

describeServings('req.query', (serving) => {
  it.each([
    ['', {}],
    ['?', {}],
    ['?a=1&b=2', { a: '1', b: '2' }],
    ['?a=1&b=2&a=3&a=', { a: ['1', '3', ''], b: '2' }],
    ['?a', { a: '' }],
    ['?=b', { '': 'b' }],
    ['?a=b=c', { a: 'b=c' }],
    ['?&&a=1&', { a: '1' }],
    ['?a+b=c+d%2B', { 'a b': 'c d+' }],
    ['?q=%C3%A9&%C3%A9=1', { q: 'é', é: '1' }],
    ['?a=%zz&b=%&c=%E0%A4', { a: '%zz', b: '%', c: '\ufffd' }],
    ['?a[b]=1&a[]=2', { 'a[b]': '1', 'a[]': '2' }],
    ['?a=x?y', { a: 'x?y' }],
  ])('of %s is read', async (search, expected) => {
    const { value } = await readBy(serving, (req) => ({ ...req.query }), { target: `/${search}` })
    expect(value).toEqual(expected)
  })

  it('has no prototype, and __proto__ is a name like others', async () => {
    const { value } = await readBy(
      serving,
      ({ query }) => [Object.getPrototypeOf(query), Object.entries(query), 'toString' in query],
      { target: '/?__proto__=a&constructor=b&__proto__=c' },
    )
    expect(value).toEqual([
      null,
      [
        ['__proto__', ['a', 'c']],
        ['constructor', 'b'],
      ],
      false,
    ])
    expect(({} as Record<string, unknown>)['0']).toBeUndefined()
  })

  it('stops at 1000 fields', async () => {
    const target = `/?${Array.from({ length: 1500 }, (_, at) => `f${at}`).join('&')}`
    expect((await readBy(serving, (req) => Object.keys(req.query).length, { target })).value).toBe(1000)
  })

  it('keeps what a middleware has put in its place', async () => {
    const { serve } = serving
    const controller = new Controller('GET', '/', (req) => ({ ...req.query }))
    controller.use((req) => {
      req.query = { cleaned: 'yes' }
    })
    expect((await (await serve([controller])).send('/?a=1')).json()).toEqual({ cleaned: 'yes' })
  })
})

describeServings('req.body and req.rawBody', (serving) => {
  it('are the parsed value and the bytes that it was parsed from', async () => {
    const { value } = await readBy(
      serving,
      ({ body, rawBody }) => [body, rawBody instanceof Uint8Array, Buffer.from(rawBody!).toString()],
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{ "price": 1.0 }' },
    )
    expect(value).toEqual([{ price: 1 }, true, '{ "price": 1.0 }'])
  })

  it('are undefined without a body', async () => {
    const { value } = await readBy(serving, ({ body, rawBody }) => [body, rawBody], { method: 'GET' })
    expect(value).toEqual([undefined, undefined])
  })
})

describeServings('req.text, req.json, req.formData and req.arrayBuffer', (serving) => {
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":["é"]}' }

  it('read one body in every form, as often as somebody asks', async () => {
    const { value } = await readBy(
      serving,
      async (req) => [
        await req.text(),
        await req.json(),
        Buffer.from(await req.arrayBuffer()).toString(),
        await req.text(),
        req.body,
      ],
      json,
    )
    expect(value).toEqual(['{"a":["é"]}', { a: ['é'] }, '{"a":["é"]}', '{"a":["é"]}', { a: ['é'] }])
  })

  it('give each reader bytes of its own', async () => {
    const { value } = await readBy(
      serving,
      async (req) => {
        new Uint8Array(await req.arrayBuffer()).fill(0)
        return req.text()
      },
      json,
    )
    expect(value).toBe('{"a":["é"]}')
  })

  it('read an urlencoded form', async () => {
    const { value } = await readBy(serving, async (req) => [...(await req.formData())], {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1&b=x+y&a=2',
    })
    expect(value).toEqual([
      ['a', '1'],
      ['b', 'x y'],
      ['a', '2'],
    ])
  })

  it('read bytes of a type that nobody parses', async () => {
    const bytes = Buffer.from([0, 1, 254, 255])
    const { value } = await readBy(
      serving,
      async (req) => [req.body, [...new Uint8Array(await req.arrayBuffer())]],
      { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: bytes },
    )
    expect(value).toEqual([undefined, [...bytes]])
  })

  it('give an empty text and no bytes without a body', async () => {
    const { value } = await readBy(serving, async (req) => [
      await req.text(),
      (await req.arrayBuffer()).byteLength,
    ])
    expect(value).toEqual(['', 0])
  })

  it.each([
    ['json', 'text/plain', 415],
    ['json', undefined, 415],
    ['formData', 'application/json', 415],
    ['formData', 'text/plain', 415],
  ] as const)('answer %s() of a body of type %s with %d', async (form, type, status) => {
    const { answer } = await readBy(serving, (req) => req[form](), {
      method: 'POST',
      headers: type ? { 'content-type': type } : {},
      body: Buffer.from('[]'),
    })
    expect(answer.status).toBe(status)
  })
})

describeServings('req[Symbol.asyncIterator]', (serving) => {
  const upload = {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: 'a whole upload',
  }

  it.each([false, true])('gives the body as it arrives (chunked: %s)', async (chunked) => {
    const { value } = await readBy(
      serving,
      async (req) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of req) chunks.push(chunk)
        return Buffer.concat(chunks).toString()
      },
      { ...upload, chunked },
    )
    expect(value).toBe('a whole upload')
  })

  it('can be left early, and the request is answered all the same', async () => {
    const { answer } = await readBy(
      serving,
      async (req) => {
        for await (const _chunk of req) break
      },
      { ...upload, body: Buffer.alloc(300_000) },
    )
    expect([answer.status, answer.text]).toEqual([200, 'read'])
  })

  it.each<[string, (req: any) => unknown]>([
    ['req.body', (req) => req.body],
    ['req.text()', (req) => req.text()],
    ['req.rawBody', (req) => req.rawBody],
  ])('gives a body in one piece that was read before by %s', async (_name, read) => {
    const loops: string[][] = []
    const loop = async (req: AsyncIterable<Uint8Array>): Promise<void> => {
      const chunks: string[] = []
      for await (const chunk of req) chunks.push(Buffer.from(chunk).toString())
      loops.push(chunks)
    }
    const { send } = await serving.serve(
      [
        new Controller('POST', '/', async (req) => {
          await read(req)
          await loop(req)
          await loop(req)
          return 'read'
        }),
      ],
      { decompress: true },
    )
    const text = '{"tea":"Assam"}'
    for (const [body, coding] of [
      [text, 'identity'],
      [gzipSync(text), 'gzip'],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'content-encoding': coding }
      const { status } = await send('/', { method: 'POST', headers, body, chunked: true })
      expect([status, ...loops.splice(0)]).toEqual([200, [text], [text]])
    }
  })

  it.each<[string, (req: RouteRequest) => unknown]>([
    [
      'a loop',
      async (req) => {
        for await (const _chunk of req);
      },
    ],
    ['req.arrayBuffer()', (req) => req.arrayBuffer()],
  ])('breaks off with ERR_BODY_ABORTED, which is not logged, for %s', async (_name, read) => {
    let notice: (error: unknown) => void
    const thrown = new Promise((resolve) => (notice = resolve))
    const upload = async (req: RouteRequest): Promise<string> => {
      try {
        await read(req)
      } catch (error) {
        notice(error)
        throw error
      }
      return 'read'
    }
    const served = await serving.serve([new Controller('POST', '/', upload, { body: 'stream' })])
    if (served.port === undefined) {
      const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
      const request = new Request('http://test/', { method: 'POST', body, duplex: 'half' })
      void served.routeControllers.getCallback()(request)
    } else {
      const socket = connect(served.port, '127.0.0.1')
      socket.write('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nab')
      setTimeout(() => socket.resetAndDestroy(), 50)
    }
    expect(await thrown).toMatchObject({ code: 'ERR_BODY_ABORTED', status: 400 })
    await new Promise(setImmediate)
    expect(served.logged).toEqual([])
  })

  it('gives nothing without a body', async () => {
    const { value } = await readBy(serving, async (req) => {
      let chunks = 0
      for await (const _chunk of req) chunks++
      return chunks
    })
    expect(value).toBe(0)
  })
})

describeServings(
  'req[Symbol.asyncIterator] left early',
  ({ serve }) => {
    it('leaves the connection fit for the next request', async () => {
      const leaving = new Controller(
        'POST',
        '/',
        async (req) => {
          for await (const _chunk of req) break
          return 'left'
        },
        { body: 'stream' },
      )
      const { port } = await serve([leaving, new Controller('GET', '/', () => 'next')])
      const text = await sendRaw(
        port!,
        `POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}` +
          'GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n',
      )
      expect(text.match(/left|next/g)).toEqual(['left', 'next'])
    })
  },
  ({ onNode }) => onNode,
)

describeServings('req.realIp', (serving) => {
  const local = serving.onNode ? '127.0.0.1' : undefined
  const headers = { 'x-forwarded-for': '203.0.113.7, 198.51.100.9, 10.1.2.3' }

  it('is the address that has connected, where there is one', async () => {
    expect((await readBy(serving, (req) => req.realIp)).value).toBe(local)
  })

  it('does not believe a header that anybody can send', async () => {
    expect((await readBy(serving, (req) => req.realIp, { headers })).value).toBe(local)
  })

  it('with trustProxy is the nearest address that is no trusted proxy', async () => {
    const { value } = await readBy(serving, (req) => req.realIp, {
      headers,
      serveOptions: { trustProxy: ['loopback', '10.0.0.0/8'] },
    })
    expect(value).toBe(serving.onNode ? '198.51.100.9' : undefined)
  })

  it('with trustProxy ignores the header of whoever is not a proxy', async () => {
    const { value } = await readBy(serving, (req) => req.realIp, {
      headers,
      serveOptions: { trustProxy: '192.0.2.1' },
    })
    expect(value).toBe(local)
  })
})

describeServings(
  'req.realIp behind the trust proxy of Express',
  (serving) => {
    it('is what Express has worked out', async () => {
      const { value } = await readBy(serving, (req) => req.realIp, {
        headers: { 'x-forwarded-for': '203.0.113.7' },
        serveOptions: { upstream: (app) => void app.set('trust proxy', 'loopback') },
      })
      expect(value).toBe('203.0.113.7')
    })
  },
  ({ errors }) => errors === 'host',
)

describeServings('req.signal', (serving) => {
  const { serve } = serving

  it('aborts when the client goes away before the answer', async () => {
    let arrive: () => void
    let abort: () => void
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const aborted = new Promise<void>((resolve) => (abort = resolve))
    const served = await serve([
      new Controller('GET', '/slow', async ({ signal }) => {
        signal.addEventListener('abort', abort)
        arrive()
        await aborted
        return 'too late'
      }),
    ])
    const client = openClient(served, '/slow')
    client.head.catch(() => {})
    await arrived
    client.leave()
    await aborted
    expect(served.logged).toEqual([])
  })

  it('aborts when the client goes away in the middle of the answer', async () => {
    let abort: () => void
    const aborted = new Promise<void>((resolve) => (abort = resolve))
    const served = await serve([
      new Controller('GET', '/endless', (req, res) => {
        req.signal.addEventListener('abort', abort)
        return res.stream(
          (async function* () {
            yield 'first'
            await aborted
          })(),
        )
      }),
    ])
    const client = openClient(served, '/endless')
    expect(await client.read()).toBe('first')
    client.leave()
    await aborted
  })

  it('is the same one for every reader', async () => {
    expect((await readBy(serving, (req) => req.signal === req.signal)).value).toBe(true)
  })

  it.each([
    ['a string', () => 'x'],
    ['a stream', (): unknown => new Blob(['x'.repeat(100_000)])],
  ])('does not abort when %s has been answered in full', async (_what, answer) => {
    let signal: AbortSignal
    const { send } = await serve([
      new Controller('POST', '/', (req) => {
        signal = req.signal
        return answer() as string
      }),
    ])
    await send('/', { method: 'POST', body: 'whole', headers: { 'content-type': 'text/plain' } })
    // A second whole exchange: whatever the first had left to happen has happened by then.
    const first = signal!
    await send('/', { method: 'POST' })
    expect(first.aborted).toBe(false)
  })
})

describeServings('req', (serving) => {
  it('carries what middleware add to it, on to the callback and to onError', async () => {
    const { serve } = serving
    const controller = new Controller<'/:id', { user: string }>('GET', '/:id', (req) => {
      throw Object.assign(new Error('no'), { status: 403, user: req.user })
    })
    controller.use((req) => {
      req.user = `user ${req.params.id}`
    })
    const { send } = await serve([controller], {
      onError: (error, req, res) =>
        res.status(403).json([(error as { user: string }).user, req['user'], req.params['id']]),
    })
    expect((await send('/7')).json()).toEqual(['user 7', 'user 7', '7'])
  })

  it('stays in the AsyncLocalStorage of a middleware that runs the callback', async () => {
    const storage = new AsyncLocalStorage<string>()
    const { serve } = serving
    const controller = new Controller('POST', '/', () => storage.getStore() ?? 'lost')
    const { send } = await serve([controller], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, _res, next) => storage.run('kept', next)),
    })
    const answer = await send('/', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' })
    expect(answer.text).toBe('kept')
  })
})
