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
  /** What names it, without lines: what `--accept` writes into the lock. */
  readonly finding: string
  /** The name of what was lost, gained, …, and where it stands or stood. */
  readonly what: string
  readonly at: string | undefined
}

/** What is worth telling, and is no finding. */
export interface Note {
  readonly kind: 'moved' | 'updated' | 'respelled'
  readonly what: string
  readonly at: string | undefined
}

/** What is to be said of one route. */
export interface RouteChanges {
  readonly method: string
  readonly path: string
  /** Who answers now, and who did. */
  readonly answer: string
  readonly was: string | undefined
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
  /** How many routes of the lock were looked at. */
  readonly checked: number
  readonly routes: readonly RouteChanges[]
}
