// Which app of one side is which of the code as it is: servers that begin to listen in another order are not others.
import type { Report } from '../documents/child.js'
import { appsNow, placedRows } from '../documents/same-app.js'
import type { Side } from '../entry/serve-side.js'

/**
 * For each app of one start its number in another one. Empty where both have the same numbers, or where it cannot be said of each app.
 */
export function numbersIn(other: Report | undefined, one: Report | undefined): readonly number[] {
  const [there, here] = [other?.inventory, one?.inventory]
  const count = here?.apps.length
  if (there === undefined || here === undefined || there.apps.length !== count || count < 2) return []
  const numbers = appsNow(placedRows(here.routes), placedRows(there.routes), count)
  return new Set(numbers).size === count ? numbers : []
}

/** The places of apps, which are numbered as the code as it is has them. */
export class SameApps {
  readonly #now: Side
  /** A side that was started again has another report. */
  readonly #numbers = new WeakMap<Report, readonly number[]>()

  constructor(now: Side) {
    this.#now = now
  }

  placeAt(side: Side, app: number): ReturnType<Side['placeOf']> {
    const { report } = side
    if (report === undefined) return side.placeOf(app)
    let numbers = this.#numbers.get(report)
    if (numbers === undefined) this.#numbers.set(report, (numbers = numbersIn(report, this.#now.report)))
    return side.placeOf(numbers[app] ?? app)
  }
}
