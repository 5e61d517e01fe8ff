import { RouteControllersError } from '../../../../src/ground/errors.js'
import { checkOptionNames } from '../../../../src/ground/options.js'
import {
  type Description,
  describeHandler,
  describeServed,
  isController,
  type RunnableController,
  standForHandler,
} from 'routecontrollers/introspection'
import {
  handleOf,
  appOf,
  isApp,
  isRouter,
  type Layer,
  layersFor,
  nativeAmong,
  type Route,
  type Router,
  routerBehind,
  versionOf,
} from 'routecontrollers/express-model'
import { countWrapped, mayPass } from 'routecontrollers/express-model'
import { wrappedBy } from './wrapped.js'
import { former, keyOf, type Passing } from '../documents/same-pass.js'
import type { Asked, AskedMount } from '../documents/child.js'
import { exampleOf } from './example.js'
import { findInterceptors, findNativesFirst, findNonGuards, findProblems } from './findings.js'
import { FunctionReader } from './functions.js'
import { Passes } from './passes.js'
import { Sites } from './sites.js'
import { currentRecorder, type Registrations } from './record.js'
import {
  describedIn,
  endOf,
  ends,
  findMountWitness,
  findWitness,
  isOf,
  isOfMount,
  isSameAnswer,
  isSameWay,
  type LiveMount,
  type LiveRoute,
  mayMeet,
  mountOf,
  type OpaqueLayer,
  type Reachable,
  reachableIn,
  shapeOf,
  type Witness,
} from 'routecontrollers/express-model'
import type {
  Answerer,
  AppRow,
  InspectFinding,
  InspectOptions,
  Inventory,
  Observation,
  Pass,
  RouteRow,
  RouteSettings,
  TrustProxy,
} from '../documents/inventory.js'
import { Sources } from '../syntax/sources.js'
import { toldFinding } from '../report/inspect-findings.js'
import {
  errorHandlersBehind,
  LayerIndex,
  layersWith,
  type Step,
  stepsOfNative,
  trace,
} from 'routecontrollers/express-model'

/** Throws ERR_OPTION_INVALID for a name that is not known, or a value that does not fit. */
export function inspectOptions(owner: string, options: InspectOptions): InspectOptions {
  checkOptionNames(owner, options, ['root'])
  if (options.root === undefined || typeof options.root === 'string') return options
  throw new RouteControllersError('ERR_OPTION_INVALID', `${owner}: root is the path of a folder`)
}

/** Opens what reads functions and sources, and closes it. */
export function withReading<T>(app: unknown, options: InspectOptions, read: (reading: Reading) => T): T {
  const roots = (Array.isArray(app) ? (app as unknown[]) : [app]).map(rootOf)
  const functions = new FunctionReader()
  try {
    return read(new Reading(roots, functions, options.root ?? process.cwd()))
  } finally {
    functions.close()
  }
}

/** What serves requests, for whatever stands for it. */
function rootOf(app: unknown): unknown {
  const { getCallback } = (app ?? {}) as { getCallback?: () => object }
  if (typeof getCallback === 'function') {
    const fetchHandler = getCallback.call(app)
    if (describeHandler(fetchHandler) !== undefined) {
      return standForHandler(fetchHandler)
    }
  }
  if (isApp(app) || isRouter(app) || describeServed(app) !== undefined) return app
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `inspect takes an app or a router of Express 4 or 5, or RouteControllers, not ${app === null ? 'null' : typeof app}`,
  )
}

// A list that can be read.
const mostStale = 3

/** One look at one or more apps, as they are now. */
export class Reading {
  readonly roots: readonly unknown[]
  readonly sources: Sources
  readonly functions: FunctionReader
  readonly sites: Sites
  readonly #passes: Passes
  readonly #recorder: Registrations | undefined
  readonly #found: readonly Reachable[]
  /** Of each app, its routes by what they are. */
  readonly #routesOf: readonly ReadonlyMap<unknown, readonly LiveRoute[]>[]
  readonly #index = new LayerIndex()
  readonly #standsIn = new Map<Layer, { readonly router: Router; readonly at: number }>()
  readonly #errorLayers = new Map<Router, readonly Layer[]>()
  readonly #lives = new WeakMap<RouteRow, LiveRoute>()

