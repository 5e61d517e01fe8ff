import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtin } from '../ground/builtin.js'
import { isRouteControllersError } from '../ground/errors.js'
import { ListeningServer, type Serve } from './http-server.js'
import type { ServerOptions, Settings, StopOptions } from './options.js'
import { type Message, portVariable } from './worker-messages.js'

/** The server of one worker. */
export class WorkingServer {
  readonly #server: ListeningServer
  readonly #onMessage: (message: Message) => void

  private constructor(server: ListeningServer, stop: (times: Required<StopOptions>) => Promise<void>) {
    this.#server = server
    this.#onMessage = (message) => {
      if (message?.routeControllers === 'stop') void stop(message.times)
    }
    process.on('message', this.#onMessage)
  }

  static async start(
    options: ServerOptions,
    { limits }: Settings,
    serve: Serve,
    stop: (times: Required<StopOptions>) => Promise<void>,
  ): Promise<WorkingServer> {
    const port = options.port === 0 ? Number(process.env[portVariable] ?? 0) : options.port
    try {
      const server = await ListeningServer.start({ ...options, port }, limits, serve)
      const working = new WorkingServer(server, stop)
      await tell({ routeControllers: 'listening', address: server.address! })
      return working
    } catch (error) {
      if (isRouteControllersError(error)) {
        await tell({ routeControllers: 'refused', code: error.code, message: error.message })
      }
      throw error
    }
  }

  get nodeServer(): HttpServer {
    return this.#server.nodeServer
  }
  get address(): AddressInfo | undefined {
    return this.#server.address
  }
  get isReady(): boolean {
    return this.#server.isReady
  }
  get closed(): Promise<void> {
    return this.#server.closed
  }

  async close(times: Required<StopOptions>): Promise<void> {
    await this.#server.close(times)
    process.off('message', this.#onMessage)
    // Otherwise the process would wait forever for a message of the first process.
    builtin('node:cluster', 'Server with workers').worker!.disconnect()
  }
}

async function tell(message: Message): Promise<void> {
  await new Promise<void>((resolve) => {
    // The first process may have ended, and its channel with it.
    process.send!(message, () => resolve())
  })
}
