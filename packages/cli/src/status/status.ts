// The command `status`: where each route stands, and what comes next.
import { relative } from 'node:path'
import { isOfPackage } from '../code/of-package.js'
import { buildOfEntry } from '../entry/built-entry.js'
import { failureOf, type LookContext, shownEntry } from '../entry/command-context.js'
import type { CommandOptions } from '../entry/options.js'
import { tellReport } from '../report/tell-report.js'
import { count } from '../terminal/text.js'
import { appOutput } from '../terminal/app-output.js'
import { tell } from '../terminal/context.js'
import { asIsIn, liftedFrom, statusOf } from './road.js'
import { readStoredStates } from '../entry/stored-states.js'

/** Looks at a running entry; gives the exit code. */
export async function tellStatus(options: CommandOptions, context: LookContext): Promise<number> {
  const { cwd, states: file } = options
  const states = file === undefined ? undefined : readStoredStates(cwd, file).states
  const outcome = await context.look({
    ...options,
    question: [],
    wantsRegistered: true,
    output: appOutput(context),
  })
  const failure = failureOf(outcome, shownEntry(options), options)
  if (failure !== undefined) tell(context, failure)
  const inventory = outcome.report?.inventory
  if (inventory === undefined) return 3
  const files = liftedFrom(inventory, outcome.report?.registered)
  const lifts = new Map([...files].map(([row, name]) => [row, relative(cwd, name)]))
  const asIs = asIsIn(inventory, outcome.report?.registered)
  const kept = new Set(inventory.routes.filter(({ own }) => isOfPackage(own.at, cwd)))
  const report = statusOf(inventory, states, lifts, asIs, kept, buildOfEntry(cwd, options.entry))
  tellReport(
    'status',
    report,
    { ...options, name: shownEntry(options), has: count(report.routes.length, 'route') },
    context,
  )
  return failure === undefined ? 0 : 3
}
