import { type DenoInfo, denoPlatform } from '../request/runtime-platform.js'
import { fetchHandlerOf, type Served } from './served.js'

export type { DenoInfo } from '../request/runtime-platform.js'
export type { Served } from './served.js'

/** What `Deno.serve` takes as `fetch`, and what `deno serve` takes as the default export of a program. */
export interface DenoHandler {
  /** Answers a request; it never rejects. */
  fetch(this: void, request: Request, info?: DenoInfo): Promise<Response>
}

/**
 * Serves RouteControllers by `Deno.serve`: `Deno.serve({ port: 3000 }, toDeno(routeControllers).fetch)`, or `export default toDeno(routeControllers)`
 * for `deno serve`.
 *
 * Without `trustProxy`, `req.realIp` is the address of the socket. `req.platform.raw` is what Deno tells about the request. Throws ERR_OPTION_INVALID for
 * anything but a RouteControllers.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { toDeno } from 'routecontrollers/deno'
 *
 * const handler = toDeno(new RouteControllers([new Controller('GET', '/hello', () => 'hello')]))
 * const response = await handler.fetch(new Request('http://localhost/hello'))
 * console.log(await response.text()) // hello
 * ```
 */
export function toDeno(routeControllers: Served): DenoHandler {
  const fetchHandler = fetchHandlerOf('toDeno', routeControllers)
  return {
    fetch: (request, info) => fetchHandler(request, denoPlatform(info)),
  }
}
