// Reads where the routes of an app were registered, in the process that has made them.
import { fromApp, fromRouter } from 'routecontrollers/express'
import { expressPath } from 'routecontrollers/express'
import { checkedPath } from 'routecontrollers/express-model'
import {
  type App,
  appOf,
  type ExpressVersion,
  formerHandleOf,
  type Handle,
  handleOf,
  type Layer,
  layersFor,
  type LiveRoute,
  nativeAmong,
  type Route,
  type Router,
  routerBehind,
  runBy,
  versionOf,
} from 'routecontrollers/express-model'
import { definitionOf, membersOf } from './definition.js'
import { readExports } from './exported-functions.js'
import { loadedFiles } from './loaded-files.js'
import { appBehind, type Reading } from './inventory.js'
import { mayPass, needOfMount } from 'routecontrollers/express-model'
import type { Registration, Registrations } from './record.js'
import type {
  Registered,
  RegisteredCall,
  RegisteredLayer,
  RegisteredRouter,
  RegisteredUse,
  Site,
} from '../documents/registered.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import { isExpressOwn } from 'routecontrollers/express-model'
import { describeServed, isController, nodeCallbackOf } from 'routecontrollers/introspection'

/** Reads the places of all routes of an inventory. It is called right after that was made. */
export function readRegistered(
  reading: Reading,
  inventory: Inventory,
  registrations: Registrations,
): Registered {
  const apps = appsOf(reading.roots)
  const routers = new Map<Router, number>()
  const read: RegisteredRouter[] = []
  const numberOf = (router: Router): number => {
    let number = routers.get(router)
    if (number === undefined) {
      routers.set(router, (number = routers.size))
      read[number] = readRouter(router, apps.get(router), reading, registrations, numberOf)
    }
    return number
  }
  const rows = inventory.routes.map((row) => {
    const { router, through = [] } = reading.liveOf(row) ?? {}
    const layer = through.at(-1)
    if (router === undefined || layer?.route === undefined) return null
    const at = router.stack.indexOf(layer)
    return at < 0 ? null : ([numberOf(router), at] as const)
  })
  const runsHandlers = inventory.routes.flatMap((row, number) => {
    const { route } = reading.liveOf(row) ?? {}
    const isOwn = row.own.stage === undefined && isController(route)
    return isOwn && nodeCallbackOf(route.callback)?.handlers !== undefined ? number : []
  })
  const definitions = inventory.routes.map((row) => {
    const { route } = reading.liveOf(row) ?? {}
    const handler = route && handlerOf(row, route)
    if (handler === undefined) return null
    const isReplaced = !isController(route) && isChanged(route!)
    return { ...definitionOf(handler, reading.functions, reading.sources), isReplaced }
  })
  const nativesAsIs = inventory.routes.flatMap((row, number) => {
    const { route } = reading.liveOf(row) ?? {}
    if (route === undefined || isController(route)) return []
    return nativeAmong(route, layersFor(route, row.method))?.handlers === undefined ? [] : number
  })
  const roots = reading.roots.map((root) => {
    const router = routerBehind(appBehind(root))
    return router ? numberOf(router) : null
  })
  const settings = reading.roots.map((root) => settingsOf(appBehind(root)))
  const exports = readExports(reading.functions, reading.sources)
  const files = loadedFiles(reading.functions)
  return { routers: read, rows, definitions, nativesAsIs, runsHandlers, roots, settings, exports, files }
}

/** The handler of Express that a native callback of a row would stand for. */
function handlerOf({ method }: RouteRow, route: LiveRoute['route']): Handle | undefined {
  if (isController(route)) return nodeCallbackOf(route.callback)?.handlers.at(-1)
  const layers = layersFor(route, method)
  const asIs = nativeAmong(route, layers)?.handlers
  return asIs?.at(-1) ?? layers.map(runBy).findLast((one) => one.length !== 4)
}

/** True for a route of which a layer has got another function since it was registered. */
function isChanged({ stack }: Route): boolean {
  return stack.some((layer) => formerHandleOf(layer) !== undefined)
}

/** The settings of an app that change its answers, or what a handler reads. */
const countingSettings = [
  'etag',
  'query parser',
  'json spaces',
  'json replacer',
  'json escape',
  'x-powered-by',
  'subdomain offset',
  'view engine',
]

function settingsOf(app: unknown): Record<string, string> {
  const { settings } = (typeof app === 'function' ? app : {}) as { settings?: Record<string, unknown> }
  return Object.fromEntries(
    countingSettings.flatMap((name) => {
      const value = settings?.[name]
      if (value === undefined) return []
      const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      return [[name, isText ? String(value) : `a ${typeof value}`]]
    }),
  )
}

