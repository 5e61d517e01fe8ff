// The command `retire`: deletes the handlers that native callbacks have replaced.
import { relative } from 'node:path'
import type { Broken } from '../edit/changed-file.js'
import { type EditPlan, runEdit } from '../edit/command.js'
import type { Told } from '../edit/look.js'
import { lastCallOf } from '../edit/route-calls.js'
import { namedBy, planRows } from '../edit/rows.js'
import type { LookContext } from '../entry/command-context.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import { narrowest, overrideKey } from '../../../compare/src/route-keys.js'
import { readStoredStates, type StoredStates } from '../entry/stored-states.js'
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
  const stored =
    retire.nativeIn === undefined ? undefined : readStoredStates(cwd, retire.nativeIn, '--native-in')
  return runEdit(options, context, {
    plan: (before, broken) => plan(options, stored, before, broken),
    text: retireText,
    isRun: (before, now) => besideIn(now) < besideIn(before),
  })
}

function besideIn({ inventory }: Told): number {
  return inventory.routes.filter(({ own }) => own.stage === 'beside').length
}

function plan(
  { cwd, retire }: CommandOptions,
  stored: StoredStates | undefined,
  told: Told,
  broken: Broken,
): EditPlan<RetireResult> {
  const { routes, files } = retire
  const isNamed = routes.length === 0 ? () => true : namedBy(routes, told.inventory)
  // What the same call registers may have another state.
  const asked = { cwd, files, isNamed, takesAlong: false }
  const planned = planRows(told, broken, asked, {
    reasonToStay({ method, path, own: { stage } }) {
      if (stage === undefined) return 'a Controller answers it: no handler stands behind it'
      if (stage === 'legacy') return 'no native callback stands before its handler'
      if (stage === 'native') return 'its handler is gone already'
      if (stored === undefined) return undefined
      const file = retire.nativeIn!
      const key = narrowest(Object.keys(stored.states), `${method} ${path}`)
      if (key === overrideKey) return `the off switch is on in ${file}`
      const state = key === undefined ? 'legacy' : stored.states[key]!.trim()
      if (state !== 'native') return `its state in ${file} is ${state}`
      // Who names it knows more than the file.
      return routes.length === 0 && stored.unasked.has(key!)
        ? `${file} tells of no request for it lately: name it, if it may go all the same`
        : undefined
    },
    callsOf: lastCallOf,
    edit(source, rows) {
      const reasonOf = (call: number): string | undefined => broken.reasonsOf(source.file, call)[0]
      const { written, left, asIs, stays } = retireIn(source, rows, told, reasonOf)
      const ofRow = (row: number): object => ({
        ...(asIs.has(row) && { asIs: true }),
        ...(stays.has(row) && { stays: stays.get(row)! }),
      })
      return { written, left, told: new Map([...asIs, ...stays.keys()].map((row) => [row, ofRow(row)])) }
    },
  })
  const names = planned.files.map(({ file }) => relative(cwd, file))
  return { result: { version: 1, routes: planned.routes, files: names }, files: planned.files }
}
