// A file that is parsed, with its lines, functions, calls and bindings.
import type { Place } from '../documents/place.js'
import { assignedName, type Bindings, bindingsOf, namesIn, type ScopedBinding } from './bindings.js'
import { isFunction, type Node, parseText, type Token } from './parser.js'
import { childrenOf } from './walk.js'

export interface Parsed {
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
  readonly bindings: Bindings
}

export interface FunctionNode {
  readonly node: Node
  readonly depth: number
  /** What it is assigned to; undefined where it stands in anything else. */
  readonly name: string | undefined
}

/** Throws where the parser refuses the text. */
export function parse(file: string, text: string): Parsed {
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

export function offsetOf({ lines }: Parsed, { line, column }: Place): number {
  return (lines[line] ?? 0) + column
}

export function placeOf({ lines }: Parsed, file: string, offset: number): Place {
  const line = lineOf(lines, offset)
  return { file, line, column: offset - lines[line]! }
}

function lineOf(lines: readonly number[], offset: number): number {
  return firstAt(lines, offset + 1, (start) => start) - 1
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
export function findFunction({ functions }: Parsed, offset: number): FunctionNode | undefined {
  const after = firstAt(functions, offset + 1, ({ node }) => node.start)
  for (let at = after - 1; at >= 0; at--) {
    const body = functions[at]!.node['body'] as Node
    if (offset <= body.start) return functions[at]
  }
  const following = functions[after]
  return following !== undefined && following.node.start - offset < 80 ? following : undefined
}

/** The call whose name stands at an offset, or the nearest on its line where a map is not that fine. */
export function findCall({ calls, lines }: Parsed, offset: number): Node | undefined {
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
