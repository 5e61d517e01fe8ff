import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Done,
  type ExpressVersion,
  type Handle,
  isNamedAsRouter,
  type Layer,
  restOf,
  type Route,
  unwrap,
} from './layer.js'
import { RouteControllersError } from '../../ground/errors.js'
import { Matching } from './matching.js'
import { methodsOf } from './methods.js'
import { routerBehind } from './mounted-app.js'
import { routerPrototype } from './own-router.js'
import { type ExpressPath, isRegExp, showPath } from './path.js'
import { isThroughControllers } from './passage.js'
import { PathIndex, plainPath } from './path-index.js'
import { type Router, versionOf } from './router.js'
import { pathOfLayer, shapeOfLayer } from './shape.js'
import { controllerOf } from './stands-for.js'

/** One route of a router, or of one in it at any depth. */
export interface RouteEntry {
  readonly route: Route
  /** The whole path, as it is shown. */
  readonly path: string
  /** The same, each of several where a list of paths was registered. */
  readonly paths: readonly string[]
}

/** A layer that cannot be read, and where it stands. */
interface Opaque {
  readonly name: string
  readonly path: string
  readonly reason: string
}

type Params = Record<string, string>
type NodeHandle = (req: IncomingMessage, res: ServerResponse, next: Done) => unknown

/** Gets a route that a path reaches, with the params on the way there if they are needed. Returns true to stop. */
type See = (entry: RouteEntry, params: Params | undefined, isMalformed: boolean) => boolean

/** Gets the route that a request has reached, and what runs it. */
type AtRoute = (route: Route, run: () => void) => void

const watchedRequests = new WeakMap<IncomingMessage, AtRoute>()

/** From now on `atRoute` gets each route that a request reaches, unless a wrapped router leads to it. */
export function watchRoutes(req: IncomingMessage, atRoute: AtRoute): void {
  watchedRequests.set(req, atRoute)
}

/** A layer of a router, and what stands behind it. */
interface Place {
  readonly layer: Layer
  /** The path of the registration; undefined where it is unknown. */
  readonly path: ExpressPath | undefined
  /** The route of the layer, or those of the router behind. */
  readonly routes: readonly RouteEntry[]
  /** The router behind, where its routes can be seen. */
  readonly inner: View | undefined
  /** Its expressions that go on where their last match has ended (`/x/g`): to look for a route is not to count as a match. */
  readonly stateful: readonly RegExp[] | undefined
  /** True where something else runs instead of the layer. */
  readonly isReplaced: boolean
  /** What runs instead of the layer: for a router a copy that runs only the layers that a request can match. */
  readonly runs: Layer
}

/** The layers of a router that a path can match. */
interface Choice {
  /** The positions of the layers in order, then that behind the last where some are left out there. Undefined for the whole stack. */
  readonly chosen: readonly number[] | undefined
  /** Those that lead to routes. */
  readonly places: readonly Place[]
}

/** The layers for watched requests, each by what runs for others. */
type Watching = ReadonlyMap<Layer, Layer>

interface Around {
  readonly path: string
  readonly paths: readonly string[]
  readonly above: readonly Router[]
  readonly opaque: Opaque[]
  /** One for each router whose routes are known. */
  readonly watched: Map<Router, HasChanged>
  /** Whether a request has met a router that has changed. */
  readonly met: { change: boolean }
}

/**
 * A router as it was when it was read, to any depth. It finds the routes that a path reaches, and runs the layers that the path
 * can match.
 */
export class View {
  /** In their order, with those of wrapped routers and of mounted apps. */
  readonly routes: readonly RouteEntry[]
  /** Layers that may have more routes and do not show them. */
  readonly opaque: readonly Opaque[]
  readonly places: readonly Place[]
  readonly #router: Router
  readonly #read: Read
  readonly #version: ExpressVersion
  readonly #choices: PathIndex<Choice>
  /** Those of this router, and of the one behind it that has the most. */
  readonly mostLayers: number
  readonly #watched: Around['watched']
  readonly #hasChanged: HasChanged
  readonly #met: Around['met']
  /** What runs for watched requests instead of the layers. Made when the first such request arrives. */
  #watching: Watching | undefined

