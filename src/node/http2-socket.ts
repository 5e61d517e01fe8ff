import type { OutgoingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Duplex as NodeDuplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { builtin, findBuiltin } from '../builtin.js'
import { isHopByHop } from '../headers.js'
import { type AnswerHead, AnswerHeadReader } from './answer-head.js'

// Bundles in one file may load this where there is no Node; no socket is made there.
const Duplex: typeof NodeDuplex = findBuiltin('node:stream')?.Duplex ?? (Object as never)

/** What stands for the socket of one stream: it takes what a ServerResponse writes, and knows what middleware ask of a socket. */
export class StreamSocket extends Duplex {
  bytesRead = 0
  timeout = 0
  readonly encrypted = true
  readonly session: ServerHttp2Session | undefined
  readonly #stream: ServerHttp2Stream
  readonly #connection: TLSSocket
  readonly #head = new AnswerHeadReader()
  #isPaused = false

  constructor(stream: ServerHttp2Stream, connection: TLSSocket) {
    super()
    this.#stream = stream
    this.#connection = connection
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

  // Of the whole connection, and so not for one request to set.
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

  // By these two an IncomingMessage says how much of its body it wants.
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
    for (const head of heads) sendHead(stream, head)
    // To a bodiless answer somebody may write all the same.
    if (body.length === 0 || stream.destroyed || stream.writableEnded) return written()
    stream.write(body, () => written())
  }

  override _final(done: () => void): void {
    this.#stream.end()
    done()
  }

  override _destroy(_error: Error | null, done: (error?: null) => void): void {
    const stream = this.#stream
    if (stream.writableEnded && !stream.aborted) closeAnswered(stream)
    // Cut off, so that the client sees an incomplete answer: closing would end it first.
    else if (!stream.destroyed) stream.destroy(new Error('The answer broke off'))
    done(null)
  }
}

function sendHead(stream: ServerHttp2Stream, { status, fields }: AnswerHead): void {
  if (stream.destroyed || stream.closed || stream.headersSent) return
  const headers = Object.create(null) as OutgoingHttpHeaders
  headers[':status'] = status
  for (const [name, value] of fields) {
    const lower = name.toLowerCase()
    if (isHopByHop(lower)) continue
    const earlier = headers[lower]
    if (lower === 'set-cookie') headers[lower] = [...((earlier as string[] | undefined) ?? []), value]
    // RFC 9110 5.3; Node refuses several lines of some names.
    else headers[lower] = earlier === undefined ? value : `${earlier as string}, ${value}`
  }
  try {
    if (status >= 200) stream.respond(headers)
    // 101 is for HTTP/1 alone.
    else if (status !== 101) stream.additionalHeaders(headers)
  } catch {
    stream.close(builtin('node:http2', 'HTTP/2').constants.NGHTTP2_INTERNAL_ERROR)
  }
}

/** Tells the client that it need not send the rest of its body. RFC 9113 8.1. */
export function closeAnswered(stream: ServerHttp2Stream): void {
  // In Node 26 a reset overtakes the answer while the bytes that brought the request are still being read.
  setImmediate(() => stream.close(builtin('node:http2', 'HTTP/2').constants.NGHTTP2_NO_ERROR))
}
