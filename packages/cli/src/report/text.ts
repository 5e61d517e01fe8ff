// What the command prints, for people: at most 100 columns, colours only on a terminal.
import { printable } from '../../../../src/ground/printable.js'
import { count, countRows, type Style, stylesFor, type TextOptions, width, wrap } from '../terminal/text.js'
import { ownerText, servedText, stagesText } from './answerer-text.js'
import { type Block, blocksOf, factsOf } from './check-blocks.js'
import type { Change, CheckReport, RouteChanges } from '../documents/check.js'
import { shortened } from './pass-text.js'
import { checkSummary } from './review.js'
import { alike, passedBefore, sharedBy } from './shared-passes.js'
import type { Inventory, Pass, RouteRow } from '../documents/inventory.js'

/** The inventory. */
export function inventoryText(read: Inventory, options: TextOptions): string {
  const inventory = printable(read)
  const { bold, dim, yellow } = stylesFor(options)
  const lines: string[] = []
  inventory.apps.forEach((app, number) => {
    const of = inventory.apps.length > 1 ? `App ${number + 1}: ` : ''
    const trust = app.trustProxy === false ? '' : `, trust proxy ${String(app.trustProxy)}`
    const rows = inventory.routes.filter((one) => one.app === number)
    const counted = countRows(app.routes, app.mounts) + stagesText(rows)
    lines.push(bold(`${of}${servedText(app)}, ${counted}${trust}`), '')
    const shared = sharedBy(rows.filter(({ kind }) => kind === 'route'))
    if (shared.length > 0) {
      lines.push('Requests of each route pass, first:', ...shared.map((pass) => `  ${passLine(pass)}`), '')
    }
    for (const row of rows) lines.push(...rowLines(row, shared, bold, dim), '')
  })
  if (inventory.findings.length > 0) lines.push(bold(count(inventory.findings.length, 'finding')), '')
  for (const { kind, method, path, at, witness, message } of inventory.findings) {
    lines.push(`${yellow(kind.padEnd(12))} ${method} ${path}${at === undefined ? '' : `  ${at}`}`)
    lines.push(...wrap(message, 13))
    if (witness !== undefined) lines.push(dim(`${' '.repeat(13)}try ${witness}`))
  }
  if (inventory.findings.length > 0) lines.push('')
  for (const note of inventory.notes) lines.push(...wrap(note, 0))
  return lines.join('\n').trimEnd() + '\n'
}

function rowLines(row: RouteRow, shared: readonly Pass[], bold: Style, dim: Style): string[] {
  const { method, path, own, settings, errorHandlers } = row
  const passes = passedBefore(row)
  const first = alike(shared, passes)
  // A mount may stand before some of what all routes pass.
  const isLess = first < shared.length
  const who = [ownerText(own), own.name, own.at].filter(Boolean).join('  ')
  const set = [
    settings.strict && 'strict',
    settings.caseSensitive && 'case sensitive',
    settings.mergeParams && 'mergeParams',
  ].filter(Boolean)
  const head = fit(`${method.padEnd(7)} ${path}`, who)
  return [
    bold(head[0]) + dim(head[1]),
    ...(isLess
      ? [dim(`  (${first === 0 ? 'none' : `the first ${first}`} of those that each route passes)`)]
      : []),
    ...passes.slice(first).map((pass) => `  ${passLine(pass)}`),
    ...(own.behind ?? []).map((pass) => dim(`  ${passLine(pass, 'behind')}`)),
    ...errorHandlers.map((pass) => dim(`  ${passLine(pass)}`)),
    ...(set.length > 0 ? [dim(`  ${set.join(', ')}`)] : []),
  ]
}

function passLine(pass: Pass, as: string = pass.kind): string {
  const { name, at, via, mount, param, argument, catches, unverifiable } = pass
  const where = mount === '/' ? '' : ` at ${mount}`
  const given = shortened(argument, 49)
  const called = name === '<anonymous>' && given !== undefined ? given : name
  const more = given === undefined || given === called ? '' : `  ${given}`
  const what = `${as.padEnd(11)} ${param === undefined ? called : `${param}: ${called}`}${where}${more}`
  const marks = [catches !== undefined && ' (before the route)', unverifiable && ' (cannot be read)']
  const text = what + marks.filter(Boolean).join('')
  const place = [at, via === undefined ? '' : `for ${via}`].filter(Boolean).join(' ')
  const [left, right] = fit(text, place, width - 2)
  return left + right
}

