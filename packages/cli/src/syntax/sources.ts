// Reads source text: where a place in compiled code was written, the text of a function there, and the arguments of a call there.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fileOf, type Place } from '../documents/place.js'
import { isFunction, type Node, parseText, type Token } from './parser.js'
import { ReachableCode } from './reachable-code.js'
import { memberOf, nameIn, referencesIn, syntaxOf, unwrapped } from './syntax.js'
import { childrenOf } from './walk.js'

interface Parsed {
  readonly text: string
  readonly program: Node
  readonly tokens: readonly Token[]
  /** Where each line starts. */
  readonly lines: readonly number[]
  /** All functions, in the order of their starts, with the number of functions around each. */
  readonly functions: readonly FunctionNode[]
  /** All calls, by the line that the name of what they call begins on. */
  readonly calls: ReadonlyMap<number, readonly Node[]>
  /** What stands for each name, in the order in which it is written. */
  readonly bindings: ReadonlyMap<string, readonly ScopedBinding[]>
}

interface FunctionNode {
  readonly node: Node
  readonly depth: number
  /** What it is assigned to; undefined where it stands in anything else. */
  readonly name: string | undefined
}

/** What a name stands for within a function or a block. */
interface ScopedBinding {
  readonly binding: Binding
  readonly scope: Node
}

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
    const read = url === undefined ? undefined : readMap(file, url)
    read?.payload.sources.forEach((source, at) => {
      const text = read.payload.sourcesContent[at]
      const original = resolveSource(file, url, source)
      if (typeof text === 'string' && !existsSync(original)) this.#texts.set(original, text)
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
    const binding = findBinding(parsed, String(object['name']), object.start)
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
    const binding = findBinding(parsed, named['name'] as string, named.start)
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

const inPackage = /[\\/]node_modules[\\/]/

// Tests look at many apps of the same files.
const lately = new Map<string, Parsed>()

// More than any argument reads; a bound for generated code.
const mostFollowed = 200
const deepest = 5

/** Throws where the parser refuses the text. */
function parse(file: string, text: string): Parsed {
  const { program, tokens } = parseText(file, text)
  const lines = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1)
  const functions: FunctionNode[] = []
  const calls = new Map<number, Node[]>()
  const bindings = new Map<string, ScopedBinding[]>()
  const assigned = new Map<Node, string>()
  const visit = (node: Node, depth: number, around: Node): void => {
    const isOne = isFunction(node)
    const target = assignedName(node)
    if (target !== undefined) assigned.set(target.value, target.name)
    if (isOne) functions.push({ node, depth, name: assigned.get(node) })
    else if (isCall(node)) addTo(calls, lineOf(lines, calledName(node).start), node)
    const declares = node.type === 'ForOfStatement' ? node : around
    for (const [name, binding] of bindingsOf(node)) addTo(bindings, name, { binding, scope: declares })
    const isScope = isOne || node.type === 'BlockStatement'
    const parameters = isOne ? (node['params'] as readonly Node[]) : []
    for (const name of parameters.flatMap(namesIn))
      addTo(bindings, name, { binding: 'parameter', scope: node })
    for (const child of childrenOf(node)) visit(child, depth + (isOne ? 1 : 0), isScope ? node : around)
  }
  visit(program, 0, program)
  return { text, program, tokens: tokens.filter(isCode), lines, functions, calls, bindings }
}

function offsetOf({ lines }: Parsed, { line, column }: Place): number {
  return (lines[line] ?? 0) + column
}

function placeOf({ lines }: Parsed, file: string, offset: number): Place {
  const line = lineOf(lines, offset)
  return { file, line, column: offset - lines[line]! }
}

function lineOf(lines: readonly number[], offset: number): number {
  return firstAt(lines, offset + 1, (start) => start) - 1
}

/** A string as it is written, whatever quotes it has there. */
function quoted(value: string): string {
  return /^[^'\\\n]*$/.test(value) ? `'${value}'` : JSON.stringify(value)
}

/** The position of the first whose number is at least this, in a list that is sorted by it. */
export function firstAt<T>(list: readonly T[], least: number, numberOf: (one: T) => number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numberOf(list[middle]!) < least) low = middle + 1
    else high = middle
  }
  return low
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** The function whose head stands at an offset: V8 gives the place of its params, a source map perhaps of what stands right before. */
function findFunction({ functions }: Parsed, offset: number): FunctionNode | undefined {
  const after = firstAt(functions, offset + 1, ({ node }) => node.start)
  for (let at = after - 1; at >= 0; at--) {
    const body = functions[at]!.node['body'] as Node
    if (offset <= body.start) return functions[at]
  }
  const following = functions[after]
  return following !== undefined && following.node.start - offset < 80 ? following : undefined
}

/** The call whose name stands at an offset, or the nearest on its line where a map is not that fine. */
function findCall({ calls, lines }: Parsed, offset: number): Node | undefined {
  let found: Node | undefined
  let distance = Infinity
  for (const node of calls.get(lineOf(lines, offset)) ?? []) {
    if (node.end < offset) continue
    const { start, end: own } = calledName(node)
    const end = node.type === 'NewExpression' ? (node['callee'] as Node).end : own
    const away = offset >= start && offset <= end ? 0 : Math.abs(start - offset)
    if (away >= distance) continue
    distance = away
    found = node
  }
  return found
}

function isCall({ type }: Node): boolean {
  return /^(?:Optional)?CallExpression$|^NewExpression$/.test(type)
}

/** The name in a call that V8 gives the place of. */
function calledName(node: Node): Node {
  const callee = node['callee'] as Node
  return node.type === 'NewExpression' ? node : ((callee['property'] as Node | undefined) ?? callee)
}

function isCode({ type }: Token): boolean {
  return type !== 'CommentLine' && type !== 'CommentBlock'
}

/** The tokens of a text, without what a formatter may change. */
function normalText({ text, tokens }: Parsed, { start, end }: Node): string {
  const parts: string[] = []
  for (
    let at = firstAt(tokens, start, (token) => token.start);
    at < tokens.length && tokens[at]!.end <= end;
    at++
  ) {
    const token = tokens[at]!
    const written = text.slice(token.start, token.end)
    if (written === ';') continue
    const next = tokens[at + 1]
    if (written === ',' && next !== undefined && /^[)\]}]$/.test(text.slice(next.start, next.end))) continue
    const label = typeof token.type === 'object' ? token.type.label : undefined
    parts.push(label === 'string' ? quoted(String(token.value)) : written)
  }
  return joined(parts)
}

