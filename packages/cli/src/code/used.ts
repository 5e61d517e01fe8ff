// What a function uses of its request and its response, as far as its own text says it.
import type { Used } from '../documents/brief.js'
import { isFunction, type Node } from '../syntax/parser.js'
import { memberOf } from '../syntax/syntax.js'
import { walk } from '../syntax/walk.js'

const requestName = /^_?(?:req|request)$/
const responseName = /^_?(?:res|response)$/
// More members than any page needs.
const most = 30

/** How Express calls a function; undefined for one that it does not call, of which the names of the parameters count. */
export type CalledAs = 'handler' | 'error handler' | undefined

/** What the function and those within it use. */
export function usedBy(node: Node, calledAs: CalledAs): Used {
  const [reads, sets, leaves] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const functions = [...walk(node)].map((placed) => placed.node).filter(isFunction)
  const called = calledAs === undefined ? undefined : madeIn(node)
  for (const one of functions) {
    const params = (one['params'] as readonly Node[]).map(bare)
    const isOwn = one === called
    const shift = calledAs === 'error handler' ? 1 : 0
    const req = isOwn ? params[shift] : params.find((param) => requestName.test(nameOf(param) ?? ''))
    const res = isOwn ? params[shift + 1] : params.find((param) => responseName.test(nameOf(param) ?? ''))
    if (req !== undefined) readRequest(one, req, reads, sets)
    if (res !== undefined) readResponse(one, res, leaves)
  }
  const listed = (found: ReadonlySet<string>): string[] => [...found].slice(0, most)
  return { reads: listed(reads), sets: listed(sets), leaves: listed(leaves) }
}

/** True for a function that names the request or the response of a handler. */
function isHandler(node: Node): boolean {
  const names = (node['params'] as readonly Node[]).map((param) => nameOf(bare(param)) ?? '')
  return names.some((name) => requestName.test(name) || responseName.test(name))
}

/** True for what a handler has within it, as the callback of `map`, and does not make. */
export function isWithinHandler(node: Node, handlers: readonly Node[]): boolean {
  return handlers.some(
    (one) =>
      one !== node &&
      one.start <= node.start &&
      one.end >= node.end &&
      isHandler(one) &&
      madeIn(one) !== node,
  )
}

/** The function that another one makes and does nothing besides: of `(schema) => (req, res, next) => …` the inner one. */
function madeIn(node: Node): Node {
  const body = bare(node['body'] as Node)
  const last = body.type === 'BlockStatement' ? (body['body'] as readonly Node[]).at(-1) : undefined
  const value =
    body.type !== 'BlockStatement' ? body : last?.type === 'ReturnStatement' ? last['argument'] : null
  const made = value ? bare(value as Node) : undefined
  return made !== undefined && isFunction(made) ? madeIn(made) : node
}

/** Stands for all members, where a function gets the whole of it. */
export function wholeFor(name: string): string {
  return `(given to ${name})`
}

function readRequest(one: Node, param: Node, reads: Set<string>, sets: Set<string>): void {
  for (const name of patternNames(param)) reads.add(name)
  const req = nameOf(param)
  if (req === undefined) return
  for (const { node, parent } of walk(one['body'] as Node)) {
    if (node.type === 'VariableDeclarator') {
      const init = node['init'] as Node | null
      const path = init ? pathOf(init, req) : undefined
      if (path === undefined) continue
      const names = patternNames(node['id'] as Node)
      for (const name of names) reads.add(path === '' ? name : `${path}.${name}`)
      continue
    }
    if (node.type !== 'MemberExpression' && node.type !== 'OptionalMemberExpression') {
      const isGiven = nameOf(node) === req && isArgument(node, parent)
      if (isGiven) reads.add(wholeFor(calleeOf(parent!)))
      continue
    }
    const path = pathOf(node, req)
    // `params` of `params.id` says less.
    if (path === undefined || path === '' || isObjectOf(node, parent) || isTakenApart(node, parent)) continue
    const isSet =
      /^(?:Assignment|Update)Expression$/.test(parent?.type ?? '') && parent!['left'] !== undefined
        ? parent!['left'] === node
        : parent?.type === 'UpdateExpression' ||
          (parent?.type === 'UnaryExpression' && parent['operator'] === 'delete')
    if (isSet) sets.add(path)
    else reads.add(callText(node, path, parent))
  }
}

