// What `brief` prints: one page, for a person or a coding agent.
import { printable } from '../../../../src/ground/printable.js'
import type { BriefExample, BriefPiece, BriefReport } from '../documents/brief.js'
import { mostTokens } from './brief-limit.js'
import { stylesFor, type TextOptions } from '../terminal/text.js'

export function briefText(found: BriefReport, options: TextOptions): string {
  const report = printable(found)
  const { bold, dim, yellow } = stylesFor(options)
  // Sources and templates have lines, which stay.
  const { method, path, at, stage, express, left, natively, commands, leftOut, tokens } = report
  const { template, pieces, examples } = found
  const version = express === undefined ? '' : `Express ${express}`
  const lines = [bold([`${method} ${path}`, at, version, stage].filter(Boolean).join('  ')), '']
  const section = (title: string, some: readonly string[]): void => {
    if (some.length > 0) lines.push(bold(title), ...some, '')
  }
  if (left !== undefined) {
    const remedy = left.remedy === undefined ? [] : [`→ ${left.remedy}`]
    section('Why the machine has left it', [
      yellow([left.reason, left.at].filter(Boolean).join('  ')),
      ...remedy,
    ])
  }
  section('To write, before the handler that it replaces', textLines(template))
  section(
    'Natively',
    natively.map(({ member, write }) => `${member}: ${write}`),
  )
  section('What is meant to differ', found.differs.map(printable))
  section('Settings', settingLines(report))
  for (const piece of pieces)
    section(titleOf(piece), [...usedLines(piece).map(dim), ...textLines(piece.source)])
  section('Recorded requests, without secrets', examples.flatMap(exampleLines))
  section('Next', commands)
  section('Left out', leftOut)
  lines.push(dim(`${tokens} tokens of ${mostTokens}, where three bytes are one`))
  return `${lines.join('\n')}\n`
}

/** The lines of a text from elsewhere, without what would steer a terminal. */
function textLines(text: string | undefined): string[] {
  return text === undefined
    ? []
    : text.split(/\r?\n/).map((line) =>
        line
          .split('\t')
          .map((one) => printable(one))
          .join('\t'),
      )
}

const roles: Readonly<Record<BriefPiece['role'], string>> = {
  handler: 'The handler',
  native: 'The native callback',
  route: 'The call of the route',
  pass: 'Requests pass',
  error: 'Errors come to',
  uses: 'It uses',
}

function titleOf(given: BriefPiece): string {
  const { role, name, at, definition, argument, mount } = printable(given)
  const registered = at === undefined || at === definition ? '' : `registered at ${at}`
  const where = mount === undefined ? '' : `below ${mount}`
  return [`${roles[role]}: ${name}`, argument, where, definition, registered].filter(Boolean).join('  ')
}

function usedLines(given: BriefPiece): string[] {
  const { reads, sets, leaves } = printable(given)
  const line = (what: string, of: string, members: readonly string[]): string[] =>
    members.length === 0
      ? []
      : [
          `${what} ${members.map((one) => (one.startsWith('(') ? `${of} ${one}` : `${of}.${one}`)).join(', ')}`,
        ]
  return [...line('reads', 'req', reads), ...line('sets', 'req', sets), ...line('leaves', 'res', leaves)]
}

function settingLines({ settings }: BriefReport): string[] {
  const { app, strict, caseSensitive, mergeParams, trustProxy } = settings
  const own = [
    strict && 'strict routing',
    caseSensitive && 'case sensitive routing',
    mergeParams && 'mergeParams',
    trustProxy !== false && `trust proxy ${String(trustProxy)}`,
    ...Object.entries(app).map(([name, value]) => `${name} ${value}`),
  ].filter((one) => one !== false)
  return own.length === 0 ? [] : [own.join(', ')]
}

function exampleLines(given: BriefExample): string[] {
  const { method, target, headers, body, answer } = printable(given)
  const fields = (some: Readonly<Record<string, string>>): string[] =>
    Object.entries(some).map(([name, value]) => `  ${name}: ${value}`)
  return [
    `${method} ${target}`,
    ...fields(headers),
    ...(body === undefined ? [] : [`  ${body}`]),
    `→ ${answer.status}`,
    ...fields(answer.headers),
    ...(answer.body === undefined ? [] : [`  ${answer.body}`]),
  ]
}
