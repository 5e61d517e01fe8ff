import { type SerializeOptions, serialize as serializeCookie } from 'cookie'
import { RouteControllersError } from './errors.js'
import { findHeader, type HeaderValue, isHopByHop, parseLength, setHeader } from './headers.js'
import { encodeEvents, type EventSource } from './sse.js'
import { discard, isReadableStream, isStream, toReadableStream } from './streams.js'

/** What can be sent as a body. */
export type Payload =
  string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | null

/** What a callback may return; see `docs/behaviour.md` for how each is sent. */
export type Answer = Response | Payload | ArrayBuffer | Blob | PlainObject | undefined | void

// Not a promise: it is an object too, and `async () => true` would pass as one.
type PlainObject = object & { then?: never }

/** Options of `res.cookie`, those of the package `cookie` (`maxAge` in seconds); `path` is `/` unless given. */
export type CookieOptions = SerializeOptions

const brand = Symbol.for('routecontrollers.response')

/**
 * The `Response` that the methods of `res` return: status, headers and payload in plain fields, so that Node can send
 * it without a web Response, which is made behind it when somebody touches one of its members.
 */
export class LightResponse {
  statusCode: number
  statusMessage: string
  /** Names and values, one after the other. */
  headerList: string[]
  payload: Payload
  #native: Response | undefined

  constructor(statusCode: number, headerList: string[], payload: Payload, statusMessage = '') {
    if (!isComplete) complete()
    this.statusCode = statusCode
    this.statusMessage = statusMessage
    this.headerList = headerList
    this.payload = payload
  }

  /** The web Response that stands for this one from its first touch on. */
  toNative(): Response {
    return (this.#native ??= toResponse(partsOf(this)))
  }

  /** The web Response, if this one was ever touched; it may have been changed since. */
  get touched(): Response | undefined {
    return this.#native
  }
}

Object.defineProperty(LightResponse.prototype, brand, { value: true })

let isComplete = false

/**
 * `instanceof Response` holds and every member of a Response works, without `super()`, which would build one.
 *
 * With the first answer, not with the import: Node loads its web classes when they are first named, a quarter of the time
 * that importing this package would take.
 */
function complete(): void {
  isComplete = true
  Object.setPrototypeOf(LightResponse.prototype, Response.prototype)
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(Response.prototype))) {
    if (name === 'constructor') continue
    Object.defineProperty(
      LightResponse.prototype,
      name,
      typeof descriptor.value === 'function'
        ? {
            configurable: true,
            value(this: LightResponse, ...parameters: unknown[]) {
              return (descriptor.value as (...all: unknown[]) => unknown).apply(this.toNative(), parameters)
            },
          }
        : {
            configurable: true,
            get(this: LightResponse) {
              return descriptor.get!.call(this.toNative()) as unknown
            },
          },
    )
  }
}

/** True for a light response of any copy of this package. */
export function isLight(value: unknown): value is LightResponse {
  return typeof value === 'object' && value !== null && brand in value
}

// By its tag and not by `instanceof`: Jest gives tests a realm, and so a Response, of their own.
function isResponse(value: object): value is Response {
  return Object.prototype.toString.call(value) === '[object Response]'
}

/** RFC 9110 15.3.5, 15.4.5: these have no body, whatever a callback gave. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/** What an answer consists of, whichever of the two it is. */
export interface AnswerParts {
  status: number
  statusText: string
  /** Names and values, one after the other; nothing of the connection. */
  headers: readonly string[]
  payload: Payload
}

/** The parts of an answer; those of a light one that somebody has touched are what has become of it. */
export function partsOf(answer: LightResponse | Response): AnswerParts {
  const light = isLight(answer) ? answer : undefined
  if (light !== undefined && light.touched === undefined) {
    const { statusCode, statusMessage, headerList, payload } = light
    return { status: statusCode, statusText: statusMessage, headers: headerList, payload }
  }
  const { status, statusText, headers: fields, body } = light?.touched ?? (answer as Response)
  const headers: string[] = []
  for (const [name, value] of fields) if (!isHopByHop(name)) headers.push(name, value)
  // The body of a Response does not tell what it is made of.
  const payload = light === undefined || isStream(light.payload) ? body : light.payload
  return { status, statusText, headers, payload }
}

