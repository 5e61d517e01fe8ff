// The command `move`: writes Controllers for routes of Express, beside their handlers or in place of them.
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { noRouteText, routePattern } from 'routecontrollers/express-model'
import { isOf } from '../check/chosen-routes.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { Registered, RegisteredCall, RegisteredLayer } from '../documents/registered.js'
import type { Broken, ChangedFile } from '../edit/changed-file.js'
import { type EditPlan, runEdit } from '../edit/command.js'
import type { Told } from '../edit/look.js'
import { isBelow, projectOf } from '../edit/project.js'
import { brokenBy, readSource, type SourceFile } from '../edit/source-file.js'
import type { LookContext } from '../entry/command-context.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import { lastCall, planBeside, writeBeside } from './beside.js'
import type { LeftRoute, WantedRoute } from './calls.js'
import { writeRuns } from './in-place-edits.js'
import { type MovedCall, planFile } from './in-place-plan.js'
import { type MoveResult, moveText } from './move-text.js'
import { takeUpIn } from './take-up.js'
import { type NativeCallback, planNative } from './native-calls.js'

/** Runs `move`; gives the exit code. */
export function moveEntry(options: CommandOptions, context: LookContext): Promise<number> {
  return runEdit(options, context, {
    plan: (before, broken) => plan(options, before, broken),
    text: moveText,
    // The text of a callback may be that of its handler, so nothing may tell that one was taken up.
    isRun: (before, now) => modeOf(options) === takeUp || answersOf(before) !== answersOf(now),
  })
}

/** Who answers each route. */
function answersOf({ inventory }: Told): string {
  return inventory.routes.map(({ own }) => `${own.by} ${own.stage}`).join()
}

/** What is written of the routes of one file. */
interface FileEdit {
  readonly written: string
  readonly left: ReadonlyMap<number, LeftRoute>
  /** The rows that get a native callback, and why others do not; in place of routes alone. */
  readonly native?: ReadonlySet<number>
  readonly notNative?: ReadonlyMap<number, LeftRoute>
}

/** A way to move. */
interface Mode {
  /** Why a route is none that it moves. */
  readonly reasonToStay: (own: RouteRow['own']) => string | undefined
  /** The calls that are to be edited for a row, of all that have made its route. */
  readonly callsOf: (layer: RegisteredLayer, method: string) => readonly RegisteredCall[]
  readonly edit: (
    source: SourceFile,
    rows: readonly number[],
    told: Told,
    options: CommandOptions,
    broken: Broken,
  ) => FileEdit
}

function writesOf({ place, native }: CommandOptions['move']): MoveResult['writes'] {
  if (place === 'in-place') return 'in place'
  return native ? 'native' : 'beside'
}

function modeOf({ move }: CommandOptions): Mode {
  if (move.place === 'in-place') return inPlace
  return move.native ? takeUp : beside
}

const callsBeside: Mode['callsOf'] = ({ calls }, method) => {
  const call = lastCall(calls, method)
  return typeof call === 'string' ? [] : [call]
}

function reasonOfMoved({ by, stage }: RouteRow['own']): string | undefined {
  if (by === 'Controller') return 'a Controller answers it already'
  if (stage === 'beside') return 'a native callback stands before its handler already'
  return stage === 'native' ? 'a native callback answers it already' : undefined
}

const beside: Mode = {
  reasonToStay: reasonOfMoved,
  callsOf: callsBeside,
  edit(source, rows, { inventory, registered }, { move }, broken) {
    const { calls, left } = planBeside(source, wantedIn(rows, registered), registered, {
      asIs: move.asIs,
      methodOf: (row) => inventory.routes[row]!.method,
      reasonsOf: (call) => broken.reasonsOf(source.file, call),
    })
    const native = calls.flatMap((call) => (call.form === undefined ? [] : [...call.rows]))
    const written =
      calls.length === 0 ? source.text : writeBeside(source, calls, (row) => inventory.routes[row]!.path)
    return { written, left, native: new Set(native) }
  },
}

