// What a handler gives to `next`: an error, which a native callback throws.
import { replace } from '../../edit/code.js'
import { isFunction, type Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import { Left } from './reasons.js'
import {
  calleeName,
  isMember,
  isName,
  memberName,
  mentions,
  untyped,
  withoutVoid,
} from '../../syntax/tree.js'
import type { Way } from './way.js'

/** True for `next(error)`. */
export function isNext(draft: Draft, read: Node): boolean {
  const node = withoutVoid(read)
  return node.type === 'CallExpression' && isName(node['callee'] as Node, draft.scope.next)
}

/** `next(error)` becomes `throw error`: natively that goes to the error handlers. */
export function giveToNext(draft: Draft, statement: Node, read: Node, way: Way): void {
  const node = withoutVoid(read)
  const [error, ...others] = node['arguments'] as readonly Node[]
  if (error === undefined) throw new Left('next', node)
  if (others.length > 0 || !isError(draft, error)) throw new Left('next-value', error)
  const callee = node['callee'] as Node
  if (draft.promised !== undefined) {
    checkNothingSet(draft, node, { ...way, isCaught: false })
    draft.understood.add(callee)
    draft.promised.rejects = true
    replace(draft.code, callee.start, callee.end, draft.promised.reject)
    return
  }
  if (way.isCaught) throw new Left('next-in-try', node)
  checkNothingSet(draft, node, way)
  draft.understood.add(callee)
  replace(draft.code, statement.start, error.start, 'throw ')
  replace(draft.code, error.end, node.end, '')
}

/** `throw 'route'` and `throw null` pass a request on in Express, which gives to next what a handler throws. */
export function checkThrown(statement: Node, way: Way): void {
  const thrown = untyped(statement['argument'] as Node)
  const isNothing = thrown.type === 'NullLiteral' || isName(thrown, 'undefined')
  const isNoError = isNothing || (/Literal$/.test(thrown.type) && passing.has(thrown['value']))
  if (isNoError && !way.isCaught) throw new Left('next-value', thrown)
}

const passing: ReadonlySet<unknown> = new Set(['route', 'router', '', 0, false])

/** An error that is given on finds what Express's response has, and that has nothing of what was set natively. */
export function checkNothingSet(draft: Draft, node: Node, way: Way): void {
  if (draft.answers.setAt !== undefined && !way.isCaught) throw new Left('set-first', node)
}

/** True where a part calls something else than its response when a header is set already. */
export function mayThrowBehindSet(draft: Draft, part: Node): boolean {
  const { setAt = Infinity } = draft.answers
  return [...walk(part)].some(({ node }) => {
    if (node.start < setAt || !/^(?:Await|Call|New|TaggedTemplate)Expression$|^Throw/.test(node.type))
      return false
    if (node.type !== 'CallExpression') return true
    const callee = node['callee'] as Node
    const isAnswer = [callee, ...(node['arguments'] as readonly Node[])].some((one) =>
      mentions(one, draft.scope.res),
    )
    return !isAnswer && !draft.scope.isOfRequest(callee)
  })
}

/** True for what surely is an error: one that is made there, or was caught, or asked for. */
function isError(draft: Draft, read: Node): boolean {
  const node = untyped(read)
  if (node.type === 'NewExpression') return true
  if (node.type === 'LogicalExpression' && node['operator'] !== '&&')
    return isError(draft, node['right'] as Node)
  if (node.type === 'CallExpression') {
    const text = draft.source.slice((node['callee'] as Node).start, (node['callee'] as Node).end)
    return /err(?:or)?|exception|boom/i.test(text) || calleeName(node) === 'assign'
  }
  if (node.type !== 'Identifier') return false
  const name = node['name'] as string
  const value = draft.scope.constant(node)
  if (value !== undefined && value.type !== 'Identifier') return isError(draft, value)
  if (draft.values.present.has(name)) return true
  for (const { node: one } of walk(draft.handler)) {
    if (one.start > node.start || one.end < node.end) continue
    if (one.type === 'CatchClause' && isName(one['param'] as Node, name)) return true
    const isRejected =
      one.type === 'CallExpression' &&
      isMember(one['callee'] as Node) &&
      memberName(one['callee'] as Node) === 'catch'
    const [callback] = isRejected ? (one['arguments'] as readonly Node[]) : []
    if (callback && isFunction(callback) && isName((callback['params'] as readonly Node[])[0], name))
      return true
  }
  return false
}
