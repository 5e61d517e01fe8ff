import type { Worker } from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { builtin } from '../ground/builtin.js'
import { isRouteControllersError, RouteControllersError } from '../ground/errors.js'
import { log } from '../ground/log.js'
import { maxTimerMs } from '../ground/options.js'
import type { Logger } from '../ground/types.js'
import type { Serve } from './http-server.js'
import { startListening } from './listen.js'
import type { ServerOptions, Settings, StopOptions } from './options.js'
import { type Message, portVariable } from './worker-messages.js'
import { WorkingServer } from './working-server.js'

/** The first delay before a worker that has died is started again; each death at once doubles it. */
const firstDelayMs = 100
const longestDelayMs = 30_000
/** A worker that has served for this time has not died at once. */
const stableMs = 10_000
/** After this number of deaths at once, one after the other, the server gives up. */
const mostFailures = 5
/** How many ports are tried for `port: 0`: a program may take the one that was picked before a worker listens. */
const mostPorts = 5
/** How much longer than its time a worker may take to end. */
const overtimeMs = 5_000

/**
 * In the process that was started first: starts the workers, and resolves when all listen. In a worker: listens.
 *
 * `stop` is what a worker does when the first process tells it to.
 */
export async function startWithWorkers(
  options: ServerOptions,
  settings: Settings,
  serve: Serve,
  stop: (times: Required<StopOptions>) => Promise<void>,
): Promise<Workers | WorkingServer> {
  return builtin('node:cluster', 'Server with workers').isPrimary
    ? Workers.start(options, settings.logger)
    : WorkingServer.start(options, settings, serve, stop)
}

