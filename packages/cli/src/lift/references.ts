// Where a name of a file's top level is used in it.
import type { SourceFile } from '../edit/source-file.js'
import { lineStarts } from '../edit/source-file.js'
import { declarationsIn, namesDeclaredBy } from '../syntax/declarations.js'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'

/** The places of a name, without that of its declaration and those where it means something else. */
export function referencesOf({ program }: SourceFile, name: string): readonly Node[] {
  const declarations = declarationsIn(program)
  const placed = [...walk(program)]
  const declared = new Set(
    placed.flatMap(({ node }) =>
      node.type === 'VariableDeclarator' ? namesDeclaredBy(node['id'] as Node) : [],
    ),
  )
  return placed.flatMap(({ node, parent }) => {
    if (!/^(?:JSX)?Identifier$/.test(node.type) || node['name'] !== name || declared.has(node)) return []
    if (parent === undefined || isNoReference(node, parent)) return []
    const scope = declarations.of(node)?.scope
    return scope === undefined || scope === program ? [node] : []
  })
}

/** A name of a member, of a property, or of what is imported here. */
function isNoReference(node: Node, parent: Node): boolean {
  const { type } = parent
  const isComputed = parent['computed'] === true
  if (/MemberExpression$/.test(type)) return parent['property'] === node && !isComputed
  if (/^(?:Object|Class)(?:Property|Method)$|^TS(?:Property|Method)Signature$/.test(type))
    return parent['key'] === node && parent['value'] !== node && !isComputed
  if (/^Import\w*Specifier$/.test(type)) return true
  if (type === 'TSImportEqualsDeclaration') return parent['id'] === node
  return type === 'ExportSpecifier' && parent['exported'] === node && parent['local'] !== node
}

/** The line of a place, from 1. */
export function lineAt({ text }: SourceFile, offset: number): number {
  return lineStarts(text).filter((start) => start <= offset).length
}
