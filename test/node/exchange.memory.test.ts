import { IncomingMessage, type ServerResponse } from 'node:http'
import { defaultRules, type ReadRules } from '../../src/body/limits.js'
import { exchangeKey } from '../../src/request/exchange.js'
import { type Host, NodeExchange } from '../../src/node/exchange.js'
import { MemberLayer } from '../../src/node/member-layer.js'
import { LightResponse } from '../../src/answer/light-response.js'
import { type NodePair, nodePair, settled } from '../support/node-pair.js'

interface Given extends NonNullable<Parameters<typeof nodePair>[0]> {
  /** What a host has put on the request. */
  members?: object
  host?: Host
  rules?: ReadRules
}
type Pair = NodePair & { exchange: NodeExchange }

const own: Host = { owned: true }
const mounted: Host = { owned: false }

/** An exchange over a connection in memory, of a server of ours unless `host` says otherwise. */
function serve({ members, host = own, rules, ...options }: Given = {}): Pair {
  const pair = nodePair(options)
  Object.assign(pair.req, members)
  return { ...pair, exchange: new NodeExchange(pair.req, pair.res, host, undefined, undefined, rules) }
}

const limited = (limits: Partial<ReadRules['limits']>): ReadRules => ({
  ...defaultRules,
  limits: { ...defaultRules.limits, ...limits },
})
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
/** The members of a request that tests look at. */
const membersOf = (req: IncomingMessage): Record<string | symbol, unknown> => req as never

describe('What is routed of a request', () => {
  it('is its method, and its target in two', () => {
    const { method, path, search, sentUrl, problem } = serve({ method: 'PUT', url: '/a%20b?c=d' }).exchange
    expect([method, path, search, sentUrl, problem]).toEqual([
      'PUT',
      '/a%20b',
      'c=d',
      '/a%20b?c=d',
      undefined,
    ])
  })

  const pathOf = (url: string, baseUrl?: unknown, originalUrl?: unknown, host = mounted): string =>
    serve({ url, members: { baseUrl, originalUrl }, host }).exchange.path

  it.each<[string, string, unknown, unknown, string]>([
    ['no mount', '/admin', undefined, '//admin', '/admin'],
    ['a mount at the root', '/admin', '', '//admin', '/admin'],
    ['a mount that says nothing of the original', '/admin', '/api', undefined, '/admin'],
    ['a mount with the path as it was', '/admin', '/api', '/api/admin', '/admin'],
    ['a slash that was swallowed', '/admin', '/api', '/api//admin', ''],
    ['several of them', '/admin', '/api', '/api///admin', ''],
    ['more of them behind', '/admin//x', '/api', '/api//admin//x', ''],
    ['a query behind', '/admin?x', '/api', '/api//admin?x', ''],
    ['slashes that were folded in the query alone', '/admin?u=/a', '/api', '/api/admin?u=//a', '/admin'],
    ['an absolute target', 'http://named.example/admin', '/api', 'http://named.example/api//admin', ''],
    ['a path that was rewritten', '/other', '/api', '/api//admin', '/other'],
    ['slashes elsewhere', '//a/b', '/api', '/api/a//b', '//a/b'],
    ['a path that has become longer', '//admin', '/api', '/api/admin', '//admin'],
  ])('within a mount is with %s', (_what, url, baseUrl, originalUrl, expected) => {
    expect(pathOf(url, baseUrl, originalUrl)).toBe(expected)
  })

  it('is what a host of Express 5 has made of it, which swallows nothing', () => {
    const members = { baseUrl: '/api', originalUrl: '/api//admin', app: {} }
    expect(serve({ url: '/admin', members, host: mounted }).exchange.path).toBe('/admin')
  })

  it('is the target itself where there is no host', () => {
    expect(pathOf('/admin', '/api', '/api//admin', own)).toBe('/admin')
  })

  it('is nothing where the target is too long', () => {
    const rules = limited({ maxTargetBytes: 5 })
    expect(serve({ url: '/a?bc', rules }).exchange.problem).toBeUndefined()
    expect(serve({ url: '/a?bcd', rules }).exchange.problem).toMatchObject({
      code: 'ERR_TARGET_TOO_LONG',
      status: 414,
    })
    expect(serve({ url: `/${'a'.repeat(16_384)}` }).exchange.problem).toMatchObject({ status: 414 })
  })

  it('is nothing where its target is none', () => {
    const { path, search, problem } = serve({ url: 'nowhere' }).exchange
    expect([path, search, problem?.code]).toEqual(['', '', 'ERR_TARGET_INVALID'])
  })

  it('is nothing where its head is none, unless a host has judged it', () => {
    const headers = ['Host', 'a/b']
    expect(serve({ headers }).exchange.problem).toMatchObject({ code: 'ERR_HOST_INVALID', status: 400 })
    expect(serve({ headers, host: mounted }).exchange.problem).toBeUndefined()
  })

  it('is nothing where it has more header fields than its server takes', () => {
    const problemOf = (maxHeaderFields?: number): unknown =>
      serve({ headers: ['Host', 'a', 'X-A', '1'], host: { owned: true, maxHeaderFields } }).exchange.problem
    expect(problemOf(1)).toMatchObject({ code: 'ERR_HEADERS_TOO_LARGE', status: 431 })
    expect([problemOf(2), problemOf()]).toEqual([undefined, undefined])
  })
})

