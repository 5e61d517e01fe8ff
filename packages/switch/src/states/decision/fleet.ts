// What all replicas have counted, and which one of them leads, by a store that carries it.
import type { Clock } from '../clock.js'
import type { MigrationSettings } from '../options.js'
import type { FleetStatus, FleetView, MigrationStore } from '../schema.js'
import type { SwitchedRoute } from '../switched-route.js'
import { type Counts, nameOfCounts, noCounts } from './route-evidence.js'

/** What is older says nothing of who leads. Less than a lease lasts. */
const freshMs = 3000

export class Fleet {
  readonly #settings: MigrationSettings
  readonly #clock: Clock
  readonly #report: NonNullable<MigrationStore['report']>
  /** What was counted here and has not been taken. */
  #pending = new Map<string, number>()
  #isBusy = false
  #view: FleetView | undefined
  /** Before the answer was asked for: a process that was stopped in between has lost its lease meanwhile. */
  #viewAt = -Infinity

  /** Undefined for a store that carries no figures. */
  static of(settings: MigrationSettings, clock: Clock): Fleet | undefined {
    const { store } = settings
    return store.report === undefined ? undefined : new Fleet(settings, clock, store.report.bind(store))
  }

  private constructor(
    settings: MigrationSettings,
    clock: Clock,
    report: NonNullable<MigrationStore['report']>,
  ) {
    this.#settings = settings
    this.#clock = clock
    this.#report = report
  }

  /** Called once a second. No request waits for it. */
  tick(routes: Iterable<SwitchedRoute>): void {
    const all = [...routes]
    for (const { key, evidence } of all) {
      const counts = evidence.takeCounts()
      for (const name of nameOfCounts) {
        const field = fieldOf(key, name)
        if (counts[name] > 0) this.#pending.set(field, (this.#pending.get(field) ?? 0) + counts[name])
      }
    }
    if (!this.#isBusy) void this.#exchange(all)
  }

  async #exchange(routes: readonly SwitchedRoute[]): Promise<void> {
    this.#isBusy = true
    const counts = this.#pending
    this.#pending = new Map()
    const askedAt = this.#clock.monotonic()
    try {
      const view = await this.#report({
        replica: this.#settings.replica,
        counts,
      })
      for (const route of routes) this.#take(route, view)
      this.#view = view
      this.#viewAt = askedAt
    } catch {
      // The keeper tells of a store that is away. What was counted is offered again: it may have been taken, and then counts twice.
      for (const [field, count] of counts) this.#pending.set(field, (this.#pending.get(field) ?? 0) + count)
    } finally {
      this.#isBusy = false
    }
  }

  #take({ key, evidence }: SwitchedRoute, view: FleetView): void {
    // What was counted before this process was there is not of these seconds.
    if (this.#view === undefined) return
    const [before, now] = [countsIn(this.#view, key), countsIn(view, key)]
    const since = noCounts()
    // A smaller number is that of a store which has begun anew.
    for (const name of nameOfCounts)
      since[name] = now[name] < before[name] ? now[name] : now[name] - before[name]
    evidence.fleet.take(since, this.#settings.rollback?.differenceRate ?? 1)
  }

  /** What all have counted of a route. */
  of({ key }: SwitchedRoute): Counts | undefined {
    return this.#view && countsIn(this.#view, key)
  }

  get #isFresh(): boolean {
    return this.#clock.monotonic() - this.#viewAt <= freshMs
  }

  get isLeader(): boolean {
    return this.#isFresh && this.#view?.leader === this.#settings.replica
  }

  /** What a change names that only the leader may make. */
  get lease(): string | undefined {
    return this.isLeader ? this.#view?.lease : undefined
  }

  /** How many decide: also those that were there when the store was last read. */
  get replicas(): number {
    return Math.max(1, this.#view?.replicas ?? 1)
  }

  status(): FleetStatus {
    const { replica } = this.#settings
    return { replica, leader: this.#view?.leader, isLeader: this.isLeader, replicas: this.replicas }
  }
}

function countsIn({ counts }: FleetView, route: string): Counts {
  const all = noCounts()
  for (const name of nameOfCounts) all[name] = counts.get(fieldOf(route, name)) ?? 0
  return all
}

function fieldOf(route: string, name: keyof Counts): string {
  return `${name} ${route}`
}
