// What `retire` tells: of which routes the handlers go, which stay, and why.
import { printable } from '../../../../src/ground/printable.js'
import { countedRow, listedRows, summaryOf } from '../edit/rows-text.js'
import type { EditedRow } from '../edit/rows.js'
import { stylesFor } from '../terminal/text.js'
import type { Stays } from './retire.js'

/** One row of the inventory. */
interface RetiredRow extends EditedRow {
  /** True where the native callback still runs a handler of Express. */
  readonly asIs?: boolean
  /** Handlers that no route has any more, and that stay where they are written. */
  readonly stays?: readonly Stays[]
}

/** What `retire` has planned, as `--json` prints it. */
export interface RetireResult {
  readonly version: 1
  readonly routes: readonly RetiredRow[]
  /** Those that change. */
  readonly files: readonly string[]
}

export function retireText(
  read: RetireResult,
  options: { readonly colours: boolean; readonly isWritten: boolean },
): string {
  const { routes, files } = printable(read)
  const { bold, dim } = stylesFor(options)
  const retired = routes.filter(({ left }) => left === undefined)
  const list = (what: string, reasonOf: (row: RetiredRow) => string | undefined): string[] =>
    listedRows(what, routes, reasonOf, options)
  const lines = [
    bold(countedRow('retired', retired.length, files.join(', '))),
    ...list('as-is', ({ left, asIs }) =>
      left === undefined && asIs === true
        ? 'still runs a handler of Express: rewrite it, or move --native'
        : undefined,
    ),
    ...list('left', ({ left }) => left),
    summaryOf(routes, 'retired'),
  ]
  const stays = new Set(retired.flatMap((row) => row.stays ?? []).map(({ name, at }) => `${name}  ${at}`))
  if (stays.size > 0) {
    lines.push(
      'What stays, because retire deletes no method of a class or an object, and nothing in another file:',
    )
    for (const one of stays) lines.push(dim(`              ${one}`))
    lines.push('Delete each of these by hand, once a search of your project finds no other use of it.')
  }
  if (retired.length > 0)
    lines.push(
      'At legacy nothing answers these routes any more: their state must be native wherever this runs.',
    )
  if (!options.isWritten && retired.length > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}