describe('What a hook has rewritten', () => {
  it('is seen when it is asked for, and no sooner', () => {
    const { exchange, req } = serve({ url: '/a' })
    expect(exchange.retarget()).toBe(false)
    req.url = '/b?c'
    expect([exchange.path, exchange.retarget(), exchange.retarget()]).toEqual(['/a', true, false])
    req.method = 'PUT'
    expect([exchange.method, exchange.retarget(), exchange.retarget()]).toEqual(['GET', true, false])
    expect([exchange.method, exchange.path, exchange.search, exchange.sentUrl]).toEqual([
      'PUT',
      '/b',
      'c',
      '/a',
    ])
  })

  it('can be a problem, and can be none any more', () => {
    const { exchange, req } = serve({ url: '/a' })
    req.url = 'nowhere'
    exchange.retarget()
    expect(exchange.problem).toMatchObject({ code: 'ERR_TARGET_INVALID' })
    req.url = '/b'
    exchange.retarget()
    expect(exchange.problem).toBeUndefined()
  })

  /** The query of a request after its URL was rewritten. */
  function queryAfter(url: string, given: Given, prepare: (pair: Pair) => void): unknown {
    const pair = serve({ url: '/a?b=1', ...given })
    prepare(pair)
    pair.req.url = url
    pair.exchange.retarget()
    return membersOf(pair.req)['query']
  }
  const prepared = ({ exchange }: Pair): void => void exchange.prepare(10)

  it('has a query of its own', () => {
    expect(queryAfter('/a?c=2', {}, prepared)).toEqual({ c: '2' })
    const rules = limited({ maxQueryFields: 1 })
    expect(queryAfter('/a?c=2&d=3', { rules }, prepared)).toEqual({ c: '2' })
  })

  it('keeps what a hook has made of a query that is the same', () => {
    const rewriting = (pair: Pair): void => {
      prepared(pair)
      membersOf(pair.req)['query'] = 'mine'
    }
    expect(queryAfter('/other?b=1', {}, rewriting)).toBe('mine')
    expect(queryAfter('/a?c=2', {}, rewriting)).toEqual({ c: '2' })
  })

  it('has none on a request that is somebody else’s, or a profile’s', () => {
    expect(queryAfter('/a?c=2', {}, () => {})).toBeUndefined()
    const others = (pair: Pair): void => {
      prepared(pair)
      membersOf(pair.req)[exchangeKey] = {}
    }
    expect(queryAfter('/a?c=2', { members: { query: 'theirs' } }, others)).toBe('theirs')
    const profiles = (pair: Pair): void => {
      pair.exchange.members = new MemberLayer('test-members', {})
      prepared(pair)
    }
    expect(queryAfter('/a?c=2', { members: { query: 'theirs' } }, profiles)).toBe('theirs')
  })
})

