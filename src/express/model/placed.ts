// Where a native callback stands: in which routes of Express, and for which of their methods.
import type { RunnableController } from '../../define/controller.js'
import { findBuiltin } from '../../ground/builtin.js'
import { RouteControllersError } from '../../ground/errors.js'
import { createNote } from '../../ground/introspection-key.js'
import { matchedRouteOf } from '../../request/matched-route.js'
import type { Switch } from '../../run/engine.js'
import { parsePattern } from '../../routing/pattern.js'
import { type Handle, handleOf, type Layer, layersFor, type Route } from './layer.js'
import { methodsOf } from './methods.js'
import { routerBehind } from './mounted-app.js'
import { expressPath } from './path.js'

/** A native callback in one route, for one of its methods or for `all`. */
export class Place {
  /** What it runs. Its path is that of the route alone: a router does not know where it is mounted. */
  readonly controller: RunnableController
  /** The `req.route` of the callback: Express's own, with the members that it has everywhere. */
  readonly shownRoute: Route
  #switched: Switched | undefined
  #switch: { readonly by: NativeSwitch; readonly one: Switch } | undefined
  #hasAsked = false

  constructor(route: Route, method: string, given: Pick<RunnableController, 'callback' | 'options'>) {
    const controller = { method, pattern: parsePattern(expressPath(route.path)), middleware: [], ...given }
    this.controller = controller
    const members = Object.getOwnPropertyDescriptors(matchedRouteOf(controller))
    this.shownRoute = Object.freeze(Object.create(route, members) as Route)
  }

  /**
   * Decides whether the callback takes a request; undefined where it takes all. It is that of the app that has the request, or of an app
   * around it.
   */
  switchIn(app: unknown): Switch | undefined {
    const switched = switchedAround(app) ?? this.#switched ?? this.#ask()
    if (switched === undefined) return undefined
    const { current } = switched
    if (this.#switch?.by !== current) this.#switch = { by: current, one: current.place(this) }
    return this.#switch.one
  }

  /** Notes in which app it is: one that is mounted in a Router does not know what is around it. */
  isIn(switched: Switched): void {
    this.#switched = switched
  }

  #ask(): Switched | undefined {
    // What reads its app later finds this place all the same.
    if (this.#hasAsked || !asking?.hasSubscribers) return undefined
    this.#hasAsked = true
    asking.publish(this)
    return this.#switched
  }
}

/** The places of what one call of `native` has made. One handler may stand in several routes. */
export class Places {
  readonly #given: Pick<RunnableController, 'callback' | 'options'>
  readonly #ofRoutes = new WeakMap<Route, Known>()

  constructor(given: Pick<RunnableController, 'callback' | 'options'>) {
    this.#given = given
  }

  /** Its place in a route for requests of a method; undefined where it does not stand there. */
  find(route: Route | undefined, method: string): Place | undefined {
    if (route === undefined) return undefined
    const { places } = this.#read(route)
    // A handler before it may have replaced the method since the route was chosen.
    if (places.size === 1) return places.values().next().value
    // Express gives a HEAD request to what answers GET.
    return places.get(method) ?? (method === 'HEAD' ? places.get('GET') : undefined) ?? places.get('*')
  }

