// What a file exports by a name: the value, where it is written, and where one more of its kind would stand.
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import type { SourceFile } from './source-file.js'
import {
  isClass,
  isLabel,
  isMember,
  isName,
  isWithin,
  isWrite,
  keyOf,
  memberName,
  namesIn,
  untyped,
} from '../syntax/tree.js'

/** A function, an object or a class that a file exports, or a member of one. */
export interface Exported {
  readonly source: SourceFile
  readonly name: string
  /** Without the types around it. */
  readonly value: Node
  readonly site: Site
  /** True for a method that its class binds: `this.list = this.list.bind(this)`. */
  readonly isBound?: boolean
}

/** Where an export stands. `target` is what it is assigned to a member of, `module.exports`, where it is no export of a module. */
type Site =
  /** `export function show …`, `export const show = …`, `exports.show = …`. */
  | { readonly kind: 'statement'; readonly statement: Node; readonly target?: string }
  /** A declaration, and its name in a list of exports or in the exported object. */
  | { readonly kind: 'listed'; readonly statement: Node; readonly entry: Node; readonly target?: string }
  /** A property of an exported object. */
  | { readonly kind: 'property'; readonly property: Node }
  /** A member of a class. */
  | { readonly kind: 'member'; readonly member: Node }

/** What a file exports by a name; undefined where that is not sure. */
export function exportedBy(source: SourceFile, name: string): Exported | undefined {
  return exportedByModule(source, name) ?? exportedByAssignment(source, name)
}

/** The member of an exported object, or of the only object of an exported class. With `isMade` the object is made of the class elsewhere. */
export function memberOf({ source, value }: Exported, name: string, isMade = false): Exported | undefined {
  const object = instanceOf(source, value)
  if (object === undefined || isAssigned(source, name)) return undefined
  if (isMade && value !== object) return undefined
  if (object.type === 'ObjectExpression') return isMade ? undefined : propertyOf(source, object, name)
  const members = ((object['body'] as Node)['body'] as readonly Node[]).filter((one) => keyOf(one) === name)
  const [member] = members
  if (members.length !== 1 || member === undefined || isPrivate(member)) return undefined
  if (isReplaced(object, name, source.program)) return undefined
  // `new Teas()` has no static members, and the class alone no others.
  if (Boolean(member['static']) !== (value === object && !isMade)) return undefined
  const own = member.type === 'ClassMethod' ? member : ((member['value'] ?? undefined) as Node | undefined)
  if (own === undefined || (member.type === 'ClassMethod' && member['kind'] !== 'method')) return undefined
  const isBound = [...walk(object)].some(
    ({ node }) => /^Assignment/.test(node.type) && isBoundToItself(node, name),
  )
  return { source, name, value: untyped(own), site: { kind: 'member', member }, isBound }
}

/** The object, or the class, whose members a value has. */
function instanceOf(source: SourceFile, value: Node): Node | undefined {
  if (value.type === 'ObjectExpression' || /^Class/.test(value.type)) return value
  if (value.type !== 'NewExpression') return undefined
  const callee = value['callee'] as Node
  const owner = callee.type === 'Identifier' ? localOf(source, callee['name'] as string) : undefined
  return owner !== undefined && /^Class/.test(owner.value.type) ? owner.value : undefined
}

/** True where a file assigns a member by a name, of whatever object. */
function isAssigned({ program }: SourceFile, name: string): boolean {
  return [...walk(program)].some(
    ({ node }) =>
      /^Assignment/.test(node.type) &&
      isMember(node['left'] as Node) &&
      memberName(node['left'] as Node) === name &&
      !isBoundToItself(node, name),
  )
}

