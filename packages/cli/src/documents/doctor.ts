// What `doctor` finds, as `--json` prints it.
import type { FindingOf, Severity } from './finding.js'
import type { InspectFacts } from './inventory.js'

/** The facts of each finding of `doctor`, by its code. A new code needs its entry in report/doctor-findings.ts. */
interface DoctorFacts {
  /** The versions of packages that are installed. */
  readonly express: { readonly version: string; readonly isTooOld: boolean }
  readonly typescript: { readonly version: string; readonly skipsLibCheck: boolean }
  /** The version of @types/node; null where it is not installed. */
  readonly 'types-node': { readonly version: string | null; readonly least: string }
  readonly 'jest-version': { readonly version: string }
  readonly 'jest-jsdom': {}
  /** What package.json allows. */
  readonly 'node-engines': { readonly range: string; readonly least: string }
  /** What runs the app. */
  readonly 'node-version': { readonly version: string; readonly least: string }
  readonly agent: { readonly packages: readonly string[] }
  readonly wrapped: { readonly by: string; readonly layers: number }
  /** The members that were put on Express. */
  readonly patched: { readonly members: readonly string[] }
  readonly late: { readonly registrations: number }
  /** The packages that take them; null is the project. */
  readonly upgrade: { readonly takenBy: readonly (string | null)[] }
  /** The store of sessions. */
  readonly session: { readonly store: string }
  readonly opaque: { readonly path: string } & InspectFacts['opaque']
  /** The routes that `inspect` finds something of, for one of its codes. */
  readonly routes: { readonly found: RouteFinding; readonly names: readonly string[] }
}

/** What `inspect` finds of routes that no proof reaches, or that lose a guard. */
export type RouteFinding = 'unreachable' | 'shadowed' | 'unknown-method' | 'native-first' | 'not-a-guard'

export type DoctorCode = keyof DoctorFacts

/** One thing that stands in the way, as data. */
export type DoctorFound<C extends DoctorCode = DoctorCode> = FindingOf<DoctorFacts, C> & {
  /** The files, with the line where there is one. */
  readonly at: readonly string[]
}

/** What stands in the way: the word by which texts name it. Several codes may have one. */
export type DoctorKind =
  | 'agent'
  | 'express'
  | 'jest'
  | 'late'
  | 'node'
  | 'opaque'
  | 'patched'
  | 'routes'
  | 'session'
  | 'typescript'
  | 'upgrade'
  | 'wrapped'

/** One thing that stands in the way, and what helps. */
export type DoctorFinding = DoctorFound & {
  readonly kind: DoctorKind
  readonly severity: Severity
  readonly message: string
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
