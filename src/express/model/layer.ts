import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRegExp, type ExpressPath } from './path.js'
import type { Params } from './params.js'

/** A version of Express that is known. Tables of this type say all in which they differ, so that one that is added has to say it too. */
export type ExpressVersion = 4 | 5

/** A function that Express calls; error handlers are told from others by their length alone. */
export type Handle = (...parameters: never[]) => unknown

/** Goes on: with nothing, with `'route'`, `'router'` or an error. */
export type Done = (signal?: unknown) => void

/** What `router.route(path)` gives. */
export interface Route {
  readonly path: ExpressPath
  readonly methods: Readonly<Record<string, boolean>>
  readonly stack: readonly Layer[]
  dispatch(req: IncomingMessage, res: ServerResponse, done: Done): void
}

/** One entry of the stack of a router, or of a route. */
export interface Layer {
  handle: Handle
  readonly name: string
  readonly route?: Route | undefined
  /** Of a layer of a route: in lower case, or undefined for `all`. */
  readonly method?: string
  match(path: string): unknown
  /** Version 4, and 5 before router 2.3: what `match` has found, until it is called again. */
  readonly params?: Params
  readonly path?: string
  readonly keys?: readonly (string | { readonly name: string | number })[]
  /** Version 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean; readonly fast_star?: boolean }
  /** Version 5: one for each of its paths. */
  readonly matchers?: readonly unknown[]
  /** Version 5: true where the path is `/`. A function of `use` gets every request then. */
  readonly slash?: boolean
  /** Version 5, from router 2.3 on: the path as it was given. */
  readonly rawPath?: ExpressPath
}

/** Whether a layer is one that a version has made. */
export const isLayerOf: Readonly<Record<ExpressVersion, (layer: Layer) => boolean>> = {
  4: ({ regexp, keys }) => isRegExp(regexp) && Array.isArray(keys),
  5: ({ matchers, slash }) => Array.isArray(matchers) && typeof slash === 'boolean',
}

/** What a layer was given, and the function that Express has put into it. */
interface Given {
  readonly handle: Handle
  readonly own: Handle
}

const given = new WeakMap<Layer, Given>()

/** Remembers what a layer was given, which need not be the function that it has by now. */
export function rememberHandle(layer: Layer, handle: Handle): void {
  given.set(layer, { handle, own: layer.handle })
}

/** The function that a layer had when it was remembered, where it has another one now that does not keep it as tracers do. */
export function formerHandleOf(layer: Layer): Handle | undefined {
  const own = given.get(layer)?.own
  return own === undefined || unwrap(own) === unwrap(layer.handle) ? undefined : own
}

/** What a layer leads to, also where a package has wrapped it: as it was given, or as a tracer keeps it. */
export function handleOf(layer: Layer): Handle {
  return unwrap(given.get(layer)?.handle ?? layer.handle)
}

/** What a layer runs, with all that stands around it but a tracer: as it was given, or what was put in its place since. */
export function runBy(layer: Layer): Handle {
  return formerHandleOf(layer) === undefined ? (given.get(layer)?.handle ?? layer.handle) : layer.handle
}

/** The function that a tracer has wrapped. The tracer keeps it under the name `__original`. */
export function unwrap(handle: Handle, depth = 10): Handle {
  const { __original: original } = handle as { __original?: unknown }
  return typeof original === 'function' && depth > 0 ? unwrap(original as Handle, depth - 1) : handle
}

/** True for a layer that has the name of an app or a router. A layer keeps it where its function was replaced. */
export function isNamedAsRouter({ name }: Layer): boolean {
  return name === 'router' || name === 'mounted_app'
}

/** What a layer makes of a path that it matches. */
export interface LayerMatch {
  readonly params: Params
  /** How much of the path it takes. */
  readonly path: string
  /** The names of its params, in their order. */
  readonly names: readonly string[]
}

/** What a layer makes of a path; undefined where it does not match. Throws what its decoder throws. */
export function matchLayer(layer: Layer, path: string): LayerMatch | undefined {
  const found = layer.match(path)
  if (!found) return undefined
  if (typeof found === 'object') {
    const { params, path: taken, keys } = found as { params: Params; path: string; keys: string[] }
    return { params, path: taken, names: keys }
  }
  const { params, path: taken } = layer as { params: Params; path: string }
  return { params, path: taken, names: namesOfKeys(layer) }
}

/** The names of the params in a layer's path, in their order. */
export function namesOfKeys({ keys = [] }: Layer): readonly string[] {
  return keys.map((key) => String(typeof key === 'object' ? key.name : key))
}

/** The layers of a route that a method runs, in their order; with `'*'` those that all methods run. */
export function layersFor(route: Route, method: string): readonly Layer[] {
  // `app.all` of version 4 registers its handlers once for each method.
  const lower = method === '*' && !route.methods['_all'] ? 'get' : method.toLowerCase()
  const name = lower === 'head' && !route.methods['head'] ? 'get' : lower
  return route.stack.filter((layer) => !layer.method || layer.method === name)
}

/** What may follow the part of a path that a mount has taken. */
const endsOfMount: Readonly<Record<ExpressVersion, string>> = { 4: '/.', 5: '/' }

/** What is left of a path behind a mount; undefined where Express does not go on, in the middle of a segment. */
export function restOf(version: ExpressVersion, path: string, taken: string): string | undefined {
  if (taken === '') return path
  if (!path.startsWith(taken)) return undefined
  const following = path[taken.length]
  if (following !== undefined && !endsOfMount[version].includes(following)) return undefined
  const rest = path.slice(taken.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
