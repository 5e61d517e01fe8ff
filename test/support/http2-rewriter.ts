import { type ClientHttp2Session, connect } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { cert } from './certificate.js'
import { headFrames, preface } from './http2-frames.js'

/** A session of node:http2 whose requests say on the wire what no client of HTTP/2 would let them. */
export interface RewrittenSession {
  readonly session: ClientHttp2Session
  /** Gives the head block for a stream in place of the one that node:http2 has made; the same stream is asked once. */
  readonly heads: Map<number, Buffer>
  /** Of TCP, below TLS. */
  readonly socket: Socket
}

/** Opens it. node:http2 reads the answers, so that nobody has to decode them here. */
export function connectRewritten(port: number): RewrittenSession {
  const heads = new Map<number, Buffer>()
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => {})
  const secured = connectTls({ socket, servername: 'localhost', ca: cert, ALPNProtocols: ['h2'] })
  const session = connect(`https://localhost:${port}`, {
    createConnection: () => new Rewriter(secured, heads),
    // Of what comes back nothing is too much.
    maxHeaderListPairs: 10_000,
  })
  session.on('error', () => {})
  return { session, heads, socket }
}

/** Replaces head blocks in what a client writes. Its own are never sent, so that nothing refers to them. */
class Rewriter extends Duplex {
  readonly #socket: TLSSocket
  readonly #heads: Map<number, Buffer>
  #pending = Buffer.alloc(0)
  #isBegun = false

  constructor(socket: TLSSocket, heads: Map<number, Buffer>) {
    super()
    this.#socket = socket
    this.#heads = heads
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', () => this.destroy())
    socket.on('close', () => this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#pending = Buffer.concat([this.#pending, chunk])
    const out: Buffer[] = []
    if (!this.#isBegun && this.#pending.length >= preface.length) {
      out.push(this.#take(preface.length))
      this.#isBegun = true
    }
    while (this.#isBegun && this.#pending.length >= 9) {
      const size = 9 + this.#pending.readUIntBE(0, 3)
      if (this.#pending.length < size) break
      const frame = this.#take(size)
      const head = frame[3] === 1 ? this.#heads.get(frame.readUInt32BE(5)) : undefined
      out.push(head === undefined ? frame : headFrames(frame.readUInt32BE(5), head, (frame[4]! & 1) === 1))
    }
    if (out.length === 0 || this.#socket.destroyed) return written()
    this.#socket.write(Buffer.concat(out), () => written())
  }

  #take(size: number): Buffer {
    const bytes = this.#pending.subarray(0, size)
    this.#pending = this.#pending.subarray(size)
    return bytes
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
