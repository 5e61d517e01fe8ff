// Which rows of an inventory a command edits, in which files, and why the others stay.
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { noRouteText, routePattern } from 'routecontrollers/express-model'
import { isOf } from '../check/chosen-routes.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { Registered, RegisteredCall, RegisteredLayer } from '../documents/registered.js'
import { UsageError } from '../entry/options.js'
import type { Broken, ChangedFile } from './changed-file.js'
import type { Told } from './look.js'
import { isInPackage, isTracked } from '../code/of-package.js'
import { isBelow, projectOf } from './project.js'
import { brokenBy, readSource, readText, type SourceFile } from './source-file.js'

/** Why a row stays. */
export interface LeftRow {
  readonly reason: string
  /** What helps, where that is known. */
  readonly remedy?: string
  /** The line that the reason stands on, from 1; undefined where it is that of the route. */
  readonly line?: number
  /** The file that it stands in, where that is not the one of the route. */
  readonly file?: string
}

/** What is written of the rows of one file. */
export interface FileEdit {
  readonly written: string
  readonly left: ReadonlyMap<number, LeftRow>
  /** What is told of a row besides, as `--json` prints it. */
  readonly told?: ReadonlyMap<number, object>
  readonly parts?: ChangedFile['parts']
}

/** How a command edits. */
export interface RowEditor {
  /** Why a route is none that it edits. */
  readonly reasonToStay: (row: RouteRow) => string | undefined
  /** The calls that are edited for a row, of all that have made its route. */
  readonly callsOf: (layer: RegisteredLayer, method: string) => readonly RegisteredCall[]
  readonly edit: (source: SourceFile, rows: readonly number[]) => FileEdit
  /** What is written in files that register no routes. */
  readonly others?: OtherFiles
}

/** Files that are edited for the routes of others. */
interface OtherFiles {
  /** A new attempt begins, which edits the routes of some files. */
  readonly begin: (edited: ReadonlySet<string>) => void
  readonly files: () => readonly Omit<ChangedFile, 'isCompiled'>[]
}

/** The rows that are asked for. */
export interface Asked {
  readonly cwd: string
  /** Absolute paths; all files where there are none. */
  readonly files: readonly string[]
  readonly isNamed: (row: RouteRow) => boolean
  /** True where a row that was not named is edited because the same call registers a named one. */
  readonly takesAlong: boolean
}

/** One row, as `--json` prints it. */
export interface EditedRow {
  readonly kind: 'route' | 'mount'
  readonly method: string
  readonly path: string
  readonly at: string | undefined
  /** Why it stays; undefined for one that is edited. */
  readonly left?: string
  /** What helps against that, where it is known. */
  readonly remedy?: string
  /** False for one that no option has chosen, and that is edited because the same call registers a chosen one. */
  readonly chosen?: boolean
}

export const notChosen = 'it was not chosen'
// A repository may keep packages of others there.
const keptInPackage = 'its file is below a folder node_modules: name the file, where it is your own'

