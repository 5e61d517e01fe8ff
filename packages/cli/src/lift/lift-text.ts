// What `lift` tells: which routers have become lists, which routes are left and why, and what still needs the package express.
import type { EditedRow } from '../edit/rows.js'
import { countedRow, listedRows, summaryOf } from '../edit/rows-text.js'
import { count, stylesFor } from '../terminal/text.js'
import { printable } from '../../../../src/ground/printable.js'
import type { NeedsExpress } from './needs-express.js'

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
  readonly routes: readonly EditedRow[]
  /** Those that change. */
  readonly files: readonly string[]
  /** What still needs the package express. */
  readonly express: readonly NeedsExpress[]
  /** What is answered in another way than before; undefined where nothing is lifted. */
  readonly changes?: string | undefined
  /** Why the app itself stays, where no route of Express is left. */
  readonly appStays?: string | undefined
}

export function liftText(
  read: LiftResult,
  options: { readonly colours: boolean; readonly isWritten: boolean },
): string {
  const { lists, routes, express, changes, appStays } = printable(read)
  const { bold, dim } = stylesFor(options)
  const lifted = routes.filter(({ left }) => left === undefined).length
  const files = [...new Set(lists.map(({ file }) => file))]
  const lines = [bold(countedRow('lifted', lifted, files.join(', ')))]
  for (const { name, routes: own, file, mount } of lists)
    lines.push(dim(`${indent}${count(own, 'Controller')} in ${name} of ${file}, mounted at ${mount}`))
  lines.push(...listedRows('left', routes, ({ left }) => left, options), summaryOf(routes, 'lifted'))
  if (changes !== undefined) lines.push(`What changes: ${changes}.`)
  if (express.length > 0) lines.push('What still needs express:')
  for (const { file, routes: own, functions, lists: mounted, controllers, isImported } of express) {
    const parts = [
      ...(own > 0 ? [count(own, 'route')] : []),
      ...(functions > 0 ? [`${count(functions, 'function')} of use`] : []),
      ...(mounted > 0 ? [`${count(mounted, 'mount')} of a list`] : []),
      ...(controllers > 0 ? [`${count(controllers, 'Controller')} with a handler of Express`] : []),
    ]
    if (parts.length === 0 && isImported) parts.push('its import')
    lines.push(dim(`${indent}${file}: ${parts.join(', ')}`))
  }
  if (appStays !== undefined) lines.push(`No route of Express is left. The app itself stays: ${appStays}.`)
  if (!options.isWritten && lifted > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}

const indent = ' '.repeat(14)
