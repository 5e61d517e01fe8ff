import { EventEmitter } from 'node:events'
import { exchangeKey } from '../../src/request/exchange.js'
import { Connections } from '../../src/node/shutdown.js'

/** How often a server that stops looks at what is left. */
const lookMs = 2_000

class FakeServer extends EventEmitter {
  /** How often the connections that are idle have been closed. */
  idleClosed = 0
  /** What it closes: as Node, those whose answer is ended. */
  idle: FakeAnswer[] = []
  isClosing = false
  /** Says that the last connection is gone. */
  gone = (): void => {}

  close(onClosed: () => void): void {
    this.isClosing = true
    this.gone = onClosed
  }
  closeIdleConnections(): void {
    this.idleClosed++
    for (const { finished, req } of this.idle) if (finished) req.socket.destroy()
  }
}

class FakeConnection extends EventEmitter {
  bytesRead = 0
  closed = false
  destroyed = false
  /** It is closed when what was written is sent. */
  isEnding = false
  paused = false
  _httpMessage: FakeAnswer | null = null
  parser: { incoming?: object | null } | null | undefined = {}
  session: FakeSession | undefined
  _parent: FakeConnection | undefined

  isPaused(): boolean {
    return this.paused
  }
  destroy(): void {
    this.destroyed = true
    this.closed = true
    this.emit('close')
  }
  destroySoon(): void {
    this.isEnding = true
  }
}

class FakeSession {
  readonly told: unknown[][] = []
  destroyed = false
  closed = false

  goaway(...frame: unknown[]): void {
    this.told.push(frame)
  }
  close(): void {
    this.closed = true
  }
}

interface FakeExchange {
  readonly signal: { aborted: boolean }
  abort(): void
}

class FakeAnswer extends EventEmitter {
  /** By the code that answers. */
  finished = false
  /** All of it has been sent. */
  writableFinished = false
  headersSent = false
  shouldKeepAlive = true
  _header: string | null = null
  readonly req: {
    socket: FakeConnection
    complete: boolean
    stream?: { session?: FakeSession }
    [exchangeKey]?: FakeExchange
  }

  constructor(socket: FakeConnection, complete = true) {
    super()
    this.req = { socket, complete }
  }
}

const eventStream = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'

let server: FakeServer
let connections: Connections
/** The server knows them weakly. */
let opened: object[]
const closed = jest.fn()

beforeEach(() => {
  jest.useFakeTimers()
  closed.mockClear()
  opened = []
  server = new FakeServer()
  connections = new Connections(server as never)
})
afterEach(() => void jest.useRealTimers())

function connect(
  state: Partial<FakeConnection> = {},
  event: 'connection' | 'secureConnection' = 'connection',
): FakeConnection {
  const connection = Object.assign(new FakeConnection(), state)
  opened.push(connection)
  server.emit(event, connection)
  return connection
}

/** A connection with an answer that is not complete. */
function busy(state: Partial<FakeAnswer> = {}, complete = true): FakeAnswer {
  const connection = connect()
  const answer = Object.assign(new FakeAnswer(connection, complete), state)
  connection._httpMessage = answer
  return answer
}

/** A session of HTTP/2, with a stream for each answer that it is at. */
function openSession(): { session: FakeSession; connection: FakeConnection } {
  const connection = connect({}, 'secureConnection')
  const session = new FakeSession()
  connections.addSession(session as never, connection as never)
  return { session, connection }
}

function openStream(session: FakeSession): FakeAnswer {
  const socket = Object.assign(new FakeConnection(), { session, parser: undefined })
  opened.push(socket)
  connections.add(socket as never)
  const answer = new FakeAnswer(socket)
  answer.req.stream = { session }
  socket._httpMessage = answer
  return answer
}

const request = (answer: FakeAnswer): void => void server.emit('request', answer.req, answer)
const close = (graceMs = 25_000): void => connections.close(graceMs, closed)

