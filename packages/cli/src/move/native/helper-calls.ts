// Calls of functions that a handler hands its response to.
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import type { Draft } from './draft.js'
import { type HelperCall, helperCallOf, type KnownHelper } from './helper.js'
import { isMember, isName } from '../../syntax/tree.js'

/** True for a helper that tells or sets something later than it returns. */
export function isLate({ node, call }: HelperCall, { isAsync }: KnownHelper): boolean {
  return isAsync && node === call
}

export function helperCall(draft: Draft, node: Node): HelperCall | undefined {
  return draft.place.findHelper && helperCallOf(node, draft.scope, (one) => draft.scope.isSent(one))
}

/** The helper that a call answers by. */
export function answeringHelper(
  draft: Draft,
  node: Node,
): { readonly call: HelperCall; readonly known: KnownHelper } | undefined {
  const call = helperCall(draft, node)
  const known = call && draft.place.findHelper!(call, true)
  return known?.kind === 'answer' ? { call: call!, known } : undefined
}

/** Calls a helper by its native form. */
export function callHelper(draft: Draft, { call, callee }: HelperCall, known: KnownHelper): void {
  const { name, mayHaveType } = known
  draft.helpers.add(known)
  if (name !== undefined) {
    const own = isMember(callee) ? (callee['property'] as Node) : callee
    replace(draft.code, own.start, own.end, name)
  }
  for (const one of call['arguments'] as readonly Node[])
    if (isName(one, draft.scope.res)) draft.answers.understood.add(one)
  draft.answers.set.mayHaveType ||= mayHaveType
}

/** True for the call of a helper that sets headers alone. */
export function isHelperOfState(draft: Draft, expression: Node): boolean {
  const call = helperCall(draft, expression)
  const known = call && draft.place.findHelper!(call, false)
  if (known?.kind !== 'state' || isLate(call!, known)) return false
  callHelper(draft, call!, known)
  draft.answers.setAt ??= call!.node.end
  return true
}
