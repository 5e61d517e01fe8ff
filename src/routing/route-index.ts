import { RouteControllersError } from '../ground/errors.js'
import { MAX_PATTERN_SEGMENTS, type Pattern } from './pattern.js'
import { Text, TextTable } from './text-table.js'

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
  /** The methods that the routes take, sorted, without `*`; GET takes HEAD too. */
  readonly methods: readonly string[]
  /**
   * Finds the most specific route for a method and the raw path of a request target, whatever the order of the routes.
   *
   * A HEAD request falls back to GET, and any request to `*`, each at the same pattern. A pattern without a route for the method
   * does not hide a less specific one that has a route. The methods are compared as they are.
   */
  match(method: string, path: string): RouteMatch<T> | undefined
  /** The methods by which a path is answered, sorted, HEAD with GET; empty for a path without a route. */
  methodsAt(path: string): readonly string[]
}

/**
 * Builds the index of some routes: patterns without params in one table, the others in a tree of their segments.
 *
 * @throws RouteControllersError `ERR_ROUTE_CONFLICT` for two routes with one method whose patterns match the same paths
 */
export function createRouteIndex<T>(routes: readonly Route<T>[]): RouteIndex<T> {
  const statics = new Map<string, Endpoint<T>>()
  const draft = createDraft<T>(0)
  for (const route of routes) {
    const { names, source, foreign } = route.pattern
    if (foreign !== undefined) throw unservable(source)
    if (names.length === 0) statics.set(source, addEndpoint(statics.get(source), route, []))
    else insert(draft, route)
  }
  const table = new TextTable(statics)
  const root = compile(draft)
  const methods = new Set(routes.map(({ method }) => method))
  methods.delete('*')
  if (methods.has('GET')) methods.add('HEAD')

  const sorted: readonly string[] = Object.freeze([...methods].sort())
  const match = (method: string, path: string): RouteMatch<T> | undefined => {
    // A pattern that is static throughout is the most specific that can match.
    const endpoint = endpointFor(table.find(path, 0, path.length), method)
    if (endpoint !== undefined) return { route: endpoint.route, values: noValues }
    if (path.charCodeAt(0) === slash) return find(root, method, path)
    return path === '*' ? findAsterisk(root, method) : undefined
  }
  return Object.freeze({
    methods: sorted,
    match,
    methodsAt: (path: string) => sorted.filter((method) => match(method, path) !== undefined),
  })
}

function unservable(source: string): RouteControllersError {
  return new RouteControllersError(
    'ERR_PATTERN_INVALID',
    `'${source}' is a path of Express's grammar: serve it with new RouteControllers(controllers, { profile: 'express5' }), or 'express4'`,
  )
}

const slash = 0x2f

const noValues: readonly string[] = Object.freeze([])

/** The routes of one pattern, a method each. */
interface Endpoint<T> {
  readonly route: Route<T>
  readonly method: string
  /** The levels of the tree at which the params stand. */
  readonly levels: readonly number[]
  readonly next: Endpoint<T> | undefined
}

function addEndpoint<T>(
  others: Endpoint<T> | undefined,
  route: Route<T>,
  levels: readonly number[],
): Endpoint<T> {
  const other = exactEndpoint(others, route.method)
  if (other !== undefined) {
    const [first, second] = [other.route, route].map(({ method, pattern }) => `'${method} ${pattern.source}'`)
    throw new RouteControllersError(
      'ERR_ROUTE_CONFLICT',
      `${first} and ${second} match the same requests; keep one of them.`,
    )
  }
  return { route, method: route.method, levels, next: others }
}

function endpointFor<T>(endpoints: Endpoint<T> | undefined, method: string): Endpoint<T> | undefined {
  // Mostly it is the first, and a search that V8 inlined four times over would leave no room for what is hot.
  return endpoints === undefined || endpoints.method === method
    ? endpoints
    : searchEndpoint(endpoints, method)
}

function searchEndpoint<T>(endpoints: Endpoint<T>, method: string): Endpoint<T> | undefined {
  return (
    exactEndpoint(endpoints, method) ??
    (method === 'HEAD' ? exactEndpoint(endpoints, 'GET') : undefined) ??
    exactEndpoint(endpoints, '*')
  )
}

function exactEndpoint<T>(endpoints: Endpoint<T> | undefined, method: string): Endpoint<T> | undefined {
  let endpoint = endpoints
  while (endpoint !== undefined && endpoint.method !== method) endpoint = endpoint.next
  return endpoint
}

/** A node while the tree is built: one for each segment of each pattern. */
interface Draft<T> {
  readonly level: number
  readonly statics: Map<string, Draft<T>>
  param: Draft<T> | undefined
  wildcard: Endpoint<T> | undefined
  end: Endpoint<T> | undefined
}

function createDraft<T>(level: number): Draft<T> {
  return { level, statics: new Map(), param: undefined, wildcard: undefined, end: undefined }
}

function insert<T>(root: Draft<T>, route: Route<T>): void {
  const levels: number[] = []
  let draft = root
  for (const segment of route.pattern.segments) {
    if (segment.kind === 'static') {
      let child = draft.statics.get(segment.text)
      if (child === undefined) draft.statics.set(segment.text, (child = createDraft(draft.level + 1)))
      draft = child
      continue
    }
    levels.push(draft.level)
    if (segment.kind === 'wildcard') {
      draft.wildcard = addEndpoint(draft.wildcard, route, levels)
      return
    }
    draft = draft.param ??= createDraft(draft.level + 1)
  }
  draft.end = addEndpoint(draft.end, route, levels)
}

