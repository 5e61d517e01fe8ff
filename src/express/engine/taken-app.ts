import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyController, RunnableController } from '../../define/controller.js'
import { RouteControllersError } from '../../ground/errors.js'
import { countInitialLayers, Members } from '../members/members.js'
import { methodFor, methodsOf } from '../model/methods.js'
import { addRoutes, type Source } from './own-routes.js'
import type { Done, Layer, Route } from '../model/layer.js'
import { createRouter, routerLike, routerPrototype } from '../model/own-router.js'
import { type App, isRouterOf, type Router } from '../model/router.js'
import { watchPassages } from '../model/passage.js'
import type { Selection } from '../model/selection.js'
import { controllerOf } from '../model/stands-for.js'
import { type RouteEntry, View } from '../model/view.js'

/** An app or a router whose Controllers `toControllers` has made. */
export interface TakenApp {
  readonly app: App | undefined
  /** The current router; undefined while an app of version 4 has nothing registered. */
  readonly router: () => Router | undefined
  /** What to do once it has changed. */
  readonly onStale: 'reread' | 'fallback' | 'throw'
  /** Which of its routes, those that are registered later too, are to be taken over. Undefined for all. */
  readonly selection: Selection | undefined
  /** All Controllers that were made of it. */
  readonly controllers: readonly AnyController[]
}

/** What stands behind the path of a Controller that `toControllers` has made. */
export interface TakenPath {
  readonly path: string
  readonly taken: TakenApp
  /** Undefined for the one that stands for all that no route answers. */
  readonly route: Route | undefined
  /** True for the one that stands for all that no route answers. */
  readonly isRest: boolean
}

/** The app or the router that requests pass. */
export function targetOf({ app, router }: TakenApp): object | undefined {
  return app ?? router()
}

/** Undefined for a Controller of the user's own. */
export function takenPathOf({ pattern }: RunnableController): TakenPath | undefined {
  const foreign = pattern.foreign as TakenPath | undefined
  return foreign !== undefined && 'taken' in foreign ? foreign : undefined
}

/** Routes of which some stand in a list of Controllers, and by which methods. */
export interface Listed {
  readonly view: View
  /** Whether requests of a method at the path of a route are for this part, whichever layer answers them. */
  readonly takes: (entry: RouteEntry, method: string) => boolean
  /** The method that a route is registered for and takes this one by: GET takes HEAD, `*` any. Undefined where it does not. */
  readonly methodFor: (entry: RouteEntry, method: string) => string | undefined
  /** True where HEAD has an effect, though no method takes it: Express runs the callbacks of its params. */
  readonly meetsHead: boolean
  /** The Controller of a route that takes a method, or for OPTIONS any of the route; undefined where the list has none. */
  readonly controllerFor: (entry: RouteEntry, method: string) => RunnableController | undefined
  /** The Controller that takes all other requests, where there is one. */
  readonly rest: RunnableController | undefined
}

/** An app that was taken over, among the Controllers of one RouteControllers. */
export class TakenPart implements Listed {
  readonly taken: TakenApp
  readonly router: Router | undefined
  /** The app or the router, as a request passes it. */
  readonly target: object
  readonly view: View
  readonly meetsHead = true
  readonly rest: RunnableController | undefined
  /** Its Controllers, by method and path. Of several the first one stands for all. */
  readonly #listed = new Map<string, RunnableController>()
  /** True where some of its Controllers are left out of the list. Else it takes what the app registers later, too. */
  readonly #isPart: boolean
  readonly #taking = new Map<RouteEntry, (method: string) => boolean>()
  readonly #enters: Source['enters']
  readonly #foreign: Members | undefined
  readonly #isAsItIs: boolean
  readonly #handles: readonly [unknown, unknown]

