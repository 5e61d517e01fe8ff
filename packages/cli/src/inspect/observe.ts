// What the requests of a question meet, in the process that has made the app.
import type { Question } from '../documents/child.js'
import type { Inventory, Observation } from '../documents/inventory.js'
import { appsNow, placedRows } from '../documents/same-app.js'
import type { Reading } from './inventory.js'

/** What the requests of a lock meet in an app as it is now. `inventory` is that of the reading. */
export function observeAll(reading: Reading, question: Question, inventory?: Inventory): Observation[] {
  const placed = question.flatMap(({ app, place }) => (place === undefined ? [] : { app, ...place }))
  const isOne = reading.roots.length === 1 && placed.every(({ app }) => app === 0)
  const apps =
    isOne || inventory === undefined
      ? []
      : appsNow(placed, placedRows(inventory.routes), reading.roots.length)
  return question.map((asked) => reading.observe({ ...asked, app: apps[asked.app] ?? asked.app }))
}
