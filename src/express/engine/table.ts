import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HookEntry } from '../../define/hook-entry.js'
import { isThenable } from '../../ground/thenable.js'
import type { RunnableController } from '../../define/controller.js'
import { toFailure } from '../../ground/errors.js'
import { type MatchedRoute, matchedRouteOf } from '../../request/matched-route.js'
import type { RouteCheckResult } from '../../ground/types.js'
import { statusSetOn, withoutRequest } from '../../run/chain.js'
import { noRoute } from '../../run/check-route.js'
import { checkUngone } from '../../run/silent-hook.js'
import { methodFor, METHODS, methodsOf } from '../model/methods.js'
import { addRoutes, checkedPath, type Source } from './own-routes.js'
import type { Done, Layer, Route } from '../model/layer.js'
import { createRouter, routerPrototype } from '../model/own-router.js'
import { type Router, versionOf } from '../model/router.js'
import { controllerOf, markLayer } from '../model/stands-for.js'
import { type Listed, type TakenApp, TakenPart, takenPathOf } from './taken-app.js'
import { type RouteEntry, View, withStack } from '../model/view.js'

/** What a table is made of; `router` is empty. */
export interface TableSource extends Source {
  readonly controllers: readonly RunnableController[]
  readonly hooks: readonly HookEntry[]
  /** Whether the hooks for every request have rewritten one so that a route takes it now. */
  readonly isTakenNow: (request: object) => boolean
}

/**
 * Hooks, Controllers and the apps that were taken over as one router of Express: hooks by `use`, Controllers by
 * `route(path)[method]`, an app as one layer, and error hooks behind them all.
 */
export class Table {
  readonly hasHooksForEvery: boolean
  /** True where there is only one app that was taken over. Its own router is then the outermost. */
  readonly isAppAlone: boolean
  /** True where an app is among them. */
  readonly hasApps: boolean
  /** True where there are only Controllers that are of no app, and no hooks. */
  readonly isOfRoutesAlone: boolean
  /** The whole router, whose layers are marked with what they stand for. */
  readonly router: Router
  readonly #view: View
  readonly #hooksForEvery: Router
  /** What a request that those hooks have rewritten must still pass. Made when the first such request arrives. */
  #yetToPass: View | undefined
  readonly #listed: Listed[] = []
  readonly #parts: TakenPart[] = []
  #isLookedAt = false
  /** Made when the tracing channel has a subscriber. */
  #entries: Map<Route, RouteEntry> | undefined
  readonly #described = new WeakMap<RouteEntry, Map<string, MatchedRoute>>()

