// Which names a file can import as they are.
import type { Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import { isLabel, isName } from '../../syntax/tree.js'

/** True for a name of a module that stands for nothing else in a file. */
export function isFreeIn(program: Node, name: string, from = 'routecontrollers/express'): boolean {
  return (
    isImported(program, name, from) ||
    ![...walk(program)].some((placed) => isName(placed.node, name) && !isLabel(placed))
  )
}

function isImported(program: Node, name: string, from: string): boolean {
  return (program['body'] as readonly Node[]).some(
    (one) =>
      one.type === 'ImportDeclaration' &&
      (one['source'] as Node)['value'] === from &&
      (one['specifiers'] as readonly Node[]).some(
        (specifier) =>
          isName(specifier['imported'] as Node | undefined, name) && isName(specifier['local'] as Node, name),
      ),
  )
}
