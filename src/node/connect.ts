import { checkLogger, checkOptions } from '../options.js'
import type { ConnectHandler, ForeignFetchHandler, Logger } from '../types.js'
import { checkFetchHandler, nodeEntryOf, withServing } from './entry.js'
import type { Host } from './exchange.js'

// Express or Connect have seen the request first: its Host is theirs to judge, and so are errors.
const mounted: Host = { owned: false }

/**
 * Makes of any fetch handler a Connect-style function for `app.use`.
 *
 * What the handler answers with `undefined` (and what no controller of RouteControllers matches) goes to `next()`;
 * what it throws goes to `next(error)`. Without `next` it answers 404 and 500 itself, and cuts off an answer that has begun.
 * Throws ERR_OPTION_INVALID for anything but a function.
 *
 * `logger` gets the lines about failures, in place of `console`; a handler of RouteControllers has its own.
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
