import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { cert } from '../support/certificate.js'
import type { Received, SendOptions } from '../support/describe-servings.js'
import { closeLater } from '../support/hosting.js'
import { RawClient } from '../support/raw-socket.js'

/** A way to speak to one server: by HTTP/2, or by the HTTP/1.1 that the same port falls back to. */
export type Protocol = 'h2' | 'http/1.1'

/** Opens a session that is closed by `closeHosted`. */
export async function openSession(port: number): Promise<ClientHttp2Session> {
  const session = connect(`https://localhost:${port}`, { ca: cert, family: 4 } as never)
  session.on('error', () => {})
  closeLater(() => session.destroy())
  await once(session, 'connect')
  return session
}

/** One answer on a session, all of it. Rejects when it is cut off. */
export async function sendOn(
  session: ClientHttp2Session,
  target: string,
  { method = 'GET', headers = {}, body, chunked }: SendOptions = {},
): Promise<Received> {
  const length = body !== undefined && !chunked ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const stream = session.request(
    { ':method': method, ':path': target, ...length, ...headers },
    { endStream: body === undefined },
  )
  const answer = readAnswer(stream)
  if (body !== undefined && chunked) for (const byte of Buffer.from(body)) stream.write(Buffer.of(byte))
  if (body !== undefined) stream.end(chunked ? undefined : body)
  return answer
}

/** The answer of a stream, all of it. Rejects when it is cut off. */
export async function readAnswer(stream: ClientHttp2Stream): Promise<Received> {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => {
    stream.once('error', reject)
    stream.once('close', () => {
      if (stream.rstCode === 0) resolve()
      else reject(new Error(`Reset with ${stream.rstCode}`))
    })
  })
  ended.catch(() => {})
  const head = once(stream, 'response') as Promise<[IncomingHttpHeaders & { ':status': number }]>
  const [fields] = await Promise.race([head, ended.then(() => Promise.reject(new Error('No answer')))])
  await ended
  return toReceived(fields[':status'], '', fields, chunks)
}

function toReceived(status: number, statusText: string, fields: object, chunks: Buffer[]): Received {
  const { 'set-cookie': cookies = [], ...rest } = fields as Record<string, string> & {
    'set-cookie'?: string[]
  }
  const body = Buffer.concat(chunks)
  const text = body.toString()
  const headers = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith(':')))
  return { status, statusText, headers, cookies, body, text, json: () => JSON.parse(text) }
}

/** Sends one request by one of the two protocols, on a connection of its own. */
export function sendBy(protocol: Protocol, port: number) {
  return async (target: string, options: SendOptions = {}): Promise<Received> => {
    if (protocol === 'h2') {
      const session = await openSession(port)
      try {
        return await sendOn(session, target, options)
      } finally {
        session.destroy()
      }
    }
    const { method = 'GET', headers = {}, body, chunked } = options
    const length = body !== undefined && !chunked ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const outgoing = httpsRequest({
      host: 'localhost',
      family: 4,
      port,
      path: target,
      method,
      ca: cert,
      servername: 'localhost',
      agent: false,
      ALPNProtocols: ['http/1.1'],
      headers: { ...length, ...headers },
    } as RequestOptions)
    const answer = once(outgoing, 'response') as Promise<[IncomingMessage]>
    if (body !== undefined && chunked) for (const byte of Buffer.from(body)) outgoing.write(Buffer.of(byte))
    outgoing.end(chunked ? undefined : body)
    const [incoming] = await answer
    const chunks = (await incoming.toArray()) as Buffer[]
    return toReceived(incoming.statusCode!, incoming.statusMessage!, incoming.headers, chunks)
  }
}

/** A TLS connection that has agreed on this protocol, and says only what it is told to. */
export async function openRawTls(port: number, protocol: Protocol): Promise<RawClient> {
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: cert,
    ALPNProtocols: [protocol],
  })
  closeLater(() => socket.destroy())
  await once(socket, 'secureConnect')
  return new RawClient(socket)
}
