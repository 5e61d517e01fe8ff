// One route that can be answered by two sides, and what is known of both.
import type { Decision, RunnableController } from 'routecontrollers/introspection'
import { Clients } from './decision/clients.js'
import type { Counts } from './decision/counts.js'
import { RouteEvidence } from './decision/route-evidence.js'
import { Histogram, Ring, Timings } from './outcomes.js'
import type { SideName, SideStatus } from './schema.js'
import { stateKinds } from './kinds.js'
import type { State } from './states.js'

/** Of a route in a steady state, one answer of so many is looked at. */
const steadyEvery = 8
/** The last answers that a rollback looks at, besides those of the window: of a Controller that has begun to fail they are the first to tell. */
const latest = 20
/** For how long each answer is looked at once one of them has failed. */
const alarmMs = 30_000

/** What is known of one side of a route. */
export class Side {
  requests = 0
  watched = 0
  failures = 0
  aborted = 0
  readonly failed: Ring
  readonly latestFailed = new Ring(latest)
  readonly timings: Timings = new Timings()
  readonly times = new Histogram()

  constructor(window: number) {
    this.failed = new Ring(window)
  }

  /** Notes whether an answer has failed. */
  add(isFailure: boolean): void {
    this.failed.add(isFailure)
    this.latestFailed.add(isFailure)
  }

  /** Clears the last answers, not the sums. */
  clear(): void {
    this.failed.clear()
    this.latestFailed.clear()
    this.timings.clear()
  }

  status(): SideStatus {
    const { requests, watched, failures, aborted, failed, timings } = this
    return {
      requests,
      watched,
      failures,
      aborted,
      failureRate: failed.rate,
      p50Ms: timings.at(0.5),
      p99Ms: timings.at(0.99),
    }
  }
}

/** A Controller with its state. */
export class SwitchedRoute {
  readonly key: string
  readonly controller: RunnableController
  readonly legacy: Side
  readonly native: Side
  readonly differs: Ring
  readonly latestDiffers = new Ring(latest)
  readonly clients = new Clients()
  readonly evidence = new RouteEvidence()
  state: State
  /** What traces say of its requests, by who answers. */
  decisions: Readonly<Record<SideName, Decision>>
  /** The key that its state was set for. */
  setFor = 'initial'
  /** The key of what cannot be read, for which it stays where it is. */
  heldBy: string | undefined
  /** Whole seconds since the migration was made: a small number, which costs no memory to note. -1 before the first request. */
  lastAsked = -1
  /** Like all times of a route by the clock that never goes back: that of the day may be set while a plan waits. */
  coolDownUntil: number = -Infinity
  /** Of the comparisons before the state was set, until there are others. */
  #formerRate = 0
  /** When its state was set, and how many answers the Controller had been watched to give by then. */
  since = 0
  watchedBefore = 0
  /** The same of compared answers. */
  comparedBefore = 0
  /** How many answers were compared, and how many of them differed. */
  allCompared = 0
  allDifferent = 0
  rollbacks = 0
  /** What the answers to copies have taken. */
  readonly copyTimes = new Histogram()
  /** What of all this was told to others. */
  #told = {
    nativeRequests: 0,
    nativeFailures: 0,
    legacyRequests: 0,
    legacyFailures: 0,
    allCompared: 0,
    allDifferent: 0,
  }
  /** Why a plan does not lead it up, where that is for a person to mend. */
  paused: string | undefined
  /** Of how many requests one is watched, and how many were not since the last one. */
  #every = 1
  #unwatched = 0
  #alarmUntil: number | undefined

  /** False for a route that the legacy app does not have, and so could not answer. */
  readonly canGoBack: boolean

  constructor(controller: RunnableController, state: State, window: number, canGoBack: boolean) {
    this.canGoBack = canGoBack
    this.key = keyOf(controller)
    this.controller = controller
    this.legacy = new Side(window)
    this.native = new Side(window)
    this.differs = new Ring(window)
    this.state = state
    this.decisions = decisionsOf(state)
    this.#setPace()
  }

  enter(state: State, setFor: string, heldBy: string | undefined, now: number): void {
    this.setFor = setFor
    this.heldBy = heldBy
    if (state.text === this.state.text) return
    this.state = state
    this.decisions = decisionsOf(state)
    this.since = now
    this.paused = undefined
    this.#alarmUntil = undefined
    this.watchedBefore = this.native.watched
    // What has failed before the change says nothing of what is there after it.
    this.native.clear()
    this.#formerRate = this.differenceRate
    this.#clearDifferences()
    this.evidence.clear()
    this.#setPace()
  }

  /** The share that differs among the last answers that were compared, in whatever state. */
  get differenceRate(): number {
    return this.differs.count === 0 ? this.#formerRate : this.differs.rate
  }

  /** True once none of the last compared answers differs. */
  get isAlike(): boolean {
    return this.differs.isFull && this.differs.rate === 0
  }

  forgetDifferences(): void {
    this.#clearDifferences()
    this.#formerRate = 0
  }

  #clearDifferences(): void {
    this.differs.clear()
    this.latestDiffers.clear()
    this.evidence.forgetDifferences()
  }

  /** What has happened since this was asked last. */
  takeCounts(): Counts {
    const counts = this.evidence.takeCounts()
    const { native, legacy, allCompared, allDifferent } = this
    const now = {
      nativeRequests: native.requests,
      nativeFailures: native.failures,
      legacyRequests: legacy.requests,
      legacyFailures: legacy.failures,
      allCompared,
      allDifferent,
    }
    for (const name of Object.keys(now) as (keyof typeof now)[]) counts[name] = now[name] - this.#told[name]
    this.#told = now
    return counts
  }

  /** True for a while after an answer of the Controller has failed. */
  get isAlarmed(): boolean {
    return this.#alarmUntil !== undefined
  }

  #setPace(): void {
    this.#every = stateKinds[this.state.kind].isCompared ? 1 : steadyEvery
    this.#unwatched = this.#every
  }

  /** Whether this request is watched. */
  isWatched(): boolean {
    if (++this.#unwatched < this.#every) return false
    this.#unwatched = 0
    return true
  }

  /** Has each answer looked at for a while: one of the Controller has failed or was slow, and it may be the first of many. */
  alarm(now: number): void {
    this.#alarmUntil = now + alarmMs
    this.#every = 1
  }

  tick(now: number): void {
    if (this.#alarmUntil === undefined || now < this.#alarmUntil) return
    this.#alarmUntil = undefined
    this.#setPace()
  }
}

function decisionsOf({ text: state }: State): Readonly<Record<SideName, Decision>> {
  const of = (side: SideName): Decision => ({ side, state, isShadow: false })
  return { legacy: of('legacy'), native: of('native') }
}

/** `'GET /users/:id'` */
export function keyOf({ method, pattern }: RunnableController): string {
  return `${method} ${pattern.source}`
}
