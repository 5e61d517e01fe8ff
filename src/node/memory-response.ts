import type { ServerResponse } from 'node:http'
import { headBody, isBodiless, typesWhenSent, untyped, withCoding } from '../answer/web-response.js'
import { isBytes } from '../ground/bytes.js'

type Chunk = string | Uint8Array
type Written = (error?: Error | null) => void
/** `writeHead` takes headers as an object or as a flat list. */
type HeadFields = Readonly<Record<string, unknown>> | readonly unknown[]

/** The reason phrase of each status. */
type Reasons = Readonly<Record<number, string | undefined>>

interface Queued {
  readonly bytes: Uint8Array
  readonly written: Written | undefined
}

/** As that of a stream of Node: more than this waits for a reader. */
const highWaterMark = 16 * 1024

// The connection for which they are written does not exist.
const ofConnection = /^(?:connection|http2-settings|keep-alive|trailer|transfer-encoding)$/i

/**
 * Makes a Response of what is written to a ServerResponse.
 *
 * The response is one of the runtime's own class, which keeps its headers. Its writing is ours, by members of the object itself: an app of Express
 * gives it another prototype, and middleware replaces what it finds.
 */
export class MemoryWriter {
  readonly #outgoing: ServerResponse
  readonly #resolve: (response: Response) => void
  readonly #withBody: boolean
  #fields: [name: string, value: string][] | undefined
  /** As they were when the head was made. */
  #status = 0
  #statusText = ''
  #isGiven = false
  /** An answer that was written in one piece: it is given once `finish` has been told, as a client gets it after that. */
  #whole: Response | undefined
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #queue: Queued[] = []
  #queuedBytes = 0
  #isWaiting = false
  #needsDrain = false
  #isEnded = false
  /** From the end of the last write: nothing more is taken. */
  #isFinishing = false
  /** From the moment before `finish`: so Node says it from version 24 on. */
  #isFinished = false
  #isClosed = false
  readonly #reasons: Reasons
  /** Called once the answer is complete or cut. */
  readonly #onClose: () => void

  constructor(
    outgoing: ServerResponse,
    withBody: boolean,
    reasons: Reasons,
    resolve: (response: Response) => void,
    onClose: () => void,
  ) {
    this.#outgoing = outgoing
    this.#withBody = withBody
    this.#reasons = reasons
    this.#resolve = resolve
    this.#onClose = onClose
  }

