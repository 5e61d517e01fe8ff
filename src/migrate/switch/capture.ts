// Keeps what a client's request and its answer were, of one request and one response: nothing that others share is replaced.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AnswerHeadReader } from '../../node/answer-head.js'
import type { Answer } from '../parity-answers.js'
import { fieldsOf, type RequestCopy } from './memory-request.js'

/** What of one is kept, and what it has cost. */
export interface Captured {
  readonly request: RequestCopy
  readonly answer: Answer
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
  /** Says whether so many bytes more may be held. */
  readonly hold: (bytes: number) => boolean
  /** Gives what was held back. */
  readonly release: (bytes: number) => void
  /** Called once: with what was captured, or why nothing was. */
  readonly done: (result: Captured | 'size' | 'body' | 'failed') => void
}

type Incoming = IncomingMessage & { originalUrl?: string; rawBody?: unknown; stream?: unknown }

/** Begins to keep a request and its answer. */
export function capture(parts: CaptureParts): void {
  const { incoming, outgoing, maxBytes, clips = false, hold, release, done } = parts
  let held = 0
  let problem: 'size' | 'body' | 'failed' | undefined
  const clipped = new Set<Buffer[]>()
  const take = (chunks: Buffer[], chunk: Buffer): void => {
    if (problem !== undefined || clipped.has(chunks)) return
    if (held + chunk.length > maxBytes || !hold(chunk.length)) {
      const bytes = clips ? chunks.reduce((sum, one) => sum + one.length, 0) : held
      release(bytes)
      held -= bytes
      chunks.length = 0
      if (clips) clipped.add(chunks)
      else problem = 'size'
      return
    }
    held += chunk.length
    // A copy: the sender may use its memory again.
    chunks.push(Buffer.from(chunk))
  }
  const request = incoming as Incoming
  const { method = 'GET', headers, rawHeaders, socket } = request
  const target = request.originalUrl ?? request.url ?? '/'
  const sent: Buffer[] = []
  const isWhole = captureBody(request, (chunk) => take(sent, chunk))
  if (isWhole === undefined && !clips) return done('body')
  const chunks: Buffer[] = []
  wrapWrites(outgoing, (chunk) => take(chunks, chunk))
  const copied = { ...headers }
  const rawCopied = [...rawHeaders]
  outgoing.once('close', () => {
    const isSent = isWhole?.() ?? false
    if (problem === undefined && !outgoing.writableFinished) problem = 'failed'
    if (problem === undefined && !isSent && !clips) problem = 'body'
    if (problem !== undefined) {
      release(held)
      return done(problem)
    }
    done({
      request: {
        method,
        target,
        headers: copied,
        rawHeaders: rawCopied,
        body: sent.length === 0 ? undefined : Buffer.concat(sent),
        remoteAddress: socket?.remoteAddress,
        encrypted: (socket as { encrypted?: boolean } | undefined)?.encrypted === true,
      },
      answer: { ...headOf(outgoing), body: Buffer.concat(chunks).toString('latin1') },
      bytes: held,
      isRequestClipped: !isSent || clipped.has(sent),
      isAnswerClipped: clipped.has(chunks),
    })
  })
}

/**
 * Shows the body of a request as it comes in. Gives what tells at the end whether that was all; undefined where it has been read before, and
 * nobody has kept it.
 */
function captureBody(incoming: Incoming, see: (chunk: Buffer) => void): (() => boolean) | undefined {
  const { headers } = incoming
  const length = headers['content-length']
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
  if (!hasBody) return () => true
  const { rawBody } = incoming
  if (incoming.readableDidRead || incoming.readableLength > 0 || incoming.readableEnded) {
    if (!(rawBody instanceof Uint8Array)) return undefined
    see(Buffer.from(rawBody))
    return () => true
  }
  // Not by a listener of 'data', which would set the stream flowing before its reader is there.
  const push = incoming.push.bind(incoming)
  let isWhole = false
  incoming.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk instanceof Uint8Array) see(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
    else if (chunk === null) isWhole = true
    return push(chunk, encoding)
  }
  return () => isWhole
}

/** Shows what is written to one response; it is written all the same. */
function wrapWrites(outgoing: ServerResponse, see: (chunk: Buffer) => void): void {
  type Write = (this: ServerResponse, ...parameters: unknown[]) => unknown
  const methods = outgoing as unknown as Record<'write' | 'end', Write>
  for (const name of ['write', 'end'] as const) {
    const own = methods[name]
    let isInside = false
    methods[name] = function (chunk, encoding, ...rest) {
      // `end(chunk)` of Node's own may call `write`, which stands before us.
      if (!isInside && !isWriting) {
        if (typeof chunk === 'string') {
          see(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'))
        } else if (chunk instanceof Uint8Array) see(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
      }
      const before = isWriting
      isInside = isWriting = true
      try {
        return own.call(this, chunk, encoding, ...rest)
      } finally {
        isInside = false
        isWriting = before
      }
    }
  }
  let isWriting = false
}

/** Status and headers as they were sent. */
function headOf(outgoing: ServerResponse): Pick<Answer, 'status' | 'headers'> {
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
