// What is known of one route, to decide whether its Controller does worse than legacy.
import { Share } from '../outcomes.js'
import { type Counts, factorsIn, nameOfCounts, noCounts } from './counts.js'
import { JointTest, PairTest, ShareTest } from './evidence.js'
import type { SideName } from '../schema.js'

/** How one answer has ended. */
export interface Outcome {
  readonly isFailure: boolean
  /** Undefined where that says nothing. */
  readonly ms: number | undefined
}

/** Of so many answers it is known how many were bad; and of the latest of them. */
const [remembered, latest] = [200, 20]

/** The tests of one route by the figures of this process. */
class OwnTests {
  readonly errors = new PairTest()
  readonly slow = new PairTest()
  readonly differences = new ShareTest()

  clear(): void {
    this.errors.clear()
    this.slow.clear()
    this.differences.clear()
  }
}

/** The last answers of one kind that all replicas have given. */
class Recent {
  readonly last = new Share(remembered)
  readonly latest = new Share(latest)

  add(count: number, bad: number): void {
    this.last.add(count, bad)
    this.latest.add(count, bad)
  }

  /** Of the last answers and the latest of them those that tell more. */
  get worst(): Share {
    return this.latest.rate > this.last.rate ? this.latest : this.last
  }

  clear(): void {
    this.last.clear()
    this.latest.clear()
  }
}

/** The tests by the figures of all replicas. */
class JointTests {
  readonly errors = new JointTest()
  readonly slow = new JointTest()
  readonly differences = new ShareTest()
  readonly recent = { native: new Recent(), slow: new Recent(), legacy: new Recent(), compared: new Recent() }
  /** All that was counted in this state. */
  sums = noCounts()

  /** Takes what was counted since the last figures. */
  take(counts: Counts, allowedDifferences: number): void {
    this.errors.add(factorsIn(counts, 'errors'))
    this.slow.add(factorsIn(counts, 'slow'))
    this.differences.addMany(counts.compared, counts.different, allowedDifferences)
    const { native, slow, legacy, compared } = this.recent
    native.add(counts.native, counts.nativeBad)
    slow.add(counts.native, counts.nativeSlow)
    legacy.add(counts.legacy, counts.legacyBad)
    compared.add(counts.compared, counts.different)
    for (const name of nameOfCounts) this.sums[name] += counts[name]
  }

  forgetDifferences(): void {
    this.differences.clear()
    this.recent.compared.clear()
    this.sums.compared = this.sums.different = 0
  }

  clear(): void {
    this.errors.clear()
    this.slow.clear()
    this.differences.clear()
    // How legacy is says something of any state.
    const { native, slow, compared } = this.recent
    for (const one of [native, slow, compared]) one.clear()
    this.sums = noCounts()
  }
}

export class RouteEvidence {
  readonly own = new OwnTests()
  readonly joint = new JointTests()
  /** Of answers of the Controller since legacy has answered last: against the last answers of legacy. */
  readonly alone = { errors: new ShareTest(), slow: new ShareTest() }
  /** Above that an answer is slow; undefined while it is not known how slow legacy is. */
  slowAboveMs: number | undefined
  #counts = noCounts()
  /** Since when answers of the Controller wait for one of legacy. */
  #aloneSince: number | undefined

  /** An answer to a client, or of legacy to a copy. */
  answered(side: SideName, { isFailure, ms }: Outcome, allowed: number, now: number): void {
    const isSlow = this.isSlow(ms)
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

  /** Undefined where that is not known. */
  isSlow(ms: number | undefined): boolean | undefined {
    return this.slowAboveMs === undefined || ms === undefined ? undefined : ms > this.slowAboveMs
  }

  compared(isDifferent: boolean, allowed: number): void {
    this.own.differences.add(isDifferent, allowed)
    this.#counts.compared++
    if (isDifferent) this.#counts.different++
  }

  /** What was compared until now counts for nothing, also what others have not been told of yet. */
  forgetDifferences(): void {
    this.own.differences.clear()
    this.joint.forgetDifferences()
    this.#counts.compared = this.#counts.different = 0
  }

  /** For how long legacy has answered nothing that the answers of the Controller could be compared with. */
  aloneMs(now: number): number {
    return this.#aloneSince === undefined ? 0 : now - this.#aloneSince
  }

  /** True where the answers of this process are a reason to ask for the figures of all at once. */
  get isSuspicious(): boolean {
    const { errors, slow, differences } = this.own
    return errors.log > 0 || slow.log > 0 || differences.log > 0
  }

  /** What was counted since this was asked last. */
  takeCounts(): Counts {
    const counts = this.#counts
    this.#counts = noCounts()
    for (const name of ['errors', 'slow'] as const) {
      // Rounded down: never more than was found.
      const factors = this.own[name].takeFactors().map((one) => Math.floor(1000 * one))
      for (const [bet, factor] of factors.entries()) counts[`${name}${bet as 0 | 1 | 2}`] = factor
    }
    return counts
  }

  /** Another state begins: what was before it says nothing of it. */
  clear(): void {
    this.own.clear()
    this.joint.clear()
    this.alone.errors.clear()
    this.alone.slow.clear()
    this.#aloneSince = undefined
  }
}
