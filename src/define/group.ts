import { checkControllerOptions, Controller, type ControllerOptions } from './controller.js'
import { RouteControllersError } from '../ground/errors.js'
import {
  checkMiddleware,
  type Middleware,
  type NextAnswer,
  type MiddlewareResult,
  type Overridden,
  type With,
} from './middleware.js'
import { isOptions, nameType } from '../ground/options.js'
import { inheritRegistration, recordRegistration } from '../ground/registration.js'
import type { RouteRequest } from '../request/request.js'
import type { AnswerFor, ResponseBuilder, ResponseFor } from '../answer/response.js'
import type { CheckedPath } from '../routing/params.js'
import { type Method, parsePattern } from '../routing/pattern.js'
import type { InputSchemas, OutputSchemas } from '../ground/standard-schema.js'
import type { MaybePromise } from '../ground/types.js'

/** A prefix and a path as one pattern: `'/orgs/:org'` and `'/users'`. `'/'` is the prefix itself. */
export type Joined<Prefix extends string, Path extends string> = Path extends '' | '/'
  ? Prefix extends ''
    ? '/'
    : Prefix
  : Prefix extends '' | '/'
    ? Path
    : Path extends '*'
      ? `${Prefix}/*`
      : `${Prefix}${Path}`

/** Options of all routes of a group. A route may override them. */
export type GroupOptions<
  Input extends InputSchemas = InputSchemas,
  Output extends OutputSchemas = OutputSchemas,
> = Omit<ControllerOptions<Input, Output>, 'name' | 'operationId'>

/** The schemas of a group with those of a route in it; of one part that of the route counts. */
type Merged<Outer extends Schemas, Inner extends Schemas, Schemas> =
  Overridden<Outer, Inner> extends infer Both extends Schemas ? Both : never
type Inputs<Outer extends InputSchemas, Inner extends InputSchemas> = Merged<Outer, Inner, InputSchemas>
type Outputs<Outer extends OutputSchemas, Inner extends OutputSchemas> = Merged<Outer, Inner, OutputSchemas>

/** A middleware of a group; `Extra` is what those before it add. */
type Inside<Prefix extends string, Extra extends object> = (
  req: RouteRequest<Prefix, Extra>,
  res: ResponseBuilder,
  next: NextAnswer,
) => MiddlewareResult

type None = () => undefined
type After<Extra extends object, A, B, C, D> = With<With<With<With<Extra, A>, B>, C>, D>

type CallbackOf<
  Path extends string,
  Extra extends object,
  Input extends InputSchemas,
  Output extends OutputSchemas,
> = (req: RouteRequest<Path, Extra, Input>, res: ResponseFor<Output>) => MaybePromise<AnswerFor<Output>>

/** Makes the Controller of one method: what `get`, `post`, `put`, `patch`, `delete` and `all` of a group are. */
export type MakesRoute<
  Prefix extends string,
  Extra extends object,
  GroupInput extends InputSchemas,
  GroupOutput extends OutputSchemas,
> = <
  Path extends string,
  Input extends InputSchemas = {},
  Output extends OutputSchemas = {},
  Name extends string = string,
>(
  path: CheckedPath<Path>,
  callback: CallbackOf<Joined<Prefix, Path>, Extra, Inputs<GroupInput, Input>, Outputs<GroupOutput, Output>>,
  options?: ControllerOptions<Input, Output, Name>,
) => Controller<Joined<Prefix, Path>, Extra, Inputs<GroupInput, Input>, Outputs<GroupOutput, Output>, Name>

/**
 * A prefix with middleware, from which routes are made. `use` adds middleware to the group itself, for the routes that are made
 * later. `with` and `group` return another group.
 *
 * `Extra` is what the middleware adds to `req`. A group whose `with` was given schemas is a GroupWithSchemas.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name of its own, for editors: of two params, not of four
export interface Group<Prefix extends string, Extra extends object = {}> extends GroupWithSchemas<
  Prefix,
  Extra,
  {},
  {}
> {}

/** The group of a prefix, additions and schemas: an editor shows no schemas where there are none. */
export type GroupOf<
  Prefix extends string,
  Extra extends object,
  GroupInput extends InputSchemas,
  GroupOutput extends OutputSchemas,
