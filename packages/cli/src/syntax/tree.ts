// Questions about a syntax tree that commands ask which edit files.
import type { Node } from './parser.js'
import { isFunction } from './parser.js'
import { childrenOf, type Placed, walk } from './walk.js'

/** True for a name that stands for no variable. */
export function isLabel({ node, parent }: Placed): boolean {
  return (
    parent !== undefined &&
    ((/Member/.test(parent.type) && parent['property'] === node && parent['computed'] !== true) ||
      (/Property|Method/.test(parent.type) &&
        parent['key'] === node &&
        parent['computed'] !== true &&
        parent['shorthand'] !== true) ||
      /^TS/.test(node.type))
  )
}

export function isName(node: Node | null | undefined, name: string | undefined): boolean {
  return name !== undefined && node?.type === 'Identifier' && node['name'] === name
}

/** The names that a pattern declares. */
export function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern['name'] as string]
    case 'ObjectProperty':
      return namesIn(pattern['value'] as Node)
    case 'AssignmentPattern':
      return namesIn(pattern['left'] as Node)
    case 'TSTypeAnnotation':
      return []
    default:
      return [...childrenOf(pattern)].flatMap(namesIn)
  }
}

interface Member extends Node {
  readonly type: 'MemberExpression' | 'OptionalMemberExpression'
}

export function isMember(node: Node | null | undefined): node is Member {
  return node?.type === 'MemberExpression' || node?.type === 'OptionalMemberExpression'
}

export function memberName(member: Node): string | undefined {
  const property = member['property'] as Node
  const name = member['computed'] === true ? textOf(property) : property['name']
  return typeof name === 'string' ? name : undefined
}

/** The name of a property in an object, or in a pattern; undefined for one that is computed, or for a spread. */
export function keyOf(property: Node): string | undefined {
  const key = property['key'] as Node | undefined
  if (key === undefined || property['computed'] === true) return undefined
  const name = key['name'] ?? key['value']
  return typeof name === 'string' ? name : undefined
}

/** The text of a string that stands there. */
export function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node['value'] as string
  const quasis = node['quasis'] as readonly { value: { cooked?: string } }[] | undefined
  if (node.type === 'TemplateLiteral' && quasis?.length === 1) return quasis[0]!.value.cooked
  return undefined
}

export function numberOf(node: Node): number | undefined {
  return node.type === 'NumericLiteral' ? (node['value'] as number) : undefined
}

/** What an expression is without the types around it. */
export function untyped(node: Node): Node {
  return /^(?:TS(?:As|Satisfies|NonNull)Expression|TSTypeAssertion|ParenthesizedExpression)$/.test(node.type)
    ? untyped(node['expression'] as Node)
    : node
}

/** True for what is a number and never undefined: `7 * DAY_MS`. */
export function isArithmetic(node: Node): boolean {
  if (node.type === 'ParenthesizedExpression') return isArithmetic(node['expression'] as Node)
  return (
    node.type === 'BinaryExpression' &&
    ['*', '/', '-', '%', '**'].includes(node['operator'] as string) &&
    ![...walk(node)].some(({ node: { type } }) => /Call|Await|Function/.test(type))
  )
}

/** What `void` stands before. */
export function withoutVoid(read: Node): Node {
  const node = untyped(read)
  return node.type === 'UnaryExpression' && node['operator'] === 'void'
    ? untyped(node['argument'] as Node)
    : node
}

export function isWrite(above: Node, node: Node): boolean {
  return (
    (/^Assignment/.test(above.type) && above['left'] === node) ||
    above.type === 'UpdateExpression' ||
    (above.type === 'UnaryExpression' && above['operator'] === 'delete') ||
    (/^For(?:In|Of)Statement$/.test(above.type) && above['left'] === node)
  )
}

/** The statements of a body or a branch. */
export function statementsOf(node: Node): readonly Node[] {
  return node.type === 'BlockStatement' ? (node['body'] as readonly Node[]) : [node]
}

/** True where a name is read or written within a node. */
export function mentions(node: Node, name: string | undefined): boolean {
  return name !== undefined && [...walk(node)].some((placed) => isName(placed.node, name) && !isLabel(placed))
}

/** The last name of what is called: `send` of `this.helper.send(…)`. */
export function calleeName(call: Node): string | undefined {
  const callee = call['callee'] as Node | undefined
  if (callee === undefined) return undefined
  return isMember(callee) ? memberName(callee) : (callee['name'] as string | undefined)
}

/** True for a function that stands there. */
export function isInlineFunction(node: Node): boolean {
  return isFunction(node) && node.type !== 'ClassMethod' && node.type !== 'ObjectMethod'
}

/** True for what is returned behind an answer, and Express ignores: nothing, or a value that stands there. */
export function isIgnored(value: Node | null): boolean {
  return (
    value === null ||
    /^(?:Boolean|Null|Numeric|String)Literal$/.test(value.type) ||
    isName(value, 'undefined')
  )
}

export function classAround(node: Node, program: Node): Node | undefined {
  return [...walk(program)].findLast(({ node: one }) => isClass(one) && isWithin(node, one))?.node
}

export function isClass({ type }: Node): boolean {
  return type === 'ClassDeclaration' || type === 'ClassExpression'
}

export function isWithin(inner: Node, outer: Node): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}
