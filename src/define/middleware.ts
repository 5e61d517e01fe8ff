import { put } from '../ground/assignable.js'
import { createHookEntry, type HookEntry } from './hook-entry.js'
import { RouteControllersError } from '../ground/errors.js'
import { checkGuardNotes, type GuardNotes } from './guard-notes.js'
import { nodeCallbackOf } from './node-callback.js'
import { isOptions, isPlain, nameType } from '../ground/options.js'
import { isThenable } from '../ground/thenable.js'
import type { RequestMembers, RouteRequest } from '../request/request.js'
import type { ResponseBuilder } from '../answer/response.js'
import type { CheckedPath, PathParams } from '../routing/params.js'
import { parsePattern } from '../routing/pattern.js'
import type { ErrorHook, Hook, MaybePromise } from '../ground/types.js'

/**
 * What runs before a callback, or around it.
 *
 * With at most two parameters it runs before what is inside. A Response that it returns ends the chain, the members of a plain
 * object are added to `req`, and `undefined` or `null` goes on. With three parameters it runs around what is inside, and `next()`
 * gives the Response of the inside. Every other return value is an error, so a guard with a mistake lets no request through.
 *
 * A function of this type may use the members that every request has, and `Extra`. So it fits each Controller, even one whose
 * middleware replaces a member that packages declare on `Express.Request`.
 *
 * `guard` and `around` give a function that is written in place these types.
 */
export type Middleware<Path extends string = string, Extra extends object = {}> = (
  req: RequestMembers<PathParams<Path>> & { [Name in keyof Extra]: Extra[Name] },
  res: ResponseBuilder,
  next: NextAnswer,
) => MiddlewareResult

/** What a middleware may return: an answer, an object whose members are added to `req`, or nothing. */
export type MiddlewareResult = MaybePromise<
  // Not a promise: that of anything would pass as an object.
  Response | (object & { [Name in ReservedName | 'then']?: never }) | undefined | null | void
>

/** Runs what is inside of a middleware with three parameters, and returns its answer. */
export type NextAnswer = () => Promise<Response>

/**
 * What a middleware adds to `req`: the plain objects that it returns. A member that it does not always return is optional.
 *
 * @example
 * ```ts
 * import type { Added, RouteRequest } from 'routecontrollers'
 *
 * const findUser = async (req: RouteRequest) => ({ user: { name: req.get('x-user') ?? 'nobody' } })
 * type WithUser = Added<typeof findUser> // { user: { name: string } }
 * const user: WithUser['user'] = (await findUser({ get: () => 'Ada' } as unknown as RouteRequest)).user
 * console.log(user.name) // Ada
 * ```
 */
export type Added<M> = M extends (...parameters: infer Parameters) => infer Returned
  ? Parameters['length'] extends 0 | 1 | 2
    ? Flat<AddedBy<Awaited<Returned>>>
    : {}
  : {}

// `any` and `unknown` promise nothing.
type AddedBy<Returned> = unknown extends Returned
  ? {}
  : Members<Extract<Exclude<Returned, Response | ResponseBuilder>, object>, NothingIn<Returned>>

/** True where a middleware may go on without adding anything. */
type NothingIn<Returned> = [Extract<Returned, undefined | null | void>] extends [never] ? false : true

type Members<Objects, IsOptional> = [Objects] extends [never]
  ? {}
  : IsOptional extends true
    ? { [Name in NamesOf<Objects>]?: ValueOf<Objects, Name> | undefined }
    : {
        [Name in keyof Objects as HasAlways<Objects, Name> extends true ? Name : never]: Objects[Name]
      } & {
        [Name in NamesOf<Objects> as HasAlways<Objects, Name> extends true ? never : Name]?:
          ValueOf<Objects, Name> | undefined
      }

type NamesOf<Objects> = Objects extends unknown ? keyof Objects : never
type ValueOf<Objects, Name> = Objects extends unknown
  ? Name extends keyof Objects
    ? Objects[Name]
    : undefined
  : never
type HasAlways<Objects, Name> = (
  Objects extends unknown
    ? Name extends keyof Objects
      ? undefined extends Objects[Name]
        ? false
        : true
      : false
    : never
) extends true
  ? true
  : false

/** Additions with those of one more middleware; of two of one name the later counts. */
export type With<Extra extends object, M> = keyof Added<M> extends never ? Extra : Overridden<Extra, Added<M>>

/** The members of both; of two of one name that of `Inner` counts. */
export type Overridden<Outer, Inner> = Flat<Omit<Outer, keyof Inner> & Inner>