/** Parts of a text, one behind the other as a formatter would set them. */
function joined(parts: readonly string[]): string {
  let result = ''
  let before = ''
  for (const part of parts) {
    const isCall = /^[([]$/.test(part) && !/^(?:[,:?]|[=+*/%<>&|-]+)$/.test(before)
    const isTight =
      isCall ||
      /^[([.!~]$|^\.\.\.$/.test(before) ||
      /^[)\].,:]$|^\?\.$/.test(part) ||
      (before === '{' && part === '}')
    const areWords = /[\w$'"`]$/.test(before) && /^[\w$'"`]/.test(part)
    const isSpaced = /^(?:[{},:?]|[=+*/%<>&|-]+)$/
    const needsSpace = areWords || (!isTight && (isSpaced.test(before) || isSpaced.test(part)))
    result += (needsSpace && result !== '' ? ' ' : '') + part
    before = part
  }
  return result
}

/** Without what says nothing of the value: types, parentheses. */
function bare(given: Node): Node {
  const node = unwrapped(given)
  const { type } = node
  // What takes Connect middleware for a Controller says no more of it than the middleware itself.
  const isWrapper = type === 'CallExpression' && (node['callee'] as Node)['name'] === 'fromConnect'
  const [wrapped] = isWrapper ? (node['arguments'] as readonly Node[]) : []
  return wrapped === undefined ? node : bare(wrapped)
}

/** `name` is `*` for all that a module exports. */
interface Imported {
  readonly kind: 'import'
  readonly from: string
  readonly name: string
}

/** Of `for (const name of list)` the value is the list. */
type Binding = 'parameter' | { readonly kind: 'value' | 'each'; readonly node: Node } | Imported

/** What a name stands for at an offset, by the innermost scope around that; undefined where that is not to be seen. */
function findBinding({ bindings }: Parsed, name: string, offset: number): Binding | undefined {
  let found: ScopedBinding | undefined
  for (const one of bindings.get(name) ?? []) {
    if (one.scope.type !== 'Program' && !isWithin(offset, one.scope)) continue
    // Of two in one scope the later one.
    if (found === undefined || sizeOf(one.scope) <= sizeOf(found.scope)) found = one
  }
  return found?.binding
}

function sizeOf({ type, start, end }: Node): number {
  return type === 'Program' ? Infinity : end - start
}

function isWithin(offset: number, { start, end }: Node): boolean {
  return offset >= start && offset <= end
}

/** The names that a param declares. */
function namesIn(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern['name'] as string]
  if (pattern.type === 'ObjectProperty') return namesIn(pattern['value'] as Node)
  return [...childrenOf(pattern)].flatMap(namesIn)
}

/** The names that a node declares, with what they stand for. */
function bindingsOf(node: Node): [name: string, binding: Binding][] {
  const id = node['id'] as Node | null | undefined
  if (node.type === 'FunctionDeclaration' && id) return [[id['name'] as string, { kind: 'value', node }]]
  if (node.type === 'ForOfStatement') {
    const [declared] = ((node['left'] as Node)['declarations'] ?? []) as readonly Node[]
    const binding: Binding = { kind: 'each', node: node['right'] as Node }
    return declared === undefined ? [] : namesIn(declared['id'] as Node).map((name) => [name, binding])
  }
  const init = node['init'] as Node | null
  if (node.type === 'VariableDeclarator' && id && init) {
    const from = requiredFrom(init)
    if (id.type === 'Identifier') {
      const binding: Binding =
        from === undefined ? { kind: 'value', node: init } : { kind: 'import', from, name: 'default' }
      return [[id['name'] as string, binding]]
    }
    if (id.type !== 'ObjectPattern' || from === undefined) return []
    return (id['properties'] as readonly Node[]).flatMap(({ type, key, value }): [string, Binding][] => {
      const name = type === 'ObjectProperty' ? (value as Node)['name'] : undefined
      const imported = (key as Node | undefined)?.['name']
      if (typeof name !== 'string' || typeof imported !== 'string') return []
      return [[name, { kind: 'import', from, name: imported }]]
    })
  }
  if (node.type !== 'ImportDeclaration') return []
  const from = (node['source'] as Node)['value'] as string
  return (node['specifiers'] as readonly Node[]).flatMap((specifier): [string, Binding][] => {
    const isWhole = specifier.type === 'ImportNamespaceSpecifier'
    const name = isWhole ? '*' : (nameIn(specifier['imported']) ?? 'default')
    return [[(specifier['local'] as Node)['name'] as string, { kind: 'import', from, name }]]
  })
}

function requiredFrom(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || (node['callee'] as Node)['name'] !== 'require') return undefined
  const value = (node['arguments'] as readonly Node[])[0]?.['value']
  return typeof value === 'string' ? value : undefined
}

/** The name of a property or of a field, and what it is set to: V8 gives no such name to a function. */
function assignedName(node: Node): { readonly name: string; readonly value: Node } | undefined {
  const isField = node.type === 'ClassProperty'
  if (!isField && node.type !== 'AssignmentExpression') return undefined
  const member = isField ? undefined : memberOf(node['left'] as Node)
  const name = isField ? nameIn(node['key']) : member?.name
  const value = node[isField ? 'value' : 'right'] as Node | null
  const isModule = member?.object['name'] === 'module' && name === 'exports'
  return name === undefined || !value || isModule ? undefined : { name, value: bare(value) }
}

/** What an object that is written there has by a name. */
function propertyOf(node: Node, name: string): Node | undefined {
  const object = bare(node)
  if (object.type !== 'ObjectExpression') return undefined
  const found = (object['properties'] as readonly Node[]).findLast((one) => nameIn(one['key']) === name)
  return found?.type === 'ObjectMethod' ? found : (found?.['value'] as Node | undefined)
}

/** What a name of an export may stand for: something that is written in the file, or what another one exports. */
interface Export {
  readonly node?: Node | undefined
  readonly from?: string
  readonly name: string
}

/** What a file exports by a name, the last one first. */
function findExports(program: Node, name: string): Export[] {
  const found = (program['body'] as readonly Node[]).flatMap((statement): Export[] => {
    const from = nameIn(statement['source'])
    if (statement.type === 'ExportAllDeclaration') return from === undefined ? [] : [{ from, name }]
    if (statement.type === 'ExportDefaultDeclaration') {
      return name === 'default' ? [{ node: statement['declaration'] as Node, name }] : []
    }
    if (statement.type === 'ExpressionStatement') {
      const node = assignedExport(statement['expression'] as Node, name)
      return node === undefined ? [] : [{ node, name }]
    }
    if (statement.type !== 'ExportNamedDeclaration') return []
    const declaration = statement['declaration'] as Node | null
    const declared = declaration && [declaration, ...((declaration['declarations'] ?? []) as readonly Node[])]
    const values = (declared ?? [])
      .flatMap(bindingsOf)
      .flatMap(([own, binding]): Export[] =>
        own === name && typeof binding === 'object' && binding.kind === 'value'
          ? [{ node: binding.node, name }]
          : [],
      )
    const specifiers = (statement['specifiers'] ?? []) as readonly Node[]
    const named = specifiers.flatMap((one): Export[] => {
      if (nameIn(one['exported']) !== name) return []
      const local = nameIn(one['local'])!
      return [from === undefined ? { node: one['local'] as Node, name: local } : { from, name: local }]
    })
    return [...values, ...named]
  })
  return found.reverse()
}

/** `module.exports = …`, `module.exports = { name }`, `exports.name = …`. */
function assignedExport(expression: Node, name: string): Node | undefined {
  if (expression.type !== 'AssignmentExpression') return undefined
  const left = expression['left'] as Node
  const right = expression['right'] as Node
  if (left.type !== 'MemberExpression') return undefined
  const object = left['object'] as Node
  const property = (left['property'] as Node)['name']
  const isExports =
    object['name'] === 'exports' || (object['property'] as Node | undefined)?.['name'] === 'exports'
  if (isExports && property === name) return right
  if (object['name'] !== 'module' || property !== 'exports') return undefined
  if (name === 'default') return right
  return propertyOf(right, name)
}

function mapUrlIn(text: string | undefined): string | undefined {
  return text?.match(/^\/\/[#@] ?sourceMappingURL=(\S+)\s*$/m)?.[1]
}

interface MapPayload {
  readonly sources: readonly string[]
  readonly sourcesContent: readonly unknown[]
}

/** The source map of a file; undefined where there is none, and where it is not one: others have written it. */
function readMap(file: string, url: string): { map: SourceMap; payload: MapPayload } | undefined {
  try {
    const inline = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url)
    const json = inline
      ? inline[1]
        ? Buffer.from(inline[2]!, 'base64').toString()
        : decodeURIComponent(inline[2]!)
      : readFileSync(mapFile(file, url), 'utf8')
    const payload = withoutRoot(JSON.parse(json) as Readonly<Record<string, unknown>>)
    return payload && { map: new SourceMap(payload as never), payload }
  } catch {
    return undefined
  }
}

/** With the root of its sources before each of them, which Node leaves out. */
function withoutRoot({
  sourceRoot,
  sources = [],
  sourcesContent = [],
  ...rest
}: Readonly<Record<string, unknown>>): MapPayload | undefined {
  const hasMappings = typeof rest['mappings'] === 'string' || Array.isArray(rest['sections'])
  if (!hasMappings || !Array.isArray(sources) || !sources.every(isText)) return undefined
  const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? sourceRoot.replace(/\/?$/, '/') : ''
  const isWhole = (source: string): boolean => /^(?:[a-z][\w+.-]*:|\/)/i.test(source)
  return {
    ...rest,
    sources: sources.map((source) => (isWhole(source) ? source : root + source)),
    sourcesContent: Array.isArray(sourcesContent) ? sourcesContent : [],
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

function mapFile(file: string, url: string): string {
  return url.startsWith('file:') ? fileOf(url) : resolve(dirname(file), decodeURI(url))
}

function resolveSource(file: string, url: string | undefined, source: string): string {
  try {
    if (source.startsWith('file:')) return fileOf(source)
    const base = url === undefined || url.startsWith('data:') ? file : mapFile(file, url)
    const address = new URL(source, pathToFileURL(base))
    // A bundler's own names, as `webpack://app/src/app.js`, stay what they are: the text stands in the map.
    return address.protocol === 'file:' ? fileURLToPath(address) : address.href
  } catch {
    // No address: the text stands in the map, too.
    return source
  }
}

function relativeTo(root: string, file: string): string {
  const from = root.split('/').slice(0, -1)
  const to = file.split('/')
  let shared = 0
  while (shared < from.length && from[shared] === to[shared]) shared++
  if (shared < 2) return file
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/')
}