/** A text at the left, and one that begins in the middle, or where the first one ends. */
function fit(left: string, right: string, room: number = width): [string, string] {
  if (right === '') return [left, '']
  const column = Math.max(48, left.length + 2)
  if (column + right.length <= room) return [left.padEnd(column), right]
  if (left.length + 2 + right.length <= room) return [`${left}  `, right]
  return [`${left}\n${' '.repeat(Math.max(4, room - right.length))}`, right]
}

// A block of many routes shows so many of them; `--json` has all.
const mostShown = 3

/** What `check` has found: a block for each route, and for what several routes have in common. */
export function checkText(found: CheckReport, options: TextOptions): string {
  const report = printable(found)
  const { bold, dim, green, red } = stylesFor(options)
  const lines: string[] = []
  // Texts are made of what is, not of what can be shown.
  for (const block of blocksOf(found).map(printable)) {
    const { routes, changes, notes } = block
    const mark =
      changes.length > 0 ? red('✗') : notes.some(({ kind }) => kind !== 'accepted') ? '·' : dim('✓')
    const heads = routes.slice(0, mostShown).map((route) => headOf(route, report.apps, bold))
    const more = routes.length - heads.length
    if (routes.length === 1) lines.push(`${mark} ${heads[0]!}`)
    else {
      lines.push(`${mark} ${bold(count(routes.length, 'route'))}`, ...heads.map((head) => `  ${head}`))
      if (more > 0) lines.push(dim(`  and ${more} more`))
    }
    lines.push(...blockLines(block, dim), '')
  }
  lines.push(report.ok ? green(`✓ ${checkSummary(report)}`) : red(`✗ ${checkSummary(report)}`))
  return `${lines.join('\n')}\n`
}

/** `GET /users  answered by Controller src/users.ts:12 (was Express src/app.js:16)` */
function headOf({ app, method, path, answer, was: before }: RouteChanges, apps: number, bold: Style): string {
  const name = apps > 1 ? `${method} ${path} of app ${app + 1}` : `${method} ${path}`
  const was = before === undefined || before === answer ? '' : ` (was ${before})`
  const head = fit(name, `answered by ${answer}${was}`, width - 2)
  const isLong = head.some((part) => part.length > width)
  const [title, who] = isLong ? [name, `\n    answered by ${answer}${was.replace(/^ /, '\n    ')}`] : head
  return bold(title) + who
}

function blockLines({ routes, changes, notes, elsewhere, remedy }: Block, dim: Style): string[] {
  const line = (kind: string, what: string, at: string | undefined): string[] => {
    const label = `  ${kind.padEnd(12)} `
    const [first, ...rest] = wrap(what, 15)
    const [left, right] = fit(label + first!.trimStart(), rest.length === 0 ? (at ?? '') : '')
    return [left + right, ...rest, ...(rest.length > 0 && at !== undefined ? [' '.repeat(15) + at] : [])]
  }
  const isOne = routes.length === 1
  // Where each of several routes has lost something need not be the same place.
  const placed = isOne ? changes : changes.map((change) => ({ ...change, at: placeOfAll(change, routes) }))
  const more = `${count(elsewhere, 'finding')} that it shares with other routes, told with those`
  return [
    ...together(placed).flatMap(({ kind, what, at }) => line(kind, what, at)),
    ...(elsewhere > 0 ? line('and', more, undefined).map(dim) : []),
    ...notes.flatMap(({ kind, what, at }) => line(kind, what, isOne ? at : undefined)).map(dim),
    ...(remedy === undefined ? [] : line('remedy', remedy, undefined)),
  ]
}

interface Said {
  readonly kind: string
  readonly what: string
  readonly at: string | undefined
}

function placeOfAll(change: Change, routes: readonly RouteChanges[]): string | undefined {
  const facts = factsOf(change)
  const isSame = ({ changes }: RouteChanges): boolean =>
    changes.some((one) => one.at === change.at && factsOf(one) === facts)
  return routes.every(isSame) ? change.at : undefined
}

/** What is said of several functions of one file, on one line where it fits: `json, cors  src/app.js:27, :22`. */
function together(changes: readonly Said[]): Said[] {
  const said: Said[] = []
  for (const change of changes) {
    const last = said.at(-1)
    const [file] = /^.*(?=:\d+$)/.exec(change.at ?? '') ?? []
    const isSame = last?.kind === change.kind && file !== undefined && last.at?.startsWith(`${file}:`)
    const what = `${last?.what}, ${change.what}`
    const at = `${last?.at}, ${change.at?.slice(file?.length)}`
    const fits = Math.max(48, 15 + what.length + 2) + at.length <= width
    if (last !== undefined && isSame && fits) said[said.length - 1] = { kind: last.kind, what, at }
    else said.push(change)
  }
  return said
}