  /** `stack` is the router's own, or one in its place. */
  constructor(router: Router, stack: readonly Layer[] = router.stack, around: Around = createAround()) {
    const prototype = routerPrototype(router)
    const version = versionOf(router)
    const within = { ...around, above: [...around.above, router] }
    this.#hasChanged = watch(router)
    this.#met = around.met
    around.watched.set(router, this.#hasChanged)
    this.#router = router
    this.#version = version
    this.#watched = around.watched
    this.opaque = around.opaque
    this.places = stack.map((layer) => placeOf(layer, version, prototype, within))
    this.#read = {
      places: this.places,
      isOwn: stack === router.stack,
      layers: [...stack],
      ...positionsOf(stack, router.stack),
    }
    this.routes = this.places.flatMap(({ routes }) => routes)
    this.mostLayers =
      stack.length + this.places.reduce((most, { inner }) => Math.max(most, inner?.mostLayers ?? 0), 0)
    const shapes = stack.map((layer) => shapeOfLayer(version, layer))
    this.#choices = new PathIndex(shapes, (chosen) => this.#choose(chosen))
  }

  /** True once a router, this one or one behind it, is no longer what it was. */
  isStale(isStrict: boolean): boolean {
    for (const hasChanged of this.#watched.values()) if (hasChanged(isStrict)) return true
    return false
  }

  /** True once this router is no longer what it was, or a request has entered one behind it that is not. */
  get hasMetChange(): boolean {
    return this.#met.change || this.#hasChanged(false)
  }

  #choose(chosen: readonly number[]): Choice {
    const { places } = this
    const some = chosen.map((at) => places[at]!)
    const leading = some.filter(({ routes }) => routes.length > 0)
    const isWhole =
      this.#read.isOwn && some.length === places.length && !some.some(({ isReplaced }) => isReplaced)
    // Express ends a request later where the last layer has passed it on, and at once where it has found no other.
    const isToItsEnd = places.length > 0 && chosen.at(-1) === places.length - 1
    const items = isToItsEnd ? chosen : [...chosen, places.length]
    return { chosen: isWhole ? undefined : items, places: leading }
  }

  /**
   * Runs Express's own `Router#handle`, on a copy of the stack that holds only the layers that the request can match.
   *
   * A layer that cannot be read is chosen. The method is never considered, because a middleware may rewrite it.
   */
  run(req: IncomingMessage, res: ServerResponse, done: Done): void {
    const path = plainPath(req.url)
    const chosen =
      path !== undefined ? this.#choices.of(path).chosen : this.#read.isOwn ? undefined : this.#all()
    const watching = watchedRequests.has(req) ? this.#watchingLayers() : undefined
    if (chosen === undefined && watching === undefined) {
      return this.#router.handle(req, res, (signal) => done(outwards(signal)))
    }
    const pace = new Pace(this.#router.stack, path, chosen ?? this.#all(), this.#read, watching)
    this.#go(pace, req, res, done)
  }

  /** Runs a router behind another one. One that is no longer what it was runs as it is now, by Express alone. */
  runBehind(req: IncomingMessage, res: ServerResponse, done: Done): void {
    if (!this.#hasChanged(false)) return this.run(req, res, done)
    this.#met.change = true
    this.#router.handle(req, res, (signal) => done(outwards(signal)))
  }

  #go(pace: Pace, req: IncomingMessage, res: ServerResponse, done: Done): void {
    withStack(this.#router, pace.stack).handle(req, res, (signal) => {
      // Not after `next('router')`, which gives null, nor with an error.
      if (signal === undefined && pace.hasMore) this.#go(pace.goingOn(), req, res, done)
      else done(outwards(signal))
    })
  }

