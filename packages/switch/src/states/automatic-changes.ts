// Takes a route back to legacy when its Controller does worse than that, and leads it on by a plan.
import { log } from '../../../../src/ground/log.js'
import type { Clock } from './clock.js'
import { enoughOf } from './decision/evidence.js'
import type { Counts, Outcome } from './decision/route-evidence.js'
import { stateKinds } from './kinds.js'
import type { MigrationSettings } from './options.js'
import { printable } from '../../../../src/ground/printable.js'
import type { Ring } from './outcomes.js'
import { differenceText } from './remedies.js'
import type { OpenDifference, RollbackEvidence, RouteState, SetOptions } from './schema.js'
import { covers } from '../../../compare/src/route-keys.js'
import { isShared, withShare } from './states.js'
import type { Side, SwitchedRoute } from './switched-route.js'
import type { Ended } from './watch.js'

export interface AutomaticChangesParts {
  readonly settings: MigrationSettings
  readonly clock: Clock
  readonly change: (route: SwitchedRoute, state: RouteState, why: Why) => void
  /** False while it is not known what others have said of a route, a change of it is on its way, or another replica leads. */
  readonly mayLeadUp: (route: SwitchedRoute) => boolean
  /** In what the compared answers of a route differ. */
  readonly differences: (route: SwitchedRoute) => readonly OpenDifference[]
  /** How many answers of a route were compared. */
  readonly compared: (route: SwitchedRoute) => number
  /** Whether legacy is asked, by copies, where the Controller answers all clients. */
  readonly canProbe: (route: SwitchedRoute) => boolean
  /** How many replicas decide, each with its share of the false alarms. */
  readonly replicas: () => number
  /** Whether this replica decides by the figures of all. */
  readonly isLeader: () => boolean
  /** What all replicas have counted of a route; undefined where there is one alone. */
  readonly fleet: (route: SwitchedRoute) => Counts | undefined
  readonly rolledBack: (evidence: RollbackEvidence) => void
}

export type Why = Required<Pick<SetOptions, 'reason' | 'by'>>

/** For how long a copy may take to tell what legacy answers now, before its last answers count. */
const probeMs = 2000
/** A legacy that fails so often is in an outage: nothing that is seen then is a reason to go up. */
const outageRate = 0.5
/** Errors, differences and slow answers: each has its part of the false alarms. */
const measures = 3

type Evidence = Pick<RollbackEvidence, 'cause' | 'measured' | 'limit' | 'answers'>

export class AutomaticChanges implements Ended {
  readonly #parts: AutomaticChangesParts

  constructor(parts: AutomaticChangesParts) {
    this.#parts = parts
  }

