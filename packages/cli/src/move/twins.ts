// The native callbacks that are written in the files of the handlers, and not in those of the routes.
import { existsSync } from 'node:fs'
import MagicString from 'magic-string'
import type { Broken, ChangedFile } from '../edit/changed-file.js'
import { checkedScript } from '../edit/checked-scripts.js'
import { type ImportedNames, writeImports } from '../edit/imports.js'
import { canEdit } from '../edit/project.js'
import { lineStarts, type SourceFile } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'
import {
  type Elsewhere,
  findElsewhere,
  importedWrapper,
  twinName,
  writeBehind,
  writeTwin,
} from './elsewhere.js'
import type { Exported } from '../edit/exported.js'
import type { Definition, Registered } from '../documents/registered.js'
import { whyOther } from './registered-function.js'
import { Helpers, type WrittenHelper } from './helpers.js'
import { LiveExports } from './live-exports.js'
import { Modules } from '../edit/modules.js'
import { exportedNames } from '../edit/named.js'
import { nativeForm } from './native/form.js'
import type { Wrapper } from './native/handler.js'
import { Left } from './native/reasons.js'
import type { FindHelper } from './native/helper.js'
import type { LeftRow } from '../edit/rows.js'

/** The native callback of a handler in another file. */
export interface Twin {
  readonly elsewhere: Elsewhere
}

interface Written {
  readonly source: SourceFile
  /** What `native` is given. */
  readonly text: string
  /** The call of `native`, by the name that the file has for it. */
  readonly callOf: (native: string) => string
  readonly imports: readonly string[]
  readonly elsewhere: Elsewhere
}

/** Names by the modules that they are imported from. */
type Imports = Readonly<Record<string, readonly string[]>>

/** What one plan writes beside handlers. */
export class Twins {
  readonly #modules: Modules
  readonly #broken: Broken
  readonly #live: LiveExports
  /** Files whose routes are edited. */
  #edited: ReadonlySet<string> = new Set()
  /** By the handler, which a file may export by several names. */
  #written = new Map<Node, readonly Written[]>()
  /** Each call of a helper. */
  #calls: WrittenHelper[] = []
  #helpers: Helpers

  constructor(
    cwd: string,
    files: readonly string[],
    broken: Broken,
    { exports }: Pick<Registered, 'exports'>,
  ) {
    this.#live = new LiveExports(exports)
    this.#modules = new Modules((file) => existsSync(file) && canEdit(file, cwd, files))
    this.#broken = broken
    this.#helpers = this.#makeHelpers()
  }

  /** A new attempt begins, which edits the routes of some files. */
  begin(edited: ReadonlySet<string>): void {
    this.#edited = edited
    this.#written = new Map()
    this.#calls = []
    this.#helpers = this.#makeHelpers()
  }

  /** Finds the functions that the handlers of a file hand their response to. */
  helpersIn(source: SourceFile, method: string): FindHelper {
    return this.#helpers.in(source, method)
  }

