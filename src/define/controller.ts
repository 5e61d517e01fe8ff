import { RouteControllersError } from '../ground/errors.js'
import { checkSecurity, type SecurityRequirements } from './guard-notes.js'
import { checkMiddleware, type Middleware, type MiddlewareResult, type NextAnswer } from './middleware.js'
import {
  checkBoolean,
  checkOptions,
  checkText,
  checkTexts,
  count,
  nameType,
  oneOf,
  type OptionChecks,
} from '../ground/options.js'
import { recordRegistration } from '../ground/registration.js'
import type { RouteRequest } from '../request/request.js'
import type { AnswerFor, ResponseBuilder, ResponseFor } from '../answer/response.js'
import type { CheckedPath } from '../routing/params.js'
import { type ForeignPath, type Method, parseMethod, parsePattern, type Pattern } from '../routing/pattern.js'
import { checkInputSchemas, checkOutputSchemas } from './schema.js'
import type { InputSchemas, OutputSchemas } from '../ground/standard-schema.js'
import type { MaybePromise } from '../ground/types.js'

/** What a Controller runs for its route: reads `req`, and returns its answer. */
export type Callback<
  Path extends string = string,
  Extra extends object = {},
  Input extends InputSchemas = {},
  Output extends OutputSchemas = {},
> = (req: RouteRequest<Path, Extra, Input>, res: ResponseFor<Output>) => MaybePromise<AnswerFor<Output>>

/**
 * A Callback or a Middleware of this request. TypeScript before 6 compares two types of the same name by their paths, and refuses
 * a `Middleware<string, …>` at a path that has params. Types of two names it compares by their structure.
 */
type WrittenOut<Req, Res, Result> = (req: Req, res: Res) => Result
type WrittenOutMiddleware<Req> = (req: Req, res: ResponseBuilder, next: NextAnswer) => MiddlewareResult

/** Options of one route. */
export interface ControllerOptions<
  Input extends InputSchemas = InputSchemas,
  Output extends OutputSchemas = OutputSchemas,
  Name extends string = string,
> extends RouteNotes {
  /** The name of the route, for `routeControllers.url`, `req.route` and metrics. */
  name?: Name
  /** Bytes that a body may have; the limit of RouteControllers unless given. */
  bodyLimit?: number
  /** `'stream'` leaves the body unread for the callback. Default `'parse'`. */
  body?: 'parse' | 'stream'
  /** Schemas of the input. Input that they refuse is answered with 422, after all middleware has run. */
  input?: Input
  /** Schemas of its answers, by status; see the option `checkOutput` of RouteControllers. */
  output?: Output
}

/** What an OpenAPI document says about a route. It changes no behaviour. */
export interface RouteNotes {
  summary?: string
  description?: string
  tags?: readonly string[]
  /** The name of the operation in the document; the route's name unless given. */
  operationId?: string
  deprecated?: boolean
  /** Security requirements of OpenAPI: `[{ bearer: [] }]`. They replace those of its guards. */
  security?: SecurityRequirements
  /** True to leave it out of the document. */
  hidden?: boolean
}

const optionChecks: OptionChecks<ControllerOptions> = {
  name: checkText,
  bodyLimit: count('bytes'),
  body: oneOf('parse', 'stream'),
  input: checkInputSchemas,
  output: checkOutputSchemas,
  summary: checkText,
  description: checkText,
  tags: checkTexts,
  operationId: checkText,
  deprecated: checkBoolean,
  security: checkSecurity,
  hidden: checkBoolean,
}

/** A Controller of any path and any additions, for lists. */
export interface AnyController {
  readonly method: string
  readonly pattern: Pattern
  /** Of type ControllerOptions; here it would decide what the name of a route is, when that is inferred. */
  readonly options: object
}

/**
 * A Controller as dispatch runs it.
 *
 * Apart from AnyController, because a list of those is a context that TypeScript infers from: a callback there would
 * decide what `req` is in `[new Controller('GET', '/', (req) => …)]`.
 */
export interface RunnableController extends AnyController {
  readonly options: ControllerOptions
  readonly callback: (req: RouteRequest, res: ResponseBuilder) => unknown
  readonly middleware: readonly Middleware[]
}

/** Throws ERR_OPTION_INVALID for options of a route that are none, or that contradict one another. */
export function checkControllerOptions(where: string, options: ControllerOptions): void {
  checkOptions(where, options, optionChecks, `${where}: `)
  const { body, input } = options
  if (body === 'stream' && input?.body !== undefined) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `${where}: input.body needs the parsed body, and body: 'stream' leaves it unread: give one of them`,
    )
  }
}

const brand = Symbol.for('routecontrollers.controller')

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
export class Controller<
  Path extends string = string,
  Extra extends object = {},
  Input extends InputSchemas = {},
  Output extends OutputSchemas = {},
  Name extends string = string,
> {
  /** The method in upper case, or `'*'`. */
  readonly method: string
  /** The path as it was read: its segments, and the names of its params. */
  readonly pattern: Pattern & { readonly source: Path }
  /** The options as they were given, with those of its groups. */
  readonly options: ControllerOptions<Input, Output, Name>
  /** What answers. */
  readonly callback: Callback<Path, Extra, Input, Output>
  /** What runs before the callback, in this order: the middleware of its groups, then its own. `use` adds to it. */
  readonly middleware: Middleware<Path, Extra>[] = []

  constructor(
    method: Method,
    // The params of a foreign path are inferred where they are known; one of any other path fits too.
    path: CheckedPath<Path> | ForeignPath<Path> | ForeignPath,
    // Twice the same type: from the first TypeScript infers the path of what `fromExpress` makes, the second is a `WrittenOut`.
    callback:
      | Callback<Path, Extra, Input, Output>
      | WrittenOut<RouteRequest<Path, Extra, Input>, ResponseFor<Output>, MaybePromise<AnswerFor<Output>>>,
    options: ControllerOptions<Input, Output, Name> = {},
  ) {
    this.method = parseMethod(method)
    this.pattern = parsePattern(path) as Pattern & { readonly source: Path }
    const where = `Controller(${this.method}, ${this.pattern.source})`
    if (typeof callback !== 'function') {
      throw new RouteControllersError(
        'ERR_CONTROLLER_INVALID',
        `${where}: the callback is ${nameType(callback)}, not a function`,
      )
    }
    checkControllerOptions(where, options)
    this.callback = callback
    this.options = options
    Object.defineProperty(this, brand, { value: true })
    recordRegistration(this, callback, new.target)
  }

  /** Adds middleware, one or several; they run in the order of `use`, then the callback. Throws ERR_CONTROLLER_INVALID. */
  use(
    ...middleware: [
      WrittenOutMiddleware<RouteRequest<Path, Extra>>,
      ...WrittenOutMiddleware<RouteRequest<Path, Extra>>[],
    ]
  ): this {
    checkMiddleware(`Controller(${this.method}, ${this.getPath()}).use`, middleware)
    this.middleware.push(...(middleware as unknown as Middleware<Path, Extra>[]))
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

/** True for a Controller of any copy of this package that is loaded. */
export function isController(value: unknown): value is RunnableController {
  return typeof value === 'object' && value !== null && brand in value
}
