import { checkFallback, checkLogger, checkOptions } from '../ground/options.js'
import type { ForeignFetchHandler, Logger, NodeHandler } from '../ground/types.js'
import { checkFetchHandler, nodeEntryOf, withServing } from './entry.js'
import type { Host } from '../node/exchange.js'
import type { Trust } from '../request/forwarded.js'
import { restoreClass } from '../node/member-layer.js'

/** Options of a listener. */
export interface ListenerOptions {
  fallback?: NodeHandler
  trust?: Trust
  maxHeaderFields?: number
  logger?: Logger
}

/**
 * Makes a request listener for `http.createServer` from any fetch handler. Throws ERR_OPTION_INVALID for anything but a function.
 *
 * `fallback` gets the requests that the handler does not answer, as the option of `server.start` does: an Express app behind, on
 * a server of your own. `logger` gets the lines about failures instead of `console`. A handler of RouteControllers has its own
 * logger.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { toListener } from 'routecontrollers'
 *
 * const server = createServer(toListener(async () => new Response('hello')))
 * server.listen(0, () => server.close())
 * ```
 */
export function toListener(
  fetchHandler: ForeignFetchHandler,
  options: { fallback?: NodeHandler; logger?: Logger } = {},
): NodeHandler {
  checkFetchHandler('toListener', fetchHandler)
  checkOptions('toListener', options, { fallback: checkFallback, logger: checkLogger })
  return createListener(fetchHandler, options)
}

/** The listener of `Server`. */
export function createListener(fetchHandler: ForeignFetchHandler, options: ListenerOptions): NodeHandler {
  const entry = nodeEntryOf(fetchHandler, options.logger)
  const { fallback } = options
  const host: Host = {
    owned: true,
    trust: options.trust,
    maxHeaderFields: options.maxHeaderFields,
    fallback,
  }
  const alone: NodeHandler = (req, res) => entry(req, res, host)
  if (fallback === undefined) return withServing(alone, fetchHandler)
  // Express gives both objects prototypes of its own, in place of whatever they have.
  const replacesClasses = 'request' in fallback && 'response' in fallback
  // With the server as `this`, as Node calls it.
  const inFront: NodeHandler = function (this: unknown, req, res) {
    entry(req, res, host, () => {
      // They get Node's classes back before they go to another handler.
      if (!replacesClasses) {
        restoreClass(req)
        restoreClass(res)
      }
      fallback.call(this, req, res)
    })
  }
  return withServing(inFront, fetchHandler, fallback)
}
