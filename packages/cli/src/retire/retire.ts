// Deletes the handlers behind native callbacks in one file, and what only they have used.
import MagicString from 'magic-string'
import { bindingsIn, isCallOf, type Names } from '../edit/imports.js'
import type { RouteRow } from '../documents/inventory.js'
import type { Told } from '../edit/look.js'
import { handlerName, handlersIn, lastCall, unnamedCall, writtenCall } from '../edit/route-calls.js'
import type { LeftRow } from '../edit/rows.js'
import { argumentsOf, calledProperty, rangeOf, type SourceFile } from '../edit/source-file.js'
import { namesIn, withoutUnused } from '../edit/unused.js'
import type { Node } from '../syntax/parser.js'
import { memberOf } from '../syntax/syntax.js'
import { untyped } from '../syntax/tree.js'

export interface Retired {
  readonly written: string
  readonly left: ReadonlyMap<number, LeftRow>
  /** Rows whose callback still runs a handler of Express. */
  readonly asIs: ReadonlySet<number>
  /** Handlers that were written elsewhere, and stay there: `file:line`, with their names. */
  readonly stays: ReadonlyMap<number, readonly Stays[]>
}

/** A handler that no route has any more. */
export interface Stays {
  readonly name: string
  readonly at: string
}

/** Deletes the old handlers of rows in one file. */
export function retireIn(
  source: SourceFile,
  rows: readonly number[],
  told: Told,
  reasonOf: (call: number) => string | undefined,
): Retired {
  const code = new MagicString(source.text)
  const names = bindingsIn(source)
  const left = new Map<number, LeftRow>()
  const asIs = new Set<number>()
  const done = new Set<Node>()
  const used = new Set<string>()
  const made = new Set<string>()
  const stays = new Map<number, readonly Stays[]>()
  for (const row of rows) {
    const found = handlersBehind(source, row, told, names, reasonOf)
    if ('reason' in found) {
      left.set(row, found)
      continue
    }
    if (found.isAsIs) asIs.add(row)
    const kept = staying(source, found.behind, told.inventory.routes[row]!)
    if (kept.length > 0) stays.set(row, kept)
    if (done.has(found.native)) continue
    done.add(found.native)
    for (const node of found.behind) {
      for (const name of namesIn(node)) used.add(name)
      const { method, path } = told.inventory.routes[row]!
      if (isMadeByMove(source, node, handlerName(method, path))) made.add(node['name'] as string)
    }
    remove(code, source, found)
  }
  const written = done.size === 0 ? source.text : withoutUnused(source.file, code.toString(), used, made)
  return { written, left, asIs, stays }
}

/** A native callback among the handlers of a call, and the handlers behind it. */
interface Found {
  readonly native: Node
  readonly behind: readonly Node[]
  readonly isAsIs: boolean
}

function handlersBehind(
  source: SourceFile,
  row: number,
  { inventory, registered }: Told,
  names: Names,
  reasonOf: (call: number) => string | undefined,
): Found | LeftRow {
  const [router, layer] = registered.rows[row]!
  const registering = registered.routers[router]!.layers[layer]!.calls
  const last = lastCall(registering, inventory.routes[row]!.method)
  if (typeof last === 'string') return { reason: last }
  const call = writtenCall(source, last)
  if (call === undefined) return unnamedCall
  const broken = reasonOf(calledProperty(call)!.start)
  if (broken !== undefined) return { reason: broken }
  const handlers = handlersIn(call, last.isOnRoute)
  const list = handlers.find(
    (one) =>
      one.type === 'ArrayExpression' && elementsOf(one).some((inner) => isCallOf(inner, 'native', names)),
  )
  if (list !== undefined && list !== handlers.at(-1)) return { reason: 'its handlers stand in several lists' }
  const all = list === undefined ? handlers : elementsOf(list)
  const natives = all.filter((one) => isCallOf(one, 'native', names))
  if (natives.length > 1) return { reason: 'it has more native callbacks than one' }
  const expected = inventory.routes[row]!.own.behind?.filter(({ kind }) => kind !== 'error').length ?? 0
  // One that is written beside its handler, in the file of that, has a name here.
  const native = natives[0] ?? all.at(-1 - last.errorHandlers - expected)
  if (native === undefined) return { reason: 'its native callback is made elsewhere' }
  const behind = all.slice(all.indexOf(native) + 1, all.length - last.errorHandlers)
  // What a list spreads, or another call has added, is not what stands here.
  const isSpread = (natives.length > 0 ? behind : all).some(({ type }) => type === 'SpreadElement')
  if (isSpread || behind.length === 0 || behind.length !== expected)
    return { reason: 'handlers behind its native callback are made elsewhere' }
  const [given] = natives.length > 0 ? argumentsOf(native) : []
  return { native, behind, isAsIs: given !== undefined && isCallOf(given, 'fromExpress', names) }
}

