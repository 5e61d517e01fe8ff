// The diff of a file, as `git diff` shows it.
import { structuredPatch } from 'diff'
import { stylesFor } from '../terminal/text.js'

const context = 2

/** What has changed in a file, in lines for a terminal. */
export function diffText(
  name: string,
  before: string,
  after: string,
  options: { readonly colours: boolean },
): string {
  const { bold, red, green, dim } = stylesFor(options)
  const { hunks } = structuredPatch(name, name, before, after, undefined, undefined, { context })
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
    dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...own.flatMap((line) => {
      // A return would move the cursor of a terminal.
      const shown = line.replace(/\r$/, '')
      if (line.startsWith('-')) return red(shown)
      if (line.startsWith('+')) return green(shown)
      // That the last line does not end is no change.
      return line.startsWith('\\') ? [] : shown.trimEnd()
    }),
  ])
  return `${[bold(`--- ${name}`), bold(`+++ ${name}`), ...lines].join('\n')}\n`
}
