// What all commands read and write, and say of an entry.
import { relative } from 'node:path'
import type { CommandContext } from '../terminal/context.js'
import type { CommandOptions } from './options.js'
import type { RunOptions, RunOutcome } from './run-entry.js'

/** How an entry is looked at. */
export interface LookContext extends CommandContext {
  /** Runs an entry until it has reported. The command gives it a process of its own. */
  readonly look: (options: Omit<RunOptions, 'preload' | 'serve'>) => Promise<RunOutcome>
}

/** Why a run of an entry has failed, as a sentence; undefined where there is an inventory to go by. */
export function failureOf(
  { report, code, signal }: RunOutcome,
  entry: string,
  { timeLimitMs, command }: CommandOptions,
): string | undefined {
  const isShown = (command === 'inspect' || command === 'status') && report?.inventory !== undefined
  const then = isShown
    ? 'this is what it had registered until then'
    : command === 'doctor'
      ? 'so only what its files say is shown'
      : 'so nothing was compared'
  const showsAll = command === 'inspect' || command === 'status'
  const end = showsAll && !isShown ? '' : `; ${then}`
  const more = command === 'parity' ? '' : ' --time-limit-ms gives it more time.'
  if (report === undefined && code === undefined && signal === undefined) {
    return `${entry} was busy with its own code for all of ${timeLimitMs} ms, and could not be looked into${end}.${more}`
  }
  if (signal !== undefined) return `${entry} was ended by ${signal}${end}.`
  if (code !== undefined && code !== 0) {
    const remedy = command === 'parity' ? '' : ' --env NAME=value gives it a variable, --cwd FOLDER a folder.'
    return `${entry} has failed, with the exit code ${code}${end}. What it has said itself stands above.${remedy}`
  }
  if (report?.error !== undefined) return `${entry} could not be read: ${report.error}`
  if (report?.ended.by === 'time limit' && !report.hasListened) {
    return `${entry} has not called listen within ${timeLimitMs} ms${end}.${more}`
  }
  if (report?.inventory === undefined) {
    return report?.hasListened
      ? `${entry} listens, but with no app of Express and no RouteControllers`
      : `${entry} has made no app of Express and no RouteControllers: name the file that you start the app with`
  }
  return undefined
}

export function shownEntry({ entry, cwd }: CommandOptions): string {
  return relative(cwd, entry)
}
