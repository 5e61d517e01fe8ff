// Tests by a helper that may have answered: `if (!allowed(req, res)) return`.
import type { Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import type { HelperCall, KnownHelper } from './helper.js'
import { callHelper, helperCall, isLate } from './helper-calls.js'
import { Left } from './reasons.js'
import { isName, statementsOf, untyped } from '../../syntax/tree.js'
import type { Walker, Way } from './way.js'

/** A test that a helper decides. */
interface GateTest {
  readonly call: HelperCall
  readonly known: KnownHelper
  /** Whether it holds where the helper has answered. */
  readonly holds: boolean
}

/** The helper of a test that says whether it has answered, and whether the test holds then. */
export function gateIn(draft: Draft, read: Node): GateTest | undefined {
  if (draft.promised !== undefined) return undefined
  const test = untyped(read)
  const isNegated = test.type === 'UnaryExpression' && test['operator'] === '!'
  const call = helperCall(draft, isNegated ? (test['argument'] as Node) : test)
  const known = call && draft.place.findHelper!(call, false)
  if (known === undefined || !/^(?:falsy|truthy)$/.test(known.kind) || isLate(call!, known)) return undefined
  return { call: call!, known, holds: (known.kind === 'truthy') !== isNegated }
}

/** `const session = check(req, res)` with `if (!session) return` behind it, or `if (session) { … }` and nothing else: gives that one. */
export function gatedBy(
  draft: Draft,
  statement: Node,
  [next, ...others]: readonly Node[],
  way: Way,
): { readonly test: Node; readonly isHeld: boolean } | undefined {
  if (draft.promised !== undefined) return undefined
  if (statement.type !== 'VariableDeclaration' || next?.type !== 'IfStatement') return undefined
  const [only, ...more] = statement['declarations'] as readonly { id: Node; init: Node | null }[]
  if (only?.id.type !== 'Identifier' || !only.init || more.length > 0) return undefined
  const call = helperCall(draft, only.init)
  const known = call && draft.place.findHelper!(call, false)
  if (known?.kind !== 'falsy' || isLate(call!, known)) return undefined
  const test = untyped(next['test'] as Node)
  // Another question, as whether it is undefined, would let on what is null.
  const name = only.id['name'] as string
  const isRefused =
    test.type === 'UnaryExpression' &&
    test['operator'] === '!' &&
    isName(untyped(test['argument'] as Node), name) &&
    isBareReturn(next['consequent'] as Node)
  const isHeld = isName(test, name) && way.isTail && others.length === 0 && !isInSwitch(draft, call!.call)
  if ((!isRefused && !isHeld) || next['alternate']) return undefined
  callHelper(draft, call!, known)
  draft.values.present.add(name)
  return { test: next, isHeld }
}

/** An `if` that a helper decides: where that has answered, nothing may follow. */
export function runGate(
  draft: Draft,
  walker: Walker,
  { call, known, holds }: GateTest,
  { consequent, alternate }: { readonly consequent: Node; readonly alternate: Node | null },
  way: Way,
): boolean {
  callHelper(draft, call, known)
  const [answered, other] = holds ? [consequent, alternate] : [alternate, consequent]
  // Where no return stands, what is behind must be nothing: in a switch that would be the next case.
  if (answered ? !isBareReturn(answered) : !way.isTail || isInSwitch(draft, call.call))
    throw new Left('after-answer', call.call)
  if (!other) return false
  const ends = walker.block(statementsOf(other), way)
  if (!answered && !ends) throw new Left('no-answer', other)
  return ends
}

function isInSwitch(draft: Draft, { start, end }: Node): boolean {
  return [...walk(draft.handler)].some(
    ({ node }) => node.type === 'SwitchStatement' && node.start <= start && end <= node.end,
  )
}

/** True for `return` alone: natively the answer that was made counts. */
function isBareReturn(node: Node): boolean {
  const [only, ...others] = statementsOf(node)
  return only?.type === 'ReturnStatement' && !only['argument'] && others.length === 0
}
