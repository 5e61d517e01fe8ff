import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorAnswer } from '../error-answer.js'
import { describeThrown, log } from '../log.js'
import type { ConnectHandler, ForeignFetchHandler } from '../types.js'
import { checkFetchHandler, nodeEntryOf, withServing } from './entry.js'
import type { Host } from './exchange.js'
import { isHead, sendResponse } from './send-response.js'

// Express or Connect have seen the request first: its Host is theirs to judge, and so are errors.
const guest: Host = { owned: false }

/**
 * Makes of any fetch handler a Connect-style function for `app.use`.
 *
 * What the handler answers with `undefined` (and what no controller of RouteControllers matches) goes to `next()`;
 * what it throws goes to `next(error)` while nothing has been sent, afterwards the socket is destroyed. Without `next`
 * it answers 404 and 500 itself. Throws ERR_OPTION_INVALID for anything but a function.
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
  checkFetchHandler('toConnect', fetchHandler)
  const entry = nodeEntryOf(fetchHandler)
  const serve: ConnectHandler = (req, res, next) => {
    if (next === undefined) entry(req, res, guest)
    else {
      entry(
        req,
        res,
        guest,
        () => next(),
        (error) => tell(req, res, next, error),
      )
    }
  }
  return withServing(serve, fetchHandler)
}

/**
 * Gives an error to the host.
 *
 * A host whose own error handler throws (polka takes `error.code`, which is a string in Node's errors and in ours, for the
 * status) must not lose the process to one request: then it is answered here.
 */
function tell(
  req: IncomingMessage,
  res: ServerResponse,
  next: (error: unknown) => void,
  error: unknown,
): void {
  try {
    next(error)
  } catch (thrown) {
    log(console, 'error', `${req.method} ${req.url}: next(error) has thrown: ${describeThrown(thrown)}`)
    if (res.headersSent) return void res.destroy()
    const answer = errorAnswer(error, req.headers.accept)
    try {
      void sendResponse(res, answer, isHead(res, req.method), () => res.destroy())
    } catch {
      // A header that somebody upstream has set is broken.
      res.destroy()
    }
  }
}
