// The text of a list of Controllers that stands in the place of a router and of the calls that register with it.
import { endOfLine, newlineOf, type SourceFile, typesOf, usesSemicolons } from '../edit/source-file.js'
import { quoteOf } from '../edit/imports.js'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import type { LeadingUse, ListedRoute, RouterFile } from './router-file.js'

/** A part of a file, and what takes its place. */
export interface Replaced {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Names that the file has for what a list is made by. */
export interface ListNames {
  readonly controller: string
  /** Undefined where no route of the list has guards. */
  readonly fromConnect: string | undefined
  /** Of a list that has guards of its own. */
  readonly routeControllers: string | undefined
  readonly fromRouter: string | undefined
}

export function writeList(file: RouterFile, names: ListNames): readonly Replaced[] {
  return new ListWriter(file, names).write()
}

/** Where the list will stand, with what is moved before it; and where its router was made, where that is elsewhere. */
export function rangesOfList(file: RouterFile): readonly Omit<Replaced, 'text'>[] {
  const { source, declaration, uses, routes, others } = file
  const { text } = source
  const end = endOfLine(text, routes.at(-1)!.statement.end)
  const first = (uses[0] ?? routes[0]!).statement
  const before = statementsOf(source).filter(({ start }) => start > declaration.start && start < first.start)
  const start = commentsBefore(source, declaration.start)
  const last = before.at(-1)
  if (last === undefined) return [{ start: others.length === 0 ? declaration.start : start, end }]
  const madeEnd = endOfLine(text, declaration.end)
  // One blank line stays of two.
  const isBefore = /^[\t ]*\r?\n[\t ]*\r?\n/.test(text.slice(madeEnd))
  const lines = (isBefore ? /(?:\r?\n[\t ]*){1,2}$/ : /\r?\n[\t ]*$/).exec(text.slice(0, start))
  const made = { start: start - (lines?.[0].length ?? 0), end: madeEnd }
  return [made, { start: endOfLine(text, last.end), end }]
}

function statementsOf({ program }: SourceFile): readonly Node[] {
  return program['body'] as readonly Node[]
}

class ListWriter {
  readonly #file: RouterFile
  readonly #names: ListNames
  readonly #text: string
  readonly #newline: string
  readonly #unit: string
  readonly #quote: string
  /** Where texts of several lines stand, whose lines are not to be indented. */
  readonly #templates: readonly Node[]

  constructor(file: RouterFile, names: ListNames) {
    const { source } = file
    this.#file = file
    this.#names = names
    this.#text = source.text
    this.#newline = newlineOf(source)
    this.#unit = /\n(\t| {4}| {2})(?=[^\s*])/.exec(source.text)?.[1] ?? '  '
    this.#quote = quoteOf(source)
    this.#templates = [...walk(source.program)].flatMap(({ node }) =>
      node.type === 'TemplateLiteral' ? [node] : [],
    )
  }

