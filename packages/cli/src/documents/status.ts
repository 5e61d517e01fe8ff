// Where each route stands on its road, as `status --json` prints it.

/** Where a route stands on its road. At `beside` both are there, and who answers is not known, or is the handler. */
export type Stand = 'legacy' | 'beside' | 'shadow' | 'canary' | 'native' | 'retired' | 'as-is' | 'lifted'

/** What leads a route on: a command that edits its file, an edit by hand (`delete`), or `set` of its migration. */
export type NextStep =
  | { readonly by: 'move'; readonly route: string }
  /** One that a package registers stays a route of Express. */
  | { readonly by: 'keep'; readonly route: string }
  /** One that other handlers of its route follow is left by `move`. */
  | { readonly by: 'split'; readonly route: string }
  /** A native callback or a Controller that runs its handler as it is, for you to rewrite. */
  | { readonly by: 'brief'; readonly route: string }
  /** `isProvedFirst` is there where the command `prove` comes first. */
  | { readonly by: 'set'; readonly route: string; readonly state: string; readonly isProvedFirst?: true }
  | { readonly by: 'delete'; readonly route: string }
  /** `also` are the routes that the same call registers, as where its router is mounted twice. */
  | { readonly by: 'retire'; readonly route: string; readonly also?: readonly string[] }
  /** The file of its router, which `lift` takes. */
  | { readonly by: 'lift'; readonly route: string; readonly file: string }

/** One route. */
export interface StatusRow {
  /** The number of its app in `apps` of the inventory. */
  readonly app: number
  readonly method: string
  readonly path: string
  readonly stands: Stand
  /** The state that counts for it; undefined where none is known. */
  readonly state: string | undefined
  /** How many functions its requests pass before they are answered: guards, and those that guard nothing, such as a logger. */
  readonly passes: number
  /** Where it was registered. */
  readonly at: string | undefined
  /** Undefined where nothing is left to do. */
  readonly next: NextStep | undefined
}

/** What `status` tells of an app. */
export interface StatusReport {
  readonly version: 1
  /** The command that builds the entry, for `--run` of the commands that write; undefined where no build makes it. */
  readonly run?: string | undefined
  /** How many routes stand where. */
  readonly counts: Readonly<Record<Stand, number>>
  readonly routes: readonly StatusRow[]
  /** The keys of the store that are for no route that could be switched. */
  readonly unused: readonly string[]
}
