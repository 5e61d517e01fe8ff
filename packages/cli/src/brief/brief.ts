// `brief`: all that is needed to write the native callback of one route, on one page.
import { relative } from 'node:path'
import type { RecordedExchange } from '../../../compare/src/recording.js'
import type { BriefPiece, BriefReport } from '../documents/brief.js'
import type { RouteRow } from '../documents/inventory.js'
import { look, type Told } from '../edit/look.js'
import { isOfPackage } from '../code/of-package.js'
import { namedBy } from '../edit/rows.js'
import { buildOfEntry } from '../entry/built-entry.js'
import { type LookContext, shownEntry } from '../entry/command-context.js'
import { type CommandOptions, UsageError } from '../entry/options.js'
import { readTraffic } from '../entry/traffic.js'
import { fitted } from '../report/brief-size.js'
import { tellReport } from '../report/tell-report.js'
import { examplesOf } from './examples.js'
import { nativelyFor } from './natively.js'
import { piecesOf } from '../code/pieces.js'
import { ProjectCode } from '../code/project-code.js'
import { unansweredBy } from '../code/rejections.js'
import type { RowForm } from '../edit/row-form.js'
import { isHandled, templateOf } from './template.js'
import { quoted, shellWord } from '../terminal/shell-word.js'

/** What the machine would write for a row, as `move` says it. */
export type FormOfRow = (told: Told, row: number, cwd: string) => RowForm

// Of a recording, so that a page takes seconds.
const mostAsked = 5000

/** Runs `brief`; gives the exit code. */
export async function briefRoute(
  options: CommandOptions,
  context: LookContext,
  formOfRow: FormOfRow,
): Promise<number> {
  const { cwd, named } = options
  const exchanges =
    named.recording === undefined ? [] : readTraffic(named.recording).exchanges.slice(0, mostAsked)
  // A route that gives some requests on is found only where it is asked for.
  const [answer = ''] = named.routes
  const question = exchanges.map(({ method, target }) => ({ app: 0, method, witness: target, answer }))
  const told = await look(options, question, context)
  if (told === undefined) return 3
  const at = oneRow(named.routes, told)
  const row = told.inventory.routes[at]!
  const recorded = exchanges.filter(
    (_one, number) => told.observations?.[number]?.answer.route === nameOf(row),
  )
  const report = briefOf({ told, row, form: formOfRow(told, at, cwd), recorded }, options)
  tellReport('brief', report, { ...options, name: shownEntry(options), has: '1 route' }, context)
  return 0
}

const nameOf = ({ method, path }: RouteRow): string => `${method} ${path}`

/** The one route that is named. Throws UsageError. */
function oneRow(routes: readonly string[], { inventory }: Told): number {
  const rows = inventory.routes.filter(({ kind }) => kind === 'route')
  const some = rows.filter(namedBy(routes, { ...inventory, routes: rows }))
  const names = [...new Set(some.map(nameOf))]
  if (names.length > 1) {
    const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
    throw new UsageError(
      `brief takes one route, and these are ${names.length}: ${names.slice(0, 5).join(', ')}${more}`,
    )
  }
  return inventory.routes.indexOf(some.find(({ shadowed }) => !shadowed) ?? some[0]!)
}

interface Known {
  readonly told: Told
  readonly row: RouteRow
  readonly form: RowForm
  readonly recorded: readonly RecordedExchange[]
}

