import type { IncomingMessage, ServerResponse } from 'node:http'
import { RouteControllersError } from '../../ground/errors.js'
import { nameType } from '../../ground/options.js'
import { type Done, type ExpressVersion, type Handle, isLayerOf, type Layer, type Route } from './layer.js'

/** The members of Express's Router that are used here. Its code runs every request. */
export interface Router extends Handle {
  stack: Layer[]
  readonly params: Readonly<Record<string, readonly Handle[] | undefined>>
  mergeParams?: boolean | undefined
  caseSensitive?: boolean | undefined
  strict?: boolean | undefined
  handle(req: IncomingMessage, res: ServerResponse, done: Done): void
  use(...parameters: unknown[]): unknown
  route(path: unknown): Route
  param(name: string, callback: unknown): unknown
}

/** The members of an Express app that are used here. */
export interface App extends Handle {
  readonly settings: Record<string, unknown>
  readonly request: object
  readonly response: object
  readonly locals: Record<string, unknown>
  /** Version 4: undefined until something is registered. */
  _router?: Router | undefined
  /** Version 5. In version 4 a getter that throws. */
  readonly router?: Router
  /** Version 4. */
  lazyrouter?(): void
  enabled(setting: string): boolean
  get(setting: string): unknown
  set(setting: string, value: unknown): unknown
  engine(extension: string, engine: unknown): unknown
  handle(req: IncomingMessage, res: ServerResponse): void
}

/** The error for an invalid option. */
export function invalid(message: string, cause?: unknown): RouteControllersError {
  return new RouteControllersError('ERR_OPTION_INVALID', message, { cause })
}

// By their members: an app may be of another copy of Express than one that this package could import. They are read, not looked
// for: a Proxy has members that its target has not.

/** True for an app of Express, of whatever version. */
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

/** True for what has the layers of a router: one of whatever version, or a function that wraps one and has its fields. */
export function isRouter(value: unknown): value is Router {
  const router = value as Partial<Router> | null
  return typeof value === 'function' && Array.isArray(router?.stack) && typeof router.params === 'object'
}

/** How a version is told from others, and where its app has its router. */
interface Marks {
  readonly isApp: (app: App) => boolean
  readonly routerOf: (app: App) => Router | undefined
  readonly isRouter: (router: Router) => boolean
}

const hasMembersOf4 = (router: Router): boolean => {
  const { process_params: method, _params: field } = router as { process_params?: unknown; _params?: unknown }
  return typeof method === 'function' || Array.isArray(field)
}

/** Express 5 makes the router of an app when it is first read, with the settings of that time: it is not read to tell the version. */
const hasRouter = (app: App): boolean => {
  const member = Object.getOwnPropertyDescriptor(app, 'router')
  return (member !== undefined && 'get' in member) || typeof app.router === 'function'
}

/**
 * Express 5 shows its router to those who list members. That of version 4 is hidden, and cannot be redefined. A `lazyrouter` tells
 * less: programs give one to an app of version 5, for packages that call it.
 */
const showsRouter = (app: object | null): boolean =>
  app !== null &&
  (Object.getOwnPropertyDescriptor(app, 'router')?.enumerable === true ||
    showsRouter(Object.getPrototypeOf(app) as object | null))

const marks: Readonly<Record<ExpressVersion, Marks>> = {
  4: {
    isApp: (app) => typeof app.lazyrouter === 'function' && !showsRouter(app),
    routerOf: ({ _router: router }) => router,
    isRouter: hasMembersOf4,
  },
  5: {
    isApp: (app) => (app.lazyrouter === undefined || showsRouter(app)) && hasRouter(app),
    routerOf: ({ router }) => router,
    isRouter: (router) => !hasMembersOf4(router),
  },
}

const versions = Object.keys(marks).map(Number) as readonly ExpressVersion[]

/** The version of Express that has made an app or a router; undefined for one that is not known, and for anything else. */
export function readVersion(value: object): ExpressVersion | undefined {
  if (isApp(value)) return versionOfApp(value)
  return Array.isArray((value as Partial<Router>).stack) ? versionOfRouter(value as Router) : undefined
}

/** The same. Throws ERR_EXPRESS_VERSION for one that is not known. */
export function versionOf(value: object): ExpressVersion {
  const version = readVersion(value)
  if (version === undefined) throw unknownVersion(value)
  return version
}

/** The router of an app; undefined where it has none yet, as in version 4 before anything is registered. Throws as `versionOf`. */
export function routerOf(app: object): Router | undefined {
  const version = versionOf(app)
  const router = marks[version].routerOf(app as App)
  if (isRouter(router) && versionOfRouter(router) !== version) throw unknownVersion(router)
  return router
}

/** Whether an app whose version is known has this router, or none for undefined. */
export function isRouterOf(app: App, router: Router | undefined): boolean {
  return marks[knownApps.get(app)!].routerOf(app) === router
}

// A request asks for the version of its app, and of its app's router, whose layers may be thousands.
const knownApps = new WeakMap<App, ExpressVersion>()
const knownRouters = new WeakMap<Router, ExpressVersion>()

function versionOfApp(app: App): ExpressVersion | undefined {
  let version = knownApps.get(app)
  if (version === undefined) {
    version = versions.find((one) => marks[one].isApp(app))
    if (version !== undefined) knownApps.set(app, version)
  }
  return version
}

/** Members of a router tell version 4 from 5, and its layers both from any other version. */
function versionOfRouter(router: Router): ExpressVersion | undefined {
  const version = knownRouters.get(router) ?? readVersionOfRouter(router)
  // Without layers a router shows too little to be sure.
  if (version !== undefined && router.stack.length > 0) knownRouters.set(router, version)
  return version
}

function readVersionOfRouter(router: Router): ExpressVersion | undefined {
  const { stack } = router
  const fitting = versions.filter((one) => stack.length === 0 || stack.some(isLayerOf[one]))
  // What wraps a router may have its stack alone.
  const isWrapper = typeof router.use !== 'function'
  return fitting.find((one) => marks[one].isRouter(router)) ?? (isWrapper ? fitting[0] : undefined)
}

/** The error for an app or a router of a version that is not known. */
export function unknownVersion(value: object): RouteControllersError {
  const what = isApp(value) ? 'app' : 'Router'
  return new RouteControllersError(
    'ERR_EXPRESS_VERSION',
    `this ${what} is of no version of Express that is known here, which are ${versions.join(' and ')}: ${seenOf(value)}; install express@${versions.at(-1)}, or a version of routecontrollers that knows yours`,
  )
}

/** What has been seen of it. */
function seenOf(value: object): string {
  if (isApp(value)) {
    return `it has no lazyrouter as in Express 4, and no router as in Express 5 (${nameType(value.router)})`
  }
  const [layer] = (value as Partial<Router>).stack ?? []
  if (layer !== undefined) return `its layers have the members ${Object.keys(layer).join(', ')}`
  return `it has the members ${Object.keys(value).join(', ')}`
}
