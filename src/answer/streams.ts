import type { Readable } from 'node:stream'
import { isBytes } from '../ground/bytes.js'
import { RouteControllersError } from '../ground/errors.js'
import { nameType } from '../ground/options.js'

/** What can be streamed: a web stream, or any async iterable (a Node stream is one). */
export type StreamBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/** True for a web stream of any realm. */
export function isReadableStream(value: object): value is ReadableStream<Uint8Array> {
  return 'getReader' in value && typeof value.getReader === 'function'
}

/**
 * A web stream of the content of another one, or of an async iterable, which is opened with the first read. Not ReadableStream.from(), which is
 * not everywhere yet.
 */
export function toReadableStream(body: StreamBody): ReadableStream<Uint8Array> {
  let source: Source | undefined
  const whenRead: Source = {
    next: () => (source ??= open(body)).next(),
    cancel: () => (source ?? unread(body)).cancel(),
  }
  return readableStreamOf(whenRead, () => {})
}

/** A web stream of what a source gives; `onError` gets the error that the source fails with. */
export function readableStreamOf(
  source: Source,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await source.next()
          if (done) controller.close()
          else {
            const piece = checkedPiece(value)
            controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
          }
        } catch (error) {
          onError(error)
          throw error
        }
      },
      async cancel() {
        await source.cancel()
      },
    },
    // Nothing is taken from the source before the stream is read.
    { highWaterMark: 0 },
  )
}

/** Workers, and node:http of Bun at `null`, would end the answer at anything else, as if it were whole. */
export function checkedPiece(value: unknown): Uint8Array | string {
  if (typeof value === 'string' || isBytes(value)) return value
  throw wrongPiece(value, 'bytes or a string')
}

/** The error of a stream that gives something else than what is `wanted` of it. */
export function wrongPiece(given: unknown, wanted: string): RouteControllersError {
  return new RouteControllersError(
    'ERR_RESPONSE_INVALID',
    `A stream has given ${nameType(given)}, not ${wanted}`,
  )
}

/** True for a body that comes in pieces. */
export function isStream(body: StreamBody | string | Uint8Array | null): body is StreamBody {
  return typeof body === 'object' && body !== null && !ArrayBuffer.isView(body)
}

/** A web stream or an async iterable, read and cancelled in the same way. */
export interface Source {
  next(): Promise<{ done?: boolean | undefined; value?: Uint8Array | string | undefined }>
  cancel(): unknown
}

/** Begins to read. */
export function open(body: StreamBody): Source {
  if (isReadableStream(body)) {
    const reader = body.getReader()
    return { next: () => reader.read(), cancel: () => reader.cancel() }
  }
  if (isNodeStream(body)) return new NodeSource(body)
  const iterator = body[Symbol.asyncIterator]()
  return { next: () => iterator.next(), cancel: () => iterator.return?.() }
}

/** True for a Node stream of any copy of its class, but not for one with an iterator of its own. A request that counts its bytes has one. */
function isNodeStream(body: AsyncIterable<unknown>): body is Readable {
  for (let from: object | null = body; from !== null; from = Object.getPrototypeOf(from) as object | null) {
    if (Object.hasOwn(from, 'readableFlowing'))
      return (from as typeof body)[Symbol.asyncIterator] === body[Symbol.asyncIterator]
  }
  return false
}

/** The errors of Node streams that have failed before they were opened. */
const failures = new WeakMap<Readable, Error>()

/** Keeps the error of a Node stream for who opens it later: an error without a listener ends the process. */
export function keepFailure(body: StreamBody): void {
  if (isReadableStream(body) || !isNodeStream(body)) return
  body.on('error', (error: Error) => failures.set(body, error))
}

/** A body that is not read. What can be given up as it is, as a generator or events, is not begun. */
export function unread(body: StreamBody): Source {
  return 'return' in body
    ? { next: () => Promise.resolve({ done: true }), cancel: () => (body as AsyncGenerator).return(0) }
    : open(body)
}

type Piece = Awaited<ReturnType<Source['next']>>

/**
 * A Node stream, one chunk at a time, as it has them. Its own iterator copies all buffered chunks into one. It also does not
 * destroy the stream when the loop ends before the first chunk.
 */
class NodeSource implements Source {
  readonly #stream: Readable
  /** More than one only for a stream that ignores pause(). */
  readonly #pieces: Piece[] = []
  #isOver = false
  #error: Error | undefined
  #waiting: { resolve: (piece: Piece) => void; reject: (error: Error) => void } | undefined
  #begun = false

  constructor(stream: Readable) {
    this.#stream = stream
    stream
      .on('error', (error: Error) => this.#end(error))
      .on('end', () => this.#end())
      .on('close', () => this.#end(stream.readableEnded ? undefined : brokenOff()))
    const failure = stream.errored ?? failures.get(stream)
    if (stream.readableEnded) this.#end()
    else if (stream.destroyed || failure !== undefined) this.#end(failure ?? brokenOff())
  }

  next(): Promise<Piece> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      if (this.#pieces.length > 0 || this.#isOver) return this.#give()
      if (this.#begun) return void this.#stream.resume()
      this.#begun = true
      this.#stream.on('data', (value: Uint8Array | string) => {
        this.#stream.pause()
        this.#pieces.push({ value })
        this.#give()
      })
      // The program may have paused it.
      this.#stream.resume()
    })
  }

