// What `retire` tells: of which routes the handlers go, which stay, and why.
import { printable } from '../../../../src/ground/printable.js'
import { countedRow, listedRows, summaryOf } from '../edit/rows-text.js'
import type { EditedRow } from '../edit/rows.js'
import { stylesFor } from '../terminal/text.js'

/** One row of the inventory. */
interface RetiredRow extends EditedRow {
  /** True where the native callback still runs a handler of Express. */
  readonly asIs?: boolean
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
  const { bold } = stylesFor(options)
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
  if (retired.length > 0)
    lines.push(
      'At legacy nothing answers these routes any more: their state must be native wherever this runs.',
    )
  if (!options.isWritten && retired.length > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}
