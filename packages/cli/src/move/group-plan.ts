// Makes the runs of a file those of groups: how the file can name what guards them, or why it cannot.
import { dirname, relative, resolve } from 'node:path'
import type { ExpressVersion } from 'routecontrollers/express-model'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { bindingsIn, isESM } from './imports.js'
import type { GroupPlace, PassedUse } from './group-place.js'
import { type GroupOfRun, type Guard, isReference, type Run } from './plan.js'
import { argumentsOf, type SourceFile } from './source-file.js'

/** A run as that of a group; the reason where it cannot be one. */
export function groupRun(
  source: SourceFile,
  run: Run,
  placeOf: (row: number) => GroupPlace,
  version: ExpressVersion,
  read: (file: string) => SourceFile | string,
): (Run & { readonly group: GroupOfRun }) | string {
  const rows = run.calls.flatMap(({ routes }) => routes.map(({ row }) => row))
  const [place, ...others] = rows.map(placeOf) as [GroupPlace, ...GroupPlace[]]
  if (others.some(({ router }) => router !== place.router)) return 'its code makes more than one router'
  if (others.some((one) => keyOf(one) !== keyOf(place)))
    return 'routes of one statement have different guards'
  if (run.calls.some(({ routes }) => new Set(routes.map(({ layer }) => layer)).size > 1)) {
    return 'a loop registers it'
  }
  const [statement] = run.statements
  if (statement === undefined) return 'it is registered in the midst of an expression'
  for (const { call, handlers } of run.calls) {
    const list = [call, ...handlers]
    if (list.some((node) => waits(node))) return 'its handlers are waited for'
  }
  if (run.calls.some(({ route }) => route !== undefined && isOneRoute(run, route, version))) {
    return 'its route(path) has several calls that are one route'
  }
  const guards: Guard[] = []
  for (const use of place.guards) {
    const guard = guardOf(source, statement, use, read)
    if (typeof guard === 'string') return `${use.name} guards it, and ${guard}`
    guards.push(guard)
  }
  return { ...run, group: { router: place.router, prefix: place.prefix, guards } }
}

/** The same for routes that have the same guards. */
export function keyOf({ guards }: GroupPlace): string {
  return guards.map(({ router, layer }) => `${router}.${layer}`).join()
}

/** Whether GET, with HEAD, is the last of the methods that a route names by itself. */
const namesGetLast: Readonly<Record<ExpressVersion, boolean>> = { 4: true, 5: false }

/** True for a `route(path)` whose methods are not as those of several routes, which may be named in another order. */
function isOneRoute({ calls }: Run, route: Node, version: ExpressVersion): boolean {
  const methods = calls.flatMap((one) => (one.route === route ? [one.method] : []))
  const isMixed = methods.includes('HEAD') || methods.includes('*') || new Set(methods).size < methods.length
  return methods.length > 1 && (isMixed || (namesGetLast[version] && methods.slice(0, -1).includes('GET')))
}

/** How the file of the routes can name a function that was given to `use`. */
function guardOf(
  source: SourceFile,
  statement: Node,
  { at, argument, name }: PassedUse,
  read: (file: string) => SourceFile | string,
): Guard | string {
  const other = at && (at.file === source.file ? source : read(at.file))
  if (other === undefined || typeof other === 'string') return 'the call that gives it cannot be read'
  const call = other.callAt(at!.line, at!.column, 'use')
  const node = call && argument && argumentAt(argumentsOf(call), argument)
  if (call === undefined || node === undefined) return 'no plain call of use gives it'
  const text = other.text.slice(node.start, node.end)
  const isName = isReference(node) && /^[\w$]+(?:\.[\w$]+)*$/.test(text) && !text.startsWith('this.')
  const [root] = text.split('.') as [string]
  const binding = isName ? bindingsIn(other).get(root) : undefined
  if (other === source) {
    if (binding !== undefined) return { text }
    const own = listOf(source, statement)
    const given = source.parentOf(call)
    if (given === undefined) return 'no plain call of use gives it'
    const isBeside = own === listOf(source, given) && given.start < statement.start
    if (isBeside && isName) return { text }
    if (isName && isKnownAt(source, root, statement, given)) return { text }
    const isSeen =
      isBeside || (listOf(source, given) === source.program['body'] && given.start < statement.start)
    if (isSeen && given.type === 'ExpressionStatement' && !isUntyped(source, node)) {
      return {
        text: /^[A-Za-z_$][\w$]*$/.test(name) ? name : 'guard',
        named: { statement: given, argument: node },
      }
    }
    return `its name is not known there (line ${at!.line + 1})`
  }
  if (binding === undefined)
    return `it is made where it is given (${at!.file.split(/[\\/]/).at(-1)!}:${at!.line + 1}): export it from a file of its own`
  const { from, imported } = binding
  if (isESM(other) !== isESM(source)) return 'one file imports and the other requires'
  if (!from.startsWith('.')) return { text, binding: { from, imported } }
  const target = resolve(dirname(other.file), from)
  if (withoutExtension(target) === withoutExtension(source.file))
    return 'it stands in the file of the routes itself'
  const path = relative(dirname(source.file), target).replaceAll('\\', '/')
  return { text, binding: { from: path.startsWith('.') ? path : `./${path}`, imported } }
}

function argumentAt(nodes: readonly Node[], [at, ...inner]: readonly number[]): Node | undefined {
  const node = nodes[at!]
  if (node === undefined || nodes.slice(0, at! + 1).some(({ type }) => type === 'SpreadElement'))
    return undefined
  if (inner.length === 0) return node
  return node.type === 'ArrayExpression' ? argumentAt(node['elements'] as readonly Node[], inner) : undefined
}

/** True where a name that a call has means the same to a statement, and has its value by then. */
function isKnownAt(source: SourceFile, name: string, statement: Node, call: Node): boolean {
  const lists = [listOf(source, call), listOf(source, statement), source.program['body']]
  const [declared, ...others] = [...new Set(lists)].flatMap((list) =>
    Array.isArray(list) ? (list as Node[]).filter((one) => declares(one, name)) : [],
  )
  if (declared === undefined || others.length > 0) return false
  const list = source.parentOf(declared)?.['body']
  const isSeen = list === source.program['body'] || (list === lists[0] && list === lists[1])
  return isSeen && (declared.type === 'FunctionDeclaration' || declared.start < statement.start)
}

function declares(statement: Node, name: string): boolean {
  const declaration = (statement['declaration'] ?? statement) as Node
  const declared = (declaration['declarations'] as readonly Node[] | undefined) ?? [declaration]
  return declared.some((one) => (one['id'] as Node | null | undefined)?.['name'] === name)
}

/** The list of statements that one stands in. */
function listOf(source: SourceFile, statement: Node): unknown {
  return source.parentOf(statement)?.['body']
}

/** True for a function that would lose the types that its call gives it. */
function isUntyped({ file }: SourceFile, { type }: Node): boolean {
  return /\.[cm]?tsx?$/.test(file) && /Function/.test(type)
}

/** True for what waits outside of a function of its own. */
function waits(node: Node): boolean {
  const isOwn = ({ type }: Node): boolean => /Function|^Class/.test(type)
  return (
    !isOwn(node) && [...walk(node, isOwn)].some((one) => /^(?:Await|Yield)Expression$/.test(one.node.type))
  )
}

function withoutExtension(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, '')
}
