import type { IncomingMessage, ServerResponse } from 'node:http'
import { types } from 'node:util'
import { RouteControllersError } from '../../ground/errors.js'
import { nameType } from '../../ground/options.js'
import { isWatched, ownHandle } from './passage.js'
import type { ExpressPath } from './path.js'

/** The version of Express that an app or a router is of. */
export type ExpressVersion = 4 | 5

/** A function that Express calls; error handlers are told from others by their length alone. */
export type Handle = (...parameters: never[]) => unknown

/** Goes on: with nothing, with `'route'`, `'router'` or an error. */
export type Done = (signal?: unknown) => void

/** What `router.route(path)` gives. */
export interface Route {
  readonly path: ExpressPath
  readonly methods: Readonly<Record<string, boolean>>
  readonly stack: readonly unknown[]
  dispatch(req: IncomingMessage, res: ServerResponse, done: Done): void
}

/** What Express's own Router needs of each entry of its stack. */
export interface Layer {
  handle: Handle
  readonly name: string
  readonly route?: Route | undefined
  match(path: string): unknown
  /** Version 4: the last result of `match`. */
  readonly params?: Record<string, unknown>
  readonly path?: string
  readonly regexp?: RegExp & { readonly fast_slash?: boolean }
  readonly keys?: readonly { readonly name: string | number }[]
  /** Version 5: one for each of its paths. */
  readonly matchers?: readonly unknown[]
  /** Version 5: true where the path is `/`. A function of `use` gets every request then. */
  readonly slash?: boolean
  /** Version 5, from router 2.3 on. */
  readonly rawPath?: ExpressPath
}

/** The members of Express's Router that are used here. Its code runs every request. */
export interface Router {
  stack: Layer[]
  params: Record<string, unknown>
  mergeParams?: boolean | undefined
  caseSensitive?: boolean | undefined
  strict?: boolean | undefined
  handle(req: IncomingMessage, res: ServerResponse, done: Done): void
  use(...parameters: unknown[]): unknown
  route(path: unknown): Route
  param(name: string, callback: unknown): unknown
}

/** The members of an Express app that are used here. */
export interface App {
  readonly settings: Record<string, unknown>
  readonly request: object
  readonly response: object
  _router?: Router | undefined
  readonly router?: Router
  lazyrouter?(): void
  enabled(setting: string): boolean
  get(setting: string): unknown
  set(setting: string, value: unknown): unknown
  engine(extension: string, engine: unknown): unknown
  handle(req: IncomingMessage, res: ServerResponse): void
  readonly locals: Record<string, unknown>
}

/** The error for an invalid option. */
export function invalid(message: string, cause?: unknown): RouteControllersError {
  return new RouteControllersError('ERR_OPTION_INVALID', message, { cause })
}

// By their members: an app may be of another copy of Express than one that this package could import.

export function isApp(value: unknown): value is App {
  if (typeof value !== 'function') return false
  const app = value as unknown as Partial<Record<string, unknown>>
  const { handle, set, settings, request, response } = app
  return (
    typeof handle === 'function' &&
    typeof set === 'function' &&
    [settings, request, response].every((one) => typeof one === 'object' && one !== null)
  )
}

/** True for what has the layers of a router, wrapped or not. */
export function hasStack(value: unknown): value is Router {
  const router = value as Partial<Router> | null
  return typeof value === 'function' && Array.isArray(router?.stack) && typeof router.params === 'object'
}

/** The prototype of Express's Router behind a router; undefined for any other value, and for a wrapped router. */
export function routerPrototype(router: unknown): object | undefined {
  const { stack } = (router ?? {}) as Partial<Router>
  // A router of this package is no function.
  if (!Array.isArray(stack) || hasForeignHandle(router as object)) return undefined
  // A function that inherits from a router, or stands for it, need not call it.
  if (!Object.hasOwn(router as object, 'stack') || types.isProxy(router)) return undefined
  let prototype = Object.getPrototypeOf(router) as object | null
  while (prototype !== null && (!Object.hasOwn(prototype, 'handle') || !Object.hasOwn(prototype, 'use'))) {
    prototype = Object.getPrototypeOf(prototype) as object | null
  }
  return prototype !== null && Object.hasOwn(prototype, 'use') ? prototype : undefined
}

/** True for a router whose `handle` was replaced. */
function hasForeignHandle(router: object): boolean {
  return Object.hasOwn(router, 'handle') && !isWatched(router)
}

export function versionOfRouter(prototype: object): ExpressVersion {
  return 'process_params' in prototype ? 4 : 5
}

export function versionOfApp(app: App): ExpressVersion {
  // Read, not looked for: a Proxy has a member that its target has not.
  return app.lazyrouter === undefined ? 5 : 4
}

/** The router of an app; undefined where an app of version 4 has none yet. */
export function routerOf(app: App): Router | undefined {
  return versionOfApp(app) === 4 ? app._router : app.router
}

/** The same. Throws ERR_APP_WRAPPED for an app whose `handle` or router was replaced. */
export function routerOfApp(app: App, owner: string): Router | undefined {
  if (!isOfExpress(app)) throw wrapped(owner, 'app', app)
  const router = routerOf(app)
  return router && checkRouter(router, owner, true)
}

/** A router like that of an app, which is separate from the app. */
export function routerLike(app: App, owner: string): Router {
  return routerOfApp(app, owner) ?? freshRouter(app)
}

/** The router that an app of version 4 makes when it is first needed, with its settings at that time. */
export function freshRouter(app: App): Router {
  const other = Object.create(app, { _router: { value: undefined, writable: true } }) as App
  other.lazyrouter!()
  return other._router!
}

/** An empty router of the same Express. */
export function createRouter(
  prototype: object,
  { strict, caseSensitive, mergeParams }: Pick<Router, 'strict' | 'caseSensitive' | 'mergeParams'>,
): Router {
  const own = { stack: [], params: {}, _params: [], strict, caseSensitive, mergeParams }
  return Object.assign(Object.create(prototype) as Router, own)
}

/** Throws ERR_OPTION_INVALID or ERR_APP_WRAPPED for anything but a router of Express 4 or 5. */
export function checkRouter(value: unknown, owner: string, isOfApp = false): Router {
  if (!isOfApp && !hasStack(value)) {
    const wanted = owner === 'fromRouter' ? 'a Router' : 'an app or a Router'
    throw invalid(`${owner} takes ${wanted} of Express 4 or 5, not ${nameType(value)}`)
  }
  const router = value as Router
  if (routerPrototype(router) === undefined) throw wrapped(owner, 'router', router)
  return router
}

function wrapped(
  owner: string,
  what: 'app' | 'router',
  { handle }: { readonly handle: unknown },
): RouteControllersError {
  const name = (typeof handle === 'function' && handle.name) || '<anonymous>'
  return new RouteControllersError(
    'ERR_APP_WRAPPED',
    `${owner}: the ${what === 'app' ? 'handle' : 'router'} of this app is not Express's own: the function ${name} has replaced it. A request that ${name} refuses would be answered here. Call toControllers before the package with ${name} is installed, or leave its requests to the app (fallback: app)`,
  )
}

const known = new WeakSet<object>()

/** True for an app whose `handle` does what Express's does: it gives the request to the app's router. */
function isOfExpress(app: { readonly handle: object }): boolean {
  const handle = ownHandle(app)
  if (known.has(handle)) return true
  if (!/\b_router\b|\.router\.handle\(/.test(Function.prototype.toString.call(handle))) return false
  known.add(handle)
  return true
}
