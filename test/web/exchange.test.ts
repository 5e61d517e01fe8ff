import { getEventListeners } from 'node:events'
import { LightResponse } from '../../src/answer/light-response.js'
import { defaultRules } from '../../src/body/limits.js'
import type { ServedPlatform } from '../../src/request/platform.js'
import { WebExchange } from '../../src/web/exchange.js'
import { refusal } from '../support/refusal.js'

/** An exchange over a Request, or over what stands for one; what is logged, and what it is answered with. */
function serve(request: Request | Partial<Request>) {
  const logged: string[] = []
  const statuses: unknown[] = []
  const log = (line: string): void => void logged.push(line)
  const logger = { info: log, warn: log, error: (line: string) => log(`error ${line}`) }
  const { promise, resolve } = resolvable<Response>()
  const exchange = new WebExchange(request as Request, resolve, () => {}, defaultRules, undefined, undefined)
  exchange.whenAnswered((status) => void statuses.push(status))
  const send = (answer: LightResponse | Response): Promise<Response> => {
    exchange.send(answer, logger)
    return promise
  }
  return { exchange, send, answer: promise, logged, statuses }
}

function resolvable<T>() {
  let resolve!: (value: T | Promise<T>) => void
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

const post = (body: string | ReadableStream | null, headers: Record<string, string> = {}): Request =>
  new Request('http://x/', { method: 'POST', body, headers, duplex: 'half' })

/** A stream of these pieces; `after` is what happens then, and `cancelled` what it is cancelled with. */
function streamOf(pieces: readonly string[], after: 'end' | 'fail' | 'stay' = 'end') {
  const cancelled: unknown[] = []
  const left = [...pieces]
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = left.shift()
        if (next !== undefined) controller.enqueue(new TextEncoder().encode(next))
        else if (after === 'end') controller.close()
        else if (after === 'fail') controller.error(new Error('the line is dead'))
      },
      cancel: (reason) => void cancelled.push(reason),
    },
    { highWaterMark: 0 },
  )
  return { stream, cancelled }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

describe('What is routed of a Request', () => {
  it.each([
    ['http://x/a/b?c=d', '/a/b', 'c=d', '/a/b?c=d'],
    ['http://x/', '/', '', '/'],
    ['http://x/?', '/', '', '/?'],
    ['/a/b?c', '/a/b', 'c', '/a/b?c'],
    ['http://x/a#b', '/a', '', '/a'],
    ['http://x/a?b#c', '/a', 'b', '/a?b'],
    ['http://x/a#b?c', '/a', '', '/a'],
    ['http://u:p@x:80//a', '//a', '', '//a'],
  ])('of %s is %s and %p', (url, path, search, original) => {
    const { exchange } = serve({ url, method: 'GET' })
    expect([exchange.path, exchange.search, exchange.originalUrl, exchange.problem]).toEqual([
      path,
      search,
      original,
      undefined,
    ])
  })

  it('is refused where it is too long', () => {
    const { exchange } = serve(new Request(`http://x/${'a'.repeat(100_000)}`))
    expect(exchange.problem).toMatchObject({ code: 'ERR_TARGET_TOO_LONG' })
  })
})

