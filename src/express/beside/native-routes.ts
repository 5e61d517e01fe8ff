// The native callbacks of an app as routes: what `openApi(app)` tells of them.
import type { AppRoute, AppRoutes } from '../../define/app-routes.js'
import { guardNotesOf, nameOfMiddleware } from '../../define/middleware.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import { defaultRefusedStatus } from '../../define/schema.js'
import { describeServed } from '../../introspection.js'
import { handleOf } from '../model/layer.js'
import { routerBehind } from '../model/mounted-app.js'
import { pathParts } from '../model/path-parts.js'
import { nativesOf, type PlacedNative } from '../model/placed.js'
import { isApp, isRouter, versionOf } from '../model/router.js'
import { findWitness, isOf, type LiveRoute, reachableIn } from '../model/routes.js'
import { LayerIndex } from '../model/trace.js'

/** The routes of an app or a router in which a native callback stands; undefined for anything else. */
export function nativeRoutesOf(app: unknown): AppRoutes | undefined {
  if (!isApp(app) && !isRouter(app)) return undefined
  return {
    get routes() {
      return readRoutes(app)
    },
    get size() {
      return countLayers(app, new Set())
    },
  }
}

function countLayers(one: unknown, seen: Set<unknown>): number {
  const fallback = describeServed(one)?.fallback
  if (fallback !== undefined) return countLayers(fallback, seen)
  const router = routerBehind(one)
  if (!router || seen.has(router)) return 0
  seen.add(router)
  let count = router.stack.length
  for (const layer of router.stack) count += layer.route?.stack.length ?? countLayers(handleOf(layer), seen)
  return count
}

function readRoutes(app: object): readonly AppRoute[] {
  const index = new LayerIndex()
  return reachableIn(app, () => undefined).routes.flatMap((live) => {
    const [native] = nativesOf(live)
    return native === undefined ? [] : [routeOf(app, live, native, index)]
  })
}

function routeOf(app: object, live: LiveRoute, native: PlacedNative, index: LayerIndex): AppRoute {
  const { callback, options } = native.controller
  const named = nodeCallbackOf(callback)?.handlers.at(-1) ?? callback
  return {
    method: live.method,
    path: live.path,
    paths: pathParts(versionOf(live.router ?? app), live.path),
    name: options.name ?? (named.name || '<anonymous>'),
    middleware: native.before.map(nameOfMiddleware),
    source: undefined,
    input: options.input,
    output: options.output,
    refusedStatus: defaultRefusedStatus,
    hasOnError: false,
    // To follow a request costs more than all else here, and is for the document alone.
    get guards() {
      const { steps } = findWitness(app, live, index)
      const at = steps.findIndex((step) => isOf(live, step) && step.behind !== undefined)
      const before = at < 0 ? native.before : steps.slice(0, at).map(({ run }) => run)
      return before.flatMap(guardNotesOf)
    },
    options,
    isForeign: false,
  }
}