  /**
   * Its place in an app, where it stands in one route there. A Router among the handlers before it leaves a route of its own on the request,
   * and nothing else says which one this is.
   */
  findIn(app: unknown, method: string): Place | undefined {
    const routes = new Set(this.#routesIn(app, new Set()))
    return routes.size === 1 ? this.find(routes.values().next().value, method) : undefined
  }

  #routesIn(one: unknown, seen: Set<object>): readonly Route[] {
    const router = routerBehind(one)
    if (!router || seen.has(router)) return []
    seen.add(router)
    return router.stack.flatMap((layer) => {
      const { route } = layer
      if (route === undefined) return this.#routesIn(handleOf(layer), seen)
      const handles = route.stack.map(handleOf)
      const own = handles.some((handle) => placesOf(handle) === this) ? [route] : []
      return [...own, ...handles.flatMap((handle) => this.#routesIn(handle, seen))]
    })
  }

  /** Its place behind one layer of a route. */
  at(route: Route, layer: Layer): Place {
    return this.#read(route).places.get(methodOf(route, layer))!
  }

  #read(route: Route): Known {
    let known = this.#ofRoutes.get(route)
    const { stack } = route
    if (known?.layers === stack.length) return known
    const places = known?.places ?? new Map<string, Place>()
    for (const layer of stack) {
      const method = methodOf(route, layer)
      if (placesOf(handleOf(layer)) !== this || places.has(method)) continue
      places.set(method, new Place(route, method, this.#given))
    }
    known = { layers: stack.length, places }
    this.#ofRoutes.set(route, known)
    return known
  }
}

/** The places in a route, by their methods, and how many layers it had when they were read. */
interface Known {
  readonly layers: number
  readonly places: Map<string, Place>
}

/** `route.all` registers a handler once, without a method. `app.all` of version 4 registers it for each method that there is. */
function methodOf(route: Route, { method }: Layer): string {
  if (method === undefined) return '*'
  return !route.methods['_all'] && methodsOf(route)[0] === '*' ? '*' : method.toUpperCase()
}

/** What decides for the native callbacks in an app and in those that are mounted in it. */
export interface NativeSwitch {
  /** Gives a place its switch. It is asked once for each place, when its first request comes. */
  place(place: Place): Switch
  /** Reads the app, and tells each place of it by `isIn` where it is. */
  read(): void
}

/** Who decides for the native callbacks of an app, or did last. */
export interface Switched {
  readonly current: NativeSwitch
}

interface Switching extends Switched {
  current: NativeSwitch
  hasLeft: boolean
}

/** Has each migration of the process read its app again. A channel, because ESM and CommonJS each have a copy of this package. */
const asking = findBuiltin('node:diagnostics_channel')?.channel('routecontrollers.native')

const switchNote = createNote<Switching>('native-switch')

function switchedAround(app: unknown): Switched | undefined {
  for (
    let one = app;
    typeof one === 'function' || isObject(one);
    one = (one as { parent?: unknown }).parent
  ) {
    const switched = switchNote.read(one)
    if (switched !== undefined) return switched
  }
  return undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Has a switch decide for the native callbacks of an app from now on. Throws ERR_MIGRATION_EXISTS where another one does that has not left.
 *
 * `leave` has it leave: another one may then take its place. Until one does, it goes on to decide.
 */
export function switchNatives(app: object, one: NativeSwitch): { switched: Switched; leave: () => void } {
  const known = switchNote.read(app)
  if (known !== undefined && !known.hasLeft) {
    throw new RouteControllersError(
      'ERR_MIGRATION_EXISTS',
      'migration: this app has a migration already; close it first, or use it',
    )
  }
  const switched = known ?? { current: one, hasLeft: false }
  Object.assign(switched, { current: one, hasLeft: false })
  if (known === undefined) switchNote.write(app, switched)
  const read = (): void => one.read()
  asking?.subscribe(read)
  const leave = (): void => {
    asking?.unsubscribe(read)
    if (switched.current === one) switched.hasLeft = true
  }
  return { switched, leave }
}

/**
 * Has one decide for the native callbacks of an app from now on, whatever a migration has set: for tools that run an app to compare what
 * its sides answer. A place whose app is not known asks on the channel, and is told the same, until what is given is called.
 */
export function decideNatives(apps: Iterable<object>, one: NativeSwitch): () => void {
  const switched: Switching = { current: one, hasLeft: false }
  for (const app of apps) {
    const known = switchNote.read(app)
    if (known === undefined) switchNote.write(app, switched)
    else known.current = one
  }
  const tell = (place: unknown): void => (place as Place).isIn(switched)
  asking?.subscribe(tell)
  return () => void asking?.unsubscribe(tell)
}

const note = createNote<Places>('native', true)

/** Notes on a handler of Express that it is a native callback. */
export function withPlaces<F extends object>(handle: F, places: Places): F {
  return note.write(handle, places)
}

/** Undefined for any other handler. */
export function placesOf(handle: object): Places | undefined {
  return note.read(handle)
}

/** A native callback in a route that something serves. */
export interface PlacedNative {
  readonly place: Place
  /** What it runs, with the whole path of the route as it was written. */
  readonly controller: RunnableController
  /** The handlers of the route that run before it and, where it passes a request on to legacy, behind it. */
  readonly before: readonly Handle[]
  readonly behind: readonly Handle[]
}

/** A route that something serves, as `reachableIn` gives it. */
interface Served {
  readonly route: Route | RunnableController
  readonly method: string
  readonly path: string
}

/** The native callbacks among the handlers of a route, for requests of one method. */
export function nativesOf({ route, method, path }: Served): readonly PlacedNative[] {
  if (!('stack' in route)) return []
  const layers = layersFor(route, method)
  return layers.flatMap((layer, at) => {
    const place = placesOf(handleOf(layer))?.at(route, layer)
    if (place === undefined) return []
    const [before, behind] = [layers.slice(0, at), layers.slice(at + 1)].map((some) => some.map(handleOf))
    const controller = { ...place.controller, method, pattern: parsePattern(expressPath(path)) }
    return { place, controller, before: before!, behind: behind! }
  })
}
