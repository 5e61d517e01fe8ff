import type { RunnableController } from '../define/controller.js'
import { checkArgument } from '../ground/options.js'
import { decodeParams } from '../routing/params.js'
import type { RouteIndex } from '../routing/route-index.js'
import { compareSpecificity } from '../routing/specificity.js'
import type { RouteCheckResult } from '../ground/types.js'

/** What `checkRoute` returns where no route matches. */
export function noRoute(): RouteCheckResult {
  return { exists: false, params: {}, key: '' }
}

/** Reads the argument of `checkRoute`: `'GET:/users/1'`, `'GET /users/1'` or `'/users/1'`; a query is ignored. Throws ERR_OPTION_INVALID. */
export function parseRouteCheck(route: string): { method: string | undefined; path: string } {
  checkArgument('checkRoute', "a route such as 'GET:/users/1'", route, typeof route === 'string')
  const [, method, target] = /^(?:([^\s:/]+)[:\s]\s*)?(.*)$/s.exec(route) as unknown as [
    string,
    string | undefined,
    string,
  ]
  return { method: method?.toUpperCase(), path: target.split(/[?#]/, 1)[0]! }
}

/** What an index would answer a path with; without a method, the most specific route of any. */
export function checkRoute(
  index: RouteIndex<RunnableController>,
  method: string | undefined,
  path: string,
): RouteCheckResult {
  const methods = method === undefined ? [...index.methods, '*'] : [method]
  const matches = methods.flatMap((candidate) => index.match(candidate, path) ?? [])
  const [found] = matches.sort((a, b) => compareSpecificity(a.route.pattern, b.route.pattern))
  if (found === undefined) return noRoute()
  const { method: registered, pattern } = found.route
  return {
    exists: true,
    params: paramsOf(pattern.names, found.values),
    key: `${registered}:${pattern.source}`,
  }
}

// A look-up answers also where the request would be refused: a malformed escape stays as it was sent.
function paramsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  try {
    return decodeParams(names, values)
  } catch {
    return Object.fromEntries(names.map((name, at) => [name, values[at]!]))
  }
}
