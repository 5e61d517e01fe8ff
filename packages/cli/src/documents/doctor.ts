// What `doctor` finds, as `--json` prints it.

/** What stands in the way. */
type DoctorKind =
  | 'agent'
  | 'express'
  | 'jest'
  | 'late'
  | 'node'
  | 'opaque'
  | 'patched'
  | 'session'
  | 'typescript'
  | 'upgrade'
  | 'wrapped'

/** One thing that stands in the way, and what helps. */
export interface DoctorFinding {
  readonly kind: DoctorKind
  readonly message: string
  /** The files, with the line where there is one. */
  readonly at: readonly string[]
  readonly remedy: string
}

/** What `doctor --json` prints. */
export interface DoctorReport {
  readonly version: 1
  /** The entry, relative to the project. */
  readonly entry: string
  /** Why the entry could not be looked into; then only what files say was found. */
  readonly failure: string | undefined
  readonly findings: readonly DoctorFinding[]
}

/** What a running entry says of what may stand in the way. */
export interface Obstacles {
  /** The version of Node that runs it. */
  readonly node: string
  /** By which package layers were wrapped, and how many. */
  readonly wrapped: readonly {
    readonly by: string
    readonly layers: number
    readonly at: string | undefined
  }[]
  /** Members that the project or a package has put on Express's request and response. */
  readonly patched: readonly { readonly name: string; readonly at: string | undefined }[]
  /** What was registered after the server listened. */
  readonly late: readonly { readonly at: string | undefined }[]
  /** Who takes upgrades of a server that has an app. */
  readonly upgrades: readonly { readonly by: string | undefined; readonly at: string | undefined }[]
  /** The stores of sessions, by the names of their classes. */
  readonly stores: readonly string[]
}