function briefOf({ told, row, form, recorded }: Known, options: CommandOptions): BriefReport {
  const { cwd, named } = options
  const { own, settings, app, method, path } = row
  const project = new ProjectCode(cwd)
  const { pieces: found, handler } = piecesOf(row, project)
  // What runs a handler of Express, and has none behind it, has no callback of its own yet.
  const isAsIs = form.written === 'as it is'
  const isHandler = isAsIs && (own.stage === undefined || own.stage === 'native')
  const { left } = form
  const file = form.file === undefined ? undefined : relative(cwd, form.file)
  const leftAt = left?.line === undefined || file === undefined ? undefined : `${file}:${left.line}`
  const pieces = found.map((one): BriefPiece =>
    isHandler && one.role === 'native' ? { ...one, role: 'handler' } : one,
  )
  // A wrapper, or a class of another file, may hide what the reason is about.
  const around = leftAt === undefined ? undefined : project.handlerAround(leftAt)
  if (around !== undefined && !pieces.some(({ source }) => source?.includes(around.text) === true)) {
    const { place, used, text } = around
    const name = /[\w$]+(?=\s*[=(])/.exec(text)?.[0] ?? own.name
    const firstPass = pieces.findIndex(({ role }) => role === 'pass')
    const piece: BriefPiece = { role: 'uses', name, at: undefined, definition: place, ...used, source: text }
    pieces.splice(firstPass < 0 ? pieces.length : firstPass, 0, piece)
  }
  const all = pieces.filter(isHandled)
  const version = unansweredBy(row, told.inventory, project)
  const isWritten = (own.stage === 'native' && !isAsIs) || form.written === 'callback'
  const report: Omit<BriefReport, 'tokens'> = {
    version: 1,
    method,
    path,
    at: own.at,
    stage: own.stage,
    express: told.inventory.apps[app]?.version?.toString(),
    settings: { ...settings, app: told.registered.settings[app] ?? {} },
    left:
      left === undefined || isWritten
        ? undefined
        : {
            reason: left.reason,
            remedy: left.remedy,
            at: leftAt ?? own.at,
          },
    template: templateOf(row, form, pieces, {
      isCommonJs: form.file !== undefined && project.isCommonJs(form.file),
      isAsync:
        handler?.node['async'] === true ||
        pieces.some((one) => one.role === 'route' && /\basync\b/.test(one.source ?? '')),
      file,
    }),
    natively: nativelyFor(
      all.flatMap(({ reads }) => reads),
      all.flatMap(({ leaves }) => leaves),
    ),
    differs:
      version === undefined
        ? []
        : [
            `Where the handler rejects, Express ${version} never answers. A native callback answers by the error handlers then, else 500.`,
          ],
    pieces,
    examples: examplesOf(recorded),
    commands: commandsOf(row, form, options),
    leftOut:
      named.recording !== undefined && recorded.length === 0
        ? ['The recording has no request that this route answers.']
        : [],
  }
  return fitted(report)
}

function commandsOf(row: RouteRow, form: RowForm, options: CommandOptions): string[] {
  const { foundBy, parameters, named, cwd, entry: file } = options
  const build = buildOfEntry(cwd, file)
  const run = build === undefined ? '' : ` --run ${quoted(build)}`
  const route = quoted(nameOf(row))
  const behind = parameters.length > 0 ? ` -- ${parameters.map(shellWord).join(' ')}` : ''
  const [entry, end] =
    foundBy === undefined ? [` --entry ${shellWord(shownEntry(options))}`, behind] : ['', '']
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(row.method)
  const recording =
    named.recording === undefined ? '' : ` --recording ${shellWord(relative(cwd, named.recording))}`
  const base = row.own.stage === 'native' || row.own.stage === undefined ? ` --base REVISION${run}` : ''
  const unsafe = isSafe ? '' : ' --unsafe'
  const native = form.native === undefined ? ' --as-is' : ''
  const move = `routecontrollers move ${route}${native} --write${run}${entry}${end}`
  const takeUp = `routecontrollers move --native ${route} --write${run}${entry}${end}`
  const isTakenUp = form.written === 'as it is' && form.native !== undefined
  return [
    ...(row.own.stage === 'legacy' && !isOfPackage(row.own.at, cwd) ? [move] : isTakenUp ? [takeUp] : []),
    `routecontrollers prove ${route}${entry}${recording}${unsafe}${base}${end}`,
  ]
}
