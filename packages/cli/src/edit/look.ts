// What the commands that edit files know of an app before and after: its inventory, and where its routes were registered.
import type { Lock } from '../check/lock.js'
import type { questionOf } from '../check/check.js'
import { readLockFile } from '../check/read-lock.js'
import type { Report } from '../documents/child.js'
import type { Inventory } from '../documents/inventory.js'
import type { Registered } from '../documents/registered.js'
import { failureOf, type LookContext, shownEntry } from '../entry/command-context.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import { appOutput } from '../terminal/app-output.js'
import { tell } from '../terminal/context.js'

/** What an entry has told. */
export type Told = Report & { readonly inventory: Inventory; readonly registered: Registered }

/** Runs the entry; undefined where that has failed, which is told then. */
export async function look(
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

/** The lock of the project, where it has one. Throws UsageError where one was named and is not there. */
export function readCommittedLock({ cwd, lock: named }: CommandOptions): Lock | undefined {
  const name = named ?? 'routes.lock.json'
  const lock = readLockFile(cwd, name)
  if (lock !== undefined || named === undefined) return lock
  throw new UsageError(`There is no ${name} in ${cwd}`)
}
