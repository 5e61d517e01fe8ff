import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Controller,
  RouteControllers,
  type RouteControllersOptions,
  type RouteRequest,
} from 'routecontrollers'
import { listenOn, type SendOptions, sendTo } from '../support/describe-servings.js'

describe('RouteControllers.getRequestObject', () => {
  /** What a plain node:http handler reads with it, sent back as JSON. */
  async function read(
    reader: (req: RouteRequest, incoming: IncomingMessage, routeControllers: RouteControllers) => unknown,
    {
      target = '/',
      options = {},
      send = {},
    }: { target?: string; options?: RouteControllersOptions; send?: SendOptions } = {},
  ): Promise<unknown> {
    const routeControllers = new RouteControllers([], options)
    const { port, close } = await listenOn((incoming, outgoing) => {
      const answer = (value: unknown): void => void outgoing.end(JSON.stringify({ value }))
      void (async () =>
        reader(await routeControllers.getRequestObject(incoming), incoming, routeControllers))().then(
        answer,
        (error: { status?: number; code?: string }) => answer(`${error.status} ${error.code}`),
      )
    })
    try {
      return (await sendTo(port)(target, send)).json().value
    } finally {
      await close()
    }
  }

  it('is the same object, with the members for callbacks', async () => {
    expect(await read((req, incoming) => (req as unknown) === incoming)).toBe(true)
  })

  it('has method, url, originalUrl, query, headers, get() and realIp', async () => {
    const value = await read(
      (req) => [
        req.method,
        req.url,
        req.originalUrl,
        req.query,
        req.headers['x-a'],
        req.get('X-A'),
        req.get('nothing'),
        req.realIp,
        req.signal.aborted,
      ],
      { target: '/a//b?c=1&c=2&d=%20', send: { method: 'PUT', headers: { 'x-a': '1' } } },
    )
    expect(value).toEqual([
      'PUT',
      '/a//b?c=1&c=2&d=%20',
      '/a//b?c=1&c=2&d=%20',
      { c: ['1', '2'], d: ' ' },
      '1',
      '1',
      null,
      '127.0.0.1',
      false,
    ])
  })

  it('has empty params, where no pattern was matched', async () => {
    expect(await read((req) => [Object.keys(req.params), 'constructor' in req.params])).toEqual([[], false])
  })

  it.each<[string, string, unknown]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/x-www-form-urlencoded', 'a=1&a=2', { a: ['1', '2'] }],
    ['text/plain', 'text', 'text'],
    ['application/octet-stream', 'bytes', undefined],
  ])('has the body parsed, as a callback has it: %s', async (type, body, expected) => {
    const send = { method: 'POST', body, headers: { 'content-type': type } }
    expect(await read((req) => req.body, { send })).toEqual(expected)
  })

  it('has none where there is none', async () => {
    expect(await read((req) => [req.body === undefined, 'then' in req])).toEqual([true, false])
  })

  it.each([
    ['{', 'application/json', '400 ERR_BODY_MALFORMED'],
    ['x'.repeat(20), 'text/plain', '413 ERR_BODY_TOO_LARGE'],
    ['x', 'text/plain; charset=none', '415 ERR_BODY_TYPE'],
  ])('rejects with what the client is to be told: %s as %s is %s', async (body, type, expected) => {
    const send = { method: 'POST', body, headers: { 'content-type': type } }
    expect(await read((req) => req.body, { send, options: { bodyLimit: 10 } })).toBe(expected)
  })

  it('leaves what somebody upstream has parsed, and what a callback has', async () => {
    const inside: RouteControllers = new RouteControllers([
      new Controller('POST', '/', async (req, res) => {
        const again = await inside.getRequestObject(req as never)
        return res.json([again.body, await again.text()])
      }),
    ])
    const { port, close } = await listenOn(inside.middleware())
    const body = '{ "a": 1.0 }'
    const send = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    expect((await sendTo(port)('/', send)).json()).toEqual([{ a: 1 }, body])
    await close()
  })

  it('reads the body', async () => {
    const send = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    expect(await read((req) => req.json(), { send })).toEqual({ a: 1 })
    expect(await read(async (req) => [await req.text(), await req.json()], { send })).toEqual([
      '{"a":1}',
      { a: 1 },
    ])
  })

  it('reads no more of a body than the limit of this RouteControllers', async () => {
    const send = { method: 'POST', body: '12345678', headers: { 'content-type': 'text/plain' } }
    expect(await read((req) => req.text(), { send, options: { bodyLimit: 8 } })).toBe('12345678')
    expect(await read((req) => req.text(), { send, options: { bodyLimit: 7 } })).toBe(
      '413 ERR_BODY_TOO_LARGE',
    )
  })

  it('knows the trusted proxies of this RouteControllers', async () => {
    const send = { headers: { 'x-forwarded-for': '203.0.113.9' } }
    expect(await read((req) => req.realIp, { send, options: { trustProxy: 'loopback' } })).toBe('203.0.113.9')
    expect(await read((req) => req.realIp, { send })).toBe('127.0.0.1')
  })

  it('keeps the params that a controller was matched with', async () => {
    const incoming: IncomingMessage[] = []
    const routeControllers: RouteControllers = new RouteControllers([
      new Controller('GET', '/users/:id', async () => {
        const { params } = await routeControllers.getRequestObject(incoming[0]!)
        return params
      }),
    ])
    const middleware = routeControllers.middleware()
    const { port, close } = await listenOn((req, res) => {
      incoming.push(req)
      middleware(req, res)
    })
    expect((await sendTo(port)('/users/7')).json()).toEqual({ id: '7' })
    await close()
  })

  it('has a signal that aborts when the client goes', async () => {
    const routeControllers = new RouteControllers([])
    const server = createServer()
    const aborted = new Promise<void>((resolve) => {
      server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
        void routeControllers
          .getRequestObject(incoming)
          .then(({ signal }) => signal.addEventListener('abort', () => resolve()))
        outgoing.flushHeaders()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const outgoing = httpRequest({ port: (server.address() as AddressInfo).port, agent: false }, () =>
      outgoing.destroy(),
    ).end()
    await aborted
    server.close()
  })
})
