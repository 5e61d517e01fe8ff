import { type IncomingMessage, ServerResponse } from 'node:http'
import type { NodeEntry } from '../../src/node/node-entry.js'
import { serveInMemory } from '../../src/node/memory-pair.js'
import { closeHosted, host } from '../support/hosting.js'

type Handler = (req: IncomingMessage, res: ServerResponse) => void

const serve = (handler: Handler, target: string | Request = 'http://named.example/', init?: RequestInit) =>
  serveInMemory((req, res) => handler(req, res), new Request(target, init))

afterEach(closeHosted)

describe('serveInMemory', () => {
  it('makes Node’s own classes of a Request', async () => {
    const { IncomingMessage, ServerResponse } = await import('node:http')
    const seen: unknown[] = []
    await serve(
      (req, res) => {
        seen.push(req instanceof IncomingMessage, res instanceof ServerResponse, res.req === req)
        seen.push(req.method, req.url, req.headers, req.httpVersion)
        res.end()
      },
      'https://named.example:8443/a%20b?c=d#e',
      { method: 'DELETE', headers: { 'X-A': '1' } },
    )
    expect(seen.slice(0, 3)).toEqual([true, true, true])
    expect(seen.slice(3)).toEqual([
      'DELETE',
      '/a%20b?c=d',
      expect.objectContaining({ host: 'named.example:8443', 'x-a': '1' }),
      '1.1',
    ])
  })

  it('makes a Response of what is written, at the moment of its head', async () => {
    let finish: () => void
    const response = await serve((_req, res) => {
      res.writeHead(201, 'Made', { 'X-A': ['1', '2'], 'Set-Cookie': ['a=1', 'b=2'], Connection: 'close' })
      res.write('first')
      finish = () => void res.end('last')
    })
    expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([201, 'Made', '1, 2'])
    expect([response.headers.getSetCookie(), response.headers.get('connection')]).toEqual([
      ['a=1', 'b=2'],
      null,
    ])
    finish!()
    expect(await response.text()).toBe('firstlast')
  })

  it('has a socket that closes once when it is destroyed', async () => {
    let closed = 0
    await serve((req, res) => {
      req.socket.on('close', () => closed++)
      req.socket.destroy()
      req.socket.destroy()
      expect([req.socket.destroyed, req.socket.writable, closed]).toEqual([true, false, 0])
      res.end()
    })
    await new Promise(setImmediate)
    expect(closed).toBe(1)
  })

  it('rejects with ERR_RUNTIME_UNSUPPORTED where there is no node:http', async () => {
    const taken = jest.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    try {
      await expect(serve((_req, res) => void res.end())).rejects.toMatchObject({
        code: 'ERR_RUNTIME_UNSUPPORTED',
        message: expect.stringMatching(
          /^A hook needs node:http, which is not here: write it as middleware for use\(\)/,
        ) as string,
      })
    } finally {
      taken.mockRestore()
    }
  })

  it('serves readers that ask for several pieces at once', async () => {
    let write = (): void => {}
    const response = await serve((_req, res) => {
      res.flushHeaders()
      write = () => {
        res.write('one')
        res.write('two')
        res.end('three')
      }
    })
    const reader = response.body!.getReader()
    const reading = Promise.all([reader.read(), reader.read(), reader.read(), reader.read()])
    await new Promise(setImmediate)
    write()
    const pieces = await reading
    expect(pieces.map(({ done, value }) => (done ? undefined : Buffer.from(value).toString()))).toEqual([
      'one',
      'two',
      'three',
      undefined,
    ])
  })

  it('keeps bytes as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    const response = await serve((_req, res) => {
      res.write(bytes)
      res.end('\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')
    })
    const received = Buffer.from(await response.arrayBuffer())
    expect(received.subarray(0, 256)).toEqual(bytes)
    expect(received.subarray(256).toString()).toBe('\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')
  })

  it.each([
    ['HEAD', 204],
    ['GET', 204],
    ['GET', 205],
    ['GET', 304],
  ])('answers %s with %d without a body', async (method, status) => {
    const response = await serve((_req, res) => void res.writeHead(status).end(), undefined, { method })
    expect([response.status, response.body]).toEqual([status, null])
  })

  it('reads the body as somebody asks for it', async () => {
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => (++pulls > 3 ? controller.close() : controller.enqueue(new Uint8Array(3))) },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' as const }
    const unread = await serve((_req, res) => void res.end(String(pulls)), undefined, init)
    expect(await unread.text()).toBe('0')
    const echo = await serve((req, res) => void req.pipe(res), undefined, {
      method: 'POST',
      body: 'é'.repeat(50_000),
    })
    expect(await echo.text()).toBe('é'.repeat(50_000))
  })

  it.each<[string, Handler]>([
    ['that nobody has read', (_req, res) => void res.end('answer')],
    [
      'of which somebody has read a piece',
      (req, res) =>
        void req.once('data', () => {
          req.pause()
          res.end('answer')
        }),
    ],
    [
      'that is thrown away',
      (req, res) => {
        req.resume()
        res.end('answer')
      },
    ],
  ])('gives a body up %s, once it has answered', async (_what, handler) => {
    let giveUp = (): void => {}
    const givenUp = new Promise<void>((resolve) => (giveUp = resolve))
    // It has no end.
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new Uint8Array(65_536)), cancel: () => giveUp() },
      { highWaterMark: 0 },
    )
    const response = await serve(handler, undefined, { method: 'POST', body, duplex: 'half' })
    expect(await response.text()).toBe('answer')
    await givenUp
  })

  it('leaves no listener on the signal of a Request that it has answered', async () => {
    const abort = new AbortController()
    const add = jest.spyOn(AbortSignal.prototype, 'addEventListener')
    const remove = jest.spyOn(AbortSignal.prototype, 'removeEventListener')
    const response = await serve((_req, res) => void res.end('whole'), undefined, { signal: abort.signal })
    expect(await response.text()).toBe('whole')
    const listeners = add.mock.calls.filter(
      ([, listener]) => (listener as { name: string }).name === 'onAbort',
    )
    const removed = remove.mock.calls.map(([, listener]) => listener)
    expect(listeners).toHaveLength(1)
    while (!removed.includes(listeners[0]![1])) {
      await new Promise(setImmediate)
      removed.push(...remove.mock.calls.map(([, listener]) => listener))
    }
    jest.restoreAllMocks()
  })

  it.each([
    [16 * 1024 - 1, true],
    [16 * 1024, false],
  ])('asks to wait where what nobody has read yet is 16 KiB: %i bytes', async (length, goesOn) => {
    let asked: boolean | undefined
    const response = await serve((_req, res) => {
      asked = res.write('x'.repeat(length))
      setImmediate(() => res.end())
    })
    expect(asked).toBe(goesOn)
    expect((await response.text()).length).toBe(length)
  })

  it('emits drain after a write that has asked to wait alone', async () => {
    let drains = 0
    const response = await serve((_req, res) => {
      res.on('drain', () => drains++)
      const small = [res.write('a'), res.write('b')]
      res.write('c', () => {
        const large = res.write('x'.repeat(100_000))
        res.end(`${small.join()},${large}`)
      })
    })
    expect((await response.text()).slice(-15)).toBe('true,true,false')
    expect(drains).toBe(0)
    const waiting = await serve((_req, res) => {
      res.on('drain', () => {
        drains++
        res.end('drained')
      })
      res.write('x'.repeat(100_000))
    })
    expect((await waiting.text()).slice(100_000)).toBe('drained')
    expect(drains).toBe(1)
    const idle = await serve((_req, res) => {
      res.on('drain', () => drains++)
      res.write('small', () => setImmediate(() => res.end()))
    })
    expect(await idle.text()).toBe('small')
    expect(drains).toBe(1)
  })

  it('calls back for each end, and says of one that comes too late that it does', async () => {
    const called: unknown[] = []
    const response = await serve((_req, res) => {
      res.write('a')
      res.end('b', () => called.push('first'))
      res.end((error?: Error) => called.push(error ?? 'second'))
      res.on('close', () => res.end((error?: { code?: string }) => called.push(error?.code)))
    })
    await new Promise(setImmediate)
    expect(called).toEqual([])
    expect(await response.text()).toBe('ab')
    while (called.length < 3) await new Promise(setImmediate)
    expect(called).toEqual(['first', 'second', 'ERR_STREAM_ALREADY_FINISHED'])
  })

  it('calls back at its finish for an end that follows the whole answer at once', async () => {
    const told = new Promise<unknown>((resolve) => {
      void serve((_req, res) => {
        res.end('text')
        res.end((error?: Error) => resolve(error ?? res.writableFinished))
      })
    })
    expect(await told).toBe(true)
  })

  it('says of an end in the listener of `finish` that it comes too late', async () => {
    const told = new Promise<unknown>((resolve) => {
      void serve((_req, res) => {
        res.on('finish', () => res.end((error?: { code?: string }) => resolve(error?.code)))
        res.end('text')
      })
    })
    expect(await told).toBe('ERR_STREAM_ALREADY_FINISHED')
  })

  it('gives the whole answer where a listener of `finish` throws', async () => {
    const nextTick = process.nextTick.bind(process)
    const thrown: unknown[] = []
    jest.spyOn(process, 'nextTick').mockImplementation((run, ...parameters) =>
      nextTick(() => {
        try {
          Reflect.apply(run, undefined, parameters)
        } catch (error) {
          thrown.push((error as Error).message)
        }
      }),
    )
    try {
      const answering = serve((_req, res) => {
        res.on('finish', () => {
          throw new Error('a log that is full')
        })
        res.end('text')
      })
      const late = new Promise<Response>((resolve) => setTimeout(resolve, 1000, new Response('never')))
      expect(await (await Promise.race([answering, late])).text()).toBe('text')
    } finally {
      jest.restoreAllMocks()
    }
    expect(thrown).toEqual(['a log that is full'])
  })

  it('says at each moment of an answer what node:http says', async () => {
    const namesOf = ['headersSent', 'finished', 'writableEnded', 'writableFinished', 'destroyed', 'closed']
    const statesOf = (res: ServerResponse): string => {
      const members = res as unknown as Record<string, unknown>
      return namesOf.filter((name) => members[name] === true).join(' ')
    }
    const inMoments = (isStreamed: boolean) => {
      const seen: string[] = []
      let close = (): void => {}
      const closed = new Promise<void>((resolve) => (close = resolve))
      const handler: Handler = (req, res) => {
        const note = (moment: string): void => void seen.push(`${moment}: ${statesOf(res)}`)
        for (const event of ['finish', 'close']) res.on(event, () => note(event))
        res.on('close', close)
        note('before')
        if (isStreamed) res.write('first')
        note('written')
        res.end('last')
        note('ended')
        // An end of the socket comes after all that was written.
        req.socket.end()
        note('left')
      }
      return { seen, handler, closed }
    }
    for (const isStreamed of [false, true]) {
      const [own, real] = [inMoments(isStreamed), inMoments(isStreamed)]
      const { send } = await host(real.handler)
      const text = isStreamed ? 'firstlast' : 'last'
      expect((await send('/')).text).toBe(text)
      expect(await (await serve(own.handler)).text()).toBe(text)
      await Promise.all([own.closed, real.closed])
      // Before Node 24 it is finished as soon as its socket has taken the bytes, and not when it says so.
      const later = real.seen.map((one) =>
        /^(?:ended|left)/.test(one) ? one.replace(' writableFinished', '') : one,
      )
      expect(own.seen).toEqual(later)
    }
  })

  it.each<[string, (res: ServerResponse) => void]>([
    ['one that `writeHead` is given', (res) => void res.writeHead(200, 'Given')],
    ['one that was set before', (res) => void (res.statusMessage = 'Set')],
    [
      'the one of `writeHead`, where another was set before',
      (res) => {
        res.statusMessage = 'Set'
        res.writeHead(200, 'Given')
      },
    ],
    ['its own of another status, where the status was set first', (res) => void (res.statusCode = 404)],
    [
      'the one that was set, where `writeHead` has none',
      (res) => {
        res.statusMessage = 'Set'
        res.writeHead(201)
      },
    ],
  ])('has the reason that node:http has: %s', async (_which, begin) => {
    const handler: Handler = (_req, res) => {
      begin(res)
      res.end()
    }
    const { send } = await host(handler)
    const { status, statusText } = await send('/')
    const own = await serve(handler)
    expect([own.status, own.statusText]).toEqual([status, statusText])
  })

  it('counts what waits for a reader, also of a last piece', async () => {
    const lengths: number[] = []
    const response = await serve((_req, res) => {
      res.write('12345')
      lengths.push(res.writableLength)
      res.end('678')
      lengths.push(res.writableLength)
      res.on('finish', () => lengths.push(res.writableLength))
    })
    expect(await response.text()).toBe('12345678')
    expect(lengths).toEqual([5, 8, 0])
  })

  it('lets a program use its bytes again once they are written', async () => {
    const response = await serve((_req, res) => {
      const bytes = Buffer.from('first ')
      res.write(bytes, () => {
        bytes.fill('x')
        const last = Buffer.from('last')
        res.end(last)
        last.fill('x')
      })
    })
    expect(await response.text()).toBe('first last')
  })

  it.each<[string, unknown]>([
    ['a flat list', ['X-A', '1', 'x-a', '2', 'X-B', '3']],
    ['a flat list of one spelling', ['X-A', '1', 'X-A', '2', 'X-B', '3']],
    [
      'a list of pairs',
      [
        ['X-A', '1'],
        ['x-a', '2'],
        ['X-B', '3'],
      ],
    ],
    ['an object', { 'X-A': ['1', '2'], 'X-B': '3' }],
  ])('takes the fields of a head as %s, in place of those that were set', async (_form, fields) => {
    const response = await serve((_req, res) => {
      res.setHeader('X-A', 'before')
      res.setHeader('X-C', 'stays')
      res.writeHead(200, fields as never).end()
    })
    const { headers } = response
    expect([headers.get('x-a'), headers.get('x-b'), headers.get('x-c')]).toEqual(['1, 2', '3', 'stays'])
  })

  it('calls back for what it has not sent when nobody reads on', async () => {
    const called: string[] = []
    const response = await serve((_req, res) => {
      res.write('first', () => called.push('first'))
      res.write('second', () => called.push('second'))
      res.on('close', () => called.push('close'))
    })
    await response.body!.cancel()
    while (!called.includes('close')) await new Promise(setImmediate)
    expect(called).toEqual(['first', 'second', 'close'])
  })

  it('gives no length where somebody has removed it, as node:http', async () => {
    const lengths: unknown[] = []
    for (const removes of [false, true]) {
      const response = await serve((_req, res) => {
        if (removes) res.removeHeader('Content-Length')
        res.end('text')
      })
      lengths.push(response.headers.get('content-length'))
    }
    expect(lengths).toEqual(['4', null])
  })

  it.each([
    [200, '0'],
    [204, null],
    [304, null],
    [404, '0'],
  ])('gives an answer of %i without a body the length %p, as node:http', async (status, length) => {
    const response = await serve((_req, res) => void Object.assign(res, { statusCode: status }).end())
    expect([response.status, response.headers.get('content-length')]).toEqual([status, length])
  })

  it('reads 4 MiB of a body that is only discarded, and cancels the rest', async () => {
    let pieces = 0
    const cancel = jest.fn()
    const body = new ReadableStream(
      {
        pull(controller) {
          // Without an end a mistake would read for ever.
          if (++pieces > 20) controller.close()
          else controller.enqueue(new Uint8Array(2 ** 20))
        },
        cancel,
      },
      { highWaterMark: 0 },
    )
    const response = await serve(
      (req, res) => void req.resume().on('close', () => res.end('closed')),
      undefined,
      { method: 'POST', body, duplex: 'half' },
    )
    expect(await response.text()).toBe('closed')
    expect([pieces, cancel.mock.calls.length]).toEqual([5, 1])
  })

  it('reads no more of a body that nobody hears any more once it is answered', async () => {
    let pieces = 0
    let cancelled = (): void => {}
    const isCancelled = new Promise<void>((resolve) => (cancelled = resolve))
    const body = new ReadableStream(
      {
        pull(controller) {
          if (++pieces > 1000) controller.close()
          else controller.enqueue(new Uint8Array(4096))
        },
        cancel: () => cancelled(),
      },
      { highWaterMark: 0 },
    )
    const response = await serve(
      (req, res) => {
        const hear = (): void => {
          req.pause()
          res.end('enough')
          setImmediate(() => req.off('data', hear).resume())
        }
        req.on('data', hear)
      },
      undefined,
      { method: 'POST', body, duplex: 'half' },
    )
    expect(await response.text()).toBe('enough')
    await isCancelled
    // What a stream of Node reads ahead, and one more.
    expect(pieces).toBeLessThan(50)
  })

  it('tells a body that breaks off to whoever reads it, and lets it answer all the same', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const response = await serve(
      (req, res) => void req.on('error', (error) => res.end(error.message)).resume(),
      undefined,
      { method: 'POST', body, duplex: 'half' },
    )
    expect(await response.text()).toBe('The client went away before the end of the body')
  })

  it('lets a body that breaks off pass where nobody listens for it', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const response = await serve(
      (req, res) => void req.resume().on('close', () => res.end('closed')),
      undefined,
      {
        method: 'POST',
        body,
        duplex: 'half',
      },
    )
    expect(await response.text()).toBe('closed')
  })

  it('waits for a slow reader, and goes on when it reads', async () => {
    let written = 0
    const response = await serve((_req, res) => {
      const go = (): void => {
        while (written < 50) {
          written++
          if (!res.write(Buffer.alloc(32 * 1024))) return void res.once('drain', go)
        }
        res.end()
      }
      go()
    })
    expect(written).toBeLessThan(5)
    expect((await response.arrayBuffer()).byteLength).toBe(50 * 32 * 1024)
  })

  it.each<[string, (response: Response, abort: AbortController) => unknown]>([
    ['cancels the Response', (response) => response.body!.cancel()],
    ['aborts the Request', (_response, abort) => abort.abort()],
  ])('closes the response of Node, unfinished, when somebody %s', async (_how, leave) => {
    const abort = new AbortController()
    let closed: (finished: boolean) => void
    const close = new Promise<boolean>((resolve) => (closed = resolve))
    const response = await serve(
      (_req, res) => {
        res.on('close', () => closed(res.writableFinished))
        res.write('begun')
      },
      undefined,
      { signal: abort.signal },
    )
    await leave(response, abort)
    expect(await close).toBe(false)
  })

  it('emits close after a whole answer as well, once', async () => {
    const closes: boolean[] = []
    const abort = new AbortController()
    const response = await serve(
      (_req, res) => {
        res.on('close', () => closes.push(res.writableFinished))
        res.end('whole')
      },
      undefined,
      { signal: abort.signal },
    )
    expect(await response.text()).toBe('whole')
    abort.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(closes).toEqual([true])
  })

  it('answers a Request that was aborted before', async () => {
    const response = await serve((_req, res) => void res.end('x'), undefined, { signal: AbortSignal.abort() })
    expect(response.status).toBe(500)
  })

  it('gives the request to an entry as one of a host’s, in the classes that it wants', async () => {
    const hosts: unknown[] = []
    const entry: NodeEntry = (req, res, host) => {
      hosts.push(host, 'more' in req)
      res.end()
    }
    await serveInMemory(entry, new Request('http://named.example/'))
    entry.extendClasses = (classes) => {
      class More extends classes.IncomingMessage {
        readonly more = true
      }
      return { ...classes, IncomingMessage: More }
    }
    await serveInMemory(entry, new Request('http://named.example/'))
    expect(hosts).toEqual([{ owned: false }, false, { owned: false }, true])
  })

  it.each([
    ['http://named.example/', false],
    ['https://named.example/', true],
    ['http://named.example/?https:', false],
  ])('has a socket of %s that is as middleware expect it', async (url, encrypted) => {
    const seen: unknown[] = []
    await serve((req, res) => {
      const { socket } = req
      seen.push('encrypted' in socket && socket.encrypted)
      seen.push(socket.setTimeout(1).setNoDelay(true).setKeepAlive(true).ref().unref() === socket)
      seen.push(res.socket === socket, res.shouldKeepAlive)
      res.end()
    }, url)
    expect(seen).toEqual([encrypted, true, true, false])
  })

  it.each([
    ['http://named.example/', '/'],
    ['http://named.example/a//b?c=d', '/a//b?c=d'],
    ['http://named.example/#a', '/'],
    ['http://named.example/a?b#c?d#e', '/a?b'],
    ['http://named.example?/b', '/?/b'],
  ])('takes the target of %s for the URL', async (url, expected) => {
    const { headers } = await serve((req, res) => void res.setHeader('X-URL', req.url!).end(), url)
    expect(headers.get('x-url')).toBe(expected)
    // Whoever makes an answer of it adds one.
    expect(headers.get('date')).toBeNull()
  })

  describe('the request', () => {
    const look = async <T>(request: Request, read: (req: IncomingMessage) => T | Promise<T>): Promise<T> => {
      let seen: T
      await serveInMemory((req, res) => {
        void (async () => {
          seen = await read(req)
          res.end()
        })()
      }, request)
      return seen!
    }
    const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Request =>
      new Request('http://named.example/', { method: 'POST', body, headers, duplex: 'half' })
    const textOf = async (req: IncomingMessage): Promise<string> => {
      let text = ''
      await new Promise((resolve) => req.on('data', (chunk) => (text += String(chunk))).on('end', resolve))
      return text
    }

    it('has the Host of the URL first, or the one that it was given, once', async () => {
      const rawHeaders = (headers: Record<string, string>): Promise<string[]> =>
        look(new Request('http://named.example/', { headers }), (req) => req.rawHeaders)
      expect(await rawHeaders({ 'X-A': '1' })).toEqual(['host', 'named.example', 'x-a', '1'])
      expect(await rawHeaders({ Host: 'other.example' })).toEqual(['host', 'other.example'])
    })

    it('has no Host where its URL names none, as on Bun', async () => {
      const request = new Request('http://named.example/')
      Object.defineProperty(request, 'url', { value: '/a?b' })
      expect(await look(request, (req) => [req.url, req.rawHeaders])).toEqual(['/a?b', []])
    })

    it.each<[string, RequestInit & { duplex?: 'half' }, Record<string, string>]>([
      ['GET', { headers: { 'Content-Length': '5' } }, {}],
      ['HEAD', { headers: { 'Transfer-Encoding': 'chunked' } }, {}],
      ['POST', { headers: { 'Content-Length': '0' } }, { 'content-length': '0' }],
      ['DELETE', { headers: { 'Content-Length': '0' } }, { 'content-length': '0' }],
      [
        'PUT',
        { headers: { 'Content-Length': '5' }, body: 'bytes', duplex: 'half' },
        { 'content-length': '5' },
      ],
    ])('has of %s the framing that its body has', async (method, init, expected) => {
      const request = new Request('http://named.example/', { method, ...init })
      const seen = await look(request, ({ headers, rawHeaders }) => [headers, rawHeaders.length])
      const framing = { host: 'named.example', ...expected }
      const type = seen[0] as Record<string, string>
      delete type['content-type']
      expect(type).toEqual(framing)
    })

    it('gives its body up where somebody destroys it while he reads', async () => {
      const cancel = jest.fn()
      const body = new ReadableStream(
        { pull: (controller) => controller.enqueue(new Uint8Array(16)), cancel },
        { highWaterMark: 0 },
      )
      await serveInMemory(
        (req, res) =>
          void req.once('data', () => {
            req.on('data', () => {})
            req.destroy()
            res.end()
          }),
        post(body),
      )
      await new Promise(setImmediate)
      expect(cancel).toHaveBeenCalledTimes(1)
    })

    it('has headers that inherit nothing', async () => {
      const headers = await look(new Request('http://named.example/'), (req) => req.headers)
      expect(Object.getPrototypeOf(headers)).toBeNull()
    })

    it.each<[string, Request, unknown]>([
      ['of no length', post('x'), 'chunked'],
      ['of a length', post('x', { 'Content-Length': '1' }), undefined],
      ['that is none', new Request('http://named.example/'), undefined],
    ])('announces a body %s', async (_what, request, expected) => {
      expect(await look(request, (req) => req.headers['transfer-encoding'])).toBe(expected)
    })

    it('is complete when its body has come to its end', async () => {
      const seen = await look(post('body'), async (req) => [req.complete, await textOf(req), req.complete])
      expect(seen).toEqual([false, 'body', true])
    })

    it('has an end where it has no body', async () => {
      expect(await look(new Request('http://named.example/'), textOf)).toBe('')
    })

    it.each<[string, (request: Request) => unknown]>([
      ['been read', (request) => request.text()],
      [
        'been begun',
        async ({ body }) => {
          const reader = body!.getReader()
          await reader.read()
          reader.releaseLock()
        },
      ],
      ['a reader', ({ body }) => body!.getReader()],
    ])('whose body has %s before says so, and has none', async (_what, before) => {
      const request = post('body')
      await before(request)
      const seen = await look(request, async (req) => ['_body' in req && req._body, await textOf(req)])
      expect(seen).toEqual([true, ''])
    })

    it('whose body nobody has read says nothing of it', async () => {
      expect(await look(post('body'), (req) => '_body' in req)).toBe(false)
    })
  })

  it('leaves out what comes before the answer', async () => {
    const response = await serve((_req, res) => {
      res.writeContinue()
      res.writeProcessing()
      res.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => {
        setImmediate(() => res.writeHead(202, { 'X-A': '1' }).end('body'))
      })
    })
    expect([response.status, response.headers.get('link'), response.headers.get('x-a')]).toEqual([
      202,
      null,
      '1',
    ])
    expect(await response.text()).toBe('body')
  })

  it.each([
    ['writeContinue', []],
    ['writeProcessing', []],
    ['writeEarlyHints', [{ link: '</a.css>; rel=preload' }]],
    ['writeInformation', [103]],
    ['writeInformation', [103, { link: '</a.css>; rel=preload' }]],
  ])('tells who waits for %s(…%j) that it is written', async (name, parameters) => {
    const response = await serve((_req, res) => {
      const write = (res as unknown as Record<string, (...given: unknown[]) => void>)[name]!
      write.call(res, ...parameters, () => res.end('body'))
    })
    expect([response.status, response.headers.get('link'), await response.text()]).toEqual([
      200,
      null,
      'body',
    ])
  })

  it.each(['Connection', 'HTTP2-Settings', 'Keep-Alive', 'Trailer', 'Transfer-Encoding'])(
    'leaves out what is about the connection: %s',
    async (name) => {
      const { headers } = await serve((_req, res) => {
        res.setHeader('X-A', '1')
        res.writeHead(200, { [name]: 'x-a' }).end()
      })
      expect([headers.get(name), headers.get('x-a')]).toEqual([null, '1'])
    },
  )

  it('takes the next piece when somebody asks for it, and no sooner', async () => {
    const taken: string[] = []
    const response = await serve((_req, res) => {
      res.write('one', () => taken.push('one'))
      res.write('two', () => taken.push('two'))
      res.end()
    })
    const reader = response.body!.getReader()
    const takenSoon = async (): Promise<string[]> => {
      await new Promise(setImmediate)
      return [...taken]
    }
    expect(await takenSoon()).toEqual([])
    await reader.read()
    expect(await takenSoon()).toEqual(['one'])
    await reader.read()
    expect(await takenSoon()).toEqual(['one', 'two'])
    expect((await reader.read()).done).toBe(true)
    expect(taken).toEqual(['one', 'two'])
  })

  it('answers 500 in place of a status that no Response can have', async () => {
    let finish: () => void
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const response = await serve((_req, res) => {
      res.on('finish', finish)
      res.writeHead(600, { 'X-A': '1' })
      res.write('body')
      res.end('end')
    })
    expect([response.status, response.headers.get('x-a')]).toEqual([500, null])
    expect(await response.text()).toBe('Internal Server Error')
    await finished
  })

  it.each<[string, (res: ServerResponse) => void]>([
    ['destroys its response', (res) => void res.destroy()],
    ['breaks its socket', (res) => void res.socket!.destroy(new Error('broken'))],
  ])('answers 500 where somebody %s before the answer', async (_how, leave) => {
    const response = await serve((_req, res) => leave(res))
    expect([response.status, await response.text()]).toEqual([500, 'Internal Server Error'])
  })

  it('breaks the Response off where somebody destroys the response midway', async () => {
    let written = false
    const response = await serve((_req, res) => {
      res.write('half', () => (written = true))
      setImmediate(() => res.destroy())
    })
    await expect(response.text()).rejects.toThrow('The answer broke off')
    expect(written).toBe(true)
  })
})