  get hasHead(): boolean {
    return this.#fields !== undefined
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get length(): number {
    return this.#queuedBytes
  }

  /** Keeps the head as it is now. It is sent with the first bytes, or at the end. */
  writeHead(status: number, reason: string | HeadFields | undefined, given: HeadFields | undefined): void {
    const outgoing = this.#outgoing
    if (this.hasHead)
      throw coded(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot write headers after they are sent to the client')
    const code = Math.trunc(Number(status))
    if (!(code >= 100 && code <= 999)) {
      throw coded(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${String(status)}`)
    }
    if (typeof reason === 'string') outgoing.statusMessage = reason
    outgoing.statusMessage ||= this.#reasons[code] ?? 'unknown'
    const fields = typeof reason === 'string' ? given : (reason ?? given)
    if (/[^\t\x20-\x7e\x80-\xff]/.test(outgoing.statusMessage)) {
      throw coded(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage')
    }
    outgoing.statusCode = code
    setFields(outgoing, fields)
    this.#keepHead()
  }

  write(chunk: Chunk, encoding: BufferEncoding | undefined, written: Written | undefined): boolean {
    const bytes = bytesOf(chunk, encoding)
    const error = this.#refusal()
    if (error !== undefined) return this.#failWrite(error, written)
    this.#implyHead()
    this.flushHead()
    if (this.#body === undefined) {
      if (written !== undefined) process.nextTick(written)
      return true
    }
    if (bytes.byteLength === 0) {
      if (written !== undefined) process.nextTick(written)
      return true
    }
    // A copy: the program may use its own again once it has been written.
    this.#queue.push({ bytes: new Uint8Array(bytes), written })
    this.#queuedBytes += bytes.byteLength
    if (this.#isWaiting) this.#pull()
    this.#needsDrain = this.#queuedBytes >= highWaterMark
    return !this.#needsDrain
  }

  end(chunk: Chunk | undefined, encoding: BufferEncoding | undefined, ended: Written | undefined): void {
    const bytes = chunk === undefined ? undefined : bytesOf(chunk, encoding)
    if (bytes !== undefined) {
      const error = this.#refusal()
      if (error !== undefined) return void this.#failWrite(error, ended)
    } else if (this.#isEnded) {
      if (ended === undefined) return
      if (this.#isFinished)
        ended(coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished'))
      else this.#outgoing.once('finish', ended)
      return
    }
    if (ended !== undefined) this.#outgoing.once('finish', ended)
    const isImplied = !this.hasHead
    this.#implyHead()
    if (!this.#isGiven) this.#giveWhole(bytes, isImplied)
    else if (bytes !== undefined && this.#body !== undefined && bytes.byteLength > 0) {
      this.#queue.push({ bytes: new Uint8Array(bytes), written: undefined })
      this.#queuedBytes += bytes.byteLength
    }
    this.#isEnded = true
    if (this.#isWaiting) this.#pull()
    else if (this.#queue.length === 0) this.#finish()
  }

  /** Sends the head alone. */
  flushHead(): void {
    this.#implyHead()
    if (this.#isGiven) return
    this.#isGiven = true
    const status = this.#status
    if (!this.#withBody || isBodiless(status)) return this.#resolve(made(() => this.#headOnly()) ?? failure())
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#body = controller),
        pull: () => {
          this.#isWaiting = true
          this.#pull()
        },
        cancel: () => {
          this.#body = undefined
          this.cut()
        },
      },
      // Nothing is taken from the source before the body is read.
      { highWaterMark: 0 },
    )
    const response = made(() => this.#responseOf(body))
    if (response === undefined) this.#body = undefined
    this.#resolve(response ?? failure())
  }

  /** The connection is closed: an answer that was not complete by then never will be. */
  cut(): void {
    if (this.#isClosed || this.#isFinishing) return
    this.#resolve(failure())
    this.#isGiven = true
    this.#body?.error(new Error('The answer broke off'))
    this.#body = undefined
    for (const { written } of this.#queue.splice(0)) written?.()
    this.#queuedBytes = 0
    this.#close()
  }

  #implyHead(): void {
    if (this.hasHead) return
    // By the member, which middleware may have replaced.
    this.#outgoing.writeHead(this.#outgoing.statusCode)
    // A replacement that does nothing sends no head, and the answer would never be.
    if (!this.hasHead) this.#keepHead()
  }

  #keepHead(): void {
    const { statusCode, statusMessage } = this.#outgoing
    this.#status = statusCode
    this.#statusText = statusMessage ?? ''
    this.#fields = fieldsOf(this.#outgoing)
  }

  #giveWhole(bytes: Uint8Array | undefined, isImplied: boolean): void {
    this.#isGiven = true
    const status = this.#status
    const length = bytes?.byteLength ?? 0
    if (isImplied && this.#needsLength(status)) this.#fields!.push(['Content-Length', String(length)])
    const isHead = !this.#withBody || isBodiless(status)
    this.#whole =
      made(() =>
        isHead
          ? this.#headOnly()
          : this.#responseOf(length === 0 ? null : this.#typed(bytes as Uint8Array<ArrayBuffer>)),
      ) ?? failure()
  }

  /** As Node gives a length to an answer that is written in one piece. */
  #needsLength(status: number): boolean {
    const outgoing = this.#outgoing as ServerResponse & { _removedContLen?: boolean }
    if (!this.#withBody || status === 204 || status === 304 || outgoing._removedContLen) return false
    return !outgoing.hasHeader('Transfer-Encoding') && !this.#fields!.some(([name]) => isLength(name))
  }

  #typed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
    // Most runtimes give such bytes no type, and need no look at the fields.
    if (!typesWhenSent) return bytes
    return this.#fields!.some(([name]) => name.toLowerCase() === 'content-type') ? bytes : untyped(bytes)
  }

  /** The length is the one that was set, also where the status has no body. */
  #headOnly(): Response {
    const hasLength = this.#fields!.some(([name]) => isLength(name))
    return this.#responseOf(headBody(this.#status, hasLength))
  }

  #responseOf(body: ConstructorParameters<typeof Response>[0]): Response {
    const headers = new Headers()
    for (const [name, value] of this.#fields!) headers.append(name, value)
    return new Response(body, withCoding({ status: this.#status, statusText: this.#statusText, headers }))
  }

  #pull(): void {
    const next = this.#queue.shift()
    if (next === undefined) {
      if (this.#isEnded) this.#finish()
      return
    }
    this.#isWaiting = false
    this.#queuedBytes -= next.bytes.byteLength
    // Asks for the next piece at once where a reader waits for more.
    this.#body?.enqueue(next.bytes)
    next.written?.()
    if (this.#queue.length > 0) return
    if (this.#isEnded) return this.#finish()
    if (!this.#needsDrain) return
    this.#needsDrain = false
    this.#outgoing.emit('drain')
  }

  #finish(): void {
    if (this.#isFinishing) return
    this.#isFinishing = true
    process.nextTick(() => {
      this.#isFinished = true
      try {
        this.#outgoing.emit('finish')
      } finally {
        if (this.#whole !== undefined) this.#resolve(this.#whole)
        this.#body?.close()
        this.#body = undefined
        // As node:http does it after the last byte.
        process.nextTick(() => this.#close())
      }
    })
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    Object.assign(this.#outgoing, { destroyed: true })
    this.#onClose()
    process.nextTick(() => this.#outgoing.emit('close'))
  }

  #refusal(): Error | undefined {
    if (this.#isEnded) return coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end')
    if (this.#isClosed)
      return coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed')
    return undefined
  }

  #failWrite(error: Error, written: Written | undefined): boolean {
    process.nextTick(() => {
      written?.(error)
      if (!this.#isClosed) this.#outgoing.emit('error', error)
    })
    return false
  }
}

const writerKey = Symbol('writer')

type Outgoing = ServerResponse & { readonly [writerKey]: MemoryWriter }

const functions: Readonly<Record<string, (this: Outgoing, ...parameters: never[]) => unknown>> = {
  writeHead(status: number, reason?: string | HeadFields, fields?: HeadFields) {
    this[writerKey].writeHead(status, reason, fields)
    return this
  },
  _implicitHeader() {
    this.writeHead(this.statusCode)
  },
  write(chunk: Chunk, encoding?: BufferEncoding | Written, written?: Written) {
    const writer = this[writerKey]
    return typeof encoding === 'function'
      ? writer.write(chunk, undefined, encoding)
      : writer.write(chunk, encoding, written)
  },
  end(chunk?: Chunk | Written | null, encoding?: BufferEncoding | Written, ended?: Written) {
    const writer = this[writerKey]
    if (typeof chunk === 'function') writer.end(undefined, undefined, chunk)
    else if (typeof encoding === 'function') writer.end(chunk ?? undefined, undefined, encoding)
    else writer.end(chunk ?? undefined, encoding, ended)
    return this
  },
  flushHeaders() {
    this[writerKey].flushHead()
  },
  destroy(error?: Error) {
    if (!this.destroyed) this.socket?.destroy(error)
    return this
  },
  // What comes before an answer is not part of it. A handler may wait until it is written.
  writeContinue: callLast,
  writeProcessing: callLast,
  writeEarlyHints: callLast,
  // Of Node 24.22 and later.
  writeInformation: callLast,
  addTrailers: nothing,
  cork: nothing,
  uncork: nothing,
}

const states: Readonly<Record<string, (writer: MemoryWriter) => unknown>> = {
  headersSent: (writer) => writer.hasHead,
  // Middleware asks for it too.
  _header: (writer) => (writer.hasHead ? 'sent' : null),
  finished: (writer) => writer.isEnded,
  writableEnded: (writer) => writer.isEnded,
  writableFinished: (writer) => writer.isFinished,
  writableLength: (writer) => writer.length,
  closed: (writer) => writer.isClosed,
}

const members: PropertyDescriptorMap = Object.fromEntries([
  ...Object.entries(functions).map(([name, value]): [string, PropertyDescriptor] => [
    name,
    replaceable(value),
  ]),
  ...Object.entries(states).map(([name, read]): [string, PropertyDescriptor] => [
    name,
    {
      get(this: Outgoing) {
        return read(this[writerKey])
      },
      set: nothing,
      configurable: true,
    },
  ]),
])

/** Makes the response write to `writer`, and gives it `socket`. */
export function writeToMemory(outgoing: ServerResponse, writer: MemoryWriter, socket: object): void {
  Object.defineProperties(outgoing, {
    ...members,
    [writerKey]: { value: writer },
    destroyed: replaceable(false),
    socket: replaceable(socket),
    connection: replaceable(socket),
  })
}

function replaceable(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true }
}

function nothing(): void {}

function callLast(this: unknown, ...parameters: unknown[]): void {
  const done = parameters.at(-1)
  if (typeof done === 'function') process.nextTick(done)
}

const isLength = (name: string): boolean => name.length === 14 && name.toLowerCase() === 'content-length'

function setFields(outgoing: ServerResponse, fields: HeadFields | undefined): void {
  if (fields === undefined || fields === null) return
  const pairs = !Array.isArray(fields)
    ? Object.entries(fields)
    : Array.isArray(fields[0])
      ? (fields as [string, unknown][])
      : Array.from(
          { length: fields.length / 2 },
          (_, at) => [fields[2 * at], fields[2 * at + 1]] as [string, unknown],
        )
  const own = new Set<string>()
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase()
    // A name that is there twice is two fields; what was set before is replaced.
    if (own.has(lower)) outgoing.appendHeader(name, value as string)
    else outgoing.setHeader(name, value as string)
    own.add(lower)
  }
}

function fieldsOf(outgoing: ServerResponse): [string, string][] {
  const fields: [string, string][] = []
  const all = outgoing.getHeaders()
  for (const name in all) {
    if (ofConnection.test(name)) continue
    const value = all[name]!
    if (Array.isArray(value)) for (const one of value) fields.push([name, String(one)])
    else fields.push([name, String(value)])
  }
  return fields
}

function bytesOf(chunk: unknown, encoding: BufferEncoding | undefined): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding)
  if (isBytes(chunk)) return chunk
  if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream')
  throw coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `The "chunk" argument must be of type string or an instance of Buffer or Uint8Array. Received ${received(chunk)}`,
  )
}

/** As the errors of Node name a value. */
function received(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value === 'object') return `an instance of ${value!.constructor.name}`
  const plain = value as boolean | number | bigint | symbol
  return `type ${typeof plain} (${String(plain)})`
}

function coded(Class: new (message: string) => Error, code: string, message: string): Error {
  return Object.assign(new Class(message), { code })
}

/** Node sends a status that a Response cannot have, such as 600. */
function made(make: () => Response): Response | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function failure(): Response {
  return new Response('Internal Server Error', { status: 500 })
}
