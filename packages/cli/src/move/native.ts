// Makes a native callback of a handler of Express, where both surely answer alike; pure: text and syntax tree in, text or reason out.
import { STATUS_CODES } from 'node:http'
import MagicString from 'magic-string'
import type { Node } from '../syntax/parser.js'
import { childrenOf, type Placed, walk } from '../syntax/walk.js'
import { replace } from '../edit/code.js'

/** A native callback, or why the handler is left as it is. */
export type NativeForm =
  | {
      readonly kind: 'native'
      /** The handler's text with its edits. */
      readonly text: string
      /** Options that its Controller needs: the body stays with the middleware that has parsed it, or unread, as in Express. */
      readonly options: "{ body: 'stream' }"
    }
  | {
      readonly kind: 'left'
      readonly reason: string
      /** Where in the source that stands. */
      readonly offset: number
    }

/**
 * The native form of a handler `(req, res)` or `(req, res, next)`, under a profile of its Express.
 *
 * `source` is the whole text that `handler` was parsed from. All bytes outside of the edits stay. A handler is native only where each
 * member that it uses means the same natively, whatever a request brings. Any other handler is left, with the reason.
 *
 * Two things differ, and are meant. A cookie with `maxAge` has no `Expires` beside its `Max-Age`. An error that is thrown while the
 * arguments of an answer are computed finds nothing of that answer on the response: no status below 400, header or cookie.
 *
 * The handler alone is read. What a middleware before it leaves on Express's response is not seen: a status or a Content-Type that it has
 * set, a `res.json` that it has replaced. Comparing the answers shows that (`parity`).
 */
export function nativeForm(source: string, handler: unknown): NativeForm {
  try {
    return {
      kind: 'native',
      text: new Translation(source, handler as Node).text(),
      options: "{ body: 'stream' }",
    }
  } catch (error) {
    if (!(error instanceof Left)) throw error
    return { kind: 'left', reason: error.message, offset: error.offset }
  }
}

/** Why a handler is left; never seen outside. */
class Left extends Error {
  readonly offset: number
  constructor(reason: string, { start }: Node) {
    super(reason)
    this.offset = start
  }
}

