import { RouteControllersError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import { isController, type RunnableController } from '../controller.js'
import {
  type Handle,
  isApp,
  isRouter,
  type Layer,
  type Router,
  routerOf,
  versionOf,
} from './express-router.js'
import { findInterceptors, findNonGuards, findProblems } from './findings.js'
import { FunctionReader, type Place } from './functions.js'
import { type Call, currentRecorder, type Registration, type Registrations } from './record.js'
import {
  describedIn,
  endOf,
  findWitness,
  isOf,
  isSameAnswer,
  type LiveRoute,
  type OpaqueLayer,
  routesOf,
  shownPath,
  joinPaths,
  type Witness,
} from './routes.js'
import type { AppRow, Finding, Inventory, Observation, Pass, RouteRow, RouteSettings } from './schema.js'
import { type ArgumentPath, type ArgumentText, hashOf, Sources } from './sources.js'
import { type Described, describeFetchHandler, describeServing, type Step, trace } from './trace.js'

/** Options of `inspect`. */
export interface InspectOptions {
  /** The folder that shown paths are relative to. Default: the current one. */
  root?: string
}

/**
 * Lists the routes of a live app: each with all that a request passes before it, in order, and what is odd about it.
 *
 * `app` is an app or a router of Express 4 or 5, RouteControllers, the function of `middleware()` or a listener; or a list of them.
 * No handler and no guard is called. Where things were registered is known only after `recordRegistrations`. Throws ERR_OPTION_INVALID
 * for anything else.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { inspect } from 'routecontrollers/migrate'
 *
 * const app = express()
 * app.use('/admin', function requireAdmin(req, res, next) {
 *   next()
 * })
 * app.get('/admin/users', (req, res) => res.json([]))
 *
 * const [route] = inspect(app).routes
 * console.log(route?.path, route?.passes.map(({ name }) => name)) // /admin/users [ 'requireAdmin' ]
 * ```
 */
export function inspect(app: unknown, options: InspectOptions = {}): Inventory {
  return withReading(app, inspectOptions('inspect', options), (reading) => reading.inventory())
}

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
    if (describeFetchHandler(fetchHandler) !== undefined) {
      return Object.defineProperty(() => {}, Symbol.for('routecontrollers.serving'), {
        value: { fetchHandler },
      })
    }
  }
  if (isApp(app) || isRouter(app) || describeServing(app) !== undefined) return app
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `inspect takes an app or a router of Express 4 or 5, or RouteControllers, not ${app === null ? 'null' : typeof app}`,
  )
}

/** One look at one or more apps, as they are now. */
export class Reading {
  readonly roots: readonly unknown[]
  readonly sources: Sources
  readonly #functions: FunctionReader
  readonly #recorder: Registrations | undefined
  readonly #routes: readonly (readonly LiveRoute[])[]
  readonly #opaque: readonly OpaqueLayer[]
  readonly #passes = new Map<object, Map<unknown, Pass>>()
  readonly #spans = new Map<string, [first: number, last: number][]>()

