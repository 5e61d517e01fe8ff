import { builtin } from '../../ground/builtin.js'
import type { Route } from './layer.js'

/**
 * The methods that Node knows.
 *
 * Not imported: an ES module that imports node:http has Node load all that it exports, fetch and WebSocket among them, which takes 13 ms of CPU.
 */
export const METHODS: readonly string[] = builtin('node:http', 'routecontrollers/express').METHODS

/** The methods of a route in upper case; `*` for one of `all`, which an app registers for each method that there is. */
export function methodsOf({ methods }: Route): readonly string[] {
  const isForAll = methods['_all'] || METHODS.every((method) => methods[method.toLowerCase()])
  return isForAll ? ['*'] : Object.keys(methods).map((method) => method.toUpperCase())
}

/** The method by which a route takes a request: GET also HEAD, `*` any. Undefined where it does not. */
export function methodFor(route: Route, method: string): string | undefined {
  const { methods } = route
  if (methods['_all']) return '*'
  const name = method === 'HEAD' && !methods['head'] ? 'get' : method.toLowerCase()
  if (!methods[name]) return undefined
  // Both are there for each method of a route of `app.all`.
  return methods['search'] && methods['unlink'] && methodsOf(route)[0] === '*' ? '*' : name.toUpperCase()
}
