// The command `retire`: deletes the handlers that native callbacks have replaced.
import { relative } from 'node:path'
import type { RouteRow } from '../documents/inventory.js'
import type { Broken } from '../edit/changed-file.js'
import { type EditPlan, runEdit } from '../edit/command.js'
import type { Told } from '../edit/look.js'
import { lastCall } from '../edit/route-calls.js'
import { namedBy, planRows } from '../edit/rows.js'
import type { LookContext } from '../entry/command-context.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import { keyFor, readStoredStates, type StoredStates } from '../entry/stored-states.js'
import { retireIn } from './retire.js'
import { type RetireResult, retireText } from './retire-text.js'

/** Runs `retire`; gives the exit code. */
export function retireEntry(options: CommandOptions, context: LookContext): Promise<number> {
  const { cwd, retire } = options
  if (retire.routes.length === 0 && retire.files.length === 0 && retire.nativeIn === undefined) {
    throw new UsageError(
      "retire needs routes, 'GET /orders/**', or --native-in FILE with the states of a migration: it deletes code",
    )
  }
  const states =
    retire.nativeIn === undefined ? undefined : readStoredStates(cwd, retire.nativeIn, '--native-in')
  return runEdit(options, context, {
    plan: (before, broken) => plan(options, states, before, broken),
    text: retireText,
    isRun: (before, now) => besideIn(now) < besideIn(before),
  })
}

function besideIn({ inventory }: Told): number {
  return inventory.routes.filter(({ own }) => own.stage === 'beside').length
}

function plan(
  { cwd, retire }: CommandOptions,
  states: StoredStates | undefined,
  told: Told,
  broken: Broken,
): EditPlan<RetireResult> {
  const { routes, files } = retire
  const isRoute = routes.length === 0 ? () => states === undefined : namedBy(routes, told.inventory)
  const isNative = ({ method, path }: { readonly method: string; readonly path: string }): boolean => {
    const key = states && keyFor(states, `${method} ${path}`)
    return key !== undefined && states![key]!.trim() === 'native'
  }
  const asked = {
    cwd,
    files,
    isNamed: (row: RouteRow) => isRoute(row) || isNative(row),
    // Its state may be another one.
    takesAlong: false,
  }
  const planned = planRows(told, broken, asked, {
    reasonToStay({ stage }) {
      if (stage === undefined) return 'a Controller answers it: no handler stands behind it'
      if (stage === 'legacy') return 'no native callback stands before its handler'
      return stage === 'native' ? 'its handler is gone already' : undefined
    },
    callsOf({ calls }, method) {
      const call = lastCall(calls, method)
      return typeof call === 'string' ? [] : [call]
    },
    edit(source, rows) {
      const reasonOf = (call: number): string | undefined => broken.reasonsOf(source.file, call)[0]
      const { written, left, asIs } = retireIn(source, rows, told, reasonOf)
      return { written, left, told: new Map([...asIs].map((row) => [row, { asIs: true }])) }
    },
  })
  const names = planned.files.map(({ file }) => relative(cwd, file))
  return { result: { version: 1, routes: planned.routes, files: names }, files: planned.files }
}