  constructor(roots: readonly unknown[], functions: FunctionReader, root: string) {
    this.roots = roots
    this.#functions = functions
    this.sources = new Sources(root, functions.sourceMapUrls)
    this.#recorder = currentRecorder()
    for (const internal of this.#recorder?.internals ?? []) {
      const { place } = functions.view(internal)
      if (place === undefined) continue
      const lines = Function.prototype.toString.call(internal).split('\n').length
      const spans = this.#spans.get(place.file) ?? []
      spans.push([place.line, place.line + lines - 1])
      this.#spans.set(place.file, spans)
    }
    const found = roots.map((served) => routesOf(served, (layer) => this.#recorder?.pathOf(layer)))
    this.#routes = found.map(({ routes }) => routes)
    this.#opaque = found.flatMap(({ opaque }) => opaque)
  }

  get live(): readonly (readonly LiveRoute[])[] {
    return this.#routes
  }

  inventory(): Inventory {
    const notes: string[] = []
    if (!this.sources.canRead) {
      notes.push(
        'Arguments of guards are not read, because @babel/parser is not installed: npm install --save-dev @babel/parser',
      )
    }
    const witnesses = this.#routes.map((routes, app) =>
      routes.map((live) => findWitness(this.roots[app], live)),
    )
    const rows = this.#routes.map((routes, app) =>
      routes.map((live, at) => this.#row(app, live, witnesses[app]![at]!)),
    )
    const apps = this.roots.map((served, app) => this.#app(served, rows[app]!.length))
    const routes = rows.flat()
    const findings = [
      ...findProblems(routes),
      ...this.roots.flatMap((_served, app) => findInterceptors(rows[app]!)),
      ...this.roots.flatMap((served) => findNonGuards(this.#described(served))),
      ...this.#opaque.map((one) => this.#hidden(one)),
    ]
    return { version: 1, apps, routes, findings, notes }
  }

  #hidden({ layer, path }: OpaqueLayer): Finding {
    const registration = this.#recorder?.ofLayer(layer)
    const site = registration && this.#site(registration)
    return {
      kind: 'opaque',
      method: '*',
      path,
      at: site && this.#shown(this.sources.origin(site.place)),
      witness: undefined,
      message: `leads to ${layer.name === 'router' ? 'a router' : 'an app'} that somebody has wrapped: the routes behind it cannot be seen`,
    }
  }

  #app(served: unknown, routes: number): AppRow {
    const serving = describeServing(served)
    const app = serving === undefined ? served : serving.fallback
    const trustProxy = trustOf(app)
    const version = isApp(app) || isRouter(app) ? versionOf(app) : undefined
    if (serving !== undefined) return { kind: 'RouteControllers', version, routes, trustProxy }
    return { kind: isApp(served) ? 'Express app' : 'Express router', version, routes, trustProxy }
  }

  #row(app: number, live: LiveRoute, witness: Witness): RouteRow {
    const { method, path } = live
    const { steps, url } = witness
    const own = steps.filter((step) => isOf(live, step))
    const last = own.at(-1)
    const at = steps.indexOf(last as Step)
    const shadowed = url !== undefined && witness.end >= 0 && witness.end < at
    const end = shadowed ? witness.end : at
    const observation = this.#observation(app, witness.method, url, steps, end, live)
    const answers = last === undefined ? undefined : this.pass(last)
    const by = isController(live.route) || last?.takenOver ? 'Controller' : 'Express'
    return {
      app,
      method,
      path,
      witness: url,
      witnessMethod: witness.method,
      shadowed,
      mayPass: witness.end !== at && !shadowed,
      own: {
        by,
        name: answers?.name ?? '<anonymous>',
        at: answers?.at ?? this.#atOf(live),
        definition: answers?.definition,
      },
      ...observation,
      errorHandlers: this.#errorHandlers(live),
    }
  }

  /** Where a route was registered of which no request reaches a handler. */
  #atOf({ route }: LiveRoute): string | undefined {
    const owner = isController(route) ? route : route.stack.at(-1)
    if (owner === undefined) return undefined
    const found = isController(route)
      ? this.#recorder?.ofPart(route, route.callback)
      : this.#recorder?.ofLayer(owner)
    const place = found && this.#site(found)?.place
    return place && this.#shown(this.sources.origin(place))
  }

  /** What a request meets in the app as it is now, up to the answer that is expected; of an app that is gone, in the first. */
  observe(app: number, method: string, url: string, expected: string): Observation {
    const served = app < this.roots.length ? app : 0
    const steps = trace(this.roots[served], method, url)
    const end = endOf(steps)
    const answers = steps.findIndex(
      (step) => step.isLast && this.#liveOf(served, step, method, expected) !== undefined,
    )
    const isBefore = answers >= 0 && (end < 0 || answers < end)
    return this.#observation(served, method, url, steps, isBefore ? answers : end, undefined, expected)
  }

