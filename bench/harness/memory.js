import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Duplex } from 'node:stream'
import { fetchOnce, headersOf } from './check.js'

/** A connection without a network: Node parses what the client writes, and writes the answer back, in one process. */
class MemorySocket extends Duplex {
  remoteAddress = '127.0.0.1'
  remotePort = 40_000
  remoteFamily = 'IPv4'
  #onBytes

  constructor(onBytes) {
    super({ decodeStrings: true })
    this.#onBytes = onBytes
  }

  _read() {}

  _write(chunk, encoding, done) {
    done()
    this.#onBytes(chunk)
  }

  _writev(chunks, done) {
    done()
    for (const { chunk } of chunks) this.#onBytes(chunk)
  }

  setTimeout() {
    return this
  }
  setNoDelay() {
    return this
  }
  setKeepAlive() {
    return this
  }
  ref() {
    return this
  }
  unref() {
    return this
  }
  destroySoon() {
    this.destroy()
  }
}

/** The server behind a port of this process: Node tells of it when it gets a request. */
export async function serverAt(port, request) {
  let found
  const note = ({ server }) => (found ??= server)
  subscribe('http.server.request.start', note)
  const answer = await fetchOnce(port, request)
  unsubscribe('http.server.request.start', note)
  return { server: found, answer }
}

/**
 * Sends a request again and again over one connection in memory. Throws when the first answer has another status, or one is not as long as
 * the first. `settled` resolves when nothing that requests have begun is left to be done.
 */
export class MemoryClient {
  #bytes
  #socket
  #got = 0
  #length
  #answered
  #failed
  #status
  #head = ''
  #settled

  constructor(server, request, settled = () => {}) {
    this.#settled = settled
    const { method, path, body, status = 200 } = request
    this.#status = status
    const headers = { Host: 'localhost', Accept: '*/*', ...headersOf(request) }
    if (body !== undefined) headers['Content-Length'] = Buffer.byteLength(body)
    const lines = [
      `${method} ${path} HTTP/1.1`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    this.#bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
    this.#socket = new MemorySocket((chunk) => this.#take(chunk))
    server.emit('connection', this.#socket)
  }

  async run(milliseconds) {
    const spent = { requests: 0, seconds: 0, cpuMicroseconds: 0 }
    while (spent.seconds * 1000 < milliseconds) {
      const start = performance.now()
      const cpu = process.cpuUsage()
      for (let at = 0; at < 1024; at++) await this.#send()
      await this.#settled()
      const { user, system } = process.cpuUsage(cpu)
      spent.seconds += (performance.now() - start) / 1000
      spent.cpuMicroseconds += user + system
      spent.requests += 1024
    }
    return spent
  }

  #send() {
    return new Promise((resolve, reject) => {
      this.#answered = resolve
      // Not thrown at the socket: the app that writes to it would catch it.
      this.#failed = (message) => reject(new Error(message))
      // Each request in a turn of its own, as a network would bring it.
      setImmediate(() => this.#socket.push(this.#bytes))
    })
  }

  #take(chunk) {
    this.#got += chunk.length
    if (this.#length === undefined) {
      this.#head += chunk.toString('latin1')
      const end = this.#head.indexOf('\r\n\r\n')
      const [, length] = /^content-length: (\d+)/im.exec(this.#head) ?? []
      if (end < 0) return
      if (!this.#head.startsWith(`HTTP/1.1 ${this.#status} `) || length === undefined) {
        return this.#failed(this.#head)
      }
      this.#length = end + 4 + Number(length)
    }
    if (this.#got < this.#length) return
    if (this.#got > this.#length) {
      return this.#failed(`An answer is ${this.#got - this.#length} bytes too long`)
    }
    this.#got = 0
    this.#answered()
  }
}
