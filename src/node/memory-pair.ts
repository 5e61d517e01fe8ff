import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { builtin } from '../ground/builtin.js'
import type { Platform } from '../request/platform.js'
import { hostWithoutField, malformedHost, sendsBody, startOfPath } from '../request/exchange.js'
import type { NodeEntry } from './node-entry.js'
import { asNetSocket } from '../ground/net-socket.js'
import { consumed } from '../body/body.js'
import { setFieldLines } from './field-lines.js'
import { MemoryBody } from './memory-body.js'
import { MemoryWriter, writeToMemory } from './memory-response.js'
import { ownClasses } from './request-members.js'

const remedy =
  'write it as middleware for use(), which needs nothing of Node, or serve it on Node, Bun or Deno'

/**
 * Serves a web Request through a Node entry, for hooks, which need Node's request and response.
 *
 * Both are of the runtime's own classes. The Response is made of what is written. Rejects with ERR_RUNTIME_UNSUPPORTED where there is no
 * `node:http`.
 */
export async function serveInMemory(
  entry: NodeEntry,
  request: Request,
  platform?: Platform,
): Promise<Response> {
  const problem = malformedHost(request)
  if (problem !== undefined) throw problem
  const http = builtin('node:http', 'A hook', remedy)
  const { Stream } = builtin('node:stream', 'A hook', remedy)
  // The requests of Azure Functions have none.
  const signal = request.signal as AbortSignal | undefined
  return new Promise<Response>((resolve) => {
    const itself = (): object => socket
    const socket = Object.assign(new Stream(), {
      readable: true,
      writable: true,
      destroyed: false,
      end: () => (writer.isEnded ? socket : socket.destroy()),
      pause: itself,
      resume: itself,
      destroy() {
        if (socket.destroyed) return socket
        Object.assign(socket, { readable: false, writable: false, destroyed: true })
        writer.cut()
        process.nextTick(() => socket.emit('close'))
        return socket
      },
    })
    asNetSocket(socket, request.url.startsWith('https:'), platform?.ip)
    const { IncomingMessage, ServerResponse } = ownClasses(http, entry.extendClasses)
    const { incoming, body } = createIncoming(IncomingMessage, socket, request)
    const outgoing = new ServerResponse(incoming)
    outgoing.shouldKeepAlive = false
    outgoing.sendDate = false
    const onAbort = (): void => void socket.destroy()
    const writer = new MemoryWriter(outgoing, sendsBody(request.method), http.STATUS_CODES, resolve, () => {
      signal?.removeEventListener('abort', onAbort)
      body.answered()
    })
    writeToMemory(outgoing, writer, socket)
    if (signal?.aborted) socket.destroy()
    else signal?.addEventListener('abort', onAbort)
    entry(incoming, outgoing, { owned: false, platform })
  })
}

/** For the loop of a callback: the end that listeners get would say to it that there was no body. */
function refuseLoop(): never {
  throw consumed()
}

function createIncoming(
  Incoming: typeof IncomingMessage,
  socket: object,
  request: Request,
): { readonly incoming: IncomingMessage; readonly body: MemoryBody } {
  const incoming = new Incoming(socket as never)
  // That of workerd keeps none, and packages read its address, and whether it is readable.
  if ((incoming.socket as unknown) === undefined) {
    const value = { value: socket, writable: true, configurable: true }
    Object.defineProperties(incoming, { socket: value, connection: value })
  }
  const { url } = request
  const start = startOfPath(url)
  const fragment = url.indexOf('#', start)
  incoming.method = request.method
  incoming.url = fragment < 0 ? url.slice(start) : url.slice(start, fragment)
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  const headers = Object.create(null) as IncomingHttpHeaders
  const lines = [...request.headers]
  const isBodiless = request.body === null && (request.method === 'GET' || request.method === 'HEAD')
  const host = hostWithoutField(request)
  if (host !== undefined) lines.unshift(['host', host])
  const rawHeaders: string[] = []
  for (const [name, value] of lines) {
    // A Request of GET or HEAD has no body. A parser that believes its length would call that incomplete.
    if (isBodiless && (name === 'content-length' || name === 'transfer-encoding')) continue
    headers[name] = value
    rawHeaders.push(name, value)
  }
  setFieldLines(incoming, rawHeaders)
  if (request.body !== null && headers['content-length'] === undefined)
    headers['transfer-encoding'] = 'chunked'
  incoming.headers = headers
  // A body that was read before is one that a middleware has read: reading it again is an error.
  const isRead = request.bodyUsed || request.body?.locked === true
  if (isRead) Object.assign(incoming, { _body: true, iterator: refuseLoop })
  const reader = isRead ? undefined : request.body?.getReader()
  return { incoming, body: new MemoryBody(incoming, reader) }
}