/** A node of the tree: where some pattern has a choice to make, or ends. */
interface Node<T> {
  readonly level: number
  readonly parent: Node<T> | undefined
  /** How many characters led here from the parent, where they are static. */
  readonly width: number
  /** The static text that goes on from here, while there is but one. */
  text: Text | undefined
  only: Node<T> | undefined
  /** The static texts that go on from here, when there are more; the first `shared` characters are the same in all. */
  table: TextTable<Node<T>> | undefined
  shared: number
  param: Node<T> | undefined
  readonly wildcard: Endpoint<T> | undefined
  readonly end: Endpoint<T> | undefined
}

function compile<T>(draft: Draft<T>, parent?: Node<T>, width = 0): Node<T> {
  const { level, wildcard, end } = draft
  const node: Node<T> = {
    level,
    parent,
    width,
    text: undefined,
    only: undefined,
    table: undefined,
    shared: 0,
    param: undefined,
    wildcard,
    end,
  }
  const { prefix, statics } = skipPassages(draft)
  const children = Array.from(statics, ([segment, child]): [string, Node<T>] => {
    const text = prefix + segment
    return [text, compile(child, node, text.length)]
  })
  const [first] = children
  if (children.length > 1) {
    node.table = new TextTable(children)
    node.shared = prefix.length
  } else if (first !== undefined) {
    node.text = new Text(first[0])
    node.only = first[1]
  }
  node.param = draft.param && compile(draft.param, node)
  return node
}

/** Static segments at which nothing is to be chosen are passed in one step, like `api/v1/`. */
function skipPassages<T>(draft: Draft<T>): { prefix: string; statics: ReadonlyMap<string, Draft<T>> } {
  let prefix = ''
  let { statics } = draft
  while (statics.size === 1) {
    const [[text, child]] = statics as unknown as [[string, Draft<T>]]
    if (child.param !== undefined || child.wildcard !== undefined || child.end !== undefined) break
    prefix += text + '/'
    statics = child.statics
  }
  return { prefix, statics }
}

// Where the segment of each level starts in the path that is being matched, for the values and for the way back. One for
// all: a match runs to its end before another one can begin.
const starts = new Int32Array(MAX_PATTERN_SEGMENTS + 2)

/**
 * Goes down the tree, static before param before wildcard, and up again where nothing matches.
 *
 * Each node is entered at most once, because where its segment starts depends on the path alone: what a hostile path
 * can cost is bounded by the size of the tree.
 */
function find<T>(root: Node<T>, method: string, path: string): RouteMatch<T> | undefined {
  let node = root
  let start = 1
  // The child that led nowhere, on the way up.
  let failed: Node<T> | undefined
  for (;;) {
    if (failed === undefined) {
      starts[node.level] = start
      if (start > path.length) {
        const endpoint = endpointFor(node.end, method)
        if (endpoint !== undefined) return { route: endpoint.route, values: valuesOf(endpoint, path) }
      } else {
        const child = staticChild(node, path, start)
        if (child !== undefined) {
          node = child
          start += child.width + 1
          continue
        }
      }
    }
    if (node.param !== undefined && node.param !== failed) {
      const end = endOfSegment(path, start)
      if (end > start) {
        node = node.param
        start = end + 1
        failed = undefined
        continue
      }
    }
    if (node.wildcard !== undefined && start <= path.length) {
      const endpoint = endpointFor(node.wildcard, method)
      if (endpoint !== undefined) {
        starts[node.level + 1] = path.length + 1
        const { route } = endpoint
        return { route, values: route.pattern.source === '*' ? [path] : valuesOf(endpoint, path) }
      }
    }
    if (node.parent === undefined) return undefined
    failed = node
    node = node.parent
    start = starts[node.level] as number
  }
}

function staticChild<T>(node: Node<T>, path: string, start: number): Node<T> | undefined {
  if (node.table !== undefined) {
    return node.table.find(path, start, endOfSegment(path, start + node.shared))
  }
  if (node.text === undefined) return undefined
  const end = start + node.text.whole.length
  const ends = end === path.length || (end < path.length && path.charCodeAt(end) === slash)
  return ends && node.text.standsAt(path, start) ? node.only : undefined
}

function endOfSegment(path: string, start: number): number {
  const end = path.indexOf('/', start)
  return end === -1 ? path.length : end
}

function valuesOf<T>({ levels }: Endpoint<T>, path: string): string[] {
  // Literals, because an array that grows by push() reserves room for seventeen.
  switch (levels.length) {
    case 1:
      return [valueAt(levels[0], path)]
    case 2:
      return [valueAt(levels[0], path), valueAt(levels[1], path)]
    case 3:
      return [valueAt(levels[0], path), valueAt(levels[1], path), valueAt(levels[2], path)]
    default:
      return levels.map((level) => valueAt(level, path))
  }
}

function valueAt(level: number | undefined, path: string): string {
  return path.slice(starts[level as number], (starts[(level as number) + 1] as number) - 1)
}

/** The asterisk-form of a target (RFC 9112, section 3.2.4) is no path: `/*` does not match it, `*` does. */
function findAsterisk<T>(root: Node<T>, method: string): RouteMatch<T> | undefined {
  let own: Endpoint<T> | undefined
  for (let endpoint = root.wildcard; endpoint !== undefined; endpoint = endpoint.next) {
    if (endpoint.route.pattern.source === '*') own = { ...endpoint, next: own }
  }
  const endpoint = endpointFor(own, method)
  return endpoint && { route: endpoint.route, values: ['*'] }
}