/** True where a method of `this` may be another function when its route is registered: one with a guard around it, or that of a subclass. */
export function isReplaced(owner: Node, name: string, program: Node): boolean {
  const isOfThis = (node: Node): boolean =>
    isMember(node) && (node['object'] as Node).type === 'ThisExpression'
  const isSet = [...walk(owner)].some(({ node }) => {
    if (/^Assignment/.test(node.type)) {
      const left = node['left'] as Node
      if (!isOfThis(left))
        return /Pattern$/.test(left.type) && [...walk(left)].some((one) => isOfThis(one.node))
      // No other class, and no name in brackets, means a private one.
      if ((left['property'] as Node).type === 'PrivateName') return false
      const set = memberName(left)
      return set === undefined || (set === name && !isBoundToItself(node, name))
    }
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false
    const callee = node['callee'] as Node
    // What gets the object itself may set its members.
    const isGiven = (node['arguments'] as readonly Node[]).some(
      (one) => untyped(one).type === 'ThisExpression',
    )
    return isGiven && !(isMember(callee) && /^(?:bind|call|apply)$/.test(memberName(callee) ?? ''))
  })
  const own = owner['id'] as Node | null | undefined
  return (
    isSet ||
    [...walk(program)].some(
      ({ node }) =>
        isClass(node) &&
        own?.type === 'Identifier' &&
        isName(node['superClass'] as Node, own['name'] as string) &&
        ((node['body'] as Node)['body'] as readonly Node[]).some((one) => keyOf(one) === name),
    )
  )
}

/** True for a method that is the same one whenever it is called: no subclass has another, and nothing puts one in its place. */
export function isOnlyMethod(source: SourceFile, owner: Node, member: Node): boolean {
  const name = keyOf(member)!
  const isDecorated = [owner, member].some((one) => ((one['decorators'] ?? []) as unknown[]).length > 0)
  if (isDecorated || isAssigned(source, name) || isReplaced(owner, name, source.program)) return false
  if (keepsItself(owner, source)) return member['accessibility'] === 'private' || isMadeHere(source, owner)
  return false
}

/** True where a class does nothing with `this` that could set a member whose name does not stand there. */
function keepsItself(owner: Node, source: SourceFile): boolean {
  return [...walk(owner)].every(({ node, parent }) => {
    if (node.type !== 'ThisExpression' || parent === undefined || isMember(parent)) return true
    if (parent.type === 'VariableDeclarator' && (parent['id'] as Node).type === 'Identifier') {
      const name = (parent['id'] as Node)['name'] as string
      return isReadByName(source, name)
    }
    return !/^Assignment|^Object|^ArrayExpression$|^Class/.test(parent.type)
  })
}

/** True for a class that one file has for itself, with all objects that are made of it but for those that are exported. */
function isMadeHere(source: SourceFile, owner: Node): boolean {
  const { program } = source
  const holder = around(source, owner)
  const made: Node[] = []
  const names = new Set<string>()
  const own = owner['id'] as Node | null | undefined
  if (own) names.add(own['name'] as string)
  if (owner.type === 'ClassDeclaration') {
    if (!own || holder === undefined || /^Export/.test(holder.type)) return false
  } else if (holder?.type === 'NewExpression' && isWithin(owner, holder['callee'] as Node)) made.push(holder)
  else if (holder?.type === 'VariableDeclarator' && (holder['id'] as Node).type === 'Identifier') {
    const above = source.parentOf(source.parentOf(holder)!)
    if (/^Export/.test(above?.type ?? '')) return false
    names.add((holder['id'] as Node)['name'] as string)
  } else return false
  for (const placed of walk(program)) {
    const { node, parent, above } = placed
    if (node.type !== 'Identifier' || !names.has(node['name'] as string) || isLabel(placed)) continue
    if (parent?.['id'] === node || isTypePlace(parent)) continue
    if (parent?.type === 'NewExpression' && parent['callee'] === node) made.push(parent)
    else if (isMember(parent) && parent['object'] === node) {
      const isRead = above === undefined || !isWrite(above, parent)
      if (!isRead || parent['computed'] === true || memberName(parent) === 'prototype') return false
    } else if (parent?.type !== 'BinaryExpression' || parent['operator'] !== 'instanceof') return false
  }
  // The name of a class expression is known within it alone.
  const declared = [...names].filter((name) => owner.type === 'ClassDeclaration' || !isName(own, name))
  return declared.every((name) => isOnlyOnce(source, name)) && made.every((one) => isKept(source, one))
}

/** True for a place where a name is that of a type. */
function isTypePlace(parent: Node | undefined): boolean {
  return /^TS(?:TypeReference|TypeQuery|QualifiedName|ClassImplements|InterfaceHeritage|ExpressionWithTypeArguments)$/.test(
    parent?.type ?? '',
  )
}

/** What stands around a node and its parentheses and types. */
function around(source: SourceFile, node: Node): Node | undefined {
  let parent = source.parentOf(node)
  while (parent !== undefined && parent !== node && untyped(parent) === untyped(node))
    parent = source.parentOf(parent)
  return parent
}

