import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RouteControllersError } from './ground/errors.js'
import { compileTrust } from './request/forwarded.js'
import { log } from './ground/log.js'
import { answeringOf, checkFetchHandler, descriptionOf, extendClassesOf } from './run/entry.js'
import { createListener } from './run/listener.js'
import { reasonForNode } from './run/needs-node.js'
import type { Serve } from './server/http-server.js'
import type { Lane } from './server/lane.js'
import {
  checkServerOptions,
  checkStopOptions,
  type ServerOptions,
  servedBy,
  type Settings,
  shutdownDefaults,
  type ShutdownOptions,
  type StopOptions,
} from './server/options.js'

/** Under npm Ctrl+C sends two signals, one from the terminal and one from npm. A user does not press it twice within this time. */
const sameSignalMs = 200

const serve: Serve = (options, { maxHeaderFields }) => {
  const callback = servedBy(options).getCallback()
  checkFetchHandler('Server.start', callback)
  const listener = createListener(callback, {
    ...(options.fallback && { fallback: options.fallback }),
    maxHeaderFields,
    ...(options.logger && { logger: options.logger }),
    ...(options.trustProxy !== undefined && { trust: compileTrust(options.trustProxy) }),
  })
  return { listener, extendClasses: extendClassesOf(callback) }
}

