// The command `routecontrollers`: reads its options, runs the entry, prints. The exit codes are those of `--help`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { isRouteControllersError } from '../errors.js'
import { routePattern } from '../express/selection.js'
import { compare, questionOf } from './check.js'
import type { CheckReport } from './check-schema.js'
import { type CommandContext, failureOf, hasColours, shownEntry, tell } from './command-context.js'
import { examineEntry } from './doctor.js'
import { inventoryPage } from './html.js'
import type { Inventory } from './schema.js'
import {
  type Accepted,
  createLock,
  formatLock,
  identityOf,
  type Lock,
  type LockedRoute,
  lockRow,
  nameOf,
  parseLock,
} from './lock.js'
import { type CommandOptions, readCommandLine, suggestion, UsageError } from './options.js'
import { isOf, moveEntry } from './move/command.js'
import { parityEntry } from './parity.js'
import type { Report } from './report.js'
import { EntryError, runEntry } from './run-entry.js'
import { replayTraffic } from './switch/replay.js'
import { checkText, countRows, inventoryText } from './text.js'

/** Runs a command line; gives the exit code. */
export async function runCommand(parameters: readonly string[], context: CommandContext): Promise<number> {
  try {
    const options = readCommandLine(parameters)
    if ('text' in options) {
      context.stdout.write(options.text ?? `${context.version()}\n`)
      return 0
    }
    if (options.foundBy !== undefined) tell(context, options.foundBy)
    return await commands[options.command](options, context)
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof EntryError) && !isRouteControllersError(error))
      throw error
    tell(context, error.message)
    return 2
  }
}

const commands = {
  doctor: examineEntry,
  inspect: inspectEntry,
  check: checkEntry,
  parity: parityEntry,
  move: moveEntry,
  replay: replayTraffic,
}

async function inspectEntry(options: CommandOptions, context: CommandContext): Promise<number> {
  const { inventory, code } = await look(options, [], context)
  if (inventory === undefined) return code
  const { lock, html, cwd, json } = options
  const mounts = inventory.inventory.apps.reduce((sum, app) => sum + app.mounts, 0)
  const rows = countRows(inventory.inventory.routes.length - mounts, mounts)
  if (lock !== undefined && code !== 0) tell(context, `${lock} is not written: the app may have more routes.`)
  if (lock !== undefined && code === 0) {
    requireParser(inventory.inventory)
    const file = resolve(cwd, lock)
    const before = existsSync(file) ? parseLock(readFileSync(file, 'utf8'), lock, false) : undefined
    writeFileSync(file, formatLock(createLock(inventory.inventory, before)))
    tell(context, `${lock}: ${rows}`)
  }
  if (html !== undefined) {
    writeFileSync(resolve(cwd, html), inventoryPage(inventory.inventory, shownEntry(options)))
    tell(context, `${html}: ${rows}`)
  }
  if (json) context.stdout.write(`${JSON.stringify(inventory.inventory, null, 2)}\n`)
  else if (code !== 0 || (lock === undefined && html === undefined)) {
    context.stdout.write(inventoryText(inventory.inventory, { colours: hasColours(context) }))
  }
  return code
}

async function checkEntry(options: CommandOptions, context: CommandContext): Promise<number> {
  const { cwd, json, accept, because } = options
  const name = options.lock ?? 'routes.lock.json'
  const file = join(cwd, relative(cwd, resolve(cwd, name)))
  if (!existsSync(file)) {
    throw new UsageError(
      `There is no ${name} in ${cwd}: write it with routecontrollers inspect ${shownEntry(options)} --lock ${name}`,
    )
  }
  const lock = parseLock(readFileSync(file, 'utf8'), name)
  const { inventory: report, code } = await look(options, questionOf(lock), context)
  if (report === undefined || code !== 0) return code
  requireParser(report.inventory)
  let result = compare(lock, report.inventory, report.observations ?? [])
  if (accept.length > 0) {
    const accepted = acceptIn(lock, report.inventory, result, accept, {
      because: because!,
      date: context.today,
    })
    writeFileSync(file, formatLock(accepted))
    result = compare(accepted, report.inventory, observationsFor(accepted, lock, report))
  }
  context.stdout.write(
    json ? `${JSON.stringify(result, null, 2)}\n` : checkText(result, { colours: hasColours(context) }),
  )
  return result.ok ? 0 : 1
}

