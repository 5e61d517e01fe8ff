// How commands that edit tell of rows: a count with what it counts, and the rows that have the same reason.
import { countRows, stylesFor } from '../terminal/text.js'
import { type EditedRow, notChosen } from './rows.js'

const shown = 5

export function countedRow(what: string, count: number, more: string): string {
  return `${what.padEnd(7)} ${`${count}`.padStart(4)}  ${more}`.trimEnd()
}

/** The rows that have a reason, by it, the most frequent one first. Those that were not chosen are counted and not named. */
export function listedRows<Row extends EditedRow>(
  what: string,
  rows: readonly Row[],
  reasonOf: (row: Row) => string | undefined,
  options: { readonly colours: boolean },
  placeOf: (row: Row) => string | undefined = ({ at }) => at,
): string[] {
  const { dim } = stylesFor(options)
  const reasons = new Map<string, Row[]>()
  for (const one of rows) {
    const reason = reasonOf(one)
    if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), one])
  }
  return [...reasons]
    .sort((a, b) => b[1].length - a[1].length)
    .flatMap(([reason, some]) => {
      const counted = countedRow(what, some.length, reason)
      if (reason === notChosen) return [counted]
      const named = some.slice(0, shown).map((row) => {
        const place = placeOf(row)
        return dim(`              ${row.method} ${row.path}${place === undefined ? '' : `  ${place}`}`)
      })
      return [
        counted,
        ...named,
        ...(some.length > shown ? [dim(`              and ${some.length - shown} more`)] : []),
      ]
    })
}

/** The last line: the numbers add up to those of the inventory. */
export function summaryOf(rows: readonly EditedRow[], what: string): string {
  const mounts = rows.filter(({ kind }) => kind === 'mount').length
  const edited = rows.filter(({ left }) => left === undefined).length
  return `${countRows(rows.length - mounts, mounts)}: ${edited} ${what}, ${rows.length - edited} left`
}