// With `& {}` an editor shows the members themselves, without it the types that they were made by.
type Flat<T> = { [Name in keyof T]: T[Name] } & {}

/** The members that a request has by itself: no middleware may replace them. */
export type ReservedName = (keyof RequestMembers<unknown> & string) | '__proto__'

const aroundBrand = Symbol.for('routecontrollers.around')
const connectHook = Symbol.for('routecontrollers.connect')
const described = Symbol.for('routecontrollers.guard-notes')

/** What `guard` and `around` take. A method is compared in both directions, so one that asks for more of `req` fits too. */
type Inferred<Path extends string = string> = {
  run(req: RouteRequest<Path>, res: ResponseBuilder, next: NextAnswer): MiddlewareResult
}['run']

/**
 * Gives a guard its types, so that you name none, and returns it: for groups, Controllers and `routeControllers.use`.
 *
 * A Response that it returns ends the chain. The members of a plain object are added to `req` of what comes after it, and `undefined`
 * goes on. Lists and messages show it by the name of the function. Throws ERR_CONTROLLER_INVALID for anything but a function.
 *
 * @typeParam M - The type of the guard, which is inferred.
 *
 * @example
 * ```ts
 * import { group, guard, RouteControllers } from 'routecontrollers'
 *
 * const requireUser = guard((req, res) =>
 *   req.get('authorization') === undefined ? res.status(401).end() : { user: { name: 'Ada' } },
 * )
 * const me = group('/me', requireUser).get('/name', (req) => req.user.name)
 * const fetchHandler = new RouteControllers([me]).getCallback()
 * console.log((await fetchHandler(new Request('http://x/me/name'))).status) // 401
 * ```
 */
export function guard<M extends Inferred>(middleware: M): M
/**
 * Gives a guard its types, with the params of a path: `guard('/shops/:shop', (req) => find(req.params.shop))`.
 *
 * TypeScript refuses it where a route has no such params. The path does not say where the guard runs. Throws ERR_PATTERN_INVALID too.
 *
 * @typeParam Path - The path whose params the guard reads.
 * @typeParam M - The type of the guard, which is inferred.
 */
export function guard<Path extends string, M extends Inferred<Path>>(
  path: CheckedPath<Path>,
  middleware: M,
): M
export function guard(...given: readonly unknown[]): unknown {
  const functions = given.filter((one) => typeof one === 'function')
  if (functions.length > 1) {
    throw new RouteControllersError(
      'ERR_CONTROLLER_INVALID',
      `guard takes one function, not ${functions.length}: write guard for each, and group(prefix, a, b) or use(a, b) for all of them`,
    )
  }
  if (given.length > 1) parsePattern(given[0] as string)
  const middleware = given[given.length > 1 ? 1 : 0]
  checkMiddleware('guard', [middleware])
  return middleware
}

/**
 * Marks a middleware as one that runs around what is inside, and gives it its types: `around(async (req, res, next) => …)`. The mark
 * is needed where the parameters do not show it: `around((...all) => …)`, or default values. Throws ERR_CONTROLLER_INVALID for anything
 * but a function.
 *
 * @typeParam M - The type of the middleware, which is inferred.
 *
 * @example
 * ```ts
 * import { around, Controller, RouteControllers } from 'routecontrollers'
 *
 * const log = around(async (req, res, next) => {
 *   const answer = await next()
 *   console.log(`${req.url} ${answer.status}`)
 *   return answer
 * })
 * const hello = new Controller('GET', '/', () => 'hello').use(log)
 * await new RouteControllers([hello]).getCallback()(new Request('http://x/')) // logs: / 200
 * ```
 */
export function around<M extends Inferred>(middleware: M): M {
  checkMiddleware('around', [middleware])
  const marked = (...parameters: Parameters<Inferred>): unknown => middleware(...parameters)
  Object.defineProperty(marked, 'name', { value: middleware.name })
  return Object.defineProperty(marked, aroundBrand, { value: middleware }) as unknown as M
}

/** Whether a middleware gets `next`. */
export function isAround(middleware: unknown): boolean {
  return typeof middleware === 'function' && (middleware.length === 3 || aroundBrand in middleware)
}