describe('When a server is about to stop', () => {
  it('answers that are waited for, and those that come yet, are the last of their connection', () => {
    connect()
    const [waiting, coming] = [busy(), busy()]
    coming.req.socket._httpMessage = null
    const seen: boolean[] = []
    server.on('request', (_req, res: FakeAnswer) => void seen.push(res.shouldKeepAlive))
    request(coming)
    connections.announceClose()
    expect([waiting.shouldKeepAlive, coming.shouldKeepAlive]).toEqual([false, true])
    request(coming)
    // Whoever answers finds it so.
    expect(seen).toEqual([true, false])
  })

  it('one that has been begun stays as it was promised', () => {
    const begun = busy({ headersSent: true })
    connections.announceClose()
    expect(begun.shouldKeepAlive).toBe(true)
  })

  it.each<[string, FakeConnection['parser']]>([
    ['has read no other request', { incoming: null }],
    ['is no more one of HTTP/1', null],
    ['has none', undefined],
  ])('an answer is the last where the parser %s', (_what, parser) => {
    const answer = busy()
    answer.req.socket.parser = parser
    connections.announceClose()
    expect(answer.shouldKeepAlive).toBe(false)
  })

  it('an answer is not the last where the next request has been read', () => {
    const answer = busy()
    answer.req.socket.parser = { incoming: {} }
    connections.announceClose()
    expect(answer.shouldKeepAlive).toBe(true)
  })

  it('nor is one that is waited for in line, but the one behind it', () => {
    const first = busy()
    connections.announceClose()
    const { socket } = first.req
    const second = new FakeAnswer(socket)
    socket.parser = { incoming: second.req }
    request(second)
    expect([first.shouldKeepAlive, second.shouldKeepAlive]).toEqual([true, true])
    // The first has been sent.
    socket._httpMessage = second
    const third = new FakeAnswer(socket)
    socket._httpMessage = null
    socket.parser = { incoming: third.req }
    request(third)
    expect(third.shouldKeepAlive).toBe(false)
  })

  it('an answer that has said already that it is the last remains so, whatever comes behind', () => {
    const first = busy()
    connections.announceClose()
    first.headersSent = true
    request(new FakeAnswer(first.req.socket))
    expect(first.shouldKeepAlive).toBe(false)
  })

  it('so does one whose client has asked for that', () => {
    const first = busy({ shouldKeepAlive: false })
    connections.announceClose()
    request(new FakeAnswer(first.req.socket))
    expect(first.shouldKeepAlive).toBe(false)
  })

  it('a request that is read while none is answered does not make another the last', () => {
    connections.announceClose()
    const connection = connect({ parser: { incoming: {} } })
    const answer = new FakeAnswer(connection)
    request(answer)
    expect(answer.shouldKeepAlive).toBe(true)
  })

  it('a session of HTTP/2 is told once, and that all that comes yet is answered', () => {
    const { session } = openSession()
    const open = openStream(session)
    connections.announceClose()
    const coming = openStream(session)
    request(coming)
    expect(session.told).toEqual([[0, 2 ** 31 - 1]])
    // The answers of its streams do not speak of the connection.
    expect([open.shouldKeepAlive, coming.shouldKeepAlive, coming.listenerCount('close')]).toEqual([
      true,
      true,
      0,
    ])
  })

  it('a session of HTTP/2 without a request is told at once', () => {
    const { session } = openSession()
    connections.announceClose()
    expect(session.told).toEqual([[0, 2 ** 31 - 1]])
    connections.announceClose()
    expect(session.told.length).toBe(1)
  })

  it('one that opens later is told with its first request, and one that is gone is not', () => {
    const gone = openSession().session
    gone.destroyed = true
    connections.announceClose()
    const late = openSession().session
    expect([gone.told, late.told]).toEqual([[], []])
    request(openStream(late))
    expect(late.told.length).toBe(1)
  })
})