/** A port that is free at this moment. */
async function pickPort(host: string | undefined): Promise<number> {
  const server = builtin('node:http', 'Server').createServer()
  await startListening(server, { port: 0, ...(host !== undefined && { host }) })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** One of the workers, and those that have replaced it. */
interface Place {
  worker: Worker
  startedAt: number
  isListening: boolean
  /** Deaths at once, one after the other. */
  failures: number
}

/** A process can have one such server, because each worker runs the whole script. */
let isTaken = false

/** The workers, in the process that has started them. */
class Workers {
  readonly nodeServer: undefined
  address: AddressInfo | undefined
  readonly closed: Promise<void>
  readonly #logger: Logger
  readonly #environment: Record<string, string> = {}
  readonly #places: Place[] = []
  /** Of those that run, when they will have ended. */
  readonly #running = new Set<Promise<void>>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  #isStopping = false
  #onListening = (): void => {}
  #onRefusal = (_error: RouteControllersError): void => {}
  #onFailure: (error: RouteControllersError) => void
  #onClosed = (): void => {}

  private constructor(logger: Logger) {
    this.#logger = logger
    this.closed = new Promise((resolve) => (this.#onClosed = resolve))
    /* istanbul ignore next -- what ends the process is seen in one of its own (test/server/workers.test.ts) */
    this.#onFailure = (error) => {
      void this.#kill().then(() => {
        // No worker serves any more, and no caller waits for a promise.
        throw error
      })
    }
  }

  static async start({ workers, port, host }: ServerOptions, logger: Logger): Promise<Workers> {
    if (isTaken) {
      throw new RouteControllersError(
        'ERR_SERVER_STATE',
        'This process has a server with workers already, and each worker runs the whole script: start one of them in a process of its own',
      )
    }
    const count =
      workers === 'auto' ? builtin('node:os', 'Server with workers').availableParallelism() : workers!
    for (let tried = 1; ; tried++) {
      isTaken = true
      const all = new Workers(logger)
      try {
        if (port === 0) all.#environment[portVariable] = String(await pickPort(host))
        await all.#listen(count)
        return all
      } catch (error) {
        await all.#kill()
        const isTakenMeanwhile = isRouteControllersError(error) && error.code === 'ERR_PORT_UNAVAILABLE'
        if (port !== 0 || !isTakenMeanwhile || tried === mostPorts) throw error
      }
    }
  }

  /** Starts the workers, and resolves when all listen. */
  async #listen(count: number): Promise<void> {
    const failInService = this.#onFailure
    await new Promise<void>((resolve, reject) => {
      this.#onFailure = reject
      // It would be the same with another.
      this.#onRefusal = reject
      this.#onListening = () => {
        if (this.#places.every((place) => place.isListening)) resolve()
      }
      for (let at = 0; at < count; at++) this.#places.push(this.#fill())
    })
    this.#onFailure = failInService
    this.#onRefusal = () => {}
  }

  get isReady(): boolean {
    return this.#places.some((place) => place.isListening)
  }

  #fill(place?: Place): Place {
    const worker = builtin('node:cluster', 'Server with workers').fork(this.#environment)
    const filled = place ?? { worker, startedAt: 0, isListening: false, failures: 0 }
    filled.worker = worker
    filled.startedAt = performance.now()
    worker.on('message', (message: Message) => this.#hear(filled, message))
    // A worker that is about to end needs no message.
    worker.on('error', () => {})
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', (code, signal) => {
        this.#running.delete(ended)
        filled.isListening = false
        if (!this.#isStopping) this.#replace(filled, signal ?? `code ${code}`)
        resolve()
      })
    })
    this.#running.add(ended)
    return filled
  }

  #hear(place: Place, message: Message): void {
    if (message?.routeControllers === 'listening') {
      this.address ??= message.address
      place.isListening = true
      this.#onListening()
    } else if (message?.routeControllers === 'refused') {
      this.#onRefusal(new RouteControllersError(message.code, message.message))
    }
  }

  #replace(place: Place, how: string): void {
    const { pid } = place.worker.process
    place.failures = performance.now() - place.startedAt < stableMs ? place.failures + 1 : 1
    if (place.failures >= mostFailures && !this.isReady) {
      return this.#onFailure(
        new RouteControllersError(
          'ERR_WORKERS_FAILED',
          `A worker has ended ${place.failures} times as soon as it was started, the last time with ${how}, and no other serves: see its output above`,
        ),
      )
    }
    const delay = Math.min(firstDelayMs * 2 ** (place.failures - 1), longestDelayMs)
    log(this.#logger, 'error', `Worker ${pid} has ended with ${how}; another is started in ${delay} ms`)
    const restart = setTimeout(() => {
      this.#restarts.delete(restart)
      this.#fill(place)
    }, delay)
    this.#restarts.add(restart)
  }

  #beginToStop(): void {
    this.#isStopping = true
    for (const restart of this.#restarts) clearTimeout(restart)
  }

  async close(times: Required<StopOptions>): Promise<void> {
    this.#beginToStop()
    for (const { worker, isListening } of this.#places) {
      // A worker that does not listen yet gets no messages yet, and has no requests to lose.
      if (isListening) worker.send({ routeControllers: 'stop', times } satisfies Message)
      else worker.process.kill('SIGKILL')
    }
    const overtime = setTimeout(
      () => {
        for (const { worker } of this.#places) {
          if (worker.isDead()) continue
          const { pid } = worker.process
          log(this.#logger, 'error', `Worker ${pid} has stopped serving and does not end: it is killed`)
          worker.process.kill('SIGKILL')
        }
      },
      // A timer of more ends at once.
      Math.min(times.lameDuckMs + times.graceMs + overtimeMs, maxTimerMs),
    )
    await this.#allEnded()
    clearTimeout(overtime)
  }

  async #kill(): Promise<void> {
    this.#beginToStop()
    for (const { worker } of this.#places) worker.process.kill('SIGKILL')
    await this.#allEnded()
  }

  async #allEnded(): Promise<void> {
    await Promise.all(this.#running)
    isTaken = false
    this.#onClosed()
  }
}
