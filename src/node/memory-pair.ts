import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../ground/builtin.js'
import { aborted } from '../body/body.js'
import { RouteControllersError } from '../ground/errors.js'
import type { Platform } from '../request/platform.js'
import { sendsBody } from '../request/exchange.js'
import { headBody, isBodiless } from '../answer/web-response.js'
import { type AnswerHead, AnswerHeadReader, writeTo } from '../answer/answer-head.js'
import type { NodeEntry } from './node-entry.js'
import { asNetSocket } from '../ground/net-socket.js'
import { ownClasses } from './request-members.js'

const remedy =
  'write it as middleware for use(), which needs nothing of Node, or serve it on Node, Bun or Deno'

/**
 * Serves a web Request through a Node entry, for hooks, which need Node's request and response.
 *
 * Both are Node's own classes over a socket in memory. The Response is made of what is written to it. Rejects with
 * ERR_RUNTIME_UNSUPPORTED where there is no `node:http`, or one that cannot write to that socket.
 */
export async function serveInMemory(
  entry: NodeEntry,
  request: Request,
  platform?: Platform,
): Promise<Response> {
  const http = builtin('node:http', 'A hook', remedy)
  const { Duplex } = builtin('node:stream', 'A hook', remedy)
  // The requests of Azure Functions have none.
  const signal = request.signal as AbortSignal | undefined
  return new Promise<Response>((resolve) => {
    const output = new Output(resolve, sendsBody(request.method), () => socket.destroy())
    const socket = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, written) {
        output.write(chunk, written)
      },
      // Called once everything that was written has been taken.
      final(done) {
        // The connection has ended before the answer.
        if (!isComplete) output.cut()
        output.end()
        signal?.removeEventListener('abort', onAbort)
        done()
        // As node:http does it after the last byte.
        process.nextTick(() => outgoing.emit('close'))
      },
      destroy(error, done) {
        output.cut()
        // No code listens to an error at the other end.
        done(null)
      },
    })
    asNetSocket(socket, request.url.startsWith('https:'), platform?.ip)
    const { IncomingMessage, ServerResponse } = ownClasses(http, entry.extendClasses)
    const incoming = createIncoming(IncomingMessage, socket, request)
    const outgoing = new ServerResponse(incoming)
    outgoing.shouldKeepAlive = false
    outgoing.sendDate = false
    try {
      writeTo(outgoing, socket)
    } catch (cause) {
      // That of workerd cannot write to any other socket than its own.
      const message = `A hook needs node:http, and that of this runtime takes no socket of this package: ${remedy}`
      throw new RouteControllersError('ERR_RUNTIME_UNSUPPORTED', message, { cause })
    }
    const onAbort = (): void => void socket.destroy()
    // The answer is not complete by then: Bun says so while its socket has yet to take what was written.
    let isComplete = false
    outgoing.once('finish', () => {
      isComplete = true
      socket.end()
    })
    if (signal?.aborted) socket.destroy()
    else signal?.addEventListener('abort', onAbort)
    entry(incoming, outgoing, { owned: false, platform })
  })
}