describe('The URL for callbacks', () => {
  it('is the one that came, but follows a hook that rewrites it for itself', () => {
    const { exchange, req } = serve({ url: '/a' })
    req.url = '/b'
    expect(exchange.originalUrl).toBe('/a')
    exchange.followUrl()
    expect(exchange.originalUrl).toBe('/b')
    exchange.settleUrl()
    expect(exchange.originalUrl).toBe('/a')
  })

  it('is the one that came when a request is prepared again', () => {
    const { exchange, req } = serve({ url: '/a' })
    exchange.prepare(10)
    exchange.followUrl()
    req.url = '/b'
    exchange.prepare(10)
    expect(exchange.originalUrl).toBe('/a')
  })
})

describe('An exchange is answered', () => {
  const answered = (outgoing: object | undefined): boolean =>
    new NodeExchange({ url: '/', headers: {} } as never, outgoing as ServerResponse | undefined, mounted)
      .answered

  it.each(['headersSent', 'writableEnded', 'destroyed'])('where the response says %s', (member) => {
    const response = { headersSent: false, writableEnded: false, destroyed: false }
    expect([answered(response), answered({ ...response, [member]: true })]).toEqual([false, true])
  })

  it('never where there is no response', () => {
    expect(answered(undefined)).toBe(false)
  })
})

describe('The signal', () => {
  it('is one, and aborts when the client goes away', async () => {
    const { exchange, res } = serve()
    const { signal } = exchange
    expect([exchange.signal === signal, signal.aborted]).toEqual([true, false])
    res.destroy()
    await settled()
    expect(signal.aborted).toBe(true)
  })

  it('does not abort when the answer is complete', async () => {
    const { exchange, res } = serve()
    const { signal } = exchange
    res.end('whole')
    await settled()
    expect(signal.aborted).toBe(false)
  })

  it('is aborted where the client had gone before', async () => {
    const { exchange, res } = serve()
    res.destroy()
    await settled()
    const listeners = res.listenerCount('close')
    expect([exchange.signal.aborted, res.listenerCount('close')]).toEqual([true, listeners])
  })

  it.each([
    ['breaks off', new Error('reset'), true],
    ['is closed', undefined, false],
  ])('of a request without a response aborts or not when it %s', async (_how, error, expected) => {
    const { req } = nodePair()
    const { signal } = new NodeExchange(req, undefined, mounted)
    req.on('error', () => {}).destroy(error)
    await settled()
    expect(signal.aborted).toBe(expected)
  })

  it('leaves no listener behind', async () => {
    const { exchange, res } = serve()
    const listeners = res.listenerCount('close')
    exchange.unwatch()
    const { signal } = exchange
    expect(res.listenerCount('close')).toBe(listeners + 1)
    exchange.unwatch()
    expect(res.listenerCount('close')).toBe(listeners)
    res.destroy()
    await settled()
    expect(signal.aborted).toBe(false)
  })

  it('says that the answer is to end, to whoever has asked and to whoever asks', () => {
    const [early, late] = [serve().exchange, serve().exchange]
    const { signal } = early
    early.abort()
    late.abort()
    expect([signal.aborted, late.signal.aborted]).toEqual([true, true])
  })
})

