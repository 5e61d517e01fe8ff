// Writes a plan into the text of its file. Edits are made by position, so that all that they do not name stays as it was, byte by byte.
import type { Node } from '../sources.js'
import { type ImportedNames, planImports, quoteOf } from './imports.js'
import type { NativeCallback } from './native-calls.js'
import type { MovedCall, Naming, Run } from './plan.js'
import {
  argumentsOf,
  calledProperty,
  type Edit,
  newlineOf,
  receiverOf,
  type SourceFile,
  typesOf,
  usesSemicolons,
} from './source-file.js'

/** The callbacks of calls that get one of their own, in place of their handlers. */
type Callbacks = ReadonlyMap<MovedCall, NativeCallback>

/** The edits that move the runs of a file, in their order. */
export function writeRuns(
  source: SourceFile,
  runs: readonly Run[],
  callbacks: Callbacks = new Map(),
): readonly Edit[] {
  if (runs.length === 0) return []
  const profiles = new Set(runs.map(profileMaker))
  const calls = runs.flatMap((run) => run.calls)
  const needsPath = calls.some((moved) => callbacks.get(moved)?.hasNativePath !== true)
  const needsHandlers = calls.some((moved) => !callbacks.has(moved))
  const imports = planImports(
    source,
    {
      routecontrollers: ['Controller', 'RouteControllers'],
      'routecontrollers/express': [
        ...(needsPath ? ['expressPath'] : []),
        ...profiles,
        ...(needsHandlers ? ['fromExpress'] : []),
      ].sort(),
    },
    Math.min(...calls.map(({ call }) => call.start)),
  )
  const writer = new Writer(source, imports.names, callbacks)
  for (const run of runs) writer.run(run)
  return [...imports.edits, ...writer.edits, ...writer.tails].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  )
}

function profileMaker({ kind }: Run): 'fromApp' | 'fromRouter' {
  return kind === 'app' ? 'fromApp' : 'fromRouter'
}

class Writer {
  readonly edits: Edit[] = []
  /** What stands behind all else at its place. */
  readonly tails: Edit[] = []
  readonly #source: SourceFile
  readonly #names: ImportedNames
  readonly #callbacks: Callbacks
  readonly #used: Set<string>
  /** As the file ends its lines. */
  readonly #newline: string
  readonly #quote: string
  /** Statements in which a router gets its name, and the names that were made for it. */
  readonly #opened = new Set<Node>()
  readonly #given = new Map<Node, string>()

  constructor(source: SourceFile, names: ImportedNames, callbacks: Callbacks) {
    this.#source = source
    this.#names = names
    this.#callbacks = callbacks
    this.#used = new Set([...source.names, ...Object.values(names)])
    this.#newline = newlineOf(source)
    this.#quote = quoteOf(source)
  }

