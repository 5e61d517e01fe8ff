// The command `routecontrollers`: reads its options, runs the entry, prints. The exit codes are those of `--help`.
import { isRouteControllersError } from '../../../src/ground/errors.js'
import { noRouteText, routePattern } from 'routecontrollers/express-model'
import { compare, knownTo, questionOf } from './check/check.js'
import type { CheckReport } from './documents/check.js'
import { isOf } from './check/chosen-routes.js'
import { failureOf, type LookContext, shownEntry } from './entry/command-context.js'
import { appOutput } from './terminal/app-output.js'
import { tell } from './terminal/context.js'
import { examineEntry } from './doctor/doctor.js'
import type { Inventory } from './documents/inventory.js'
import {
  accept,
  createLock,
  formatLock,
  keysOfRows,
  type Lock,
  lockVersion,
  namedAs,
  nameOf,
} from './check/lock.js'
import { routesTogether } from './edit/route-calls.js'
import { type CommandOptions, readCommandLine, suggestion, UsageError } from './entry/options.js'
import { liftEntry, rowsToLift } from './lift/command.js'
import { briefRoute } from './brief/brief.js'
import { formOfRow } from './move/form-of-row.js'
import { moveEntry } from './move/command.js'
import { parityEntry } from './parity/parity.js'
import { proveRoutes } from './prove/prove.js'
import { readLockFile } from './check/read-lock.js'
import type { Report } from './documents/child.js'
import { EntryError } from './entry/run-entry.js'
import { retireEntry } from './retire/command.js'
import { startAgain } from './second-start.js'
import { replayTraffic } from './replay/replay.js'
import { checkSummary } from './report/review.js'
import { tellReport } from './report/tell-report.js'
import { tellStatus } from './status/status.js'
import { writeOutput } from './terminal/output-file.js'
import { count, countRows } from './terminal/text.js'
import { shellWord } from './terminal/shell-word.js'

/** Runs a command line; gives the exit code. */
export async function runCommand(parameters: readonly string[], context: LookContext): Promise<number> {
  try {
    const options = readCommandLine(parameters)
    if ('text' in options) {
      context.stdout.write(options.text ?? `${context.version()}\n`)
      return 0
    }
    const { foundBy = options.alsoGiven } = options
    if (foundBy !== undefined) tell(context, foundBy)
    if (options.leftOut !== undefined) tell(context, options.leftOut)
    return await commands[options.command](options, context)
  } catch (error) {
    if (!isTold(error)) throw error
    tell(context, error.message)
    return 2
  }
}

