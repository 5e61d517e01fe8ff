import { IncomingMessage, ServerResponse } from 'node:http'
import { exchangeKey } from '../../src/request/exchange.js'
import {
  addConnectMembers,
  extendClassesForHooks,
  hasConnectMembers,
} from '../../src/node/connect-members.js'
import { restoreClass } from '../../src/node/member-layer.js'
import { serveInMemory } from '../../src/node/memory-pair.js'

// As an application of hooks sees them.
type Response = ServerResponse & Record<string, (...parameters: unknown[]) => Response> & { locals: object }
type Request = IncomingMessage & Record<string, unknown>

const exchangeWith = (trust?: (address: string) => boolean): object => ({ trust })

/** A request from `socket`, with what its exchange has worked out. */
function requestOf(
  socket: object | undefined,
  members: object = {},
  trust?: (address: string) => boolean,
): Request {
  const req = new IncomingMessage(socket as never)
  Object.assign(req, { [exchangeKey]: exchangeWith(trust), ...members })
  addConnectMembers(req, new ServerResponse(req))
  return req as Request
}

/** What a client gets of what `answer` does with a response. */
const receive = (answer: (res: Response) => unknown) =>
  serveInMemory((req, res) => {
    addConnectMembers(req, res)
    answer(res as Response)
    if (!res.writableEnded) res.end()
  }, new Request('http://named.example/'))

describe('addConnectMembers', () => {
  it('adds to what has none, and leaves what somebody else has added', () => {
    const req = new IncomingMessage(null as never)
    const res = new ServerResponse(req)
    addConnectMembers(req, res)
    expect(['secure' in req, 'send' in res, hasConnectMembers(req)]).toEqual([true, true, true])

    const [own, theirs] = [() => 'theirs', new IncomingMessage(null as never)]
    Object.assign(theirs, { secure: 'theirs' })
    const answer = Object.assign(new ServerResponse(theirs), { send: own })
    addConnectMembers(theirs, answer)
    expect([hasConnectMembers(theirs), 'protocol' in theirs, 'redirect' in answer]).toEqual([
      false,
      false,
      false,
    ])
    expect([answer.send, Object.getPrototypeOf(answer)]).toEqual([own, ServerResponse.prototype])
  })

  it('adds to a request and to a response each for itself', () => {
    const req = Object.assign(new IncomingMessage(null as never), { secure: true })
    const res = new ServerResponse(req)
    addConnectMembers(req, res)
    expect([hasConnectMembers(req), 'send' in res]).toEqual([false, true])
  })

  it('is undone by taking the layers off', () => {
    const req = new IncomingMessage(null as never)
    const res = new ServerResponse(req)
    addConnectMembers(req, res)
    for (const message of [req, res]) restoreClass(message)
    expect([hasConnectMembers(req), 'secure' in req, 'send' in res]).toEqual([false, false, false])
  })
})

it('The classes of a server with hooks have the members from the beginning', () => {
  const classes = extendClassesForHooks({ IncomingMessage, ServerResponse })
  const req = new classes.IncomingMessage(null as never)
  const res = new classes.ServerResponse(req)
  const [ofRequest, ofResponse] = [req, res].map((message) => Object.getPrototypeOf(message) as unknown)
  addConnectMembers(req, res)
  expect([Object.getPrototypeOf(req), Object.getPrototypeOf(res)]).toEqual([ofRequest, ofResponse])
  expect([req instanceof IncomingMessage, res instanceof ServerResponse]).toEqual([true, true])
  expect([hasConnectMembers(req), 'send' in res]).toEqual([true, true])
})

