import type { IncomingHttpHeaders, IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { builtin, findBuiltin } from '../ground/builtin.js'
import { callLater } from '../ground/call-later.js'
import { log } from '../ground/log.js'
import type { Logger, NodeClasses } from '../ground/types.js'
import { writeTo } from '../answer/answer-head.js'
import { setFieldLines } from './field-lines.js'
import { closeAnswered, StreamSocket } from './http2-socket.js'
import type { Connections } from './shutdown.js'

/** Options of HTTP/2 on a server. A time of 0 means no limit. */
export interface Http2Options {
  readonly connections: Connections
  readonly classes: NodeClasses
  /** Gets a line for each answer that cannot be sent by HTTP/2. */
  readonly logger: Logger
  readonly limits: {
    readonly requestTimeoutMs: number
    readonly keepAliveTimeoutMs: number
    readonly maxHeaderBytes: number
    readonly maxHeaderFields: number
    readonly maxConcurrentStreams: number
  }
}

/** What the streams of a connection have in common. */
interface Peer {
  /** Counts a stream that has closed before its answer. */
  countReset(): void
  /** Streams whose answer is sent, and whose body is read to its end. */
  readonly draining: Set<StreamSocket>
}

/** How long a session that is being closed may take to send its last frames. */
const farewellMs = 2_000

/**
 * How many streams of a connection may close before their answer, at once and for each second more: what nghttp2 allows of
 * RST_STREAM.
 *
 * nghttp2 counts those that the client sends; only newer versions count those that it provokes (CVE-2025-8671). In both cases the
 * stream no longer counts as open, while its request is still being answered.
 */
const maxResets = { atOnce: 1_000, perSecond: 33 }

/**
 * Once an answer is sent, the rest of its body is read, so that most clients end their request as in HTTP/1. This is limited in
 * time, and to a few streams of a connection, because each counts as open.
 */
const maxDrainMs = 1_000
const maxDrainPauseMs = 50
const maxDrainedBytes = 4 * 1024 * 1024
const maxDraining = 8

/** The methods that the parser of HTTP/1 takes. nghttp2 takes any token, and a guard for POST does not match `post`. */
const knownMethods = new Set(findBuiltin('node:http')?.METHODS)

/**
 * Serves HTTP/2 to the clients of an https server that have chosen it by ALPN. The others use HTTP/1.
 *
 * Each stream becomes a `request` event with the request and response classes of HTTP/1. Express fails on those of Node's own
 * compatibility layer (docs/decisions/008-http2-by-the-classes-of-http1.md). RFC 9113.
 */
export function serveHttp2(server: HttpServer, options: Http2Options): void {
  // Node's own listener, which takes every connection for HTTP/1.
  const takeHttp1 = server.listeners('secureConnection')[0] as (this: HttpServer, socket: TLSSocket) => void
  server.off('secureConnection', takeHttp1)
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') openSession(server, socket, options)
    else takeHttp1.call(server, socket)
  })
}

function openSession(server: HttpServer, socket: TLSSocket, options: Http2Options): void {
  const { connections, limits } = options
  const session = builtin('node:http2', 'HTTP/2').performServerHandshake(socket, {
    // Node counts pairs, and resets a stream with too many. Here they are counted, so that the answer is 431.
    maxHeaderListPairs: Math.min(2 * limits.maxHeaderFields + 5, 2 ** 31 - 1),
    settings: {
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: Math.min(2 * limits.maxHeaderBytes, 2 ** 31 - 1),
    },
  })
  connections.addSession(session, socket)
  // The client has caused it, and the streams are closed anyway.
  session.on('error', () => {})
  let open = 0
  let resetsLeft = maxResets.atOnce
  let lastReset = 0
  let isGivenUp = false
  let idle: NodeJS.Timeout | undefined
  const waitIdly = (): void => {
    if (limits.keepAliveTimeoutMs > 0 && !session.closed)
      idle = callLater(() => closeSession(session, socket), limits.keepAliveTimeoutMs)
  }
  const countReset = (): void => {
    const now = performance.now()
    const regained = ((now - lastReset) / 1_000) * maxResets.perSecond
    resetsLeft = Math.min(resetsLeft + regained, maxResets.atOnce) - 1
    lastReset = now
    if (resetsLeft >= 0 || isGivenUp) return
    isGivenUp = true
    const { NGHTTP2_ENHANCE_YOUR_CALM } = builtin('node:http2', 'HTTP/2').constants
    // Not while the session reads: Node 20 then ends the process (node_http2.cc, CheckAllocatedSize).
    builtin('node:timers', 'HTTP/2').setImmediate(() => {
      session.destroy(new Error('Too many streams were reset'), NGHTTP2_ENHANCE_YOUR_CALM)
      destroyLater(socket)
    })
  }
  const peer: Peer = { countReset, draining: new Set() }
  waitIdly()
  session.once('close', () => clearTimeout(idle))
  session.on(
    'stream',
    (stream: ServerHttp2Stream, headers: Http2Headers, _flags: number, rawHeaders: string[]) => {
      clearTimeout(idle)
      open++
      stream.on('error', () => {})
      stream.once('close', () => {
        if (--open === 0) waitIdly()
      })
      // Node emits all streams that it has read, even those that were reset in the meantime.
      if (stream.closed || isGivenUp || session.destroyed) {
        countReset()
        stream.destroy()
      } else acceptStream(server, stream, headers, rawHeaders, socket, options, peer)
    },
  )
}

