import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Served, SendOptions } from './describe-servings.js'

/** A client that reads an answer as it comes, and that can go away in the middle of it. */
export interface Client {
  /** Status and headers; rejects when the connection ends before them. */
  head: Promise<{ status: number; headers: IncomingHttpHeaders }>
  /** The next piece of the body; undefined at its end; rejects when it is cut off. */
  read(): Promise<string | undefined>
  /** The same, not decoded. */
  readBytes(): Promise<Uint8Array | undefined>
  /** Goes away: closes the connection, or, where there is none, cancels the Response and aborts the Request. */
  leave(): void
}

/** Opens a request to what is served, over a socket where there is one. */
export function openClient(served: Served, target: string, options: SendOptions = {}): Client {
  return served.port === undefined
    ? openWebClient(served, target, options)
    : openNodeClient(served.port, target, options)
}

function openNodeClient(port: number, target: string, { method = 'GET', headers = {} }: SendOptions): Client {
  const outgoing = httpRequest({ port, method, path: target, headers, agent: false })
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject)
  })
  const chunks = response.then((incoming) => incoming[Symbol.asyncIterator]())
  const head = response.then(({ statusCode, headers: fields }) => ({ status: statusCode!, headers: fields }))
  // A client that leaves before the answer may read neither.
  head.catch(() => {})
  chunks.catch(() => {})
  outgoing.end()
  return {
    head,
    ...reading(async () => {
      const { done, value } = await (await chunks).next()
      return done ? undefined : (value as Buffer)
    }),
    leave: () => void outgoing.destroy(),
  }
}

function reading(readBytes: Client['readBytes']): Pick<Client, 'read' | 'readBytes'> {
  return {
    readBytes,
    async read() {
      const bytes = await readBytes()
      return bytes && Buffer.from(bytes).toString()
    },
  }
}

function openWebClient(
  served: Served,
  target: string,
  { method = 'GET', headers = {} }: SendOptions,
): Client {
  const abort = new AbortController()
  const request = new Request(`http://test${target}`, { method, headers, signal: abort.signal })
  const response = served.routeControllers.getCallback()(request)
  const reader = response.then(({ body }) => body!.getReader())
  return {
    head: response.then(({ status, headers: fields }) => ({ status, headers: Object.fromEntries(fields) })),
    ...reading(async () => (await (await reader).read()).value),
    leave() {
      reader.then((some) => some.cancel()).catch(() => {})
      abort.abort()
    },
  }
}

/** Sends these bytes as they are; gives all that comes back until `enough` of it is there, or the server closes. */
export function sendRaw(port: number, bytes: string, enough?: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (enough?.(text)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}
