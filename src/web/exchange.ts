import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerTimer } from '../answer/answer-timer.js'
import { aborted, Body, consumed } from '../body/body.js'
import { BoundedBytes, type ReadRules, tooLarge } from '../body/limits.js'
import type { RouteControllersError } from '../ground/errors.js'
import { findHeader, parseLength } from '../answer/headers.js'
import {
  type Exchange,
  exchangeKey,
  hostWithoutField,
  malformedHost,
  requestMembers,
  sendsBody,
  startOfPath,
  tooLongTarget,
} from '../request/exchange.js'
import { describeThrown, log } from '../ground/log.js'
import { addressBehind, type Trust } from '../request/forwarded.js'
import type { ServedPlatform, Stopping } from '../request/platform.js'
import type { Routed } from '../request/matched-route.js'
import type { Cookies, RouteRequest } from '../request/request.js'
import { isLight, type LightResponse, partsOf } from '../answer/light-response.js'
import { type AnswerParts, byteLength, headResponse, isBodiless, toResponse } from '../answer/web-response.js'
import {
  cancel,
  discard,
  ExactSource,
  isByteStream,
  isStream,
  open,
  PeekedSource,
  readableStreamOf,
  type Source,
} from '../answer/streams.js'
import type { Logger } from '../ground/types.js'

