import { extendsMembers } from '../members/app-members.js'
import type { ExpressVersion } from '../application.js'
import { type Handle, type LiveLayer, type LiveRoute, matcherOf, pathOf } from './live-layer.js'
import {
  isApp,
  isPlain,
  isRouter,
  layersOf,
  type LiveApp,
  type LiveRouter,
  notExpress,
  routerOf,
  versionOfRouter,
} from './live-router.js'
import { mountedApp } from './mounted-app.js'
import type { ParamCallback } from '../routing/param-callbacks.js'
import { type ExpressPath, showPath } from '../routing/path.js'
import type { PathMatcher } from '../routing/path-matcher.js'
import { prefixesOf } from '../routing/path-prefix.js'

/** One thing that was registered: middleware, a route, or a router or an app with what is in it. */
export type Layer = UseLayer | RouteLayer | MountLayer

interface Placed {
  /** Its place among all layers of the app, counted through routers to any depth. */
  readonly order: number
  /** In which router it stands. */
  readonly stack: Stack
  /** As it was registered, where that can be known. */
  readonly path: ExpressPath | undefined
  readonly matcher: PathMatcher
  /** What every path begins with that it matches, in lower case: for each alternative. */
  readonly beginnings: readonly string[]
  readonly name: string
}

export interface UseLayer extends Placed {
  readonly kind: 'use'
  readonly handle: Handle
}

export interface RouteLayer extends Placed {
  readonly kind: 'route'
  readonly route: LiveRoute
}

export interface MountLayer extends Placed {
  readonly kind: 'mount'
  readonly mounted: Stack
  /** True where `req.app` is afterwards what it was before. */
  readonly restoresApp: boolean
}

/** A router at one of the places where it is mounted. */
export interface Stack {
  readonly version: ExpressVersion
  readonly mergeParams: boolean
  readonly caseSensitive: boolean
  readonly strict: boolean
  /** The callbacks of params, by name. */
  readonly params: ReadonlyMap<string, readonly ParamCallback[]>
  readonly layers: readonly Layer[]
  /** The layer that it is mounted by; undefined for the outermost. */
  readonly mount: MountLayer | undefined
  /** The app whose router it is, if it is one's. */
  readonly app: LiveApp | undefined
  /** The order of the last layer in it, to any depth. */
  readonly last: number
}

/** A layer that has not been understood, and where it stands. */
interface Unread {
  readonly order: number
  readonly name: string
  readonly path: string
  readonly reason: string
}

/** What a live app or router consists of. */
export interface ReadRouter {
  readonly root: Stack
  readonly unread: readonly Unread[]
}

/**
 * Reads a live app or router of Express 4 or 5: its layers in their order, with all that stands in routers and mounted apps.
 *
 * What it cannot look into it takes for the middleware that it also is. Throws ERR_OPTION_INVALID for anything else.
 */
export function readRouter(source: unknown, owner: string): ReadRouter {
  const app = isApp(source) ? source : undefined
  const router = routerIn(source, owner)
  const unread: Unread[] = []
  let order = 0
  const above = new Set<LiveRouter>()

  const read = (live: LiveRouter, of: LiveApp | undefined, mount: MountLayer | undefined): Stack => {
    const layers: Layer[] = []
    const stack = {
      version: versionOfRouter(live),
      mergeParams: Boolean(live.mergeParams),
      caseSensitive: Boolean(live.caseSensitive),
      strict: Boolean(live.strict),
      params: new Map(Object.entries(live.params)),
      layers,
      mount,
      app: of,
      last: 0,
    }
    above.add(live)
    for (const layer of layersOf(live, of)) {
      const one = readLayer(layer, stack)
      if (one !== undefined) layers.push(one)
    }
    above.delete(live)
    stack.last = order
    return stack
  }

  const readLayer = (layer: LiveLayer, stack: Stack): Layer | undefined => {
    const matcher = matcherOf(layer)
    const path = pathOf(layer)
    const { handle, route, name } = layer
    order++
    if (matcher === undefined) {
      unread.push({
        order,
        name,
        path: pathAt(stack, path),
        reason: 'it matches in a way that is not Express’s',
      })
      return undefined
    }
    const beginnings = path === undefined ? [''] : prefixesOf(stack.version, path).map(textOf)
    const placed = { order, stack, path, matcher, beginnings, name }
    if (route !== undefined) return { ...placed, kind: 'route', route }
    const mountedBy = mountedApp(handle)
    const inner = mountedBy === undefined ? handle : mountedBy.app
    const innerRouter = isApp(inner) ? routerOf(inner) : inner
    // An app of version 4 without any layer passes every request on.
    if (innerRouter === undefined) return { ...placed, kind: 'use', handle: passOn }
    if (!isRouter(innerRouter) || !isPlain(innerRouter)) return { ...placed, kind: 'use', handle }
    // One that is mounted in itself has no end, and a mounted app may have members of its own for its requests, those of the other
    // version or some that it was given: these are called as the functions that they are.
    const foreign =
      isApp(inner) && (versionOfRouter(innerRouter) !== versionOfRouter(router) || extendsMembers(inner))
    if (foreign || above.has(innerRouter)) return { ...placed, kind: 'use', handle }
    const restoresApp = isApp(inner) && mountedBy !== undefined
    const mount = { ...placed, kind: 'mount' as const, restoresApp, mounted: undefined as unknown as Stack }
    mount.mounted = read(innerRouter, isApp(inner) ? inner : undefined, mount)
    return mount
  }

  return { root: read(router, app, undefined), unread }
}

