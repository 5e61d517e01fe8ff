// Where each route was registered, and what stands around it in its router: what `move` has to know before it touches a file.
import type { ExpressVersion } from 'routecontrollers/express-model'
import type { Place } from './place.js'

/** Where a call was written: lines and columns count from 0. */
export interface Site extends Place {
  /** True where another file was loaded, that was made of this one. */
  readonly isCompiled: boolean
}

/** Where a function was written. */
export interface DefinitionSite extends Place {
  /** True where a source map says so: it may lead to the name before a function. */
  readonly isMapped: boolean
}

/** The function that a handler is when the app has started, as V8 says of it. */
export interface Definition {
  /** Where it was written; a bound function where its target was. Empty where that is not known. */
  readonly own: readonly DefinitionSite[]
  /** Where the functions were written that it names or is bound to: of a wrapper of async handlers, its handler. */
  readonly named: readonly DefinitionSite[]
  /** True where a layer has another function by now than it was registered with. */
  readonly isReplaced: boolean
  /** The names of members that it has itself, and other functions do not. */
  readonly members: readonly string[]
}

/** One call that has given a route its handlers: `router.get(path, …)`, or `.get(…)` behind `router.route(path)`. */
export interface RegisteredCall {
  readonly at: Site | undefined
  /** As it is called: `get`, `all`. */
  readonly verb: string
  /** True where it was called on what `route(path)` has given. */
  readonly isOnRoute: boolean
  /** How many error handlers stand behind its last handler. */
  readonly errorHandlers: number
}

/** A function of `use`. */
export interface RegisteredUse {
  /** As it was given, `/` where none was; undefined for anything but a text. */
  readonly path: string | undefined
  readonly name: string
  readonly at: Site | undefined
  /** Where it stands among the arguments of its call, and in their lists. */
  readonly argument: readonly number[] | undefined
  readonly isError: boolean
  /** True where a list of Controllers may have it as its hook. */
  readonly isGuard: boolean
  /** The router that it is, or the app whose router that is. */
  readonly leadsTo: number | undefined
}

/** One layer of a router. */
export interface RegisteredLayer {
  readonly isRoute: boolean
  /** Undefined for a route, and for what answers with Controllers alone. */
  readonly use: RegisteredUse | undefined
  /** The path of a route, where that is a text. */
  readonly path: string | undefined
  /** Why it would see another request without its mount; undefined where its text names nothing of the kind. */
  readonly needsMount: string | undefined
  /** The names of the params in its path; undefined where those are not known. */
  readonly params: readonly string[] | undefined
  readonly calls: readonly RegisteredCall[]
  /** Why a Controller cannot stand for it. */
  readonly obstacle: string | undefined
  /** True where its handlers may give a request on. */
  readonly mayPass: boolean
  /** Of a route of one native callback alone: what that was made of, a callback or handlers of Express. */
  readonly native: 'callback' | 'handlers' | undefined
  /**
   * How many guards stand before the native callback of a route that a Controller may have as its middleware: 0 for one alone. `'body'`
   * where the body is read after them. Undefined where something else stands in the route.
   */
  readonly guards: number | 'body' | undefined
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
  readonly version: ExpressVersion
  /** Why no Controllers can stand in it. */
  readonly obstacle: string | undefined
  readonly params: readonly RegisteredParam[]
  readonly layers: readonly RegisteredLayer[]
  readonly strict: boolean
  readonly caseSensitive: boolean
  readonly mergeParams: boolean
}

/** What a loaded file of CommonJS exports. */
export interface ExportsOf {
  /** The file that it was written in. */
  readonly file: string
  /**
   * By its name each function, and what an exported object or class has: `show`, `users.show`. The file itself has none.
   * No site stands for what cannot be read, with all that it has; null for a getter that nothing can replace.
   */
  readonly functions: readonly (readonly [name: string, sites: readonly DefinitionSite[] | null])[]
}

/** What `move` is told of an app. */
export interface Registered {
  readonly routers: readonly RegisteredRouter[]
  /** Of each row of the inventory, in its order, its router and its layer there; null for what is no route of Express. */
  readonly rows: readonly (readonly [router: number, layer: number] | null)[]
  /**
   * Of each row, the definition of the handler that a native callback would stand for: its last one, or the last that one of
   * `fromExpress` runs. Null for what runs none.
   */
  readonly definitions: readonly (Definition | null)[]
  /** The rows of native callbacks that run handlers of Express, whatever stands beside them in their routes. */
  readonly nativesAsIs: readonly number[]
  /** The rows of Controllers that run handlers of Express. */
  readonly runsHandlers: readonly number[]
  /** The routers of the apps of the inventory, in their order; null for one of Controllers alone. */
  readonly roots: readonly (number | null)[]
  /** Of each app of the inventory, the settings that change what its handlers answer: `etag`, `json spaces`. */
  readonly settings: readonly Readonly<Record<string, string>>[]
  /** Of the files of the project that `require` has loaded, what they export when the app has started. */
  readonly exports: readonly ExportsOf[]
  /** The files of the project that were loaded, as they were loaded: of TypeScript that was built, what was built. */
  readonly files: readonly string[]
}
