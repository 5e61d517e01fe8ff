import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { closeLater } from './hosting.js'

/** A client that writes bytes as they are, and reads what comes back, piece by piece. */
export class RawClient {
  /** All that has come so far, in Latin-1. */
  received = ''
  closed = false
  readonly socket: Socket
  #changed = (): void => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      this.received += String(chunk)
      this.#changed()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.#changed()
    })
  }

  write(bytes: string | Buffer): this {
    if (typeof bytes === 'string') this.socket.write(bytes, 'latin1')
    else this.socket.write(bytes)
    return this
  }

  /** Waits until `pattern` is found in what has come; gives all of it, which may lack it only when the server has closed. */
  async until(pattern: RegExp | string): Promise<string> {
    const isThere = (): boolean =>
      typeof pattern === 'string' ? this.received.includes(pattern) : pattern.test(this.received)
    while (!isThere() && !this.closed) await new Promise<void>((resolve) => (this.#changed = resolve))
    return this.received
  }

  /** Waits until the server has closed; gives all that came. */
  async untilClosed(): Promise<string> {
    while (!this.closed) await new Promise<void>((resolve) => (this.#changed = resolve))
    return this.received
  }

  /** Goes away: half-closes, as `FIN` does. */
  end(): void {
    this.socket.end()
  }

  /** Goes away at once, with a reset. */
  reset(): void {
    this.socket.resetAndDestroy()
  }
}

/** Connects to a port of this machine; what is left open is closed by `closeHosted`. */
export async function openRaw(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  const client = new RawClient(socket)
  await once(socket, 'connect')
  closeLater(() => socket.destroy())
  return client
}

/** One answer as it came over the wire, its body out of its chunks. */
export interface RawAnswer {
  status: number
  /** Everything before the body. */
  head: string
  body: string
}

/** The answers in what has come over one connection; none of them to HEAD. A body that is cut off is what came of it. */
export function parseAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`Not an answer: ${rest}`)
    const head = rest.slice(0, end)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    rest = rest.slice(end + 4)
    let body = ''
    if (/^transfer-encoding: chunked$/im.test(head)) {
      for (;;) {
        const [line = ''] = rest.split('\r\n', 1)
        const size = Number.parseInt(line, 16)
        rest = rest.slice(line.length + 2)
        if (Number.isNaN(size)) break
        if (size === 0) {
          // Trailers, then an empty line.
          while (!rest.startsWith('\r\n') && rest.includes('\r\n')) {
            const trailer = rest.split('\r\n', 1)[0]!
            body += `\n[${trailer}]`
            rest = rest.slice(trailer.length + 2)
          }
          rest = rest.slice(2)
          break
        }
        body += rest.slice(0, size)
        rest = rest.slice(size + 2)
      }
    } else {
      const length = /^content-length: (\d+)$/im.exec(head)?.[1]
      const hasBody = status >= 200 && status !== 204 && status !== 304
      const size = !hasBody ? 0 : length === undefined ? rest.length : Number(length)
      body = rest.slice(0, size)
      rest = rest.slice(size)
    }
    answers.push({ status, head, body })
  }
  return answers
}