  /** Finds the wrapper of async handlers that a file imports of another one. */
  wrapperOf(source: SourceFile, callee: Node): Wrapper | undefined {
    return importedWrapper(source, callee, this.#modules)
  }

  #makeHelpers(): Helpers {
    const mayWrite = ({ source: { file }, value }: Exported, caller: SourceFile): boolean =>
      this.#broken.reasonsOf(file, value.start).length === 0 &&
      (file === caller.file || !this.#edited.has(file))
    const write = (one: WrittenHelper): void => void this.#calls.push(one)
    return new Helpers(this.#modules, mayWrite, write, this.#live)
  }

  /** Writes the native forms of helpers in one file, and what it imports: `wanted`, what these need, and helpers of other files. */
  writeHelpers(code: MagicString, source: SourceFile, before: number, wanted: Imports = {}): ImportedNames {
    return writeHelpers(code, source, this.#calls, before, wanted)
  }

  /** Writes the twin of a handler that a file imports; undefined where it is not found, and the reason where it is left. */
  twinOf(
    route: SourceFile,
    handler: Node,
    method: string,
    definitions: readonly (Definition | null)[],
  ): Twin | LeftRow | undefined {
    const elsewhere = findElsewhere(route, handler, this.#modules)
    if (elsewhere === undefined) return undefined
    if (elsewhere.named.type === 'CallExpression') {
      // What makes the handler may be another function with the same inner one, as one with other options.
      const callee = elsewhere.named['callee'] as Node
      if (!this.#live.isSame(elsewhere.exported, exportedNames(route, callee))) {
        const { message, remedy } = new Left('replaced', handler)
        return { reason: message, remedy }
      }
    }
    const { source } = elsewhere.exported
    const { file, text, program } = source
    const { start } = elsewhere.exported.value
    const [obstacle] = [...this.#broken.reasonsOf(file), ...this.#broken.reasonsOf(file, start)]
    if (obstacle !== undefined) return { reason: obstacle }
    if (this.#edited.has(file)) return undefined
    const isTyped = /\.[cm]?tsx?$/.test(file)
    const lineOf = (offset: number): number => lineStarts(text).filter((at) => at <= offset).length
    const form = nativeForm(text, elsewhere.handler, {
      program,
      method,
      isTyped,
      script: checkedScript(file, text),
      takesType: true,
      takesImports: true,
      findHelper: this.helpersIn(source, method),
      whyOther: (found) => whyOther(definitions, source, found, elsewhere.wrappers, route),
      keepsThis: elsewhere.exported.isBound === true,
    })
    if (form.kind === 'left')
      return {
        reason: form.reason,
        remedy: form.remedy,
        file,
        line: lineOf(form.offset),
      }
    const types = form.type === undefined ? '' : `<object, ${form.type}>`
    const options = form.options === undefined ? '' : `, ${form.options}`
    const given = form.text + options
    const callOf = (native: string): string => `${native}${types}(${given})`
    const known = this.#written.get(elsewhere.handler) ?? []
    if (known.some((one) => one.callOf('native') !== callOf('native')))
      return { reason: 'another route has another native callback of its handler' }
    const taken = twinName(elsewhere.exported.name)
    if (source.names.has(taken)) {
      const { message, remedy } = new Left('taken', elsewhere.handler, taken)
      return { reason: message, remedy, file, line: lineOf(start) }
    }
    if (writeTwin(elsewhere, '') === undefined) return undefined
    for (const helper of form.helpers) helper.write()
    const written = { source, text: given, callOf, imports: form.imports, elsewhere }
    const others = known.filter((one) => one.elsewhere.exported.name !== elsewhere.exported.name)
    this.#written.set(elsewhere.handler, [...others, written])
    return { elsewhere }
  }

  /** The files with the twins that were asked for since the attempt began, without those whose routes are edited. */
  files(): readonly Omit<ChangedFile, 'isCompiled'>[] {
    const helpers = this.#calls
    const sources = new Map(
      [
        ...[...this.#written.values()].flat().map(({ source }) => source),
        ...helpers.flatMap(({ exported, behind, caller }) =>
          behind === undefined ? [caller] : [exported.source, caller],
        ),
      ].map((source) => [source.file, source]),
    )
    return [...sources.values()]
      .filter(({ file }) => !this.#edited.has(file))
      .map((source) => {
        const own = [...this.#written.values()].flat().filter((one) => one.source.file === source.file)
        return writeTwins(source, own, helpers)
      })
  }

  /** The callback of a twin, without the call of `native`, and what its file imports for it. */
  callbackOf({ handler }: Elsewhere): { readonly native: string; readonly imports: readonly string[] } {
    const [{ text, imports }] = this.#written.get(handler) as [Written]
    return { native: text, imports }
  }

  /** The names of helpers that are written. */
  newIn(): readonly string[] {
    return [...new Set(this.#calls.filter(isNew).map(({ exported }) => twinName(exported.name)))]
  }

  /** What was added to a file, by name. */
  partsIn(file: string): ReadonlyMap<string, number> {
    return partsOf(file, this.#calls.filter(isNew))
  }
}

const isNew = ({ behind }: WrittenHelper): boolean => behind !== undefined

function partsOf(file: string, all: readonly { readonly exported: Exported }[]): Map<string, number> {
  const own = all.filter(({ exported }) => exported.source.file === file)
  return new Map(own.map(({ exported }) => [twinName(exported.name), exported.value.start]))
}

function writeTwins(
  source: SourceFile,
  all: readonly Written[],
  helpers: readonly WrittenHelper[],
): Omit<ChangedFile, 'isCompiled'> {
  const code = new MagicString(source.text)
  const { file, text } = source
  const handlers = all.map(({ elsewhere }) => elsewhere)
  const before = Math.min(text.length, ...handlers.map(({ exported }) => exported.value.start))
  const imports = new Set(['native', ...all.flatMap((one) => one.imports)])
  const wanted = all.length === 0 ? {} : { 'routecontrollers/express': [...imports] }
  const { native } = writeHelpers(code, source, helpers, before, wanted)
  for (const { elsewhere, callOf } of all)
    for (const insert of writeTwin(elsewhere, callOf(native!))!) code.appendLeft(insert.at, insert.text)
  return {
    file,
    text,
    written: code.toString(),
    parts: partsOf(file, [...handlers, ...helpers.filter(isNew)]),
  }
}

function writeHelpers(
  code: MagicString,
  source: SourceFile,
  all: readonly WrittenHelper[],
  before: number,
  besides: Imports,
): ImportedNames {
  const wanted: Record<string, readonly string[]> = { ...besides }
  const add = (from: string, names: readonly string[]): void => {
    if (names.length > 0) wanted[from] = [...new Set([...(wanted[from] ?? []), ...names])]
  }
  const written = new Set<Node>()
  for (const { exported, behind, isTyped, imports, imported, caller } of all) {
    if (behind !== undefined && exported.source.file === source.file && !written.has(exported.value)) {
      written.add(exported.value)
      if (isTyped) add('routecontrollers', ['type ResponseBuilder'])
      add('routecontrollers/express', imports)
      for (const insert of writeBehind(exported, behind)!) code.appendLeft(insert.at, insert.text)
    }
    if (caller.file === source.file && imported !== undefined) add(imported.from, [imported.name])
  }
  return writeImports(code, source, wanted, before)
}