describe('The client’s address', () => {
  const headers = ['X-Forwarded-For', '1.2.3.4']
  const remoteAddress = '::ffff:10.0.0.1'

  it('is the socket’s, or what a trusted proxy says', () => {
    const trust = (address: string): boolean => address === '10.0.0.1'
    expect(serve({ headers, remoteAddress }).exchange.realIp).toBe('10.0.0.1')
    expect(serve({ headers, remoteAddress, host: { owned: true, trust } }).exchange.realIp).toBe('1.2.3.4')
    expect(serve({ host: { owned: true, trust } }).exchange.trust).toBe(trust)
  })

  it('is what Express has found, but not what hooks have from here', () => {
    expect(serve({ remoteAddress, members: { ip: '5.6.7.8' }, host: mounted }).exchange.realIp).toBe(
      '5.6.7.8',
    )
    const { exchange } = serve({ remoteAddress })
    exchange.prepare(10)
    exchange.prepareHooks()
    expect(exchange.realIp).toBe('10.0.0.1')
  })
})

describe('A request has a body', () => {
  it('by its framing, without reading its headers one by one', () => {
    const hasBody = (...rawHeaders: string[]): boolean => {
      const req = {
        url: '/',
        httpVersionMajor: 1,
        rawHeaders,
        get headers(): never {
          throw new Error('Nobody needs them')
        },
      }
      return new NodeExchange(req as never, undefined, own).hasBody
    }
    const others = hasBody('Host', 'a')
    expect([hasBody('Content-Length', '3'), hasBody('Content-Length', '0'), others]).toEqual([
      true,
      false,
      false,
    ])
  })

  // Where a host may have changed what it was sent.
  it.each<[object, boolean]>([
    [{ 'transfer-encoding': 'chunked' }, true],
    [{ 'content-length': '3' }, true],
    [{ 'content-length': '0' }, false],
    [{}, false],
  ])('by what a host has left of its headers, %p', (headers, expected) => {
    expect(serve({ host: mounted, members: { headers } }).exchange.hasBody).toBe(expected)
  })

  it.each<[string, object, boolean]>([
    ['more is to come', { stream: { endAfterHeaders: false } }, true],
    ['there is no more', { stream: { endAfterHeaders: true } }, false],
    ['nobody knows', { stream: undefined }, true],
    [
      'there is no more, by its length',
      { stream: { endAfterHeaders: false }, headers: { 'content-length': '0' } },
      false,
    ],
  ])('of HTTP/2 where %s after the head', (_what, members, expected) => {
    const ofHttp2 = { httpVersion: '2.0', httpVersionMajor: 2, ...members }
    expect(serve({ members: ofHttp2 }).exchange.hasBody).toBe(expected)
  })

  it('of HTTP/2 no more when it was read', async () => {
    const { exchange, req, finish } = serve({ members: { httpVersionMajor: 2, stream: {} } })
    finish()
    req.resume()
    await settled()
    expect(exchange.hasBody).toBe(false)
  })

  it('as it had when somebody asked first', () => {
    const { exchange, req } = serve({ host: mounted, members: { headers: { 'content-length': '3' } } })
    const first = exchange.hasBody
    req.headers = {}
    expect([first, exchange.hasBody]).toEqual([true, true])
  })
})

