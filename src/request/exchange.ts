import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerTimer } from '../answer/answer-timer.js'
import { parse as parseCookies } from 'cookie'
import { assignable, keep } from '../ground/assignable.js'
import type { Body, BodySource } from '../body/body.js'
import { bounded, type ReadRules } from '../body/limits.js'
import { parseFields } from '../body/urlencoded.js'
import { RouteControllersError } from '../ground/errors.js'
import { matchedRouteOf, type Routed } from './matched-route.js'
import type { Platform } from './platform.js'
import type { Cookies, RouteRequest } from './request.js'
import type { LightResponse } from '../answer/light-response.js'
import type { Logger } from '../ground/types.js'

/** Who answers a request of a route that can be answered by two sides, and why. */
export interface Decision {
  readonly side: 'legacy' | 'native'
  /** The state of the route, as `canary 5%`. */
  readonly state: string
  /** True for a copy, whose answer no client gets. */
  readonly isShadow: boolean
}

/**
 * One request and its answer, in every way of serving: `NodeExchange` (src/node) or `WebExchange` (src/web).
 *
 * Dispatch uses nothing else of the outside, so every way of serving runs the same code.
 */
export interface Exchange extends BodySource {
  /** As sent; it and the next two follow what a hook writes to `req`, once `retarget` has been called. */
  readonly method: string
  /** The one path that guards and routes are matched with: raw, without the query. */
  readonly path: string
  readonly search: string
  /** The path that the host or the fallback may find instead; undefined where there is none, or all find the same. */
  readonly lenientPath: string | undefined
  readonly rules: ReadRules
  /** Why the request cannot be routed at all, if so. */
  readonly problem: RouteControllersError | undefined
  readonly hasBody: boolean
  /** True when a middleware upstream has read the body. */
  readonly bodyConsumed: boolean
  readonly body: Body
  /** The bytes of `body`, where they were asked for before. */
  readonly readBefore: Promise<Uint8Array> | undefined
  /** The bytes that dispatch has made `req.body` of. */
  parsedBytes: Uint8Array | undefined
  readonly signal: AbortSignal
  /** True for the reason that `signal` has aborted with: what a callback waited for with that signal has thrown it. */
  isAbort(error: unknown): boolean
  /** How a profile writes JSON; undefined for as JSON.stringify does. */
  stringify: ((value: unknown) => string | undefined) | undefined
  /** The status that middleware of Express has set, where that is not 200. */
  status?: number | undefined
  /** True where middleware has set a Content-Type on the response of Node. */
  readonly hasType?: boolean
  readonly realIp: string | undefined
  /** What the runtime tells about the request beside it, where it has given that to `getCallback()`. */
  readonly platform: Platform | undefined
  /** What hooks get; undefined where there is no Node request. */
  readonly incoming: IncomingMessage | undefined
  readonly outgoing: ServerResponse | undefined
  /** Starts again with a Node request in memory, for what needs one; undefined where there is one already. */
  readonly viaNode: (() => void) | undefined
  /** Passes the request on to the host or the fallback; undefined when there is none. */
  readonly pass: (() => void) | undefined
  /** Gives an error to the host's error handlers; undefined when the error is answered here. */
  readonly fail: ((error: unknown) => void) | undefined
  /** True once an answer has begun, or the client has disconnected. */
  readonly answered: boolean
  /** True for an answer whose head has been sent, as long as the connection is this request's. */
  readonly begun: boolean | undefined
  /** True for such an answer of other code, which that has yet to end. */
  readonly open: boolean | undefined
  /** True where nothing can be added to the answer: it is complete, this package sends it, or the client has disconnected. */
  readonly over: boolean | undefined
  /** Set by dispatch where a time limit applies to the answer. */
  timer: AnswerTimer | undefined
  /** The Controller that has matched. */
  routed: Routed | undefined
  /** True while a middleware of a Controller, its callback, `onError` or the like has the request. */
  isNative: boolean
  /** What a migration has decided, for subscribers of the tracing channel; undefined without one. */
  decision?: Decision | undefined
  /** What `req.cookies` has parsed. */
  cookies: Cookies | undefined
  /** Makes Node's response ignore what is written to it once it is complete: code that has timed out may still write. */
  readonly ignoreLateWrites?: () => void

