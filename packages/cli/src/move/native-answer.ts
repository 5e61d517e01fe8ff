// The calls of `res` in a handler, as a native callback writes them.
import { STATUS_CODES } from 'node:http'
import type MagicString from 'magic-string'
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { replace } from '../edit/code.js'
import { Left } from './native-reasons.js'
import type { Scope } from './native-scope.js'
import { isMember, isName, keyOf, memberName, numberOf, textOf, untyped } from './native-tree.js'
import type { Values } from './native-value.js'

/** Functions of `routecontrollers/express` that a native callback answers by. */
export type ExpressName = 'sendFile' | 'download' | 'sendValue'

interface Call {
  readonly node: Node
  readonly property: Node
  readonly name: string
  readonly arguments: readonly Node[]
}

const stateNames: ReadonlySet<string> = new Set([
  'status',
  'set',
  'header',
  'setHeader',
  'type',
  'contentType',
  'cookie',
  'clearCookie',
])
const answerNames: ReadonlySet<string> = new Set([
  'json',
  'send',
  'sendStatus',
  'end',
  'redirect',
  'sendFile',
  'download',
])
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** True for a method of `res` that a handler may call and still become native. */
export function isKnownCall(name: string): boolean {
  return stateNames.has(name) || answerNames.has(name)
}

// What Express or Node makes of them depends on more than the value.
const guardedHeaders =
  /^(?:content-(?:length|encoding)|etag|last-modified|date|set-cookie|vary|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|http2-settings|location)$/i
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
const mediaType = /^[\w.+-]+\/[\w.+-]+(?:; ?charset=utf-8)?$/i
// Those that both Express 4 and 5 give a charset, whatever is sent.
const charsetTypes = /^(?:text\/[\w.+-]+|application\/(?:javascript|json))$/i
// Those of which Express 4 and 5 make the same.
const shortTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  html: 'text/html',
  txt: 'text/plain',
  text: 'text/plain',
  css: 'text/css',
  csv: 'text/csv',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  pdf: 'application/pdf',
}

