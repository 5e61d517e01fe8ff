import type { Server as HttpServer, ServerOptions as HttpOptions } from 'node:http'
import type * as Https from 'node:https'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { RouteControllersError } from './errors.js'
import { compileTrust, type TrustProxy } from './node/forwarded.js'
import { extendClassesOf } from './node/entry.js'
import { createListener } from './node/listener.js'
import { requestLayer } from './node/request-members.js'
import { Connections } from './node/shutdown.js'
import { checkCount, checkFunction, checkOptionNames } from './options.js'
import type { FetchHandler, NodeClasses, NodeHandler } from './types.js'

/** Limits of the server, each against a client that would hold or fill it. Times are milliseconds. */
export interface ServerLimits {
  /** For a whole request, its body included. Default 120 000. */
  requestTimeoutMs?: number
  /** For the head of a request. Default 20 000. */
  headersTimeoutMs?: number
  /** How often the two timeouts above are checked. Default 5 000. */
  connectionsCheckingIntervalMs?: number
  /** For which an idle connection is kept; longer than a load balancer's, which is often 60 s. Default 72 000. */
  keepAliveTimeoutMs?: number
  /** For which a socket may be silent within a request or an answer. Default 120 000. */
  socketTimeoutMs?: number
  /** Bytes of a request's head. Default 16 384. */
  maxHeaderBytes?: number
  /** Header fields of a request; more are answered with 431. Default 1 000. */
  maxHeaderFields?: number
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
  /** The port to listen on; 0 picks a free one. */
  port: number
  /** The address to listen on. Default all. */
  host?: string
  /** What answers. */
  RouteControllers: { getCallback(): FetchHandler }
  /** Gets, untouched, what no controller matches: an Express app, or any `(req, res)`. Without it that is 404. */
  fallback?: NodeHandler
  /** Key, certificate and the other options of `https.createServer`; then the server speaks HTTPS. */
  tls?: TlsOptions
  limits?: ServerLimits
  /** Proxies whose X-Forwarded-For counts for `req.realIp`. Default none. */
  trustProxy?: TrustProxy
  /** What `stop()` does by default, and the signals that call it. */
  shutdown?: ShutdownOptions
  /** Stops the server when it aborts. */
  signal?: AbortSignal
}

const shutdownDefaults: Required<ShutdownOptions> = { lameDuckMs: 0, graceMs: 25_000, signals: [] }

/** Ctrl+C under npm comes twice, from the terminal and from npm; nobody means it twice as fast as this. */
const sameSignalMs = 200

const defaults: Required<ServerLimits> = {
  requestTimeoutMs: 120_000,
  headersTimeoutMs: 20_000,
  connectionsCheckingIntervalMs: 5_000,
  keepAliveTimeoutMs: 72_000,
  socketTimeoutMs: 120_000,
  maxHeaderBytes: 16_384,
  maxHeaderFields: 1_000,
}

interface Settings {
  limits: Required<ServerLimits>
  shutdown: Required<ShutdownOptions>
}

/**
 * Serves RouteControllers on a port, alone or in front of an Express app.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers, Server } from 'routecontrollers'
 *
 * const routeControllers = new RouteControllers([new Controller('GET', '/hello', () => 'hello')])
 * const server = new Server()
 * await server.start({ port: 0, RouteControllers: routeControllers })
 * console.log(await (await fetch(`${server.getURL()}/hello`)).text()) // hello
 * await server.stop()
 * ```
 */
export class Server {
  #server: HttpServer | undefined
  #options: ServerOptions | undefined
  #shutdown: Required<ShutdownOptions> = shutdownDefaults
  #connections: Connections | undefined
  #state: 'stopped' | 'starting' | 'listening' | 'stopping' = 'stopped'
  #opened: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  /** The node:http(s) server behind this one, from `start` on: for `upgrade` and whatever else Node offers. */
  get nodeServer(): HttpServer | undefined {
    return this.#server
  }

  /** True from when it listens until it begins to stop: what a readiness probe asks. */
  get isReady(): boolean {
    return this.#state === 'listening'
  }

