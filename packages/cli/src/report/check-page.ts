// What `check` has found as one page: of each route what its requests passed before, and what they pass now.
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import { printable } from '../../../../src/ground/printable.js'
import type { Change, CheckReport, ComparedPass, RouteChanges } from '../documents/check.js'
import { article, branch, mostInSight, pageOf, placeHtml } from './page.js'
import { count } from '../terminal/text.js'
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
    main: [
      ...grouped(changed, report.apps, changed.length <= mostOpen),
      ...grouped(others, report.apps, false),
    ].join('\n'),
  })
}

// So many routes of which the same is told stand together.
const leastTogether = 4

/** The articles of routes; those of which the same is told stand in one branch. */
function grouped(routes: readonly RouteChanges[], apps: number, isOpen: boolean): string[] {
  const alike = new Map<string, RouteChanges[]>()
  for (const route of routes) {
    const told = [...route.changes.map(wholeHeadOf), ...marksOf(route)].join()
    alike.set(told, [...(alike.get(told) ?? []), route])
  }
  return [...alike.values()].map((some) => {
    const body = some.map((route) => routeArticle(route, apps, isOpen)).join('\n')
    if (some.length < leastTogether) return body
    const line = `${count(some.length, 'route')} ${tagsOf(some[0]!)}`
    return branch({ line, body, isOpen: routes.length <= mostInSight })
  })
}

function marksOf({ changes, accepted, notes }: RouteChanges): string[] {
  const marks = [...changes.map(({ kind }) => kind), ...notes.map(({ kind }) => kind)]
  return [...new Set([...marks, ...(accepted.length > 0 ? ['accepted'] : [])])]
}

/** What is told of a route in its line: what was found, else the kinds of what is no finding. */
function tagsOf({ changes, notes, accepted }: RouteChanges): string {
  const tag = (text: string, severity = ''): string =>
    `<span class="tag ${severity}">${escapeHtml(text)}</span>`
  const found = changes.map((change) => tag(headOf(change), change.severity))
  const noted = found.length > 0 ? [] : [...new Set(notes.map(({ kind }) => kind))].map((kind) => tag(kind))
  return [...found, ...noted, ...(accepted.length > 0 ? [tag('accepted')] : [])].join(' ')
}

function routeArticle(route: RouteChanges, apps: number, isOpen: boolean): string {
  const { app, method, path, changes, accepted, notes, answer, was, at, remedy, passes } = route
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
    line: `<b class="method">${escapeHtml(method)}</b> <span class="path">${escapeHtml(path + of)}</span> <span class="own">${tagsOf(route)}</span>`,
    body: `${before}<ol class="chain">${steps}<li class="step answer"><i>answer</i> ${escapeHtml(answer)}</li></ol>
<ul class="findings">${lines.map((line) => `<li>${line}</li>`).join('')}</ul>${remedy === undefined ? '' : `<p>→ ${escapeHtml(remedy)}</p>`}`,
  })
}

// A line of many findings is read by its beginnings.
const mostLetters = 48

function headOf(change: Change): string {
  const whole = wholeHeadOf(change)
  return whole.length > mostLetters ? `${whole.slice(0, mostLetters)}…` : whole
}

function wholeHeadOf({ kind, what }: Change): string {
  return what.startsWith(kind) ? what : `${kind} ${what}`
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
