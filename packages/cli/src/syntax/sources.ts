// Reads source text: where a place in compiled code was written, the text of a function there, and the arguments of a call there.
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { SourceMap } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Place } from '../documents/place.js'
import { bare, type Imported, findBinding, propertyOf } from './bindings.js'
import { findExports } from './exports.js'
import { normalText } from './normal-text.js'
import { type Parsed, parse, offsetOf, placeOf, findFunction, findCall } from './parsed.js'
import { isFunction, type Node, parseText } from './parser.js'
import { ReachableCode } from './reachable-code.js'
import { keptMap, mapUrlIn, readMap, resolveSource } from './source-map.js'
import { memberOf, referencesIn, syntaxOf } from './syntax.js'

/** Which argument of a call: its number, and then the numbers within arrays. */
export type ArgumentPath = readonly number[]

/** A function, as it is written. */
export interface FunctionText {
  readonly place: Place
  /** What does not change with its layout, nor with the compiler; with the constants that it reads. */
  readonly syntax: string
  /** As locks of version 1 have it. */
  readonly text: string
  /** A hash of what it reads and calls by name; undefined where that is nothing, or not to be seen. Locks before version 3 have none. */
  readonly names: () => string | undefined
  /** True where another function has made it; undefined where its file cannot be read. */
  readonly isNested: boolean | undefined
  readonly name?: string | undefined
}

/** The text of an argument. */
export interface ArgumentText {
  /** Undefined for a function that is written there, or has a name there: then its own text says all. */
  readonly text: string | undefined
  /** What does not change with its layout, nor with the compiler; with what its names stand for. Undefined where there is no text. */
  readonly syntax?: string | undefined
  /** A hash of what its names stand for, and of what changes that. Locks before version 3 have none. */
  readonly names?: string | undefined
  /** False where what is written there does not say what was given, as a param of the function around it. */
  readonly isKnown: boolean
}

