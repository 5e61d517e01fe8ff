import type { RunnableController } from '../../controller.js'
import type { Route, RouteIndex, RouteMatch } from '../../routing/route-index.js'
import type { Application } from '../application.js'
import { allowedMethods, createOptionsController } from './automatic-options.js'
import { type CalledParams, type ParamCallback, runParamCallbacks } from './param-callbacks.js'
import type { RoutePath } from './path.js'
import type { PathMatch, PathMatcher } from './path-matcher.js'
import { readPath } from './read-path.js'
import { createRouteView, type RouteView } from '../route-view.js'
import { defaultSurface } from '../members/surface.js'

/** A route of the index, with its place in the order of registration. */
export interface Entry {
  readonly order: number
  readonly route: Route<RunnableController>
  readonly matcher: PathMatcher
  /** The methods of all Controllers that are one route with this one. */
  readonly methods: Set<string>
}

/** Where in the order a match stands, so that the next one is looked for behind it. */
interface OrderedMatch extends RouteMatch<RunnableController> {
  readonly order: number
  readonly called?: CalledParams
}

const noValues: readonly string[] = Object.freeze([])

/**
 * The index of a profile: routes in the order of registration, matched by the library of that version of Express.
 *
 * A tree of the segments that paths must begin with keeps most routes from being tried, so that the cost of a look-up does not
 * grow with their number.
 */
export function createOrderedIndex(
  application: Application,
  controllers: readonly RunnableController[],
  callbacks: ReadonlyMap<string, readonly ParamCallback[]> = new Map(),
): RouteIndex<RunnableController> {
  const { version } = application
  const sensitive = Boolean(application.get('case sensitive routing'))
  const strict = Boolean(application.get('strict routing'))
  const root = createNode()
  const methodsOfRoutes = new Map<RoutePath, Set<string>>()
  const methods = new Set<string>()

  controllers.forEach((target, order) => {
    const { method, pattern } = target
    const { matcher, prefixes } = readPath(version, pattern, { sensitive, strict, end: true })
    const shared = pattern.foreign as RoutePath | undefined
    const ofRoute = (shared && methodsOfRoutes.get(shared)) ?? new Set<string>()
    if (shared !== undefined) methodsOfRoutes.set(shared, ofRoute)
    ofRoute.add(method)
    methods.add(method)
    const entry: Entry = { order, route: { method, pattern, target }, matcher, methods: ofRoute }
    for (const prefix of prefixes) insert(root, prefix, entry, sensitive)
  })
  methods.delete('*')

  return Object.freeze({
    methods: Object.freeze([...methods].sort()),
    match(method: string, path: string, after?: OrderedMatch) {
      const candidates = new Candidates(root, path, sensitive, after?.order ?? -1)
      // Express decodes the params of a path before it looks at the method, and what cannot be decoded ends the search.
      const mayFail = path.includes('%')
      for (let entry = candidates.next(); entry !== undefined; entry = candidates.next()) {
        const handled = handles(entry, method)
        const passes = !handled && method === 'HEAD' && callbacks.size > 0
        if (!handled && !passes && !mayFail) continue
        let match: PathMatch | undefined
        try {
          match = entry.matcher(path)
        } catch (error) {
          return failed(entry, error)
        }
        if (match === undefined) continue
        if (callbacks.size === 0 && handled) return found(entry, match)
        if (handled || passes) return foundCalling(callbacks, entry, match, passes, after?.called)
      }
      if (method !== 'OPTIONS' || after?.order === Infinity) return undefined
      const allowed = allowedMethods(matching(root, path, sensitive))
      return allowed.size === 0 ? undefined : answeringOptions(application, allowed)
    },
  })
}

function handles({ route, methods }: Entry, method: string): boolean {
  if (route.method === method || route.method === '*') return true
  return method === 'HEAD' && route.method === 'GET' && !methods.has('HEAD')
}

function found({ order, route }: Entry, match: PathMatch): OrderedMatch {
  return { order, route, values: noValues, params: () => match.params }
}

