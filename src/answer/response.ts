import type { ServerResponse } from 'node:http'
import { type SerializeOptions, serialize as serializeCookie } from 'cookie'
import { RouteControllersError } from '../ground/errors.js'
import { findHeader, type HeaderValue, setHeader } from './headers.js'
import { LightResponse } from './light-response.js'
import { encodeLocation } from './location.js'
import { encodeEvents, type EventSource } from './sse.js'
import { checkOptionNames, nameType, shown } from '../ground/options.js'
import type { OutputSchemas, SchemaInput } from '../ground/standard-schema.js'
import { isThenable } from '../ground/thenable.js'
import { isReadableStream, keepFailure } from './streams.js'
import { isBodiless, type Payload } from './web-response.js'

/** What a callback may return; see `docs/behaviour.md` for how each is sent. */
export type Answer = Response | Payload | ArrayBuffer | Blob | PlainObject | undefined | void

// Not a promise: it is an object too, and `async () => true` would pass as one.
type PlainObject = object & { then?: never }

/** Options of `res.cookie`, those of the package `cookie` but for `maxAge`; `path` is `/` unless given. */
export interface CookieOptions extends Omit<SerializeOptions, 'maxAge'> {
  /** Seconds until the client deletes the cookie. 0 or less deletes it at once. */
  maxAgeSeconds?: number
  /** Milliseconds in Express, seconds in the package `cookie`: write `maxAgeSeconds`. */
  maxAge?: 'maxAge is milliseconds in Express: write maxAgeSeconds, which is seconds'
}
/** The `res` of a route with `output`. A status that is not declared, or a body that does not match its schema, does not compile. */
export interface TypedResponse<Output extends OutputSchemas, Status extends number = 200> extends Omit<
  ResponseBuilder,
  'status' | 'json' | 'text' | 'html' | 'send' | 'header' | 'location' | 'cookie'
> {
  /** Sets the status: one that has a schema. */
  status<Code extends keyof Output & number>(code: Code): TypedResponse<Output, Code>
  /** Answers with JSON, of the type that the schema of the status takes. */
  json(value: DeclaredFor<Output, Status>): Response
  /** Answers with text, where the schema of the status takes it. */
  text(value: TextOf<DeclaredFor<Output, Status>>): Response
  /** Answers with HTML, where the schema of the status takes text. */
  html(value: TextOf<DeclaredFor<Output, Status>>): Response
  /** Answers with a value as if the callback had returned it. Bytes and streams are sent unread, whatever the schema is. */
  send(value: DeclaredFor<Output, Status> | Unread | NullFor<Output, Status>): Response
  /** Sets a header of this answer. */
  header(name: string, value: HeaderValue): this
  /** Sets Location, encoded as Express does it. */
  location(url: string): this
  /** Adds a cookie. */
  cookie(name: string, value: string, options?: CookieOptions): this
}

type DeclaredFor<Output, Status> = Status extends keyof Output ? SchemaInput<Output[Status]> : never
/** Any text where the schema does not tell its type. */
type TextOf<Declared> = unknown extends Declared ? string : Extract<Declared, string>
/** `res.send(null)` is 204. */
type NullFor<Output, Status> = Status extends 200 ? (204 extends keyof Output ? null : never) : never
type Unread = Exclude<Payload, string | null> | ArrayBuffer | Blob

/** The `res` of a route with these schemas of its answers. */
export type ResponseFor<Output extends OutputSchemas> =
  IsDeclared<Output> extends true ? TypedResponse<Output> : ResponseBuilder

/** What a callback with these schemas of its answers may return. */
export type AnswerFor<Output extends OutputSchemas> =
  IsDeclared<Output> extends true
    ? Response | undefined | void | (200 extends keyof Output ? SchemaInput<Output[200]> : never)
    : Answer

// Schemas of any number are what TypeScript sees of a callback before it has come to the options.
type IsDeclared<Output> = keyof Output extends never ? false : number extends keyof Output ? false : true

