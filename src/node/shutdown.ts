import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { exchangeKey } from '../request/exchange.js'
import { isEventStream } from './event-stream.js'
import type { NodeExchange } from './exchange.js'

/** How long a client may send nothing while the server stops; also how often that is checked. */
const standstillMs = 2_000

/** The highest number of a stream: in a GOAWAY it promises that all that come yet are answered. RFC 9113 6.8. */
const anyStream = 2 ** 31 - 1

/** What Node keeps on a connection; there is no public way from a connection to its requests. */
interface Connection extends Duplex {
  readonly bytesRead: number
  destroySoon(): void
  /** The answer that is being written, or waited for; none before the head of a request is complete. */
  _httpMessage?: ServerResponse<IncomingMessage & { [exchangeKey]?: NodeExchange }> | null
  /** None once the connection has been upgraded; it has the request that came last. */
  parser?: { incoming?: IncomingMessage | null } | null
  /** Of a stream of HTTP/2. */
  readonly session?: ServerHttp2Session
  /** Of TLS: the connection below. */
  _parent?: Connection | null
}

/** How many may be noted before closed ones are removed. */
const fewNoted = 1_024

/**
 * The connections of a server, for its shutdown. Until then a request costs nothing here: a connection is noted when it opens,
 * and its state is read during the shutdown. Each stream of HTTP/2 counts as a connection, and so does its session.
 */
export class Connections {
  readonly #server: HttpServer
  /** Weakly, so that none has to be removed when it closes: a listener on each would be the largest cost of an idle connection. */
  #noted: WeakRef<Connection>[] = []
  #sweepAt = fewNoted
  readonly #sessions = new Map<ServerHttp2Session, Socket>()
  /** Sessions to which GOAWAY has been sent. */
  readonly #announced = new WeakSet<ServerHttp2Session>()
  /** Bytes read from each, at the last look. */
  readonly #read = new WeakMap<Connection, number>()
  /** Answers that have been made the last of their connection; a client may ask for that itself. */
  readonly #last = new WeakSet<ServerResponse>()
  #isClosing = false

  constructor(server: HttpServer) {
    this.#server = server
    const note = (connection: Connection): void => this.add(connection)
    server.on('connection', note).on('secureConnection', note)
    const closeIdle = server.closeIdleConnections.bind(server)
    const closeIdleConnections = (): void => this.#sparingUnsent(closeIdle)
    // Of this one server. Its `close()` calls it, too.
    server.closeIdleConnections = closeIdleConnections
  }

  /** Notes a connection, which carries several requests, or a stream of HTTP/2, which carries one. */
  add(connection: Duplex): void {
    if (this.#noted.length >= this.#sweepAt) {
      this.#noted = this.#noted.filter((ref) => ref.deref()?.closed === false)
      // At twice as many, so that each sweep costs no more than the connections that have opened since.
      this.#sweepAt = Math.max(fewNoted, 2 * this.#noted.length)
    }
    this.#noted.push(new WeakRef(connection as Connection))
  }

  /**
   * The open connections. For TLS it is the TCP connection until the handshake is done, and then the TLS one. For HTTP/2 it is
   * each stream.
   */
  #open(): Connection[] {
    const open: Connection[] = []
    const below = new Set<Duplex | null | undefined>(this.#sessions.values())
    for (const ref of this.#noted) {
      const connection = ref.deref()
      if (connection?.closed !== false) continue
      open.push(connection)
      below.add(connection._parent)
    }
    return open.filter((connection) => !below.has(connection))
  }

