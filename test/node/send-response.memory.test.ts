import type { ServerResponse } from 'node:http'
import { applyHeaders, sendAtOnce, sendResponse } from '../../src/node/send-response.js'
import { LightResponse } from '../../src/answer/light-response.js'
import { type NodePair, nodePair, settled } from '../support/node-pair.js'

type Payload = LightResponse['payload']

const light = (payload: Payload, headers: string[] = [], status = 200, message?: string): LightResponse =>
  new LightResponse(status, headers, payload, message)
/** A light answer as handlers see it. */
const asResponse = (answer: LightResponse): Response => answer as unknown as Response
const fails = (error: unknown): never => {
  throw error
}

/** What is sent of an answer on a response that `before` has had in hand. */
async function send(
  answer: LightResponse | Response,
  { method = 'GET', before }: { method?: string; before?: (res: ServerResponse) => void } = {},
): Promise<NodePair> {
  const pair = nodePair({ method })
  before?.(pair.res)
  void sendResponse(pair.res, answer, method !== 'HEAD', fails)
  await settled()
  return pair
}

/** The lines of a head that are the answer's own. */
const own = ({ head }: NodePair): string[] =>
  head().filter((line) => !/^(Connection|Keep-Alive): /.test(line))

/** A source that is read step by step, and that counts what is asked of it. */
function sourceOf(next: (call: number) => Promise<string | undefined>): {
  counts: { next: number; cancelled: number }
  iterable: AsyncIterable<string>
} {
  const counts = { next: 0, cancelled: 0 }
  const iterator: AsyncIterator<string> = {
    async next() {
      const value = await next(++counts.next)
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    async return() {
      counts.cancelled++
      return { done: true, value: undefined }
    },
  }
  return { counts, iterable: { [Symbol.asyncIterator]: () => iterator } }
}

/** A source of these pieces. */
const piecesOf = (...pieces: string[]): ReturnType<typeof sourceOf> =>
  sourceOf(async (call) => pieces[call - 1])

describe('sendAtOnce', () => {
  it('sends head and text in one piece', () => {
    const { res, pieces } = nodePair()
    expect(sendAtOnce(res, light('é', ['X-A', '1'], 201), true)).toBe(true)
    expect([pieces, res.writableEnded]).toEqual([
      [
        'HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n' +
          Buffer.from('é').toString('latin1'),
      ],
      true,
    ])
  })

  it('keeps what is Latin-1 in a head as it is beside a text', () => {
    const { res, head, body } = nodePair()
    sendAtOnce(res, light('é', ['X-A', 'a', 'X-B', 'é']), true)
    expect([head().includes('X-B: é'), body()]).toEqual([true, Buffer.from('é').toString('latin1')])
  })

  it('sends bytes, and no body at all', () => {
    const [bytes, none] = [nodePair(), nodePair()]
    sendAtOnce(bytes.res, light(Uint8Array.of(1, 2, 255)), true)
    sendAtOnce(none.res, light(null), true)
    expect([own(bytes), bytes.body()]).toEqual([['HTTP/1.1 200 OK', 'Content-Length: 3'], '\x01\x02\xff'])
    expect([own(none), none.body()]).toEqual([['HTTP/1.1 200 OK', 'Content-Length: 0'], ''])
  })

  it('sends for HEAD the head alone', () => {
    const pair = nodePair({ method: 'HEAD' })
    expect(sendAtOnce(pair.res, light('abc'), false)).toBe(true)
    expect([own(pair), pair.body()]).toEqual([['HTTP/1.1 200 OK', 'Content-Length: 3'], ''])
  })

  const touched = light('a')
  void asResponse(touched).headers
  it.each<[string, LightResponse | Response, boolean]>([
    ['a web Response', new Response('a'), false],
    ['one that was touched', touched, false],
    ['one with a reason of its own', light('a', [], 200, 'Fine'), false],
    ['one that has no body by its status', light('a', [], 204), false],
    ['a stream', light(piecesOf('a').iterable), false],
    ['nothing for HEAD', light(null), true],
  ])('leaves %s to others', (_what, answer, head) => {
    const { res, pieces } = nodePair({ method: head ? 'HEAD' : 'GET' })
    expect(sendAtOnce(res, answer, !head)).toBe(false)
    expect([pieces, res.headersSent, res.writableEnded]).toEqual([[], false, false])
  })

  it.each<[string, (res: ServerResponse) => void]>([
    ['has begun', (res) => res.writeHead(202)],
    ['is gone', (res) => res.destroy()],
    ['has headers', (res) => res.setHeader('X-A', '1')],
  ])('leaves a response alone that %s', (_what, before) => {
    const { res, pieces } = nodePair()
    before(res)
    expect([sendAtOnce(res, light('a'), true), pieces, res.writableEnded]).toEqual([false, [], false])
  })
})

describe('sendResponse in memory', () => {
  it.each(['headersSent', 'writableEnded', 'destroyed'])('gives a stream up where %s', async (member) => {
    const { counts, iterable } = piecesOf('a')
    // Whatever else were done with it would throw.
    void sendResponse({ [member]: true } as never, light(iterable), true, fails)
    await settled()
    expect(counts).toEqual({ next: 0, cancelled: 1 })
  })

  it('sends head and text in one piece, with the reason', async () => {
    const { pieces } = await send(light('a', ['X-A', '1'], 200, 'Fine'))
    expect(pieces).toEqual([
      'HTTP/1.1 200 Fine\r\nX-A: 1\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\na',
    ])
  })

  it('keeps what is Latin-1 in a head as it is beside a text', async () => {
    const { head, body } = await send(light('é', ['X-A', 'é']))
    expect([head().includes('X-A: é'), body()]).toEqual([true, Buffer.from('é').toString('latin1')])
  })

  it('takes a reason back that was meant for an earlier answer', async () => {
    const { head } = await send(light('a', [], 404), { before: (res) => void (res.statusMessage = 'Old') })
    expect(head()[0]).toBe('HTTP/1.1 404 Not Found')
  })

  it('sends a web Response, without what speaks of a connection', async () => {
    const headers = { 'X-A': '1', Upgrade: 'h2c', 'Keep-Alive': 'timeout=99' }
    const pair = await send(new Response('abc', { status: 201, statusText: 'Fine', headers }))
    expect(own(pair)).toEqual([
      'HTTP/1.1 201 Fine',
      'content-type: text/plain;charset=UTF-8',
      'x-a: 1',
      'Content-Length: 3',
    ])
    expect(pair.body()).toBe('abc')
  })

  it('sends what a light answer has become by its touch', async () => {
    const answer = light('abc', ['X-A', '1'])
    asResponse(answer).headers.set('X-A', '2')
    expect(own(await send(answer))).toContain('x-a: 2')
  })

  it.each([204, 205, 304])('sends no body with %d, and gives up a stream', async (status) => {
    const { counts, iterable } = piecesOf('a')
    const pair = await send(light(iterable, [], status), {
      before: (res) => res.setHeader('Content-Length', '7'),
    })
    const length = pair.head().filter((line) => line.startsWith('Content-Length'))
    expect([length, pair.body()]).toEqual([status === 205 ? ['Content-Length: 0'] : [], ''])
    expect(counts).toEqual({ next: 0, cancelled: 1 })
  })

  it('says how long an answer without a body is', async () => {
    const earlier = { before: (res: ServerResponse) => void res.setHeader('Content-Length', '7') }
    expect(own(await send(light(null), earlier))).toEqual(['HTTP/1.1 200 OK', 'Content-Length: 0'])
  })

  it.each<[string, Payload, string[], string[]]>([
    ['a text', 'abc', [], ['Content-Length: 3']],
    ['nothing', null, [], ['Content-Length: 0']],
    ['nothing, and a length', null, ['Content-Length', '7'], ['Content-Length: 7']],
    ['a stream', piecesOf('a').iterable, [], []],
    ['a stream, and a length', piecesOf('a').iterable, ['Content-Length', '7'], ['Content-Length: 7']],
  ])('sends for HEAD of %s the head alone', async (_what, payload, headers, expected) => {
    const ended: unknown[][] = []
    const pair = await send(light(payload, headers), {
      method: 'HEAD',
      before(res) {
        const end = res.end.bind(res) as (...parameters: unknown[]) => ServerResponse
        res.end = (...parameters: unknown[]) => {
          ended.push(parameters)
          return end(...parameters)
        }
      },
    })
    expect([own(pair), pair.body()]).toEqual([['HTTP/1.1 200 OK', ...expected], ''])
    // What wraps end() to change bodies finds none.
    expect(ended).toEqual([[]])
  })

  it('gives up the stream of an answer to HEAD, unread', async () => {
    const { counts, iterable } = piecesOf('a')
    await send(light(iterable), { method: 'HEAD' })
    expect(counts).toEqual({ next: 0, cancelled: 1 })
  })
})

describe('sendResponse of an answer that cannot be sent', () => {
  it.each([
    ['a header', 'a\x01b', 'Fine'],
    ['its reason', 'ab', 'Fi\nne'],
  ])('for %s leaves the response as it was, and gives up the stream', async (_what, header, reason) => {
    const { counts, iterable } = piecesOf('a')
    const { res } = nodePair()
    res.statusMessage = 'Earlier'
    const before = [res.statusCode, res.statusMessage, { ...res.getHeaders() }]
    const broken = light(iterable, ['X-A', '1', 'X-B', header], 201, reason)
    expect(() => sendResponse(res, broken, true, fails)).toThrow()
    await settled()
    expect([res.statusCode, res.statusMessage, { ...res.getHeaders() }]).toEqual(before)
    expect(counts).toEqual({ next: 0, cancelled: 1 })
  })

  it('gives up the body of a Response whose client goes while it is read', async () => {
    let isCancelled = false
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) })
    const { res } = nodePair()
    const sending = sendResponse(res, new Response(body), true, fails)
    res.destroy()
    await sending
    expect(isCancelled).toBe(true)
  })
})

