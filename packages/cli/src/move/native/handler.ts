// The function that a handler is: written in its place, declared in the same file, a method, or wrapped.
import type { Node } from '../../syntax/parser.js'
import { isFunction } from '../../syntax/parser.js'
import { walk } from '../../syntax/walk.js'
import { isReplaced } from '../../edit/exported.js'
import { Left } from './reasons.js'
import { givesToNext } from './wrapper.js'
import {
  calleeName,
  classAround,
  isClass,
  isLabel,
  isMember,
  isName,
  isWithin,
  keyOf,
  memberName,
  namesIn,
  statementsOf,
  textOf,
  untyped,
} from '../../syntax/tree.js'

// They give what a handler throws to next, and do nothing else.
const packages: ReadonlySet<string> = new Set([
  'express-async-handler',
  'express-async-wrap',
  'async-express-handler',
])

/** What gives the errors of an async handler to next, and does nothing else. */
export interface Wrapper {
  /** The file of its function; undefined for the file of the handler. */
  readonly file?: string
  /** Its function; undefined for that of a package. */
  readonly node?: Node
  readonly package?: string
}

/** Finds the wrapper of async handlers that a call names of another file. */
export type FindWrapper = (callee: Node) => Wrapper | undefined

/** The function that a handler is. */
export interface HandlerFunction {
  readonly node: Node
  /** The wrappers of async handlers that stand around it, the outermost first. */
  readonly wrappers: readonly Wrapper[]
}

/** Finds the function of a handler. `program` is the tree of its file; without it, the function stands in the handler's place. */
export function functionOf(
  handler: Node,
  program: Node | undefined,
  findForeign: FindWrapper = () => undefined,
): HandlerFunction {
  const found = find(untyped(handler), program, findForeign)
  if (found === undefined) throw unknown(untyped(handler), handler, program, findForeign)
  const { node } = found
  if (program === undefined || isWithin(node, handler)) return found
  const own = [...walk(node)].find((one) => one.node.type === 'ThisExpression')
  if (own && !hasThisOfPlace(handler, node, program, findForeign)) throw new Left('this', own.node)
  checkNames(node, handler, program)
  return found
}

/** True for `this.show` of an arrow function, and for `this.show.bind(this)`: written in that place, it has the same `this`. */
export function hasThisOfPlace(
  handler: Node,
  found: Node,
  program: Node,
  findForeign: FindWrapper = () => undefined,
): boolean {
  const node = untyped(handler)
  const isOwn = (one: Node): boolean => isMember(one) && (one['object'] as Node).type === 'ThisExpression'
  if (isOwn(node)) return found.type === 'ArrowFunctionExpression'
  if (node.type !== 'CallExpression') return false
  const callee = node['callee'] as Node
  const [given] = node['arguments'] as readonly Node[]
  if (given === undefined) return false
  if (isMember(callee) && memberName(callee) === 'bind')
    return isOwn(untyped(callee['object'] as Node)) && untyped(given).type === 'ThisExpression'
  return (
    knownWrapper(callee, program, findForeign) !== undefined &&
    hasThisOfPlace(given, found, program, findForeign)
  )
}

/** Why it is not known which function a handler is. */
function unknown(node: Node, handler: Node, program: Node | undefined, findForeign: FindWrapper): Left {
  const valueOf = (name: unknown): Node | undefined => {
    const found = program && declaration(name as string, program)
    const init = found?.type === 'VariableDeclarator' ? (found['init'] as Node | null) : undefined
    return init ? untyped(init) : undefined
  }
  if (node.type === 'Identifier') {
    const value = valueOf(node['name'])
    if (value !== undefined) return unknown(value, handler, program, findForeign)
  }
  if (node.type === 'CallExpression' && !isName(node['callee'] as Node, 'require')) {
    const callee = node['callee'] as Node
    if (isMember(callee) && memberName(callee) === 'bind')
      return unknown(untyped(callee['object'] as Node), handler, program, findForeign)
    // What a wrapper is given is not known then.
    const [given, ...others] = node['arguments'] as readonly Node[]
    if (
      given !== undefined &&
      others.length === 0 &&
      program !== undefined &&
      knownWrapper(callee, program, findForeign) !== undefined
    )
      return unknown(untyped(given), handler, program, findForeign)
    return new Left('made', handler, calleeName(node) ?? 'a function')
  }
  if (isMember(node)) {
    const object = untyped(node['object'] as Node)
    const isField = isMember(object) && (object['object'] as Node).type === 'ThisExpression'
    const value = object.type === 'Identifier' ? valueOf(object['name']) : undefined
    const isObject =
      value?.type === 'NewExpression' ||
      (value?.type === 'CallExpression' && !isName(value['callee'] as Node, 'require'))
    if (isField) return new Left('method', handler, `this.${memberName(object) ?? '[…]'}`)
    if (isObject) return new Left('method', handler, object['name'] as string)
  }
  return new Left('elsewhere', handler)
}

