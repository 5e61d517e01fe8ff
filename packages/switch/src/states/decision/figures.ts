// Pure: by how much the figures of a Controller are worse than those of legacy, and than what is allowed.
import type { RollbackSettings } from '../options.js'
import type { Ring, Share } from '../outcomes.js'
import type { RollbackEvidence } from '../schema.js'
import type { SwitchedRoute } from '../switched-route.js'
import type { Measure } from './alarm-rate.js'
import type { Counts } from './counts.js'

export type Figure = Pick<RollbackEvidence, 'cause' | 'measured' | 'limit' | 'answers'>

/**
 * What is measured of a route, where that is more than is allowed. `strictness` divides the limit: what a share goes up by is stricter than
 * what takes it back, so that none goes to and fro.
 */
export interface Figures {
  readonly measure: (measure: Measure, strictness: number) => Figure | undefined
  /** Whether both sides fail: nothing that is seen then is a reason to go up. */
  readonly isOutage: boolean
}

/** A legacy that fails so often is in an outage. */
const outageRate = 0.5

/** By the last answers of this process. */
export function ownFigures(route: SwitchedRoute, rollback: RollbackSettings): Figures {
  const { native, legacy, differs, latestDiffers } = route
  const { minAnswers, errorRate, differenceRate, minTimings } = rollback
  const measures: Readonly<Record<Measure, (strictness: number) => Figure | undefined>> = {
    errors: (strictness) => {
      const limit = legacy.failed.rate + errorRate / strictness
      return worse(
        'errors',
        native.failed,
        strictness > 1 ? native.failed : native.latestFailed,
        limit,
        minAnswers,
      )
    },
    differences: (strictness) => {
      const limit = differenceRate / strictness
      return worse('differences', differs, strictness > 1 ? differs : latestDiffers, limit, minAnswers)
    },
    slow: (strictness) => {
      const limit = slowAbove(route, rollback, strictness)
      const { timings } = native
      if (limit === undefined || timings.count < minTimings) return undefined
      const measured = timings.at(0.99)!
      const answers = Math.min(timings.count, legacy.timings.count)
      return measured > limit ? { cause: 'p99', measured, limit, answers } : undefined
    },
  }
  return {
    measure: (measure, strictness) => measures[measure](strictness),
    get isOutage() {
      return legacy.latestFailed.rate >= outageRate && native.latestFailed.rate >= outageRate
    },
  }
}

/** By the answers of all replicas: the last ones, or with `since` those of a step of a plan. */
export function fleetFigures(
  { evidence, legacy }: SwitchedRoute,
  rollback: RollbackSettings,
  since?: Counts,
): Figures {
  const { recent } = evidence.joint
  const { minAnswers, minTimings, errorRate, differenceRate } = rollback
  // How legacy is where it has answered nothing since, is known of its last answers.
  const isKnown = recent.legacy.last.count > 0
  const usual = isKnown ? recent.legacy.last.rate : legacy.failed.rate
  const shareOf = (count: number, bad: number): Pick<Share, 'count' | 'rate'> => ({
    count,
    rate: count === 0 ? 0 : bad / count,
  })
  const seen = since && {
    native: shareOf(since.native, since.nativeBad),
    slow: shareOf(since.native, since.nativeSlow),
    compared: shareOf(since.compared, since.different),
    usual: since.legacy === 0 ? usual : since.legacyBad / since.legacy,
    usualSlow: since.legacy === 0 ? 0 : since.legacySlow / since.legacy,
  }
  const measures: Readonly<Record<Measure, (strictness: number) => Figure | undefined>> = {
    errors: (strictness) => {
      const share = seen?.native ?? recent.native.worst
      return worse('errors', share, share, (seen?.usual ?? usual) + errorRate / strictness, minAnswers)
    },
    differences: (strictness) => {
      const share = seen?.compared ?? recent.compared.worst
      return worse('differences', share, share, differenceRate / strictness, minAnswers)
    },
    slow: (strictness) => {
      const share = seen?.slow ?? recent.slow.last
      // More than one of a hundred: then the p99 is above the limit.
      return worse('slow', share, share, Math.max(0.01, seen?.usualSlow ?? 0) / strictness, minTimings)
    },
  }
  return {
    measure: (measure, strictness) => measures[measure](strictness),
    get isOutage() {
      return recent.legacy.latest.rate >= outageRate && recent.native.latest.rate >= outageRate
    },
  }
}

/** Above how many milliseconds an answer is slow; undefined while it is not known how slow legacy is. */
export function slowAbove(
  { legacy }: SwitchedRoute,
  { minTimings, p99Factor, p99MarginMs }: RollbackSettings,
  strictness: number,
): number | undefined {
  if (legacy.timings.count < minTimings) return undefined
  const base = legacy.timings.at(0.99)!
  return base + Math.max(base * (p99Factor - 1), p99MarginMs) / strictness
}

type Rate = Pick<Ring, 'count' | 'rate'>

/** Of the last answers and the latest of them those that tell more. */
function worse(
  cause: Figure['cause'],
  last: Rate,
  latest: Rate,
  limit: number,
  least: number,
): Figure | undefined {
  const { rate: measured, count: answers } = latest.rate > last.rate ? latest : last
  return last.count >= least && measured > limit ? { cause, measured, limit, answers } : undefined
}
