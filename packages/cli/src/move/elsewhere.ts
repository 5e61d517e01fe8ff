// The handler of a route that another file of the project has written: where it is, and its twin, the native callback beside it.
import { isFunction, type Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { bindingsIn } from '../edit/imports.js'
import { argumentsOf, indentOf, newlineOf, type SourceFile, usesSemicolons } from '../edit/source-file.js'
import { type Exported, exportedBy, isOnlyOnce, memberOf } from './exported.js'
import type { Modules } from './modules.js'
import { classAround, givesToNext } from './native/handler.js'
import { isLabel, isMember, isName, keyOf, memberName, statementsOf, untyped } from './native/tree.js'

/** A handler in another file. */
export interface Elsewhere {
  readonly exported: Exported
  /** Its function. */
  readonly handler: Node
  /** What the route calls it by, without what a wrapper of async handlers adds: `teas.show`, `show()`. */
  readonly named: Node
  /** What the file of the route imports besides; undefined where the name is a member of what it has. */
  readonly imported: { readonly from: string; readonly name: string } | undefined
}

/** A text that is written at a place of a file. */
export interface Insert {
  readonly at: number
  readonly text: string
}

/** Finds the function of a handler that a file imports; undefined where that is not sure. */
export function findElsewhere(source: SourceFile, read: Node, modules: Modules): Elsewhere | undefined {
  const node = untyped(read)
  if (node.type !== 'CallExpression') {
    const method = methodOfMade(source, node, modules)
    const found = method ? { exported: method, imported: undefined } : referenced(source, node, modules)
    if (found === undefined || !isFunction(found.exported.value)) return undefined
    return { ...found, handler: found.exported.value, named: node }
  }
  const made = referenced(source, node['callee'] as Node, modules)
  const parameters = argumentsOf(node)
  if (made === undefined || !isFunction(made.exported.value)) return undefined
  if (givesToNext(made.exported.value)) {
    const [inner, ...others] = parameters
    return inner !== undefined && others.length === 0 ? findElsewhere(source, inner, modules) : undefined
  }
  const handler = returnedBy(made.exported.value)
  // The twin is made by a call of its own.
  if (handler === undefined || !parameters.every(isRepeatable)) return undefined
  return { ...made, handler, named: node }
}

function isRepeatable({ type, ...node }: Node): boolean {
  if (/^(?:String|Numeric|Boolean|Null)Literal$|^Identifier$/.test(type)) return true
  return type === 'MemberExpression' && node['computed'] !== true && isRepeatable(node['object'] as Node)
}

/** The handler that a function returns, and does nothing besides. */
function returnedBy(factory: Node): Node | undefined {
  if (factory['async'] === true || factory['generator'] === true) return undefined
  const body = factory['body'] as Node
  const [only, ...others] = statementsOf(body)
  const value =
    body.type !== 'BlockStatement'
      ? body
      : only?.type === 'ReturnStatement' && others.length === 0
        ? (only['argument'] as Node | null)
        : null
  const handler = value && untyped(value)
  return handler && isFunction(handler) ? handler : undefined
}

/** The method of an object that the file of the route makes of a class of another file: `users.show`, `this.users.show`. */
function methodOfMade(source: SourceFile, node: Node, modules: Modules): Exported | undefined {
  const name = isMember(node) && node['computed'] !== true ? memberName(node) : undefined
  const object = name === undefined ? undefined : untyped(node['object'] as Node)
  const made = object && madeBy(source, object)
  const callee = made?.type === 'NewExpression' ? (made['callee'] as Node) : undefined
  if (callee?.type !== 'Identifier') return undefined
  const local = callee['name'] as string
  const binding = bindingsIn(source).get(local)
  if (binding === undefined || binding.imported === '*' || !isOnlyOnce(source, local)) return undefined
  const file = modules.imported(source, binding.from)
  const owner = file && exportedBy(file, binding.imported)
  return owner && memberOf(owner, name!, true)
}

/** What the file makes of a `const`, or of a field of the class around, that it only reads the members of. */
function madeBy(source: SourceFile, object: Node): Node | undefined {
  const { program } = source
  if (object.type === 'Identifier') {
    const name = object['name'] as string
    if (!isOnlyOnce(source, name) || !isReadByName(source, name)) return undefined
    const declared = [...walk(program)].find(
      ({ node, parent }) =>
        node.type === 'VariableDeclarator' &&
        isName(node['id'] as Node, name) &&
        parent?.['kind'] === 'const',
    )
    return untyped((declared?.node['init'] ?? object) as Node)
  }
  if (!isMember(object) || (object['object'] as Node).type !== 'ThisExpression') return undefined
  const name = object['computed'] === true ? undefined : memberName(object)
  const owner = classAround(object, program)
  const members = ((owner?.['body'] as Node | undefined)?.['body'] ?? []) as readonly Node[]
  const [field, ...others] = members.filter((one) => keyOf(one) === name)
  if (name === undefined || field?.type !== 'ClassProperty' || field['static'] === true || others.length > 0)
    return undefined
  // Code that has the object itself could find the native method, or change it.
  const isRead = [...walk(program)].every(
    ({ node, parent }) =>
      !isMember(node) ||
      memberName(node) !== name ||
      (isMember(parent) && parent['object'] === node && parent['computed'] !== true),
  )
  return isRead && field['value'] ? untyped(field['value'] as Node) : undefined
}

/** What a name or a member stands for that a file imports. */
export function referenced(
  source: SourceFile,
  node: Node,
  modules: Modules,
): Pick<Elsewhere, 'exported' | 'imported'> | undefined {
  const object = isMember(node) ? (node['object'] as Node) : node
  const name = isMember(node) ? memberName(node) : undefined
  if (object.type !== 'Identifier' || (isMember(node) && (name === undefined || node['computed'] === true)))
    return undefined
  const local = object['name'] as string
  const binding = bindingsIn(source).get(local)
  if (binding === undefined || !isOnlyOnce(source, local)) return undefined
  // What walks over the members of an object would find the native ones too.
  if (name !== undefined && !isReadByName(source, local)) return undefined
  const file = modules.imported(source, binding.from)
  if (file === undefined) return undefined
  if (binding.imported === '*') {
    const exported = name === undefined ? undefined : exportedBy(file, name)
    return exported && { exported, imported: undefined }
  }
  const exported = exportedBy(file, binding.imported)
  if (exported === undefined) return undefined
  if (name !== undefined) {
    const member = memberOf(exported, name)
    return member && { exported: member, imported: undefined }
  }
  const { site } = exported
  const isDefault = binding.imported === 'default'
  if (isDefault && !(site.kind === 'statement' && site.statement.type === 'ExportDefaultDeclaration'))
    return undefined
  return { exported, imported: { from: binding.from, name: twinName(exported.name) } }
}

/** True where a file does nothing with an object but to read its members by their names. */
function isReadByName({ program }: SourceFile, name: string): boolean {
  return [...walk(program)].every((placed) => {
    const { node, parent, above } = placed
    if (!isName(node, name) || isLabel(placed)) return true
    const isDeclared =
      parent?.['id'] === node || above?.type === 'ObjectPattern' || /^Import/.test(parent?.type ?? '')
    return isDeclared || (isMember(parent) && parent['object'] === node && parent['computed'] !== true)
  })
}

export function twinName(name: string): string {
  return `${name}Native`
}

/** What the route names the twin by; `imported` is the name that its file has for it. */
export function twinReference({ text }: SourceFile, { named }: Elsewhere, imported?: string): string {
  const call = named.type === 'CallExpression' ? named : undefined
  const callee = (call?.['callee'] ?? named) as Node
  const name = imported ?? twinName(text.slice(callee.start, callee.end))
  return name + (call === undefined ? '' : text.slice(callee.end, call.end))
}

/** The texts that write a twin in the file of its handler; undefined where its name is taken there. `native` is the whole call of `native`. */
export function writeTwin({ exported, handler }: Elsewhere, native: string): readonly Insert[] | undefined {
  const { source, value } = exported
  const own = twinName(exported.name)
  if (value === handler) return writeBehind(exported, { value: native })
  if (/Method$/.test(value.type)) return undefined
  const made = factoryAround(source, value, handler, native)
  const isDeclared = value.type === 'FunctionDeclaration'
  return writeBehind(exported, isDeclared ? { declaration: `function ${own}${made}` } : { value: made })
}

/** What stands behind an export: a declaration, a whole method, or the value of a constant, a property or a member. */
export interface Behind {
  readonly declaration?: string
  readonly value?: string
}

/** The texts that write one more behind an export; undefined where its name is taken, or what is written does not go there. */
export function writeBehind(
  { source, name, site }: Exported,
  { declaration, value }: Behind,
): readonly Insert[] | undefined {
  const own = twinName(name)
  if (source.names.has(own)) return undefined
  const newline = newlineOf(source)
  const end = usesSemicolons(source) ? ';' : ''
  const behind = (statement: Node, text: string): Insert => ({
    at: statement.end,
    text: newline + newline + indentOf(source, statement) + text,
  })
  switch (site.kind) {
    case 'statement': {
      const { statement, target } = site
      const isExported = statement.type.startsWith('Export')
      const declared = declaration ?? `const ${own} = ${value}${end}`
      if (target === undefined) return [behind(statement, isExported ? `export ${declared}` : declared)]
      return value === undefined ? undefined : [behind(statement, `${target}.${own} = ${value}${end}`)]
    }
    case 'listed': {
      const { statement, entry, target } = site
      // What the list names is made where it stands.
      if (entry.start < statement.end) return undefined
      const text =
        target === undefined ? separated(source, entry) + own : `${newline}${target}.${own} = ${own}${end}`
      return [behind(statement, declaration ?? `const ${own} = ${value}${end}`), { at: entry.end, text }]
    }
    case 'property': {
      const { property } = site
      return [{ at: property.end, text: separated(source, property) + (declaration ?? `${own}: ${value}`) }]
    }
    case 'member': {
      const { member } = site
      const key = member['key'] as Node
      if (!isName(key, name) || member['decorators']) return undefined
      const modifiers = source.text
        .slice(member.start, key.start)
        .replace(/\b(?:async|override|declare)\b\s*|\*/g, '')
      return [behind(member, declaration ?? `${modifiers}${own} = ${value}${end}`)]
    }
  }
}

/** The comma behind an entry of a list, with the line break that it begins with. */
function separated(source: SourceFile, entry: Node): string {
  const { text } = source
  const lineStart = text.lastIndexOf('\n', entry.start - 1) + 1
  const isOwnLine = text.slice(lineStart, entry.start).trim() === ''
  return isOwnLine ? `,${newlineOf(source)}${text.slice(lineStart, entry.start)}` : ', '
}

/** A factory whose handler is another one; without the name of a declaration. */
function factoryAround({ text }: SourceFile, factory: Node, handler: Node, native: string): string {
  const body = factory['body'] as Node
  const [only] = statementsOf(body)
  const returned = (body.type === 'BlockStatement' ? only!['argument'] : body) as Node
  const name = factory.type === 'FunctionDeclaration' ? (factory['id'] as Node).end : factory.start
  const type = factory['returnType'] as Node | null | undefined
  const head = text.slice(name, type?.start ?? returned.start)
  return (
    head + (type ? text.slice(type.end, returned.start) : '') + native + text.slice(returned.end, factory.end)
  )
}
