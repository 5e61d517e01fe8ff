// Where a native callback stands: in which routes of Express, and for which of their methods.
import type { RunnableController } from '../../define/controller.js'
import { RouteControllersError } from '../../ground/errors.js'
import { createNote } from '../../ground/introspection-key.js'
import { matchedRouteOf } from '../../request/matched-route.js'
import type { Switch } from '../../run/engine.js'
import { parsePattern } from '../../routing/pattern.js'
import { type Handle, handleOf, type Layer, layersFor, type Route } from './layer.js'
import { expressPath } from './path.js'
import type { LiveRoute } from './routes.js'

/** A native callback in one route, for one of its methods or for `all`. */
export class Place {
  /** What it runs. Its path is that of the route alone: a router does not know where it is mounted. */
  readonly controller: RunnableController
  /** The `req.route` of the callback: Express's own, with the members that it has everywhere. */
  readonly shownRoute: Route
  #switch: { readonly by: NativeSwitch; readonly one: Switch } | undefined

  constructor(route: Route, method: string, given: Pick<RunnableController, 'callback' | 'options'>) {
    const controller = { method, pattern: parsePattern(expressPath(route.path)), middleware: [], ...given }
    this.controller = controller
    const members = Object.getOwnPropertyDescriptors(matchedRouteOf(controller))
    this.shownRoute = Object.freeze(Object.create(route, members) as Route)
  }

  /**
   * Decides whether the callback takes a request; undefined where it takes all. It is that of the app that has the request, or of an app
   * that this one is mounted in.
   */
  switchIn(app: unknown): Switch | undefined {
    for (
      let one = app;
      typeof one === 'function' || isObject(one);
      one = (one as { parent?: unknown }).parent
    ) {
      const by = switchNote.read(one)?.current
      if (by === undefined) continue
      if (this.#switch?.by !== by) this.#switch = { by, one: by.place(this) }
      return this.#switch.one
    }
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
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

  /** Its place behind one layer of a route. */
  at(route: Route, layer: Layer): Place {
    return this.#read(route).places.get(methodOf(layer))!
  }

  #read(route: Route): Known {
    let known = this.#ofRoutes.get(route)
    const { stack } = route
    if (known?.layers === stack.length) return known
    const places = known?.places ?? new Map<string, Place>()
    for (const layer of stack) {
      const method = methodOf(layer)
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

/** Version 4 registers what `all` was given once, without a method, as version 5 does. */
function methodOf({ method }: Layer): string {
  return method === undefined ? '*' : method.toUpperCase()
}

/** What decides for the native callbacks in an app and in those that are mounted in it. */
export interface NativeSwitch {
  /** Gives a place that has no switch its own. It is asked once for each place, when its first request comes. */
  place(place: Place): Switch
}

interface NativeSwitched {
  current: NativeSwitch
  hasLeft: boolean
}

const switchNote = createNote<NativeSwitched>('native-switch')

/**
 * Has a switch decide for the native callbacks of an app from now on. Throws ERR_MIGRATION_EXISTS where another one does that has not left.
 *
 * The function that this gives has the switch leave: another one may then take its place. Until one does, it goes on to decide.
 */
export function switchNatives(app: object, one: NativeSwitch): () => void {
  const known = switchNote.read(app)
  if (known !== undefined && !known.hasLeft) {
    throw new RouteControllersError(
      'ERR_MIGRATION_EXISTS',
      'migration: this app has a migration already; close it first, or use it',
    )
  }
  const switched = known ?? switchNote.read(switchNote.write(app, { current: one, hasLeft: false }))!
  switched.current = one
  switched.hasLeft = false
  return () => {
    if (switched.current === one) switched.hasLeft = true
  }
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

/** The native callbacks among the handlers of a route, for requests of one method. */
export function nativesOf({ route, method, path }: LiveRoute): readonly PlacedNative[] {
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