> = [keyof GroupInput | keyof GroupOutput] extends [never]
  ? Group<Prefix, Extra>
  : GroupWithSchemas<Prefix, Extra, GroupInput, GroupOutput>

/** A group with schemas that count for all of its routes. It is as Group is. */
export interface GroupWithSchemas<
  Prefix extends string,
  Extra extends object,
  GroupInput extends InputSchemas,
  GroupOutput extends OutputSchemas,
> {
  /**
   * Makes a Controller for GET, and for HEAD without the body: `shop.get('/orders/:id', (req) => req.params.id)`.
   *
   * Its path stands behind the prefix of the group. `req.params` has the params of both, and `req` has what the middleware of the group adds.
   * Put what it returns into the list of RouteControllers or of `serve`. Throws ERR_PATTERN_INVALID, ERR_CONTROLLER_INVALID or
   * ERR_OPTION_INVALID.
   */
  readonly get: MakesRoute<Prefix, Extra, GroupInput, GroupOutput>
  /**
   * Makes a Controller for POST: `shop.post('/orders', (req, res) => res.status(201).json(req.body))`.
   *
   * `{ input: { body: schema } }` checks the body, and gives `req.body` its type. The rest is as in `get`.
   */
  readonly post: MakesRoute<Prefix, Extra, GroupInput, GroupOutput>
  /** Makes a Controller for PUT: `shop.put('/orders/:id', (req) => req.body)`. The rest is as in `post`. */
  readonly put: MakesRoute<Prefix, Extra, GroupInput, GroupOutput>
  /** Makes a Controller for PATCH: `shop.patch('/orders/:id', (req) => req.body)`. The rest is as in `post`. */
  readonly patch: MakesRoute<Prefix, Extra, GroupInput, GroupOutput>
  /** Makes a Controller for DELETE: `shop.delete('/orders/:id', () => null)`, where `null` is the answer 204. The rest is as in `get`. */
  readonly delete: MakesRoute<Prefix, Extra, GroupInput, GroupOutput>
  /** Makes a Controller for all methods: `shop.all('/*', (req, res) => res.status(404).end())`. The rest is as in `get`. */
  readonly all: MakesRoute<Prefix, Extra, GroupInput, GroupOutput>

  /** Makes a Controller for any method: `shop.route('PROPFIND', '/', (req) => …)`. The rest is as in `get`. */
  route<
    Path extends string,
    Input extends InputSchemas = {},
    Output extends OutputSchemas = {},
    Name extends string = string,
  >(
    method: Method,
    path: CheckedPath<Path>,
    callback: CallbackOf<
      Joined<Prefix, Path>,
      Extra,
      Inputs<GroupInput, Input>,
      Outputs<GroupOutput, Output>
    >,
    options?: ControllerOptions<Input, Output, Name>,
  ): Controller<Joined<Prefix, Path>, Extra, Inputs<GroupInput, Input>, Outputs<GroupOutput, Output>, Name>

  /** A group within this one: its middleware runs after that of this one, also after what `use` adds here later. */
  group<Inner extends string, A = None, B = None, C = None, D = None>(
    prefix: CheckedPath<Inner>,
    a?: A & Inside<Joined<Prefix, Inner>, Extra>,
    b?: B & Inside<Joined<Prefix, Inner>, With<Extra, A>>,
    c?: C & Inside<Joined<Prefix, Inner>, With<With<Extra, A>, B>>,
    d?: D & Inside<Joined<Prefix, Inner>, With<With<With<Extra, A>, B>, C>>,
  ): GroupOf<Joined<Prefix, Inner>, After<Extra, A, B, C, D>, GroupInput, GroupOutput>

  /**
   * Another group, with more middleware. `req` of its routes has what the middleware returns, with its type, and later middleware
   * gets what earlier middleware adds. What `use` adds to this group later runs for the other one too, before its own.
   */
  with<A, B = None, C = None, D = None>(
    a: A & Inside<Prefix, Extra>,
    b?: B & Inside<Prefix, With<Extra, A>>,
    c?: C & Inside<Prefix, With<With<Extra, A>, B>>,
    d?: D & Inside<Prefix, With<With<With<Extra, A>, B>, C>>,
  ): GroupOf<Prefix, After<Extra, A, B, C, D>, GroupInput, GroupOutput>

  /**
   * Another group, with options for all of its routes. The options of a route override them, and so does the schema of a route
   * for one part.
   */
  with<Input extends InputSchemas = {}, Output extends OutputSchemas = {}>(
    options: GroupOptions<Input, Output>,
  ): GroupOf<Prefix, Extra, Inputs<GroupInput, Input>, Outputs<GroupOutput, Output>>

  /**
   * Adds middleware to this group and to the groups that were made of it: for the routes that are made later, as `use` of a Router
   * of Express does. Returns the group itself, whose type then has what the middleware adds.
   */
  use<A, B = None, C = None, D = None>(
    a: A & Inside<Prefix, Extra>,
    b?: B & Inside<Prefix, With<Extra, A>>,
    c?: C & Inside<Prefix, With<With<Extra, A>, B>>,
    d?: D & Inside<Prefix, With<With<With<Extra, A>, B>, C>>,
  ): GroupOf<Prefix, After<Extra, A, B, C, D>, GroupInput, GroupOutput>
}

