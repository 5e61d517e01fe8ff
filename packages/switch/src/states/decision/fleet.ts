// What all replicas have counted, and which one of them leads, by a store that carries it.
import type { Clock } from '../clock.js'
import { nodeCrypto } from '../node-crypto.js'
import type { MigrationSettings } from '../options.js'
import type { FleetReport, FleetRouteStatus, FleetStatus, FleetView, MigrationStore } from '../schema.js'
import type { SwitchedRoute } from '../switched-route.js'
import { type CountName, type Counts, countsSince, nameOfCounts, noCounts } from './counts.js'
import { Members } from './members.js'

/** What is older says nothing of who leads. Less than a lease lasts. */
const freshMs = 3000

export interface FleetParts {
  readonly settings: MigrationSettings
  readonly clock: Clock
  /** The version of the states that were read last. */
  readonly stateVersion: () => number | undefined
  /** How many differences of a route are open here. */
  readonly openDifferences: (route: SwitchedRoute) => number
  /** There are new figures. */
  readonly changed: () => void
}

export class Fleet {
  readonly #parts: FleetParts
  readonly #report: NonNullable<MigrationStore['report']>
  readonly #run: string = nodeCrypto().randomBytes(6).toString('hex')
  readonly #members: Members
  /** What was counted here and is in no report yet. */
  #pending = new Map<string, number>()
  #asked = new Set<string>()
  /** The report that the store has not answered: it may have taken it. */
  #offered: Pick<FleetReport, 'number' | 'counts' | 'asked'> | undefined
  #number = 0
  #isBusy = false
  #isUrged = false
  #view: FleetView | undefined
  /** Before the answer was asked for: a process that was stopped in between has lost its lease meanwhile. */
  #viewAt = -Infinity

  /** Undefined for a store that carries no figures. */
  static of(parts: FleetParts): Fleet | undefined {
    const { store } = parts.settings
    return store.report === undefined ? undefined : new Fleet(parts, store.report.bind(store))
  }

  private constructor(parts: FleetParts, report: NonNullable<MigrationStore['report']>) {
    this.#parts = parts
    this.#report = report
    this.#members = new Members(parts.settings, parts.clock)
  }

  /** Called once a second, and where what was seen is a reason to ask at once. No request waits for it. */
  tick(routes: readonly SwitchedRoute[]): void {
    for (const route of routes) this.#count(route)
    if (this.#isBusy) this.#isUrged = true
    else void this.#exchange(routes)
  }

  #count(route: SwitchedRoute): void {
    const { key } = route
    const counts = route.takeCounts()
    if (counts.nativeRequests + counts.legacyRequests > 0) this.#asked.add(key)
    for (const name of nameOfCounts) {
      const field = fieldOf(key, name)
      if (counts[name] !== 0) this.#pending.set(field, (this.#pending.get(field) ?? 0) + counts[name])
    }
  }

  async #exchange(routes: readonly SwitchedRoute[]): Promise<void> {
    const { settings, clock, stateVersion, openDifferences, changed } = this.#parts
    this.#isBusy = true
    try {
      do {
        this.#isUrged = false
        const isAgain = this.#offered !== undefined
        const offered = (this.#offered ??= this.#nextReport())
        const askedAt = clock.monotonic()
        const view = await this.#report({
          ...offered,
          replica: settings.replica,
          run: this.#run,
          mayLead: routes.length > 0,
          about: this.#members.tell(routes, stateVersion(), openDifferences),
        })
        this.#offered = undefined
        // What was counted since the report that was offered again.
        if (isAgain && this.#pending.size > 0) this.#isUrged = true
        for (const route of routes) this.#take(route, view)
        this.#members.take(view.members)
        this.#view = view
        this.#viewAt = askedAt
        changed()
      } while (this.#isUrged)
    } catch {
      // The keeper tells of a store that is away. The report is offered again with its number.
    } finally {
      this.#isBusy = false
    }
  }

  #nextReport(): Pick<FleetReport, 'number' | 'counts' | 'asked'> {
    const report = { number: ++this.#number, counts: this.#pending, asked: [...this.#asked] }
    this.#pending = new Map()
    this.#asked = new Set()
    return report
  }

  #take({ key, evidence }: SwitchedRoute, view: FleetView): void {
    // What was counted before this process was there is not of these seconds.
    if (this.#view === undefined) return
    const since = countsSince(countsIn(this.#view, key), countsIn(view, key))
    evidence.joint.take(since, this.#parts.settings.rollback?.differenceRate ?? 1)
  }

  /** Differences that are open in another replica. */
  openDifferences({ key }: SwitchedRoute): number {
    return this.#members.openDifferences(key)
  }

  /** When any replica was asked for a route last, by the clock of the store; and since when it counts, and now. */
  askedAt(
    route: string,
  ): { readonly at: number | undefined; readonly since: number; readonly now: number } | undefined {
    const { askedAt, since, now } = this.#view ?? {}
    return askedAt && { at: askedAt.get(route), since: since!, now: now! }
  }

  get #isFresh(): boolean {
    return this.#parts.clock.monotonic() - this.#viewAt <= freshMs
  }

  get isLeader(): boolean {
    return this.#isFresh && this.#view?.isLeader === true
  }

  /** Whether the figures of all are those of now. */
  get isKnown(): boolean {
    return this.#isFresh && this.#view !== undefined
  }

  /** What a change names that only the leader may make. */
  get lease(): string | undefined {
    return this.isLeader ? this.#view?.lease : undefined
  }

  /** How many decide: also those that were there when the store was last read. */
  get replicas(): number {
    return Math.max(1, this.#view?.members.size ?? 1)
  }

  status(): FleetStatus {
    const { replica } = this.#parts.settings
    const view = this.#view
    return {
      replica,
      leader: view?.leader,
      isLeader: this.isLeader,
      replicas: this.replicas,
      members: this.#members.status(),
      since: view && new Date(view.since).toISOString(),
    }
  }

  routeStatus(route: SwitchedRoute): FleetRouteStatus | undefined {
    if (this.#view === undefined) return undefined
    const { legacyRequests, legacyFailures, nativeRequests, nativeFailures, allCompared, allDifferent } =
      countsIn(this.#view, route.key)
    return {
      legacy: { requests: legacyRequests, failures: legacyFailures },
      native: { requests: nativeRequests, failures: nativeFailures },
      compared: allCompared,
      different: allDifferent,
      openDifferences: Math.max(this.#parts.openDifferences(route), this.openDifferences(route)),
    }
  }
}

function countsIn({ counts }: FleetView, route: string): Counts {
  const all = noCounts()
  for (const name of nameOfCounts) all[name] = counts.get(fieldOf(route, name)) ?? 0
  return all
}

function fieldOf(route: string, name: CountName): string {
  return `${name} ${route}`
}