/** True for an object of which only members are read by their names, where its file does not export it. */
function isKept(source: SourceFile, made: Node): boolean {
  const holder = around(source, made)
  if (holder === undefined) return false
  if (holder.type === 'ExpressionStatement' || isVoid(holder)) return true
  if (isMember(holder)) return holder['computed'] !== true && isWithin(made, holder['object'] as Node)
  if (isExportedIn(source, holder)) return true
  const id = holder.type === 'VariableDeclarator' ? (holder['id'] as Node) : undefined
  if (id === undefined) return false
  if (id.type === 'ObjectPattern') return true
  const name = id['name'] as string | undefined
  if (name === undefined || !isOnlyOnce(source, name)) return false
  return [...walk(source.program)].every((placed) => {
    const { node, parent } = placed
    if (node === id || !isName(node, name) || isLabel(placed) || isTypePlace(parent)) return true
    if (isMember(parent)) return parent['computed'] !== true
    const where = around(source, node)
    return where !== undefined && isExportedIn(source, where)
  })
}

function isVoid(node: Node): boolean {
  return node.type === 'UnaryExpression' && node['operator'] === 'void'
}

/** True for what exports its value, and for a property of an object that is exported whole. */
function isExportedIn(source: SourceFile, holder: Node): boolean {
  if (/^Export(?:Specifier|DefaultDeclaration)$/.test(holder.type)) return true
  if (holder.type === 'AssignmentExpression') {
    const left = holder['left'] as Node
    return isExports(left) || (isMember(left) && isExports(left['object'] as Node))
  }
  const object = holder.type === 'ObjectProperty' ? source.parentOf(holder) : undefined
  const above = object && around(source, object)
  return above !== undefined && above.type !== 'ObjectProperty' && isExportedIn(source, above)
}

/** True for `this.list = this.list.bind(this)`, behind which a method is the same function. */
function isBoundToItself({ left, right, operator }: Node & Record<string, unknown>, name: string): boolean {
  const isOwn = (node: Node): boolean =>
    isMember(node) && (node['object'] as Node).type === 'ThisExpression' && memberName(node) === name
  const call = untyped(right as Node)
  const callee = call.type === 'CallExpression' ? (call['callee'] as Node) : undefined
  const bound = (call['arguments'] ?? []) as readonly Node[]
  return (
    operator === '=' &&
    isOwn(left as Node) &&
    isMember(callee) &&
    memberName(callee) === 'bind' &&
    isOwn(callee['object'] as Node) &&
    bound.length === 1 &&
    bound[0]!.type === 'ThisExpression'
  )
}

function isPrivate(member: Node): boolean {
  return (
    /^(?:private|protected)$/.test((member['accessibility'] as string | undefined) ?? '') ||
    member['abstract'] === true
  )
}

function exportedByModule(source: SourceFile, name: string): Exported | undefined {
  for (const statement of bodyOf(source)) {
    if (statement.type === 'ExportDefaultDeclaration' && name === 'default') {
      const declared = statement['declaration'] as Node
      if (declared.type === 'Identifier') return localObject(source, declared)
      if (isFunction(declared)) {
        const own = (declared['id'] as Node | null | undefined)?.['name'] as string | undefined
        return own === undefined
          ? undefined
          : { source, name: own, value: declared, site: { kind: 'statement', statement } }
      }
      return {
        source,
        name,
        value: untyped(declared),
        site: { kind: 'statement', statement },
      }
    }
    if (statement.type !== 'ExportNamedDeclaration' || statement['source']) continue
    const declaration = statement['declaration'] as Node | null
    if (declaration) {
      const value = declaredValue(declaration, name)
      if (value === undefined || !isOnlyOnce(source, name)) continue
      return { source, name, value, site: { kind: 'statement', statement } }
    }
    for (const entry of statement['specifiers'] as readonly Node[]) {
      const { exported, local } = entry as unknown as Record<'exported' | 'local', Node>
      if (!isName(exported, name)) continue
      const own = localOf(source, local['name'] as string)
      return own && { source, name, value: own.value, site: listed(own.statement, entry) }
    }
  }
  return undefined
}

