// What a handler sets before it answers: a status, headers, a type and cookies.
import type MagicString from 'magic-string'
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import { Cookies } from './cookies.js'
import { Left } from './reasons.js'
import { type Call, hasOtherHeaders, rename, stateNames, token } from './res-calls.js'
import type { Scope } from './scope.js'
import { keyOf, textOf, untyped } from '../../syntax/tree.js'
import type { Values } from './values.js'

// What Express or Node makes of them depends on more than the value.
const guardedHeaders =
  /^(?:content-(?:length|encoding)|etag|last-modified|date|set-cookie|vary|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|http2-settings|location)$/i
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

export class SetCalls {
  readonly #code: MagicString
  readonly #values: Values
  readonly #cookies: Cookies
  /** The type that has surely been set where the walk stands. */
  type: string | undefined
  /** True where a type may have been set on some path so far. */
  mayHaveType = false
  /** True in a callback: what a method of the native `res` throws there would end the process. */
  isLate = false

  constructor(code: MagicString, scope: Scope, values: Values) {
    this.#code = code
    this.#values = values
    this.#cookies = new Cookies(code, scope, values)
  }

  /** Rewrites one call; true where it may set the status of an error. */
  call(call: Call): boolean {
    const { name, property, node, arguments: all } = call
    switch (name) {
      case 'status':
        if (all.length !== 1 || all[0]!.type === 'SpreadElement') throw new Left('no-value', node, name)
        return this.status(all[0]!)
      case 'cookie':
        this.#cookies.set(node, all, this.isLate)
        return false
      case 'clearCookie':
        this.#cookies.clear(call)
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
          rename(this.#code, property, 'header')
        }
        return false
    }
  }

  /** A variable is taken for a status from 200 to 599 with the usual headers. */
  status(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'ConditionalExpression') {
      const [first, second] = [node['consequent'], node['alternate']].map((one) => this.status(one as Node))
      return first === true || second === true
    }
    const status = this.#values.status(node)
    if (status === undefined) {
      if (/Literal$/.test(node.type)) throw new Left('status', node, String(node['value']))
      if (this.isLate) throw new Left('status', node, 'that is computed')
      if (this.#values.isOfClient(node)) throw new Left('status', node, 'that a client sends')
      return true
    }
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw new Left('status', node, String(status))
    if (hasOtherHeaders(status)) throw new Left('status-headers', node, String(status))
    return status >= 400
  }

  #header(read: Node, value: Node, by: string): void {
    const name = textOf(read)
    if (name === undefined) throw new Left('header-name', read)
    if (!token.test(name) || guardedHeaders.test(name)) throw new Left('header', read, name)
    if (value.type === 'SpreadElement') throw new Left('no-value', value, by)
    const text = textOf(value)
    if (text === undefined && !this.#values.isFieldValue(value)) throw new Left('header-value', value, name)
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
  typeOf({ name, arguments: all }: Call): string | undefined {
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
  drop({ node }: Call): void {
    const object = (node['callee'] as Node)['object'] as Node
    replace(this.#code, object.end, node.end, '')
  }
}
