// What `parity` and `replay` have found as one page: an article for each request.
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import { printable } from '../../../../src/ground/printable.js'
import type { ParityReport } from '../documents/parity.js'
import { article, branch, mostInSight, pageOf } from './page.js'
import { changeLines, leftOutOf, requestOf, titleOf } from './parity-text.js'
import { paritySummary } from './review.js'

/** The page of a comparison; `entry` is its title. */
export function parityPage(found: ParityReport, entry: string): string {
  const report = printable(found)
  const sections = report.groups.map((group) => {
    const title = titleOf(group)
    const rows = group.differences.map((one) => {
      const request = requestOf(one)
      const changes = changeLines(one).map((line) => `<p class="witness">${escapeHtml(line.trim())}</p>`)
      return article({
        text: `${title} ${request}`,
        marks: [group.cause],
        line: `<span class="path">${escapeHtml(request)}</span>`,
        body: [
          ...changes,
          ...(one.by === undefined ? [] : [`<p>Answered now by ${escapeHtml(one.by)}</p>`]),
        ].join(''),
      })
    })
    return branch({ line: escapeHtml(title), body: rows.join(''), isOpen: rows.length <= mostInSight })
  })
  return pageOf({
    title: `Parity of ${printable(entry) || report.now}`,
    summary: `${report.ok ? '✓' : '✗'} ${paritySummary(report)}.`,
    placeholder: 'path, status or cause',
    of: 'requests',
    legend: '',
    count: report.groups.reduce((sum, { differences }) => sum + differences.length, 0),
    filters: report.groups.map(({ cause, differences }) => ({
      value: cause,
      label: cause,
      count: differences.length,
    })),
    main:
      [...report.notes, ...leftOutOf(report)].map((note) => `<p>${escapeHtml(note)}</p>`).join('') +
      sections.join('\n'),
  })
}