  #all(): readonly number[] {
    return [...this.places.keys()]
  }

  #watchingLayers(): Watching {
    return (this.#watching ??= new Map(this.places.map(({ layer, runs }) => [layer, watchingLayer(runs)])))
  }

  /**
   * Shows the routes that a path reaches, by Express's own matchers and in their order, until `see` has seen enough. With `outer`,
   * their params are added to those.
   */
  reach(path: string, see: See, outer?: Params): boolean {
    for (const { layer, routes, inner, stateful } of this.#choices.of(path).places) {
      let match: unknown
      const positions = stateful?.map(({ lastIndex }) => lastIndex)
      try {
        match = layer.match(path)
        stateful?.forEach((expression, at) => (expression.lastIndex = positions![at]!))
      } catch {
        // A param cannot be decoded, which Express answers with 400, whatever stands behind.
        if (routes.some((entry) => see(entry, outer, true))) return true
      }
      if (!match) continue
      // Version 4, and 5 before router 2.3, leave it on the layer.
      const { path: taken, params } = (match === true ? layer : match) as { path: string; params: Params }
      const all = outer && { ...outer, ...params }
      const rest = inner && restOf(this.#version, path, taken)
      if (inner === undefined ? see(routes[0]!, all, false) : rest && inner.reach(rest, see, all)) return true
    }
    return false
  }
}

function createAround(): Around {
  return {
    path: '',
    paths: [''],
    above: [],
    opaque: [],
    watched: new Map<Router, HasChanged>(),
    met: { change: false },
  }
}

function placeOf(
  layer: Layer,
  version: ExpressVersion,
  prototype: object | undefined,
  around: Around,
): Place {
  const { route } = layer
  const own = pathOfLayer(version, layer)
  const path = controllerOf(route)?.pattern.source ?? showAt(around.path, own)
  const each = (Array.isArray(own) ? (own as unknown[]).flat(Infinity) : [own]) as (ExpressPath | undefined)[]
  const paths = around.paths.flatMap((outer) => each.map((one) => showAt(outer, one)))
  const goingOn = [layer.regexp, ...each].filter(
    (one): one is RegExp => isRegExp(one) && (one.global || one.sticky),
  )
  const stateful = goingOn.length > 0 ? goingOn : undefined
  const place = { layer, path: own, inner: undefined, stateful, isReplaced: false, runs: layer }
  if (route !== undefined) return { ...place, routes: [{ route, path, paths }] }
  // Only where nothing but Express's own code runs it; anything else runs whole, through what it is wrapped in.
  const isPlain = prototype !== undefined && routerPrototype(layer.handle) === prototype
  const { router: found, reason } = isPlain ? { router: layer.handle as Router } : readBehind(layer)
  if (reason !== undefined) around.opaque.push({ name: layer.name, path, reason })
  // A router that stands in itself is run whole by its own layer.
  if (!found || around.above.includes(found)) return { ...place, routes: [] }
  const inner = new View(found, found.stack, { ...around, path, paths })
  // A router that was taken over by itself may have had the request.
  const handle = (req: IncomingMessage, res: ServerResponse, next: Done): void =>
    isThroughControllers(found, req) ? next() : inner.runBehind(req, res, next)
  const known = layer.handle
  // Code may put another function there while a request is on its way.
  const current = (): Handle => (layer.handle === known ? handle : layer.handle)
  if (!isPlain) return { ...place, routes: inner.routes, inner }
  let opened: Layer | undefined
  return {
    ...place,
    routes: inner.routes,
    inner,
    isReplaced: true,
    // Not before it runs: V8 gives an object that others inherit from a shape of its own, and then Express itself takes a third longer.
    get runs() {
      return (opened ??= Object.create(layer, { handle: { get: current } }) as Layer)
    },
  }
}

/** The layer of a route that runs it by what watches the request; any other layer as it is. */
function watchingLayer(layer: Layer): Layer {
  const { route } = layer
  if (route === undefined) return layer
  const handle = (req: IncomingMessage, res: ServerResponse, next: Done): void => {
    const run = (): void => void (layer.handle as unknown as NodeHandle)(req, res, next)
    const atRoute = watchedRequests.get(req)
    if (atRoute === undefined) run()
    else atRoute(route, run)
  }
  return Object.create(layer, { handle: { value: handle, writable: true } }) as Layer
}

