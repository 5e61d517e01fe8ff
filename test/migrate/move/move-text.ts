// Moves the routes of a text in this process: what the command does to a file, without a file.
import { FunctionReader } from '../../../packages/cli/src/inspect/functions.js'
import { currentRecorder } from '../../../packages/cli/src/inspect/record.js'
import { withReading } from '../../../packages/cli/src/inspect/inventory.js'
import { readRegistered } from '../../../packages/cli/src/inspect/read-registered.js'
import type { Definition, Registered } from '../../../packages/cli/src/documents/registered.js'
import { Broken } from '../../../packages/cli/src/edit/changed-file.js'
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import { retireIn } from '../../../packages/cli/src/retire/retire.js'
import { definitionsByRow } from '../../../packages/cli/src/edit/route-calls.js'
import { planBeside, writeBeside } from '../../../packages/cli/src/move/beside.js'
import { takeUpIn } from '../../../packages/cli/src/move/take-up.js'
import { Twins } from '../../../packages/cli/src/move/twins.js'
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

// Hears of each text as it is evaluated. Without it, each look has V8 tell of all scripts of the process, which takes longer than the move.
const reader = new FunctionReader()
beforeAll(() => void reader.files)
afterAll(() => reader.close())

/** Moves what an app has registered, in place or beside as it is, makes native callbacks of what was written as it was, or deletes what was replaced, from a text that was evaluated with `file` for its name; a recorder was there before. */
export function moveText(
  app: unknown,
  file: string,
  text: string,
  writes: 'in place' | 'beside' | 'taken up' | 'retired' = 'in place',
  /** What the file is called where it is written. */
  name = file,
): MovedText {
  return withReading(app, {}, (reading) => {
    const inventory = reading.inventory()
    const read = readRegistered(reading, inventory, currentRecorder()!)
    // A text may be written under another name than the one that it was evaluated with.
    const renamed = (sites: Definition['own']): Definition['own'] =>
      sites.map((one) => (one.file === file ? { ...one, file: name } : one))
    const definitions = read.definitions.map(
      (one): Definition | null => one && { ...one, own: renamed(one.own), named: renamed(one.named) },
    )
    const registered: Registered = { ...read, definitions }
    const source = readText(name, text)
    if (typeof source === 'string') throw new Error(source)
    const left = new Map<number, string>()
    const wanted: WantedRoute[] = []
    const mounts = new Set<number>()
    inventory.routes.forEach(({ kind, own }, row) => {
      const place = registered.rows[row]
      if (kind === 'mount') mounts.add(row)
      else if (writes === 'taken up') {
        if (own.stage === 'legacy' || (own.stage === undefined && !registered.runsHandlers.includes(row)))
          left.set(row, `it is ${own.stage}`)
        else wanted.push({ row, router: place?.[0] ?? -1, layer: place?.[1] ?? -1 })
      } else if (!place) left.set(row, 'no place')
      else if (own.stage !== (writes === 'retired' ? 'beside' : 'legacy')) left.set(row, `it is ${own.stage}`)
      else wanted.push({ row, router: place[0], layer: place[1] })
    })
    let written: string
    if (writes === 'retired') {
      const rows = wanted.map(({ row }) => row)
      const told = { inventory, registered } as Parameters<typeof retireIn>[2]
      const retired = retireIn(source, rows, told, () => undefined)
      for (const [row, { reason }] of retired.left) left.set(row, reason)
      written = retired.written
    } else if (writes === 'taken up') {
      const rows = wanted.map(({ row }) => row)
      const told = { inventory, registered } as Parameters<typeof takeUpIn>[2]
      const taken = takeUpIn(source, rows, told, () => undefined, twinsOf(file))
      for (const [row, { reason }] of taken.left) left.set(row, reason)
      written = taken.written
    } else if (writes === 'beside') {
      const twins = twinsOf(file)
      const planned = planBeside(source, wanted, registered, {
        asIs: true,
        methodOf: (row) => inventory.routes[row]!.method,
        definitionsOf: definitionsByRow({ inventory, registered }),
        reasonsOf: () => [],
        twins,
      })
      for (const [row, { reason }] of planned.left) left.set(row, reason)
      const pathOf = (row: number): string => inventory.routes[row]!.path
      written = planned.calls.length === 0 ? text : writeBeside(source, planned.calls, pathOf, twins)
    } else {
      const planned = planFile(source, wanted, registered)
      for (const [row, reason] of planned.left) left.set(row, reason)
      written = writeRuns(source, planned.runs)
    }
    const routes = inventory.routes.length - mounts.size
    return {
      text: written,
      moved: routes - left.size,
      paths: inventory.routes.flatMap(({ path }, row) => (left.has(row) || mounts.has(row) ? [] : [path])),
      left: [...left.values()],
    }
  })
}

function twinsOf(file: string): Twins {
  const twins = new Twins('/', [], new Broken(), { exports: [] })
  twins.begin(new Set([file]))
  return twins
}
