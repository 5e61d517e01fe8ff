import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import { withHeaders } from './answer/answer.js'
import { addAnswerHeader, toHeaderObject } from './answer/answer-headers.js'
import { type BodyParsers, compileParsers } from './body/body-parsers.js'
import { checkLimits, defaultBodyLimit, type ReadRules, type RequestLimits } from './body/limits.js'
import type { HookEntry } from './define/hook-entry.js'
import { parseRouteCheck } from './run/check-route.js'
import { type AnyController, isController, type RunnableController } from './define/controller.js'
import { describeRoutes, type RouteDescription } from './define/describe-routes.js'
import { Dispatch } from './run/dispatch.js'
import { errorAnswer } from './answer/error-answer.js'
import {
  type Engine,
  type Profile,
  type ProfileName,
  profileOf,
  type EngineConfig,
  type Switch,
} from './run/engine.js'
import { isFailure, RouteControllersError } from './ground/errors.js'
import { createGlobalHook, type HookOptions } from './define/hooks.js'
import { type HeaderValue, safeDefaults } from './answer/headers.js'
import { partsOf } from './answer/light-response.js'
import { describeThrown, log } from './ground/log.js'
import { toConnect } from './run/connect.js'
import { extendClassesForHooks } from './node/connect-members.js'
import type { Description } from './run/description.js'
import { withNodeEntry } from './run/entry.js'
import { type NodeEntry } from './node/node-entry.js'
import { type Host, NodeExchange } from './node/exchange.js'
import { compileTrust, type TrustProxy } from './request/forwarded.js'
import { toListener } from './run/listener.js'
import { refuse, requestObjectOf, responseObjectOf, setResponseHeaders } from './node/request-objects.js'
import {
  checkArgument,
  checkBoolean,
  checkedByReader,
  checkFunction,
  checkLogger,
  checkOptions,
  count,
  hasMethods,
  maxTimerMs,
  nameType,
  oneOf,
  type OptionChecks,
  shown,
} from './ground/options.js'
import {
  checkMiddleware,
  type Middleware,
  type MiddlewareResult,
  type NextAnswer,
} from './define/middleware.js'
import { type Platform, platformOf, type Resolve } from './request/platform.js'
import { queryParamsOf } from './request/query-params.js'
import { recordRegistration } from './ground/registration.js'
import type { RouteRequest } from './request/request.js'
import type { Answer, ResponseBuilder } from './answer/response.js'
import { indexNames, type KnownName, urlOf, type UrlParameters } from './define/names.js'
import { type CheckOutput, defaultCheckOutput, defaultRefusedStatus } from './define/schema.js'
import type { Server } from './server.js'
import type {
  ConnectHandler,
  ErrorHook,
  PlatformFetchHandler,
  Hook,
  Logger,
  MaybePromise,
  RouteCheckResult,
} from './ground/types.js'
import { WebExchange } from './web/exchange.js'
import { toResponse } from './answer/web-response.js'

/** Options of RouteControllers. An unknown name and an invalid value throw ERR_OPTION_INVALID. */
export interface RouteControllersOptions {
  /** Bytes that a body may have. Default 1 MiB. */
  bodyLimit?: number
  /**
   * Parsers for types of bodies that this package does not parse, or parses in another way: `{ 'application/xml': (body) =>
   * parseXml(body.text()) }`. A key is a media type, `application/*+xml` or `text/*`; the narrowest counts. `req.body` is what the parser
   * returns.
   */
  bodyParsers?: BodyParsers
  /** Limits on the other parts of a request. */
  limits?: RequestLimits
  /**
   * Milliseconds within which an answer must begin. After them the answer is 503, and one log line names the hook or the
   * Controller that has not settled. The time to read a parsed body does not count. Default: 0, which is no limit.
   */
  answerTimeoutMs?: number
  /**
   * True to read bodies in one layer of gzip, deflate or br. `bodyLimit` counts the decompressed bytes. Default: false, and such
   * a body is 415.
   */
  decompress?: boolean
  /** Proxies whose X-Forwarded-For counts for `req.realIp`, and X-Forwarded-Proto for `req.protocol` of hooks. Default none. */
  trustProxy?: TrustProxy
  /**
   * `'strict'` answers 405 with `Allow` where a path has controllers only for other methods, and answers OPTIONS with 204 and
   * `Allow`. A host or a fallback does not get such a request. It cannot be used with a `profile`. Default: such a request is
   * passed on, or 404.
   */
  methods?: 'strict'
  /** The Express whose routing, `req` and `res` to use, with `routecontrollers/express`. Default: those of this package. */
  profile?: ProfileName | Profile
  /** The status of an answer to input that a schema refuses, 400 to 499. Default 422. */
  refusedStatus?: number
  /**
   * How answers are checked against `output` of their route. `'check'` answers 500 for one that does not match, `'strip'` sends
   * what the schema returns, and `'off'` checks none. Default: `'check'`, or `'off'` where NODE_ENV is `production`.
   */
  checkOutput?: CheckOutput
  /** Gets a line about each failure. Default `console`. */
  logger?: Logger
  /**
   * Answers an error instead of the default; `res` has the status of the error, 500 where it has none. Where it returns nothing, the default
   * answers.
   */
  onError?: (error: unknown, req: RouteRequest, res: ResponseBuilder) => MaybePromise<Answer>
  /** Answers a request that no controller matches, where the answer would be 404; `res` has that status. */
  onNotFound?: (req: RouteRequest, res: ResponseBuilder) => MaybePromise<Answer>
}

