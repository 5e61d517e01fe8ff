// Where each route was registered, and what stands around it in its router: what `move` has to know before it touches a file.
import type { Place } from './functions.js'

/** Where a call was written: lines and columns count from 0. */
export interface Site extends Place {
  /** True where another file was loaded, that was made of this one. */
  readonly isCompiled: boolean
}

/** One call that has given a route its handlers: `router.get(path, …)`, or `.get(…)` behind `router.route(path)`. */
export interface RegisteredCall {
  readonly at: Site | undefined
  /** As it is called: `get`, `all`. */
  readonly verb: string
  /** True where it was called on what `route(path)` has given. */
  readonly isOnRoute: boolean
}

/** One layer of a router. */
export interface RegisteredLayer {
  readonly isRoute: boolean
  /** The names of the params in its path; undefined where those are not known. */
  readonly params: readonly string[] | undefined
  readonly calls: readonly RegisteredCall[]
  /** Why a Controller cannot stand for it. */
  readonly obstacle: string | undefined
  /** True where its handlers may give a request on. */
  readonly mayPass: boolean
}

/** A callback of `param`. */
interface RegisteredParam {
  readonly name: string
  /** How many layers its router had by then; undefined where that was not recorded. */
  readonly layers: number | undefined
}

/** A router, or that of an app. */
export interface RegisteredRouter {
  readonly kind: 'app' | 'router'
  readonly version: 4 | 5
  /** Why no Controllers can stand in it. */
  readonly obstacle: string | undefined
  readonly params: readonly RegisteredParam[]
  readonly layers: readonly RegisteredLayer[]
}

/** What `move` is told of an app. */
export interface Registered {
  readonly routers: readonly RegisteredRouter[]
  /** Of each row of the inventory, in its order, its router and its layer there; null for what is no route of Express. */
  readonly rows: readonly (readonly [router: number, layer: number] | null)[]
}
