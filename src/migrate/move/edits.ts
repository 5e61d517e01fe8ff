// Writes a plan into the text of its file. Edits are made by position, so that all that they do not name stays as it was, byte by byte.
import type { Node } from '../sources.js'
import { type ImportedNames, planImports, quoteOf } from './imports.js'
import type { MovedCall, Run } from './plan.js'
import {
  argumentsOf,
  calledProperty,
  type Edit,
  newlineOf,
  receiverOf,
  type SourceFile,
  usesSemicolons,
} from './source-file.js'

/** The edits that move the runs of a file, in their order. */
export function writeRuns(source: SourceFile, runs: readonly Run[]): readonly Edit[] {
  if (runs.length === 0) return []
  const profiles = new Set(runs.map(profileMaker))
  const imports = planImports(
    source,
    {
      routecontrollers: ['Controller', 'RouteControllers'],
      'routecontrollers/express': ['expressPath', ...profiles, 'fromExpress'].sort(),
    },
    Math.min(...runs.flatMap(({ calls }) => calls.map(({ call }) => call.start))),
  )
  const writer = new Writer(source, imports.names)
  for (const run of runs) writer.run(run)
  return [...imports.edits, ...writer.edits].sort((a, b) => a.start - b.start || a.end - b.end)
}

function profileMaker({ kind }: Run): 'fromApp' | 'fromRouter' {
  return kind === 'app' ? 'fromApp' : 'fromRouter'
}

class Writer {
  readonly edits: Edit[] = []
  readonly #source: SourceFile
  readonly #names: ImportedNames
  readonly #used: Set<string>
  /** As the file ends its lines. */
  readonly #newline: string
  readonly #quote: string

  constructor(source: SourceFile, names: ImportedNames) {
    this.#source = source
    this.#names = names
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

  #close(run: Run): string {
    const { start, end } = run.base
    return `], { profile: ${this.#names[profileMaker(run)]}(${this.#source.text.slice(start, end)}) }).middleware())`
  }

  /** `.get(path, handler)` becomes `.use(…)`, which gives the same router. */
  #expression(run: Run): void {
    const { calls } = run
    const [first] = calls
    const last = calls.at(-1)!
    calls.forEach((moved, at) => {
      const isLast = moved === last
      const isTight = !isLast && this.#dotOf(calls[at + 1]!.call) === moved.call.end
      this.#call(moved, moved === first ? this.#open() : '', isLast ? '' : isTight ? ', ' : ',')
      if (isLast) this.#replace(moved.call.end, moved.call.end, this.#close(run))
    })
  }

  #statements(run: Run): void {
    const { text } = this.#source
    const { calls, statements } = run
    const [first] = statements as [Node]
    const indent = /[\t ]*$/.exec(text.slice(0, first.start))![0]
    const isOneLine = calls.length === 1 && !/[\r\n]/.test(text.slice(first.start, first.end))
    const base = this.#rangeOf(run.base)
    const shared = this.#declarePaths(run, indent)
    for (const statement of statements) {
      const isFirst = statement === first
      const lead = isFirst ? `${shared.text}${text.slice(base.start, base.end)}${this.#open()}` : ''
      const own = calls.filter(({ call }) => call.start >= statement.start && call.end <= statement.end)
      own.forEach((moved, at) => {
        const following = own[at + 1]
        const isTight = following !== undefined && this.#dotOf(following.call) === moved.call.end
        if (at === 0) this.#head(moved, statement, lead, isFirst && !isOneLine ? this.#newline + indent : '')
        this.#call(moved, '', isOneLine ? '' : isTight ? ', ' : ',', shared.names.get(moved.route))
      })
      if (text[statement.end - 1] === ';') this.#replace(statement.end - 1, statement.end, '')
    }
    const last = statements.at(-1)!
    const semicolon = text[last.end - 1] === ';' ? ';' : ''
    const end = isOneLine ? last.end : this.#endOfLine(last.end)
    this.#replace(end, end, `${isOneLine ? '' : this.#newline + indent}${this.#close(run)}${semicolon}`)
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
    const head = `${before}new ${names['Controller']}(${quote}${method}${quote},`
    const first = this.#rangeOf(handlers[0]!)
    const dot = this.#dotOf(call)
    const open = this.#openOf(call)
    if (route === undefined) {
      const start = this.#rangeOf(path).start
      const blank = open === start ? ' ' : ''
      this.#replace(dot, open, `${head}${blank}`)
      this.#replace(start, start, `${names['expressPath']}(`)
      const comma = this.#commaAfter(path)
      this.#replace(comma, comma, ')')
      this.#replace(first.start, first.start, `${names['fromExpress']}(`)
    } else {
      const written = shared ?? `${names['expressPath']}(${text.slice(path.start, path.end)})`
      this.#replace(dot, open, `${head} ${written},${open === first.start ? ' ' : ''}`)
      this.#replace(first.start, first.start, `${names['fromExpress']}(`)
    }
    this.#replace(call.end - 1, call.end, `))${after}`)
  }

  /** Behind the parenthesis that opens the arguments of a call. */
  #openOf(call: Node): number {
    const [first] = argumentsOf(call) as [Node]
    const types = (call['typeParameters'] ?? call['typeArguments']) as Node | null | undefined
    let open = types?.end ?? calledProperty(call)!.end
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
