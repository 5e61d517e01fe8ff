// Reads a router of one file as a list of Controllers could stand in its place, or says why it could not.
import type { RegisteredCall, Site } from '../documents/registered.js'
import { type Binding, bindingsIn, isCallOf, type Names } from '../edit/imports.js'
import { isPlainPath } from '../edit/plain-path.js'
import { argumentsOf, receiverOf, type SourceFile, typesOf } from '../edit/source-file.js'
import { memberOf } from '../syntax/syntax.js'
import type { Node } from '../syntax/parser.js'
import { othersBetween } from './movable.js'
import { lineAt, referencesOf } from './references.js'
import { type Twin, twinOf } from './twins.js'
import { isWhy, type Why } from './why.js'

/** A route that becomes a Controller. */
export interface ListedRoute {
  readonly method: string
  readonly path: string
  /** The statement that registers it, and nothing else. */
  readonly statement: Node
  readonly call: Node
  readonly pathNode: Node
  /** What stands between the path and the native callback. */
  readonly guards: readonly Node[]
  /** The call of `native`, or what names what it has made. */
  readonly native: Node
  /** What that names. */
  readonly twin: Twin | undefined
  /** True where the type arguments of `native` are those of its Controller too. */
  readonly keepsTypes: boolean
}

/** A call of `use` before all routes, whose guards become hooks of the list. */
export interface LeadingUse {
  readonly statement: Node
  readonly call: Node
  readonly guards: readonly Node[]
}

/** A router of a file. */
export interface RouterFile {
  readonly source: SourceFile
  readonly name: string
  /** The statement that makes it. */
  readonly declaration: Node
  /** Its name there. */
  readonly id: Node
  /** What makes it: `Router()`. */
  readonly init: Node
  readonly uses: readonly LeadingUse[]
  readonly routes: readonly ListedRoute[]
  /** Statements between these, which the list does not need before it. */
  readonly others: readonly Node[]
  /** By which names the file exports it: `default`, and `*` where it is all that a CommonJS file exports. */
  readonly exported: ReadonlySet<string>
  /** The package that its router is of. */
  readonly express: string
}

/** A call of a router's, and how many guards it has before its native callback. */
export interface RouteCall {
  readonly call: RegisteredCall
  readonly guards: number
}

/** A call of `use`, and where its functions stand among its arguments; undefined where that is not known. */
export interface UseCall {
  readonly at: Site
  readonly places: readonly (readonly number[] | undefined)[]
}

/** What a file says beside a router's calls: where else it is mounted in the same file. */
export type IsMount = (reference: Node) => boolean

/** Reads the router that some calls register with. */
export function readRouterFile(
  source: SourceFile,
  { calls, useCalls }: { readonly calls: readonly RouteCall[]; readonly useCalls: readonly UseCall[] },
  isMount: IsMount,
  readFile: (file: string) => SourceFile | string,
): RouterFile | Why {
  const whyAt: WhyAt = (reason, { start }) => ({
    reason,
    at: { file: source.file, line: lineAt(source, start) },
  })
  const bindings = bindingsIn(source)
  const uses: LeadingUse[] = []
  for (const call of useCalls) {
    const read = readUse(source, call, whyAt)
    if (isWhy(read)) return read
    uses.push(read)
  }
  const routes: ListedRoute[] = []
  for (const call of calls) {
    const read = readRoute(source, bindings, call, readFile)
    if (isWhy(read)) return read
    routes.push(read)
  }
  const registering = [...uses, ...routes]
  let name: string | undefined
  for (const { call } of registering) {
    const receiver = receiverOf(call)
    if (receiver.type !== 'Identifier') return whyAt('its router has no name', receiver)
    if (name !== undefined && receiver['name'] !== name)
      return whyAt('its router has several names', receiver)
    name = receiver['name'] as string
  }
  const made = name === undefined ? undefined : declarationOf(source, name)
  if (name === undefined || made === undefined)
    return { reason: 'its router is made elsewhere than by a statement const name = Router()' }
  const { declaration, id, init } = made
  const express = packageOf(init, bindings)
  if (express === undefined) return whyAt('what makes its router is not Router() of express', init)
  const exported = new Set<string>()
  const taken = new Set(registering.map(({ call }) => receiverOf(call)))
  const last = routes.at(-1)!.statement
  if (declaration['type'] === 'ExportNamedDeclaration') exported.add(name)
  for (const reference of referencesOf(source, name)) {
    if (taken.has(reference)) continue
    const isBehind = reference.start > last.start
    if (isMount(reference)) {
      if (isBehind) continue
      return whyAt('it is mounted before its last route is registered', reference)
    }
    const given = exportsBy(source, reference)
    if (given === undefined)
      return whyAt(
        'its router is used in another way too: export it by its own name or as the default, and mount it by a call of use that names it',
        reference,
      )
    if (!isBehind && !given.isLater) return whyAt('it is exported before its last route', reference)
    for (const one of given.names) exported.add(one)
  }
  const others = othersBetween(source, bindings, [
    ...uses,
    // The options of a native callback are made with its route.
    ...routes.map((route) => ({
      ...route,
      guards: [
        ...route.guards,
        ...(route.twin === undefined ? argumentsOf(route.native).slice(1) : [route.native]),
      ],
    })),
  ])
  return isWhy(others)
    ? others
    : { source, name, declaration, id, init, uses, routes, others, exported, express }
}

