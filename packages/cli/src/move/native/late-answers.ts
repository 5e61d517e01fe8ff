// A call that answers from its callbacks, which stands in a promise natively.
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import { helperCall } from './helper-calls.js'
import { dropBehind, indentAt, reindent } from './lines.js'
import { Left } from './reasons.js'
import {
  isIgnored,
  isInlineFunction,
  isMember,
  isName,
  memberName,
  mentions,
  untyped,
} from '../../syntax/tree.js'
import { isStrange, whyStrange } from './unknown-uses.js'
import type { Promised, Walker, Way } from './way.js'

/**
 * A call that answers from its callbacks, behind which nothing is done: it stands in a promise, which they settle. A callback that never
 * answers leaves the request open in Express, too.
 */
export function answersLater(
  draft: Draft,
  walker: Walker,
  statement: Node,
  behind: readonly Node[],
  way: Way,
): boolean {
  const call = statement.type === 'ExpressionStatement' ? untyped(statement['expression'] as Node) : undefined
  const { res } = draft.scope
  if (call?.type !== 'CallExpression' || helperCall(draft, call) !== undefined) return false
  if (![...walk(call)].some(({ node }) => isInlineFunction(node) && mentions(node, res))) return false
  const [after] = behind
  const isReturned = after?.type === 'ReturnStatement' && isIgnored(after['argument'] as Node | null)
  if ((!isReturned && !way.isTail) || behind.length > 1 || (after && !isReturned)) return false
  if (draft.promised !== undefined) {
    callbacksOf(draft, walker, call)
    return true
  }
  // What the call throws would not come to that catch.
  if (way.isCaught) return false
  const [resolve, reject] = ['resolve', 'reject'] as const
  if (mentions(draft.handler, resolve) || mentions(draft.handler, reject)) return false
  const promised: Promised = { resolve, reject, rejects: false }
  draft.promised = promised
  draft.answers.set.isLate = true
  callbacksOf(draft, walker, call)
  draft.answers.set.isLate = false
  draft.promised = undefined
  writePromise(draft, statement, promised)
  if (isReturned) dropBehind(draft, statement, after)
  return true
}

/** Writes a promise around a statement. */
function writePromise(draft: Draft, statement: Node, { resolve, reject, rejects }: Promised): void {
  const source = draft.source
  const newline = source.includes('\r\n') ? '\r\n' : '\n'
  const indent = indentAt(source, statement.start)
  const step = indent.includes('\t') || /^\t/m.test(source) ? '\t' : '  '
  const type = draft.place.isTyped === true ? '<object>' : ''
  const given = rejects ? `${resolve}, ${reject}` : resolve
  const isOneLine = !source.slice(statement.start, statement.end).includes('\n')
  const [open, close] = isOneLine ? [' ', ' '] : [newline + indent + step, newline + indent]
  draft.code.prependRight(statement.start, `return new Promise${type}((${given}) => {${open}`)
  draft.code.appendLeft(statement.end, `${close}})${source[statement.end - 1] === ';' ? ';' : ''}`)
  reindent(draft, statement.start, statement.end, (line) => draft.code.appendRight(line, step))
}

/** Runs over the functions that a call is given, and that it is a call of. */
export function callbacksOf(draft: Draft, walker: Walker, read: Node): void {
  const { res, next } = draft.scope
  const node = untyped(read)
  if (node.type !== 'CallExpression') throw whyStrange(draft, node)
  const answers = (one: Node): boolean => isInlineFunction(one) && (mentions(one, res) || mentions(one, next))
  const callee = untyped(node['callee'] as Node)
  if (answers(callee)) callback(draft, walker, callee)
  else if (isStrange(draft, callee)) {
    if (!isMember(callee)) throw whyStrange(draft, callee)
    callbacksOf(draft, walker, callee['object'] as Node)
  } else if (isMember(callee) && mentions(callee['object'] as Node, next))
    callbacksOf(draft, walker, callee['object'] as Node)
  for (const one of node['arguments'] as readonly Node[]) {
    if (answers(one)) callback(draft, walker, one)
    else if (isName(one, next) && isMember(callee) && memberName(callee) === 'catch') {
      draft.understood.add(one)
      draft.promised!.rejects = true
      replace(draft.code, one.start, one.end, draft.promised!.reject)
    } else if (isStrange(draft, one)) throw whyStrange(draft, one)
  }
}

function callback(draft: Draft, walker: Walker, one: Node): void {
  if (one['generator'] === true) throw new Left('callback', one)
  walker.function(one, true)
}

/** Gives the answer of a callback to its promise. */
export function giveToPromise(draft: Draft, answer: Node): void {
  if (draft.promised === undefined) return
  draft.code.appendRight(answer.start, `${draft.promised.resolve}(`).appendLeft(answer.end, ')')
}
