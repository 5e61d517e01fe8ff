// The handler of a route that another file of the project has written: where it is, and its twin, the native callback beside it.
import { isFunction, type Node } from '../syntax/parser.js'
import { boundOf, constantOf, type Exported } from '../edit/exported.js'
import type { Modules } from '../edit/modules.js'
import { importedFunction, methodOfMade, type Named, referenced } from '../edit/named.js'
import { argumentsOf, indentOf, newlineOf, type SourceFile, usesSemicolons } from '../edit/source-file.js'
import { type Wrapper, wrapperIn } from './native/handler.js'
import { givesToNext } from './native/wrapper.js'
import { isName, statementsOf, untyped } from '../syntax/tree.js'

/** A handler in another file. */
export interface Elsewhere {
  readonly exported: Exported
  /** Its function. */
  readonly handler: Node
  /** The wrappers of async handlers that stand around it, the outermost first. */
  readonly wrappers: readonly Wrapper[]
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
    // V8 says later whether it is the function that runs.
    const found = method ? { exported: method, from: undefined } : referenced(source, node, modules, true)
    const handler = found && handlerOf(found.exported, modules)
    return handler && { ...withTwin(found), ...handler, named: node }
  }
  const bound = boundOf(node)
  if (bound !== undefined) return boundElsewhere(source, bound.method, modules)
  const callee = node['callee'] as Node
  const parameters = argumentsOf(node)
  const wrapper = wrapperIn(callee, source.program) ?? importedWrapper(source, callee, modules)
  if (wrapper !== undefined) {
    const [inner, ...others] = parameters
    const found = others.length === 0 && inner ? findElsewhere(source, inner, modules) : undefined
    return found && { ...found, wrappers: [wrapper, ...found.wrappers] }
  }
  const made = referenced(source, callee, modules)
  if (made === undefined || !isFunction(made.exported.value)) return undefined
  const handler = returnedBy(made.exported.value)
  // The twin is made by a call of its own.
  if (handler === undefined || !parameters.every(isRepeatable)) return undefined
  return { ...withTwin(made), handler, wrappers: [], named: node }
}

/** A method that the route binds to its own object: its native callback has that as `this`, too. */
function boundElsewhere(source: SourceFile, named: Node, modules: Modules): Elsewhere | undefined {
  const found = findElsewhere(source, named, modules)
  if (found === undefined || found.wrappers.length > 0) return undefined
  const { exported } = found
  return { ...found, exported: { ...exported, isBound: exported.site.kind === 'member' } }
}

/** The function that an export is, or that it is a wrapper of async handlers around: `export const show = wrap(async (req, res) => …)`. */
function handlerOf(
  { source, value }: Exported,
  modules: Modules,
): Pick<Elsewhere, 'handler' | 'wrappers'> | undefined {
  if (isFunction(value)) return { handler: value, wrappers: [] }
  if (value.type !== 'CallExpression') return undefined
  const [given, ...others] = argumentsOf(value)
  if (given === undefined || others.length > 0) return undefined
  const inner = untyped(given)
  const handler = inner.type === 'Identifier' ? constantOf(source, inner['name'] as string)?.value : inner
  const callee = value['callee'] as Node
  const wrapper = wrapperIn(callee, source.program) ?? importedWrapper(source, callee, modules)
  if (handler === undefined || !isFunction(handler) || wrapper === undefined) return undefined
  return { handler, wrappers: [wrapper.package === undefined ? { file: source.file, ...wrapper } : wrapper] }
}

/** The wrapper of async handlers that a file imports of another one of the project. */
export function importedWrapper(source: SourceFile, callee: Node, modules: Modules): Wrapper | undefined {
  const called = importedFunction(source, callee, modules)
  if (called === undefined || !isFunction(called.value) || !givesToNext(called.value)) return undefined
  return { file: called.source.file, node: called.value }
}

/** What a file imports of another one, with what it would import besides. */
export function withTwin({ exported, from }: Named): Pick<Elsewhere, 'exported' | 'imported'> {
  return { exported, imported: from === undefined ? undefined : { from, name: twinName(exported.name) } }
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
  // A wrapper of async handlers is a call, and what makes a handler is a function.
  if (value === handler || value.type === 'CallExpression') return writeBehind(exported, { value: native })
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
