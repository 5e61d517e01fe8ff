// Moves the routes of a text in this process: what the command does to a file, without a file.
import { currentRecorder } from '../../../packages/cli/src/inspect/record.js'
import { withReading } from '../../../packages/cli/src/inspect/inventory.js'
import { readRegistered } from '../../../packages/cli/src/inspect/read-registered.js'
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import type { WantedRoute } from '../../../packages/cli/src/move/calls.js'
import { writeRuns } from '../../../packages/cli/src/move/in-place-edits.js'
import { planFile } from '../../../packages/cli/src/move/in-place-plan.js'

export interface MovedText {
  readonly text: string
  /** How many rows of the inventory have moved. */
  readonly moved: number
  /** The paths of those. */
  readonly paths: readonly string[]
  /** Why each of the others stays. */
  readonly left: readonly string[]
}

/** Moves what an app has registered in place, from a text that was evaluated with `file` for its name; a recorder was there before. */
export function moveText(app: unknown, file: string, text: string): MovedText {
  return withReading(app, {}, (reading) => {
    const inventory = reading.inventory()
    const registered = readRegistered(reading, inventory, currentRecorder()!)
    const source = readText(file, text)
    if (typeof source === 'string') throw new Error(source)
    const left = new Map<number, string>()
    const wanted: WantedRoute[] = []
    const mounts = new Set<number>()
    inventory.routes.forEach(({ kind }, row) => {
      const place = registered.rows[row]
      if (kind === 'mount') mounts.add(row)
      else if (!place) left.set(row, 'no place')
      else wanted.push({ row, router: place[0], layer: place[1] })
    })
    const planned = planFile(source, wanted, registered)
    for (const [row, reason] of planned.left) left.set(row, reason)
    const routes = inventory.routes.length - mounts.size
    return {
      text: writeRuns(source, planned.runs),
      moved: routes - left.size,
      paths: inventory.routes.flatMap(({ path }, row) => (left.has(row) || mounts.has(row) ? [] : [path])),
      left: [...left.values()],
    }
  })
}
