import type { HookEntry } from '../../define/hook-entry.js'
import type { RunnableController } from '../../define/controller.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import { connectHookOf, isAround, type Middleware, writtenMiddleware } from '../../define/middleware.js'
import { decodeParams } from '../../routing/params.js'
import { describeServed, type Description } from '../../introspection.js'
import { isExpressOwn } from './initial-layers.js'
import { hasLostSlash } from '../../node/exchange.js'
import type { RouteIndex } from '../../routing/route-index.js'
import { matchScope } from '../../routing/scope.js'
import { PathIndex, plainPath } from './path-index.js'
import {
  type ExpressVersion,
  type Handle,
  handleOf,
  type Layer,
  layersFor,
  matchLayer,
  restOf,
  type Route,
} from './layer.js'
import { methodFor } from './methods.js'
import { appOf } from './mounted-app.js'
import { mergeParams, type Params } from './params.js'
import { type App, isRouter, type Router, routerOf, versionOf } from './router.js'
import { nativeAmong, type NativeLayer } from './native-layer.js'
import { shapeOfLayer } from './shape.js'
import { type StandsFor, standsForOf } from './stands-for.js'

/**
 * What a step of a request is:
 *
 * - `middleware` of `app.use`
 * - a callback of `param`
 * - a `handler` of a route or of a Controller
 * - `native` middleware of a Controller, of its group or of all
 * - an `error` handler
 * - a `hook` of `addGlobal`
 * - `options`: the answer to OPTIONS that a router gives by itself
 */
export type StepKind = 'middleware' | 'param' | 'handler' | 'native' | 'error' | 'hook' | 'options'

/** One function that a request passes. */
export interface Step {
  readonly kind: StepKind
  readonly run: Handle
  /** What it was registered with, and as which part of it: what the place of its registration is looked up by. */
  readonly owner: object
  readonly part: unknown
  /** The layers that lead to it, the outermost first; its own is the last one, where it has one. */
  readonly through: readonly Layer[]
  /** The route or the Controller that it is a handler of. */
  readonly route?: Route | RunnableController
  /** True for the last handler of its route, which is the one to answer. */
  readonly isLast?: boolean
  /** True for a middleware of our own kind, which goes on by returning: it has no `next` that its text could name. */
  readonly returns?: boolean
  /** True within a Controller that `toControllers` has made of a route of the app. */
  readonly takenOver?: boolean
  /** True for a callback that returns its answer: nothing can come behind it. */
  readonly isAnswer?: boolean
  /** Of a native callback in a route of Express, or of a handler that it runs: the handlers that stand behind it in the route. */
  readonly behind?: readonly Step[]
  /** The names of the params that it sees. */
  readonly params: readonly string[]
  /** Of a callback of `param`: the name of the param. */
  readonly param?: string
  /** Of a hook: the path in its list that it is mounted at. */
  readonly scope?: string
  /**
   * Of an error handler: how many of the steps directly before it may lead to it by an error. One that only a param leads to which
   * cannot be decoded has none.
   */
  readonly catches?: number
}

/** True for a layer of an engine, which is no part of the path of what it stands for. */
export function isMarked(layer: Layer): boolean {
  return standsForOf(layer) !== undefined
}

/** An app or a router that `toControllers` has made this Controller of; undefined for one of the user's own. */
export function takenBy({ pattern }: RunnableController): unknown {
  const { taken } = (pattern.foreign ?? {}) as { taken?: { app?: App; router: () => Router | undefined } }
  return taken && (taken.app ?? taken.router())
}

/** True for all the Controllers that `toControllers` has made of an app without a choice of routes. */
export function isWholeOf(controllers: readonly RunnableController[]): boolean {
  const { taken } = (controllers[0]?.pattern.foreign ?? {}) as {
    taken?: { controllers: readonly unknown[]; selection: unknown }
  }
  return taken?.selection === undefined && controllers.length === taken?.controllers.length
}

/** The route of an app that `toControllers` has made this Controller of; undefined for one of the user's own, and for that of all requests. */
export function takenRoute({ pattern }: RunnableController): Route | undefined {
  return ((pattern.foreign ?? {}) as { route?: Route }).route
}

