// A try around statements, which goes where its catch does what happens natively.
import { replace } from '../../edit/code.js'
import { isFunction, type Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import { hasComment, indentAt, outdent } from './lines.js'
import { checkNothingSet, isNext, mayThrowBehindSet } from './next.js'
import { Left } from './reasons.js'
import { isName, mentions, statementsOf, withoutVoid } from '../../syntax/tree.js'
import { usesResponse } from './unknown-uses.js'
import type { Walker, Way } from './way.js'

export function tryStatement(draft: Draft, walker: Walker, statement: Node, way: Way): boolean {
  const { block, handler, finalizer } = statement as unknown as Record<'block', Node> &
    Record<'handler' | 'finalizer', Node | null>
  if (finalizer && usesResponse(draft, statement)) {
    const isHarmless = ![...walk(finalizer, isFunction)].some(({ node: { type } }) =>
      /^(?:Return|Throw|Await|Break|Continue)/.test(type),
    )
    if (!isHarmless || usesResponse(draft, finalizer)) throw new Left('before-finally', finalizer)
  }
  const givesOnly = handler !== null && givesOn(draft, handler)
  if (givesOnly && !finalizer && unwrap(draft, walker, statement, way)) {
    const isAnswered = walker.block(statementsOf(block), way)
    if (mayThrowBehindSet(draft, block)) checkNothingSet(draft, handler, way)
    return isAnswered
  }
  const isCaught = way.isCaught || (handler !== null && !givesOnly)
  const tried = walker.block(statementsOf(block), { ...way, isCaught })
  const caught = handler ? walker.block(statementsOf(handler['body'] as Node), way) : true
  return tried && caught
}

/** True for `catch (error) { next(error) }`. */
function givesOn(draft: Draft, handler: Node): boolean {
  const statements = statementsOf(handler['body'] as Node)
  const [first, second] = statements
  const value = (first?.['expression'] ?? first?.['argument']) as Node | undefined
  if (!value || !/^(?:Expression|Return)Statement$/.test(first!.type)) return false
  if (
    statements.length > 1 &&
    (statements.length > 2 || second!.type !== 'ReturnStatement' || second!['argument'])
  )
    return false
  const param = handler['param'] as Node | null
  const call = withoutVoid(value)
  const [given] = (call['arguments'] as readonly Node[] | undefined) ?? []
  return isNext(draft, call) && param?.type === 'Identifier' && isName(given, param['name'] as string)
}

/** Takes the try around statements away, whose catch does what happens natively. False where it has to stay. */
function unwrap(draft: Draft, walker: Walker, statement: Node, way: Way): boolean {
  const handler = statement['handler'] as Node
  const statements = statementsOf(statement['block'] as Node)
  const [first, last] = [statements[0], statements.at(-1)]
  const [given] = statementsOf(handler['body'] as Node)
  const all = way.list
  // What an outer try catches natively, it would not in Express.
  if (way.isCaught || draft.isUnwrapped || draft.promised !== undefined) return false
  // Behind a catch that does not return the handler goes on.
  if (!way.isTail && given!.type !== 'ReturnStatement') return false
  if (first === undefined || last === undefined || !all.includes(statement)) return false
  const [outer, inner] = [all.filter((one) => one !== statement), statements].map(declaredBy)
  // What is declared within would be declared again, or hide what is used before.
  if (
    inner!.some(
      (name) => outer!.includes(name) || all.some((one) => one !== statement && mentions(one, name)),
    )
  )
    return false
  const source = draft.source
  const open = source.indexOf('{', statement.start) + 1
  const close = source.lastIndexOf('}', handler.start)
  const [head, tail] = [source.slice(open, first.start), source.slice(last.end, close)]
  if (hasComment(source.slice(close, statement.end)) || hasComment(source.slice(statement.start, open)))
    return false
  for (const { node } of walk(handler['body'] as Node))
    if (isName(node, draft.scope.next)) draft.understood.add(node)
  const start = hasComment(head) ? open + /^\s*/.exec(head)![0].length : first.start
  const end = hasComment(tail) ? last.end + tail.trimEnd().length : last.end
  draft.isUnwrapped = true
  replace(draft.code, statement.start, start, '')
  replace(draft.code, end, statement.end, '')
  outdent(draft, start, end, indentAt(source, statement.start), indentAt(source, start))
  return true
}

/** The names that statements declare for those beside them. */
function declaredBy(statements: readonly Node[]): string[] {
  return statements.flatMap((one) => {
    if (one.type === 'VariableDeclaration')
      return (one['declarations'] as readonly Node[]).flatMap(({ id }) => idsOf(id as Node))
    return /Declaration$/.test(one.type) && one['id'] ? [(one['id'] as Node)['name'] as string] : []
  })
}

function idsOf(pattern: Node): string[] {
  return [...walk(pattern)].flatMap(({ node }) =>
    node.type === 'Identifier' ? [node['name'] as string] : [],
  )
}
