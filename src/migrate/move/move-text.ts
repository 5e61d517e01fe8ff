// What `move` tells: which routes have moved, which are left, and why. The numbers add up to those of the inventory.
import { countRows, printable, stylesFor } from '../text.js'

/** One row of the inventory. */
interface MoveRow {
  readonly kind: 'route' | 'mount'
  readonly method: string
  readonly path: string
  readonly at: string | undefined
  /** Why it stays; undefined for one that moves. */
  readonly left?: string
}

/** What `move` has planned, as `--json` prints it. */
export interface MoveResult {
  readonly version: 1
  readonly routes: readonly MoveRow[]
  /** Those that change. */
  readonly files: readonly string[]
}

export function moveText(
  read: MoveResult,
  options: { readonly colours: boolean; readonly isWritten: boolean },
): string {
  const { routes, files } = printable(read)
  const { bold, dim } = stylesFor(options)
  const lines: string[] = []
  const moved = routes.filter(({ left }) => left === undefined)
  const reasons = new Map<string, MoveRow[]>()
  for (const row of routes) {
    if (row.left !== undefined) reasons.set(row.left, [...(reasons.get(row.left) ?? []), row])
  }
  lines.push(bold(row('moved', moved.length, files.join(', '))))
  for (const [reason, rows] of [...reasons].sort((a, b) => b[1].length - a[1].length)) {
    lines.push(row('left', rows.length, reason))
    for (const { method, path, at } of rows.slice(0, shown))
      lines.push(dim(`              ${method} ${path}${at === undefined ? '' : `  ${at}`}`))
    if (rows.length > shown) lines.push(dim(`              and ${rows.length - shown} more`))
  }
  const mounts = routes.filter(({ kind }) => kind === 'mount').length
  const total = countRows(routes.length - mounts, mounts)
  lines.push(`${total}: ${moved.length} moved, ${routes.length - moved.length} left`)
  if (!options.isWritten && moved.length > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}

const shown = 5

function row(what: string, count: number, more: string): string {
  return `${what.padEnd(6)} ${`${count}`.padStart(5)}  ${more}`.trimEnd()
}