/** The web Response of an answer's parts, with the true Content-Length where they have one. */
export function toResponse({ status, statusText, headers: list, payload }: AnswerParts): Response {
  const headers = new Headers()
  for (let at = 0; at < list.length; at += 2) headers.append(list[at]!, list[at + 1]!)
  const bodiless = isBodiless(status)
  if (bodiless) discard(payload)
  const body = bodiless ? null : payload
  const length = headers.get('Content-Length')
  if (length !== null) {
    if (bodiless || (isStream(body) && parseLength(length) === undefined)) headers.delete('Content-Length')
    else if (!isStream(body)) headers.set('Content-Length', String(byteLength(body)))
  }
  // A text of no type would be given one.
  const typed =
    typeof body === 'string' && !headers.has('Content-Type') ? new TextEncoder().encode(body) : body
  return new Response(toBodyInit(typed) as ConstructorParameters<typeof Response>[0], {
    status,
    statusText,
    headers,
  })
}

/** Bytes of a body that is there at once. */
export function byteLength(payload: string | Uint8Array | null): number {
  if (payload === null) return 0
  return typeof payload === 'string' ? new TextEncoder().encode(payload).length : payload.byteLength
}

function toBodyInit(payload: Payload): string | Uint8Array | ReadableStream | null {
  if (
    typeof payload === 'object' &&
    payload !== null &&
    Symbol.asyncIterator in payload &&
    !isReadableStream(payload)
  ) {
    return toReadableStream(payload)
  }
  return payload as string | Uint8Array | ReadableStream | null
}

/** Whom a builder answers. */
interface Client {
  readonly signal: AbortSignal
  /** JSON by the settings of a profile, where there is one. */
  readonly stringify?: ((value: unknown) => string | undefined) | undefined
}

/**
 * What a callback answers with. Each of `json` to `end` returns the finished Response, which the callback returns:
 * `return res.status(201).json({ id })`.
 */
export class ResponseBuilder {
  /** The answer that was built last: what counts when a callback returns nothing. */
  built: LightResponse | undefined
  /** Names and values set so far, one after the other; every answer built from here on has them. */
  readonly headerList: string[] = []
  #status = 200
  readonly #client: Client
  readonly #deliver: ((answer: LightResponse) => void) | undefined

  /** `client` knows when it is gone; `deliver` is told every answer at once, where nobody waits for a return. */
  constructor(client: Client, deliver?: (answer: LightResponse) => void) {
    this.#client = client
    this.#deliver = deliver
  }

