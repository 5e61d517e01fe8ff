// Records where everything is registered: which call, in which file and line, with which arguments. In a process of the command it
// is switched on before the entry is loaded, by the preload; in a test by `recordRegistrations(express)`.
import { METHODS } from 'node:http'
import { type Recorder, recorder, setRecorder } from '../../../../src/ground/registration.js'
import {
  type App,
  type Handle,
  isApp,
  isRouter,
  type Layer,
  rememberHandle,
  type Route,
  type Router,
} from 'routecontrollers/express-model'
import { fileOf, type Place } from '../documents/place.js'
import { isExpressOwnHandle } from 'routecontrollers/express-model'

/** One call that has registered something. */
export interface Call {
  /** Who has called, the nearest first; Express's own functions are still among them. */
  readonly frames: readonly Place[]
  readonly parameters: readonly unknown[]
  /** The call within which this one was made: `router.use` within `app.use`. */
  readonly outer: Call | undefined
  /** Which of those that the same call has registered with ours, from 0 on. */
  readonly at?: number
  /** How many layers its router had before it. */
  readonly layers?: number
}

/** What was registered, and by which call. */
export interface Registration {
  readonly call: Call
  /** As it was given, where Express or a package that patches it has put another function in its place. */
  readonly given: unknown
}

type AnyFunction = (this: unknown, ...parameters: unknown[]) => unknown
type Methods = Record<string, unknown>

// Taken before the app may have put others in their place.
export const clock: () => number = performance.now.bind(performance)
const captureStackTrace = Error.captureStackTrace.bind(Error)

const mostLate = 100
const verbs = [...METHODS.map((method) => method.toLowerCase()), 'all']

/** The recorder of this process (or of this realm, under a test runner); undefined where none is installed. */
export function currentRecorder(): Registrations | undefined {
  return recorder() as Registrations | undefined
}

/** All that has been registered, from when the recorder was installed. */
export class Registrations implements Recorder {
  readonly apps: Set<App> = new Set<App>()
  readonly routeControllers: Set<object> = new Set<object>()
  /** Functions of Express, whose frames are not those of who registers. */
  readonly internals: Set<AnyFunction> = new Set<AnyFunction>()
  standIn: Recorder['standIn']
  /** True once a server of the entry listens. */
  isServing = false
  /** Calls of Express's methods since then; the first of them. */
  readonly late: Call[] = []
  /** When something was last registered, by `performance.now()`. */
  lastAt: number = clock()
  readonly #layers = new WeakMap<object, Registration>()
  readonly #paths = new WeakMap<object, unknown>()
  readonly #parts = new WeakMap<object, Registration[]>()
  readonly #wrapped = new WeakSet<object>()
  readonly #active: Call[] = []

  install(): this {
    setRecorder(this)
    return this
  }

  uninstall(): void {
    if (currentRecorder() === this) setRecorder(undefined)
  }

  /** How a layer, of a router or of a route, was registered. */
  ofLayer(layer: object): Registration | undefined {
    return this.#layers.get(layer)
  }

  /** The path that a layer was given, where nothing else shows it. */
  pathOf(layer: object): unknown {
    return this.#paths.get(layer)
  }

  /** How `part` was registered with `owner`: a callback of `param`, a hook, a middleware or a callback of a Controller. */
  ofPart(owner: object, part: unknown): Registration | undefined {
    const all = this.#parts.get(owner)
    // The last: a group registers its routes, whose constructor has done so by itself.
    return all?.findLast(({ given }) => given === part)
  }

  record(owner: object, part: unknown, below: object, skipped: number): void {
    this.lastAt = clock()
    // RouteControllers tell of themselves by their handler, a Controller by its callback.
    if (typeof (owner as { getCallback?: unknown }).getCallback === 'function')
      this.routeControllers.add(owner)
    const frames = framesAbove(below).slice(skipped)
    const isHere = ({ call }: Registration): boolean => isSamePlace(call.frames[0], frames[0])
    const at = (this.#parts.get(owner) ?? []).filter(isHere).length
    this.#addPart(owner, part, { frames, parameters: [], outer: undefined, at })
  }

