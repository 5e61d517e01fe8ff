// Makes a native callback of a handler of Express, where both surely answer alike; pure: text and syntax tree in, text or reason out.
import MagicString from 'magic-string'
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import type { CheckedScript } from '../edit/checked-scripts.js'
import { replace } from '../edit/code.js'
import { Answers, type ExpressName } from './native-answer.js'
import { isFreeIn } from './native-imports.js'
import { functionOf, givesOn } from './native-handler.js'
import { typeInComment } from './jsdoc.js'
import {
  type FindHelper,
  GateWalk,
  type HelperCall,
  helperCallOf,
  type HelperForm,
  type KnownHelper,
} from './native-helper.js'
import { Left, type NativeReasonId } from './native-reasons.js'
import { checkResponse, isSharedMember, RequestReads, type RequestTypes } from './native-request.js'
import { type Roles, Scope } from './native-scope.js'
import {
  calleeName,
  isInlineFunction,
  isLabel,
  isMember,
  isName,
  memberName,
  mentions,
  statementsOf,
  untyped,
  withoutVoid,
} from './native-tree.js'
import { Values } from './native-value.js'

/** A native callback, or why the handler is left as it is. */
export type NativeForm =
  | {
      readonly kind: 'native'
      /** The handler's text with its edits. */
      readonly text: string
      /**
       * Options that its Controller needs: the body stays with the middleware that has parsed it, or unread, as in Express. Undefined for
       * a callback of GET or HEAD that does not read it.
       */
      readonly options: "{ body: 'stream' }" | undefined
      /**
       * The type that `native` needs besides the path, as `native<'/orders/:id', Request>(…)` has it: the one that the handler has given its
       * request. Undefined where the types of a native request do.
       */
      readonly type: string | undefined
      /** The functions that it hands its response to. */
      readonly helpers: readonly KnownHelper[]
      /** What its file has to import of `routecontrollers/express` besides. */
      readonly imports: readonly ExpressName[]
    }
  | {
      readonly kind: 'left'
      readonly id: NativeReasonId
      readonly reason: string
      /** What helps. */
      readonly remedy: string
      /** Where in the source that stands. */
      readonly offset: number
    }

/** Where a handler stands. */
export interface HandlerPlace {
  /** The tree of its file. With it a handler may be a name, a method or what a wrapper of async handlers is given. */
  readonly program?: Node
  /** The method of its route, `GET` or `*`; any, unless given. */
  readonly method?: string
  /** True in TypeScript: what the types of a native request do not have is left. */
  readonly isTyped?: boolean
  /** How the compiler checks its file, where that is JavaScript: its types are comments. */
  readonly script?: CheckedScript | undefined
  /** True where the caller writes the `type` that a form needs; without it such a handler is left. */
  readonly takesType?: boolean
  /** Finds the functions that it hands its response to; without it such a handler is left. */
  readonly findHelper?: FindHelper
  /** The type that validators before it give its request; it counts where the handler has given it none. */
  readonly validatedType?: string | undefined
  /** True where the caller writes the `imports` that a form needs; without it such a handler is left. */
  readonly takesImports?: boolean
}

/**
 * The native form of a handler `(req, res)` or `(req, res, next)`, in a route of Express or under a profile of it.
 *
 * `source` is the whole text that `handler` was parsed from. All bytes outside of the edits stay. A handler is native only where each
 * member that it uses means the same natively, whatever a request brings. Any other handler is left, with the reason.
 *
 * What a name stands for is not known, and some of it is taken for what it nearly always is. The value that `res.json` gets is JSON: for
 * `undefined` a native answer is an error, and that of Express is empty. What often is undefined is left, unless it was asked for before:
 * `list.find(…)`, `list[0]`, `req.query.q`. A status is one from 200 to 599 with a body, but for 205 and 304. Values of headers and cookies
 * are texts. What `next` gets from a function with "error" in its name is an error. Comparing the answers shows where that is wrong.
 *
 * Three things differ, and are meant. A cookie with `maxAge` has no `Expires` beside its `Max-Age`. An error that a function throws which
 * the handler calls finds nothing on the response of what the handler has set before: no status below 400, header or cookie. Where
 * Express never answers a promise that rejects, the error handlers get its error.
 *
 * The handler is read, and the functions that it hands its response to. What a middleware before it leaves on Express's response is not
 * seen: a Content-Type that it has set, a `res.json` that it has replaced. Comparing the answers shows that (`parity`).
 */
export function nativeForm(source: string, handler: unknown, place: HandlerPlace = {}): NativeForm {
  try {
    const translation = new Translation(source, functionOf(handler as Node, place.program), place)
    const text = translation.text()
    const options = translation.needsBody ? "{ body: 'stream' }" : undefined
    const { type, helpers, imports } = translation
    return { kind: 'native', text, options, type, helpers: [...helpers], imports }
  } catch (error) {
    if (!(error instanceof Left)) throw error
    const { id, message, remedy, offset } = error
    return { kind: 'left', id, reason: message, remedy, offset }
  }
}

/** The native form of a function that handlers hand their response to. Throws Left where it has none. */
export function helperForm(
  source: string,
  helper: Node,
  roles: Roles,
  isAnswer: boolean,
  place: HandlerPlace,
): HelperForm {
  return new Translation(source, helper, place, roles).helper(isAnswer)
}

/** Where a statement stands. */
interface Way {
  /** Those beside it. */
  readonly list: readonly Node[]
  /** Nothing runs behind it. */
  readonly isTail: boolean
  /** In a try, or before a catch of a promise, that does something else than to give errors on. */
  readonly isCaught: boolean
}

