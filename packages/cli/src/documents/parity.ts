// What `parity` tells, as `--json` prints it.
import type { Difference } from '../../../compare/src/difference.js'
import type { AnswerHead } from '../../../compare/src/request.js'

/** One request whose answers differ. */
export interface ParityDifference {
  readonly method: string
  readonly target: string
  /** The route that it was made for: `GET /users/:id`. */
  readonly route: string
  /** In which way it differs from what the route expects, as `trailing slash`; `''` where it does not. */
  readonly variant: string
  /** The names of headers that were sent. */
  readonly headers: readonly string[]
  readonly legacy: AnswerHead
  readonly now: AnswerHead
  readonly changes: readonly Difference[]
  /** Who answers it now: `Express GET /* at app.js:61`. */
  readonly by?: string
  /** Where the one stands who answers it now: `app.js:61`. */
  readonly at?: string
}

/** Differences with one cause. */
export interface ParityGroup {
  readonly cause: string
  readonly remedy?: string
  readonly routes: readonly string[]
  readonly differences: readonly ParityDifference[]
}

/** What `parity` has found. */
export interface ParityReport {
  readonly version: 1
  /** True where all was compared, and nothing differs. */
  readonly ok: boolean
  /** How many requests were compared, of how many. */
  readonly compared: number
  readonly planned: number
  /** What both sides are. */
  readonly legacy: string
  readonly now: string
  readonly groups: readonly ParityGroup[]
  /** What differs between answers of legacy to one request, asked twice or started twice, and was not compared; in how many requests. */
  readonly noise: Readonly<Record<string, number>>
  /** What the project has said not to compare, and in how many requests it was left out. */
  readonly ignored: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}

/** The file in the folder of the project. */
export const ignoreFile = 'routes.parity.json'