/**
 * Follows a request through all that it would pass if each function called `next()`, in order. No function is called.
 *
 * It is the loop of Express's router over again, because that loop cannot be run without its handlers. With `without`
 * it goes past the RouteControllers of that owner, as if they were not there.
 */
export function trace(
  served: unknown,
  method: string,
  url: string,
  index: LayerIndex = new LayerIndex(),
  without?: object,
): Step[] {
  return walked(served, method, url, index, without).steps
}

/** The same behind the RouteControllers of an owner; all of it where those do not stand in what serves. */
export function traceBehind(
  served: unknown,
  method: string,
  url: string,
  index: LayerIndex,
  owner: object,
): Step[] {
  const { steps, met } = walked(served, method, url, index, owner)
  return steps.slice(met)
}

/**
 * The error handlers that an error of the step `at` of a request leads to, in their order: those of its route or its Controller, of its
 * router behind it, and of each router around. `meets` says of one that does not stand in the way of this very request whether it is told
 * all the same: others of the same route may meet it.
 */
export function errorHandlersBehind(
  served: unknown,
  method: string,
  url: string,
  at: number,
  index: LayerIndex,
  meets: (through: readonly Layer[]) => boolean,
): Step[] {
  const { steps } = walked(served, method, url, index, undefined, { at, meets })
  return steps.slice(at + 1).filter(({ kind }) => kind === 'error')
}

/** Which step of a request throws, and which error handlers count that do not match its path. */
interface Throwing {
  readonly at: number
  readonly meets: (through: readonly Layer[]) => boolean
}

function walked(
  served: unknown,
  method: string,
  url: string,
  index: LayerIndex,
  without: object | undefined,
  throwing?: Throwing,
): Walk {
  const path = url.split('?', 1)[0]!
  const walk = new Walk(method, path, index, without, throwing)
  walk.serve(served, path, undefined, [], true)
  return walk
}

/** Finds the layers of a router that a path may meet, by the segments of their paths. It is right while nothing is registered. */
export class LayerIndex {
  readonly #indexes = new WeakMap<readonly Layer[], PathIndex<readonly Layer[]>>()
  readonly #errorLayers = new WeakMap<readonly Layer[], readonly (readonly [at: number, layer: Layer])[]>()

  layersFor(stack: readonly Layer[], version: ExpressVersion, path: string): readonly Layer[] {
    if (stack.length < worthAnIndex || plainPath(path) === undefined) return stack
    let index = this.#indexes.get(stack)
    if (index === undefined) {
      const shapes = stack.map((layer) => shapeOfLayer(version, layer))
      index = new PathIndex(shapes, (chosen) => chosen.map((at) => stack[at]!))
      this.#indexes.set(stack, index)
    }
    return index.of(path)
  }

  /** The error handlers of `use` behind a layer, or from a place on. */
  errorLayers(stack: readonly Layer[], behind: Layer): readonly Layer[] {
    let all = this.#errorLayers.get(stack)
    if (all === undefined) {
      all = stack.flatMap((layer, at) =>
        layer.route === undefined && layer.handle.length === 4 ? [[at, layer] as const] : [],
      )
      this.#errorLayers.set(stack, all)
    }
    if (all.length === 0) return []
    const from = stack.indexOf(behind)
    return all.flatMap(([at, layer]) => (at > from ? [layer] : []))
  }
}

// A request of a test meets each router once.
const worthAnIndex = 50

/** Whether a mount takes two slashes for one. */
const takesTwoSlashes: Readonly<Record<ExpressVersion, boolean>> = { 4: true, 5: false }

/** A router, and the methods that it names at its end. */
interface Around {
  readonly router: object
  readonly allowed: string[]
}

class Walk {
  readonly steps: Step[] = []
  readonly method: string
  /** What has failed to be decoded: from then on error handlers alone are called. */
  failed = false
  #takenOver = false
  /** True once nothing more can be passed. */
  ended = false
  /** How many steps there were when the RouteControllers were met that it goes past. */
  met = 0

  readonly #sent: string
  readonly #index: LayerIndex
  readonly #without: object | undefined
  readonly #throwing: Throwing | undefined
  /** True behind the step that throws. */
  #hasThrown = false

