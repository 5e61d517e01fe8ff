import type { ServerOptions as TlsOptions } from 'node:https'
import { RouteControllersError } from '../ground/errors.js'
import {
  checkBoolean,
  checkCount,
  checkedByReader,
  checkFallback,
  checkLogger,
  checkOptions,
  count,
  hasMethods,
  isOptions,
  maxTimerMs,
  nameType,
  type OptionChecks,
  shown,
  wrongOption,
} from '../ground/options.js'
import type { TrustProxy } from '../request/forwarded.js'
import type { FetchHandler, Logger, NodeHandler } from '../ground/types.js'

/** Limits of the server, against clients that keep connections open or fill memory. Times are milliseconds. */
export interface ServerLimits {
  /** How long a whole request may take, its body included. Default 120 000. */
  requestTimeoutMs?: number
  /** How long the head of a request may take, and a TLS handshake. Default 20 000. */
  headersTimeoutMs?: number
  /** How often the two timeouts above are checked. Default 5 000. */
  connectionsCheckingIntervalMs?: number
  /** How long an idle connection is kept; should be longer than a load balancer keeps it, often 60 s. Default 72 000. */
  keepAliveTimeoutMs?: number
  /** How long a socket may be silent within a request or an answer; an event stream may be silent for longer. Default 120 000. */
  socketTimeoutMs?: number
  /** Bytes of a request's head. Default 16 384. */
  maxHeaderBytes?: number
  /** Header fields of a request; more are answered with 431. Default 1 000. */
  maxHeaderFields?: number
  /** Requests that one HTTP/2 connection may have open at a time. Default 100. */
  maxConcurrentStreams?: number
}

/** How a server stops. Times are milliseconds. */
export interface StopOptions {
  /**
   * How long the server continues to serve before it takes no new connections. Each answer is the last on its connection.
   * Default: 0.
   */
  lameDuckMs?: number
  /** How long it then waits for the answers in flight, before it cuts what is left. Default 25 000. */
  graceMs?: number
}

/** How a server stops by default, and which signals to its process stop it. */
export interface ShutdownOptions extends StopOptions {
  /** The first of them stops the server, the second ends the process at once. Default none. */
  signals?: readonly ('SIGTERM' | 'SIGINT')[]
}

/** What answers the requests of a Server: `new RouteControllers([…])`. */
interface Served {
  getCallback(): FetchHandler
}

/** Options of `Server.start`. An unknown name and an invalid value throw ERR_OPTION_INVALID. */
export type ServerOptions = ServingOptions & (ServedByName | ServedByFormerName)

interface ServedByName {
  /** The RouteControllers that answer. */
  routeControllers: Served
  /** @deprecated Write `routeControllers`, which is the same. */
  RouteControllers?: Served
}

interface ServedByFormerName {
  /** @deprecated Write `routeControllers`, which is the same. */
  RouteControllers: Served
  /** The RouteControllers that answer. */
  routeControllers?: Served
}

/** Options of `Server.start` besides the RouteControllers that it serves. */
export interface ServingOptions {
  /** The port to listen on; 0 picks a free one. `{ fd }` is a socket that listens already, such as one of systemd. */
  port: number | { fd: number }
  /** The address to listen on. Default: all addresses. */
  host?: string
  /**
   * Gets each request that no controller matches, unchanged: an Express app, or any `(req, res)`. Without it such a request is
   * 404.
   */
  fallback?: NodeHandler
  /** Key, certificate and the other options of `https.createServer`. With them the server uses HTTPS. */
  tls?: TlsOptions
  /** Uses HTTP/2 with clients that choose it, and HTTP/1.1 with the others on the same port. Needs `tls`. Default: false. */
  http2?: boolean
  /** Serves in this number of processes that share the port; `'auto'` is one for each core. Default: only in this process. */
  workers?: number | 'auto'
  limits?: ServerLimits
  /**
   * `'node:http'` has that serve on Bun and Deno too, where `Server` takes `Bun.serve` and `Deno.serve` where it can. `server.lane` says what
   * it has taken.
   */
  lane?: 'node:http'
  /** Proxies whose X-Forwarded-For counts for `req.realIp`. Default none. */
  trustProxy?: TrustProxy
  /** What `stop()` does by default, and the signals that call it. */
  shutdown?: ShutdownOptions
  /** Gets a line about a worker that has died, an answer that HTTP/2 cannot carry, and a fetch handler that fails. Default `console`. */
  logger?: Logger
  /** Stops the server when it aborts. */
  signal?: AbortSignal
}

export const shutdownDefaults: Required<ShutdownOptions> = { lameDuckMs: 0, graceMs: 25_000, signals: [] }

const limitDefaults: Required<ServerLimits> = {
  requestTimeoutMs: 120_000,
  headersTimeoutMs: 20_000,
  connectionsCheckingIntervalMs: 5_000,
  keepAliveTimeoutMs: 72_000,
  socketTimeoutMs: 120_000,
  maxHeaderBytes: 16_384,
  maxHeaderFields: 1_000,
  maxConcurrentStreams: 100,
}

/** The options as they were given, and those that have defaults. */
export interface Settings {
  options: ServerOptions
  limits: Required<ServerLimits>
  shutdown: Required<ShutdownOptions>
  logger: Logger
}

function checkServed(_option: string, value: unknown): void {
  if (hasMethods(value, 'getCallback')) return
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    'Server.start takes { routeControllers: new RouteControllers([…]) }',
  )
}

