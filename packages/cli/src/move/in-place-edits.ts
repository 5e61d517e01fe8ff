// Writes Controllers in the place of routes into the text of a file.
import MagicString from 'magic-string'
import type { Node } from '../syntax/parser.js'
import { replace } from '../edit/code.js'
import { type ImportedNames, quoteOf, writeImports } from '../edit/imports.js'
import type { NativeCallback } from './in-place-native.js'
import type { MovedCall, Naming, Run } from './in-place-plan.js'
import {
  argumentsOf,
  calledProperty,
  endOfLine,
  indentOf,
  newlineOf,
  rangeOf,
  receiverOf,
  type SourceFile,
  tokensFrom,
  typesOf,
  usesSemicolons,
} from '../edit/source-file.js'

/** The callbacks of calls that get one of their own, in place of their handlers. */
type Callbacks = ReadonlyMap<MovedCall, NativeCallback>

/** The text of a file with its runs moved. */
export function writeRuns(
  source: SourceFile,
  runs: readonly Run[],
  callbacks: Callbacks = new Map(),
): string {
  if (runs.length === 0) return source.text
  const made = runs.filter((run) => !isGiven(source, run))
  const profiles = new Set(made.map(profileMaker))
  const calls = runs.flatMap((run) => run.calls)
  const needsPath = calls.some((moved) => callbacks.get(moved)?.hasNativePath !== true)
  const needsHandlers = calls.some((moved) => !callbacks.has(moved))
  const wanted: Record<string, string[]> = {
    routecontrollers: ['Controller', ...(made.length > 0 ? ['RouteControllers'] : [])],
    'routecontrollers/express': [
      ...(made.length < runs.length ? ['addControllers'] : []),
      ...(needsPath ? ['expressPath'] : []),
      ...profiles,
      ...(needsHandlers ? ['fromExpress'] : []),
    ].sort(),
  }
  const before = Math.min(...calls.map(({ call }) => call.start))
  const code = new MagicString(source.text)
  const names = writeImports(code, source, wanted, before)
  const writer = new Writer(code, source, names, callbacks)
  for (const run of runs) writer.run(run)
  return code.toString()
}

/**
 * Whether a file is handed what it registers on: that may be a stub in its tests, and its type may know fewer methods than Express has.
 */
function isGiven(source: SourceFile, { base, calls, naming, statements }: Run): boolean {
  const [first] = calls as [MovedCall]
  // Behind another call of a chain there is a router of Express already.
  if (naming !== undefined || (statements.length === 0 && receiverOf(first.call) !== base)) return false
  const [name] = /[\w$]+(?=\W*$)/.exec(source.text.slice(base.start, base.end)) ?? []
  if (name === undefined) return false
  const made = new RegExp(
    `(?<![\\w$])${name.replaceAll('$', '\\$')}(?:\\s*:[^=;\\n]*)?\\s*=\\s*(?:await\\s+|new\\s+)?[^\\s;,=]*(?:express|router)[^\\s;,=]*\\(`,
    'i',
  )
  return !made.test(source.text)
}

function profileMaker({ kind }: Pick<Run, 'kind'>): 'fromApp' | 'fromRouter' {
  return kind === 'app' ? 'fromApp' : 'fromRouter'
}

class Writer {
  readonly #code: MagicString
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

  constructor(code: MagicString, source: SourceFile, names: ImportedNames, callbacks: Callbacks) {
    this.#code = code
    this.#source = source
    this.#names = names
    this.#callbacks = callbacks
    this.#used = new Set([...source.names, ...Object.values(names)])
    this.#newline = newlineOf(source)
    this.#quote = quoteOf(source)
  }

  #replace(start: number, end: number, text: string): void {
    replace(this.#code, start, end, text)
  }

  run(run: Run): void {
    if (run.statements.length === 0) this.#expression(run)
    else this.#statements(run)
  }

  #open(run: Run): string {
    return isGiven(this.#source, run) ? ', [' : `.use(new ${this.#names['RouteControllers']}([`
  }