describe('A server that closes', () => {
  it('says when the last connection is gone, and leaves no timer', () => {
    close()
    expect([server.isClosing, closed.mock.calls.length, jest.getTimerCount()]).toEqual([true, 0, 2])
    server.gone()
    expect([closed.mock.calls.length, jest.getTimerCount()]).toEqual([1, 0])
  })

  it('cuts at the end of the grace what is still open', () => {
    const answer = busy()
    const gone = connect({ closed: true })
    const { session, connection } = openSession()
    const stream = openStream(session)
    close(5_000)
    jest.advanceTimersByTime(4_999)
    const cut = (): boolean[] =>
      [answer.req.socket, gone, connection, stream.req.socket].map(({ destroyed }) => destroyed)
    expect(cut()).toEqual([false, false, false, false])
    jest.advanceTimersByTime(1)
    expect(cut()).toEqual([true, false, true, true])
  })

  it('takes a connection of TLS for one, the one above, from its handshake on', () => {
    const handshaking = connect()
    const below = connect()
    const above = connect({ _parent: below }, 'secureConnection')
    close(100)
    jest.advanceTimersByTime(100)
    expect([handshaking.destroyed, below.destroyed, above.destroyed]).toEqual([true, false, true])
  })

  it('closes connections that become idle by their last answer, and looks for none before', () => {
    const [early, last, cut] = [busy(), busy(), busy()]
    connections.announceClose()
    early.emit('close')
    expect(server.idleClosed).toBe(0)
    close()
    last.emit('close')
    expect(server.idleClosed).toBe(1)
    cut.req.socket.destroyed = true
    cut.emit('close')
    expect(server.idleClosed).toBe(1)
  })

  it('takes none for idle whose answer is not sent, and leaves the answers as they are', () => {
    const [waiting, unsent] = [busy(), busy({ finished: true })]
    const sent = busy({ finished: true, writableFinished: true })
    server.idle = [waiting, unsent, sent]
    server.closeIdleConnections()
    expect(server.idle.map(({ req }) => req.socket.destroyed)).toEqual([false, false, true])
    expect(server.idle.map(({ finished }) => finished)).toEqual([false, true, true])
  })

  it('closes sessions of HTTP/2, also those that open yet, and none before', () => {
    const early = openSession().session
    expect(early.closed).toBe(false)
    const gone = openSession()
    gone.connection.destroy()
    close()
    const late = openSession().session
    expect([early.closed, late.closed, gone.session.closed]).toEqual([true, true, false])
  })

  describe('looks every two seconds, and', () => {
    const upload = (state: Partial<FakeConnection>): FakeConnection => {
      const { socket } = busy({}, false).req
      return Object.assign(socket, state)
    }
    it.each<[string, () => FakeConnection, boolean]>([
      ['destroys one without a request', () => connect(), true],
      ['destroys one whose request has stopped to come', () => upload({}), true],
      ['leaves one whose request we let wait', () => upload({ paused: true }), false],
      ['leaves one whose request is there', () => busy().req.socket, false],
      ['leaves one that has been upgraded', () => connect({ parser: null }), false],
    ])('%s', (_what, make, isDestroyed) => {
      const connection = make()
      close()
      jest.advanceTimersByTime(lookMs - 1)
      expect(connection.destroyed).toBe(false)
      jest.advanceTimersByTime(1)
      expect(connection.destroyed).toBe(isDestroyed)
    })

    it('leaves one whose request still comes, until it stops', () => {
      const { socket } = busy({}, false).req
      socket.bytesRead = 10
      close()
      for (const bytesRead of [11, 12]) {
        socket.bytesRead = bytesRead
        jest.advanceTimersByTime(lookMs)
        expect(socket.destroyed).toBe(false)
      }
      jest.advanceTimersByTime(lookMs)
      expect(socket.destroyed).toBe(true)
    })

    it('destroys a session of HTTP/2 without a request, and leaves one that has some', () => {
      const [idle, active] = [openSession(), openSession()]
      const answer = openStream(active.session)
      close()
      jest.advanceTimersByTime(lookMs)
      expect([idle.connection.destroyed, active.connection.destroyed]).toEqual([true, false])
      answer.req.socket.destroy()
      jest.advanceTimersByTime(lookMs)
      expect(active.connection.destroyed).toBe(true)
    })
  })

  describe('ends an event stream', () => {
    it('by its signal, and at the next look where that does not end it', () => {
      connect()
      const signal = { aborted: false }
      const exchange = { signal, abort: jest.fn(() => void (signal.aborted = true)) }
      const answer = busy({ _header: eventStream })
      answer.req[exchangeKey] = exchange
      close()
      expect([exchange.abort.mock.calls.length, answer.req.socket.isEnding]).toEqual([1, false])
      jest.advanceTimersByTime(lookMs)
      expect([exchange.abort.mock.calls.length, answer.req.socket.isEnding]).toEqual([1, true])
    })

    it('at once where it has none, and no other answer', () => {
      const theirs = busy({ _header: eventStream })
      const other = busy({ _header: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n' })
      const waiting = busy()
      close()
      const ending = [theirs, other, waiting].map(({ req }) => req.socket.isEnding)
      expect(ending).toEqual([true, false, false])
    })

    it('that begins only then, at the next look', () => {
      const answer = busy()
      close()
      answer._header = eventStream
      expect(answer.req.socket.isEnding).toBe(false)
      jest.advanceTimersByTime(lookMs)
      expect(answer.req.socket.isEnding).toBe(true)
    })
  })
})

describe('Connections that have been noted', () => {
  let looks = 0
  beforeEach(() => {
    looks = 0
  })
  function add(count: number, isClosed = false): void {
    for (let at = 0; at < count; at++) {
      const connection = {
        get closed() {
          looks++
          return isClosed
        },
      }
      opened.push(connection)
      connections.add(connection as never)
    }
  }
  /** How many are looked at for that. */
  const looksOf = (work: () => void): number => {
    looks = 0
    work()
    return looks
  }

  it('are looked through when there are many, and again when there are twice as many as were left', () => {
    expect(looksOf(() => add(1_024))).toBe(0)
    expect(looksOf(() => add(1))).toBe(1_024)
    expect(looksOf(() => add(1_023))).toBe(0)
    expect(looksOf(() => add(1))).toBe(2_048)
  })

  it('are forgotten by then when they have closed', () => {
    add(1_024, true)
    add(1)
    expect(looksOf(() => connections.announceClose())).toBe(1)
    expect(looksOf(() => add(1_000))).toBe(0)
  })

  it('may have been collected', () => {
    const gone = jest.spyOn(WeakRef.prototype, 'deref').mockReturnValue(undefined)
    add(1_025)
    connections.announceClose()
    gone.mockRestore()
    expect(looksOf(() => connections.announceClose())).toBe(1)
  })
})