describe('A request', () => {
  it.each<[string, object | undefined, string | undefined, string | undefined]>([
    ['its client connects', { remoteAddress: '10.0.0.1' }, '10.0.0.1', '10.0.0.1'],
    [
      'the socket maps its client into IPv6',
      { remoteAddress: '::ffff:10.0.0.1' },
      '10.0.0.1',
      '::ffff:10.0.0.1',
    ],
    ['a proxy has named its client', { remoteAddress: '::ffff:10.0.0.1' }, '203.0.113.7', '203.0.113.7'],
    ['the socket is closed', {}, '203.0.113.7', '203.0.113.7'],
    ['nobody knows', {}, undefined, undefined],
    ['there is no socket', undefined, '203.0.113.7', '203.0.113.7'],
  ])('has an ip where %s', (_where, socket, realIp, expected) => {
    expect(requestOf(socket, { realIp })['ip']).toBe(expected)
  })

  it.each<[string, object, Record<string, string>, boolean, string]>([
    ['plain', {}, {}, false, 'http'],
    ['over TLS', { encrypted: true }, {}, true, 'https'],
    ['of a proxy over TLS', { remoteAddress: '10.0.0.1' }, { 'x-forwarded-proto': 'https' }, true, 'https'],
    ['of a stranger', { remoteAddress: '10.0.0.2' }, { 'x-forwarded-proto': 'https' }, false, 'http'],
  ])('that comes %s knows whether it is secure', (_how, socket, headers, secure, protocol) => {
    const req = requestOf(socket, { headers }, (address) => address === '10.0.0.1')
    expect([req['secure'], req['protocol']]).toEqual([secure, protocol])
  })

  it.each([
    ['shop.example', 'shop.example'],
    ['shop.example:8080', 'shop.example'],
    ['[::1]:8080', '[::1]'],
    ['[::1]', '[::1]'],
    ['192.0.2.1:', '192.0.2.1'],
    [undefined, undefined],
  ])('has the hostname of the host %p without its port', (host, expected) => {
    expect(requestOf({}, { headers: { host } })['hostname']).toBe(expected)
    const socket = { remoteAddress: '10.0.0.1' }
    const headers = { host: 'inside:1', 'x-forwarded-host': host && `before.example, ${host}` }
    const trusts = (address: string): boolean => address === '10.0.0.1'
    expect(requestOf(socket, { headers }, trusts)['hostname']).toBe(host === undefined ? 'inside' : expected)
  })

  it('takes a protocol that somebody sets for the scheme', () => {
    const req = requestOf({}, { headers: {} })
    req['protocol'] = 'https'
    expect(req['secure']).toBe(true)
  })

  it.each([
    ['/a/b?c=/d?e', '/a/b'],
    ['/a', '/a'],
    ['/', '/'],
    [undefined, undefined],
  ])('of the URL %p has the path %p', (url, path) => {
    expect(requestOf({}, { url })['path']).toBe(path)
  })

  it('has an app that says whom it trusts, and nothing else', () => {
    const trust = (): boolean => true
    const settingsOf = (req: Request): unknown[] => {
      const { get } = req['app'] as { get: (setting: string) => unknown }
      return ['trust proxy', 'etag', ''].map(get)
    }
    expect(settingsOf(requestOf({}, {}, trust))).toEqual([trust, undefined, undefined])
    expect(settingsOf(requestOf({}))).toEqual([false, undefined, undefined])
  })
})

