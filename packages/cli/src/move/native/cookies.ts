// The cookies that a handler sets or clears, as a native callback writes them.
import type MagicString from 'magic-string'
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import { Left } from './reasons.js'
import { type Call, rename, token } from './res-calls.js'
import type { Scope } from './scope.js'
import { isMember, isName, keyOf, numberOf, textOf, untyped } from '../../syntax/tree.js'
import type { Values } from './values.js'

export class Cookies {
  readonly #code: MagicString
  readonly #scope: Scope
  readonly #values: Values

  constructor(code: MagicString, scope: Scope, values: Values) {
    this.#code = code
    this.#scope = scope
    this.#values = values
  }

  set(node: Node, [name, value, options, ...others]: readonly Node[], isLate: boolean): void {
    if (value === undefined || value.type === 'SpreadElement' || others.length > 0)
      throw new Left('no-value', node, 'cookie')
    this.#checkCookieName(name!)
    // Express makes JSON of an object.
    if (isLate && !this.#values.isString(value)) throw new Left('cookie-value', value)
    const isOther = this.#values.isObject(value) || this.#values.isOfClient(value)
    if (isOther || value.type === 'NullLiteral') throw new Left('cookie-value', value)
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
    rename(this.#code, property['key'] as Node, 'maxAgeSeconds')
    if (number === undefined) {
      this.#code.appendLeft(value.start, 'Math.floor((').appendLeft(value.end, ') / 1000)')
    } else replace(this.#code, value.start, value.end, String(Math.floor(number / 1000)))
  }

  /** Express sends a cookie that has expired in 1970. */
  clear({ node, property, arguments: all }: Call): void {
    const [name, options, ...others] = all
    if (name === undefined || others.length > 0) throw new Left('no-value', node, 'clearCookie')
    this.#checkCookieName(name)
    rename(this.#code, property, 'cookie')
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
}