  /**
   * Node takes a connection for idle once the code has ended its answer, and cuts what is not sent yet. It spares those whose answer
   * is not `finished`.
   */
  #sparingUnsent(closeIdle: () => void): void {
    const unsent = this.#open().flatMap(({ _httpMessage: res }) =>
      res?.finished && !res.writableFinished ? [res] : [],
    )
    for (const res of unsent) res.finished = false
    closeIdle()
    for (const res of unsent) res.finished = true
  }

  /** Notes a connection that uses HTTP/2. */
  addSession(session: ServerHttp2Session, connection: Socket): void {
    this.#sessions.set(session, connection)
    connection.once('close', () => this.#sessions.delete(session))
    if (this.#isClosing) session.close()
  }

  /** From now on every answer says that it is the last of its connection: `Connection: close`, or GOAWAY. */
  announceClose(): void {
    this.#server.prependListener('request', (_req, res) => this.#makeLast(res))
    for (const { _httpMessage: res } of this.#open()) if (res) this.#makeLast(res)
    for (const session of this.#sessions.keys()) this.#tell(session)
  }

  #tell(session: ServerHttp2Session): void {
    if (this.#announced.has(session) || session.destroyed) return
    this.#announced.add(session)
    session.goaway(0, anyStream)
  }

  #makeLast(res: ServerResponse & { req: { stream?: { session?: ServerHttp2Session } } }): void {
    const { session } = res.req.stream ?? {}
    if (session !== undefined) return this.#tell(session)
    const connection = res.req.socket as unknown as Connection
    const { _httpMessage: current, parser } = connection
    const isAlone = (current ?? res) === res && (parser?.incoming ?? res.req) === res.req
    if (!isAlone) {
      // The client has sent several requests without waiting, and all must be answered.
      if (current && !current.headersSent && this.#last.has(current)) current.shouldKeepAlive = true
    } else if (!res.headersSent && res.shouldKeepAlive) {
      res.shouldKeepAlive = false
      this.#last.add(res)
    }
    // A connection whose last head still said keep-alive becomes idle.
    res.once('close', () => {
      if (this.#isClosing && !connection.destroyed) this.#server.closeIdleConnections()
    })
  }

  /** Accepts no new connection and closes idle ones. Calls back when all are closed, at the latest after `graceMs`. */
  close(graceMs: number, onClosed: () => void): void {
    this.#isClosing = true
    const look = setInterval(() => {
      this.#endEventStreams()
      this.#destroyStandstill()
      this.#destroyIdleSessions()
    }, standstillMs)
    const grace = setTimeout(() => {
      for (const connection of this.#open()) connection.destroy()
      for (const connection of this.#sessions.values()) connection.destroy()
    }, graceMs)
    for (const connection of this.#open()) this.#read.set(connection, connection.bytesRead)
    this.#server.close(() => {
      clearInterval(look)
      clearTimeout(grace)
      onClosed()
    })
    for (const session of this.#sessions.keys()) session.close()
    this.#endEventStreams()
  }

  /** Aborts their signals first. A stream that does not end then is cut at the next check, and its client reconnects elsewhere. */
  #endEventStreams(): void {
    for (const connection of this.#open()) {
      const res = connection._httpMessage
      if (!res || !isEventStream(res)) continue
      const exchange = res.req[exchangeKey]
      if (exchange === undefined || exchange.signal.aborted) connection.destroySoon()
      else exchange.abort()
    }
  }

  /**
   * Their clients have been told that the server stops. A client that does not close, or has sent nothing yet, would keep the
   * session open.
   */
  #destroyIdleSessions(): void {
    const busy = new Set(Array.from(this.#open(), (connection) => connection.session))
    for (const [session, connection] of this.#sessions) if (!busy.has(session)) connection.destroy()
  }

  /** Node no longer checks its own timeouts for an incomplete request. */
  #destroyStandstill(): void {
    for (const connection of this.#open()) {
      const { bytesRead, parser, _httpMessage: res } = connection
      const before = this.#read.get(connection)
      this.#read.set(connection, bytesRead)
      const isUpgraded = parser === null
      // A body is stalled only when the server waits for the client.
      const isWaiting = res ? !res.req.complete && !connection.isPaused() && before === bytesRead : true
      if (!isUpgraded && isWaiting) connection.destroy()
    }
  }
}