describe('The signal', () => {
  const listenersOf = (request: Request): number => getEventListeners(request.signal, 'abort').length

  it('aborts with the one of the Request, and with its reason', () => {
    const client = new AbortController()
    const { signal } = serve(new Request('http://x', { signal: client.signal })).exchange
    expect(signal.aborted).toBe(false)
    client.abort('gone')
    expect([signal.aborted, signal.reason]).toEqual([true, 'gone'])
  })

  it('has aborted where that has', () => {
    const { signal } = serve(new Request('http://x', { signal: AbortSignal.abort('gone') })).exchange
    expect([signal.aborted, signal.reason]).toEqual([true, 'gone'])
  })

  it('is there, and the same, where the Request has none', () => {
    const { exchange } = serve({ url: 'http://x/', method: 'GET' })
    expect([exchange.signal.aborted, exchange.signal === exchange.signal]).toEqual([false, true])
  })

  it.each([
    ['an answer', (answer: LightResponse) => answer, 'GET'],
    ['an answer to HEAD', (answer: LightResponse) => answer, 'HEAD'],
  ])('aborts no more after %s, and leaves no listener', async (_what, of, method) => {
    const client = new AbortController()
    const request = new Request('http://x', { signal: client.signal, method })
    const before = listenersOf(request)
    const { exchange, send } = serve(request)
    const { signal } = exchange
    expect(listenersOf(request)).toBe(before + 1)
    await send(of(new LightResponse(200, [], 'abc')))
    expect(listenersOf(request)).toBe(before)
    client.abort()
    expect(signal.aborted).toBe(false)
  })

  it('aborts until a stream has ended', async () => {
    const request = new Request('http://x')
    const before = listenersOf(request)
    const { exchange, send } = serve(request)
    expect(exchange.signal.aborted).toBe(false)
    const response = await send(new LightResponse(200, [], streamOf(['a', 'b']).stream))
    const reader = response.body!.getReader()
    for (const piece of ['a', 'b']) {
      expect(text((await reader.read()).value)).toBe(piece)
      expect(listenersOf(request)).toBe(before + 1)
    }
    expect([(await reader.read()).done, listenersOf(request)]).toEqual([true, before])
  })

  it('listens to nothing where it is read after the answer', async () => {
    const client = new AbortController()
    const request = new Request('http://x', { signal: client.signal })
    const before = listenersOf(request)
    const { exchange, send } = serve(request)
    await send(new LightResponse(204, [], null))
    expect([exchange.signal.aborted, listenersOf(request)]).toEqual([false, before])
    client.abort()
    expect(exchange.signal.aborted).toBe(false)
  })
})

describe('A listener that nothing needs any more', () => {
  it('is left neither on the signal of a Request whose body was read in pieces, nor where that breaks off', async () => {
    for (const [after, pieces] of [['end', 3] as const, ['stay', 1] as const]) {
      const request = post(streamOf(['a', 'b', 'c'], after).stream)
      let read = 0
      for await (const _chunk of { [Symbol.asyncIterator]: () => serve(request).exchange.chunks() })
        if (++read === pieces) break
      expect(getEventListeners(request.signal, 'abort')).toEqual([])
    }
  })

  it.each(['text/plain', 'text/event-stream'])(
    'is not left on those of a server once a stream of %s is over',
    async (type) => {
      const [events, all] = [new AbortController(), new AbortController()]
      const platform = { stopping: { events: events.signal, all: all.signal } } as unknown as ServedPlatform
      const listening = (): number =>
        [events, all].reduce((sum, { signal }) => sum + getEventListeners(signal, 'abort').length, 0)
      for (const read of [
        (response: Response): unknown => response.text(),
        (response: Response): unknown => response.body!.cancel(),
      ]) {
        const { promise, resolve } = resolvable<Response>()
        const request = new Request('http://x/')
        const exchange = new WebExchange(request, resolve, () => {}, defaultRules, platform, undefined)
        const { stream } = streamOf(['a', 'b'])
        exchange.send(new LightResponse(200, ['Content-Type', type], stream), console)
        const response = await promise
        expect(listening()).toBe(1)
        await read(response)
        expect(listening()).toBe(0)
      }
    },
  )
})

describe('A stream of a server that stops', () => {
  const sendOf = async (type: string, stops: 'before' | 'while it is sent') => {
    const [events, all] = [new AbortController(), new AbortController()]
    const stop = (): void => {
      events.abort()
      all.abort(new Error('stopped'))
    }
    const platform = { stopping: { events: events.signal, all: all.signal } } as unknown as ServedPlatform
    const { promise, resolve } = resolvable<Response>()
    const exchange = new WebExchange(
      new Request('http://x/'),
      resolve,
      () => {},
      defaultRules,
      platform,
      undefined,
    )
    // It gives what it has, whether it was cancelled or not.
    const source = {
      pieces: ['a', 'b'],
      cancelled: 0,
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false as const, value: source.pieces.shift() ?? 'more' }),
        return: () => Promise.resolve({ done: true as const, value: ++source.cancelled }),
      }),
    }
    if (stops === 'before') stop()
    exchange.send(new LightResponse(200, ['Content-Type', type], source), console)
    const reader = (await promise).body!.getReader()
    const read = async (): Promise<string> => {
      const { done, value } = await reader.read().catch(() => ({ done: false, value: Buffer.from('broken') }))
      return done ? 'end' : text(value)
    }
    return { exchange, stop, read, source }
  }

  it.each([
    ['text/event-stream', 'end'],
    ['text/plain', 'broken'],
  ])('is over where %s is read after that: %s', async (type, over) => {
    const { stop, read, source, exchange } = await sendOf(type, 'while it is sent')
    expect(await read()).toBe('a')
    stop()
    expect(await read()).toBe(over)
    expect([source.cancelled > 0, exchange.signal.aborted]).toEqual([true, true])
  })

  it.each([
    ['text/event-stream', 'end'],
    ['text/plain', 'broken'],
  ])('is over where %s comes after that: %s', async (type, over) => {
    const { read, source, exchange } = await sendOf(type, 'before')
    expect(await read()).toBe(over)
    expect([source.cancelled > 0, exchange.signal.aborted]).toEqual([true, true])
  })
})

