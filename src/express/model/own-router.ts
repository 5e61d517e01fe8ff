// Routers that Express itself has made and nothing has wrapped, and new ones of the same Express.
import { types } from 'node:util'
import { RouteControllersError } from '../../ground/errors.js'
import { nameType } from '../../ground/options.js'
import type { ExpressVersion } from './layer.js'
import { isWatched, ownHandle } from './passage.js'
import {
  type App,
  invalid,
  isRouter,
  readVersion,
  type Router,
  routerOf,
  unknownVersion,
  versionOf,
} from './router.js'

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

/** The router of an app. Throws ERR_EXPRESS_VERSION, and ERR_APP_WRAPPED for an app whose `handle` or router was replaced. */
export function routerOfApp(app: App, owner: string): Router | undefined {
  const router = routerOf(app)
  checkVersion(router)
  if (!isOfExpress(app)) throw wrapped(owner, 'app', app)
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

/** The fields of an empty router of each version, which its methods expect. */
const emptyRouter: Readonly<Record<ExpressVersion, () => object>> = {
  4: () => ({ stack: [], params: {}, _params: [] }),
  5: () => ({ stack: [], params: {} }),
}

/** An empty router of the same Express. */
export function createRouter(
  prototype: object,
  { strict, caseSensitive, mergeParams }: Pick<Router, 'strict' | 'caseSensitive' | 'mergeParams'>,
): Router {
  const router = Object.create(prototype) as Router
  router.stack = []
  const version = versionOf(router)
  return Object.assign(router, emptyRouter[version](), { strict, caseSensitive, mergeParams })
}

/** Throws ERR_OPTION_INVALID, ERR_EXPRESS_VERSION or ERR_APP_WRAPPED for anything but a router of Express 4 or 5. */
export function checkRouter(value: unknown, owner: string, isOfApp = false): Router {
  if (!isOfApp && !isRouter(value)) {
    const wanted = owner === 'fromRouter' ? 'a Router' : 'an app or a Router'
    throw invalid(`${owner} takes ${wanted} of Express 4 or 5, not ${nameType(value)}`)
  }
  const router = value as Router
  checkVersion(router)
  if (routerPrototype(router) === undefined) throw wrapped(owner, 'router', router)
  return router
}

/** Throws ERR_EXPRESS_VERSION for a router of a version that is not known, and takes any other value. */
function checkVersion(router: unknown): void {
  if (!isRouter(router)) return
  const prototype = routerPrototype(router)
  const makesKnown = prototype === undefined || makesKnownLayers(prototype)
  if (readVersion(router) === undefined || !makesKnown) throw unknownVersion(router)
}

const makingKnown = new WeakSet<object>()

/** True for a prototype whose routers make layers of a version that is known: a router without layers shows too little of that. */
function makesKnownLayers(prototype: object): boolean {
  if (makingKnown.has(prototype)) return true
  try {
    const router = createRouter(prototype, {})
    router.route('/')
    if (readVersion(router) === undefined) return false
  } catch {
    // Its methods expect other fields.
    return false
  }
  makingKnown.add(prototype)
  return true
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
