import { EventEmitter, once } from 'node:events'
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer, request as requestHttps, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { type Http2Options, serveHttp2 } from '../../src/node/http2.js'
import type { StreamSocket } from '../../src/node/http2-socket.js'
import { cert, key } from '../support/certificate.js'

const toClose: (() => unknown)[] = []
afterEach(async () => {
  jest.useRealTimers()
  for (const close of toClose.splice(0).reverse()) await close()
})

interface Serving {
  server: Server
  port: number
  /** What has been noted for the day that the server stops. */
  sessions: [ServerHttp2Session, TLSSocket][]
  sockets: StreamSocket[]
}

async function serve(
  listener: RequestListener,
  limits: Partial<Http2Options['limits']> = {},
): Promise<Serving> {
  const server = createServer({ key, cert, ALPNProtocols: ['h2', 'http/1.1'] }, listener)
  const sessions: Serving['sessions'] = []
  const sockets: StreamSocket[] = []
  const connections = {
    add: (socket: StreamSocket) => void sockets.push(socket),
    addSession: (...session: Serving['sessions'][number]) => void sessions.push(session),
  }
  serveHttp2(server, {
    connections: connections as unknown as Http2Options['connections'],
    classes: { IncomingMessage, ServerResponse },
    logger: { info() {}, warn() {}, error() {} },
    limits: {
      requestTimeoutMs: 0,
      keepAliveTimeoutMs: 0,
      maxHeaderBytes: 16_384,
      maxHeaderFields: 100,
      maxConcurrentStreams: 100,
      ...limits,
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  toClose.push(async () => {
    for (const [, socket] of sessions) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { server, port: (server.address() as AddressInfo).port, sessions, sockets }
}

/** Opens a session; by then the server knows it. */
async function openSession(port: number): Promise<ClientHttp2Session> {
  const session = connect(`https://localhost:${port}`, { ca: cert, family: 4 } as never)
  session.on('error', () => {})
  toClose.push(() => session.destroy())
  await once(session, 'remoteSettings')
  return session
}

/** Unlike `once` it does not listen for errors, which would then be nobody's. */
const closeOf = (emitter: EventEmitter): Promise<void> =>
  new Promise((resolve) => emitter.once('close', resolve))
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Answer {
  status: number
  text: string
  /** The code of RST_STREAM. */
  code: number
}

async function read(stream: ClientHttp2Stream): Promise<Answer> {
  let [status, text] = [0, '']
  stream.on('error', () => {})
  stream.on('response', (headers) => (status = headers[':status']!))
  stream.setEncoding('latin1').on('data', (piece: string) => (text += piece))
  await closeOf(stream)
  return { status, text, code: stream.rstCode }
}

const send = (
  client: ClientHttp2Session,
  headers: OutgoingHttpHeaders = {},
  body?: string,
): Promise<Answer> => {
  const stream = client.request({ ':path': '/', ...headers }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  return read(stream)
}

/** From here to the end of the test the time limits pass when they are told to. */
function fakeTimeouts(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
    ],
  })
}

/** A stream with what no client, or not every Node, would let through. */
class FakeStream extends Duplex {
  readonly said: unknown[][] = []
  aborted = false
  endAfterHeaders = true
  headersSent = false
  isReading = true
  isStuck = false
  /** Where it is stuck: says that what was written last has gone out, or never will. */
  sent = (): void => {}

  override _read(): void {}
  override _write(_chunk: unknown, _encoding: unknown, written: () => void): void {
    if (this.isStuck) this.sent = written
    else written()
  }
  override pause(): this {
    this.isReading = false
    return this
  }
  override resume(): this {
    this.isReading = true
    return this
  }
  respond({ ':status': status }: IncomingHttpHeaders & { ':status': number }, options?: object): void {
    this.headersSent = true
    this.said.push(['respond', status, ...(options === undefined ? [] : [options])])
  }
  additionalHeaders({ ':status': status }: IncomingHttpHeaders & { ':status': number }): void {
    this.said.push(['additionalHeaders', status])
  }
  close(code: number): void {
    this.said.push(['close', code])
  }
  setTimeout(): void {}
}

interface Accepted {
  stream: FakeStream
  socket: StreamSocket
  req: IncomingMessage & { stream?: unknown }
  res: ServerResponse
  server: Server
}

/** A server with one session, whose streams are made by hand. */
async function openByHand(limits: Partial<Http2Options['limits']> = {}) {
  const arrived: [IncomingMessage, ServerResponse][] = []
  const serving = await serve((req, res) => void arrived.push([req, res]), limits)
  await openSession(serving.port)
  const [session] = serving.sessions[0]!
  const arrive = (
    headers: Record<string, string>,
    {
      rawHeaders = Object.entries(headers).flat(),
      ...state
    }: Partial<FakeStream> & { rawHeaders?: string[] } = {},
  ): FakeStream => {
    const stream = Object.assign(new FakeStream(), state)
    session.emit('stream', stream as never, headers, 0, rawHeaders)
    return stream
  }
  return { ...serving, session, arrived, arrive }
}

const get = { ':method': 'GET', ':path': '/', ':scheme': 'https', ':authority': 'named.example' }

/** A request that is waited for. */
async function accept(
  state: Partial<FakeStream> & { rawHeaders?: string[] } = {},
  headers: Record<string, string> = get,
  limits: Partial<Http2Options['limits']> = {},
): Promise<Accepted> {
  const { server, sockets, arrived, arrive } = await openByHand(limits)
  const stream = arrive(headers, state)
  const [req, res] = arrived[0]!
  return { stream, socket: sockets[0]!, req, res, server }
}

describe('A connection', () => {
  it('that has chosen HTTP/2 is served by the classes of HTTP/1', async () => {
    const seen: unknown[] = []
    const { port, sockets, sessions } = await serve((req, res) => {
      const { method, url, httpVersion, httpVersionMajor, httpVersionMinor, complete } = req
      seen.push(req instanceof IncomingMessage, res instanceof ServerResponse, complete)
      seen.push(method, url, httpVersion, httpVersionMajor, httpVersionMinor)
      seen.push((req as { stream?: object }).stream === (res.req as { stream?: object }).stream, req.socket)
      res.writeHead(201).end('answered')
    })
    const client = await openSession(port)
    expect(await send(client, { ':method': 'DELETE', ':path': '/a?b' })).toEqual({
      status: 201,
      text: 'answered',
      code: constants.NGHTTP2_NO_ERROR,
    })
    expect(seen).toEqual([true, true, true, 'DELETE', '/a?b', '2.0', 2, 0, true, sockets[0]])
    expect([sockets.length, sessions.length]).toEqual([1, 1])
  })

  it('that has chosen HTTP/1.1 is Node’s', async () => {
    const versions: string[] = []
    const { server, port, sessions } = await serve((req, res) => {
      versions.push(req.httpVersion)
      res.end('answered')
    })
    expect(server.listenerCount('secureConnection')).toBe(1)
    const outgoing = requestHttps({ host: 'localhost', family: 4, port, ca: cert, agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect([(await incoming.toArray()).join(''), versions, sessions]).toEqual(['answered', ['1.1'], []])
  })

  it('tells a client of HTTP/2 the limits', async () => {
    const { port } = await serve(() => {}, { maxConcurrentStreams: 7, maxHeaderBytes: 3_000 })
    const { remoteSettings } = await openSession(port)
    expect([remoteSettings.maxConcurrentStreams, remoteSettings.maxHeaderListSize]).toEqual([7, 6_000])
  })

  it('may have limits as large as one likes', async () => {
    const { port } = await serve((_req, res) => void res.end(), {
      maxHeaderBytes: 2 ** 31,
      maxHeaderFields: 2 ** 31,
    })
    const client = await openSession(port)
    expect(client.remoteSettings.maxHeaderListSize).toBe(2 ** 31 - 1)
    expect((await send(client, { 'x-a': '1', 'x-b': '2' })).status).toBe(200)
  })

  it('takes twice as many fields as the limit says, which are then counted and answered, and resets what is far over', async () => {
    const { port } = await serve((req, res) => void res.end(String(Object.keys(req.headers).length)), {
      maxHeaderFields: 10,
    })
    const client = await openSession(port)
    const some = (count: number): OutgoingHttpHeaders =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'x']))
    expect((await send(client, some(20))).text).toBe('21')
    expect(await send(client, some(60))).toMatchObject({
      status: 0,
      code: constants.NGHTTP2_ENHANCE_YOUR_CALM,
    })
  })

  it('that fails does so for itself, not for the process', async () => {
    const { port, sessions } = await serve(() => {})
    await openSession(port)
    const [session] = sessions[0]!
    const closed = closeOf(session)
    session.destroy(new Error('of the connection'))
    await closed
  })
})

describe('A connection that is idle', () => {
  it('is closed after keepAliveTimeoutMs without a request, and cut where the client does not go', async () => {
    fakeTimeouts()
    const { port, sessions } = await serve(() => {}, { keepAliveTimeoutMs: 1_000 })
    await openSession(port)
    const [session, socket] = sessions[0]!
    jest.advanceTimersByTime(999)
    expect(session.closed).toBe(false)
    jest.advanceTimersByTime(1)
    expect([session.closed, socket.destroyed]).toEqual([true, false])
    jest.advanceTimersByTime(2_000)
    expect(socket.destroyed).toBe(true)
  })

  it('is closed so long after its last answer, and not while one is waited for', async () => {
    fakeTimeouts()
    const waiting: ServerResponse[] = []
    const { port, sessions, sockets } = await serve((_req, res) => void waiting.push(res), {
      keepAliveTimeoutMs: 1_000,
    })
    const client = await openSession(port)
    const [session] = sessions[0]!
    expect(jest.getTimerCount()).toBe(1)
    for (const open of [2, 1]) {
      const answers = Array.from({ length: open }, () => send(client))
      while (waiting.length < open) await turn()
      expect(jest.getTimerCount()).toBe(0)
      for (const [at, res] of waiting.splice(0).entries()) {
        const closed = closeOf(sockets.at(at - open)!)
        res.end()
        await closed
        expect([at, jest.getTimerCount()]).toEqual([at, at === open - 1 ? 1 : 0])
      }
      await Promise.all(answers)
    }
    jest.advanceTimersByTime(1_000)
    expect(session.closed).toBe(true)
  })

  it('has no timer where the limit is 0, where it closes already, nor when it has closed', async () => {
    fakeTimeouts()
    const unlimited = await serve(() => {})
    await openSession(unlimited.port)
    expect([unlimited.sessions.length, jest.getTimerCount()]).toEqual([1, 0])
    const waiting: ServerResponse[] = []
    const { port, sessions, sockets } = await serve((_req, res) => void waiting.push(res), {
      keepAliveTimeoutMs: 1_000,
    })
    const client = await openSession(port)
    const leaving = closeOf(sessions[0]![0])
    expect(jest.getTimerCount()).toBe(1)
    client.destroy()
    await leaving
    expect(jest.getTimerCount()).toBe(0)
    const answer = send(await openSession(port))
    while (waiting.length < 1) await turn()
    sessions[1]![0].close()
    const closed = closeOf(sockets[0]!)
    waiting[0]!.end()
    await closed
    expect(jest.getTimerCount()).toBe(0)
    expect((await answer).status).toBe(200)
  })
})

describe('A client whose streams close before their answer', () => {
  let now = 1_000_000
  beforeEach(() => {
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now)
    toClose.push(() => clock.mockRestore())
  })
  const immediately = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const reset = (arrive: (headers: Record<string, string>) => FakeStream, count: number): void => {
    for (let at = 0; at < count; at++) arrive(get).emit('close')
  }

  it('is cut off when what has come is read, not in between', async () => {
    const { session, arrive } = await openByHand()
    reset(arrive, 1_100)
    expect(session.destroyed).toBe(false)
    await immediately()
    expect(session.destroyed).toBe(true)
  })

  it('is cut off after a thousand, and not after as many answers', async () => {
    const { session, arrive, arrived } = await openByHand()
    reset(arrive, 1_000)
    for (let at = 0; at < 50; at++) {
      const stream = arrive(get)
      arrived.at(-1)![1].end()
      stream.emit('close')
    }
    expect(session.destroyed).toBe(false)
    reset(arrive, 1)
    await immediately()
    expect(session.destroyed).toBe(true)
  })

  it('may do so 33 times in each second more', async () => {
    const { session, arrive } = await openByHand()
    reset(arrive, 1_000)
    now += 2_000
    reset(arrive, 66)
    expect(session.destroyed).toBe(false)
    // Not more than a thousand are saved up.
    now += 1_000_000
    reset(arrive, 1_000)
    expect(session.destroyed).toBe(false)
    reset(arrive, 1)
    await immediately()
    expect(session.destroyed).toBe(true)
  })

  it('is not cut off for answers that break off here', async () => {
    const { session, arrive, sockets } = await openByHand()
    for (let at = 0; at < 1_100; at++) {
      const stream = arrive(get)
      sockets.at(-1)!.destroy()
      stream.emit('close')
    }
    expect(session.destroyed).toBe(false)
  })

  it('is not served what it has reset by the time it is handed over', async () => {
    const { session, arrive, arrived } = await openByHand()
    const arriveClosed = (): FakeStream => {
      const stream = Object.defineProperty(new FakeStream(), 'closed', { value: true })
      session.emit('stream', stream as never, get, 0, [])
      return stream
    }
    const { destroyed, said } = arriveClosed()
    expect([arrived, destroyed, said, session.destroyed]).toEqual([[], true, [], false])
    for (let at = 0; at < 1_000; at++) arriveClosed()
    await immediately()
    expect(session.destroyed).toBe(true)
    arrive(get)
    expect(arrived).toEqual([])
  })
})

describe('A request', () => {
  it.each<[string, Record<string, string>, number]>([
    ['with CONNECT', { ':method': 'CONNECT', ':authority': 'named.example:1' }, 405],
    ['with CONNECT and a protocol', { ...get, ':method': 'CONNECT', ':protocol': 'websocket' }, 405],
    ['without a path', { ':method': 'GET', ':authority': 'named.example' }, 405],
    ['with a method in small letters', { ...get, ':method': 'post' }, 400],
    ['with a method that HTTP/1 does not know', { ...get, ':method': 'FETCH' }, 400],
    ['with a path of absolute form', { ...get, ':path': 'http://other.example/' }, 400],
    ['with a path that has no slash', { ...get, ':path': 'admin' }, 400],
    ['with an asterisk that is not for OPTIONS', { ...get, ':path': '*' }, 400],
    ['with OPTIONS and more than an asterisk', { ...get, ':method': 'OPTIONS', ':path': '**' }, 400],
    ['with a head that is too large', { ...get, 'x-a': 'x'.repeat(2_000) }, 431],
  ])('%s is refused', async (_what, headers, status) => {
    const { arrive, arrived, sockets } = await openByHand({ maxHeaderBytes: 2_000 })
    const { said } = arrive(headers)
    expect([said, arrived, sockets]).toEqual([[['respond', status, { endStream: true }]], [], []])
    await turn()
    expect(said.slice(1)).toEqual([['close', constants.NGHTTP2_NO_ERROR]])
  })

  it('may have a head of maxHeaderBytes, all names and values together', async () => {
    const { arrive, arrived } = await openByHand({ maxHeaderBytes: 2_000 })
    const length = Object.entries(get).flat().join('').length + 'x-a'.length
    arrive({ ...get, 'x-a': 'x'.repeat(2_000 - length) })
    expect(arrived.length).toBe(1)
    expect(arrive({ ...get, 'x-a': 'x'.repeat(2_001 - length) }).said).toEqual([
      ['respond', 431, { endStream: true }],
    ])
  })

  it.each<[string, Record<string, string>, object, string[]]>([
    ['the authority', { ':authority': 'a.test' }, { host: 'a.test' }, ['host', 'a.test']],
    ['the Host field', { host: 'a.test' }, { host: 'a.test' }, ['host', 'a.test']],
    ['both', { ':authority': 'a.test', host: 'a.test' }, { host: 'a.test' }, ['host', 'a.test']],
    [
      'both, which differ',
      { ':authority': 'a.test', host: 'b.test' },
      { host: 'a.test' },
      ['host', 'a.test', 'host', 'b.test'],
    ],
    ['nothing', {}, {}, []],
    [
      'the authority, and another field says the same',
      { ':authority': 'a.test', 'x-host': 'a.test', cookie: 'a=1' },
      { host: 'a.test', 'x-host': 'a.test', cookie: 'a=1' },
      ['host', 'a.test', 'x-host', 'a.test', 'cookie', 'a=1'],
    ],
  ])('has its fields, and for Host what is said by %s', async (_what, headers, fields, rawHeaders) => {
    const { req } = await accept({}, { ':method': 'GET', ':path': '/', ...headers })
    expect([req.headers, req.rawHeaders]).toStrictEqual([fields, rawHeaders])
  })

  it('has its trailers', async () => {
    const { req, stream } = await accept({ endAfterHeaders: false })
    stream.emit('trailers', { 'x-sum': '1' }, 0, ['X-Sum', '1'])
    expect([{ ...req.trailers }, req.rawTrailers]).toEqual([{ 'x-sum': '1' }, ['X-Sum', '1']])
  })

  it('has its stream', async () => {
    const { req, stream } = await accept()
    expect(req.stream).toBe(stream)
  })
})

describe('What a request expects', () => {
  it.each<[string, string, string[], unknown[]]>([
    ['is the answer alone', '', ['checkContinue', 'checkExpectation'], ['request']],
    ['is to be told to go on', '100-Continue', [], [100, 'request']],
    ['is to be told, and a listener decides that', '100-continue', ['checkContinue'], ['checkContinue']],
    ['is something else', '100-continues', ['checkContinue'], [417]],
    ['is something else again', 'x100-continue', ['checkContinue'], [417]],
    ['is for a listener to know', 'tea', ['checkExpectation'], ['checkExpectation']],
  ])('%s: %j', async (_what, expectation, listened, expected) => {
    const { server, arrive, arrived } = await openByHand()
    const seen: unknown[] = []
    for (const name of listened) server.on(name, () => void seen.push(name))
    const { said } = arrive({ ...get, ...(expectation !== '' && { expect: expectation }) })
    await turn()
    for (const [, status] of said) seen.push(status)
    if (arrived.length > 0) seen.push('request')
    expect(seen).toEqual(expected)
  })
})

describe('The body of a request', () => {
  it('comes piece by piece, and then its end', async () => {
    const { req, socket, stream } = await accept({ endAfterHeaders: false })
    const body = req.toArray()
    expect(req.complete).toBe(false)
    stream.emit('data', Buffer.from('one'))
    // Somebody reads.
    expect(socket.isPaused()).toBe(false)
    stream.emit('data', Buffer.from('three'))
    stream.emit('end')
    expect([req.complete, socket.bytesRead, (await body).join('')]).toEqual([true, 8, 'onethree'])
  })

  it('waits where nobody reads', async () => {
    const { req, socket, stream } = await accept({ endAfterHeaders: false })
    await turn()
    stream.emit('data', Buffer.alloc(1))
    expect([socket.isPaused(), stream.isReading]).toEqual([false, true])
    stream.emit('data', Buffer.alloc(1_000_000))
    expect([socket.isPaused(), stream.isReading]).toEqual([true, false])
    let size = 0
    req.on('data', (chunk: Buffer) => (size += chunk.length))
    while (socket.isPaused()) await turn()
    expect([size, stream.isReading]).toEqual([1_000_001, true])
  })

  it('that breaks off is not taken for a whole one', async () => {
    const { req, socket, stream } = await accept({ endAfterHeaders: false })
    const failed = once(req, 'error') as Promise<[Error]>
    stream.emit('data', Buffer.from('half'))
    stream.aborted = true
    stream.emit('end')
    expect(req.complete).toBe(false)
    stream.emit('close')
    expect((await failed)[0]).toMatchObject({ message: 'aborted', code: 'ECONNRESET' })
    expect([req.complete, socket.destroyed]).toEqual([false, true])
  })

  it('that nobody has begun to read ends with its stream', async () => {
    const { req, stream } = await accept({ endAfterHeaders: false })
    stream.emit('data', Buffer.from('whole'))
    stream.emit('end')
    await turn()
    expect(req.readableEnded).toBe(false)
    stream.emit('close')
    await once(req, 'end')
    expect(req.complete).toBe(true)
  })

  it('that somebody reads at leisure is kept beyond its stream', async () => {
    const { req, stream } = await accept({ endAfterHeaders: false })
    const pieces: string[] = []
    req.on('data', (piece: Buffer) => {
      pieces.push(piece.toString())
      req.pause()
    })
    stream.emit('data', Buffer.from('one'))
    stream.emit('data', Buffer.from('two'))
    stream.emit('end')
    while (pieces.length === 0) await turn()
    stream.emit('close')
    await turn()
    expect(pieces).toEqual(['one'])
    req.resume()
    await turn()
    expect(pieces).toEqual(['one', 'two'])
  })

  it('that does not come to its end in requestTimeoutMs is answered with 408', async () => {
    fakeTimeouts()
    const { port, sockets } = await serve(() => {}, { requestTimeoutMs: 1_000 })
    const stream = (await openSession(port)).request({ ':method': 'POST', ':path': '/' })
    const answer = read(stream)
    stream.write('half')
    while (sockets.length === 0) await turn()
    jest.advanceTimersByTime(999)
    expect(sockets[0]!.destroyed).toBe(false)
    jest.advanceTimersByTime(1)
    expect(await answer).toEqual({ status: 408, text: '', code: constants.NGHTTP2_NO_ERROR })
  })

  it('that does not is cut off where the answer has begun', async () => {
    fakeTimeouts()
    const { port } = await serve((_req, res) => void res.write('begun'), { requestTimeoutMs: 1_000 })
    const stream = (await openSession(port)).request({ ':method': 'POST', ':path': '/' })
    const answer = read(stream)
    await once(stream, 'data')
    jest.advanceTimersByTime(1_000)
    expect(await answer).toMatchObject({ status: 200, text: 'begun', code: constants.NGHTTP2_INTERNAL_ERROR })
  })

  it.each(['end', 'close'])('has no time limit any more after its %s', async (event) => {
    fakeTimeouts()
    const { stream } = await accept({ endAfterHeaders: false }, get, { requestTimeoutMs: 1_000 })
    expect(jest.getTimerCount()).toBe(1)
    stream.emit(event)
    expect(jest.getTimerCount()).toBe(0)
  })

  it.each<[string, boolean, number]>([
    ['where there is none', true, 1_000],
    ['where the limit is 0', false, 0],
  ])('has no time limit %s', async (_where, endAfterHeaders, requestTimeoutMs) => {
    fakeTimeouts()
    const { req } = await accept({ endAfterHeaders }, get, { requestTimeoutMs })
    expect([jest.getTimerCount(), req.complete]).toEqual([0, endAfterHeaders])
  })
})

describe('A stream that is silent', () => {
  it('is cut where nobody listens for that', async () => {
    const { socket } = await accept()
    socket.emit('timeout')
    expect(socket.destroyed).toBe(true)
  })

  it.each<['req' | 'res' | 'server', boolean, boolean]>([
    ['req', false, true],
    ['req', true, false],
    ['res', true, true],
    ['server', true, true],
  ])(
    'is told to %s, where the body is there: %p, who decides: %p',
    async (name, endAfterHeaders, decides) => {
      const accepted = await accept({ endAfterHeaders })
      const told = jest.fn()
      ;(accepted[name] as EventEmitter).on('timeout', told)
      accepted.socket.emit('timeout')
      expect(told.mock.calls).toEqual(decides ? [[accepted.socket]] : [])
      expect(accepted.socket.destroyed).toBe(!decides)
    },
  )

  it.each([0, 5_000])('is so for the timeout of the server: %p', async (timeout) => {
    const { server, arrive, sockets } = await openByHand()
    server.timeout = timeout
    arrive(get)
    expect(sockets[0]!.timeout).toBe(timeout)
  })
})

describe('An answer', () => {
  it('ends its stream, and says so once', async () => {
    const { res, socket, stream } = await accept()
    let closes = 0
    res.on('close', () => closes++)
    res.end('whole')
    await once(res, 'finish')
    await turn()
    expect([closes, res.destroyed, res.closed, res.writableFinished]).toEqual([1, true, true, true])
    expect([stream.writableEnded, stream.said]).toEqual([true, [['respond', 200]]])
    stream.emit('close')
    await closeOf(socket)
    expect(closes).toBe(1)
  })

  it('says so too where a listener of its end destroys it, as in HTTP/1', async () => {
    const { res } = await accept()
    let closes = 0
    res.on('close', () => closes++).on('finish', () => res.destroy())
    res.end('whole')
    await once(res, 'finish')
    await turn()
    expect(closes).toBe(1)
  })

  it('whose client goes while it is sent is closed once', async () => {
    const { res, stream } = await accept({ isStuck: true })
    let closes = 0
    res.on('close', () => closes++)
    res.write('half')
    res.end('whole')
    stream.emit('close')
    await turn()
    stream.sent()
    // `finish` comes in one of them where Node still emits it, which it does up to 22.
    for (let turns = 0; turns < 5; turns++) await turn()
    expect([closes, res.closed]).toEqual([1, true])
  })

  describe('to a request that has not come to its end', () => {
    const rest = (length?: string): Promise<Accepted> =>
      accept(
        { endAfterHeaders: false },
        { ...get, ...(length !== undefined && { 'content-length': length }) },
      )
    const ended = async ({ res }: Accepted): Promise<void> => {
      fakeTimeouts()
      res.end('denied')
      await once(res, 'finish')
    }
    const told = [
      ['respond', 200],
      ['close', constants.NGHTTP2_NO_ERROR],
    ]

    it('says that the rest need not come where nothing comes', async () => {
      const accepted = await rest()
      const { stream, req } = accepted
      await ended(accepted)
      jest.advanceTimersByTime(49)
      await turn()
      expect([stream.writableEnded, stream.said]).toEqual([true, told.slice(0, 1)])
      jest.advanceTimersByTime(1)
      await turn()
      expect([stream.said, stream.isReading, stream.listenerCount('data')]).toEqual([told, true, 0])
      // What had come by then is not the whole.
      stream.emit('end')
      expect(req.complete).toBe(false)
      stream.emit('close')
      expect([req.destroyed, jest.getTimerCount()]).toEqual([true, 0])
    })

    it('ends a stream that has not closed two seconds after that', async () => {
      const accepted = await rest()
      await ended(accepted)
      jest.advanceTimersByTime(50)
      await turn()
      jest.advanceTimersByTime(1_999)
      expect(accepted.stream.destroyed).toBe(false)
      jest.advanceTimersByTime(1)
      expect(accepted.stream.destroyed).toBe(true)
    })

    it('waits for no stream that has closed', async () => {
      const accepted = await rest()
      await ended(accepted)
      jest.advanceTimersByTime(50)
      await turn()
      accepted.stream.destroy()
      await turn()
      expect(jest.getTimerCount()).toBe(0)
    })

    it('lets it come to its end while something comes', async () => {
      const accepted = await rest('1000000')
      const { stream, req, socket } = accepted
      stream.emit('data', Buffer.alloc(100_000))
      expect(socket.isPaused()).toBe(true)
      await ended(accepted)
      for (let pieces = 0; pieces < 9; pieces++) {
        jest.advanceTimersByTime(49)
        stream.emit('data', Buffer.alloc(100_000))
      }
      stream.emit('end')
      stream.emit('close')
      expect([req.complete, stream.said, jest.getTimerCount()]).toEqual([true, told.slice(0, 1), 0])
    })

    it.each([
      ['is announced', '4194305', []],
      ['comes', undefined, [4_194_304, 1]],
    ])('says so where more than 4 MiB %s', async (_how, length, pieces) => {
      const accepted = await rest(length)
      await ended(accepted)
      for (const [at, size] of pieces.entries()) {
        await turn()
        expect([at, accepted.stream.said]).toEqual([at, told.slice(0, 1)])
        accepted.stream.emit('data', Buffer.alloc(size))
      }
      await turn()
      expect(accepted.stream.said).toEqual(told)
    })

    it('says so where it comes for longer than a second', async () => {
      let now = 1_000
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now)
      toClose.push(() => clock.mockRestore())
      const accepted = await rest()
      await ended(accepted)
      for (const [milliseconds, times] of [
        [1_000, 1],
        [1, 2],
      ] as const) {
        now += milliseconds
        accepted.stream.emit('data', Buffer.alloc(1))
        await turn()
        expect(accepted.stream.said).toEqual(told.slice(0, times))
      }
    })

    it('says so to the first of nine', async () => {
      const { arrive, arrived } = await openByHand()
      fakeTimeouts()
      const streams = Array.from({ length: 10 }, () => arrive(get, { endAfterHeaders: false }))
      const open = (): number[] => streams.flatMap(({ said }, at) => (said.length < 2 ? [at] : []))
      for (const [, res] of arrived.slice(0, 8)) res.end()
      await turn()
      expect(open()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      arrived[8]![1].end()
      await turn()
      await turn()
      expect(open()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      // One that has closed, and that nobody need be told of, does not count.
      streams[1]!.emit('close')
      arrived[9]![1].end()
      await turn()
      await turn()
      expect(open()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    })
  })

  it('to HEAD that is cut off before its head is an error for the client', async () => {
    const { stream, socket } = await accept({}, { ...get, ':method': 'HEAD' })
    // As Node does it.
    stream.end()
    socket.destroy()
    expect(stream.destroyed).toBe(true)
    await turn()
    expect(stream.said).toEqual([])
  })

  it('that is cut off is an error for the client alone', async () => {
    const { port, sockets } = await serve((_req, res) => {
      res.write('begun')
      setImmediate(() => res.destroy())
    })
    const client = await openSession(port)
    expect(await send(client)).toMatchObject({ status: 200, code: constants.NGHTTP2_INTERNAL_ERROR })
    if (!sockets[0]!.closed) await closeOf(sockets[0]!)
    expect(client.destroyed).toBe(false)
  })

  it('is closed when the client has gone', async () => {
    const answers: ServerResponse[] = []
    const { port, sockets } = await serve((_req, res) => void answers.push(res))
    const stream = (await openSession(port)).request({ ':path': '/' })
    stream.on('error', () => {})
    while (answers.length === 0) await turn()
    const closed = closeOf(answers[0]!)
    stream.close(constants.NGHTTP2_CANCEL)
    await closed
    expect([answers[0]!.writableFinished, sockets[0]!.destroyed]).toEqual([false, true])
  })
})