describe('Whether there is a body', () => {
  it.each<[string, Request | Partial<Request>, boolean]>([
    ['a GET', new Request('http://x'), false],
    ['a POST without one', post(null), false],
    ['a POST with one', post('abc'), true],
    ['an empty text', post(''), true],
    ['an empty text with its length', post('', { 'content-length': '0' }), false],
    ['a stream', post(streamOf(['a']).stream), true],
  ])('is seen of %s', (_what, request, expected) => {
    expect(serve(request).exchange.hasBody).toBe(expected)
  })

  it.each([
    ['GET', '3', 1, false],
    ['HEAD', '3', 1, false],
    ['POST', '3', 0, true],
    ['POST', '0', 0, false],
  ])('of %s with the length %s looks at the stream %d times', (method, length, times, expected) => {
    let looked = 0
    const request = {
      ...{ url: 'http://x/', method, headers: new Headers({ 'content-length': length }), bodyUsed: false },
      get body() {
        looked++
        return null
      },
    }
    const { exchange } = serve(request)
    expect([exchange.hasBody, exchange.bodyConsumed, looked]).toEqual([expected, false, times])
  })

  it('is none of the length 0, whatever the method', () => {
    const request = {
      method: 'GET',
      body: streamOf([]).stream,
      headers: new Headers({ 'content-length': '0' }),
    }
    expect(serve({ url: 'http://x/', ...request }).exchange.hasBody).toBe(false)
  })

  it.each([{}, { 'content-length': '3' }])(
    'is not so any more where it has been read, with %p',
    async (headers) => {
      const read = post('abc', headers)
      await read.text()
      expect(serve(read).exchange.bodyConsumed).toBe(true)
    },
  )

  it('is not so any more where it is being read', () => {
    const locked = post('abc')
    locked.body!.getReader()
    expect(serve(locked).exchange.bodyConsumed).toBe(true)
    expect(serve(post('abc')).exchange.bodyConsumed).toBe(false)
    expect(serve(post(null)).exchange.bodyConsumed).toBe(false)
  })
})

