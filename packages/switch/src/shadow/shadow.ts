// Asks the other side too, once the client has its answer, and compares.
import { AsyncResource } from 'node:async_hooks'
// Not the global one: jsdom, and Jest 26, replace it by another.
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers'
import type { Exchange } from 'routecontrollers/introspection'
import { describeThrown, log } from '../../../../src/ground/log.js'
import type { Logger } from '../../../../src/ground/types.js'
import type { ReceivedAnswer } from '../../../compare/src/received-answer.js'
import type { Clock } from '../states/clock.js'
import { compareSteps, neverCompared } from '../../../compare/src/compare-answers.js'
import type { Comparison, CompareRules } from '../../../compare/src/rules.js'
import { type Asked, type Copies, type Kept, passedOn } from './copies.js'
import type { NoAnswer } from '../../../compare/src/memory-request.js'
import { Noise } from '../../../compare/src/noise.js'
import { maskOfRequest, secretsOf } from '../../../compare/src/redact.js'
import type {
  Acceptance,
  Difference,
  DropReason,
  MigrationStatus,
  OpenDifference,
  SideName,
} from '../states/schema.js'
import type { Difference as Found } from '../../../compare/src/difference.js'
import { stateKinds } from '../states/kinds.js'
import type { ShadowSettings } from '../states/options.js'
import { type Circumstances, remedyFor } from '../states/remedies.js'
import { covers } from '../../../compare/src/route-keys.js'
import { runInSlices } from '../../../compare/src/slices.js'
import type { Outcome } from '../states/decision/route-evidence.js'
import type { SwitchedRoute } from '../states/switched-route.js'

export interface ShadowParts {
  readonly settings: ShadowSettings
  readonly copies: Copies
  readonly clock: Clock
  readonly logger: Logger
  /** Two answers of a route were compared. */
  readonly compared: (route: SwitchedRoute, isDifferent: boolean, counts: boolean) => void
  /** Legacy has answered a copy of what the Controller has answered a client. */
  readonly legacyAnswered: (route: SwitchedRoute, outcome: Outcome) => void
  /** Who has accepted a difference, and why. */
  readonly acceptanceOf: (route: string, place: string) => Acceptance | undefined
  /** A difference that was not seen before. */
  readonly found: (route: SwitchedRoute, difference: OpenDifference) => void
}

interface Job {
  readonly kept: Kept
  readonly route: SwitchedRoute
  /** Who has answered the client. */
  readonly first: SideName
  readonly how: Captured
}

/** What a copy is for. */
export interface Captured {
  /** False for a client that has counted in these seconds. */
  readonly counts: boolean
  /** True where nothing is compared: legacy is asked whether it fails as well. */
  readonly isProbe: boolean
}

/** What is known of the comparisons of one route. */
interface Comparisons {
  compared: number
  different: number
  dropped: number
  /** How many in a row were dropped as `changed`. */
  changedInRow: number
  noise: Noise
  /** What a side has looked for in a copy, and could not be copied. */
  readonly missed: Set<string>
  /** Whether legacy has looked for such a thing in the last copy that it has answered. */
  isLegacyLacking: boolean
  /** Whether a line has said that something was thrown. */
  hasThrown: boolean
  /** Whether a line has said that answers are other ones for a copy. */
  hasChanged: boolean
  readonly open: Map<string, OpenDifference>
}

/** So many in a row that the process had no time for: then it may never have. */
const busyRow = 10

/** So many in a row for which the side that was first has answered its client in another way than a copy: then it may always. */
const changedRow = 10

/** The share of answers of legacy that is compared where a Controller answers clients too, and the last ones were alike. */
const steadyShare = 0.01
/** And so many of them in a second: what a copy costs says nothing new of answers that come thousands of times. */
const mostSteady = 10

/** How often legacy is asked whether it fails as well. */
const probeEveryMs = 100

/** A member may have the name of anything, as of an ID. */
const mostMissed = 20

/** Utilization over less time says nothing. */
const leastWindowMs = 100
const mostWindowMs = 2000

type ShadowStatus = MigrationStatus['shadow']

export const noShadow: ShadowStatus = {
  running: 0,
  waiting: 0,
  heldBytes: 0,
  dropped: { load: 0, queue: 0, size: 0, body: 0, failed: 0, changed: 0, error: 0, passed: 0 },
}

