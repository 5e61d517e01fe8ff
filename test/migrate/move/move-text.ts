// Moves the routes of a text in this process: what the command does to a file, without a file.
import { parse } from '@babel/parser'
import { currentRecorder } from '../../../src/migrate/record.js'
import { withReading } from '../../../src/migrate/inventory.js'
import { readRegistered } from '../../../src/migrate/read-registered.js'
import { planFile, type WantedRoute } from '../../../src/migrate/move/plan.js'
import { writeRuns } from '../../../src/migrate/move/edits.js'
import { applyEdits, readText } from '../../../src/migrate/move/source-file.js'

export interface MovedText {
  readonly text: string
  /** How many rows of the inventory have moved. */
  readonly moved: number
  /** Why each of the others stays. */
  readonly left: readonly string[]
}

/** Moves what an app has registered from a text that was evaluated with `file` for its name; a recorder was there before. */
export function moveText(app: unknown, file: string, text: string): MovedText {
  return withReading(app, {}, (reading) => {
    const inventory = reading.inventory()
    const registered = readRegistered(reading, inventory, currentRecorder()!)
    const source = readText({ parse } as never, file, text)
    if (typeof source === 'string') throw new Error(source)
    const wanted: WantedRoute[] = []
    const left: string[] = []
    inventory.routes.forEach(({ kind }, row) => {
      if (kind === 'mount') return
      const place = registered.rows[row]
      if (place) wanted.push({ row, router: place[0], layer: place[1] })
      else left.push('no place')
    })
    const planned = planFile(source, wanted, registered)
    return {
      text: applyEdits(text, writeRuns(source, planned.runs)),
      moved: wanted.length - planned.left.size,
      left: [...left, ...planned.left.values()],
    }
  })
}
