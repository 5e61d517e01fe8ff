import type { ExpressVersion, StepKind } from 'routecontrollers/express-model'
import type { Example } from './example.js'
import type { FindingOf, Severity } from './finding.js'
// The inventory, as `inspect` gives it and `--json` prints it.

/** Options of `inspect`. */
export interface InspectOptions {
  /** The folder that shown paths are relative to. Default: the current one. */
  root?: string
}

/** What a request passes: one function. Places are `file:line`, relative to the project. */
export interface Pass {
  readonly kind: StepKind
  /** The name of the function, or `<anonymous>`. */
  readonly name: string
  /** Where it was registered; undefined where that was not recorded. */
  readonly at: string | undefined
  /** Where the project has called for it, when it is a package that has registered it. */
  readonly via: string | undefined
  /** Where the function is written; undefined for a native one. */
  readonly definition: string | undefined
  /** A hash of the function's syntax, with the constants that it reads; undefined where that cannot be read. */
  readonly source: string | undefined
  /** The hash by which a lock of version 1 knows it. */
  readonly formerSource: string | undefined
  /** The text of the argument that gave the function, without secrets; undefined for one that says it all by its own text. */
  readonly argument: string | undefined
  /** A hash of the syntax of that argument, with what its names stand for. */
  readonly made: string | undefined
  /** A hash of what the function reads and calls by name in the project; undefined where that is nothing. */
  readonly sourceNames: string | undefined
  /** The same of the argument. */
  readonly madeNames: string | undefined
  /** The path that it is mounted at. */
  readonly mount: string
  /** Of a callback of `param`: the name of the param. */
  readonly param: string | undefined
  /** Of an error handler: how many of the functions directly before it may lead to it by an error. */
  readonly catches?: number
  /** True where neither the text of the function nor that of the argument can be read. */
  readonly unverifiable: boolean
}

/** Who answers. */
export interface Answerer {
  readonly by: 'Express' | 'Controller' | 'middleware' | 'nobody'
  /** The method and the path of its route. */
  readonly route: string | undefined
  readonly name: string
  readonly at: string | undefined
  /** A hash of its syntax; undefined where that cannot be read. */
  readonly source: string | undefined
  /** True where `toControllers` has made the Controller of a route of the app. */
  readonly takenOver: boolean
  /** Of a Controller, the path that its list is mounted at in an app; missing where it stands in none. */
  readonly mount?: string
  /**
   * Of a native callback in a route of Express, the functions that stand behind it in the route: they run where it leaves the request to
   * them alone. Missing for any other answer.
   */
  readonly behind?: readonly Pass[]
}

/** How far a route of Express is. Its handler is alone, stands behind a native callback, or is gone. */
export type RouteStage = 'legacy' | 'beside' | 'native'

/** Settings that decide what a request meets. */
export interface RouteSettings {
  /** True where a slash at the end makes another path of it. */
  readonly strict: boolean
  /** True where upper and lower case make another path of it. */
  readonly caseSensitive: boolean
  /** True where the params of its mounts are among its own. */
  readonly mergeParams: boolean
  /** As the app has it; `'function'` for one. */
  readonly trustProxy: TrustProxy
  /** Of mounted apps that the request meets, where they have set another one; missing where none has. */
  readonly mountedTrustProxy?: readonly TrustProxy[]
}

/** The setting `trust proxy`: a list of addresses is one text, and a function is `'function'`. */
export type TrustProxy = boolean | number | string

/** What a request with a certain method and URL meets. */
export interface Observation {
  readonly passes: readonly Pass[]
  readonly answer: Answerer
  /** The names of the params that the answer sees. */
  readonly params: readonly string[]
  readonly settings: RouteSettings
  /** Error handlers that an error of the answer leads to, in their order. Those before it are among `passes`. */
  readonly errorHandlers: readonly Pass[]
}