  #replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text })
  }

  run(run: Run): void {
    if (run.statements.length === 0) this.#expression(run)
    else this.#statements(run)
  }

  #open(): string {
    return `.use(new ${this.#names['RouteControllers']}([`
  }

  #close(run: Run, base: string): string {
    return `], { profile: ${this.#names[profileMaker(run)]}(${base}) }).middleware())`
  }

  /** `.get(path, handler)` becomes `.use(…)`, which gives the same router. */
  #expression(run: Run): void {
    const { calls, naming } = run
    const first = calls[0]!
    const last = calls.at(-1)!
    const base = naming === undefined ? this.#textOf(run.base) : this.#nameFor(run, naming)
    const known = naming && this.#opened.has(naming.statement)
    const isSplit = naming !== undefined && !known
    const receiver = this.#rangeOf(receiverOf(first.call))
    const isBroken = isSplit && isWorthKeeping(this.#source.text.slice(receiver.end, this.#dotOf(first.call)))
    const indent = isSplit ? this.#indentOf(naming.statement) : ''
    if (isSplit) {
      this.#opened.add(naming.statement)
      const end = `${this.#semicolon}${this.#newline}${indent}`
      this.#replace(receiver.end, receiver.end, `${end}${base}${this.#open()}`)
    }
    calls.forEach((moved, at) => {
      const isLast = moved === last
      const isTight = !isLast && this.#dotOf(calls[at + 1]!.call) === moved.call.end
      const comma = isLast && !isBroken ? '' : isTight ? ', ' : ','
      this.#call(moved, moved === first && !isSplit ? this.#open() : '', comma)
    })
    const close = this.#close(run, base)
    this.#replace(last.call.end, last.call.end, isBroken ? `${this.#newline}${indent}${close}` : close)
  }

  /** The name of a router that had none; where it is first needed, the statement that gives it one. */
  #nameFor(run: Run, { statement, made, name: declared }: Naming): string {
    const known = declared ?? this.#given.get(statement)
    if (known !== undefined) return known
    const { text } = this.#source
    const name = this.#free(run.kind)
    this.#given.set(statement, name)
    const gives = text.slice(statement.start, made.start)
    this.#replace(statement.start, made.start, `const ${name} = `)
    const semicolon = text[statement.end - 1] === ';' ? ';' : ''
    const line = `${this.#newline}${this.#indentOf(statement)}${gives}${name}${semicolon}`
    this.tails.push({ start: statement.end, end: statement.end, text: line })
    return name
  }

  #textOf(node: Node): string {
    return this.#source.text.slice(node.start, node.end)
  }

  #indentOf({ start }: Node): string {
    return /[\t ]*$/.exec(this.#source.text.slice(0, start))![0]
  }

  #statements(run: Run): void {
    const { text } = this.#source
    const { calls, statements } = run
    const [first] = statements as [Node]
    const indent = this.#indentOf(first)
    const isAlone = calls.length === 1
    const base = this.#rangeOf(run.base)
    const shared = this.#declarePaths(run, indent)
    for (const statement of statements) {
      const isFirst = statement === first
      const lead = isFirst ? `${shared.text}${text.slice(base.start, base.end)}${this.#open()}` : ''
      const own = calls.filter(({ call }) => call.start >= statement.start && call.end <= statement.end)
      own.forEach((moved, at) => {
        const following = own[at + 1]
        const isTight = following !== undefined && this.#dotOf(following.call) === moved.call.end
        if (at === 0) this.#head(moved, statement, lead, isFirst && !isAlone ? this.#newline + indent : '')
        this.#call(moved, '', isAlone ? '' : isTight ? ', ' : ',', shared.names.get(moved.route))
      })
      if (text[statement.end - 1] === ';') this.#replace(statement.end - 1, statement.end, '')
    }
    const last = statements.at(-1)!
    const semicolon = text[last.end - 1] === ';' ? ';' : ''
    const end = isAlone ? last.end : this.#endOfLine(last.end)
    this.#replace(
      end,
      end,
      `${isAlone ? '' : this.#newline + indent}${this.#close(run, this.#textOf(run.base))}${semicolon}`,
    )
  }

  /** Puts `lead` where the router of a statement stands, and takes `.route(path)` away; line ends and comments behind both stay. */
  #head({ call, route }: MovedCall, statement: Node, lead: string, lineEnd: string): void {
    const { text } = this.#source
    const receiver = this.#rangeOf(receiverOf(route ?? call))
    const dot = this.#dotOf(call)
    if (route === undefined) {
      const gap = isWorthKeeping(text.slice(receiver.end, dot))
      this.#replace(statement.start, gap ? receiver.end : dot, gap ? lead : lead + lineEnd)
      return
    }
    const between = text.slice(receiver.end, this.#dotOf(route))
    const gap = isWorthKeeping(text.slice(route.end, dot))
    const from = between.trim() === '' ? statement.start : this.#dotOf(route)
    if (from !== statement.start) this.#replace(statement.start, receiver.end, lead)
    const rest = from === statement.start ? lead : ''
    this.#replace(from, gap ? route.end : dot, gap ? rest : rest + lineEnd)
  }

  /** A node with the parentheses around it. */
  #rangeOf(node: Node): { readonly start: number; readonly end: number } {
    const { parenStart } = (node['extra'] ?? {}) as { parenStart?: number }
    if (parenStart === undefined) return node
    const close = this.#tokensFrom(node.end).find(
      ({ start, end }) => this.#source.text.slice(start, end) === ')',
    )
    return { start: parenStart, end: close?.end ?? node.end }
  }

  /** Where a line ends behind a statement and its comments; the end of the statement where something else follows. */
  #endOfLine(from: number): number {
    const rest = /^[\t ]*(?:\/\*(?:(?!\*\/)[^\r\n])*\*\/[\t ]*)*(?:\/\/[^\r\n]*)?(?=\r?\n|$(?![^]))/.exec(
      this.#source.text.slice(from),
    )
    return from + (rest?.[0].trimEnd().length ?? 0)
  }

  /** Where `.name` of a call begins. */
  #dotOf(call: Node): number {
    const { text } = this.#source
    const property = calledProperty(call)!
    let start = property.start
    const { end } = receiverOf(call)
    for (const token of this.#tokensFrom(end)) {
      if (token.start >= property.start) break
      if (/^[.[]$/.test(text.slice(token.start, token.end))) {
        start = token.start
        break
      }
    }
    return start
  }

  /** Writes `.get(path, handler)` as a Controller. */
  #call(moved: MovedCall, before: string, after: string, shared?: string): void {
    const { text } = this.#source
    const { call, method, path, handlers, route } = moved
    const names = this.#names
    const quote = this.#quote
    const callback = this.#callbacks.get(moved)
    const head = `${before}new ${names['Controller']}(${quote}${method}${quote},`
    const first = this.#rangeOf(handlers[0]!)
    const dot = this.#dotOf(call)
    const open = this.#openOf(call)
    const [pathOpen, pathClose] = callback?.hasNativePath ? ['', ''] : [`${names['expressPath']}(`, ')']
    if (route === undefined) {
      const start = this.#rangeOf(path).start
      const blank = open === start ? ' ' : ''
      this.#replace(dot, open, `${head}${blank}`)
      this.#replace(start, start, pathOpen)
      const comma = this.#commaAfter(path)
      this.#replace(comma, comma, pathClose)
    } else {
      const written = shared ?? `${pathOpen}${text.slice(path.start, path.end)}${pathClose}`
      this.#replace(dot, open, `${head} ${written},${open === first.start ? ' ' : ''}`)
    }
    if (callback === undefined) {
      const types = typesOf(call)
      const generics = types === undefined ? '' : text.slice(types.start, types.end)
      this.#replace(first.start, first.start, `${names['fromExpress']}${generics}(`)
      this.#replace(call.end - 1, call.end, `))${after}`)
      return
    }
    const [handler] = handlers as [Node]
    this.#replace(handler.start, handler.end, callback.text)
    const { end } = this.#rangeOf(handler)
    this.#replace(end, end, `, ${callback.options}`)
    this.#replace(call.end - 1, call.end, `)${after}`)
  }

  /** Behind the parenthesis that opens the arguments of a call. */
  #openOf(call: Node): number {
    const [first] = argumentsOf(call) as [Node]
    let open = typesOf(call)?.end ?? calledProperty(call)!.end
    for (const token of this.#tokensFrom(open)) {
      if (token.start >= first.start) break
      if (this.#source.text.slice(token.start, token.end) === '(') {
        open = token.end
        break
      }
    }
    return open
  }

  /** Where the comma behind an argument stands, which may be in parentheses. */
  #commaAfter({ end }: Node): number {
    for (const token of this.#tokensFrom(end)) {
      if (this.#source.text.slice(token.start, token.end) === ',') return token.start
    }
    return end
  }

  #tokensFrom(offset: number): SourceFile['tokens'] {
    const { tokens } = this.#source
    let low = 0
    let high = tokens.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (tokens[middle]!.start < offset) low = middle + 1
      else high = middle
    }
    return tokens.slice(low, low + 1000)
  }

  /** A path that several methods share is one object: that makes them one route, as they were. */
  #declarePaths({ calls }: Run, indent: string): { text: string; names: Map<Node | undefined, string> } {
    const names = new Map<Node | undefined, string>()
    let text = ''
    for (const { route, path } of calls) {
      if (route === undefined || names.has(route)) continue
      if (calls.filter((other) => other.route === route).length < 2) continue
      const written = this.#source.text.slice(path.start, path.end)
      const name = this.#newName(written)
      names.set(route, name)
      text += `const ${name} = ${this.#names['expressPath']}(${written})${this.#semicolon}${this.#newline}${indent}`
    }
    return { text, names }
  }

  get #semicolon(): string {
    return usesSemicolons(this.#source) ? ';' : ''
  }

  #newName(path: string): string {
    const words = [...path.matchAll(/[A-Za-z]\w*/g)].map(([word]) => word[0]!.toUpperCase() + word.slice(1))
    const joined = /^['"`/[]/.test(path) ? words.join('') : (words.at(-1) ?? '')
    const stem = joined === '' ? 'routePath' : `${joined[0]!.toLowerCase()}${joined.slice(1)}Path`
    return this.#free(stem)
  }

  #free(stem: string): string {
    let name = stem
    for (let number = 2; this.#used.has(name); number++) name = `${stem}${number}`
    this.#used.add(name)
    return name
  }
}

/** True for what stands between two parts of a chain and is more than a blank. */
function isWorthKeeping(gap: string): boolean {
  return /[\r\n]/.test(gap) || gap.trim() !== ''
}
