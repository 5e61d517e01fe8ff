// What `status` prints, for people.
import { printable } from '../../../../src/ground/printable.js'
import type { NextStep, Stand, StatusReport } from '../documents/status.js'
import { count, stylesFor, type TextOptions, wrap } from '../terminal/text.js'
import { quoted, shellWord } from '../terminal/shell-word.js'

/** In the order of the road. */
const stands: readonly Stand[] = [
  'legacy',
  'beside',
  'shadow',
  'canary',
  'native',
  'retired',
  'as-is',
  'lifted',
]

/** One line for each route: its name, where it stands, how many functions its requests pass, and what comes next. */
export function statusText(found: StatusReport, options: TextOptions): string {
  const { counts, routes, unused, run } = printable(found)
  const { bold, dim, yellow } = stylesFor(options)
  const lines = routes.map((row) => [
    `${row.method} ${row.path}`,
    row.state === undefined || row.state === row.stands ? row.stands : shownState(row.stands, row.state),
    count(row.passes, 'function'),
    row.next === undefined
      ? ''
      : nextText(row.next, run === undefined ? '--write' : `--write --run ${quoted(run)}`),
  ])
  const head = ['route', 'stands', 'passes', 'next']
  const widths = head.map((title, at) =>
    [head, ...lines].reduce((most, line) => Math.max(most, line[at]!.length), title.length),
  )
  const told = (line: readonly string[]): string =>
    line
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd()
  const summary = stands.flatMap((stand) => (counts[stand] === 0 ? [] : `${counts[stand]} ${stand}`))
  const others = unused.map((key) => `the states have ${key}, which is for no route that can be switched`)
  return [
    dim(told(head)),
    ...lines.map(told),
    '',
    bold([count(routes.length, 'route'), ...summary].join(', ')),
    ...others.flatMap((one) => wrap(one, 0)).map(yellow),
    '',
  ].join('\n')
}

/** `beside, legacy`, `canary 5%`. */
function shownState(stand: Stand, state: string): string {
  return state.startsWith(stand) ? state : `${stand}, ${state}`
}

/** As a text of JavaScript. */
function codeText(text: string): string {
  return /['\\]/.test(text) ? JSON.stringify(text) : `'${text}'`
}

function nextText(next: NextStep, write: string): string {
  switch (next.by) {
    case 'set': {
      const set = `set(${codeText(next.route)}, ${codeText(next.state)})`
      const unsafe = /^(?:GET|HEAD|OPTIONS|\*) /.test(next.route) ? '' : ' --unsafe'
      return next.isProvedFirst ? `routecontrollers prove ${quoted(next.route)}${unsafe}, then ${set}` : set
    }
    case 'keep':
      return 'a package registers it: it stays a route of Express'
    case 'split':
      return 'other handlers of its route follow it: it stays until they stand in a route of their own'
    case 'brief':
      return `routecontrollers brief ${quoted(next.route)}`
    case 'move':
      return `routecontrollers move ${quoted(next.route)} ${write}`
    case 'delete':
      return 'delete the old route of the app'
    case 'retire':
      return `routecontrollers retire ${[next.route, ...(next.also ?? [])].map(quoted).join(' ')} ${write}`
    case 'lift':
      return `routecontrollers lift ${shellWord(next.file)} ${write}`
  }
}
