// The command `move`: writes routes of Express as Controllers where they stand, shows what it would write, and proves what it has written.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { Writable } from 'node:stream'
import { noRouteText, routePattern } from 'routecontrollers/express-model'
import { compare, questionOf } from '../check/check.js'
import { failureOf, type LookContext, shownEntry } from '../entry/command-context.js'
import { appOutput } from '../terminal/app-output.js'
import { hasColours, tell } from '../terminal/context.js'
import type { CheckReport } from '../documents/check.js'
import { isOf } from '../check/chosen-routes.js'
import { createLock, identityOf, type Lock } from '../check/lock.js'
import { readLockFile } from '../check/read-lock.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import type { Registered } from '../documents/registered.js'
import type { Report } from '../documents/child.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import { checkText } from '../report/text.js'
import { compareStarts } from '../check/varying-paths.js'
import { brokenFiles } from './broken-files.js'
import { diffText } from './diff.js'
import { writeRuns } from './edits.js'
import { type MoveResult, moveText, notComparedText, writtenText } from './move-text.js'
import { Groups } from './groups.js'
import { type KeptHandler, planNative } from './native-calls.js'
import { planFile, type WantedRoute } from './plan.js'
import { brokenBy, readSource } from './source-file.js'

/** What an entry has told. */
type Told = Report & { readonly inventory: Inventory; readonly registered: Registered }

/** A file whose routes move. */
interface MovedFile {
  readonly file: string
  readonly text: string
  /** The text with its routes moved. */
  readonly written: string
  /** True where what runs was made of it by a build. */
  readonly isCompiled: boolean
}

/** Runs `move`; gives the exit code. */
export async function moveEntry(options: CommandOptions, context: LookContext): Promise<number> {
  const { cwd, json, move } = options
  if (move.write && !move.force) requireCleanTree(cwd)
  const committed = readCommittedLock(options)
  const before = await look(options, committed === undefined ? [] : questionOf(committed), context)
  if (before === undefined) return 3
  const colours = hasColours(context)
  /** Files that something fails with, by the reason; each attempt leaves one more. */
  const broken = new Map<string, string>()
  for (;;) {
    const { result, files } = plan(options, before, broken)
    const missing = files.length > 0 && broken.size === 0 ? missingDependency(cwd) : undefined
    if (missing !== undefined) tell(context, missing)
    const isWritten = move.write && files.length > 0
    const written: Written = isWritten
      ? await write(options, context, files, before, committed)
      : { code: 0, isRestored: true }
    if (written.broken !== undefined) {
      const { size } = broken
      for (const [file, reason] of written.broken) broken.set(file, reason)
      if (broken.size > size && files.some(({ file }) => !broken.has(file))) continue
    }
    const changed = isWritten && !written.isRestored ? result.files : []
    if (json) {
      const { check, isRestored } = written
      const told = isWritten && { check, isRestored, isCompared: check !== undefined }
      context.stdout.write(`${JSON.stringify({ ...result, written: changed, ...told }, null, 2)}\n`)
      return written.code
    }
    for (const { file, text, written } of files) {
      context.stdout.write(`${diffText(relative(cwd, file), text, written, { colours })}\n`)
    }
    context.stdout.write(moveText(result, { colours, isWritten: move.write }))
    if (written.check !== undefined) context.stdout.write(checkText(written.check, { colours }))
    if (changed.length > 0) {
      const isCompared = written.check !== undefined
      context.stdout.write(isCompared ? writtenText(changed) : notComparedText(changed))
    }
    return written.code
  }
}

async function look(
  options: CommandOptions,
  question: ReturnType<typeof questionOf>,
  context: LookContext,
  output = appOutput(context),
): Promise<Told | undefined> {
  const outcome = await context.look({
    ...options,
    question,
    wantsRegistered: true,
    output,
  })
  const failure = failureOf(outcome, shownEntry(options), options)
  if (failure === undefined) return outcome.report as Told
  tell(context, failure)
  return undefined
}

function readCommittedLock({ cwd, lock: named }: CommandOptions): Lock | undefined {
  const name = named ?? 'routes.lock.json'
  const lock = readLockFile(cwd, name)
  if (lock !== undefined || named === undefined) return lock
  throw new UsageError(`There is no ${name} in ${cwd}`)
}