/** A web Request and the promise of its Response. */
export class WebExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly originalUrl: string
  readonly rules: ReadRules
  readonly problem: RouteControllersError | undefined
  readonly platform: ServedPlatform | undefined
  readonly #trust: Trust | undefined
  readonly #request: Request
  readonly #resolve: (response: Response | Promise<Response>) => void
  readonly viaNode: () => void
  #abort: AbortController | undefined
  #unfollow: (() => void) | undefined
  #isComplete = false
  #body: Body | undefined
  #bodyLimit = 0
  streamLimit: number = Infinity
  parsedBytes: Uint8Array | undefined
  stringify: ((value: unknown) => string | undefined) | undefined
  #prepared: WebRequest | undefined
  #whenAnswered: ((status: number | undefined) => void) | undefined
  answered = false
  // There is no response that other code could begin.
  declare readonly begun: undefined
  declare readonly open: undefined
  declare readonly over: undefined
  timer: AnswerTimer | undefined
  routed: Routed | undefined
  isNative = false
  cookies: Cookies | undefined

  // What only a Node host has.
  declare readonly incoming: undefined
  declare readonly outgoing: undefined
  declare readonly pass: undefined
  declare readonly fail: undefined
  declare readonly decoded: undefined
  declare readonly lenientPath: undefined

  constructor(
    request: Request,
    resolve: (response: Response | Promise<Response>) => void,
    viaNode: () => void,
    rules: ReadRules,
    platform: ServedPlatform | undefined,
    trust: Trust | undefined,
  ) {
    this.#request = request
    this.platform = platform
    this.#trust = trust
    this.#resolve = resolve
    this.viaNode = viaNode
    this.rules = rules
    this.method = request.method
    // `request.url` is absolute and already in the form that URL gives it; it is cut, never parsed again.
    const { url } = request
    const start = startOfPath(url)
    let end = url.indexOf('#', start)
    if (end < 0) end = url.length
    let mark = url.indexOf('?', start)
    if (mark < 0 || mark > end) mark = end
    this.path = url.slice(start, mark)
    this.search = url.slice(mark + 1, end)
    this.originalUrl = url.slice(start, end)
    this.problem = malformedHost(request) ?? tooLongTarget(this.path, this.search, rules)
  }

  get realIp(): string | undefined {
    return addressBehind(this.platform?.ip, this.header('x-forwarded-for'), this.#trust)
  }

  get signal(): AbortSignal {
    return (this.#abort ??= this.#follow()).signal
  }

  isAbort(error: unknown): boolean {
    const signal = this.#abort?.signal
    return signal?.aborted === true && signal.reason === error
  }

  /** Not the signal of the request itself: that of `Deno.serve` also aborts after an answer that has been sent whole. */
  #follow(): AbortController {
    const own = new AbortController()
    // The requests of Azure Functions have none.
    const theirs = this.#request.signal as AbortSignal | undefined
    if (theirs === undefined || this.#isComplete) return own
    const abort = (): void => own.abort(theirs.reason)
    if (theirs.aborted) abort()
    else theirs.addEventListener('abort', abort, { once: true })
    const unfollow = (): void => theirs.removeEventListener('abort', abort)
    this.#unfollow = unfollow
    return own
  }

  #complete(): void {
    this.#isComplete = true
    this.#unfollow?.()
  }

  /** Aborts the signal, though that of the request does not. */
  #abortWith(reason: unknown): void {
    void this.signal
    this.#abort!.abort(reason)
    this.#unfollow?.()
  }

  get hasBody(): boolean {
    // A server makes a stream when `body` is read, which costs more than the rest of a small request.
    const length = this.method === 'GET' || this.method === 'HEAD' ? undefined : this.#contentLength
    // For a Request an empty text is a body; in HTTP it is none.
    return length === undefined ? this.#request.body !== null && this.#contentLength !== '0' : length !== '0'
  }

  /** Read once: Bun and Deno ask their server for a header each time, and a body has its length asked for five times. */
  get #contentLength(): string | undefined {
    if (this.#length === undefined) this.#length = this.#request.headers.get('content-length')
    return this.#length ?? undefined
  }
  #length: string | null | undefined

  get bodyConsumed(): boolean {
    if (this.#request.bodyUsed) return true
    // As above: a reader that has not read yet is found when the bytes are asked for.
    return this.#contentLength === undefined && this.#isLocked
  }

  get #isLocked(): boolean {
    return this.#request.body?.locked === true
  }

  get body(): Body {
    return (this.#body ??= new Body(this, this.#bodyLimit, this.rules))
  }

  get readBefore(): Promise<Uint8Array> | undefined {
    return this.#body?.begun
  }

  header(name: string): string | undefined {
    return name === 'content-length' ? this.#contentLength : (this.#request.headers.get(name) ?? undefined)
  }

  readBytes(limit: number): Promise<Uint8Array> {
    if (this.bodyConsumed) return Promise.reject(consumed())
    const declared = parseLength(this.#contentLength)
    // Who has sent it cannot send more: the server ends a body at its length. A program that makes a Request can lie.
    return declared !== undefined && declared <= limit ? this.#allBytes(limit) : this.#bytesInPieces(limit)
  }

  #allBytes(limit: number): Promise<Uint8Array> {
    const request = this.#request as Request & { bytes?(): Promise<Uint8Array> }
    // It takes Bun less than a copy of arrayBuffer(). Node 20 does not have it. Not async functions, which add a promise each.
    const reading = request.bytes?.() ?? request.arrayBuffer().then((bytes) => new Uint8Array(bytes))
    // Of a Request that a program makes the body does not end with its signal. Those of Azure Functions have none.
    const signal = request.signal as AbortSignal | undefined
    const gone = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', reject)
      signal?.throwIfAborted()
    })
    return Promise.race([reading, gone]).then(
      (bytes) => checkedBytes(bytes, limit),
      (cause: unknown) => {
        // One that was only locked has not been used.
        throw request.bodyUsed ? aborted(cause) : consumed()
      },
    )
  }

  async #bytesInPieces(limit: number): Promise<Uint8Array> {
    const bytes = new BoundedBytes(limit)
    // Leaving the loop, also by a throw, cancels the stream.
    for await (const chunk of this.chunks()) bytes.add(chunk)
    return bytes.join()
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#request.bodyUsed || this.#isLocked) throw consumed()
    const reader = this.#request.body?.getReader()
    if (reader === undefined) return
    let finished = false
    // The requests of Azure Functions have none.
    const signal = this.#request.signal as AbortSignal | undefined
    // Of a Request that a program makes the body does not end with its signal.
    const abort = (): void => void reader.cancel(signal?.reason).catch(() => {})
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
    try {
      for (;;) {
        const result = await reader.read().catch((cause: unknown) => {
          throw aborted(cause)
        })
        if (signal?.aborted === true) throw aborted(signal.reason)
        if (result.done) {
          finished = true
          return
        }
        yield result.value
      }
    } finally {
      signal?.removeEventListener('abort', abort)
      // Not awaited: a source whose cancel never settles would delay the answer.
      if (!finished) reader.cancel().catch(() => {})
    }
  }

  prepare(bodyLimit: number, streamLimit: number = bodyLimit): RouteRequest {
    this.streamLimit = streamLimit
    this.#bodyLimit = bodyLimit
    // One object, as on Node: what middleware have added is there for all after them.
    this.#prepared ??= new WebRequest(this, this.#request)
    return this.#prepared as unknown as RouteRequest
  }

  prepareHooks(): void {
    // There is nothing to prepare: what needs Node goes through viaNode.
  }

  followUrl(): void {
    // Without hooks it is not rewritten.
  }

  settleUrl(): void {
    // It is settled from the start.
  }

  lend(): () => void {
    // As for hooks.
    return () => {}
  }

  release(): void {
    // There is no host and no fallback.
  }

  retarget(): boolean {
    return false
  }

  send(answer: LightResponse | Response, logger: Logger): undefined {
    // One that comes after the 503 of a timeout.
    if (this.answered) return void discard(isLight(answer) ? partsOf(answer).payload : answer.body)
    const withBody = sendsBody(this.method)
    if (!isLight(answer) && withBody) {
      // A Response of the program is returned as it is. The program handles failures of its stream.
      if (isEvents(answer.headers.get('content-type'))) this.platform?.beginEvents?.()
      return this.#give(answer, answer.status)
    }
    const parts = partsOf(answer)
    if (withBody) return this.#give(toResponse(this.#watched(parts, logger)), parts.status)
    this.#complete()
    this.#give(isLight(answer) ? headOfLight(parts) : headOfOpaque(parts), parts.status)
  }

  #give(response: Response | Promise<Response>, status: number): undefined {
    this.answered = true
    this.#resolve(response)
    this.#whenAnswered?.(status)
  }

  whenAnswered(done: (status: number | undefined) => void): void {
    this.#whenAnswered = done
  }

  /** The same answer; the signal aborts no more once it is complete. A stream has the length that it says and is logged when it fails. */
  #watched(parts: AnswerParts, logger: Logger): AnswerParts {
    const { payload, status, headers } = parts
    if (!isStream(payload) || isBodiless(status)) {
      this.#complete()
      return parts
    }
    const onError = (error: unknown): void => {
      // A source that throws at its signal has ended because of it.
      if (this.signal.aborted) return
      log(logger, 'error', `${this.method} ${this.path}: the answer broke off: ${describeThrown(error)}`)
    }
    const source = open(payload)
    const length = declaredLength(headers)
    const exact = length === undefined ? source : new ExactSource(source, length, onError)
    const whole: Source = {
      next: async () => {
        const piece = await exact.next()
        if (piece.done) this.#complete()
        return piece
      },
      cancel: () => {
        // First, as where a connection closes: it may be the signal that ends what the source waits for.
        this.#abortWith(undefined)
        return exact.cancel()
      },
    }
    const isEvents = hasEvents(headers)
    if (isEvents) this.platform?.beginEvents?.()
    const { stopping } = this.platform ?? {}
    const stopped = stopping === undefined ? whole : this.#stoppedBy(stopping, whole, isEvents)
    return { ...parts, payload: readableStreamOf(stopped, onError) }
  }

  /** An event stream has no end of its own, and ends with its server. Any other stream breaks off where the server waits no longer. */
  #stoppedBy({ events, all }: Stopping, source: Source, isEvents: boolean): Source {
    const signal = isEvents ? events : all
    let isStopped = false
    let settle = (): void => {}
    const stop = (): void => {
      isStopped = true
      this.#abortWith(signal.reason)
      void source.cancel()
      settle()
    }
    const leave = (): void => signal.removeEventListener('abort', stop)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    return {
      // Not Promise.race: what never settles would keep each piece.
      next: () =>
        new Promise((resolve, reject) => {
          settle = isEvents ? () => resolve({ done: true }) : () => reject(signal.reason as Error)
          if (isStopped) return settle()
          source.next().then((piece) => {
            if (piece.done) leave()
            resolve(piece)
          }, reject)
        }),
      cancel: () => {
        leave()
        return source.cancel()
      },
    }
  }

  destroy(): void {
    // A Response that has been returned cannot be replaced. Its stream reports its own errors.
    if (this.answered) return
    this.answered = true
    this.#resolve(new Response('Internal Server Error', { status: 500 }))
    this.#whenAnswered?.(500)
  }
}