function readRouter(
  router: Router,
  app: App | undefined,
  reading: Reading,
  registrations: Registrations,
  numberOf: (router: Router) => number,
): RegisteredRouter {
  const version = versionOf(app ?? router)
  const params = Object.entries(router.params).flatMap(([name, callbacks = []]) =>
    callbacks.map((callback) => ({
      name,
      layers: registrations.ofPart(router, callback)?.call.layers,
    })),
  )
  const layers = router.stack.map((layer): RegisteredLayer => {
    const { route } = layer
    const { path } = route ?? {}
    const handlers = route === undefined ? [handleOf(layer)] : route.stack.map(handleOf)
    return {
      isRoute: route !== undefined,
      use: isExpressOwn(layer, version, router.stack)
        ? undefined
        : useOf(layer, reading, registrations, numberOf),
      path: typeof path === 'string' ? path : undefined,
      needsMount: handlers.map((one) => needOfMount(one, route !== undefined)).find(Boolean),
      params: paramsOf(layer, route?.path ?? registrations.pathOf(layer)),
      calls: route === undefined ? [] : callsOf(layer, route, reading, registrations),
      obstacle: route && obstacleOf(version, route),
      mayPass: route === undefined ? mayPass(handlers[0]!) : routeMayPass(route),
      native: route && nativeAlone(route),
      guards: route && guardsOf(route),
    }
  })
  const kind = app === undefined ? 'router' : 'app'
  const { strict = false, caseSensitive = false, mergeParams = false } = router
  const obstacle = refusalOf(() => profileOf(router, app))
  return { kind, version, obstacle, params, layers, strict, caseSensitive, mergeParams }
}

/** What the native callback of a route was made of; undefined where anything else stands in the route. */
function nativeAlone(route: Route): RegisteredLayer['native'] {
  const { stack } = route
  const native = nativeAmong(route, stack)
  // `app.all` of version 4 registers a layer for each method that there is.
  if (native === undefined || new Set(stack.map(handleOf)).size > 1) return undefined
  return native.handlers === undefined ? 'callback' : 'handlers'
}

/** The guards of a route that come before its native callback; undefined where a Controller could not have them as its middleware. */
function guardsOf(route: Route): RegisteredLayer['guards'] {
  const { stack } = route
  if (nativeAlone(route) === 'callback') return 0
  const native = nativeAmong(route, stack)
  if (native === undefined || native.handlers !== undefined || native.at !== stack.length - 1)
    return undefined
  const guards = stack.slice(0, -1)
  const { method } = stack[native.at]!
  if (!guards.every((layer) => layer.method === method && isGuard(handleOf(layer)))) return undefined
  // A Controller has its body read before its middleware. Requests of these methods have none.
  const hasNoBody = native.controller.options.body === 'stream' || /^(?:get|head)$/.test(String(method))
  return hasNoBody ? guards.length : 'body'
}

/** Whether a function means the same as middleware of a Controller, or as a hook of a list. */
function isGuard(handle: Handle): boolean {
  if (handle.length > 3 || routerBehind(handle) || describeServed(handle) !== undefined) return false
  // A Controller is no route, which has members of its own, and which another one comes after.
  return !/\broute\b/.test(Function.prototype.toString.call(handle)) && !namesSignal(handle, 'router')
}

/** Whether a method of a route may give its request on: all of its handlers may, or one of them by `next('route')`. */
function routeMayPass({ stack }: Route): boolean {
  const methods = new Set(stack.map(({ method }) => method))
  return [...methods].some((own) => {
    const handlers = stack.flatMap((layer) =>
      layer.method === undefined || layer.method === own ? [handleOf(layer)] : [],
    )
    return handlers.every((one) => mayPass(one, true)) || handlers.some((one) => namesSignal(one, 'route'))
  })
}

/** A function of `use`; undefined for a route, and for Controllers without hooks, whose rows say all of them. */
function useOf(
  layer: Layer,
  reading: Reading,
  registrations: Registrations,
  numberOf: (router: Router) => number,
): RegisteredUse | undefined {
  if (layer.route !== undefined) return undefined
  const handle = handleOf(layer)
  if (describeServed(handle)?.description?.hooks.length === 0) return undefined
  const registration = registrations.ofLayer(layer)
  const written = registration && reading.sites.writtenAt(registration)
  const path = registration && (layer.rawPath ?? registrations.pathOf(layer) ?? '/')
  const router = routerBehind(handle)
  return {
    path: typeof path === 'string' ? path : undefined,
    name: handle.name || '<anonymous>',
    at: registration && siteOf(registration, reading),
    argument: written?.argument,
    isError: handle.length === 4,
    isGuard: isGuard(handle),
    leadsTo: router ? numberOf(router) : undefined,
  }
}

