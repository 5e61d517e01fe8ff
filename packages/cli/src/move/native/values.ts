// What is surely known of the value of an expression in a handler.
import { isFunction, type Node } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import type { Scope } from './scope.js'
import {
  calleeName,
  isArithmetic,
  isMember,
  isName,
  keyOf,
  memberName,
  numberOf,
  textOf,
  untyped,
} from '../../syntax/tree.js'

const requestTexts: ReadonlySet<string> = new Set([
  'method',
  'url',
  'originalUrl',
  'path',
  'baseUrl',
  'protocol',
])
// Methods that give a text, on whatever has them.
const textMethods =
  /^(?:toString|toISOString|toUTCString|toDateString|toLocale\w*String|toFixed|toUpperCase|toLowerCase|trim(?:Start|End)?|join|replace(?:All)?|pad(?:Start|End)|repeat|substring|charAt)$/
const listMethods = /^(?:map|filter|flatMap|flat|sort|reverse|toSorted|toReversed|split)$/
// Of what is not there they give undefined.
const lookUps = /^(?:find|findLast|get|header|pop|shift|at)$/
const fieldReaders: ReadonlySet<string> = new Set(['get', 'header'])
const comparisons: ReadonlySet<string> = new Set([
  '===',
  '!==',
  '==',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  'in',
  'instanceof',
])

export class Values {
  readonly #scope: Scope
  /** Names that are neither null nor undefined where the walk stands. */
  readonly present: Set<string> = new Set()

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** True for an expression that is a string, whatever its parts are. The `message` of an error is taken for one. */
  isString(read: Node): boolean {
    const node = untyped(read)
    switch (node.type) {
      case 'StringLiteral':
      case 'TemplateLiteral':
        return true
      case 'BinaryExpression':
        return (
          node['operator'] === '+' &&
          (this.isString(node['left'] as Node) || this.isString(node['right'] as Node))
        )
      case 'ConditionalExpression':
        return this.isString(node['consequent'] as Node) && this.isString(node['alternate'] as Node)
      case 'LogicalExpression':
        return (
          /^(?:\|\||\?\?)$/.test(node['operator'] as string) &&
          this.isString(node['right'] as Node) &&
          (this.#isField(node['left'] as Node) || this.isString(node['left'] as Node))
        )
      case 'UnaryExpression':
        return node['operator'] === 'typeof'
      case 'MemberExpression': {
        const object = untyped(node['object'] as Node)
        return (
          this.#scope.isOfRequest(node, requestTexts) ||
          (memberName(node) === 'message' && /^(?:e|ex|err|error|exception)$/i.test(String(object['name'])))
        )
      }
      case 'CallExpression': {
        const callee = node['callee'] as Node
        if (isMember(callee)) {
          return isName(callee['object'] as Node, 'JSON')
            ? memberName(callee) === 'stringify'
            : textMethods.test(memberName(callee) ?? '')
        }
        return isName(callee, 'String') && (node['arguments'] as unknown[]).length === 1
      }
      case 'Identifier': {
        const value = this.#scope.constant(node)
        return value !== undefined && this.isString(value)
      }
    }
    return false
  }

  /** True for what a client sends, which may be a text, a list, an object or nothing. */
  isOfClient(read: Node): boolean {
    return this.#scope.isSent(untyped(read)) && !this.isString(read)
  }

  /** False for what no header is made of natively, on some path: nothing, true or false, an object, and what a client may send. */
  isFieldValue(read: Node): boolean {
    if (this.isString(read)) return true
    const isOther = this.isObject(read) || this.mayBeUndefined(read) || this.isOfClient(read)
    return !isOther && untyped(read).type !== 'NullLiteral'
  }

  /** True for a header of the request, which is a text where it was sent. */
  #isField(read: Node): boolean {
    const node = untyped(read)
    if (node.type !== 'CallExpression' || !this.#scope.isOfRequest(node['callee'] as Node, fieldReaders))
      return false
    const [name] = node['arguments'] as readonly Node[]
    const text = name && textOf(name)
    return text !== undefined && text.toLowerCase() !== 'set-cookie'
  }

  /** True for an object or a list that JSON is made of, or for true or false. */
  isObject(read: Node): boolean {
    const node = untyped(read)
    switch (node.type) {
      case 'ObjectExpression':
        return !hasThen(node)
      case 'ArrayExpression':
      case 'BooleanLiteral':
        return true
      case 'NewExpression':
        return isName(node['callee'] as Node, 'Date')
      case 'UnaryExpression':
        return node['operator'] === '!'
      case 'BinaryExpression':
        return comparisons.has(node['operator'] as string)
      case 'ConditionalExpression':
        return this.isObject(node['consequent'] as Node) && this.isObject(node['alternate'] as Node)
      case 'CallExpression': {
        const callee = node['callee'] as Node
        if (!isMember(callee)) return false
        if (isName(callee['object'] as Node, 'Object'))
          return /^(?:keys|values|entries)$/.test(memberName(callee) ?? '')
        if (isName(callee['object'] as Node, 'Array')) return memberName(callee) === 'from'
        return listMethods.test(memberName(callee) ?? '')
      }
      case 'Identifier': {
        const value = this.#scope.constant(node)
        return value !== undefined && this.isObject(value)
      }
    }
    return false
  }

  /** True for what JSON has no form for, or for what is often not there. */
  mayBeUndefined(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'Identifier') {
      if (node['name'] === 'undefined') return true
      if (this.present.has(node['name'] as string)) return false
      const value = this.#scope.constant(node)
      return value !== undefined && this.mayBeUndefined(value)
    }
    if (node.type === 'ObjectExpression') return hasThen(node)
    if (node.type === 'ConditionalExpression')
      return this.mayBeUndefined(node['consequent'] as Node) || this.mayBeUndefined(node['alternate'] as Node)
    if (node.type === 'LogicalExpression') {
      const [left, right] = [node['left'] as Node, node['right'] as Node]
      return this.mayBeUndefined(right) || (node['operator'] === '&&' && this.mayBeUndefined(left))
    }
    if (isFunction(node) || /^Optional/.test(node.type)) return true
    if (node.type === 'AwaitExpression') return this.mayBeUndefined(node['argument'] as Node)
    if (node.type === 'UnaryExpression') return node['operator'] === 'void'
    if (isMember(node)) {
      const property = node['property'] as Node
      // An element of a list or of a table, and what a client has sent.
      if (node['computed'] === true && textOf(property) === undefined) return true
      return this.#scope.isSent(node) || this.#scope.isOfRequest(node['object'] as Node, headersName)
    }
    return isLookUp(node)
  }

