import type { Server } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import type { FetchHandler } from 'routecontrollers'
import type { SentRequest } from './requests.js'

/** The bytes of a request, the last of its connection; to `localhost` unless it names its Host. */
export function toBytes({ method, target, headers, body }: SentRequest): Buffer {
  const own = headers.some(([name]) => name.toLowerCase() === 'host') ? '' : 'Host: localhost\r\n'
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${own}Connection: close\r\n${lines}\r\n`, 'latin1'),
    Buffer.from(body),
  ])
}

/** What has not answered by now never does, on a busy machine too. */
const patience = 30_000

/** Sends bytes to a server over a connection in memory, and gives back all that it has written to it. */
export function sendInMemory(server: Server, bytes: Buffer, remoteAddress?: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const done = (): void => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    const socket = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, written) {
        chunks.push(chunk)
        written()
      },
      final(ended) {
        ended()
        socket.destroy()
      },
      destroy(_error, destroyed) {
        destroyed(null)
        done()
      },
    })
    const itself = (): Duplex => socket
    Object.assign(socket, {
      remoteAddress,
      setTimeout: itself,
      setNoDelay: itself,
      setKeepAlive: itself,
      ref: itself,
      unref: itself,
    })
    const timer = setTimeout(() => {
      chunks.push(Buffer.from('(no answer)'))
      socket.destroy()
    }, patience)
    server.emit('connection', socket)
    socket.push(bytes)
  })
}

/** The same over a socket of the operating system. */
export function sendOverSocket(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setTimeout(patience, () => {
      chunks.push(Buffer.from('(no answer)'))
      socket.destroy()
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

/** Sends a request as a web Request, and writes the Response as `comparableToWeb` writes an answer. */
export async function sendToWeb(handler: FetchHandler, request: SentRequest): Promise<string> {
  const { method, target, headers, body } = request
  const response = await handler(
    new Request(`http://localhost${target}`, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      redirect: 'manual',
      ...(body !== '' && { body }),
    }),
  )
  const bytes = Buffer.from(await response.arrayBuffer())
  return write(response.status, [...response.headers], bytes.toString('latin1'))
}

/** True where a web Request carries the target as it was sent: it resolves dots and encodes what is beyond ASCII. */
export function isForWeb({ target, method }: SentRequest): boolean {
  return (
    method !== 'TRACE' &&
    URL.canParse(`http://localhost${target}`) &&
    new URL(`http://localhost${target}`).href === `http://localhost${target}`
  )
}

/** An answer as it was sent, but for the time of day. */
export function comparable(answer: string): string {
  return answer.replace(/^Date: .*\r\n/m, 'Date: …\r\n').replace(/Expires=[^;\r]*/g, 'Expires=…')
}

/** What of an answer a web Response has too: no reason, no order, no fields of the connection. */
export function comparableToWeb(answer: string): string {
  const [head, body] = answer.split(/\r\n\r\n([^]*)/) as [string, string]
  const [status, ...lines] = head.split('\r\n') as [string, ...string[]]
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
  })
  const kept = new Headers()
  for (const [name, value] of fields) {
    if (!['date', 'connection', 'transfer-encoding'].includes(name)) kept.append(name, value)
  }
  return write(Number(status.split(' ')[1]), [...kept], body)
}

function write(status: number, fields: readonly (readonly [string, string])[], body: string): string {
  const sorted = fields.map(([name, value]) => `${name}: ${value}`).sort()
  return comparable([String(status), ...sorted, '', body].join('\r\n'))
}
