// Makes native callbacks of what was written as it was: native(fromExpress(handler)), and Controllers that run a handler.
import { expressVersions } from 'routecontrollers/express-model'
import MagicString from 'magic-string'
import type { RouteRow } from '../documents/inventory.js'
import type { Definition } from '../documents/registered.js'
import { replace } from '../edit/code.js'
import { bindingsIn, isCallOf, isNamed, type Names } from '../edit/imports.js'
import type { Told } from '../edit/look.js'
import { argumentsOf, calledProperty, lineStarts, type SourceFile, typesOf } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { type CallbackForm, formOf, importsOf, pathType, referenceOf, typedCall } from './beside.js'
import type { Elsewhere } from './elsewhere.js'
import { definitionsByRow, handlersIn, lastCall, unnamedCall, writtenCall } from '../edit/route-calls.js'
import type { LeftRow } from '../edit/rows.js'
import { withoutUnused } from '../edit/unused.js'
import { isPlainPath } from '../edit/plain-path.js'
import { mayReject } from '../code/rejections.js'
import type { Twins } from './twins.js'

/** A handler that was written as it was. */
interface AsIs {
  /** The call that takes it: `native(…)`, `new Controller(…)`. */
  readonly taker: Node
  /** `fromExpress(handler)`. */
  readonly made: Node
  readonly handler: Node
  /** The path that `native` is told as a type, where its callback needs types besides; undefined for a Controller. */
  readonly path: string | undefined
}

/** Rewrites the handlers of rows that are written in one file. */
export function takeUpIn(
  source: SourceFile,
  rows: readonly number[],
  told: Told,
  reasonOf: (call: number) => string | undefined,
  twins: Twins,
): { readonly written: string; readonly left: ReadonlyMap<number, LeftRow> } {
  const { text } = source
  const code = new MagicString(text)
  const names = bindingsIn(source)
  const left = new Map<number, LeftRow>()
  const taken = new Set<Node>()
  const twinned: { readonly taker: Node; readonly elsewhere: Elsewhere }[] = []
  const imports = new Set<string>()
  const definitionsOf = definitionsByRow(told)
  for (const row of rows) {
    const route = told.inventory.routes[row]!
    const found = told.registered.rows[row]
      ? ofRoute(source, row, told, names, reasonOf)
      : ofController(source, route, told, names)
    const definitions = definitionsOf(row)
    const form =
      'reason' in found ? found : formTaken(source, found, { method: route.method, definitions }, twins)
    if ('reason' in found || 'reason' in form) {
      left.set(row, form as LeftRow)
      continue
    }
    const { taker, made, path: pathOfRoute } = found
    if (taken.has(made)) continue
    taken.add(made)
    if (form.kind === 'twin') {
      twinned.push({ taker, ...form })
      continue
    }
    const isLast = argumentsOf(taker).at(-1) === made
    const options = isLast && form.options !== undefined ? `, ${form.options}` : ''
    replace(code, made.start, made.end, form.text + options)
    for (const name of form.imports) imports.add(name)
    if (form.type !== undefined) {
      const known = typesOf(taker)
      const at = known === undefined ? (taker['callee'] as Node).end : known.end - 1
      replace(code, at, at, known === undefined ? `<${pathOfRoute!}, ${form.type}>` : `, ${form.type}`)
    }
    const [, path] = taker.type === 'NewExpression' ? argumentsOf(taker) : []
    const [plain] = path && isCallOf(path, 'expressPath', names) ? argumentsOf(path) : []
    if (plain !== undefined && isPlainPath(plain))
      replace(code, path!.start, path!.end, text.slice(plain.start, plain.end))
  }
  if (taken.size === 0) return { written: text, left }
  const before = Math.min(...[...taken].map(({ start }) => start))
  const all = twinned.map(({ elsewhere }) => elsewhere)
  const wanted = { 'routecontrollers/express': [...imports], ...importsOf(all) }
  const known = twins.writeHelpers(code, source, before, wanted)
  // The names of native callbacks of other files stand in the place of those that run their handlers.
  for (const { taker, elsewhere } of twinned)
    replace(code, taker.start, taker.end, referenceOf(source, elsewhere, known))
  const replaced = [...names].flatMap(([local, { imported }]) =>
    ['fromExpress', 'expressPath', 'native'].includes(imported) ? [local] : [],
  )
  return { written: withoutUnused(source.file, code.toString(), replaced), left }
}

