// The texts of functions of a project, by where they are written.
import { METHODS } from 'node:http'
import { resolve } from 'node:path'
import { redactCode } from '../../../compare/src/redact-code.js'
import type { Used } from '../documents/brief.js'
import { isFunction, type Node } from '../syntax/parser.js'
import { Sources } from '../syntax/sources.js'
import { memberOf, unwrapped } from '../syntax/syntax.js'
import { walk } from '../syntax/walk.js'
import { type CalledAs, isWithinHandler, usedBy } from './used.js'

/** A piece of code with the lines that it has in its file. */
export interface Code {
  /** `src/orders.js:12` */
  readonly place: string
  readonly text: string
  readonly used: Used
  readonly file: string
  /** What is shown, and the function or the value itself. */
  readonly shown: Node
  readonly node: Node
}

/** A part of a piece of code. */
type CodePart = Pick<Code, 'file' | 'node'>

/** The statement that registers a route. */
interface Statement extends Code {
  /** What of it is of the method of the route: of `app.route(path).get(a).post(b)` and GET, `a`. */
  readonly parts: readonly CodePart[]
}

interface FunctionOptions {
  readonly calledAs?: CalledAs
  readonly prefersLast?: boolean
  /** Where such a function stands in one of them, no other one is meant. */
  readonly parts?: readonly CodePart[]
}

// A factory is shown as a whole, as what it was made with counts; a module in a function is not.
const mostLinesOfFactory = 60

/** Reads the code of a project. */
export class ProjectCode {
  readonly #sources: Sources
  readonly #cwd: string

  constructor(cwd: string) {
    this.#cwd = cwd
    this.#sources = new Sources(cwd)
  }

  /** The function that is written at a place, `src/orders.js:12`. Of several ones on a line `parts` and the name decide, then `prefersLast`. */
  functionAt(
    place: string | undefined,
    name: string,
    { calledAs = 'handler', prefersLast = false, parts = [] }: FunctionOptions = {},
  ): Code | undefined {
    const at = this.#lineOf(place)
    if (at === undefined) return undefined
    const { file, line, program, text } = at
    const all = [...walk(program)]
      .map(({ node, parent }) => ({ node, parent }))
      .filter(({ node }) => isFunction(node) && lineAt(text, node.start) === line)
    const isInParts = ({ node }: { readonly node: Node }): boolean =>
      parts.some((one) => one.file === file && one.node.start <= node.start && one.node.end >= node.end)
    const own = all.filter(isInParts)
    const there = own.length > 0 ? own : all
    const named = there.filter(({ node, parent }) => nameOf(node, parent) === name)
    const nodes = there.map(({ node }) => node)
    const some = named.length > 0 ? named : there.filter(({ node }) => !isWithinHandler(node, nodes))
    const found = prefersLast ? some.at(-1) : some[0]
    return found && this.#codeOf(file, found.node, calledAs)
  }

  /** The innermost function around a place that may answer a request: one of two parameters or more. */
  handlerAround(place: string): Code | undefined {
    const at = this.#lineOf(place)
    if (at === undefined) return undefined
    const { file, line, program, text } = at
    const around = [...walk(program)].filter(
      ({ node }) =>
        isFunction(node) &&
        (node['params'] as readonly Node[]).length > 1 &&
        lineAt(text, node.start) <= line &&
        lineAt(text, node.end) >= line,
    )
    const found = around.at(-1)?.node
    return found && this.#codeOf(file, found, 'handler')
  }

  /** The statement that stands at a place: the call that registers a route. It uses what its `parts` of that method do. */
  statementAt(
    place: string | undefined,
    { method, path }: { readonly method: string; readonly path: string },
  ): Statement | undefined {
    const at = this.#lineOf(place)
    if (at === undefined) return undefined
    const { file, line, program, text } = at
    // The name of a method may stand on a later line than its statement.
    const around = [...walk(program)].filter(
      ({ node }) =>
        node.type === 'ExpressionStatement' &&
        lineAt(text, node.start) <= line &&
        lineAt(text, node.end) >= line,
    )
    const statements = around.map(({ node }) => node).reverse()
    const fits = statements.map((one) => fitOf(one, method, path))
    const found = statements[fits.indexOf(Math.max(...fits))]
    const code = found && this.#codeOf(file, found)
    if (code === undefined) return undefined
    const parts = partsFor(method, found!)
    const used = parts.map((node) => usedBy(node, undefined))
    const all = (of: keyof Used): string[] => [...new Set(used.flatMap((one) => one[of]))]
    return {
      ...code,
      used: { reads: all('reads'), sets: all('sets'), leaves: all('leaves') },
      parts: parts.map((node) => ({ file, node })),
    }
  }