function find(node: Node, program: Node | undefined, findForeign: FindWrapper): HandlerFunction | undefined {
  if (isFunction(node)) return { node, wrappers: [] }
  if (program === undefined) return undefined
  if (node.type === 'Identifier') return declared(node['name'] as string, program, findForeign)
  if (node.type === 'CallExpression') {
    const [given] = node['arguments'] as readonly Node[]
    if (given === undefined) return undefined
    const callee = node['callee'] as Node
    // A bound method that does not use this; one that does is left for it.
    const isOnly = (node['arguments'] as readonly Node[]).length === 1
    if (isMember(callee) && memberName(callee) === 'bind')
      return isOnly ? find(callee['object'] as Node, program, findForeign) : undefined
    const wrapper = isOnly ? knownWrapper(callee, program, findForeign) : undefined
    const found = wrapper && find(untyped(given), program, findForeign)
    return found && { ...found, wrappers: [wrapper, ...found.wrappers] }
  }
  if (!isMember(node)) return undefined
  const name = memberName(node)
  const object = node['object'] as Node
  if (object.type === 'ThisExpression') {
    const owner = classAround(node, program)
    return owner && name !== undefined && !isReplaced(owner, name, program)
      ? memberOf(owner, name, false)
      : undefined
  }
  if (object.type !== 'Identifier') return undefined
  const owner = declaration(object['name'] as string, program)
  if (owner?.type === 'ClassDeclaration')
    return isWritten(object['name'] as string, program) ? undefined : memberOf(owner, name, true)
  const init = owner?.type === 'VariableDeclarator' ? (owner['init'] as Node | null) : undefined
  if (init?.type === 'NewExpression')
    return memberOfMade(init, object['name'] as string, name, { program, findForeign })
  if (init?.type !== 'ObjectExpression') return undefined
  // It may be another function under other settings than those of this start.
  if (isWritten(object['name'] as string, program)) return undefined
  const property = (init['properties'] as readonly Node[]).find((one) => keyOf(one) === name)
  if (property?.type === 'ObjectMethod')
    return property['kind'] === 'method' ? { node: property, wrappers: [] } : undefined
  const value = property?.['value'] as Node | undefined
  return value && find(value, program, findForeign)
}

/** The only declaration of a name in a file, and one that stays; undefined for any other. */
function declaration(name: string, program: Node): Node | undefined {
  const found: Node[] = []
  for (const { node, parent } of walk(program)) {
    if (node.type === 'VariableDeclarator' && namesIn(node['id'] as Node).includes(name)) {
      const isConstant = parent?.['kind'] === 'const' && (node['id'] as Node).type === 'Identifier'
      found.push(isConstant ? node : parent!)
    } else if (/^(?:Function|Class)Declaration$/.test(node.type) && isName(node['id'] as Node, name))
      found.push(node)
    else if (/^Import\w*Specifier$/.test(node.type) && isName(node['local'] as Node, name)) found.push(node)
    if (/^Assignment/.test(node.type) && isAssigned(node['left'] as Node, name)) return undefined
    if (isFunction(node) && (node['params'] as readonly Node[]).flatMap(namesIn).includes(name))
      return undefined
  }
  return found.length === 1 ? found[0] : undefined
}

/** True where the left side of an assignment is a name, or a pattern with it. */
function isAssigned(left: Node, name: string): boolean {
  return isName(left, name) || (/Pattern$/.test(left.type) && namesIn(left).includes(name))
}

function declared(name: string, program: Node, findForeign: FindWrapper): HandlerFunction | undefined {
  const found = declaration(name, program)
  if (found?.type === 'FunctionDeclaration') return { node: found, wrappers: [] }
  const init = found?.type === 'VariableDeclarator' ? (found['init'] as Node | null) : undefined
  return init ? find(untyped(init), program, findForeign) : undefined
}

/** True where a member of an object is assigned, or a call or another name has the object: the member may be another function then. */
function isWritten(name: string, program: Node): boolean {
  const isIt = (node: unknown): boolean => isName(node as Node | null, name)
  return [...walk(program)].some(({ node }) => {
    if (/^Assignment/.test(node.type))
      return [...walk(node['left'] as Node)].some(({ node: one }) => isMember(one) && isIt(one['object']))
    if (node.type === 'VariableDeclarator')
      return (node['id'] as Node).type === 'Identifier' && isIt(node['init'])
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false
    return (node['arguments'] as readonly Node[]).some((one) => isIt(untyped(one)))
  })
}