  /** The route that a step is a handler of: of several, as a list of paths makes them, the one that is expected. */
  #liveOf(app: number, step: Step, method: string, expected?: string): LiveRoute | undefined {
    const all = this.#routes[app]!.filter(
      (one) => isOf(one, step) && (one.method === '*' || one.method === method || method === 'HEAD'),
    )
    if (expected === undefined) return all[0]
    return all.find((one) => isSameAnswer(expected, `${one.method} ${one.path}`))
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
    const before = end < 0 ? steps : steps.slice(0, end)
    const route = answering?.route
    const found =
      live !== undefined && answering !== undefined && isOf(live, answering)
        ? live
        : answering &&
          (this.#liveOf(app, answering, method, expected) ?? this.#liveOf(app, answering, method))
    const pass = answering && this.pass(answering)
    const isRoute = answering?.kind === 'handler'
    const by = !answering
      ? 'nobody'
      : !isRoute
        ? 'middleware'
        : isController(route) || answering.takenOver
          ? 'Controller'
          : 'Express'
    return {
      passes: before.filter(({ kind }) => kind !== 'error').map((step) => this.pass(step)),
      answer: {
        by,
        route: found && `${found.method} ${found.path}`,
        name: pass?.name ?? '',
        at: pass?.at,
        takenOver: answering?.takenOver ?? false,
      },
      params: answering?.params ?? [],
      settings: {
        ...this.#variants(app, method, url, answering),
        mergeParams: found?.router?.mergeParams ?? false,
        trustProxy: trustOf(appBehind(this.roots[app])),
      },
    }
  }

  /** Whether other forms of the path reach the same handler: what the settings of all its routers come to. */
  #variants(
    app: number,
    method: string,
    url: string | undefined,
    answering: Step | undefined,
  ): Pick<RouteSettings, 'strict' | 'caseSensitive'> {
    if (url === undefined || answering?.route === undefined) return { strict: false, caseSensitive: false }
    const reaches = (variant: string): boolean =>
      trace(this.roots[app], method, variant).some(
        ({ route, run }) => route === answering.route && run === answering.run,
      )
    const slashed = url.endsWith('/') ? url.slice(0, -1) || '/' : `${url}/`
    const swapped = url.replace(/[a-z]/gi, (letter) =>
      letter < 'a' ? letter.toLowerCase() : letter.toUpperCase(),
    )
    return { strict: !reaches(slashed), caseSensitive: !reaches(swapped) }
  }

  /** Error handlers that stand behind a route: in its router, then behind each mount on the way out. */
  #errorHandlers({ through }: LiveRoute): Pass[] {
    const passes: Pass[] = []
    for (let level = through.length - 1; level >= 0; level--) {
      const layer = through[level]!
      const router = this.#routerAround(through, level)
      const from = router?.stack.indexOf(layer) ?? -1
      for (const behind of router?.stack.slice(from + 1) ?? []) {
        if (behind.route !== undefined || behind.handle.length !== 4) continue
        const step = { kind: 'error', run: behind.handle, owner: behind, part: behind.handle } as const
        passes.push(this.pass({ ...step, through: [...through.slice(0, level), behind], params: [] }))
      }
    }
    return passes
  }

  #routerAround(through: readonly Layer[], level: number): Router | undefined {
    const layer = through[level]
    const holds = (router: Router | undefined): router is Router => router?.stack.includes(layer!) ?? false
    for (const candidate of this.#routes.flat()) {
      if (candidate.router !== undefined && holds(candidate.router)) return candidate.router
    }
    for (const served of this.roots) {
      const app = appBehind(served)
      const router = isApp(app) ? routerOf(app) : isRouter(app) ? app : undefined
      if (holds(router)) return router
    }
    return undefined
  }

  /** How a step is told. */
  pass(step: Step): Pass {
    const { owner, part } = step
    let ofOwner = this.#passes.get(owner)
    if (ofOwner === undefined) this.#passes.set(owner, (ofOwner = new Map<unknown, Pass>()))
    let pass = ofOwner.get(part)
    if (pass === undefined) ofOwner.set(part, (pass = this.#describe(step)))
    return pass
  }

  #describe(step: Step): Pass {
    const { kind, owner, run, param, through } = step
    const registration = this.#recorder?.ofLayer(owner) ?? this.#recorder?.ofPart(owner, registeredPart(step))
    const site = registration && this.#site(registration)
    const place = site && this.sources.origin(site.place)
    const given = registration?.given
    // Express's own layer, also where somebody has wrapped the function in it.
    const written =
      typeof given === 'function' && this.#recorder?.ofLayer(owner) !== undefined ? (given as Handle) : run
    const view = this.#functions.view(written)
    const definition =
      view.place && this.sources.functionAt(view.place, Function.prototype.toString.call(written))
    const argument = place && this.#argument(step, place, site.call, given)
    const via = site?.via && this.#shown(this.sources.origin(site.via))
    return {
      kind,
      name: written.name || '<anonymous>',
      at: place && this.#shown(place),
      via,
      definition: definition && this.#shown(definition.place),
      source: view.isReadable && definition !== undefined ? hashOf(definition.text) : undefined,
      argument: argument?.text,
      mount:
        through
          .filter(({ route }) => route === undefined)
          .reduce((path, layer) => joinPaths(path, this.#pathOf(layer)), '') || '/',
      param,
      unverifiable: kind !== 'options' && isUnverifiable(view.isReadable, definition?.isNested, argument),
    }
  }

  #pathOf(layer: Layer): string {
    if (layer.handle.length === 0 && layer.route === undefined) return ''
    const path = layer.rawPath ?? this.#recorder?.pathOf(layer)
    return path === undefined ? '' : shownPath(path)
  }

  #argument(
    { kind, owner, part, route }: Step,
    place: Place,
    call: Call,
    given: unknown,
  ): ArgumentText | undefined {
    if (kind === 'param') return this.sources.argumentAt(place, [1])
    if (kind === 'hook') {
      // With a path or without: the argument that is a function is the first that is no text.
      const first = this.sources.argumentAt(place, [0])
      return first?.text !== undefined && /^['"`]/.test(first.text)
        ? this.sources.argumentAt(place, [1])
        : first
    }
    if (isController(owner) && isController(route)) {
      if (route.middleware.includes(part as never)) return this.sources.argumentAt(place, [0])
      const handlers = handlersOf(route)
      return this.sources.callbackAt(place, handlers && handlers.indexOf(part as Handle))
    }
    const path = pathTo(call.parameters, given)
    return path && this.sources.argumentAt(place, path)
  }

  /** The call that has registered something, as it stands in code that is not Express's. */
  #site({
    call,
  }: Registration):
    { readonly place: Place; readonly via: Place | undefined; readonly call: Call } | undefined {
    const frames = this.#foreign(call)
    const [place] = frames
    if (place === undefined) return undefined
    let outermost = call
    for (let outer = call.outer; outer !== undefined; outer = outer.outer) {
      const [at] = this.#foreign(outer)
      if (at === undefined || at.file !== place.file || at.line !== place.line || at.column !== place.column)
        break
      outermost = outer
    }
    const isPackage = ({ file }: Place): boolean => /[\\/]node_modules[\\/]/.test(file)
    const via = isPackage(place) ? frames.find((frame) => !isPackage(frame)) : undefined
    return { place, via, call: outermost }
  }

  #foreign({ frames }: Call): Place[] {
    return frames.filter(
      ({ file, line }) => !this.#spans.get(file)?.some(([first, last]) => first <= line && line <= last),
    )
  }

  #shown({ file, line }: Place): string {
    return `${this.sources.shown(file)}:${line + 1}`
  }

  /** All RouteControllers that stand in what serves. */
  #described(served: unknown): {
    readonly described: Described
    readonly atOf: (controller: RunnableController) => string | undefined
  }[] {
    const atOf = (controller: RunnableController): string | undefined => {
      const found = this.#recorder?.ofPart(controller, controller.callback)
      const place = found && this.#site(found)?.place
      return place && this.#shown(this.sources.origin(place))
    }
    return describedIn(served).map((described) => ({ described, atOf }))
  }
}