  /** True for what surely is a value: an object, a text, a number, or a name that was asked for. */
  isThere(read: Node): boolean {
    const node = untyped(read)
    if (node.type === 'Identifier' && this.present.has(node['name'] as string)) return true
    return this.isObject(node) || this.isString(node) || this.isNumber(node) || node.type === 'NullLiteral'
  }

  /** The status that stands there, by its constant too; undefined where it is another expression. */
  status(read: Node): number | undefined {
    const node = untyped(read)
    const value = this.#scope.constant(node)
    return numberOf(value === undefined ? node : untyped(value))
  }

  /** True where what a client sends may make the computation of a value throw, and where it waits. */
  mayThrow(node: Node): boolean {
    const isSent = (one: Node): boolean => this.#scope.isSent(one)
    return [...walk(node, isFunction)].some(({ node: one, parent }) => {
      switch (one.type) {
        case 'MemberExpression': {
          const object = one['object'] as Node
          // req.query is always there, and req.body is not.
          const isQuery = this.#scope.isOfRequest(object, queryName)
          return isSent(object) && !isQuery
        }
        case 'TemplateLiteral':
          // What a client sends may be an object that makes no text.
          return (one['expressions'] as Node[]).some(isSent)
        case 'BinaryExpression':
          return (
            !/^[!=]==$/.test(one['operator'] as string) &&
            (isSent(one['left'] as Node) || isSent(one['right'] as Node))
          )
        case 'CallExpression':
        case 'OptionalCallExpression':
        case 'NewExpression': {
          const callee = one['callee'] as Node
          if (this.#scope.isOfRequest(callee)) return false
          if (isMember(callee) && isSent(callee['object'] as Node)) return true
          return (one['arguments'] as readonly Node[]).some(
            (given) =>
              [...walk(given)].some(
                ({ node: { type, name } }) => type === 'Identifier' && name === this.#scope.req,
              ) || isSent(given),
          )
        }
        case 'SpreadElement':
          return parent?.type !== 'ObjectExpression' && isSent(one['argument'] as Node)
        default:
          return throwing.test(one.type)
      }
    })
  }

  /** True for a number, or for what surely makes one. */
  isNumber(node: Node): boolean {
    return numberOf(node) !== undefined || isArithmetic(node)
  }
}

const queryName: ReadonlySet<string> = new Set(['query'])
const headersName: ReadonlySet<string> = new Set(['headers'])
const throwing = /^(?:Await|TaggedTemplate|Import|Yield|Update|Assignment)Expression$/

function isLookUp(node: Node): boolean {
  return (
    node.type === 'CallExpression' && isMember(node['callee'] as Node) && lookUps.test(calleeName(node) ?? '')
  )
}

function hasThen(object: Node): boolean {
  return (object['properties'] as readonly Node[]).some((one) => keyOf(one) === 'then')
}