describe('A response', () => {
  it('has locals that inherit nothing, and keeps them', async () => {
    const seen: unknown[] = []
    await receive((res) => {
      const { locals } = res
      seen.push(Object.getPrototypeOf(locals), res.locals === locals)
      res.locals = seen
      seen.push(res.locals === seen)
    })
    expect(seen).toEqual([null, true, true])
  })

  it('takes status and headers, one call after the other', async () => {
    const { status, headers } = await receive((res) =>
      res['status']!(418)['set']!('X-A', '1')['header']!('X-B', ['2', '3'])['set']!({
        'X-C': '4',
        'X-D': ['5', '6'],
      })['header']!({ 'X-E': 7 }).end(),
    )
    expect(status).toBe(418)
    expect(['x-a', 'x-b', 'x-c', 'x-d', 'x-e'].map((name) => headers.get(name))).toEqual([
      '1',
      '2, 3',
      '4',
      '5, 6',
      '7',
    ])
  })

  it.each<[unknown, unknown, readonly string[]]>([
    [undefined, 'b', ['b']],
    [undefined, ['b', 'c'], ['b', 'c']],
    ['a', 'b', ['a', 'b']],
    [7, ['b'], ['7', 'b']],
    [['a', 'b'], 'c', ['a', 'b', 'c']],
  ])('appends to %p: %p', async (earlier, value, expected) => {
    let lines: unknown
    await receive((res) => {
      if (earlier !== undefined) res.setHeader('X-A', earlier as string)
      expect(res['append']!('X-A', value)).toBe(res)
      lines = res.getHeader('x-a')
    })
    expect(lines).toEqual(expected)
  })

  it('adds cookies, with the path / and milliseconds', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(0)
    const { headers } = await receive((res) =>
      res['cookie']!('a', '1')['cookie']!('b', { c: 2 }, { path: '/b', httpOnly: true })['cookie']!(
        'd',
        'e f',
        { maxAge: 1999 },
      )['cookie']!('g', '', { maxAge: 0 }).end(),
    )
    now.mockRestore()
    expect(headers.getSetCookie()).toEqual([
      'a=1; Path=/',
      `b=${encodeURIComponent('j:{"c":2}')}; Path=/b; HttpOnly`,
      'd=e%20f; Max-Age=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT',
      'g=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ])
  })

  it.each<[readonly unknown[], number, string]>([
    [['/a'], 302, '/a'],
    [[301, 'https://other.example/a?b#c'], 301, 'https://other.example/a?b#c'],
    [['/a%20b c%2F%zz%2x%C3%A9é'], 302, '/a%20b%20c%2F%25zz%252x%C3%A9%C3%A9'],
    [['/%25%e4%E4'], 302, '/%25%e4%E4'],
  ])('redirects by %p', async (parameters, status, location) => {
    const response = await receive((res) => res['redirect']!(...parameters))
    expect([
      response.status,
      response.headers.get('location'),
      response.headers.get('content-length'),
    ]).toEqual([status, location, '0'])
    expect(await response.text()).toBe('')
  })

  it.each([
    [404, 'Not Found'],
    [799, '799'],
  ])('sends the status %d with its reason as text', async (code, text) => {
    let finish: (head: unknown) => void
    const sent = new Promise((resolve) => (finish = resolve))
    const response = await receive((res) => {
      res.on('finish', () => finish([res.statusCode, res.getHeaders()]))
      res['sendStatus']!(code)
    })
    // No Response has a status over 599.
    expect(await response.text()).toBe(code > 599 ? 'Internal Server Error' : text)
    expect(await sent).toEqual([
      code,
      { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(text.length) },
    ])
  })

  it.each<[unknown, string | undefined, string | null, string]>([
    ['é', undefined, 'text/html; charset=utf-8', 'é'],
    ['', undefined, 'text/html; charset=utf-8', ''],
    ['é', 'text/plain', 'text/plain; charset=utf-8', 'é'],
    ['é', 'text/plain;  Charset=latin1', 'text/plain; charset=utf-8', 'é'],
    ['é', 'text/plain;charset=latin1; x=y', 'text/plain; x=y; charset=utf-8', 'é'],
    [Buffer.from('é'), undefined, 'application/octet-stream', 'é'],
    [new Uint8Array([0x61, 0x62]).subarray(1), undefined, 'application/octet-stream', 'b'],
    [Buffer.from('é'), 'image/x', 'image/x', 'é'],
    [undefined, undefined, null, ''],
    [null, undefined, null, ''],
    [undefined, 'image/x', 'image/x', ''],
    [{ a: 'é' }, undefined, 'application/json; charset=utf-8', '{"a":"é"}'],
    [{ a: 1 }, 'application/problem+json', 'application/problem+json; charset=utf-8', '{"a":1}'],
    [[], undefined, 'application/json; charset=utf-8', '[]'],
    [7, undefined, 'application/json; charset=utf-8', '7'],
    [false, undefined, 'application/json; charset=utf-8', 'false'],
  ])('sends %p of the type %p', async (body, type, sentType, text) => {
    const { headers, ...response } = await receive((res) => {
      if (type !== undefined) res.setHeader('Content-Type', type)
      expect(res['send']!(body)).toBe(res)
    }).then(async (received) => ({ headers: received.headers, text: await received.text() }))
    expect([headers.get('content-type'), headers.get('content-length'), response.text]).toEqual([
      sentType,
      String(Buffer.byteLength(text)),
      text,
    ])
  })

  it('sends a text as JSON where it is asked for', async () => {
    const response = await receive((res) => expect(res['json']!('é')).toBe(res))
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'application/json; charset=utf-8',
      '"é"',
    ])
  })
})

describe('res.cookie', () => {
  it('signs nothing, and sends no cookie that was to be signed', () => {
    const res = new ServerResponse(new IncomingMessage(null as never)) as Response
    addConnectMembers(res.req, res)
    expect(() => res['cookie']!('user', 'ada', { signed: true })).toThrow(
      expect.objectContaining({
        code: 'ERR_COOKIE_INVALID',
        message: expect.stringContaining('The cookie user cannot be sent: outside of Express none is signed'),
      }),
    )
    expect(res.getHeaderNames()).toEqual([])
    res['cookie']!('user', 'ada', { signed: false })
    expect(res.getHeader('Set-Cookie')).toEqual(['user=ada; Path=/'])
  })
})
