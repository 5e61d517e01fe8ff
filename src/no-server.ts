import type { Server as HttpServer } from 'node:http'
import { RouteControllersError } from './ground/errors.js'
import type { Server as ListeningServer } from './server.js'
import type { Lane } from './server/lane.js'

/** `Server` in a bundle for Workers, the condition `workerd`: none listens there, and its code is a sixth of the bundle. */
export class Server implements Pick<ListeningServer, keyof ListeningServer> {
  readonly nodeServer: HttpServer | undefined
  readonly lane: Lane | undefined
  readonly isReady = false
  readonly closed: Promise<void> = Promise.resolve()

  start(): Promise<never> {
    return Promise.reject(unsupported())
  }

  getURL(): never {
    throw unsupported()
  }

  getPort(): never {
    throw unsupported()
  }

  async stop(): Promise<void> {
    // It has never started.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // As above.
  }
}

function unsupported(): RouteControllersError {
  return new RouteControllersError(
    'ERR_RUNTIME_UNSUPPORTED',
    "Server does not listen in Workers: write export default toWorker(routeControllers), of 'routecontrollers/workers'",
  )
}