  /** The body as it arrives. A reader that stops early leaves the connection as it is. */
  chunks(): AsyncIterator<Uint8Array>
  /** The request with its members for callbacks in place. */
  prepare(bodyLimit: number, streamLimit?: number): RouteRequest
  /** Bytes that iterating the request may give; `bodyLimit` unless prepared with another. */
  readonly streamLimit: number
  /** Adds what Connect middleware expects of Node's request and response. */
  prepareHooks(): void
  /** Path and query as they were sent; see `followUrl`. */
  readonly originalUrl: string | undefined
  /** Until `settleUrl`, `req.originalUrl` is what `req.url` is: a hook that rewrites that for itself has no other. */
  followUrl(): void
  /** From here on `req.originalUrl` is the URL as it came. */
  settleUrl(): void
  /** Prepares the request for an app of Express as a server of its own would, and returns a function that undoes it. */
  lend(app: ExpressLike): () => void
  /** Removes what has been added to the request and the response, before they go on to the host or the fallback. */
  release(): void
  /** Reads method and target again; true when a hook has changed them. */
  retarget(): boolean
  /**
   * Sends the answer, without its body where `sendsBody` says so. A failure while it is sent is logged.
   *
   * Throws an error that is found before anything has been sent. Where a Response must be read first, the promise rejects with
   * that error, or with `timer` where its first piece does not come in time.
   */
  send(answer: LightResponse | Response, logger: Logger): Promise<void> | undefined
  /**
   * Calls `done` once, when the answer is complete or the client has disconnected, with the status that was sent, if one was.
   * Where there is only a web Response, it does so when that is returned.
   */
  whenAnswered(done: (status: number | undefined) => void): void
  /** Ends a connection whose answer cannot be completed. */
  destroy(): void
}

/**
 * False where only the head of an answer is sent: to HEAD (RFC 9110 9.3.2). Nothing else decides it. The routing decides that a
 * GET route answers HEAD.
 *
 * The method that the client has sent counts, as Node has noted it on the response. A hook may have replaced it since, as
 * method-override does. A client that waits for a body would take the next answer for it.
 */
export function sendsBody(method: string | undefined, outgoing?: ServerResponse): boolean {
  return (outgoing as { _hasBody?: boolean } | undefined)?._hasBody ?? method !== 'HEAD'
}

/** The members by which an app of Express is recognised, in all versions. */
export interface ExpressLike {
  readonly request: object
}

/** A body that was read before. */
async function* inOnePiece(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  const whole = await bytes
  if (whole.byteLength > 0) yield whole
}

/** In an object without a prototype: that of the package `cookie` has one, which is empty. */
function cookiesOf(header: string | undefined): Cookies {
  const cookies = Object.create(null) as Record<string, string | undefined>
  return header === undefined ? cookies : Object.assign(cookies, parseCookies(header))
}

/** Why a target is too long, if it is; RFC 9110 15.5.15. */
export function tooLongTarget(
  path: string,
  search: string,
  rules: ReadRules,
): RouteControllersError | undefined {
  const { maxTargetBytes } = rules.limits
  // One byte for each character: there are no others in a request line, nor in a URL.
  if (path.length + search.length + (search === '' ? 0 : 1) <= maxTargetBytes) return undefined
  return new RouteControllersError(
    'ERR_TARGET_TOO_LONG',
    `The request target has more than ${maxTargetBytes} bytes`,
  )
}

/** Where the path of the URL of a Request begins. Bun gives the target alone where the client has sent no Host. */
export function startOfPath(url: string): number {
  return url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
}

/** The host in the URL of a Request that has no Host field, which HTTP/1.1 has; undefined where that names none, as on Bun. */
export function hostWithoutField({ headers, url }: Request): string | undefined {
  const start = startOfPath(url)
  return start === 0 || headers.has('host') ? undefined : url.slice(url.indexOf('://') + 3, start)
}