/**
 * A match whose params have callbacks, which must not be called again for what an earlier match has had them called for.
 *
 * One that `passes` has no more than those: Express looks for what answers HEAD only behind them.
 */
function foundCalling(
  callbacks: ReadonlyMap<string, readonly ParamCallback[]>,
  entry: Entry,
  match: PathMatch,
  passes: boolean,
  called: CalledParams = new Map(),
): OrderedMatch {
  return {
    ...found(entry, match),
    called,
    before(incoming, outgoing, done) {
      defaultSurface.add(incoming, outgoing)
      ;(incoming as { route?: RouteView }).route = createRouteView(entry.route)
      runParamCallbacks(callbacks, match.names, called, incoming as never, outgoing as never, (signal) =>
        done(signal || (passes ? 'route' : undefined)),
      )
    },
  }
}

function failed({ order, route }: Entry, error: unknown): OrderedMatch {
  const params = (): never => {
    throw error
  }
  return { order, route, values: noValues, params }
}

function answeringOptions(application: Application, allowed: ReadonlySet<string>): OrderedMatch {
  const target = createOptionsController(application, allowed)
  const route = { method: 'OPTIONS', pattern: target.pattern, target }
  return { order: Infinity, route, values: noValues, params: () => ({}) }
}

function matching(root: Node, path: string, sensitive: boolean): Entry[] {
  const entries: Entry[] = []
  const candidates = new Candidates(root, path, sensitive, -1)
  for (let entry = candidates.next(); entry !== undefined; entry = candidates.next()) {
    try {
      if (entry.matcher(path) !== undefined) entries.push(entry)
    } catch {
      // It has failed in the search before this one, unless the path was rewritten in between.
    }
  }
  return entries
}

/** One segment of the prefixes, folded where case does not matter, and the routes whose prefix ends with it. */
interface Node {
  readonly children: Map<string, Node>
  readonly entries: Entry[]
}

function createNode(): Node {
  return { children: new Map(), entries: [] }
}

function insert(root: Node, prefix: readonly string[], entry: Entry, sensitive: boolean): void {
  let node = root
  for (const segment of prefix) {
    const key = sensitive ? segment : segment.toLowerCase()
    let child = node.children.get(key)
    if (child === undefined) node.children.set(key, (child = createNode()))
    node = child
  }
  // Two alternatives of one path may begin alike.
  if (node.entries.at(-1) !== entry) node.entries.push(entry)
}

/** Goes through the routes whose prefix fits a path, in their order. */
class Candidates {
  readonly #lists: (readonly Entry[])[] = []
  readonly #positions: number[] = []
  #order: number

  constructor(root: Node, path: string, sensitive: boolean, after: number) {
    this.#order = after
    this.#add(root)
    let node: Node | undefined = root
    for (let start = 1; path.charCodeAt(start - 1) === slash && node.children.size > 0;) {
      const next = path.indexOf('/', start)
      const end = next < 0 ? path.length : next
      const segment = path.slice(start, end)
      node = node.children.get(sensitive ? segment : segment.toLowerCase())
      if (node === undefined) break
      this.#add(node)
      start = end + 1
    }
  }

  #add({ entries }: Node): void {
    if (entries.length === 0) return
    this.#lists.push(entries)
    this.#positions.push(this.#order < 0 ? 0 : firstBehind(entries, this.#order))
  }

  next(): Entry | undefined {
    let nearest: Entry | undefined
    for (let list = 0; list < this.#lists.length; list++) {
      const entries = this.#lists[list]!
      let at = this.#positions[list]!
      // A route with several alternatives may stand in several lists.
      while (at < entries.length && entries[at]!.order <= this.#order) at++
      this.#positions[list] = at
      const entry = entries[at]
      if (entry !== undefined && (nearest === undefined || entry.order < nearest.order)) nearest = entry
    }
    if (nearest !== undefined) this.#order = nearest.order
    return nearest
  }
}

const slash = 0x2f

function firstBehind(entries: readonly Entry[], order: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (entries[middle]!.order <= order) low = middle + 1
    else high = middle
  }
  return low
}