/** Decides of each row of the inventory whether it is edited, and makes the edits. */
export function planRows(
  told: Told,
  broken: Broken,
  { cwd, files: chosenFiles, isNamed, takesAlong }: Asked,
  { reasonToStay, callsOf, edit, others }: RowEditor,
): { readonly routes: readonly EditedRow[]; readonly files: readonly ChangedFile[] } {
  const { inventory, registered } = told
  requireRoutes(chosenFiles, told, cwd)
  const withTheirCalls = sharedCalls(registered, (row, layer) =>
    callsOf(layer, inventory.routes[row]!.method),
  )
  const named = new Set(inventory.routes.flatMap((row, number) => (isNamed(row) ? [number] : [])))
  const chosen = takesAlong ? withTheirCalls(named) : named
  const isAlone = (row: number): boolean => [...withTheirCalls([row])].every((one) => chosen.has(one))
  const project = projectOf(cwd)
  const tracked = new Map<string, boolean>()
  const isKept = (file: string): boolean => {
    const known = tracked.get(file) ?? isTracked(file)
    tracked.set(file, known)
    return known
  }
  /** Rows that stay because of what another attempt has found. */
  const kept = new Map<number, string>()
  for (;;) {
    const before = kept.size
    const left = new Map<number, LeftRow & { readonly file?: string }>()
    const leave = (row: number, reason: string): void => void left.set(row, { reason })
    for (const [row, reason] of kept) leave(row, reason)
    const wanted = new Map<string, number[]>()
    inventory.routes.forEach((route, row) => {
      if (route.kind === 'mount') return leave(row, 'a function of use is no route')
      const file = fileOf(row, told, cwd)
      const isElsewhere = file !== undefined && chosenFiles.length > 0 && !chosenFiles.includes(file)
      if (!chosen.has(row) || isElsewhere) return leave(row, notChosen)
      const reason = reasonToStay(route)
      if (reason !== undefined) return leave(row, reason)
      if (left.has(row)) return undefined
      if (!isAlone(row)) return leave(row, 'the same call registers a route that was not chosen')
      if (file === undefined) return leave(row, 'where it was registered is not known')
      const isOwn = !isInPackage(file) || isKept(file)
      if (!isOwn) return leave(row, 'a package registers it')
      if (isInPackage(file) && !chosenFiles.includes(file)) return leave(row, keptInPackage)
      if (!existsSync(file)) return leave(row, `its source ${relative(cwd, file)} is not there`)
      if (!isBelow(project, file)) return leave(row, 'its file is outside of this project')
      const [obstacle] = broken.reasonsOf(file)
      if (obstacle !== undefined) return leave(row, obstacle)
      wanted.set(file, [...(wanted.get(file) ?? []), row])
      return undefined
    })
    const files: ChangedFile[] = []
    const more = new Map<number, object>()
    others?.begin(new Set(wanted.keys()))
    for (const [file, rows] of wanted) {
      const source = readSource(file)
      if (typeof source === 'string') {
        for (const row of rows) leave(row, source)
        continue
      }
      const edited = edit(source, rows)
      for (const [row, why] of edited.left) left.set(row, { file, ...why })
      for (const [row, one] of edited.told ?? []) more.set(row, one)
      const { written, parts = new Map() } = edited
      const wrong = brokenBy(source, written)
      if (wrong !== undefined) {
        for (const row of rows) kept.set(row, `what would be written cannot be read: ${wrong}`)
        continue
      }
      if (written !== source.text)
        files.push({ file, text: source.text, written, parts, isCompiled: isCompiled(file, registered) })
    }
    // A build has made what runs of all of them, or of none.
    const isBuilt = files.some((one) => one.isCompiled)
    const { size } = broken
    for (const other of others?.files() ?? []) {
      const wrong = brokenByEdit(other)
      if (wrong === undefined) files.push({ ...other, isCompiled: isBuilt })
      else broken.add(other.file, `what would be written cannot be read: ${wrong}`)
    }
    if (broken.size > size) continue
    if (kept.size === before) {
      for (const number of withTheirCalls(left.keys()))
        if (!left.has(number)) kept.set(number, 'another route of the same call stays')
    }
    if (kept.size > before) continue
    const routes = inventory.routes.map((row, number): EditedRow => {
      const { kind, method, path, own } = row
      const shown = { kind, method, path, at: own.at }
      const why = left.get(number)
      if (why === undefined)
        return { ...shown, ...(isNamed(row) ? {} : { chosen: false }), ...more.get(number) }
      const { reason, remedy, file, line } = why
      const at = file === undefined || line === undefined ? own.at : `${relative(cwd, file)}:${line}`
      return { ...shown, at, left: reason, ...(remedy !== undefined && { remedy }) }
    })
    return { routes, files }
  }
}

function brokenByEdit({ file, text, written }: Omit<ChangedFile, 'isCompiled'>): string | undefined {
  const source = readText(file, text)
  return typeof source === 'string' ? source : brokenBy(source, written)
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

/** Adds to rows those that are written by the same calls: these are edited together, or stay. */
export function sharedCalls(
  { routers, rows }: Registered,
  callsOfRow: (row: number, layer: RegisteredLayer) => readonly RegisteredCall[],
): (some: Iterable<number>) => Set<number> {
  const keys = rows.map((place, row) => {
    if (place === null) return []
    const [router, layer] = place
    const calls = callsOfRow(row, routers[router]!.layers[layer]!)
    const sites = calls.flatMap(({ at }) => (at ? [`${at.file}:${at.line}:${at.column}`] : []))
    // Of several calls that make a route all are edited, or none.
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

/** Throws where none of the files registers a route: then one of them is likely the entry. */
function requireRoutes(files: readonly string[], told: Told, cwd: string): void {
  const known = told.inventory.routes.map((_, row) => fileOf(row, told, cwd))
  if (files.length === 0 || files.some((file) => known.includes(file))) return
  const [first] = files.map((file) => relative(cwd, file))
  const other = known.find((file) => file !== undefined && isBelow(cwd, file) && !isInPackage(file))
  const example = other === undefined ? '' : `, as ${relative(cwd, other)} does`
  const named = files.length === 1 ? `${first} registers` : 'The files that are named register'
  throw new UsageError(
    `${named} no route of the app. A file chooses the routes that it registers${example}. ` +
      `The file that the app starts with is --entry ${first}`,
  )
}

/** Which rows patterns name. Throws UsageError for a pattern that finds none. */
export function namedBy(routes: readonly string[], { routes: rows }: Inventory): (row: RouteRow) => boolean {
  const patterns = routes.map((text) => ({ option: '--routes', text, ...routePattern(text)! }))
  for (const pattern of patterns) {
    if (rows.some((row) => isOf(pattern, row))) continue
    const known = rows.filter(({ kind }) => kind === 'route')
    throw new UsageError(noRouteText(pattern, known, 'the app has no routes'))
  }
  return (row) => patterns.some((pattern) => isOf(pattern, row))
}