  /** An answer has ended: the next one may be the one too many. */
  answered(route: SwitchedRoute, side: Side, outcome: Outcome, counts: boolean): void {
    const { clock } = this.#parts
    const now = clock.monotonic()
    const isNative = side === route.native
    if (counts)
      route.evidence.answered(isNative ? 'native' : 'legacy', outcome, this.#allowedErrors(route), now)
    if (!isNative || !outcome.isFailure || !isExposed(route)) return
    route.alarm(now)
    const evidence = this.#errors(route)
    if (evidence !== undefined) this.#rollBack(route, evidence)
  }

  /** Legacy has answered a copy of a request that the Controller has answered. */
  legacyAnswered(route: SwitchedRoute, isFailure: boolean): void {
    const now = this.#parts.clock.monotonic()
    route.evidence.answered('legacy', { isFailure, ms: undefined }, this.#allowedErrors(route), now)
    if (stateKinds[route.state.kind].answers === 'native') route.legacy.add(isFailure)
    if (!isExposed(route)) return
    const evidence = this.#errors(route)
    if (evidence !== undefined) this.#rollBack(route, evidence)
  }

  /** Two answers were compared. */
  compared(route: SwitchedRoute, isDifferent: boolean, counts: boolean): void {
    route.differs.add(isDifferent)
    route.latestDiffers.add(isDifferent)
    const { rollback } = this.#parts.settings
    if (counts && rollback !== undefined) route.evidence.compared(isDifferent, rollback.differenceRate)
    if (!isExposed(route)) return
    const evidence = this.#differences(route)
    if (evidence !== undefined) this.#rollBack(route, evidence)
  }

  /** Called once a second. */
  tick(routes: Iterable<SwitchedRoute>): void {
    const now = this.#parts.clock.monotonic()
    for (const route of routes) {
      route.tick(now)
      route.evidence.slowAboveMs = this.#slowAbove(route, 1)
      if (!isExposed(route)) continue
      const evidence = this.#errors(route) ?? this.#differences(route) ?? this.#slowness(route)
      if (evidence !== undefined) this.#rollBack(route, evidence)
      else this.#goUp(route, now)
    }
  }

  /** Whether the tests of a route say enough: its own, or those over all replicas. */
  #isEnough(route: SwitchedRoute, name: 'errors' | 'differences' | 'slow'): boolean {
    const { settings, clock, canProbe, replicas, isLeader } = this.#parts
    const { own, fleet, alone } = route.evidence
    const steps = (settings.plan?.steps.length ?? 0) + 1
    const rate = settings.rollback!.falseAlarmRate / measures / steps
    // Each replica decides by itself, and one of them by all figures.
    const count = replicas()
    const enough = enoughOf(count > 1 ? rate / (count + 1) : rate)
    if (own[name].log >= enough || (isLeader() && fleet[name].log >= enough)) return true
    if (name === 'differences' || alone[name].log < enough) return false
    const waitMs = name === 'errors' && canProbe(route) ? probeMs : 0
    const { answers } = stateKinds[route.state.kind]
    // Where legacy has clients, their answers come.
    const isAlone = answers === 'native' || route.state.percent === 100
    return isAlone && route.evidence.aloneMs(clock.monotonic()) >= waitMs
  }

  /** The share of bad answers of the Controller that is allowed, by the last ones of legacy. */
  #allowedErrors({ legacy }: SwitchedRoute): number {
    return legacy.failed.rate + (this.#parts.settings.rollback?.errorRate ?? 0)
  }

  #errors(route: SwitchedRoute): Evidence | undefined {
    const evidence = this.#manyErrors(route, 1)
    return evidence !== undefined && this.#isEnough(route, 'errors') ? evidence : undefined
  }

