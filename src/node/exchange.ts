import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerTimer } from '../answer/answer-timer.js'
import { keep } from '../ground/assignable.js'
import { aborted, Body } from '../body/body.js'
import { parseContentType } from '../body/content-type.js'
import { defaultRules, type ReadRules } from '../body/limits.js'
import { bytesOfConsumed, decodedUpstream } from '../body/raw.js'
import { parseFields } from '../body/urlencoded.js'
import { isRouteControllersError, type RouteControllersError } from '../ground/errors.js'
import {
  type Exchange,
  exchangeKey,
  type ExpressLike,
  sendsBody,
  tooLongTarget,
} from '../request/exchange.js'
import type { Platform } from '../request/platform.js'
import type { Routed } from '../request/matched-route.js'
import type { Cookies, RouteRequest } from '../request/request.js'
import { describeThrown, log } from '../ground/log.js'
import type { LightResponse } from '../answer/light-response.js'
import type { Logger } from '../ground/types.js'
import { addConnectMembers, hasConnectMembers } from './connect-members.js'
import { drainAfter } from './drain.js'
import { clientAddress, type Trust } from '../request/forwarded.js'
import { type MemberLayer, restoreClass } from './member-layer.js'
import { readBody } from '../body/read-body.js'
import { requestLayer } from './request-members.js'
import { sendAtOnce, sendResponse } from './send-response.js'
import { announcesBody, checkHead, invalidTarget, lenientPath, parseTarget } from './target.js'

/** The caller: `Server`, or a host that handles errors and the connection itself. */
export interface Host {
  /** True where no other code has had the request before. */
  readonly owned: boolean
  readonly trust?: Trust | undefined
  readonly maxHeaderFields?: number | undefined
  /** What `getCallback()` has been given beside the request. */
  readonly platform?: Platform | undefined
  /** What gets the requests that are passed on. */
  readonly fallback?: object | undefined
  /** True where the host has matched the request. Its target is then read on demand. */
  readonly hasMatched?: boolean | undefined
}

interface Incoming extends IncomingMessage {
  /** The app of the host, where that is Express; `lazyrouter` is of version 4. */
  app?: { readonly lazyrouter?: unknown }
  baseUrl?: unknown
  originalUrl?: string
  body?: unknown
  rawBody?: unknown
  query?: unknown
  route?: unknown
  _body?: boolean
  /** Of HTTP/2. */
  stream?: { readonly endAfterHeaders: boolean }
  [exchangeKey]?: Exchange
}

/**
 * Whether a mount of Express 4 has taken a slash of the path for its own.
 *
 * It counts both slashes of `/api//admin` to its mount at `/api`. So `/admin` arrives here without a guard at `/api/admin`. As
 * `//admin`, which was sent, it would pass a guard here at `/admin`. Express 5 does not do this; there a middleware has rewritten
 * the path.
 */
function isSwallowed(incoming: Incoming): boolean {
  const { url = '', baseUrl, originalUrl } = incoming
  if (typeof baseUrl !== 'string' || baseUrl === '' || typeof originalUrl !== 'string') return false
  if (!hasLostSlash(baseUrl, pathOf(url), pathOf(originalUrl))) return false
  // Read last: on a request of `getCallback()` a getter gives it, which needs the exchange that is being made.
  const { app } = incoming
  return app === undefined || app.lazyrouter !== undefined
}

/** Whether the path of a mount, which is not empty, and what is left behind it are what was sent but for a slash. */
export function hasLostSlash(base: string, path: string, sent: string): boolean {
  const seen = base + path
  return seen.length < sent.length && foldSlashes(seen) === foldSlashes(sent)
}

