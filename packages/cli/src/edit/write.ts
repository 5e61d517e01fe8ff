// Writes files, proves that the app is what it was, and puts all of them back where it is not.
import { existsSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { compare, questionOf } from '../check/check.js'
import { createLock, type Lock } from '../check/lock.js'
import { compareStarts } from '../check/varying-paths.js'
import type { CheckReport } from '../documents/check.js'
import { buildOf } from '../entry/built-entry.js'
import { type LookContext, shownEntry } from '../entry/command-context.js'
import type { CommandOptions } from '../entry/options.js'
import { runCommandLine, tee } from '../entry/run-command.js'
import { appOutput } from '../terminal/app-output.js'
import { tell } from '../terminal/context.js'
import { putBack } from '../terminal/output-file.js'
import { brokenFiles } from './broken-files.js'
import type { Broken, ChangedFile } from './changed-file.js'
import { look, type Told } from './look.js'
import { newTypeErrors } from './type-errors.js'
import { shellWord } from '../terminal/shell-word.js'

/** How writing has ended. */
export interface Written {
  readonly code: number
  /** What the comparison has found; undefined where nothing was compared. */
  readonly check?: CheckReport
  readonly isRestored: boolean
  /** The files of the project that the app loads no more. */
  readonly unloaded?: readonly string[]
}

/** What is written, and what it is compared with. */
export interface Writing {
  readonly files: readonly ChangedFile[]
  readonly before: Told
  /** The lock of the project. */
  readonly committed: Lock | undefined
  /** False where the app runs as it did, without what was written. */
  readonly isRun: (before: Told, now: Told) => boolean
  /** Gets what something has failed with. */
  readonly broken: Broken
  /** Gets the commands that have run on what was written. */
  readonly ran: Set<string>
}

/** Writes the files, runs what it can, compares the app with what it was, and puts all of them back where something is found. */
export async function write(
  options: CommandOptions,
  context: LookContext,
  { files, before, committed, isRun, broken, ran }: Writing,
): Promise<Written> {
  const { cwd, edit } = options
  const names = files.map(({ file }) => relative(cwd, file)).join(', ')
  /** Gives the files that could not be put back. */
  const putAllBack = (): readonly ChangedFile[] =>
    files.filter(({ file, text }) => !putBack(file, Buffer.from(text)))
  const putIn = (): void => {
    for (const { file, written } of files) writeFileSync(file, written)
  }
  const restore = (): void => {
    const left = putAllBack().map(({ file }) => shellWord(relative(cwd, file)))
    if (left.length === 0) tell(context, `All files are as they were: ${names}`)
    else tell(context, `Could not be put back, and may have what was written: git restore ${left.join(' ')}`)
  }
  const breakFiles = (said: readonly string[], what: string): void => {
    for (const [file, reason] of brokenFiles(said.join(''), files, cwd, what)) broken.add(file, reason)
  }
  // What is ended by a signal ends in the middle of it.
  process.once('exit', putAllBack)
  try {
    putIn()
    const errors = await newTypeErrors(files, cwd, context, { putBack: putAllBack, putIn })
    for (const { file, call, reason } of errors) broken.add(file, reason, call)
    if (errors.length > 0) {
      const [{ reason }] = errors as [(typeof errors)[number]]
      tell(context, `What was written does not compile: ${reason}`)
      restore()
      return { code: 1, isRestored: true }
    }
    const said: string[] = []
    const listening = { ...context, stderr: tee(context.stderr, said) }
    for (const command of edit.run) {
      ran.add(command)
      const failure = await runCommandLine(command, cwd, listening)
      if (failure === undefined) continue
      tell(context, `${command} has failed: ${failure}`)
      restore()
      breakFiles(said, command)
      return { code: 1, isRestored: true }
    }
    const built = files.filter(({ isCompiled }) => isCompiled)
    if (built.length > 0 && edit.run.length === 0) {
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
    const now = await look(options, locks.flatMap(questionOf), listening, appOutput(context, said))
    if (now === undefined) {
      restore()
      breakFiles(said, shownEntry(options))
      return { code: 3, isRestored: true }
    }
    if (!isRun(before, now)) {
      tell(
        context,
        `${shownEntry(options)} runs as it did, without what was written in ${names}, so nothing is compared. --run ${buildOf(cwd)} runs what it needs first`,
      )
      return { code: 3, isRestored: false }
    }
    const found = compareAll(locks, now)
    const was = [compareAll(locks.slice(0, 1), asked(before))[0], compareAll(locks.slice(1), before)[0]]
    const worse = found.find((one, at) => isWorse(was[at]!, one))
    if (worse === undefined) {
      return { code: 0, check: found[0]!, isRestored: false, unloaded: unloadedIn(before, now) }
    }
    restore()
    const { varying } = compareStarts(before.inventory, now.inventory)
    if (varying.size > 0) {
      const [path] = varying.values()
      tell(
        context,
        `Paths as ${path} are others with each start: write a lock, which knows them, and try again: routecontrollers inspect ${shellWord(shownEntry(options))} --lock ${shellWord(options.lock ?? 'routes.lock.json')}`,
      )
    }
    return { code: 1, check: worse, isRestored: true }
  } catch (error) {
    // One that cannot be written comes in the midst of the others.
    restore()
    throw error
  } finally {
    process.off('exit', putAllBack)
  }
}

function unloadedIn(before: Told, now: Told): string[] {
  const loaded = new Set(now.registered.files)
  // What a run has made for itself is gone.
  return before.registered.files.filter((file) => !loaded.has(file) && existsSync(file)).sort()
}

/** Compares an app with several locks, whose questions it was asked one behind the other. */
function compareAll(locks: readonly Lock[], { inventory, observations = [] }: Told): CheckReport[] {
  let from = 0
  return locks.map((lock) => {
    const { length } = questionOf(lock)
    return compare(lock, inventory, observations.slice(from, (from += length)))
  })
}

/** What an app has told, with what its own lock asks of it. */
function asked(told: Told): Told {
  return { ...told, observations: told.inventory.routes.filter(({ witness }) => witness !== undefined) }
}

/** True where a comparison has findings that there were none of before. */
function isWorse(was: CheckReport, now: CheckReport): boolean {
  if (now.ok) return false
  const findingsOf = ({ routes }: CheckReport): Set<string> =>
    // A key names its row, too.
    new Set(routes.flatMap(({ changes }) => changes.map(({ key }) => key)))
  const known = findingsOf(was)
  return [...findingsOf(now)].some((one) => !known.has(one))
}