// On Deno the URL of `GET /b` for the host `a/c?` is `http://a/c?/b`: a path that no proxy before it has seen.
const hostMakesUrl = 'Deno' in globalThis

/** Why a Request has no path of its own, if so. Other runtimes take no part of a path from the Host field. */
export function malformedHost({ headers }: Request): RouteControllersError | undefined {
  if (!hostMakesUrl || !/[/\\?#@]/.test(headers.get('host') ?? '')) return undefined
  return new RouteControllersError('ERR_HOST_INVALID', 'The Host field is malformed')
}

/** Where a request that we have prepared keeps its exchange. */
export const exchangeKey: unique symbol = Symbol.for('routecontrollers.exchange')

interface Prepared {
  [exchangeKey]: Exchange
  headers: IncomingHttpHeaders
}

// Computed when first read, then an ordinary property that a middleware may overwrite (as hpp does with `query`).
function lazy(name: string, compute: (exchange: Exchange) => unknown): PropertyDescriptor {
  return assignable<Partial<Prepared>>(name, function () {
    const exchange = this[exchangeKey]
    // It is of the class of `Server`'s requests and not prepared: it goes to the fallback.
    return exchange === undefined ? undefined : keep(this, name, compute(exchange))
  })
}

function follows(name: string, read: (exchange: Exchange) => unknown): PropertyDescriptor {
  return assignable<Partial<Prepared>>(name, function () {
    const exchange = this[exchangeKey]
    return exchange === undefined ? undefined : read(exchange)
  })
}

function method(value: (this: Prepared, ...parameters: never[]) => unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true }
}

/**
 * The members that both kinds of request have, written once.
 *
 * They stand on a prototype: that of a class of this package, or of a layer on an object of a host (node/member-layer.ts).
 */
export const requestMembers: PropertyDescriptorMap = {
  query: lazy('query', (exchange) => parseFields(exchange.search, exchange.rules.limits.maxQueryFields)),
  // A host's own, where there is one. Not properties of each request: on one of Express each of them is a shape of its own
  // up to Node 22, 4.5 µs.
  originalUrl: follows('originalUrl', (exchange) => exchange.originalUrl),
  rawBody: follows('rawBody', (exchange) => exchange.parsedBytes),
  route: follows('route', ({ routed }) => routed && matchedRouteOf(routed)),
  // Connect middleware must not find them: cookie-parser skips a request that has cookies, and leaves signed ones unread.
  cookies: follows('cookies', (exchange) =>
    exchange.isNative ? (exchange.cookies ??= cookiesOf(exchange.header('cookie'))) : undefined,
  ),
  realIp: lazy('realIp', (exchange) => exchange.realIp),
  platform: follows('platform', (exchange) => exchange.platform),
  signal: lazy('signal', (exchange) => exchange.signal),
  get: method(function (name: string) {
    const lower = name.toLowerCase()
    const value =
      lower === 'referer' || lower === 'referrer'
        ? (this.headers['referer'] ?? this.headers['referrer'])
        : // Node's headers inherit from Object: `constructor` is no header.
          Object.hasOwn(this.headers, lower)
          ? this.headers[lower]
          : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }),
  text: method(function () {
    return this[exchangeKey].body.text()
  }),
  json: method(function () {
    return this[exchangeKey].body.json()
  }),
  formData: method(function () {
    return this[exchangeKey].body.formData()
  }),
  arrayBuffer: method(function () {
    return this[exchangeKey].body.arrayBuffer()
  }),
  [Symbol.asyncIterator]: method(function () {
    const { [exchangeKey]: exchange } = this
    const { readBefore } = exchange
    if (readBefore !== undefined) return inOnePiece(readBefore)
    return exchange.streamLimit === Infinity
      ? exchange.chunks()
      : bounded(exchange.chunks(), exchange.streamLimit)
  }),
}