/** `module.exports = { show }`, `exports.show = …`. */
function exportedByAssignment(source: SourceFile, name: string): Exported | undefined {
  const found: Exported[] = []
  for (const statement of bodyOf(source)) {
    let value = statement.type === 'ExpressionStatement' ? (statement['expression'] as Node) : undefined
    while (value?.type === 'AssignmentExpression') {
      const left = value['left'] as Node
      const right = untyped(value['right'] as Node)
      if (isExports(left) && right.type === 'ObjectExpression') {
        const one = propertyOf(source, right, name)
        if (one !== undefined) found.push(one)
      } else if (isMember(left) && isExports(left['object'] as Node) && memberName(left) === name) {
        const local = right.type === 'Identifier' ? localOf(source, right['name'] as string) : undefined
        const object = left['object'] as Node
        const target = source.text.slice(object.start, object.end)
        const site: Site = local
          ? { kind: 'listed', statement: local.statement, entry: statement, target }
          : { kind: 'statement', statement, target }
        found.push({ source, name, value: local?.value ?? right, site })
      }
      value = right
    }
  }
  const isChanged = [...walk(source.program)].some(
    ({ node }) =>
      /^Assignment/.test(node.type) &&
      isMember(node['left'] as Node) &&
      isExports((node['left'] as Node)['object'] as Node) &&
      memberName(node['left'] as Node) === name &&
      !found.some(
        ({ site }) =>
          (site.kind === 'statement' && isWithin(node, site.statement)) ||
          (site.kind === 'listed' && isWithin(node, site.entry)),
      ),
  )
  return found.length === 1 && !isChanged ? found[0] : undefined
}

/** What a file of CommonJS is, as others require it: `module.exports = teas`; undefined where that is not sure. */
export function exportedWhole(source: SourceFile): Exported | undefined {
  for (const statement of bodyOf(source)) {
    let value = statement.type === 'ExpressionStatement' ? (statement['expression'] as Node) : undefined
    const targets: Node[] = []
    while (value?.type === 'AssignmentExpression' && value['operator'] === '=') {
      targets.push(value['left'] as Node)
      value = untyped(value['right'] as Node)
    }
    // `exports = …` alone exports nothing.
    if (value === undefined || !targets.some((one) => isMember(one) && isExports(one))) continue
    const isOnly = [...walk(source.program)].every(
      ({ node }) =>
        !/^Assignment/.test(node.type) ||
        !isExports(node['left'] as Node) ||
        targets.includes(node['left'] as Node),
    )
    const exported = value
    const name = exported.type === 'Identifier' ? (exported['name'] as string) : undefined
    const own = name === undefined ? { value, statement } : localOf(source, name)
    if (!isOnly || own === undefined) return undefined
    // Code that has the object itself could find what is written beside a member, or change it.
    const isObject = /^(?:Object|New)Expression$/.test(own.value.type)
    if (name !== undefined && isObject && !isReadByName(source, name, exported)) return undefined
    return {
      source,
      name: 'module.exports',
      value: own.value,
      site: { kind: 'statement', statement: own.statement },
    }
  }
  return undefined
}

function isExports(node: Node): boolean {
  return (
    isName(node, 'exports') ||
    (isMember(node) && isName(node['object'] as Node, 'module') && memberName(node) === 'exports')
  )
}

function propertyOf(source: SourceFile, object: Node, name: string): Exported | undefined {
  const properties = object['properties'] as readonly Node[]
  // A later spread may have another one by the name.
  const at = properties.findIndex((one) => keyOf(one) === name)
  const property = properties[at]
  if (property === undefined || properties.slice(at + 1).some((one) => keyOf(one) === name || !keyOf(one)))
    return undefined
  if (property.type === 'ObjectMethod')
    return property['kind'] === 'method'
      ? { source, name, value: property, site: { kind: 'property', property } }
      : undefined
  const value = untyped(property['value'] as Node)
  if (value.type !== 'Identifier') return { source, name, value, site: { kind: 'property', property } }
  const local = localOf(source, value['name'] as string)
  return local && { source, name, value: local.value, site: listed(local.statement, property) }
}

function listed(statement: Node, entry: Node): Site {
  return { kind: 'listed', statement, entry }
}

