import type { ServerOptions as TlsOptions } from 'node:https'
import { RouteControllersError } from '../errors.js'
import { checkCount, checkFunction, checkOptionNames, isOptions, nameType } from '../options.js'
import type { TrustProxy } from '../node/forwarded.js'
import type { FetchHandler, Logger, NodeHandler } from '../types.js'

/** Limits of the server, each against a client that would hold or fill it. Times are milliseconds. */
export interface ServerLimits {
  /** For a whole request, its body included. Default 120 000. */
  requestTimeoutMs?: number
  /** For the head of a request, and for a TLS handshake. Default 20 000. */
  headersTimeoutMs?: number
  /** How often the two timeouts above are checked. Default 5 000. */
  connectionsCheckingIntervalMs?: number
  /** For which an idle connection is kept; longer than a load balancer's, which is often 60 s. Default 72 000. */
  keepAliveTimeoutMs?: number
  /** For which a socket may be silent within a request or an answer; an event stream may be for longer. Default 120 000. */
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
  /** For which it goes on serving, each answer the last on its connection, before it takes no new connections. Default 0. */
  lameDuckMs?: number
  /** For which it then waits for the answers in flight, before it cuts what is left. Default 25 000. */
  graceMs?: number
}

/** How a server stops when nobody says otherwise, and on which signals to its process it does. */
export interface ShutdownOptions extends StopOptions {
  /** The first of them stops the server, the second ends the process at once. Default none. */
  signals?: readonly ('SIGTERM' | 'SIGINT')[]
}

/** What `Server.start` takes. A name that is not here, or a value that does not fit, throws ERR_OPTION_INVALID. */
export interface ServerOptions {
  /** The port to listen on; 0 picks a free one. `{ fd }` is a socket that listens already, as systemd hands it over. */
  port: number | { fd: number }
  /** The address to listen on. Default all. */
  host?: string
  /** What answers. */
  RouteControllers: { getCallback(): FetchHandler }
  /** Gets, untouched, what no controller matches: an Express app, or any `(req, res)`. Without it that is 404. */
  fallback?: NodeHandler
  /** Key, certificate and the other options of `https.createServer`; then the server speaks HTTPS. */
  tls?: TlsOptions
  /** Speaks HTTP/2 with clients that choose it, and HTTP/1.1 with the others on the same port. Needs `tls`. Default false. */
  http2?: boolean
  /** Serves in so many processes that share the port; `'auto'` is one for each core. Default: in this process alone. */
  workers?: number | 'auto'
  limits?: ServerLimits
  /** Proxies whose X-Forwarded-For counts for `req.realIp`. Default none. */
  trustProxy?: TrustProxy
  /** What `stop()` does by default, and the signals that call it. */
  shutdown?: ShutdownOptions
  /** Where it is told that a worker has died. Default console. */
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

/** What the options say, with a default for each that they leave out. */
export interface Settings {
  limits: Required<ServerLimits>
  shutdown: Required<ShutdownOptions>
  logger: Logger
}

/** Throws ERR_OPTION_INVALID unless all names are known and all values fit. */
export function checkServerOptions(options: ServerOptions): Settings {
  checkOptionNames('Server.start', options, [
    'port',
    'host',
    'RouteControllers',
    'fallback',
    'tls',
    'http2',
    'workers',
    'limits',
    'trustProxy',
    'shutdown',
    'logger',
    'signal',
  ])
  const { host, fallback, tls, http2, workers, limits = {}, shutdown = {}, logger, signal } = options
  checkPort(options.port)
  if (host !== undefined && (typeof host !== 'string' || host.trim() === ''))
    throw wrongOption('host', 'the address to listen on (leave it out for all)', host)
  if (typeof options.RouteControllers?.getCallback !== 'function') {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      'Server.start takes { RouteControllers: new RouteControllers([…]) }',
    )
  }
  if (fallback !== undefined) checkFunction('fallback', fallback)
  if (tls !== undefined && !isOptions(tls)) throw wrongOption('tls', 'an object with key and cert', tls)
  if (http2 !== undefined && typeof http2 !== 'boolean') throw wrongOption('http2', 'true or false', http2)
  if (http2 && tls === undefined) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      'http2 needs tls: { key, cert }, by which a client chooses it; without TLS no browser speaks HTTP/2. Behind a proxy that ends TLS, leave http2 out',
    )
  }
  if (workers !== undefined && workers !== 'auto')
    checkCount("workers, unless 'auto',", workers, 'a count', 1, 1024)
  if (logger !== undefined) {
    for (const level of ['info', 'warn', 'error'] as const)
      checkFunction(`logger.${level}`, (logger as unknown as Record<string, unknown> | null)?.[level])
  }
  if (signal !== undefined && Object.prototype.toString.call(signal) !== '[object AbortSignal]') {
    throw wrongOption('signal', 'an AbortSignal', signal)
  }
  return { limits: checkLimits(limits), shutdown: checkShutdown(shutdown), logger: logger ?? console }
}

