import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { exchangeKey } from '../exchange.js'
import type { NodeExchange } from './exchange.js'

/** How long a client may hold a server that stops without sending anything; also how often that is looked at. */
const standstillMs = 2_000

/** What Node keeps on a connection; there is no public way from a connection to its requests. */
interface Connection extends Socket {
  /** The answer that is being written, or waited for; none before the head of a request is complete. */
  _httpMessage?: ServerResponse<IncomingMessage & { [exchangeKey]?: NodeExchange }> | null
  /** None once the connection has been upgraded; it has the request that came last. */
  parser?: { incoming?: IncomingMessage | null } | null
  /** Of TLS: the connection below. */
  _parent?: Connection
}

/**
 * The connections of a server, for the day that it stops. A request costs nothing here before that day: they are noted when
 * they open, and what they are doing is looked at when it matters.
 */
export class Connections {
  readonly #server: HttpServer
  readonly #open = new Set<Connection>()
  /** Bytes read from each, at the last look. */
  readonly #read = new WeakMap<Connection, number>()
  /** Answers that have been made the last of their connection; a client may ask for that itself. */
  readonly #last = new WeakSet<ServerResponse>()
  #isClosing = false

  constructor(server: HttpServer) {
    this.#server = server
    const open = this.#open
    function forget(this: Connection): void {
      open.delete(this)
    }
    const note = (connection: Connection): void => {
      // Before the handshake it is the one below that counts, after it the one above.
      if (connection._parent !== undefined) open.delete(connection._parent)
      open.add(connection)
      connection.on('close', forget)
    }
    server.on('connection', note).on('secureConnection', note)
  }

  /** From now on every answer says that it is the last of its connection: `Connection: close`. */
  announceClose(): void {
    this.#server.prependListener('request', (_req, res) => this.#makeLast(res))
    for (const { _httpMessage: res } of this.#open) if (res) this.#makeLast(res)
  }

  #makeLast(res: ServerResponse): void {
    const connection = res.req.socket as Connection
    const { _httpMessage: current, parser } = connection
    const isAlone = (current ?? res) === res && (parser?.incoming ?? res.req) === res.req
    if (!isAlone) {
      // The client has sent several without waiting, and all are to be answered.
      if (current && !current.headersSent && this.#last.has(current)) current.shouldKeepAlive = true
    } else if (!res.headersSent && res.shouldKeepAlive) {
      res.shouldKeepAlive = false
      this.#last.add(res)
    }
    // One that had promised another answer, when its head was sent, becomes idle.
    res.once('close', () => {
      if (this.#isClosing && !connection.destroyed) this.#server.closeIdleConnections()
    })
  }

  /**
   * Takes no new connection and closes those that are idle; calls back when all are gone, with the last after `graceMs`.
   */
  close(graceMs: number, onClosed: () => void): void {
    this.#isClosing = true
    const look = setInterval(() => {
      this.#endEventStreams()
      this.#destroyStandstill()
    }, standstillMs)
    const grace = setTimeout(() => {
      for (const connection of this.#open) connection.destroy()
    }, graceMs)
    for (const connection of this.#open) this.#read.set(connection, connection.bytesRead)
    this.#server.close(() => {
      clearInterval(look)
      clearTimeout(grace)
      onClosed()
    })
    this.#endEventStreams()
  }

  /** Their signal first; those that do not end by it are cut at the next look, and their clients come back elsewhere. */
  #endEventStreams(): void {
    for (const connection of this.#open) {
      const res = connection._httpMessage
      if (!res?.headersSent || !String(res.getHeader('Content-Type')).startsWith('text/event-stream'))
        continue
      const exchange = res.req[exchangeKey]
      if (exchange === undefined || exchange.signal.aborted) connection.destroySoon()
      else exchange.abort()
    }
  }

  /** Node's own timeouts for a request that does not come to its end are not checked any more. */
  #destroyStandstill(): void {
    for (const connection of this.#open) {
      const { bytesRead, parser, _httpMessage: res } = connection
      const before = this.#read.get(connection)
      this.#read.set(connection, bytesRead)
      const isUpgraded = parser === null
      // A body is a standstill only when it is the client that lets us wait.
      const isWaiting = res ? !res.req.complete && !connection.isPaused() && before === bytesRead : true
      if (!isUpgraded && isWaiting) connection.destroy()
    }
  }
}
