// What `parity` prints.
import { shownHead, tokensOf } from './parity-groups.js'
import { ignoreFile } from '../documents/parity.js'
import type { ParityDifference, ParityGroup, ParityReport } from '../documents/parity.js'
import { count, stylesFor, type TextOptions, wrap } from '../terminal/text.js'
import { paritySummary } from './review.js'
import { printable } from '../../../../src/ground/printable.js'

// Each group shows a request of so many of its routes; `--json` and the page have all.
const shown = 3

/** The report, for people. */
export function parityText(found: ParityReport, options: TextOptions): string {
  const report = printable(found)
  const { bold, dim, green, red } = stylesFor(options)
  const lines = report.notes.flatMap((note) => wrap(note, 0))
  if (lines.length > 0) lines.push('')
  for (const group of report.groups) {
    lines.push(...wrap(titleOf(group), 0).map(bold))
    const examples = examplesOf(group)
    for (const one of examples) lines.push(...wrap(requestOf(one), 2), ...changeLines(one).map(dim))
    const more = group.differences.length - examples.length
    if (more > 0) lines.push(dim(`  and ${count(more, 'more request')}`))
    lines.push('')
  }
  for (const text of leftOutOf(report)) lines.push(...wrap(text, 0).map(dim))
  const { ok, compared, planned } = report
  const mark = ok ? '✓ ' : report.groups.length === 0 && compared < planned ? '' : '✗ '
  lines.push((ok ? green : red)(mark + paritySummary(report)))
  return `${lines.join('\n')}\n`
}

function examplesOf({ routes, differences }: ParityGroup): ParityDifference[] {
  return routes.slice(0, shown).map((route) => differences.find((one) => one.route === route)!)
}

/** `GET /admin/users 401 json → 200 html (now answered by …)`, `trailing slash: 12 routes; use profile fromApp(app)`. */
export function titleOf({ cause, routes, remedy }: ParityGroup): string {
  const [only] = routes
  const one = cause.includes('→') ? `${only} ${cause}` : `${cause}: ${only}`
  const title = routes.length === 1 ? one : `${cause}: ${count(routes.length, 'route')}`
  return remedy === undefined ? title : `${title}; ${remedy}`
}

export function requestOf(one: ParityDifference): string {
  const { method, target, variant, legacy, now } = one
  const [was, is] = [shownHead(legacy), shownHead(now)]
  const tokens = tokensOf(one)
  const sent = tokens.length === 0 ? '' : ` with ${tokens.join(', ')}`
  const how = variant === '' ? '' : ` (${variant})`
  return `${method} ${target}${sent}${how}  ${was === is ? was : `${was} → ${is}`}`
}

export function changeLines({ changes }: ParityDifference): string[] {
  return changes
    .filter(({ what }) => what !== 'status')
    .map(({ what, name, legacy, now }) => {
      // What stands at a place of JSON is written as JSON already.
      const isJson = what === 'body' && name !== undefined
      const values = [legacy, now].flatMap((one) =>
        one === undefined ? [] : isJson ? one : JSON.stringify(one),
      )
      return wrap([what, name, values.join(' → ')].filter(Boolean).join(' '), 4).join('\n')
    })
}

/** What was not compared. */
export function leftOutOf({ noise, ignored }: ParityReport): string[] {
  const listOf = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, requests]) => `${name} (${requests})`)
      .join(', ')
  const [own, told] = [listOf(noise), listOf(ignored)]
  return [
    ...(own === '' ? [] : [`Noise, by which legacy differs from itself: ${own}`]),
    ...(told === '' ? [] : [`Left out, as ${ignoreFile} says: ${told}`]),
  ]
}