/**
 * Makes routes that have a prefix and middleware in common. `req` of each route has what the middleware returns, with its type.
 *
 * The routes are Controllers: put them into the list of RouteControllers. `prefix` is a pattern without a wildcard, or `''` for
 * none. Give up to four middleware at once, and more with `with`. Throws ERR_PATTERN_INVALID, ERR_CONTROLLER_INVALID or
 * ERR_OPTION_INVALID.
 *
 * @example
 * ```ts
 * import { group, guard, RouteControllers } from 'routecontrollers'
 *
 * const requireUser = guard((req, res) => {
 *   if (req.get('authorization') === undefined) return res.status(401).end()
 *   return { user: { name: 'Ada' } }
 * })
 * const api = group('/orgs/:org', requireUser)
 * const routeControllers = new RouteControllers([
 *   api.get('/users', (req, res) => res.json({ org: req.params.org, asked: req.user.name })),
 * ])
 * const request = new Request('http://x/orgs/acme/users', { headers: { authorization: 'Bearer x' } })
 * console.log(await (await routeControllers.getCallback()(request)).json()) // { org: 'acme', asked: 'Ada' }
 * ```
 */
export function group<Prefix extends string, A = None, B = None, C = None, D = None>(
  prefix: CheckedPath<Prefix>,
  a?: A & Inside<Joined<'', Prefix>, {}>,
  b?: B & Inside<Joined<'', Prefix>, With<{}, A>>,
  c?: C & Inside<Joined<'', Prefix>, With<With<{}, A>, B>>,
  d?: D & Inside<Joined<'', Prefix>, With<With<With<{}, A>, B>, C>>,
): Group<Joined<'', Prefix>, After<{}, A, B, C, D>>
export function group(prefix: string, ...middleware: readonly unknown[]): unknown {
  return makeGroup(group, undefined, prefix, middleware)
}

/** What a group is made of. */
interface Parts {
  /** The group that it was made of: what `use` adds there later counts here too. A guard must not miss a route of its group. */
  readonly outer: Parts | undefined
  readonly prefix: string
  readonly options: GroupOptions
  /** Its own, which `use` adds to. */
  readonly own: Used[]
}

/** Middleware with what its registration is known by. */
interface Used {
  readonly middleware: Middleware
  readonly owner: object
}

/** The middleware of a group, from the outermost group to itself. */
function usedIn({ outer, own }: Parts): readonly Used[] {
  return outer === undefined ? own : [...usedIn(outer), ...own]
}

function makeGroup(
  made: object,
  outer: Parts | undefined,
  prefix: string,
  given: readonly unknown[],
): object {
  const where = `group('${String(prefix)}')`
  const middleware = given.filter((one) => one !== undefined)
  if (middleware.length > 0) checkMiddleware(where, middleware, `: write ${where}.with({ … }) for options`)
  const joined = joinPaths(outer?.prefix ?? '', prefix, where)
  if (joined !== '') checkPrefix(joined, where)
  return groupOf({
    outer,
    prefix: joined,
    options: outer?.options ?? {},
    own: usedBy(made, middleware),
  })
}

function usedBy(made: object, middleware: readonly unknown[]): Used[] {
  const owner = {}
  for (const one of middleware) recordRegistration(owner, one, made)
  return middleware.map((one) => ({ middleware: one as Middleware, owner }))
}

