import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHookEntry, type HookEntry } from './chain.js'
import { RouteControllersError } from './errors.js'
import { checkName, checkOptions, count, nameType, oneOf, type OptionChecks } from './options.js'
import { recordRegistration } from './registration.js'
import type { RouteRequest } from './request.js'
import type { Answer, ResponseBuilder } from './response.js'
import { type ForeignPath, parseMethod, parsePattern, type Pattern } from './routing/pattern.js'
import type { Route } from './routing/route-index.js'
import type { ExtendClasses, Hook, MaybePromise } from './types.js'

/** What a Controller runs for its route: reads `req`, and returns its answer. */
export type Callback<Path extends string = string, Extra extends object = Record<string, unknown>> = (
  req: RouteRequest<Path, Extra>,
  res: ResponseBuilder,
) => MaybePromise<Answer>

/**
 * What runs before the callback: it adds to `req`, ends the chain by returning a Response, or throws.
 *
 * `res` without an answer is refused (did you forget `.end()`?). Any other value that it returns is ignored, so that `(req) => (req.user = find(req))` goes on.
 */
export type Middleware<Path extends string = string, Extra extends object = Record<string, unknown>> = (
  req: RouteRequest<Path, Extra>,
  res: ResponseBuilder,
) => unknown

/**
 * A Callback or a Middleware of this request. Two of the same name TypeScript before 6 compares by their paths, and refuses a
 * `Middleware<string, …>` at a path that has params; of two names it compares what they do.
 */
type WrittenOut<Req, Result> = (req: Req, res: ResponseBuilder) => Result

/** Options of one route. */
export interface ControllerOptions {
  /** Bytes that a body may have; the limit of RouteControllers unless given. */
  bodyLimit?: number
  /** `'stream'` leaves the body unread for the callback. Default `'parse'`. */
  body?: 'parse' | 'stream'
  /** What the route is called, in `req.route`, in traces and in metrics. Default none. */
  name?: string
}

const optionChecks: OptionChecks<ControllerOptions> = {
  bodyLimit: count('bytes'),
  body: oneOf('parse', 'stream'),
  name: checkName,
}

/** A Controller of any path and any additions, as lists hold them. */
export interface AnyController {
  readonly method: string
  readonly pattern: Pattern
  readonly options: ControllerOptions
}

/**
 * A Controller as dispatch runs it.
 *
 * Apart from AnyController, because a list of those is a context that TypeScript infers from: a callback there would
 * decide what `req` is in `[new Controller('GET', '/', (req) => …)]`.
 */
export interface RunnableController extends AnyController {
  readonly callback: (req: RouteRequest, res: ResponseBuilder) => unknown
  readonly middleware: readonly ((req: RouteRequest, res: ResponseBuilder) => unknown)[]
}

const brand = Symbol.for('routecontrollers.controller')

/** A callback that answers on Node's own response, as Express's handlers do: `fromExpress` makes it. */
export interface NodeCallback {
  /**
   * Runs it. `done()` and `done('route')` give the request on to whatever would have come next, `done('router')` past all of our
   * routes, `done(error)` to the error path; none is called when it answers. `route` is the one that has matched.
   */
  readonly run: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    route: Route<RunnableController>,
    done: (signal?: unknown) => void,
  ) => void
  /** The handlers that it runs, for an engine that runs such by itself. */
  readonly handlers: readonly ((...parameters: never[]) => unknown)[]
  /** What it needs of the objects that it gets; a server of ours makes them so from the beginning. */
  readonly extendClasses: ExtendClasses
}

const nodeCallback = Symbol.for('routecontrollers.node-callback')

/** Makes a callback of one that answers on Node's response. */
export function withNodeCallback(value: NodeCallback): () => never {
  // Never called: dispatch sees what is behind it.
  return Object.defineProperty(() => undefined as never, nodeCallback, { value })
}

/** What `withNodeCallback` was given; undefined for a callback that returns its answer. */
export function nodeCallbackOf(callback: unknown): NodeCallback | undefined {
  return (callback as { [nodeCallback]?: NodeCallback })[nodeCallback]
}

/**
 * A route: a method, a path and the callback that answers, with middleware before it.
 *
 * `method` is an HTTP method or `'*'` for all. `path` is made of static segments, `:name` segments and, at its end,
 * `*` or `*name` for the rest; `'*'` alone is every path. Both are checked here: throws ERR_METHOD_INVALID,
 * ERR_PATTERN_INVALID (with the position, and the spelling to use instead), ERR_CONTROLLER_INVALID or
 * ERR_OPTION_INVALID.
 *
 * The params of a literal path are inferred; what middleware add to `req` is declared with the second parameter:
 * `new Controller<'/me', { user: User }>('GET', '/me', …)`.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 *
 * const user = new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId }))
 * user.use((req, res) => {
 *   if (req.get('authorization') === undefined) return res.status(401).end()
 * })
 *
 * const fetchHandler = new RouteControllers([user]).getCallback()
 * console.log((await fetchHandler(new Request('http://x/users/7'))).status) // 401
 * ```
 */