const optionChecks: OptionChecks<RouteControllersOptions> = {
  bodyLimit: count('bytes'),
  bodyParsers: checkedByReader,
  limits: checkedByReader,
  answerTimeoutMs: count('milliseconds', 0, maxTimerMs),
  decompress: checkBoolean,
  methods: oneOf('strict'),
  trustProxy: checkedByReader,
  profile: checkedByReader,
  refusedStatus: count('an HTTP status', 400, 499),
  checkOutput: oneOf('check', 'strip', 'off'),
  logger: checkLogger,
  onError: checkFunction,
  onNotFound: checkFunction,
}

let instance: { controllers: readonly AnyController[]; routeControllers: RouteControllers } | undefined

/**
 * Routes requests to Controllers, inside Express, in front of it, standalone or as a web-standard handler.
 *
 * The most specific pattern wins, whatever the order of the list. Throws ERR_CONTROLLER_INVALID for anything but an
 * array of Controllers, ERR_ROUTE_CONFLICT for two with the same method and pattern.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 *
 * const routeControllers = new RouteControllers([
 *   new Controller('GET', '/test', (req, res) => res.json({ message: 'works' })),
 * ])
 * const response = await routeControllers.getCallback()(new Request('http://localhost/test'))
 * console.log(await response.json()) // { message: 'works' }
 * ```
 */
export class RouteControllers<C extends AnyController = AnyController> {
  readonly #controllers: readonly AnyController[]
  readonly #middleware: Middleware[] = []
  #names: ReadonlyMap<string, AnyController> = new Map()
  readonly #hooks: HookEntry[] = []
  readonly #headers: string[] = []
  readonly #config: EngineConfig & { switch?: Switch }
  readonly #engine: Engine
  readonly #callback: PlatformFetchHandler
  readonly #rules: ReadRules
  /** For requests that another server or a host serves. */
  readonly #host: Host
  #server: HttpServer | Server | undefined