/**
 * True where nothing read tells two functions apart: of one without a text, the argument must be known; and of one that another
 * function has made, as `requireRole('admin')` has, what that was called with.
 */
function isUnverifiable(
  isReadable: boolean,
  isNested: boolean | undefined,
  argument: ArgumentText | undefined,
): boolean {
  if (!isReadable) return !(argument?.isKnown && argument.text !== undefined)
  return isNested === true && argument?.isKnown === false
}

/** What a step was registered as: the handlers of a callback with it as one. */
function registeredPart({ route, part }: Step): unknown {
  return isController(route) && handlersOf(route)?.includes(part as Handle) ? route.callback : part
}

function handlersOf({ callback }: RunnableController): readonly Handle[] | undefined {
  const marked = (callback as { [nodeCallbackKey]?: { handlers?: readonly Handle[] } })[nodeCallbackKey]
  return marked?.handlers
}

const nodeCallbackKey = Symbol.for('routecontrollers.node-callback')

/** Where a function stands among the arguments of a call. */
function pathTo(parameters: readonly unknown[], given: unknown): ArgumentPath | undefined {
  for (const [at, parameter] of parameters.entries()) {
    if (parameter === given) return [at]
    if (!Array.isArray(parameter)) continue
    const inner = pathTo(parameter as unknown[], given)
    if (inner !== undefined) return [at, ...inner]
  }
  return undefined
}

/** The app that stands for a root when it is asked about its settings. */
function appBehind(served: unknown): unknown {
  const serving = describeServing(served)
  return serving === undefined ? served : serving.fallback
}

function trustOf(served: unknown): boolean | number | string {
  const trust = isApp(served) ? served.settings['trust proxy'] : false
  if (typeof trust === 'boolean' || typeof trust === 'number') return trust
  return typeof trust === 'function' ? 'function' : [trust].flat().join(', ')
}