export class Controller<Path extends string = string, Extra extends object = Record<string, unknown>> {
  readonly method: string
  readonly pattern: Pattern
  readonly options: ControllerOptions
  readonly callback: Callback<Path, Extra>
  readonly middleware: Middleware<Path, Extra>[] = []

  constructor(
    method: string,
    path: Path | ForeignPath,
    // Twice the same type: from the first TypeScript infers the path of what `fromExpress` makes, the second is a `WrittenOut`.
    callback: Callback<Path, Extra> | WrittenOut<RouteRequest<Path, Extra>, MaybePromise<Answer>>,
    options: ControllerOptions = {},
  ) {
    this.method = parseMethod(method)
    this.pattern = parsePattern(path)
    const where = `Controller(${this.method}, ${this.pattern.source})`
    if (typeof callback !== 'function') {
      throw new RouteControllersError(
        'ERR_CONTROLLER_INVALID',
        `${where}: the callback is ${nameType(callback)}, not a function`,
      )
    }
    checkOptions(where, options, optionChecks, `${where}: `)
    this.callback = callback
    this.options = options
    Object.defineProperty(this, brand, { value: true })
    recordRegistration(this, callback, new.target)
  }

  /** Adds middleware, one or several; they run in the order of `use`, then the callback. Throws ERR_CONTROLLER_INVALID. */
  use(
    ...middleware: [
      WrittenOut<RouteRequest<Path, Extra>, unknown>,
      ...WrittenOut<RouteRequest<Path, Extra>, unknown>[],
    ]
  ): this {
    // All are looked at before one is added: a list that is taken in part lacks perhaps its guard.
    for (const one of middleware.length === 0 ? [undefined] : middleware) {
      if (typeof one === 'function') continue
      throw new RouteControllersError(
        'ERR_CONTROLLER_INVALID',
        `Controller(${this.method}, ${this.getPath()}).use takes a function, not ${Array.isArray(one) ? 'an array: write use(a, b) instead of use([a, b])' : nameType(one)}`,
      )
    }
    this.middleware.push(...middleware)
    for (const one of middleware) recordRegistration(this, one)
    return this
  }

  /** The method in upper case, or `'*'`, in a list. */
  getMethods(): string[] {
    return [this.method]
  }

  /** The path as it was given. */
  getPath(): string {
    return this.pattern.source
  }
}

const connectHook = Symbol.for('routecontrollers.connect')

/**
 * Makes of Connect middleware a middleware of one controller: `upload.use(fromConnect(multer().single('file')))`.
 *
 * It gets Node's own request and response; what it puts on `req` is there for all after it, and a response that it sends
 * ends the chain. Throws ERR_HOOK_INVALID for anything but a function `(req, res, next)`.
 *
 * @example
 * ```ts
 * import basicAuth from 'express-basic-auth'
 * import { Controller, fromConnect, RouteControllers } from 'routecontrollers'
 *
 * const report = new Controller('GET', '/report', () => 'secret figures')
 * report.use(fromConnect(basicAuth({ users: { ada: 'lovelace' } })))
 *
 * const fetchHandler = new RouteControllers([report]).getCallback()
 * console.log((await fetchHandler(new Request('http://x/report'))).status) // 401
 * ```
 */
export function fromConnect(middleware: Hook): Middleware<string, object> {
  if (arguments.length > 1) {
    throw new RouteControllersError(
      'ERR_HOOK_INVALID',
      'fromConnect takes one middleware: write use(fromConnect(a), fromConnect(b))',
    )
  }
  if (typeof middleware !== 'function' || middleware.length > 3) {
    throw new RouteControllersError(
      'ERR_HOOK_INVALID',
      `fromConnect takes middleware (req, res, next), not ${typeof middleware === 'function' ? 'a function of four parameters, which handles errors: use addGlobal for that' : nameType(middleware)}`,
    )
  }
  // Never called: dispatch sees the hook behind it, and runs the rest of the chain inside its `next()`.
  const marked: Middleware<string, object> = () => undefined
  return Object.defineProperty(marked, connectHook, { value: createHookEntry(middleware) })
}

/** The hook behind a middleware that `fromConnect` has made. */
export function connectHookOf(middleware: unknown): HookEntry | undefined {
  return (middleware as { [connectHook]?: HookEntry })[connectHook]
}

/** True for a Controller of any copy of this package. */
export function isController(value: unknown): value is RunnableController {
  return typeof value === 'object' && value !== null && brand in value
}