  write(): readonly Replaced[] {
    const { source, declaration, id, uses, routes, others, name } = this.#file
    const text = this.#text
    const line = this.#newline
    const ranges = rangesOfList(this.#file)
    const { start, end } = ranges.at(-1)!
    const routesByStatement = new Map(routes.map((route) => [route.statement, route]))
    const usesByStatement = new Map(uses.map((use) => [use.statement, use]))
    const elements: string[] = []
    const moved: string[] = []
    const behind: string[] = []
    const declarationEnd = endOfLine(text, declaration.end)
    const isElsewhere = ranges.length > 1
    let from = isElsewhere ? start : declarationEnd
    const statements = [...usesByStatement.keys(), ...routesByStatement.keys(), ...others]
    for (const statement of statements.sort((a, b) => a.start - b.start)) {
      const to = endOfLine(text, statement.end)
      const route = routesByStatement.get(statement)
      const use = usesByStatement.get(statement)
      const lead = text.slice(from, statement.start).replace(/^(?:[\t ]*\r?\n)+/, '')
      if (route !== undefined) elements.push(this.#element(from, route, to))
      else if (use !== undefined) behind.push(lead + this.#hooksOf(use) + text.slice(statement.end, to))
      else moved.push((lead + text.slice(statement.start, to)).trimEnd())
      from = to
    }
    const gap = line + line
    const comments = text.slice(commentsBefore(source, declaration.start), declaration.start)
    const before = moved.map((one) => one + gap).join('')
    const lead = isElsewhere ? gap + before + comments : before + text.slice(start, declaration.start)
    const head = text.slice(declaration.start, id.start + name.length)
    const behindHead = text.slice(declaration.end, declarationEnd)
    const semicolon = usesSemicolons(source) ? ';' : ''
    const made = `[${behindHead}${elements.join('')}${line}]`
    const value = uses.length === 0 ? made : this.#routeControllersOf(made)
    const hooks = behind.map((one) => line + one).join('')
    const list = `${lead}${head} = ${value}${semicolon}${hooks}`
    return [...ranges.slice(0, -1).map((range) => ({ ...range, text: '' })), { start, end, text: list }]
  }

  /** Where a list has guards of its own, it is served there, and the mount takes its middleware. */
  #routeControllersOf(list: string): string {
    const { start, end } = this.#file.init
    const profile = `${this.#names.fromRouter}(${this.#text.slice(start, end)})`
    return `new ${this.#names.routeControllers}(${list}, { profile: ${profile} })`
  }

  /** The guards of a call of `use`, each as a hook for every request that comes to the list. */
  #hooksOf({ guards }: LeadingUse): string {
    const quote = this.#quote
    const hooks = guards.map(
      ({ start, end }) =>
        `${this.#file.name}.addGlobal(${this.#text.slice(start, end)}, { scope: ${quote}every${quote} })`,
    )
    const semicolon = usesSemicolons(this.#file.source) ? ';' : ''
    return hooks.map((one) => one + semicolon).join(this.#newline)
  }

  /** A Controller on lines of its own, with the comments around its statement. */
  #element(from: number, route: ListedRoute, to: number): string {
    const { statement } = route
    const comments = this.#text.slice(from, statement.start).trim()
    const lead =
      comments === '' ? '' : this.#indented(from, statement.start).trim() + this.#newline + this.#unit
    return `${this.#newline}${this.#unit}${lead}${this.#controllerOf(route)},${this.#text.slice(statement.end, to)}`
  }

  #controllerOf({ method, call, pathNode, guards, native, twin, keepsTypes }: ListedRoute): string {
    const text = this.#text
    const types = typesOf(native)
    const generics = keepsTypes ? text.slice(types!.start, types!.end) : ''
    const open = this.#openOf(call)
    const [blank] = /^\s*/.exec(text.slice(open)) as unknown as [string]
    const isBroken = blank.includes('\n')
    const gap = isBroken ? this.#indented(open, open + blank.length) : ' '
    const path =
      this.#indented(open + blank.length, pathNode.end) +
      this.#indented((guards.at(-1) ?? pathNode).end, native.start)
    const from = twin === undefined ? this.#openOf(native) : native.start
    const to = twin === undefined ? native.end - 1 : native.end
    // On lines of their own they stand one step further to the right already.
    const isNested = /^[\t ]*\r?\n/.test(text.slice(from))
    const given = isNested ? text.slice(from, to) : this.#indented(from, to)
    const between = isBroken ? `,${this.#newline}${this.#unit}${this.#unit}` : ', '
    const own = twin?.options === undefined ? '' : between + twin.options
    const inner = given.replace(/,?\s*$/, '').trimStart() + own
    const behind = text.slice(native.end, call.end - 1).replace(/^\s*,?\s*$/, '')
    // A comment at the end of a line would hide what closes the call.
    const isOpen = /\/\/[^\n]*$/.test((inner + behind).split('\n').at(-1)!)
    const end = isBroken ? `,${this.#newline}${this.#unit}` : isOpen ? this.#newline + this.#unit : ''
    const lead = isBroken ? gap : ''
    const made = guards.map(({ start: at, end: to }) => `${this.#names.fromConnect}(${this.#moved(at, to)})`)
    const use = made.length === 0 ? '' : `.use(${made.join(', ')})`
    return `new ${this.#names.controller}${generics}(${lead}${this.#quote}${method}${this.#quote},${gap}${path}${inner}${behind}${end})${use}`
  }

  /** Behind the parenthesis that opens the arguments of a call. */
  #openOf(call: Node): number {
    const { source } = this.#file
    const from = typesOf(call)?.end ?? (call['callee'] as Node).end
    return source.tokens.find(({ start, end }) => start >= from && this.#text.slice(start, end) === '(')!.end
  }

  /** A part of the text, one step further to the right. */
  #indented(from: number, to: number): string {
    return this.#withIndent(from, to, '', this.#unit)
  }

  /** The same of a part that comes to the line of its Controller, from one that may have been further to the right. */
  #moved(from: number, to: number): string {
    const lineStart = this.#text.lastIndexOf('\n', from - 1) + 1
    return this.#withIndent(from, to, /^[\t ]*/.exec(this.#text.slice(lineStart, from))![0], this.#unit)
  }

  /** A part of the text, whose lines behind the first begin with another indentation. */
  #withIndent(from: number, to: number, was: string, is: string): string {
    return this.#text
      .slice(from, to)
      .replace(/\n([\t ]+(?![\t\r\n ])|(?=[^\t\r\n ]))/g, (line, blank: string, offset: number) => {
        const at = from + offset
        const isInTemplate = this.#templates.some(({ start, end }) => start < at && at < end)
        return isInTemplate || !blank.startsWith(was) ? line : `\n${is}${blank.slice(was.length)}`
      })
  }
}

/** Where the comments begin that stand directly above a statement. */
function commentsBefore({ text, tokens }: SourceFile, start: number): number {
  let from = start
  for (const token of tokens.filter(({ end }) => end <= start).reverse()) {
    const isComment = typeof token.type === 'string' && token.type.startsWith('Comment')
    const isOwnLine = /(?:^|\n)[\t ]*$/.test(text.slice(0, token.start))
    if (!isComment || !isOwnLine || !/^[\t ]*\r?\n[\t ]*$/.test(text.slice(token.end, from))) break
    from = token.start
  }
  return from
}