const inPlace: Mode = {
  reasonToStay: reasonOfMoved,
  callsOf: ({ calls }) => calls,
  edit(source, rows, { registered }, { move }) {
    const { runs, left } = planFile(source, wantedIn(rows, registered), registered)
    const { callbacks, kept } = move.native
      ? planNative(source, runs, registered)
      : { callbacks: new Map<MovedCall, NativeCallback>(), kept: undefined }
    const native = [...callbacks.keys()].flatMap((call) => call.routes.map(({ row }) => row))
    return {
      written: writeRuns(source, runs, callbacks),
      left: new Map([...left].map(([row, reason]) => [row, { reason }])),
      native: new Set(native),
      ...(kept && { notNative: kept }),
    }
  },
}

const takeUp: Mode = {
  reasonToStay: ({ by, stage }) =>
    by === 'Express' && stage === 'legacy' ? 'nothing was written for it: move without --native' : undefined,
  callsOf: callsBeside,
  edit(source, rows, told, _options, broken) {
    const { written, left } = takeUpIn(source, rows, told, (call) => broken.reasonsOf(source.file, call)[0])
    return { written, left, native: new Set(rows.filter((row) => !left.has(row))) }
  },
}

function wantedIn(rows: readonly number[], registered: Registered): WantedRoute[] {
  return rows.map((row) => {
    const [router, layer] = registered.rows[row]!
    return { row, router, layer }
  })
}

/** Decides of each route of the inventory whether it moves, and makes the edits. */
function plan(options: CommandOptions, told: Told, broken: Broken): EditPlan<MoveResult> {
  const { inventory, registered } = told
  const { cwd, move } = options
  const isNamed = chosenBy(move.routes, inventory)
  const mode = modeOf(options)
  const withTheirCalls = callsOf(registered, (row, layer) =>
    mode.callsOf(layer, inventory.routes[row]!.method),
  )
  const chosen = withTheirCalls(inventory.routes.flatMap((row, number) => (isNamed(row) ? [number] : [])))
  const project = projectOf(cwd)
  /** Rows that stay because of what another attempt has found. */
  const kept = new Map<number, string>()
  for (;;) {
    const before = kept.size
    const left = new Map<number, LeftRoute & { readonly file?: string }>()
    const leave = (row: number, reason: string): void => void left.set(row, { reason })
    for (const [row, reason] of kept) leave(row, reason)
    const wanted = new Map<string, number[]>()
    inventory.routes.forEach(({ kind, own }, row) => {
      if (kind === 'mount') return leave(row, 'a function of use is no route')
      const reason = mode.reasonToStay(own) ?? (chosen.has(row) ? undefined : notChosen)
      if (reason !== undefined) return leave(row, reason)
      if (left.has(row)) return undefined
      const file = fileOf(row, told, cwd)
      if (file === undefined) return leave(row, 'where it was registered is not known')
      if (/[\\/]node_modules[\\/]/.test(file)) return leave(row, 'a package registers it')
      if (move.files.length > 0 && !move.files.includes(file)) return leave(row, notChosen)
      if (!existsSync(file)) return leave(row, `its source ${relative(cwd, file)} is not there`)
      if (!isBelow(project, file)) return leave(row, 'its file is outside of this project')
      const [obstacle] = broken.reasonsOf(file)
      if (obstacle !== undefined) return leave(row, obstacle)
      wanted.set(file, [...(wanted.get(file) ?? []), row])
      return undefined
    })
    const files: ChangedFile[] = []
    const native = new Set<number>()
    const notNative = new Map<number, LeftRoute & { readonly file: string }>()
    for (const [file, rows] of wanted) {
      const source = readSource(file)
      if (typeof source === 'string') {
        for (const row of rows) leave(row, source)
        continue
      }
      const edited = mode.edit(source, rows, told, options, broken)
      for (const [row, why] of edited.left) left.set(row, { ...why, file })
      for (const row of edited.native ?? []) native.add(row)
      for (const [row, why] of edited.notNative ?? []) notNative.set(row, { ...why, file })
      const { written } = edited
      const wrong = brokenBy(source, written)
      if (wrong !== undefined) {
        for (const row of rows) kept.set(row, `what would be written cannot be read: ${wrong}`)
        continue
      }
      if (written !== source.text)
        files.push({ file, text: source.text, written, isCompiled: isCompiled(file, registered) })
    }
    if (kept.size === before) {
      for (const number of withTheirCalls(left.keys()))
        if (!left.has(number)) kept.set(number, 'another route of the same call stays')
    }
    if (kept.size > before) continue
    const placeOf = (row: RouteRow, { file, line }: LeftRoute & { readonly file?: string }) =>
      file === undefined || line === undefined ? row.own.at : `${relative(cwd, file)}:${line}`
    const routes = inventory.routes.map((row, number) => {
      const { kind, method, path, own } = row
      const why = left.get(number)
      const shown = { kind, method, path, at: own.at }
      if (why !== undefined) return { ...shown, at: placeOf(row, why), left: why.reason }
      const moved = isNamed(row) ? shown : { ...shown, chosen: false }
      const because = notNative.get(number)
      if (because === undefined) return native.has(number) ? { ...moved, native: true } : moved
      const { reason } = because
      return { ...moved, native: false, notNative: { reason, at: placeOf(row, because) } }
    })
    return {
      result: {
        version: 1,
        writes: writesOf(move),
        routes,
        files: files.map(({ file }) => relative(cwd, file)),
      },
      files,
    }
  }
}

