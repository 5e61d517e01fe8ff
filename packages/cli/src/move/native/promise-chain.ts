// An answer in the callbacks of a promise: `load().then((found) => res.json(found)).catch(next)`.
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import { Left } from './reasons.js'
import { isInlineFunction, isMember, isName, memberName, mentions, untyped } from '../../syntax/tree.js'
import { isStrange, whyStrange } from './unknown-uses.js'
import type { Walker, Way } from './way.js'
import { givesOn } from './wrapper.js'

interface Step {
  readonly name: string
  readonly node: Node
  readonly object: Node
  readonly arguments: readonly Node[]
}

/** True for `load().then((found) => res.json(found))`, which may be awaited. */
export function isPromise(draft: Draft, read: Node): boolean {
  const node = untyped(read)
  if (node.type === 'AwaitExpression') return isPromise(draft, node['argument'] as Node)
  const steps = stepsOf(node)
  return steps.some(
    ({ name, arguments: all }) =>
      name === 'then' && all.some((one) => isInlineFunction(one) && mentions(one, draft.scope.res)),
  )
}

/** Runs over the callbacks of a promise: each path through them answers. */
export function promiseChain(draft: Draft, walker: Walker, read: Node, way: Way): void {
  const node = untyped(read)
  if (node.type === 'AwaitExpression') return promiseChain(draft, walker, node['argument'] as Node, way)
  const steps = stepsOf(node)
  const { next } = draft.scope
  const isNext = (one: Node): boolean => isName(one, next)
  const { object } = steps[0]!
  if (isStrange(draft, object)) throw whyStrange(draft, object)
  // Whether what is thrown in a callback comes to a catch that does something else.
  const isCaughtFrom = (at: number): boolean =>
    way.isCaught ||
    steps.slice(at).some(({ name, arguments: [given] }) => name === 'catch' && !givesOn(given, isNext))
  let hasAnswered = false
  for (const [at, { name, node: call, object: before, arguments: all }] of steps.entries()) {
    const isAnswering = all.some((one) => mentions(one, draft.scope.res))
    if (name === 'catch' && givesOn(all[0], isNext)) {
      if (all.length !== 1 || at < steps.findLastIndex((one) => one.name === 'then'))
        throw new Left('next', call)
      for (const { node: one } of walk(all[0]!)) if (isName(one, next)) draft.understood.add(one)
      replace(draft.code, before.end, call.end, '')
    } else if (isAnswering) {
      if (hasAnswered && name === 'then') throw new Left('after-answer', all[0]!)
      if (name === 'finally' || (name === 'catch' && !hasAnswered)) throw new Left('callback', call)
      for (const one of all) {
        if (!isInlineFunction(one) || one['generator'] === true) throw new Left('callback', one)
        walker.function(one, isCaughtFrom(at + 1))
      }
      hasAnswered = true
    } else if (hasAnswered && name !== 'finally') throw new Left('no-answer', call)
  }
  if (!hasAnswered) throw new Left('no-answer', node)
}

/** The calls of `load().then(…).catch(…)`, in their order. */
function stepsOf(node: Node): Step[] {
  const steps: Step[] = []
  let at = node
  while (at.type === 'CallExpression' && isMember(at['callee'] as Node)) {
    const callee = at['callee'] as Node
    const name = memberName(callee) ?? ''
    if (!/^(?:then|catch|finally)$/.test(name)) break
    const object = callee['object'] as Node
    steps.unshift({ name, node: at, object, arguments: at['arguments'] as readonly Node[] })
    at = object
  }
  return steps
}