  inherit(owner: object, part: unknown, from: object): void {
    const registration = this.ofPart(from, part)
    if (registration !== undefined) this.#addPart(owner, part, registration.call)
  }

  sourceOf(owner: object, part: unknown): string | undefined {
    const place = this.ofPart(owner, part)?.call.frames[0]
    return place && `${place.file}:${place.line + 1}`
  }

  /** Records what an app registers from now on. */
  watchApp(app: App): void {
    this.apps.add(app)
    this.#wrapAll(app as unknown as Methods, ['use', 'param', 'route', ...verbs])
    const { lazyrouter } = app as { lazyrouter?: AnyFunction }
    if (lazyrouter !== undefined) this.internals.add(lazyrouter)
  }

  /** Records what all apps, or all routers, with this prototype register from now on. */
  watchPrototype(prototype: object): void {
    this.#wrapAll(prototype as Methods, ['use', 'param', 'route', ...verbs])
  }

  #wrapAll(methods: Methods, names: readonly string[]): void {
    if (this.#wrapped.has(methods)) return
    this.#wrapped.add(methods)
    for (const name of names) {
      const original = methods[name]
      if (typeof original !== 'function' || !Object.hasOwn(methods, name) || this.#wrapped.has(original))
        continue
      methods[name] = this.#wrap(original as AnyFunction)
    }
  }

  #wrap(original: AnyFunction): AnyFunction {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the wrapper has the `this` of its caller
    const registrations = this
    const wrapper: AnyFunction = function (this: unknown, ...parameters) {
      // `app.get(setting)`
      const reads = isApp(this) && parameters.length === 1 && typeof parameters[0] === 'string'
      const isRegistration = !reads || original.name === 'route'
      return isRegistration
        ? registrations.#during(wrapper, original, this as object, parameters)
        : original.apply(this, parameters)
    }
    this.internals.add(original)
    this.#wrapped.add(wrapper)
    Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
    return wrapper
  }

  #during(wrapper: AnyFunction, original: AnyFunction, target: object, parameters: unknown[]): unknown {
    this.lastAt = clock()
    const { stack } = target as { stack?: readonly Layer[] }
    const before = stack?.length ?? 0
    const outer = this.#active.at(-1)
    const call: Call = { frames: framesAbove(wrapper), parameters, outer, layers: before }
    const isOwn = this.#isOwn(target, parameters)
    if (this.isServing && outer === undefined && !isOwn && this.late.length < mostLate) this.late.push(call)
    this.#active.push(call)
    let result: unknown
    try {
      result = original.apply(target, parameters)
    } finally {
      this.#active.pop()
    }
    const added = (stack ?? []).slice(before).filter((layer) => !this.#layers.has(layer))
    if (isRouter(target)) this.#addToRouter(target, call, added)
    else this.#addLayers(call, added, parameters)
    const { stack: ofRoute, methods } = (result ?? {}) as Partial<Route>
    if (!isRouter(result) && Array.isArray(ofRoute) && methods !== undefined) {
      if (isOwn) this.#ownRoutes.add(result as Route)
      this.#wrapAll(Object.getPrototypeOf(result) as Methods, verbs)
    }
    return result
  }

  // The routes of routers that this package makes.
  readonly #ownRoutes = new WeakSet<object>()

  /** True for what no code of the project registers: in a router of this package, or by Express 4 when a router is first needed. */
  #isOwn(target: object, [given]: readonly unknown[]): boolean {
    if (this.#ownRoutes.has(target) || isFirstOfExpress(given)) return true
    // A router of this package inherits from one of Express, and is no function.
    const { stack, params } = target as Partial<Router>
    return typeof target !== 'function' && Array.isArray(stack) && typeof params === 'object'
  }