  constructor(
    method: string,
    path: string,
    index: LayerIndex,
    without: object | undefined,
    throwing: Throwing | undefined,
  ) {
    this.method = method
    this.#sent = path
    this.#index = index
    this.#without = without
    this.#throwing = throwing
  }

  /** Goes through whatever serves; gives false for a function of which nothing is known. */
  serve(
    served: unknown,
    path: string,
    params: Params | undefined,
    through: readonly Layer[],
    isRoot = false,
  ): boolean {
    const serving = describeServed(served)
    if (serving !== undefined) {
      const { description } = serving
      if (description === undefined) return false
      if (description.owner === this.#without) {
        this.met = this.steps.length
        return true
      }
      this.#controllers(description, path, params, through, isRoot, serving.fallback)
      return true
    }
    const app = appOf(served)
    if (app !== undefined) {
      const router = routerOf(app)
      const around = this.#appVersion
      const version = (this.#appVersion = versionOf(app))
      if (isRouter(router)) this.#router(router, version, path, params, through)
      this.#appVersion = around
      return true
    }
    if (!isRouter(served)) return false
    this.#router(served, versionOf(served), path, params, through)
    return true
  }

  /** The router that the request is in. */
  #around: Around | undefined

  #add(step: Step): void {
    this.steps.push(this.#takenOver ? { ...step, takenOver: true } : step)
    if (this.steps.length - 1 === this.#throwing?.at) this.#hasThrown = this.failed = true
  }

  #router(
    router: Router,
    version: ExpressVersion,
    path: string,
    parent: Params | undefined,
    through: readonly Layer[],
    isMet: (layer: Layer) => boolean = () => true,
    inPlaceOf?: Around,
  ): void {
    const called = new Map<string, string>()
    const allowed = inPlaceOf?.allowed ?? []
    const around = this.#around
    this.#around = { router, allowed }
    const leave = (): void => void (this.#around = around)
    const from = this.steps.length
    for (const layer of this.#index.layersFor(router.stack, version, path)) {
      if (!isMet(layer)) continue
      let match
      try {
        match = matchLayer(layer, path)
      } catch {
        this.failed = true
        continue
      }
      if (match === undefined) continue
      const { route } = layer
      if (route !== undefined) {
        if (this.failed) continue
        const handles = methodFor(route, this.method) !== undefined
        if (!handles) allowed.push(...Object.keys(route.methods))
        // As in Express: a route without HEAD is entered all the same, so that callbacks of its params run.
        if (!handles && this.method !== 'HEAD') continue
      }
      const params = router.mergeParams ? mergeParams(match.params, parent) : match.params
      const here = [...through, layer]
      if (isExpressOwn(layer, version, router.stack)) continue
      this.#params(router, match.names, params, called, here)
      const standsFor = standsForOf(layer)
      if (route !== undefined) this.#route(route, path, params, here)
      else if (standsFor !== undefined) this.#part(standsFor, version, path, match.path, params, here, from)
      else this.#mount(layer, version, path, match.path, params, here, from)
      if (this.ended) return leave()
      if (!this.#hasThrown) continue
      this.#errorLayers(router, layer, version, path, parent, through, from)
      break
    }
    leave()
    if (this.method !== 'OPTIONS' || this.failed || allowed.length === 0 || inPlaceOf !== undefined) return
    const { stack } = router
    this.#add({ kind: 'options', run: () => {}, owner: router, part: stack, through, params: [] })
    this.ended = true
  }

  /** What an error of a layer leads to in its router. */
  #errorLayers(
    router: Router,
    behind: Layer,
    version: ExpressVersion,
    path: string,
    parent: Params | undefined,
    through: readonly Layer[],
    from: number,
  ): void {
    for (const layer of this.#index.errorLayers(router.stack, behind)) {
      let match
      try {
        match = matchLayer(layer, path)
      } catch {
        continue
      }
      const here = [...through, layer]
      const standsFor = standsForOf(layer)
      const params = (match && (router.mergeParams ? mergeParams(match.params, parent) : match.params)) ?? {}
      if (match !== undefined && standsFor !== undefined)
        this.#part(standsFor, version, path, match.path, params, here, from)
      else if (match !== undefined && restOf(version, path, match.path) !== undefined)
        this.#mount(layer, version, path, match.path, params, here, from)
      else if (standsFor === undefined && this.#throwing!.meets(here))
        this.#errorHandler({ run: handleOf(layer), owner: layer, through: here, params: [] }, from)
    }
  }

  /** Callbacks of `param` run once for each value that a router has met. */
  #params(
    router: Router,
    names: readonly string[],
    params: Params,
    called: Map<string, string>,
    through: readonly Layer[],
  ): void {
    for (const name of names) {
      const value = params[name]
      // A param may be called `constructor`.
      const callbacks = Object.hasOwn(router.params, name) ? router.params[name] : undefined
      if (value === undefined || !callbacks || called.get(name) === value) continue
      called.set(name, value)
      const step = {
        kind: 'param',
        owner: router,
        through,
        params: Object.keys(params),
        param: name,
      } as const
      for (const run of callbacks) this.#add({ ...step, run, part: run })
    }
  }

  #route(route: Route, path: string, params: Params, through: readonly Layer[]): void {
    const all = layersFor(route, this.method).filter(({ handle }) => handle.length <= 4)
    const native = nativeAmong(route, all)
    const layers = native === undefined ? all : layersWith(native, all)
    const last = layers.findLast(({ handle }) => handle.length <= 3)
    const names = Object.keys(params)
    const outside = through.slice(0, -1)
    const from = this.steps.length
    // What has thrown leads to all error handlers behind it, in their order.
    let met = layers
    for (let at = 0; at < met.length; at++) {
      const layer = met[at]!
      if (this.#hasThrown && layer.handle.length !== 4) continue
      const inner = [...through, layer]
      if (native !== undefined && layer === all[native.at]) {
        for (const step of stepsOfNative(native, all, { route, params: names, through })) {
          if (step.kind === 'error') this.#errorHandler(step, from)
          else this.#add(step)
        }
        if (this.#hasThrown) [met, at] = [all, native.at]
        continue
      }
      const isLast = layer === last
      const run = handleOf(layer)
      const { controller, handler } = standsForOf(layer) ?? {}
      if (layer.handle.length === 4) {
        const own = { owner: controller ?? layer, through: controller === undefined ? inner : outside }
        this.#errorHandler({ ...own, run: handler ?? run, route: controller ?? route, params: names }, from)
      } else if (controller === undefined) {
        if (!this.serve(run, path, params, inner)) this.#handler(run, layer, route, isLast, names, inner)
      } else if (handler === undefined) this.#own(controller, names, outside)
      else this.#handler(handler, controller, controller, isLast, names, outside)
      if (this.ended) return
    }
  }

  /** A hook of `addGlobal`, or an app that was taken over. */
  #part(
    { hook, app, router, stack }: StandsFor,
    version: ExpressVersion,
    path: string,
    taken: string,
    params: Params,
    through: readonly Layer[],
    from: number,
  ): void {
    const engine = this.#engine!
    const outside = through.slice(0, -1)
    if (hook !== undefined) {
      const isCalled = hook.isErrorHook || !this.failed
      if (!isCalled || restOf(version, path, taken) === undefined) return
      return this.#hook(hook, engine.owner, outside, from)
    }
    if (router === undefined || !engine.isTaken || this.failed) return
    engine.hasEntered = true
    const before = this.#takenOver
    this.#takenOver = true
    const whole = { ...router, params: router.params, stack } as unknown as Router
    this.#router(whole, versionOf(app ?? router), path, params, outside)
    this.#takenOver = before
  }

  #mount(
    layer: Layer,
    version: ExpressVersion,
    path: string,
    taken: string,
    params: Params,
    through: readonly Layer[],
    from: number,
  ): void {
    const rest = restOf(version, path, taken)
    if (rest === undefined) return
    const handle = handleOf(layer)
    const own = { run: handle, owner: layer, through, params: Object.keys(params) }
    if (handle.length === 4) return this.#errorHandler(own, from)
    if (this.failed || handle.length > 3) return
    const around = this.#base
    this.#base += taken.endsWith('/') ? taken.slice(0, -1) : taken
    const isServed = this.serve(handle, rest, params, through)
    this.#base = around
    if (!isServed) this.#add({ ...own, kind: 'middleware', part: handle })
  }

  /** One that an error of a step leads to, of those that are there since `from`: other routers keep their errors to themselves. */
  #errorHandler(step: Pick<Step, 'run' | 'owner' | 'route' | 'through' | 'params'>, from: number): void {
    const catches = this.steps.length - from
    const own = { ...step, kind: 'error', part: step.run } as const
    if (this.failed) this.#add(own)
    else if (catches > 0) this.#add({ ...own, catches })
  }