function groupOf(parts: Parts): object {
  const methods = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE', all: '*' }
  const made: Record<string, unknown> = {
    route: (method: string, path: string, callback: never, options?: ControllerOptions): object =>
      makeRoute(made['route'] as object, parts, method, path, callback, options),
    group: (prefix: string, ...rest: unknown[]): object =>
      makeGroup(made['group'] as object, parts, prefix, rest),
    with: (...given: unknown[]): object => {
      const { prefix, options } = parts
      if (given.length === 1 && isOptions(given[0])) {
        const merged = mergeOptions(options, checkOf(prefix, given[0]))
        return groupOf({ outer: parts, prefix, options: merged, own: [] })
      }
      const remedy = ': give options alone, and middleware in a with(…) of its own'
      checkMiddleware(`group('${prefix}').with`, given, remedy)
      return groupOf({ outer: parts, prefix, options, own: usedBy(made['with'] as object, given) })
    },
    use: (...middleware: unknown[]): object => {
      checkMiddleware(`group('${parts.prefix}').use`, middleware, ': write with({ … }) for options')
      parts.own.push(...usedBy(made['use'] as object, middleware))
      return made
    },
  }
  for (const [name, method] of Object.entries(methods)) {
    made[name] = (path: string, callback: never, options?: ControllerOptions): object =>
      makeRoute(made[name] as object, parts, method, path, callback, options)
  }
  return Object.freeze(made)
}

function makeRoute(
  made: object,
  parts: Parts,
  method: string,
  path: string,
  callback: never,
  own: ControllerOptions = {},
): object {
  const { prefix, options } = parts
  const joined = joinPaths(prefix, path, `group('${prefix}')`) || '/'
  const merged = isOptions(own) ? mergeOptions(options, own) : own
  const controller = new Controller(method, joined, callback, merged)
  recordRegistration(controller, callback, made)
  for (const { middleware, owner } of usedIn(parts)) {
    controller.middleware.push(middleware)
    inheritRegistration(controller, middleware, owner)
  }
  return controller
}

function joinPaths(prefix: string, path: string, where: string): string {
  if (typeof path !== 'string') {
    throw new RouteControllersError(
      'ERR_PATTERN_INVALID',
      `${where} takes a path such as '/users/:id', not ${nameType(path)}`,
    )
  }
  if (path === '' || path === '/') return prefix
  if (path === '*') return `${prefix}/*`
  // As a pattern of its own, whose refusal says where the mistake is.
  if (!path.startsWith('/')) parsePattern(path)
  return prefix + path
}

/** Throws ERR_PATTERN_INVALID for what nothing can follow: a wildcard takes all, and behind a slash at the end comes another. */
function checkPrefix(prefix: string, where: string): void {
  const { segments } = parsePattern(prefix)
  if (segments.at(-1)?.kind !== 'wildcard' && !prefix.endsWith('/')) return
  throw new RouteControllersError(
    'ERR_PATTERN_INVALID',
    `${where}: a prefix has no wildcard and no slash at its end: write '${prefix.replace(/\/[^/]*$/, '')}'`,
  )
}

/** Options of a group, checked as those of a route are; a name is of one route alone. */
function checkOf(prefix: string, options: GroupOptions): GroupOptions {
  const where = `group('${prefix}').with`
  checkControllerOptions(where, options)
  for (const name of ['name', 'operationId']) {
    if (!(name in options)) continue
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `${where}: ${name} is of one route: give it to the route`,
    )
  }
  return options
}

function mergeOptions(outer: GroupOptions, inner: ControllerOptions): ControllerOptions {
  const merged: ControllerOptions = over(outer, inner)
  if (outer.input && inner.input) merged.input = over(outer.input, inner.input)
  if (outer.output && inner.output) merged.output = over(outer.output, inner.output)
  return merged
}

/** The members of both; of two of one name that of `inner`. What is undefined there is not given, and takes no check of the group away. */
function over<Options extends object>(outer: Options, inner: Options): Options {
  const both = { ...outer, ...inner }
  for (const name of Object.keys(outer) as (keyof Options)[]) {
    if (inner[name] === undefined) both[name] = outer[name]
  }
  return both
}