function createIncoming(Incoming: typeof IncomingMessage, socket: Duplex, request: Request): IncomingMessage {
  const incoming = new Incoming(socket as never)
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const fragment = url.indexOf('#', start)
  incoming.method = request.method
  incoming.url = fragment < 0 ? url.slice(start) : url.slice(start, fragment)
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  const headers = Object.create(null) as IncomingHttpHeaders
  const lines = [...request.headers]
  // HTTP/1.1 has a Host field; in a Request it is the URL that names the host.
  if (!request.headers.has('host')) lines.unshift(['host', url.slice(url.indexOf('://') + 3, start)])
  for (const [name, value] of lines) {
    headers[name] = value
    incoming.rawHeaders.push(name, value)
  }
  if (request.body !== null && headers['content-length'] === undefined)
    headers['transfer-encoding'] = 'chunked'
  incoming.headers = headers
  // A body that was read before is one that a middleware has read: reading it again is an error.
  const isRead = request.bodyUsed || request.body?.locked === true
  if (isRead) Object.assign(incoming, { _body: true })
  const reader = isRead ? undefined : request.body?.getReader()
  const beginReading = incoming._read.bind(incoming)
  const read = (size: number): void => {
    // IncomingMessage holds its stream back until its own _read has run once.
    beginReading(size)
    if (reader === undefined) return end()
    reader.read().then(
      ({ done, value }) => (done ? end() : void incoming.push(value)),
      (cause: unknown) => {
        // The body breaks off, but the Response can still be made: the socket stays.
        const tell: typeof incoming._destroy = (error, done) =>
          done(incoming.listenerCount('error') > 0 ? error : null)
        incoming._destroy = tell
        incoming.destroy(aborted(cause))
      },
    )
  }
  incoming._read = read
  const end = (): void => {
    incoming.complete = true
    incoming.push(null)
  }
  return incoming
}

/** Makes a Response of what a ServerResponse writes. */
class Output {
  readonly #resolve: (response: Response) => void
  readonly #withBody: boolean
  readonly #onCancel: () => void
  readonly #head = new AnswerHeadReader()
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  #written: (() => void) | undefined

  constructor(resolve: (response: Response) => void, withBody: boolean, onCancel: () => void) {
    this.#resolve = resolve
    this.#withBody = withBody
    this.#onCancel = onCancel
  }

  write(chunk: Buffer, written: () => void): void {
    const { heads, body } = this.#head.read(chunk)
    const head = heads.at(-1)
    if (head !== undefined && head.status >= 200) this.#begin(head)
    this.#push(body, written)
  }

  #begin(head: AnswerHead): void {
    const { status, reason: statusText, fields } = head
    if (!this.#withBody) return this.#give(() => headOf(head))
    const body = isBodiless(status)
      ? null
      : new ReadableStream<Uint8Array>(
          {
            start: (controller) => void (this.#body = controller),
            pull: () => this.#resume(),
            cancel: () => {
              this.#body = undefined
              this.#onCancel()
            },
          },
          // Nothing is taken from the source before the body is read.
          { highWaterMark: 0 },
        )
    this.#give(() => new Response(body, { status, statusText, headers: headersOf(fields) }))
  }

  #give(make: () => Response): void {
    try {
      this.#resolve(make())
    } catch {
      // Node sends this status and a Response cannot have it, such as 600.
      this.#body = undefined
      this.#resolve(failure())
    }
  }

  #push(chunk: Buffer, written: () => void): void {
    if (this.#body === undefined || chunk.length === 0) return written()
    // First: where a reader waits for more already, enqueue() pulls at once.
    this.#written = written
    this.#body.enqueue(new Uint8Array(chunk))
  }

  #resume(): void {
    const written = this.#written
    this.#written = undefined
    written?.()
  }

  /** The answer is complete. */
  end(): void {
    // An answer with a 1xx status has had no final head. This does nothing where there is a Response already: a promise settles
    // once.
    this.#resolve(failure())
    this.#body?.close()
    this.#body = undefined
    this.#resume()
  }

  /** The connection is closed: an answer that was not complete by then never will be. */
  cut(): void {
    this.#resolve(failure())
    this.#body?.error(new Error('The answer broke off'))
    this.#body = undefined
    this.#resume()
  }
}

/** The length is the one that Node has written, also where the status has no body. */
function headOf({ status, reason: statusText, fields }: AnswerHead): Response {
  const headers = headersOf(fields)
  return new Response(headBody(status, headers.has('Content-Length')), { status, statusText, headers })
}

function headersOf(fields: AnswerHead['fields']): Headers {
  const headers = new Headers()
  for (const [name, value] of fields) headers.append(name, value)
  return headers
}

function failure(): Response {
  return new Response('Internal Server Error', { status: 500 })
}