/** A reason, and where it stands. */
type WhyAt = (reason: string, node: Node) => Why

function readUse(source: SourceFile, { at, places }: UseCall, whyAt: WhyAt): LeadingUse | Why {
  const call = source.callAt(at.line, at.column, 'use')
  if (call === undefined) return { reason: 'what registers a guard of its router is no call of use' }
  const given = argumentsOf(call)
  const first = places[0]?.[0] ?? 0
  const [path, guards] = [given.slice(0, first), given.slice(first)]
  const isEach = places.every((place, number) => place?.length === 1 && place[0] === first + number)
  if (!isEach || guards.length !== places.length || given.some(({ type }) => type === 'SpreadElement'))
    return whyAt('the guards of its router are not written one by one', call)
  if (typesOf(call) !== undefined) return whyAt('a call of use of its router has type parameters', call)
  const hasComment = hasCommentBetween(source, [call['callee'] as Node, ...given])
  if (hasComment || /[^\s,()]/.test(source.text.slice(given.at(-1)!.end, call.end)))
    return whyAt('a comment stands between the guards of its router', call)
  if (path.some((one) => one['value'] !== '/'))
    return whyAt('a guard of its router has a path of its own', call)
  const statement = statementAlone(source, call)
  if (statement === undefined)
    return whyAt(
      'a guard of its router stands within a function or a condition, or in a chain of calls',
      call,
    )
  return { statement, call, guards }
}

/** The statement of the top of a file that a call is. */
function statementAlone(source: SourceFile, call: Node): Node | undefined {
  const statement = source.parentOf(call)
  const isAlone = statement?.type === 'ExpressionStatement' && source.parentOf(statement) === source.program
  return isAlone ? statement : undefined
}

function readRoute(
  source: SourceFile,
  bindings: Names,
  { call: { at, verb }, guards: count }: RouteCall,
  readFile: (file: string) => SourceFile | string,
): ListedRoute | Why {
  const call = at && source.callAt(at.line, at.column, verb)
  if (call === undefined)
    return { reason: 'it is registered by a call that names no method, as app[method](…)' }
  const [path, ...handlers] = argumentsOf(call)
  const [guards, native] = [handlers.slice(0, -1), handlers.at(-1)]
  if (path === undefined || native === undefined)
    return { reason: 'more than one native callback stands in its call' }
  // What a list holds or spreads are several.
  if (guards.length !== count || guards.some(({ type }) => /^(?:Array|Spread)/.test(type)))
    return { reason: 'its guards are not written one by one in its call' }
  if (guards.length > 0 && hasCommentBetween(source, [path, ...guards, native]))
    return { reason: 'a comment stands between its guards' }
  if (!isPlainPath(path))
    return {
      reason: 'its path may mean something else in a list: only plain segments and :names are the same',
    }
  if (typesOf(call) !== undefined) return { reason: 'its call has type parameters' }
  const twin = isCallOf(native, 'native', bindings)
    ? undefined
    : (twinOf(source, native, readFile) ?? madeElsewhere)
  if (twin !== undefined && isWhy(twin)) return twin
  const [callback, options] = argumentsOf(twin?.native ?? native)
  if (callback === undefined || [callback, options].some((one) => one?.type === 'SpreadElement'))
    return madeElsewhere
  const statement = statementAlone(source, call)
  if (statement === undefined)
    return { reason: 'it is registered within a function or a condition, or by a chain of calls' }
  const text = path['value'] as string
  const keepsTypes = twin === undefined ? keptTypes(native, text) : false
  if (keepsTypes === undefined)
    return { reason: 'the type parameters of native name other params than those of its path' }
  return {
    method: verb === 'all' ? '*' : verb.toUpperCase(),
    path: text,
    statement,
    call,
    pathNode: path,
    guards,
    native,
    twin,
    keepsTypes,
  }
}

const madeElsewhere: Why = {
  reason:
    'where its native callback is made is not known: write native(…) in its call, or a constant, a method or a member of an object that an import names',
}

function hasCommentBetween({ text }: SourceFile, nodes: readonly Node[]): boolean {
  return nodes.slice(1).some((node, at) => /[^\s,()]/.test(text.slice(nodes[at]!.end, node.start)))
}

