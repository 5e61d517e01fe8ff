// A function of the project that a handler gives its response to, as a native callback calls it.
import type MagicString from 'magic-string'
import type { Node } from '../../syntax/parser.js'
import type { ExpressName } from './answers.js'
import type { Roles } from './scope.js'
import { isName, untyped, withoutVoid } from '../../syntax/tree.js'

/**
 * What a helper does with the response: it answers on each path, it sets headers alone, or it answers on some paths and tells so by what
 * it returns.
 */
type HelperKind = 'answer' | 'state' | Gate

/** What a helper returns where it has answered. */
export type Gate = 'falsy' | 'truthy'

/** A call that hands the response on. */
export interface HelperCall {
  /** With the `await` before it. */
  readonly node: Node
  readonly call: Node
  readonly callee: Node
  readonly roles: Roles
}

/** How a helper is called natively. */
export interface KnownHelper {
  readonly kind: HelperKind
  /** What stands in the place of its name; undefined where it is called as it is. */
  readonly name: string | undefined
  readonly isAsync: boolean
  readonly mayHaveType: boolean
  /** Writes its native form. */
  readonly write: () => void
}

/** The native form of a helper. */
export interface HelperForm {
  readonly kind: HelperKind
  readonly code: MagicString
  readonly mayHaveType: boolean
  /** The helpers that it calls itself. */
  readonly helpers: readonly KnownHelper[]
  /** What its file imports of `routecontrollers/express`. */
  readonly imports: readonly ExpressName[]
}

/** Finds what a handler may call, and writes what it needs for that; undefined for what is no function of the project. */
export type FindHelper = (call: HelperCall, isAnswer: boolean) => KnownHelper | undefined

/** Reads `helper(…, res)`; undefined for any other expression. */
export function helperCallOf(
  read: Node,
  {
    req,
    res,
    next,
  }: { readonly req: string | undefined; readonly res: string; readonly next: string | undefined },
  isSent: (node: Node) => boolean,
): HelperCall | undefined {
  const node = withoutVoid(read)
  const call = untyped(node.type === 'AwaitExpression' ? (node['argument'] as Node) : node)
  if (call.type !== 'CallExpression') return undefined
  const parameters = call['arguments'] as readonly Node[]
  const at = (name: string | undefined): number | undefined => {
    const found = parameters.findIndex((one) => isName(one, name))
    return found < 0 ? undefined : found
  }
  const given = at(res)
  if (given === undefined || at(next) !== undefined) return undefined
  if (parameters.some(({ type }) => type === 'SpreadElement')) return undefined
  const sent = parameters.flatMap((one, index) => (isSent(one) ? [index] : []))
  const roles = { req: at(req), res: given, next: undefined, sent }
  return { node, call, callee: call['callee'] as Node, roles }
}