/** The client that a builder answers. */
interface Client {
  readonly signal: AbortSignal
  /** JSON by the settings of a profile, where there is one. */
  readonly stringify?: ((value: unknown) => string | undefined) | undefined
  /** The status that middleware of Express has set, where that is not 200. */
  readonly status?: number | undefined
  /** True where middleware has set a Content-Type on the response of Node. */
  readonly hasType?: boolean | undefined
}

const cookieOptions: readonly (keyof CookieOptions)[] = [
  'domain',
  'encode',
  'expires',
  'httpOnly',
  'maxAgeSeconds',
  'maxAge',
  'partitioned',
  'path',
  'priority',
  'sameSite',
  'secure',
]

const none: readonly LightResponse[] = []

const textType = 'text/plain; charset=utf-8'
/** The type of what `res.json` answers with. */
export const jsonType = 'application/json; charset=utf-8'

/**
 * Builds the answer of a callback. Each of `json` to `end` returns the finished Response, which the callback returns:
 * `return res.status(201).json({ id })`.
 */
export class ResponseBuilder {
  /** The answer that was built last. It counts when a callback returns nothing. */
  built: LightResponse | undefined
  /** Why the built answer cannot be sent. */
  misuse: RouteControllersError | undefined
  /** Names and values set so far, one after the other; every answer built from here on has them. */
  headerList: string[] = []
  #status: number
  #isLent = false
  /** What was built since an answer was taken: the last one, and those before it. */
  #open: LightResponse | undefined
  #earlier: LightResponse[] | undefined
  #values: WeakMap<object, unknown> | undefined
  readonly #client: Client
  readonly #deliver: ((answer: LightResponse | undefined) => void) | undefined
  /** Gets what a middleware answers after it has returned. */
  #late: ((answer: LightResponse | undefined) => void) | undefined

  /**
   * `client` has the signal of the request. `deliver` gets every answer at once, where there is no callback to return it. It gets undefined for
   * an answer that cannot be made.
   */
  constructor(client: Client, deliver?: (answer: LightResponse | undefined) => void) {
    this.#client = client
    this.#status = client.status ?? 200
    this.#deliver = deliver
  }

