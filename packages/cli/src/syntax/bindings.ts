// What names stand for, as far as it is written in their file.
import type { Node } from './parser.js'
import { memberOf, nameIn, unwrapped } from './syntax.js'
import { childrenOf } from './walk.js'

/** What a name stands for within a function or a block. */
export interface ScopedBinding {
  readonly binding: Binding
  readonly scope: Node
}

/** By their names, in the order in which they are written. */
export type Bindings = ReadonlyMap<string, readonly ScopedBinding[]>

/** Without what says nothing of the value: types, parentheses. */
export function bare(given: Node): Node {
  const node = unwrapped(given)
  const { type } = node
  // What takes Connect middleware for a Controller says no more of it than the middleware itself.
  const isWrapper = type === 'CallExpression' && (node['callee'] as Node)['name'] === 'fromConnect'
  const [wrapped] = isWrapper ? (node['arguments'] as readonly Node[]) : []
  return wrapped === undefined ? node : bare(wrapped)
}

/** `name` is `*` for all that a module exports. */
export interface Imported {
  readonly kind: 'import'
  readonly from: string
  readonly name: string
}

/** Of `for (const name of list)` the value is the list. */
export type Binding = 'parameter' | { readonly kind: 'value' | 'each'; readonly node: Node } | Imported

/** What a name stands for at an offset, by the innermost scope around that; undefined where that is not to be seen. */
export function findBinding(bindings: Bindings, name: string, offset: number): Binding | undefined {
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
export function namesIn(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern['name'] as string]
  if (pattern.type === 'ObjectProperty') return namesIn(pattern['value'] as Node)
  return [...childrenOf(pattern)].flatMap(namesIn)
}

/** The names that a node declares, with what they stand for. */
export function bindingsOf(node: Node): [name: string, binding: Binding][] {
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
export function assignedName(node: Node): { readonly name: string; readonly value: Node } | undefined {
  const isField = node.type === 'ClassProperty'
  if (!isField && node.type !== 'AssignmentExpression') return undefined
  const member = isField ? undefined : memberOf(node['left'] as Node)
  const name = isField ? nameIn(node['key']) : member?.name
  const value = node[isField ? 'value' : 'right'] as Node | null
  const isModule = member?.object['name'] === 'module' && name === 'exports'
  return name === undefined || !value || isModule ? undefined : { name, value: bare(value) }
}

/** What an object that is written there has by a name. */
export function propertyOf(node: Node, name: string): Node | undefined {
  const object = bare(node)
  if (object.type !== 'ObjectExpression') return undefined
  const found = (object['properties'] as readonly Node[]).findLast((one) => nameIn(one['key']) === name)
  return found?.type === 'ObjectMethod' ? found : (found?.['value'] as Node | undefined)
}
