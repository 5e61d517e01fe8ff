// Uses of `res` and `next` that no part of a translation has understood, and the reason that each of them is.
import { isFunction, type Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import { helperCall } from './helper-calls.js'
import { Left } from './reasons.js'
import { isSharedMember } from './request.js'
import { calleeName, isLabel, isMember, isName, memberName, mentions } from '../../syntax/tree.js'

export function usesResponse(draft: Draft, node: Node): boolean {
  return mentions(node, draft.scope.res)
}

/** Refuses what has not been understood. */
export function checkLeftOver(draft: Draft, body: Node): void {
  const { res, next } = draft.scope
  for (const placed of walk(body)) {
    const { node, parent } = placed
    if (isLabel(placed)) continue
    if (isName(node, next) && !draft.understood.has(node)) throw new Left('next', node)
    if (isName(node, res) && !draft.answers.understood.has(node) && !isShared(parent))
      throw whyStrange(draft, parent ?? node)
  }
}

/** True for what uses `res` for something else than its locals. */
export function isStrange(draft: Draft, node: Node): boolean {
  return [...walk(node)].some(
    (placed) => isName(placed.node, draft.scope.res) && !isLabel(placed) && !isShared(placed.parent),
  )
}

/** Why a use of `res` within a node is none that is understood. */
export function whyStrange(draft: Draft, node: Node): Left {
  const at = [...walk(node)].find((placed) => isName(placed.node, draft.scope.res) && !isLabel(placed))!.node
  const passing = [...walk(node)].find(
    ({ node: one }) => one.type === 'CallExpression' && (one['arguments'] as readonly Node[]).includes(at),
  )
  if (passing) {
    const call = helperCall(draft, passing.node)
    const known = call && draft.place.findHelper!(call, false)
    const isGate = known !== undefined && /^(?:falsy|truthy)$/.test(known.kind)
    return new Left(isGate ? 'gate' : 'res-passed', at, calleeName(passing.node) ?? 'a function')
  }
  const around = [...walk(draft.handler['body'] as Node)].some(
    ({ node: one }) => isFunction(one) && one.start <= at.start && at.end <= one.end,
  )
  return new Left(around ? 'callback' : 'expression', at)
}

/** True for `res.locals`, `res.app` and `res.__`. */
function isShared(parent: Node | undefined): boolean {
  return isMember(parent) && isSharedMember(memberName(parent))
}
