// The command `move`: writes routes of Express as Controllers where they stand, shows what it would write, and proves what it has written.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { noRouteText, routePattern } from '../../express/selection.js'
import { compare, questionOf } from '../check.js'
import { type CommandContext, failureOf, hasColours, shownEntry, tell } from '../command-context.js'
import type { CheckReport } from '../check-schema.js'
import { createLock, identityOf, type Lock, parseLock } from '../lock.js'
import { type CommandOptions, UsageError } from '../options.js'
import type { Registered } from '../registered.js'
import type { Report } from '../report.js'
import { runEntry } from '../run-entry.js'
import type { Inventory, RouteRow } from '../schema.js'
import { loadParser, type Parser } from '../sources.js'
import { checkText } from '../text.js'
import { diffText } from './diff.js'
import { writeRuns } from './edits.js'
import { type MoveResult, moveText, writtenText } from './move-text.js'
import { Groups } from './groups.js'
import { type KeptHandler, planNative } from './native-calls.js'
import { planFile, type WantedRoute } from './plan.js'
import { applyEdits, type Edit, readSource } from './source-file.js'

/** What an entry has told. */
type Told = Report & { readonly inventory: Inventory; readonly registered: Registered }

/** A file with the edits that move its routes. */
interface MovedFile {
  readonly file: string
  readonly text: string
  readonly edits: readonly Edit[]
  /** True where what runs was made of it by a build. */
  readonly isCompiled: boolean
}

/** Runs `move`; gives the exit code. */
export async function moveEntry(options: CommandOptions, context: CommandContext): Promise<number> {
  const { cwd, json, move } = options
  const parser = loadParser(cwd)
  if (parser === undefined) {
    throw new UsageError('move reads code with @babel/parser: npm install --save-dev @babel/parser')
  }
  if (move.write && !move.force) requireCleanTree(cwd)
  const committed = readCommittedLock(options)
  const before = await look(options, committed === undefined ? [] : questionOf(committed), context)
  if (before === undefined) return 3
  const { result, files } = plan(options, parser, before)
  const colours = hasColours(context)
  if (!json) {
    for (const { file, text, edits } of files) {
      context.stdout.write(`${diffText(relative(cwd, file), text, edits, { colours })}\n`)
    }
    context.stdout.write(moveText(result, { colours, isWritten: move.write }))
  }
  const isWritten = move.write && files.length > 0
  const { code, told }: Written = isWritten
    ? await write(options, context, files, before, committed)
    : { code: 0 }
  const written = told !== undefined && !told.isRestored ? result.files : []
  if (json) context.stdout.write(`${JSON.stringify({ ...result, written, ...told }, null, 2)}\n`)
  else if (written.length > 0) context.stdout.write(writtenText(written))
  return code
}

async function look(
  options: CommandOptions,
  question: ReturnType<typeof questionOf>,
  context: CommandContext,
): Promise<Told | undefined> {
  const run = {
    ...options,
    question,
    wantsRegistered: true,
    preload: context.preload,
    output: context.stderr,
  }
  const outcome = await runEntry(run)
  const failure = failureOf(outcome, shownEntry(options), options)
  if (failure === undefined) return outcome.report as Told
  tell(context, failure)
  return undefined
}

function readCommittedLock({ cwd, lock }: CommandOptions): Lock | undefined {
  const name = lock ?? 'routes.lock.json'
  const file = resolve(cwd, name)
  if (existsSync(file)) return parseLock(readFileSync(file, 'utf8'), name)
  if (lock === undefined) return undefined
  throw new UsageError(`There is no ${name} in ${cwd}`)
}