  #close(run: Run, base: string): string {
    if (isGiven(this.#source, run)) return '])'
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
    if (isGiven(this.#source, run)) {
      const { start } = rangeOf(this.#source, run.base)
      this.#replace(start, start, `${this.#names['addControllers']}(`)
    }
    const receiver = rangeOf(this.#source, receiverOf(first.call))
    const isBroken = isSplit && isWorthKeeping(this.#source.text.slice(receiver.end, this.#dotOf(first.call)))
    const indent = isSplit ? indentOf(this.#source, naming.statement) : ''
    if (isSplit) {
      this.#opened.add(naming.statement)
      const end = `${this.#semicolon}${this.#newline}${indent}`
      this.#replace(receiver.end, receiver.end, `${end}${base}${this.#open(run)}`)
    }
    calls.forEach((moved, at) => {
      const isLast = moved === last
      const isTight = !isLast && this.#dotOf(calls[at + 1]!.call) === moved.call.end
      const comma = isLast && !isBroken ? '' : isTight ? ', ' : ','
      this.#call(moved, moved === first && !isSplit ? this.#open(run) : '', comma)
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
    // A statement of its own, which gives it to no other.
    if (gives === '') return name
    const semicolon = text[statement.end - 1] === ';' ? ';' : ''
    const line = `${this.#newline}${indentOf(this.#source, statement)}${gives}${name}${semicolon}`
    // Behind all else that is put there.
    this.#code.appendRight(statement.end, line)
    return name
  }

  #textOf(node: Node): string {
    return this.#source.text.slice(node.start, node.end)
  }

  #statements(run: Run): void {
    const { text } = this.#source
    const { calls, statements } = run
    const [first] = statements as [Node]
    const indent = indentOf(this.#source, first)
    const isAlone = calls.length === 1
    const base = rangeOf(this.#source, run.base)
    const shared = this.#declarePaths(run, indent)
    const call = isGiven(this.#source, run) ? `${this.#names['addControllers']}(` : ''
    const open = `${shared.text}${call}${text.slice(base.start, base.end)}${this.#open(run)}`
    for (const statement of statements) {
      const isFirst = statement === first
      const lead = isFirst ? open : ''
      const own = calls.filter(({ call }) => call.start >= statement.start && call.end <= statement.end)
      own.forEach((moved, at) => {
        const following = own[at + 1]
        const isTight = following !== undefined && this.#dotOf(following.call) === moved.call.end
        if (at === 0) this.#head(moved, statement, lead, isFirst && !isAlone ? this.#newline + indent : '')
        const after = isAlone ? '' : isTight ? ', ' : ','
        this.#call(moved, '', after, shared.names.get(moved.route))
      })
      if (text[statement.end - 1] === ';') this.#replace(statement.end - 1, statement.end, '')
    }
    const last = statements.at(-1)!
    const semicolon = text[last.end - 1] === ';' ? ';' : ''
    const end = isAlone ? last.end : endOfLine(text, last.end)
    const close = this.#close(run, this.#textOf(run.base))
    this.#replace(end, end, `${isAlone ? '' : this.#newline + indent}${close}${semicolon}`)
  }

  /** Puts `lead` where the router of a statement stands, and takes `.route(path)` away; line ends and comments behind both stay. */
  #head({ call, route }: MovedCall, statement: Node, lead: string, lineEnd: string): void {
    const { text } = this.#source
    const receiver = rangeOf(this.#source, receiverOf(route ?? call))
    const dot = this.#dotOf(call)
    const between = route === undefined ? '' : text.slice(receiver.end, this.#dotOf(route))
    const takeAway = (from: number, end: number, own: string): void => {
      const gap = text.slice(end, dot)
      const isBlank = own === '' && gap.trim() === ''
      if (isBlank && (from === statement.start || /\n[\t ]*$/.test(between))) {
        // The line that this stood on would be an empty one.
        const indent = gap.slice(gap.lastIndexOf('\n') + 1)
        const known = indentOf(this.#source, statement)
        const isDeeper = from === statement.start && gap.includes('\n') && indent.startsWith(known)
        return this.#replace(from, dot, isDeeper ? indent.slice(known.length) : '')
      }
      const isKept = isWorthKeeping(gap)
      this.#replace(from, isKept ? end : dot, isKept ? own : own + lineEnd)
    }
    if (route === undefined) return takeAway(statement.start, receiver.end, lead)
    const from = between.trim() === '' ? statement.start : this.#dotOf(route)
    if (from !== statement.start) {
      const blank = lead === '' ? /^[\t ]*/.exec(between)![0].length : 0
      this.#replace(statement.start, receiver.end + blank, lead)
    }
    takeAway(from, route.end, from === statement.start ? lead : '')
  }

  /** Where `.name` of a call begins. */
  #dotOf(call: Node): number {
    const { text } = this.#source
    const property = calledProperty(call)!
    let start = property.start
    const { end } = receiverOf(call)
    for (const token of tokensFrom(this.#source, end)) {
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
    const first = rangeOf(this.#source, handlers[0]!)
    const dot = this.#dotOf(call)
    const open = this.#openOf(call)
    const [pathOpen, pathClose] = callback?.hasNativePath ? ['', ''] : [`${names['expressPath']}(`, ')']
    const start = route === undefined ? rangeOf(this.#source, path).start : open
    const comma = route === undefined ? this.#commaAfter(path) : open
    const gap = text.slice(route === undefined ? comma + 1 : open, first.start)
    // Handlers on lines of their own keep them, and the path comes to the line of the method.
    const isStacked =
      /^[\t ]*\r?\n\s*$/.test(gap) && (route !== undefined || /^\s*\n\s*$/.test(text.slice(open, start)))
    const types = typesOf(call)
    const generics = types === undefined ? '' : text.slice(types.start, types.end)
    const maker = callback === undefined ? `${names['fromExpress']}${generics}(` : ''
    const lead = isStacked && maker !== '' ? ` ${maker}${gap}` : undefined
    if (route === undefined) {
      if (isStacked) this.#replace(dot, start, `${head} ${pathOpen}`)
      else {
        this.#replace(dot, open, `${head}${blankAt(text, open)}`)
        this.#replace(start, start, pathOpen)
      }
      this.#replace(comma, comma, pathClose)
      if (lead !== undefined) this.#replace(comma + 1, first.start, lead)
    } else {
      const written = shared ?? `${pathOpen}${text.slice(path.start, path.end)}${pathClose}`
      const own = `${head} ${written},`
      if (lead === undefined) this.#replace(dot, open, `${own}${blankAt(text, open)}`)
      else this.#replace(dot, first.start, own + lead)
    }
    if (callback === undefined) {
      if (lead === undefined) this.#replace(first.start, first.start, maker)
      this.#replace(call.end - 1, call.end, `))${after}`)
      return
    }
    const [handler] = handlers as [Node]
    this.#replace(handler.start, handler.end, callback.text)
    const { end } = rangeOf(this.#source, handler)
    this.#replace(end, end, `, ${callback.options}`)
    this.#replace(call.end - 1, call.end, `)${after}`)
  }

  /** Behind the parenthesis that opens the arguments of a call. */
  #openOf(call: Node): number {
    const [first] = argumentsOf(call) as [Node]
    let open = typesOf(call)?.end ?? calledProperty(call)!.end
    for (const token of tokensFrom(this.#source, open)) {
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
    for (const token of tokensFrom(this.#source, end)) {
      if (this.#source.text.slice(token.start, token.end) === ',') return token.start
    }
    return end
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

/** A blank, where none stands. */
function blankAt(text: string, at: number): string {
  return /\s/.test(text[at]!) ? '' : ' '
}

/** True for what stands between two parts of a chain and is more than a blank. */
function isWorthKeeping(gap: string): boolean {
  return /[\r\n]/.test(gap) || gap.trim() !== ''
}
