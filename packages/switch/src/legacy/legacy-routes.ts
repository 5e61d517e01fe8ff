// Which Controllers have a route in the legacy app, and which of its routes have no Controller.
import {
  type Description,
  isController,
  type RunnableController,
  standForHandler,
} from 'routecontrollers/introspection'
import type { App } from 'routecontrollers/express-model'
import { handleOf, appOf, isApp, isRouter, type Layer, matchLayer } from 'routecontrollers/express-model'
import {
  findMountWitness,
  findWitness,
  isOfMount,
  type LiveRoute,
  reachableIn,
} from 'routecontrollers/express-model'
import {
  isMarked,
  LayerIndex,
  type Step,
  takenBy,
  takenRoute,
  trace,
  traceBehind,
} from 'routecontrollers/express-model'

/** What a legacy app has, as far as its routes can be read. */
export interface LegacyRoutes {
  /** Whether the app has a route that a request for the Controller would meet, or a function of `use` below a path of its own. */
  has(controller: RunnableController): boolean
  /** Controllers for which it has such a function, and no route. */
  readonly byMount: ReadonlySet<RunnableController>
  /** The mounted apps that lead to the route in place of which a Controller stands, the outermost first. */
  appsOf(controller: RunnableController): readonly App[]
  /** Routes that no Controller takes. */
  readonly only: readonly string[]
}

/**
 * Reads the routes of an app of Express; undefined where it is something else. No handler is called.
 *
 * `mount` is the path that the Controllers stand at inside of the app.
 */
export function readLegacyRoutes(
  legacy: unknown,
  fetchHandler: object,
  { engine, owner, controllers }: Description,
  mount: string,
): LegacyRoutes | undefined {
  if (!isApp(legacy) && !isRouter(legacy)) return undefined
  // The app may lead here itself. What it answers by other Controllers, as those of routers that `move` has written, it has.
  const isOurs = (route: unknown): boolean => isController(route) && controllers.includes(route)
  const index = new LayerIndex()
  const noPath = (): undefined => undefined
  const serving = standForHandler(fetchHandler)
  /** Of an app that was taken over. */
  const taken = new Map<unknown, RunnableController[]>()
  for (const one of controllers.filter(isTakenOver)) {
    const route = takenRoute(one)
    taken.set(route, [...(taken.get(route) ?? []), one])
  }
  const standingFor = ({ method, route }: LiveRoute): readonly RunnableController[] =>
    isController(route)
      ? [route]
      : (taken.get(route) ?? []).filter((one) => [one.method, '*'].includes(method))
  const byRoute = new Set<unknown>()
  const byMount = new Set<RunnableController>()
  const apps = new Map<unknown, readonly App[]>()
  /** A request for each Controller. */
  const witnesses = new Map<RunnableController, { readonly url: string; readonly method: string }>()
  for (const live of reachableIn(serving, noPath).routes) {
    const standing = standingFor(live)
    if (standing.length === 0) continue
    const { url, method } = findWitness(serving, live, index)
    if (url === undefined) continue
    const there = trace(legacy, method, mount + url, index, owner).find(
      ({ route, isLast }) => isLast === true && route !== undefined && !isOurs(route),
    )
    // Inside of the app, whatever stands before has passed the request on.
    const isByMount = traceBehind(legacy, method, mount + url, index, owner).some(isBelowOwnPath)
    for (const controller of standing) {
      witnesses.set(controller, { url, method })
      if (there !== undefined) {
        byRoute.add(controller)
        apps.set(controller, there.through.flatMap(appIn))
      }
      if (isByMount) byMount.add(controller)
    }
  }
  /** A path of the app as the Controllers get it. */
  const ownPath = (url: string | undefined): string | undefined =>
    url?.startsWith(mount) === true ? url.slice(mount.length) || '/' : undefined
  /** The Controller that takes a request: that of a wide pattern takes paths of the app that its own witness does not show. */
  const takerOf = (method: string, own: string): RunnableController | undefined =>
    trace(serving, method, own, index).find(({ route }) => isOurs(route))?.route as
      RunnableController | undefined
  const only = new Set<string>()
  const { routes, mounts } = reachableIn(legacy, noPath)
  for (const live of routes) {
    if (isOurs(live.route)) continue
    const { url, method } = findWitness(legacy, live, index, owner)
    const own = ownPath(url)
    if (own === undefined || !engine.takes(method, own)) only.add(`${live.method} ${live.path}`)
    else byRoute.add(takerOf(method, own))
  }
  const isTaker = (controller: RunnableController, method: string, own: string): boolean =>
    engine.takes(method, own) && takerOf(method, own) === controller
  for (const live of mounts) {
    if (!live.through.some(hasOwnPath)) continue
    const { url, method } = findMountWitness(legacy, live, index)
    const own = ownPath(url)
    if (own === undefined) continue
    const isBehind = (asked: string, path: string): boolean =>
      traceBehind(legacy, asked, mount + path, index, owner).some((step) => isOfMount(live, step))
    const taker = engine.takes(method, own) ? takerOf(method, own) : undefined
    if (taker !== undefined && isBehind(method, own)) byMount.add(taker)
    // Params may take the path of the mount, and what stands behind them a path below it.
    for (const [controller, witness] of witnesses) {
      if (byMount.has(controller) || byRoute.has(controller)) continue
      const below = withSegments(witness.url, own, (path) => isTaker(controller, witness.method, path))
      if (below !== witness.url && isBehind(witness.method, below)) byMount.add(controller)
    }
  }
  for (const one of byMount) if (byRoute.has(one)) byMount.delete(one)
  return {
    has: (controller) => isOfLegacy(controller, legacy) || byRoute.has(controller) || byMount.has(controller),
    byMount,
    appsOf: (controller) => apps.get(controller) ?? [],
    only: [...only],
  }
}

/** A path with the segments of another one, wherever it is still one of the same Controller. */
function withSegments(path: string, other: string, isSame: (path: string) => boolean): string {
  const segments = path.split('/')
  const others = other.split('/')
  for (let at = 1; at < Math.min(segments.length, others.length); at++) {
    const [own] = segments.splice(at, 1, others[at]!)
    if (!isSame(segments.join('/'))) segments[at] = own!
  }
  return segments.join('/')
}

function appIn(layer: Layer): readonly App[] {
  if (layer.route !== undefined) return []
  const handle: unknown = handleOf(layer)
  const app: unknown = appOf(handle)
  return isApp(app) ? [app] : []
}

/** True for a function of `use` that a request meets below some path: it may answer what no route does. */
function isBelowOwnPath({ kind, through }: Step): boolean {
  return kind === 'middleware' && through.some(hasOwnPath)
}

/** No path of an app, so that what takes it takes every path. */
const anyPath = '/routecontrollers-any/path/of-all'

/** True for a mount that does not stand at `/`, or at a pattern of all paths. */
function hasOwnPath(layer: Layer): boolean {
  if (layer.route !== undefined || isMarked(layer)) return false
  const match = matchLayer(layer, anyPath)
  return match === undefined || !['', '/', anyPath].includes(match.path)
}

/** True for what was made of the legacy app itself, and for what answers requests of no route, as any app does. */
function isOfLegacy(controller: RunnableController, legacy: unknown): boolean {
  const app = takenBy(controller)
  return app !== undefined && (app === legacy || controller.pattern.source === '*')
}

/** True for a Controller that stands for a route of an app, which has what it adds to answers itself. */
export function isTakenOver(controller: RunnableController): boolean {
  return takenBy(controller) !== undefined
}
