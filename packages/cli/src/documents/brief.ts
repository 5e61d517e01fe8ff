// What `brief` tells of one route, as `--json` prints it.
import type { RouteSettings, RouteStage } from './inventory.js'

/** What a function uses of its request and its response. */
export interface Used {
  /** Members of the request that it reads: `params.id`, `get('accept')`. */
  readonly reads: readonly string[]
  /** Members of the request that it sets: `user`. */
  readonly sets: readonly string[]
  /** What it does to the response: `status(404)`, `locals.user`. */
  readonly leaves: readonly string[]
}

/** One function or other piece of code that counts for the route. */
export interface BriefPiece extends Used {
  /** What it is to a request: `route` is the call that registers it, and `uses` what the handler reads and calls by name. */
  readonly role: 'route' | 'handler' | 'native' | 'pass' | 'error' | 'uses'
  readonly name: string
  /** Where it was registered. */
  readonly at: string | undefined
  /** Where it is written. */
  readonly definition: string | undefined
  /** The text of the argument that gave it, without secrets. */
  readonly argument?: string
  /** The path that it is mounted at, where that is not all. */
  readonly mount?: string
  /** Its text without secrets; undefined where it is that of a package, or was left out. */
  readonly source: string | undefined
}

/** A recorded request with its answer, without secrets. */
export interface BriefExample {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | undefined
  }
}

/** What `brief` tells. */
export interface BriefReport {
  readonly version: 1
  readonly method: string
  readonly path: string
  /** Where the route was registered. */
  readonly at: string | undefined
  readonly stage: RouteStage | undefined
  /** The version of Express. */
  readonly express: string | undefined
  readonly settings: RouteSettings & { readonly app: Readonly<Record<string, string>> }
  /** Why the machine makes no callback; undefined where it makes one, or where one answers already. */
  readonly left:
    | { readonly reason: string; readonly remedy: string | undefined; readonly at: string | undefined }
    | undefined
  /** What to write, or to complete. */
  readonly template: string
  /** What members that the handler uses are natively. */
  readonly natively: readonly { readonly member: string; readonly write: string }[]
  /** What a native callback answers in another way than the handler, and is meant to, as sentences. */
  readonly differs: readonly string[]
  /** In the order of what is most needed. */
  readonly pieces: readonly BriefPiece[]
  readonly examples: readonly BriefExample[]
  /** What comes next, and what proves the result. */
  readonly commands: readonly string[]
  /** What the page has not, as sentences. */
  readonly leftOut: readonly string[]
  /** How many tokens the page has, as they are estimated: three bytes are one. */
  readonly tokens: number
}