export class Shadow {
  readonly #parts: ShadowParts
  readonly #rules: Omit<CompareRules, 'mask'>
  readonly #waiting: Job[] = []
  readonly #byRoute = new WeakMap<SwitchedRoute, Comparisons>()
  /** When legacy may be asked again for a route that fails. */
  readonly #probeAt = new WeakMap<SwitchedRoute, number>()
  /** How many copies of a route legacy has not answered. */
  readonly #probing = new WeakMap<SwitchedRoute, number>()
  readonly #dropped: Record<DropReason, number> = { ...noShadow.dropped }
  // What a copy does is none of the request's whose answer has started it.
  readonly #scope = new AsyncResource('routecontrollers.shadow', { requireManualDestroy: false })
  #running = 0
  #heldBytes = 0
  #isProbing = false
  #isClosed = false
  #lastUtilization: EventLoopUtilization = performance.eventLoopUtilization()
  #lastLookAt = 0
  #isBusy = false
  #droppedInRow = 0
  /** How many of the steady answers of legacy were compared in this second. */
  #steady = { second: -1, compared: 0 }
  #idle: (() => void)[] = []

  constructor(parts: ShadowParts) {
    this.#parts = parts
    const { settings } = parts
    this.#rules = {
      ignoredHeaders: new Set([
        ...neverCompared,
        ...settings.ignoreHeaders.map((name) => name.toLowerCase()),
      ]),
      secrets: secretsOf(settings.redact),
      maxBytes: settings.maxBytes,
      isRecorded: false,
    }
  }

  /** Keeps a client's request and its answer, to be compared once that is complete. */
  capture(route: SwitchedRoute, isNative: boolean, exchange: Exchange, how: Captured): void {
    const { settings, copies, clock } = this.#parts
    const { method } = exchange
    if (this.#isClosed || !this.#isAsked(route, method)) return
    if (how.isProbe) {
      const now = clock.monotonic()
      if (now < (this.#probeAt.get(route) ?? 0)) return
      this.#probeAt.set(route, now + probeEveryMs)
    } else if (!this.#isCompared(route, isNative)) return
    if (this.#waiting.length >= settings.queue) return this.#drop(route, 'queue')
    const first = isNative ? 'native' : 'legacy'
    copies.keep(exchange, first, {
      thrown: (error) => this.#tell(route, error),
      maxBytes: settings.maxBytes,
      timeoutMs: settings.timeoutMs,
      hold: (bytes) => {
        if (this.#heldBytes + bytes > settings.maxHeldBytes) return false
        this.#heldBytes += bytes
        return true
      },
      release: (bytes) => void (this.#heldBytes -= bytes),
      done: (kept) => {
        if (kept === 'stream') return
        if (typeof kept === 'string') return this.#drop(route, kept)
        const isFull = this.#waiting.length >= settings.queue
        if (isFull) this.#drop(route, 'queue')
        if (isFull || this.#isClosed || isEventStream(kept.answer)) {
          return void (this.#heldBytes -= kept.bytes)
        }
        const job: Job = { kept, route, first, how }
        // It is to be known at once, and there are few.
        if (how.isProbe) return void this.#scope.runInAsyncScope(() => this.#run(job))
        this.#waiting.push(job)
        this.#scope.runInAsyncScope(() => this.#probe())
      },
    })
  }

  /** A copy costs more than its request. Under a canary each answer of the Controller is compared in any case. */
  #isCompared(route: SwitchedRoute, isNative: boolean): boolean {
    const { settings, clock } = this.#parts
    const isSteady = !isNative && stateKinds[route.state.kind].answers === 'share' && route.isAlike
    if (Math.random() >= (isSteady ? settings.share * steadyShare : settings.share)) return false
    if (!isSteady) return true
    const second = Math.floor(clock.monotonic() / 1000)
    if (second !== this.#steady.second) this.#steady = { second, compared: 0 }
    return this.#steady.compared++ < mostSteady
  }

  #isAsked(route: SwitchedRoute, method: string): boolean {
    const { unsafe, exclude } = this.#parts.settings
    const isSafe = method === 'GET' || method === 'HEAD'
    return (isSafe || unsafe.includes(route.key)) && !exclude.some((key) => covers(key, route.key))
  }

  /** Whether legacy can be asked what the Controller has been asked. */
  canProbe(route: SwitchedRoute): boolean {
    return this.#isAsked(route, route.controller.method)
  }

  /** Whether legacy has a copy, and has not answered it. Where the last copy has lacked something, that answer is not waited for. */
  isProbing(route: SwitchedRoute): boolean {
    return (this.#probing.get(route) ?? 0) > 0 && !this.#of(route).isLegacyLacking
  }

  async #askOther({ kept, route, first }: Job): ReturnType<Kept['ask']> {
    if (first === 'legacy') return kept.ask('native')
    this.#probing.set(route, (this.#probing.get(route) ?? 0) + 1)
    try {
      return await kept.ask('legacy')
    } finally {
      this.#probing.set(route, this.#probing.get(route)! - 1)
    }
  }

  #drop(route: SwitchedRoute, reason: DropReason): void {
    this.#dropped[reason]++
    this.#of(route).dropped++
  }

  /** One line of a route: a client may make it happen as often as it likes. */
  #tell(route: SwitchedRoute, error: unknown): void {
    const known = this.#of(route)
    if (known.hasThrown) return
    known.hasThrown = true
    const { logger } = this.#parts
    log(
      logger,
      'error',
      `migration: an answer of ${route.key} could not be compared, which changes nothing for clients; status() counts others: ${describeThrown(error)}`,
    )
  }

  /** Runs what waits, as soon as a timer shows that the process has time for it. */
  #probe(): void {
    if (this.#isProbing || this.#waiting.length === 0 || this.#running >= this.#parts.settings.concurrency)
      return
    this.#isProbing = true
    const { clock, settings } = this.#parts
    const began = clock.monotonic()
    const timer = setTimeout(() => {
      this.#isProbing = false
      const late = clock.monotonic() - began - 1
      const job = this.#waiting.shift()
      if (job === undefined) return this.#rest()
      if (late > settings.maxDelayMs || this.#isLoaded()) {
        this.#heldBytes -= job.kept.bytes
        this.#drop(job.route, 'load')
        this.#tellOfLoad()
        this.#rest()
      } else void this.#run(job)
      this.#probe()
    }, 1)
    timer.unref()
  }

  #isLoaded(): boolean {
    const now = performance.now()
    const window = now - this.#lastLookAt
    if (window < leastWindowMs) return this.#isBusy
    this.#lastLookAt = now
    const { utilization } = performance.eventLoopUtilization(this.#lastUtilization)
    this.#lastUtilization = performance.eventLoopUtilization()
    // What was long ago says nothing.
    this.#isBusy = window < mostWindowMs && utilization > this.#parts.settings.maxUtilization
    return this.#isBusy
  }

  /** One line, once: a shadow that compares nothing looks like one that finds nothing. */
  #tellOfLoad(): void {
    if (this.#droppedInRow >= busyRow || ++this.#droppedInRow < busyRow) return
    const { logger, settings } = this.#parts
    log(
      logger,
      'warn',
      `migration: the shadow has dropped ${busyRow} requests in a row, as this process is busy. Raise shadow.maxUtilization (${settings.maxUtilization}) or shadow.maxDelayMs (${settings.maxDelayMs}), or lower shadow.share; status().shadow.dropped counts them`,
    )
  }

  async #run(job: Job): Promise<void> {
    this.#running++
    if (this.#droppedInRow < busyRow) this.#droppedInRow = 0
    try {
      await this.#compare(job)
    } catch (error) {
      // The one place that all of a comparison ends in: its rejection would end the process.
      this.#tell(job.route, error)
      this.#drop(job.route, 'error')
    } finally {
      this.#running--
      this.#heldBytes -= job.kept.bytes
      this.#rest()
      this.#probe()
    }
  }

  #rest(): void {
    if (this.#running > 0 || this.#waiting.length > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #compare(job: Job): Promise<void> {
    const { route, first, kept } = job
    const { answer, request } = kept
    const known = this.#of(route)
    const { clock, settings, compared, legacyAnswered } = this.#parts
    const { counts, isProbe } = job.how
    const began = clock.monotonic()
    const asked = await this.#askOther(job)
    const ms = clock.monotonic() - began
    if (typeof asked !== 'string') route.copyTimes.add(ms)
    // A timer of Node may end up to a millisecond early by this clock.
    const isHung = asked === 'failed' && ms >= settings.timeoutMs - 2
    if (first === 'native' && typeof asked !== 'string') known.isLegacyLacking = asked.missed.length > 0
    // What was not asked for want of memory says nothing, nor does what legacy answers without what guards leave for a client.
    const saysNothing = typeof asked === 'string' ? !isHung : asked.missed.length > 0
    if (first === 'native' && (counts || isProbe) && !saysNothing)
      legacyAnswered(route, { isFailure: typeof asked === 'string' || asked.answer.status >= 500, ms })
    if (isProbe) return
    if (isHung && first === 'legacy' && !this.#isClosed) {
      const { status } = answer
      const difference: Difference = { what: 'status', legacy: String(status), native: 'no answer' }
      const isOpen = !this.#isAccepted(route, placeOf(difference))
      known.compared++
      if (isOpen) known.different++
      this.#note(job, known, difference, undefined)
      return compared(route, isOpen, counts)
    }
    if (typeof asked === 'string') return this.#drop(route, asked)
    const { answer: other } = asked
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    // Only asked again, the first side would tell whether it has passed the request on too.
    const isPassed = other.failure === passedOn && kept.isLeft === true
    if (!isSafe && isPassed) return this.#drop(route, 'passed')
    const missed = new Set<string>()
    const miss = (one: Asked): void => {
      for (const name of one.missed) {
        missed.add(name)
        if (known.missed.size < mostMissed) known.missed.add(name)
      }
    }
    miss(asked)
    const [legacy, native] = first === 'legacy' ? [answer, other] : [other, answer]
    const rules = {
      ...this.#rules,
      mask: maskOfRequest(request),
      isAccepted: (one: Found) => this.#isAccepted(route, placeOf(ofBothSides(one))),
    }
    const compare = (
      was: ReceivedAnswer,
      is: ReceivedAnswer,
      again?: ReceivedAnswer,
    ): Promise<Comparison | 'size'> => runInSlices(compareSteps(was, is, again, known.noise, rules))
    let comparison = await compare(legacy, native)
    if (comparison === 'size') return this.#drop(route, 'size')
    const isDifferent = comparison.differences.length > 0
    // What legacy says again is asked for where the answers differ: then it may be noise. And what is known as noise may be none.
    if (isSafe && (isDifferent || (comparison.isNoisy && known.noise.isToBeChecked()))) {
      const isSame = async (one: ReceivedAnswer, two: ReceivedAnswer): Promise<boolean> => {
        const found = await compare(one, two)
        return found !== 'size' && found.differences.length === 0
      }
      let again: Asked | NoAnswer | undefined
      let isAlike = false
      if (isDifferent && kept.canAsk(first)) {
        again = await kept.ask(first)
        if (typeof again === 'string') return this.#drop(route, again)
        miss(again)
        // Another request may have written between the two answers, or what works once has worked, as a token. Then the side that was first says
        // now what the other one has said. It may also be wrong now and then, or by its client alone: this is neither a difference nor none.
        isAlike = await isSame(again.answer, other)
        // What its client has got is of who stands behind, and both sides pass the request on.
        if (isAlike && !(isPassed && first === 'legacy'))
          return this.#dropChanged(job, comparison, asked, missed)
        if (first === 'native') again = undefined
      }
      if (again === undefined && kept.canAsk('legacy')) again = await kept.ask('legacy')
      if (typeof again === 'string') return this.#drop(route, again)
      if (again !== undefined) comparison = isAlike ? alike : await compare(legacy, native, again.answer)
      if (comparison === 'size') return this.#drop(route, 'size')
    }
    // The state may have changed since: what was compared says nothing of it.
    if (this.#isClosed) return
    known.compared++
    known.changedInRow = 0
    const found = this.#noteAll(job, comparison, asked, asked.missed)
    // What is meant to differ is noted, and counts for nothing.
    const isOpen = found.some((one) => !this.#isAccepted(route, placeOf(one)))
    if (isOpen) known.different++
    compared(route, isOpen, counts)
  }

  /** Of answers that were other ones for a client than for its copy it is not known whether they differ. */
  #dropChanged(job: Job, comparison: Comparison, asked: Asked, missed: ReadonlySet<string>): void {
    const { route, first } = job
    const known = this.#of(route)
    this.#drop(route, 'changed')
    if (this.#isClosed) return
    // The copies may be other ones for that alone, and then there is a remedy.
    if (missed.size > 0) this.#noteAll(job, comparison, asked, [...missed])
    if (known.hasChanged || ++known.changedInRow < changedRow) return
    known.hasChanged = true
    const { logger } = this.#parts
    log(
      logger,
      'warn',
      `migration: the shadow has dropped ${changedRow} answers of ${route.key} in a row: ${first} answers a copy in another way than its client, and as the other side does. Something works once, as a token, or is no plain data on the request. A header that differs so is left out by shadow.ignoreHeaders; status().shadow.dropped.changed counts such answers`,
    )
  }

  /** Notes in what two answers differ, with what helps, and gives it as a migration tells it. */
  #noteAll(
    job: Job,
    { differences }: Comparison,
    { isTagged }: Asked,
    missed: readonly string[],
  ): readonly Difference[] {
    const { route, first, kept } = job
    const circumstances: Circumstances = {
      isOtherStatus: differences.some(({ what }) => what === 'status'),
      hasOwnEtag: !(first === 'native' ? kept.isTagged : isTagged),
      isAtPlace: kept.isAtPlace,
      missed,
    }
    const known = this.#of(route)
    const found = differences.map(ofBothSides)
    for (const difference of found) this.#note(job, known, difference, remedyFor(difference, circumstances))
    return found
  }

  #note(
    { route, kept: { request } }: Job,
    known: Comparisons,
    difference: Difference,
    remedy: string | undefined,
  ): void {
    const { clock, settings, found } = this.#parts
    const place = placeOf(difference)
    const lastAt = new Date(clock.now()).toISOString()
    const before = known.open.get(place)
    if (before !== undefined) {
      // Not known yet where the first answers differed in their status.
      const isFirst = before.remedy === undefined && remedy !== undefined
      known.open.set(place, { ...before, ...(isFirst && { remedy }), count: before.count + 1, lastAt })
      return
    }
    // Those that are accepted take no room, and there are no more of them than a person has named.
    if (!this.#isAccepted(route, place) && this.openDifferences(route) >= settings.maxDifferences) return
    const target = this.#rules.secrets.redactTarget(request.target)
    const open = {
      ...difference,
      place,
      ...(remedy !== undefined && { remedy }),
      method: request.method,
      target,
      count: 1,
      firstAt: lastAt,
      lastAt,
    }
    known.open.set(place, open)
    found(route, open)
  }

  #of(route: SwitchedRoute): Comparisons {
    let known = this.#byRoute.get(route)
    if (known === undefined) {
      known = {
        compared: 0,
        different: 0,
        dropped: 0,
        changedInRow: 0,
        noise: new Noise(),
        missed: new Set(),
        isLegacyLacking: false,
        hasThrown: false,
        hasChanged: false,
        open: new Map(),
      }
      this.#byRoute.set(route, known)
    }
    return known
  }

  ofRoute(route: SwitchedRoute): {
    compared: number
    different: number
    dropped: number
    noise: string[]
    notCopied: string[]
    differences: OpenDifference[]
  } {
    const { compared, different, dropped, noise, missed, open } = this.#of(route)
    return {
      compared,
      different,
      dropped,
      noise: noise.shown(),
      notCopied: [...missed],
      differences: [...open.values()].map((one) => {
        const accepted = this.#parts.acceptanceOf(route.key, one.place)
        return accepted === undefined ? one : { ...one, accepted }
      }),
    }
  }

  /** How many differences are open: those that a person has accepted are not. */
  openDifferences(route: SwitchedRoute): number {
    const { open } = this.#of(route)
    if (open.size === 0) return 0
    return [...open.keys()].filter((place) => !this.#isAccepted(route, place)).length
  }

  #isAccepted(route: SwitchedRoute, place: string): boolean {
    return this.#parts.acceptanceOf(route.key, place) !== undefined
  }

  /** Clears what was found, and what was learnt of noise. */
  forget(route: SwitchedRoute): void {
    const known = this.#of(route)
    known.open.clear()
    known.noise = new Noise()
    known.missed.clear()
    known.changedInRow = 0
    known.hasChanged = false
  }

  status(): ShadowStatus {
    return {
      running: this.#running,
      waiting: this.#waiting.length,
      heldBytes: this.#heldBytes,
      dropped: { ...this.#dropped },
    }
  }

  /** Drops what waits, and resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { kept } of this.#waiting.splice(0)) this.#heldBytes -= kept.bytes
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }
}

const alike: Comparison = { differences: [], isNoisy: false, noise: [] }

function isEventStream({ headers }: ReceivedAnswer): boolean {
  return /^\s*text\/event-stream/i.test(headers.get('content-type') ?? '')
}

/** What a difference is accepted by. */
function placeOf({ what, name, legacy, native }: Difference): string {
  if (what === 'status') return `${what} ${legacy} ${native}`
  return name === undefined ? what : `${what} ${name}`
}

/** True for what may be the place of a difference. */
export function isPlace(place: unknown): boolean {
  return (
    typeof place === 'string' &&
    place.length <= 1000 &&
    /^(?:status|header|missing header|new header|body)(?: |$)/.test(place)
  )
}

/** A difference as a migration tells it, whose sides are `legacy` and `native`. */
function ofBothSides({ now, ...difference }: Found): Difference {
  return { ...difference, ...(now !== undefined && { native: now }) }
}
