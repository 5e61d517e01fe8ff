// The command `status`: where each route stands, and what comes next.
import { failureOf, type LookContext, shownEntry } from '../entry/command-context.js'
import type { CommandOptions } from '../entry/options.js'
import { tellReport } from '../report/tell-report.js'
import { appOutput } from '../terminal/app-output.js'
import { tell } from '../terminal/context.js'
import { statusOf } from './road.js'
import { readStoredStates } from '../entry/stored-states.js'

/** Looks at a running entry; gives the exit code. */
export async function tellStatus(options: CommandOptions, context: LookContext): Promise<number> {
  const { cwd, states: file } = options
  const states = file === undefined ? undefined : readStoredStates(cwd, file)
  const outcome = await context.look({ ...options, question: [], output: appOutput(context) })
  const failure = failureOf(outcome, shownEntry(options), options)
  if (failure !== undefined) tell(context, failure)
  const inventory = outcome.report?.inventory
  if (inventory === undefined) return 3
  const report = statusOf(inventory, states)
  tellReport('status', report, { ...options, name: shownEntry(options) }, context)
  return failure === undefined ? 0 : 3
}