  /**
   * `controllers` are those from the first of the app to its last, including others between them. A request has the members of
   * the source's app already. Throws ERR_CONTROLLER_ORDER for others at a place where the app can take none in.
   */
  constructor(taken: TakenApp, controllers: readonly RunnableController[], source: Source) {
    const { app } = taken
    this.taken = taken
    this.#enters = source.enters
    this.#foreign = app === undefined || app === source.app ? undefined : new Members(app)
    const mine = controllers.filter((one) => takenPathOf(one)?.taken === taken)
    this.rest = mine.find((one) => takenPathOf(one)!.isRest)
    for (const one of mine) {
      const key = `${one.method} ${one.pattern.source}`
      if (one !== this.rest && !this.#listed.has(key)) this.#listed.set(key, one)
    }
    this.#isPart = mine.length < taken.controllers.length
    this.router = taken.router()
    const router = this.router ?? routerLike(app!, 'toControllers')
    this.target = targetOf(taken)!
    watchPassages(this.target as Parameters<typeof watchPassages>[0])
    // Now, for `watchPassages` may have put another function there.
    this.#handles = [handleOf(app), handleOf(this.router)]
    const initial = app === undefined ? 0 : countInitialLayers(app, router.stack)
    const view = new View(router, initial === 0 ? router.stack : router.stack.slice(initial))
    // Once in the app a request ends there.
    const isLeftNow = (): boolean => false
    const likeIt = { ...source, isLeftNow, router: createRouter(routerPrototype(router)!, router) }
    const stack = insert(controllers, view, (own) => addRoutes([own], likeIt)[0]!)
    this.#isAsItIs = stack === undefined
    this.view = stack === undefined ? view : new View(router, stack)
  }

  /** Whether the app still runs its requests by this router, and neither of them runs them by another function. */
  isRunByApp(): boolean {
    const { app } = this.taken
    const { router } = this
    const [ofApp, ofRouter] = this.#handles
    if (handleOf(app) !== ofApp || handleOf(router) !== ofRouter) return false
    return app === undefined || isRouterOf(app, router)
  }

  /** True where nothing of the app was left out, and nothing stands between its layers. */
  get isWhole(): boolean {
    return !this.#isPart && this.taken.selection === undefined && this.#isAsItIs
  }

  methodFor(entry: RouteEntry, method: string): string | undefined {
    const by = this.takes(entry, method) ? methodFor(entry.route, method) : undefined
    if (!this.#isPart || controllerOf(entry.route) !== undefined) return by
    return [by, method, '*'].some((one) => this.#listed.has(`${one} ${entry.path}`)) ? by : undefined
  }

  controllerFor(entry: RouteEntry, method: string): RunnableController | undefined {
    const { route, path } = entry
    const by = methodFor(route, method)
    const own = controllerOf(route, by)
    if (own !== undefined) return own
    const names = by === undefined ? methodsOf(route) : [by, method, '*']
    for (const name of names) {
      const taken = this.#listed.get(`${name} ${path}`)
      if (taken !== undefined) return taken
    }
    return undefined
  }

  takes(entry: RouteEntry, method: string): boolean {
    const { selection } = this.taken
    if (selection === undefined || controllerOf(entry.route) !== undefined) return true
    let takes = this.#taking.get(entry)
    if (takes === undefined) this.#taking.set(entry, (takes = selection.at(entry)))
    return takes(method)
  }

  /** Runs the app for a request that is for it, and passes any other on. */
  readonly handle = (req: IncomingMessage, res: ServerResponse, next: Done): void => {
    if (!this.#enters(req, this.target)) return next()
    const restore = this.#foreign?.mount(req, res)
    const done: Done = (signal) => {
      restore?.()
      next(signal)
    }
    this.view.run(req, res, restore === undefined ? next : done)
  }
}

/** It is compared, not called. */
function handleOf(runner: { readonly handle: unknown } | undefined): unknown {
  return runner?.handle
}

/** The layers of an app with those of Controllers that stand between its own; undefined where none do. */
function insert(
  controllers: readonly RunnableController[],
  { places }: View,
  layerFor: (own: RunnableController) => Layer,
): readonly Layer[] | undefined {
  const stack = places.map(({ layer }) => layer)
  // One router may stand at several paths. By the path alone too: an app that is made anew has other routes there.
  const outermost = new Map<unknown, Layer>()
  // Each time that a route stands at a path: one router may stand twice at it.
  const ofRoutes = new Map<Route, Map<string, Layer[]>>()
  for (const { routes, layer } of places) {
    for (const { route, path } of routes) {
      const known = ofRoutes.get(route) ?? new Map<string, Layer[]>()
      ofRoutes.set(route, known.set(path, [...(known.get(path) ?? []), layer]))
      for (const key of [route, path]) if (!outermost.has(key)) outermost.set(key, layer)
    }
  }
  const made = new Map<RunnableController, Layer>()
  const counts = new Map<Layer[], Map<string, number>>()
  for (const one of controllers) {
    const { route, path } = takenPathOf(one) ?? {}
    if (route === undefined) continue
    const layers = ofRoutes.get(route)?.get(path!)
    const count = layers && (counts.get(layers) ?? new Map<string, number>())
    const turn = count?.get(one.method) ?? 0
    if (layers !== undefined) counts.set(layers, count!.set(one.method, turn + 1))
    const layer = layers?.[turn] ?? layers?.at(-1) ?? outermost.get(route) ?? outermost.get(path)
    if (layer !== undefined) made.set(one, layer)
  }
  const layerOf = (one: RunnableController | undefined): Layer | undefined => one && made.get(one)
  for (const [at, own] of controllers.entries()) {
    if (takenPathOf(own) !== undefined) continue
    const before = controllers.slice(0, at).findLast((one) => layerOf(one) !== undefined)
    const behind = controllers.slice(at).find((one) => takenPathOf(one) !== undefined)
    const earliest = before === undefined ? -1 : stack.indexOf(layerOf(before)!)
    const next = layerOf(behind)
    const place = next === undefined ? earliest + 1 : stack.indexOf(next)
    if (place <= earliest) throw outOfOrder([before!, own, behind!])
    made.set(own, layerFor(own))
    stack.splice(place, 0, made.get(own)!)
  }
  return stack.length === places.length ? undefined : stack
}

function outOfOrder(three: readonly RunnableController[]): RouteControllersError {
  const [a, b, c] = three.map(({ method, pattern }) => `${method} ${pattern.source}`)
  return new RouteControllersError(
    'ERR_CONTROLLER_ORDER',
    `The Controller ${b} stands between ${a} and ${c}, which are one layer of their app. Nothing can run between them: list it before ${a}, or after ${c}`,
  )
}
