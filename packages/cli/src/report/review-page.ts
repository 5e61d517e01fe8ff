// What a command has found as one page: an article for each finding.
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import { printable } from '../../../../src/ground/printable.js'
import { article, type Filter, pageOf, placeHtml } from './page.js'
import type { Remark, Review } from './review.js'

/** The page of a review. */
export function reviewPage(read: Review, { command, name }: { command: string; name: string }): string {
  const { ok, summary, remarks, notes } = printable(read)
  return pageOf({
    title: `${command} of ${printable(name)}`,
    summary: `${ok ? '✓' : '✗'} ${summary}`,
    placeholder: 'route, finding or file',
    of: 'findings',
    count: remarks.length,
    filters: filtersOf(remarks.map(({ code }) => code)),
    legend: '',
    main: [
      ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
      ...remarks.map((one) => remarkArticle(one)),
    ].join('\n'),
  })
}

/** A filter for each code. */
export function filtersOf(codes: readonly string[]): Filter[] {
  const counts = new Map<string, number>()
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({ value, label: value, count }))
}

function remarkArticle({ code, title, severity, text, remedy, route, at }: Remark): string {
  const help = remedy === undefined ? '' : `<p>→ ${escapeHtml(remedy)}</p>`
  return article({
    text: [code, title, text, route, at].filter((one) => one !== undefined).join(' '),
    marks: [code],
    line: `<span class="tag ${severity}">${escapeHtml(code)}</span> <span class="path">${escapeHtml([route, text].filter(Boolean).join(': '))}</span>`,
    body: `<p>${escapeHtml(title)}.${placeHtml(at)}</p>${help}`,
  })
}