/** Decides of each route of the inventory whether it moves, and makes the edits. */
function plan(
  options: CommandOptions,
  parser: Parser,
  { inventory, registered }: Told,
): { readonly result: MoveResult; readonly files: readonly MovedFile[] } {
  const { cwd, move } = options
  const isNamedToMove = chosenBy('--routes', move.routes, inventory, true)
  const isNamed = chosenBy('--native', move.native, inventory, false)
  const withTheirCalls = callsOf(registered)
  const chosen = withTheirCalls(
    inventory.routes.flatMap((row, number) => (isNamedToMove(row) ? [number] : [])),
  )
  const project = projectOf(cwd)
  const kept = new Map<number, string>()
  const groups =
    move.shape === 'group' ? new Groups(inventory, registered, (file) => readSource(parser, file)) : undefined
  for (;;) {
    const before = kept.size
    const left = new Map(kept)
    const wanted = new Map<string, WantedRoute[]>()
    inventory.routes.forEach((row, number) => {
      const place = registered.rows[number]
      const reason = reasonToStay(row, place, chosen.has(number))
      if (reason !== undefined) return left.set(number, reason)
      if (left.has(number)) return undefined
      const [router, layer] = place!
      const { calls } = registered.routers[router]!.layers[layer]!
      const files = new Set(calls.map(({ at }) => at?.file))
      const [file] = files
      if (file === undefined || files.size > 1)
        return left.set(number, 'where it was registered is not known')
      if (/[\\/]node_modules[\\/]/.test(file)) return left.set(number, 'a package registers it')
      if (move.files.length > 0 && !move.files.includes(file)) return left.set(number, notChosen)
      if (!existsSync(file)) return left.set(number, `its source ${relative(cwd, file)} is not there`)
      if (!isBelow(project, file)) return left.set(number, 'its file is outside of this project')
      const obstacle = groups?.obstacleOf(number)
      if (obstacle !== undefined) return left.set(number, obstacle)
      wanted.set(file, [...(wanted.get(file) ?? []), { row: number, router, layer }])
      return undefined
    })
    const files: MovedFile[] = []
    const native = new Set<number>()
    const notNative = new Map<number, KeptHandler & { readonly file: string }>()
    for (const [file, routes] of wanted) {
      const source = readSource(parser, file)
      if (typeof source === 'string') {
        for (const { row } of routes) left.set(row, source)
        continue
      }
      const planned = planFile(source, routes, registered)
      for (const [row, reason] of planned.left) left.set(row, reason)
      const runs = groups === undefined ? planned.runs : groups.runsOf(source, planned.runs, kept)
      const { callbacks, kept: keptHandlers } = planNative(source, runs, registered, (row) =>
        isNamed(inventory.routes[row]!),
      )
      for (const { routes: own } of callbacks.keys()) for (const { row } of own) native.add(row)
      for (const [row, why] of keptHandlers) notNative.set(row, { ...why, file })
      const edits = writeRuns(source, runs, callbacks)
      const isCompiled = routes.some(({ router, layer }) =>
        registered.routers[router]!.layers[layer]!.calls.some(({ at }) => at?.isCompiled),
      )
      if (edits.length > 0) files.push({ file, text: source.text, edits, isCompiled })
    }
    const halves = groups === undefined ? [] : halfMoved(inventory, left)
    for (const number of halves) kept.set(number, 'another registration of the same route stays')
    if (halves.length === 0) groups?.keepMeeting(left, kept)
    if (kept.size === before) {
      for (const number of withTheirCalls(left.keys()))
        if (!left.has(number)) kept.set(number, 'another route of the same call stays')
    }
    if (kept.size > before) continue
    const routes = inventory.routes.map((read, number) => {
      const { kind, method, path, own } = read
      const reason = left.get(number)
      const told = { kind, method, path, at: own.at }
      if (reason !== undefined) return { ...told, left: reason }
      const row = isNamedToMove(read) ? told : { ...told, chosen: false }
      const why = notNative.get(number)
      if (why === undefined) return native.has(number) ? { ...row, native: true } : row
      const at = why.line === undefined ? own.at : `${relative(cwd, why.file)}:${why.line}`
      return { ...row, native: false, notNative: { reason: why.reason, at } }
    })
    return {
      result: {
        version: 1,
        routes,
        files: files.map(({ file }) => relative(cwd, file)),
        ...(groups && { groups: groups.told(left, cwd) }),
      },
      files,
    }
  }
}

