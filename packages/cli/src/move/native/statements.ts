// Runs over the statements of a handler: each path through them has to answer.
import type MagicString from 'magic-string'
import { replace } from '../../edit/code.js'
import { isFunction, type Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Draft } from './draft.js'
import { gatedBy, gateIn, runGate } from './gates.js'
import { answeringHelper, callHelper, isHelperOfState } from './helper-calls.js'
import { answersLater, callbacksOf, giveToPromise } from './late-answers.js'
import { dropBehind } from './lines.js'
import { checkNothingSet, checkThrown, giveToNext, isNext } from './next.js'
import { presentIn } from './present.js'
import { isPromise, promiseChain } from './promise-chain.js'
import { Left } from './reasons.js'
import { isIgnored, statementsOf, untyped, withoutVoid } from '../../syntax/tree.js'
import { tryStatement } from './tries.js'
import { isStrange, whyStrange } from './unknown-uses.js'
import type { Walker, Way } from './way.js'

export class Statements implements Walker {
  readonly #draft: Draft

  constructor(draft: Draft) {
    this.#draft = draft
  }

  /** A function that answers: the handler, or a callback of its promise. */
  function(one: Node, isCaught: boolean): void {
    const body = one['body'] as Node
    if (body.type === 'BlockStatement') {
      const ends = this.block(body['body'] as readonly Node[], { list: [], isTail: true, isCaught })
      if (!ends && this.#draft.promised === undefined) throw new Left('no-answer', body)
    } else this.#returned(body, isCaught)
  }

  /** Runs over statements; true where each path through them has ended. */
  block(statements: readonly Node[], way: Way): boolean {
    const present = new Set(this.#draft.values.present)
    const { type } = this.#draft.answers.set
    try {
      return this.#statements(statements, way)
    } finally {
      this.#draft.answers.set.type = type
      this.#draft.values.present.clear()
      for (const name of present) this.#draft.values.present.add(name)
    }
  }

  #statements(statements: readonly Node[], way: Way): boolean {
    let isFailing = false
    /** What a helper decides of, and was understood with its call. */
    let skipped: Node | undefined
    for (const [at, statement] of statements.entries()) {
      const behind = statements
        .slice(at + 1)
        .filter(({ type }) => !/^(?:Function|TS\w*)Declaration$/.test(type))
      const isLast = behind.length === 0
      const here = { list: statements, isTail: way.isTail && isLast, isCaught: way.isCaught }
      if (statement.type === 'ExpressionStatement') {
        const expression = untyped(statement['expression'] as Node)
        const answer = withoutVoid(expression)
        if (this.#isEnd(answer)) {
          this.#ending(statement, answer, behind, here, isFailing)
          return true
        }
        if (isHelperOfState(this.#draft, expression)) continue
        if (this.#draft.answers.isState(expression)) {
          isFailing = this.#draft.answers.state(expression) || isFailing
          const next = behind[0]
          const after = (next?.['expression'] ?? next?.['argument']) as Node | undefined
          // What throws in between would find the status on the response of Express.
          if (
            isFailing &&
            !(
              after &&
              (this.#draft.answers.isState(after) || this.#draft.answers.isAnswer(withoutVoid(after)))
            )
          )
            throw new Left('error-first', statement)
          continue
        }
      }
      if (answersLater(this.#draft, this, statement, behind, here)) return true
      const gated = gatedBy(this.#draft, statement, behind, way)
      if (gated?.isHeld === true) {
        if (!this.block(statementsOf(gated.test['consequent'] as Node), way))
          throw new Left('no-answer', gated.test)
        return true
      }
      if (gated !== undefined) {
        skipped = gated.test
        continue
      }
      if (statement === skipped) continue
      if (isFailing && statement.type === 'ReturnStatement') {
        const answer = withoutVoidIn(this.#draft.code, statement['argument'] as Node)
        giveToPromise(this.#draft, answer)
        this.#draft.answers.answer(answer, true)
        if (behind.length > 0) throw new Left('after-answer', behind[0]!)
        return true
      }
      if (this.#ends(statement, here)) {
        if (behind.length > 0) throw new Left('after-answer', behind[0]!)
        return true
      }
    }
    return false
  }

  /** An answer, or what gives an error on, that is a statement. */
  #ending(statement: Node, answer: Node, behind: readonly Node[], way: Way, isFailing: boolean): void {
    const [after] = behind
    const isReturned = after?.type === 'ReturnStatement' && isIgnored(after['argument'] as Node | null)
    if (!isReturned && !way.isTail) throw new Left('after-answer', statement)
    if (behind.length > 1) throw new Left('after-answer', behind[1]!)
    const expression = statement['expression'] as Node
    if (answer !== untyped(expression)) replace(this.#draft.code, expression.start, answer.start, '')
    if (isNext(this.#draft, answer)) giveToNext(this.#draft, statement, answer, way)
    else {
      if (this.#draft.promised === undefined) this.#draft.code.appendRight(answer.start, 'return ')
      this.#answer(answer, way, isFailing)
    }
    if (isReturned && this.#draft.promised === undefined) dropBehind(this.#draft, statement, after)
  }

  /** Runs over one statement; true where each path through it has ended. */
  #ends(statement: Node, way: Way): boolean {
    switch (statement.type) {
      case 'BlockStatement':
        return this.block(statement['body'] as readonly Node[], way)
      case 'IfStatement':
        return this.#if(statement, way)
      case 'TryStatement':
        return tryStatement(this.#draft, this, statement, way)
      case 'SwitchStatement':
        return this.#switch(statement, way)
      case 'ReturnStatement': {
        const argument = statement['argument'] as Node | null
        if (!argument && this.#draft.promised !== undefined) return true
        if (!argument) throw new Left('no-answer', statement)
        if (isNext(this.#draft, argument)) giveToNext(this.#draft, statement, argument, way)
        else this.#returned(argument, way.isCaught)
        return true
      }
      case 'ThrowStatement':
        checkThrown(statement, way)
        checkNothingSet(this.#draft, statement, way)
        return true
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        // Behind a turn of the loop comes the next one.
        this.block(statementsOf(statement['body'] as Node), { ...way, isTail: false })
        return false
      case 'LabeledStatement':
        if (isStrange(this.#draft, statement)) throw new Left('label', statement)
        return false
      default:
        if (isStrange(this.#draft, statement)) throw whyStrange(this.#draft, statement)
        return false
    }
  }

  #if(statement: Node, way: Way): boolean {
    const { test, consequent, alternate } = statement as unknown as Record<'test' | 'consequent', Node> & {
      readonly alternate: Node | null
    }
    const gate = gateIn(this.#draft, test)
    if (gate !== undefined) return runGate(this.#draft, this, gate, { consequent, alternate }, way)
    const { present } = this.#draft.values
    const before = new Set(present)
    for (const name of presentIn(test, true)) present.add(name)
    const first = this.block(statementsOf(consequent), way)
    present.clear()
    for (const name of before) present.add(name)
    const missing = presentIn(test, false)
    for (const name of missing) present.add(name)
    const second = alternate ? this.block(statementsOf(alternate), way) : false
    if (!first) for (const name of missing) if (!before.has(name)) present.delete(name)
    return first && second
  }

  #switch(statement: Node, way: Way): boolean {
    const cases = statement['cases'] as readonly Node[]
    let ends = cases.some((one) => one['test'] === null)
    let fallsInto = false
    const results = cases.map((one, at) => {
      const whole = one['consequent'] as readonly Node[]
      const isBlock = whole.length === 1 && whole[0]!.type === 'BlockStatement'
      const statements = isBlock ? statementsOf(whole[0]!) : whole
      const last = statements.at(-1)
      const isBroken = last?.type === 'BreakStatement' && !last['label']
      const own = isBroken ? statements.slice(0, -1) : statements
      const isTail = way.isTail && (isBroken || at === cases.length - 1)
      const ended = this.block(own, { ...way, isTail })
      if (ended && isBroken && this.#draft.promised === undefined) dropBehind(this.#draft, own.at(-1)!, last)
      const leaves = own.some(leavesSwitch)
      return { ended: ended && !leaves, isLeft: isBroken || leaves }
    })
    for (const { ended, isLeft } of results.toReversed()) {
      fallsInto = ended || (!isLeft && fallsInto)
      ends &&= fallsInto
    }
    return ends
  }

  #returned(read: Node, isCaught: boolean): void {
    const argument = withoutVoidIn(this.#draft.code, read)
    const isLate = this.#draft.promised !== undefined
    if (argument.type === 'CallExpression' && isNext(this.#draft, argument)) {
      if (!isLate) throw new Left('no-answer', argument)
      return giveToNext(this.#draft, argument, argument, { list: [], isTail: true, isCaught })
    }
    if (
      this.#draft.answers.isAnswer(argument) ||
      (isPromise(this.#draft, argument) && !isLate) ||
      answeringHelper(this.#draft, argument) !== undefined
    )
      return this.#answer(argument, { list: [], isTail: true, isCaught }, false)
    if (isLate && argument.type === 'CallExpression') return callbacksOf(this.#draft, this, argument)
    if (isStrange(this.#draft, argument)) throw whyStrange(this.#draft, argument)
    if (!isLate) throw new Left('other-value', argument)
  }

  /** True for what ends a path: an answer, a promise of one, or what gives an error on. */
  #isEnd(node: Node): boolean {
    return (
      this.#draft.answers.isAnswer(node) ||
      isNext(this.#draft, node) ||
      (this.#draft.promised === undefined && isPromise(this.#draft, node)) ||
      answeringHelper(this.#draft, node) !== undefined
    )
  }

  #answer(node: Node, way: Way, isFailing: boolean): void {
    giveToPromise(this.#draft, node)
    const helper = answeringHelper(this.#draft, node)
    if (helper !== undefined) {
      // What it does before it answers may throw.
      if (isFailing) throw new Left('error-first', node)
      callHelper(this.#draft, helper.call, helper.known)
    } else if (!isPromise(this.#draft, node)) this.#draft.answers.answer(node, isFailing)
    else if (isFailing) throw new Left('error-first', node)
    else promiseChain(this.#draft, this, node, way)
  }
}

/** True for a statement with a `break` out of the switch that it stands in. */
function leavesSwitch(statement: Node): boolean {
  const isOwn = ({ type }: Node): boolean =>
    isFunction({ type } as Node) || /^(?:For|While|DoWhile|Switch)/.test(type)
  return !isOwn(statement) && [...walk(statement, isOwn)].some(({ node }) => node.type === 'BreakStatement')
}

function withoutVoidIn(code: MagicString, read: Node): Node {
  const node = withoutVoid(read)
  if (node !== untyped(read)) replace(code, read.start, node.start, '')
  return node
}