describe('The bytes of a body', () => {
  it('are those of one body', async () => {
    const { exchange } = serve(post('abc', { 'content-type': 'text/plain' }))
    exchange.prepare(3)
    expect([await exchange.body.text(), exchange.body === exchange.body]).toEqual(['abc', true])
  })

  it.each([
    ['of a text', () => post('abc')],
    ['of a text with its length', () => post('abc', { 'content-length': '3' })],
    ['of a stream', () => post(streamOf(['a', 'bc']).stream)],
  ])('%s are read up to the limit', async (_what, make) => {
    expect(text(await serve(make()).exchange.readBytes(3))).toBe('abc')
    await expect(serve(make()).exchange.readBytes(2)).rejects.toMatchObject({ status: 413 })
  })

  it('are refused where they are more than the length says', async () => {
    const lied = post('abc', { 'content-length': '1' })
    await expect(serve(lied).exchange.readBytes(2)).rejects.toMatchObject({ status: 413 })
  })

  it.each([
    ['with bytes()', { bytes: () => Promise.resolve(new Uint8Array([97])) }],
    [
      'without it, as in Node 20',
      { bytes: undefined, arrayBuffer: () => Promise.resolve(new Uint8Array([97]).buffer) },
    ],
  ])('are read of a Request %s', async (_what, members) => {
    const request = Object.defineProperties(
      post('b', { 'content-length': '1' }),
      Object.getOwnPropertyDescriptors(members),
    )
    expect(text(await serve(request).exchange.readBytes(1))).toBe('a')
  })

  it('are none where there is no body', async () => {
    expect(await serve(post(null)).exchange.readBytes(3)).toHaveLength(0)
  })

  it('are read no further than the limit, and the stream is cancelled', async () => {
    const { stream, cancelled } = streamOf(['abc', 'def'], 'stay')
    await expect(serve(post(stream)).exchange.readBytes(4)).rejects.toMatchObject({ status: 413 })
    expect(cancelled).toHaveLength(1)
  })

  it('are not read where their length is over the limit', async () => {
    const { stream, cancelled } = streamOf(['abc', 'def'], 'stay')
    const { exchange } = serve(post(stream, { 'content-length': '6' }))
    await expect(exchange.readBytes(4)).rejects.toMatchObject({ status: 413 })
    expect(cancelled).toHaveLength(1)
  })

  it('do not cancel a stream that was read to its end', async () => {
    const { stream, cancelled } = streamOf(['abc'])
    const cancel = jest.spyOn(ReadableStreamDefaultReader.prototype, 'cancel')
    await serve(post(stream)).exchange.readBytes(4)
    expect([cancel.mock.calls, cancelled]).toEqual([[], []])
    cancel.mockRestore()
  })

  it('are refused where they were read before', async () => {
    const read = post('abc')
    await read.text()
    await expect(serve(read).exchange.readBytes(3)).rejects.toThrow(
      refusal('ERR_BODY_CONSUMED', 'The body of this Request has been read before'),
    )
    const locked = post('abc', { 'content-length': '3' })
    locked.body!.getReader()
    await expect(serve(locked).exchange.readBytes(3)).rejects.toMatchObject({ code: 'ERR_BODY_CONSUMED' })
  })

  it('are refused to a second loop', async () => {
    const { exchange } = serve(post('abc'))
    const loop = async (): Promise<string> => {
      const chunks: Uint8Array[] = []
      for await (const chunk of exchange.chunks()) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    }
    await expect(loop()).resolves.toBe('abc')
    await expect(loop()).rejects.toMatchObject({ code: 'ERR_BODY_CONSUMED' })
  })

  it.each([
    ['without a length', {}],
    ['with its length', { 'content-length': '9' }],
  ])('say that the client is gone, %s, with the cause', async (_what, headers) => {
    const request = post(streamOf(['abc'], 'fail').stream, headers)
    await expect(serve(request).exchange.readBytes(9)).rejects.toMatchObject({
      code: 'ERR_BODY_ABORTED',
      cause: { message: 'the line is dead' },
    })
  })
})

describe('A Host field on Deno', () => {
  it.each([
    ['a', undefined],
    ['[::1]:8080', undefined],
    ['a/b?', 'ERR_HOST_INVALID'],
    ['a#', 'ERR_HOST_INVALID'],
    ['a\\b', 'ERR_HOST_INVALID'],
    ['b@a', 'ERR_HOST_INVALID'],
  ])('%s makes no other path', async (host, code) => {
    const request = { method: 'GET', url: `http://${host}/x`, headers: new Headers({ host }) } as Request
    expect(serve(request).exchange.problem).toBeUndefined()
    Object.assign(globalThis, { Deno: {} })
    await jest.isolateModulesAsync(async () => {
      const { malformedHost } = await import('../../src/request/exchange.js')
      const { WebExchange: OfDeno } = await import('../../src/web/exchange.js')
      const { serveInMemory } = await import('../../src/node/memory-pair.js')
      const none = (): void => {}
      const { problem } = new OfDeno(request, none, none, defaultRules, undefined, undefined)
      expect([malformedHost(request)?.code, problem?.code]).toEqual([code, code])
      if (code !== undefined)
        await expect(serveInMemory(none, request, undefined)).rejects.toMatchObject({ code })
    })
    delete (globalThis as { Deno?: object }).Deno
  })
})

