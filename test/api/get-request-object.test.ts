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
        reader(routeControllers.getRequestObject(incoming), incoming, routeControllers))().then(
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
      new Controller('GET', '/users/:id', () => routeControllers.getRequestObject(incoming[0]!).params),
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
        routeControllers.getRequestObject(incoming).signal.addEventListener('abort', () => resolve())
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