/** Throws ERR_OPTION_INVALID unless `port` is one that can be listened on. */
export function checkPort(port: unknown): void {
  if (typeof port === 'object' && port !== null) {
    checkOptionNames('port', port, ['fd'])
    checkCount('port.fd', (port as { fd?: unknown }).fd, 'a file descriptor', 0, 2 ** 31 - 1)
    return
  }
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535) return
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `port is a number from 0 to 65535, not ${typeof port === 'string' ? JSON.stringify(port) : typeof port === 'number' ? port : nameType(port)}`,
  )
}

function checkShutdown(shutdown: ShutdownOptions): Required<ShutdownOptions> {
  checkOptionNames('shutdown', shutdown, Object.keys(shutdownDefaults))
  const { signals = [], ...times } = shutdown
  const known: readonly unknown[] = ['SIGTERM', 'SIGINT']
  if (!Array.isArray(signals) || signals.some((name) => !known.includes(name))) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      "shutdown.signals is a list of 'SIGTERM' and 'SIGINT'",
    )
  }
  return { ...checkStopOptions('shutdown', times, shutdownDefaults), signals: [...new Set(signals)] }
}

/** The times to stop by: those of `options`, and for each that they leave out the other. Throws ERR_OPTION_INVALID. */
export function checkStopOptions(
  owner: string,
  options: StopOptions,
  { lameDuckMs, graceMs }: Required<StopOptions>,
): Required<StopOptions> {
  checkOptionNames(owner, options, ['lameDuckMs', 'graceMs'])
  const checked = { lameDuckMs, graceMs }
  for (const [name, value] of Object.entries(options) as [keyof StopOptions, number | undefined][]) {
    if (value !== undefined)
      checked[name] = checkCount(`${owner}: ${name}`, value, 'milliseconds', 0, 2 ** 31 - 1)
  }
  return checked
}

// Without any of these nothing would be served; and a timer of 0 ms never rests.
const neverNone: ReadonlySet<keyof ServerLimits> = new Set([
  'connectionsCheckingIntervalMs',
  'maxHeaderBytes',
  'maxHeaderFields',
  'maxConcurrentStreams',
])

function checkLimits(limits: ServerLimits): Required<ServerLimits> {
  checkOptionNames('limits', limits, Object.keys(limitDefaults))
  const checked = { ...limitDefaults }
  for (const [name, value] of Object.entries(limits) as [keyof ServerLimits, number | undefined][]) {
    // Node's timers and parser take no Infinity; its word for it is 0.
    const most = name === 'maxHeaderFields' ? Infinity : 2 ** 31 - 1
    const least = neverNone.has(name) ? 1 : 0
    if (value !== undefined) checked[name] = checkCount(`limits.${name}`, value, unitOf(name), least, most)
  }
  const { requestTimeoutMs } = checked
  if (requestTimeoutMs > 0 && checked.headersTimeoutMs > requestTimeoutMs) {
    if (limits.headersTimeoutMs !== undefined) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        `limits.headersTimeoutMs (${checked.headersTimeoutMs}) is part of limits.requestTimeoutMs (${requestTimeoutMs}), and cannot be longer`,
      )
    }
    checked.headersTimeoutMs = requestTimeoutMs
  }
  return checked
}

function wrongOption(name: string, wanted: string, value: unknown): RouteControllersError {
  return new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${name} is ${wanted}, not ${typeof value === 'string' ? JSON.stringify(value) : nameType(value)}`,
  )
}

function unitOf(limit: string): string {
  if (limit.endsWith('Ms')) return 'milliseconds'
  return limit.endsWith('Bytes') ? 'bytes' : 'a count'
}