  constructor(roots: readonly unknown[], functions: FunctionReader, root: string) {
    countWrapped(wrappedBy)
    this.roots = roots
    this.functions = functions
    this.sources = new Sources(root, functions.sourceMapUrls)
    this.#recorder = currentRecorder()
    this.sites = new Sites(this.#recorder, functions, this.sources)
    this.#passes = new Passes({
      recorder: this.#recorder,
      functions,
      sources: this.sources,
      sites: this.sites,
      pathOf: this.#pathOf,
    })
    this.#found = roots.map((served) => reachableIn(served, this.#pathOf))
    this.#routesOf = this.#found.map(({ routes }) => {
      const byRoute = new Map<unknown, LiveRoute[]>()
      for (const live of routes) byRoute.set(live.route, [...(byRoute.get(live.route) ?? []), live])
      return byRoute
    })
    // The routers of routes come first: those of an app that was taken over are copies. One may lead to others alone.
    const all = this.#found.flatMap(({ routes, mounts }) => [...routes, ...mounts])
    const ways = new Set(all.flatMap(({ through }) => through))
    const routers = [
      ...all.map(({ router }) => router),
      ...[...ways].map((layer) => routerBehind(handleOf(layer))),
    ]
    for (const router of new Set([...routers, ...roots.map((root) => routerBehind(appBehind(root)))])) {
      router?.stack.forEach((layer, at) => {
        if (!this.#standsIn.has(layer)) this.#standsIn.set(layer, { router, at })
      })
    }
  }

  readonly #pathOf = (layer: Layer): unknown => this.#recorder?.pathOf(layer)

  inventory(): Inventory {
    const rows = this.#found.map((_found, app) => this.#rows(app))
    const apps = this.roots.map((served, app) => this.#app(served, rows[app]!))
    const routes = rows.flat()
    const findings = [
      ...findProblems(routes),
      ...this.roots.flatMap((_served, app) => findInterceptors(rows[app]!)),
      ...findNativesFirst(routes),
      ...this.roots.flatMap((served, app) =>
        findNonGuards(this.#described(served).map((one) => ({ ...one, app }))),
      ),
      ...this.#found.flatMap(({ opaque }, app) => opaque.map((one) => this.#hidden(one, app))),
    ]
    return { version: 1, apps, routes, findings: findings.map(toldFinding), notes: this.#notes() }
  }

  /** What is not as it was built, and what could not be read, and why. */
  #notes(): string[] {
    const own = [...this.sources.unreadable].filter(([file]) => !/[\\/]node_modules[\\/]/.test(file))
    const cut = [...this.sources.cutShort].map(
      (place) =>
        `${place}: a guard leads to more code than check follows, and a change of the rest is not seen`,
    )
    const stale = [...this.sources.stale].map(
      ([source, compiled]) =>
        `${this.sources.shown(source)} is newer than ${this.sources.shown(compiled)}: build first`,
    )
    const more = stale.length - mostStale
    return [
      ...stale.slice(0, mostStale),
      ...(more > 0 ? [`${more} more of the sources are newer than what was built of them`] : []),
      ...own.map(([file, reason]) => `${this.sources.shown(file)}: ${reason}`),
      ...cut,
    ]
  }

  /** The route that a row of the inventory is of; undefined for that of a function of `use`. */
  liveOf(row: RouteRow): LiveRoute | undefined {
    return this.#lives.get(row)
  }

  #hidden({ layer, path }: OpaqueLayer, app: number): InspectFinding {
    const registration = this.#recorder?.ofLayer(layer)
    return {
      code: 'opaque',
      app,
      method: '*',
      path,
      at: registration && this.sites.at(registration),
      witness: undefined,
      leadsTo: layer.name === 'router' ? 'router' : 'app',
    }
  }

  /** The rows of one app: its routes, and the functions of `use` that are in no row yet or known to answer. */
  #rows(app: number): RouteRow[] {
    const { routes, mounts } = this.#found[app]!
    const rows: { readonly position: number; readonly row: RouteRow }[] = []
    /** Functions of `use` that are in a row, by the ways that lead to them. */
    const listed = new Map<object, (readonly Layer[])[]>()
    const isListed = ({ owner, through }: Pick<Step, 'owner' | 'through'>): boolean =>
      listed.get(owner)?.some((way) => isSameWay({ through }, way)) ?? false
    const add = (
      { position }: { readonly position: number },
      row: RouteRow,
      steps: readonly Step[],
    ): void => {
      rows.push({ position, row })
      for (const step of steps) {
        const { kind, owner, through } = step
        if (kind !== 'middleware' || isListed(step)) continue
        listed.set(owner, [...(listed.get(owner) ?? []), through])
      }
    }
    for (const live of routes) {
      const witness = findWitness(this.roots[app], live, this.#index)
      const at = lastOf(live, witness)
      const end = ownEnd(witness, at)
      const row = this.#row(app, live, witness, at, end)
      this.#lives.set(row, live)
      add(live, row, witness.steps.slice(0, Math.max(end, 0)))
    }
    const addMount = (mount: LiveMount, isWanted: (steps: readonly Step[], end: number) => boolean): void => {
      const witness = findMountWitness(this.roots[app], mount, this.#index)
      const at = witness.steps.findIndex((step) => isOfMount(mount, step))
      const end = ownEnd(witness, at)
      const steps = witness.steps.slice(0, at + 1)
      if (at < 0 || !isWanted(steps, end)) return
      add(mount, this.#mountRow(app, mount, witness, at, end), steps)
    }
    // From the last one on, so that what stands before it is in its row.
    const [known, others] = [true, false].map((isKnown) =>
      mounts
        .filter(
          ({ layer, isHidden }) => (isHidden || this.#passes.isKnownToAnswer(handleOf(layer))) === isKnown,
        )
        .reverse(),
    )
    for (const mount of known!) addMount(mount, () => true)
    for (const mount of others!) {
      if (isListed({ owner: mount.layer, through: mount.through })) continue
      // What is mounted at / is a row only for what it shows of others.
      const showsMore = (steps: readonly Step[], end: number): boolean =>
        end === steps.length - 1 &&
        this.#passes.answers(steps[end]!) &&
        steps.slice(0, end).some((step) => step.kind === 'middleware' && !isListed(step))
      addMount(mount, mount.path === '/' ? showsMore : () => true)
    }
    return rows.sort((a, b) => a.position - b.position).map(({ row }) => row)
  }

  #app(served: unknown, rows: readonly RouteRow[]): AppRow {
    const mounts = rows.filter(({ kind }) => kind === 'mount').length
    const routes = rows.length - mounts

    const serving = describeServed(served)
    const app = appBehind(served)
    const trustProxy = trustOf(app)
    const version = isApp(app) || isRouter(app) ? versionOf(app) : undefined
    const kind = isApp(served) ? 'Express app' : 'Express router'
    return { kind: serving === undefined ? kind : 'RouteControllers', version, routes, mounts, trustProxy }
  }

  #row(app: number, live: LiveRoute, witness: Witness, at: number, end: number): RouteRow {
    const { method, path } = live
    const last = witness.steps[at]
    const observation =
      witness.url === undefined
        ? this.#unreached(app, live)
        : this.#observation(app, witness.method, witness.url, witness.steps, end, live)
    const answers = last === undefined ? undefined : this.#passes.pass(last)
    const own = {
      by: isController(live.route) ? ('Controller' as const) : byOf(last),
      name: answers?.name ?? '<anonymous>',
      at: answers?.at ?? this.#atOf(live),
      definition: answers?.definition,
      source: answers?.source,
      formerSource: answers?.formerSource,
    }
    const { route } = live
    const example = isController(route) ? exampleOf(route.options, route.pattern.segments) : undefined
    const followed = isFollowed(live) ? { followed: true as const } : {}
    const staged = { ...own, ...this.#stageOf(live, last), ...followed }
    const told = { app, kind: 'route', method, path, own: staged } as const
    const row = this.#rowOf(told, live, witness, at, end, observation)
    return example === undefined ? row : { ...row, example }
  }

  /** How far a route of Express is; its last step may not be known by a request. */
  #stageOf(live: LiveRoute, last: Step | undefined): Pick<RouteRow['own'], 'stage' | 'behind'> {
    if (isController(live.route)) return {}
    const step =
      last ?? this.#handlersOf(live.method, live, live.route).findLast(({ kind }) => kind === 'handler')
    const behind = step && this.#behind(step)
    if (behind === undefined) return { stage: 'legacy' }
    return { stage: behind.length > 0 ? 'beside' : 'native', behind }
  }

  /** What stands behind a native callback in its route; undefined for anything else. */
  #behind({ behind }: Step): Pass[] | undefined {
    return behind?.map((step) => this.#passes.pass(step))
  }

  #mountRow(app: number, mount: LiveMount, witness: Witness, at: number, end: number): RouteRow {
    const { path } = mount
    const { steps, method, url } = witness
    const last = steps[at]!
    const isShadowed = end < at
    const observation = isShadowed
      ? this.#observation(app, method, url, steps, end)
      : this.#mountObservation(app, method, url, steps, at, path)
    const { name, at: place, definition, source, formerSource } = this.#passes.pass(last)
    const own = { by: byOf(last), name, at: place, definition, source, formerSource }
    return this.#rowOf({ app, kind: 'mount', method: '*', path, own }, mount, witness, at, end, observation)
  }

  #rowOf(
    told: Pick<RouteRow, 'app' | 'kind' | 'method' | 'path' | 'own'>,
    live: LiveRoute | LiveMount,
    witness: Witness,
    at: number,
    end: number,
    observation: Observation,
  ): RouteRow {
    const shadowed = end < at
    const last = witness.steps[at]
    return {
      ...told,
      witness: witness.url,
      witnessMethod: witness.method,
      shadowed,
      mayPass: !shadowed && (last === undefined || !ends(last)),
      ...observation,
    }
  }

  /** What stands before a route that no request is known for, by what is written in the paths: more than its requests pass, perhaps. */
  #unreached(app: number, live: LiveRoute): Observation {
    const { method, path, route, position, through } = live
    const none = this.#observation(app, method, undefined, [], -1)
    // Which hooks and which middleware are a Controller's says its request alone.
    if (isController(route)) return none
    const { routes, mounts, errorHandlers } = this.#found[app]!
    const before = [...errorHandlers, ...routes, ...mounts]
      .filter((one) => one.position < position || (one.position === position && !('route' in one)))
      .filter((one) => mayMeet(path, one.path, false))
      .sort((a, b) => a.position - b.position)
      .flatMap((one): Step[] => {
        if ('layer' in one) return [stepOfLayer('middleware', one.layer, one.through)]
        const isMet = one.route !== route && (one.method === '*' || one.method === method)
        if (!isMet || isController(one.route)) return []
        const steps = this.#handlersOf(method, one, one.route)
        // One that keeps its request is no guard of another.
        const last = steps.findLast(({ kind }) => kind === 'handler')
        const keeps = (step: Step): boolean => step.kind === 'handler' && !mayPass(step.run, step === last)
        return steps.some(keeps) ? [] : steps
      })
    const params = through.flatMap((layer, at): Step[] => {
      const owner = this.#standsIn.get(layer)?.router
      return Object.entries(owner?.params ?? {}).flatMap(([param, callbacks = []]) =>
        new RegExp(`[:<]${param.replaceAll('$', '\\$')}(?![\\w$])`).test(path)
          ? callbacks.map((run) => {
              const step = { kind: 'param', run, owner: owner!, part: run, params: [] } as const
              return { ...step, through: through.slice(0, at + 1), param }
            })
          : [],
      )
    })
    const own = this.#handlersOf(method, live, route)
    const last = own.findLastIndex(({ kind }) => kind === 'handler')
    const told = last < 0 ? undefined : this.#passes.pass(own[last]!)
    const passes = this.#passes.of(withCaught([...before, ...params, ...own.slice(0, Math.max(last, 0))]))
    const answer: Answerer = {
      by: 'Express',
      route: `${method} ${path}`,
      name: told?.name ?? '',
      at: told?.at,
      source: told?.source,
      takenOver: false,
      ...behindIn(last < 0 ? undefined : this.#behind(own[last]!)),
    }
    return { ...none, passes, answer, errorHandlers: this.#errorHandlers(live, own.slice(last + 1)) }
  }

  /** The handlers of a route of Express, as they are written: no request is known that meets them. */
  #handlersOf(method: string, { through }: LiveRoute, route: Route): Step[] {
    const layers = layersFor(route, method)
    const native = nativeAmong(route, layers)
    const met = native === undefined ? layers : layersWith(native, layers)
    return met.flatMap((layer) =>
      native !== undefined && layer === layers[native.at]
        ? stepsOfNative(native, layers, { route, params: [], through })
        : [stepOfLayer('handler', layer, [...through, layer])],
    )
  }

  /** Where a route was registered of which no request reaches a handler. */
  #atOf({ route }: LiveRoute): string | undefined {
    const owner = isController(route) ? route : route.stack.at(-1)
    if (owner === undefined) return undefined
    const found = isController(route)
      ? this.#recorder?.ofPart(route, route.callback)
      : this.#recorder?.ofLayer(owner)
    return found && this.sites.at(found)
  }

  /** What a request meets in the app as it is now, up to the answer that is expected. Where its app is gone: in the first app. */
  observe({ app, method, witness: url, answer: expected, number = 0, mount }: Asked): Observation {
    const served = app < this.roots.length ? app : 0
    const steps = trace(this.roots[served], method, url, this.#index)
    const end = endOf(steps)
    const same = steps.flatMap((step, at) => {
      const live = mount || !step.isLast ? undefined : this.#liveOf(served, step, method, expected)
      return live === undefined ? [] : { at, isExact: `${live.method} ${live.path}` === expected }
    })
    // A route of all methods before it may be a guard of the same path.
    const exact = same.filter(({ isExact }) => isExact)
    const found = (exact.length > 0 ? exact : same).map(({ at }) => at)
    const answers = mount ? this.#findMount(steps, mount) : (found[number] ?? found.at(-1) ?? -1)
    const isBefore = answers >= 0 && (end < 0 || answers <= end)
    if (mount && isBefore) return this.#mountObservation(served, method, url, steps, answers, mount.path)
    return this.#observation(served, method, url, steps, isBefore ? answers : end, undefined, expected)
  }

  /** The step that is a certain function of `use`, or the one in its place; -1 where there is none. */
  #findMount(steps: readonly Step[], { path, own, number, version }: AskedMount): number {
    const keyOfPass = (pass: Passing): string => keyOf(former(pass, version))
    const there = steps.flatMap((step, at) => {
      if (step.kind !== 'middleware') return []
      const pass = this.#ownPass(step)
      return shapeOf(pass.mount) === shapeOf(path) ? [{ at, pass }] : []
    })
    const same = there.filter(({ pass }) => keyOfPass(pass) === keyOfPass(own))
    const found = same[number] ?? same.at(-1) ?? there.findLast(({ pass }) => pass.name === own.name)
    return found?.at ?? -1
  }

  /** The route that a step is a handler of: of several, as a list of paths makes them, the one that is expected. */
  #liveOf(app: number, step: Step, method: string, expected?: string): LiveRoute | undefined {
    const all = (this.#routesOf[app]!.get(step.route) ?? []).filter(
      (one) => isOf(one, step) && (one.method === '*' || one.method === method || method === 'HEAD'),
    )
    // Of `route.all(guard).get(handler)` it is the latter that answers.
    const { method: own } = step.owner as Partial<Layer>
    if (expected === undefined) return all.find((one) => one.method === own?.toUpperCase()) ?? all[0]
    return all.find((one) => isSameAnswer(expected, `${one.method} ${one.path}`))
  }

  /** What a request passes until a function of `use`, and that one. */
  #mountObservation(
    app: number,
    method: string,
    url: string | undefined,
    steps: readonly Step[],
    at: number,
    path: string,
  ): Observation {
    const step = steps[at]!
    const observation = this.#observation(app, method, url, steps, at)
    const { passes, answer } = observation
    const own = this.#ownPass(step)
    const by = this.#passes.answers(step) ? byOf(step) : 'middleware'
    return { ...observation, passes: [...passes, own], answer: { ...answer, by, route: `* ${path}` } }
  }

  /** How the function itself is told in the row of a mount: the text of one that answers is not compared, as that of a route's handler. */
  #ownPass(step: Step): Pass {
    const pass = this.#passes.pass(step)
    return this.#passes.answers(step)
      ? { ...pass, source: undefined, formerSource: undefined, sourceNames: undefined, unverifiable: false }
      : pass
  }

  #observation(
    app: number,
    method: string,
    url: string | undefined,
    steps: readonly Step[],
    end: number,
    live?: LiveRoute,
    expected?: string,
  ): Observation {
    const answering = end < 0 ? undefined : steps[end]
    // One that keeps its request is met only by requests that come no further.
    const before = (end < 0 ? steps : steps.slice(0, end)).filter((step) => !ends(step))
    const route = answering?.route
    const found =
      live !== undefined && answering !== undefined && isOf(live, answering)
        ? live
        : answering &&
          (this.#liveOf(app, answering, method, expected) ?? this.#liveOf(app, answering, method))
    const pass = answering && this.#passes.pass(answering)
    const isRoute = answering?.kind === 'handler'
    const by = !answering
      ? 'nobody'
      : !isRoute
        ? 'middleware'
        : isController(route) || answering.takenOver
          ? 'Controller'
          : 'Express'
    // Without an answer, error handlers behind the last function stand before nothing.
    const last = end < 0 ? before.findLastIndex(({ kind }) => kind !== 'error') : before.length
    return {
      passes: this.#passes.of(before.slice(0, last + 1)),
      answer: {
        by,
        route: found && `${found.method} ${found.path}`,
        name: pass?.name ?? '',
        at: pass?.at,
        source: pass?.source,
        takenOver: answering?.takenOver ?? false,
        ...this.#listMount(answering),
        ...behindIn(answering && this.#behind(answering)),
      },
      params: answering?.params ?? [],
      settings: {
        ...this.#variants(app, method, url, answering),
        mergeParams: found?.router?.mergeParams ?? false,
        ...trustIn(appBehind(this.roots[app]), end < 0 ? steps : steps.slice(0, end + 1)),
      },
      errorHandlers:
        url === undefined ? [] : this.#errorHandlersBehind(app, method, url, steps, end, found?.path),
    }
  }

  /** The path that the list of a Controller is mounted at. */
  #listMount(answering: Step | undefined): Pick<Answerer, 'mount'> {
    if (answering === undefined || answering.takenOver || !isController(answering.route)) return {}
    return answering.through.length === 0 ? {} : { mount: this.#mountOf(answering) }
  }

  /** Whether other forms of the path reach the same handler: what the settings of all its routers come to. */
  #variants(
    app: number,
    method: string,
    url: string | undefined,
    answering: Step | undefined,
  ): Pick<RouteSettings, 'strict' | 'caseSensitive'> {
    const isOfApp = answering?.route !== undefined || answering?.kind === 'middleware'
    if (url === undefined || !isOfApp) return { strict: false, caseSensitive: false }
    const { route, run } = answering
    const reaches = (variant: string): boolean =>
      trace(this.roots[app], method, variant, this.#index).some(
        (step) => step.route === route && step.run === run,
      )
    const slashed = url.endsWith('/') ? url.slice(0, -1) || '/' : `${url}/`
    const swapped = url.replace(/[a-z]/gi, (letter) =>
      letter < 'a' ? letter.toLowerCase() : letter.toUpperCase(),
    )
    return { strict: !reaches(slashed), caseSensitive: !reaches(swapped) }
  }

  #mountOf({ through }: Pick<Step, 'through'>): string {
    return mountOf(through, this.#pathOf)
  }

  /**
   * The error handlers that an error of the step `at` leads to. A request is one of several for a path: one that others of them meet counts
   * too.
   */
  #errorHandlersBehind(
    app: number,
    method: string,
    url: string,
    steps: readonly Step[],
    at: number,
    route: string | undefined,
  ): Pass[] {
    const step = steps[at]
    if (step === undefined) return []
    const path = route ?? this.#mountOf(step)
    const isMount = step.kind === 'middleware'
    const isOne = !isMount && path.split('/').every((segment) => /^[\w.~@-]*$/.test(segment))
    const meets = (through: readonly Layer[]): boolean =>
      !isOne && mayMeet(path, this.#mountOf({ through }), isMount)
    const behind = errorHandlersBehind(this.roots[app], method, url, at, this.#index, meets)
    return behind.map((one) => this.#errorHandler(one, path))
  }

  /** How an error handler is told: one of the route itself stands at the path of that. */
  #errorHandler(step: Step, path: string): Pass {
    const pass = this.#passes.pass(step)
    return step.route === undefined ? pass : { ...pass, mount: path }
  }

  /**
   * Error handlers that stand behind a route of which no request is known: those of the route itself, then in its router, then behind each
   * mount on the way out.
   */
  #errorHandlers({ path, through }: LiveRoute, own: readonly Step[]): Pass[] {
    const passes = own.filter(({ kind }) => kind === 'error').map((step) => this.#errorHandler(step, path))
    for (let level = through.length - 1; level >= 0; level--) {
      const place = this.#standsIn.get(through[level]!)
      if (place === undefined) continue
      for (const layer of this.#errorLayersOf(place.router)) {
        if (this.#standsIn.get(layer)!.at <= place.at) continue
        const way = [...through.slice(0, level), layer]
        if (!mayMeet(path, this.#mountOf({ through: way }), false)) continue
        const step = { kind: 'error', run: layer.handle, owner: layer, part: layer.handle } as const
        passes.push(this.#passes.pass({ ...step, through: way, params: [] }))
      }
    }
    return passes
  }

  #errorLayersOf(router: Router): readonly Layer[] {
    let layers = this.#errorLayers.get(router)
    if (layers === undefined) {
      layers = router.stack.filter(({ route, handle }) => route === undefined && handle.length === 4)
      this.#errorLayers.set(router, layers)
    }
    return layers
  }

  /** All RouteControllers that stand in what serves. */
  #described(served: unknown): {
    readonly described: Description
    readonly atOf: (controller: RunnableController) => string | undefined
  }[] {
    const atOf = (controller: RunnableController): string | undefined => {
      const found = this.#recorder?.ofPart(controller, controller.callback)
      return found && this.sites.at(found)
    }
    return describedIn(served).map((described) => ({ described, atOf }))
  }
}

/** A layer as a step of which no request is known. */
function stepOfLayer(kind: Step['kind'], layer: Layer, through: readonly Layer[]): Step {
  const run = handleOf(layer)
  return { kind: run.length === 4 ? 'error' : kind, run, owner: layer, part: run, through, params: [] }
}

/** What stands behind a native callback, for who answers; nothing for who is none. */
function behindIn(behind: readonly Pass[] | undefined): Pick<Answerer, 'behind'> {
  return behind === undefined ? {} : { behind }
}

/** Steps that are known by their ways alone, with those that lead to each error handler: the ones before it in its router, or in its route. */
function withCaught(steps: readonly Step[]): Step[] {
  return steps.map((step, at) => {
    if (step.kind !== 'error') return step
    const around = step.through.slice(0, -1)
    const isWithin = ({ through }: Step): boolean => around.every((layer, level) => through[level] === layer)
    const from = steps.slice(0, at).findIndex(isWithin)
    return from < 0 ? step : { ...step, catches: at - from }
  })
}

function byOf(step: Step | undefined): 'Controller' | 'Express' {
  return step?.takenOver ? 'Controller' : 'Express'
}

/** The step of a route that is its handler. Functions of `all` behind the one that keeps its request are for other methods; -1 for none. */
function lastOf(live: LiveRoute, { steps, end }: Witness): number {
  const last = steps.findLastIndex((step) => isOf(live, step))
  const isForAll = ({ owner }: Step): boolean => (owner as Partial<Layer>).method === undefined
  const keeps = steps[end]
  const isOwn = keeps !== undefined && isOf(live, keeps) && !isForAll(keeps)
  return isOwn && steps.slice(end + 1, last + 1).every(isForAll) ? end : last
}

/** True where the last function for a method is one of `all`, and functions for other methods stand behind it in the route. */
function isFollowed({ method, route }: LiveRoute): boolean {
  if (isController(route)) return false
  const { stack } = route
  const last = stack.findLastIndex((layer) => !layer.method || layer.method === method.toLowerCase())
  return last >= 0 && last < stack.length - 1 && !stack[last]!.method
}

/** Up to where a witness is followed: to what it is of, or to who answers before. */
function ownEnd({ end }: Witness, at: number): number {
  return end >= 0 && end < at ? end : at
}

/** The app that stands for a root when it is asked about its settings. */
export function appBehind(served: unknown): unknown {
  const serving = describeServed(served)
  // A fallback may be RouteControllers with a fallback of their own.
  return serving === undefined ? served : appBehind(serving.fallback)
}

/** What the apps that a request meets take for its address: each has a setting of its own, or that of the app that it is mounted in. */
function trustIn(
  root: unknown,
  steps: readonly Step[],
): Pick<RouteSettings, 'trustProxy' | 'mountedTrustProxy'> {
  const trustProxy = trustOf(root)
  const layers = new Set(steps.flatMap(({ through }) => through))
  const mounted = new Set([...layers].map(handleOf).map((behind) => appOf(behind)))
  const others = [...mounted].filter((app) => app !== undefined).map(trustOf)
  const mountedTrustProxy = others.filter((one) => one !== trustProxy)
  return { trustProxy, ...(mountedTrustProxy.length > 0 && { mountedTrustProxy }) }
}

function trustOf(served: unknown): TrustProxy {
  const trust = isApp(served) ? served.settings['trust proxy'] : false
  if (typeof trust === 'boolean' || typeof trust === 'number') return trust
  return typeof trust === 'function' ? 'function' : [trust].flat().join(', ')
}