  constructor(source: TableSource) {
    const { controllers, hooks, router, isTakenNow } = source
    this.router = router
    const layersForEvery: Layer[] = []
    const useHooks = (isErrorHook: boolean): void => {
      for (const entry of hooks) {
        if (entry.isErrorHook !== isErrorHook) continue
        useHook(router, entry, source)
        if (isErrorHook || entry.every) layersForEvery.push(router.stack.at(-1)!)
      }
    }
    useHooks(false)
    this.hasHooksForEvery = layersForEvery.length > 0
    // The routes stand in front of the error hooks, so that a request whose error they have handled is not routed again.
    const place = createRouter(routerPrototype(router)!, router)
    place.use((req: IncomingMessage, res: ServerResponse, next: Done) => {
      if (!isTakenNow(req)) return next()
      const isYetToPass = (layer: Layer): boolean => !layersForEvery.includes(layer)
      this.#yetToPass ??= new View(router, router.stack.filter(isYetToPass))
      this.#yetToPass.run(req, res, next)
    })
    layersForEvery.push(place.stack.at(-1)!)
    for (const run of runsOf(controllers)) {
      if (run.taken === undefined) {
        const layers = new Set(addRoutes(run.controllers, source))
        this.#listed.push({
          view: new View(router, [...layers]),
          takes: () => true,
          methodFor: ({ route }, method) => methodFor(route, method),
          get meetsHead() {
            return Object.keys(router.params).length > 0
          },
          controllerFor: ({ route }, method) => controllerOf(route, methodFor(route, method)),
          rest: undefined,
        })
        continue
      }
      const part = new TakenPart(run.taken, run.controllers, source)
      this.#parts.push(part)
      this.#listed.push(part)
      router.use(part.handle)
      const stack = part.view.places.map(({ layer }) => layer)
      markLayer(router.stack.at(-1)!, { app: run.taken.app, router: part.router, stack })
    }
    useHooks(true)

    const [only] = this.#parts
    this.isAppAlone =
      only !== undefined &&
      router.stack.length === 1 &&
      (only.taken.app === undefined || only.taken.app === source.app)
    this.hasApps = this.#parts.length > 0
    this.isOfRoutesAlone = !this.hasApps && router.stack.every(({ route }) => route !== undefined)
    this.#view = this.isAppAlone ? only!.view : new View(router)
    this.#hooksForEvery = withStack(router, layersForEvery)
  }

  /** The app, where there is only that. */
  get appAlone(): object | undefined {
    return this.isAppAlone ? this.#parts[0]!.target : undefined
  }

  /**
   * The first app that has changed since this table was made. With `isWhole` all routers of each app are looked at. Else those behind
   * another one are left to the requests that enter them. The first time it looks at all: an app that is another one each time that it is
   * read cannot be served.
   */
  staleApp(isWhole: boolean): TakenApp | undefined {
    for (const part of this.#parts) {
      const { taken, view } = part
      const isStrict = taken.onStale !== 'reread'
      const isStale = isWhole || isStrict || !this.#isLookedAt ? view.isStale(isStrict) : view.hasMetChange
      if (isStale || !part.isRunByApp()) return taken
    }
    this.#isLookedAt = true
    return undefined
  }

  /** How many layers a request may have to be asked of. */
  get mostLayers(): number {
    return this.#view.mostLayers
  }

  /** True where an app that has changed is read again. */
  get isReadAgain(): boolean {
    return this.#parts.every(({ taken }) => taken.onStale === 'reread')
  }

  /** True where this is all of an app. What it does with a request is then all that there is to do. */
  isWholeOf(app: object | undefined): boolean {
    return app !== undefined && app === this.appAlone && this.#parts[0]!.isWhole
  }

  /** Whether a request is taken: by a method of a route, or by Express's own answer for a route. */
  takes(method: string, path: string): boolean {
    return this.#listed.some(
      (one) =>
        one.rest !== undefined ||
        one.view.reach(path, (entry, _params, isMalformed) => {
          if (!one.takes(entry, method)) return false
          if (isMalformed || method === 'OPTIONS' || (method === 'HEAD' && one.meetsHead)) return true
          return one.methodFor(entry, method) !== undefined
        }),
    )
  }

  /** The result of `checkRoute`: the key of the first route that takes the path, by this method or by any. */
  check(method: string | undefined, path: string): RouteCheckResult {
    let found = noRoute()
    for (const one of this.#listed) {
      const isFound = one.view.reach(
        path,
        (entry, params) => {
          const taking = method === undefined ? anyMethod(one, entry) : one.methodFor(entry, method)
          if (taking === undefined) return false
          found = { exists: true, key: `${taking}:${entry.path}`, params: params! }
          return true
        },
        {},
      )
      if (isFound) return found
      if (one.rest !== undefined) return { exists: true, key: '*:*', params: {} }
    }
    return found
  }

  /** The first route of a request, with Express's own; undefined for a request without a route. */
  routeFor(method: string, path: string): { readonly route: MatchedRoute; readonly own: Route } | undefined {
    for (const one of this.#listed) {
      let route: MatchedRoute | undefined
      let own: Route | undefined
      one.view.reach(path, (entry) => {
        const by = one.methodFor(entry, method)
        if (by === undefined) return false
        route = this.#describe(entry, by)
        own = entry.route
        return true
      })
      if (route !== undefined) return { route, own: own! }
    }
    return undefined
  }

  /** The first Controller that matches a request, or for OPTIONS its path; undefined where an app takes it by a route that it got later. */
  controllerFor(method: string, path: string): RunnableController | undefined {
    let controller: RunnableController | undefined
    for (const one of this.#listed) {
      const isFound = one.view.reach(path, (entry) => {
        if (!one.takes(entry, method)) return false
        const by = one.methodFor(entry, method)
        if (by === undefined && method !== 'OPTIONS') return false
        controller = one.controllerFor(entry, method)
        return true
      })
      if (isFound) return controller
      if (one.rest !== undefined) return one.rest
    }
    return undefined
  }

  /** The description of a route of Express; undefined for one that is not of this table, or does not take the method. */
  routeOf(own: Route, method: string): MatchedRoute | undefined {
    if (this.#entries === undefined) {
      const entries = this.#listed.flatMap(({ view }) => view.routes)
      this.#entries = new Map(entries.map((entry) => [entry.route, entry]))
    }
    const entry = this.#entries.get(own)
    const by = entry && methodFor(own, method)
    return by === undefined ? undefined : this.#describe(entry!, by)
  }

  #describe(entry: RouteEntry, method: string): MatchedRoute {
    const controller = controllerOf(entry.route, method)
    if (controller !== undefined) return matchedRouteOf(controller)
    let ofEntry = this.#described.get(entry)
    if (ofEntry === undefined) this.#described.set(entry, (ofEntry = new Map<string, MatchedRoute>()))
    let route = ofEntry.get(method)
    if (route === undefined) {
      route = Object.freeze({ method, path: entry.path, name: undefined })
      ofEntry.set(method, route)
    }
    return route
  }

  /** Runs the layers that a request can match. */
  run(req: IncomingMessage, res: ServerResponse, done: Done): void {
    this.#view.run(req, res, done)
  }

  /**
   * Runs the hooks that also get requests which are not answered here. A request that they have rewritten to a route goes on to
   * it.
   */
  runHooksForEvery(req: IncomingMessage, res: ServerResponse, done: Done): void {
    this.#hooksForEvery.handle(req, res, done)
  }
}

