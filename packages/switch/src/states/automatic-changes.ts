// Takes a route back to legacy when its Controller does worse than that, and leads it on by a plan.
import { log } from '../../../../src/ground/log.js'
import type { Clock } from './clock.js'
import { enoughFor, type Measure } from './decision/alarm-rate.js'
import type { Counts } from './decision/counts.js'
import { type Figure, type Figures, fleetFigures, ownFigures, slowAbove } from './decision/figures.js'
import type { Outcome } from './decision/route-evidence.js'
import { stateKinds } from './kinds.js'
import type { MigrationSettings } from './options.js'
import { printable } from '../../../../src/ground/printable.js'
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
  /** Whether legacy has a copy now, and has not answered it. */
  readonly isProbing: (route: SwitchedRoute) => boolean
  /** How many differences are open in another replica. */
  readonly openElsewhere: (route: SwitchedRoute) => number
  /** How many replicas decide, each with its share of the false alarms. */
  readonly replicas: () => number
  /** What all replicas have counted of a route in its state; undefined where there is one alone, and where that is not known now. */
  readonly fleet: (route: SwitchedRoute) => Counts | undefined
  /** What was seen is a reason to ask for the figures of all at once. */
  readonly urge: () => void
  readonly rolledBack: (evidence: RollbackEvidence) => void
}

/** What a plan does next, and what that waits for. */
export interface PlanStep {
  readonly state: RouteState
  /** By the clock that never goes back. */
  readonly notBefore: number
  readonly answers: number
  readonly answersNeeded: number
  /** What all replicas have counted in this step; undefined where there is one alone, and where that is not known now. */
  readonly since: Counts | undefined
}

export type Why = Required<Pick<SetOptions, 'reason' | 'by'>>

/** For how long a copy may take to tell what legacy answers now, before its last answers count. */
const probeMs = 2000
const measures: readonly Measure[] = ['errors', 'differences', 'slow']

export class AutomaticChanges implements Ended {
  readonly #parts: AutomaticChangesParts
  #isClosed = false

  constructor(parts: AutomaticChangesParts) {
    this.#parts = parts
  }

  /** From now on no route is taken back: answers that are under way may still end, and figures of all may still come. */
  close(): void {
    this.#isClosed = true
  }