/** Whether the message of an error says all that a user can do. Of a file that cannot be read or written the system says which and why. */
function isTold(error: unknown): error is Error {
  if (error instanceof UsageError || error instanceof EntryError || isRouteControllersError(error))
    return true
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

const commands = {
  doctor: examineEntry,
  inspect: inspectEntry,
  check: checkEntry,
  parity: parityEntry,
  move: moveEntry,
  retire: retireEntry,
  lift: liftEntry,
  replay: replayTraffic,
  status: (options: CommandOptions, context: LookContext) =>
    tellStatus(options, context, { rowsToLift, routesTogether }),
  brief: (options: CommandOptions, context: LookContext) => briefRoute(options, context, formOfRow),
  prove: proveRoutes,
}

async function inspectEntry(options: CommandOptions, context: LookContext): Promise<number> {
  const { inventory, code } = await look(options, [], context)
  if (inventory === undefined) return code
  const { lock, outputs } = options
  const mounts = inventory.inventory.apps.reduce((sum, app) => sum + app.mounts, 0)
  const rows = countRows(inventory.inventory.routes.length - mounts, mounts)
  if (lock !== undefined && code !== 0) tell(context, `${lock} is not written: the app may have more routes.`)
  if (lock !== undefined && code === 0) await writeLock(lock, inventory.inventory, options, context)
  // Where a file is written, that is what was asked for.
  const hasText = code !== 0 || (lock === undefined && outputs.length === 0)
  const told = { ...options, name: shownEntry(options), has: rows, hasText }
  tellReport('inspect', inventory.inventory, told, context)
  return code
}

/** Writes the lock of an inventory. The entry starts a second time, so that paths that vary are known. */
async function writeLock(
  name: string,
  inventory: Inventory,
  options: CommandOptions,
  context: LookContext,
): Promise<void> {
  const { cwd, except } = options
  const before = readLockFile(cwd, name, false)
  const patterns = except.length > 0 ? except : before?.except
  requireRoutes(except, inventory)
  const second = {
    entry: shownEntry(options),
    without: '--once leaves that out.',
    otherwise:
      'the lock is of the first one alone: check finds a path that differs as gone, and another as new',
    look: async () => {
      const { inventory, code } = await look(options, [], context)
      return code === 0 ? inventory?.inventory : undefined
    },
  }
  const varying = options.once ? undefined : await startAgain(inventory, second, context)
  const lock = createLock(inventory, before, { except: patterns, varying })
  writeOutput(cwd, name, formatLock(lock))
  const mounts = lock.routes.filter(({ kind }) => kind === 'mount').length
  const varied = lock.routes.filter(({ varies }) => varies).length
  const leftOut = inventory.routes.length - lock.routes.length
  const more = [
    varied > 0 ? `${varied} with a path that varies` : '',
    leftOut > 0 ? `${leftOut} left out by --except` : '',
  ].filter(Boolean)
  const rows = [countRows(lock.routes.length - mounts, mounts), ...more].join(', ')
  tell(context, `${name}: ${rows}`)
  if (before !== undefined && before.version < lockVersion)
    tell(context, `${name} had version ${before.version}, and has version ${lockVersion} now.`)
}

/** Throws UsageError for a pattern that finds no route. */
function requireRoutes(patterns: readonly string[], { routes }: Inventory): void {
  for (const text of patterns) {
    const pattern = { option: '--except', text, ...routePattern(text)! }
    if (!routes.some((row) => isOf(pattern, row)))
      throw new UsageError(noRouteText(pattern, routes, 'the app has no routes'))
  }
}

async function checkEntry(options: CommandOptions, context: LookContext): Promise<number> {
  const { cwd, accept: wanted, because } = options
  const name = options.lock ?? 'routes.lock.json'
  const lock = readLockFile(cwd, name)
  if (lock === undefined) {
    throw new UsageError(
      `There is no ${name} in ${cwd}: write it with routecontrollers inspect ${shellWord(shownEntry(options))} --lock ${shellWord(name)}`,
    )
  }
  if (lock.version < lockVersion) tellOfVersion(lock, name, options, context)
  const { inventory: report, code } = await look(options, questionOf(lock), context)
  if (report === undefined || code !== 0) return code
  let result = compare(lock, report.inventory, report.observations ?? [])
  if (wanted.length > 0) {
    const chosen = chosenIn(lock, result, wanted)
    const inventory = knownTo(lock, report.inventory)
    const accepted = accept(lock, inventory, chosen, { because: because!, date: context.today })
    writeOutput(cwd, name, formatLock(accepted))
    result = compare(accepted, report.inventory, observationsFor(accepted, lock, report))
  }
  tellReport('check', result, { ...options, name: shownEntry(options), has: checkSummary(result) }, context)
  return result.ok ? 0 : 1
}

function tellOfVersion(lock: Lock, name: string, options: CommandOptions, context: LookContext): void {
  const accepted = lock.routes.flatMap((row) => row.accepted?.filter(({ key }) => key === undefined) ?? [])
  const none = `${count(accepted.length, 'acceptance')} there ${accepted.length === 1 ? 'has' : 'have'} a text alone, which several findings may have, and so accepts nothing: accept what is found again. `
  tell(
    context,
    `${name} has version ${lock.version}, which does not see each change of a guard. ${accepted.length > 0 ? none : ''}Once nothing is found, renew it with routecontrollers inspect ${shellWord(shownEntry(options))} --lock ${shellWord(name)}`,
  )
}

/** The observations of a lock that may have rows which the one that was asked about had not. */
function observationsFor(
  lock: Lock,
  asked: Lock,
  report: Report & { inventory: Inventory },
): NonNullable<Report['observations']> {
  const isAsked = ({ witness }: Lock['routes'][number]): boolean => witness !== null
  const keysOf = ({ routes }: Lock): string[] => {
    const keys = keysOfRows(routes)
    return keys.filter((_key, at) => isAsked(routes[at]!))
  }
  const known = new Map(keysOf(asked).map((key, at) => [key, report.observations?.[at]]))
  const { keys, inventory } = namedAs(asked, knownTo(asked, report.inventory))
  const rows = new Map(keys.map((key, at) => [key, report.inventory.routes[at] ?? inventory.routes[at]]))
  return keysOf(lock).map((key) => (known.get(key) ?? rows.get(key))!)
}

/** The routes of which something was found that the user accepts. Throws UsageError for a name or a pattern of which nothing was found. */
function chosenIn(lock: Lock, result: CheckReport, texts: readonly string[]): CheckReport['routes'] {
  const changed = result.routes.filter(({ changes }) => changes.length > 0)
  const names = [...new Set(changed.map(nameOf))]
  const chosen = texts.flatMap((text) => {
    const pattern = names.includes(text) ? undefined : routePattern(text)
    const some = changed.filter((row) => (pattern === undefined ? nameOf(row) === text : isOf(pattern, row)))
    if (some.length === 0) throw new UsageError(`--accept: ${nothingOf(text, lock, names)}`)
    return some
  })
  return [...new Set(chosen)]
}

/** Why there is nothing to accept of a route, with what was probably meant. */
function nothingOf(route: string, { routes }: Lock, named: readonly string[]): string {
  if (named.length === 0) return 'nothing was found, so there is nothing to accept'
  const isThere = routes.some((row) => nameOf(row) === route)
  const nothing = `nothing was found of ${JSON.stringify(route)}${isThere ? '' : ', which the lock has not'}`
  const meant = isThere ? '' : suggestion(route, named)
  return `${nothing}${meant || `; there are findings of ${listOf(named)}`}`
}

function listOf(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
}

/** Runs the entry. The code is 3 where that failed; there may be something to show all the same. */
async function look(
  options: CommandOptions,
  question: ReturnType<typeof questionOf>,
  context: LookContext,
): Promise<{ inventory: (Report & { inventory: Inventory }) | undefined; code: number }> {
  const outcome = await context.look({ ...options, question, output: appOutput(context) })
  const { report } = outcome
  const failure = failureOf(outcome, shownEntry(options), options)
  if (failure !== undefined) tell(context, failure)
  const inventory = report?.inventory === undefined ? undefined : { ...report, inventory: report.inventory }
  if (failure === undefined && report !== undefined) {
    if (!report.hasListened)
      tell(
        context,
        `${shownEntry(options)} has not called listen, and has ended: what it had registered is all.`,
      )
    // The text of inspect has the notes too.
    const { command, outputs, lock } = options
    const isText = command === 'inspect' && lock === undefined && outputs.length === 0
    if (!isText) for (const note of report.inventory?.notes ?? []) tell(context, note)
  }
  return { inventory, code: failure === undefined ? 0 : 3 }
}