function closeSession(session: ServerHttp2Session, socket: TLSSocket): void {
  session.close()
  destroyLater(socket)
}

// A client that does not read would not let it end.
function destroyLater(socket: TLSSocket): void {
  callLater(() => void socket.destroy(), farewellMs)
}

function acceptStream(
  server: HttpServer,
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
  connection: TLSSocket,
  { connections, classes, logger, limits }: Http2Options,
  peer: Peer,
): void {
  const { ':method': method, ':path': path, ':authority': authority } = headers
  if (method === 'CONNECT' || path === undefined) return refuse(stream, 405)
  if (!knownMethods.has(method!) || !isPath(path, method!)) return refuse(stream, 400)
  if (sizeOf(rawHeaders) > limits.maxHeaderBytes) return refuse(stream, 431)
  const fields = fieldsOf(headers, authority)
  // A body needs no announcement in HTTP/2; type-is, and so body parsers, look for the header.
  if (!stream.endAfterHeaders && fields['content-length'] === undefined)
    fields['transfer-encoding'] = 'chunked'

  const socket = new StreamSocket(stream, connection, (problem) =>
    log(
      logger,
      'error',
      `${method} ${path.split('?', 1)[0]}: the answer cannot be sent by HTTP/2: ${problem}`,
    ),
  )
  connections.add(socket)
  const incoming = new classes.IncomingMessage(socket as never)
  Object.assign(incoming, {
    method,
    url: path,
    httpVersion: '2.0',
    httpVersionMajor: 2,
    httpVersionMinor: 0,
    stream,
  })
  setFieldLines(incoming, rawFieldsOf(rawHeaders, authority))
  incoming.headers = fields
  const outgoing = new classes.ServerResponse(incoming)
  // First of the listeners: the next one destroys the socket.
  stream.once('close', () => {
    if (!outgoing.writableEnded && !socket.isCut) peer.countReset()
  })
  receiveBody(incoming, stream, socket, limits)
  writeTo(outgoing, socket)
  socket.on('timeout', () => {
    const heard = [
      !incoming.complete && incoming.emit('timeout', socket),
      outgoing.emit('timeout', socket),
      server.emit('timeout', socket),
    ]
    if (!heard.includes(true)) socket.destroy()
  })
  if (server.timeout > 0) socket.setTimeout(server.timeout)
  outgoing.once('finish', () => finish(incoming, outgoing, stream, socket, peer))
  announce(server, incoming, outgoing)
}

// As Node's own server does it.
function announce(server: HttpServer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { expect } = incoming.headers
  if (expect === undefined) server.emit('request', incoming, outgoing)
  else if (!/^100-continue$/i.test(expect)) {
    if (server.emit('checkExpectation', incoming, outgoing)) return
    outgoing.writeHead(417).end()
  } else if (!server.emit('checkContinue', incoming, outgoing)) {
    outgoing.writeContinue()
    server.emit('request', incoming, outgoing)
  }
}

function refuse(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ':status': status }, { endStream: true })
  closeAnswered(stream)
}

