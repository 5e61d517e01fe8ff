// What `lift` tells: which routers have become lists, which routes are left and why, and what still needs the package express.
import { count, countRows, stylesFor } from '../terminal/text.js'
import { printable } from '../../../../src/ground/printable.js'
import type { NeedsExpress } from './needs-express.js'

/** One row of the inventory. */
interface LiftRow {
  readonly kind: 'route' | 'mount'
  readonly method: string
  readonly path: string
  readonly at: string | undefined
  /** Why it stays; undefined for one that is lifted. */
  readonly left?: string
}

/** A list of Controllers. */
interface ListRow {
  readonly file: string
  /** Its name there. */
  readonly name: string
  readonly routes: number
  /** Where it is mounted. */
  readonly mount: string
}

/** What `lift` has planned, as `--json` prints it. */
export interface LiftResult {
  readonly version: 1
  readonly lists: readonly ListRow[]
  readonly routes: readonly LiftRow[]
  /** Those that change. */
  readonly files: readonly string[]
  /** What still needs the package express. */
  readonly express: readonly NeedsExpress[]
}

const shown = 5

export function liftText(
  read: LiftResult,
  options: { readonly colours: boolean; readonly isWritten: boolean },
): string {
  const { lists, routes, express } = printable(read)
  const { bold, dim } = stylesFor(options)
  const lifted = routes.filter(({ left }) => left === undefined)
  const lines = [bold(row('lifted', lifted.length, lists.map(({ file }) => file).join(', ')))]
  for (const { name, routes: own, file, mount } of lists)
    lines.push(dim(`${indent}${count(own, 'Controller')} in ${name} of ${file}, mounted at ${mount}`))
  const reasons = new Map<string, LiftRow[]>()
  for (const one of routes)
    if (one.left !== undefined) reasons.set(one.left, [...(reasons.get(one.left) ?? []), one])
  for (const [reason, rows] of [...reasons].sort((a, b) => b[1].length - a[1].length)) {
    lines.push(row('left', rows.length, reason))
    for (const { method, path, at } of rows.slice(0, shown))
      lines.push(dim(`${indent}${method} ${path}${at === undefined ? '' : `  ${at}`}`))
    if (rows.length > shown) lines.push(dim(`${indent}and ${rows.length - shown} more`))
  }
  const mounts = routes.filter(({ kind }) => kind === 'mount').length
  const total = countRows(routes.length - mounts, mounts)
  lines.push(`${total}: ${lifted.length} lifted, ${routes.length - lifted.length} left`)
  if (express.length > 0) lines.push('What still needs express:')
  for (const { file, routes: own, functions, lists: mounted } of express) {
    const parts = [
      ...(own > 0 ? [count(own, 'route')] : []),
      ...(functions > 0 ? [`${count(functions, 'function')} of use`] : []),
      ...(mounted > 0 ? [`${count(mounted, 'mount')} of a list`] : []),
    ]
    lines.push(dim(`${indent}${file}: ${parts.join(', ')}`))
  }
  if (!options.isWritten && lifted.length > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}

const indent = ' '.repeat(14)

function row(what: string, number: number, more: string): string {
  return `${what.padEnd(6)} ${`${number}`.padStart(5)}  ${more}`.trimEnd()
}
