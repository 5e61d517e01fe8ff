// Takes a route back to legacy when its Controller does worse than that, and leads it on by a plan.
import { log } from '../../../../src/ground/log.js'
import type { Clock } from './clock.js'
import { stateKinds } from './kinds.js'
import type { MigrationSettings } from './options.js'
import { printable } from '../../../../src/ground/printable.js'
import { differenceText } from './remedies.js'
import type { OpenDifference, RollbackEvidence, RouteState, SetOptions } from './schema.js'
import { covers, isShared, withShare } from './states.js'
import type { Side, SwitchedRoute } from './switched-route.js'
import type { Ended } from './watch.js'

export interface AutomaticChangesParts {
  readonly settings: MigrationSettings
  readonly clock: Clock
  readonly change: (route: SwitchedRoute, state: RouteState, why: Why) => void
  /** False while it is not known what others have said of a route, or a change of it is on its way. */
  readonly mayLeadUp: (route: SwitchedRoute) => boolean
  /** In what the compared answers of a route differ. */
  readonly differences: (route: SwitchedRoute) => readonly OpenDifference[]
  readonly rolledBack: (evidence: RollbackEvidence) => void
}

export type Why = Required<Pick<SetOptions, 'reason' | 'by'>>

/** A p99 that is too long in so many rounds, one a second, is no accident. */
const slowRounds = 2

type Evidence = Pick<RollbackEvidence, 'cause' | 'measured' | 'limit' | 'answers'>

export class AutomaticChanges implements Ended {
  readonly #parts: AutomaticChangesParts

  constructor(parts: AutomaticChangesParts) {
    this.#parts = parts
  }

  /** An answer with 5xx: the next one may be the one too many. */
  failed(route: SwitchedRoute, side: Side): void {
    if (side !== route.native || !isExposed(route)) return
    route.alarm(this.#parts.clock.monotonic())
    const evidence = this.#errors(route, 1)
    if (evidence !== undefined) this.#rollBack(route, evidence)
  }

  /** Two answers were compared. */
  compared(route: SwitchedRoute): void {
    if (!isExposed(route)) return
    const evidence = this.#differences(route, 1)
    if (evidence !== undefined) this.#rollBack(route, evidence)
  }

  /** Called once a second. */
  tick(routes: Iterable<SwitchedRoute>): void {
    const now = this.#parts.clock.monotonic()
    for (const route of routes) {
      route.tick(now)
      if (!isExposed(route)) continue
      const slow = this.#slowness(route, 1)
      route.slowRounds = slow === undefined ? 0 : route.slowRounds + 1
      const lasting = route.slowRounds >= slowRounds ? slow : undefined
      const evidence = this.#errors(route, 1) ?? lasting
      if (evidence !== undefined) this.#rollBack(route, evidence)
      else this.#goUp(route, now)
    }
  }

  /** `strictness` divides the limit: what a share goes up by is stricter than what takes it back, so that none goes to and fro. */
  #errors({ native, legacy }: SwitchedRoute, strictness: number): Evidence | undefined {
    const { rollback } = this.#parts.settings
    if (rollback === undefined || native.failed.count < rollback.minAnswers) return undefined
    const limit = legacy.failed.rate + rollback.errorRate / strictness
    const { rate: measured, count: answers } = native.failed
    return measured > limit ? { cause: 'errors', measured, limit, answers } : undefined
  }

  #differences({ differs }: SwitchedRoute, strictness: number): Evidence | undefined {
    const { rollback } = this.#parts.settings
    if (rollback === undefined || differs.count < rollback.minAnswers) return undefined
    const limit = rollback.differenceRate / strictness
    const { rate: measured, count: answers } = differs
    return measured > limit ? { cause: 'differences', measured, limit, answers } : undefined
  }

  #slowness({ native, legacy }: SwitchedRoute, strictness: number): Evidence | undefined {
    const { rollback } = this.#parts.settings
    if (rollback === undefined) return undefined
    const answers = Math.min(native.timings.count, legacy.timings.count)
    if (answers < rollback.minTimings) return undefined
    const base = legacy.timings.at(0.99)!
    const more = Math.max(base * (rollback.p99Factor - 1), rollback.p99MarginMs)
    const limit = base + more / strictness
    const measured = native.timings.at(0.99)!
    return measured > limit ? { cause: 'p99', measured, limit, answers } : undefined
  }

  #rollBack(route: SwitchedRoute, evidence: Evidence): void {
    const { settings, clock, change, rolledBack } = this.#parts
    const from = route.state.text
    const reason = evidenceText(evidence) + this.#mostOf(route, evidence)
    const message = `migration: ${route.key} goes back from ${from} to legacy: ${reason}`
    route.coolDownUntil = clock.monotonic() + settings.rollback!.coolDownMs
    log(settings.logger, 'error', message)
    change(route, 'legacy', { reason, by: 'rollback' })
    rolledBack({ route: route.key, from, ...evidence, samples: evidence.answers, message })
  }

  /** What has differed most, as that may have a remedy which is known. */
  #mostOf(route: SwitchedRoute, { cause }: Evidence): string {
    if (cause !== 'differences') return ''
    const [most] = [...this.#parts.differences(route)].sort(
      (one, other) =>
        other.count - one.count || Number(other.remedy !== undefined) - Number(one.remedy !== undefined),
    )
    return most === undefined ? '' : ` (${printable(differenceText(most))})`
  }

  #goUp(route: SwitchedRoute, now: number): void {
    const { plan } = this.#parts.settings
    const { kind, percent } = route.state
    const { plan: may } = stateKinds[kind]
    if (plan === undefined || may === undefined || now < route.coolDownUntil) return
    if (!this.#parts.mayLeadUp(route)) return
    // What has been set for it cannot be read: it may be to take it back.
    if (route.heldBy !== undefined) return
    if (!plan.routes.some((key) => covers(key, route.key))) return
    const answers = route.native.watched - route.watchedBefore
    if (now - route.since < plan.minutes * 60_000 || answers < plan.answers) return
    const isWell = [this.#errors(route, 2), this.#differences(route, 2), this.#slowness(route, 2)].every(
      (evidence) => evidence === undefined,
    )
    if (!isWell) return
    const next = plan.steps.find((step) => step > percent)
    const state = next === undefined || !isShared(kind) ? may.then : withShare(kind, next)
    this.#parts.change(route, state, {
      reason: `${answers} answers at ${percent}% in ${Math.round((now - route.since) / 60_000)} min were well`,
      by: 'plan',
    })
  }
}

/** Whether clients get answers of the Controller where legacy could give them too. */
function isExposed({ state, canGoBack }: SwitchedRoute): boolean {
  return canGoBack && stateKinds[state.kind].answers !== 'legacy'
}

function evidenceText({ cause, measured, limit, answers }: Evidence): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`
  if (cause === 'p99') {
    return `its p99 is ${measured.toFixed(0)} ms, more than ${limit.toFixed(0)} ms, over ${answers} answers`
  }
  const what = cause === 'errors' ? 'answers are 5xx' : 'compared answers differ'
  return `${percent(measured)} of ${answers} ${what}, more than ${percent(limit)}`
}