/** Which handlers stay where they are written: members, and what another file has. */
function staying(source: SourceFile, behind: readonly Node[], { own }: RouteRow): readonly Stays[] {
  const told = (own.behind ?? []).filter(({ kind }) => kind !== 'error')
  const names = bindingsIn(source)
  return behind.flatMap((node, at): Stays[] => {
    const isBound = node.type === 'CallExpression' && memberOf(node['callee'] as Node)?.name === 'bind'
    const inner = isBound ? memberOf(node['callee'] as Node)!.object : node
    // What is written in a wrapper, as `asyncHandler(teas.show)`, has no place that is known.
    if (inner.type === 'CallExpression')
      return argumentsOf(inner)
        .map(untyped)
        .flatMap((one) => {
          const from = names.get(rootOf(one))?.from
          return from === undefined || !/^[./#~@]/.test(from)
            ? []
            : [{ name: textOf(source, one), at: `of ${from}` }]
        })
    const from = names.get(rootOf(inner))?.from
    const isElsewhere = inner.type === 'MemberExpression' || from !== undefined
    const { definition } = told[at]!
    const isInPackage = definition === undefined || /(?:^|[\\/])node_modules[\\/]/.test(definition)
    if (!isElsewhere || isInPackage) return []
    // An export may be what a wrapper of a third file has made, and the place is that of the wrapper then.
    const isThere = from === undefined || isInModule(definition, from)
    return [{ name: textOf(source, inner), at: isThere ? definition : `of ${from}` }]
  })
}

/** True for a place in a file that a module may be: `teas.js:3` of `./teas.js`, `teas/index.ts:3` of `./teas`. */
function isInModule(place: string, module: string): boolean {
  const names = (path: string): string[] => path.split(/[\\/]/).map((one) => one.replace(/\..*$/, ''))
  return names(place).includes(names(module).at(-1)!)
}

/** The name that a member begins with: `teas` of `teas.show`. */
function rootOf(node: Node): string {
  const member = memberOf(node)
  return member === undefined ? String(node['name']) : rootOf(member.object)
}

function textOf({ text }: SourceFile, { start, end }: Node): string {
  return text.slice(start, end)
}

/** True for a name that `move` has given to what a call makes, right before the statement of its route. */
function isMadeByMove(source: SourceFile, handler: Node, name: string): boolean {
  const own = handler.type === 'Identifier' ? (handler['name'] as string) : ''
  if (own.replace(/\d*$/, '') !== name.replace(/\d*$/, '')) return false
  let statement: Node | undefined = handler
  while (statement !== undefined && statement.type !== 'ExpressionStatement')
    statement = source.parentOf(statement)
  const list = statement && source.parentOf(statement)?.['body']
  if (!Array.isArray(list)) return false
  // A chain of routes has several of them.
  for (const before of (list as readonly Node[]).slice(0, list.indexOf(statement)).toReversed()) {
    if (before.type !== 'VariableDeclaration' || before['kind'] !== 'const') return false
    const [only, ...others] = before['declarations'] as readonly { id: Node; init: Node | null }[]
    if (others.length > 0 || only?.init?.type !== 'CallExpression') return false
    if (only.id['name'] === own) return true
  }
  return false
}

function elementsOf(list: Node): readonly Node[] {
  return (list['elements'] as readonly (Node | null)[]).filter((one) => one !== null)
}

/** Takes handlers away, with their commas and comments. A comment on the line of the native callback stays. */
function remove(code: MagicString, source: SourceFile, { native, behind }: Found): void {
  const { text } = source
  const start = rangeOf(source, native).end
  const end = rangeOf(source, behind.at(-1)!).end
  const own = /^[\t ]*,[\t ]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/(?=[\t ]*\r?\n))/.exec(
    text.slice(start),
  )
  const comma = /^\s*,/.exec(text.slice(end))
  const behindLast = end + (comma?.[0].length ?? 0)
  const comment = /^[\t ]*\/\/[^\r\n]*/.exec(text.slice(behindLast))
  if (own === null) {
    code.remove(start, end)
    if (comment !== null) code.remove(behindLast, behindLast + comment[0].length)
    return
  }
  code.remove(start + own[0].length, behindLast + (comment?.[0].length ?? 0))
}
