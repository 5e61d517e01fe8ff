// Where each route of an inventory stands on its road, and what leads it on.
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { Registered, RegisteredLayer, RegisteredRouter } from '../documents/registered.js'
import type { NextStep, Stand, StatusReport, StatusRow } from '../documents/status.js'
import { narrowest } from '../../../compare/src/route-keys.js'
import type { StoredStates } from '../entry/stored-states.js'

/** The share of clients that a canary begins with. */
const firstShare = 'canary 5%'

/** Files of routers, by the routes in them. */
type Files = ReadonlyMap<RouteRow, string>

/** What is known of routes besides their rows. */
interface Facts {
  /** The files that `lift` takes. */
  readonly lifts?: Files
  /** Those whose native callback or Controller runs a handler of Express. */
  readonly asIs?: ReadonlySet<RouteRow>
  /** Those that a package registers. */
  readonly kept?: ReadonlySet<RouteRow>
  /** Those that the same call registers. */
  readonly together?: ReadonlyMap<RouteRow, readonly RouteRow[]> | undefined
  /** What builds the entry. */
  readonly run?: string | undefined
}

/** Without states it is not known who answers a route that has both. */
export function statusOf(
  { routes }: Inventory,
  states: StoredStates['states'] | undefined,
  { lifts = new Map(), asIs = new Set(), kept = new Set(), together = new Map(), run }: Facts = {},
): StatusReport {
  const rows = routes.filter((row) => row.kind === 'route')
  const inFront = new Set(rows.filter(isController).map(placeOf))
  const isCopy = (row: RouteRow): boolean => !isController(row) && inFront.has(placeOf(row))
  const copies = new Set(rows.filter(isCopy).map(placeOf))
  const used = new Set<string>()
  const stands = rows
    .filter((row) => !isCopy(row))
    .map((row) => {
      const isSwitched = row.own.stage === 'beside' || copies.has(placeOf(row))
      const key = isSwitched && states !== undefined ? narrowest(Object.keys(states), nameOf(row)) : undefined
      if (key !== undefined) used.add(key)
      const stand = standOf(row, isSwitched, states, key)
      return { row, ...stand, stands: stand.stands === 'lifted' && asIs.has(row) ? 'as-is' : stand.stands }
    })
  const natives = new Set(stands.flatMap(({ row, stands: at }) => (at === 'native' ? [row] : [])))
  const told = stands.map(({ row, stands: at, state }): StatusRow => ({
    app: row.app,
    method: row.method,
    path: row.path,
    stands: at,
    state,
    passes: row.passes.filter(({ kind }) => kind !== 'error').length,
    at: row.own.at,
    next:
      at === 'legacy' && kept.has(row)
        ? { by: 'keep', route: nameOf(row) }
        : at === 'native' && row.own.stage === 'beside'
          ? retireOf(row, together.get(row) ?? [], natives)
          : nextOf(row, at, lifts.get(row), asIs.has(row)),
  }))
  const counts = { legacy: 0, beside: 0, shadow: 0, canary: 0, native: 0, retired: 0, 'as-is': 0, lifted: 0 }
  for (const { stands: at } of told) counts[at]++
  const unused = Object.keys(states ?? {}).filter((key) => !used.has(key) && !key.startsWith('//'))
  return { version: 1, run, counts, routes: told, unused }
}

/** The routes of routers in which native callbacks stand with nothing but guards, each with the file that has them. */
export function liftedFrom({ routes }: Inventory, registered: Registered | undefined): Files {
  const files = new Map<RouteRow, string>()
  const { routers, rows: places } = registered ?? { routers: [], rows: [] }
  const fileOf = ({ kind, layers }: RegisteredRouter): string | undefined => {
    const own = new Set(layers.flatMap(({ calls }) => calls.map(({ at }) => at?.file)))
    const firstRoute = layers.findIndex(({ isRoute }) => isRoute)
    const isLifted = ({ isRoute, guards, use }: RegisteredLayer, at: number): boolean =>
      isRoute ? typeof guards === 'number' : use?.isGuard === true && at < firstRoute
    const isNative = kind === 'router' && layers.every(isLifted)
    return isNative && own.size === 1 ? [...own][0] : undefined
  }
  const byRouter = routers.map(fileOf)
  routes.forEach((row, at) => {
    const [router] = places[at] ?? []
    const file = router === undefined ? undefined : byRouter[router]
    if (file !== undefined && !/[\\/]node_modules[\\/]/.test(file)) files.set(row, file)
  })
  return files
}

/** The routes in which what answers is `native(fromExpress(handler))`, or a Controller with `fromExpress(handler)`. */
export function asIsIn({ routes }: Inventory, registered: Registered | undefined): ReadonlySet<RouteRow> {
  const { nativesAsIs = [], runsHandlers = [] } = registered ?? {}
  const rows = new Set([...nativesAsIs, ...runsHandlers])
  return new Set(routes.filter((_row, at) => rows.has(at)))
}

const nameOf = ({ method, path }: RouteRow): string => `${method} ${path}`
const placeOf = (row: RouteRow): string => `${row.app} ${nameOf(row)}`

/** True for a Controller of the user's own: one that `toControllers` has made is a route of the app. */
function isController({ own }: RouteRow): boolean {
  return own.stage === undefined
}

function standOf(
  { own: { stage } }: RouteRow,
  isSwitched: boolean,
  states: StoredStates['states'] | undefined,
  key: string | undefined,
): Pick<StatusRow, 'stands' | 'state'> {
  if (stage === 'legacy' || stage === 'native') {
    return { stands: stage === 'legacy' ? 'legacy' : 'retired', state: undefined }
  }
  if (!isSwitched) return { stands: 'lifted', state: undefined }
  if (states === undefined) return { stands: 'beside', state: undefined }
  // What has both begins at legacy.
  const state = key === undefined ? 'legacy' : states[key]!.trim()
  const kind = /^(legacy|shadow|canary|native)(?![a-z])/.exec(state)?.[1]
  return { stands: kind === undefined || kind === 'legacy' ? 'beside' : (kind as Stand), state }
}

/** A shadow copies nothing that writes. */
function isCopied({ method }: RouteRow): boolean {
  return ['GET', 'HEAD', '*'].includes(method)
}

/** Routes that one call registers have one handler, which goes once all of them are native. */
function retireOf(
  row: RouteRow,
  together: readonly RouteRow[],
  natives: ReadonlySet<RouteRow>,
): NextStep | undefined {
  if (!together.every((one) => natives.has(one))) return undefined
  const route = nameOf(row)
  const also = [...new Set(together.map(nameOf))].filter((one) => one !== route)
  return { by: 'retire', route, ...(also.length > 0 && { also }) }
}

function nextOf(
  row: RouteRow,
  stands: Stand,
  file: string | undefined,
  isAsIs: boolean,
): NextStep | undefined {
  const route = nameOf(row)
  switch (stands) {
    case 'legacy':
      return { by: row.own.followed ? 'split' : 'move', route }
    case 'beside':
      if (isAsIs) return { by: 'brief', route }
      return { by: 'set', route, state: isCopied(row) ? 'shadow' : firstShare, isProvedFirst: true }
    case 'shadow':
      return { by: 'set', route, state: firstShare }
    case 'canary':
      return { by: 'set', route, state: 'native' }
    case 'native':
      // In front of an app there is no handler behind it in its route.
      return { by: 'delete', route }
    case 'retired':
      if (isAsIs) return { by: 'brief', route }
      return file === undefined ? undefined : { by: 'lift', route, file }
    case 'as-is':
      return { by: 'brief', route }
    case 'lifted':
      return undefined
  }
}