  /** An answer has ended: the next one may be the one too many. */
  answered(route: SwitchedRoute, side: Side, outcome: Outcome, counts: boolean): void {
    const now = this.#parts.clock.monotonic()
    const isNative = side === route.native
    if (counts)
      route.evidence.answered(isNative ? 'native' : 'legacy', outcome, this.#allowedErrors(route), now)
    if (!isNative || !isExposed(route)) return
    const isSlow = route.evidence.isSlow(outcome.ms) === true
    if (isSlow || outcome.isFailure) route.alarm(now)
    if (outcome.isFailure) this.#judge(route, ['errors'])
  }

  /** Legacy has answered a copy of a request that the Controller has answered. */
  legacyAnswered(route: SwitchedRoute, { isFailure, ms }: Outcome): void {
    const now = this.#parts.clock.monotonic()
    // A copy is sent to no client. Where clients get answers of legacy, theirs are the ones to compare times with.
    const outcome = { isFailure, ms: isAlone(route) ? ms : undefined }
    route.evidence.answered('legacy', outcome, this.#allowedErrors(route), now)
    if (stateKinds[route.state.kind].answers === 'native') route.legacy.add(isFailure)
    if (isExposed(route)) this.#judge(route, ['errors'])
  }

  /** Two answers were compared. */
  compared(route: SwitchedRoute, isDifferent: boolean, counts: boolean): void {
    route.differs.add(isDifferent)
    route.latestDiffers.add(isDifferent)
    route.allCompared++
    if (isDifferent) route.allDifferent++
    const { rollback } = this.#parts.settings
    if (counts && rollback !== undefined) route.evidence.compared(isDifferent, rollback.differenceRate)
    if (isExposed(route)) this.#judge(route, ['differences'])
  }

  /** There are new figures of all replicas. */
  fleetCounted(routes: Iterable<SwitchedRoute>): void {
    for (const route of routes) if (isExposed(route)) this.#findWorse(route, measures)
  }

  /** Called once a second. */
  tick(routes: Iterable<SwitchedRoute>): void {
    const now = this.#parts.clock.monotonic()
    const { rollback } = this.#parts.settings
    for (const route of routes) {
      route.tick(now)
      route.evidence.slowAboveMs = rollback && slowAbove(route, rollback, 1)
      if (!isExposed(route)) continue
      if (this.#findWorse(route, measures)) continue
      if (!this.#waitsAsSlow(route)) this.#goUp(route, now)
    }
  }

  #judge(route: SwitchedRoute, of: readonly Measure[]): void {
    if (!this.#findWorse(route, of) && route.evidence.isSuspicious) this.#parts.urge()
  }

  /** Takes a route back where one of these is worse, by the answers of this process or by those of all. True where one is. */
  #findWorse(route: SwitchedRoute, of: readonly Measure[]): boolean {
    const { rollback } = this.#parts.settings
    if (rollback === undefined || this.#isClosed) return false
    for (const measure of of) {
      const { own, joint } = this.#enough(measure)
      const { evidence } = route
      const isEnoughHere = evidence.own[measure].log >= own || this.#isEnoughAlone(route, measure, own)
      const figure =
        (isEnoughHere ? ownFigures(route, rollback).measure(measure, 1) : undefined) ??
        (evidence.joint[measure].log >= joint ? fleetFigures(route, rollback).measure(measure, 1) : undefined)
      if (figure === undefined) continue
      this.#rollBack(route, figure)
      return true
    }
    return false
  }

  #enough(measure: Measure): { readonly own: number; readonly joint: number } {
    const { settings, replicas } = this.#parts
    const { falseAlarmRate } = settings.rollback!
    const states = (settings.plan?.steps.length ?? 0) + 1
    return enoughFor({ falseAlarmRate, states, measure, replicas: replicas() })
  }

  /**
   * Whether the last answers of legacy are reason enough, where it gets no requests and no copies. Of errors alone: what makes answers slow,
   * as a database, makes those of both sides slow, and legacy was asked before it.
   */
  #isEnoughAlone(route: SwitchedRoute, measure: Measure, enough: number): boolean {
    if (measure !== 'errors' || !isAlone(route) || route.evidence.alone.errors.log < enough) return false
    const { clock, canProbe, isProbing } = this.#parts
    if (isProbing(route)) return false
    return route.evidence.aloneMs(clock.monotonic()) >= (canProbe(route) ? probeMs : 0)
  }

  /** Whether a Controller is slow where it is not known whether legacy would be, too: that is for a person to decide. */
  #waitsAsSlow(route: SwitchedRoute): boolean {
    const { settings, isProbing } = this.#parts
    const { rollback } = settings
    if (rollback === undefined || !isAlone(route) || isProbing(route)) return false
    if (route.evidence.alone.slow.log < this.#enough('slow').own) return false
    const figure = ownFigures(route, rollback).measure('slow', 1)
    if (figure === undefined) return false
    this.#pause(
      route,
      `${figureText(figure)}; legacy gets no requests, so it is not known whether it would be as slow: set the next state yourself`,
    )
    return true
  }

  /** The share of bad answers of the Controller that is allowed, by the last ones of legacy. */
  #allowedErrors({ legacy }: SwitchedRoute): number {
    return legacy.failed.rate + (this.#parts.settings.rollback?.errorRate ?? 0)
  }

  #rollBack(route: SwitchedRoute, evidence: Figure): void {
    const { settings, clock, change, rolledBack } = this.#parts
    const from = route.state.text
    const reason = figureText(evidence) + this.#mostOf(route, evidence)
    const message = `migration: ${route.key} goes back from ${from} to legacy: ${reason}`
    // Until its entry in the history says it.
    route.coolDownUntil = clock.monotonic() + settings.rollback!.coolDownMs
    log(settings.logger, 'error', message)
    route.rollbacks++
    change(route, 'legacy', { reason, by: 'rollback' })
    rolledBack({ route: route.key, from, ...evidence, samples: evidence.answers, message })
  }

