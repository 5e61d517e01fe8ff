// Until when plans leave a route alone after a rollback. It is read from the history, so that it holds in all processes.
import type { Clock } from '../clock.js'
import type { HistoryEntry } from '../schema.js'

export class CoolDowns {
  readonly #ms: number
  readonly #clock: Clock
  readonly #until = new Map<string, number>()
  #seen = new Set<string>()
  #isFirst = true

  constructor(ms: number, clock: Clock) {
    this.#ms = ms
    this.#clock = clock
  }

  take(history: readonly HistoryEntry[]): void {
    const now = this.#clock.monotonic()
    for (const { id, by, route, at } of history) {
      if (by !== 'rollback' || this.#seen.has(id)) continue
      // What comes while this process runs is new, whatever the clock says that it was noted by.
      const age = this.#isFirst ? Math.max(0, this.#clock.now() - Date.parse(at)) : 0
      this.#until.set(route, Math.max(this.of(route), now + this.#ms - age))
    }
    this.#seen = new Set(history.map(({ id }) => id))
    this.#isFirst = false
  }

  /** By the clock that never goes back. */
  of(route: string): number {
    return this.#until.get(route) ?? -Infinity
  }
}