describe('An answer', () => {
  const head = new Request('http://x', { method: 'HEAD' })
  const lengthOf = (response: Response): string | null => response.headers.get('content-length')

  it('is told with its status, once it is sent', async () => {
    const { exchange, send, statuses } = serve(new Request('http://x'))
    expect([exchange.answered, statuses]).toEqual([false, []])
    await send(new LightResponse(201, ['X-A', '1'], 'abc'))
    expect([exchange.answered, statuses]).toEqual([true, [201]])
  })

  it('shares its headers with no other of its type', async () => {
    const text = (): Promise<Response> =>
      serve(new Request('http://x')).send(new LightResponse(200, ['Content-Type', 'text/a'], 'abc'))
    const first = await text()
    first.headers.set('content-type', 'text/b')
    first.headers.set('x-a', '1')
    expect([...(await text()).headers]).toEqual([['content-type', 'text/a']])
  })

  it('has its type, however many types there were', async () => {
    for (let at = 0; at < 60; at++) {
      const answer = new LightResponse(200, ['Content-Type', `text/x${at}`], 'abc')
      const { headers } = await serve(new Request('http://x')).send(answer)
      expect(headers.get('content-type')).toBe(`text/x${at}`)
    }
  })

  it('that is a Response of the program is given as it is', async () => {
    const own = new Response('abc')
    expect(await serve(new Request('http://x')).send(own)).toBe(own)
  })

  it.each<[string, LightResponse['payload'], string[], string | null]>([
    ['a text', 'é', [], '2'],
    ['bytes', new Uint8Array(3), [], '3'],
    ['nothing', null, [], '0'],
    ['nothing, of a length that is told', null, ['Content-Length', '7'], '7'],
    ['a stream', streamOf(['a']).stream, [], null],
    ['a stream of a length that is told', streamOf(['a']).stream, ['X-A', '9', 'Content-Length', '7'], '7'],
    ['a stream of two lengths', streamOf(['a']).stream, ['Content-Length', '7', 'Content-Length', '8'], null],
  ])('to HEAD has the length of %s, and no body', async (_what, payload, headers, length) => {
    const { send, statuses } = serve(head)
    const response = await send(new LightResponse(200, headers, payload))
    expect([lengthOf(response), await response.text(), statuses]).toEqual([length, '', [200]])
  })

  it('to HEAD cancels a stream', async () => {
    const { stream, cancelled } = streamOf(['a'], 'stay')
    await serve(head).send(new LightResponse(200, [], stream))
    expect(cancelled).toHaveLength(1)
  })

  it.each<[string, () => Response, string | null]>([
    ['a text', () => new Response('abc'), '3'],
    ['no body', () => new Response(null), null],
    [
      'no body, of a length that is told',
      () => new Response(null, { headers: { 'content-length': '7' } }),
      '7',
    ],
    ['a stream that stays open', () => new Response(streamOf(['abc'], 'stay').stream), null],
    [
      'such a stream, of a length that is told',
      () => new Response(streamOf(['abc'], 'stay').stream, { headers: { 'content-length': '7' } }),
      '7',
    ],
  ])('to HEAD has the length of a Response of the program with %s', async (_what, make, length) => {
    const response = await serve(head).send(make())
    expect([lengthOf(response), await response.text()]).toEqual([length, ''])
  })

  it('to HEAD cancels the body of a Response of the program', async () => {
    const { stream, cancelled } = streamOf(['abc'], 'stay')
    await serve(head).send(new Response(stream))
    await new Promise(setImmediate)
    expect(cancelled).toHaveLength(1)
  })

  it('whose stream fails is logged, and fails', async () => {
    const { send, logged } = serve(new Request('http://x/a?b'))
    const response = await send(new LightResponse(200, [], streamOf(['a'], 'fail').stream))
    await expect(response.text()).rejects.toThrow()
    expect(logged).toEqual([
      expect.stringMatching(/^error GET \/a: the answer broke off: .*the line is dead/),
    ])
  })

  it.each([[null], [7], [new Uint16Array(1)], [new ArrayBuffer(1)]])(
    'whose stream gives neither bytes nor a text fails: %p',
    async (piece) => {
      const { send, logged } = serve(new Request('http://x'))
      const pieces = async function* (): AsyncGenerator<string> {
        yield await Promise.resolve(piece as never)
      }
      const response = await send(new LightResponse(200, [], pieces()))
      await expect(response.text()).rejects.toThrow()
      expect(logged).toEqual([expect.stringContaining('not bytes or a string')])
    },
  )

  it('whose stream fails because the client is gone is not logged', async () => {
    const client = new AbortController()
    const { exchange, send, logged } = serve(new Request('http://x', { signal: client.signal }))
    expect(exchange.signal.aborted).toBe(false)
    const response = await send(new LightResponse(200, [], streamOf([], 'fail').stream))
    client.abort()
    await expect(response.text()).rejects.toThrow()
    expect(logged).toEqual([])
  })

  it('whose stream is shorter than the length that it tells fails', async () => {
    const { send, logged } = serve(new Request('http://x'))
    const response = await send(new LightResponse(200, ['Content-Length', '3'], streamOf(['ab']).stream))
    await expect(response.text()).rejects.toThrow()
    expect(logged).toEqual([expect.stringContaining('Content-Length of 3')])
  })

  it('whose stream is longer than the length that it tells is cut, and logged', async () => {
    const { send, logged } = serve(new Request('http://x'))
    const { stream } = streamOf(['abc', 'd'])
    const response = await send(new LightResponse(200, ['Content-Length', '3'], stream))
    expect(await response.text()).toBe('abc')
    expect(logged).toEqual([expect.stringContaining('Content-Length of 3')])
  })

  it('whose stream is not read to its end cancels it', async () => {
    const { stream, cancelled } = streamOf(['a', 'b'], 'stay')
    const response = await serve(new Request('http://x')).send(new LightResponse(200, [], stream))
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(cancelled).toHaveLength(1)
  })

  it('of a status without a body completes at once', async () => {
    const request = new Request('http://x')
    const { exchange, send } = serve(request)
    const before = getEventListeners(request.signal, 'abort').length
    expect(exchange.signal.aborted).toBe(false)
    await send(new LightResponse(304, [], streamOf(['a']).stream))
    expect(getEventListeners(request.signal, 'abort')).toHaveLength(before)
  })

  it('is 500 where the exchange is destroyed, and only before another one', async () => {
    const { exchange, answer, statuses } = serve(new Request('http://x'))
    exchange.destroy()
    exchange.destroy()
    const { status } = await answer
    expect([status, await (await answer).text(), statuses, exchange.answered]).toEqual([
      500,
      'Internal Server Error',
      [500],
      true,
    ])
    const other = serve(new Request('http://x'))
    await other.send(new LightResponse(200, [], 'abc'))
    other.exchange.destroy()
    expect([(await other.answer).status, other.statuses]).toEqual([200, [200]])
  })
})

