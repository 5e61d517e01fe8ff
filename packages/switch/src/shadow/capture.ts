// Keeps what a client's request and its answer were, of one request and one response: nothing that others share is replaced.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { AnswerHeadReader } from '../../../../src/answer/answer-head.js'
import type { ReceivedAnswer } from '../../../compare/src/received-answer.js'
import { factsOf, fieldsOf, type RequestCopy } from '../../../compare/src/memory-request.js'
import { isBytes } from '../../../../src/ground/bytes.js'
import { isEventStream } from '../states/event-stream.js'

/** What of one is kept, and what it has cost. */
export interface Captured {
  readonly request: RequestCopy
  readonly answer: ReceivedAnswer
  readonly bytes: number
  /** With `clips`: which bodies are not there. */
  readonly isRequestClipped: boolean
  readonly isAnswerClipped: boolean
}

export interface CaptureParts {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly maxBytes: number
  /** True to leave out a body that is too large, and to give the rest. */
  readonly clips?: boolean
  /**
   * True where guards have run already: a body that they have read is on the request, and the answer is kept as handlers leave it, without
   * what guards make of it.
   */
  readonly isAtPlace?: boolean
  /** Says whether so many bytes more may be held. */
  readonly hold: (bytes: number) => boolean
  /** Gives what was held back. */
  readonly release: (bytes: number) => void
  /** Called once: with what was captured, or why nothing was. */
  readonly done: (result: Captured | NotCaptured) => void
  /** Called with what was thrown where something was. The client gets its answer all the same. */
  readonly thrown: (error: unknown) => void
}

export type NotCaptured = 'size' | 'body' | 'failed' | 'stream' | 'error'

type Incoming = IncomingMessage & {
  originalUrl?: string
  rawBody?: unknown
  body?: unknown
  /** Of the parsers of Express. */
  _body?: boolean
  /** Of HTTP/2. */
  stream?: { readonly endAfterHeaders?: boolean }
}

/** What was kept of one body. */
class Chunks {
  readonly list: Buffer[] = []
  bytes = 0
  isClipped = false
}

/** Begins to keep a request and its answer. Never throws, nor does what it adds to the response. */
export function capture(parts: CaptureParts): void {
  const {
    incoming,
    outgoing,
    maxBytes,
    clips = false,
    isAtPlace = false,
    hold,
    release,
    done,
    thrown,
  } = parts
  const [sent, answered] = [new Chunks(), new Chunks()]
  let isDone = false
  const giveUp = (reason: NotCaptured): void => {
    if (isDone) return
    isDone = true
    release(sent.bytes + answered.bytes)
    sent.list.length = answered.list.length = 0
    done(reason)
  }
  const attempt = (action: () => void): void => {
    try {
      action()
    } catch (error) {
      thrown(error)
      giveUp('error')
    }
  }
  const take = (chunks: Chunks, chunk: Buffer): void => {
    if (isDone || chunks.isClipped) return
    if (chunks.bytes + chunk.length <= maxBytes && hold(chunk.length)) {
      chunks.bytes += chunk.length
      // A copy: the sender may use its memory again.
      chunks.list.push(Buffer.from(chunk))
    } else if (clips) {
      release(chunks.bytes)
      chunks.bytes = chunks.list.length = 0
      chunks.isClipped = true
    } else giveUp('size')
  }
  attempt(() => {
    const request = incoming as Incoming
    const { method = 'GET' } = request
    // What is recorded is not run.
    const facts = clips ? {} : factsOf(request.socket)
    const target = request.originalUrl ?? request.url ?? '/'
    const isOnRequest = isAtPlace && isParsed(request)
    const isWhole = isOnRequest
      ? () => true
      : captureBody(request, (chunk) => attempt(() => take(sent, chunk)))
    if (isWhole === undefined && !clips) return giveUp('body')
    const see = (chunk: Buffer): void =>
      attempt(() => {
        // It may last for days, and has no end to be compared.
        if (isEventStream(outgoing)) giveUp('stream')
        // Node sends nothing of what is written for a HEAD.
        else if (method !== 'HEAD') take(answered, chunk)
      })
    const left = isAtPlace ? watchLeft(outgoing, see) : void wrapWrites(outgoing, see)
    const { headers, rawHeaders } = headersOf(request)
    const finish = (): void => {
      const isSent = isWhole?.() ?? false
      if (!outgoing.writableFinished) return giveUp('failed')
      if (!isSent && !clips) return giveUp('body')
      if (isDone) return
      const body = sent.list.length === 0 ? undefined : Buffer.concat(sent.list)
      if (body !== undefined && headers['content-length'] === undefined) {
        headers['content-length'] = String(body.length)
        rawHeaders.push('Content-Length', String(body.length))
      }
      const captured: Captured = {
        request: { method, target, headers, rawHeaders, body, socket: facts },
        answer: { ...(left?.() ?? headOf(outgoing)), body: Buffer.concat(answered.list).toString('latin1') },
        bytes: sent.bytes + answered.bytes,
        isRequestClipped: !isSent || sent.isClipped,
        isAnswerClipped: answered.isClipped,
      }
      isDone = true
      done(captured)
    }
    outgoing.once('close', () => attempt(finish))
  })
}