/** The file that a route is written in; undefined where that is not known, or not one. */
function fileOf(row: number, { inventory, registered }: Told, cwd: string): string | undefined {
  const place = registered.rows[row]
  if (place) {
    const [router, layer] = place
    const { calls } = registered.routers[router]!.layers[layer]!
    const files = new Set(calls.map(({ at }) => at?.file))
    return files.size === 1 ? [...files][0] : undefined
  }
  const [, file] = /^(.*):\d+$/.exec(inventory.routes[row]!.own.at ?? '') ?? []
  return file === undefined ? undefined : resolve(cwd, file)
}

/** True for a file of which a build has made what runs. */
function isCompiled(file: string, { routers }: Registered): boolean {
  return routers.some(({ layers }) =>
    layers.some(({ calls }) => calls.some(({ at }) => at?.file === file && at.isCompiled)),
  )
}

/** Adds to rows those that are written by the same calls: these move together, or stay. */
function callsOf(
  { routers, rows }: Registered,
  callsOfRow: (row: number, layer: RegisteredLayer) => readonly RegisteredCall[],
): (some: Iterable<number>) => Set<number> {
  const keys = rows.map((place, row) => {
    if (place === null) return []
    const [router, layer] = place
    const calls = callsOfRow(row, routers[router]!.layers[layer]!)
    const sites = calls.flatMap(({ at }) => (at ? [`${at.file}:${at.line}:${at.column}`] : []))
    // Of several calls that make a route all move, or none.
    return calls.length > 1 ? [place.join(), ...sites] : sites
  })
  const rowsOf = new Map<string, number[]>()
  keys.forEach((own, row) => {
    for (const key of own) rowsOf.set(key, [...(rowsOf.get(key) ?? []), row])
  })
  return (some) => {
    const found = new Set(some)
    const seen = new Set<string>()
    // A set is walked with what is added to it meanwhile.
    for (const row of found) {
      for (const key of keys[row] ?? []) {
        if (seen.has(key)) continue
        seen.add(key)
        for (const other of rowsOf.get(key)!) found.add(other)
      }
    }
    return found
  }
}

const notChosen = 'it was not chosen'

/** Which rows `--routes` names; all, where it names none. Throws UsageError for a pattern that finds none. */
function chosenBy(routes: readonly string[], { routes: rows }: Inventory): (row: RouteRow) => boolean {
  if (routes.length === 0) return () => true
  const patterns = routes.map((text) => ({ option: '--routes', text, ...routePattern(text)! }))
  for (const pattern of patterns) {
    if (rows.some((row) => isOf(pattern, row))) continue
    const known = rows.filter(({ kind }) => kind === 'route')
    throw new UsageError(noRouteText(pattern, known, 'the app has no routes'))
  }
  return (row) => patterns.some((pattern) => isOf(pattern, row))
}
