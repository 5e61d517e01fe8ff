// What a file exports, as it is written.
import { bindingsOf, propertyOf } from './bindings.js'
import type { Node } from './parser.js'
import { nameIn } from './syntax.js'

/** What a name of an export may stand for: something that is written in the file, or what another one exports. */
export interface Export {
  readonly node?: Node | undefined
  readonly from?: string
  readonly name: string
}

/** What a file exports by a name, the last one first. */
export function findExports(program: Node, name: string): Export[] {
  const found = (program['body'] as readonly Node[]).flatMap((statement): Export[] => {
    const from = nameIn(statement['source'])
    if (statement.type === 'ExportAllDeclaration') return from === undefined ? [] : [{ from, name }]
    if (statement.type === 'ExportDefaultDeclaration') {
      return name === 'default' ? [{ node: statement['declaration'] as Node, name }] : []
    }
    if (statement.type === 'ExpressionStatement') {
      const node = assignedExport(statement['expression'] as Node, name)
      return node === undefined ? [] : [{ node, name }]
    }
    if (statement.type !== 'ExportNamedDeclaration') return []
    const declaration = statement['declaration'] as Node | null
    const declared = declaration && [declaration, ...((declaration['declarations'] ?? []) as readonly Node[])]
    const values = (declared ?? [])
      .flatMap(bindingsOf)
      .flatMap(([own, binding]): Export[] =>
        own === name && typeof binding === 'object' && binding.kind === 'value'
          ? [{ node: binding.node, name }]
          : [],
      )
    const specifiers = (statement['specifiers'] ?? []) as readonly Node[]
    const named = specifiers.flatMap((one): Export[] => {
      if (nameIn(one['exported']) !== name) return []
      const local = nameIn(one['local'])!
      return [from === undefined ? { node: one['local'] as Node, name: local } : { from, name: local }]
    })
    return [...values, ...named]
  })
  return found.reverse()
}

/** `module.exports = …`, `module.exports = { name }`, `exports.name = …`. */
function assignedExport(expression: Node, name: string): Node | undefined {
  if (expression.type !== 'AssignmentExpression') return undefined
  const left = expression['left'] as Node
  const right = expression['right'] as Node
  if (left.type !== 'MemberExpression') return undefined
  const object = left['object'] as Node
  const property = (left['property'] as Node)['name']
  const isExports =
    object['name'] === 'exports' || (object['property'] as Node | undefined)?.['name'] === 'exports'
  if (isExports && property === name) return right
  if (object['name'] !== 'module' || property !== 'exports') return undefined
  if (name === 'default') return right
  return propertyOf(right, name)
}
