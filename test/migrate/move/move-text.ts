// Moves the routes of a text in this process: what the command does to a file, without a file.
import { currentRecorder } from '../../../packages/cli/src/inspect/record.js'
import { withReading } from '../../../packages/cli/src/inspect/inventory.js'
import { readRegistered } from '../../../packages/cli/src/inspect/read-registered.js'
import { planFile, type WantedRoute } from '../../../packages/cli/src/move/plan.js'
import { Groups } from '../../../packages/cli/src/move/groups.js'
import { writeRuns } from '../../../packages/cli/src/move/edits.js'
import { readText } from '../../../packages/cli/src/move/source-file.js'

export interface MovedText {
  readonly text: string
  /** How many rows of the inventory have moved. */
  readonly moved: number
  /** The paths of those. */
  readonly paths: readonly string[]
  /** Why each of the others stays. */
  readonly left: readonly string[]
}

/** Moves what an app has registered from a text that was evaluated with `file` for its name; a recorder was there before. */
export function moveText(
  app: unknown,
  file: string,
  text: string,
  shape: 'in-place' | 'group' = 'in-place',
): MovedText {
  return withReading(app, {}, (reading) => {
    const inventory = reading.inventory()
    const registered = readRegistered(reading, inventory, currentRecorder()!)
    const source = readText(file, text)
    if (typeof source === 'string') throw new Error(source)
    const groups = shape === 'group' ? new Groups(inventory, registered, () => source) : undefined
    const kept = new Map<number, string>()
    for (;;) {
      const before = kept.size
      const left = new Map(kept)
      const wanted: WantedRoute[] = []
      inventory.routes.forEach(({ kind }, row) => {
        if (kind === 'mount' || left.has(row)) return
        const place = registered.rows[row]
        const obstacle = place ? groups?.obstacleOf(row) : 'no place'
        if (obstacle !== undefined) left.set(row, obstacle)
        else wanted.push({ row, router: place![0], layer: place![1] })
      })
      const planned = planFile(source, wanted, registered)
      for (const [row, reason] of planned.left) left.set(row, reason)
      const runs = groups === undefined ? planned.runs : groups.runsOf(source, planned.runs, kept)
      inventory.routes.forEach(({ kind }, row) => {
        if (kind === 'mount') left.set(row, 'a mount')
      })
      groups?.keepMeeting(left, kept)
      if (kept.size > before) continue
      const routes = inventory.routes.filter(({ kind }) => kind === 'route').length
      const reasons = [...left.values()].filter((reason) => reason !== 'a mount')
      return {
        text: writeRuns(source, runs),
        moved: routes - reasons.length,
        paths: inventory.routes.flatMap(({ path }, row) => (left.has(row) ? [] : [path])),
        left: reasons,
      }
    }
  })
}