/** Says whether a router has changed since it was read; `isStrict` asks for what counts at once, without reading it again, too. */
type HasChanged = (isStrict: boolean) => boolean

/**
 * Finds out whether a layer was added, removed or moved. Of one that may guard others, also whether it leads to another function or
 * is for other paths. With `isStrict` also whether a route has got a handler.
 *
 * It runs before each request, so it reads as little as possible. Express runs the same layers of routes, and their methods are
 * read from them. So a handler that a route gets later counts without a new reading.
 */
function watch(router: Router): HasChanged {
  const layers = [...router.stack]
  const leading = layers.flatMap((layer) =>
    layer.route && answersItself(layer.route) ? [] : { layer, matching: new Matching(layer) },
  )
  const routes = layers.flatMap(({ route }) =>
    route ? { handlers: route.stack, count: route.stack.length } : [],
  )
  return (isStrict) => {
    const { stack } = router
    if (stack.length !== layers.length) return true
    // A plain loop: it reads two lists from end to end and nothing else, which a processor does quickest.
    for (let at = 0; at < layers.length; at++) if (stack[at] !== layers[at]) return true
    return (
      leading.some(({ layer, matching }) => !matching.isOf(layer)) ||
      (isStrict && routes.some(({ handlers, count }) => handlers.length !== count))
    )
  }
}

/** True for a route of one method whose last handler is `(req, res)`. There may be thousands, too many to read each at each request. */
function answersItself(route: Route): boolean {
  return methodsOf(route)[0] !== '*' && route.stack.at(-1)?.handle.length === 2
}

/** What a router that was left by `next('router')` tells the one around it, which goes on. */
function outwards(signal: unknown): unknown {
  return signal === null ? undefined : signal
}

export function withStack(router: Router, stack: Layer[]): Router {
  const copy = Object.create(router) as Router
  copy.stack = stack
  return copy
}

/** The router that a function of `use` leads to, or why one cannot be read. */
function readBehind(layer: Layer): { readonly router?: Router; readonly reason?: string } {
  const handle = unwrap(layer.handle)
  let router
  try {
    router = routerBehind(handle)
    if (router) versionOf(router)
  } catch (error) {
    if (error instanceof RouteControllersError) return { reason: error.message }
    throw error
  }
  // The layer of an app or a router whose function was replaced keeps the name.
  if (router === undefined && isNamedAsRouter(layer) && layer.handle.name !== layer.name)
    return { reason: 'its function is wrapped, so the routes behind it cannot be read' }
  return router ? { router } : {}
}

function showAt(outer: string, path: ExpressPath | undefined): string {
  const own = path === undefined ? '(unknown)' : showPath(path)
  if (outer === '') return own
  const before = outer.replace(/\/+$/, '')
  return own === '/' ? before || '/' : before + (own.startsWith('/') ? own : `/${own}`)
}

/** The layers of a router as it was read, or those in their place. */
interface Read {
  readonly places: readonly Place[]
  /** True where they are those of the router, all of them. */
  readonly isOwn: boolean
  /** For each place, and for the end, the position in the stack of the router. A layer that is not of it has that of the next one. */
  readonly positions: readonly number[]
  readonly layers: readonly Layer[]
  /** By how much each position is that of a later place, where all have one and nothing is between; undefined otherwise. */
  readonly offset: number | undefined
}

/**
 * Stands in a stack before each layer that was chosen, and for those that were left out behind the last.
 *
 * Express asks it for a match when it reaches it, once at each place. It finds out whether a middleware has rewritten the path of
 * the request, and whether the stack has changed since it was read. From there on it follows that stack, as
 * Express does. Otherwise a request would pass the guards of its new path, and those that were added while it waited.
 */
