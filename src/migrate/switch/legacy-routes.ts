// Which Controllers have a route in the legacy app, and which of its routes have no Controller.
import { isController, type RunnableController } from '../../controller.js'
import { isApp, isRouter } from '../express-router.js'
import { findWitness, reachableIn } from '../routes.js'
import { type Described, LayerIndex, takenBy, trace } from '../trace.js'

/** What a legacy app has, as far as its routes can be read. */
export interface LegacyRoutes {
  /** Whether the app has a route that a request for the Controller would meet. */
  has(controller: RunnableController): boolean
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
  { engine, owner, controllers }: Described,
  mount: string,
): LegacyRoutes | undefined {
  if (!isApp(legacy) && !isRouter(legacy)) return undefined
  // The app may lead here itself. What it answers by other Controllers, as those of routers that `move` has written, it has.
  const isOurs = (route: unknown): boolean => isController(route) && controllers.includes(route)
  const index = new LayerIndex()
  const noPath = (): undefined => undefined
  const serving = Object.defineProperty(() => {}, Symbol.for('routecontrollers.serving'), {
    value: { fetchHandler },
  })
  const found = new Set<unknown>()
  for (const live of reachableIn(serving, noPath).routes) {
    if (!isController(live.route)) continue
    const { url, method } = findWitness(serving, live, index)
    if (url === undefined) continue
    const isThere = trace(legacy, method, mount + url, index, owner).some(
      ({ route, isLast }) => isLast === true && route !== undefined && !isOurs(route),
    )
    if (isThere) found.add(live.route)
  }
  const only = new Set<string>()
  for (const live of reachableIn(legacy, noPath).routes) {
    if (isOurs(live.route)) continue
    const { url, method } = findWitness(legacy, live, index, owner)
    const own = url?.startsWith(mount) === true ? url.slice(mount.length) || '/' : undefined
    if (own === undefined || !engine.takes(method, own)) only.add(`${live.method} ${live.path}`)
  }
  return { has: (controller) => found.has(controller), only: [...only] }
}

/** True for a Controller that stands for a route of an app: there is nothing to switch. */
export function isTakenOver(controller: RunnableController): boolean {
  return takenBy(controller) !== undefined
}