/** The method of an object that the file makes of a class of its own. */
function memberOfMade(
  made: Node,
  object: string,
  name: string | undefined,
  { program, findForeign }: { readonly program: Node; readonly findForeign: FindWrapper },
): HandlerFunction | undefined {
  const callee = made['callee'] as Node
  const owner = callee.type === 'Identifier' ? declaration(callee['name'] as string, program) : undefined
  if (owner?.type !== 'ClassDeclaration' || name === undefined) return undefined
  if (isWritten(object, program) || isReplaced(owner, name, program)) return undefined
  return memberOf(owner, name, false, (value) => find(value, program, findForeign))
}

function memberOf(
  owner: Node | undefined,
  name: string | undefined,
  isStatic: boolean,
  findIn = (value: Node): HandlerFunction | undefined =>
    isFunction(value) ? { node: value, wrappers: [] } : undefined,
): HandlerFunction | undefined {
  if (owner === undefined || name === undefined || !isClass(owner)) return undefined
  const members = (owner['body'] as Node)['body'] as readonly Node[]
  const own = members.filter((one) => keyOf(one) === name && Boolean(one['static']) === isStatic)
  const [member] = own
  if (own.length !== 1 || member === undefined) return undefined
  if (member.type === 'ClassMethod')
    return member['kind'] === 'method' ? { node: member, wrappers: [] } : undefined
  const value = member['value'] as Node | null | undefined
  return value ? findIn(untyped(value)) : undefined
}

function knownWrapper(callee: Node, program: Node, findForeign: FindWrapper): Wrapper | undefined {
  return wrapperIn(callee, program) ?? findForeign(callee)
}

/** What a package makes of an async handler, or a function of the file that does the same. */
export function wrapperIn(callee: Node, program: Node): Wrapper | undefined {
  if (callee.type !== 'Identifier') return undefined
  const name = callee['name'] as string
  const found = declaration(name, program)
  if (found === undefined) return undefined
  const ofPackage = (from: string): Wrapper | undefined =>
    packages.has(from) ? { package: from } : undefined
  if (/^Import/.test(found.type)) {
    const statement = (program['body'] as readonly Node[]).find(
      (one) => one.type === 'ImportDeclaration' && (one['specifiers'] as readonly Node[]).includes(found),
    )
    return statement && ofPackage((statement['source'] as Node)['value'] as string)
  }
  const value = found.type === 'VariableDeclarator' ? (found['init'] as Node | null) : found
  // That of a loop, or one that is only declared.
  if (value === null) return undefined
  const init = untyped(value)
  if (init.type === 'CallExpression' && isName(init['callee'] as Node, 'require')) {
    const [source] = init['arguments'] as readonly Node[]
    return source && ofPackage(textOf(source) ?? '')
  }
  return isFunction(init) && givesToNext(init) ? { node: init } : undefined
}

/** Refuses a function that uses a name which means something else where the route is registered. */
function checkNames(found: Node, handler: Node, program: Node): void {
  const hidden = new Set<string>()
  for (const { node } of walk(program)) {
    if (!isFunction(node) || !isWithin(handler, node) || isWithin(found, node)) continue
    for (const name of (node['params'] as readonly Node[]).flatMap(namesIn)) hidden.add(name)
    for (const { node: inner } of walk(node['body'] as Node)) {
      if (inner.type === 'VariableDeclarator')
        for (const name of namesIn(inner['id'] as Node)) hidden.add(name)
      if (/Declaration$/.test(inner.type) && inner['id']) hidden.add((inner['id'] as Node)['name'] as string)
    }
  }
  if (hidden.size === 0) {
    checkReach(found, handler, program)
    return
  }
  const own = new Set([...(found['params'] as readonly Node[]), ...declaredIn(found)].flatMap(namesIn))
  for (const placed of walk(found['body'] as Node)) {
    const { node } = placed
    if (node.type !== 'Identifier' || isLabel(placed)) continue
    const name = node['name'] as string
    if (hidden.has(name) && !own.has(name)) throw new Left('hidden-name', handler, name)
  }
  checkReach(found, handler, program)
}

/** What the statements of a function declare for all of it. */
function declaredIn(found: Node): readonly Node[] {
  return statementsOf(found['body'] as Node)
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap((one) => (one['declarations'] as readonly { readonly id: Node }[]).map(({ id }) => id))
}

/** Refuses a function within another one that does not hold the route: its names are not there. */
function checkReach(found: Node, handler: Node, program: Node): void {
  for (const { node } of walk(program)) {
    if (isFunction(node) && node !== found && isWithin(found, node) && !isWithin(handler, node))
      throw new Left('elsewhere', handler)
  }
}
