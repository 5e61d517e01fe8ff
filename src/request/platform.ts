import { RouteControllersError } from '../ground/errors.js'
import { checkFunction, checkOptions, nameType, type OptionChecks } from '../ground/options.js'

/** What `platform` takes. All of it is optional. */
export interface PlatformOptions<Env = unknown> {
  /** The address of the peer: the client, or the proxy nearest to this program. `req.realIp` begins with it. */
  ip?: string
  /** Variables and bindings of the runtime, such as the `env` of Cloudflare Workers. */
  env?: Env
  /** Keeps the runtime alive until a promise has settled, as `ctx.waitUntil` of Workers does. */
  waitUntil?: (promise: Promise<unknown>) => void
  /** The runtime's own objects, for what is not among these. */
  raw?: unknown
}

/** The same from a server of this package. */
export interface ServedPlatform<Env = unknown> extends Platform<Env> {
  readonly stopping?: Stopping | undefined
  /** Called where an answer is an event stream, which may be silent for longer than others. */
  beginEvents?(): void
}

/** How a server stops, for the answers that it still sends. */
export interface Stopping {
  /** Aborts when it takes no more connections: event streams then end. */
  readonly events: AbortSignal
  /** Aborts when it waits no longer: streams then break off. */
  readonly all: AbortSignal
}

// Not a WeakSet: an entry for a runtime and the core may be two copies of this package, as ESM and as CommonJS.
export const brand: unique symbol = Symbol.for('routecontrollers.platform')

/** What a runtime tells about a request beside it. Callbacks read it as `req.platform`. */
export interface Platform<Env = unknown> {
  /** The address of the peer; undefined where it is not known. Callbacks read `req.realIp`, which heeds `trustProxy`. */
  readonly ip: string | undefined
  /** Variables and bindings of the runtime. */
  readonly env: Env
  /** Keeps the runtime alive until a promise has settled; undefined where the runtime cannot. */
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined
  /** The runtime's own objects. */
  readonly raw: unknown
  readonly [brand]: true
}

/** Takes the answer to a request. */
export type Resolve = (response: Response | Promise<Response>) => void

/** Answers a request by a call, which takes one promise less than a fetch handler. It never throws. */
export type Answering = (request: Request, platform: Platform | undefined, resolve: Resolve) => void

const checks: OptionChecks<PlatformOptions> = {
  ip: checkText,
  env: () => {},
  waitUntil: checkFunction,
  raw: () => {},
}

/**
 * What a runtime tells about a request, for the second parameter of `getCallback()`: nothing else is read there.
 *
 * Bun, Deno and Workers call a fetch handler with objects of their own. A variable named `ip` among these must not become an
 * address, so only what this function has made counts. Throws ERR_OPTION_INVALID for an unknown name or a wrong value.
 *
 * @example
 * ```ts
 * import { Controller, platform, RouteControllers } from 'routecontrollers'
 *
 * const fetchHandler = new RouteControllers([
 *   new Controller('GET', '/ip', (req) => req.realIp ?? 'unknown'),
 * ]).getCallback()
 * const response = await fetchHandler(new Request('http://localhost/ip'), platform({ ip: '203.0.113.7' }))
 * console.log(await response.text()) // 203.0.113.7
 * ```
 */
export function platform<Env = undefined>(options: PlatformOptions<Env>): Platform<Env> {
  const { ip, env, waitUntil, raw } = checkOptions<PlatformOptions>('platform', options, checks)
  return Object.freeze({ ip, env: env as Env, waitUntil, raw, [brand]: true as const })
}

/** The second argument of a fetch handler, if `platform` has made it. */
export function platformOf(value: unknown): ServedPlatform | undefined {
  // An own member: a polluted prototype makes no platform of what a runtime gives.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand)
    ? (value as ServedPlatform)
    : undefined
}

function checkText(option: string, value: unknown): void {
  if (typeof value === 'string') return
  throw new RouteControllersError('ERR_OPTION_INVALID', `${option} takes a text, not ${nameType(value)}`)
}