  /** `strictness` divides the limit: what a share goes up by is stricter than what takes it back, so that none goes to and fro. */
  #manyErrors({ native, legacy }: SwitchedRoute, strictness: number): Evidence | undefined {
    const { rollback } = this.#parts.settings
    if (rollback === undefined || native.failed.count < rollback.minAnswers) return undefined
    const limit = legacy.failed.rate + rollback.errorRate / strictness
    const { measured, answers } = worst(native.failed, strictness > 1 ? native.failed : native.latestFailed)
    return measured > limit ? { cause: 'errors', measured, limit, answers } : undefined
  }

  #differences(route: SwitchedRoute): Evidence | undefined {
    const evidence = this.#manyDifferences(route, 1)
    return evidence !== undefined && this.#isEnough(route, 'differences') ? evidence : undefined
  }

  #manyDifferences({ differs, latestDiffers }: SwitchedRoute, strictness: number): Evidence | undefined {
    const { rollback } = this.#parts.settings
    if (rollback === undefined || differs.count < rollback.minAnswers) return undefined
    const limit = rollback.differenceRate / strictness
    const { measured, answers } = worst(differs, strictness > 1 ? differs : latestDiffers)
    return measured > limit ? { cause: 'differences', measured, limit, answers } : undefined
  }

  #slowness(route: SwitchedRoute): Evidence | undefined {
    const evidence = this.#isSlow(route, 1)
    return evidence !== undefined && this.#isEnough(route, 'slow') ? evidence : undefined
  }

  #slowAbove({ legacy }: SwitchedRoute, strictness: number): number | undefined {
    const { rollback } = this.#parts.settings
    if (rollback === undefined || legacy.timings.count < rollback.minTimings) return undefined
    const base = legacy.timings.at(0.99)!
    return base + Math.max(base * (rollback.p99Factor - 1), rollback.p99MarginMs) / strictness
  }

  #isSlow(route: SwitchedRoute, strictness: number): Evidence | undefined {
    const limit = this.#slowAbove(route, strictness)
    const { timings } = route.native
    if (limit === undefined || timings.count < this.#parts.settings.rollback!.minTimings) return undefined
    const measured = timings.at(0.99)!
    const answers = Math.min(timings.count, route.legacy.timings.count)
    return measured > limit ? { cause: 'p99', measured, limit, answers } : undefined
  }

  #rollBack(route: SwitchedRoute, evidence: Evidence): void {
    const { settings, clock, change, rolledBack } = this.#parts
    const from = route.state.text
    const reason = evidenceText(evidence) + this.#mostOf(route, evidence)
    const message = `migration: ${route.key} goes back from ${from} to legacy: ${reason}`
    // Until its entry in the history says it.
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
    const all = this.#parts.fleet(route)
    const ofFleet = (name: 'native' | 'compared'): number => (all?.[name] ?? 0) - route.fleetBefore[name]
    const answers = Math.max(route.native.watched - route.watchedBefore, ofFleet('native'))
    if (now - route.since < plan.minutes * 60_000 || answers < plan.answers) return
    const compared = Math.max(this.#parts.compared(route) - route.comparedBefore, ofFleet('compared'))
    if (this.#isPaused(route, compared)) return
    const isWell = [
      this.#manyErrors(route, 2),
      this.#manyDifferences(route, 2),
      this.#isSlow(route, 2),
    ].every((evidence) => evidence === undefined)
    if (!isWell) return
    const next = plan.steps.find((step) => step > percent)
    const state = next === undefined || !isShared(kind) ? may.then : withShare(kind, next)
    this.#parts.change(route, state, {
      reason: `${answers} answers at ${percent}% in ${Math.round((now - route.since) / 60_000)} min were well`,
      by: 'plan',
    })
  }

  /** Whether a plan has to wait for what is not known, or for a person. One line of each reason says so. */
  #isPaused(route: SwitchedRoute, compared: number): boolean {
    const { settings, differences } = this.#parts
    const before = route.paused
    route.paused = undefined
    // Without rollbacks nothing is judged.
    if (settings.rollback === undefined) return false
    const { legacy, native } = route
    const open = differences(route)
    if (compared === 0)
      route.paused = `no answers were compared: ${settings.shadow === undefined ? 'shadow is false' : 'a route that writes is compared where shadow.unsafe names it'}; set the next state yourself`
    else if (open.length > 0)
      route.paused = `${open.length} differences are open (${printable(differenceText(open[0]!))}): mend them or accept them, then forgetDifferences('${route.key}')`
    else if (legacy.latestFailed.rate >= outageRate && native.latestFailed.rate >= outageRate)
      route.paused = 'legacy fails as well'
    if (route.paused === undefined) return false
    if (route.paused !== before)
      log(
        settings.logger,
        'warn',
        `migration: the plan of ${route.key} waits at ${route.state.text}: ${route.paused}`,
      )
    return true
  }
}

/** Whether clients get answers of the Controller where legacy could give them too. */
function isExposed({ state, canGoBack }: SwitchedRoute): boolean {
  return canGoBack && stateKinds[state.kind].answers !== 'legacy'
}

/** Of the last answers and the latest of them those that tell more. */
function worst(last: Ring, latest: Ring): { measured: number; answers: number } {
  const one = latest.rate > last.rate ? latest : last
  return { measured: one.rate, answers: one.count }
}

function evidenceText({ cause, measured, limit, answers }: Evidence): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`
  if (cause === 'p99') {
    return `its p99 is ${measured.toFixed(0)} ms, more than ${limit.toFixed(0)} ms, over ${answers} answers`
  }
  const what = cause === 'errors' ? 'answers have failed' : 'compared answers differ'
  return `${percent(measured)} of ${answers} ${what}, more than ${percent(limit)}`
}
