import type { OutgoingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Duplex as NodeDuplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { builtin, findBuiltin } from '../ground/builtin.js'
import { callLater } from '../ground/call-later.js'
import { isHopByHop } from '../answer/headers.js'
import { type AnswerHead, AnswerHeadReader } from '../answer/answer-head.js'

// A bundle in one file may load this where there is no Node. No socket is made there.
const Duplex: typeof NodeDuplex = findBuiltin('node:stream')?.Duplex ?? (Object as never)
/** The longest head that nghttp2 sends, by its own estimate. For a longer one Node ends the connection. */
const maxHeadBytes = 65_536
/** How long a stream may take to close once its answer is sent. */
const mostResetMs = 2_000

/**
 * Stands for the socket of one stream. It takes what a ServerResponse writes, and has the members of a socket that middleware
 * uses.
 */
export class StreamSocket extends Duplex {
  bytesRead = 0
  timeout = 0
  /** True once it is destroyed: the server no longer waits for the client. */
  isCut = false
  readonly encrypted = true
  readonly session: ServerHttp2Session | undefined
  readonly #stream: ServerHttp2Stream
  readonly #connection: TLSSocket
  readonly #head = new AnswerHeadReader()
  readonly #onProblem: (problem: string) => void
  #isPaused = false

  /** `onProblem` gets the reason why an answer cannot be sent. */
  constructor(stream: ServerHttp2Stream, connection: TLSSocket, onProblem: (problem: string) => void) {
    super()
    this.#stream = stream
    this.#connection = connection
    this.#onProblem = onProblem
    this.session = stream.session as ServerHttp2Session | undefined
    stream.on('timeout', () => this.emit('timeout'))
  }

  get remoteAddress(): string | undefined {
    return this.#connection.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#connection.remotePort
  }
  get remoteFamily(): string | undefined {
    return this.#connection.remoteFamily
  }
  get localAddress(): string | undefined {
    return this.#connection.localAddress
  }
  get localPort(): number | undefined {
    return this.#connection.localPort
  }
  get alpnProtocol(): string | false | null {
    return this.#connection.alpnProtocol
  }
  get servername(): unknown {
    return (this.#connection as { servername?: unknown }).servername
  }
  get authorized(): boolean {
    return this.#connection.authorized
  }
  get authorizationError(): Error {
    return this.#connection.authorizationError
  }
  getPeerCertificate(detailed?: boolean): unknown {
    return this.#connection.getPeerCertificate(detailed as true)
  }
  getProtocol(): string | null {
    return this.#connection.getProtocol()
  }
  getCipher(): unknown {
    return this.#connection.getCipher()
  }
  address(): unknown {
    return this.#connection.address()
  }

  // It applies to the whole connection, so one request must not set it.
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  setTimeout(milliseconds: number, callback?: () => void): this {
    this.timeout = milliseconds
    if (callback !== undefined) {
      if (milliseconds > 0) this.once('timeout', callback)
      else this.off('timeout', callback)
    }
    this.#stream.setTimeout(milliseconds)
    return this
  }

  // An IncomingMessage calls these two to control how much of its body it gets.
  override pause(): this {
    this.#isPaused = true
    this.#stream.pause()
    return this
  }
  override resume(): this {
    this.#isPaused = false
    if (!this.#stream.destroyed) this.#stream.resume()
    return this
  }
  override isPaused(): boolean {
    return this.#isPaused
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy()
    else this.end(() => this.destroy())
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: () => void): void {
    const stream = this.#stream
    const { heads, body } = this.#head.read(chunk)
    for (const head of heads) this.#sendHead(head)
    // Code may still write to an answer without a body, and to one that has become 500.
    if (body.length === 0 || stream.destroyed || stream.writableEnded) return written()
    stream.write(body, () => written())
  }

  #sendHead({ status, fields }: AnswerHead): void {
    const stream = this.#stream
    // 101 is for HTTP/1 alone.
    if (stream.destroyed || stream.closed || stream.headersSent || status === 101) return
    try {
      const headers = toHeaders(status, fields)
      if (status >= 200) stream.respond(headers)
      else stream.additionalHeaders(headers)
    } catch (error) {
      this.#onProblem((error as Error).message)
      // A client does not need the hints.
      if (status >= 200) this.#fail()
    }
  }

  // Not by the reset of a stream alone: its client would take that for a fault of the connection.
  #fail(): void {
    const stream = this.#stream
    const text = 'Internal Server Error'
    stream.respond({
      ':status': 500,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': text.length,
    })
    // Node has ended it with its head where the client takes no body.
    if (!stream.writableEnded) stream.end(text)
    // It tells code that still makes the answer, or reads the request, to stop.
    this.isCut = true
    closeAnswered(stream)
  }

  /** The answer is complete for its ServerResponse. */
  endAnswer(): void {
    const stream = this.#stream
    if (!stream.headersSent && !stream.destroyed && !stream.closed) {
      this.#onProblem('its status is not one of a final answer')
      this.#fail()
    }
    stream.end()
  }

  override _final(done: () => void): void {
    const stream = this.#stream
    if (stream.headersSent) stream.end()
    else {
      // Its client would wait for a head.
      this.isCut = true
      stream.destroy(new Error('The answer broke off'))
    }
    done()
  }

  override _destroy(_error: Error | null, done: (error?: null) => void): void {
    const stream = this.#stream
    this.isCut = true
    // That of HEAD is ended before it has an answer.
    if (stream.headersSent && stream.writableEnded && !stream.aborted) closeAnswered(stream)
    // Cut off, so that the client sees an incomplete answer: closing would end it first.
    else if (!stream.destroyed) stream.destroy(new Error('The answer broke off'))
    done(null)
  }
}

/** Throws for what HTTP/2 cannot carry. */
function toHeaders(status: number, fields: AnswerHead['fields']): OutgoingHttpHeaders {
  const headers = Object.create(null) as OutgoingHttpHeaders
  headers[':status'] = status
  // `:status`, and a Date that Node may add.
  let size = 100
  for (const [name, value] of fields) {
    const lower = name.toLowerCase()
    if (isHopByHop(lower)) continue
    // As nghttp2 estimates it, without compression.
    size += lower.length + value.length + 12
    const earlier = headers[lower]
    if (lower === 'set-cookie') headers[lower] = [...((earlier as string[] | undefined) ?? []), value]
    // RFC 9110 5.3; Node refuses several lines of some names.
    else headers[lower] = earlier === undefined ? value : `${earlier as string}, ${value}`
  }
  if (size > maxHeadBytes) throw new Error(`its head has more than ${maxHeadBytes} bytes`)
  return headers
}

/** Tells the client that it need not send the rest of its body. RFC 9113 8.1. */
export function closeAnswered(stream: ServerHttp2Stream): void {
  // In Node 26 a reset overtakes the answer while the bytes that brought the request are still being read.
  // Not the global one, which jsdom has not.
  builtin('node:timers', 'HTTP/2').setImmediate(() => {
    stream.close(builtin('node:http2', 'HTTP/2').constants.NGHTTP2_NO_ERROR)
    // A paused stream with unread bytes never closes, and counts as open as long as its connection.
    stream.removeAllListeners('data').resume()
    if (stream.destroyed) return
    // Node 20 may lose a reset while it writes. Then it keeps the stream, and the connection with it.
    const late = callLater(() => stream.destroy(), mostResetMs)
    stream.once('close', () => clearTimeout(late))
  })
}
