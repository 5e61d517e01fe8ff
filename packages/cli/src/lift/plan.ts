// Decides of each router of an app whether it becomes a list of Controllers, and where that list is mounted.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type {
  Registered,
  RegisteredLayer,
  RegisteredRouter,
  RegisteredUse,
  Site,
} from '../documents/registered.js'
import type { Broken } from '../edit/changed-file.js'
import { isBelow } from '../edit/project.js'
import { notChosen } from '../edit/rows.js'
import { argumentsOf, calledProperty, receiverOf, type SourceFile } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import { orderObstacle } from './order.js'
import { readRouterFile, type RouterFile, type UseCall } from './router-file.js'
import { lineAt } from './references.js'
import { usesOf, type UsingFiles } from './users.js'
import { isWhy, type Why } from './why.js'
import { rangesOfList } from './write-list.js'

/** The only place where a router is mounted. */
interface Mount {
  readonly source: SourceFile
  /** The router among the arguments of `use`. */
  readonly argument: Node
  readonly call: Node
  readonly isCompiled: boolean
}

/** A router that becomes a list. */
export interface Lifted {
  readonly router: number
  readonly file: RouterFile
  readonly isCompiled: boolean
  readonly mount: Mount
  /** What `Router()` is called with, so that paths mean the same. */
  readonly options: string
}

export interface LiftPlan {
  readonly lifted: readonly Lifted[]
  /** Why a row of the inventory stays. */
  readonly left: ReadonlyMap<number, Why>
}

export interface Asked extends UsingFiles {
  readonly project: string
  /** The absolute paths of the files whose routers are lifted; of all, where there are none. */
  readonly chosen: readonly string[]
  readonly broken: Broken
  /** A file that makes an OpenAPI document of the app, which tells of native callbacks alone. */
  readonly document: string | undefined
  /** Routers that stay because of what another attempt has found. */
  readonly kept: ReadonlyMap<number, Why>
}

export function planLift(inventory: Inventory, registered: Registered, asked: Asked): LiftPlan {
  const left = new Map<number, Why>()
  const rowsOf = new Map<number, number[]>()
  inventory.routes.forEach((row, number) => {
    const place = registered.rows[number]
    const reason = reasonToStay(row, place && registered.routers[place[0]], isMounted(place?.[0], registered))
    if (reason !== undefined) left.set(number, { reason })
    else rowsOf.set(place![0], [...(rowsOf.get(place![0]) ?? []), number])
  })
  const lifted: Lifted[] = []
  for (const [router, rows] of rowsOf) {
    const planned =
      obstacleOfRows(inventory, registered, rows, left) ?? planRouter(router, registered, asked, lifted)
    if (!isWhy(planned)) lifted.push(planned)
    else for (const row of rows) if (!left.has(row)) left.set(row, planned)
  }
  return { lifted, left }
}

function reasonToStay(
  { kind, own }: RouteRow,
  router: RegisteredRouter | null | undefined,
  isMounted: boolean,
): string | undefined {
  if (kind === 'mount') return 'a function of use is no route'
  // A route of an app that is in front of itself is one of Express all the same.
  if (own.stage === undefined) return 'a Controller answers it already'
  if (!router) return 'where it was registered is not known'
  if (router.kind !== 'app') return undefined
  return isMounted
    ? 'it stands in an app that is mounted, which has settings, locals and X-Powered-By of its own: where nothing sets or reads these, write express.Router() in the place of express()'
    : 'it stands in the app itself, and not in a router'
}

function isMounted(router: number | undefined, { routers }: Registered): boolean {
  return routers.some(({ layers }) => layers.some(({ use }) => use !== undefined && use.leadsTo === router))
}

/** Why a route keeps its router: that route has its own reason, and the others this one. */
function obstacleOfRows(
  { routes }: Inventory,
  { routers, rows: places, nativesAsIs }: Registered,
  rows: readonly number[],
  left: Map<number, Why>,
): Why | undefined {
  for (const number of rows) {
    const { own, mayPass } = routes[number]!
    const [router, layer] = places[number]!
    const { calls, guards } = routers[router]!.layers[layer]!
    const reason =
      own.stage === 'legacy'
        ? 'its handler is one of Express: a native callback comes first'
        : own.stage === 'beside'
          ? 'the handler that its native callback replaces is still there'
          : nativesAsIs.includes(number)
            ? 'it runs handlers of Express, which may pass the request on: native(fromExpress(…))'
            : calls.some(({ isOnRoute }) => isOnRoute)
              ? 'it is registered on what route(path) gives'
              : guards === undefined
                ? 'a function of its call is no guard that a Controller may have'
                : guards === 'body'
                  ? "its body is read after its guards: native(…, { body: 'stream' }) leaves it to a parser before them"
                  : mayPass && 'it may pass the request on'
    if (reason) left.set(number, { reason })
  }
  const stays = rows.find((row) => left.has(row))
  if (stays === undefined) return undefined
  const { method, path } = routes[stays]!
  return { reason: `another route of its router stays: ${method} ${path}` }
}