  /** The mounts that a request is below, as `req.baseUrl` has them. */
  #base = ''

  /** The version of the app that a request is in. */
  #appVersion: ExpressVersion | undefined

  /**
   * True behind a mount that has taken two slashes for one. RouteControllers leave such a request to their host, and
   * their hooks for every request get it whatever their path.
   */
  #isSwallowed(path: string): boolean {
    if (this.#appVersion !== undefined && !takesTwoSlashes[this.#appVersion]) return false
    return this.#base !== '' && hasLostSlash(this.#base, path, this.#sent)
  }

  /** The engine that a request is in, and whether it is for that. */
  #engine:
    | {
        readonly owner: object
        readonly middleware: readonly Middleware[]
        readonly isTaken: boolean
        hasEntered: boolean
      }
    | undefined

  #controllers(
    { owner, hooks, middleware, engine }: Description,
    path: string,
    params: Params | undefined,
    through: readonly Layer[],
    isRoot: boolean,
    fallback: unknown,
  ): void {
    // A layer of an app that was taken over leads back to where the request is already.
    if (this.#engine?.owner === owner) return
    const isInFront = fallback !== undefined
    const isSwallowed = this.#isSwallowed(path)
    const isTaken = !isSwallowed && engine.takes(this.method, path)
    // Alone, hooks get what no Controller takes; an app that was taken over does not.
    const takes = isTaken || (!isSwallowed && isRoot && !isInFront)
    const around = this.#engine
    const own = (this.#engine = { owner, middleware, isTaken, hasEntered: false })
    const { index, router } = engine
    if (index !== undefined) this.#throughOwn(index, hooks, owner, path, through, takes, isSwallowed)
    else {
      const whole = router as Router
      // In the router of the host that they stand in they name their methods with all its routes.
      const inPlaceOf =
        engine.place !== undefined && engine.place === this.#around?.router ? this.#around : undefined
      const isForAll = ({ every, isErrorHook }: HookEntry): boolean => every || isErrorHook
      const isMet = (layer: Layer): boolean => {
        const { hook } = standsForOf(layer) ?? {}
        return takes || inPlaceOf !== undefined || (hook !== undefined && isForAll(hook))
      }
      this.#router(whole, versionOf(whole), path, params, through, isMet, inPlaceOf)
    }
    this.#engine = around
    // Outside of Express an error is answered here, and so is what a part of an app has begun.
    if (isRoot && (this.failed || own.hasEntered)) this.ended = true
    // So it is where the RouteControllers are in front of a fallback, and what that throws is answered there.
    this.ended ||= this.#hasThrown && isInFront
    if (!this.ended && isInFront) this.serve(fallback, path, undefined, through)
    this.ended ||= this.#hasThrown && isInFront
  }

  /** Our own engine: hooks, then the most specific Controller. */
  #throughOwn(
    index: RouteIndex<RunnableController>,
    hooks: readonly HookEntry[],
    owner: object,
    path: string,
    through: readonly Layer[],
    takes: boolean,
    isSwallowed: boolean,
  ): void {
    const from = this.steps.length
    const match = isSwallowed ? undefined : index.match(this.method, path)
    const met = hooks.filter(
      ({ every, scope }) =>
        (every || takes) && (scope === undefined || isSwallowed || matchScope(scope, path) >= 0),
    )
    // An error of a hook goes to the error hooks behind that, and one of a Controller to all of them.
    const isBefore = ({ isErrorHook }: HookEntry): boolean => match === undefined || !isErrorHook
    for (const entry of met.filter(isBefore)) this.#hook(entry, owner, through, from)
    if (match === undefined) return
    const controller = match.route.target
    let params: readonly string[]
    try {
      params = Object.keys(decodeParams(match.route.pattern.names, match.values))
    } catch {
      this.failed = true
      params = []
    }
    if (!this.failed) this.#throughController(controller, params, through)
    if (this.ended) return
    for (const entry of met) if (entry.isErrorHook) this.#hook(entry, owner, through, from)
  }

  #throughController(
    controller: RunnableController,
    params: readonly string[],
    through: readonly Layer[],
  ): void {
    this.#own(controller, params, through)
    const handlers = nodeCallbackOf(controller.callback)?.handlers ?? []
    const last = handlers.findLast((run) => run.length <= 3)
    const ofRoute = this.steps.length
    for (const run of handlers) {
      if (run.length <= 3) this.#handler(run, controller, controller, run === last, params, through)
      else if (run.length === 4) {
        this.#errorHandler({ run, owner: controller, route: controller, through, params }, ofRoute)
      }
    }
  }

  #hook(entry: HookEntry, owner: object, through: readonly Layer[], from: number): void {
    const { hook, isErrorHook, scope } = entry
    const mounted = scope === undefined ? {} : { scope: scope.source }
    if (isErrorHook) this.#errorHandler({ run: hook, owner, through, params: [] }, from)
    else this.#add({ kind: 'hook', run: hook, owner, part: hook, through, params: [], ...mounted })
  }

  /** What is our own of a Controller: its middleware, and its callback unless that is made of Express's handlers. */
  #own(controller: RunnableController, params: readonly string[], through: readonly Layer[]): void {
    const { callback, middleware } = controller
    const step = { kind: 'handler', owner: controller, through, route: controller, params } as const
    const add = (owner: object, one: Middleware): void => {
      const isNative = connectHookOf(one) === undefined
      const returns = isNative && !isAround(one)
      const kind = isNative ? 'native' : 'handler'
      this.#add({
        ...step,
        kind,
        owner,
        run: writtenMiddleware(one) as Handle,
        part: one,
        isLast: false,
        returns,
      })
    }
    for (const one of this.#engine?.middleware ?? []) add(this.#engine!.owner, one)
    for (const one of middleware) add(controller, one)
    if (nodeCallbackOf(callback) !== undefined) return
    this.#add({ ...step, run: callback, part: callback, isLast: true, isAnswer: true })
    this.ended = !this.#hasThrown
  }

  #handler(
    run: Handle,
    owner: object,
    route: Route | RunnableController,
    isLast: boolean,
    params: readonly string[],
    through: readonly Layer[],
  ): void {
    this.#add({ kind: 'handler', run, owner, part: run, through, route, isLast, params })
  }
}

