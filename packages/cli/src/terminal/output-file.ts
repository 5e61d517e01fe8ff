// Writes a file that a command was asked for.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Writes a file. Where that fails, as on a full disk, what was there stays: a lock has reasons that stand nowhere else. */
export function writeOutput(cwd: string, name: string, text: string): void {
  const file = resolve(cwd, name)
  const found = statSync(file, { throwIfNoEntry: false })
  const before = found?.isFile() === true ? readFileSync(file) : undefined
  try {
    writeFileSync(file, text)
  } catch (error) {
    if (found === undefined) rmSync(file, { force: true })
    else if (before !== undefined) putBack(file, before)
    throw error
  }
}

/** Gives a file the content that it had, unless it has it. Tells whether it has it now. */
export function putBack(file: string, before: Buffer): boolean {
  try {
    if (!readFileSync(file).equals(before)) writeFileSync(file, before)
    return true
  } catch {
    return false
  }
}
