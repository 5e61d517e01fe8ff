import { mountedApp } from './mounted-app.js'

// What a router of Express 4 or 5 consists of, read off the members that both versions show.

/** Any function that Express calls. */
export type Handle = (...parameters: never[]) => unknown

/** One entry of a router's stack, or of a route's. */
export interface Layer {
  readonly handle: Handle
  readonly name: string
  readonly route?: Route
  /** Of a route's layers: in lower case, or undefined for `all`. */
  readonly method?: string
  /** Version 4, and 5 before router 2.3: what `match` has found, until it is called again. */
  readonly params?: Params
  readonly path?: string
  readonly keys?: readonly (string | { readonly name: string | number })[]
  /** Version 4. */
  readonly regexp?: RegExp & { fast_slash?: boolean; fast_star?: boolean }
  /** Router 2.3: the path as it was given. */
  readonly rawPath?: unknown
  match(path: string): unknown
}

export interface Route {
  readonly path: unknown
  readonly stack: readonly Layer[]
  readonly methods: Readonly<Record<string, boolean>>
}

export interface Router {
  readonly stack: readonly Layer[]
  readonly params: Readonly<Record<string, readonly Handle[] | undefined>>
  readonly caseSensitive?: boolean
  readonly strict?: boolean
  readonly mergeParams?: boolean
}

export interface App {
  readonly settings: Readonly<Record<string, unknown>>
  readonly parent?: unknown
  readonly mountpath?: unknown
}

export type Params = Record<string, string | undefined>

/** What a layer makes of a path that it matches. */
export interface LayerMatch {
  readonly params: Params
  /** How much of the path it takes. */
  readonly path: string
  /** The names of its params, in their order. */
  readonly names: readonly string[]
}

/** True for an app of Express 4 or 5. */
export function isApp(value: unknown): value is App & Handle {
  const app = value as { handle?: unknown; set?: unknown; settings?: unknown }
  return typeof value === 'function' && typeof app.handle === 'function' && typeof app.set === 'function'
}

const mounted = new WeakMap<object, App & Handle>()

/** The app that a value is, or that stands behind it as the function of `app.use(path, otherApp)`; undefined for anything else. */
export function appOf(value: unknown): (App & Handle) | undefined {
  if (isApp(value)) return value
  if (typeof value !== 'function') return undefined
  const known = mounted.get(value)
  if (known !== undefined) return known
  const found: unknown = mountedApp(value) ?? undefined
  if (!isApp(found)) return undefined
  mounted.set(value, found)
  return found
}

/** True for a router of Express 4 or 5, and for a function that wraps one and has its fields, as express-async-errors makes it. */
export function isRouter(value: unknown): value is Router & Handle {
  const router = value as Partial<Router> | undefined
  return typeof value === 'function' && Array.isArray(router?.stack) && typeof router.params === 'object'
}

const given = new WeakMap<Layer, Handle>()

/** Remembers what a layer was given, which need not be the function that it has by now. */
export function rememberHandle(layer: Layer, handle: Handle): void {
  given.set(layer, handle)
}

/** What a layer leads to, also where a package has wrapped it: as it was given, or as a tracer keeps it in `__original`. */
export function handleOf(layer: Layer): Handle {
  let handle = given.get(layer) ?? layer.handle
  for (let depth = 0; depth < 10; depth++) {
    const { __original: original } = handle as { __original?: unknown }
    if (typeof original !== 'function') break
    handle = original as Handle
  }
  return handle
}

/** The router of an app; undefined where it has none yet, as in version 4 before anything is registered. */
export function routerOf(app: App): Router | undefined {
  const { _router, lazyrouter } = app as { _router?: Router; lazyrouter?: unknown }
  // A getter, which in version 4 does nothing but throw.
  return lazyrouter === undefined ? (app as unknown as { router: Router }).router : _router
}

/** The version of Express that has made an app or a router. */
export function versionOf(value: unknown): 4 | 5 {
  if (isApp(value)) return (value as { lazyrouter?: unknown }).lazyrouter === undefined ? 5 : 4
  // Version 5 inherits the members of a router from a prototype with a constructor of its own.
  // What wraps a router of version 4 has its fields alone.
  const { process_params: method, _params: field } = value as { process_params?: unknown; _params?: unknown }
  return method === undefined && field === undefined ? 5 : 4
}

/** What a layer makes of a path; undefined where it does not match. Throws what its decoder throws. */
export function matchLayer(layer: Layer, path: string): LayerMatch | undefined {
  const found = layer.match(path)
  if (!found) return undefined
  if (typeof found === 'object') {
    const { params, path: taken, keys } = found as { params: Params; path: string; keys: string[] }
    return { params, path: taken, names: keys }
  }
  const { params = {}, path: taken = '', keys = [] } = layer
  return { params, path: taken, names: keys.map((key) => String(typeof key === 'object' ? key.name : key)) }
}

/** Whether a route has handlers for a method, in upper case. */
export function handlesMethod({ methods }: Route, method: string): boolean {
  if (methods['_all']) return true
  const name = method.toLowerCase()
  return Boolean(methods[name] || (name === 'head' && methods['get']))
}

/** The layers of a route that a method runs, in their order. */
export function layersFor(route: Route, method: string): readonly Layer[] {
  const lower = method.toLowerCase()
  const name = lower === 'head' && !route.methods['head'] ? 'get' : lower
  return route.stack.filter((layer) => !layer.method || layer.method === name)
}

/** Params of a router with `mergeParams`, as Express puts those of its mount among them. */
export function mergeParams(own: Params, parent: Params | undefined): Params {
  if (parent === undefined) return own
  const merged = { ...parent }
  if (!('0' in own) || !('0' in parent)) return Object.assign(merged, own)
  const shifted = { ...own }
  const count = (params: Params): number => {
    let at = 0
    while (at in params) at++
    return at
  }
  const ownCount = count(own)
  const parentCount = count(parent)
  for (let at = ownCount - 1; at >= 0; at--) {
    shifted[at + parentCount] = shifted[at]
    if (at < parentCount) delete shifted[at]
  }
  return Object.assign(merged, shifted)
}
