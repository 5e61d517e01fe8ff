// The native callbacks that are written in the files of the handlers, and not in those of the routes.
import { existsSync } from 'node:fs'
import MagicString from 'magic-string'
import type { Broken, ChangedFile } from '../edit/changed-file.js'
import { writeImports } from '../edit/imports.js'
import { canEdit } from '../edit/project.js'
import { lineStarts, type SourceFile } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'
import { type Elsewhere, findElsewhere, type Insert, twinName, writeTwin } from './elsewhere.js'
import { Modules } from './modules.js'
import { nativeForm } from './native.js'
import type { LeftRow } from '../edit/rows.js'

/** The native callback of a handler in another file. */
export interface Twin {
  readonly elsewhere: Elsewhere
}

interface Written {
  readonly source: SourceFile
  /** The call of `native`, by the name that the file has for it. */
  readonly callOf: (native: string) => string
  readonly elsewhere: Elsewhere
}

/** What one plan writes beside handlers. */
export class Twins {
  readonly #modules: Modules
  readonly #broken: Broken
  /** Files whose routes are edited. */
  #edited: ReadonlySet<string> = new Set()
  #written = new Map<Node, Written>()

  constructor(cwd: string, files: readonly string[], broken: Broken) {
    this.#modules = new Modules((file) => existsSync(file) && canEdit(file, cwd, files))
    this.#broken = broken
  }

  /** A new attempt begins, which edits the routes of some files. */
  begin(edited: ReadonlySet<string>): void {
    this.#edited = edited
    this.#written = new Map()
  }

  /** Writes the twin of a handler that a file imports; undefined where it is not found, and the reason where it is left. */
  twinOf(route: SourceFile, handler: Node, method: string): Twin | LeftRow | undefined {
    const elsewhere = findElsewhere(route, handler, this.#modules)
    if (elsewhere === undefined) return undefined
    const { source } = elsewhere.exported
    const { file, text, program } = source
    const { start } = elsewhere.exported.value
    const [obstacle] = [...this.#broken.reasonsOf(file), ...this.#broken.reasonsOf(file, start)]
    if (obstacle !== undefined) return { reason: obstacle }
    if (this.#edited.has(file)) return undefined
    const isTyped = /\.[cm]?tsx?$/.test(file)
    const form = nativeForm(text, elsewhere.handler, { program, method, isTyped, takesType: true })
    if (form.kind === 'left')
      return {
        reason: form.reason,
        file,
        line: lineStarts(text).filter((at) => at <= form.offset).length,
      }
    const types = form.type === undefined ? '' : `<object, ${form.type}>`
    const options = form.options === undefined ? '' : `, ${form.options}`
    const callOf = (native: string): string => `${native}${types}(${form.text}${options})`
    const known = this.#written.get(elsewhere.handler)
    if (known !== undefined && known.callOf('native') !== callOf('native'))
      return { reason: 'another route has another native callback of its handler' }
    if (writeTwin(elsewhere, '') === undefined) return undefined
    this.#written.set(elsewhere.handler, { source, callOf, elsewhere })
    return { elsewhere }
  }

  /** The files with the twins that were asked for since the attempt began. */
  files(): readonly Omit<ChangedFile, 'isCompiled'>[] {
    const files = new Map<SourceFile, Written[]>()
    for (const one of this.#written.values()) files.set(one.source, [...(files.get(one.source) ?? []), one])
    return [...files].map(([source, all]) => writeTwins(source, all))
  }
}

function writeTwins(source: SourceFile, all: readonly Written[]): Omit<ChangedFile, 'isCompiled'> {
  const code = new MagicString(source.text)
  const before = Math.min(...all.map(({ elsewhere }) => elsewhere.exported.value.start))
  const { native } = writeImports(code, source, { 'routecontrollers/express': ['native'] }, before)
  const inserts = all.flatMap(({ elsewhere, callOf }): readonly Insert[] => writeTwin(elsewhere, callOf(native!))!)
  for (const { at, text } of inserts) code.appendLeft(at, text)
  const parts = all.map(({ elsewhere: { exported } }) => [twinName(exported.name), exported.value.start] as const)
  return { file: source.file, text: source.text, written: code.toString(), parts: new Map(parts) }
}