/** Headers as a request of HTTP/1.1 has them. */
function headersOf({ headers, rawHeaders }: IncomingMessage): {
  headers: IncomingHttpHeaders
  rawHeaders: string[]
} {
  // There are no chunks any more, and the fields of HTTP/2 that begin with a colon are no headers.
  const isKept = (name: string): boolean =>
    !name.startsWith(':') && name.toLowerCase() !== 'transfer-encoding'
  const named = Object.entries(headers).filter(([name]) => isKept(name))
  const { ':authority': authority } = headers
  if (headers.host === undefined && typeof authority === 'string') named.push(['host', authority])
  const raw: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (isKept(rawHeaders[at]!)) raw.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  }
  return { headers: Object.fromEntries(named), rawHeaders: raw }
}

/**
 * Shows the body of a request as it comes in. Gives what tells at the end whether that was all; undefined where it has been read before, and
 * was not kept.
 */
function captureBody(incoming: Incoming, see: (chunk: Buffer) => void): (() => boolean) | undefined {
  const { headers } = incoming
  const length = headers['content-length']
  const hasBody =
    headers['transfer-encoding'] !== undefined ||
    (length !== undefined && length !== '0') ||
    incoming.stream?.endAfterHeaders === false
  if (!hasBody) return () => true
  const { rawBody } = incoming
  if (incoming.readableDidRead || incoming.readableLength > 0 || incoming.readableEnded) {
    if (!isBytes(rawBody)) return undefined
    see(Buffer.from(rawBody))
    return () => true
  }
  // Not by a listener of 'data', which would set the stream flowing before its reader is there.
  const push = incoming.push.bind(incoming)
  let isWhole = false
  const pushAndSee = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (isBytes(chunk)) see(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
    else if (chunk === null) isWhole = true
    return push(chunk, encoding)
  }
  incoming.push = pushAndSee
  return () => isWhole
}

/** Whether a parser has left the body on the request. */
function isParsed({ readableEnded, _body, body }: Incoming): boolean {
  return _body === true || (readableEnded && body !== undefined)
}

type Write = (this: ServerResponse, ...parameters: unknown[]) => unknown
type Head = Pick<ReceivedAnswer, 'status' | 'headers'>

/** Shows what handlers write to a response, and gives what tells its head as they have left it: undefined before that. */
export function watchLeft(outgoing: ServerResponse, see: (chunk: Buffer) => void): () => Head | undefined {
  let head: Head | undefined
  const leave = (status = outgoing.statusCode, more: unknown = undefined): void => {
    const fields = Object.entries(outgoing.getHeaders()).map(([name, value]) => [name, value] as const)
    head ??= { status, headers: leftFields([...fields, ...fieldsGiven(more)]) }
  }
  const methods = outgoing as unknown as Record<'writeHead', Write>
  const own = methods.writeHead
  const leaveAndWriteHead: Write = function (...parameters) {
    leave(Number(parameters[0]), parameters.at(-1))
    return own.apply(this, parameters)
  }
  wrapWrites(outgoing, see, leave)
  methods.writeHead = leaveAndWriteHead
  return () => head
}

/** What `writeHead` was given: an object, a list of pairs, or a flat list. */
function fieldsGiven(given: unknown): (readonly [string, unknown])[] {
  if (typeof given !== 'object' || given === null) return []
  if (!Array.isArray(given)) return Object.entries(given)
  const flat = given.flat() as unknown[]
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), flat[at + 1]] as const] : []))
}

/** Those that come later take the place of those of the same name. */
function leftFields(fields: readonly (readonly [string, unknown])[]): Map<string, string> {
  return new Map(fields.map(([name, value]) => [name.toLowerCase(), [value].flat().map(String).join('\n')]))
}

/** Shows what is written to one response; it is written all the same. */
function wrapWrites(
  outgoing: ServerResponse,
  see: (chunk: Buffer) => void,
  begin: () => void = () => {},
): void {
  const methods = outgoing as unknown as Record<'write' | 'end', Write>
  // `end(chunk)` of Node's own, and of middleware, calls `write` in its turn, which would show the same bytes again.
  let isWithin = false
  for (const name of ['write', 'end'] as const) {
    const own = methods[name]
    const writeAndSee: Write = function (chunk, encoding, ...rest) {
      if (!isWithin) {
        begin()
        if (typeof chunk === 'string') {
          see(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'))
        } else if (isBytes(chunk)) see(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
      }
      const before = isWithin
      isWithin = true
      try {
        return own.call(this, chunk, encoding, ...rest)
      } finally {
        isWithin = before
      }
    }
    methods[name] = writeAndSee
  }
}

/** Status and headers as they were sent. */
function headOf(outgoing: ServerResponse): Head {
  const { _header: text } = outgoing as { _header?: unknown }
  if (typeof text === 'string') {
    const [head] = new AnswerHeadReader().read(Buffer.from(text, 'latin1')).heads
    if (head !== undefined) return { status: head.status, headers: fieldsOf(head.fields) }
  }
  // Of HTTP/2.
  const fields = Object.entries(outgoing.getHeaders()).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as const),
  )
  return { status: outgoing.statusCode, headers: fieldsOf(fields) }
}
