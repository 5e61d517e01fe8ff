// The syntax of a piece of code as a text that is the same however it is set: without comments, white space, parentheses, quotes and
// types. Two pieces with the same one do the same, as far as they say it themselves.
import { createHash } from 'node:crypto'
import { isFunction, type Node } from './parser.js'
import { isNode } from './walk.js'

// Where a node stands, what only a formatter or a compiler of types reads, and what the other keys say already.
const untold: ReadonlySet<string> = new Set([
  'type',
  'start',
  'end',
  'loc',
  'range',
  'extra',
  'errors',
  'tokens',
  'comments',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'shorthand',
  'method',
  'typeAnnotation',
  'returnType',
  'predicate',
  'variance',
  'typeParameters',
  'typeArguments',
  'superTypeParameters',
  'superTypeArguments',
  'implements',
  'accessibility',
  'readonly',
  'override',
  'abstract',
  'declare',
  'definite',
  'importKind',
  'exportKind',
])

// Of what is TypeScript's or Flow's own, this alone does something when it runs.
const doing =
  /^TS(?:EnumDeclaration|EnumBody|EnumMember|ModuleDeclaration|ModuleBlock|ParameterProperty|ImportEqualsDeclaration|ExternalModuleReference|ExportAssignment)$/
const flows = /^(?:TypeAlias|OpaqueType|InterfaceDeclaration|Declare\w+)$/
const wrapping =
  /^(?:TS(?:As|Satisfies|NonNull|Instantiation)Expression|TSTypeAssertion|ParenthesizedExpression|TypeCastExpression)$/

/** An expression without what says nothing of its value: types, parentheses. */
export function unwrapped(node: Node): Node {
  return wrapping.test(node.type) ? unwrapped(node['expression'] as Node) : node
}

/** The syntax of a node. */
export function syntaxOf(node: Node): string {
  const parts: string[] = []
  write(node, parts)
  return parts.join('')
}

function write(given: Node, parts: string[]): void {
  const node = unwrapped(given)
  const { type } = node
  if (type === 'Identifier') return void parts.push(String(node['name']))
  if (/^(?:String|Numeric|BigInt|Boolean|Decimal)Literal$/.test(type)) {
    return void parts.push(type[0]!, JSON.stringify(String(node['value'])))
  }
  if (type === 'TemplateElement') {
    const { cooked, raw } = node['value'] as { cooked?: string | null; raw: string }
    return void parts.push('`', JSON.stringify(cooked ?? raw))
  }
  parts.push('(', type)
  for (const key of Object.keys(node).sort()) {
    if (untold.has(key)) continue
    const value = node[key]
    // `x?` of a param is a type; of a call or a member it is none.
    if (key === 'optional' && !type.startsWith('Optional')) continue
    // That the body of an arrow function is no block says the body.
    if (key === 'expression' && typeof value === 'boolean') continue
    writeValue(key, value, node, parts)
  }
  parts.push(')')
}

function writeValue(key: string, value: unknown, node: Node, parts: string[]): void {
  if (value === undefined || value === null || value === false) return
  if (Array.isArray(value)) {
    const told = key === 'elements' ? value : value.filter((one) => !isNode(one) || isTold(one))
    if (told.length === 0) return
    parts.push(' ', key, '[')
    for (const one of told) {
      if (isNode(one)) write(one, parts)
      else parts.push(String(one))
      parts.push(',')
    }
    return void parts.push(']')
  }
  if (isNode(value)) {
    if (!isTold(value)) return
    parts.push(' ', key, ':')
    // `{ 'a': 1 }` is `{ a: 1 }`.
    const name = key === 'key' && node['computed'] !== true ? (value['name'] ?? value['value']) : undefined
    if (typeof name === 'string' || typeof name === 'number') parts.push(JSON.stringify(String(name)))
    else write(value, parts)
    return
  }
  if (typeof value === 'object') return
  parts.push(' ', key, '=', JSON.stringify(`${value as string | number | boolean | bigint}`))
}

/** False for what is gone when the code runs. */
function isTold({ type, name, declare }: Node): boolean {
  if (type === 'EmptyStatement' || declare === true || flows.test(type)) return false
  // `function (this: Request, …)`
  if (type === 'Identifier' && name === 'this') return false
  return !type.startsWith('TS') || doing.test(type) || wrapping.test(type)
}

/** A name that a piece of code reads, or a member of one: `role`, `config.role`. */
export interface Reference {
  readonly node: Node
  /** True within a function, which says what it does only when it is called. */
  readonly isInFunction: boolean
}

/** The names that a piece of code reads, in the order in which they are written. */
export function* referencesIn(given: Node, isInFunction = false): Iterable<Reference> {
  const node = unwrapped(given)
  const { type } = node
  if (type === 'Identifier') return void (yield { node, isInFunction })
  if (type === 'MemberExpression' && unwrapped(node['object'] as Node).type === 'Identifier') {
    yield { node, isInFunction }
    if (node['computed'] === true) yield* referencesIn(node['property'] as Node, isInFunction)
    return
  }
  const isInner = isInFunction || isFunction(node)
  for (const one of readIn(node)) yield* referencesIn(one, isInner)
}

/** The nodes right below a node that are read when it runs. */
export function* readIn(node: Node): Iterable<Node> {
  for (const key of Object.keys(node)) {
    if (untold.has(key)) continue
    // A name of a member, a property or a label is none of a value.
    if (/^(?:property|key|label|meta)$/.test(key) && node['computed'] !== true) continue
    const value = node[key]
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(one) && isTold(one)) yield one
    }
  }
}

/** `object.name` and `object['name']`. */
export function memberOf(node: Node): { readonly object: Node; readonly name: string } | undefined {
  if (node.type !== 'MemberExpression') return undefined
  const property = node['property'] as Node
  const name = node['computed'] ? property['value'] : property['name']
  return typeof name === 'string' ? { object: node['object'] as Node, name } : undefined
}

/** An identifier, or the text of a literal. */
export function nameIn(node: unknown): string | undefined {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown }
  const found = name ?? value
  return typeof found === 'string' ? found : undefined
}

/** A short name for a text that is compared as a whole. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 20)
}
