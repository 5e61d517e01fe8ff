import type { SentRequest } from './requests.js'
import type { Way } from './servers.js'
import type { Table } from './tables.js'

export interface Pair {
  readonly table: Table
  readonly way: Way
  readonly mount: string
  readonly request: SentRequest
  readonly legacy: string
  readonly ours: string
  readonly legacyTrace: readonly string[]
  readonly oursTrace: readonly string[]
}

/** Differences that are meant, each with its reason; docs/express.md lists them. */
export const explained: readonly { reason: string; applies: (pair: Pair) => boolean }[] = []
