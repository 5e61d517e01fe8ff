// A function that makes a handler of an async one: `(fn) => (req, res, next) => Promise.resolve(fn(req, res, next)).catch(next)`.
import type { Node } from '../../syntax/parser.js'
import { isFunction } from '../../syntax/parser.js'
import { isMember, isName, memberName, mentions, namesIn, untyped, withoutVoid } from '../../syntax/tree.js'

/** True for a function that makes a handler which gives what another one throws to next, and does nothing else. */
export function givesToNext(wrapper: Node): boolean {
  const [handler, ...others] = wrapper['params'] as readonly Node[]
  const inner = onlyValue(wrapper)
  if (handler?.type !== 'Identifier' || others.length > 0 || inner === undefined || !isFunction(inner))
    return false
  const own = [...(inner['params'] as readonly Node[]).flatMap(namesIn), nameOf(inner['id'])]
  if (inner['generator'] === true || own.includes(handler['name'] as string)) return false
  const given = givenTo(inner)
  const call = given && (awaited(inner, given) ?? caught(inner, given))
  return (
    call?.type === 'CallExpression' &&
    isName(call['callee'] as Node, handler['name'] as string) &&
    given!.isGivenOn(call['arguments'] as readonly Node[])
  )
}

/** True for `next`, and for `(error) => next(error)`. */
export function givesOn(node: Node | undefined, isNext: (one: Node) => boolean): boolean {
  if (node === undefined || isNext(node)) return node !== undefined
  const [error] = isFunction(node) && node['generator'] !== true ? (node['params'] as readonly Node[]) : []
  const call = error && onlyValue(node)
  return call !== undefined && isGiven(call, error!, isNext)
}

/** What a handler is given, by the names that it has for it. */
interface Given {
  readonly isNext: (node: Node) => boolean
  /** True for arguments that are what the handler itself is given. */
  readonly isGivenOn: (all: readonly Node[]) => boolean
}

function givenTo(inner: Node): Given | undefined {
  const params = inner['params'] as readonly Node[]
  const [first] = params
  if (params.length === 1 && first!.type === 'RestElement') {
    const all = (first!['argument'] as Node)['name'] as string
    return {
      isNext: (node) => isLastOf(node, all),
      isGivenOn: ([only, ...others]) =>
        only?.type === 'SpreadElement' && isName(only['argument'] as Node, all) && others.length === 0,
    }
  }
  if (params.length !== 3) return undefined
  const names = params.map((one) => one['name'] as string)
  return {
    isNext: (node) => isName(node, names[2]),
    isGivenOn: (all) => all.length >= 2 && all.every((one, at) => isName(one, names[at])),
  }
}

/** True for `args[2]`, `args[args.length - 1]` and `args.at(-1)`. */
function isLastOf(node: Node, all: string): boolean {
  if (node.type === 'CallExpression') {
    const [at] = node['arguments'] as readonly Node[]
    const callee = node['callee'] as Node
    return (
      isMember(callee) &&
      isName(callee['object'] as Node, all) &&
      memberName(callee) === 'at' &&
      isMinusOne(at)
    )
  }
  if (!isMember(node) || node['computed'] !== true || !isName(node['object'] as Node, all)) return false
  const at = node['property'] as Node
  if (at.type === 'NumericLiteral') return at['value'] === 2
  const length = at.type === 'BinaryExpression' && at['operator'] === '-' ? (at['left'] as Node) : undefined
  return (
    length !== undefined &&
    isMember(length) &&
    isName(length['object'] as Node, all) &&
    memberName(length) === 'length' &&
    (at['right'] as Node)['value'] === 1
  )
}

function isMinusOne(node: Node | undefined): boolean {
  return (
    node?.type === 'UnaryExpression' && node['operator'] === '-' && (node['argument'] as Node)['value'] === 1
  )
}

