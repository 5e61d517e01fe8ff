// Names that are there behind a test.
import type { Node } from '../../syntax/parser.js'
import { isName, untyped } from '../../syntax/tree.js'

/** Names that are there where a test holds, or where it does not. */
export function presentIn(read: Node, holds: boolean): string[] {
  const test = untyped(read)
  if (test.type === 'Identifier') return holds ? [test['name'] as string] : []
  if (test.type === 'UnaryExpression' && test['operator'] === '!')
    return presentIn(test['argument'] as Node, !holds)
  if (test.type === 'LogicalExpression' && test['operator'] === (holds ? '&&' : '||'))
    return [test['left'], test['right']].flatMap((one) => presentIn(one as Node, holds))
  if (test.type !== 'BinaryExpression') return []
  const operator = test['operator'] as string
  const [left, right] = [test['left'], test['right']] as [Node, Node]
  const isNothing = right.type === 'NullLiteral' || isName(right, 'undefined')
  const isSure = operator.length === 2 || isName(right, 'undefined')
  return left.type === 'Identifier' && isNothing && isSure && operator.startsWith(holds ? '!' : '=')
    ? [left['name'] as string]
    : []
}