/** Adds to rows those that the same calls have registered: these move together, or stay. */
function callsOf({ routers, rows }: Registered): (some: Iterable<number>) => Set<number> {
  const keys = rows.map((place) => {
    if (place === null) return []
    const [router, layer] = place
    const { calls } = routers[router]!.layers[layer]!
    return [place.join(), ...calls.flatMap(({ at }) => (at ? [`${at.file}:${at.line}:${at.column}`] : []))]
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

/** Routes of groups that would move while another registration stays: in front its place among them would be another. */
function halfMoved({ routes }: Inventory, left: ReadonlyMap<number, string>): number[] {
  const staying = new Set(routes.flatMap((row, number) => (left.has(number) ? [identityOf(row)] : [])))
  return routes.flatMap((row, number) => (!left.has(number) && staying.has(identityOf(row)) ? [number] : []))
}

const notChosen = 'it was not chosen'

function reasonToStay(
  row: RouteRow,
  place: readonly [number, number] | null | undefined,
  isChosen: boolean,
): string | undefined {
  if (row.kind === 'mount') return 'a function of use is no route'
  if (row.own.by === 'Controller') return 'a Controller answers it already'
  if (!isChosen) return notChosen
  return place ? undefined : 'where it was registered is not known'
}

/** Which rows an option names, `--routes` or `--native`. Throws UsageError for a pattern that finds none. */
function chosenBy(
  option: string,
  routes: readonly string[],
  { routes: rows }: Inventory,
  unlessGiven: boolean,
): (row: RouteRow) => boolean {
  if (routes.length === 0) return () => unlessGiven
  const patterns = routes.map((text) => ({ option, text, ...routePattern(text)! }))
  for (const pattern of patterns) {
    if (rows.some((row) => isOf(pattern, row))) continue
    const known = rows.filter(({ kind }) => kind === 'route')
    throw new UsageError(noRouteText(pattern, known, 'the app has no routes'))
  }
  return (row) => patterns.some((pattern) => isOf(pattern, row))
}

/** Whether a route is of a pattern such as `GET /account/**`. */
export function isOf(
  { method, hasPath }: NonNullable<ReturnType<typeof routePattern>>,
  row: Pick<RouteRow, 'method' | 'path'>,
): boolean {
  return (method === undefined || method === row.method) && hasPath(row.path)
}

/** How writing has ended. */
interface Written {
  readonly code: number
  readonly told?: { readonly check: CheckReport | undefined; readonly isRestored: boolean }
}

/** Writes the files, runs the entry again, and puts all of them back where something is found. */
async function write(
  options: CommandOptions,
  context: CommandContext,
  files: readonly MovedFile[],
  before: Told,
  committed: Lock | undefined,
): Promise<Written> {
  const restore = (): void => {
    for (const { file, text } of files) writeFileSync(file, text)
    const names = files.map(({ file }) => relative(options.cwd, file)).join(', ')
    tell(context, `All files are as they were: ${names}`)
  }
  for (const { file, text, edits } of files) writeFileSync(file, applyEdits(text, edits))
  const built = files.filter(({ isCompiled }) => isCompiled)
  if (built.length > 0) {
    const names = built.map(({ file }) => relative(options.cwd, file)).join(', ')
    tell(
      context,
      `${names}: what runs was built of it, so nothing is compared yet. Build, then run routecontrollers check, or parity --base HEAD`,
    )
    return { code: 0, told: { check: undefined, isRestored: false } }
  }
  const locks = [createLock(before.inventory), ...(committed === undefined ? [] : [committed])]
  let after: Told | undefined
  try {
    after = await look(options, locks.flatMap(questionOf), context)
  } finally {
    if (after === undefined) restore()
  }
  if (after === undefined) return { code: 3, told: { check: undefined, isRestored: true } }
  const [own, ofCommitted] = compareAll(locks, after)
  const found = isWorse(before, ofCommitted, committed) ? ofCommitted! : own!
  if (!options.json) context.stdout.write(checkText(found, { colours: hasColours(context) }))
  if (found.ok || (found !== ofCommitted && own!.ok))
    return { code: 0, told: { check: own, isRestored: false } }
  restore()
  return { code: 1, told: { check: found, isRestored: true } }
}

/** Compares an app with several locks, whose questions it was asked one behind the other. */
function compareAll(locks: readonly Lock[], { inventory, observations = [] }: Told): CheckReport[] {
  let from = 0
  return locks.map((lock) => {
    const { length } = questionOf(lock)
    return compare(lock, inventory, observations.slice(from, (from += length)))
  })
}

/** True where a committed lock has findings that it had not before. */
function isWorse(before: Told, after: CheckReport | undefined, lock: Lock | undefined): boolean {
  if (after === undefined || lock === undefined || after.ok) return false
  const [was] = compareAll([lock], before)
  const findingsOf = ({ routes }: CheckReport): Set<string> =>
    new Set(
      routes.flatMap(({ method, path, changes }) => changes.map((one) => `${method} ${path} ${one.finding}`)),
    )
  const known = findingsOf(was!)
  return [...findingsOf(after)].some((one) => !known.has(one))
}

/** The folder that may be written to: the repository, so that git shows what has changed. */
function projectOf(cwd: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--show-toplevel'], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  } catch {
    return cwd
  }
}

/** False for a file that only a symbolic link in the folder leads to. */
function isBelow(folder: string, file: string): boolean {
  const path = relative(realpathSync(folder), realpathSync(file))
  return !isAbsolute(path) && path.split(sep)[0] !== '..'
}

/** Throws UsageError where what is written could not be told from what was changed before. */
function requireCleanTree(cwd: string): void {
  let status: string
  try {
    status = execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8', stdio: 'pipe' })
  } catch {
    throw new UsageError(
      `--write needs git, to show what it has changed, and ${cwd} is in no repository; --force writes all the same`,
    )
  }
  if (status.trim() === '') return
  const [first] = status.trim().split('\n')
  throw new UsageError(
    `--write needs a tree without changes, and git tells of some (${first!.trim()}): commit them, or --force`,
  )
}
