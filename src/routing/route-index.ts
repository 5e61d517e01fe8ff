import { RouteControllersError } from '../errors.js'
import type { Pattern } from './pattern.js'

/** A method, a pattern, and whatever answers them. */
export interface Route<T> {
  /** As parseMethod gives it: upper-cased, or `*` for every method. */
  readonly method: string
  readonly pattern: Pattern
  readonly target: T
}

/** The route that answers a request, and what its params stand for. */
export interface RouteMatch<T> {
  readonly route: Route<T>
  /** As they were sent, not decoded, in the order of the pattern's `names`. */
  readonly values: readonly string[]
}

/** A frozen lookup structure over routes. */
export interface RouteIndex<T> {
  /** The methods of the routes, sorted, without `*`. */
  readonly methods: readonly string[]
  /**
   * Finds the most specific route for a method and the raw path of a request target, whatever the order of the routes.
   *
   * A HEAD request falls back to GET, any request to `*`, each at the same pattern; a pattern without a route for the
   * method does not hide a less specific one that has.
   */
  match(method: string, path: string): RouteMatch<T> | undefined
}

interface Node<T> {
  readonly statics: Map<string, Node<T>>
  param: Node<T> | undefined
  readonly wildcard: Map<string, Route<T>>
  readonly end: Map<string, Route<T>>
}

const createNode = <T>(): Node<T> => ({
  statics: new Map(),
  param: undefined,
  wildcard: new Map(),
  end: new Map(),
})

/**
 * Builds the index of some routes.
 *
 * @throws RouteControllersError `ERR_ROUTE_CONFLICT` for two routes with one method whose patterns match the same paths
 */
export function createRouteIndex<T>(routes: readonly Route<T>[]): RouteIndex<T> {
  const root = createNode<T>()
  const asterisk = new Map<string, Route<T>>()
  const methods = new Set<string>()
  for (const route of routes) {
    insert(root, route)
    if (route.pattern.source === '*') asterisk.set(route.method, route)
    methods.add(route.method)
  }
  methods.delete('*')
  return Object.freeze({
    methods: Object.freeze([...methods].sort()),
    match(method: string, path: string): RouteMatch<T> | undefined {
      if (path === '*') {
        const route = routeFor(asterisk, method)
        return route && { route, values: ['*'] }
      }
      if (!path.startsWith('/')) return undefined
      return find(root, method, path, 1, [])
    },
  })
}

function insert<T>(root: Node<T>, route: Route<T>): void {
  let node = root
  let ends = false
  for (const segment of route.pattern.segments) {
    if (segment.kind === 'static') {
      let child = node.statics.get(segment.text)
      if (child === undefined) node.statics.set(segment.text, (child = createNode()))
      node = child
    } else if (segment.kind === 'param') {
      node = node.param ??= createNode()
    } else {
      ends = true
    }
  }
  const place = ends ? node.wildcard : node.end
  const other = place.get(route.method)
  if (other !== undefined) {
    const [first, second] = [other, route].map(({ method, pattern }) => `'${method} ${pattern.source}'`)
    throw new RouteControllersError(
      'ERR_ROUTE_CONFLICT',
      `${first} and ${second} match the same requests; keep one of them.`,
    )
  }
  place.set(route.method, route)
}

function find<T>(
  node: Node<T>,
  method: string,
  path: string,
  start: number,
  values: readonly string[],
): RouteMatch<T> | undefined {
  if (start > path.length) {
    const route = routeFor(node.end, method)
    return route && { route, values }
  }
  const slash = path.indexOf('/', start)
  const end = slash === -1 ? path.length : slash
  const text = path.slice(start, end)
  const child = node.statics.get(text)
  const exact = child && find(child, method, path, end + 1, values)
  if (exact !== undefined) return exact
  const byParam =
    node.param && text !== '' ? find(node.param, method, path, end + 1, [...values, text]) : undefined
  if (byParam !== undefined) return byParam
  const route = routeFor(node.wildcard, method)
  return route && { route, values: [...values, path.slice(route.pattern.source === '*' ? 0 : start)] }
}

function routeFor<T>(routes: Map<string, Route<T>>, method: string): Route<T> | undefined {
  return routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined) ?? routes.get('*')
}
