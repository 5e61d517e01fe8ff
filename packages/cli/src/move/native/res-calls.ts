// The calls of `res` that a handler may make: what sets something, and what answers.
import type MagicString from 'magic-string'
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import { isName } from '../../syntax/tree.js'

export interface Call {
  readonly node: Node
  readonly property: Node
  readonly name: string
  readonly arguments: readonly Node[]
}

export const stateNames: ReadonlySet<string> = new Set([
  'status',
  'set',
  'header',
  'setHeader',
  'type',
  'contentType',
  'location',
  'cookie',
  'clearCookie',
])
export const answerNames: ReadonlySet<string> = new Set([
  'json',
  'send',
  'sendStatus',
  'end',
  'redirect',
  'sendFile',
  'download',
])

/** What the name of a header or of a cookie may be. */
export const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** True for a method of `res` that a handler may call and still become native. */
export function isKnownCall(name: string): boolean {
  return stateNames.has(name) || answerNames.has(name)
}

/** The calls of `res.status(…).json(…)`, in their order; undefined for anything else. */
export function chainOf(node: Node, res: string): Call[] | undefined {
  const calls: Call[] = []
  let at = node
  while (at.type === 'CallExpression') {
    const callee = at['callee'] as Node
    const property = callee['property'] as Node | undefined
    if (callee.type !== 'MemberExpression' || callee['computed'] === true || property?.type !== 'Identifier')
      return undefined
    calls.unshift({
      node: at,
      property,
      name: property['name'] as string,
      arguments: at['arguments'] as readonly Node[],
    })
    at = callee['object'] as Node
  }
  return calls.length > 0 && isName(at, res) ? calls : undefined
}

/** Behind the parenthesis that a call has after its name. */
export function openAfter(code: MagicString, { end }: Node): number {
  return code.original.indexOf('(', end) + 1
}

export function rename(code: MagicString, property: Node, name: string): void {
  const text = property.type === 'StringLiteral' ? `'${name}'` : name
  if (code.original.slice(property.start, property.end) === text) return
  replace(code, property.start, property.end, text)
}

/** True for a status without a body of which Express keeps other headers than a native answer has: 204 and 205 are alike. */
export function hasOtherHeaders(status: number): boolean {
  return status === 304
}
