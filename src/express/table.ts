import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http'
import { type HookEntry, isThenable } from '../chain.js'
import type { RunnableController } from '../controller.js'
import { toFailure } from '../errors.js'
import type { RequestRun } from '../request-run.js'
import { type Choice, type OpenLayer, type Routed, RouterView, Snapshot } from './choice.js'
import { paramsOn, type RouteEntry } from './inventory.js'
import { type Found, type Listed, Lookup } from './lookup.js'
import { methodsOf } from './methods.js'
import { addRoutes, checkedPath } from './own-routes.js'
import { type App, type Done, type Layer, type Router, routerPrototype, versionOfRouter } from './router.js'
import { shapesOf } from './shape.js'
import { markLayer } from './stands-for.js'
import { ownRow, type TakenApp, TakenPart, takenPathOf, type Visit } from './taken-app.js'

/** What a table is made of. */
export interface TableSource {
  /** The profile's app. */
  readonly app: App
  /** An empty router of its Express, with its settings and the callbacks of its params. */
  readonly createRouter: () => Router
  readonly controllers: readonly RunnableController[]
  readonly hooks: readonly HookEntry[]
  /** True where somebody waits for answers. */
  readonly isTimed: boolean
  readonly runOf: (request: object) => RequestRun & Visit
}

/**
 * Hooks, Controllers and the apps that were taken over as one router of Express: hooks by `use`, Controllers by
 * `route(path)[method]`, an app as one layer, and error hooks behind them all.
 */
export class Table {
  readonly hasHooksForEvery: boolean
  /** True where there is nothing but one app that was taken over: then its own router is the outermost. */
  readonly isAppAlone: boolean
  /** All of it, whose layers say what they stand for. */
  readonly router: Router
  readonly #outer: RouterView
  readonly #lookup: Lookup
  readonly #snapshots: readonly { part: TakenPart; snapshot: Snapshot }[]
  readonly #hooksForEvery: RouterView
  readonly #withoutRoutes: Choice

  constructor(source: TableSource) {
    const { controllers, hooks } = source
    const router = (this.router = source.createRouter())
    const prototype = routerPrototype(router) ?? (Object.getPrototypeOf(router) as object)
    const openers = new Map<Layer, OpenLayer>()
    const before = hooks.filter((entry) => !entry.isErrorHook)
    for (const entry of before) useHook(router, entry, source)
    const hookLayers = [...router.stack]
    const parts: TakenPart[] = []
    const listed: Listed[] = []
    for (const run of runsOf(controllers)) {
      if (run.taken === undefined) {
        const layers = addRoutes(
          router,
          versionOfRouter(prototype),
          run.controllers,
          source.runOf,
          source.isTimed,
        )
        const meetsHead = Object.keys(router.params).length > 0
        listed.push(
          ...run.controllers.map((one, at) => ownRow(entryOf(one, layers[at]!, prototype), meetsHead)),
        )
        continue
      }
      const part = new TakenPart(run.taken, run.controllers, { host: source.app, ...source })
      parts.push(part)
      listed.push(...part.rows)
      router.use(part.handle)
      const layer = router.stack.at(-1)!
      openers.set(layer, part.opener(layer))
      const { app } = run.taken
      markLayer(layer, { app, router: part.router, stack: part.stack })
    }
    const errorLayersFrom = router.stack.length
    for (const entry of hooks) if (entry.isErrorHook) useHook(router, entry, source)
    const errorLayers = router.stack.slice(errorLayersFrom)

    const viewOf = (stack: Layer[]): RouterView => new RouterView(router, stack, prototype, openers)
    const [only] = parts
    this.isAppAlone =
      only?.view !== undefined &&
      router.stack.length === 1 &&
      [undefined, source.app].includes(only.taken.app)
    this.#outer = this.isAppAlone ? only!.view! : viewOf(router.stack)
    this.#lookup = new Lookup(listed)
    this.hasHooksForEvery = before.some((entry) => entry.every)
    this.#hooksForEvery = viewOf([...hookLayers.filter((_layer, at) => before[at]!.every), ...errorLayers])
    this.#withoutRoutes = viewOf(router.stack).chooseWithout(hookLayers.length, errorLayersFrom)
    this.#snapshots = parts.map((part) => ({ part, snapshot: new Snapshot(part.router) }))
  }

