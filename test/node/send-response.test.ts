import type { IncomingMessage, ServerResponse } from 'node:http'
import { LightResponse } from '../../src/answer/light-response.js'
import { canBeCoded } from '../../src/node/content-coding.js'
import { sendResponse } from '../../src/node/send-response.js'
import { listenOn, type Received, sendTo } from '../support/describe-servings.js'

/** What a client receives of what `answer` does with a ServerResponse. */
async function receive(
  answer: (res: ServerResponse, req: IncomingMessage) => void,
  method = 'GET',
): Promise<Received> {
  const { port, close } = await listenOn((req, res) => answer(res, req))
  try {
    return await sendTo(port)('/', { method })
  } finally {
    await close()
  }
}

const fails = (error: unknown): never => {
  throw error
}
const light = (status: number, headers: string[], payload: LightResponse['payload']): LightResponse =>
  new LightResponse(status, headers, payload)

describe('sendResponse', () => {
  it('sends status, headers and body', async () => {
    const answer = light(201, ['X-A', '1', 'X-B', '2'], 'é')
    const { status, headers, text } = await receive((res) => void sendResponse(res, answer, true, fails))
    expect([status, headers['x-a'], headers['x-b'], headers['content-length'], text]).toEqual([
      201,
      '1',
      '2',
      '2',
      'é',
    ])
  })

  it('leaves no listener behind, once the first piece of a Response has come', async () => {
    let pulled = 0
    let listeners = 0
    const answer = await receive((res) => {
      listeners -= res.listenerCount('close')
      const body = new ReadableStream({
        type: 'bytes',
        async pull(controller) {
          await new Promise(setImmediate)
          if (++pulled < 3) return controller.enqueue(new TextEncoder().encode('tea'))
          listeners += res.listenerCount('close')
          controller.close()
        },
      })
      const headers = { 'content-encoding': 'identity' }
      void sendResponse(res, new Response(body, { headers }), true, fails)
    })
    expect([answer.text, listeners]).toEqual(['teatea', 1])
  })

  it.each<[string, number[], boolean]>([
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd, 0], true],
    ['zstd', [0x28, 0xb5], true],
    ['gzip, ZSTD', [0x28], true],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfe], false],
    ['zstd', [0x74, 0x65, 0x61], false],
    ['gzip', [0x1f, 0x8b], true],
    ['x-gzip', [0x74, 0x65, 0x61], false],
    ['deflate', [0x78, 0x9c], true],
    ['deflate', [0xff, 0xff, 0xff], false],
    ['br', [], true],
    ['own', [0x74, 0x65, 0x61], true],
  ])('%s may have made the bytes %j: %j', (codings, bytes, expected) => {
    expect(canBeCoded(codings, new Uint8Array(bytes))).toBe(expected)
  })

  it('sends several lines of one name', async () => {
    const answer = light(200, ['X-A', '1', 'x-a', '2', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'], null)
    const { headers, cookies } = await receive((res) => void sendResponse(res, answer, true, fails))
    expect([headers['x-a'], cookies]).toEqual(['1, 2', ['a=1', 'b=2']])
  })

  it('corrects a Content-Length that is not the body’s', async () => {
    const answer = light(200, ['Content-Length', '99'], 'abc')
    const { headers, text } = await receive((res) => void sendResponse(res, answer, true, fails))
    expect([headers['content-length'], text]).toEqual(['3', 'abc'])
  })

  it('lets the answer decide the status, whatever was on the response before', async () => {
    const answer = light(200, [], 'x')
    const { status } = await receive((res) => {
      res.statusCode = 404
      void sendResponse(res, answer, true, fails)
      res.statusCode = 500
    })
    expect(status).toBe(200)
  })

  it('adds cookies to those that are there in whatever form, each once', async () => {
    const answer = light(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'], null)
    const { cookies } = await receive((res) => {
      res.setHeader('set-cookie', 'a=1')
      void sendResponse(res, answer, true, fails)
    })
    expect(cookies).toEqual(['a=1', 'b=2'])
  })

  it.each([
    [undefined, 'Accept', 'Accept'],
    ['Accept', 'accept', 'Accept'],
    ['Accept', 'Origin, ACCEPT', 'Accept, Origin'],
    [['Accept', 'Cookie'], 'Origin', 'Accept, Cookie, Origin'],
  ])('merges Vary %p with %p', async (earlier, own, expected) => {
    const { headers } = await receive((res) => {
      if (earlier !== undefined) res.setHeader('vary', earlier)
      void sendResponse(res, light(200, ['Vary', own], null), true, fails)
    })
    expect(headers['vary']).toBe(expected)
  })

  it.each([204, 304])('takes a Content-Length off a %d', async (status) => {
    const { headers, text } = await receive((res) => {
      res.setHeader('Content-Length', 3)
      void sendResponse(res, light(status, [], 'abc'), true, fails)
    })
    expect([headers['content-length'], text]).toEqual([undefined, ''])
  })

  it('gives back the Content-Length of before where the answer cannot be sent', async () => {
    const answer = light(200, ['X-A', '1'], 'abc')
    answer.statusMessage = 'no\nstatus'
    const { headers, text } = await receive((res) => {
      res.setHeader('Content-Length', 5)
      expect(() => sendResponse(res, answer, true, fails)).toThrow('statusMessage')
      res.end('first')
    })
    expect([headers['content-length'], headers['x-a'], text]).toEqual(['5', undefined, 'first'])
  })

  it('stays out where an answer has begun, and gives up its stream', async () => {
    let cancelled = false
    const source = new ReadableStream({ cancel: () => void (cancelled = true) })
    const { status, text } = await receive((res) => {
      res.writeHead(202)
      void sendResponse(res, light(200, [], source), true, fails)
      res.end('first')
    })
    expect([status, text, cancelled]).toEqual([202, 'first', true])
  })

  it('pushes out each event of an event stream through what compresses it', async () => {
    let flushes = 0
    const events = (async function* () {
      yield 'data: a\n\n'
      yield 'data: b\n\n'
    })()
    const { text } = await receive((res) => {
      Object.assign(res, { flush: () => void flushes++ })
      void sendResponse(res, light(200, ['Content-Type', 'text/event-stream'], events), true, fails)
    })
    expect([text, flushes]).toEqual(['data: a\n\ndata: b\n\n', 2])
  })

  it('does not wait for callbacks of write(), which compression drops', async () => {
    const pieces = (async function* () {
      for (let at = 0; at < 5; at++) yield `${at}`
    })()
    const { text } = await receive((res) => {
      const write = res.write.bind(res)
      Object.assign(res, { write: (chunk: string) => write(chunk) })
      void sendResponse(res, light(200, [], pieces), true, fails)
    })
    expect(text).toBe('01234')
  })

  it('reports what a stream fails with, once', async () => {
    const errors: unknown[] = []
    const failure = new Error('midway')
    const source = (async function* () {
      yield 'x'
      throw failure
    })()
    await expect(
      receive(
        (res) => void sendResponse(res, light(200, [], source), true, (error) => void errors.push(error)),
      ),
    ).rejects.toThrow()
    expect(errors).toEqual([failure])
  })

  it.each([7, {}, null, undefined])('cuts off a stream that gives %p, which is no chunk', async (chunk) => {
    const errors: unknown[] = []
    const source = (async function* () {
      yield chunk as never
    })()
    await expect(
      receive(
        (res) => void sendResponse(res, light(200, [], source), true, (error) => void errors.push(error)),
      ),
    ).rejects.toThrow()
    expect(errors).toHaveLength(1)
  })
})
