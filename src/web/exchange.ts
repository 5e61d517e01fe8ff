import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerTimer } from '../answer-timer.js'
import { aborted, Body } from '../body/body.js'
import { BoundedBytes, type ReadRules } from '../body/limits.js'
import { RouteControllersError } from '../errors.js'
import { type Exchange, exchangeKey, requestMembers, tooLongTarget } from '../exchange.js'
import { describeThrown, log } from '../log.js'
import type { RouteRequest } from '../request.js'
import { isBodiless, isLight, LightResponse } from '../response.js'
import { discard, isStream, toReadableStream } from '../streams.js'
import type { Logger } from '../types.js'

/** A web Request and the promise of its Response. */
export class WebExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly lenientPath: undefined
  readonly rules: ReadRules
  readonly problem: RouteControllersError | undefined
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly viaNode: () => void
  #body: Body | undefined
  #bodyLimit = 0
  streamLimit: number = Infinity
  parsedBytes: Uint8Array | undefined
  stringify: ((value: unknown) => string | undefined) | undefined
  #prepared: WebRequest | undefined
  answered = false
  timer: AnswerTimer | undefined

  // What only a Node host has.
  readonly incoming: undefined
  readonly outgoing: undefined
  readonly pass: undefined
  readonly fail: undefined
  readonly realIp: undefined
  readonly decoded: undefined
  readonly begun = false

  constructor(
    request: Request,
    resolve: (response: Response) => void,
    viaNode: () => void,
    rules: ReadRules,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.viaNode = viaNode
    this.rules = rules
    this.method = request.method
    // `request.url` is absolute and already in the form that URL gives it; it is cut, never parsed again.
    const { url } = request
    const start = url.indexOf('/', url.indexOf('://') + 3)
    let end = url.indexOf('#', start)
    if (end < 0) end = url.length
    let mark = url.indexOf('?', start)
    if (mark < 0 || mark > end) mark = end
    this.path = url.slice(start, mark)
    this.search = url.slice(mark + 1, end)
    this.problem = tooLongTarget(this.path, this.search, rules)
  }

  get originalUrl(): string {
    return this.search === '' ? this.path : `${this.path}?${this.search}`
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get hasBody(): boolean {
    // An empty text is a body to a Request; on the wire it is none.
    return this.#request.body !== null && this.header('content-length') !== '0'
  }

  get bodyConsumed(): boolean {
    return this.#request.bodyUsed || this.#request.body?.locked === true
  }

  get body(): Body {
    return (this.#body ??= new Body(this, this.#bodyLimit, this.rules))
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  async readBytes(limit: number): Promise<Uint8Array> {
    if (this.bodyConsumed) {
      throw new RouteControllersError('ERR_BODY_CONSUMED', 'The body of this Request has been read before', {
        status: 500,
      })
    }
    const bytes = new BoundedBytes(limit)
    // Leaving the loop, also by a throw, cancels the stream.
    for await (const chunk of this.chunks()) bytes.add(chunk)
    return bytes.join()
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const reader = this.#request.body?.getReader()
    if (reader === undefined) return
    let finished = false
    try {
      for (;;) {
        const result = await reader.read().catch((cause: unknown) => {
          throw aborted(cause)
        })
        if (result.done) {
          finished = true
          return
        }
        yield result.value
      }
    } finally {
      // Not awaited: a source that never settles its cancel would hold the answer.
      if (!finished) reader.cancel().catch(() => {})
    }
  }

  prepare(bodyLimit: number, streamLimit: number = bodyLimit): RouteRequest {
    this.streamLimit = streamLimit
    this.#bodyLimit = bodyLimit
    // One object, as on Node: what middleware have added is there for all after them.
    this.#prepared ??= new WebRequest(this, this.#request.headers)
    return this.#prepared as unknown as RouteRequest
  }

  prepareHooks(): void {
    // There is nothing to prepare: what needs Node goes through viaNode.
  }

  followUrl(): void {
    // Without hooks nobody rewrites it.
  }

  settleUrl(): void {
    // It is settled from the start.
  }

  lend(): () => void {
    // As for hooks.
    return () => {}
  }

  release(): void {
    // Nobody stands behind.
  }

  retarget(): boolean {
    return false
  }

  send(answer: LightResponse | Response, logger: Logger): void {
    const response =
      this.method === 'HEAD'
        ? withoutBody(answer)
        : isLight(answer)
          ? this.#watched(answer, logger).toNative()
          : answer
    this.answered = true
    this.#resolve(response)
  }

  /** The same answer, whose stream is logged when it fails; that of a Response which somebody has made is theirs to watch. */
  #watched(answer: LightResponse, logger: Logger): LightResponse {
    const { payload } = answer
    if (answer.touched !== undefined || !isStream(payload) || isBodiless(answer.statusCode)) return answer
    answer.payload = toReadableStream(payload, (error) => {
      // A source that throws at its signal has ended as it was told to.
      if (this.signal.aborted) return
      log(logger, 'error', `${this.method} ${this.path}: the answer broke off: ${describeThrown(error)}`)
    })
    return answer
  }

  destroy(): void {
    // A Response that has been given away cannot be taken back; its stream reports its own errors.
  }
}

/** The answer to HEAD: what GET would answer, its Content-Length included where it is known, without the body. */
function withoutBody(answer: LightResponse | Response): Response {
  if (isLight(answer) && answer.touched === undefined) {
    const { statusCode, statusMessage, headerList, payload } = answer
    const length = isStream(payload) || isBodiless(statusCode) ? undefined : byteLength(payload)
    discard(payload)
    const head = new LightResponse(statusCode, headerList, null, statusMessage).toNative()
    if (length !== undefined && !head.headers.has('Content-Length'))
      head.headers.set('Content-Length', String(length))
    return head
  }
  const { status, statusText, headers, body } = isLight(answer) ? answer.toNative() : answer
  body?.cancel().catch(() => {})
  return new Response(null, { status, statusText, headers })
}

function byteLength(payload: string | Uint8Array | null): number {
  if (payload === null) return 0
  return typeof payload === 'string' ? new TextEncoder().encode(payload).length : payload.byteLength
}

/** What callbacks read where there is no Node request: the same members, over a web Request. */
class WebRequest {
  readonly method: string
  url: string
  readonly [exchangeKey]: WebExchange
  readonly #source: Headers
  #headers: IncomingHttpHeaders | undefined

  constructor(exchange: WebExchange, headers: Headers) {
    this[exchangeKey] = exchange
    this.method = exchange.method
    this.url = exchange.originalUrl
    this.#source = headers
  }

  get headers(): IncomingHttpHeaders {
    if (this.#headers === undefined) {
      const headers = Object.create(null) as IncomingHttpHeaders
      for (const [name, value] of this.#source) headers[name] = value
      this.#headers = headers
    }
    return this.#headers
  }
}

Object.defineProperties(WebRequest.prototype, requestMembers)