/**
 * Says in an OpenAPI document what a guard asks for and answers: the routes behind it have its security requirements and its
 * answers. It changes no behaviour. For a middleware of Connect write `fromConnect(middleware, notes)`.
 *
 * Throws ERR_CONTROLLER_INVALID for anything but a middleware, and ERR_OPTION_INVALID.
 *
 * @typeParam M - The type of the guard, which stays what it is.
 *
 * @example
 * ```ts
 * import { describeGuard, group, guard, RouteControllers } from 'routecontrollers'
 * import { openApi } from 'routecontrollers/openapi'
 *
 * const requireUser = guard((req, res) =>
 *   req.get('authorization') === undefined ? res.status(401).end() : { user: { name: 'Ada' } },
 * )
 * const described = describeGuard(requireUser, { security: [{ bearer: [] }], answers: { 401: 'No user is signed in' } })
 *
 * const me = group('/me', described).get('/name', (req) => req.user.name)
 * const document = openApi(new RouteControllers([me]), {
 *   info: { title: 'Me', version: '1.0.0' },
 *   securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
 * })
 * console.log(document.paths['/me/name']?.['get']?.security) // [ { bearer: [] } ]
 * ```
 */
export function describeGuard<M extends (...parameters: never[]) => unknown>(guard: M, notes: GuardNotes): M {
  checkMiddleware('describeGuard', [guard])
  checkGuardNotes('describeGuard', notes)
  // Of its own: the same guard may be described in two ways.
  const copy = (...parameters: never[]): unknown => guard(...parameters)
  for (const name of ['name', 'length']) {
    Object.defineProperty(copy, name, { value: guard[name as 'name' | 'length'] })
  }
  for (const brand of [aroundBrand, connectHook]) {
    if (brand in guard) Object.defineProperty(copy, brand, { value: guard[brand as keyof M] })
  }
  const value: Described = { guard, notes: [...guardNotesOf(guard), notes] }
  return Object.defineProperty(copy, described, { value }) as unknown as M
}

/** A middleware with what it was said to ask for and answer. */
interface Described {
  readonly guard: unknown
  readonly notes: readonly GuardNotes[]
}

/** What a middleware was said to ask for and answer. */
export function guardNotesOf(middleware: unknown): readonly GuardNotes[] {
  return (middleware as { [described]?: Described })[described]?.notes ?? []
}

/**
 * Makes a middleware for one controller from Connect middleware: `upload.use(fromConnect(multer().single('file')))`.
 *
 * It gets Node's own request and response. What it sets on `req` stays for all that runs later, and a response that it sends ends
 * the chain. Where Connect middleware is expected, as in `addGlobal` and `app.use`, it is the middleware that was given. `notes` say
 * in an OpenAPI document what it asks for and answers. Throws ERR_HOOK_INVALID for anything but a function `(req, res, next)` of
 * Connect, and ERR_OPTION_INVALID for notes that are none.
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
export function fromConnect(middleware: Hook, notes?: GuardNotes): () => undefined {
  if (arguments.length > 2 || typeof notes === 'function') {
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
  const hook = connectOf('fromConnect', middleware)
  // Dispatch reads the hook behind it, and runs the rest of the chain inside its `next()`. A host of Connect calls it.
  const call = (...parameters: Parameters<Hook>): unknown => hook(...parameters)
  const made = Object.defineProperty(call as () => undefined, connectHook, { value: createHookEntry(hook) })
  if (notes === undefined) return made
  checkGuardNotes('fromConnect', notes)
  return describeGuard(made, notes)
}

/**
 * The Connect middleware that `owner` was given, also where `fromConnect` has made something of it before. Throws ERR_HOOK_INVALID for
 * what is made for another place and would not go on as Connect middleware does: then each request would wait for ever.
 */
export function connectOf<F extends Hook | ErrorHook>(owner: string, given: F): F | Hook {
  const refuse = (what: string, remedy: string): never => {
    throw new RouteControllersError(
      'ERR_HOOK_INVALID',
      `${owner} takes Connect middleware, not ${what}: ${remedy}`,
    )
  }
  if (aroundBrand in given) {
    refuse(
      `middleware of this package (${nameOfMiddleware(given)})`,
      'add it with use(…), which is for all Controllers, of a group or of one',
    )
  }
  if (nodeCallbackOf(given) !== undefined) {
    refuse(
      'what fromExpress has made, which is the callback of a Controller',
      'give it the handlers themselves',
    )
  }
  return (connectHookOf(given)?.hook as Hook | undefined) ?? given
}

/** The hook behind a middleware that `fromConnect` has made. */
export function connectHookOf(middleware: unknown): HookEntry | undefined {
  return (middleware as { [connectHook]?: HookEntry })[connectHook]
}

/** The function as it was written, for a middleware that was made of it. */
export function writtenMiddleware(middleware: unknown): unknown {
  return (
    connectHookOf(middleware)?.hook ??
    (middleware as { [aroundBrand]?: unknown })[aroundBrand] ??
    (middleware as { [described]?: Described })[described]?.guard ??
    middleware
  )
}

