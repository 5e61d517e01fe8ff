// What `prove` prints, for people: a line for each route, what was found, what is missing, and the verdict.
import { printable } from '../../../../src/ground/printable.js'
import type { ProvedRoute, ProveReport } from '../documents/prove.js'
import { count, stylesFor, type TextOptions, wrap } from '../terminal/text.js'
import { parityText } from './parity-text.js'
import { proveSummary } from './review.js'
import { checkText } from './text.js'

// `--json` has all.
const mostShown = 30
const mostNamed = 5

export function proveText(found: ProveReport, options: TextOptions): string {
  const { routes, missing, limits, verdict } = printable(found)
  const { check, parity, replay } = found
  const { bold, dim, green, red, yellow } = stylesFor(options)
  const styles = { proved: green, different: red, unproved: yellow }
  const marks = { proved: '✓ ', different: '✗ ', unproved: '' }
  const rank = { different: 0, unproved: 1, proved: 2 }
  const sorted = [...routes].sort((a, b) => rank[a.verdict] - rank[b.verdict])
  const lines = sorted.slice(0, mostShown).map((one) => styles[one.verdict](routeLine(one)))
  if (routes.length > mostShown) lines.push(dim(`and ${routes.length - mostShown} more`))
  lines.push('')
  if (check?.ok === false) lines.push(bold('Guards'), checkText(check, options))
  for (const [title, report] of [
    ['Answers', parity],
    ['Answers to requests that were given', replay],
  ] as const) {
    if (report === undefined) continue
    const isClean = report.groups.length === 0 && report.compared === report.planned
    if (isClean) continue
    lines.push(bold(title), parityText(report, options))
  }
  for (const [message, some] of groupedBy(missing, (one) => one.message)) {
    const names = some.flatMap(({ route }) => route ?? [])
    const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
    const of = names.length === 0 ? 'all routes' : `${names.slice(0, mostNamed).join(', ')}${more}`
    lines.push(...wrap(`missing: ${message}: ${of}`, 0), ...wrap(`→ ${some[0]!.remedy}`, 2).map(dim), '')
  }
  lines.push(...limits.flatMap((one) => wrap(one, 0)).map(dim))
  lines.push(styles[verdict](marks[verdict] + proveSummary(found)))
  return `${lines.join('\n')}\n`
}

function groupedBy<T>(some: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of some) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

function routeLine({ method, path, verdict, compared, played, statuses }: ProvedRoute): string {
  const answers = statuses.length === 0 ? '' : `, answers ${statuses.join(' ')}`
  const more = played === 0 ? '' : `, ${played} of them given`
  return `${verdict.padEnd(9)}  ${`${method} ${path}`.padEnd(32)}  ${count(compared, 'request')}${more}${answers}`
}