describe('What a callback reads', () => {
  it('is one object, with method, URL and headers', () => {
    const { exchange } = serve(new Request('http://x/a?b', { method: 'PUT', headers: { 'X-A': '1' } }))
    const req = exchange.prepare(1) as unknown as Record<string, unknown>
    expect([req['method'], req['url'], req['headers']]).toMatchObject(['PUT', '/a?b', { 'x-a': '1' }])
    expect(Object.getPrototypeOf(req['headers'])).toBeNull()
    expect(req['headers']).toBe(req['headers'])
    expect(exchange.prepare(2)).toBe(req)
  })

  it('has each Set-Cookie in a list, as in Node', () => {
    const headers = new Headers({ 'X-A': '1' })
    for (const cookie of ['a=1', 'b=2']) headers.append('Set-Cookie', cookie)
    const { exchange } = serve(new Request('http://x/', { headers }))
    expect(exchange.prepare(1).headers).toEqual({ host: 'x', 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] })
  })

  it.each([
    ['http://x:81/a', {}, 'x:81'],
    ['http://x/a', { Host: 'y' }, 'y'],
    // Bun gives the target alone where the client has sent no Host.
    ['/a', {}, undefined],
  ])('has the Host field of %s, or the host of the URL: %j', (url, headers, host) => {
    const request = { method: 'GET', url, headers: new Headers(headers) }
    const req = serve(request).exchange.prepare(1)
    expect([req.headers.host, req.get('Host')]).toEqual([host, host])
  })

  it('has the limits of the route', () => {
    const { exchange } = serve(post('abc'))
    exchange.prepare(7)
    expect(exchange.streamLimit).toBe(7)
    exchange.prepare(7, 9)
    expect(exchange.streamLimit).toBe(9)
  })

  it('has nothing that hooks of Node would need', () => {
    const { exchange } = serve(new Request('http://x'))
    expect([exchange.retarget(), exchange.lend()()]).toEqual([false, undefined])
  })
})
