// What `check` tells, as `--json` prints it.

/** What has changed, of one route. */
export type ChangeKind =
  | 'lost'
  | 'gained'
  | 'changed'
  | 'reordered'
  | 'params'
  | 'settings'
  | 'shadowed'
  | 'twice'
  | 'not-a-guard'
  | 'unverifiable'
  | 'unreachable'
  | 'new'
  | 'gone'

/** One change that counts. */
export interface Change {
  readonly kind: ChangeKind
  /** What names it for readers, without lines. */
  readonly finding: string
  /** A hash of all that was found: what `--accept` writes into the lock. Another finding has another one, whatever its text. */
  readonly key: string
  /** The name of what was lost, gained, …, and where it stands or stood. */
  readonly what: string
  readonly at: string | undefined
  /** Of a function that was lost, changed or reordered: how many rows of the lock pass it. */
  readonly routes?: number
  /** The call that has a Controller pass it again, of what was lost. */
  readonly call?: string
  /** The path of a Controller that is written with another slash than its route. */
  readonly path?: string
}

/** What is worth telling, and is no finding. */
export interface Note {
  readonly kind: 'moved' | 'updated' | 'respelled'
  readonly what: string
  readonly at: string | undefined
}

/** What is to be said of one route. */
export interface RouteChanges {
  /** What the row is known by: its app, its kind, its method and its path, and its number among rows that have all of them. */
  readonly key: string
  /** The number of its app now, from 0 on. */
  readonly app: number
  readonly method: string
  readonly path: string
  /** Who answers now, and who did. */
  readonly answer: string
  readonly was: string | undefined
  /** True where a Controller answers now. */
  readonly moved: boolean
  readonly changes: readonly Change[]
  readonly accepted: readonly (Change & { readonly because: string })[]
  readonly notes: readonly Note[]
  readonly remedy: string | undefined
}

/** What `check` says. */
export interface CheckReport {
  readonly version: 1
  /** True where nothing has changed that is not accepted. */
  readonly ok: boolean
  /** How many routes of the lock were looked at, and how many functions of `use` that have rows of their own. */
  readonly checked: number
  /** Routes besides, which no request is known for: the functions that stand before them are compared. */
  readonly byPosition: number
  /** Such routes in a lock of an older version, which does not have those functions. */
  readonly notCompared: number
  readonly mounts: number
  readonly apps: number
  /** How many rows of the app the lock leaves out. */
  readonly except: number
  readonly routes: readonly RouteChanges[]
}