describe('The body', () => {
  const sized = { method: 'POST', headers: ['Content-Length', '3', 'Content-Type', 'text/plain'] }

  it('is read here, once, and is not consumed by that', async () => {
    const { exchange, finish, req } = serve(sized)
    exchange.prepare(3)
    expect([exchange.body === exchange.body, exchange.bodyConsumed]).toEqual([true, false])
    finish('abc')
    expect(await exchange.body.text()).toBe('abc')
    expect([req.readableDidRead, exchange.bodyConsumed, exchange.decoded]).toEqual([true, false, undefined])
  })

  it('has a limit', async () => {
    const { exchange, finish } = serve({ method: 'POST', headers: ['Transfer-Encoding', 'chunked'] })
    exchange.prepare(2)
    finish('abc')
    await expect(exchange.body.bytes()).rejects.toMatchObject({ code: 'ERR_BODY_TOO_LARGE', status: 413 })
    const unprepared = serve(sized)
    await expect(unprepared.exchange.body.bytes()).rejects.toMatchObject({ status: 413 })
  })

  it('is read by the rules of who serves it', async () => {
    const rules = limited({ maxJsonDepth: 1 })
    const { exchange, finish } = serve({
      ...sized,
      headers: ['Content-Type', 'application/json', 'Content-Length', '4'],
      rules,
    })
    exchange.prepare(10)
    finish('[[]]')
    await expect(exchange.body.json()).rejects.toMatchObject({ status: 400 })
  })

  it('is empty, and not waited for, where none was announced', async () => {
    const { exchange, req } = serve({ method: 'POST' })
    expect(await exchange.readBytes(10)).toEqual(new Uint8Array(0))
    expect(req.readableFlowing).toBeNull()
  })

  it('comes piece by piece, and can be left', async () => {
    const { exchange, req, socket } = serve(sized)
    req.push('a')
    const chunks = exchange.chunks()
    const { value } = await chunks.next()
    await chunks.return!()
    await settled()
    expect([text(value as Uint8Array), req.destroyed, socket.destroyed]).toEqual(['a', false, false])
  })

  it('has fields of its head', () => {
    const { exchange } = serve(sized)
    expect([exchange.header('content-type'), exchange.header('x-a')]).toEqual(['text/plain', undefined])
  })

  it.each<[string, (pair: Pair) => unknown]>([
    ['says so', ({ req }) => Object.assign(req, { _body: true })],
    [
      'has begun',
      ({ req }) => {
        req.push('a')
        req.read()
      },
    ],
    [
      'has come to its end',
      async ({ req, finish }) => {
        finish()
        req.resume()
        await settled()
      },
    ],
  ])('is consumed where a reader upstream %s', async (_what, read) => {
    const pair = serve(sized)
    expect(pair.exchange.bodyConsumed).toBe(false)
    await read(pair)
    Object.assign(pair.req, { rawBody: 'abc' })
    expect([pair.exchange.bodyConsumed, pair.exchange.decoded]).toEqual([true, 'text'])
    expect(text(await pair.exchange.readBytes(0))).toBe('abc')
  })

  it('is consumed as the request says of itself', () => {
    const consumed = (members: object): boolean =>
      new NodeExchange({ url: '/', headers: {}, ...members } as never, undefined, mounted).bodyConsumed
    expect([{}, { readableEnded: true }, { readableDidRead: true }, { _body: 'yes' }].map(consumed)).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  it('that was consumed is bytes, or written again in its type', async () => {
    const consumed = { _body: true, body: { a: 'b' } }
    const bytes = serve({ members: { ...consumed, rawBody: Buffer.from('abc') } }).exchange
    expect([bytes.decoded, text(await bytes.readBytes(0))]).toEqual(['bytes', 'abc'])
    const headers = ['Content-Type', 'application/x-www-form-urlencoded']
    expect(text(await serve({ headers, members: consumed }).exchange.readBytes(0))).toBe('a=b')
    await expect(serve({ members: consumed }).exchange.readBytes(0)).rejects.toMatchObject({
      code: 'ERR_BODY_CONSUMED',
    })
  })
})

describe('A request that is prepared', () => {
  it('is the request itself, with the members of callbacks', () => {
    const { exchange, req } = serve({ url: '/a?b=1' })
    const request = exchange.prepare(10)
    expect([request === (req as unknown), membersOf(req)[exchangeKey] === exchange]).toEqual([true, true])
    expect([request.query, membersOf(req)['originalUrl']]).toEqual([{ b: '1' }, '/a?b=1'])
  })

  it('may stream as much as its body may have, unless told otherwise', () => {
    const { exchange } = serve()
    const limits = [exchange.streamLimit]
    exchange.prepare(10)
    limits.push(exchange.streamLimit)
    exchange.prepare(10, 20)
    expect([...limits, exchange.streamLimit]).toEqual([Infinity, 10, 20])
  })

  it('gets its members again from under another prototype', () => {
    const { exchange, req } = serve()
    exchange.prepare(10)
    Object.setPrototypeOf(req, Object.create(IncomingMessage.prototype) as object)
    expect('realIp' in req).toBe(false)
    exchange.prepare(10)
    expect('realIp' in req).toBe(true)
  })

  it('has a query of ours in place of a host’s, until it goes on', () => {
    const theirs = { b: ['theirs'] }
    const { exchange, req } = serve({
      url: '/a?b=1&c=2',
      members: { query: theirs },
      host: mounted,
      rules: limited({ maxQueryFields: 1 }),
    })
    expect(exchange.prepare(10).query).toEqual({ b: '1' })
    req.url = '/a?d=3'
    exchange.retarget()
    expect(membersOf(req)['query']).toEqual({ d: '3' })
    exchange.release()
    expect(membersOf(req)['query']).toBe(theirs)
  })

  it('goes on with the query that a hook has put there', () => {
    const { exchange, req } = serve({ members: { query: {} }, host: mounted })
    exchange.prepare(10)
    membersOf(req)['query'] = 'mine'
    exchange.prepare(10)
    expect(membersOf(req)['query']).toBe('mine')
    exchange.release()
    expect(membersOf(req)['query']).toBe('mine')
  })

  it('keeps a query that is no host’s', () => {
    const { exchange, req } = serve({ members: { query: 'ours' } })
    exchange.prepare(10)
    expect(membersOf(req)['query']).toBe('ours')
    const bare = serve({ host: mounted })
    bare.exchange.prepare(10)
    expect(Object.hasOwn(bare.req, 'query')).toBe(false)
  })
})

describe('A request that goes on', () => {
  it('is as it came', () => {
    const { exchange, req, res } = serve()
    const before = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)] as unknown[]
    const keys = Reflect.ownKeys(req)
    exchange.prepare(10)
    exchange.prepareHooks()
    expect(['realIp' in req, 'secure' in req, 'send' in res]).toEqual([true, true, true])
    exchange.release()
    const after = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)] as unknown[]
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, true])
    expect(Reflect.ownKeys(req)).toEqual(keys)
  })

  it('stays as it is where it is not ours', () => {
    const { exchange, req } = serve()
    const other = new NodeExchange(req, undefined, own)
    other.prepare(10)
    exchange.release()
    expect([membersOf(req)[exchangeKey] === other, 'realIp' in req]).toEqual([true, true])
  })

  it('has the bytes that were read here, unless it has some', () => {
    const rawBodyOf = (members: object, parsed: Uint8Array | undefined): unknown => {
      const { exchange, req } = serve({ members })
      exchange.prepare(10)
      exchange.parsedBytes = parsed
      exchange.release()
      return 'rawBody' in req ? req.rawBody : 'none'
    }
    const bytes = Uint8Array.of(1)
    expect([rawBodyOf({}, bytes), rawBodyOf({ rawBody: 'theirs' }, bytes), rawBodyOf({}, undefined)]).toEqual(
      [bytes, 'theirs', 'none'],
    )
  })
})