/** Rewrites answers, and what is set before them. */
export class Answers {
  readonly #code: MagicString
  readonly #scope: Scope
  readonly #values: Values
  readonly #mayBeHead: boolean
  /** Names of `res` that have been understood. */
  readonly understood: Set<Node> = new Set()
  /** The type that has surely been set where the walk stands. */
  type: string | undefined
  /** Where the first statement ends that sets a header or a cookie, and does not answer: one of those walked so far. */
  setAt: number | undefined
  /** True where a type may have been set on some path so far. */
  mayHaveType = false
  /** True in a callback: what a method of the native `res` throws there would end the process. */
  isLate = false
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
    this.#mayBeHead = mayBeHead
    this.#canImport = canImport
  }

  /** True for an expression that ends in an answer, or in one of two. */
  isAnswer(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'ConditionalExpression') {
      return this.isAnswer(node['consequent'] as Node) && this.isAnswer(node['alternate'] as Node)
    }
    const chain = this.#chain(node)
    return chain !== undefined && !stateNames.has(chain.at(-1)!.name)
  }

  /** True for an expression that sets a status, headers or cookies, and does not answer. */
  isState(node: Node): boolean {
    if (this.#statusSet(node) !== undefined) return true
    const chain = this.#chain(node)
    return chain !== undefined && chain.every(({ name }) => stateNames.has(name))
  }

  /** Rewrites an answer. `isFailing` where the status of an error has been set before. */
  answer(read: Node, isFailing = false): void {
    const node = untyped(read)
    if (node.type === 'ConditionalExpression') {
      if (isFailing && this.#values.mayThrow(node['test'] as Node)) throw new Left('error-throws', node)
      const { type } = this
      this.answer(node['consequent'] as Node, isFailing)
      this.type = type
      this.answer(node['alternate'] as Node, isFailing)
      return
    }
    const chain = this.#chain(node)!
    this.#understand(node)
    const last = chain.at(-1)!
    const before = chain.slice(0, -1)
    for (const call of before) {
      if (answerNames.has(call.name)) throw new Left('after-answer', last.property)
      if (!stateNames.has(call.name)) throw new Left('res-member', call.property, call.name)
    }
    // `text` says its type itself. `html` leaves one that middleware has set, as `send` does, so the type is written.
    const typing = before.filter((call) => this.#typeOf(call) !== undefined)
    const type = typing.length === 1 ? this.#typeOf(typing[0]!) : undefined
    const isPlain =
      !this.mayHaveType &&
      type === 'text/plain' &&
      last.name === 'send' &&
      last.arguments.length === 1 &&
      this.#values.isString(last.arguments[0]!)
    let failing = isFailing
    for (const call of before) {
      if (failing && call.arguments.some((one) => this.#values.mayThrow(one)))
        throw new Left('error-throws', call.node)
      if (isPlain && call === typing[0]) this.#drop(call)
      else failing = this.#stateCall(call) || failing
    }
    if (failing && last.arguments.some((one) => this.#values.mayThrow(one)))
      throw new Left('error-throws', last.node)
    if (isPlain) this.#rename(last.property, 'text')
    else this.#lastCall(last, before)
  }

  /** Rewrites a statement that sets a status, headers or cookies; true where it may be the status of an error. */
  state(node: Node): boolean {
    const status = this.#statusSet(node)
    if (status !== undefined) {
      this.#understand(node['left'] as Node)
      replace(this.#code, (node['left'] as Node).end, status.start, '(')
      this.#code.appendLeft(node.end, ')')
      this.#rename((node['left'] as Node)['property'] as Node, 'status')
      return this.#checkStatus(status)
    }
    this.#understand(node)
    let isFailing = false
    for (const call of this.#chain(node)!) {
      if (call.name !== 'status') this.setAt ??= node.end
      if (isFailing && call.arguments.some((one) => this.#values.mayThrow(one)))
        throw new Left('error-throws', call.node)
      isFailing = this.#stateCall(call) || isFailing
    }
    return isFailing
  }

  /** What is assigned in `res.statusCode = 404`. */
  #statusSet(node: Node): Node | undefined {
    if (node.type !== 'AssignmentExpression' || node['operator'] !== '=') return undefined
    const left = node['left'] as Node
    const isStatus =
      isMember(left) && isName(left['object'] as Node, this.#scope.res) && memberName(left) === 'statusCode'
    return isStatus ? (node['right'] as Node) : undefined
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
    return calls.length > 0 && isName(at, this.#scope.res) ? calls : undefined
  }

  /** The name of `res` that a chain begins with. */
  #understand(node: Node): void {
    let at = node
    while (!isName(at, this.#scope.res)) at = (at['callee'] ?? at['object']) as Node
    this.understood.add(at)
  }

  /** One of the calls before the last; true where it may set the status of an error. */
  #stateCall(call: Call): boolean {
    const { name, property, node, arguments: all } = call
    switch (name) {
      case 'status':
        if (all.length !== 1 || all[0]!.type === 'SpreadElement') throw new Left('no-value', node, name)
        return this.#checkStatus(all[0]!)
      case 'cookie':
        this.#cookie(node, all)
        return false
      case 'clearCookie':
        this.#clearCookie(call)
        return false
      case 'type':
      case 'contentType':
        this.#setType(call)
        return false
      default:
        if (all.length === 1 && all[0]!.type === 'ObjectExpression' && name !== 'setHeader')
          this.#headers(call, all[0]!)
        else if (all.length !== 2) throw new Left('header-name', node)
        else {
          this.#header(all[0]!, all[1]!, name)
          this.#rename(property, 'header')
        }
        return false
    }
  }

  /** A variable is taken for a status from 200 to 599 with the usual headers. */
  #checkStatus(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'ConditionalExpression') {
      const [first, second] = [node['consequent'], node['alternate']].map((one) =>
        this.#checkStatus(one as Node),
      )
      return first === true || second === true
    }
    const status = this.#values.status(node)
    if (status === undefined) {
      if (/Literal$/.test(node.type)) throw new Left('status', node, String(node['value']))
      if (this.isLate) throw new Left('status', node, 'that is computed')
      return true
    }
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw new Left('status', node, String(status))
    if (isOther(status)) throw new Left('status-headers', node, String(status))
    return status >= 400
  }

  #header(read: Node, value: Node, by: string): void {
    const name = textOf(read)
    if (name === undefined) throw new Left('header-name', read)
    if (!token.test(name) || guardedHeaders.test(name)) throw new Left('header', read, name)
    if (value.type === 'SpreadElement') throw new Left('no-value', value, by)
    const text = textOf(value)
    if (/^content-type$/i.test(name)) {
      // Express adds a charset to what res.set gets, and to that of a text that is sent; Node adds none.
      if (text === undefined ? by !== 'setHeader' : !mediaType.test(text)) throw new Left('type', value)
      this.type = text ?? ''
      this.mayHaveType = true
      if (text !== undefined && by !== 'setHeader' && charsetTypes.test(text)) {
        this.#code.appendLeft(value.end - 1, '; charset=utf-8')
      }
    } else if (text !== undefined && !headerValue.test(text)) throw new Left('header', read, name)
  }

  /** `res.set({ … })`: a call for each header. */
  #headers({ node, property }: Call, object: Node): void {
    const properties = object['properties'] as readonly Node[]
    const { original } = this.#code
    if (properties.length === 0) throw new Left('no-value', object, 'set')
    let from = property.start
    for (const [at, one] of properties.entries()) {
      const name = keyOf(one)
      const [key, value] = [one['key'], one['value']] as [Node, Node]
      if (one.type !== 'ObjectProperty' || name === undefined) throw new Left('header-name', one)
      this.#header({ ...key, type: 'StringLiteral', value: name }, value, 'set')
      // A comment between two of them would be lost, or stand in the wrong place.
      if (original.slice(from, key.start).includes('/*') || original.slice(from, key.start).includes('//'))
        throw new Left('header-name', one)
      const written = key.type === 'Identifier' ? `'${name}'` : original.slice(key.start, key.end)
      replace(this.#code, from, value.start, `${at === 0 ? '' : ').'}header(${written}, `)
      from = value.end
    }
    if (/\/[*/]/.test(original.slice(from, node.end))) throw new Left('header-name', object)
    replace(this.#code, from, node.end, ')')
  }

  /** The media type that a call sets, without its charset; undefined where it sets none that stands there. */
  #typeOf({ name, arguments: all }: Call): string | undefined {
    const isType = name === 'type' || name === 'contentType'
    const isHeader =
      !isType && stateNames.has(name) && all.length === 2 && /^content-type$/i.test(textOf(all[0]!) ?? '')
    const text = isType && all.length === 1 ? textOf(all[0]!) : isHeader ? textOf(all[1]!) : undefined
    return text === undefined ? undefined : (shortTypes[text] ?? text).replace(/;.*/, '').toLowerCase()
  }

  #setType({ node, property, arguments: all }: Call): void {
    const text = all.length === 1 ? textOf(all[0]!) : undefined
    const type = text === undefined ? undefined : text.includes('/') ? text : shortTypes[text]
    if (type === undefined || !mediaType.test(type)) throw new Left('type', node)
    this.type = type
    this.mayHaveType = true
    const charset = charsetTypes.test(type) ? '; charset=utf-8' : ''
    replace(this.#code, property.start, all[0]!.start, `header('Content-Type', `)
    if (type !== text) replace(this.#code, all[0]!.start, all[0]!.end, `'${type}${charset}'`)
    else if (charset !== '') this.#code.appendLeft(all[0]!.end - 1, charset)
  }

  /** Takes a call out of its chain. */
  #drop({ node }: Call): void {
    const object = (node['callee'] as Node)['object'] as Node
    replace(this.#code, object.end, node.end, '')
  }

  #cookie(node: Node, [name, value, options, ...others]: readonly Node[]): void {
    if (value === undefined || value.type === 'SpreadElement' || others.length > 0)
      throw new Left('no-value', node, 'cookie')
    this.#checkCookieName(name!)
    // Express makes JSON of an object.
    if (this.isLate && !this.#values.isString(value)) throw new Left('cookie-value', value)
    if (this.#values.isObject(value) || value.type === 'NullLiteral') throw new Left('cookie-value', value)
    if (options === undefined) return
    for (const property of this.#cookieOptions(options)) {
      this.#cookieOption(
        keyOf(property)!,
        property,
        property['value'] as Node,
        options.type === 'ObjectExpression',
      )
    }
  }

  #checkCookieName(name: Node): void {
    const text = textOf(name)
    const isKnown = text === undefined ? name.type === 'Identifier' || isMember(name) : token.test(text)
    if (!isKnown || /^__(?:host|secure)-/i.test(text ?? '')) throw new Left('cookie-name', name)
  }

  /** The properties of options that stand there, or that a constant stands for. */
  #cookieOptions(options: Node): readonly Node[] {
    const object = untyped(this.#scope.unchanged(options) ?? options)
    const properties = object['properties'] as readonly Node[] | undefined
    const areKnown =
      object.type === 'ObjectExpression' &&
      properties!.every((one) => one.type === 'ObjectProperty' && keyOf(one) !== undefined)
    if (!areKnown) throw new Left('cookie-options', options)
    if (
      properties!.some((one) => keyOf(one) === 'sameSite' && /none/i.test(textOf(one['value'] as Node) ?? ''))
    ) {
      const isSecure = properties!.some(
        (one) => keyOf(one) === 'secure' && (one['value'] as Node)['value'] === true,
      )
      if (!isSecure) throw new Left('cookie-option', options, 'sameSite')
    }
    return properties!
  }

  #cookieOption(option: string, property: Node, value: Node, isHere: boolean): void {
    const isText = (pattern: RegExp): boolean => pattern.test(textOf(value) ?? '\n')
    switch (option) {
      case 'maxAge':
        if (!isHere) break
        return this.#maxAge(property, value)
      case 'httpOnly':
      case 'secure':
        // Any value: it counts where it is true.
        return
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
        if (isText(/^(?:lax|strict|none)$/i) || value['value'] === true) return
        break
      case 'priority':
        if (isText(/^(?:low|medium|high)$/)) return
        break
      case 'expires':
        if (value.type === 'NewExpression' && isName(value['callee'] as Node, 'Date')) return
        break
    }
    throw new Left('cookie-option', property, option)
  }

  #maxAge(property: Node, value: Node): void {
    const number = numberOf(value)
    if (
      (number === undefined && !this.#values.isNumber(value)) ||
      (number !== undefined && !Number.isFinite(number))
    )
      throw new Left('cookie-option', value, 'maxAge')
    this.#rename(property['key'] as Node, 'maxAgeSeconds')
    if (number === undefined) {
      this.#code.appendLeft(value.start, 'Math.floor((').appendLeft(value.end, ') / 1000)')
    } else replace(this.#code, value.start, value.end, String(Math.floor(number / 1000)))
  }

  /** Express sends a cookie that has expired in 1970. */
  #clearCookie({ node, property, arguments: all }: Call): void {
    const [name, options, ...others] = all
    if (name === undefined || others.length > 0) throw new Left('no-value', node, 'clearCookie')
    this.#checkCookieName(name)
    this.#rename(property, 'cookie')
    if (options === undefined) {
      this.#code.appendLeft(name.end, `, '', { expires: new Date(0) }`)
      return
    }
    const isHere = options.type === 'ObjectExpression'
    const properties = this.#cookieOptions(options)
    for (const one of properties) {
      const option = keyOf(one)!
      // Express 4 heeds them, and 5 does not.
      if (option === 'maxAge' || option === 'expires') throw new Left('cookie-option', one, option)
      this.#cookieOption(option, one, one['value'] as Node, isHere)
    }
    this.#code.appendLeft(name.end, `, ''`)
    const last = properties.at(-1)
    if (!isHere) {
      this.#code.appendLeft(options.start, '{ ...').appendLeft(options.end, ', expires: new Date(0) }')
    } else if (last === undefined) replace(this.#code, options.start, options.end, '{ expires: new Date(0) }')
    else this.#code.appendLeft(last.end, ', expires: new Date(0)')
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
      this.#rename(property, 'end')
      return
    }
    if (name === 'redirect') return this.#redirect({ name, property, node, arguments: all })
    if (name === 'sendFile' || name === 'download')
      return this.#file({ name, property, node, arguments: all }, before)
    if (name === 'sendStatus') {
      const status = all.length === 1 ? this.#values.status(value!) : undefined
      if (status !== undefined && isOther(status)) throw new Left('status-headers', node, String(status))
      if (status === undefined || status < 200 || STATUS_CODES[status] === undefined || this.mayHaveType)
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
      if (this.#values.mayBeUndefined(value!) || (this.isLate && !this.#values.isThere(value!)))
        throw new Left('json-undefined', value!)
      return
    }
    if (this.#values.isString(value!)) {
      // Of a type that has been set, both methods make the same.
      this.#rename(property, this.type === undefined ? 'html' : 'send')
      return
    }
    if (this.#values.isObject(value!) || this.#hasOwnStatus(value!, before))
      return this.#rename(property, 'json')
    // With a type, a text is sent as an object or bytes are.
    if (this.type !== undefined && this.#isSendable(value!)) return
    if (!this.#canImport('sendValue')) throw new Left('send-value', value!)
    this.imports.add('sendValue')
    const callee = node['callee'] as Node
    this.#code.appendRight(node.start, 'sendValue(')
    const open = this.#openAfter(property)
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
    // Express encodes what a client may have sent, where a native redirect refuses a line break.
    if (!this.#isPlace(url) || (this.isLate && !this.#values.isString(url))) throw new Left('redirect', url)
    if (second === undefined) return
    const { original } = this.#code
    const written = original.slice(first.start, first.end)
    const isPlain =
      this.#openAfter(property) === first.start &&
      /^\s*,\s*$/.test(original.slice(first.end, second.start)) &&
      /^\s*\)$/.test(original.slice(second.end, node.end))
    if (!isPlain) throw new Left('redirect', node)
    replace(this.#code, first.start, second.start, '')
    this.#code.appendLeft(second.end, `, ${written}`)
  }

  /** True for what is a text without anything that a client has sent, as far as that is seen. */
  #isPlace(read: Node): boolean {
    const node = untyped(read)
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
    replace(this.#code, node.start, this.#openAfter(property), `${own}(`)
  }

  /** Behind the parenthesis that a call has after its name. */
  #openAfter({ end }: Node): number {
    return this.#code.original.indexOf('(', end) + 1
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

  #rename(property: Node, name: string): void {
    const text = property.type === 'StringLiteral' ? `'${name}'` : name
    if (this.#code.original.slice(property.start, property.end) === text) return
    replace(this.#code, property.start, property.end, text)
  }
}

/** True for a status without a body of which Express keeps other headers than a native answer has: 204 is alike. */
function isOther(status: number): boolean {
  return status === 205 || status === 304
}
