// Which of the written files something fails with, by what it has said: a stack trace, or the errors of a compiler.
import { relative } from 'node:path'

/** The files that are named, each with the reason for which it stays. Of a stack trace the nearest one counts. */
export function brokenFiles(
  said: string,
  files: readonly { readonly file: string }[],
  cwd: string,
  what: string,
): ReadonlyMap<string, string> {
  const named = files.map(({ file }) => ({ file, names: [file, relative(cwd, file)].map(escaped).join('|') }))
  const patterns = named.map(({ file, names }) => ({
    file,
    // `server.js:3:1`, `src/server.ts(3,1): error`, and no longer path that ends alike.
    isIn: new RegExp(`(?:^|[\\s("'/])(?:${names})(?::\\d|\\(\\d)`),
  }))
  const broken = new Map<string, string>()
  let error = ''
  let isTold = false
  for (const line of said.split('\n')) {
    const isFrame = /^\s+at /.test(line)
    if (!isFrame) isTold = false
    const message = /(?:^|\s)((?:[A-Z]\w*)?[Ee]rror\b.*)$/.exec(line)?.[1]
    if (!isFrame && message !== undefined) error = message.trim().slice(0, 200)
    if (isTold) continue
    for (const { file, isIn } of patterns) {
      if (!isIn.test(line)) continue
      isTold = isFrame
      if (!broken.has(file)) broken.set(file, error)
    }
  }
  // Of a file that is named before its error, as Node does it for a mistake of syntax.
  const reasonOf = (text: string): string =>
    `${what} fails with it${(text || error) === '' ? '' : `: ${text || error}`}`
  return new Map([...broken].map(([file, text]) => [file, reasonOf(text)]))
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