  /** The `res` of one middleware, with the status and the headers of this one. What it sets counts here with `takeBack`. */
  lend(): ResponseBuilder {
    const lent = new ResponseBuilder(this.#client)
    lent.#isLent = true
    lent.headerList = this.headerList
    lent.#status = this.#status
    return lent
  }

  /**
   * Keeps the status and the headers that a middleware has set. From here on its `res` changes nothing here, and `late` gets what
   * it answers, or undefined for an answer that cannot be made.
   */
  takeBack(lent: ResponseBuilder, late: (answer: LightResponse | undefined) => void): void {
    this.#status = lent.#status
    lent.headerList = []
    lent.#late = late
  }

  /** Puts the status and the headers that were set so far on the response of Node, on which a handler answers. */
  putOn(outgoing: ServerResponse): void {
    outgoing.statusCode = this.#status
    for (let at = 0; at < this.headerList.length; at += 2) {
      const [name, value] = [this.headerList[at]!, this.headerList[at + 1]!]
      const isFirst = findHeader(this.headerList, name) === at && name.toLowerCase() !== 'set-cookie'
      const earlier = isFirst ? undefined : outgoing.getHeader(name)
      outgoing.setHeader(name, earlier === undefined ? value : [earlier, value].flat().map(String))
    }
  }

  /** Notes why the answer cannot be sent, and what to write for code of Express or Connect. */
  refuse(reason: string): void {
    // It is not thrown, because the caller may not catch it: for example a guard of Connect that looks something up first.
    const message = `${reason}, or ${this.#isLent ? '' : wrapsHandler}${wrapsMiddleware}`
    this.misuse = new RouteControllersError('ERR_RESPONSE_INVALID', message)
    this.#deliver?.(undefined)
    this.#late?.(undefined)
  }

  /** Sets the status, 200 to 599. Throws ERR_RESPONSE_INVALID for anything else. */
  status(code: number): this {
    if (!Number.isInteger(code) || code < 200 || code > 599) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.status takes a number from 200 to 599, not ${shown(code)}`,
      )
    }
    this.#status = code
    return this
  }

  /**
   * Sets a header in place of its earlier values; a list is sent as several. Throws ERR_HEADER_INVALID.
   *
   * The server sets the headers of the connection (RFC 9110 7.6.1). One that is set here is not sent.
   */
  header(name: string, value: HeaderValue): this {
    setHeader(this.headerList, name, value)
    return this
  }

  /**
   * Adds a Set-Cookie; the value is percent-encoded. Throws ERR_COOKIE_INVALID for what a cookie cannot carry, and for one that
   * browsers do not keep, such as `SameSite=None` without `secure`.
   */
  cookie(name: string, value: string, options: CookieOptions = {}): this {
    let line: string
    checkOptionNames('res.cookie', options, cookieOptions)
    const { maxAgeSeconds, maxAge, ...others } = options
    // The package takes an object too, which would say all of the cookie: one that a client has sent, for example.
    if (typeof name !== 'string') throw wrongCookie(`its name is a string, not ${typeof name}`)
    if (typeof value === 'object')
      throw wrongCookie(`its value is a string, not ${nameType(value)}: write JSON.stringify(value)`)
    // A handler from Express would set a cookie that lasts a thousand times as long.
    if (maxAge !== undefined) {
      throw wrongCookie(
        "it has a maxAge, which is milliseconds in Express: write maxAgeSeconds, which is seconds, as in res.cookie('theme', 'dark', { maxAgeSeconds: 3600 })",
      )
    }
    if (maxAgeSeconds !== undefined && !Number.isInteger(maxAgeSeconds)) {
      throw wrongCookie(`maxAgeSeconds is a whole number, not ${shown(maxAgeSeconds)}`)
    }
    const attributes = { path: '/', ...others }
    checkAccepted(name, attributes)
    const lifetime = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }
    try {
      line = serializeCookie(name, value, { ...attributes, ...lifetime })
    } catch (cause) {
      throw wrongCookie((cause as Error).message, cause)
    }
    this.headerList.push('Set-Cookie', line)
    return this
  }

  /** Answers with JSON. Throws ERR_RESPONSE_INVALID for what JSON cannot express (undefined, a function, a cycle, a BigInt). */
  json(value: unknown): Response {
    if (isThenable(value)) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.json was given ${nameType(value)}: await it first`,
      )
    }
    let text: string | undefined
    try {
      text = (this.#client.stringify ?? JSON.stringify)(value)
    } catch (cause) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `The answer has no JSON form: ${(cause as Error).message}`,
        { cause },
      )
    }
    if (text === undefined) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.json(${typeof value}) has no JSON form: did a look-up find nothing? Answer null, or a status with res.end()`,
      )
    }
    const answer = this.#build(jsonType, text)
    this.#values?.set(answer, value)
    return answer
  }

  /** Takes what was built since an answer was taken, without that answer. */
  takeBuilt(answer: unknown): readonly LightResponse[] {
    const last = this.#open
    const earlier = this.#earlier
    this.#open = this.#earlier = undefined
    if (earlier === undefined && (last === undefined || last === answer)) return none
    return [...(earlier ?? []), ...(last === undefined ? [] : [last])].filter((one) => one !== answer)
  }

  /** From now on the values of `json` are kept, by their answers. */
  keepValues(): WeakMap<object, unknown> {
    return (this.#values = new WeakMap())
  }

  /** Answers with text, as `text/plain`. Throws ERR_RESPONSE_INVALID for anything but a string. */
  text(value: string): Response {
    return this.#build(textType, checkString('text', value), true)
  }

  /**
   * Answers with HTML, as `text/html`. Throws ERR_RESPONSE_INVALID for anything but a string.
   *
   * A Content-Type that middleware of Express or Connect has set before stays, as it does for `json` and `send`: it may have set one for all
   * that follows, as `res.send` of Express expects.
   */
  html(value: string): Response {
    return this.#build('text/html; charset=utf-8', checkString('html', value))
  }

  /** Answers with a value as if the callback had returned it: a string is text, an object JSON, null is 204. */
  send(value: Exclude<Answer, Response | undefined | void>): Response {
    if (value === null) {
      if (this.#status === 200) this.#status = 204
      return this.#build(undefined, null)
    }
    if (typeof value === 'string') return this.#build(textType, value)
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

  /** Sets Location. What no URL may have is percent-encoded, as Express does it: spaces, quotes, control and non-ASCII characters. */
  location(url: string): this {
    return this.header('Location', encodeLocation(checkString('location', url)))
  }

  /**
   * Redirects with 302 or another 3xx, to a location that is encoded as that of `location`. In a route of Express, and under a profile, the
   * app's own `res.redirect` sends it: with its page and `Vary`.
   */
  redirect(location: string, status = 302): Response {
    if (![301, 302, 303, 307, 308].includes(status)) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        `res.redirect: ${shown(status)} is not the status of a redirect: write res.redirect(url, 302)`,
      )
    }
    this.header('Location', encodeLocation(checkString('redirect', location)))
    const answer = this.status(status).#build(undefined, null)
    ;(answer as unknown as LightResponse).location = location
    return answer
  }

  /** Answers with a stream: a web or Node stream or any async iterable of bytes and strings. */
  stream(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>): Response {
    checkSource('res.stream takes a stream or an async iterable', source)
    // It may fail while a middleware waits, before it is sent.
    if (source !== null) keepFailure(source)
    return this.#build(bytesType, source)
  }

  /**
   * Answers with server-sent events, each flushed at once. `source` may be a function. It gets a signal that aborts when the
   * client disconnects or the server stops.
   */
  sse(source: EventSource): Response {
    if (typeof source !== 'function') {
      checkSource('res.sse takes an async iterable of events, or a function that gives one', source)
    }
    if (findHeader(this.headerList, 'Cache-Control') < 0) this.headerList.push('Cache-Control', 'no-cache')
    return this.#build('text/event-stream', encodeEvents(source, this.#client), true)
  }

  /**
   * Answers with the status and headers set so far, without a body. With an argument, as Node's `end` takes it, the answer is
   * 500.
   */
  end(): Response {
    if (arguments.length > 0) {
      this.refuse('res.end takes nothing: write res.text(…) or res.send(…)')
    }
    return this.#build(undefined, null)
  }

  /** `isSaid` where the method says the type, and one that middleware has set on the response of Node does not count. */
  #build(type: string | undefined, payload: Payload, isSaid = false): Response {
    const own = this.headerList
    const typed =
      type !== undefined &&
      // To the 205 of a text Express gives its own type, unless it has one.
      (!isBodiless(this.#status) || (this.#status === 205 && this.#client.stringify !== undefined)) &&
      (own.length === 0 || findHeader(own, 'Content-Type') < 0) &&
      (isSaid || this.#client.hasType !== true)
    // A spread of an empty list takes longer than this look.
    const headers = !typed
      ? [...own]
      : own.length === 0
        ? ['Content-Type', type]
        : ['Content-Type', type, ...own]
    const answer = new LightResponse(this.#status, headers, payload)
    if (this.#open !== undefined) (this.#earlier ??= []).push(this.#open)
    this.#open = this.built = answer
    this.#deliver?.(answer)
    this.#late?.(answer)
    return answer as unknown as Response
  }
}

// A guard of Connect that was given without fromConnect calls these. It may call them from a timer, where a TypeError would end
// the process.
const ofNode: Readonly<Record<string, string>> = {
  setHeader: 'res.header(name, value)',
  getHeader: 'a variable for the value',
  removeHeader: 'res.header(name, value) only where it is to be sent',
  writeHead: 'res.status(code).header(name, value)',
  write: 'res.stream(source), or return a stream',
}
refuseMembers('Node', ofNode)

const wrapsHandler = 'fromExpress(handler) of routecontrollers/express for a handler of Express, or '
const wrapsMiddleware = 'fromConnect(middleware) for middleware of Connect'

// The methods of Express's response that this one does not have.
const ofExpress: Readonly<Record<string, string>> = {
  set: 'res.header(name, value)',
  append: 'res.header(name, values)',
  type: "res.header('Content-Type', type)",
  contentType: "res.header('Content-Type', type)",
  vary: "res.header('Vary', name)",
  links: "res.header('Link', links)",
  get: 'a variable for the value',
  clearCookie: "res.cookie(name, '', { maxAgeSeconds: 0 })",
  render: 'res.html(text)',
  sendFile: 'return sendFile(path) of routecontrollers/express, or res.stream(createReadStream(path))',
  sendfile: 'return sendFile(path) of routecontrollers/express, or res.stream(createReadStream(path))',
  download: 'return download(path, name) of routecontrollers/express, or res.stream(createReadStream(path))',
  attachment: "res.header('Content-Disposition', 'attachment')",
  jsonp: 'res.json(value)',
  format: "a look at req.get('accept')",
}
refuseMembers('Express', ofExpress)
// With the status that was given: of a guard, another one may say that the request was let through.
refuseMember('sendStatus', (status) => {
  const code = Number.isInteger(status) ? String(status) : 'code'
  return `a method of Express's response: write return res.status(${code}).end()`
})