/** One of the methods by which a route was taken over. */
function anyMethod(one: Listed, entry: RouteEntry): string | undefined {
  const named = methodsOf(entry.route).find((method) => one.takes(entry, method))
  if (named !== undefined) return named
  const method = METHODS.find((name) => one.methodFor(entry, name) !== undefined)
  return method && one.methodFor(entry, method)
}

/** Controllers that follow one another and are the user's own; or those of one app, from its first to its last. */
interface ControllersRun {
  readonly taken: TakenApp | undefined
  readonly controllers: readonly RunnableController[]
}

function runsOf(controllers: readonly RunnableController[]): readonly ControllersRun[] {
  const runs: ControllersRun[] = []
  for (let rest = controllers; rest.length > 0;) {
    const taken = takenPathOf(rest[0]!)?.taken
    const ofApp = rest.findLastIndex((one) => takenPathOf(one)?.taken === taken) + 1
    const own = rest.findIndex((one) => takenPathOf(one) !== undefined)
    const length = taken !== undefined ? ofApp : own < 0 ? rest.length : own
    runs.push({ taken, controllers: rest.slice(0, length) })
    rest = rest.slice(length)
  }
  return runs
}

type Incoming = IncomingMessage & { next?: Done | undefined }

/** Registers a hook, which may reject, and may call `next(req, res)`, in every version. */
function useHook(router: Router, entry: HookEntry, { runOf }: TableSource): void {
  const { hook, name, scope, isErrorHook, app } = entry
  const call = (error: unknown, req: Incoming, res: ServerResponse, next: Done): void => {
    const { exchange } = runOf(req)
    const { timer } = exchange
    if (timer !== undefined) timer.pending = `the hook ${name}`
    const { next: outer } = req
    const { statusCode } = res
    let takeBack = app && exchange.lend(app)
    let called = false
    const goOn = (given?: unknown, response?: unknown): void => {
      called = true
      // It was answered instead.
      if (timer?.expired) return
      takeBack?.()
      takeBack = undefined
      if (res.headersSent) runOf(req).begunBy ??= name
      const set = statusSetOn(res, statusCode)
      if (set !== undefined) exchange.status = set
      req.next = outer
      next(withoutRequest(given, response, req, name))
    }
    // In Express the two are one function, and `res.format` and `res.render` call it.
    req.next = goOn
    const failed = (thrown: unknown): void =>
      goOn(thrown === req ? new Error(`The hook ${name} has thrown its own request`) : toFailure(thrown))
    try {
      const parameters = isErrorHook ? [error, req, res, goOn] : [req, res, goOn]
      const returned: unknown = Reflect.apply(hook, undefined, parameters)
      const settled = (value: unknown): void => {
        if (!called) checkUngone(entry, value, res, runOf(req).config.logger, failed)
      }
      if (isThenable(returned)) returned.then(settled, failed)
      else settled(returned)
    } catch (thrown) {
      failed(thrown)
    }
  }
  const handle = isErrorHook
    ? (error: unknown, req: Incoming, res: ServerResponse, next: Done) => call(error, req, res, next)
    : (req: Incoming, res: ServerResponse, next: Done) => call(undefined, req, res, next)
  const version = versionOf(router)
  if (scope === undefined) router.use(handle)
  else checkedPath(version, scope.source, (path) => router.use(path, handle))
  markLayer(router.stack.at(-1)!, { hook: entry })
}