/** One route, or one function of `use` (method `*`) that answers or guards what no route does. */
export interface RouteRow extends Observation {
  /** The number of its app in `apps`. */
  readonly app: number
  /** Of a mount, the last of `passes` is the function itself, unless the row is `shadowed`. */
  readonly kind: 'route' | 'mount'
  readonly method: string
  /** The whole path, as it was written. */
  readonly path: string
  /** A URL that reaches it; undefined where none was found. */
  readonly witness: string | undefined
  /** The method that goes with it, which for a route of all methods is one of them. */
  readonly witnessMethod: string
  /** True where another function answers the witness before. */
  readonly shadowed: boolean
  /** True where the route may give its request on. */
  readonly mayPass: boolean
  /** The route itself, which is not the answer where it is shadowed. */
  readonly own: {
    readonly by: 'Express' | 'Controller'
    readonly name: string
    readonly at: string | undefined
    readonly definition: string | undefined
    /** A hash of the syntax of its last handler. */
    readonly source: string | undefined
    /** The hash by which a lock of version 1 knows it. */
    readonly formerSource: string | undefined
    /** Of a route of Express; missing for all else. */
    readonly stage?: RouteStage
    /** Of a native callback, the functions behind it in its route. The last one is the handler that it replaces. */
    readonly behind?: readonly Pass[]
    /** Its last function is one of `all`, and functions for other methods follow in its route: `move` leaves it. */
    readonly followed?: true
  }
  /** A request that fits the schemas of a Controller or of a native callback; undefined where it has none. */
  readonly example?: Example
}

/** One app, or RouteControllers. */
export interface AppRow {
  readonly kind: 'Express app' | 'Express router' | 'RouteControllers'
  /** The version of Express. */
  readonly version: ExpressVersion | undefined
  readonly routes: number
  /** How many functions of `use` have a row. */
  readonly mounts: number
  readonly trustProxy: TrustProxy
}

/** What `inspect` tells of an app. JSON as it is; the schema is in docs/migrate/inspect.md. */
export interface Inventory {
  readonly version: 1
  readonly apps: readonly AppRow[]
  readonly routes: readonly RouteRow[]
  readonly findings: readonly Finding[]
  /** What could not be done, and why; and sources that are newer than what was built of them. */
  readonly notes: readonly string[]
}

/** The facts of each finding of `inspect`, by its code. A new code needs its entry in report/inspect-findings.ts. */
export interface InspectFacts {
  /** Where its method and path are registered already. */
  readonly duplicate: { readonly first: Pick<RouteRow['own'], 'by' | 'at'> }
  /** The route that answers before. */
  readonly shadowed: { readonly by: Pick<Answerer, 'by' | 'route' | 'at'> }
  /** The middleware that answers before. */
  readonly unreachable: { readonly by: Pick<Answerer, 'name' | 'at'> }
  readonly interceptor: {}
  /** What is wrapped. */
  readonly opaque: { readonly leadsTo: 'router' | 'app' }
  /** Its method is not one of `http.METHODS`. */
  readonly 'unknown-method': {}
  readonly 'no-witness': {}
  /** Functions that stand behind a native callback in its route, before the handler that it replaces: their names. */
  readonly 'native-first': { readonly name: string; readonly behind: readonly string[] }
  /** The routes that a Controller is meant to guard, and does not. */
  readonly 'not-a-guard': { readonly guards: readonly string[] }
}

/** What `inspect` finds odd. */
export type FindingKind = keyof InspectFacts

/** One finding of `inspect`, as data. */
export type InspectFinding<C extends FindingKind = FindingKind> = FindingOf<InspectFacts, C> & {
  /** The number of its app in `apps`. */
  readonly app: number
  readonly method: string
  readonly path: string
  readonly at: string | undefined
  /** A request that shows it: `GET /users/id-1`. */
  readonly witness: string | undefined
}

/** One finding, with its texts. */
export type Finding = InspectFinding & {
  readonly kind: FindingKind
  readonly severity: Severity
  readonly message: string
}