// RFC 9113 8.3.1, which nghttp2 holds for the schemes http and https alone.
function isPath(path: string, method: string): boolean {
  return path.startsWith('/') || (path === '*' && method === 'OPTIONS')
}

// RFC 9113 6.5.2, without the 32 bytes for each field that HTTP/1 does not count either.
function sizeOf(rawHeaders: readonly string[]): number {
  let size = 0
  for (const text of rawHeaders) size += text.length
  return size
}

function fieldsOf(headers: Http2Headers, authority: string | undefined): IncomingHttpHeaders {
  const fields: IncomingHttpHeaders = {}
  for (const name of Object.keys(headers)) if (!name.startsWith(':')) fields[name] = headers[name]
  const host = authority ?? fields.host
  if (host !== undefined) fields.host = host
  return fields
}

/** The fields as they came. `:authority` becomes the Host field. A different Host field beside it is kept as a second one. */
function rawFieldsOf(rawHeaders: readonly string[], authority: string | undefined): string[] {
  const fields = authority === undefined ? [] : ['host', authority]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const value = rawHeaders[at + 1]!
    if (!name.startsWith(':') && !(name === 'host' && value === authority)) fields.push(name, value)
  }
  return fields
}

function receiveBody(
  incoming: IncomingMessage,
  stream: ServerHttp2Stream,
  socket: StreamSocket,
  { requestTimeoutMs }: Http2Options['limits'],
): void {
  const end = (): void => {
    // A stream that is reset ends too.
    if (stream.aborted || socket.isCut) return
    incoming.complete = true
    incoming.push(null)
  }
  stream.once('close', () => {
    if (!incoming.complete) incoming.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    // An unread body ends as well.
    else if (!incoming.readableDidRead) incoming.resume()
    socket.destroy()
  })
  if (stream.endAfterHeaders) return end()
  stream.on('data', (chunk: Buffer) => {
    socket.bytesRead += chunk.length
    if (!incoming.push(chunk)) socket.pause()
  })
  stream.once('end', end)
  stream.once('trailers', (trailers: NodeJS.Dict<string>, _flags: number, rawTrailers: string[]) => {
    incoming.trailers = { ...trailers }
    incoming.rawTrailers = rawTrailers
  })
  if (requestTimeoutMs === 0) return
  const late = callLater(() => {
    // Node 20 keeps a stream that its client has reset with NO_ERROR until its body is read, and throws at an answer to it.
    if (!stream.headersSent && !stream.closed) stream.respond({ ':status': 408 }, { endStream: true })
    socket.destroy()
  }, requestTimeoutMs)
  const inTime = (): void => clearTimeout(late)
  stream.once('end', inTime).once('close', inTime)
}

function finish(
  incoming: IncomingMessage,
  outgoing: ServerResponse & { _closed?: boolean },
  stream: ServerHttp2Stream,
  socket: StreamSocket,
  { draining }: Peer,
): void {
  outgoing.detachSocket(socket as never)
  socket.endAnswer()
  if (!incoming.complete) drain(incoming, stream, socket, draining)
  process.nextTick(() => {
    if (outgoing.closed) return
    outgoing.destroyed = true
    // What `closed` reads.
    outgoing._closed = true
    outgoing.emit('close')
  })
}

/** Reads the rest of a body once its answer is sent. The stream of a client that does not end its body is reset. */
function drain(
  incoming: IncomingMessage,
  stream: ServerHttp2Stream,
  socket: StreamSocket,
  draining: Set<StreamSocket>,
): void {
  const stop = (one = socket): void => {
    draining.delete(one)
    one.destroy()
  }
  if (Number(incoming.headers['content-length']) > maxDrainedBytes) return stop()
  // From here on the timeouts of HTTP/2 apply.
  socket.setTimeout(0)
  draining.add(socket)
  const [oldest] = draining
  if (draining.size > maxDraining) stop(oldest)
  const end = performance.now() + maxDrainMs
  const pause = callLater(() => stop(), maxDrainPauseMs)
  stream.once('close', () => {
    clearTimeout(pause)
    draining.delete(socket)
  })
  let drained = 0
  stream.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > maxDrainedBytes || performance.now() > end) stop()
    else pause.refresh()
  })
  incoming.resume()
}
