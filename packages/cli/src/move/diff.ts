// A diff of a file, made of its edits: which lines have changed is known, and nothing has to be searched for.
import { stylesFor } from '../terminal/text.js'
import { applyEdits, type Edit, lineStarts } from './source-file.js'

const context = 2

/** Lines of the text that become other lines. */
interface Change {
  /** The first line that changes, and the first behind it that does not. */
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** The lines that edits take away and bring. */
function changesOf(text: string, edits: readonly Edit[]): Change[] {
  const starts = lineStarts(text)
  const lineOf = (offset: number): number => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  const groups: { from: number; to: number; edits: Edit[] }[] = []
  for (const edit of edits) {
    const from = lineOf(edit.start)
    const to = lineOf(edit.end) + 1
    const open = groups.at(-1)
    if (open !== undefined && from < open.to) {
      open.to = Math.max(open.to, to)
      open.edits.push(edit)
    } else groups.push({ from, to, edits: [edit] })
  }
  return groups.flatMap(({ from, to, edits: own }) => {
    const start = starts[from]!
    const end = starts[to] ?? text.length
    const moved = own.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }))
    return narrowed(from, linesIn(text.slice(start, end)), linesIn(applyEdits(text.slice(start, end), moved)))
  })
}

/** Without the lines at both ends that are the same. */
function narrowed(from: number, before: readonly string[], after: readonly string[]): Change[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (
    tail < Math.min(before.length, after.length) - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++
  const lines = after.slice(head, after.length - tail)
  const to = from + before.length - tail
  return lines.length === 0 && from + head === to ? [] : [{ from: from + head, to, lines }]
}

function linesIn(text: string): string[] {
  return text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined)
}

/** The diff of one file, as `git diff` shows it. */
export function diffText(
  name: string,
  text: string,
  edits: readonly Edit[],
  options: { readonly colours: boolean },
): string {
  const { bold, red, green, dim } = stylesFor(options)
  const before = linesIn(text)
  const lines = [bold(`--- ${name}`), bold(`+++ ${name}`)]
  let shift = 0
  for (const hunk of hunksOf(changesOf(text, edits), before.length)) {
    const { from, to, changes } = hunk
    const added = changes.reduce((sum, one) => sum + one.lines.length - (one.to - one.from), 0)
    const size = to - from
    lines.push(dim(`@@ -${from + 1},${size} +${from + 1 + shift},${size + added} @@`))
    let at = from
    for (const { from: start, to: end, lines: own } of changes) {
      lines.push(...before.slice(at, start).map((line) => ` ${bare(line)}`.trimEnd()))
      lines.push(...before.slice(start, end).map((line) => red(`-${bare(line)}`)))
      lines.push(...own.map((line) => green(`+${bare(line)}`)))
      at = end
    }
    lines.push(...before.slice(at, to).map((line) => ` ${bare(line)}`.trimEnd()))
    shift += added
  }
  return `${lines.join('\n')}\n`
}

/** A line without its return, which would move the cursor of a terminal. */
function bare(line: string): string {
  return line.replace(/\r$/, '')
}

/** Changes that stand near one another are shown together. */
function hunksOf(
  changes: readonly Change[],
  length: number,
): { readonly from: number; readonly to: number; readonly changes: readonly Change[] }[] {
  const hunks: { from: number; to: number; changes: Change[] }[] = []
  for (const change of changes) {
    const from = Math.max(0, change.from - context)
    const to = Math.min(length, change.to + context)
    const open = hunks.at(-1)
    if (open !== undefined && from <= open.to) {
      open.to = Math.max(open.to, to)
      open.changes.push(change)
    } else hunks.push({ from, to, changes: [change] })
  }
  return hunks
}
