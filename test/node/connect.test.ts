import type { IncomingMessage, ServerResponse } from 'node:http'
import { toConnect } from '../../src/run/connect.js'
import { withNodeEntry } from '../../src/run/entry.js'
import { serveInMemory } from '../../src/node/memory-pair.js'
import type { ForeignFetchHandler } from '../../src/ground/types.js'

type Next = (this: void, ...parameters: unknown[]) => unknown

/** What a client gets of a host that gives each request to `toConnect(handler)`. */
const receive = (
  handler: ForeignFetchHandler,
  next?: (req: IncomingMessage, res: ServerResponse) => Next,
  init?: RequestInit,
) => {
  const connect = toConnect(handler)
  return serveInMemory(
    (req, res) => connect(req, res, next?.(req, res)),
    new Request('http://named.example/a', init),
  )
}
const failing = async (): Promise<never> => {
  throw Object.assign(new Error('no such tea'), { status: 404 })
}

let logged: jest.SpyInstance
beforeEach(() => {
  logged = jest.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => logged.mockRestore())

it('What a handler answers is sent, and nobody behind is asked', async () => {
  const next = jest.fn()
  const response = await receive(
    (request) => new Response(request.url, { status: 201 }),
    () => next,
  )
  expect([response.status, await response.text()]).toEqual([201, 'http://named.example/a'])
  expect(next).not.toHaveBeenCalled()
})

it('What a handler does not answer goes to next() without a word', async () => {
  const response = await receive(
    () => undefined,
    (_req, res) =>
      (...parameters) =>
        res.end(`passed ${parameters.length}`),
  )
  expect(await response.text()).toBe('passed 0')
})

it('What a handler throws goes to next(error)', async () => {
  const thrown = new Error('boom')
  const response = await receive(
    () => {
      throw thrown
    },
    (_req, res) => (error) => res.end(String(error === thrown)),
  )
  expect(await response.text()).toBe('true')
  expect(logged).not.toHaveBeenCalled()
})

it.each<[string, ForeignFetchHandler, number, string]>([
  ['does not answer', () => undefined, 404, 'Not Found'],
  ['throws', failing, 404, 'no such tea'],
  ['fails', () => Promise.reject(new Error('boom')), 500, 'Internal Server Error'],
])('Without next() it answers itself what a handler %s', async (_how, handler, status, text) => {
  const response = await receive(handler)
  expect([response.status, await response.text()]).toEqual([status, text])
})

it.each([true, false])('The Host of a request is its host’s affair (with next: %p)', async (withNext) => {
  const entry = jest.fn()
  const connect = toConnect(withNodeEntry(async () => new Response(), entry))
  const [req, res] = [{}, {}]
  connect(req as IncomingMessage, res as ServerResponse, withNext ? () => {} : undefined)
  expect(entry.mock.calls).toEqual([
    [req, res, { owned: false }, ...(withNext ? [expect.any(Function), expect.any(Function)] : [])],
  ])
})

describe('A next(error) that throws', () => {
  const throws = (): Next => () => {
    throw new RangeError('as polka does')
  }

  it('is logged, and the error is answered', async () => {
    const response = await receive(failing, throws, { method: 'PUT' })
    expect([response.status, await response.text()]).toEqual([404, 'no such tea'])
    expect(logged.mock.calls).toEqual([
      [expect.stringMatching(/^PUT \/a: next\(error\) has thrown: RangeError: as polka does\n/)],
    ])
  })

  it('is answered as the client accepts it', async () => {
    const response = await receive(failing, throws, { headers: { Accept: 'application/json' } })
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'no such tea',
    })
  })

  it.each([
    ['GET', ['no such tea']],
    ['HEAD', []],
  ])('is answered to %s with %p', async (method, expected) => {
    const given: unknown[] = []
    const response = await receive(
      failing,
      (_req, res) => {
        const end = res.end.bind(res)
        Object.assign(res, { end: (...parameters: []) => (given.push(...parameters), end(...parameters)) })
        return throws()
      },
      { method },
    )
    expect([response.status, response.headers.get('content-length')]).toEqual([404, '11'])
    expect(given).toEqual(expected)
  })

  it('breaks off an answer that it has begun', async () => {
    const response = await receive(failing, (_req, res) => () => {
      res.writeHead(503).flushHeaders()
      throw new Error('midway')
    })
    expect(response.status).toBe(503)
    await expect(response.text()).rejects.toThrow()
  })
})