/** What has been started: a server in this process, or the workers that serve. */
interface Running {
  readonly nodeServer: HttpServer | undefined
  /** Undefined once it does not listen any more. */
  readonly address: AddressInfo | undefined
  readonly isReady: boolean
  /** Resolves when it is closed, for any reason. */
  readonly closed: Promise<unknown>
  close(times: Required<StopOptions>): Promise<void>
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
 * await server.start({ port: 0, routeControllers })
 * console.log(await (await fetch(`${server.getURL()}/hello`)).text()) // hello
 * await server.stop()
 * ```
 */
export class Server {
  #running: Running | undefined
  #lane: Lane = 'node:http'
  #options: ServerOptions | undefined
  #shutdown: Required<ShutdownOptions> = shutdownDefaults
  #state: 'stopped' | 'starting' | 'listening' | 'stopping' = 'stopped'
  #opened: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #closed: Promise<void> = Promise.resolve()

  /**
   * The node:http(s) server behind this one, from `start` on, for `upgrade` and other features of Node.
   *
   * With `workers` each worker has its own, and the process that has started them has none. `Bun.serve` and `Deno.serve` have none:
   * `lane: 'node:http'` has Node's serve.
   */
  get nodeServer(): HttpServer | undefined {
    return this.#running?.nodeServer
  }

  /**
   * What listens: `'node:http'`, or on Bun and Deno `'Bun.serve'` or `'Deno.serve'`, which take less time for a request. There node:http
   * serves where an option, a hook or code of Express needs it; a log line says which. Undefined before `start` and after `stop`.
   */
  get lane(): Lane | undefined {
    return this.#running && this.#lane
  }

  /**
   * Resolves when the server that was started has closed, for any reason: after `stop()`, a signal, or the end of all workers. Use it to close
   * what the routes need, in any lane: `void server.closed.then(() => database.end())`. Never rejects. Where none was started, it has
   * resolved already.
   */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** True from when the server listens until it begins to stop. Use it for a readiness probe. */
  get isReady(): boolean {
    return this.#state === 'listening' && this.#running!.isReady
  }

  /**
   * Listens on a port, and resolves when it does. With `workers` each worker runs the same script, and its own `start` resolves
   * when it listens. In the process that was started first, `start` resolves when all workers listen.
   *
   * Rejects with ERR_PORT_UNAVAILABLE when the port is in use or not allowed, and with ERR_SERVER_STATE when the server has been
   * started already. A wrong option is ERR_OPTION_INVALID. Workers that end as soon as they are started are ERR_WORKERS_FAILED.
   * Where `signal` is aborted, it rejects with the reason of the signal.
   */
  async start(given: ServerOptions): Promise<this> {
    const settings = checkServerOptions(given)
    const { options } = settings
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
    this.#closed = new Promise((resolve) => {
      this.#opened = this.#open(options, settings, resolve)
    })
    await this.#opened
    return this
  }

  async #open(options: ServerOptions, settings: Settings, onClosed: () => void): Promise<void> {
    // Before it listens: of several workers one may serve while another starts.
    const offSignals = this.#stopOnSignals(settings.shutdown.signals)
    try {
      this.#running = await this.#run(options, settings)
    } catch (error) {
      this.#state = 'stopped'
      offSignals()
      onClosed()
      throw error
    }
    this.#options = options
    this.#state = 'listening'
    const { closed } = this.#running
    void closed.then(offSignals).then(onClosed)
    const { signal } = options
    if (signal === undefined) return
    const stop = (): void => void this.stop()
    signal.addEventListener('abort', stop, { once: true })
    // A signal may outlive this server, and must not stop what is started after it.
    void closed.then(() => signal.removeEventListener('abort', stop))
    if (!signal.aborted) return
    const stopping = this.#close(settings.shutdown)
    // One that was asked for before waits for this.
    this.#stopped ??= stopping
    await stopping
    signal.throwIfAborted()
  }

  async #run(options: ServerOptions, settings: Settings): Promise<Running> {
    const lane = await this.#runInLane(options, settings)
    if (lane !== undefined) return lane
    if (options.workers === undefined) {
      const { ListeningServer } = await import('./server/http-server.js')
      return ListeningServer.start(options, settings.limits, serve)
    }
    const { startWithWorkers } = await import('./server/workers.js')
    return startWithWorkers(options, settings, serve, (times) => this.stop(times))
  }

  /** Undefined where node:http serves. */
  async #runInLane(options: ServerOptions, { logger }: Settings): Promise<Running | undefined> {
    this.#lane = 'node:http'
    // On Node nothing of it is loaded.
    if (!('Bun' in globalThis) && !('Deno' in globalThis)) return undefined
    const { LaneServer, optionForNode, ownLane } = await import('./server/lane.js')
    const own = ownLane()
    if (own === undefined) return undefined
    const callback = servedBy(options).getCallback()
    checkFetchHandler('Server.start', callback)
    const description = descriptionOf(callback)
    const option = optionForNode(options)
    const reason =
      option ??
      (description === undefined ? 'what it serves is not of this package' : reasonForNode(description))
    if (reason !== undefined) {
      // Who has said so knows it.
      if (options.lane === undefined)
        log(logger, 'info', `Server: node:http serves, and not ${own}: ${reason}`)
      return undefined
    }
    this.#lane = own
    return LaneServer.start(own, options, answeringOf(callback)!)
  }

  /** Returns a function that undoes it. */
  #stopOnSignals(signals: readonly NodeJS.Signals[]): () => void {
    let first: number | undefined
    const onSignal = (_name: NodeJS.Signals, number: number): void => {
      first ??= performance.now()
      // The exit code that a shell uses for a process that a signal has ended.
      if (performance.now() - first > sameSignalMs) process.exit(128 + number)
      void this.stop()
    }
    for (const name of signals) process.on(name, onSignal)
    return () => {
      for (const name of signals) process.off(name, onSignal)
    }
  }

  /** The URL that this server answers at. Throws ERR_SERVER_STATE when it does not listen. */
  getURL(): string {
    const { address, family } = this.#address()
    const host = this.#options?.host ?? address
    const named = host === '::' || host === '0.0.0.0' ? 'localhost' : host
    const authority = family === 'IPv6' && named.includes(':') ? `[${named}]` : named
    return `${this.#options?.tls ? 'https' : 'http'}://${authority}:${this.getPort()}`
  }

  /** The port that this server listens on. Throws ERR_SERVER_STATE when it does not listen. */
  getPort(): number {
    return this.#address().port
  }

  #address(): AddressInfo {
    const address = this.#running?.address
    if (address === undefined) {
      throw new RouteControllersError(
        'ERR_SERVER_STATE',
        'This server does not listen: await server.start({ port, … })',
      )
    }
    return address
  }

  /**
   * Stops without losing an answer, and resolves when every connection is closed. `isReady` is false at once, and each answer
   * from then on says that it is the last of its connection. After `lameDuckMs` the server takes no new connections and ends
   * event streams. After `graceMs` more it cuts what is left. With `workers` it does so in each of them, and resolves when they
   * have ended.
   *
   * Called again while it stops, it returns the same promise. Rejects with ERR_OPTION_INVALID for a wrong option.
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

  async #close(times: Required<StopOptions>): Promise<void> {
    this.#state = 'stopping'
    await this.#running!.close(times)
    this.#running = undefined
    this.#state = 'stopped'
  }

  /** Calls `stop()` at the end of a block with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