/** The callback of a Controller that runs a handler of Express; the reason where none is made. */
export function formOfController(
  source: SourceFile,
  row: number,
  told: Told,
  twins: Twins,
): CallbackForm | LeftRow {
  const route = told.inventory.routes[row]!
  const found = ofController(source, route, told, bindingsIn(source))
  if ('reason' in found) return found
  const { method } = route
  const definitions = definitionsByRow(told)(row)
  const form = formTaken(source, found, { method, definitions }, twins)
  return 'kind' in form && form.kind === 'twin' ? { reason: 'its callback stands in another file' } : form
}

function formTaken(
  source: SourceFile,
  { taker, made, handler, path }: AsIs,
  route: { readonly method: string; readonly definitions: readonly (Definition | null)[] },
  twins: Twins,
): ReturnType<typeof formOf> {
  if (path === undefined) return formOf(source, { call: taker, ...route }, handler, false)
  // One type is that of its path, which `move` has written; more of them are not its own.
  const types = (typesOf(taker)?.['params'] ?? []) as readonly Node[]
  if (types.length > 1) return typedCall
  return formOf(source, { call: made, ...route }, handler, true, twins)
}

/** `native(fromExpress(handler))` among the handlers of a route. */
function ofRoute(
  source: SourceFile,
  row: number,
  { inventory, registered }: Told,
  names: Names,
  reasonOf: (call: number) => string | undefined,
): AsIs | LeftRow {
  const [router, layer] = registered.rows[row]!
  const found = lastCall(registered.routers[router]!.layers[layer]!.calls, inventory.routes[row]!.method)
  if (typeof found === 'string') return { reason: found }
  const call = writtenCall(source, found)
  if (call === undefined) return unnamedCall
  const broken = reasonOf(calledProperty(call)!.start)
  if (broken !== undefined) return { reason: broken }
  const takers = handlersIn(call, found.isOnRoute)
    .flatMap((one) => [...walk(one)])
    .filter(({ node }) => isCallOf(node, 'native', names))
  const [taker] = takers
  if (taker === undefined) return { reason: 'a native callback answers it already' }
  if (takers.length > 1) return { reason: 'its native callback is made elsewhere' }
  const path = pathType(source, call) ?? 'object'
  return asIsOf(taker.node, argumentsOf(taker.node)[0], names, path)
}

/** `new Controller(method, path, fromExpress(handler))` on the line that made the Controller of a row. */
function ofController(
  source: SourceFile,
  { method, own, passes, app }: RouteRow,
  { inventory }: Told,
  names: Names,
): AsIs | LeftRow {
  const line = Number(/\d+$/.exec(own.at!)![0])
  const starts = lineStarts(source.text)
  const takers = [...walk(source.program)].flatMap(({ node }) => {
    const isThere = starts[line - 1]! <= node.start && node.start < (starts[line] ?? Infinity)
    if (node.type !== 'NewExpression' || !isThere || !isNamed(node, 'Controller', names)) return []
    const [given] = argumentsOf(node)
    return given?.['value'] === method ? [node] : []
  })
  const [taker] = takers
  if (taker === undefined || takers.length > 1) return { reason: 'where its Controller is made is not known' }
  const found = asIsOf(taker, argumentsOf(taker)[2], names)
  if ('reason' in found) return found
  // It may set what native callbacks do not see, as a member of req.params.
  const param = passes.find((pass) => pass.param !== undefined)?.param
  if (param !== undefined) return { reason: `the callback of param '${param}' runs before it` }
  const { version = 5 } = inventory.apps[app]!
  const isAsync = found.handler['async'] === true
  if (!expressVersions[version].catchesRejections && isAsync && mayReject(found.handler))
    return { reason: `Express ${version} never answers when it rejects` }
  return found
}

function asIsOf(taker: Node, made: Node | undefined, names: Names, path?: string): AsIs | LeftRow {
  if (made === undefined || !isCallOf(made, 'fromExpress', names))
    return { reason: 'a native callback answers it already' }
  const [handler, ...others] = argumentsOf(made)
  if (handler === undefined || others.length > 0)
    return {
      reason: 'it has more handlers than one',
      remedy: 'leave it to Express, where its guards stand in the same call',
    }
  return { taker, made, handler, path }
}
