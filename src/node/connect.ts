import type { ConnectHandler, ForeignFetchHandler } from '../types.js'
import { nodeEntryOf } from './entry.js'
import type { Host } from './exchange.js'

// Express or Connect have seen the request first: its Host is theirs to judge, and so are errors.
const guest: Host = { owned: false }

/**
 * Makes of any fetch handler a Connect-style function for `app.use`.
 *
 * What the handler answers with `undefined` (and what no controller of RouteControllers matches) goes to `next()`;
 * what it throws goes to `next(error)` while nothing has been sent, afterwards the socket is destroyed. Without `next`
 * it answers 404 and 500 itself.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { toConnect } from 'routecontrollers'
 *
 * const app = express()
 * app.use('/fetch', toConnect(async (request) => new Response(request.url)))
 * ```
 */
export function toConnect(fetchHandler: ForeignFetchHandler): ConnectHandler {
  const entry = nodeEntryOf(fetchHandler)
  return (req, res, next) => {
    if (next === undefined) entry(req, res, guest)
    else entry(req, res, guest, () => next(), next)
  }
}