  /**
   * Listens on a port; resolves when it does.
   *
   * Rejects with ERR_PORT_UNAVAILABLE when the port is in use or not allowed, with ERR_SERVER_STATE when the server
   * has been started already, with ERR_OPTION_INVALID for a wrong option, with the reason of a signal that is aborted.
   */
  async start(options: ServerOptions): Promise<this> {
    const settings = checkServerOptions(options)
    if (this.#state !== 'stopped') {
      throw new RouteControllersError(
        'ERR_SERVER_STATE',
        `This server is ${this.#state} already; stop it first, or make another with new Server()`,
      )
    }
    options.signal?.throwIfAborted()
    this.#state = 'starting'
    this.#stopped = undefined
    this.#shutdown = settings.shutdown
    this.#opened = this.#open(options, settings)
    await this.#opened
    return this
  }

  async #open(options: ServerOptions, { limits, shutdown }: Settings): Promise<void> {
    try {
      this.#server = await createHttpServer(options, limits)
      this.#connections = new Connections(this.#server)
      await startListening(this.#server, options)
    } catch (error) {
      this.#server = undefined
      this.#state = 'stopped'
      throw error
    }
    this.#options = options
    this.#state = 'listening'
    this.#stopOnSignals(this.#server, shutdown.signals)
    const { signal } = options
    if (signal === undefined) return
    const stop = (): void => void this.stop()
    signal.addEventListener('abort', stop, { once: true })
    // A signal may outlive this server, and must not stop what is started after it.
    this.#server.once('close', () => signal.removeEventListener('abort', stop))
    if (!signal.aborted) return
    await this.#close(shutdown)
    signal.throwIfAborted()
  }

