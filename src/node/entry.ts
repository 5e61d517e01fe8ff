import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorAnswer } from '../error-answer.js'
import { RouteControllersError, isFailure, toFailure } from '../errors.js'
import { describeThrown, log } from '../log.js'
import { nameType } from '../options.js'
import { standInFor } from '../registration.js'
import { checkSendable, withoutUndoneCoding } from '../response.js'
import type { ExtendClasses, FetchHandler, ForeignFetchHandler } from '../types.js'
import { type Host, NodeExchange } from './exchange.js'
import { toRequest } from './to-request.js'

/**
 * Serves one Node request. `pass` gives it on when nothing here answers it, `fail` gives an error to the host; without
 * them both are answered here, with 404 and 500.
 */
export interface NodeEntry {
  (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    host: Host,
    pass?: () => void,
    fail?: (error: unknown) => void,
  ): void
  /** What a server of ours makes of the classes of its requests and responses, if anything. */
  extendClasses?: ExtendClasses | undefined
  /** What stands behind it, for whoever looks at it without running it. */
  describe?: () => object
}

const key = Symbol.for('routecontrollers.node')

/** Gives a fetch handler a way in for Node requests, on which no web Request is made unless somebody asks for one. */
export function withNodeEntry(fetchHandler: FetchHandler, entry: NodeEntry): FetchHandler {
  return Object.defineProperty(fetchHandler, key, { value: entry })
}

/** What a server makes of its classes for this handler; nothing for most. */
export function extendClassesOf(fetchHandler: ForeignFetchHandler): ExtendClasses | undefined {
  return (fetchHandler as { [key]?: NodeEntry })[key]?.extendClasses
}

/** Throws ERR_OPTION_INVALID for anything but a function, with what to write instead. */
export function checkFetchHandler(owner: string, fetchHandler: unknown): void {
  if (typeof fetchHandler === 'function') return
  const { getCallback, fetch } = (fetchHandler ?? {}) as { getCallback?: unknown; fetch?: unknown }
  const instead =
    typeof getCallback === 'function'
      ? `: write ${owner}(routeControllers.getCallback())`
      : typeof fetch === 'function'
        ? `: write ${owner}((request) => app.fetch(request))`
        : ''
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${owner} takes a fetch handler (Request) => Response, not ${nameType(fetchHandler)}${instead}`,
  )
}

/** The Node way into a fetch handler: its own, or one through `Request` and `Response`. */
export function nodeEntryOf(fetchHandler: ForeignFetchHandler): NodeEntry {
  const own = (fetchHandler as { [key]?: NodeEntry })[key]
  if (own !== undefined) return standInFor(own)
  return (...parameters) => void serveForeign(fetchHandler, new NodeExchange(...parameters))
}

const serving = Symbol.for('routecontrollers.serving')

/** Says of a function what it serves, for whoever looks at a server or an app without running it. */
export function withServing<F extends object>(
  serve: F,
  fetchHandler: ForeignFetchHandler,
  fallback?: object,
): F {
  return Object.defineProperty(serve, serving, { value: { fetchHandler, fallback } })
}

async function serveForeign(fetchHandler: ForeignFetchHandler, exchange: NodeExchange): Promise<void> {
  if (exchange.answered) return
  try {
    if (exchange.problem !== undefined) throw exchange.problem
    const response = await fetchHandler(toRequest(exchange))
    if (response !== undefined) {
      checkSendable(response)
      return await exchange.send(withoutUndoneCoding(response), console)
    }
    if (exchange.pass === undefined)
      throw new RouteControllersError('ERR_NOT_FOUND', 'Not Found', { status: 404 })
  } catch (error) {
    return failForeign(exchange, error)
  }
  exchange.unwatch()
  // Outside of this promise: what stands behind has its own errors, and throws them as it would without us.
  queueMicrotask(exchange.pass)
}

function failForeign(exchange: NodeExchange, error: unknown): void {
  if (exchange.answered) {
    // That the client has gone away is no failure here.
    if (isFailure(error)) logFailure(exchange, error)
    return exchange.destroy()
  }
  if (exchange.fail !== undefined) return exchange.fail(toFailure(error))
  if (isFailure(error)) logFailure(exchange, error)
  try {
    void exchange.send(errorAnswer(error, exchange.header('accept')), console)
  } catch (sendError) {
    // Even the plain answer cannot be sent: a header that somebody upstream has set is broken.
    logFailure(exchange, sendError)
    exchange.destroy()
  }
}

function logFailure(exchange: NodeExchange, error: unknown): void {
  log(console, 'error', `${exchange.method} ${exchange.path}: ${describeThrown(error)}`)
}
