// The command `move`: writes Controllers for routes of Express, beside their handlers or in place of them.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
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
import { type NativeCallback, planNative } from './native-calls.js'

/** Runs `move`; gives the exit code. */
export function moveEntry(options: CommandOptions, context: LookContext): Promise<number> {
  return runEdit(options, context, {
    plan: (before, broken) => plan(options, before, broken),
    text: moveText,
    isRun: (before, now) =>
      movedIn(now) > movedIn(before) || now.inventory.routes.length !== before.inventory.routes.length,
  })
}

/** How many routes a Controller answers, or a native callback. */
function movedIn({ inventory }: Told): number {
  return inventory.routes.filter(({ own }) => own.by === 'Controller' || isNative(own)).length
}

function isNative({ stage }: RouteRow['own']): boolean {
  return stage === 'beside' || stage === 'native'
}

/** What is written of the routes of one file. */
interface FileEdit {
  readonly written: string
  readonly left: ReadonlyMap<number, LeftRoute>
  /** The rows that get a native callback, and why others do not; in place of routes alone. */
  readonly native?: ReadonlySet<number>
  readonly notNative?: ReadonlyMap<number, LeftRoute>
}

/** Decides of each route of the inventory whether it moves, and makes the edits. */
function plan(
  options: CommandOptions,
  { inventory, registered }: Told,
  broken: Broken,
): EditPlan<MoveResult> {
  const { cwd, move } = options
  const isNamed = chosenBy(move.routes, inventory)
  const withTheirCalls = callsOf(registered, (row, layer) => {
    if (move.place === 'in-place') return layer.calls
    const call = lastCall(layer.calls, inventory.routes[row]!.method)
    return typeof call === 'string' ? [] : [call]
  })
  const chosen = withTheirCalls(inventory.routes.flatMap((row, number) => (isNamed(row) ? [number] : [])))
  const project = projectOf(cwd)
  const edit = move.place === 'beside' ? editBeside : editInPlace
  /** Rows that stay because of what another attempt has found. */
  const kept = new Map<number, string>()
  for (;;) {
    const before = kept.size
    const left = new Map<number, LeftRoute & { readonly file?: string }>()
    const leave = (row: number, reason: string): void => void left.set(row, { reason })
    for (const [row, reason] of kept) leave(row, reason)
    const wanted = new Map<string, WantedRoute[]>()
    inventory.routes.forEach((row, number) => {
      const place = registered.rows[number]
      const reason = reasonToStay(row, place, chosen.has(number))
      if (reason !== undefined) return leave(number, reason)
      if (left.has(number)) return undefined
      const [router, layer] = place!
      const { calls } = registered.routers[router]!.layers[layer]!
      const files = new Set(calls.map(({ at }) => at?.file))
      const [file] = files
      if (file === undefined || files.size > 1) return leave(number, 'where it was registered is not known')
      if (/[\\/]node_modules[\\/]/.test(file)) return leave(number, 'a package registers it')
      if (move.files.length > 0 && !move.files.includes(file)) return leave(number, notChosen)
      if (!existsSync(file)) return leave(number, `its source ${relative(cwd, file)} is not there`)
      if (!isBelow(project, file)) return leave(number, 'its file is outside of this project')
      const obstacle = broken.reasonOf(file)
      if (obstacle !== undefined) return leave(number, obstacle)
      wanted.set(file, [...(wanted.get(file) ?? []), { row: number, router, layer }])
      return undefined
    })
    const files: ChangedFile[] = []
    const native = new Set<number>()
    const notNative = new Map<number, LeftRoute & { readonly file: string }>()
    for (const [file, routes] of wanted) {
      const source = readSource(file)
      if (typeof source === 'string') {
        for (const { row } of routes) leave(row, source)
        continue
      }
      const edited = edit(source, routes, inventory, registered, options, broken)
      for (const [row, why] of edited.left) left.set(row, { ...why, file })
      for (const row of edited.native ?? []) native.add(row)
      for (const [row, why] of edited.notNative ?? []) notNative.set(row, { ...why, file })
      const { written } = edited
      const wrong = brokenBy(source, written)
      if (wrong !== undefined) {
        for (const { row } of routes) kept.set(row, `what would be written cannot be read: ${wrong}`)
        continue
      }
      const isCompiled = routes.some(({ router, layer }) =>
        registered.routers[router]!.layers[layer]!.calls.some(({ at }) => at?.isCompiled),
      )
      if (written !== source.text) files.push({ file, text: source.text, written, isCompiled })
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
      const told = { kind, method, path, at: own.at }
      if (why !== undefined) return { ...told, at: placeOf(row, why), left: why.reason }
      const moved = isNamed(row) ? told : { ...told, chosen: false }
      const because = notNative.get(number)
      if (because === undefined) return native.has(number) ? { ...moved, native: true } : moved
      const { reason } = because
      return { ...moved, native: false, notNative: { reason, at: placeOf(row, because) } }
    })
    return {
      result: { version: 1, place: move.place, routes, files: files.map(({ file }) => relative(cwd, file)) },
      files,
    }
  }
}

type EditFile = (
  source: SourceFile,
  routes: readonly WantedRoute[],
  inventory: Inventory,
  registered: Registered,
  options: CommandOptions,
  broken: Broken,
) => FileEdit

const editBeside: EditFile = (source, routes, inventory, registered, { move }, broken) => {
  const { calls, left } = planBeside(source, routes, registered, {
    asIs: move.asIs,
    methodOf: (row) => inventory.routes[row]!.method,
    reasonOf: (call) => broken.reasonOf(source.file, call),
  })
  const rows = calls.flatMap((call) => (call.form === undefined ? [] : [...call.rows]))
  return {
    written: calls.length === 0 ? source.text : writeBeside(source, calls),
    left,
    native: new Set(rows),
  }
}

const editInPlace: EditFile = (source, routes, _inventory, registered, { move }) => {
  const { runs, left } = planFile(source, routes, registered)
  const { callbacks, kept } = move.native
    ? planNative(source, runs, registered)
    : { callbacks: new Map<MovedCall, NativeCallback>(), kept: undefined }
  const rows = [...callbacks.keys()].flatMap((call) => call.routes.map(({ row }) => row))
  return {
    written: writeRuns(source, runs, callbacks),
    left: new Map([...left].map(([row, reason]) => [row, { reason }])),
    native: new Set(rows),
    ...(kept && { notNative: kept }),
  }
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

function reasonToStay(
  { kind, own }: RouteRow,
  place: readonly [number, number] | null | undefined,
  isChosen: boolean,
): string | undefined {
  if (kind === 'mount') return 'a function of use is no route'
  if (own.by === 'Controller') return 'a Controller answers it already'
  if (own.stage === 'beside') return 'a native callback stands before its handler already'
  if (own.stage === 'native') return 'a native callback answers it already'
  if (!isChosen) return notChosen
  return place ? undefined : 'where it was registered is not known'
}

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