const functionTypes = ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']
const requestTexts = ['method', 'url', 'originalUrl']
// Express has its own order for Referer and Referrer; Set-Cookie is a list there.
const otherHeaders = ['referer', 'referrer', 'set-cookie']
// What Express or Node makes of them depends on more than the value.
const guardedHeaders =
  /^(?:content-(?:type|length|encoding)|etag|last-modified|date|set-cookie|vary|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

class Translation {
  readonly #code: MagicString
  readonly #handler: Node
  readonly #req: string | undefined
  readonly #res: string | undefined
  /** What `const` names stand for within the handler. */
  readonly #constants = new Map<string, Node>()
  /** Names of `req` and `res` that have been understood. */
  readonly #understood = new Set<Node>()

  constructor(source: string, handler: Node) {
    this.#code = new MagicString(source)
    this.#handler = handler
    if (!functionTypes.includes(handler.type))
      throw new Left('it is no function that is written here', handler)
    if (handler['generator'] === true) throw new Left('it is a generator', handler)
    if (handler['typeParameters']) throw new Left('it has type parameters', handler)
    const params = handler['params'] as readonly Node[]
    for (const param of params) {
      if (param.type !== 'Identifier') throw new Left('its parameters are taken apart', param)
    }
    if (params.length > 3) throw new Left('it is an error handler', handler)
    const [req, res, next] = params.map((param) => param['name'] as string)
    if (res === undefined) throw new Left('it has no response to answer with', handler)
    this.#req = req
    this.#res = res
    this.#dropTypes(params)
    this.#dropNext(params, next)
  }

  text(): string {
    const body = this.#handler['body'] as Node
    this.#learnNames(body)
    if (body.type === 'BlockStatement') {
      const ends = this.#block(body['body'] as readonly Node[], true)
      if (!ends) throw new Left('there is a path on which it does not answer', body)
    } else this.#returned(body)
    this.#checkNames(body)
    return this.#code.slice(this.#handler.start, this.#handler.end)
  }

  /** Annotations of Express's types: natively both are inferred from the path. */
  #dropTypes(params: readonly Node[]): void {
    for (const node of [...params.map((param) => param['typeAnnotation']), this.#handler['returnType']]) {
      const annotation = node as Node | null | undefined
      if (annotation) replace(this.#code, annotation.start, annotation.end, '')
    }
  }

  #dropNext([, res, next]: readonly Node[], name: string | undefined): void {
    if (next === undefined) return
    for (const { node } of walk(this.#handler['body'] as Node)) {
      if (isName(node, name)) throw new Left('it may call next()', node)
    }
    const from = (res!['typeAnnotation'] as Node | undefined)?.end ?? res!.end
    replace(this.#code, from, next.end, '')
  }

  /** Refuses what makes names mean something else, and learns the values of constants. */
  #learnNames(body: Node): void {
    const own = [this.#req, this.#res].filter((name) => name !== undefined)
    const seen = new Set<string>()
    // In a block of its own a name may hide another one, of the file.
    const outermost = body['body'] as readonly Node[] | Node | undefined
    const atTop = Array.isArray(outermost) ? (outermost as readonly Node[]) : []
    for (const { node } of walk(body)) {
      if (node.type === 'ThisExpression' && this.#handler.type !== 'ArrowFunctionExpression')
        throw new Left('it uses this', node)
      if (isName(node, 'arguments')) throw new Left('it uses arguments', node)
      if (isName(node, 'eval')) throw new Left('it calls eval', node)
      if (node.type === 'VariableDeclaration') {
        for (const { id, init } of node['declarations'] as Record<'id' | 'init', Node>[]) {
          for (const { name } of namesIn(id)) {
            if (own.includes(name)) throw new Left(`${name} is declared again`, id)
            // A name that stands for several values stands for none.
            if (seen.has(name)) this.#constants.delete(name)
            else if (node['kind'] === 'const' && id.type === 'Identifier' && init && atTop.includes(node))
              this.#constants.set(name, init)
            seen.add(name)
          }
        }
      }
      const scoped = [...((node['params'] as readonly Node[] | undefined) ?? []), node['param']]
      for (const param of scoped) {
        for (const { name } of param ? namesIn(param as Node) : []) {
          if (own.includes(name)) throw new Left(`${name} is declared again`, node)
          this.#constants.delete(name)
          seen.add(name)
        }
      }
    }
  }

  /** Runs over statements; true where each path through them has ended. `isTail` where nothing runs behind them. */
  #block(statements: readonly Node[], isTail: boolean): boolean {
    for (const [at, statement] of statements.entries()) {
      const behind = statements.slice(at + 1)
      const isLast = behind.length === 0
      if (statement.type === 'ExpressionStatement') {
        const expression = statement['expression'] as Node
        if (this.#isAnswer(expression)) {
          const [after] = behind
          const isReturned = after?.type === 'ReturnStatement' && !after['argument']
          if (!isReturned && !(isLast && isTail))
            throw new Left('it goes on after it has answered', statement)
          this.#answer(expression)
          this.#code.appendLeft(statement.start, 'return ')
          if (isReturned) this.#dropReturn(statement, after)
          if (behind.length > 1) throw new Left('it goes on after it has answered', behind[1]!)
          return true
        }
        if (this.#isState(expression)) {
          this.#state(expression, behind[0])
          continue
        }
      }
      if (this.#ends(statement, isTail && isLast)) {
        if (!isLast) throw new Left('it goes on after it has answered', behind[0]!)
        return true
      }
    }
    return false
  }

  /** Runs over one statement; true where each path through it has ended. */
  #ends(statement: Node, isTail: boolean): boolean {
    switch (statement.type) {
      case 'BlockStatement':
        return this.#block(statement['body'] as readonly Node[], isTail)
      case 'IfStatement': {
        const { consequent, alternate } = statement as unknown as Record<'consequent' | 'alternate', Node>
        const first = this.#branch(consequent, isTail)
        const second = alternate ? this.#branch(alternate, isTail) : false
        return first && second
      }
      case 'TryStatement': {
        const { block, handler, finalizer } = statement as unknown as Record<string, Node | null>
        if (finalizer && this.#answersIn(statement)) throw new Left('it answers before a finally', statement)
        const tried = this.#ends(block!, isTail && !finalizer)
        const caught = handler ? this.#ends(handler['body'] as Node, isTail && !finalizer) : true
        return tried && caught
      }
      case 'ReturnStatement': {
        const argument = statement['argument'] as Node | null
        if (!argument) throw new Left('there is a path on which it does not answer', statement)
        this.#returned(argument)
        return true
      }
      case 'ThrowStatement':
        return true
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        return false
      default:
        if (this.#answersIn(statement))
          throw new Left('it answers within a loop, a switch or an expression', statement)
        for (const { node } of walk(statement, isFunctionWithin)) {
          if (node.type === 'ReturnStatement') throw new Left('it returns from a loop or a switch', node)
        }
        return false
    }
  }

  #branch(statement: Node, isTail: boolean): boolean {
    return statement.type === 'BlockStatement'
      ? this.#ends(statement, isTail)
      : this.#block([statement], isTail)
  }

  #returned(argument: Node): void {
    if (argument.type === 'UnaryExpression' && argument['operator'] === 'void') {
      const inner = argument['argument'] as Node
      replace(this.#code, argument.start, inner.start, '')
      return this.#returned(inner)
    }
    if (!this.#isAnswer(argument)) throw new Left('it returns something else than its answer', argument)
    this.#answer(argument)
  }

  /** Takes away the `return` that follows an answer: the answer itself is returned now. */
  #dropReturn(answer: Node, after: Node): void {
    const between = this.#code.original.slice(answer.end, after.start)
    // A comment in between stays.
    const start = /^\s*$/.test(between) ? answer.end : after.start
    replace(this.#code, start, after.end, '')
  }

  /** True for an expression that ends in an answer, or in one of two. */
  #isAnswer(node: Node): boolean {
    if (node.type === 'ConditionalExpression') {
      return this.#isAnswer(node['consequent'] as Node) && this.#isAnswer(node['alternate'] as Node)
    }
    const chain = this.#chain(node)
    return chain !== undefined && !stateNames.has(chain.at(-1)!.name)
  }

  #isState(node: Node): boolean {
    const chain = this.#chain(node)
    return chain !== undefined && chain.every(({ name }) => stateNames.has(name))
  }

  #answersIn(statement: Node): boolean {
    return [...walk(statement)].some(({ node }) => isName(node, this.#res))
  }

  /** The calls of `res.status(…).json(…)`, in their order; undefined for anything else. */
  #chain(node: Node): Call[] | undefined {
    const calls: Call[] = []
    let at = node
    while (at.type === 'CallExpression') {
      const callee = at['callee'] as Node
      const property = callee['property'] as Node | undefined
      if (
        callee.type !== 'MemberExpression' ||
        callee['computed'] === true ||
        property?.type !== 'Identifier'
      )
        return undefined
      calls.unshift({
        node: at,
        property,
        name: property['name'] as string,
        arguments: at['arguments'] as readonly Node[],
      })
      at = callee['object'] as Node
    }
    return calls.length > 0 && isName(at, this.#res) ? calls : undefined
  }

  #answer(node: Node): void {
    if (node.type === 'ConditionalExpression') {
      this.#answer(node['consequent'] as Node)
      return this.#answer(node['alternate'] as Node)
    }
    const chain = this.#chain(node)
    if (chain === undefined || stateNames.has(chain.at(-1)!.name))
      throw new Left('its value is something else than its answer', node)
    this.#understand(node)
    const failing = chain
      .slice(0, -1)
      .map((call) => this.#stateCall(call))
      .some(Boolean)
    const last = chain.at(-1)!
    if (failing && last.arguments.some((one) => this.#mayThrow(one))) {
      throw new Left('what it answers may throw when its status of an error is set already', last.node)
    }
    this.#lastCall(last, chain.slice(0, -1))
  }

  /** Statements that set a status, headers or cookies stand right before the answer: what throws in between would find them set. */
  #state(node: Node, next: Node | undefined): void {
    for (const call of this.#chain(node)!) {
      if (this.#stateCall(call)) throw new Left('it sets the status of an error before it answers', node)
    }
    this.#understand(node)
    const expression = (next?.['expression'] ?? next?.['argument']) as Node | undefined
    if (!expression || !(this.#isState(expression) || this.#isAnswer(expression)))
      throw new Left('it sets a status, a header or a cookie long before it answers', node)
  }

  /** One of `status`, `set`, `header` and `cookie`; true for a status of an error. */
  #stateCall({ name, property, node, arguments: all }: Call): boolean {
    if (name === 'status') {
      const status = all.length === 1 ? numberOf(all[0]!) : undefined
      if (status === undefined || !Number.isInteger(status) || status < 200 || status > 599)
        throw new Left('its status is no number that stands there', node)
      if (isOther(status)) throw new Left(`its status ${status} is sent with other headers natively`, node)
      return status >= 400
    }
    if (name === 'cookie') {
      this.#cookie(node, all)
      return false
    }
    if (name !== 'set' && name !== 'header')
      throw new Left(`res.${name} means something else natively, or is not there`, property)
    const [header, value] = all.map((one) => textOf(one))
    if (all.length !== 2 || header === undefined || value === undefined)
      throw new Left(`res.${name} with what does not stand there`, node)
    if (!token.test(header) || guardedHeaders.test(header) || !headerValue.test(value))
      throw new Left(`res.${name} of ${header} is not the same natively`, node)
    this.#rename(property, 'header')
    return false
  }

  #cookie(node: Node, [name, value, options, ...others]: readonly Node[]): void {
    const text = name && textOf(name)
    if (text === undefined || !token.test(text) || others.length > 0)
      throw new Left('the name of its cookie does not stand there', node)
    if (value === undefined || !this.#isString(value))
      throw new Left('the value of its cookie may be no string', value ?? node)
    if (options === undefined) return
    if (options.type !== 'ObjectExpression')
      throw new Left('the options of its cookie do not stand there', options)
    for (const property of options['properties'] as readonly Node[]) {
      const key = property['key'] as Node | undefined
      const option =
        property['computed'] === true ? undefined : ((key?.['name'] ?? key?.['value']) as string | undefined)
      if (property.type !== 'ObjectProperty' || option === undefined)
        throw new Left('the options of its cookie do not stand there', property)
      this.#cookieOption(option, key!, property)
    }
  }

  #cookieOption(option: string, key: Node, property: Node): void {
    const value = property['value'] as Node
    const isText = (pattern: RegExp): boolean => pattern.test(textOf(value) ?? '\n')
    switch (option) {
      case 'maxAge': {
        const number = numberOf(value)
        if (number === undefined && !isArithmetic(value))
          throw new Left('maxAge of its cookie may be undefined', value)
        if (number !== undefined && !Number.isFinite(number))
          throw new Left('maxAge of its cookie is no number', value)
        this.#rename(key, 'maxAgeSeconds')
        if (number === undefined) {
          this.#code.appendLeft(value.start, 'Math.floor((').appendLeft(value.end, ') / 1000)')
        } else replace(this.#code, value.start, value.end, String(Math.floor(number / 1000)))
        return
      }
      case 'httpOnly':
      case 'secure':
      case 'partitioned':
        if (value.type === 'BooleanLiteral') return
        break
      case 'path':
        if (isText(/^\/[\w\-./~]*$/)) return
        break
      case 'domain':
        if (isText(/^[a-z0-9]+(?:[.-][a-z0-9]+)+$/)) return
        break
      case 'sameSite':
        if (isText(/^(?:lax|strict|none)$/) || value['value'] === true) return
        break
      case 'priority':
        if (isText(/^(?:low|medium|high)$/)) return
        break
    }
    throw new Left(`the option ${option} of its cookie may be another natively`, property)
  }

  #lastCall({ name, property, node, arguments: all }: Call, before: readonly Call[]): void {
    const [value] = all
    if (name === 'end') {
      if (all.length > 0) throw new Left('res.end takes nothing natively', node)
      // Of any other a native answer to HEAD has a Content-Length, and Node's has none.
      if (before.findLast((call) => call.name === 'status')?.arguments[0]?.['value'] !== 204)
        throw new Left('res.end of another status than 204 is not the same to HEAD', node)
      return
    }
    if (name === 'sendStatus') {
      const status = all.length === 1 ? numberOf(value!) : undefined
      if (status === undefined || status < 200 || isOther(status) || STATUS_CODES[status] === undefined)
        throw new Left('its status is no number that stands there', node)
      const reason = STATUS_CODES[status].replaceAll("'", "\\'")
      replace(this.#code, property.start, node.end, `status(${status}).text('${reason}')`)
      return
    }
    if (name !== 'json' && name !== 'send')
      throw new Left(`res.${name} means something else natively, or is not there`, property)
    if (all.length !== 1 || value!.type === 'SpreadElement')
      throw new Left(`res.${name} of nothing, or of several values`, node)
    if (name === 'send' && this.#isString(value!)) return this.#rename(property, 'html')
    if (!this.#isJson(value!, name === 'send')) {
      throw new Left(
        name === 'json'
          ? 'res.json of what may be undefined, which a native answer refuses'
          : 'res.send of what may be no string and no object',
        value!,
      )
    }
    if (name === 'send') this.#rename(property, 'json')
  }

  /** True for an expression that is a string, whatever its parts are. */
  #isString(node: Node): boolean {
    switch (node.type) {
      case 'StringLiteral':
      case 'TemplateLiteral':
        return true
      case 'BinaryExpression':
        return (
          node['operator'] === '+' &&
          (this.#isString(node['left'] as Node) || this.#isString(node['right'] as Node))
        )
      case 'ConditionalExpression':
        return this.#isString(node['consequent'] as Node) && this.#isString(node['alternate'] as Node)
      case 'UnaryExpression':
        return node['operator'] === 'typeof'
      case 'MemberExpression':
        return isName(node['object'] as Node, this.#req) && requestTexts.includes(memberName(node) ?? '')
      case 'CallExpression':
        return isName(node['callee'] as Node, 'String') && (node['arguments'] as unknown[]).length === 1
      case 'Identifier': {
        const value = this.#constants.get(node['name'] as string)
        return value !== undefined && this.#isString(value)
      }
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        return this.#isString(node['expression'] as Node)
      default:
        return false
    }
  }

  /** True for an expression that has a form in JSON. */
  #isJson(node: Node, onlyObjects = false): boolean {
    switch (node.type) {
      case 'ObjectExpression':
        // One with a `then` is a promise to a native answer.
        return (node['properties'] as readonly Node[]).every((property) => {
          const key = property['key'] as Node | undefined
          if (property.type === 'SpreadElement') return true
          return (
            property['computed'] !== true &&
            !['then', 'toJSON', '__proto__'].includes((key?.['name'] ?? key?.['value']) as string)
          )
        })
      case 'ArrayExpression':
        return true
      case 'NumericLiteral':
      case 'NullLiteral':
        return !onlyObjects
      case 'BooleanLiteral':
        return true
      case 'UnaryExpression':
        return node['operator'] === '!'
      case 'ConditionalExpression':
        return (
          this.#isJson(node['consequent'] as Node, onlyObjects) &&
          this.#isJson(node['alternate'] as Node, onlyObjects)
        )
      case 'BinaryExpression':
        if (['===', '!==', '==', '!=', '<', '>', '<=', '>='].includes(node['operator'] as string)) return true
        break
      case 'Identifier': {
        const value = this.#constants.get(node['name'] as string)
        return value !== undefined && this.#isJson(value, onlyObjects)
      }
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        return this.#isJson(node['expression'] as Node, onlyObjects)
    }
    return !onlyObjects && this.#isString(node)
  }

  #mayThrow(node: Node): boolean {
    return [...walk(node, isFunctionWithin)].some(({ node: one }) => {
      if (one.type === 'MemberExpression') return !this.#isRequestRead(one)
      // What a client sends may be an object that makes no text.
      if (one.type === 'TemplateLiteral')
        return !(one['expressions'] as Node[]).every((part) => this.#isPart(part))
      if (one.type === 'BinaryExpression') {
        const isStrict = /^[!=]==$/.test(one['operator'] as string)
        return !isStrict && ![one['left'], one['right']].every((part) => this.#isPart(part as Node))
      }
      return throwing.test(one.type)
    })
  }

  /** True for a part of a text that surely makes one. */
  #isPart(node: Node): boolean {
    if (node.type === 'NumericLiteral' || this.#isString(node)) return true
    const object = node['object'] as Node | undefined
    return (
      node.type === 'MemberExpression' &&
      object?.type === 'MemberExpression' &&
      isName(object['object'] as Node, this.#req) &&
      ['params', 'headers'].includes(memberName(object) ?? '')
    )
  }

  #isRequestRead(node: Node): boolean {
    const object = node['object'] as Node
    if (isName(object, this.#req)) return true
    return (
      object.type === 'MemberExpression' &&
      isName(object['object'] as Node, this.#req) &&
      ['params', 'query', 'headers'].includes(memberName(object) ?? '')
    )
  }

  /** The name of `res` that a chain begins with. */
  #understand(node: Node): void {
    let at = node
    while (!isName(at, this.#res)) at = (at['callee'] ?? at['object']) as Node
    this.#understood.add(at)
  }

  /** Each other use of `req` is a read of a member that is the same natively; there is no other of `res`. */
  #checkNames(body: Node): void {
    for (const placed of walk(body)) {
      const { node, parent, above } = placed
      if (isLabel(placed) || this.#understood.has(node)) continue
      if (isName(node, this.#res)) throw new Left('it passes res on, or answers from a callback', node)
      if (!isName(node, this.#req)) continue
      if (parent?.type !== 'MemberExpression' || parent['object'] !== node || parent['optional'] === true)
        throw new Left('it passes req on, or takes it apart', node)
      this.#checkRead(parent, above)
    }
  }

  #checkRead(member: Node, above: Node | undefined): void {
    const name = memberName(member)
    const isCalled = above?.type === 'CallExpression' && above['callee'] === member
    if (above !== undefined && isWrite(above, member)) throw new Left('it writes to req', above)
    if (name === 'get' || name === 'header') {
      const [header, ...others] = (isCalled ? above['arguments'] : []) as readonly Node[]
      const text = header && textOf(header)
      if (
        text === undefined ||
        others.length > 0 ||
        !token.test(text) ||
        otherHeaders.includes(text.toLowerCase()) ||
        text in {}
      )
        throw new Left(`req.${name} with what is not the same natively`, member)
      if (name === 'header') this.#rename(member['property'] as Node, 'get')
      return
    }
    if (isCalled) throw new Left(`req.${String(name)}() is not the same natively`, member)
    if (requestTexts.includes(name ?? '')) return
    if (name === 'params' || name === 'query' || name === 'body' || name === 'headers') return
    throw new Left(`req.${name ?? '[…]'} is not there natively, or not the same`, member)
  }

  #rename(property: Node, name: string): void {
    const text = property.type === 'StringLiteral' ? `'${name}'` : name
    if (this.#code.original.slice(property.start, property.end) === text) return
    replace(this.#code, property.start, property.end, text)
  }
}

interface Call {
  readonly node: Node
  readonly property: Node
  readonly name: string
  readonly arguments: readonly Node[]
}

const stateNames = new Set(['status', 'set', 'header', 'cookie'])
const throwing =
  /^(?:Call|New|Await|OptionalMember|OptionalCall|TaggedTemplate|Import|Yield|Update|Assignment)Expression$|^SpreadElement$/

const isFunctionWithin = ({ type }: Node): boolean => /Function|ClassMethod|ObjectMethod/.test(type)

/** True for a name that stands for no variable. */
function isLabel({ node, parent }: Placed): boolean {
  return (
    parent !== undefined &&
    ((/Member/.test(parent.type) && parent['property'] === node && parent['computed'] !== true) ||
      (/Property|Method/.test(parent.type) &&
        parent['key'] === node &&
        parent['computed'] !== true &&
        parent['shorthand'] !== true) ||
      /^TS/.test(node.type))
  )
}

function isName(node: Node, name: string | undefined): boolean {
  return name !== undefined && node.type === 'Identifier' && node['name'] === name
}

/** The names that a pattern declares. */
function namesIn(pattern: Node): { name: string }[] {
  switch (pattern.type) {
    case 'Identifier':
      return [{ name: pattern['name'] as string }]
    case 'ObjectProperty':
      return namesIn(pattern['value'] as Node)
    case 'AssignmentPattern':
      return namesIn(pattern['left'] as Node)
    default:
      return [...childrenOf(pattern)].flatMap(namesIn)
  }
}

function memberName(member: Node): string | undefined {
  const property = member['property'] as Node
  const name = member['computed'] === true ? textOf(property) : property['name']
  return typeof name === 'string' ? name : undefined
}

/** The text of a string that stands there. */
function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node['value'] as string
  const quasis = node['quasis'] as readonly { value: { cooked?: string } }[] | undefined
  if (node.type === 'TemplateLiteral' && quasis?.length === 1) return quasis[0]!.value.cooked
  return undefined
}

function numberOf(node: Node): number | undefined {
  return node.type === 'NumericLiteral' ? (node['value'] as number) : undefined
}

/** True for what is a number and never undefined: `7 * DAY_MS`. */
function isArithmetic(node: Node): boolean {
  if (node.type === 'ParenthesizedExpression') return isArithmetic(node['expression'] as Node)
  return (
    node.type === 'BinaryExpression' &&
    ['*', '/', '-', '%', '**'].includes(node['operator'] as string) &&
    ![...walk(node)].some(({ node: { type } }) => /Call|Await|Function/.test(type))
  )
}

/** True for a status without a body of which Express keeps other headers than a native answer has: 204 is alike. */
function isOther(status: number): boolean {
  return status === 205 || status === 304
}

function isWrite(above: Node, node: Node): boolean {
  return (
    (/^Assignment/.test(above.type) && above['left'] === node) ||
    above.type === 'UpdateExpression' ||
    (above.type === 'UnaryExpression' && above['operator'] === 'delete') ||
    (/^For(?:In|Of)Statement$/.test(above.type) && above['left'] === node)
  )
}
