// The command `status`: where each route stands, and what comes next.
import { relative } from 'node:path'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { Registered } from '../documents/registered.js'
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

/** What commands that edit files say of an app. */
export interface Editors {
  /** The routes that `lift` takes. */
  readonly rowsToLift: (told: Known, cwd: string) => ReadonlySet<RouteRow>
  /** With each route those that the same call registers. */
  readonly routesTogether: (told: Known) => ReadonlyMap<RouteRow, readonly RouteRow[]>
}

interface Known {
  readonly inventory: Inventory
  readonly registered: Registered
}

/** Looks at a running entry; gives the exit code. */
export async function tellStatus(
  options: CommandOptions,
  context: LookContext,
  { rowsToLift, routesTogether }: Editors,
): Promise<number> {
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
  const registered = outcome.report?.registered
  const files = liftedFrom(inventory, registered)
  // That reads the files of the project.
  const liftable = registered && files.size > 0 ? rowsToLift({ inventory, registered }, cwd) : new Set()
  const lifts = new Map(
    [...files].flatMap(([row, name]) => (liftable.has(row) ? [[row, relative(cwd, name)]] : [])),
  )
  const report = statusOf(inventory, states, {
    lifts,
    asIs: asIsIn(inventory, registered),
    kept: new Set(inventory.routes.filter(({ own }) => isOfPackage(own.at, cwd))),
    together: registered && routesTogether({ inventory, registered }),
    run: buildOfEntry(cwd, options.entry),
  })
  tellReport(
    'status',
    report,
    { ...options, name: shownEntry(options), has: count(report.routes.length, 'route') },
    context,
  )
  return failure === undefined ? 0 : 3
}