function refuseMembers(whose: string, members: Readonly<Record<string, string>>): void {
  for (const [name, instead] of Object.entries(members))
    refuseMember(name, () => `a method of ${whose}'s response: write ${instead}`)
}

/** What is not here: a call of it makes the answer 500, and the log says what to write. */
function refuseMember(name: string, describe: (given: unknown) => string): void {
  Object.defineProperty(ResponseBuilder.prototype, name, {
    value(this: ResponseBuilder, given: unknown) {
      this.refuse(`res.${name} is ${describe(given)}`)
      return this
    },
  })
}

const bytesType = 'application/octet-stream'

function wrongCookie(reason: string, cause?: unknown): RouteControllersError {
  return new RouteControllersError('ERR_COOKIE_INVALID', `The cookie cannot be sent: ${reason}`, { cause })
}

/** Throws ERR_COOKIE_INVALID for a cookie that browsers silently do not keep: RFC 6265bis 5.7. */
function checkAccepted(
  name: string,
  { secure, sameSite, partitioned, domain, path }: SerializeOptions,
): void {
  const needsSecure =
    typeof sameSite === 'string' && sameSite.toLowerCase() === 'none'
      ? 'SameSite=None'
      : partitioned === true
        ? 'Partitioned'
        : /^__(?:host|secure)-/i.exec(name)?.[0]
  if (needsSecure !== undefined && secure !== true) {
    throw wrongCookie(
      `browsers keep one ${needsSecure.endsWith('-') ? `whose name begins with ${needsSecure}` : `with ${needsSecure}`} only where it is Secure: write secure: true`,
    )
  }
  if (!/^__host-/i.test(name)) return
  if (domain !== undefined) {
    throw wrongCookie(
      'browsers keep one whose name begins with __Host- only without a domain: leave domain out',
    )
  }
  if (path !== '/') {
    throw wrongCookie(
      `browsers keep one whose name begins with __Host- only with the path '/': leave path out, which was ${shown(path)}`,
    )
  }
}

function checkString(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new RouteControllersError(
    'ERR_RESPONSE_INVALID',
    `res.${name} takes a string, not ${nameType(value)}`,
  )
}

function checkSource(takes: string, source: unknown): void {
  // The body of a Response may be null, and is then none.
  if (source === null) return
  if (typeof source === 'object' && (Symbol.asyncIterator in source || isReadableStream(source))) return
  throw new RouteControllersError('ERR_RESPONSE_INVALID', `${takes}, not ${nameType(source)}`)
}

// By its tag, as for a Response: a value of another realm fails `instanceof`.
function isArrayBuffer(value: object): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

function isBlob(value: object): value is Blob {
  return 'stream' in value && typeof value.stream === 'function' && 'type' in value && 'size' in value
}

// By its tag too: an Error of another realm fails `instanceof`. That of a DOMException, as an aborted fetch() throws it, is its own.
function isError(value: unknown): boolean {
  return (
    value instanceof Error ||
    /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
  )
}
