// The command `move`: writes Controllers for routes of Express, beside their handlers or in place of them.
import { relative } from 'node:path'
import { ProjectCode } from '../code/project-code.js'
import { unansweredBy } from '../code/rejections.js'
import type { RouteRow } from '../documents/inventory.js'
import type { Registered } from '../documents/registered.js'
import type { Broken } from '../edit/changed-file.js'
import { type EditPlan, runEdit } from '../edit/command.js'
import type { Told } from '../edit/look.js'
import { type EditedRow, type FileEdit, namedBy, planRows, type RowEditor } from '../edit/rows.js'
import type { SourceFile } from '../edit/source-file.js'
import type { LookContext } from '../entry/command-context.js'
import type { CommandOptions } from '../entry/options.js'
import { definitionsByRow, lastCallOf } from '../edit/route-calls.js'
import { planBeside, writeBeside } from './beside.js'
import type { WantedRoute } from './calls.js'
import { writeRuns } from './in-place-edits.js'
import { type MovedCall, planFile } from './in-place-plan.js'
import { type MoveResult, moveText } from './move-text.js'
import { type NativeCallback, planNative } from './in-place-native.js'
import { takeUpIn } from './take-up.js'
import { Twins } from './twins.js'

/** Runs `move`; gives the exit code. */
export function moveEntry(options: CommandOptions, context: LookContext): Promise<number> {
  return runEdit(options, context, {
    plan: (before, broken) => plan(options, before, broken),
    text: moveText,
    // The text of a callback may be that of its handler, so nothing may tell that one was taken up.
    isRun: (before, now) => writesOf(options) === 'native' || answersOf(before) !== answersOf(now),
  })
}

/** Who answers each route. */
function answersOf({ inventory }: Told): string {
  return inventory.routes.map(({ own }) => `${own.by} ${own.stage}`).join()
}

function plan(options: CommandOptions, told: Told, broken: Broken): EditPlan<MoveResult> {
  const { cwd, move } = options
  const { files, routes } = move
  const isNamed = routes.length === 0 ? () => true : namedBy(routes, told.inventory)
  const writes = writesOf(options)
  const planned = planRows(
    told,
    broken,
    { cwd, files, isNamed, takesAlong: true },
    editors[writes](told, options, broken),
  )
  const names = planned.files.map(({ file }) => relative(cwd, file))
  const rows = writes === 'native' ? planned.routes : withRejections(planned.routes, told, cwd)
  return { result: { version: 1, writes, routes: rows, files: names }, files: planned.files }
}

/** Says of each route that is written whether its handler may leave a request without an answer. */
function withRejections(
  routes: readonly EditedRow[],
  { inventory }: Told,
  cwd: string,
): MoveResult['routes'] {
  const project = new ProjectCode(cwd)
  return routes.map((one, row) => {
    const version =
      one.left === undefined ? unansweredBy(inventory.routes[row]!, inventory, project) : undefined
    return version === undefined ? one : { ...one, answersRejections: version }
  })
}

function writesOf({ move: { place, native } }: CommandOptions): MoveResult['writes'] {
  if (place === 'in-place') return 'in place'
  return native ? 'native' : 'beside'
}

type MakeEditor = (told: Told, options: CommandOptions, broken: Broken) => RowEditor

/** How routes are edited, by what is written. */
const editors: Readonly<Record<MoveResult['writes'], MakeEditor>> = {
  beside(told, options, broken) {
    const twins = new Twins(options.cwd, options.move.files, broken, told.registered)
    return {
      reasonToStay: ({ own }) => reasonOfBeside(own),
      callsOf: lastCallOf,
      edit: (source, rows) => editBeside(source, rows, told, options, broken, twins),
      others: twins,
    }
  },
  'in place': (told, options) => ({
    reasonToStay: ({ own }) =>
      own.by === 'Controller' ? 'a Controller answers it already' : reasonOfBeside(own),
    callsOf: ({ calls }) => calls,
    edit: (source, rows) => editInPlace(source, rows, told, options),
  }),
  native(told, { cwd, move }, broken) {
    const twins = new Twins(cwd, move.files, broken, told.registered)
    return {
      reasonToStay: ({ own }) =>
        own.stage === 'legacy' ? 'nothing was written for it: move without --native' : undefined,
      callsOf: lastCallOf,
      edit(source, rows) {
        const reasonOf = (call: number): string | undefined => broken.reasonsOf(source.file, call)[0]
        const { written, left } = takeUpIn(source, rows, told, reasonOf, twins)
        const parts = twins.partsIn(source.file)
        return { written, left, parts, told: marked(rows.filter((row) => !left.has(row))) }
      },
      others: twins,
    }
  },
}

/** A route of an app that is in front of itself is one of Express all the same. */
function reasonOfBeside({ stage }: RouteRow['own']): string | undefined {
  if (stage === undefined) return 'a Controller answers it already'
  if (stage === 'beside') return 'a native callback stands before its handler already'
  return stage === 'native' ? 'a native callback answers it already' : undefined
}

function editBeside(
  source: SourceFile,
  rows: readonly number[],
  { inventory, registered }: Told,
  { move }: CommandOptions,
  broken: Broken,
  twins: Twins,
): FileEdit {
  const { calls, left } = planBeside(source, wantedIn(rows, registered), registered, {
    asIs: move.asIs,
    methodOf: (row) => inventory.routes[row]!.method,
    definitionsOf: definitionsByRow({ inventory, registered }),
    reasonsOf: (call) => broken.reasonsOf(source.file, call),
    twins,
  })
  const pathOf = (row: number): string => inventory.routes[row]!.path
  const written = calls.length === 0 ? source.text : writeBeside(source, calls, pathOf, twins)
  return {
    written,
    left,
    parts: twins.partsIn(source.file),
    told: marked(calls.flatMap((call) => (call.form === undefined ? [] : [...call.rows]))),
  }
}

function editInPlace(
  source: SourceFile,
  rows: readonly number[],
  { inventory, registered }: Told,
  { cwd, move }: CommandOptions,
): FileEdit {
  const { runs, left } = planFile(source, wantedIn(rows, registered), registered)
  const { callbacks, kept } = move.native
    ? planNative(source, runs, registered)
    : { callbacks: new Map<MovedCall, NativeCallback>(), kept: undefined }
  const native = [...callbacks.keys()].flatMap((call) => call.routes.map(({ row }) => row))
  const file = relative(cwd, source.file)
  const notNative = [...(kept ?? [])].map(([row, { reason, remedy, line }]) => {
    const at = line === undefined ? inventory.routes[row]!.own.at : `${file}:${line}`
    return [row, { native: false, notNative: { reason, remedy, at } }] as const
  })
  return {
    written: writeRuns(source, runs, callbacks),
    left: new Map([...left].map(([row, reason]) => [row, { reason }])),
    told: new Map([...marked(native), ...notNative]),
  }
}

function marked(rows: readonly number[]): Map<number, object> {
  return new Map(rows.map((row) => [row, { native: true }]))
}

function wantedIn(rows: readonly number[], registered: Registered): WantedRoute[] {
  return rows.map((row) => {
    const [router, layer] = registered.rows[row]!
    return { row, router, layer }
  })
}
