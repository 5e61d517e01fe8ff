import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Duplex } from 'node:stream'
import { fetchOnce } from './check.js'

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

/** Sends a request again and again over one connection in memory. Throws when an answer is not as long as the first. */
export class MemoryClient {
  #bytes
  #socket
  #got = 0
  #length
  #answered
  #head = ''

  constructor(server, { method, path, body }) {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Accept: */*']
    if (body !== undefined) {
      lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
    }
    this.#bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
    this.#socket = new MemorySocket((chunk) => this.#take(chunk))
    server.emit('connection', this.#socket)
  }

  async run(milliseconds) {
    const spent = { requests: 0, seconds: 0, cpuMicroseconds: 0 }
    while (spent.seconds * 1000 < milliseconds) {
      const start = performance.now()
      const cpu = process.cpuUsage()
      for (let at = 0; at < 256; at++) await this.#send()
      const { user, system } = process.cpuUsage(cpu)
      spent.seconds += (performance.now() - start) / 1000
      spent.cpuMicroseconds += user + system
      spent.requests += 256
    }
    return spent
  }

  #send() {
    return new Promise((resolve) => {
      this.#answered = resolve
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
      if (!this.#head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(this.#head)
      this.#length = end + 4 + Number(length)
    }
    if (this.#got < this.#length) return
    if (this.#got > this.#length) throw new Error(`An answer is ${this.#got - this.#length} bytes too long`)
    this.#got = 0
    this.#answered()
  }
}