const checks: OptionChecks<ServerOptions> = {
  port: (_option, value) => checkPort(value),
  host: (option, value) => {
    if (typeof value !== 'string' || value.trim() === '')
      throw wrongOption(
        option,
        'the address to listen on (leave it out for all)',
        typeof value === 'string' ? shown(value) : nameType(value),
      )
  },
  routeControllers: checkServed,
  RouteControllers: checkServed,
  fallback: checkFallback,
  tls: (option, value) => {
    if (!isOptions(value)) throw wrongOption(option, 'an object with key and cert', nameType(value))
  },
  http2: checkBoolean,
  workers: (option, value) => {
    if (value !== 'auto') checkCount(`${option}, unless 'auto',`, value, 'a count', 1, 1024)
  },
  limits: checkedByReader,
  lane: (option, value) => {
    if (value !== 'node:http') throw wrongOption(option, "'node:http', or nothing", shown(value))
  },
  trustProxy: checkedByReader,
  shutdown: checkedByReader,
  logger: checkLogger,
  signal: (option, value) => {
    if (Object.prototype.toString.call(value) !== '[object AbortSignal]')
      throw wrongOption(option, 'an AbortSignal', nameType(value))
  },
}

/** Throws ERR_OPTION_INVALID unless all names are known and all values fit. */
export function checkServerOptions(given: ServerOptions): Settings {
  checkOptions('Server.start', given, checks)
  // Without what a polluted prototype has.
  const options = Object.assign(Object.create(null) as object, given)
  // These have no defaults.
  checks.port('port', options.port)
  checks.routeControllers('routeControllers', servedBy(options))
  const { routeControllers, RouteControllers = routeControllers } = options
  if (routeControllers !== undefined && RouteControllers !== routeControllers) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      'Server.start takes one routeControllers: RouteControllers is another name of that option',
    )
  }
  const { tls, http2, limits = {}, shutdown = {}, logger = console } = options
  if (http2 && tls === undefined) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      'http2 needs tls: { key, cert }: no browser speaks HTTP/2 without TLS. Behind a proxy that ends TLS, leave http2 out',
    )
  }
  return { options, limits: checkLimits(limits), shutdown: checkShutdown(shutdown), logger }
}

/** The RouteControllers of the options, under either of the names that this option has. */
export function servedBy({ routeControllers, RouteControllers }: ServerOptions): Served {
  return (routeControllers ?? RouteControllers)!
}

/** Throws ERR_OPTION_INVALID unless `port` is one that can be listened on. */
export function checkPort(port: unknown): void {
  if (typeof port === 'object' && port !== null) {
    const descriptor = port as { fd: unknown }
    const checkDescriptor = count('a file descriptor', 0, 2 ** 31 - 1)
    checkOptions('port', descriptor, { fd: checkDescriptor }, 'port.')
    return checkDescriptor('port.fd', descriptor.fd)
  }
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535) return
  const isNumeral = typeof port === 'string' && /^\d+$/.test(port)
  const remedy = isNumeral ? '. A variable of the environment is a text: write Number(process.env.PORT)' : ''
  throw wrongOption('port', 'a number from 0 to 65535', shown(port) + remedy)
}

const stopChecks: OptionChecks<StopOptions> = {
  lameDuckMs: count('milliseconds', 0, maxTimerMs),
  graceMs: count('milliseconds', 0, maxTimerMs),
}

const shutdownChecks: OptionChecks<ShutdownOptions> = {
  ...stopChecks,
  signals: (option, value) => {
    const known: readonly unknown[] = ['SIGTERM', 'SIGINT']
    if (Array.isArray(value) && value.every((name) => known.includes(name))) return
    throw new RouteControllersError('ERR_OPTION_INVALID', `${option} is a list of 'SIGTERM' and 'SIGINT'`)
  },
}

function checkShutdown(shutdown: ShutdownOptions): Required<ShutdownOptions> {
  const given = { ...shutdownDefaults, ...checkOptions('shutdown', shutdown, shutdownChecks, 'shutdown.') }
  return { ...given, signals: [...new Set(given.signals)] }
}

/** The times of a shutdown: those of `options`, and the other ones for each that is left out. Throws ERR_OPTION_INVALID. */
export function checkStopOptions(
  owner: string,
  options: StopOptions,
  { lameDuckMs, graceMs }: Required<StopOptions>,
): Required<StopOptions> {
  return { lameDuckMs, graceMs, ...checkOptions(owner, options, stopChecks, `${owner}: `) }
}

// Node's timers and parser take no Infinity; 0 stands for it.
const timer = count('milliseconds', 0, maxTimerMs)

const limitChecks: OptionChecks<ServerLimits> = {
  requestTimeoutMs: timer,
  headersTimeoutMs: timer,
  // A timer of 0 ms would run without a pause.
  connectionsCheckingIntervalMs: count('milliseconds', 1, maxTimerMs),
  keepAliveTimeoutMs: timer,
  socketTimeoutMs: timer,
  // With 0 for any of these nothing could be served.
  maxHeaderBytes: count('bytes', 1, 2 ** 31 - 1),
  maxHeaderFields: count('a count', 1),
  maxConcurrentStreams: count('a count', 1, 2 ** 31 - 1),
}

function checkLimits(limits: ServerLimits): Required<ServerLimits> {
  const checked = { ...limitDefaults, ...checkOptions('limits', limits, limitChecks, 'limits.') }
  const { requestTimeoutMs } = checked
  if (requestTimeoutMs > 0 && checked.headersTimeoutMs > requestTimeoutMs) {
    if (limits.headersTimeoutMs !== undefined) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        `limits.headersTimeoutMs (${checked.headersTimeoutMs}) is longer than limits.requestTimeoutMs (${requestTimeoutMs})`,
      )
    }
    checked.headersTimeoutMs = requestTimeoutMs
  }
  return checked
}