  constructor(controllers: readonly C[], options: RouteControllersOptions = {}) {
    checkOptions('RouteControllers', options, optionChecks)
    if (options.methods !== undefined && options.profile !== undefined) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        "methods: 'strict' cannot be used with a profile: leave one of the two out",
      )
    }
    this.#controllers = controllers
    this.#config = {
      hooks: this.#hooks,
      headers: this.#headers,
      bodyLimit: options.bodyLimit ?? defaultBodyLimit,
      answerTimeoutMs: options.answerTimeoutMs ?? 0,
      strictMethods: options.methods === 'strict',
      middleware: this.#middleware,
      refusedStatus: options.refusedStatus ?? defaultRefusedStatus,
      checkOutput: options.checkOutput ?? defaultCheckOutput(),
      logger: options.logger ?? console,
      onError: options.onError,
      onNotFound: options.onNotFound,
    }
    this.#engine =
      options.profile === undefined
        ? new Dispatch(this.#config, extendClassesForHooks)
        : profileOf(options.profile).createEngine(this.#config)
    this.#rules = {
      limits: checkLimits(options.limits),
      decompress: options.decompress ?? false,
      parsers: options.bodyParsers === undefined ? undefined : compileParsers(options.bodyParsers),
    }
    this.processAllControllers()
    const trust = options.trustProxy === undefined ? undefined : compileTrust(options.trustProxy)
    this.#host = { owned: false, trust }
    const engine = this.#engine
    const entry: NodeEntry = (incoming, outgoing, given, pass, fail) => {
      const host = trust ? { ...given, trust } : given
      const isAnswered = outgoing.writableEnded || outgoing.destroyed
      if (pass === undefined || isAnswered || !engine.leaves?.(host)) {
        return engine.handle(new NodeExchange(incoming, outgoing, host, pass, fail, this.#rules))
      }
      try {
        pass()
      } catch (error) {
        engine.fail!(new NodeExchange(incoming, outgoing, host, pass, fail, this.#rules), error)
      }
    }
    entry.extendClasses = (classes, fallback) => this.#engine.extendClasses()?.(classes, fallback) ?? classes
    this.#callback = withNodeEntry(
      // One parameter for who counts them, as before there was a platform.
      (request: Request, given: unknown = undefined) => this.#fetch(request, entry, platformOf(given)),
      entry,
      () => this.#describe(),
      (request, platform, resolve) => this.#answer(request, entry, platform, resolve),
    )
    recordRegistration(this, this.#callback, new.target)
  }

  /**
   * One instance for the process. The first call makes it from its list. Later calls need no list.
   *
   * Throws ERR_CONTROLLER_INVALID when the first call has no list, ERR_INSTANCE_EXISTS when a later one has another.
   */
  static getInstance(
    controllers?: readonly AnyController[],
    options?: RouteControllersOptions,
  ): RouteControllers {
    if (instance === undefined) {
      // An empty instance made by a call that came too early would refuse the list that comes later.
      checkControllers(controllers)
      instance = { controllers, routeControllers: new RouteControllers(controllers, options) }
      return instance.routeControllers
    }
    if (controllers !== undefined) checkControllers(controllers)
    if (options !== undefined || (controllers && !isSameList(controllers, instance.controllers))) {
      throw new RouteControllersError(
        'ERR_INSTANCE_EXISTS',
        'RouteControllers.getInstance() has made the instance of this process already: call it without arguments, or use new RouteControllers(…)',
      )
    }
    return instance.routeControllers
  }

  /**
   * Builds the route index again from the list of controllers, with those that were added to the list since. Throws as the
   * constructor does, and then keeps the index in use.
   */
  processAllControllers(): this {
    const controllers: unknown = this.#controllers
    checkControllers(controllers)
    const names = indexNames(controllers)
    this.#engine.load(controllers)
    this.#names = names
    return this
  }

  /**
   * The web-standard handler `(Request) => Promise<Response>`; it never rejects.
   *
   * A second argument that `platform({ ip, env, waitUntil, raw })` has made becomes `req.platform`, and its `ip` begins `req.realIp`.
   * Anything else in its place is ignored, as what Bun, Deno and Workers pass there.
   */
  getCallback(): PlatformFetchHandler {
    return this.#callback
  }

  #describe(): Description {
    return {
      owner: this,
      config: this.#config,
      controllers: this.#controllers as readonly RunnableController[],
      hooks: this.#hooks,
      middleware: this.#middleware,
      engine: this.#engine.view(),
      setSwitch: (one) => this.#setSwitch(one),
    }
  }

  #setSwitch(one: Switch): () => void {
    const { switch: current } = this.#config
    if (current !== undefined && !this.#switchHasLeft) {
      throw new RouteControllersError(
        'ERR_MIGRATION_EXISTS',
        'migration: these RouteControllers have a migration already; close it first, or use it',
      )
    }
    this.#config.switch = one
    this.#switchHasLeft = false
    return () => {
      if (this.#config.switch === one) this.#switchHasLeft = true
    }
  }
  /** True once the switch has been closed, and decides only until another one takes its place. */
  #switchHasLeft = false

  #fetch(request: Request, entry: NodeEntry, platform: Platform | undefined): Promise<Response> {
    // Not in an async function, which would make its caller wait for one promise more.
    return new Promise((resolve) => this.#answer(request, entry, platform, resolve))
  }

  #answer(request: Request, entry: NodeEntry, platform: Platform | undefined, resolve: Resolve): void {
    const viaNode = (): void => resolve(this.#viaNode(request, entry, platform))
    if (this.#hooks.length > 0) return viaNode()
    try {
      this.#engine.handle(new WebExchange(request, resolve, viaNode, this.#rules, platform, this.#host.trust))
    } catch (error) {
      resolve(this.#unserved(error, request))
    }
  }

  /** Loaded when a hook first needs it: a program that serves over sockets never does. */
  #viaNode(request: Request, entry: NodeEntry, platform: Platform | undefined): Promise<Response> {
    return import('./node/memory-pair.js')
      .then(({ serveInMemory }) => serveInMemory(entry, request, platform))
      .catch((error: unknown) => this.#unserved(error, request))
  }

  #unserved(error: unknown, request: Partial<Request> | null | undefined): Response {
    if (isFailure(error)) {
      const what = hasMethods(request?.headers, 'get')
        ? `The request cannot be served: ${describeThrown(error)}`
        : `The fetch handler takes a Request, not ${shown(request)}`
      log(this.#config.logger, 'error', what)
    }
    const answer = withHeaders(errorAnswer(error, undefined), this.#headers)
    return toResponse(partsOf(answer))
  }

  /** The function for `app.use`. A request that no controller matches goes to `next()` unchanged. */
  middleware(): ConnectHandler {
    // Express has called it: its own parentheses are missing.
    if ((this as unknown) === undefined) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        'Write app.use(routeControllers.middleware()), with ()',
      )
    }
    return toConnect(this.#callback)
  }

  /**
   * Finds the controller of a route without running it.
   *
   * `route` is `'GET:/users/1'`, `'GET /users/1'` or `'/users/1'` for any method; a query is ignored. Nothing found:
   * `{ exists: false, params: {}, key: '' }`.
   *
   * @example
   * ```ts
   * import { Controller, RouteControllers } from 'routecontrollers'
   *
   * const routeControllers = new RouteControllers([new Controller('GET', '/users/:userId', () => 'a user')])
   * console.log(routeControllers.checkRoute('GET:/users/7'))
   * // { exists: true, params: { userId: '7' }, key: 'GET:/users/:userId' }
   * ```
   */
  checkRoute(route: string): RouteCheckResult {
    const { method, path } = parseRouteCheck(route)
    return this.#engine.check(method, path)
  }

  /** The routes in the order of the list: the name of each, its middleware, and where it was written. */
  get routes(): RouteDescription[] {
    return describeRoutes(this.#controllers, this.#middleware, this.#config)
  }

  /**
   * The URL of a named route, from the root of these RouteControllers on: `url('user', { id: 7 }, { query: { page: 2 } })`.
   *
   * Values are percent-encoded. Throws ERR_ROUTE_NAME for an unknown name, ERR_URL_INVALID for a param that is missing or would not
   * stay in its segment.
   *
   * @example
   * ```ts
   * import { Controller, RouteControllers } from 'routecontrollers'
   *
   * const routeControllers = new RouteControllers([
   *   new Controller('GET', '/users/:id', (req) => req.params.id, { name: 'user' }),
   * ])
   * console.log(routeControllers.url('user', { id: 'a/b' }, { query: { page: 2 } })) // /users/a%2Fb?page=2
   * ```
   */
  url<Name extends KnownName<C>>(name: Name, ...rest: UrlParameters<C, Name>): string {
    return urlOf(this.#names, name, rest[0], rest[1])
  }

  /**
   * Adds middleware that runs before or around each Controller, after the hooks and before the middleware of groups and
   * Controllers. Throws ERR_CONTROLLER_INVALID. Throws ERR_CONTROLLER_ORDER where an app was taken over, because the middleware
   * would not run for its routes.
   *
   * @example
   * ```ts
   * import { Controller, RouteControllers } from 'routecontrollers'
   *
   * const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'hello')]).use(async (req, res, next) => {
   *   const answer = await next()
   *   answer.headers.set('X-Frame-Options', 'DENY')
   *   return answer
   * })
   * const answer = await routeControllers.getCallback()(new Request('http://x/'))
   * console.log(answer.headers.get('x-frame-options')) // DENY
   * ```
   */
  use(
    ...middleware: ((req: RouteRequest, res: ResponseBuilder, next: NextAnswer) => MiddlewareResult)[]
  ): this {
    checkMiddleware('RouteControllers.use', middleware)
    this.#engine.checkUse?.()
    this.#middleware.push(...(middleware as Middleware[]))
    for (const one of middleware) recordRegistration(this, one)
    return this
  }

  /** Attaches to a node:http(s) server that has no listener yet, or to a `Server`; `listen` then starts it. */
  setServer(server: HttpServer | Server): this {
    const fits = hasMethods(server, 'start') || hasMethods(server, 'listen', 'on')
    checkArgument('setServer', 'a server of node:http or node:https, or a Server', server, fits)
    if ('listen' in server) {
      if (server.listenerCount('request') > 0) {
        throw new RouteControllersError(
          'ERR_SERVER_STATE',
          'setServer: this server has a request listener already, and both would answer; use app.use(routeControllers.middleware()), or Server.start({ fallback })',
        )
      }
      server.on('request', toListener(this.#callback))
    }
    this.#server = server
    return this
  }

  /** Starts the server of `setServer`, or a new `Server`; resolves with it when it listens on `port` (0 picks one). */
  async listen(port: number): Promise<HttpServer | Server> {
    // Loaded when it is needed: a program that only mounts does not load the server.
    const { Server } = await import('./server.js')
    const server = (this.#server ??= new Server())
    if (!('listen' in server)) {
      await server.start({ port, routeControllers: this })
      return server
    }
    const { startListening } = await import('./server/listen.js')
    await startListening(server, { port })
    return server
  }

  /**
   * Adds a Connect middleware that runs before the controllers: for all paths, or for `path` and what is below it.
   *
   * Hooks run in the order of `addGlobal`, for exactly the requests that are answered here. With `{ scope: 'every' }` they also
   * run for those that go on to Express. Four parameters make an error hook. Throws ERR_HOOK_INVALID.
   */
  addGlobal(hook: Hook, options?: HookOptions): this
  addGlobal(hook: ErrorHook, options?: HookOptions): this
  addGlobal(path: string, hook: Hook, options?: HookOptions): this
  addGlobal(path: string, hook: ErrorHook, options?: HookOptions): this
  addGlobal(...parameters: unknown[]): this {
    const entry = createGlobalHook(parameters, this.#hooks.length, (path) => this.#engine.parseScope(path))
    this.#hooks.push(entry)
    recordRegistration(this, entry.hook)
    return this
  }

  /** Adds a header to every answer given here; a controller's own value wins. Throws ERR_HEADER_INVALID. */
  addHeader(name: string, value: HeaderValue): this {
    addAnswerHeader(this.#headers, name, value)
    return this
  }

  /** Adds safe defaults: `X-Content-Type-Options`, `X-Frame-Options` and `Referrer-Policy`. */
  setHeaders(): this {
    for (const [name, value] of Object.entries(safeDefaults)) this.addHeader(name, value)
    return this
  }

  /** A copy of the headers that every answer gets. */
  getHeadersToSend(): Record<string, string | string[]> {
    return toHeaderObject(this.#headers)
  }

  /** Sets the headers of every answer on a ServerResponse. Set-Cookie and Vary add to earlier values. */
  setResponseHeaders(res: ServerResponse): this {
    setResponseHeaders(res, this.#headers)
    return this
  }

  /** Removes all headers of `addHeader` and `setHeaders`. */
  clearAllHeaders(): this {
    this.#headers.length = 0
    return this
  }

  /** The query of a URL or a path: percent-decoded, `+` is a space; the last value of a repeated name. No prototype. */
  getQueryParams(url: string): Record<string, string | undefined> {
    return queryParamsOf(url, this.#rules.limits.maxQueryFields)
  }

  /**
   * The `req` that callbacks get, for a Node request: the same object with its members added, its body parsed as for a
   * callback; `params` are empty. Rejects with the error that a callback's client would get: 400, 413 or 415.
   */
  getRequestObject(req: IncomingMessage): Promise<RouteRequest> {
    return requestObjectOf(req, this.#host, this.#rules, this.#config.bodyLimit)
  }

  /** The `res` that callbacks get, for a Node response; here each finished answer is sent at once. */
  getResponseObject(res: ServerResponse): ResponseBuilder {
    return responseObjectOf(res, this.#host, this.#config.logger)
  }

  /** Answers 404 on a ServerResponse, unless it has been answered. */
  notFound(res: ServerResponse, message?: string): void {
    refuse('notFound', res, message, this.#headers)
  }

  /** Answers 500 on a ServerResponse, unless it has been answered. */
  serverError(res: ServerResponse, message?: string): void {
    refuse('serverError', res, message, this.#headers)
  }
}

function checkControllers(controllers: unknown): asserts controllers is readonly RunnableController[] {
  if (!Array.isArray(controllers)) {
    throw new RouteControllersError(
      'ERR_CONTROLLER_INVALID',
      `RouteControllers takes an array of Controller, not ${nameType(controllers)}`,
    )
  }
  for (const [at, controller] of controllers.entries()) {
    if (!isController(controller)) {
      throw new RouteControllersError(
        'ERR_CONTROLLER_INVALID',
        `The list of controllers has at ${at} ${nameType(controller)}, not a Controller: make it with new Controller(method, path, callback) or group.get(path, callback)`,
      )
    }
  }
}

function isSameList(one: readonly AnyController[], other: readonly AnyController[]): boolean {
  return one.length === other.length && one.every((controller, at) => controller === other[at])
}
