// Asks the other side too, once the client has its answer, and compares.
import { AsyncResource } from 'node:async_hooks'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Exchange } from '../../exchange.js'
import { toListener } from '../../node/listener.js'
import type { FetchHandler, NodeHandler } from '../../types.js'
import type { Answer } from '../parity-answers.js'
import { capture, type Captured } from './capture.js'
import type { Clock } from './clock.js'
import { type CompareRules, differencesOf, neverCompared, type Noise, noNoise } from './compare.js'
import { type NoAnswer, runInMemory } from './memory-request.js'
import { maskOfRequest, redactTarget, secretsOf } from './redact.js'
import type {
  Difference,
  DropReason,
  MigrationStatus,
  OpenDifference,
  ShadowOptions,
  SideName,
} from './schema.js'
import { markSide, wasReached } from './side-key.js'
import type { SwitchedRoute } from './switched-route.js'

export interface ShadowParts {
  readonly settings: Required<ShadowOptions>
  readonly legacy: NodeHandler
  readonly fetchHandler: FetchHandler
  readonly clock: Clock
  /** Two answers of a route were compared. */
  readonly compared: (route: SwitchedRoute) => void
  /** A difference that was not seen before. */
  readonly found: (route: SwitchedRoute, difference: OpenDifference) => void
}

interface Job extends Captured {
  readonly route: SwitchedRoute
  /** Who has answered the client. */
  readonly first: SideName
  /** Whether the request has come through `middleware()`, inside the legacy app. */
  readonly isInside: boolean
}

/** What is known of the comparisons of one route. */
interface Comparisons {
  compared: number
  different: number
  dropped: number
  readonly noise: Noise
  readonly open: Map<string, OpenDifference>
}

/** Utilization over less time says nothing. */
const leastWindowMs = 100
const mostWindowMs = 2000

type ShadowStatus = MigrationStatus['shadow']

export const noShadow: ShadowStatus = {
  running: 0,
  waiting: 0,
  heldBytes: 0,
  dropped: { load: 0, queue: 0, size: 0, body: 0, failed: 0, changed: 0 },
}

export class Shadow {
  readonly #parts: ShadowParts
  readonly #native: NodeHandler
  readonly #rules: Omit<CompareRules, 'mask'>
  readonly #waiting: Job[] = []
  readonly #byRoute = new WeakMap<SwitchedRoute, Comparisons>()
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
  #idle: (() => void)[] = []

