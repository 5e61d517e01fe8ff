// What all commands that edit files do alike: plan, show, write, compare; and plan again without what has failed.
import { relative } from 'node:path'
import { questionOf } from '../check/check.js'
import type { LookContext } from '../entry/command-context.js'
import type { CommandOptions } from '../entry/options.js'
import { checkText } from '../report/text.js'
import { hasColours, tell } from '../terminal/context.js'
import { printable } from '../../../../src/ground/printable.js'
import { Broken, type ChangedFile } from './changed-file.js'
import { diffText } from './diff.js'
import { FileFormatter } from './format.js'
import { look, readCommittedLock, type Told } from './look.js'
import { missingDependency, requireCleanTree } from './project.js'
import { write, type Writing, type Written } from './write.js'

/** What a command plans. */
export interface EditPlan<Result> {
  /** As `--json` prints it. */
  readonly result: Result
  readonly files: readonly ChangedFile[]
}

/** A command that edits files. */
export interface EditCommand<Result> {
  /** What to write, without what is broken. */
  readonly plan: (before: Told, broken: Broken) => EditPlan<Result>
  readonly text: (
    result: Result,
    options: { readonly colours: boolean; readonly isWritten: boolean },
  ) => string
  readonly isRun: Writing['isRun']
}

const textOf = ({ files }: EditPlan<unknown>): string =>
  JSON.stringify(files.map(({ file, written }) => [file, written]))

/** Runs such a command; gives the exit code. */
export async function runEdit<Result extends { readonly files: readonly string[] }>(
  options: CommandOptions,
  context: LookContext,
  { plan, text, isRun }: EditCommand<Result>,
): Promise<number> {
  const { cwd, json, edit } = options
  if (edit.write && !edit.force) requireCleanTree(cwd)
  const committed = readCommittedLock(options)
  const before = await look(options, committed === undefined ? [] : questionOf(committed), context)
  if (before === undefined) return 3
  const colours = hasColours(context)
  /** Each attempt leaves something more. */
  const broken = new Broken()
  const ran = new Set<string>()
  const formatter = new FileFormatter(cwd, context)
  let planned = plan(before, broken)
  for (;;) {
    const { result } = planned
    const files = await formatter.format(planned.files)
    const missing = files.length > 0 && broken.size === 0 ? missingDependency(cwd) : undefined
    if (missing !== undefined) tell(context, missing)
    const isWritten = edit.write && files.length > 0
    const { size } = broken
    const written: Written = isWritten
      ? await write(options, context, { files, before, committed, isRun, broken, ran })
      : { code: 0, isRestored: true }
    // What is left without the broken parts is planned again, as long as that is anything.
    const next = broken.size > size ? plan(before, broken) : planned
    // An error in a file that is not written leaves the plan what it is.
    if (next.files.length > 0 && textOf(next) !== textOf(planned)) {
      planned = next
      continue
    }
    if (written.isRestored && ran.size > 0) {
      const last = ran.size > 1 ? 'they have last run' : 'it has last run'
      tell(context, `Run ${[...ran].join(', then ')} again: ${last} on what was written.`)
    }
    const changed = isWritten && !written.isRestored ? result.files : []
    const unloaded = (written.unloaded ?? []).map((file) => relative(cwd, file))
    if (json) {
      const { check, isRestored } = written
      const told = isWritten && { check, isRestored, isCompared: check !== undefined, unloaded }
      context.stdout.write(`${JSON.stringify({ ...result, written: changed, ...told }, null, 2)}\n`)
      return written.code
    }
    for (const { file, text: old, written: next } of files) {
      context.stdout.write(`${diffText(relative(cwd, file), old, next, { colours })}\n`)
    }
    context.stdout.write(text(result, { colours, isWritten: edit.write }))
    if (written.check !== undefined) context.stdout.write(checkText(written.check, { colours }))
    if (changed.length > 0) {
      const how = written.check === undefined ? 'Not compared' : 'Written'
      context.stdout.write(`${how}: ${printable(changed).join(', ')}\n`)
    }
    if (unloaded.length > 0) context.stdout.write(unloadedText(unloaded))
    return written.code
  }
}

function unloadedText(files: readonly string[]): string {
  return [
    'The app does not load these any more:',
    ...printable(files).map((file) => `              ${file}`),
    'Import again, by its name alone, what does more than export, as a file that registers a model. Delete each of the others by hand, once a search of your project finds no other use of it.',
    '',
  ].join('\n')
}