/**
 * Throws ERR_CONTROLLER_INVALID, with `method` in the message, unless all are middleware. All are looked at before one is added.
 * `remedy` says where options belong, for an object of them.
 */
export function checkMiddleware(method: string, list: readonly unknown[], remedy = ''): void {
  // A list that is added only in part may lack its guard.
  for (const one of list.length === 0 ? [undefined] : list) {
    if (typeof one === 'function' && one.length <= 3 && nodeCallbackOf(one) === undefined) continue
    const given =
      typeof one === 'function'
        ? nodeCallbackOf(one) === undefined
          ? 'one of four parameters, which handles errors: give it to addGlobal'
          : 'what fromExpress has made, which is the callback of a Controller: write fromConnect(handler)'
        : Array.isArray(one)
          ? 'an array: write use(a, b) instead of use([a, b])'
          : `${nameType(one)}${isOptions(one) ? remedy : ''}`
    throw new RouteControllersError('ERR_CONTROLLER_INVALID', `${method} takes a function, not ${given}`)
  }
}

const reserved: Record<ReservedName, true> = {
  method: true,
  url: true,
  originalUrl: true,
  headers: true,
  params: true,
  query: true,
  route: true,
  cookies: true,
  body: true,
  rawBody: true,
  isShadow: true,
  realIp: true,
  platform: true,
  signal: true,
  get: true,
  text: true,
  json: true,
  formData: true,
  arrayBuffer: true,
  // An own member, as JSON.parse may make one; not the prototype of this table.
  ['__proto__']: true,
}

/**
 * The members that Node's request uses, and those that Express computes from it. To replace one would break a request over a
 * socket, or change what a guard of Express reads. Names that begin with `_` belong to them too.
 */
const ofServers = new Set(
  (
    'constructor then on once off emit addListener removeListener removeAllListeners prependListener prependOnceListener ' +
    'setMaxListeners getMaxListeners listeners rawListeners listenerCount eventNames domain ' +
    'read push unshift pipe unpipe pause resume isPaused setEncoding wrap destroy destroyed closed errored readable ' +
    'socket connection client complete aborted upgrade trailers trailersDistinct headersDistinct rawHeaders rawTrailers setTimeout ' +
    'httpVersion httpVersionMajor httpVersionMinor statusCode statusMessage stream ' +
    'res next app baseUrl path protocol secure ip ips host hostname subdomains fresh stale xhr header accepts is param range'
  ).split(' '),
)

function isOfServers(name: string): boolean {
  return name.startsWith('_') || name.startsWith('readable') || ofServers.has(name)
}

/** Adds what a middleware has returned to the request; throws ERR_MIDDLEWARE_RETURN where that cannot be. */
export function addReturned(req: object, returned: unknown, middleware: unknown): void {
  if (returned === undefined || returned === null) return
  const refuse = (what: string): RouteControllersError =>
    new RouteControllersError(
      'ERR_MIDDLEWARE_RETURN',
      `The middleware ${nameOfMiddleware(middleware)} returned ${what}`,
    )
  if (!isPlain(returned)) {
    throw refuse(
      `${nameType(returned)}: return a Response to end the chain, a plain object such as { user } to add its members to req, or nothing to go on`,
    )
  }
  const names = Object.keys(returned)
  for (const name of names) {
    if (Object.hasOwn(reserved, name) || isOfServers(name)) {
      throw refuse(
        `an object with the member ${JSON.stringify(name)}, which a request has by itself: give it another name`,
      )
    }
  }
  // What an arrow function assigns it returns: `(req) => (req.user = find(req))` would spread the user over the request.
  const holder = Object.keys(req).find((name) => (req as Record<string, unknown>)[name] === returned)
  if (holder !== undefined) {
    throw refuse(
      `the value that it has set as req.${holder}: write (req) => ({ ${holder}: … }), or a body in braces that returns nothing`,
    )
  }
  const promised = names.find((name) => isThenable(returned[name]))
  // Truthy before it has settled: a guard that asks for it would let everyone through.
  if (promised !== undefined)
    throw refuse(`an object whose member ${JSON.stringify(promised)} is a promise: await it first`)
  for (const name of names) put(req, name, returned[name])
}

/** How a middleware is called in messages. */
export function nameOfMiddleware(middleware: unknown): string {
  return (writtenMiddleware(middleware) as { readonly name?: string }).name || '<anonymous>'
}