/** The path of a target, with neither origin nor query. */
function pathOf(url: string): string {
  const [, path] = /^(?:[^/?#]+:\/\/[^/?#]*)?([^?#]*)/.exec(url) as unknown as [string, string]
  return path
}

function isBlank(body: object | null): boolean {
  return body === null || Object.keys(body).length === 0
}

function foldSlashes(url: string): string {
  return url.replace(/\/{2,}/g, '/')
}

const writers = [
  'setHeader',
  'setHeaders',
  'appendHeader',
  'removeHeader',
  'flushHeaders',
  'writeHead',
  'write',
  'end',
] as const

/** Node's request and response, which hooks and Express get as they are. */
export class NodeExchange implements Exchange {
  readonly incoming: IncomingMessage
  /** Undefined only where a request is read without its response. */
  readonly outgoing: ServerResponse | undefined
  readonly viaNode: undefined
  /** The members of the request for callbacks. A profile leaves out those that Express has. */
  members: MemberLayer = requestLayer
  readonly pass: (() => void) | undefined
  readonly fail: ((error: unknown) => void) | undefined
  readonly rules: ReadRules
  readonly #host: Host
  method: string
  #path = ''
  #search = ''
  #problem: RouteControllersError | undefined
  /** Whether path, search and problem have been read of the target. */
  #isRead = false
  timer: AnswerTimer | undefined
  routed: Routed | undefined
  isNative = false
  cookies: Cookies | undefined
  #url: string | undefined
  /** The URL as it came, which a hook may have rewritten since. */
  readonly sentUrl: string
  #body: Body | undefined
  #bodyLimit = 0
  streamLimit: number = Infinity
  parsedBytes: Uint8Array | undefined
  stringify: ((value: unknown) => string | undefined) | undefined
  status: number | undefined
  #hasBody: boolean | undefined
  #readHere = false
  #shared = false
  #sending = false
  #following = false
  #prepared = false
  /** The exchange of another RouteControllers, which runs this one as a hook or a handler. */
  #outer: Exchange | undefined
  #hostQuery: { value: unknown; replacement?: unknown } | undefined
  /** The `req.route` of a route of the host that has passed the request on. */
  #hostRoute: { value: unknown } | undefined
  #abort: AbortController | undefined
  #unwatch: (() => void) | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse | undefined,
    host: Host,
    pass?: () => void,
    fail?: (error: unknown) => void,
    rules: ReadRules = defaultRules,
  ) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.#host = host
    this.pass = pass
    this.fail = fail
    this.rules = rules
    this.sentUrl = incoming.url ?? ''
    this.method = incoming.method ?? ''
    this.#url = incoming.url
    if (!host.hasMatched) this.#readTarget()
  }

  #readTarget(): void {
    this.#isRead = true
    this.#problem = undefined
    this.#path = ''
    this.#search = ''
    try {
      const url: unknown = this.#url ?? ''
      // A hook may have made something else of it, even by what a client has sent: `req.url = req.query.to`.
      if (typeof url !== 'string') throw invalidTarget('it is no text')
      const { path, search } = parseTarget(url)
      if (!this.#host.owned && isSwallowed(this.incoming)) {
        throw invalidTarget('a mount has removed one of its slashes')
      }
      this.#path = path
      this.#search = search
      this.#problem = tooLongTarget(path, search, this.rules)
      if (this.#host.owned) checkHead(this.incoming, this.#host.maxHeaderFields ?? Infinity)
    } catch (error) {
      if (!isRouteControllersError(error)) throw error
      this.#problem = error
    }
  }

  get hasType(): boolean {
    return this.outgoing?.hasHeader('content-type') === true
  }

  get path(): string {
    if (!this.#isRead) this.#readTarget()
    return this.#path
  }

  get search(): string {
    if (!this.#isRead) this.#readTarget()
    return this.#search
  }

  get problem(): RouteControllersError | undefined {
    if (!this.#isRead) this.#readTarget()
    return this.#problem
  }

  get fallback(): object | undefined {
    return this.#host.fallback
  }

  get lenientPath(): string | undefined {
    if (this.pass === undefined) return undefined
    const { url = '' } = this.incoming
    if (typeof url !== 'string') return undefined
    return lenientPath(url) ?? (isSwallowed(this.incoming) ? pathOf(url) : undefined)
  }

  retarget(): boolean {
    const { url, method = '' } = this.incoming
    if (url === this.#url && method === this.method) return false
    const { search } = this
    this.method = method
    this.#url = url
    try {
      this.#readTarget()
    } catch (cause) {
      // A hook has broken the request. The hook whose next() has led here is not the one to catch it.
      this.#problem = invalidTarget('it cannot be read any more', cause)
    }
    const request = this.incoming as Incoming
    if (this.search !== search && request[exchangeKey] === this && this.members === requestLayer) {
      const query = parseFields(this.search, this.rules.limits.maxQueryFields)
      // Kept, and not assigned: it goes with our other members, and an app then has its own.
      if (this.#hostQuery === undefined) keep(request, 'query', query)
      else request.query = this.#hostQuery.replacement = query
    }
    return true
  }

  get answered(): boolean {
    const { outgoing } = this
    if (outgoing === undefined) return false
    return this.#sending || outgoing.headersSent || outgoing.writableEnded || outgoing.destroyed
  }

  get begun(): boolean {
    // Once an answer is complete, Node marks it as destroyed, and the connection may carry the next one.
    return this.outgoing?.headersSent === true && !this.outgoing.destroyed
  }

  get open(): boolean {
    return this.begun && !this.#sending && !this.outgoing!.writableEnded
  }

  get over(): boolean {
    return this.answered && !this.open
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      const { incoming, outgoing } = this
      const watched = outgoing ?? incoming
      const onClose = (): void => {
        // `close` also follows a complete answer, which is no abort.
        if (outgoing ? !outgoing.writableFinished : incoming.errored) abort.abort()
      }
      if (watched.destroyed) onClose()
      else watched.once('close', onClose)
      const unwatch = (): void => void watched.off('close', onClose)
      this.#unwatch = unwatch
    }
    return this.#abort.signal
  }

  isAbort(error: unknown): boolean {
    const signal = this.#abort?.signal
    return signal?.aborted === true && signal.reason === error
  }

  /** Aborts the signal to end the answer, though the client is still connected. */
  abort(): void {
    void this.signal
    this.#abort!.abort()
  }

  /** Leaves no listener behind; the signal does not abort any more. */
  unwatch(): void {
    this.#unwatch?.()
  }

  get platform(): Platform | undefined {
    return this.#host.platform
  }

  get realIp(): string | undefined {
    return clientAddress(this.incoming, this.#host.trust, hasConnectMembers(this.incoming))
  }

  get hasBody(): boolean {
    if (this.#hasBody === undefined) {
      try {
        this.#hasBody = this.#announcesBody()
      } catch {
        // A hook has broken the fields: a body may stand behind them.
        this.#hasBody = true
      }
    }
    return this.#hasBody
  }

  #announcesBody(): boolean {
    const { incoming } = this
    // Node builds `headers` when they are first read, which many requests never need.
    if (this.#host.owned && incoming.httpVersionMajor === 1) return announcesBody(incoming)
    const { headers, httpVersionMajor } = incoming
    if (headers['transfer-encoding'] !== undefined) return true
    const length = headers['content-length']
    // What is no number is in a Request of a program alone, and says nothing of its body.
    if (length !== undefined) return Number(length) !== 0
    // HTTP/2 frames a body without announcing it.
    return (
      httpVersionMajor === 2 && !(incoming as Incoming).stream?.endAfterHeaders && !incoming.readableEnded
    )
  }

  get bodyConsumed(): boolean {
    const { incoming } = this
    // A body that was read here is kept, for later reads.
    if (this.#readHere) return false
    return incoming.readableDidRead || incoming.readableEnded || (incoming as Incoming)._body === true
  }

  get body(): Body {
    return (this.#body ??= new Body(this, this.#bodyLimit, this.rules))
  }

  get readBefore(): Promise<Uint8Array> | undefined {
    return this.#body?.begun
  }

  header(name: string): string | undefined {
    try {
      // Only Set-Cookie, which requests do not have, is a list.
      return this.incoming.headers[name] as string | undefined
    } catch {
      // A hook has broken what Node reads the fields from. The answer that refuses such a request looks for Accept.
      return undefined
    }
  }

  get decoded(): 'bytes' | 'text' | undefined {
    const { rawBody, body } = this.incoming as Incoming
    return this.bodyConsumed ? decodedUpstream(rawBody, body) : undefined
  }

  readBytes(limit: number): Promise<Uint8Array> {
    if (this.bodyConsumed) return this.#readConsumed()
    this.#readHere = true
    return this.hasBody ? readBody(this.incoming, limit) : Promise.resolve(new Uint8Array(0))
  }

  async *chunks(): AsyncIterableIterator<Uint8Array> {
    // Node's own iterator destroys the request when a loop ends early, and with it the rest of the connection.
    const chunks: AsyncIterable<Uint8Array> = this.incoming.iterator({ destroyOnReturn: false })
    try {
      yield* chunks
    } catch (cause) {
      throw isRouteControllersError(cause) ? cause : aborted(cause)
    }
  }

  async #readConsumed(): Promise<Uint8Array> {
    const { rawBody, body, httpVersionMajor, stream } = this.incoming as Incoming
    // There was no body that could be gone. Of HTTP/2 its head alone says so once it has been read to its end.
    const isEmpty = httpVersionMajor === 2 ? stream?.endAfterHeaders === true : !this.hasBody
    // Express 4 leaves an empty object where there is none.
    const isLeft = rawBody !== undefined || (typeof body === 'object' ? !isBlank(body) : body !== undefined)
    if (isEmpty && !isLeft) return new Uint8Array(0)
    return bytesOfConsumed(rawBody, body, parseContentType(this.header('content-type')))
  }

  prepare(bodyLimit: number, streamLimit: number = bodyLimit): RouteRequest {
    this.streamLimit = streamLimit
    const request = this.incoming as Incoming
    this.#bodyLimit = bodyLimit
    // Once: a value that hooks have assigned to a member since then stays (hpp does that with `query`).
    if (request[exchangeKey] === this) {
      this.settleUrl()
    } else {
      if (!this.#prepared) {
        this.#prepared = true
        this.#outer = request[exchangeKey]
        this.parsedBytes = this.#outer?.parsedBytes
      }
      request[exchangeKey] = this
      if (!this.#host.owned && this.members === requestLayer) {
        this.#replaceQuery()
        this.#hideRoute()
      }
    }
    // Again after a hook that is an Express app: it gives req another prototype.
    this.members.addTo(request)
    return request as unknown as RouteRequest
  }

  /** Express 4 has put a query of its own on the request, and needs it again when the request goes on. */
  #replaceQuery(): void {
    const request = this.incoming as Incoming
    if (!Object.hasOwn(request, 'query')) return
    this.#hostQuery = { value: request.query }
    request.query = this.#hostQuery.replacement = parseFields(this.search, this.rules.limits.maxQueryFields)
  }

  /** Express leaves the last matched route on a request. It is not the one that matches here. */
  #hideRoute(): void {
    const request = this.incoming as Incoming
    if (!Object.hasOwn(request, 'route')) return
    this.#hostRoute = { value: request.route }
    delete request.route
  }

  prepareHooks(): void {
    this.#shared = true
    this.isNative = false
    addConnectMembers(this.incoming, this.outgoing!)
  }

  get trust(): Trust | undefined {
    return this.#host.trust
  }

  get originalUrl(): string | undefined {
    if (this.#outer !== undefined) return this.#outer.originalUrl
    return this.#following ? this.incoming.url : this.sentUrl
  }

  followUrl(): void {
    this.#following = true
  }

  settleUrl(): void {
    this.#following = false
    this.#outer?.settleUrl()
  }

  lend(app: ExpressLike): () => void {
    const { incoming, outgoing } = this as { incoming: Incoming; outgoing: ServerResponse }
    // Express 5 replaces the prototype with these members before it notes the URL, which a mount may have cut.
    if (!Object.hasOwn(incoming, 'originalUrl')) keep(incoming, 'originalUrl', this.originalUrl)
    const before = [Object.getPrototypeOf(incoming), Object.getPrototypeOf(outgoing)] as [object, object]
    const takeQuery = this.#lendQuery(app)
    // As Express does it for an app that is mounted.
    return () => {
      Object.setPrototypeOf(incoming, before[0])
      Object.setPrototypeOf(outgoing, before[1])
      takeQuery?.()
    }
  }

  /** Hides the query of this package from an app: Express 4 parses one unless there is one, and Express 5 has a getter. */
  #lendQuery({ request: members }: ExpressLike): (() => void) | undefined {
    const request = this.incoming as Incoming
    if (this.members !== requestLayer) return undefined
    const own = Object.getOwnPropertyDescriptor(request, 'query')
    const hostQuery = this.#hostQuery
    if (hostQuery !== undefined) {
      if (own?.value !== hostQuery.replacement) return undefined
      request.query = hostQuery.value
      return () => (request.query = hostQuery.replacement)
    }
    // An enumerable property was set by a hook, for everything that runs later.
    if (own?.enumerable) return undefined
    if ('query' in members) delete request.query
    else Object.defineProperty(request, 'query', { value: undefined, writable: true, configurable: true })
    return () => delete request.query
  }

  release(): void {
    const request = this.incoming as Incoming
    if (request[exchangeKey] !== this) return
    if (this.#hostQuery !== undefined && request.query === this.#hostQuery.replacement) {
      request.query = this.#hostQuery.value
    }
    if (this.#hostRoute !== undefined) request.route = this.#hostRoute.value
    if (this.#outer !== undefined) {
      // The members stay: they are those of the outer one too.
      request[exchangeKey] = this.#outer
      this.#outer.parsedBytes ??= this.parsedBytes
      return
    }
    delete request[exchangeKey]
    restoreClass(this.incoming)
    restoreClass(this.outgoing!)
    // It was read here, and cannot be read again by the host or the fallback.
    if (this.parsedBytes !== undefined) request.rawBody ??= this.parsedBytes
  }

  send(answer: LightResponse | Response, logger: Logger): Promise<void> | undefined {
    const outgoing = this.outgoing!
    const withBody = sendsBody(this.method, outgoing)
    if (this.hasBody && !this.incoming.readableEnded) drainAfter(outgoing, this.incoming, answer)
    // No host and no hook has had the response. That of an adapter for a cloud function is of no request, and may take a list for an object.
    const isFresh = this.#host.owned && !this.#shared && outgoing.req === this.incoming
    if (isFresh && sendAtOnce(outgoing, answer, withBody)) return undefined
    const sending = sendResponse(
      outgoing,
      answer,
      withBody,
      (error) => {
        // A source that throws at its signal has ended because of it.
        if (this.#abort?.signal.aborted) return
        log(logger, 'error', `${this.method} ${this.path}: the answer broke off: ${describeThrown(error)}`)
      },
      this.timer,
    )
    if (sending === undefined) return undefined
    // No other code may answer in the meantime.
    this.#sending = true
    return sending.catch((error: unknown) => {
      this.#sending = false
      throw error
    })
  }

  ignoreLateWrites(): void {
    const response = this.outgoing as unknown as Record<string, unknown>
    for (const name of writers) {
      const write = response[name]
      if (typeof write !== 'function') continue
      const writeInTime = function (this: ServerResponse, ...parameters: unknown[]): unknown {
        // Node throws for a header; in a timer of an Express handler that ends the process.
        // A head may be sent before the end: middleware that compresses the answer holds that back.
        const isBody = name === 'write' || name === 'end'
        if (this.writableEnded || (this.headersSent && !isBody)) return name === 'write' ? true : this
        return Reflect.apply(write, this, parameters) as unknown
      }
      response[name] = writeInTime
    }
  }

  whenAnswered(done: (status: number | undefined) => void): void {
    const outgoing = this.outgoing!
    outgoing.once('close', () => done(outgoing.headersSent ? outgoing.statusCode : undefined))
  }

  destroy(): void {
    // An answer that has been ended is complete, though perhaps not all sent.
    if (!this.outgoing?.writableEnded) this.outgoing?.destroy()
  }
}