function readResponse(one: Node, param: Node, leaves: Set<string>): void {
  for (const name of patternNames(param)) leaves.add(name)
  const res = nameOf(param)
  if (res === undefined) return
  // Of a chain the last call is found first.
  const found: { readonly at: number; readonly text: string }[] = []
  for (const { node, parent } of walk(one['body'] as Node)) {
    if (nameOf(node) === res && isArgument(node, parent))
      found.push({ at: node.start, text: wholeFor(calleeOf(parent!)) })
    const member = memberOf(node)
    if (member === undefined || !isOfResponse(member.object, res)) continue
    const object = memberOf(member.object)
    const path = object === undefined || object.name !== 'locals' ? member.name : `locals.${member.name}`
    if (path === 'locals' && isObjectOf(node, parent)) continue
    found.push({ at: node.end, text: callText(node, path, parent) })
  }
  for (const { text } of found.sort((a, b) => a.at - b.at)) leaves.add(text)
}

/** `res`, `res.locals`, and what a chain of its methods gives: `res.status(404)`. */
function isOfResponse(given: Node, res: string): boolean {
  let node = bare(given)
  while (node.type === 'CallExpression' || memberOf(node) !== undefined) {
    const callee = node.type === 'CallExpression' ? bare(node['callee'] as Node) : undefined
    const member = memberOf(callee ?? node)
    if (member === undefined) return false
    if (callee === undefined && member.name !== 'locals') return false
    node = bare(member.object)
  }
  return nameOf(node) === res
}

/** The members that lead from the request to a node, two at most: `params.id`; undefined for what is none of it. */
function pathOf(given: Node, req: string): string | undefined {
  const node = bare(given)
  if (nameOf(node) === req) return ''
  const object = node['object'] as Node | undefined
  const computed = node['computed'] === true
  const property = node['property'] as Node | undefined
  if (object === undefined || property === undefined) return undefined
  const name = computed ? property['value'] : property['name']
  const before = pathOf(object, req)
  if (before === undefined) return undefined
  if (before.split('.').length >= 2) return before
  const own = typeof name === 'string' ? name : '*'
  return before === '' ? own : `${before}.${own}`
}

/** `get('accept')` for a call with a text or a number, `json()` for any other call. */
function callText(node: Node, path: string, parent: Node | undefined): string {
  const isCalled = parent?.type === 'CallExpression' && parent['callee'] === node
  if (!isCalled) return path
  const [first] = parent['arguments'] as readonly Node[]
  const value = first?.['value']
  if (typeof value === 'number') return `${path}(${value})`
  return typeof value === 'string' && value.length < 60 ? `${path}('${value}')` : `${path}()`
}

function isObjectOf(node: Node, parent: Node | undefined): boolean {
  return parent?.['object'] === node
}

function isTakenApart(node: Node, parent: Node | undefined): boolean {
  return parent?.['init'] === node && (parent['id'] as Node | undefined)?.type === 'ObjectPattern'
}

function isArgument(node: Node, parent: Node | undefined): boolean {
  return parent?.type === 'CallExpression' && (parent['arguments'] as readonly Node[]).includes(node)
}

function calleeOf(call: Node): string {
  const callee = call['callee'] as Node
  return nameOf(callee) ?? memberOf(callee)?.name ?? 'a function'
}

/** The names that a pattern takes apart: `{ params: { id }, user }`. */
function patternNames(pattern: Node): string[] {
  if (pattern.type !== 'ObjectPattern') return []
  return (pattern['properties'] as readonly Node[]).flatMap((property) => {
    const key = nameOf(property['key'] as Node | undefined)
    if (key === undefined) return []
    const inner = patternNames(bare(property['value'] as Node))
    return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`)
  })
}

function nameOf(node: Node | undefined): string | undefined {
  return node?.type === 'Identifier' ? (node['name'] as string) : undefined
}

/** Without a default, a type assertion or parentheses. */
function bare(node: Node): Node {
  if (node.type === 'AssignmentPattern') return bare(node['left'] as Node)
  const inner = node['expression'] as Node | undefined
  return /^(?:TS|Parenthesized)/.test(node.type) && inner ? bare(inner) : node
}
