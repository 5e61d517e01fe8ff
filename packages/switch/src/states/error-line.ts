// What was thrown by the code of others, as a part of one log line.
import { isThenable } from '../../../../src/ground/thenable.js'
import { describeThrown } from '../../../../src/ground/log.js'
import { printable } from '../../../../src/ground/printable.js'

const mostShown = 500

/** The message of what was thrown, without its stack. Nothing in it begins a line, or moves the cursor of a terminal. */
export function lineOf(thrown: unknown): string {
  const text = describeThrown(thrown)
  const [first = ''] = text.split(/\n\s+at /, 1)
  return printable(first.length > mostShown ? `${first.slice(0, mostShown)}…` : first)
}

/**
 * Has what user code returned tell of its rejection, once. A promise that nothing waits for ends the process when it rejects.
 *
 * Throws what reading or calling its `then` throws.
 */
export function catchRejection(returned: unknown, failed: (error: unknown) => void): void {
  if (!isThenable(returned)) return
  let isTold = false
  const tell = (error: unknown): void => {
    if (!isTold) failed(error)
    isTold = true
  }
  const rest: unknown = returned.then(undefined, tell)
  // That of other makers may give another promise than one that waits for `tell`.
  if (rest !== returned && isThenable(rest)) rest.then(undefined, tell)
}