  #stopOnSignals(server: HttpServer, signals: readonly NodeJS.Signals[]): void {
    let first: number | undefined
    const onSignal = (_name: NodeJS.Signals, number: number): void => {
      first ??= performance.now()
      // What a shell says of a process that a signal has ended.
      if (performance.now() - first > sameSignalMs) process.exit(128 + number)
      void this.stop()
    }
    for (const name of signals) process.on(name, onSignal)
    server.once('close', () => {
      for (const name of signals) process.off(name, onSignal)
    })
  }

  /** The URL that this server answers at. Throws ERR_SERVER_STATE when it does not listen. */
  getURL(): string {
    const { address, family } = this.#address()
    const host = this.#options?.host ?? (address === '::' || address === '0.0.0.0' ? 'localhost' : address)
    const named = host === '::' || host === '0.0.0.0' ? 'localhost' : host
    const authority = family === 'IPv6' && named.includes(':') ? `[${named}]` : named
    return `${this.#options?.tls ? 'https' : 'http'}://${authority}:${this.getPort()}`
  }

  /** The port that this server listens on. Throws ERR_SERVER_STATE when it does not listen. */
  getPort(): number {
    return this.#address().port
  }

  #address(): AddressInfo {
    const address = this.#server?.address()
    if (!address || typeof address === 'string') {
      throw new RouteControllersError(
        'ERR_SERVER_STATE',
        'This server does not listen: await server.start({ port, … })',
      )
    }
    return address
  }

  /**
   * Stops without losing an answer, and resolves when every connection is closed: `isReady` is false at once, and each answer
   * from then on says that it is the last of its connection. After `lameDuckMs` it takes no new connections and ends event
   * streams; after `graceMs` more it cuts what is left.
   *
   * Again while it stops: the same promise. Rejects with ERR_OPTION_INVALID for a wrong option.
   */
  stop(options: StopOptions = {}): Promise<void> {
    let times: Required<StopOptions>
    try {
      times = checkStopOptions('Server.stop', options, this.#shutdown)
    } catch (error) {
      return Promise.reject(error)
    }
    if (this.#state === 'listening') this.#stopped ??= this.#close(times)
    if (this.#state === 'starting') {
      this.#stopped ??= this.#opened!.then(
        () => this.#close(times),
        () => {},
      )
    }
    return this.#stopped ?? Promise.resolve()
  }

  async #close({ lameDuckMs, graceMs }: Required<StopOptions>): Promise<void> {
    this.#state = 'stopping'
    const connections = this.#connections!
    connections.announceClose()
    if (lameDuckMs > 0) await new Promise((resolve) => setTimeout(resolve, lameDuckMs))
    await new Promise<void>((resolve) => connections.close(graceMs, resolve))
    this.#server = undefined
    this.#connections = undefined
    this.#state = 'stopped'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

async function createHttpServer(options: ServerOptions, limits: Required<ServerLimits>): Promise<HttpServer> {
  const listener = createListener(options.RouteControllers.getCallback(), {
    ...(options.fallback && { fallback: options.fallback }),
    maxHeaderFields: limits.maxHeaderFields,
    ...(options.trustProxy !== undefined && { trust: compileTrust(options.trustProxy) }),
  })
  const http = await import('node:http')
  const classes: NodeClasses = {
    IncomingMessage: requestLayer.extend(http.IncomingMessage),
    ServerResponse: http.ServerResponse,
  }
  const settings: HttpOptions = {
    ...(extendClassesOf(options.RouteControllers.getCallback())?.(classes) ?? classes),
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Finds peers that are gone without a word.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  }
  const server = options.tls
    ? createTlsServer(await import('node:https'), { ...settings, ...options.tls }, listener)
    : http.createServer(settings, listener)
  server.timeout = limits.socketTimeoutMs
  // Node would drop the fields over its count in silence, while its parser obeys them (CVE-2026-58044); ours are counted
  // where the request is answered.
  server.maxHeadersCount = 0
  return server
}

function createTlsServer(https: typeof Https, settings: TlsOptions, listener: NodeHandler): HttpServer {
  try {
    return https.createServer(settings, listener)
  } catch (cause) {
    throw new RouteControllersError('ERR_OPTION_INVALID', `tls cannot be used: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Resolves when `server` listens. Rejects with ERR_PORT_UNAVAILABLE, ERR_SERVER_STATE or ERR_OPTION_INVALID. */
export async function startListening(
  server: HttpServer,
  { port, host }: { port: number; host?: string },
): Promise<void> {
  checkPort(port)
  if (server.listening) {
    throw new RouteControllersError('ERR_SERVER_STATE', 'This server is listening already; stop it first')
  }
  await new Promise<void>((resolve, reject) => {
    const settle = (): void => void server.off('error', onError).off('listening', onListening)
    const onListening = (): void => {
      settle()
      resolve()
    }
    const onError = (cause: NodeJS.ErrnoException): void => {
      settle()
      const reason =
        cause.code === 'EADDRINUSE'
          ? `Port ${port} is in use: stop what listens there, or start with another port (0 picks a free one)`
          : cause.code === 'EACCES'
            ? `Port ${port} is not allowed to this process: ports below 1024 need a privilege`
            : `The server cannot listen on ${host ?? ''}:${port}: ${cause.message}`
      reject(new RouteControllersError('ERR_PORT_UNAVAILABLE', reason, { cause }))
    }
    server.once('error', onError).once('listening', onListening)
    server.listen({ port, ...(host !== undefined && { host }) })
  })
}

function checkPort(port: unknown): void {
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535) return
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `port is a number from 0 to 65535, not ${typeof port === 'string' ? JSON.stringify(port) : String(port)}`,
  )
}

function checkServerOptions(options: ServerOptions): Settings {
  checkOptionNames('Server.start', options, [
    'port',
    'host',
    'RouteControllers',
    'fallback',
    'tls',
    'limits',
    'trustProxy',
    'shutdown',
    'signal',
  ])
  const { host, fallback, tls, limits = {}, shutdown = {}, signal } = options
  checkPort(options.port)
  if (host !== undefined && typeof host !== 'string')
    throw wrongOption('host', 'the address to listen on', host)
  if (typeof options.RouteControllers?.getCallback !== 'function') {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      'Server.start takes { RouteControllers: new RouteControllers([…]) }',
    )
  }
  if (fallback !== undefined) checkFunction('fallback', fallback)
  if (tls !== undefined && (typeof tls !== 'object' || tls === null)) {
    throw wrongOption('tls', 'an object with key and cert', tls)
  }
  if (signal !== undefined && Object.prototype.toString.call(signal) !== '[object AbortSignal]') {
    throw wrongOption('signal', 'an AbortSignal', signal)
  }
  return { limits: checkLimits(limits), shutdown: checkShutdown(shutdown) }
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

function checkStopOptions(
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

function checkLimits(limits: ServerLimits): Required<ServerLimits> {
  checkOptionNames('limits', limits, Object.keys(defaults))
  const checked = { ...defaults }
  for (const [name, value] of Object.entries(limits) as [keyof ServerLimits, number | undefined][]) {
    // Node's timers and parser take no Infinity; its word for it is 0.
    const most = name === 'maxHeaderFields' ? Infinity : 2 ** 31 - 1
    if (value !== undefined) checked[name] = checkCount(`limits.${name}`, value, unitOf(name), 0, most)
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
    `${name} is ${wanted}, not ${value === null ? 'null' : typeof value}`,
  )
}

function unitOf(limit: string): string {
  if (limit.endsWith('Ms')) return 'milliseconds'
  return limit.endsWith('Bytes') ? 'bytes' : 'a count'
}
