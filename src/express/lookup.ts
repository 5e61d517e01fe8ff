import { reaches, type RouteEntry } from './inventory.js'
import { anyShape, type Shape } from './shape.js'

/** A route that requests are looked up for, and which of its methods count. */
export interface Listed {
  /** Undefined for one that stands for all paths. */
  readonly entry: RouteEntry | undefined
  /** True where HEAD has an effect, though no method takes it: Express runs the callbacks of its params. */
  readonly meetsHead: boolean
  /** The method that it is registered for and takes this one by: GET takes HEAD, `*` any. Undefined where it does not. */
  readonly methodFor: (method: string) => string | undefined
}

/** What a look-up has found out about a request. */
export interface Found {
  /** The first route that takes the request; also one that Express answers OPTIONS for, or whose param cannot be decoded. */
  readonly listed: Listed | undefined
  /** Of a route that the path reaches, whatever its method; undefined where it reaches none. */
  readonly shapes: readonly Shape[] | undefined
}

/** Nothing answers a request, and none of the routes has its path. */
export const nothing: Found = Object.freeze({ listed: undefined, shapes: undefined })

interface Ordered {
  readonly order: number
  readonly listed: Listed
}

/** One segment of what paths begin with, in lower case, and the routes of which no more is known. */
interface Node {
  readonly children: Map<string, Node>
  readonly routes: Ordered[]
}

/**
 * Finds the routes that a path reaches, by Express's own matchers, in the order of the list.
 *
 * A tree of the texts that paths must begin with keeps most routes from being tried.
 */
export class Lookup {
  readonly #root: Node = { children: new Map(), routes: [] }

  constructor(listed: readonly Listed[]) {
    for (const [order, one] of listed.entries()) {
      for (const { segments } of one.entry?.shapes ?? anyShape) this.#insert({ order, listed: one }, segments)
    }
  }

  #insert(route: Ordered, segments: readonly (string | null)[]): void {
    let node = this.#root
    for (const segment of segments) {
      if (segment === null) break
      let child = node.children.get(segment)
      if (child === undefined) node.children.set(segment, (child = { children: new Map(), routes: [] }))
      node = child
    }
    // Two alternatives of one path may begin alike.
    if (node.routes.at(-1) !== route) node.routes.push(route)
  }

  find(method: string, path: string): Found {
    let shapes: readonly Shape[] | undefined
    let options: Listed | undefined
    for (const { listed } of this.#candidates(path)) {
      const { entry } = listed
      const reached = entry === undefined || reaches(entry, path)
      if (!reached) continue
      // A param on the way to a route may be malformed where the path is not of the route's shape at all.
      const known = (reached === 'malformed' ? undefined : entry?.shapes) ?? anyShape
      shapes ??= known
      if (reached === 'malformed' || listed.methodFor(method) !== undefined) return { listed, shapes: known }
      // What Express answers by itself, where no route behind does.
      if (method === 'OPTIONS' || (method === 'HEAD' && listed.meetsHead)) options ??= listed
    }
    return shapes === undefined ? nothing : { listed: options, shapes }
  }

  /** The first route that a path reaches, and that `isWanted`. */
  first(path: string, isWanted: (listed: Listed) => boolean): Listed | undefined {
    for (const { listed } of this.#candidates(path)) {
      if (isWanted(listed) && (listed.entry === undefined || reaches(listed.entry, path))) return listed
    }
    return undefined
  }

  /** The routes that what a path begins with may lead to, in their order. */
  *#candidates(path: string): Iterable<Ordered> {
    const lists: (readonly Ordered[])[] = []
    let node: Node | undefined = this.#root
    for (let start = 1; node !== undefined;) {
      if (node.routes.length > 0) lists.push(node.routes)
      if (node.children.size === 0 || path.charCodeAt(start - 1) !== 0x2f) break
      const slash = path.indexOf('/', start)
      const end = slash < 0 ? path.length : slash
      node = node.children.get(path.slice(start, end).toLowerCase())
      start = end + 1
    }
    if (lists.length === 1) return yield* lists[0]!
    yield* merge(lists)
  }
}

function* merge(lists: readonly (readonly Ordered[])[]): Iterable<Ordered> {
  const positions = lists.map(() => 0)
  let last = -1
  for (;;) {
    let nearest: Ordered | undefined
    for (const [at, list] of lists.entries()) {
      // A route with several alternatives may stand in several lists.
      while (positions[at]! < list.length && list[positions[at]!]!.order <= last) positions[at]!++
      const route = list[positions[at]!]
      if (route !== undefined && (nearest === undefined || route.order < nearest.order)) nearest = route
    }
    if (nearest === undefined) return
    last = nearest.order
    yield nearest
  }
}