  /** What has differed most, as that may have a remedy which is known. */
  #mostOf(route: SwitchedRoute, { cause }: Figure): string {
    if (cause !== 'differences') return ''
    const [most] = [...this.#parts.differences(route)].sort(
      (one, other) =>
        other.count - one.count || Number(other.remedy !== undefined) - Number(one.remedy !== undefined),
    )
    return most === undefined ? '' : ` (${printable(differenceText(most))})`
  }

  /** The next step of a route; undefined where no plan leads it up. */
  nextStep(route: SwitchedRoute): PlanStep | undefined {
    const { plan } = this.#parts.settings
    const { kind, percent } = route.state
    const { plan: may } = stateKinds[kind]
    if (plan === undefined || may === undefined || !isExposed(route)) return undefined
    // What has been set for it cannot be read: it may be to take it back.
    if (route.heldBy !== undefined) return undefined
    if (!plan.routes.some((key) => covers(key, route.key))) return undefined
    // Who leads may get no requests itself: the answers of all count, from the first one of this step on.
    const since = this.#parts.fleet(route)
    const next = plan.steps.find((step) => step > percent)
    return {
      state: next === undefined || !isShared(kind) ? may.then : withShare(kind, next),
      notBefore: Math.max(route.since + plan.minutes * 60_000, route.coolDownUntil),
      answers: Math.max(route.native.watched - route.watchedBefore, since?.native ?? 0),
      answersNeeded: plan.answers,
      since,
    }
  }

  #goUp(route: SwitchedRoute, now: number): void {
    const step = this.nextStep(route)
    if (step === undefined) {
      // What was slow is not any more.
      route.paused = undefined
      return
    }
    const { state, notBefore, answers, answersNeeded, since } = step
    if (now < notBefore || answers < answersNeeded || !this.#parts.mayLeadUp(route)) return
    const compared = Math.max(this.#parts.compared(route) - route.comparedBefore, since?.compared ?? 0)
    if (!this.#isWell(route, compared, since)) return
    this.#parts.change(route, state, {
      reason: `${answers} answers at ${route.state.percent}% in ${lengthText(now - route.since)} were well`,
      by: 'plan',
    })
  }

  /** Whether nothing speaks against the next step. */
  #isWell(route: SwitchedRoute, compared: number, since: Counts | undefined): boolean {
    const { rollback } = this.#parts.settings
    // Without rollbacks nothing is judged.
    if (rollback === undefined) return true
    const figures = since === undefined ? ownFigures(route, rollback) : fleetFigures(route, rollback, since)
    const reason = this.#reasonToWait(route, compared, figures)
    if (reason === undefined) route.paused = undefined
    else this.#pause(route, reason)
    return reason === undefined
  }

  /** What is not known, or is for a person to decide. */
  #reasonToWait(route: SwitchedRoute, compared: number, { isOutage, measure }: Figures): string | undefined {
    const { settings, differences, openElsewhere } = this.#parts
    const open = differences(route).filter(({ accepted }) => accepted === undefined)
    if (open.length > 0)
      return `${open.length} differences are open (${printable(differenceText(open[0]!))}): mend them, then forgetDifferences('${route.key}'), or accept each with a reason`
    if (compared === 0)
      return `no answers were compared: ${settings.shadow === undefined ? 'shadow is false' : 'a route that writes is compared where shadow.unsafe names it, and status().shadow.dropped counts what could not be'}; set the next state yourself`
    const elsewhere = openElsewhere(route)
    if (elsewhere > 0)
      return `${elsewhere} differences are open in another replica, whose status() names them`
    if (isOutage) return 'legacy fails as well'
    for (const one of measures) {
      const figure = measure(one, 2)
      if (figure !== undefined)
        return `${figureText(figure)}: a step needs less than half of what takes it back`
    }
    return undefined
  }

  /** One line of each reason says why a route stays where it is. */
  #pause(route: SwitchedRoute, reason: string): void {
    if (route.paused === reason) return
    // A figure changes with each answer: the reason is the same.
    const isSame = route.paused?.replace(/[\d.]+/g, '') === reason.replace(/[\d.]+/g, '')
    route.paused = reason
    if (isSame) return
    const { logger } = this.#parts.settings
    log(logger, 'warn', `migration: ${route.key} waits at ${route.state.text}: ${reason}`)
  }
}

/** Whether clients get answers of the Controller where legacy could give them too. */
function isExposed({ state, canGoBack }: SwitchedRoute): boolean {
  return canGoBack && stateKinds[state.kind].answers !== 'legacy'
}

/** Where no client gets an answer of legacy. */
function isAlone({ state }: SwitchedRoute): boolean {
  return stateKinds[state.kind].answers === 'native' || state.percent === 100
}

function figureText({ cause, measured, limit, answers }: Figure): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`
  if (cause === 'p99') {
    return `its p99 is ${measured.toFixed(0)} ms, more than ${limit.toFixed(0)} ms, over ${answers} answers`
  }
  const what = {
    errors: 'answers have failed',
    differences: 'compared answers differ',
    slow: 'answers were slower than those of legacy may be',
  }[cause]
  return `${percent(measured)} of ${answers} ${what}, more than ${percent(limit)}`
}

/** `20 s`, `2 min` */
function lengthText(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}