/** Reads the files of one project. */
export class Sources {
  /** Shown paths are relative to it. */
  readonly root: string
  readonly #mapUrls: ReadonlyMap<string, string>
  readonly #maps = new Map<string, SourceMap | undefined>()
  readonly #texts = new Map<string, string | undefined>()
  readonly #parsed = new Map<string, Parsed | undefined>()
  readonly #unreadable = new Map<string, string>()
  readonly #cutShort = new Set<string>()
  readonly #stale = new Map<string, string>()
  readonly #reachable = new ReachableCode({
    programOf: (file) => this.#programOf(file),
    fileFrom: (file, from) => {
      const found = this.#resolveImport(file, from, moreEndings, /\.(?:[cm]?[jt]sx?|json)$/)
      return found === undefined || inPackage.test(found) ? undefined : found
    },
  })
  #hasAllMaps = false
  #paths: [pattern: string, targets: string[]][] | undefined

  constructor(root: string, mapUrls: ReadonlyMap<string, string> = new Map()) {
    this.root = root
    this.#mapUrls = mapUrls
  }

  /** The files that the parser refuses, with its reasons. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable
  }

  /** Sources that have changed since they were compiled, each with the file that was loaded. */
  get stale(): ReadonlyMap<string, string> {
    return this.#stale
  }

  /** Where a place of a loaded file was written, by its source map. */
  origin(place: Place): Place {
    const map = this.#mapOf(place.file)
    const entry = map?.findEntry(place.line, place.column) as
      { originalSource?: string; originalLine?: number; originalColumn?: number } | undefined
    if (entry?.originalSource === undefined) return place
    return {
      file: resolveSource(place.file, this.#mapUrls.get(place.file), entry.originalSource),
      line: entry.originalLine!,
      column: entry.originalColumn!,
    }
  }

  #mapOf(file: string): SourceMap | undefined {
    if (this.#maps.has(file)) return this.#maps.get(file)
    const url = this.#mapUrls.get(file) ?? mapUrlIn(this.#textOf(file))
    const read = url === undefined ? keptMap(file) : readMap(file, url)
    read?.payload.sources.forEach((source, at) => {
      const text = read.payload.sourcesContent[at]
      const original = resolveSource(file, url, source)
      if (typeof text === 'string' && !existsSync(original)) this.#texts.set(original, text)
      if (original !== file && !inPackage.test(file) && hasChanged(original, file, text))
        this.#stale.set(original, file)
    })
    this.#maps.set(file, read?.map)
    return read?.map
  }

  #textOf(file: string): string | undefined {
    if (!this.#texts.has(file)) {
      let text: string | undefined
      try {
        text = readFileSync(file, 'utf8')
      } catch {
        // Code that was never a file.
      }
      this.#texts.set(file, text)
    }
    return this.#texts.get(file)
  }

  #parse(file: string): Parsed | undefined {
    if (!this.#parsed.has(file)) {
      const text = this.#textOf(file)
      this.#parsed.set(file, text === undefined ? undefined : this.#parseText(file, text))
    }
    return this.#parsed.get(file)
  }

  #parseText(file: string, text: string): Parsed | undefined {
    const known = lately.get(file)
    if (known?.text === text) return known
    try {
      const parsed = parse(file, text)
      lately.set(file, parsed)
      return parsed
    } catch (error) {
      this.#unreadable.set(file, `@babel/parser cannot read it: ${(error as Error).message}`)
      return undefined
    }
  }

  /** A path as it is shown: relative to the project, and below the last `node_modules`. */
  shown(file: string): string {
    const normal = file.replaceAll('\\', '/')
    const packages = normal.lastIndexOf('/node_modules/')
    const root = `${this.root.replaceAll('\\', '/')}/`
    if (packages >= 0 && !root.includes('/node_modules/')) return normal.slice(packages + 1)
    if (normal.startsWith(root)) return normal.slice(root.length)
    return relativeTo(root, normal)
  }

  /** The function that is written at a place of a loaded file: where it was written, and its text. */
  functionAt(place: Place, loaded: string): FunctionText {
    const origin = this.origin(place)
    const parsed = this.#parse(origin.file)
    const found = parsed && findFunction(parsed, offsetOf(parsed, origin))
    if (parsed === undefined || found === undefined) {
      const text = loaded.replace(/\s+/g, ' ')
      const syntax = this.#syntaxOfLoaded(loaded) ?? text
      return { place: origin, syntax, text, names: () => undefined, isNested: undefined }
    }
    const { node, depth, name } = found
    return {
      place: placeOf(parsed, origin.file, node.start),
      syntax: this.#syntaxWithNames({ file: origin.file, parsed, node }),
      text: normalText(parsed, node),
      names: () => this.#namesBehind(origin.file, node),
      isNested: depth > 0,
      name,
    }
  }

  /** A file as the parser has read it; undefined for one that cannot be read. */
  read(file: string): { readonly text: string; readonly program: Node } | undefined {
    return this.#parse(file)
  }

  /** The pieces of code of the project that a piece of code reads and calls by name, the nearest first, and at most so many. */
  reachedFrom(
    file: string,
    node: Node,
    most: number,
  ): readonly { readonly file: string; readonly node: Node }[] {
    return this.#reachable.nearest(file, node, most)
  }

  /** The syntax of a function whose file cannot be read, by its text as it was loaded. */
  #syntaxOfLoaded(loaded: string): string | undefined {
    for (const text of [`(${loaded}\n)`, `({ ${loaded}\n})`, `(class { ${loaded}\n})`]) {
      try {
        const { program, errors } = parseText('loaded.js', text)
        if (errors.length === 0) return syntaxOf(program)
      } catch {
        // A method is read within an object or a class alone.
      }
    }
    return undefined
  }

  /** The syntax of a piece of code, with that of what its names stand for in the files of the project: constants, and calls. */
  #syntaxWithNames(root: Resolved): string {
    const { node } = root
    const parts = [syntaxOf(node)]
    const seen = new Set<Node>([node])
    const isLocal = ({ file, node: one }: Resolved): boolean =>
      file === root.file && one.start >= node.start && one.end <= node.end
    const follow = ({ file, parsed, node: from }: Resolved, isInFunction: boolean, depth: number): void => {
      for (const reference of referencesIn(from, isInFunction)) {
        const meant = this.#meaningOf(file, parsed, reference.node)
        if (meant === undefined || seen.has(meant.node) || seen.size > mostFollowed || isLocal(meant))
          continue
        // What a function calls is not its own text; and a class has more members than the one that matters.
        const isData = !isFunction(meant.node) && !meant.node.type.startsWith('Class')
        const isFactory = isFunction(meant.node) && !reference.isInFunction
        if (!isData && !isFactory) continue
        seen.add(meant.node)
        parts.push(syntaxOf(meant.node))
        if (depth < deepest) follow(meant, reference.isInFunction, depth + 1)
      }
    }
    follow(root, false, 0)
    return parts.join('\n')
  }

  /** What a name or a member stands for; undefined where that is not to be seen. */
  #meaningOf(file: string, parsed: Parsed, node: Node): Resolved | undefined {
    const resolved = this.#resolve(file, parsed, node)
    if (resolved.isParameter) return undefined
    if (resolved.node !== bare(node)) return resolved
    const member = memberOf(node)
    const object = node.type === 'MemberExpression' ? bare(node['object'] as Node) : node
    const binding = findBinding(parsed.bindings, String(object['name']), object.start)
    if (typeof binding !== 'object') return undefined
    if (binding.kind === 'each') return { file, parsed, node: bare(binding.node) }
    if (binding.kind === 'import' && member !== undefined) {
      const exported = this.#exportOf(file, binding.from, binding.name, 0)
      const found = exported && propertyOf(exported.node, member.name)
      return exported && found && { ...exported, node: bare(found) }
    }
    // Of a module, its members alone: all of it says too much.
    if (binding.kind !== 'value' || (member === undefined && object === node)) return undefined
    return { file, parsed, node: bare(binding.node) }
  }

  /** A hash of all that a piece of code leads to by its names; of one of a package there is none. */
  #namesBehind(
    file: string,
    node: Node,
    name?: { readonly file: string; readonly node: Node },
  ): string | undefined {
    if (inPackage.test(file)) return undefined
    const { hash, isWhole } = this.#reachable.from(file, node, name)
    const parsed = this.#parse(file)
    if (!isWhole && parsed !== undefined) {
      const { line } = placeOf(parsed, file, node.start)
      this.#cutShort.add(`${this.shown(file)}:${line + 1}`)
    }
    return hash
  }

  /** A file of JSON is read as the one expression that it is. */
  #programOf(file: string): Node | undefined {
    if (!file.endsWith('.json')) return this.#parse(file)?.program
    if (!this.#parsed.has(file)) {
      const text = this.#textOf(file)
      this.#parsed.set(file, text === undefined ? undefined : this.#parseText(file, `(${text}\n)`))
    }
    return this.#parsed.get(file)?.program
  }

  /** The pieces of code that lead to more than is followed, by their places. */
  get cutShort(): ReadonlySet<string> {
    return this.#cutShort
  }

  /** True where there is a text at a place that the parser refuses. */
  isUnreadable({ file }: Place): boolean {
    this.#parse(file)
    return this.#unreadable.has(file)
  }

  /** The text of an argument of the call that stands at a place, where the call was written. */
  argumentAt(origin: Place, path: ArgumentPath): ArgumentText | undefined {
    const parsed = this.#parse(origin.file)
    const call = parsed && findCall(parsed, offsetOf(parsed, origin))
    if (parsed === undefined || call === undefined) return undefined
    return this.#argumentOf(origin.file, parsed, call, path)
  }

  /** As `argumentAt`, for a handler of `new Controller(method, path, fromExpress(…handlers))`, or a callback where `handler` is undefined. */
  callbackAt(origin: Place, handler: number | undefined): ArgumentText | undefined {
    const parsed = this.#parse(origin.file)
    const call = parsed && findCall(parsed, offsetOf(parsed, origin))
    if (parsed === undefined || call === undefined) return undefined
    // `new Controller(method, path, callback)`, `group.route(method, path, callback)`, `group.get(path, callback)`.
    const { type, property } = call['callee'] as Node & { readonly property?: Node }
    const isVerb =
      type === 'MemberExpression' && property?.['name'] !== 'route' && call.type === 'CallExpression'
    const number = isVerb ? 1 : 2
    if (handler === undefined) return this.#argumentOf(origin.file, parsed, call, [number])
    const given = (call['arguments'] as readonly Node[])[number]
    const made = given && this.#resolve(origin.file, parsed, given)
    if (made?.node.type !== 'CallExpression') return { text: undefined, isKnown: false }
    return this.#handlerOf(made.file, made.parsed, made.node, handler)
  }

  /** As `argumentAt`, for the callback of a `native(…)` that stands there, or a handler of `native(fromExpress(…handlers))`. */
  nativeAt(origin: Place, path: ArgumentPath, handler: number | undefined): ArgumentText | undefined {
    const parsed = this.#parse(origin.file)
    const call = parsed && findCall(parsed, offsetOf(parsed, origin))
    if (parsed === undefined || call === undefined) return undefined
    const found = this.#findArgument(origin.file, parsed, call, path)
    const native = found && this.#resolve(found.file, found.parsed, found.node)
    const unknown = { text: undefined, isKnown: false }
    if (native?.node.type !== 'CallExpression' || found!.rest !== '') return unknown
    if (handler === undefined) return this.#argumentOf(native.file, native.parsed, native.node, [0])
    const [callback] = native.node['arguments'] as readonly Node[]
    const made = callback && this.#resolve(native.file, native.parsed, callback)
    if (made?.node.type !== 'CallExpression') return unknown
    return this.#handlerOf(made.file, made.parsed, made.node, handler)
  }

  /** The handler with this number among arguments that may be arrays. */
  #handlerOf(file: string, parsed: Parsed, call: Node, handler: number): ArgumentText {
    let left = handler
    const find = (nodes: readonly Node[], path: readonly number[]): ArgumentPath | undefined => {
      for (const [at, node] of nodes.entries()) {
        if (node.type === 'SpreadElement') return undefined
        if (node.type === 'ArrayExpression') {
          const inner = find(node['elements'] as readonly Node[], [...path, at])
          if (inner !== undefined || left < 0) return inner
        } else if (left-- === 0) return [...path, at]
      }
      return undefined
    }
    const path = find(call['arguments'] as readonly Node[], [])
    return path === undefined
      ? { text: undefined, isKnown: false }
      : this.#argumentOf(file, parsed, call, path)
  }

  #argumentOf(file: string, parsed: Parsed, call: Node, path: ArgumentPath): ArgumentText {
    const found = this.#findArgument(file, parsed, call, path)
    if (found === undefined) return { text: undefined, isKnown: false }
    const { node, rest } = found
    const resolved = this.#resolve(found.file, found.parsed, node)
    if (isFunction(resolved.node)) return { text: undefined, isKnown: true }
    const isKnown = resolved.node.type !== 'SpreadElement' && !resolved.isParameter
    const syntax = this.#syntaxWithNames(resolved)
    const names = this.#namesBehind(resolved.file, resolved.node, { file: found.file, node })
    return { text: normalText(resolved.parsed, resolved.node) + rest, syntax, names, isKnown }
  }

  /** An argument of a call, and in lists; `rest` is what of the path is not written out. */
  #findArgument(
    file: string,
    parsed: Parsed,
    call: Node,
    path: ArgumentPath,
  ): { file: string; parsed: Parsed; node: Node; rest: string } | undefined {
    let where = { file, parsed }
    let nodes = call['arguments'] as readonly Node[]
    let rest = ''
    let node: Node | undefined
    for (const [level, at] of path.entries()) {
      const spread = nodes.slice(0, at + 1).find(({ type }) => type === 'SpreadElement')
      node = spread ?? nodes[at]
      if (node === undefined) return undefined
      const inner = path.slice(level + 1)
      rest = (spread === undefined ? inner : path.slice(level)).map((one) => `[${one}]`).join('')
      const list = inner.length === 0 ? undefined : this.#resolve(where.file, where.parsed, node)
      const elements = list?.node.type === 'ArrayExpression' ? (list.node['elements'] as readonly Node[]) : []
      // What a list gets when it runs is not written there.
      const isWritten = elements.slice(0, inner[0]! + 1).every(({ type }) => type !== 'SpreadElement')
      if (list === undefined || !isWritten || elements.length <= inner[0]!) break
      nodes = elements
      where = list
    }
    return { ...where, node: node!, rest }
  }

  /** What a name or a member stands for, where it is a constant of its file or of one that it is imported from. */
  #resolve(file: string, parsed: Parsed, node: Node, depth = 0): Resolved {
    const here = { file, parsed, node: bare(node) }
    if (depth > 4) return here
    const member = memberOf(here.node)
    const { node: named } = member === undefined ? here : { node: bare(member.object) }
    if (named.type !== 'Identifier') return here
    const binding = findBinding(parsed.bindings, named['name'] as string, named.start)
    if (binding === 'parameter') return { ...here, isParameter: true }
    if (binding?.kind === 'value') {
      const value = member === undefined ? binding.node : propertyOf(binding.node, member.name)
      return value === undefined ? here : this.#resolve(file, parsed, value, depth + 1)
    }
    if (binding?.kind !== 'import') return here
    const exported =
      member === undefined
        ? this.#exportOf(file, binding.from, binding.name, depth)
        : this.#memberOfImport(file, binding, member.name, depth)
    return exported === undefined
      ? here
      : this.#resolve(exported.file, exported.parsed, exported.node, depth + 1)
  }

  /** A member of what was imported as a whole: `guards.admin`. */
  #memberOfImport(
    file: string,
    { from, name }: Imported,
    member: string,
    depth: number,
  ): Resolved | undefined {
    if (name !== 'default' && name !== '*') return undefined
    const direct = this.#exportOf(file, from, member, depth)
    if (direct !== undefined) return direct
    const whole = this.#exportOf(file, from, 'default', depth)
    const node = whole && propertyOf(whole.node, member)
    return whole && node && { ...whole, node }
  }

  /** What a file that is imported exports by a name. */
  #exportOf(file: string, from: string, name: string, depth: number): Resolved | undefined {
    const other = this.#resolveImport(file, from)
    const parsed = other === undefined ? undefined : this.#parse(other)
    if (other === undefined || parsed === undefined || depth > 4) return undefined
    for (const found of findExports(parsed.program, name)) {
      const again = found.from !== undefined && this.#exportOf(other, found.from, found.name, depth + 1)
      if (again) return again
      if (found.node !== undefined) return { file: other, parsed, node: found.node }
    }
    return undefined
  }

  #resolveImport(
    file: string,
    from: string,
    tried: readonly string[] = endings,
    isRead = /\.[cm]?[jt]sx?$/,
  ): string | undefined {
    const bases = from.startsWith('.') ? [resolve(dirname(file), from)] : this.#aliased(from)
    const find = (): string | undefined =>
      bases
        .flatMap((base) => {
          const stem = base.replace(/\.[cm]?js$/, '')
          return [base, ...tried.map((ending) => stem + ending)]
        })

        .find((one) => isRead.test(one) && this.#textOf(one) !== undefined)
    return find() ?? (bases.length > 0 && this.#readAllMaps() ? find() : undefined)
  }

  /** Reads the source maps of all files of the project, whose texts may stand nowhere else. False where that was done before. */
  #readAllMaps(): boolean {
    if (this.#hasAllMaps) return false
    this.#hasAllMaps = true
    for (const file of this.#mapUrls.keys()) {
      if (!/[\\/]node_modules[\\/]/.test(file)) this.#mapOf(file)
    }
    return true
  }

  /** Where a name leads by the `paths` of the project's tsconfig.json. */
  #aliased(from: string): string[] {
    this.#paths ??= this.#readPaths()
    return this.#paths.flatMap(([pattern, targets]) => {
      const [start, end] = pattern.split('*') as [string, string?]
      const isMatch = end === undefined ? from === start : from.startsWith(start) && from.endsWith(end)
      const rest = from.slice(start.length, from.length - (end?.length ?? 0))
      return isMatch ? targets.map((target) => target.replace('*', rest)) : []
    })
  }

  #readPaths(): [pattern: string, targets: string[]][] {
    for (const name of ['tsconfig.json', 'jsconfig.json']) {
      const text = this.#textOf(join(this.root, name))
      // It may have comments, as JavaScript has.
      const parsed = text === undefined ? undefined : this.#parseText(name, `(${text}\n)`)
      const [statement] = (parsed?.program['body'] ?? []) as readonly Node[]
      const options = statement && propertyOf(bare(statement['expression'] as Node), 'compilerOptions')
      const paths = options && propertyOf(options, 'paths')
      const base = options && propertyOf(options, 'baseUrl')?.['value']
      const folder = resolve(this.root, typeof base === 'string' ? base : '.')
      if (paths?.type !== 'ObjectExpression') continue
      return (paths['properties'] as readonly Node[]).flatMap(({ key, value }): [string, string[]][] => {
        const targets = ((value as Node | undefined)?.['elements'] ?? []) as readonly Node[]
        const files = targets.map((one) => resolve(folder, String(one['value'])))
        return [[String((key as Node | undefined)?.['value']), files]]
      })
    }
    return []
  }
}

interface Resolved {
  readonly file: string
  readonly parsed: Parsed
  readonly node: Node
  readonly isParameter?: boolean
}

const endings = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js']

// The names of older locks are not looked for with these.
const moreEndings = [
  ...endings,
  '.tsx',
  '.jsx',
  '.json',
  '/index.mts',
  '/index.cts',
  '/index.mjs',
  '/index.cjs',
  '/index.json',
]

/** True for a source with another text than it was compiled from, as far as its time and its source map say. */
function hasChanged(source: string, compiled: string, text: unknown): boolean {
  try {
    const isNewer = statSync(source).mtimeMs > statSync(compiled).mtimeMs
    return isNewer && readFileSync(source, 'utf8') !== text
  } catch {
    return false
  }
}

const inPackage = /[\\/]node_modules[\\/]/

// Tests look at many apps of the same files.
const lately = new Map<string, Parsed>()

// More than any argument reads; a bound for generated code.
const mostFollowed = 200
const deepest = 5

function relativeTo(root: string, file: string): string {
  const from = root.split('/').slice(0, -1)
  const to = file.split('/')
  let shared = 0
  while (shared < from.length && from[shared] === to[shared]) shared++
  if (shared < 2) return file
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/')
}
