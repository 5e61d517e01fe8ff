import { RouteControllersError } from '../../ground/errors.js'
import type { KnownPath } from './express-types.js'
import { createForeignPath, type ForeignPath } from '../../routing/pattern.js'

/** A path as Express's router takes it: a string in the grammar of its version, a RegExp, or an array of both. */
export type ExpressPath = string | RegExp | readonly ExpressPath[]

/** The value in the ForeignPath of `expressPath`. Two Controllers that share one are one route, as with `app.route(path)`. */
export interface RoutePath {
  readonly path: ExpressPath
}

/**
 * A Controller's path in the grammar of Express, to be read by a profile: `expressPath('/users{/:id}')`.
 *
 * A string, a RegExp or an array of them, as `app.get` takes it. Controllers that share the object which this gives are one
 * route, as those of `app.route(path)` are: a HEAD Controller then comes before a GET one, and OPTIONS names their methods
 * together. Throws ERR_PATTERN_INVALID for anything else; a path of the other version's grammar is refused when the
 * RouteControllers is made. The params of a path of plain segments and `:name`s are inferred.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { expressPath, fromExpress } from 'routecontrollers/express'
 *
 * const user = new Controller(
 *   'GET',
 *   expressPath('/users{/:id}'),
 *   fromExpress((req, res) => res.json(req.params)),
 * )
 * const fetchHandler = new RouteControllers([user], { profile: 'express5' }).getCallback()
 * console.log(await (await fetchHandler(new Request('http://x/users/7'))).text()) // {"id":"7"}
 * ```
 */
export function expressPath<Path extends string>(path: Path): ForeignPath<KnownPath<Path>>
export function expressPath(path: ExpressPath): ForeignPath
export function expressPath(path: ExpressPath): ForeignPath {
  checkPath(path)
  const route: RoutePath = Object.freeze({
    path: Array.isArray(path) ? (path.flat(Infinity) as ExpressPath) : path,
  })
  return createForeignPath(showPath(path), route)
}

/** A path as it is shown in messages. */
export function showPath(path: ExpressPath): string {
  if (typeof path === 'string') return path
  return isRegExp(path) ? String(path) : `[${path.map(showPath).join(', ')}]`
}

/** True for a RegExp of any realm. */
export function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]'
}

function checkPath(path: unknown): asserts path is ExpressPath {
  if (typeof path === 'string' || isRegExp(path)) return
  if (Array.isArray(path) && path.length > 0) return path.forEach(checkPath)
  throw new RouteControllersError(
    'ERR_PATTERN_INVALID',
    `expressPath takes a string, a RegExp or an array of them, not ${Array.isArray(path) ? 'an empty array' : path === null ? 'null' : typeof path}`,
  )
}
