// Where a finding stands, as programs that show files of a repository take it.
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** A file of the repository, with a line that counts from 1. */
export interface FilePlace {
  /** Relative to the top of the repository, with `/` between its parts. */
  readonly file: string
  readonly line: number | undefined
}

/** A folder as its repository has it: `''` for the top, and where there is no repository. */
export function folderInRepository(folder: string): string {
  for (let top = folder; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) return relative(top, folder).split(sep).join('/')
    if (dirname(top) === top) return ''
  }
}

/** `src/app.js:12` in a folder of the repository; undefined for what does not stand in it. */
export function filePlace(at: string | undefined, folder: string): FilePlace | undefined {
  const [, name, line] = /^(.*?)(?::(\d+))?$/s.exec(at ?? '')!
  const file = name!.replaceAll('\\', '/')
  // A place of Node or of another folder is none that a reviewer could be shown.
  if (file === '' || /^(?:\.\.\/|\/|[a-z]+:)/i.test(file)) return undefined
  return {
    file: folder === '' ? file : `${folder}/${file}`,
    line: line === undefined ? undefined : Number(line),
  }
}
