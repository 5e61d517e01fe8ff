// A function of the project that a handler gives its response to, as a native callback calls it.
import type MagicString from 'magic-string'
import type { Node } from '../syntax/parser.js'
import type { Answers, ExpressName } from './native-answer.js'
import { Left } from './native-reasons.js'
import type { Roles } from './native-scope.js'
import { isName, statementsOf, untyped, withoutVoid } from './native-tree.js'

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

/** Where a path of a helper ends. */
interface End {
  readonly hasAnswered: boolean
  /** What it returns, as far as that is known. */
  readonly value: Gate | undefined
}

/** Runs over a helper that answers on some paths, and leaves its answers where they are: what it returns says which. */
export class GateWalk {
  readonly #answers: Answers
  /** Refuses what has not been understood within a node. */
  readonly #refuse: (node: Node) => void

  constructor(answers: Answers, refuse: (node: Node) => void) {
    this.#answers = answers
    this.#refuse = refuse
  }

  /** What the helper does with the response. */
  kind(body: Node): 'state' | Gate {
    const ends: End[] = []
    if (body.type === 'BlockStatement') {
      if (!this.#block(statementsOf(body), ends)) ends.push({ hasAnswered: false, value: 'falsy' })
    } else ends.push(this.#returned(body))
    const answering = ends.filter(({ hasAnswered }) => hasAnswered)
    if (answering.length === 0) return 'state'
    const [{ value }] = answering as [End]
    if (value === undefined || answering.some((one) => one.value !== value)) throw new Left('no-answer', body)
    // What it returns would say that it has answered.
    if (ends.some((one) => !one.hasAnswered && one.value === value)) throw new Left('no-answer', body)
    return value
  }

  /** True where each path has ended. */
  #block(statements: readonly Node[], ends: End[]): boolean {
    let isFailing = false
    for (const [at, statement] of statements.entries()) {
      const behind = statements.slice(at + 1)
      const expression =
        statement.type === 'ExpressionStatement' ? untyped(statement['expression'] as Node) : undefined
      if (expression !== undefined && this.#answers.isAnswer(withoutVoid(expression))) {
        this.#answers.answer(withoutVoid(expression), isFailing)
        const [last, ...others] = behind
        if (others.length > 0 || (last !== undefined && last.type !== 'ReturnStatement'))
          throw new Left('after-answer', statement)
        const value = (last?.['argument'] ?? undefined) as Node | undefined
        if (value) this.#refuse(value)
        ends.push({ hasAnswered: true, value: value === undefined ? 'falsy' : truthOf(value) })
        return true
      }
      if (expression !== undefined && this.#answers.isState(expression)) {
        isFailing = this.#answers.state(expression) || isFailing
        const next = behind[0]
        const after = (next?.['expression'] ?? next?.['argument']) as Node | undefined
        const isFollowed =
          after && (this.#answers.isState(after) || this.#answers.isAnswer(withoutVoid(after)))
        if (isFailing && !isFollowed) throw new Left('error-first', statement)
        continue
      }
      if (this.#ends(statement, ends, isFailing)) return true
    }
    return false
  }

  #ends(statement: Node, ends: End[], isFailing: boolean): boolean {
    switch (statement.type) {
      case 'BlockStatement':
        return this.#block(statementsOf(statement), ends)
      case 'ReturnStatement': {
        const value = statement['argument'] as Node | null
        ends.push(value === null ? { hasAnswered: false, value: 'falsy' } : this.#returned(value, isFailing))
        return true
      }
      case 'ThrowStatement':
        this.#refuse(statement)
        return true
      case 'IfStatement': {
        this.#refuse(statement['test'] as Node)
        const alternate = statement['alternate'] as Node | null
        const first = this.#block(statementsOf(statement['consequent'] as Node), ends)
        const second = alternate ? this.#block(statementsOf(alternate), ends) : false
        return first && second
      }
      case 'TryStatement': {
        const { block, handler, finalizer } = statement as unknown as Record<'block', Node> &
          Record<'handler' | 'finalizer', Node | null>
        if (finalizer) this.#refuse(statement)
        const tried = this.#block(statementsOf(block), ends)
        const caught = handler ? this.#block(statementsOf(handler['body'] as Node), ends) : true
        return tried && caught
      }
      default:
        this.#refuse(statement)
        return false
    }
  }

  #returned(read: Node, isFailing = false): End {
    const value = withoutVoid(read)
    if (!this.#answers.isAnswer(value)) {
      this.#refuse(value)
      return { hasAnswered: false, value: truthOf(value) }
    }
    this.#answers.answer(value, isFailing)
    const isVoid = value !== untyped(read)
    return { hasAnswered: true, value: isVoid ? 'falsy' : 'truthy' }
  }
}

function truthOf(read: Node): Gate | undefined {
  const node = untyped(read)
  if (node.type === 'BooleanLiteral') return node['value'] === true ? 'truthy' : 'falsy'
  if (node.type === 'NullLiteral' || isName(node, 'undefined')) return 'falsy'
  if (node.type === 'UnaryExpression' && node['operator'] === 'void') return 'falsy'
  return /^(?:Object|Array)Expression$/.test(node.type) ? 'truthy' : undefined
}