function checkedBytes(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.byteLength > limit) throw tooLarge(limit)
  return bytes
}

function hasEvents(headers: readonly string[]): boolean {
  const at = findHeader(headers, 'Content-Type')
  return at >= 0 && isEvents(headers[at + 1]!)
}

const isEvents = (type: string | null): boolean => type !== null && /^text\/event-stream/i.test(type)

/** The one Content-Length among headers, if it is a length. */
function declaredLength(headers: readonly string[]): number | undefined {
  const isLength = (at: number): boolean => headers[at]!.toLowerCase() === 'content-length'
  return parseLength(headers.filter((_text, at) => at % 2 === 1 && isLength(at - 1)))
}

/** The head of an answer, its Content-Length included where it is known. */
function headOfLight(parts: AnswerParts): Response {
  const { headers, payload } = parts
  if (payload !== null && !isStream(payload)) return headResponse(parts, byteLength(payload))
  discard(payload)
  return headResponse(parts, declaredLength(headers) ?? (payload === null ? 0 : undefined))
}

/** The same for a Response of the program. Its body does not tell whether it is a stream. */
async function headOfOpaque(parts: AnswerParts): Promise<Response> {
  const { headers, payload } = parts
  let whole: Uint8Array | undefined
  if (isStream(payload) && isByteStream(payload)) {
    const peeked = new PeekedSource(open(payload))
    whole = await peeked.whole()
    cancel(peeked)
  } else {
    discard(payload)
  }
  return headResponse(parts, whole?.byteLength ?? declaredLength(headers))
}

/** What callbacks read where there is no Node request: the same members, over a web Request. */
class WebRequest {
  readonly method: string
  url: string
  readonly [exchangeKey]: WebExchange
  readonly #request: Request
  #headers: IncomingHttpHeaders | undefined

  constructor(exchange: WebExchange, request: Request) {
    this[exchangeKey] = exchange
    this.method = exchange.method
    this.url = exchange.originalUrl
    // Not its headers: Bun makes them when they are first read, which most GETs never do.
    this.#request = request
  }

  get headers(): IncomingHttpHeaders {
    if (this.#headers === undefined) {
      const headers = Object.create(null) as IncomingHttpHeaders
      const host = hostWithoutField(this.#request)
      if (host !== undefined) headers.host = host
      for (const [name, value] of this.#request.headers) {
        // As in Node, the one that is a list.
        if (name === 'set-cookie') (headers['set-cookie'] ??= []).push(value)
        else headers[name] = value
      }
      this.#headers = headers
    }
    return this.#headers
  }
}

Object.defineProperties(WebRequest.prototype, requestMembers)
