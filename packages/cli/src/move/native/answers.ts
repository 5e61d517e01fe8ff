// The answers of a handler, as a native callback writes them.
import { STATUS_CODES } from 'node:http'
import type MagicString from 'magic-string'
import { replace } from '../../edit/code.js'
import { isFunction, type Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import { Left } from './reasons.js'
import {
  answerNames,
  type Call,
  chainOf,
  hasOtherHeaders,
  openAfter,
  rename,
  stateNames,
} from './res-calls.js'
import type { Scope } from './scope.js'
import { SetCalls } from './set-calls.js'
import { isMember, isName, memberName, numberOf, textOf, untyped } from '../../syntax/tree.js'
import type { Values } from './values.js'

/** Functions of `routecontrollers/express` that a native callback answers by. */
export type ExpressName = 'sendFile' | 'download' | 'sendValue'

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Rewrites answers, and what is set before them. */
export class Answers {
  readonly #code: MagicString
  readonly #scope: Scope
  readonly #values: Values
  readonly #mayBeHead: boolean
  /** Names of `res` that have been understood. */
  readonly understood: Set<Node> = new Set()
  readonly set: SetCalls
  /** Where the first statement ends that sets a header or a cookie, and does not answer: one of those walked so far. */
  setAt: number | undefined
  /** What its file imports of `routecontrollers/express` besides. */
  readonly imports: Set<ExpressName> = new Set()
  readonly #canImport: (name: ExpressName) => boolean

  constructor(
    code: MagicString,
    scope: Scope,
    values: Values,
    {
      mayBeHead,
      canImport,
    }: { readonly mayBeHead: boolean; readonly canImport: (name: ExpressName) => boolean },
  ) {
    this.#code = code
    this.#scope = scope
    this.#values = values
    this.set = new SetCalls(code, scope, values)
    this.#mayBeHead = mayBeHead
    this.#canImport = canImport
  }

  /** True for an expression that ends in an answer, or in one of two. */
  isAnswer(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'ConditionalExpression') {
      return this.isAnswer(node['consequent'] as Node) && this.isAnswer(node['alternate'] as Node)
    }
    const chain = chainOf(node, this.#scope.res)
    return chain !== undefined && !stateNames.has(chain.at(-1)!.name)
  }

  /** True for an expression that sets a status, headers or cookies, and does not answer. */
  isState(node: Node): boolean {
    if (this.#statusSet(node) !== undefined) return true
    const chain = chainOf(node, this.#scope.res)
    return chain !== undefined && chain.every(({ name }) => stateNames.has(name))
  }

  /** Rewrites an answer. `isFailing` where the status of an error has been set before. */
  answer(read: Node, isFailing = false): void {
    const node = untyped(read)
    if (node.type === 'ConditionalExpression') {
      if (isFailing && this.#values.mayThrow(node['test'] as Node)) throw new Left('error-throws', node)
      const { type } = this.set
      this.answer(node['consequent'] as Node, isFailing)
      this.set.type = type
      this.answer(node['alternate'] as Node, isFailing)
      return
    }
    const chain = chainOf(node, this.#scope.res)!
    this.#understand(node)
    const last = chain.at(-1)!
    const before = chain.slice(0, -1)
    for (const call of before) {
      if (answerNames.has(call.name)) throw new Left('after-answer', last.property)
      if (!stateNames.has(call.name)) throw new Left('res-member', call.property, call.name)
    }
    // `text` says its type itself. `html` leaves one that middleware has set, as `send` does, so the type is written.
    const typing = before.filter((call) => this.set.typeOf(call) !== undefined)
    const type = typing.length === 1 ? this.set.typeOf(typing[0]!) : undefined
    const isPlain =
      !this.set.mayHaveType &&
      type === 'text/plain' &&
      last.name === 'send' &&
      last.arguments.length === 1 &&
      this.#values.isString(last.arguments[0]!)
    let failing = isFailing
    for (const call of before) {
      if (failing && call.arguments.some((one) => this.#values.mayThrow(one)))
        throw new Left('error-throws', call.node)
      if (isPlain && call === typing[0]) this.set.drop(call)
      else failing = this.#setBy(call) || failing
    }
    if (failing && last.arguments.some((one) => this.#values.mayThrow(one)))
      throw new Left('error-throws', last.node)
    if (isPlain) rename(this.#code, last.property, 'text')
    else this.#lastCall(last, before)
  }

  /** Rewrites a statement that sets a status, headers or cookies; true where it may be the status of an error. */
  state(node: Node): boolean {
    const status = this.#statusSet(node)
    if (status !== undefined) {
      this.#understand(node['left'] as Node)
      replace(this.#code, (node['left'] as Node).end, status.start, '(')
      this.#code.appendLeft(node.end, ')')
      rename(this.#code, (node['left'] as Node)['property'] as Node, 'status')
      return this.set.status(status)
    }
    this.#understand(node)
    let isFailing = false
    for (const call of chainOf(node, this.#scope.res)!) {
      if (call.name !== 'status') this.setAt ??= node.end
      if (isFailing && call.arguments.some((one) => this.#values.mayThrow(one)))
        throw new Left('error-throws', call.node)
      isFailing = this.#setBy(call) || isFailing
    }
    return isFailing
  }

  /** Rewrites one call that sets something; true where it may set the status of an error. */
  #setBy(call: Call): boolean {
    if (call.name !== 'location') return this.set.call(call)
    const [url, ...others] = call.arguments
    // Express 4 sends the client back to where it came from.
    if (url === undefined || others.length > 0 || textOf(url) === 'back' || !this.#isPlace(url))
      throw new Left('redirect', call.node)
    return false
  }

  /** What is assigned in `res.statusCode = 404`. */
  #statusSet(node: Node): Node | undefined {
    if (node.type !== 'AssignmentExpression' || node['operator'] !== '=') return undefined
    const left = node['left'] as Node
    const isStatus =
      isMember(left) && isName(left['object'] as Node, this.#scope.res) && memberName(left) === 'statusCode'
    return isStatus ? (node['right'] as Node) : undefined
  }

  /** The name of `res` that a chain begins with. */
  #understand(node: Node): void {
    let at = node
    while (!isName(at, this.#scope.res)) at = (at['callee'] ?? at['object']) as Node
    this.understood.add(at)
  }

  #lastCall({ name, property, node, arguments: all }: Call, before: readonly Call[]): void {
    const [value] = all
    if (name === 'end' || (name === 'send' && all.length === 0)) {
      if (all.length > 0) throw new Left('end', node)
      const given = before.findLast((call) => call.name === 'status')?.arguments[0]
      const status = given && this.#values.status(given)
      // Below 300 res.send asks whether it is fresh.
      if (name === 'send' && this.#mayBeHead && (status === undefined || status < 300))
        throw new Left('empty', node)
      rename(this.#code, property, 'end')
      return
    }
    if (name === 'redirect') return this.#redirect({ name, property, node, arguments: all })
    if (name === 'sendFile' || name === 'download')
      return this.#file({ name, property, node, arguments: all }, before)
    if (name === 'sendStatus') {
      const status = all.length === 1 ? this.#values.status(value!) : undefined
      if (status !== undefined && hasOtherHeaders(status))
        throw new Left('status-headers', node, String(status))
      if (status === undefined || status < 200 || STATUS_CODES[status] === undefined || this.set.mayHaveType)
        throw new Left('status-text', node)
      const reason = STATUS_CODES[status].replaceAll("'", "\\'")
      const written =
        numberOf(value!) === undefined ? this.#code.original.slice(value!.start, value!.end) : status
      replace(this.#code, property.start, node.end, `status(${written}).text('${reason}')`)
      return
    }
    if (name !== 'json' && name !== 'send') throw new Left('res-member', property, name)
    if (all.length !== 1 || value!.type === 'SpreadElement') throw new Left('no-value', node, name)
    if (name === 'json') {
      if (this.#values.mayBeUndefined(value!) || (this.set.isLate && !this.#values.isThere(value!)))
        throw new Left('json-undefined', value!)
      return
    }
    if (this.#values.isString(value!)) {
      // Of a type that has been set, both methods make the same.
      rename(this.#code, property, this.set.type === undefined ? 'html' : 'send')
      return
    }
    if (this.#values.isObject(value!) || this.#hasOwnStatus(value!, before))
      return rename(this.#code, property, 'json')
    // With a type, a text is sent as an object or bytes are.
    if (this.set.type !== undefined && this.#isSendable(value!)) return
    if (!this.#canImport('sendValue')) throw new Left('send-value', value!)
    this.imports.add('sendValue')
    const callee = node['callee'] as Node
    this.#code.appendRight(node.start, 'sendValue(')
    const open = openAfter(this.#code, property)
    const isLineBreak = /\s/.test(this.#code.original[open]!)
    replace(this.#code, (callee['object'] as Node).end, open, isLineBreak ? ',' : ', ')
  }

  /** `res.redirect(status, url)` is `res.redirect(url, status)`. */
  #redirect({ property, node, arguments: all }: Call): void {
    const [first, second, ...others] = all
    if (first === undefined || others.length > 0) throw new Left('redirect', node)
    const status = second === undefined ? 302 : this.#values.status(first)
    if (status === undefined || !redirects.has(status)) throw new Left('redirect', property)
    const url = second ?? first
    if (!this.#isPlace(url)) throw new Left('redirect', url)
    if (second === undefined) return
    const { original } = this.#code
    const written = original.slice(first.start, first.end)
    const isPlain =
      openAfter(this.#code, property) === first.start &&
      /^\s*,\s*$/.test(original.slice(first.end, second.start)) &&
      /^\s*\)$/.test(original.slice(second.end, node.end))
    if (!isPlain) throw new Left('redirect', node)
    replace(this.#code, first.start, second.start, '')
    this.#code.appendLeft(second.end, `, ${written}`)
  }

  /** True for a text, as far as that is seen. Of a client comes something else too: a list, or nothing. */
  #isPlace(read: Node): boolean {
    const node = untyped(read)
    if (this.#values.isString(node)) return true
    // There an error would end the process.
    if (this.set.isLate) return false
    const parts = [...walk(node)].map((placed) => placed.node)
    const isOfClient = parts.some(
      (one) => isName(one, this.#scope.req) || (one.type === 'Identifier' && this.#scope.isSent(one)),
    )
    if (isOfClient || this.#values.isObject(node) || this.#values.mayBeUndefined(node)) return false
    if (node.type === 'NewExpression' || node.type === 'NullLiteral') return false
    return parts.every((one) => {
      const value = this.#scope.constant(one)
      return value === undefined || value === one || this.#isPlace(value)
    })
  }

  /** `res.sendFile(path)` is `sendFile(path)`: what has been set on `res` is sent with it. */
  #file({ name, property, node, arguments: all }: Call, before: readonly Call[]): void {
    const [path, ...others] = all
    const isKnown =
      path !== undefined &&
      all.length <= (name === 'sendFile' ? 2 : 3) &&
      before.length === 0 &&
      all.every((one) => one.type !== 'SpreadElement') &&
      others.every((one, at) => {
        const value = untyped(this.#scope.constant(one) ?? one)
        const isOptions = value.type === 'ObjectExpression'
        return name === 'download' && at === 0 ? !isOptions && !isFunction(value) : isOptions
      })
    const own = name as ExpressName
    if (!isKnown || !this.#canImport(own)) throw new Left('res-member', property, name)
    this.imports.add(own)
    replace(this.#code, node.start, openAfter(this.#code, property), `${own}(`)
  }

  /** False for what is a number, nothing, true or false on some path. */
  #isSendable(read: Node): boolean {
    const node = untyped(read)
    if (this.#values.isString(node)) return true
    if (node.type === 'ConditionalExpression')
      return this.#isSendable(node['consequent'] as Node) && this.#isSendable(node['alternate'] as Node)
    if (node.type === 'LogicalExpression')
      return this.#isSendable(node['left'] as Node) && this.#isSendable(node['right'] as Node)
    return (
      !/Literal$|^(?:Unary|Binary|Update)Expression$/.test(node.type) && !this.#values.mayBeUndefined(node)
    )
  }

  /** True for `res.status(answer.status).send(answer)`: no text has such a member. */
  #hasOwnStatus(value: Node, before: readonly Call[]): boolean {
    const status = before.findLast((call) => call.name === 'status')?.arguments[0]
    return (
      value.type === 'Identifier' &&
      isMember(status) &&
      isName(status['object'] as Node, value['name'] as string) &&
      /^status/.test(memberName(status) ?? '')
    )
  }
}