/** What `try { await … } catch (error) { next(error) }` waits for, where that is all of a function. */
function awaited(inner: Node, { isNext }: Given): Node | undefined {
  const [only, ...others] = statementsOfBody(inner)
  if (only?.type !== 'TryStatement' || others.length > 0 || only['finalizer']) return undefined
  const waits = onlyOf((only['block'] as Node)['body'] as readonly Node[])
  const clause = only['handler'] as Node | null
  const error = clause?.['param'] as Node | null | undefined
  const then = clause && onlyOf((clause['body'] as Node)['body'] as readonly Node[])
  if (waits?.type !== 'AwaitExpression' || !error || !then || !isGiven(then, error, isNext)) return undefined
  return untyped(waits['argument'] as Node)
}

/** What `Promise.resolve(…).catch(next)` takes, where that is all of a function but for constants that it names before. */
function caught(inner: Node, { isNext }: Given): Node | undefined {
  const named = new Map<string, Node>()
  // A constant that is not part of the promise does something else.
  const unused = new Set<string>()
  const valueOf = (read: Node): Node => {
    const node = untyped(read)
    const name = node.type === 'Identifier' ? (node['name'] as string) : ''
    unused.delete(name)
    return named.get(name) ?? node
  }
  const statements = statementsOfBody(inner)
  for (const one of statements.slice(0, -1)) {
    if (one.type !== 'VariableDeclaration' || one['kind'] !== 'const') return undefined
    for (const { id, init } of one['declarations'] as readonly { id: Node; init: Node }[]) {
      if (id.type !== 'Identifier') return undefined
      named.set(id['name'] as string, untyped(init))
      unused.add(id['name'] as string)
    }
  }
  const value = statements.length === 0 ? onlyValue(inner) : onlyOf(statements.slice(-1))
  const whole = value?.type === 'AwaitExpression' ? untyped(value['argument'] as Node) : value
  if (!isCallOf(whole, 'catch')) return undefined
  const [taken, ...besides] = whole['arguments'] as readonly Node[]
  if (besides.length > 0 || !givesOn(taken, (node) => isNext(valueOf(node)))) return undefined
  const promise = valueOf((whole['callee'] as Node)['object'] as Node)
  const [resolved, ...more] = isResolve(promise) ? (promise['arguments'] as readonly Node[]) : [promise]
  const call = resolved && valueOf(resolved)
  return unused.size === 0 && more.length === 0 ? call : undefined
}

/** True for a call of next with nothing but the error that was caught. */
function isGiven(call: Node, error: Node, isNext: (one: Node) => boolean): boolean {
  if (call.type !== 'CallExpression' || !isNext(call['callee'] as Node)) return false
  const [only, ...others] = call['arguments'] as readonly Node[]
  const name = nameOf(error)
  if (only === undefined || others.length > 0 || !isName(untyped(only), name)) return false
  // An error of the name of next hides it.
  return !mentions(call['callee'] as Node, name)
}

/** Of another object than a promise such a method may do more. */
function isResolve(node: Node): boolean {
  if (!isCallOf(node, 'resolve')) return false
  const object = (node['callee'] as Node)['object'] as Node
  return isName(object, 'Promise') || isName(object, 'Bluebird')
}

function nameOf(node: unknown): string | undefined {
  return (node as Node | null | undefined)?.['name'] as string | undefined
}

function isCallOf(node: Node | undefined, name: string): node is Node {
  return (
    node?.type === 'CallExpression' &&
    isMember(node['callee'] as Node) &&
    memberName(node['callee'] as Node) === name
  )
}

/** What a function gives, or does, where that is all that it does. */
function onlyValue(one: Node): Node | undefined {
  const body = one['body'] as Node
  return body.type === 'BlockStatement' ? onlyOf(body['body'] as readonly Node[]) : withoutVoid(body)
}

function onlyOf(statements: readonly Node[]): Node | undefined {
  const [statement, ...others] = statements
  if (statement === undefined || others.length > 0) return undefined
  const value = (statement['argument'] ?? statement['expression']) as Node | undefined
  return /^(?:Return|Expression)Statement$/.test(statement.type) && value ? withoutVoid(value) : undefined
}

/** None where the function is an expression. */
function statementsOfBody(one: Node): readonly Node[] {
  const body = one['body'] as Node
  return body.type === 'BlockStatement' ? (body['body'] as readonly Node[]) : []
}
