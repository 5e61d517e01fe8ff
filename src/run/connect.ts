import { checkLogger, checkOptions } from '../ground/options.js'
import type { ConnectHandler, ForeignFetchHandler, Logger } from '../ground/types.js'
import { checkFetchHandler, nodeEntryOf, withServing } from './entry.js'
import type { Host } from '../node/exchange.js'

// Express or Connect get the request first: they check its Host and handle errors.
const mounted: Host = { owned: false }

/**
 * Makes a Connect-style function for `app.use` from any fetch handler.
 *
 * A request that the handler answers with `undefined` goes to `next()`, and so does one that no controller matches. What the
 * handler throws goes to `next(error)`. Without `next` the function answers 404 and 500 itself, and cuts off an answer that has
 * begun. Throws ERR_OPTION_INVALID for anything but a function.
 *
 * `logger` gets the lines about failures instead of `console`. A handler of RouteControllers has its own logger.
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
export function toConnect(
  fetchHandler: ForeignFetchHandler,
  options: { logger?: Logger } = {},
): ConnectHandler {
  checkFetchHandler('toConnect', fetchHandler)
  checkOptions('toConnect', options, { logger: checkLogger })
  const entry = nodeEntryOf(fetchHandler, options.logger)
  const serve: ConnectHandler = (req, res, next) => {
    if (next === undefined) entry(req, res, mounted)
    else
      entry(
        req,
        res,
        mounted,
        () => next(),
        (error) => next(error),
      )
  }
  return withServing(serve, fetchHandler)
}