  /** Sets the status, 200 to 599. Throws ERR_RESPONSE_INVALID for anything else. */
  status(code: number): this {
    if (!Number.isInteger(code) || code < 200 || code > 599) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.status takes a number from 200 to 599, not ${code}`,
      )
    }
    this.#status = code
    return this
  }

  /**
   * Sets a header in place of its earlier values; a list is sent as several. Throws ERR_HEADER_INVALID.
   *
   * Headers of the connection (RFC 9110 7.6.1) are the server's: one that is set here is not sent.
   */
  header(name: string, value: HeaderValue): this {
    setHeader(this.headerList, name, value)
    return this
  }

  /** Adds a Set-Cookie; the value is percent-encoded. Throws ERR_COOKIE_INVALID for what a cookie cannot carry. */
  cookie(name: string, value: string, options: CookieOptions = {}): this {
    let line: string
    // The package takes an object too, which would say all of the cookie: one that a client has sent, for example.
    if (typeof name !== 'string') {
      throw new RouteControllersError(
        'ERR_COOKIE_INVALID',
        `The cookie cannot be sent: its name is a string, not ${typeof name}`,
      )
    }
    try {
      line = serializeCookie(name, value, { path: '/', ...options })
    } catch (cause) {
      throw new RouteControllersError(
        'ERR_COOKIE_INVALID',
        `The cookie cannot be sent: ${(cause as Error).message}`,
        {
          cause,
        },
      )
    }
    this.headerList.push('Set-Cookie', line)
    return this
  }

  /** Answers with JSON. Throws ERR_RESPONSE_INVALID for what JSON cannot say (undefined, a function, a cycle, a BigInt). */
  json(value: unknown): Response {
    if (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function') {
      throw new RouteControllersError('ERR_RESPONSE_INVALID', 'res.json was given a promise: await it first')
    }
    let text: string | undefined
    try {
      text = (this.#client.stringify ?? JSON.stringify)(value)
    } catch (cause) {
      throw new RouteControllersError('ERR_RESPONSE_INVALID', `res.json: ${(cause as Error).message}`, {
        cause,
      })
    }
    if (text === undefined) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.json(${typeof value}) has no JSON form: did a look-up find nothing? Answer null, or a status with res.end()`,
      )
    }
    return this.#build('application/json; charset=utf-8', text)
  }

  text(value: string): Response {
    return this.#build('text/plain; charset=utf-8', checkString('text', value))
  }

  html(value: string): Response {
    return this.#build('text/html; charset=utf-8', checkString('html', value))
  }

  /** Answers with a value as if the callback had returned it: a string is text, an object JSON, null is 204. */
  send(value: Exclude<Answer, Response | undefined | void>): Response {
    if (value === null) {
      if (this.#status === 200) this.#status = 204
      return this.#build(undefined, null)
    }
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'object') {
      if (isArrayBuffer(value)) return this.#build(bytesType, new Uint8Array(value))
      if (ArrayBuffer.isView(value)) {
        return this.#build(bytesType, new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
      }
      if (isBlob(value)) return this.#build(value.type || bytesType, value.stream())
      if (isReadableStream(value) || Symbol.asyncIterator in value)
        return this.stream(value as ReadableStream)
      if (!isError(value)) return this.json(value)
    }
    throw new RouteControllersError(
      'ERR_RESPONSE_INVALID',
      `${isError(value) ? 'An Error' : `A value of type ${typeof value}`} is not an answer: return a Response, an object, a string, bytes, a stream or null, or throw an error`,
    )
  }

  /** Redirects with 302 or another 3xx. The location is sent as given, non-ASCII characters percent-encoded. */
  redirect(location: string, status = 302): Response {
    if (![301, 302, 303, 307, 308].includes(status)) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.redirect: ${status} is not the status of a redirect`,
      )
    }
    this.header('Location', checkString('redirect', location).replace(/[^\x00-\x7f]+/gu, encodeURIComponent))
    return this.status(status).#build(undefined, null)
  }

  /** Answers with a stream: a web or Node stream or any async iterable of bytes and strings. */
  stream(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>): Response {
    return this.#build(bytesType, source)
  }

  /**
   * Answers with server-sent events, each flushed at once. `source` may be a function, which gets the signal that
   * aborts when the client goes or the server stops.
   */
  sse(source: EventSource): Response {
    if (findHeader(this.headerList, 'Cache-Control') < 0) this.headerList.push('Cache-Control', 'no-cache')
    return this.#build('text/event-stream', encodeEvents(source, this.#client))
  }

  /** Answers with the status and headers set so far and no body. */
  end(): Response {
    return this.#build(undefined, null)
  }

  #build(type: string | undefined, payload: Payload): Response {
    const typed =
      type !== undefined && !isBodiless(this.#status) && findHeader(this.headerList, 'Content-Type') < 0
    const headers = typed ? ['Content-Type', type, ...this.headerList] : [...this.headerList]
    const answer = new LightResponse(this.#status, headers, payload)
    this.built = answer
    this.#deliver?.(answer)
    return answer as unknown as Response
  }
}

const bytesType = 'application/octet-stream'

function checkString(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new RouteControllersError('ERR_RESPONSE_INVALID', `res.${name} takes a string, not ${typeof value}`)
}

// By its tag, as a Response: what another realm has made is no instance of ours.
function isArrayBuffer(value: object): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

function isBlob(value: object): value is Blob {
  return 'stream' in value && typeof value.stream === 'function' && 'type' in value && 'size' in value
}

function isError(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Error]'
}

/** The answer that a callback's return value stands for. Throws ERR_NO_ANSWER when there is none. */
export function toAnswer(returned: unknown, builder: ResponseBuilder): LightResponse | Response {
  if (returned === undefined || returned === builder) {
    if (builder.built) return builder.built
    throw new RouteControllersError(
      'ERR_NO_ANSWER',
      returned === builder
        ? 'returned `res` without an answer: did you forget `.end()`, as in `return res.status(204).end()`?'
        : 'returned nothing: did you forget `return res.json(…)`?',
    )
  }
  if (isLight(returned)) return returned
  if (typeof returned === 'object' && returned !== null && isResponse(returned)) {
    const response = withoutUndoneCoding(returned)
    return builder.headerList.length === 0 ? response : withHeaders(response, builder.headerList)
  }
  return builder.send(returned as object)
}

/** Throws ERR_RESPONSE_INVALID, before anything is sent, for an answer that has no body left or never was one. */
export function checkSendable(answer: LightResponse | Response): void {
  const response = isLight(answer) ? answer.touched : answer
  const payload = response === undefined ? (answer as LightResponse).payload : response.body
  const locked =
    typeof payload === 'object' && payload !== null && isReadableStream(payload) && payload.locked
  if (locked || response?.bodyUsed) {
    throw new RouteControllersError(
      'ERR_RESPONSE_INVALID',
      'The body of this Response has been read already: read response.clone() and return the response',
    )
  }
  if (response?.status === 0) {
    throw new RouteControllersError('ERR_RESPONSE_INVALID', 'Response.error() cannot be sent: throw an error')
  }
  // That of other makers may have any.
  if (response !== undefined && !(response.status >= 200 && response.status <= 599)) {
    throw new RouteControllersError(
      'ERR_RESPONSE_INVALID',
      `A Response of status ${response.status} cannot be sent: a last answer has 200 to 599`,
    )
  }
}

const undoneCodings = new Set(['gzip', 'x-gzip', 'deflate', 'br'])

/**
 * The same Response; one of `fetch()` whose body comes decompressed without the headers that say how it came.
 *
 * What `fetch()` has made has a URL, and nothing that is made by hand has. Each fetch undoes these codings, unless there is one
 * among them that it does not know.
 */
export function withoutUndoneCoding(response: Response): Response {
  if (!response.url) return response
  const codings = response.headers.get('Content-Encoding')
  if (!codings?.split(',').every((coding) => undoneCodings.has(coding.trim().toLowerCase()))) return response
  const { status, statusText, body } = response
  const headers = new Headers(response.headers)
  headers.delete('Content-Encoding')
  headers.delete('Content-Length')
  return new Response(body, { status, statusText, headers })
}

/** Gives up an answer that nobody will send. */
export function discardAnswer(answer: LightResponse | Response): void {
  discard(isLight(answer) && answer.touched === undefined ? answer.payload : (answer as Response).body)
}

/** The Response that ends a chain of middleware, or undefined when the middleware only went on. */
export function endingAnswer(
  returned: unknown,
  builder: ResponseBuilder,
): LightResponse | Response | undefined {
  if (isLight(returned)) return returned
  if (typeof returned === 'object' && returned !== null && isResponse(returned))
    return toAnswer(returned, builder)
  // A guard that answered without `return` has answered: going on would let the request through.
  return builder.built
}

/** The same answer with those headers added that it does not have itself; cookies are added to its own. */
export function withHeaders(
  answer: LightResponse | Response,
  added: readonly string[],
): LightResponse | Response {
  if (isLight(answer)) {
    const { status, statusText, headers: own, payload } = partsOf(answer)
    // Of its own: the answer may be made once, and returned for each request.
    const all = [...own]
    for (let at = 0; at < added.length; at += 2) {
      if (!hasHeader(own, added[at]!)) all.push(added[at]!, added[at + 1]!)
    }
    return new LightResponse(status, all, payload, statusText)
  }
  // A Response of fetch() or Response.redirect() has immutable headers.
  const headers = new Headers(answer.headers)
  for (let at = 0; at < added.length; at += 2) {
    const name = added[at]!
    if (name.toLowerCase() === 'set-cookie' || !answer.headers.has(name)) headers.append(name, added[at + 1]!)
  }
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers })
}

function hasHeader(list: readonly string[], name: string): boolean {
  return name.toLowerCase() !== 'set-cookie' && findHeader(list, name) >= 0
}
