// What all commands read and write, and say of an entry.
import { relative } from 'node:path'
import type { CommandOptions } from './options.js'
import type { RunOutcome } from './run-entry.js'
import { printable } from './text.js'

/** Where the command reads and writes. */
export interface CommandContext {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  /** The compiled preload. */
  readonly preload: string
  /** The day that is written beside what is accepted. */
  readonly today: string
}

export function failureOf(
  { report, code, signal }: RunOutcome,
  entry: string,
  { timeLimitMs }: CommandOptions,
): string | undefined {
  if (report === undefined && code === undefined && signal === undefined) {
    return `${entry} did not come to an end of its first turn within ${timeLimitMs} ms: --time-limit-ms gives it more`
  }
  if (signal !== undefined) return `${entry} was ended by ${signal}`
  if (code !== undefined && code !== 0) {
    const registered = report?.inventory === undefined ? '' : '; this is what it had registered until then'
    return `${entry} has failed, with the exit code ${code}${registered}.`
  }
  if (report?.error !== undefined) return `${entry} could not be read: ${report.error}`
  if (report?.inventory === undefined) {
    return report?.hasListened
      ? `${entry} listens, but with no app of Express and no RouteControllers`
      : `${entry} has made no app of Express and no RouteControllers`
  }
  return undefined
}

export function shownEntry({ entry, cwd }: CommandOptions): string {
  return relative(cwd, entry)
}

export function hasColours({ stdout }: CommandContext): boolean {
  return stdout.isTTY === true && !process.env['NO_COLOR']
}

export function tell({ stderr }: CommandContext, sentence: string): void {
  stderr.write(`routecontrollers: ${printable(sentence)}\n`)
}
