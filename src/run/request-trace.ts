import { findBuiltin } from '../ground/builtin.js'
import type { Exchange } from '../request/exchange.js'
import type { MatchedRoute } from '../request/matched-route.js'

/** What subscribers of the tracing channel `routecontrollers.request` get. Each event of one request has the same object. */
export interface RequestTraceMessage {
  /** The route of the request. A hook may rewrite the request to another route, and a route may pass it on to the next one. */
  route: MatchedRoute
  /** The method of the request. */
  readonly method: string
  /** Node's request, with the members that callbacks get. In `getCallback()` without hooks it is the `req` of callbacks. */
  readonly req: object
  /**
   * The status, from `asyncStart` on. It is undefined when the client disconnected before an answer began, and when the request
   * was passed on.
   */
  status?: number | undefined
  /** From `asyncStart` on: milliseconds from `start` until the answer was complete. */
  durationMs?: number
  /** From `error` on: what was thrown. */
  error?: unknown
  /** Under a migration: the side that answers. It and the next two are undefined without one. */
  side?: 'legacy' | 'native'
  /** Under a migration: the state of the route, as `canary 5%`. */
  state?: string
  /** Under a migration: true for a copy, which no client has sent, and whose answer no client gets. */
  isShadow?: boolean
}

// Without node:diagnostics_channel there can be no subscriber.
const channel = findBuiltin('node:diagnostics_channel')?.tracingChannel?.<object, RequestTraceMessage>(
  'routecontrollers.request',
)

/** True when an event of the channel has a subscriber. Not every supported Node has `hasSubscribers` of the whole channel. */
export function isTraced(): boolean {
  if (channel === undefined) return false
  const { start, end, asyncStart, asyncEnd, error } = channel
  return (
    start.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    error.hasSubscribers
  )
}

/**
 * Publishes one request: `start`, `end`, `asyncStart` and `asyncEnd`, once each and in this order, and `error` before
 * `asyncStart` where something was thrown. As in Node's `tracePromise`, synchronous requests have the last two as well.
 */
export class RequestTrace {
  readonly message: RequestTraceMessage
  readonly #exchange: Exchange
  readonly #startedAt = performance.now()
  readonly #routeAtEnd: ((route: MatchedRoute) => MatchedRoute) | undefined
  #isReturned = false
  #isComplete = false

  /** `routeAtEnd` says which route has had the request last, where that is known at its end alone. */
  constructor(
    exchange: Exchange,
    req: object,
    route: MatchedRoute,
    routeAtEnd?: (route: MatchedRoute) => MatchedRoute,
  ) {
    this.message = { route, method: exchange.method, req, ...exchange.decision }
    this.#exchange = exchange
    this.#routeAtEnd = routeAtEnd
    exchange.whenAnswered((status) => this.complete(status))
  }

  /** Runs the request, in the stores that are bound to `start`. */
  run(request: () => void): void {
    const { start, end } = channel!
    start.runStores(this.message, () => {
      try {
        request()
      } finally {
        end.publish(this.message)
      }
    })
    this.#isReturned = true
    if (this.#isComplete) this.#publishCompletion()
  }

  failed(error: unknown): void {
    const { message } = this
    // Several functions report the same error.
    if (this.#isComplete || ('error' in message && message.error === error)) return
    message.error = error
    channel!.error.publish(message)
  }

  /** The answer is complete, or the request was passed on. */
  complete(status: number | undefined): void {
    if (this.#isComplete) return
    this.#isComplete = true
    const { message } = this
    message.route = this.#routeAtEnd?.(message.route) ?? message.route
    // A route may have passed the request on to one in another state.
    Object.assign(message, this.#exchange.decision)
    message.status = status
    message.durationMs = performance.now() - this.#startedAt
    if (this.#isReturned) this.#publishCompletion()
  }

  #publishCompletion(): void {
    const { asyncStart, asyncEnd } = channel!
    asyncStart.publish(this.message)
    asyncEnd.publish(this.message)
  }
}
