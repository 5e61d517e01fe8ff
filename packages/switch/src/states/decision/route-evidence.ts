// What is known of one route, to decide whether its Controller does worse than legacy.
import { type Block, PairTest, ShareTest } from './evidence.js'
import type { SideName } from '../schema.js'

/** How one answer has ended. */
export interface Outcome {
  readonly isFailure: boolean
  /** Undefined where that says nothing. */
  readonly ms: number | undefined
}

/** Counts of what has happened since they were taken last. All replicas add theirs. */
export interface Counts {
  native: number
  nativeBad: number
  nativeSlow: number
  legacy: number
  legacyBad: number
  legacySlow: number
  compared: number
  different: number
}

export const nameOfCounts = [
  'native',
  'nativeBad',
  'nativeSlow',
  'legacy',
  'legacyBad',
  'legacySlow',
  'compared',
  'different',
] as const satisfies readonly (keyof Counts)[]

export function noCounts(): Counts {
  return {
    native: 0,
    nativeBad: 0,
    nativeSlow: 0,
    legacy: 0,
    legacyBad: 0,
    legacySlow: 0,
    compared: 0,
    different: 0,
  }
}

/** The tests of one route by the figures of this process, or by those of all. */
class Tests {
  readonly errors = new PairTest()
  readonly slow = new PairTest()
  readonly differences = new ShareTest()

  /** Takes what was counted in the same second. */
  take(counts: Counts, allowedDifferences: number): void {
    this.errors.addBlock(blockOf(counts, 'Bad'))
    this.slow.addBlock(blockOf(counts, 'Slow'))
    this.differences.addMany(counts.compared, counts.different, allowedDifferences)
  }

  clear(): void {
    this.errors.clear()
    this.slow.clear()
    this.differences.clear()
  }
}

function blockOf(counts: Counts, bad: 'Bad' | 'Slow'): Block {
  const { native, legacy } = counts
  return { native, nativeBad: counts[`native${bad}`], legacy, legacyBad: counts[`legacy${bad}`] }
}

export class RouteEvidence {
  readonly own = new Tests()
  readonly fleet = new Tests()
  /** Of answers of the Controller since legacy has answered last: against the last answers of legacy. */
  readonly alone = { errors: new ShareTest(), slow: new ShareTest() }
  /** Above that an answer is slow; undefined while it is not known how slow legacy is. */
  slowAboveMs: number | undefined
  #counts = noCounts()
  /** Since when answers of the Controller wait for one of legacy. */
  #aloneSince: number | undefined

  /** An answer to a client, or of legacy to a copy. */
  answered(side: SideName, { isFailure, ms }: Outcome, allowed: number, now: number): void {
    const isSlow = this.slowAboveMs === undefined || ms === undefined ? undefined : ms > this.slowAboveMs
    this.own.errors.add(side, isFailure)
    if (isSlow !== undefined) this.own.slow.add(side, isSlow)
    this.#counts[side]++
    if (isFailure) this.#counts[`${side}Bad`]++
    if (isSlow === true) this.#counts[`${side}Slow`]++
    if (side === 'legacy') {
      this.#aloneSince = undefined
      this.alone.errors.clear()
      if (isSlow !== undefined) this.alone.slow.clear()
      return
    }
    this.#aloneSince ??= now
    this.alone.errors.add(isFailure, allowed)
    // Of 100 answers of legacy one takes longer than its p99, and fewer are slow.
    if (isSlow !== undefined) this.alone.slow.add(isSlow, 0.05)
  }

  compared(isDifferent: boolean, allowed: number): void {
    this.own.differences.add(isDifferent, allowed)
    this.#counts.compared++
    if (isDifferent) this.#counts.different++
  }

  /** For how long legacy has answered nothing that the answers of the Controller could be compared with. */
  aloneMs(now: number): number {
    return this.#aloneSince === undefined ? 0 : now - this.#aloneSince
  }

  /** What was counted since this was asked last. */
  takeCounts(): Counts {
    const counts = this.#counts
    this.#counts = noCounts()
    return counts
  }

  /** Another state begins: what was before it says nothing of it. */
  clear(): void {
    this.own.clear()
    this.fleet.clear()
    this.alone.errors.clear()
    this.alone.slow.clear()
    this.#aloneSince = undefined
  }
}