function planRouter(
  number: number,
  registered: Registered,
  asked: Asked,
  others: readonly Lifted[],
): Lifted | Why {
  const router = registered.routers[number]!
  const { layers, params, obstacle } = router
  const known = obstacle === undefined ? asked.kept.get(number) : { reason: obstacle }
  if (known !== undefined) return known
  const routes = layers.filter(({ isRoute }) => isRoute)
  const uses = layers.filter(({ isRoute }) => !isRoute).map(({ use }) => use)
  const sites = routes.map(({ calls }) => calls.map(({ at }) => at))
  const files = new Set([...sites.flat(), ...uses.flatMap((use) => use?.at ?? [])].map((at) => at?.file))
  const [file] = files
  if (file === undefined) return { reason: 'where it was registered is not known' }
  if (asked.chosen.length > 0 && !asked.chosen.includes(file)) return { reason: notChosen }
  const ofUse = obstacleOfUse(layers)
  if (ofUse !== undefined) return { reason: ofUse }
  if (asked.document !== undefined)
    return {
      reason: `${relative(asked.root, asked.document)} makes an OpenAPI document, and openApi(app) tells of no list`,
    }
  const [param] = params
  if (param !== undefined) return { reason: `its router has a callback of param '${param.name}'` }
  if (sites.some(({ length }) => length !== 1)) return { reason: 'several calls register its route' }
  if (routes.some(({ guards }) => typeof guards !== 'number'))
    return { reason: 'another route of its router stays' }
  if (files.size > 1) return { reason: 'several files register with its router' }
  const isShared = registered.routers.some(
    (other, at) =>
      at !== number && other.layers.some(({ calls }) => calls.some((one) => isSame(one.at, sites[0]![0]))),
  )
  if (isShared) return { reason: 'its file makes several routers' }
  const mounts = registered.routers.flatMap((parent) =>
    parent.layers.flatMap(({ use }) => (use?.leadsTo === number ? [use] : [])),
  )
  const [use] = mounts
  if (use === undefined) return { reason: 'where its router is mounted is not known' }
  if (mounts.length > 1) return { reason: 'its router is mounted at several places' }
  const source = readFrom(file, asked)
  if (isWhy(source)) return source
  const mount = readMount(use, asked)
  if (isWhy(mount)) return mount
  const calls = routes.map(({ calls: [call], guards }) => ({ call: call!, guards: guards as number }))
  const isMount = (reference: Node): boolean => reference === mount.argument
  const read = readRouterFile(source, { calls, useCalls: useCallsOf(uses) }, isMount, asked.read)
  if (isWhy(read)) return read
  for (const { twin } of read.routes) {
    const made = twin && readFrom(twin.exported.source.file, asked)
    if (made !== undefined && isWhy(made))
      return { reason: `where its native callback is made: ${made.reason}` }
  }
  const order = orderObstacle(read.routes, router.caseSensitive)
  if (order !== undefined) {
    const line = lineAt(source, read.routes[order.at]!.call.start)
    return { reason: order.reason, at: { file, line } }
  }
  const why = obstacleOfUses(file, read, mount, asked)
  if (why !== undefined) return why
  const ranges = rangesOfList(read)
  const isMixed = others
    .filter(({ file: other }) => other.source === source)
    .flatMap(({ file: other }) => rangesOfList(other))
    .some(({ start, end }) => ranges.some((one) => start < one.end && one.start < end))
  if (isMixed) return { reason: 'the routes of another router stand between its own' }
  const isCompiled = sites.some(([at]) => at!.isCompiled)
  return { router: number, file: read, isCompiled, mount, options: optionsOf(router) }
}