describe('An answer', () => {
  const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() }
  beforeEach(() => void logger.error.mockReset())
  const light = (payload: LightResponse['payload'] = 'abc', headers = ['X-A', '1']): LightResponse =>
    new LightResponse(200, headers, payload)

  /** What middleware sees of a header when the head goes out, and the answer. */
  function send(given: Given, before: (pair: Pair) => void = () => {}): [unknown, string[], string] {
    const pair = serve(given)
    before(pair)
    const { res } = pair
    let seen: unknown
    const writeHead = res.writeHead.bind(res) as (...parameters: unknown[]) => ServerResponse
    res.writeHead = (...parameters: unknown[]) => {
      seen = res.getHeader('X-A')
      return writeHead(...parameters)
    }
    void pair.exchange.send(light(), logger)
    return [seen, pair.head().slice(0, 3), pair.body()]
  }
  const head = ['HTTP/1.1 200 OK', 'X-A: 1', 'Content-Length: 3']

  it('is sent at once where nobody else has had the response', () => {
    expect(send({})).toEqual([undefined, head, 'abc'])
  })

  it('is sent by what hooks and hosts may have patched', () => {
    const hooked = ({ exchange }: Pair): void => {
      exchange.prepare(10)
      exchange.prepareHooks()
    }
    expect(send({}, hooked)).toEqual(['1', head, 'abc'])
    expect(send({ host: mounted })).toEqual(['1', head, 'abc'])
  })

  it('is sent beside what a hook has set', () => {
    const [, lines] = send({}, ({ res }) => void res.setHeader('X-B', '2'))
    expect(lines).toContain('X-B: 2')
  })

  it.each([own, mounted])('has no body for HEAD, with the host %p', (host) => {
    expect(send({ method: 'HEAD', host }).slice(1)).toEqual([head, ''])
    const { exchange, res, body } = serve({ method: 'HEAD', host })
    const end = jest.spyOn(res, 'end')
    void exchange.send(light(), logger)
    expect([end.mock.calls, body()]).toEqual([[[]], ''])
  })

  it('reads what is left of a body once it is sent', async () => {
    const { exchange, req, finish } = serve({ method: 'POST', headers: ['Content-Length', '3'] })
    void exchange.send(light(), logger)
    await settled()
    finish('abc')
    await settled()
    expect(req.readableEnded).toBe(true)
    req.destroy()
  })

  it.each<[string, Given, (pair: Pair) => unknown]>([
    ['there is no body', {}, () => {}],
    [
      'it was read',
      { method: 'POST', headers: ['Content-Length', '3'] },
      async ({ exchange, finish }) => {
        finish('abc')
        await exchange.readBytes(10)
      },
    ],
  ])('reads nothing where %s', async (_what, given, before) => {
    const pair = serve(given)
    await before(pair)
    const listeners = pair.res.listenerCount('finish')
    void pair.exchange.send(light(piecesThatWait()), logger)
    expect(pair.res.listenerCount('finish')).toBe(listeners)
  })

  it('that breaks off is cut off and logged', async () => {
    const { exchange, socket } = serve({ method: 'PUT', url: '/a?b', host: mounted })
    void exchange.send(light(failing(new Error('midway'))), logger)
    await settled()
    expect(socket.destroyed).toBe(true)
    expect(logger.error.mock.calls).toEqual([
      [expect.stringMatching(/^PUT \/a: the answer broke off: Error: midway\n/)],
    ])
  })

  it('that breaks off where somebody has only asked for the signal is logged too', async () => {
    const { exchange } = serve()
    void exchange.signal
    void exchange.send(light(failing(new Error('midway'))), logger)
    await settled()
    expect(logger.error).toHaveBeenCalledTimes(1)
  })

  it('that ends as it was told to is not logged', async () => {
    const { exchange } = serve()
    exchange.abort()
    void exchange.send(light(failing(new Error('told to end'))), logger)
    await settled()
    expect(logger.error).not.toHaveBeenCalled()
  })
})

async function* failing(error: Error): AsyncGenerator<string> {
  yield 'begun'
  throw error
}

async function* piecesThatWait(): AsyncGenerator<string> {
  yield 'begun'
  await new Promise(() => {})
}

describe('A connection is closed', () => {
  it('whose answer cannot be completed', () => {
    const { exchange, res, socket } = serve()
    res.write('begun')
    exchange.destroy()
    expect(socket.destroyed).toBe(true)
  })

  it('not where the answer is complete, though on its way', () => {
    const { exchange, res, socket } = serve({ slow: true })
    res.end('whole')
    exchange.destroy()
    expect([socket.destroyed, res.destroyed]).toEqual([false, false])
  })

  it('not where there is none', () => {
    const { req } = nodePair()
    new NodeExchange(req, undefined, mounted).destroy()
    expect(req.destroyed).toBe(false)
  })
})