/** Whether type arguments stay: those of the path alone are inferred. Undefined where they are no Controller's. */
function keptTypes(native: Node, path: string): boolean | undefined {
  const [first, ...others] = (typesOf(native)?.['params'] ?? []) as readonly Node[]
  if (first === undefined) return false
  const literal = first.type === 'TSLiteralType' ? (first['literal'] as Node)['value'] : undefined
  return literal === path ? others.length > 0 : undefined
}

function callOf(node: Node): Node | undefined {
  return node.type === 'CallExpression' ? (node['callee'] as Node) : undefined
}

interface Made {
  readonly declaration: Node
  readonly id: Node
  readonly init: Node
}

/** `const name = …` at the top of a file, exported or not. */
function declarationOf({ program }: SourceFile, name: string): Made | undefined {
  for (const declaration of program['body'] as readonly Node[]) {
    const inner = declaration.type === 'ExportNamedDeclaration' ? declaration['declaration'] : declaration
    const {
      type,
      kind,
      declarations = [],
    } = (inner ?? {}) as Partial<Node> & {
      declarations?: readonly { id: Node; init: Node | null }[]
    }
    const [only] = declarations
    if (type !== 'VariableDeclaration' || only?.id['name'] !== name) continue
    const isFit = kind === 'const' && declarations.length === 1 && only.init !== null
    return isFit ? { declaration, id: only.id, init: only.init! } : undefined
  }
  return undefined
}

/**
 * The package of `Router()` or `express.Router({ strict: true })`; undefined for another call. What it is called with says nothing that is
 * not seen on the router.
 */
function packageOf(init: Node, bindings: Names): string | undefined {
  if (!/^(?:Call|New)Expression$/.test(init.type) || !argumentsOf(init).every(isPlainOptions))
    return undefined
  const callee = init['callee'] as Node
  const member = memberOf(callee)
  const from =
    callee.type === 'Identifier'
      ? moduleOf(bindings.get(String(callee['name'])), /^Router$/)
      : member?.name !== 'Router'
        ? undefined
        : (requiredBy(member.object) ??
          moduleOf(bindings.get(String(member.object['name'])), /^(?:default|\*)$/))
  // Another file would not find a relative one.
  return from === undefined || /^[./#]/.test(from) ? undefined : from
}

function moduleOf(binding: Binding | undefined, imported: RegExp): string | undefined {
  return binding !== undefined && imported.test(binding.imported) ? binding.from : undefined
}

function requiredBy(node: Node): string | undefined {
  const value = callOf(node)?.['name'] === 'require' ? argumentsOf(node)[0]?.['value'] : undefined
  return typeof value === 'string' ? value : undefined
}

function isPlainOptions(node: Node): boolean {
  if (node.type !== 'ObjectExpression') return false
  return (node['properties'] as readonly Node[]).every(
    (one) => one.type === 'ObjectProperty' && (one['value'] as Node).type === 'BooleanLiteral',
  )
}

/** The names by which a file exports a value where it stands; undefined where that is no export. */
function exportsBy(
  { parentOf }: SourceFile,
  reference: Node,
): { readonly names: readonly string[]; readonly isLater: boolean } | undefined {
  const parent = parentOf(reference)
  if (parent === undefined) return undefined
  const isLater = parent.type === 'ExportSpecifier'
  if (isLater) {
    const { name, value } = parent['exported'] as { name?: string; value?: string }
    return { names: [name ?? value!], isLater }
  }
  if (parent.type === 'ExportDefaultDeclaration') return { names: ['default'], isLater }
  if (parent.type === 'TSExportAssignment') return { names: ['*', 'default'], isLater }
  if (parent.type === 'AssignmentExpression' && parent['right'] === reference) {
    const names = exportedAs(parent['left'] as Node)
    const isStatement = parentOf(parent)?.type === 'ExpressionStatement'
    return names === undefined || !isStatement ? undefined : { names, isLater }
  }
  // `module.exports = { orders }`
  const object = parentOf(parent)
  const assignment = object && parentOf(object)
  if (parent.type !== 'ObjectProperty' || assignment?.type !== 'AssignmentExpression') return undefined
  if (parent['value'] !== reference || parent['computed'] === true) return undefined
  const key = parent['key'] as { name?: string; value?: string }
  const isWhole = exportedAs(assignment['left'] as Node)?.includes('*') === true
  return isWhole ? { names: [String(key.name ?? key.value)], isLater } : undefined
}

/** `module.exports`, `exports.orders`. */
function exportedAs(left: Node): readonly string[] | undefined {
  const member = memberOf(left)
  if (member === undefined) return undefined
  const { object, name } = member
  if (object['name'] === 'module' && name === 'exports') return ['*', 'default']
  const outer = memberOf(object)
  const isExports =
    object['name'] === 'exports' || (outer?.object['name'] === 'module' && outer.name === 'exports')
  return isExports ? [name] : undefined
}
