import { NodeExchange } from '../../src/node/exchange.js'
import type { Trust } from '../../src/request/forwarded.js'
import { toRequest } from '../../src/node/to-request.js'
import { type NodePair, nodePair, settled } from '../support/node-pair.js'

interface Given extends NonNullable<Parameters<typeof nodePair>[0]> {
  /** What a host has put on the request. */
  members?: object
  owned?: boolean
  trust?: Trust
}

/** An exchange over a connection in memory. */
function exchangeOf({
  members,
  owned = false,
  trust,
  ...options
}: Given): NodePair & { exchange: NodeExchange } {
  const pair = nodePair(options)
  Object.assign(pair.req, members)
  return { ...pair, exchange: new NodeExchange(pair.req, pair.res, { owned, trust }) }
}

const requestOf = (given: Given): Request => toRequest(exchangeOf(given).exchange)

/** Code, status and message of what is thrown. */
function refusalOf(given: Given): unknown[] {
  try {
    return [requestOf(given).url]
  } catch (error) {
    const { code, status, message } = error as { code?: string; status?: number; message: string }
    return [code, status, message]
  }
}

const named = ['Host', 'named.example']
const chunked = ['Transfer-Encoding', 'chunked']

describe('the web Request of a request in memory', () => {
  it.each(['TRACE', 'CONNECT', 'TRACK'])('is none for %s', (method) => {
    expect(refusalOf({ method })).toEqual(['ERR_METHOD_INVALID', 501, `${method} is not served here`])
  })

  it.each([
    ['a host that no URL can have', { headers: ['Host', 'a%2Fb'] }],
    ['a method that no Request can have', { headers: named, method: 'A B' }],
  ])('is none for %s', (_what, given) => {
    expect(refusalOf(given)).toEqual(['ERR_TARGET_INVALID', 400, 'The request cannot be a web Request'])
    const cause: unknown = expect.objectContaining({ name: 'TypeError' })
    expect(() => requestOf(given)).toThrow(expect.objectContaining({ cause }))
  })

  it('is none for a Host that would become a path', () => {
    expect(refusalOf({ headers: ['Host', 'evil.example/x?'] })).toEqual([
      'ERR_HOST_INVALID',
      400,
      'The Host field is malformed',
    ])
  })

  it('is none for a target that a hook has spoilt', () => {
    expect(refusalOf({ members: { originalUrl: 'nowhere' }, headers: named })).toEqual([
      'ERR_TARGET_INVALID',
      400,
      'The request target is malformed: it is neither a path nor an http URL',
    ])
  })
})

describe('its body', () => {
  it.each(['GET', 'HEAD'])('is none for %s, whatever was sent', (method) => {
    expect(requestOf({ method, headers: [...named, ...chunked] }).body).toBeNull()
  })

  it('is none where none was sent', () => {
    expect(requestOf({ method: 'POST', headers: [...named, 'Content-Length', '0'] }).body).toBeNull()
  })

  it('is what is sent', async () => {
    const { exchange, finish } = exchangeOf({ method: 'POST', headers: [...named, ...chunked] })
    const request = toRequest(exchange)
    finish('sent')
    expect([request.method, await request.text()]).toEqual(['POST', 'sent'])
  })

  it('is written again where a middleware has read it', async () => {
    const request = requestOf({
      method: 'POST',
      headers: [...named, ...chunked, 'Content-Type', 'application/json'],
      members: { _body: true, body: { a: 1 } },
    })
    expect(await request.text()).toBe('{"a":1}')
  })

  it('fails where it cannot be written again, and only when it is asked for', async () => {
    const request = requestOf({
      method: 'POST',
      headers: [...named, ...chunked],
      members: { _body: true, body: { a: 1 } },
    })
    await expect(request.text()).rejects.toMatchObject({ code: 'ERR_BODY_CONSUMED' })
  })

  it('fails where the client goes away', async () => {
    const { exchange, req } = exchangeOf({ method: 'POST', headers: [...named, ...chunked] })
    const reading = toRequest(exchange).text()
    req.push('half')
    req.destroy(new Error('reset'))
    await expect(reading).rejects.toMatchObject({ code: 'ERR_BODY_ABORTED', cause: { message: 'reset' } })
  })

  it('can be given up without the connection', async () => {
    const { exchange, req, socket } = exchangeOf({ method: 'POST', headers: [...named, ...chunked] })
    const reader = toRequest(exchange).body!.getReader()
    req.push('first')
    expect(Buffer.from((await reader.read()).value).toString()).toBe('first')
    await reader.cancel()
    await settled()
    expect([req.destroyed, socket.destroyed]).toEqual([false, false])
  })
})

