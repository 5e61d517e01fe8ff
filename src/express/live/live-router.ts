import { RouteControllersError } from '../../errors.js'
import type { Extensible } from '../members/app-members.js'
import type { ExpressVersion } from '../application.js'
import type { ParamCallback } from '../routing/param-callbacks.js'
import type { Handle, LiveLayer } from './live-layer.js'

/** An Express app, as far as it is looked at here. */
export interface LiveApp extends Required<Extensible> {
  readonly mountpath?: unknown
  readonly lazyrouter?: unknown
  readonly _router?: LiveRouter
  readonly router?: LiveRouter
  enabled(setting: string): boolean
  get(setting: string): unknown
}

/** A Router of Express, or what an app keeps as its own. */
export interface LiveRouter {
  readonly stack: readonly LiveLayer[]
  readonly params: Readonly<Record<string, readonly ParamCallback[]>>
  readonly mergeParams?: boolean
  readonly caseSensitive?: boolean
  readonly strict?: boolean
}

// By what they are made of: an app may use another copy of Express than the one that is installed beside us.

export function isApp(value: unknown): value is LiveApp {
  const app = value as Partial<Record<string, unknown>> | null
  return (
    typeof value === 'function' && typeof app?.['handle'] === 'function' && typeof app['set'] === 'function'
  )
}

export function isRouter(value: unknown): value is LiveRouter {
  const router = value as Partial<LiveRouter> | null
  return typeof value === 'function' && Array.isArray(router?.stack) && typeof router.params === 'object'
}

/** True for a router whose walk is Express's own; another `handle` does what only it knows. */
export function isPlain(router: LiveRouter): boolean {
  return !Object.hasOwn(router, 'handle')
}

function versionOfApp(app: LiveApp): ExpressVersion {
  return 'lazyrouter' in app ? 4 : 5
}

export function versionOfRouter(router: LiveRouter): ExpressVersion {
  return 'process_params' in router ? 4 : 5
}

/** The router of an app. That of version 4 is not there before something has been registered. */
export function routerOf(app: LiveApp): LiveRouter | undefined {
  return versionOfApp(app) === 4 ? app._router : app.router
}

/** The layers that are the app's and not its user's: in version 4 two that prepare the request come first. */
export function layersOf(router: LiveRouter, app: LiveApp | undefined): readonly LiveLayer[] {
  if (app === undefined || versionOfApp(app) === 5) return router.stack
  const own = (handle: Handle, at: number): boolean => handle.name === ['query', 'expressInit'][at]
  return router.stack.filter(({ handle }, at) => !own(handle, at))
}

export function notExpress(owner: string, value: unknown): RouteControllersError {
  return new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${owner} takes an app or a Router of Express 4 or 5, not ${value === null ? 'null' : typeof value}`,
  )
}
