import { bunPlatform, type BunServer } from '../request/runtime-platform.js'
import { fetchHandlerOf, type Served } from './served.js'

export type { BunServer } from '../request/runtime-platform.js'
export type { Served } from './served.js'

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
    fetch: (request, server) => fetchHandler(request, bunPlatform(server, request)),
  }
}