describe('applyHeaders', () => {
  /** The headers of a response that had some. */
  function applied(earlier: Record<string, string | string[]>, headers: string[]): Record<string, unknown> {
    const { res } = nodePair()
    for (const [name, value] of Object.entries(earlier)) res.setHeader(name, value)
    applyHeaders(res, headers)
    return { ...res.getHeaders() }
  }

  it('replaces a header of its name, by all of its lines', () => {
    expect(applied({ 'X-A': 'old', 'X-B': 'old' }, ['x-a', '1', 'X-C', '3', 'X-A', '2'])).toEqual({
      'x-a': ['1', '2'],
      'x-b': 'old',
      'x-c': '3',
    })
  })

  it.each(['old=1', ['old=1', 'new=1']])('adds cookies to %p, each once', (earlier) => {
    expect(applied({ 'Set-Cookie': earlier }, ['SET-COOKIE', 'new=1', 'set-cookie', 'new=2'])).toEqual({
      'set-cookie': ['old=1', 'new=1', 'new=2'],
    })
  })

  it('sets the first cookies', () => {
    expect(applied({}, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=1'])).toEqual({ 'set-cookie': ['a=1', 'b=1'] })
  })

  it.each<[string | string[], string, string]>([
    ['Accept,Cookie', 'Origin,cookie', 'Accept, Cookie, Origin'],
    ['Accept ,  Cookie', 'accept,  COOKIE , Origin', 'Accept ,  Cookie, Origin'],
    [['Accept', 'Cookie'], 'cookie', 'Accept, Cookie'],
    ['Accept', '*', 'Accept, *'],
  ])('adds to Vary %p what %p has more', (earlier, added, expected) => {
    const { vary } = applied({ Vary: earlier }, ['VARY', added])
    const text = Array.isArray(vary) ? vary.join(', ') : String(vary)
    expect(text.replace(/ *, */g, ', ')).toBe(expected.replace(/ *, */g, ', '))
  })

  it('leaves a Vary as it is to which nothing is added', () => {
    expect(applied({ Vary: ['Accept', 'Cookie'] }, ['Vary', 'cookie']).vary).toEqual(['Accept', 'Cookie'])
    expect(applied({}, ['Vary', 'Accept , Cookie']).vary).toBe('Accept , Cookie')
  })
})

describe('a stream in memory', () => {
  it('has its head sent before anything comes', async () => {
    const { res, head } = nodePair()
    void sendResponse(
      res,
      light(sourceOf(() => new Promise(() => {})).iterable, ['X-A', '1'], 201),
      true,
      fails,
    )
    expect(head().slice(0, 2)).toEqual(['HTTP/1.1 201 Created', 'X-A: 1'])
    await settled()
    expect(res.writableEnded).toBe(false)
  })

  it('is sent to its end, and not given up after it', async () => {
    const { counts, iterable } = piecesOf('a', 'bc')
    const { body } = await send(light(iterable))
    // Node 26 makes one chunk of what is written in one turn.
    const text = body().replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '')
    expect([text, counts]).toEqual(['abc\r\n', { next: 3, cancelled: 0 }])
  })

  it('waits for a slow client, and goes on when it reads', async () => {
    const { res, take, body } = nodePair({ slow: true })
    const big = 'x'.repeat(100_000)
    const { counts, iterable } = piecesOf(big, big, 'end')
    void sendResponse(res, light(iterable), true, fails)
    await settled()
    expect(counts.next).toBe(1)
    take()
    await settled()
    expect([counts, body().endsWith('3\r\nend\r\n0\r\n\r\n')]).toEqual([{ next: 4, cancelled: 0 }, true])
  })

  it('is given up once when its client goes away while it is silent', async () => {
    let speak = (_text: string): void => {}
    const { counts, iterable } = sourceOf(() => new Promise((resolve) => (speak = resolve)))
    const { res, pieces } = nodePair()
    void sendResponse(res, light(iterable), true, fails)
    await settled()
    res.destroy()
    await settled()
    const sent = pieces.length
    expect(counts).toEqual({ next: 1, cancelled: 1 })
    const write = jest.spyOn(res, 'write')
    speak('too late')
    await settled()
    expect([write.mock.calls, pieces.length, counts.next, res.writableEnded]).toEqual([[], sent, 1, false])
  })

  it('is given up once when its client goes away while it waits for it', async () => {
    const { res, take } = nodePair({ slow: true })
    const big = 'x'.repeat(100_000)
    const { counts, iterable } = piecesOf(big, big, big)
    void sendResponse(res, light(iterable), true, fails)
    await settled()
    res.destroy()
    take()
    await settled()
    expect([counts, res.writableEnded]).toEqual([{ next: 1, cancelled: 1 }, false])
  })

  it('has nothing to say when it fails after its client has gone', async () => {
    let fail = (_error: Error): void => {}
    const { iterable } = sourceOf(() => new Promise((_resolve, reject) => (fail = reject)))
    const { res } = nodePair()
    const onError = jest.fn()
    void sendResponse(res, light(iterable), true, onError)
    await settled()
    res.destroy()
    await settled()
    fail(new Error('told to end'))
    await settled()
    expect(onError).not.toHaveBeenCalled()
  })

  it('is given up once, told of and cut off when it fails', async () => {
    const midway = new Error('midway')
    const { counts, iterable } = sourceOf((call) =>
      call === 1 ? Promise.resolve('a') : new Promise((_resolve, reject) => setImmediate(reject, midway)),
    )
    const { res, socket, body } = nodePair()
    const onError = jest.fn()
    void sendResponse(res, light(iterable), true, onError)
    await settled()
    expect([onError.mock.calls, counts.cancelled, body()]).toEqual([[[midway]], 1, '1\r\na\r\n'])
    expect([res.destroyed, socket.destroyed]).toEqual([true, true])
  })

  it.each([[null], [7], [new Uint16Array(1)], [new ArrayBuffer(1)]])(
    'is cut off where it gives neither bytes nor a text: %p',
    async (piece) => {
      const { counts, iterable } = sourceOf(() => Promise.resolve(piece as never))
      const { res } = nodePair()
      const onError = jest.fn()
      void sendResponse(res, light(iterable), true, onError)
      await settled()
      expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'ERR_RESPONSE_INVALID' }))
      expect([counts.cancelled, res.destroyed]).toEqual([1, true])
    },
  )

  it.each([
    ['text/event-stream', 2],
    ['text/event-stream; charset=utf-8', 2],
    ['text/plain', 0],
    ['x-text/event-stream', 0],
  ])('of the type %s is pushed out %d times', async (type, count) => {
    const flush = jest.fn()
    await send(light(piecesOf('a', 'b').iterable, ['Content-Type', type]), {
      before: (res) => void Object.assign(res, { flush }),
    })
    expect(flush).toHaveBeenCalledTimes(count)
  })

  it('of events needs nobody who pushes it out', async () => {
    const { body } = await send(light(piecesOf('a').iterable, ['Content-Type', 'text/event-stream']))
    expect(body()).toBe('1\r\na\r\n0\r\n\r\n')
  })
})