/** Why functions of `use` keep a router. Guards before all routes become hooks, which run for the same requests. */
function obstacleOfUse(layers: readonly RegisteredLayer[]): string | undefined {
  const firstRoute = layers.findIndex(({ isRoute }) => isRoute)
  const uses = layers.flatMap(({ isRoute, use }, at) => (isRoute ? [] : [{ use, isBehind: at > firstRoute }]))
  if (uses.some(({ use }) => use?.isGuard !== true))
    return 'a function of use of its router is no guard that a list may have'
  if (uses.some(({ use }) => use!.at === undefined))
    return 'where a guard of its router was registered is not known'
  return uses.some(({ isBehind }) => isBehind)
    ? 'a guard of its router stands behind a route, and a list has its guards before all of them'
    : undefined
}

/** The functions of `use` by their calls. */
function useCallsOf(uses: readonly (RegisteredUse | undefined)[]): readonly UseCall[] {
  const calls: { at: Site; places: (readonly number[] | undefined)[] }[] = []
  for (const { at, argument } of uses as readonly RegisteredUse[]) {
    const known = calls.find((one) => isSame(one.at, at))
    if (known === undefined) calls.push({ at: at!, places: [argument] })
    else known.places.push(argument)
  }
  return calls
}

function isSame(one: PlaceOf, other: PlaceOf): boolean {
  return (
    one !== undefined && one.file === other?.file && one.line === other.line && one.column === other.column
  )
}

type PlaceOf = { readonly file: string; readonly line: number; readonly column: number } | undefined

function readFrom(file: string, { project, read, broken }: Asked): SourceFile | Why {
  if (/[\\/]node_modules[\\/]/.test(file)) return { reason: 'it stands in a package' }
  if (!existsSync(file)) return { reason: 'its source is not there' }
  if (!isBelow(project, file)) return { reason: 'its file is outside of this project' }
  const source = read(file)
  if (typeof source === 'string') return { reason: source }
  const failed = brokenIn(source, broken)
  return failed === undefined ? source : { reason: failed }
}

/** What an attempt has failed with, in a file or at one of its calls. */
function brokenIn({ file, program }: SourceFile, broken: Broken): string | undefined {
  if (broken.size === 0) return undefined
  const calls = [...walk(program)].flatMap(({ node }) => calledProperty(node)?.start ?? [])
  return [broken.reasonsOf(file), ...calls.map((call) => broken.reasonsOf(file, call))].flat()[0]
}

function readMount({ at, argument: numbers }: RegisteredUse, asked: Asked): Mount | Why {
  if (at === undefined || numbers === undefined) return { reason: 'where its router is mounted is not known' }
  const source = readFrom(at.file, asked)
  if (isWhy(source)) return { reason: `where its router is mounted: ${source.reason}` }
  const call = source.callAt(at.line, at.column, 'use')
  const argument = call && partOf(call, numbers)
  if (call === undefined || argument === undefined)
    return { reason: 'what mounts its router is no call of use that names it' }
  return { source, call, argument, isCompiled: at.isCompiled }
}

function partOf(call: Node, [first, ...rest]: readonly number[]): Node | undefined {
  let node: Node | null | undefined = argumentsOf(call)[first!]
  for (const at of rest) {
    if (node?.type !== 'ArrayExpression') return undefined
    node = (node['elements'] as readonly (Node | null)[])[at]
  }
  return node ?? undefined
}

/** Why the mount is not all that knows the router. */
function obstacleOfUses(
  file: string,
  read: RouterFile,
  { source, argument, call }: Mount,
  asked: Asked,
): Why | undefined {
  const at = { file: source.file, line: lineAt(source, call.start) }
  const isHere = source.file === file
  if (isHere && (argument.type !== 'Identifier' || argument['name'] !== read.name))
    return { reason: 'its mount does not name its router', at }
  const uses = usesOf(file, read.exported, asked)
  if (isWhy(uses)) return uses
  const other = uses.find(({ node }) => node !== argument)
  if (other !== undefined) {
    const using = asked.read(other.file) as SourceFile
    const line = lineAt(using, other.node.start)
    const name = relative(asked.root, other.file)
    return { reason: `${name} uses its router too`, at: { file: other.file, line } }
  }
  if (!isHere && uses.length === 0) return { reason: 'its mount does not name what its file exports', at }
  const scope = receiverOf(call)
  return scope.type === 'Super' ? { reason: 'its mount is in a class', at } : undefined
}

/** As `Router()` takes them. */
function optionsOf({ strict, caseSensitive, mergeParams }: RegisteredRouter): string {
  const given = Object.entries({ strict, caseSensitive, mergeParams }).filter(([, value]) => value)
  return given.length === 0 ? '' : `{ ${given.map(([name]) => `${name}: true`).join(', ')} }`
}