  /** The first app that is no longer what this table was made of. */
  get staleApp(): TakenApp | undefined {
    for (const { part, snapshot } of this.#snapshots) {
      if (snapshot.isStale || part.taken.router() !== part.router) return part.taken
    }
    return undefined
  }

  find(method: string, path: string): Found {
    return this.#lookup.find(method, path)
  }

  /** What `checkRoute` says: the key of the first route that takes the path, by this method or by any. */
  check(
    method: string | undefined,
    path: string,
  ): { key: string; params: Record<string, string> } | undefined {
    const by = ({ entry, takes, methodFor: taking }: Listed): string | undefined => {
      if (method !== undefined) return taking(method)
      if (entry === undefined) return '*'
      const names = methodsOf(entry.route)
      return takes === undefined ? names[0] : [...names, ...METHODS].find((one) => taking(one) !== undefined)
    }
    const found = this.#lookup.first(path, (listed) => by(listed) !== undefined)
    if (found === undefined) return undefined
    const { entry } = found
    return {
      key: `${by(found)!}:${entry?.path ?? '*'}`,
      params: entry === undefined ? {} : paramsOn(entry, path),
    }
  }

  /** Which layers a request can meet, by what was found for it. */
  choose({ listed, shapes }: Found): Choice {
    // Without any route of that path the hooks are left, and where it is rewritten all the rest.
    if (shapes === undefined || (this.isAppAlone && listed === undefined)) return this.#withoutRoutes
    return this.#outer.choose(shapes)
  }

  /** Runs all layers, whatever they match. */
  runWhole(req: IncomingMessage, res: ServerResponse, done: Done): void {
    this.#outer.runWhole(req, res, done)
  }

  /** Runs the hooks that also see what nobody here answers. */
  runHooksForEvery(req: IncomingMessage, res: ServerResponse, done: Done): void {
    this.#hooksForEvery.runWhole(req, res, done)
  }
}

/** Controllers that follow one another and are the user's own; or those of one app, from its first to its last. */
interface ControllersRun {
  readonly taken: TakenApp | undefined
  readonly controllers: readonly RunnableController[]
}

function runsOf(controllers: readonly RunnableController[]): readonly ControllersRun[] {
  const runs: ControllersRun[] = []
  for (let at = 0; at < controllers.length;) {
    const taken = takenPathOf(controllers[at]!)?.taken
    const isEnd = (one: RunnableController): boolean =>
      taken === undefined ? takenPathOf(one) !== undefined : takenPathOf(one)?.taken === taken
    const rest = controllers.slice(at)
    const length = taken === undefined ? rest.findIndex(isEnd) : rest.findLastIndex(isEnd) + 1
    const end = length < 0 ? controllers.length : at + length
    runs.push({ taken, controllers: controllers.slice(at, end) })
    at = end
  }
  return runs
}

function entryOf(controller: RunnableController, layer: Layer, prototype: object): RouteEntry {
  const version = versionOfRouter(prototype)
  const route = layer.route!
  return {
    route,
    chain: [{ layer, version }],
    shapes: shapesOf(version, route.path),
    path: controller.pattern.source,
  }
}

/** Registers a hook, which may reject, and may call `next(req, res)`, in every version. */
function useHook(router: Router, entry: HookEntry, { runOf }: TableSource): void {
  const { hook, name, scope, isErrorHook } = entry
  const call = (error: unknown, req: Routed, res: ServerResponse, next: Done): void => {
    const { timer } = runOf(req).exchange
    if (timer !== undefined) timer.pending = `the hook ${name}`
    const goOn = (argument?: unknown): void => {
      // Answered in its place.
      if (timer?.expired) return
      next(argument === req ? undefined : argument)
    }
    const failed = (thrown: unknown): void => goOn(toFailure(thrown))
    try {
      const parameters = isErrorHook ? [error, req, res, goOn] : [req, res, goOn]
      const returned: unknown = Reflect.apply(hook, undefined, parameters)
      if (isThenable(returned)) returned.then(undefined, failed)
    } catch (thrown) {
      failed(thrown)
    }
  }
  const handle = isErrorHook
    ? (error: unknown, req: Routed, res: ServerResponse, next: Done) => call(error, req, res, next)
    : (req: Routed, res: ServerResponse, next: Done) => call(undefined, req, res, next)
  const version = versionOfRouter(Object.getPrototypeOf(router) as object)
  if (scope === undefined) router.use(handle)
  else checkedPath(version, scope.source, (path) => router.use(path, handle))
  markLayer(router.stack.at(-1)!, { hook: entry })
}