  cancel(): void {
    this.#stream.destroy()
  }

  #end(error?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#give()
  }

  #give(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    const piece = this.#pieces.shift()
    if (piece !== undefined) waiting.resolve(piece)
    else if (this.#error !== undefined) waiting.reject(this.#error)
    else waiting.resolve({ done: true })
  }
}

function brokenOff(): Error {
  return new Error('The stream was closed before its end')
}

/**
 * True for a body that may be made of a text or bytes: a Response makes a byte stream of them, and does not tell.
 * https://fetch.spec.whatwg.org/#concept-bodyinit-extract
 */
export function isByteStream(body: StreamBody): body is ReadableStream<Uint8Array> {
  if (!isReadableStream(body)) return false
  try {
    body.getReader({ mode: 'byob' }).releaseLock()
    return true
  } catch {
    return false
  }
}

/** How many microtasks a body may take to be read to its end: that of a text takes 3 in Node 20, of a clone 4. */
const maxTurns = 20

/**
 * A source whose beginning can be read before the rest.
 *
 * A text ends within a few microtasks, before any other event. A body that takes longer is a stream, and may be silent for
 * minutes. No timer and no `process.nextTick` is used, because tests replace these. At most two pieces are held.
 */
export class PeekedSource implements Source {
  readonly #source: Source
  readonly #reads: Promise<Piece>[] = []
  #turns = maxTurns

  constructor(source: Source) {
    this.#source = source
  }

  /** The whole content of the source, if it is available at once and in one piece. Call it once, and before `next`. */
  async whole(): Promise<Uint8Array | undefined> {
    const first = await this.#readSoon()
    if (first === undefined) return undefined
    if (first.done) return new Uint8Array(0)
    const isOver = (await this.#readSoon())?.done
    return isOver && ArrayBuffer.isView(first.value) ? first.value : undefined
  }

  /** The first piece, when it arrives. Call it after `whole`. */
  first(): Promise<Piece> {
    return this.#reads[0]!
  }

  next(): Promise<Piece> {
    return this.#reads.shift() ?? this.#source.next()
  }

  cancel(): unknown {
    return this.#source.cancel()
  }

  async #readSoon(): Promise<Piece | undefined> {
    const read = this.#source.next()
    this.#reads.push(read)
    let piece: Piece | undefined
    read.then(
      (found) => (piece = found),
      () => (this.#turns = 0),
    )
    while (piece === undefined && this.#turns-- > 0) await Promise.resolve()
    return piece
  }
}

/**
 * A source of exactly so many bytes. A client would take further bytes for the next answer of the connection, so the rest is cut
 * off, and `onSurplus` is called. With fewer bytes, reading fails.
 */
export class ExactSource implements Source {
  readonly #source: Source
  readonly #length: number
  readonly #onSurplus: (error: unknown) => void
  #left: number
  #isCut = false

  constructor(source: Source, length: number, onSurplus: (error: unknown) => void) {
    this.#source = source
    this.#length = this.#left = length
    this.#onSurplus = onSurplus
  }

  async next(): Promise<Piece> {
    if (this.#isCut) return { done: true }
    const piece = await this.#source.next()
    if (piece.done) {
      if (this.#left > 0) throw this.#mismatch(`has ended ${this.#left} bytes before`)
      return piece
    }
    const bytes = typeof piece.value === 'string' ? new TextEncoder().encode(piece.value) : piece.value
    // No bytes at all: the write throws the right error.
    if (bytes?.BYTES_PER_ELEMENT !== 1) return piece
    const { byteLength } = bytes
    if (byteLength <= this.#left) {
      this.#left -= byteLength
      return { value: bytes }
    }
    this.#isCut = true
    cancel(this.#source)
    this.#onSurplus(this.#mismatch('gives more than'))
    return this.#left === 0 ? { done: true } : { value: bytes.subarray(0, this.#left) }
  }

  cancel(): unknown {
    return this.#source.cancel()
  }

  #mismatch(what: string): RouteControllersError {
    return new RouteControllersError(
      'ERR_RESPONSE_INVALID',
      `The stream of the answer ${what} its Content-Length of ${this.#length}`,
    )
  }
}

/** Cancels a source. */
export function cancel(source: Source): void {
  try {
    void Promise.resolve(source.cancel()).catch(() => {})
  } catch {
    // Whether that fails does not matter here.
  }
}

/** Cancels a body that will not be read. */
export function discard(body: StreamBody | string | Uint8Array | null): void {
  if (!isStream(body)) return
  // A locked stream has another reader, which cancels it.
  if (isReadableStream(body) && body.locked) return
  cancel(unread(body))
}