class Pace implements Layer {
  readonly name = 'placeholder'
  readonly route = undefined
  /** What Express runs. */
  readonly stack: Layer[]
  readonly #live: readonly Layer[]
  readonly #path: string | undefined
  readonly #chosen: readonly number[]
  readonly #read: Read
  readonly #watching: Watching | undefined
  /** How often it was asked. */
  #step = 0
  /** The next place, while it follows a stack that is as it was read. */
  #at = -1
  /** The next layer of the stack, once that has changed. */
  #liveAt = -1

  /** `live` is the stack of the router, and `chosen` has the positions of those layers that a request for the path meets. */
  constructor(
    live: readonly Layer[],
    path: string | undefined,
    chosen: readonly number[],
    read: Read,
    watching: Watching | undefined,
  ) {
    this.#live = live
    this.#path = path
    this.#chosen = chosen
    this.#read = read
    this.#watching = watching
    this.stack = []
    for (const at of chosen) {
      this.stack.push(this)
      const place = read.places[at]
      if (place !== undefined) this.stack.push(watching?.get(place.layer) ?? place.runs)
    }
  }

  /** True where the stack has layers behind all that it had when the last one was reached. */
  get hasMore(): boolean {
    if (this.#liveAt >= 0) return this.#liveAt < this.#live.length
    return this.#live.length > this.#read.positions.at(-1)!
  }

  /** For the layers that `hasMore` tells of. */
  goingOn(): Pace {
    const pace = new Pace(this.#live, undefined, [], this.#read, this.#watching)
    pace.#liveAt = this.#liveAt < 0 ? this.#read.positions.at(-1)! : this.#liveAt
    pace.#at = this.#read.places.length
    pace.stack.push(pace)
    return pace
  }

  match(path: string): false {
    if (this.#at < 0) {
      const chosen = this.#chosen
      const step = this.#step++
      const from = step === 0 ? 0 : chosen[step - 1]! + 1
      if (path === this.#path && this.#isAsRead(from, chosen[step]!)) return false
      // In the stack it takes turns with the layers.
      this.stack.length = 2 * step + 1
      this.#at = from
    }
    const next = this.#next()
    if (next !== undefined) this.stack.push(next)
    if (this.#isBefore()) this.stack.push(this)
    return false
  }

  /** Whether the places up to this one are still those of the stack. */
  #isAsRead(from: number, to: number): boolean {
    const { layers, offset } = this.#read
    const live = this.#live
    if (offset === undefined) {
      for (let at = from; at <= to; at++) if (!this.#isThere(at)) return false
      return true
    }
    // A plain loop, for the reason that `watch` has. It meets each layer once for each request.
    for (let at = from; at <= to; at++) if (live[at + offset] !== layers[at]) return false
    return true
  }

  #isThere(at: number): boolean {
    const { places, positions } = this.#read
    const position = positions[at]!
    if (at === places.length) return this.#live.length === position
    return positions[at + 1] === position || this.#live[position] === places[at]!.layer
  }

  #next(): Layer | undefined {
    const { places, positions } = this.#read
    if (this.#liveAt < 0) {
      if (this.#isThere(this.#at)) {
        const layer = places[this.#at]?.layer
        if (layer === undefined) return undefined
        this.#at++
        return this.#watching?.get(layer) ?? layer
      }
      this.#liveAt = positions[this.#at]!
    }
    return this.#live[this.#liveAt++]
  }

  /** Whether layers follow. */
  #isBefore(): boolean {
    return this.#liveAt < 0 ? this.#at < this.#read.places.length : this.#liveAt < this.#live.length
  }

  /** Never called: it never matches. */
  handle(): void {}
}

/** Where the layers of a list stand in a stack, of which it may leave out some and have others between them. */
function positionsOf(list: readonly Layer[], stack: readonly Layer[]): Pick<Read, 'positions' | 'offset'> {
  let next = 0
  const found = list.map((layer) => {
    const at = list === stack ? next : stack.indexOf(layer, next)
    if (at < 0) return next
    next = at + 1
    return at
  })
  const positions = [...found, stack.length]
  const offset = positions[0]!
  return { positions, offset: positions.every((one, at) => one === at + offset) ? offset : undefined }
}