  constructor(parts: ShadowParts) {
    this.#parts = parts
    const { settings, fetchHandler, legacy } = parts
    this.#native = toListener(fetchHandler, { fallback: legacy })
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
  capture(route: SwitchedRoute, isNative: boolean, exchange: Exchange): void {
    const { settings } = this.#parts
    const { incoming, outgoing, method } = exchange
    const isSafe = method === 'GET' || method === 'HEAD'
    if (this.#isClosed || (!isSafe && !settings.unsafe.includes(route.key))) return
    if (settings.exclude.includes(route.key) || Math.random() >= settings.sample) return
    if (this.#waiting.length >= settings.queue) return this.#drop(route, 'queue')
    const isInside = exchange.fail !== undefined
    capture({
      incoming: incoming!,
      outgoing: outgoing!,
      maxBytes: settings.maxBytes,
      hold: (bytes) => {
        if (this.#heldBytes + bytes > settings.maxHeldBytes) return false
        this.#heldBytes += bytes
        return true
      },
      release: (bytes) => void (this.#heldBytes -= bytes),
      done: (result) => {
        if (result === 'stream') return
        if (typeof result === 'string') return this.#drop(route, result)
        const isFull = this.#waiting.length >= settings.queue
        if (isFull) this.#drop(route, 'queue')
        if (isFull || this.#isClosed || isEventStream(result.answer)) {
          return void (this.#heldBytes -= result.bytes)
        }
        this.#waiting.push({ ...result, route, first: isNative ? 'native' : 'legacy', isInside })
        this.#scope.runInAsyncScope(() => this.#probe())
      },
    })
  }

  #drop(route: SwitchedRoute, reason: DropReason): void {
    this.#dropped[reason]++
    this.#of(route).dropped++
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
        this.#heldBytes -= job.bytes
        this.#drop(job.route, 'load')
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

  async #run(job: Job): Promise<void> {
    this.#running++
    try {
      await this.#compare(job)
    } finally {
      this.#running--
      this.#heldBytes -= job.bytes
      this.#rest()
      this.#probe()
    }
  }

  #rest(): void {
    if (this.#running > 0 || this.#waiting.length > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #compare(job: Job): Promise<void> {
    const { route, first, answer, request } = job
    const other = await this.#ask(job, first === 'legacy' ? 'native' : 'legacy')
    if (typeof other === 'string') return this.#drop(route, other)
    const [legacy, native] = first === 'legacy' ? [answer, other] : [other, answer]
    const known = this.#of(route)
    const rules = { ...this.#rules, mask: maskOfRequest(request) }
    // What legacy says again is asked for where the answers differ: then it may be noise.
    let differences = differencesOf(legacy, native, undefined, known.noise, rules)
    if (differences.length > 0 && (request.method === 'GET' || request.method === 'HEAD')) {
      const isSame = (one: Answer, two: Answer): boolean =>
        differencesOf(one, two, undefined, known.noise, rules).length === 0
      // Somebody may have written between the two answers. Then the side that was quicker says now what the other one has said.
      const later = await this.#ask(job, first)
      if (typeof later === 'string') return this.#drop(route, later)
      if (first === 'legacy') {
        differences = isSame(later, native) ? [] : differencesOf(legacy, native, later, known.noise, rules)
      } else {
        // It may also be a Controller that is wrong now and then: this is neither a difference nor none.
        if (isSame(legacy, later)) return this.#drop(route, 'changed')
        const again = await this.#ask(job, 'legacy')
        if (typeof again === 'string') return this.#drop(route, again)
        differences = differencesOf(legacy, native, again, known.noise, rules)
      }
    }
    // The state may have changed since: what was compared says nothing of it.
    if (this.#isClosed) return
    known.compared++
    if (differences.length > 0) known.different++
    route.differs.add(differences.length > 0)
    for (const difference of differences) this.#note(job, known, difference)
    this.#parts.compared(route)
  }

  #note({ route, request }: Job, known: Comparisons, difference: Difference): void {
    const { clock, settings, found } = this.#parts
    const { what, name = '', legacy, native } = difference
    const key = what === 'status' ? `${what} ${legacy} ${native}` : `${what} ${name}`
    const lastAt = new Date(clock.now()).toISOString()
    const before = known.open.get(key)
    if (before !== undefined) {
      known.open.set(key, { ...before, count: before.count + 1, lastAt })
      return
    }
    if (known.open.size >= settings.maxDifferences) return
    const target = redactTarget(request.target, this.#rules.secrets.isSecret)
    const open = { ...difference, method: request.method, target, count: 1, firstAt: lastAt, lastAt }
    known.open.set(key, open)
    found(route, open)
  }

  /** Has one side answer a copy of a request. */
  async #ask({ request, isInside }: Job, side: SideName): Promise<Answer | NoAnswer> {
    const { settings, legacy } = this.#parts
    const handler = isInside || side === 'legacy' ? legacy : this.#native
    let copy: object = request
    const answer = await runInMemory(
      handler,
      // What a handler writes to its headers is its own.
      { ...request, headers: { ...request.headers } },
      {
        timeoutMs: settings.timeoutMs,
        maxBytes: settings.maxBytes,
        prepare: (incoming) => {
          copy = incoming
          markSide(incoming, side)
          Object.assign(incoming, { isShadow: true })
        },
      },
    )
    // The legacy app that was given is not the one that `middleware()` stands in: what has answered is not the Controller.
    if (side === 'native' && !wasReached(copy) && typeof answer !== 'string') return 'failed'
    return answer
  }

  #of(route: SwitchedRoute): Comparisons {
    let known = this.#byRoute.get(route)
    if (known === undefined) {
      known = { compared: 0, different: 0, dropped: 0, noise: noNoise(), open: new Map() }
      this.#byRoute.set(route, known)
    }
    return known
  }

  ofRoute(route: SwitchedRoute): {
    compared: number
    different: number
    dropped: number
    noise: string[]
    differences: OpenDifference[]
  } {
    const { compared, different, dropped, noise, open } = this.#of(route)
    return {
      compared,
      different,
      dropped,
      noise: [...noise.headers, ...noise.places],
      differences: [...open.values()],
    }
  }

  forget(route: SwitchedRoute): void {
    this.#of(route).open.clear()
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
    for (const { bytes } of this.#waiting.splice(0)) this.#heldBytes -= bytes
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }
}

function isEventStream({ headers }: Answer): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}
