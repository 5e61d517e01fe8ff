// The calls that register routes, as they are written.
import { METHODS } from 'node:http'
import { argumentsOf, calledProperty, nameOf, receiverOf } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'

/** A route of the inventory that is to move. */
export interface WantedRoute {
  /** The number of its row. */
  readonly row: number
  readonly router: number
  readonly layer: number
}

/** A call that registers handlers of a route. */
export interface WrittenCall {
  readonly call: Node
  /** `GET`, `*`. */
  readonly method: string
  /** The path, as it is written. */
  readonly path: Node
  /** The handlers, as they are written. */
  readonly handlers: readonly Node[]
  /** `router.route(path)`, whose handlers these are. */
  readonly route: Node | undefined
}

export const verbs = new Set([...METHODS.map((method) => method.toLowerCase()), 'all'])

/** Reads a call by the verb that it was called by; the reason where it says no route of its own. */
export function readCall(call: Node, verb: string, isOnRoute: boolean): WrittenCall | string {
  const method = verb === 'all' ? '*' : verb.toUpperCase()
  const parameters = argumentsOf(call)
  if (isOnRoute) {
    const route = routeBelow(call)
    if (route === undefined) return 'what route(path) gives has a name, and its handlers stand elsewhere'
    const [path, ...others] = argumentsOf(route)
    if (path === undefined || path.type === 'SpreadElement' || others.length > 0) {
      return 'the path is not an argument of its own'
    }
    return { call, method, path, handlers: parameters, route }
  }
  const [path, ...handlers] = parameters
  if (path === undefined || path.type === 'SpreadElement') return 'the path is not an argument of its own'
  if (handlers.length === 0) return 'it has no handler'
  return { call, method, path, handlers, route: undefined }
}

/** The `route(path)` that a call of a chain has its handlers from. */
function routeBelow(call: Node): Node | undefined {
  let node = receiverOf(call)
  for (;;) {
    const property = calledProperty(node)
    if (property === undefined) return undefined
    if (nameOf(property) === 'route') return node
    if (!verbs.has(nameOf(property))) return undefined
    node = receiverOf(node)
  }
}

/** True for what can be written a second time: `router`, `this.router`. */
export function isReference(node: Node): boolean {
  const { type } = node
  if (type === 'Identifier' || type === 'ThisExpression') return true
  if (type === 'MemberExpression') {
    return (
      (!node['computed'] || (node['property'] as Node).type === 'StringLiteral') &&
      isReference(node['object'] as Node)
    )
  }
  return /^TS(?:As|NonNull|Satisfies)Expression$/.test(type) && isReference(node['expression'] as Node)
}