/** An object that is exported by its name. */
function localObject(source: SourceFile, node: Node): Exported | undefined {
  const name = node['name'] as string
  const own = localOf(source, name)
  return (
    own && {
      source,
      name,
      value: own.value,
      site: { kind: 'statement', statement: own.statement },
    }
  )
}

/** A constant of a file's top level. */
export function constantOf(source: SourceFile, name: string): Exported | undefined {
  const own = localOf(source, name)
  return own && { source, name, value: own.value, site: { kind: 'statement', statement: own.statement } }
}

/** True where a file only reads members of an object by their names, or binds them to it. `besides` may do something else. */
export function isReadByName({ program }: SourceFile, name: string, besides?: Node): boolean {
  return [...walk(program)].every((placed) => {
    const { node, parent, above } = placed
    if (node === besides || !isName(node, name) || isLabel(placed)) return true
    const isDeclared =
      parent?.['id'] === node || above?.type === 'ObjectPattern' || /^Import/.test(parent?.type ?? '')
    const isRead = isMember(parent) && parent['object'] === node && parent['computed'] !== true
    return isDeclared || isRead || boundOf(parent)?.to === node
  })
}

/** A method that a call binds to the object which has it, `teas.show` of `teas.show.bind(teas)`, and that object as it is given. */
export function boundOf(call: Node | undefined): { readonly method: Node; readonly to: Node } | undefined {
  if (call?.type !== 'CallExpression') return undefined
  const callee = call['callee'] as Node
  const [to, ...others] = call['arguments'] as readonly Node[]
  const method = isMember(callee) && memberName(callee) === 'bind' ? (callee['object'] as Node) : undefined
  if (method === undefined || to === undefined || others.length > 0 || !isMember(method)) return undefined
  return isSameObject(method['object'] as Node, to) ? { method, to } : undefined
}

/** True for the same name, or the same member of `this`. */
function isSameObject(one: Node, other: Node): boolean {
  if (one.type === 'Identifier') return isName(other, one['name'] as string)
  if (!isMember(one) || !isMember(other) || one['computed'] === true || other['computed'] === true)
    return false
  const isOfThis = [one, other].every((node) => (node['object'] as Node).type === 'ThisExpression')
  return isOfThis && memberName(one) === memberName(other)
}

/** What a file declares at its top level, once, and never changes. */
function localOf(
  source: SourceFile,
  name: string,
): { readonly value: Node; readonly statement: Node } | undefined {
  if (!isOnlyOnce(source, name)) return undefined
  for (const statement of bodyOf(source)) {
    const value = declaredValue((statement['declaration'] as Node | null | undefined) ?? statement, name)
    if (value !== undefined) return { value, statement }
  }
  return undefined
}

function declaredValue(declaration: Node, name: string): Node | undefined {
  if (/^(?:Function|Class)Declaration$/.test(declaration.type))
    return isName(declaration['id'] as Node | null, name) ? declaration : undefined
  if (declaration.type !== 'VariableDeclaration') return undefined
  const [only, ...others] = declaration['declarations'] as readonly { id: Node; init: Node | null }[]
  if (only === undefined || others.length > 0 || !isName(only.id, name) || !only.init) return undefined
  return untyped(only.init)
}

/** True for a name that is declared once in a file, and that nothing in it assigns. */
export function isOnlyOnce({ program }: SourceFile, name: string): boolean {
  let count = 0
  for (const { node } of walk(program)) {
    const declared = [
      ...((isFunction(node) ? node['params'] : []) as readonly Node[]),
      /^(?:VariableDeclarator|FunctionDeclaration|ClassDeclaration)$/.test(node.type) ? node['id'] : null,
      /^Import\w*Specifier$/.test(node.type) ? node['local'] : null,
      node.type === 'CatchClause' ? node['param'] : null,
    ]
    for (const one of declared) if (one) count += namesIn(one as Node).filter((own) => own === name).length
    if (/^AssignmentExpression$/.test(node.type) && namesOfTarget(node['left'] as Node).includes(name))
      return false
    if (node.type === 'UpdateExpression' && isName(node['argument'] as Node, name)) return false
  }
  return count === 1
}

/** The names that an assignment writes to; the object of a member is none. */
function namesOfTarget(target: Node): string[] {
  return isMember(target) ? [] : namesIn(target)
}

function bodyOf({ program }: SourceFile): readonly Node[] {
  return program['body'] as readonly Node[]
}