function passOn(_request: unknown, _response: unknown, next: unknown): void {
  ;(next as () => void)()
}

function routerIn(source: unknown, owner: string): LiveRouter {
  const router = isApp(source) ? routerOf(source) : source
  if (isRouter(router)) return router
  if (router === undefined && isApp(source)) return emptyRouter
  throw notExpress(owner, source)
}

// What an app of version 4 has before its first route.
const emptyRouter = { stack: [], params: {}, process_params: true } as LiveRouter

/** False where a path, in lower case, cannot be one that a layer matches: what that costs is a fraction of its matcher. */
export function mayBegin({ beginnings }: Layer, path: string): boolean {
  for (const beginning of beginnings) if (path.startsWith(beginning)) return true
  return false
}

/** The text of the segments that a path begins with, in lower case. */
export function textOf(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment.toLowerCase()}`).join('')
}

/** All layers in their order, those in routers behind the one that mounts them. */
export function* layersIn(stack: Stack): Generator<Layer> {
  for (const layer of stack.layers) {
    yield layer
    if (layer.kind === 'mount') yield* layersIn(layer.mounted)
  }
}

/** Where a layer stands, mount paths included, as it is shown. */
export function pathOfLayer({ stack, path }: Layer): string {
  return pathAt(stack, path)
}

function pathAt(stack: Stack, path: ExpressPath | undefined): string {
  const own = path === undefined ? '…' : showPath(path)
  if (stack.mount === undefined) return own
  const outer = pathOfLayer(stack.mount).replace(/\/+$/, '')
  return own === '/' ? outer || '/' : outer + (own.startsWith('/') ? own : `/${own}`)
}

/**
 * The whole segments that every path must begin with to reach a layer, for each alternative.
 *
 * `sensitive` asks for segments that hold as they are written, and not only without regard to case.
 */
export function prefixesOfLayer(layer: Layer, sensitive: boolean): readonly (readonly string[])[] {
  const { stack, path } = layer
  const own = path !== undefined && isExact(stack, sensitive) ? prefixesOf(stack.version, path) : nothing
  const { mount } = stack
  if (mount === undefined) return own
  const outer = prefixesOfLayer(mount, sensitive)
  return isFixed(mount, sensitive) ? own.map((segments) => [...outer[0]!, ...segments]) : outer
}

const nothing: readonly (readonly string[])[] = Object.freeze([Object.freeze([])])

/** False where case matters to whoever asks, and not to the router. */
function isExact({ caseSensitive }: Stack, sensitive: boolean): boolean {
  return caseSensitive || !sensitive
}

/** True for a mount of which it is known where all that stands in it begins: to the outermost, each path is one for all that it matches. */
function isFixed({ stack, path }: MountLayer, sensitive: boolean): boolean {
  // Behind a mount path of version 4 there may be one more slash.
  if (stack.version === 4 || !isExact(stack, sensitive) || !isLiteral(path)) return false
  return stack.mount === undefined || isFixed(stack.mount, sensitive)
}

/** True for a path that is the same for all that it matches, but for case and what is below it. */
function isLiteral(path: ExpressPath | undefined): boolean {
  return typeof path === 'string' && /^(?:\/[\w\-.~]+)*\/?$/.test(path)
}