function profileOf(router: Router, app: App | undefined): unknown {
  return app === undefined ? fromRouter(router) : fromApp(app)
}

/** What is thrown, as a sentence. */
function refusalOf(action: () => unknown): string | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Why a Controller cannot stand for a route; undefined where one can. */
function obstacleOf(version: ExpressVersion, route: Route): string | undefined {
  const { path, stack } = route
  if (isChanged(route)) return 'a layer of its route has got another function since it was registered'
  const [member] = stack.flatMap((layer) => membersOf(runBy(layer)))
  if (member !== undefined && nativeAmong(route, stack) === undefined)
    return `a handler has members of its own, as ${member}, which other code may look for`
  if (stack.some((layer) => namesSignal(handleOf(layer), 'router'))) {
    return "a handler calls next('router'), which leaves the Controllers alone and not the router"
  }
  return refusalOf(() => {
    expressPath(path)
    checkedPath(version, path, () => {})
  })
}

/** Whether the text of a handler has `'route'` or `'router'`, which it may give to `next`. */
function namesSignal(handle: Handle, signal: 'route' | 'router'): boolean {
  return new RegExp(`(['"\`])${signal}\\1`).test(Function.prototype.toString.call(handle))
}

/** The calls that have registered the handlers of a route, each once, in their order. */
function callsOf(
  routeLayer: Layer,
  { stack }: Route,
  reading: Reading,
  registrations: Registrations,
): RegisteredCall[] {
  const calls = new Map<unknown, { -readonly [K in keyof RegisteredCall]: RegisteredCall[K] }>()
  const siteOfLayer = (layer: Layer): Site | undefined => {
    const registration = registrations.ofLayer(layer)
    return registration && siteOf(registration, reading)
  }
  const keyOf = (at: Site | undefined): string | undefined => at && `${at.file}:${at.line}:${at.column}`
  const ofRoute = keyOf(siteOfLayer(routeLayer))
  for (const layer of stack) {
    const { method: verb = 'all' } = layer
    const at = siteOfLayer(layer)
    const key = keyOf(at)
    const known = calls.get(key ?? layer)
    // `app.all` of version 4 registers a layer for each method that there is.
    const isError = handleOf(layer).length === 4
    if (known === undefined) {
      calls.set(key ?? layer, { at, verb, isOnRoute: key !== ofRoute, errorHandlers: isError ? 1 : 0 })
      continue
    }
    if (known.verb !== verb) known.verb = 'all'
    known.errorHandlers = isError ? known.errorHandlers + 1 : 0
  }
  return [...calls.values()]
}

function siteOf(registration: Registration, reading: Reading): Site | undefined {
  const written = reading.sites.writtenAt(registration)
  return written && { ...written.origin, isCompiled: written.loaded.file !== written.origin.file }
}

/** The names of the params in a path. */
function paramsOf({ keys }: Layer, path: unknown): readonly string[] | undefined {
  if (keys !== undefined && keys.length > 0) {
    return keys.map((key) => String(typeof key === 'object' ? key.name : key))
  }
  const each: readonly unknown[] = Array.isArray(path) ? path.flat(Infinity) : [path ?? '/']
  if (!each.every((one) => typeof one === 'string')) return undefined
  return each.flatMap((one) => [...one.matchAll(/[:*]"?(\w+)/g)].map(([, name]) => name!))
}

/** The apps of routers, to any depth. */
function appsOf(roots: readonly unknown[]): ReadonlyMap<Router, App> {
  const apps = new Map<Router, App>()
  const seen = new Set<unknown>()
  const visit = (one: unknown): void => {
    if (seen.has(one)) return
    seen.add(one)
    const serving = describeServed(one)
    if (serving !== undefined) visit(serving.fallback)
    const app = appOf(one)
    const router = routerBehind(one)
    if (!router) return
    if (app !== undefined) apps.set(router, app)
    for (const layer of router.stack) {
      for (const inner of layer.route?.stack ?? [layer]) visit(handleOf(inner))
    }
  }
  for (const root of roots) visit(root)
  return apps
}