  /** True for a file that takes its modules by `require`. */
  isCommonJs(file: string): boolean {
    const { program, text } = this.#sources.read(file) ?? {}
    const body = (program?.['body'] ?? []) as readonly Node[]
    return /\brequire\(/.test(text ?? '') && !body.some(({ type }) => /^(?:Import|Export)/.test(type))
  }

  /** What a piece of code reads and calls by name in the files of the project, the nearest first. */
  usedBy({ file, node }: CodePart, most: number): Code[] {
    return this.#sources
      .reachedFrom(file, node, most)
      .flatMap((one) => (one.file.endsWith('.json') ? [] : (this.#codeOf(one.file, one.node) ?? [])))
  }

  #lineOf(
    place: string | undefined,
  ): { file: string; line: number; program: Node; text: string } | undefined {
    const [, name, line] = /^(.*):(\d+)$/.exec(place ?? '') ?? []
    if (name === undefined || /(?:^|\/)node_modules\//.test(name)) return undefined
    const file = resolve(this.#cwd, name)
    const read = this.#sources.read(file)
    return read && { file, line: Number(line), ...read }
  }

  #codeOf(file: string, node: Node, calledAs?: CalledAs): Code | undefined {
    const read = this.#sources.read(file)
    if (read === undefined) return undefined
    const { text, program } = read
    const shown = shownFor(node, program, text)
    const start = text.lastIndexOf('\n', shown.start - 1) + 1
    const indent = /^[\t ]*/.exec(text.slice(start, shown.start))![0]
    const own = text.slice(shown.start, shown.end).replaceAll(`\n${indent}`, '\n')
    return {
      place: `${this.#sources.shown(file)}:${lineAt(text, shown.start)}`,
      text: redactCode(own),
      used: usedBy(node, calledAs),
      file,
      shown,
      node,
    }
  }
}

/** The statement or the member that a piece of code stands in; of what a small factory makes, the factory. */
function shownFor(node: Node, program: Node, text: string): Node {
  const around = [...walk(program, (one) => !(one.start <= node.start && one.end >= node.end))].map(
    (placed) => placed.node,
  )
  const isShown = ({ type }: Node): boolean =>
    /^(?:Object|Class|ClassPrivate)(?:Method|Property)$/.test(type) ||
    /^(?:Variable|Function|Class|Export\w*)Declaration$|^ExpressionStatement$/.test(type)
  // A value in an object is shown with the object.
  const isValue = ({ type }: Node): boolean => type === 'ObjectProperty' && !isFunction(node)
  const own = around.filter((one) => isShown(one) && !isValue(one))
  const innermost = own.at(-1) ?? node
  if (!/Declaration$/.test(innermost.type)) return innermost
  const lines = (one: Node): number => text.slice(one.start, one.end).split('\n').length
  return own.find((one) => lines(one) <= mostLinesOfFactory) ?? innermost
}

/** The arguments of a chain of calls, without those of the calls of other methods; the whole statement where there are no others. */
function partsFor(method: string, statement: Node): readonly Node[] {
  const parts: Node[] = []
  let hasOthers = false
  for (const { called, given } of chainedCalls(statement)) {
    if (METHODS.includes(called) && called !== method) hasOthers = true
    else parts.unshift(...given)
  }
  return hasOthers && parts.length > 0 ? parts : [statement]
}

/** How much of the path of a route a statement names that registers its method; -1 for any other statement. Several may stand on a line. */
function fitOf(statement: Node, method: string, path: string): number {
  const calls = [...chainedCalls(statement)]
  const own = method === '*' ? 'ALL' : method
  if (!calls.some(({ called }) => called === own)) return -1
  const written = calls
    .map(({ given: [first] }) => first?.['value'])
    .findLast((one) => typeof one === 'string')
  const end = written?.replace(/\/$/, '')
  return end !== undefined && path.endsWith(end) ? end.length : -1
}

/** The calls of a chain, the last one first: their names in upper case, and their arguments. */
function* chainedCalls(
  statement: Node,
): Generator<{ readonly called: string; readonly given: readonly Node[] }> {
  let call = unwrapped(statement['expression'] as Node)
  while (call.type === 'CallExpression') {
    const callee = memberOf(call['callee'] as Node)
    yield { called: callee?.name.toUpperCase() ?? '', given: call['arguments'] as readonly Node[] }
    if (callee === undefined) return
    call = unwrapped(callee.object)
  }
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

function nameOf(node: Node, parent: Node | undefined): string | undefined {
  const own = (node['id'] ?? node['key'] ?? parent?.['id'] ?? parent?.['key'] ?? parent?.['left']) as
    Node | undefined
  return own?.['name'] as string | undefined
}
