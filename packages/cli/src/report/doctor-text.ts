// What `doctor` prints, for people.
import { printable } from '../../../../src/ground/printable.js'
import type { DoctorReport } from '../documents/doctor.js'
import { stylesFor, type TextOptions, wrap } from '../terminal/text.js'
import { doctorSummary, isFree } from './review.js'

// `--json` has all.
const mostPlaces = 3
const indent = 12

/** What was found. */
export function doctorText(found: DoctorReport, options: TextOptions): string {
  const { entry, findings, failure } = printable(found)
  const { bold, dim, green, yellow } = stylesFor(options)
  const lines: string[] = []
  for (const { kind, message, at, remedy } of findings) {
    const [first, ...rest] = wrap(message, indent)
    lines.push(yellow(kind.padEnd(indent)) + first!.trimStart(), ...rest)
    const more = at.length > mostPlaces ? [`and ${at.length - mostPlaces} more`] : []
    const places = [...at.slice(0, mostPlaces), ...more]
    lines.push(...places.map((place) => dim(' '.repeat(indent) + place)))
    lines.push(...wrap(`→ ${remedy}`, indent), '')
  }
  const summary = doctorSummary({ entry, findings, failure })
  lines.push(isFree(findings) ? green(`✓ ${summary}`) : bold(summary))
  return `${lines.join('\n')}\n`
}
