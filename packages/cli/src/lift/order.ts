// Routes whose order decides. In a router the first one answers, and in a list the more specific one.

/** A route by its method, `*` for all, and a path of plain segments and `:name`s. */
export interface OrderedRoute {
  readonly method: string
  readonly path: string
}

/** Why a list of these routes would answer otherwise than a router that has them in this order; undefined where it would not. */
export function orderObstacle(
  routes: readonly OrderedRoute[],
  caseSensitive: boolean,
): { readonly reason: string; readonly at: number } | undefined {
  for (const [at, later] of routes.entries()) {
    const first = routes
      .slice(0, at)
      .find((one) => meet(one, later, caseSensitive) && !isMoreSpecific(one, later))
    if (first === undefined) continue
    const [before, behind] = [first, later].map(({ method, path }) => `${method} ${path}`)
    return { reason: `${before} answers before ${behind}, and in a list that is not sure`, at }
  }
  return undefined
}

/** True where one request may be for both. */
function meet(one: OrderedRoute, other: OrderedRoute, caseSensitive: boolean): boolean {
  const [own, others] = [one.method, other.method]
  const isOneMethod = own === others || own === '*' || others === '*' || isReading(own, others)
  if (!isOneMethod) return false
  const [left, right] = [one, other].map(({ path }) =>
    segmentsOf(caseSensitive ? path : path.toLowerCase()),
  ) as [string[], string[]]
  return left.length === right.length && left.every((segment, at) => isBoth(segment, right[at]!))
}

/** What answers GET answers HEAD too. */
function isReading(one: string, other: string): boolean {
  return [one, other].sort().join() === 'GET,HEAD'
}

function isBoth(one: string, other: string): boolean {
  return one === other || one.startsWith(':') || other.startsWith(':')
}

/** True where a list surely has the first of two routes that meet answer before the other. */
function isMoreSpecific(first: OrderedRoute, later: OrderedRoute): boolean {
  const [left, right] = [first, later].map(({ path }) => segmentsOf(path)) as [string[], string[]]
  const at = left.findIndex((segment, number) => segment.startsWith(':') !== right[number]!.startsWith(':'))
  const [own, others] = [first.method, later.method]
  if (at >= 0) return !left[at]!.startsWith(':') && !(own === 'GET' && others === 'HEAD')
  const isOnePath = left.every((segment, number) => segment.startsWith(':') || segment === right[number])
  return isOnePath && ((own !== '*' && others === '*') || (own === 'HEAD' && others === 'GET'))
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}
