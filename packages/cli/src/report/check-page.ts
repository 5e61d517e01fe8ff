// What `check` has found as one page: of each route what its requests passed before, and what they pass now.
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import { printable } from '../../../../src/ground/printable.js'
import type { Change, CheckReport, ComparedPass, RouteChanges } from '../documents/check.js'
import { article, pageOf, placeHtml } from './page.js'
import { labelOf } from './pass-text.js'
import { checkSummary } from './review.js'
import { filtersOf } from './review-page.js'

// So few are read as they stand; more are a list to choose from.
const mostOpen = 3

/** The page of a check; `entry` is its title. */
export function checkPage(read: CheckReport, entry: string): string {
  const report = printable(read)
  const changed = report.routes.filter(({ changes }) => changes.length > 0)
  const others = report.routes.filter(({ changes }) => changes.length === 0)
  return pageOf({
    title: `Guards of ${printable(entry)}, before and now`,
    summary: `${report.ok ? '✓' : '✗'} ${checkSummary(report)}.`,
    placeholder: 'path, guard or file',
    of: 'routes',
    count: report.routes.length,
    filters: filtersOf(report.routes.flatMap((route) => marksOf(route))),
    legend: '',
    main: [...changed, ...others]
      .map((route) => routeArticle(route, report.apps, changed.includes(route) && changed.length <= mostOpen))
      .join('\n'),
  })
}

function marksOf({ changes, accepted, notes }: RouteChanges): string[] {
  const marks = [...changes.map(({ kind }) => kind), ...notes.map(({ kind }) => kind)]
  return [...new Set([...marks, ...(accepted.length > 0 ? ['accepted'] : [])])]
}

function routeArticle(route: RouteChanges, apps: number, isOpen: boolean): string {
  const { app, method, path, changes, accepted, notes, answer, was, at, remedy, passes } = route
  const heads = changes.map(
    (change) => `<span class="tag ${change.severity}">${escapeHtml(headOf(change))}</span>`,
  )
  const told = accepted.length > 0 ? [`<span class="tag">accepted</span>`] : []
  const of = apps > 1 ? ` of app ${app + 1}` : ''
  const before = was === undefined || was === answer ? '' : `<p>Answered before by ${escapeHtml(was)}</p>`
  const steps = passes.map((pass) => passItem(pass)).join('')
  const lines = [
    ...changes.map((one) => `<b>${escapeHtml(one.kind)}</b> ${escapeHtml(one.what)}${placeHtml(one.at)}`),
    ...accepted.map((one) => `accepted: ${escapeHtml(`${one.kind} ${one.what}, because ${one.because}`)}`),
    ...notes.map((one) => `${escapeHtml(`${one.kind} ${one.what}`)}${placeHtml(one.at)}`),
  ]
  return article({
    isOpen,
    text: [method, path, answer, was, at, ...lines.map((line) => line.replace(/<[^>]*>/g, ''))]
      .filter((one) => one !== undefined)
      .join(' '),
    marks: marksOf(route),
    line: `<b class="method">${escapeHtml(method)}</b> <span class="path">${escapeHtml(path + of)}</span> <span class="own">${[...heads, ...told].join('')}</span>`,
    body: `${before}<ol class="chain">${steps}<li class="step answer"><i>answer</i> ${escapeHtml(answer)}</li></ol>
<ul class="findings">${lines.map((line) => `<li>${line}</li>`).join('')}</ul>${remedy === undefined ? '' : `<p>→ ${escapeHtml(remedy)}</p>`}`,
  })
}

// A line of many findings is read by its beginnings.
const mostLetters = 48

function headOf({ kind, what }: Change): string {
  const whole = what.startsWith(kind) ? what : `${kind} ${what}`
  return whole.length > mostLetters ? `${whole.slice(0, mostLetters)}…` : whole
}

const signs: Readonly<Record<ComparedPass['is'], string>> = {
  same: '',
  lost: '− lost',
  gained: '+ gained',
  changed: '~ changed',
  reordered: '~ reordered',
}

function passItem({ is, pass, at }: ComparedPass): string {
  const mark = is === 'lost' ? 'was-lost' : `is-${is}`
  return `<li class="step ${mark}"><i>${signs[is]}</i> <span>${escapeHtml(labelOf(pass))}</span>${placeHtml(at)}</li>`
}