it('The signal of a web Request aborts as that of its exchange', () => {
  const { exchange } = exchangeOf({ headers: named })
  const { signal } = toRequest(exchange)
  expect(signal.aborted).toBe(false)
  exchange.abort()
  expect(signal.aborted).toBe(true)
})

it('Every header line is there, and what is none is not', () => {
  const { headers } = requestOf({ headers: [':path', '/x', ...named, 'X-A', '1', 'x-a', '2', 'X-B', ':b'] })
  expect([...headers]).toEqual([
    ['host', 'named.example'],
    ['x-a', '1, 2'],
    ['x-b', ':b'],
  ])
})

describe('the URL', () => {
  it.each([
    ['/a', 'http://named.example/a'],
    ['/a?b?c', 'http://named.example/a?b?c'],
    ['/a?', 'http://named.example/a'],
    ['*', 'http://named.example/'],
    ['https://other.example:8443', 'https://other.example:8443/'],
  ])('of the target %s', (url, expected) => {
    expect(requestOf({ url, headers: named }).url).toBe(expected)
  })

  it('has the path of the mount, where a host has kept it', () => {
    expect(requestOf({ url: '/b', members: { originalUrl: '/a/b' }, headers: named }).url).toBe(
      'http://named.example/a/b',
    )
  })

  it('is as it was sent, whatever a hook has made of it', () => {
    const { exchange, req } = exchangeOf({ url: '/sent', headers: named })
    req.url = '/rewritten'
    expect(toRequest(exchange).url).toBe('http://named.example/sent')
  })

  it('has a host where no Host was sent', () => {
    expect(requestOf({}).url).toBe('http://localhost/')
  })

  it.each<[string | undefined, boolean, string]>([
    ['https', false, 'https'],
    ['http', true, 'http'],
    ['ftp', true, 'https'],
    ['ftp', false, 'http'],
    [undefined, true, 'https'],
  ])('has the scheme of a host that says %p (encrypted: %p)', (protocol, encrypted, expected) => {
    expect(requestOf({ encrypted, members: { protocol }, headers: named }).url).toBe(
      `${expected}://named.example/`,
    )
  })

  it('has what proxies say that are trusted here', () => {
    const headers = [...named, 'X-Forwarded-Host', 'outside.example', 'X-Forwarded-Proto', 'https']
    const from = (address: string): string =>
      requestOf({ headers, remoteAddress: address, owned: true, trust: (peer) => peer === '10.0.0.1' }).url
    expect([from('10.0.0.1'), from('10.0.0.2')]).toEqual([
      'https://outside.example/',
      'http://named.example/',
    ])
  })

  describe('inside Express', () => {
    const trusting = {
      get: (setting: string) =>
        setting === 'trust proxy fn'
          ? (address: string | undefined, hop: number) => address === '10.0.0.1' && hop === 0
          : undefined,
    }
    const hostOf = (
      app: { get: (setting: string) => unknown } | undefined,
      headers: readonly string[],
      remoteAddress = '10.0.0.1',
    ): string =>
      new URL(requestOf({ headers: [...named, ...headers], remoteAddress, members: { app } }).url).host

    it('has the first host that trusted proxies name', () => {
      const list = ['X-Forwarded-Host', ' first.example:81 , second.example']
      expect(hostOf(trusting, list)).toBe('first.example:81')
      expect(hostOf(trusting, ['X-Forwarded-Host', 'only.example'])).toBe('only.example')
    })

    it('has the Host field where they name none', () => {
      expect(hostOf(trusting, [])).toBe('named.example')
    })

    it.each<[string, Parameters<typeof hostOf>[0], string]>([
      ['the peer is not trusted', trusting, '10.0.0.2'],
      ['nobody is', { get: () => undefined }, '10.0.0.1'],
      ['there is no Express', undefined, '10.0.0.1'],
    ])('has the Host field where %s', (_why, app, address) => {
      expect(hostOf(app, ['X-Forwarded-Host', 'outside.example'], address)).toBe('named.example')
    })
  })
})