/** A test that a helper decides. */
interface GateTest {
  readonly call: HelperCall
  readonly known: KnownHelper
  /** Whether it holds where the helper has answered. */
  readonly holds: boolean
}

/** The promise that stands around a call which answers from its callbacks. */
interface Promised {
  readonly resolve: string
  readonly reject: string
  /** True where an error is given on. */
  rejects: boolean
}

class Translation {
  readonly #source: string
  readonly #code: MagicString
  readonly #handler: Node
  readonly #scope: Scope
  readonly #values: Values
  readonly #answers: Answers
  /** The type of its request, as it is written. */
  readonly #annotation: string | undefined
  readonly #types: RequestTypes
  readonly #reads: RequestReads
  readonly #place: HandlerPlace
  /** Names of `next` that have been understood. */
  readonly #understood = new Set<Node>()
  /** The functions that get its response. */
  readonly helpers = new Set<KnownHelper>()
  /** True where the statements of a try stand among those around it. */
  #isUnwrapped = false
  /** In the callbacks of a call: what they give their answer to. */
  #promised: Promised | undefined

  /** `roles` are those of a helper; a handler has its own. */
  constructor(source: string, handler: Node, place: HandlerPlace, roles?: Roles) {
    this.#source = source
    this.#code = new MagicString(source)
    this.#handler = handler
    this.#place = place
    if (handler['generator'] === true) throw new Left('generator', handler)
    const params = handler['params'] as readonly Node[]
    if (roles === undefined) {
      if (handler['typeParameters']) throw new Left('type-parameters', handler)
      if (params.length > 3) throw new Left('error-handler', handler)
    }
    this.#scope = new Scope(handler, place.program, roles)
    this.#values = new Values(this.#scope)
    this.#answers = new Answers(this.#code, this.#scope, this.#values, {
      mayBeHead: !isWithoutHead(place.method),
      canImport: (name) =>
        place.takesImports === true && place.program !== undefined && isFreeIn(place.program, name),
    })
    const own = params[0]?.['typeAnnotation'] as Node | undefined
    this.#annotation =
      place.script === undefined
        ? own && source.slice(own.start, own.end).replace(/^:\s*/, '')
        : typeInComment(source, handler, params[0])
    // A helper keeps the type of its request.
    this.#types = roles === undefined ? this.#typesOf(own) : { areChecked: false, canAdd: false }
    this.#reads = new RequestReads(this.#code, this.#scope, this.#types)
    if (roles !== undefined) {
      this.#typeResponse(params[roles.res!]!)
      return
    }
    this.#dropTypes(params)
    const [, res, next] = params
    if (next) replace(this.#code, (res!['typeAnnotation'] as Node | undefined)?.end ?? res!.end, next.end, '')
  }

  get needsBody(): boolean {
    const { method } = this.#place
    return this.#reads.readsBody || (method !== 'GET' && method !== 'HEAD')
  }

  text(): string {
    const body = this.#handler['body'] as Node
    const [req] = this.#handler['params'] as readonly Node[]
    this.#checkResponse(body)
    this.#function(this.#handler, false)
    this.#checkLeftOver(body)
    this.#reads.checkParameter(req!)
    this.#reads.check(body)
    this.#reads.rewriteLocals(body, (node) => this.#answers.understood.has(node))
    const isGiven = this.#dropUnused(body)
    if (isGiven && this.#place.script !== undefined) this.#typeInComment(req!)
    return this.#slice()
  }

  helper(isAnswer: boolean): HelperForm {
    const body = this.#handler['body'] as Node
    this.#checkResponse(body)
    const kind = isAnswer ? 'answer' : this.#gateWalk().kind(body)
    if (isAnswer) {
      const type = this.#handler['returnType'] as Node | null | undefined
      if (type) replace(this.#code, type.start, type.end, '')
      this.#function(this.#handler, false)
    }
    this.#checkLeftOver(body)
    this.#reads.check(body)
    this.#reads.rewriteLocals(body, (node) => this.#answers.understood.has(node))
    const { mayHaveType } = this.#answers
    return { kind, code: this.#code, mayHaveType, helpers: [...this.helpers], imports: this.imports }
  }

  get imports(): readonly ExpressName[] {
    return [...this.#answers.imports]
  }

  #gateWalk(): GateWalk {
    return new GateWalk(this.#answers, (node) => {
      if (this.#strange(node)) throw this.#found(node)
    })
  }

  #checkResponse(body: Node): void {
    const { findHelper } = this.#place
    // Whether it is found is asked where it is called.
    checkResponse(
      body,
      this.#scope,
      (call) => findHelper !== undefined && this.#helperCall(call) !== undefined,
    )
  }

  #helperCall(node: Node): HelperCall | undefined {
    return this.#place.findHelper && helperCallOf(node, this.#scope, (one) => this.#scope.isSent(one))
  }

  /** The response of a helper is that of a native callback. */
  #typeResponse(param: Node): void {
    if (this.#place.isTyped !== true) return
    const annotation = param['typeAnnotation'] as Node | null | undefined
    if (!annotation) throw new Left('res-passed', param, 'a function')
    if (!/^:\s*any$/.test(this.#source.slice(annotation.start, annotation.end)))
      replace(this.#code, annotation.start, annotation.end, ': ResponseBuilder')
  }

  #slice(): string {
    const { type, start, end, key, body } = this.#handler as Node & {
      readonly key: Node
      readonly body: Node
    }
    if (type !== 'ClassMethod' && type !== 'ObjectMethod') return this.#code.slice(start, end)
    // A method becomes an arrow function: it uses no this.
    const open = this.#source.indexOf('(', key.end)
    this.#code.appendLeft(body.start, '=> ')
    return `${this.#handler['async'] === true ? 'async ' : ''}${this.#code.slice(open, end)}`
  }

  /** The type that the handler needs besides those of a native request. */
  get type(): string | undefined {
    // In JavaScript it stands at its parameter.
    if (!this.#types.areChecked || this.#place.script !== undefined) return undefined
    if (this.#types.isValidated === true && this.#reads.readsSent) return this.#place.validatedType
    const isOwn = this.#annotation !== undefined && !isOfExpress(this.#annotation)
    return this.#reads.lacksTypes || isOwn ? this.#annotation : undefined
  }

  /** Whether the types of the request count, which is no `any`, and what its annotation says. */
  #typesOf(own: Node | undefined): RequestTypes {
    const { isTyped = false, takesType = false, script } = this.#place
    if (script !== undefined) return { areChecked: this.#annotation !== 'any', canAdd: true, script }
    if (!isTyped || this.#annotation === 'any') return { areChecked: false, canAdd: false }
    const isValidated = this.#place.validatedType !== undefined && takesType
    if (own === undefined) return { areChecked: true, canAdd: false, isValidated }
    if (!takesType && !isOfExpress(this.#annotation!)) throw new Left('req-own-type', own, this.#annotation)
    return { areChecked: true, canAdd: takesType }
  }

  /** Annotations of Express's types: natively both are inferred from the path. A request that is `any` stays so. */
  #dropTypes([req, ...others]: readonly Node[]): void {
    if (this.#place.script !== undefined) {
      for (const one of this.#types.areChecked ? [req!, ...others] : others) {
        const comment = /\/\*\*(?:(?!\*\/)[^])*@type\b(?:(?!\*\/)[^])*\*\/\s*$/.exec(
          this.#source.slice(this.#handler.start, one.start),
        )
        if (comment) replace(this.#code, one.start - comment[0].length, one.start, '')
      }
      return
    }
    const ofReq = req!['typeAnnotation'] as Node | undefined
    const annotations = [...others.map((param) => param['typeAnnotation']), this.#handler['returnType']]
    if (this.#types.areChecked || this.#place.isTyped !== true) annotations.push(ofReq)
    for (const node of annotations) {
      const annotation = node as Node | null | undefined
      if (annotation) replace(this.#code, annotation.start, annotation.end, '')
    }
  }

  /** Takes away the last parameters that its text does not name any more; false where none is left. */
  #dropUnused(body: Node): boolean {
    const [req, res, next] = this.#handler['params'] as [Node, Node, Node?]
    const { req: name } = this.#scope
    const text = this.#code.slice(body.start, body.end)
    const own = name === undefined ? text : text.replaceAll(`${name}.res`, name)
    if (isNamedIn(own, this.#scope.res)) return true
    const isLast = name === undefined || isNamedIn(own, name)
    const end = (next ?? res).end
    const [comma] = /^\s*,/.exec(this.#source.slice(end)) ?? ['']
    replace(this.#code, isLast ? req.end : req.start, end + (isLast ? 0 : comma.length), '')
    return isLast
  }

  /** The type of the request in a comment, where it needs one: the one that the handler has given it, or that of Express. */
  #typeInComment(req: Node): void {
    const { areChecked, script } = this.#types
    const isOwn = this.#annotation !== undefined && !isOfExpress(this.#annotation)
    if (!areChecked || (!this.#reads.lacksTypes && !isOwn)) return
    const type = this.#annotation ?? "import('express').Request"
    const isWhole = script!.isStrict && this.#reads.readsShared
    const whole = isWhole ? `${type} & { res: import('express').Response }` : type
    this.#code.appendRight(req.start, `/** @type {${whole}} */ `)
  }

  /** A function that answers: the handler, or a callback of its promise. */
  #function(one: Node, isCaught: boolean): void {
    const body = one['body'] as Node
    if (body.type === 'BlockStatement') {
      const ends = this.#block(body['body'] as readonly Node[], { list: [], isTail: true, isCaught })
      if (!ends && this.#promised === undefined) throw new Left('no-answer', body)
    } else this.#returned(body, isCaught)
  }

  /** Runs over statements; true where each path through them has ended. */
  #block(statements: readonly Node[], way: Way): boolean {
    const present = new Set(this.#values.present)
    const { type } = this.#answers
    try {
      return this.#statements(statements, way)
    } finally {
      this.#answers.type = type
      this.#values.present.clear()
      for (const name of present) this.#values.present.add(name)
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
        if (this.#isHelperOfState(expression)) continue
        if (this.#answers.isState(expression)) {
          isFailing = this.#answers.state(expression) || isFailing
          const next = behind[0]
          const after = (next?.['expression'] ?? next?.['argument']) as Node | undefined
          // What throws in between would find the status on the response of Express.
          if (
            isFailing &&
            !(after && (this.#answers.isState(after) || this.#answers.isAnswer(withoutVoid(after))))
          )
            throw new Left('error-first', statement)
          continue
        }
      }
      if (this.#answersLater(statement, behind, here)) return true
      const gated = this.#gatedBy(statement, behind, way)
      if (gated?.isHeld === true) {
        if (!this.#block(statementsOf(gated.test['consequent'] as Node), way))
          throw new Left('no-answer', gated.test)
        return true
      }
      if (gated !== undefined) {
        skipped = gated.test
        continue
      }
      if (statement === skipped) continue
      if (isFailing && statement.type === 'ReturnStatement') {
        const answer = withoutVoidIn(this.#code, statement['argument'] as Node)
        this.#resolve(answer)
        this.#answers.answer(answer, true)
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
    if (answer !== untyped(expression)) replace(this.#code, expression.start, answer.start, '')
    if (this.#isNext(answer)) this.#throwNext(statement, answer, way)
    else {
      if (this.#promised === undefined) this.#code.appendRight(answer.start, 'return ')
      this.#answer(answer, way, isFailing)
    }
    if (isReturned && this.#promised === undefined) this.#dropBehind(statement, after)
  }

  /**
   * A call that answers from its callbacks, behind which nothing is done: it stands in a promise, which they settle. A callback that never
   * answers leaves the request open in Express, too.
   */
  #answersLater(statement: Node, behind: readonly Node[], way: Way): boolean {
    const call =
      statement.type === 'ExpressionStatement' ? untyped(statement['expression'] as Node) : undefined
    const { res } = this.#scope
    if (call?.type !== 'CallExpression' || this.#helperCall(call) !== undefined) return false
    if (![...walk(call)].some(({ node }) => isInlineFunction(node) && mentions(node, res))) return false
    const [after] = behind
    const isReturned = after?.type === 'ReturnStatement' && isIgnored(after['argument'] as Node | null)
    if ((!isReturned && !way.isTail) || behind.length > 1 || (after && !isReturned)) return false
    if (this.#promised !== undefined) {
      this.#callbacksOf(call)
      return true
    }
    // What the call throws would not come to that catch.
    if (way.isCaught) return false
    const [resolve, reject] = ['resolve', 'reject'] as const
    if (mentions(this.#handler, resolve) || mentions(this.#handler, reject)) return false
    const promised: Promised = { resolve, reject, rejects: false }
    this.#promised = promised
    this.#answers.isLate = true
    this.#callbacksOf(call)
    this.#answers.isLate = false
    this.#promised = undefined
    this.#writePromise(statement, promised)
    if (isReturned) this.#dropBehind(statement, after)
    return true
  }

  /** Writes a promise around a statement. */
  #writePromise(statement: Node, { resolve, reject, rejects }: Promised): void {
    const source = this.#source
    const newline = source.includes('\r\n') ? '\r\n' : '\n'
    const indent = indentAt(source, statement.start)
    const step = indent.includes('\t') || /^\t/m.test(source) ? '\t' : '  '
    const type = this.#place.isTyped === true ? '<object>' : ''
    const given = rejects ? `${resolve}, ${reject}` : resolve
    const isOneLine = !source.slice(statement.start, statement.end).includes('\n')
    const [open, close] = isOneLine ? [' ', ' '] : [newline + indent + step, newline + indent]
    this.#code.prependRight(statement.start, `return new Promise${type}((${given}) => {${open}`)
    this.#code.appendLeft(statement.end, `${close}})${source[statement.end - 1] === ';' ? ';' : ''}`)
    this.#reindent(statement.start, statement.end, (line) => this.#code.appendRight(line, step))
  }

  /** Runs over the functions that a call is given, and that it is a call of. */
  #callbacksOf(read: Node): void {
    const { res, next } = this.#scope
    const node = untyped(read)
    if (node.type !== 'CallExpression') throw this.#found(node)
    const answers = (one: Node): boolean =>
      isInlineFunction(one) && (mentions(one, res) || mentions(one, next))
    const callee = untyped(node['callee'] as Node)
    if (answers(callee)) this.#callback(callee)
    else if (this.#strange(callee)) {
      if (!isMember(callee)) throw this.#found(callee)
      this.#callbacksOf(callee['object'] as Node)
    } else if (isMember(callee) && mentions(callee['object'] as Node, next))
      this.#callbacksOf(callee['object'] as Node)
    for (const one of node['arguments'] as readonly Node[]) {
      if (answers(one)) this.#callback(one)
      else if (isName(one, next) && isMember(callee) && memberName(callee) === 'catch') {
        this.#understood.add(one)
        this.#promised!.rejects = true
        replace(this.#code, one.start, one.end, this.#promised!.reject)
      } else if (this.#strange(one)) throw this.#found(one)
    }
  }

  #callback(one: Node): void {
    if (one['generator'] === true) throw new Left('callback', one)
    this.#function(one, true)
  }

  /** Gives the answer of a callback to its promise. */
  #resolve(answer: Node): void {
    if (this.#promised === undefined) return
    this.#code.appendRight(answer.start, `${this.#promised.resolve}(`).appendLeft(answer.end, ')')
  }

  /** Runs over one statement; true where each path through it has ended. */
  #ends(statement: Node, way: Way): boolean {
    switch (statement.type) {
      case 'BlockStatement':
        return this.#block(statement['body'] as readonly Node[], way)
      case 'IfStatement':
        return this.#if(statement, way)
      case 'TryStatement':
        return this.#try(statement, way)
      case 'SwitchStatement':
        return this.#switch(statement, way)
      case 'ReturnStatement': {
        const argument = statement['argument'] as Node | null
        if (!argument && this.#promised !== undefined) return true
        if (!argument) throw new Left('no-answer', statement)
        if (this.#isNext(argument)) this.#throwNext(statement, argument, way)
        else this.#returned(argument, way.isCaught)
        return true
      }
      case 'ThrowStatement':
        this.#checkSet(statement, way)
        return true
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        // Behind a turn of the loop comes the next one.
        this.#block(statementsOf(statement['body'] as Node), { ...way, isTail: false })
        return false
      case 'LabeledStatement':
        if (this.#strange(statement)) throw new Left('label', statement)
        return false
      default:
        if (this.#strange(statement)) throw this.#found(statement)
        return false
    }
  }

  /** True for the call of a helper that sets headers alone. */
  #isHelperOfState(expression: Node): boolean {
    const call = this.#helperCall(expression)
    const known = call && this.#place.findHelper!(call, false)
    if (known?.kind !== 'state' || isLate(call!, known)) return false
    this.#callHelper(call!, known)
    this.#answers.setAt ??= call!.node.end
    return true
  }

  /** The helper of a test that says whether it has answered, and whether the test holds then. */
  #gateIn(read: Node): GateTest | undefined {
    if (this.#promised !== undefined) return undefined
    const test = untyped(read)
    const isNegated = test.type === 'UnaryExpression' && test['operator'] === '!'
    const call = this.#helperCall(isNegated ? (test['argument'] as Node) : test)
    const known = call && this.#place.findHelper!(call, false)
    if (known === undefined || !/^(?:falsy|truthy)$/.test(known.kind) || isLate(call!, known))
      return undefined
    return { call: call!, known, holds: (known.kind === 'truthy') !== isNegated }
  }

  /** `const session = check(req, res)` with `if (!session) return` behind it, or `if (session) { … }` and nothing else: gives that one. */
  #gatedBy(
    statement: Node,
    [next, ...others]: readonly Node[],
    way: Way,
  ): { readonly test: Node; readonly isHeld: boolean } | undefined {
    if (this.#promised !== undefined) return undefined
    if (statement.type !== 'VariableDeclaration' || next?.type !== 'IfStatement') return undefined
    const [only, ...more] = statement['declarations'] as readonly { id: Node; init: Node | null }[]
    if (only?.id.type !== 'Identifier' || !only.init || more.length > 0) return undefined
    const call = this.#helperCall(only.init)
    const known = call && this.#place.findHelper!(call, false)
    if (known?.kind !== 'falsy' || isLate(call!, known)) return undefined
    const test = untyped(next['test'] as Node)
    // Another question, as whether it is undefined, would let on what is null.
    const name = only.id['name'] as string
    const isRefused =
      test.type === 'UnaryExpression' &&
      test['operator'] === '!' &&
      isName(untyped(test['argument'] as Node), name) &&
      isBareReturn(next['consequent'] as Node)
    const isHeld = isName(test, name) && way.isTail && others.length === 0 && !this.#isInSwitch(call!.call)
    if ((!isRefused && !isHeld) || next['alternate']) return undefined
    this.#callHelper(call!, known)
    this.#values.present.add(name)
    return { test: next, isHeld }
  }

  /** An `if` that a helper decides: where that has answered, nothing may follow. */
  #gate(
    { call, known, holds }: GateTest,
    { consequent, alternate }: { readonly consequent: Node; readonly alternate: Node | null },
    way: Way,
  ): boolean {
    this.#callHelper(call, known)
    const [answered, other] = holds ? [consequent, alternate] : [alternate, consequent]
    // Where no return stands, what is behind must be nothing: in a switch that would be the next case.
    if (answered ? !isBareReturn(answered) : !way.isTail || this.#isInSwitch(call.call))
      throw new Left('after-answer', call.call)
    if (!other) return false
    const ends = this.#block(statementsOf(other), way)
    if (!answered && !ends) throw new Left('no-answer', other)
    return ends
  }

  #isInSwitch({ start, end }: Node): boolean {
    return [...walk(this.#handler)].some(
      ({ node }) => node.type === 'SwitchStatement' && node.start <= start && end <= node.end,
    )
  }

  #if(statement: Node, way: Way): boolean {
    const { test, consequent, alternate } = statement as unknown as Record<'test' | 'consequent', Node> & {
      readonly alternate: Node | null
    }
    const gate = this.#gateIn(test)
    if (gate !== undefined) return this.#gate(gate, { consequent, alternate }, way)
    const { present } = this.#values
    const before = new Set(present)
    for (const name of presentIn(test, true)) present.add(name)
    const first = this.#block(statementsOf(consequent), way)
    present.clear()
    for (const name of before) present.add(name)
    const missing = presentIn(test, false)
    for (const name of missing) present.add(name)
    const second = alternate ? this.#block(statementsOf(alternate), way) : false
    if (!first) for (const name of missing) if (!before.has(name)) present.delete(name)
    return first && second
  }

  #try(statement: Node, way: Way): boolean {
    const { block, handler, finalizer } = statement as unknown as Record<'block', Node> &
      Record<'handler' | 'finalizer', Node | null>
    if (finalizer && this.#usesResponse(statement)) {
      const isHarmless = ![...walk(finalizer, isFunction)].some(({ node: { type } }) =>
        /^(?:Return|Throw|Await|Break|Continue)/.test(type),
      )
      if (!isHarmless || this.#usesResponse(finalizer)) throw new Left('before-finally', finalizer)
    }
    const givesOnly = handler !== null && this.#givesOn(handler)
    if (givesOnly && !finalizer && this.#unwrap(statement, way)) {
      const isAnswered = this.#block(statementsOf(block), way)
      if (this.#mayThrowBehindSet(block)) this.#checkSet(handler, way)
      return isAnswered
    }
    const isCaught = way.isCaught || (handler !== null && !givesOnly)
    const tried = this.#block(statementsOf(block), { ...way, isCaught })
    const caught = handler ? this.#block(statementsOf(handler['body'] as Node), way) : true
    return tried && caught
  }

  /** True for `catch (error) { next(error) }`. */
  #givesOn(handler: Node): boolean {
    const statements = statementsOf(handler['body'] as Node)
    const [first, second] = statements
    const value = (first?.['expression'] ?? first?.['argument']) as Node | undefined
    if (!value || !/^(?:Expression|Return)Statement$/.test(first!.type)) return false
    if (
      statements.length > 1 &&
      (statements.length > 2 || second!.type !== 'ReturnStatement' || second!['argument'])
    )
      return false
    const param = handler['param'] as Node | null
    const call = withoutVoid(value)
    const [given] = (call['arguments'] as readonly Node[] | undefined) ?? []
    return this.#isNext(call) && param?.type === 'Identifier' && isName(given, param['name'] as string)
  }

  /** Takes the try around statements away, whose catch does what happens natively. False where it has to stay. */
  #unwrap(statement: Node, way: Way): boolean {
    const handler = statement['handler'] as Node
    const statements = statementsOf(statement['block'] as Node)
    const [first, last] = [statements[0], statements.at(-1)]
    const [given] = statementsOf(handler['body'] as Node)
    const all = way.list
    // What an outer try catches natively, it would not in Express.
    if (way.isCaught || this.#isUnwrapped || this.#promised !== undefined) return false
    // Behind a catch that does not return the handler goes on.
    if (!way.isTail && given!.type !== 'ReturnStatement') return false
    if (first === undefined || last === undefined || !all.includes(statement)) return false
    const [outer, inner] = [all.filter((one) => one !== statement), statements].map(declaredBy)
    // What is declared within would be declared again, or hide what is used before.
    if (
      inner!.some(
        (name) => outer!.includes(name) || all.some((one) => one !== statement && mentions(one, name)),
      )
    )
      return false
    const source = this.#source
    const open = source.indexOf('{', statement.start) + 1
    const close = source.lastIndexOf('}', handler.start)
    const [head, tail] = [source.slice(open, first.start), source.slice(last.end, close)]
    if (hasComment(source.slice(close, statement.end)) || hasComment(source.slice(statement.start, open)))
      return false
    for (const { node } of walk(handler['body'] as Node))
      if (isName(node, this.#scope.next)) this.#understood.add(node)
    const start = hasComment(head) ? open + /^\s*/.exec(head)![0].length : first.start
    const end = hasComment(tail) ? last.end + tail.trimEnd().length : last.end
    this.#isUnwrapped = true
    replace(this.#code, statement.start, start, '')
    replace(this.#code, end, statement.end, '')
    this.#outdent(start, end, indentAt(source, statement.start), indentAt(source, start))
    return true
  }

  /** Moves lines to the left. */
  #outdent(start: number, end: number, outer: string, inner: string): void {
    if (!inner.startsWith(outer) || inner === outer) return
    this.#reindent(start, end, (line) => {
      if (this.#source.startsWith(inner, line)) this.#code.remove(line + outer.length, line + inner.length)
    })
  }

  /** Gives each line that begins in a range, but for those within a text. */
  #reindent(start: number, end: number, move: (line: number) => void): void {
    const texts = [...walk(this.#handler)]
      .filter(({ node }) => node.type === 'TemplateElement')
      .map(({ node }) => node)
    for (
      let at = this.#source.indexOf('\n', start);
      at >= 0 && at < end;
      at = this.#source.indexOf('\n', at + 1)
    ) {
      const line = at + 1
      if (texts.some((text) => text.start < line && line <= text.end)) continue
      if (this.#source[line] !== '\n' && this.#source[line] !== '\r') move(line)
    }
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
      const ended = this.#block(own, { ...way, isTail })
      if (ended && isBroken && this.#promised === undefined) this.#dropBehind(own.at(-1)!, last)
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
    const argument = withoutVoidIn(this.#code, read)
    const isLate = this.#promised !== undefined
    if (argument.type === 'CallExpression' && this.#isNext(argument)) {
      if (!isLate) throw new Left('no-answer', argument)
      return this.#throwNext(argument, argument, { list: [], isTail: true, isCaught })
    }
    if (
      this.#answers.isAnswer(argument) ||
      (this.#isPromise(argument) && !isLate) ||
      this.#answeringHelper(argument) !== undefined
    )
      return this.#answer(argument, { list: [], isTail: true, isCaught }, false)
    if (isLate && argument.type === 'CallExpression') return this.#callbacksOf(argument)
    if (this.#strange(argument)) throw this.#found(argument)
    if (!isLate) throw new Left('other-value', argument)
  }

  /** True for what ends a path: an answer, a promise of one, or what gives an error on. */
  #isEnd(node: Node): boolean {
    return (
      this.#answers.isAnswer(node) ||
      this.#isNext(node) ||
      (this.#promised === undefined && this.#isPromise(node)) ||
      this.#answeringHelper(node) !== undefined
    )
  }

  /** The helper that a call answers by. */
  #answeringHelper(node: Node): { readonly call: HelperCall; readonly known: KnownHelper } | undefined {
    const call = this.#helperCall(node)
    const known = call && this.#place.findHelper!(call, true)
    return known?.kind === 'answer' ? { call: call!, known } : undefined
  }

  /** Calls a helper by its native form. */
  #callHelper({ call, callee }: HelperCall, known: KnownHelper): void {
    const { name, mayHaveType } = known
    this.helpers.add(known)
    if (name !== undefined) {
      const own = isMember(callee) ? (callee['property'] as Node) : callee
      replace(this.#code, own.start, own.end, name)
    }
    for (const one of call['arguments'] as readonly Node[])
      if (isName(one, this.#scope.res)) this.#answers.understood.add(one)
    this.#answers.mayHaveType ||= mayHaveType
  }

  #answer(node: Node, way: Way, isFailing: boolean): void {
    this.#resolve(node)
    const helper = this.#answeringHelper(node)
    if (helper !== undefined) {
      // What it does before it answers may throw.
      if (isFailing) throw new Left('error-first', node)
      this.#callHelper(helper.call, helper.known)
    } else if (!this.#isPromise(node)) this.#answers.answer(node, isFailing)
    else if (isFailing) throw new Left('error-first', node)
    else this.#promise(node, way)
  }

  /** True for `load().then((found) => res.json(found))`, which may be awaited. */
  #isPromise(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'AwaitExpression') return this.#isPromise(node['argument'] as Node)
    const steps = stepsOf(node)
    return steps.some(
      ({ name, arguments: all }) =>
        name === 'then' && all.some((one) => isInlineFunction(one) && mentions(one, this.#scope.res)),
    )
  }

  /** Runs over the callbacks of a promise: each path through them answers. */
  #promise(read: Node, way: Way): void {
    const node = untyped(read)
    if (node.type === 'AwaitExpression') return this.#promise(node['argument'] as Node, way)
    const steps = stepsOf(node)
    const { next } = this.#scope
    const { object } = steps[0]!
    if (this.#strange(object)) throw this.#found(object)
    // Whether what is thrown in a callback comes to a catch that does something else.
    const isCaughtFrom = (at: number): boolean =>
      way.isCaught ||
      steps.slice(at).some(({ name, arguments: [given] }) => name === 'catch' && !givesOn(given, next))
    let hasAnswered = false
    for (const [at, { name, node: call, object: before, arguments: all }] of steps.entries()) {
      const isAnswering = all.some((one) => mentions(one, this.#scope.res))
      if (name === 'catch' && givesOn(all[0], next)) {
        if (all.length !== 1 || at < steps.findLastIndex((one) => one.name === 'then'))
          throw new Left('next', call)
        for (const { node: one } of walk(all[0]!)) if (isName(one, next)) this.#understood.add(one)
        replace(this.#code, before.end, call.end, '')
      } else if (isAnswering) {
        if (hasAnswered && name === 'then') throw new Left('after-answer', all[0]!)
        if (name === 'finally' || (name === 'catch' && !hasAnswered)) throw new Left('callback', call)
        for (const one of all) {
          if (!isInlineFunction(one) || one['generator'] === true) throw new Left('callback', one)
          this.#function(one, isCaughtFrom(at + 1))
        }
        hasAnswered = true
      } else if (hasAnswered && name !== 'finally') throw new Left('no-answer', call)
    }
    if (!hasAnswered) throw new Left('no-answer', node)
  }

  /** True for `next(error)`. */
  #isNext(read: Node): boolean {
    const node = withoutVoid(read)
    return node.type === 'CallExpression' && isName(node['callee'] as Node, this.#scope.next)
  }

  /** `next(error)` becomes `throw error`: natively that goes to the error handlers. */
  #throwNext(statement: Node, read: Node, way: Way): void {
    const node = withoutVoid(read)
    const [error, ...others] = node['arguments'] as readonly Node[]
    if (error === undefined) throw new Left('next', node)
    if (others.length > 0 || !this.#isError(error)) throw new Left('next-value', error)
    const callee = node['callee'] as Node
    if (this.#promised !== undefined) {
      this.#checkSet(node, { ...way, isCaught: false })
      this.#understood.add(callee)
      this.#promised.rejects = true
      replace(this.#code, callee.start, callee.end, this.#promised.reject)
      return
    }
    if (way.isCaught) throw new Left('next-in-try', node)
    this.#checkSet(node, way)
    this.#understood.add(callee)
    replace(this.#code, statement.start, error.start, 'throw ')
    replace(this.#code, error.end, node.end, '')
  }

  /** An error that is given on finds what Express's response has, and that has nothing of what was set natively. */
  #checkSet(node: Node, way: Way): void {
    if (this.#answers.setAt !== undefined && !way.isCaught) throw new Left('set-first', node)
  }

  /** True where a part calls something else than its response when a header is set already. */
  #mayThrowBehindSet(part: Node): boolean {
    const { setAt = Infinity } = this.#answers
    return [...walk(part)].some(({ node }) => {
      if (node.start < setAt || !/^(?:Await|Call|New|TaggedTemplate)Expression$|^Throw/.test(node.type))
        return false
      if (node.type !== 'CallExpression') return true
      const callee = node['callee'] as Node
      const isAnswer = [callee, ...(node['arguments'] as readonly Node[])].some((one) =>
        mentions(one, this.#scope.res),
      )
      return !isAnswer && !this.#scope.isOfRequest(callee)
    })
  }

  /** True for what surely is an error: one that is made there, or was caught, or asked for. */
  #isError(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'NewExpression') return true
    if (node.type === 'LogicalExpression' && node['operator'] !== '&&')
      return this.#isError(node['right'] as Node)
    if (node.type === 'CallExpression') {
      const text = this.#source.slice((node['callee'] as Node).start, (node['callee'] as Node).end)
      return /err(?:or)?|exception|boom/i.test(text) || calleeName(node) === 'assign'
    }
    if (node.type !== 'Identifier') return false
    const name = node['name'] as string
    const value = this.#scope.constant(node)
    if (value !== undefined && value.type !== 'Identifier') return this.#isError(value)
    if (this.#values.present.has(name)) return true
    for (const { node: one } of walk(this.#handler)) {
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

  /** Takes away what follows an end: the answer itself is returned now. */
  #dropBehind(end: Node, after: Node): void {
    // A comment in between stays.
    const start = /^\s*$/.test(this.#source.slice(end.end, after.start)) ? end.end : after.start
    replace(this.#code, start, after.end, '')
  }

  #usesResponse(node: Node): boolean {
    return mentions(node, this.#scope.res)
  }

  /** Refuses what has not been understood. */
  #checkLeftOver(body: Node): void {
    const { res, next } = this.#scope
    for (const placed of walk(body)) {
      const { node, parent } = placed
      if (isLabel(placed)) continue
      if (isName(node, next) && !this.#understood.has(node)) throw new Left('next', node)
      if (isName(node, res) && !this.#answers.understood.has(node) && !isShared(parent))
        throw this.#found(parent ?? node)
    }
  }

  /** True for what uses `res` for something else than its locals. */
  #strange(node: Node): boolean {
    return [...walk(node)].some(
      (placed) => isName(placed.node, this.#scope.res) && !isLabel(placed) && !isShared(placed.parent),
    )
  }

  /** Why a use of `res` within a node is none that is understood. */
  #found(node: Node): Left {
    const at = [...walk(node)].find(
      (placed) => isName(placed.node, this.#scope.res) && !isLabel(placed),
    )!.node
    const passing = [...walk(node)].find(
      ({ node: one }) => one.type === 'CallExpression' && (one['arguments'] as readonly Node[]).includes(at),
    )
    if (passing) {
      const call = this.#helperCall(passing.node)
      const known = call && this.#place.findHelper!(call, false)
      const isGate = known !== undefined && /^(?:falsy|truthy)$/.test(known.kind)
      return new Left(isGate ? 'gate' : 'res-passed', at, calleeName(passing.node) ?? 'a function')
    }
    const around = [...walk(this.#handler['body'] as Node)].some(
      ({ node: one }) => isFunction(one) && one.start <= at.start && at.end <= one.end,
    )
    return new Left(around ? 'callback' : 'expression', at)
  }
}

/** True for `res.locals`, `res.app` and `res.__`. */
function isShared(parent: Node | undefined): boolean {
  return isMember(parent) && isSharedMember(memberName(parent))
}

interface Step {
  readonly name: string
  readonly node: Node
  readonly object: Node
  readonly arguments: readonly Node[]
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

/** True for a helper that tells or sets something later than it returns. */
function isLate({ node, call }: HelperCall, { isAsync }: KnownHelper): boolean {
  return isAsync && node === call
}

/** True for `return` alone: natively the answer that was made counts. */
function isBareReturn(node: Node): boolean {
  const [only, ...others] = statementsOf(node)
  return only?.type === 'ReturnStatement' && !only['argument'] && others.length === 0
}

function withoutVoidIn(code: MagicString, read: Node): Node {
  const node = withoutVoid(read)
  if (node !== untyped(read)) replace(code, read.start, node.start, '')
  return node
}

/** True for what is returned behind an answer, and Express ignores: nothing, or a value that stands there. */
function isIgnored(value: Node | null): boolean {
  return (
    value === null ||
    /^(?:Boolean|Null|Numeric|String)Literal$/.test(value.type) ||
    isName(value, 'undefined')
  )
}

/** True for a type of Express's own requests: `Request<{ id: string }>`. */
function isOfExpress(annotation: string): boolean {
  return /^(?:\w+\.|import\(['"]express['"]\)\.)?(?:Express)?Request\b/.test(annotation)
}

/** True for a method whose routes HEAD does not come to. */
function isWithoutHead(method: string | undefined): boolean {
  return method !== undefined && !['GET', 'HEAD', '*'].includes(method)
}

/** Names that are there where a test holds, or where it does not. */
function presentIn(read: Node, holds: boolean): string[] {
  const test = untyped(read)
  if (test.type === 'Identifier') return holds ? [test['name'] as string] : []
  if (test.type === 'UnaryExpression' && test['operator'] === '!')
    return presentIn(test['argument'] as Node, !holds)
  if (test.type === 'LogicalExpression' && test['operator'] === (holds ? '&&' : '||'))
    return [test['left'], test['right']].flatMap((one) => presentIn(one as Node, holds))
  if (test.type !== 'BinaryExpression') return []
  const operator = test['operator'] as string
  const [left, right] = [test['left'], test['right']] as [Node, Node]
  const isNothing = right.type === 'NullLiteral' || isName(right, 'undefined')
  const isSure = operator.length === 2 || isName(right, 'undefined')
  return left.type === 'Identifier' && isNothing && isSure && operator.startsWith(holds ? '!' : '=')
    ? [left['name'] as string]
    : []
}

/** True for a statement with a `break` out of the switch that it stands in. */
function leavesSwitch(statement: Node): boolean {
  const isOwn = ({ type }: Node): boolean =>
    isFunction({ type } as Node) || /^(?:For|While|DoWhile|Switch)/.test(type)
  return !isOwn(statement) && [...walk(statement, isOwn)].some(({ node }) => node.type === 'BreakStatement')
}

/** The names that statements declare for those beside them. */
function declaredBy(statements: readonly Node[]): string[] {
  return statements.flatMap((one) => {
    if (one.type === 'VariableDeclaration')
      return (one['declarations'] as readonly Node[]).flatMap(({ id }) => idsOf(id as Node))
    return /Declaration$/.test(one.type) && one['id'] ? [(one['id'] as Node)['name'] as string] : []
  })
}

function idsOf(pattern: Node): string[] {
  return [...walk(pattern)].flatMap(({ node }) =>
    node.type === 'Identifier' ? [node['name'] as string] : [],
  )
}

/** True for a name that may stand in a text. */
function isNamedIn(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text)
}

function hasComment(text: string): boolean {
  return /\/[*/]/.test(text)
}

function indentAt(source: string, at: number): string {
  return /^[\t ]*/.exec(source.slice(source.lastIndexOf('\n', at - 1) + 1, at))![0]
}
