// What `prove` tells, as `--json` prints it.
import type { RouteStage } from './inventory.js'
import type { CheckReport } from './check.js'
import type { FindingOf } from './finding.js'
import type { ParityReport } from './parity.js'

/** The facts of each proof that is missing, by its code. A new code needs its entry in report/prove-missing.ts. */
interface MissingFacts {
  /** No lock, and no revision, says what guarded the routes. */
  readonly 'no-lock': {}
  /** Nothing but the handler of Express is in the route, and nothing else to compare it with. */
  readonly 'not-moved': {}
  /** A package registers it, so it stays a route of Express. */
  readonly 'of-package': {}
  /** Other handlers of its route follow it, so it stays a route of Express. */
  readonly followed: {}
  /** The handler is gone, and no revision was named that has it. */
  readonly 'no-legacy': {}
  /** Its method writes, and no request was made. */
  readonly unsafe: {}
  /** No request is known that reaches it, or none was answered. */
  readonly 'no-request': {}
  /** A rate limit of the app answered some requests by 429, so what stands behind it was not compared. */
  readonly limited: {}
  /** The statuses of all answers, each an error: what it does when all is well was not seen. `takesForm` where a guard reads a form with files. */
  readonly 'no-success': { readonly statuses: readonly number[]; readonly takesForm?: true }
  /** The statuses of all answers, which were made before its native callback was asked: by a guard that redirects, or answers by itself. */
  readonly 'not-reached': { readonly statuses: readonly number[] }
  /** Each answer below 400 was empty, as `{}`: what it answers where there is something was not seen. */
  readonly empty: {}
  /** What its code reads of a request, and no request had: `query.q`, `header.x-tenant`, `cookie.theme`, `body.name`. */
  readonly 'no-input': { readonly inputs: readonly string[] }
  /** Some requests were not compared. */
  readonly incomplete: {
    readonly of: 'parity' | 'replay'
    readonly compared: number
    readonly planned: number
  }
}

/** Which proof is missing. */
export type MissingCode = keyof MissingFacts

/** A proof that is missing, as data. */
export type Missing<C extends MissingCode = MissingCode> = FindingOf<MissingFacts, C> & {
  /** `GET /orders/:id`; undefined where it is missing for all. */
  readonly route: string | undefined
}

/** The same with its texts. */
export type ToldMissing = Missing & { readonly message: string; readonly remedy: string }

/** One route that was to be proved. */
export interface ProvedRoute {
  readonly method: string
  readonly path: string
  readonly at: string | undefined
  /** How far it is; undefined for a Controller outside of Express. */
  readonly stage: RouteStage | undefined
  readonly verdict: Verdict
  /** How many requests were compared, and how many of them are of the recording, or of `--request`. */
  readonly compared: number
  readonly played: number
  /** What legacy has answered to requests as the route expects them. */
  readonly statuses: readonly number[]
}

/** `different` where something was found, `unproved` where nothing was found and a proof is missing. */
export type Verdict = 'proved' | 'different' | 'unproved'

/** What `prove` has found. */
export interface ProveReport {
  readonly version: 1
  readonly verdict: Verdict
  readonly routes: readonly ProvedRoute[]
  /** What has changed of their guards; undefined where nothing is known to compare with. */
  readonly check: CheckReport | undefined
  /** The answers; undefined where no request could be compared. */
  readonly parity: ParityReport | undefined
  /** The answers to recorded requests; undefined without a recording. */
  readonly replay: ParityReport | undefined
  readonly missing: readonly ToldMissing[]
  /** What no run of it proves, as sentences. */
  readonly limits: readonly string[]
}
