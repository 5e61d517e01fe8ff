// What `move` tells: which routes have moved, which are left, and why. The numbers add up to those of the inventory.
import { countRows, stylesFor } from '../terminal/text.js'
import { printable } from '../../../../src/ground/printable.js'

/** One row of the inventory. */
interface MoveRow {
  readonly kind: 'route' | 'mount'
  readonly method: string
  readonly path: string
  readonly at: string | undefined
  /** Why it stays; undefined for one that moves. */
  readonly left?: string
  /** False for one that no option has chosen, and that moves because the same call registers a chosen one. */
  readonly chosen?: boolean
  /** Whether it gets a native callback; undefined for one that was not named by `--native`, or stays. */
  readonly native?: boolean
  /** Why it keeps its handlers of Express, where it was named. */
  readonly notNative?: {
    readonly reason: string
    readonly at: string | undefined
  }
}

/** What `move` has planned, as `--json` prints it. */
export interface MoveResult {
  readonly version: 1
  /** Native callbacks beside handlers, Controllers in place of routes, or native callbacks for what was written so. */
  readonly writes: 'beside' | 'in place' | 'native'
  readonly routes: readonly MoveRow[]
  /** Those that change. */
  readonly files: readonly string[]
}

export function moveText(
  read: MoveResult,
  options: { readonly colours: boolean; readonly isWritten: boolean },
): string {
  const { routes, files, writes } = printable(read)
  const { bold, dim } = stylesFor(options)
  const lines: string[] = []
  const moved = routes.filter(({ left }) => left === undefined)
  const native = moved.filter((one) => one.native === true)
  const word = words[writes]
  lines.push(bold(row(word, moved.length, files.join(', '))))
  const asIs = moved.length - native.length
  if (writes === 'beside' && asIs > 0)
    lines.push(row('as-is', asIs, 'of these run their handlers of Express, until you rewrite them'))
  if (writes === 'in place' && native.length > 0) lines.push(row('native', native.length, 'of these'))
  if (native.some(({ method }) => method !== 'GET' && method !== 'HEAD'))
    lines.push(dim(`${' '.repeat(14)}{ body: 'stream' } leaves the body to the app's own parser, or unread`))
  const list = (what: string, reasons: ReadonlyMap<string, readonly MoveRow[]>): void => {
    for (const [reason, rows] of [...reasons].sort((a, b) => b[1].length - a[1].length)) {
      lines.push(row(what, rows.length, reason))
      for (const { method, path, at, notNative } of rows.slice(0, shown)) {
        const where = notNative === undefined ? at : notNative.at
        lines.push(dim(`              ${method} ${path}${where === undefined ? '' : `  ${where}`}`))
      }
      if (rows.length > shown) lines.push(dim(`              and ${rows.length - shown} more`))
    }
  }
  list(
    'along',
    groupBy(moved, ({ chosen }) =>
      chosen === false ? 'the call of a chosen route registers it too' : undefined,
    ),
  )
  list(
    'kept',
    groupBy(moved, ({ notNative }) => notNative && `not native: ${notNative.reason}`),
  )
  list(
    'left',
    groupBy(routes, ({ left }) => left),
  )
  const mounts = routes.filter(({ kind }) => kind === 'mount').length
  const total = countRows(routes.length - mounts, mounts)
  lines.push(`${total}: ${moved.length} ${word}, ${routes.length - moved.length} left`)
  if (!options.isWritten && moved.length > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}

const words = { beside: 'beside', 'in place': 'moved', native: 'native' } as const
const shown = 5

/** The rows that have a reason, by it. */
function groupBy(
  rows: readonly MoveRow[],
  reasonOf: (row: MoveRow) => string | undefined,
): Map<string, MoveRow[]> {
  const groups = new Map<string, MoveRow[]>()
  for (const one of rows) {
    const reason = reasonOf(one)
    if (reason !== undefined) groups.set(reason, [...(groups.get(reason) ?? []), one])
  }
  return groups
}

function row(what: string, count: number, more: string): string {
  return `${what.padEnd(6)} ${`${count}`.padStart(5)}  ${more}`.trimEnd()
}
