// What is kept of a request and its answer, and of which nothing is kept.
import { EventEmitter } from 'node:events'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  capture,
  type CaptureParts,
  type Captured,
  watchLeft,
} from '../../../packages/switch/src/shadow/capture.js'
import { closeHosted, host } from '../../support/hosting.js'
import { sendTo } from '../../support/describe-servings.js'

afterEach(closeHosted)

const parts = { maxBytes: 1000, hold: () => true, release() {}, thrown() {} }

/** A request as far as it is looked at. */
const requestOf = (headers: Readonly<Record<string, string>>, more: object = {}): IncomingMessage =>
  Object.assign(new Readable({ read() {} }), {
    ...{ method: 'POST', url: '/x', headers, rawHeaders: Object.entries(headers).flat(), socket: {} },
    ...more,
  }) as unknown as IncomingMessage

/** What is kept of a request, once the answer of `listener` is sent. */
async function captured(
  listener: (req: IncomingMessage, res: ServerResponse) => void,
  more: Partial<CaptureParts> = {},
  method = 'GET',
): Promise<Captured | string> {
  const found = new Promise<Captured | string>((resolve, reject) => {
    void host((incoming, outgoing) => {
      capture({ ...parts, incoming, outgoing, done: resolve, ...more })
      listener(incoming, outgoing)
    }).then(({ port }) => sendTo(port)('/x', { method }).catch(reject), reject)
  })
  return found
}

it.each(['text/event-stream', 'Text/Event-Stream; charset=utf-8', ' text/event-stream'])(
  'nothing is kept of an answer of the type "%s", which may never end',
  async (type) => {
    expect(await captured((_req, res) => res.setHeader('content-type', type).end('data: 1\n\n'))).toBe(
      'stream',
    )
  },
)

it('nor of one whose type was given to writeHead alone', async () => {
  const listener = (_req: IncomingMessage, res: ServerResponse): void =>
    void res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\n')
  expect(await captured(listener)).toBe('stream')
})

it('a request of which a part has come before is kept by no other part', () => {
  const seen: unknown[] = []
  const incoming = requestOf({ 'content-length': '6' })
  incoming.push('abc')
  const outgoing = new EventEmitter() as unknown as ServerResponse
  capture({ ...parts, incoming, outgoing, done: (one) => seen.push(one) })
  expect(seen).toEqual(['body'])
})

it('a request of HTTP/2 has a host, and no fields that are no headers', () => {
  const seen: unknown[] = []
  const incoming = requestOf({ ':authority': 'tea.example', ':path': '/x', a: 'b' }, { method: 'GET' })
  const outgoing = Object.assign(new EventEmitter(), {
    ...{ writableFinished: true, statusCode: 204, getHeaders: () => ({}), write() {}, end() {} },
  }) as unknown as ServerResponse
  capture({ ...parts, incoming, outgoing, done: (one) => seen.push(one) })
  outgoing.emit('close')
  expect(seen).toMatchObject([
    { request: { headers: { a: 'b', host: 'tea.example' }, rawHeaders: ['a', 'b'] } },
  ])
})

it.each(['abc', ''])('a request that has been read before is kept with its rawBody %j', async (sent) => {
  const seen: unknown[] = []
  const incoming = requestOf({ 'content-length': '3' }, { rawBody: Buffer.from(sent) })
  incoming.push('abc')
  incoming.push(null)
  for await (const _chunk of incoming);
  const outgoing = Object.assign(new EventEmitter(), {
    ...{ writableFinished: true, statusCode: 204, getHeaders: () => ({}), write() {}, end() {} },
  }) as unknown as ServerResponse
  capture({ ...parts, incoming, outgoing, done: (one) => seen.push(one) })
  outgoing.emit('close')
  expect((seen as [Captured])[0].request.body?.toString() ?? '').toBe(sent)
})

it('a request in chunks is kept as one with a length', async () => {
  const seen: unknown[] = []
  const incoming = requestOf({ 'transfer-encoding': 'chunked', a: 'b' })
  const outgoing = Object.assign(new EventEmitter(), {
    ...{ writableFinished: true, statusCode: 204, getHeaders: () => ({}), write() {}, end() {} },
  }) as unknown as ServerResponse
  capture({ ...parts, incoming, outgoing, done: (one) => seen.push(one) })
  for (const chunk of [Buffer.from('tea'), Buffer.from('cup'), null]) incoming.push(chunk)
  outgoing.emit('close')
  const [{ request }] = seen as [Captured]
  expect([request.body?.toString(), request.headers]).toEqual(['teacup', { a: 'b', 'content-length': '6' }])
  expect(request.rawHeaders).toEqual(['a', 'b', 'Content-Length', '6'])
})

it('nothing is kept of what a handler writes to a HEAD, which Node does not send', async () => {
  let held = 0
  const found = await captured(
    (_req, res) => {
      res.write('some')
      res.end('thing')
    },
    { hold: (bytes) => (held += bytes) > 0 },
    'HEAD',
  )
  expect([(found as Captured).answer.body, held]).toEqual(['', 0])
})

it('bytes that a middleware writes in several pieces at the end are kept once', async () => {
  let calls = 0
  const found = new Promise<Captured | string>((resolve, reject) => {
    void host((incoming, outgoing) => {
      const own = outgoing.end.bind(outgoing) as () => ServerResponse
      outgoing.end = function (this: ServerResponse, text: string) {
        calls++
        for (const letter of text) this.write(letter)
        return own()
      } as never
      capture({ ...parts, incoming, outgoing, done: resolve })
      outgoing.write('a')
      outgoing.end('bcd')
    }).then(({ port }) => sendTo(port)('/x').catch(reject), reject)
  })
  expect([((await found) as Captured).answer.body, calls]).toEqual(['abcd', 1])
})

it('what is given back of a body that was too large is what was held of it', async () => {
  let held = 0
  const found = await captured(
    (_req, res) => {
      for (const chunk of ['a'.repeat(600), 'b'.repeat(600)]) res.write(chunk)
      res.end()
    },
    {
      clips: true,
      hold: (bytes) => {
        held += bytes
        return true
      },
      release: (bytes) => void (held -= bytes),
    },
  )
  expect(found).toMatchObject({ isAnswerClipped: true, bytes: 0 })
  expect(held).toBe(0)
})

it.each<[string, unknown[]]>([
  ['an object', [201, { A: 1, 'Set-Cookie': ['b=1', 'c=2'] }]],
  ['an object behind a reason', [201, 'Made', { A: 1, 'Set-Cookie': ['b=1', 'c=2'] }]],
  [
    'a list of pairs',
    [
      201,
      [
        ['A', 1],
        ['Set-Cookie', ['b=1', 'c=2'].join('\n')],
      ],
    ],
  ],
  ['a list', [201, ['A', 1, 'Set-Cookie', ['b=1', 'c=2'].join('\n')]]],
])('a head is as writeHead was given it, as it was left first: %s', (_what, given) => {
  const outgoing = new ServerResponse(requestOf({}))
  outgoing.setHeader('x-tea', ['green'])
  const head = watchLeft(outgoing, () => {})
  expect(head()).toBeUndefined()
  const writeHead = outgoing.writeHead.bind(outgoing) as (...parameters: unknown[]) => unknown
  expect(() => writeHead(...given)).not.toThrow(TypeError)
  outgoing.end('later')
  expect([head()!.status, [...head()!.headers]]).toEqual([
    201,
    [
      ['x-tea', 'green'],
      ['a', '1'],
      ['set-cookie', 'b=1\nc=2'],
    ],
  ])
})
