import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyController, RunnableController } from '../controller.js'
import { RouteControllersError } from '../errors.js'
import type { RequestRun } from '../request-run.js'
import { countInitialLayers, Members } from './members.js'
import { methodFor } from './methods.js'
import { addRoutes } from './own-routes.js'
import {
  type App,
  createRouter,
  type Done,
  type Layer,
  type Router,
  routerPrototype,
  versionOfRouter,
} from './router.js'
import { controllerOf } from './stands-for.js'
import { type RouteEntry, View } from './view.js'

/** What to do when an app has changed since it was taken over. */
type OnStale = 'reread' | 'fallback' | 'throw'

/** An app or a router whose Controllers `toControllers` has made. */
export interface TakenApp {
  readonly app: App | undefined
  /** As it is now; undefined while an app of version 4 has nothing registered. */
  readonly router: () => Router | undefined
  readonly onStale: OnStale
  /** Whether a route of it, one that is registered later too, is to be taken over. */
  readonly takes: (entry: RouteEntry, method: string) => boolean
  /** All Controllers that were made of it. */
  readonly controllers: readonly AnyController[]
}

/** What stands behind the path of a Controller that `toControllers` has made. */
export interface TakenPath {
  readonly path: string
  readonly taken: TakenApp
  /** True for the one that stands for all that no route answers. */
  readonly isRest: boolean
}

type RunOf = (request: object) => RequestRun & Visit

/** A request that may come into an app. */
export interface Visit {
  /** Whether it is for the app, as it is now; then the app has it to its end. */
  entersTaken(): boolean
}

/** Undefined for a Controller of the user's own. */
export function takenPathOf({ pattern }: RunnableController): TakenPath | undefined {
  const foreign = pattern.foreign as TakenPath | undefined
  return foreign !== undefined && 'taken' in foreign ? foreign : undefined
}

/** Routes of which some stand in a list of Controllers, and by which methods. */
export interface Listed {
  readonly view: View
  /** The method that a route is registered for and takes this one by: GET takes HEAD, `*` any. Undefined where it does not. */
  readonly methodFor: (entry: RouteEntry, method: string) => string | undefined
  /** True where HEAD has an effect, though no method takes it: Express runs the callbacks of its params. */
  readonly meetsHead: boolean
  /** True where all other requests are taken too. */
  readonly hasRest: boolean
}

/** An app that was taken over, among the Controllers of one RouteControllers. */
export class TakenPart {
  readonly taken: TakenApp
  readonly router: Router | undefined
  readonly listed: Listed | undefined
  /** Its layers, with those of Controllers that stand between them. */
  readonly stack: readonly Layer[] = []
  readonly #runOf: RunOf
  readonly #foreign: Members | undefined

  /**
   * `controllers` are those from the first of the app to its last, others between them included; `host` is the app whose
   * members a request has already. Throws ERR_CONTROLLER_ORDER for others that stand where the app lets nobody in.
   */
  constructor(
    taken: TakenApp,
    controllers: readonly RunnableController[],
    { host, runOf, isTimed }: { host: App; runOf: RunOf; isTimed: boolean },
  ) {
    this.taken = taken
    this.#runOf = runOf
    this.#foreign = taken.app === undefined || taken.app === host ? undefined : new Members(taken.app)
    const router = (this.router = taken.router())
    if (router === undefined) return
    const initial = taken.app === undefined ? 0 : countInitialLayers(taken.app, router.stack)
    const own = controllers.filter((one) => takenPathOf(one) === undefined)
    const bare = initial === 0 ? router.stack : router.stack.slice(initial)
    let view = new View(router, bare)
    if (own.length > 0) {
      const prototype = routerPrototype(router)!
      const layers = own.flatMap((one) =>
        addRoutes(createRouter(prototype, router), versionOfRouter(prototype), [one], runOf, isTimed),
      )
      view = new View(router, insert(controllers, view, layers))
    }
    this.stack = view.places.map(({ layer }) => layer)
    this.listed = { view, meetsHead: true, ...listedOf(taken, controllers) }
  }

  /** Runs the app for a request that is for it, and passes any other on. */
  readonly handle = (req: IncomingMessage, res: ServerResponse, next: Done): void => {
    if (this.listed === undefined || !this.#runOf(req).entersTaken()) return next()
    const restore = this.#foreign?.mount(req, res)
    const done: Done = (signal) => {
      restore?.()
      next(signal)
    }
    this.listed.view.run(req, res, restore === undefined ? next : done)
  }
}

/** Of all routes those that were chosen, each with those of its methods that were. */
function listedOf(
  taken: TakenApp,
  controllers: readonly RunnableController[],
): Pick<Listed, 'methodFor' | 'hasRest'> {
  const mine = controllers.filter((one) => takenPathOf(one)?.taken === taken)
  // With all of them, what the app registers later is taken over too.
  const isAll = mine.length >= taken.controllers.length
  const chosen = new Set(mine.map(({ method, pattern }) => `${method} ${pattern.source}`))
  return {
    hasRest: mine.some((one) => takenPathOf(one)!.isRest),
    methodFor(entry, method) {
      const by = methodFor(entry.route, method)
      if (by === undefined || controllerOf(entry.route) !== undefined) return by
      if (!taken.takes(entry, by)) return undefined
      return isAll || chosen.has(`${by} ${entry.path}`) || chosen.has(`* ${entry.path}`) ? by : undefined
    },
  }
}

/** The layers of an app, with `made` among them, which are those of the Controllers that stand between its own. */
function insert(
  controllers: readonly RunnableController[],
  { places }: View,
  made: readonly Layer[],
): Layer[] {
  const stack = places.map(({ layer }) => layer)
  const outermost = new Map<string, Layer>()
  for (const { layer, path, route, inner } of places) {
    for (const one of route === undefined ? (inner?.routes ?? []) : [{ path }]) {
      if (!outermost.has(one.path)) outermost.set(one.path, layer)
    }
  }
  const layerOf = (one: RunnableController): Layer | undefined => outermost.get(one.pattern.source)
  const [...layers] = made
  for (const [at, own] of controllers.entries()) {
    if (takenPathOf(own) !== undefined) continue
    const before = controllers.slice(0, at).findLast((one) => layerOf(one) !== undefined)
    const behind = controllers.slice(at).find((one) => takenPathOf(one) !== undefined)
    const earliest = before === undefined ? -1 : stack.indexOf(layerOf(before)!)
    const next = behind && layerOf(behind)
    const place = next === undefined ? earliest + 1 : stack.indexOf(next)
    if (place <= earliest) {
      const [a, b, c] = [before!, own, behind!].map(({ method, pattern }) => `${method} ${pattern.source}`)
      throw new RouteControllersError(
        'ERR_CONTROLLER_ORDER',
        `The Controller ${b!} stands between ${a!} and ${c!} of an app, which come out of one layer there, so that nothing can stand between them: list it before ${a!}, or behind ${c!}`,
      )
    }
    stack.splice(place, 0, layers.shift()!)
  }
  return stack
}
