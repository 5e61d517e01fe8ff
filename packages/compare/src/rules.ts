// What a comparison is told, and what it tells.
import type { Difference } from './difference.js'
import type { Secrets } from './redact.js'

/** What is left out, and what is known of a route. */
export interface CompareRules {
  /** Names in lower case. */
  readonly ignoredHeaders: ReadonlySet<string>
  readonly secrets: Secrets
  /** Takes the secrets of the request out of a text. */
  readonly mask: (text: string) => string
  readonly maxBytes: number
  /** True where one of the answers was recorded: what is secret was left out of it. */
  readonly isRecorded: boolean
  /**
   * True where all counts that a client gets. That is how JSON is written, what is secret, the values of cookies and headers that are made
   * of the body. Of a text that is noise, it is the other words. Clients in production do not depend on it; a report before that should tell it.
   */
  readonly isExact?: boolean
  /** True for a difference that a person has accepted: it is told, and keeps no other one from being told. */
  readonly isAccepted?: ((difference: Difference) => boolean) | undefined
}

/** What a comparison has found. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** True where something differs that is known as noise, and legacy was not asked about it again. */
  readonly isNoisy: boolean
  /** What was not compared: headers, `set-cookie sid`, places as `$.items[*].price`, `body` with the word before it. */
  readonly noise: readonly string[]
}

/** So many differences of two answers are told, besides those that are accepted. */
export const mostDifferences = 10
