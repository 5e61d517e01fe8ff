import { runtimePlatform } from '../request/platform.js'
import { fetchHandlerOf, type Served } from './served.js'

export type { Served } from './served.js'

/** The part of Bun's server that `toBun` uses. */
export interface BunServer {
  /** The address of the peer; null where the socket is closed, or a file. */
  requestIP(request: Request): { readonly address: string } | null
}

/** What `Bun.serve` takes, and what Bun serves as the default export of a program. */
export interface BunHandler {
  /** Answers a request; it never rejects. */
  fetch(this: void, request: Request, server?: BunServer): Promise<Response>
}

/**
 * Serves RouteControllers by `Bun.serve`: `Bun.serve({ port: 3000, ...toBun(routeControllers) })`, or `export default toBun(routeControllers)`.
 *
 * Without `trustProxy`, `req.realIp` is the address of the socket. `req.platform.raw` is Bun's server. Throws ERR_OPTION_INVALID for anything but a
 * RouteControllers.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { toBun } from 'routecontrollers/bun'
 *
 * const handler = toBun(new RouteControllers([new Controller('GET', '/hello', () => 'hello')]))
 * const response = await handler.fetch(new Request('http://localhost/hello'))
 * console.log(await response.text()) // hello
 * ```
 */
export function toBun(routeControllers: Served): BunHandler {
  const fetchHandler = fetchHandlerOf('toBun', routeControllers)
  return {
    fetch: (request, server) => {
      const peer = (): string | undefined => server?.requestIP(request)?.address
      return fetchHandler(request, runtimePlatform(server, undefined, peer))
    },
  }
}
