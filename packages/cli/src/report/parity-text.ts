// What `parity` prints, and its page.
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import { pageOf } from './html.js'
import { shownHead, tokensOf } from './parity-groups.js'
import { ignoreFile } from '../documents/parity.js'
import type { ParityDifference, ParityGroup, ParityReport } from '../documents/parity.js'
import { count, stylesFor, type TextOptions, wrap } from '../terminal/text.js'
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
  lines.push((report.ok ? green : red)(summaryOf(report)))
  return `${lines.join('\n')}\n`
}

function examplesOf({ routes, differences }: ParityGroup): ParityDifference[] {
  return routes.slice(0, shown).map((route) => differences.find((one) => one.route === route)!)
}

function summaryOf({ legacy, now, compared, planned, groups }: ParityReport): string {
  const differ = groups.reduce((sum, { differences }) => sum + differences.length, 0)
  const sides = `${legacy}, and ${now}`
  if (differ === 0 && compared < planned)
    return `Not all is known: ${compared} of ${count(planned, 'request')} answered alike by ${sides}`
  return differ === 0
    ? `✓ ${count(compared, 'request')} answered alike by ${sides}`
    : `✗ ${differ} of ${count(compared, 'request')} differ between ${sides}`
}

/** `GET /admin/users 401 json → 200 html (now answered by …)`, `trailing slash: 12 routes; use profile fromApp(app)`. */
function titleOf({ cause, routes, remedy }: ParityGroup): string {
  const [only] = routes
  const one = cause.includes('→') ? `${only} ${cause}` : `${cause}: ${only}`
  const title = routes.length === 1 ? one : `${cause}: ${count(routes.length, 'route')}`
  return remedy === undefined ? title : `${title}; ${remedy}`
}

function requestOf(one: ParityDifference): string {
  const { method, target, variant, legacy, now } = one
  const [was, is] = [shownHead(legacy), shownHead(now)]
  const tokens = tokensOf(one)
  const sent = tokens.length === 0 ? '' : ` with ${tokens.join(', ')}`
  const how = variant === '' ? '' : ` (${variant})`
  return `${method} ${target}${sent}${how}  ${was === is ? was : `${was} → ${is}`}`
}

function changeLines({ changes }: ParityDifference): string[] {
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
function leftOutOf({ noise, ignored }: ParityReport): string[] {
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

/** The report as one page. */
export function parityPage(found: ParityReport, entry: string): string {
  const report = printable(found)
  const sections = report.groups.map((group) => {
    const rows = group.differences.map((one) => {
      const request = requestOf(one)
      const changes = changeLines(one).map((line) => escapeHtml(line.trim()))
      return `<article data-text="${escapeHtml(`${titleOf(group)} ${request}`.toLowerCase())}"><h3>${escapeHtml(request)}</h3>${changes.map((line) => `<p class="witness">${line}</p>`).join('')}</article>`
    })
    return `<details open class="branch"><summary>${escapeHtml(titleOf(group))}</summary>${rows.join('')}</details>`
  })
  return pageOf({
    title: `Parity of ${entry || report.now}`,
    summary: summaryOf(report),
    placeholder: 'path, status or cause',
    of: 'requests',
    legend: '',
    count: report.groups.reduce((sum, { differences }) => sum + differences.length, 0),
    main:
      [...report.notes, ...leftOutOf(report)].map((note) => `<p>${escapeHtml(note)}</p>`).join('') +
      sections.join('\n'),
  })
}
