// Runs a handler on a copy of a request, in memory: Node's own classes, no socket. What is answered goes nowhere but to the comparison.
import { IncomingMessage, ServerResponse, type IncomingHttpHeaders } from 'node:http'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers'
import type { TLSSocket } from 'node:tls'
import { isThenable } from '../../../src/ground/thenable.js'
import { AnswerHeadReader, writeTo } from '../../../src/answer/answer-head.js'
import { asNetSocket } from '../../../src/ground/net-socket.js'
import type { NodeHandler } from '../../../src/ground/types.js'
import type { ReceivedAnswer } from './received-answer.js'

/** What is kept of a request. */
export interface RequestCopy {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer | undefined
  /** What its socket tells of the client. */
  readonly socket: SocketFacts
}

/** Members of a socket, as they were when the request came: by the time a copy runs the connection may be closed. */
export type SocketFacts = Readonly<Record<string, unknown>>

const facts = [
  'remoteAddress',
  'remotePort',
  'remoteFamily',
  'localAddress',
  'localPort',
  'localFamily',
  'encrypted',
  'authorized',
  'authorizationError',
  'servername',
  'alpnProtocol',
] as const

/** Guards look at them: a certificate of the client, the port that it has come to. */
export function factsOf(socket: IncomingMessage['socket'] | undefined): SocketFacts {
  const copy = Object.fromEntries(facts.map((name) => [name, socket?.[name as 'remoteAddress']] as const))
  const { authorized, authorizationError, localAddress, localPort, localFamily } = copy as Partial<TLSSocket>
  const address = { address: localAddress, port: localPort, family: localFamily }
  const plain = { ...copy, address: () => address }
  const tls = socket as Partial<TLSSocket> | undefined
  if (tls?.encrypted !== true) return plain
  // Without a certificate there is none to be copied.
  const hasCertificate = authorized === true || (authorizationError ?? null) !== null
  const certificate = hasCertificate ? tls.getPeerCertificate?.(true) : {}
  const [protocol, cipher] = [tls.getProtocol?.(), tls.getCipher?.()]
  const methods = {
    getPeerCertificate: () => certificate,
    getProtocol: () => protocol,
    getCipher: () => cipher,
  }
  return { ...plain, ...methods }
}

interface Limits {
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Gets the request before it is handled. */
  readonly prepare: (incoming: IncomingMessage) => void
}

/** Why there is no answer to compare. */
export type NoAnswer = 'size' | 'failed'

/** Never rejects. */
export function runInMemory(
  handler: NodeHandler,
  copy: RequestCopy,
  limits: Limits,
): Promise<ReceivedAnswer | NoAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const reader = new AnswerHeadReader()
    let head: ReturnType<AnswerHeadReader['read']>['heads'][number] | undefined
    let bytes = 0
    let isComplete = false
    const end = (result: ReceivedAnswer | NoAnswer): void => {
      clearTimeout(timer)
      resolve(result)
      if (!socket.destroyed) socket.destroy()
    }
    const timer = setTimeout(() => end('failed'), limits.timeoutMs)
    const socket = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, written) {
        const { heads, body } = reader.read(chunk)
        // The last one of all counts: those of 1xx come before it.
        head = heads.at(-1) ?? head
        if (body.length > 0) {
          chunks.push(body)
          bytes += body.length
        }
        if (bytes > limits.maxBytes) end('size')
        written()
      },
      destroy(_error, done) {
        if (!isComplete)
          end({ status: 0, failure: 'the connection was closed', headers: new Map(), body: '' })
        done(null)
      },
    })
    asNetSocket(socket, copy.socket['encrypted'] === true)
    Object.assign(socket, copy.socket)
    const incoming = createIncoming(socket, copy)
    // Before the answer closes, as Node has it for a client that goes. On `close` user code gives back what it holds for a request.
    socket.once('close', () => incoming.destroy(isComplete ? undefined : aborted()))
    const outgoing = new ServerResponse(incoming)
    outgoing.shouldKeepAlive = false
    writeTo(outgoing, socket)
    outgoing.once('finish', () => {
      isComplete = true
      // Node itself reads what is left of a request that is answered, and closes it.
      incoming.resume()
      // What was written is in the socket, which takes it at once; the head may have been the last of it.
      setImmediate(() => end(answerOf(head, chunks)))
    })
    // Without a listener, each of them would end the process.
    for (const one of [socket, incoming, outgoing]) one.on('error', () => {})
    // A client of a plain server would see its connection closed.
    const close = (): void => void socket.destroy()
    try {
      limits.prepare(incoming)
      const result: unknown = handler(incoming, outgoing)
      if (isThenable(result)) result.then(undefined, close)
    } catch {
      close()
    }
  })
}

function createIncoming(socket: Duplex, copy: RequestCopy): IncomingMessage {
  const incoming = new IncomingMessage(socket as never)
  incoming.method = copy.method
  incoming.url = copy.target
  incoming.httpVersion = '1.1'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 1
  incoming.headers = copy.headers
  incoming.rawHeaders.push(...copy.rawHeaders)
  if (copy.body !== undefined && copy.body.length > 0) incoming.push(copy.body)
  incoming.push(null)
  incoming.complete = true
  return incoming
}

/** What Node tells a request whose client has gone. */
function aborted(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
}

function answerOf(
  head: { readonly status: number; readonly fields: readonly (readonly [string, string])[] } | undefined,
  chunks: readonly Buffer[],
): ReceivedAnswer {
  if (head === undefined) return { status: 0, failure: 'it had no head', headers: new Map(), body: '' }
  return {
    status: head.status,
    headers: fieldsOf(head.fields),
    body: Buffer.concat(chunks).toString('latin1'),
  }
}

/** Headers by their names in lower case, lines of one name joined. */
export function fieldsOf(fields: Iterable<readonly [string, string]>): Map<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of fields) {
    const lower = name.toLowerCase()
    headers.set(lower, headers.has(lower) ? `${headers.get(lower)}\n${value}` : value)
  }
  return headers
}
