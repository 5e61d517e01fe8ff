// Findings as a summary for a pull request. What an app is made of is shown as code, so that it is no Markdown, HTML or mention.
import { printable } from '../../../../src/ground/printable.js'
import type { Severity } from '../documents/finding.js'
import { count } from '../terminal/text.js'
import { type Group, groupsOf, type Review, routesText } from './review.js'

// A comment of GitHub has 65 536 characters, and several commands may share it.
const mostRows = 40
const mostLetters = 200

const marks: Readonly<Record<Severity, string>> = { error: '❌', warning: '⚠️', note: 'ℹ️' }

/** A heading, what it comes to, and a table of what was found. */
export function markdownText(review: Review, { command, name }: { command: string; name: string }): string {
  const told = printable(review)
  const { ok, summary, notes } = told
  const groups = groupsOf(told)
  const of = name === '' ? '' : ` of ${code(name)}`
  const more = groups.length - mostRows
  const lines = [
    `### ${ok ? '✅' : '❌'} \`routecontrollers ${command}\`${of}`,
    '',
    prose(summary),
    ...(groups.length === 0 ? [] : ['', '|  | Found | Where | Routes |', '| --- | --- | --- | --- |']),
    ...groups.slice(0, mostRows).map(row),
    ...(more > 0 ? ['', `And ${count(more, 'more finding')}.`] : []),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${prose(note)}`)]),
  ]
  return `${lines.join('\n')}\n`
}

function row(group: Group): string {
  const { severity, title, text, remedy, at } = group.first
  const more = group.size > Math.max(1, group.routes.length) ? ` and ${group.size - 1} more like it` : ''
  const help = remedy === undefined ? '' : `<br>→ ${prose(remedy)}`
  const found = `**${prose(title)}**<br>${code(text)}${more}${help}`
  const routes = routesText(group)
  const cells = [marks[severity], found, at === undefined ? '' : code(at), routes === '' ? '' : code(routes)]
  return `| ${cells.join(' | ')} |`
}

/** Code of one line, in a table too: fences are longer than what stands within. */
function code(text: string): string {
  const line = cut(text).replace(/\s+/g, ' ')
  // Cells end before code begins, and a code span has no way to write a backslash before a bar.
  if (line.includes('\\|')) return `<code>${line.replace(/[^A-Za-z0-9 ]/gu, entityOf)}</code>`
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  const pad = /^`|`$/.test(line) ? ' ' : ''
  return fence + pad + line.replaceAll('|', '\\|') + pad + fence
}

function entityOf(character: string): string {
  // An address of mail is one by its letters, after entities are read.
  return `&#${character.codePointAt(0)};${character === '@' ? '<!-- -->' : ''}`
}

/** A text in which nothing is Markdown. */
function prose(text: string): string {
  return cut(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|~$&]/g, '\\$&')
    .replace(/([@#])(?=\w)/g, '$1<!-- -->')
}

function cut(text: string): string {
  return text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text
}
