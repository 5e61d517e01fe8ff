// Findings as annotations of a pull request: commands that a job of GitHub Actions prints, one a line.
import { printable } from '../../../../src/ground/printable.js'
import type { Severity } from '../documents/finding.js'
import { filePlace } from './places.js'
import { type Group, groupsOf, type Review, routesText } from './review.js'

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

/** One annotation for each finding, the worst first, because GitHub shows the first ten of each kind. */
export function githubText(review: Review, { command, folder }: { command: string; folder: string }): string {
  const told = printable(review)
  const { ok, summary } = told
  const lines = groupsOf(told).map((group) => annotation(group, command, folder))
  return [...lines, `routecontrollers ${command}: ${ok ? '✓' : '✗'} ${summary}`, ''].join('\n')
}

function annotation(group: Group, command: string, folder: string): string {
  const { title, severity, text, remedy, at } = group.first
  const place = filePlace(at, folder)
  const properties = {
    ...(place !== undefined && { file: place.file }),
    ...(place?.line !== undefined && { line: String(place.line) }),
    title: `${command}: ${title}`,
  }
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  const routes = routesText(group)
  const message = [routes === '' ? text : `${routes}: ${text}`, remedy && `→ ${remedy}`].filter(Boolean)
  return `::${commands[severity]} ${listed.join(',')}::${escapeMessage(message.join('\n'))}`
}

function escapeMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
