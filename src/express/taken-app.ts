import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyController, RunnableController } from '../controller.js'
import { RouteControllersError } from '../errors.js'
import type { RequestRun } from '../request-run.js'
import { plainPath, RouterView, type OpenLayer, layerWith } from './choice.js'
import { readRoutes, type RouteEntry } from './inventory.js'
import type { Listed } from './lookup.js'
import { countInitialLayers, Members } from './members.js'
import { methodFor } from './methods.js'
import { addRoutes } from './own-routes.js'
import {
  type App,
  createRouter,
  type Done,
  type Layer,
  type Route,
  type Router,
  routerPrototype,
  versionOfRouter,
} from './router.js'

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
  readonly route: Route | undefined
  /** True for the one that stands for all that no route answers. */
  readonly isRest: boolean
}

type RunOf = (request: object) => RequestRun & Visit

/** A request that may come into an app. */
export interface Visit {
  /** Whether it is for the app, as it is now; then the app has it to its end. */
  entersTaken(): boolean
  /** True while the path is what layers were chosen for. */
  isAsRouted(path: string): boolean
}

/** Undefined for a Controller of the user's own. */
export function takenPathOf({ pattern }: RunnableController): TakenPath | undefined {
  const foreign = pattern.foreign as TakenPath | undefined
  return foreign !== undefined && 'taken' in foreign ? foreign : undefined
}

/** A route that takes whatever its methods say. */
export function ownRow(entry: RouteEntry, meetsHead: boolean): Listed {
  return { entry, meetsHead, methodFor: (method) => methodFor(entry.route, method) }
}

/** An app that was taken over, among the Controllers of one RouteControllers. */
export class TakenPart {
  readonly taken: TakenApp
  readonly router: Router | undefined
  readonly view: RouterView | undefined
  readonly rows: readonly Listed[]
  /** Its layers, with those of Controllers that stand between them. */
  readonly stack: readonly Layer[]
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
    if (router === undefined) {
      this.rows = this.stack = []
      return
    }
    const prototype = routerPrototype(router)!
    const initial = taken.app === undefined ? 0 : countInitialLayers(taken.app, router.stack)
    const stack = router.stack.slice(initial)
    const { entries } = readRoutes(router, stack)
    const rows = rowsOf(taken, controllers, entries)
    const inserted = insert(controllers, entries, stack, (own) => {
      const version = versionOfRouter(prototype)
      const layers = addRoutes(createRouter(prototype, router), version, [own], runOf, isTimed)
      return layers[0]!
    })
    this.stack = stack
    this.view = new RouterView(
      router,
      initial === 0 && inserted.length === 0 ? router.stack : stack,
      prototype,
    )
    const own = readRoutes(router, inserted).entries
    this.rows = [...rows, ...own.map((entry) => ownRow(entry, true))]
  }

  /** Runs the app for a request that is for it, and passes any other on. */
  readonly handle = (req: IncomingMessage, res: ServerResponse, next: Done): void =>
    this.#enter(req, res, next)

  /** The layer of the app with nothing in it but what requests of these shapes can meet. */
  opener(layer: Layer): OpenLayer {
    return (shapes) => {
      const choice = this.view?.choose(shapes)
      if (choice === undefined || choice.isWhole) return layer
      return layerWith(layer, (req: IncomingMessage, res: ServerResponse, next: Done) => {
        const path = plainPath(req.url)
        // Rewritten since the layers were chosen.
        const isSame = path !== undefined && this.#runOf(req).isAsRouted(path)
        this.#enter(req, res, next, isSame ? (done) => choice.run(req, res, path, done) : undefined)
      })
    }
  }

  #enter(req: IncomingMessage, res: ServerResponse, next: Done, run?: (done: Done) => void): void {
    if (this.view === undefined || !this.#runOf(req).entersTaken()) return next()
    const restore = this.#foreign?.mount(req, res)
    const done: Done =
      restore === undefined
        ? next
        : (signal) => {
            restore()
            next(signal)
          }
    if (run === undefined) this.view.runWhole(req, res, done)
    else run(done)
  }
}

/** What is looked up: routes that were chosen, each with those of its methods that were. */
function rowsOf(
  taken: TakenApp,
  controllers: readonly RunnableController[],
  entries: readonly RouteEntry[],
): Listed[] {
  const mine = controllers.filter((one) => takenPathOf(one)?.taken === taken)
  // With all of them, what the app registers later is taken over too.
  const isAll = mine.length >= taken.controllers.length
  const chosen = new Set(mine.map(({ method, pattern }) => `${method} ${pattern.source}`))
  const rows: Listed[] = entries.map((entry) => ({
    entry,
    meetsHead: true,
    methodFor(method) {
      const by = methodFor(entry.route, method)
      if (by === undefined || !taken.takes(entry, by)) return undefined
      return isAll || chosen.has(`${by} ${entry.path}`) || chosen.has(`* ${entry.path}`) ? by : undefined
    },
  }))
  if (mine.some((one) => takenPathOf(one)!.isRest))
    rows.push({ entry: undefined, meetsHead: true, methodFor: () => '*' })
  return rows
}

/** Puts Controllers that stand between those of an app into its outermost stack; gives back their layers. */
function insert(
  controllers: readonly RunnableController[],
  entries: readonly RouteEntry[],
  stack: Layer[],
  makeLayer: (own: RunnableController) => Layer,
): readonly Layer[] {
  // By the path too: an app that is made anew has other routes there, and one router may stand at two paths.
  const outermost = new Map<unknown, Layer>()
  for (const { route, path, chain } of entries) {
    for (const key of [route, path]) if (!outermost.has(key)) outermost.set(key, chain[0]!.layer)
  }
  const made = new Map<RunnableController, Layer>()
  const layerOf = (one: RunnableController): Layer | undefined => {
    const path = takenPathOf(one)
    if (path === undefined) return made.get(one)
    return path.isRest ? undefined : (outermost.get(path.route) ?? outermost.get(path.path))
  }
  for (const [at, own] of controllers.entries()) {
    if (takenPathOf(own) !== undefined) continue
    const before = controllers.slice(0, at).findLast((one) => layerOf(one) !== undefined)
    const behind = controllers.slice(at).find((one) => takenPathOf(one) !== undefined)
    const earliest = before === undefined ? -1 : stack.indexOf(layerOf(before)!)
    const next = behind && layerOf(behind)
    const place = next === undefined ? earliest + 1 : stack.indexOf(next)
    if (place <= earliest) throw outOfOrder(before!, own, behind!)
    const layer = makeLayer(own)
    made.set(own, layer)
    stack.splice(place, 0, layer)
  }
  return [...made.values()]
}

function outOfOrder(
  before: RunnableController,
  own: RunnableController,
  behind: RunnableController,
): RouteControllersError {
  const [a, b, c] = [before, own, behind].map(({ method, pattern }) => `${method} ${pattern.source}`)
  return new RouteControllersError(
    'ERR_CONTROLLER_ORDER',
    `The Controller ${b} stands between ${a} and ${c} of an app, which come out of one layer there, so that nothing can stand between them: list it before ${a}, or behind ${c}`,
  )
}
