// One file that routes are moved in: its text, and the calls in it that register routes.
import { readFileSync } from 'node:fs'
import { type Node, parseText, type Token } from '../syntax/parser.js'
import { firstAt } from '../syntax/parsed.js'
import { walk } from '../syntax/walk.js'

/** A file, as it is read before anything moves. */
export interface SourceFile {
  readonly file: string
  readonly text: string
  readonly program: Node
  /** Comments are among them. */
  readonly tokens: readonly Token[]
  /** The names that stand anywhere in it. */
  readonly names: ReadonlySet<string>
  readonly parentOf: (node: Node) => Node | undefined
  /** The call `….name(…)` whose name stands at a place, or the nearest one by that name on the line. */
  callAt(line: number, column: number, name: string): Node | undefined
}

/** Reads a file; gives the reason, as a sentence, where it cannot be edited. */
export function readSource(file: string): SourceFile | string {
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) return 'the file is not written in UTF-8'
  return readText(file, text)
}

/** The same of a text that stands in a file. */
export function readText(file: string, text: string): SourceFile | string {
  if (isMinified(text)) return 'the code is minified: move its source'
  try {
    return parsedFile(file, text, parseText(file, text))
  } catch (error) {
    return `the file cannot be read: ${(error as Error).message}`
  }
}

function parsedFile(
  file: string,
  text: string,
  { program, tokens }: ReturnType<typeof parseText>,
): SourceFile {
  const parents = new Map<Node, Node>()
  const names = new Set<string>()
  const calls = new Map<number, Node[]>()
  const lines = lineStarts(text)
  const lineOf = (offset: number): number => firstAt(lines, offset + 1, (start) => start) - 1
  for (const { node, parent } of walk(program)) {
    if (parent !== undefined) parents.set(node, parent)
    if (typeof node['name'] === 'string') names.add(node['name'])
    const property = calledProperty(node)
    if (property !== undefined) {
      const line = lineOf(property.start)
      calls.set(line, [...(calls.get(line) ?? []), node])
    }
  }
  return {
    file,
    text,
    program,
    tokens,
    names,
    parentOf: (node) => parents.get(node),
    callAt(line, column, name) {
      const offset = (lines[line] ?? 0) + column
      const onLine = (calls.get(line) ?? []).filter((call) => nameOf(calledProperty(call)!) === name)
      const away = (call: Node): number => Math.abs(calledProperty(call)!.start - offset)
      return onLine.sort((a, b) => away(a) - away(b))[0]
    },
  }
}

/** Where each line starts. */
export function lineStarts(text: string): number[] {
  const lines = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1)
  return lines
}

/** What is wrong with the text that is to be written, and was not wrong before; undefined where nothing is. */
export function brokenBy({ file, text }: SourceFile, written: string): string | undefined {
  const errorsOf = (one: string): readonly Error[] => {
    try {
      return parseText(file, one).errors
    } catch (error) {
      return [error as Error]
    }
  }
  const errors = errorsOf(written)
  if (errors.length === 0) return undefined
  const known = new Set(errorsOf(text).map(ruleOf))
  return errors.find((error) => !known.has(ruleOf(error)))?.message
}

/** What an error says, without its place. */
function ruleOf({ message }: Error): string {
  return message.replace(/ \(\d+:\d+\)$/, '')
}

/** What a person has written has line ends. */
function isMinified(text: string): boolean {
  const lines = text.split('\n')
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0)
  return longest > 2000 && text.length / lines.length > 200
}

/** The name in `object.name(…)`; undefined for any other call. */
export function calledProperty(node: Node): Node | undefined {
  if (node.type !== 'CallExpression') return undefined
  const callee = node['callee'] as Node
  if (callee.type !== 'MemberExpression') return undefined
  const property = callee['property'] as Node
  if (!callee['computed']) return property.type === 'Identifier' ? property : undefined
  return property.type === 'StringLiteral' ? property : undefined
}

/** An identifier, or the text of a literal. */
export function nameOf(node: Node): string {
  return String(node['name'] ?? node['value'])
}

/** What stands before `.name` in a call of a member. */
export function receiverOf(call: Node): Node {
  return (call['callee'] as Node)['object'] as Node
}

export function argumentsOf(call: Node): readonly Node[] {
  return call['arguments'] as readonly Node[]
}

/** The type arguments of a call, with their brackets. */
export function typesOf(call: Node): Node | undefined {
  return (call['typeParameters'] ?? call['typeArguments'] ?? undefined) as Node | undefined
}

const endedStatement =
  /^(?:Expression|Return|Throw|Debugger)Statement$|^(?:Variable|Import|ExportAll|TSTypeAlias)Declaration$/

/** Whether the statements of a file end with semicolons, as most of them do. */
export function usesSemicolons({ text, program }: SourceFile): boolean {
  let ended = 0
  let all = 0
  for (const { node, parent } of walk(program)) {
    if (!endedStatement.test(node.type) || parent?.type.startsWith('For')) continue
    all++
    if (text[node.end - 1] === ';') ended++
  }
  return ended > all / 2
}

/** What a file ends its lines with. */
export function newlineOf({ text }: SourceFile): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** A node with the parentheses around it. */
export function rangeOf(source: SourceFile, node: Node): { readonly start: number; readonly end: number } {
  const { parenStart } = (node['extra'] ?? {}) as { parenStart?: number }
  if (parenStart === undefined) return node
  const close = tokensFrom(source, node.end).find(({ start, end }) => source.text.slice(start, end) === ')')
  return { start: parenStart, end: close?.end ?? node.end }
}

/** The next tokens behind an offset, as many as stand between two parts of a call. */
export function tokensFrom({ tokens }: SourceFile, offset: number): SourceFile['tokens'] {
  const at = firstAt(tokens, offset, ({ start }) => start)
  return tokens.slice(at, at + 1000)
}

/** What the line of a node begins with. */
export function indentOf({ text }: SourceFile, { start }: Node): string {
  return /^[\t ]*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))![0]
}

/** The text of a function of several lines as it stands at another indent; as it is where a template may go over lines. */
export function atIndent(text: string, indent: string): string {
  const [first, ...others] = text.split('\n')
  const own = /^[\t ]*/.exec(others.at(-1) ?? '')![0]
  const isSplit = (line: string): boolean => line.split('`').length % 2 === 0
  if (own === indent || [first!, ...others].some(isSplit)) return text
  const moved = others.map((line) => (line.startsWith(own) ? indent + line.slice(own.length) : line))
  return [first, ...moved].join('\n')
}

/** Where a line ends behind a statement and its comments; the end of the statement where something else follows. */
export function endOfLine(text: string, from: number): number {
  const rest = /^[\t ]*(?:\/\*(?:(?!\*\/)[^\r\n])*\*\/[\t ]*)*(?:\/\/[^\r\n]*)?(?=\r?\n|$(?![^]))/.exec(
    text.slice(from),
  )
  return from + (rest?.[0].trimEnd().length ?? 0)
}