/** The observations of a lock that may have rows which the one that was asked about had not. */
function observationsFor(
  lock: Lock,
  asked: Lock,
  report: Report & { inventory: Inventory },
): NonNullable<Report['observations']> {
  const known = new Map(
    questionOf(asked).map((one, at) => [JSON.stringify(one), report.observations?.[at]] as const),
  )
  const rows = new Map(report.inventory.routes.map((row) => [identityOf(row), row]))
  const withWitness = lock.routes.filter(({ witness }) => witness !== null)
  return questionOf(lock).map(
    (one, at) => known.get(JSON.stringify(one)) ?? rows.get(identityOf(withWitness[at]!))!,
  )
}

/** Writes into a lock that the findings of some routes are right. */
function acceptIn(
  lock: Lock,
  inventory: Inventory,
  result: CheckReport,
  routes: readonly string[],
  reason: Omit<Accepted, 'finding'>,
): Lock {
  let rows = [...lock.routes]
  const changed = result.routes.filter(({ changes }) => changes.length > 0)
  const names = [...new Set(changed.map(nameOf))]
  for (const text of routes) {
    const pattern = names.includes(text) ? undefined : routePattern(text)
    const chosen = changed.filter((row) =>
      pattern === undefined ? nameOf(row) === text : isOf(pattern, row),
    )
    if (chosen.length === 0) throw new UsageError(`--accept: ${nothingOf(text, lock, names)}`)
    for (const route of new Set(chosen.map(nameOf))) {
      const findings = new Set(
        chosen.flatMap((row) => (nameOf(row) === route ? row.changes : [])).map(({ finding }) => finding),
      )
      const accepted = [...findings].map((finding) => ({ finding, ...reason }))
      const isIt = (row: Pick<LockedRoute, 'method' | 'path'>): boolean => nameOf(row) === route
      if (!rows.some(isIt)) rows = [...rows, ...inventory.routes.filter(isIt).map(lockRow)]
      rows = rows.map((row) =>
        isIt(row) ? { ...row, accepted: [...(row.accepted ?? []), ...accepted] } : row,
      )
    }
  }
  return {
    version: 1,
    routes: rows.sort((a, b) =>
      a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1,
    ),
  }
}

/** Why there is nothing to accept of a route, with what was probably meant. */
function nothingOf(route: string, { routes }: Lock, named: readonly string[]): string {
  if (named.length === 0) return 'nothing was found, so there is nothing to accept'
  const isThere = routes.some((row) => nameOf(row) === route)
  const nothing = `nothing was found of ${JSON.stringify(route)}${isThere ? '' : ', which the lock has not'}`
  const list =
    named.length > 5 ? `${named.slice(0, 5).join(', ')} and ${named.length - 5} more` : named.join(', ')
  const meant = isThere ? '' : suggestion(route, named)
  return `${nothing}${meant || `; there are findings of ${list}`}`
}

/** Runs the entry. The code is 3 where that failed; there may be something to show all the same. */
async function look(
  options: CommandOptions,
  question: ReturnType<typeof questionOf>,
  context: CommandContext,
): Promise<{ inventory: (Report & { inventory: Inventory }) | undefined; code: number }> {
  const outcome = await runEntry({ ...options, question, preload: context.preload, output: context.stderr })
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
    // The text of inspect has the notes too, and without a parser a lock is refused with its note.
    const { command, json, html, lock } = options
    const isToldHere = command === 'inspect' && lock === undefined && (json || html !== undefined)
    if (isToldHere) for (const note of report.inventory?.notes ?? []) tell(context, note)
  }
  return { inventory, code: failure === undefined ? 0 : 3 }
}

function requireParser({ notes }: Inventory): void {
  const [note] = notes.filter((one) => one.includes('@babel/parser'))
  if (note !== undefined) throw new UsageError(`the lock needs the arguments of guards. ${note}`)
}