/**
 * The layers of a route as they are met where its native callback answers. Error handlers between that and the handler that it replaces come
 * first: by `next()` they let on what a guard has refused to the handler, in any state of the route.
 */
export function layersWith({ at: native }: NativeLayer, layers: readonly Layer[]): readonly Layer[] {
  const isError = ({ handle }: Layer): boolean => handle.length === 4
  const last = layers.findLastIndex(({ handle }) => handle.length <= 3)
  const between = layers.slice(native + 1, last + 1).filter(isError)
  const behind = layers.slice(Math.max(native, last) + 1).filter(isError)
  return [...layers.slice(0, native), ...between, layers[native]!, ...behind]
}

/** The steps of a native callback among layers of a route, which takes each request: what it passes on goes on behind the route. */
export function stepsOfNative(
  { at, controller, handlers }: NativeLayer,
  layers: readonly Layer[],
  { through, ...of }: Pick<Step, 'route' | 'params' | 'through'>,
): Step[] {
  const stepOf = (layer: Layer, run: Handle): Step => {
    const kind = run.length === 4 ? 'error' : 'handler'
    return { ...of, kind, run, owner: layer, part: run, through: [...through, layer] }
  }
  const own = layers[at]!
  const behind = layers.slice(at + 1).flatMap((layer) => {
    const run = handleOf(layer)
    return run.length <= 3 ? [stepOf(layer, run)] : []
  })
  if (handlers === undefined) {
    return [{ ...stepOf(own, controller.callback), kind: 'handler', isLast: true, isAnswer: true, behind }]
  }
  const last = handlers.findLast((run) => run.length <= 3)
  return handlers
    .filter((run) => run.length <= 4)
    .map((run) => ({ ...stepOf(own, run), isLast: run === last, behind }))
}