  #addToRouter(router: Router, call: Call, added: readonly Layer[]): void {
    const [first] = call.parameters
    if (added.length === 0 && typeof first === 'string') {
      const given = router.params[first.replace(/^:/, '')]?.at(-1)
      if (given !== undefined && call.parameters[1] !== undefined) this.#addPart(router, given, call)
      return
    }
    if (!isHandlers(first)) for (const layer of added) this.#paths.set(layer, first)
    this.#addLayers(call, added, call.parameters)
  }

  #addLayers(call: Call, added: readonly Layer[], parameters: readonly unknown[]): void {
    const given = functionsIn(parameters)
    added.forEach((layer, at) => {
      const own = given[at]
      const app = own === undefined ? undefined : this.#mountedBy(call, own)
      const meant = app ?? own
      if (meant !== undefined) rememberHandle(layer, meant)
      this.#layers.set(layer, { call, given: meant })
    })
  }

  /** The app that this function stands for: `app.use` mounts it by such a function. */
  #mountedBy({ outer }: Call, own: Handle): (App & Handle) | undefined {
    if (outer === undefined) return undefined
    const given = functionsIn(outer.parameters)
    // A minified bundle leaves it no name. Express's own first middleware is registered within such a call too.
    if (given.includes(own) || !/\.handle\(/.test(Function.prototype.toString.call(own))) return undefined
    const [app] = given.filter((one) => isApp(one) && !this.#mounted.has(one))
    if (!isApp(app)) return undefined
    this.#mounted.add(app)
    return app
  }

  // An app that is mounted a second time is one that Express has told so already: then the inspector finds it.
  readonly #mounted = new WeakSet<object>()

  #addPart(owner: object, given: unknown, call: Call): void {
    const all = this.#parts.get(owner)
    if (all === undefined) this.#parts.set(owner, [{ call, given }])
    else all.push({ call, given })
  }
}

function isSamePlace(one: Place | undefined, other: Place | undefined): boolean {
  return one?.file === other?.file && one?.line === other?.line && one?.column === other?.column
}

/** True for what `use` takes for handlers, and not for a path. */
function isHandlers(parameter: unknown): boolean {
  let first = parameter
  while (Array.isArray(first) && first.length > 0) first = (first as unknown[])[0]
  return typeof first === 'function'
}

function functionsIn(parameters: readonly unknown[]): Handle[] {
  return parameters.flat(Infinity).filter((one): one is Handle => typeof one === 'function')
}

// This file as the stack names it, whatever it was compiled or bundled into.
const ownFile = framesOf(framesOf)[0]?.file

function framesAbove(below: object): Place[] {
  return framesOf(below).filter(({ file }) => file !== ownFile)
}

/** Express 4 registers it when a router is first needed. */
function isFirstOfExpress(given: unknown): boolean {
  return typeof given === 'function' && isExpressOwnHandle(given.name, given as Handle)
}

/** The frames above the calls from `below` on. */
function framesOf(below: object): Place[] {
  const { stackTraceLimit } = Error
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  const holder: { stack?: unknown } = {}
  try {
    // An app may have frozen them, or made them read-only: then there are no frames, and nothing is thrown.
    Reflect.set(Error, 'stackTraceLimit', 60)
    const value = (_error: Error, sites: NodeJS.CallSite[]): unknown => sites
    Reflect.defineProperty(Error, 'prepareStackTrace', { value, configurable: true, writable: true })
    captureStackTrace(holder, below as AnyFunction)
    const sites = holder.stack as NodeJS.CallSite[]
    if (!Array.isArray(sites)) return []
    return sites.flatMap((site) => {
      const name = site.getFileName()
      const line = site.getLineNumber()
      const column = site.getColumnNumber()
      if (!name || name.startsWith('node:') || line === null || column === null) return []
      return [{ file: fileOf(name), line: line - 1, column: column - 1 }]
    })
  } finally {
    if (prepare === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace')
    else Reflect.defineProperty(Error, 'prepareStackTrace', prepare)
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  }
}