/** Decides of each route of the inventory whether it moves, and makes the edits. */
function plan(
  options: CommandOptions,
  { inventory, registered }: Told,
  broken: ReadonlyMap<string, string>,
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
  const groups = move.shape === 'group' ? new Groups(inventory, registered, readSource) : undefined
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
      const obstacle = broken.get(file) ?? groups?.obstacleOf(number)
      if (obstacle !== undefined) return left.set(number, obstacle)
      wanted.set(file, [...(wanted.get(file) ?? []), { row: number, router, layer }])
      return undefined
    })
    const files: MovedFile[] = []
    const native = new Set<number>()
    const notNative = new Map<number, KeptHandler & { readonly file: string }>()
    for (const [file, routes] of wanted) {
      const source = readSource(file)
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
      const written = writeRuns(source, runs, callbacks)
      const broken = brokenBy(source, written)
      if (broken !== undefined) {
        for (const { row } of routes) kept.set(row, `what would be written cannot be read: ${broken}`)
        continue
      }
      const isCompiled = routes.some(({ router, layer }) =>
        registered.routers[router]!.layers[layer]!.calls.some(({ at }) => at?.isCompiled),
      )
      if (written !== source.text) files.push({ file, text: source.text, written, isCompiled })
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

/** How writing has ended. */
/** The package that is imported by what is written. */
const imported = 'routecontrollers'

/** What is read of a package.json. */
interface Manifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

interface Written {
  readonly code: number
  /** What the comparison has found; undefined where nothing was compared. */
  readonly check?: CheckReport
  readonly isRestored: boolean
  /** The files that something has failed with, and why. */
  readonly broken?: ReadonlyMap<string, string>
}

/** Writes the files, runs what it can, compares the app with what it was, and puts all of them back where something is found. */
async function write(
  options: CommandOptions,
  context: LookContext,
  files: readonly MovedFile[],
  before: Told,
  committed: Lock | undefined,
): Promise<Written> {
  const { cwd, move } = options
  const names = files.map(({ file }) => relative(cwd, file)).join(', ')
  const putBack = (): void => {
    for (const { file, text } of files) writeFileSync(file, text)
  }
  const restore = (): void => {
    putBack()
    tell(context, `All files are as they were: ${names}`)
  }
  // What is ended by a signal ends in the middle of it.
  process.once('exit', putBack)
  try {
    for (const { file, written } of files) writeFileSync(file, written)
    const said: string[] = []
    const listening = { ...context, stderr: tee(context.stderr, said) }
    for (const command of move.run) {
      const failure = await runCommandLine(command, cwd, listening)
      if (failure === undefined) continue
      tell(context, `${command} has failed: ${failure}`)
      restore()
      tell(context, `Run ${command} again: it has last run on what was written.`)
      return { code: 1, isRestored: true, broken: brokenFiles(said.join(''), files, cwd, command) }
    }
    const built = files.filter(({ isCompiled }) => isCompiled)
    if (built.length > 0 && move.run.length === 0) {
      const some = built.map(({ file }) => relative(cwd, file)).join(', ')
      tell(
        context,
        `${some}: what runs was built of it, so nothing is compared. --run ${buildOf(cwd)} builds and compares at once; or build, and run routecontrollers check, or parity --base HEAD`,
      )
      return { code: 3, isRestored: false }
    }
    // Of what the committed lock leaves out, the guards are compared all the same.
    const locks = [
      createLock(before.inventory, committed, { except: [] }),
      ...(committed === undefined ? [] : [committed]),
    ]
    let now: Told | undefined
    try {
      now = await look(options, locks.flatMap(questionOf), listening, appOutput(context, said))
    } finally {
      if (now === undefined) restore()
    }
    if (now === undefined) {
      const entry = shownEntry(options)
      return { code: 3, isRestored: true, broken: brokenFiles(said.join(''), files, cwd, entry) }
    }
    if (!runsWhatIsWritten(before, now)) {
      tell(
        context,
        `${shownEntry(options)} runs as it did, without what was written in ${names}, so nothing is compared. --run ${buildOf(cwd)} runs what it needs first`,
      )
      return { code: 3, isRestored: false }
    }
    const [own, ofCommitted] = compareAll(locks, now)
    const found = isWorse(before, ofCommitted, committed) ? ofCommitted! : own!
    if (found.ok || (found !== ofCommitted && own!.ok)) return { code: 0, check: own!, isRestored: false }
    restore()
    const { varying } = compareStarts(before.inventory, now.inventory)
    if (varying.size > 0) {
      const [path] = varying.values()
      tell(
        context,
        `Paths as ${path} are others with each start: write a lock, which knows them, and move again: routecontrollers inspect ${shownEntry(options)} --lock ${options.lock ?? 'routes.lock.json'}`,
      )
    }
    return { code: 1, check: found, isRestored: true }
  } finally {
    process.off('exit', putBack)
  }
}

/** False where no route is answered by a Controller that Express has answered. */
function runsWhatIsWritten(before: Told, now: Told): boolean {
  const countOf = ({ inventory }: Told): number =>
    inventory.routes.filter(({ own }) => own.by === 'Controller').length
  return countOf(now) > countOf(before) || now.inventory.routes.length !== before.inventory.routes.length
}

/** A stream that writes on, and notes what it has written. */
function tee(stream: LookContext['stderr'], said: string[]): LookContext['stderr'] {
  return Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said.push(chunk.toString())
        stream.write(chunk)
        done()
      },
    }),
    { isTTY: stream.isTTY === true },
  )
}

/** Runs a command line; gives how it has failed. */
function runCommandLine(command: string, cwd: string, { stderr }: LookContext): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.pipe(stderr, { end: false })
    child.stderr.pipe(stderr, { end: false })
    child.once('error', ({ message }) => resolve(message))
    child.once('close', (code, signal) => {
      resolve(
        code === 0 ? undefined : signal === null ? `its exit code is ${code}` : `it was ended by ${signal}`,
      )
    })
  })
}

/** What to install before the app is started without development dependencies; undefined where nothing is missing. */
function missingDependency(cwd: string): string | undefined {
  const file = join(cwd, 'package.json')
  const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>) : {}
  const { name, dependencies, peerDependencies } = manifest
  if (name === imported || Object.hasOwn({ ...dependencies, ...peerDependencies }, imported)) return undefined
  return existsSync(file)
    ? `${imported} is not in the dependencies of package.json, and what move writes imports it: npm install ${imported}`
    : undefined
}

/** The command line that builds a project, in quotes. */
function buildOf(cwd: string): string {
  const file = join(cwd, 'package.json')
  const { scripts = {} } = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as {
    scripts?: Record<string, string>
  }
  return scripts['build'] === undefined ? 'COMMAND' : "'npm run build'"
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
function isWorse(before: Told, now: CheckReport | undefined, lock: Lock | undefined): boolean {
  if (now === undefined || lock === undefined || now.ok) return false
  const [was] = compareAll([lock], before)
  const findingsOf = ({ routes }: CheckReport): Set<string> =>
    new Set(routes.flatMap((route) => route.changes.map((one) => `${route.key} ${one.key}`)))
  const known = findingsOf(was!)
  return [...findingsOf(now)].some((one) => !known.has(one))
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
