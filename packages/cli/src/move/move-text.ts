// What `move` tells: which routes have moved, which are left, and why. The numbers add up to those of the inventory.
import type { EditedRow } from '../edit/rows.js'
import { countedRow, listedRows, summaryOf } from '../edit/rows-text.js'
import { stylesFor } from '../terminal/text.js'
import { printable } from '../../../../src/ground/printable.js'
import { quoted } from '../terminal/shell-word.js'

/** One row of the inventory. */
interface MoveRow extends EditedRow {
  /** Whether it gets a native callback; undefined for one that was not named by `--native`, or stays. */
  readonly native?: boolean
  /** The version of Express that never answers where its handler rejects: what is written answers an error then. */
  readonly answersRejections?: number
  /** Why it keeps its handlers of Express, where it was named. */
  readonly notNative?: {
    readonly reason: string
    /** What helps, where that is known. */
    readonly remedy: string | undefined
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
  const moved = routes.filter(({ left }) => left === undefined)
  const native = moved.filter((one) => one.native === true)
  const word = words[writes]
  const lines = [bold(countedRow(word, moved.length, files.join(', ')))]
  const asIs = moved.length - native.length
  if (writes === 'beside' && asIs > 0)
    lines.push(countedRow('as-is', asIs, 'of these run their handlers of Express, until you rewrite them'))
  if (writes === 'in place' && native.length > 0) lines.push(countedRow('native', native.length, 'of these'))
  const rejecting = moved.filter((one) => one.answersRejections !== undefined)
  if (rejecting.length > 0)
    lines.push(
      countedRow(
        'async',
        rejecting.length,
        `of these answer an error, as 500, where they reject: Express ${rejecting[0]!.answersRejections} never answers then`,
      ),
    )
  if (native.some(({ method }) => method !== 'GET' && method !== 'HEAD'))
    lines.push(dim(`${' '.repeat(14)}{ body: 'stream' } leaves the body to the app's own parser, or unread`))
  const along = (row: MoveRow): string | undefined =>
    row.left === undefined && row.chosen === false ? 'the call of a chosen route registers it too' : undefined
  const kept = ({ notNative }: MoveRow): string | undefined =>
    notNative && withRemedy(`not native: ${notNative.reason}`, notNative.remedy)
  lines.push(
    ...listedRows('along', routes, along, options),
    ...listedRows('kept', routes, kept, options, ({ notNative }) => notNative!.at),
    ...listedRows('left', routes, ({ left, remedy }) => left && withRemedy(left, remedy), options),
    summaryOf(routes, word),
    ...nextLines(read, options.isWritten),
  )
  if (!options.isWritten && moved.length > 0) lines.push('Nothing is written: --write writes it.')
  return `${lines.join('\n')}\n`
}

/** What comes next: for a route without a native callback, and for what was written. */
function nextLines({ routes, writes }: MoveResult, isWritten: boolean): string[] {
  const name = ({ method, path }: MoveRow): string => quoted(`${method} ${path}`)
  const isHandOver = (row: MoveRow): boolean =>
    row.kind === 'route' &&
    row.native !== true &&
    (row.left === undefined ? writes !== 'in place' : row.remedy !== undefined)
  const byHand = routes.find(isHandOver)
  const written = routes.filter(({ left }) => left === undefined)
  return [
    ...(byHand === undefined
      ? []
      : [`By hand: routecontrollers brief ${name(byHand)} has what you need to write it.`]),
    ...(isWritten && writes === 'beside' && written.some((one) => one.native === true)
      ? ['The callbacks answer now. Under migration({ app }) the handlers do, until you switch a route.']
      : []),
    ...(isWritten && written.length > 0
      ? [`To prove it: routecontrollers prove ${written.length > 3 ? `'/**'` : written.map(name).join(' ')}`]
      : []),
  ]
}

function withRemedy(reason: string, remedy: string | undefined): string {
  return remedy === undefined ? reason : `${reason}: ${remedy}`
}

const words = { beside: 'beside', 'in place': 'moved', native: 'native' } as const
