// Runs over a helper that answers on some paths, and tells by what it returns on which.
import type { Node } from '../../syntax/parser.js'
import type { Answers } from './answers.js'
import type { Gate } from './helper.js'
import { Left } from './reasons.js'
import { isName, statementsOf, untyped, withoutVoid } from '../../syntax/tree.js'

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
        // The error handler answers on the response of Express.
        if (this.#answers.setAt !== undefined) throw new Left('set-first', statement)
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
