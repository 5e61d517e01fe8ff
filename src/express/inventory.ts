import { mountedApp } from './mounted-app.js'
import { type ExpressPath, showPath } from './path.js'
import {
  type ExpressVersion,
  type Handle,
  hasStack,
  isApp,
  type Layer,
  type Route,
  type Router,
  routerOf,
  routerPrototype,
  versionOfRouter,
} from './router.js'
import { anyShape, joinShapes, pathOfLayer, type Shape, shapesOf } from './shape.js'

/** One route of a router, or of one in it at any depth. */
export interface RouteEntry {
  readonly route: Route
  /** The layers that lead to it: those of the routers that it stands in, from the outermost on, then its own. */
  readonly chain: readonly Placed[]
  /** Of the whole path. */
  readonly shapes: readonly Shape[]
  /** The whole path, as it is shown. */
  readonly path: string
}

/** A layer, and of which version the router is that it stands in. */
interface Placed {
  readonly layer: Layer
  readonly version: ExpressVersion
}

/** What cannot be looked into, and where it stands. */
interface Opaque {
  readonly name: string
  readonly path: string
  readonly reason: string
}

/** What stands in a router: its routes in their order, and what may have more of them and does not show it. */
export interface Inventory {
  readonly entries: readonly RouteEntry[]
  readonly opaque: readonly Opaque[]
}

/** Reads the routes of a router, in wrapped routers and mounted apps to any depth too. */
export function readRoutes(router: Router, stack: readonly Layer[] = router.stack): Inventory {
  const entries: RouteEntry[] = []
  const opaque: Opaque[] = []
  const above = new Set<Router>()

  const read = (inner: Router, layers: readonly Layer[], outer: Outer): void => {
    above.add(inner)
    const version = versionOf(inner, outer.version)
    for (const layer of layers) {
      const path = pathOfLayer(version, layer)
      const own = path === undefined ? anyShape : shapesOf(version, path)
      const shapes =
        outer.chain.length === 0 ? own : joinShapes(outer.chain.at(-1)!.version, outer.shapes, own)
      const chain = [...outer.chain, { layer, version }]
      const shown = showAt(outer.path, path)
      if (layer.route) {
        entries.push({ route: layer.route, chain, shapes, path: shown })
        continue
      }
      const found = routerBehind(unwrap(layer.handle))
      if (found === undefined && isWrapped(layer)) {
        const reason = 'its function is wrapped, so the routes behind it cannot be read'
        opaque.push({ name: layer.name, path: shown, reason })
      }
      if (found && !above.has(found)) read(found, found.stack, { chain, shapes, path: shown, version })
    }
    above.delete(inner)
  }

  read(router, stack, { chain: [], shapes: [], path: '', version: 5 })
  return { entries, opaque }
}

interface Outer {
  readonly chain: readonly Placed[]
  readonly shapes: readonly Shape[]
  readonly path: string
  readonly version: ExpressVersion
}

// What wraps a router shows its stack, but not its prototype: then it is of the version of the router around it.
function versionOf(router: Router, outer: ExpressVersion): ExpressVersion {
  const prototype = routerPrototype(router)
  return prototype === undefined ? outer : versionOfRouter(prototype)
}

/** What a tracer has wrapped: it keeps the function that was there under this name. */
function unwrap(handle: Handle): Handle {
  let inner: unknown = handle
  for (let depth = 0; depth < 10; depth++) {
    const original = (inner as { __original?: unknown }).__original
    if (typeof original !== 'function') break
    inner = original
  }
  return inner as Handle
}

/** True for what Express calls an app or a router, where the function is another one by now: a layer keeps the name. */
function isWrapped({ name, handle }: Layer): boolean {
  return (name === 'mounted_app' || name === 'router') && handle.name !== name
}

/** The router that a function of `use` leads to; null for an app that has none yet, undefined where none can be seen. */
function routerBehind(handle: Handle): Router | null | undefined {
  const mounted = mountedApp(handle)
  const inner: unknown = mounted === undefined ? handle : mounted.app
  if (mounted !== undefined && inner === undefined) return null
  const router = isApp(inner) ? routerOf(inner) : inner
  return hasStack(router) ? router : isApp(inner) ? null : undefined
}

function showAt(outer: string, path: ExpressPath | undefined): string {
  const own = path === undefined ? '(unknown)' : showPath(path)
  if (outer === '') return own
  const before = outer.replace(/\/+$/, '')
  return own === '/' ? before || '/' : before + (own.startsWith('/') ? own : `/${own}`)
}

/** Whether a path reaches a route; `'malformed'` where a param on the way cannot be decoded, which Express answers with 400. */
export function reaches({ chain }: RouteEntry, sent: string): boolean | 'malformed' {
  let path = sent
  for (const [at, { layer, version }] of chain.entries()) {
    let matched: string
    try {
      const match = layer.match(path)
      if (!match) return false
      matched = matchOf(layer, match).path
    } catch {
      return 'malformed'
    }
    if (at === chain.length - 1) return true
    if (!path.startsWith(matched)) return false
    const following = path[matched.length]
    const isWhole = following === undefined || following === '/' || (version === 4 && following === '.')
    if (matched !== '' && !isWhole) return false
    const rest = path.slice(matched.length)
    path = rest.startsWith('/') ? rest : `/${rest}`
  }
  return false
}

/** Version 4, and the routers of version 5 before 2.3, leave on the layer what they have found. */
function matchOf(layer: Layer, match: unknown): { readonly path: string; readonly params: object } {
  return (match === true ? layer : match) as { path: string; params: object }
}

/** The params that a path has on its way to a route, those of the routers that it stands in included. */
export function paramsOn({ chain }: RouteEntry, sent: string): Record<string, string> {
  const params: Record<string, unknown> = {}
  let path = sent
  for (const { layer } of chain) {
    try {
      const match = matchOf(layer, layer.match(path))
      Object.assign(params, match.params)
      const rest = path.slice(match.path.length)
      path = rest.startsWith('/') ? rest : `/${rest}`
    } catch {
      break
    }
  }
  return params as Record<string, string>
}
