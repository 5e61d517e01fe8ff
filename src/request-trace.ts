import { findBuiltin } from './builtin.js'
import type { Exchange } from './exchange.js'
import type { MatchedRoute } from './matched-route.js'

/** What subscribers of the tracing channel `routecontrollers.request` get: the same object with each event of one request. */
export interface RequestTraceMessage {
  /** The route that the request is for. A hook may rewrite the request into another one, and a route may pass it on to the next. */
  route: MatchedRoute
  /** That of the request. */
  readonly method: string
  /** The request: Node's, with the members that callbacks see; in `getCallback()` without hooks what callbacks get. */
  readonly req: object
  /** From `asyncStart` on; undefined when the client went before an answer began, and when the request was passed on. */
  status?: number | undefined
  /** From `asyncStart` on: milliseconds from `start` until the answer was complete. */
  durationMs?: number
  /** From `error` on: what was thrown. */
  error?: unknown
}

// Where there is no node:diagnostics_channel, nobody can subscribe.
const channel = findBuiltin('node:diagnostics_channel')?.tracingChannel?.<object, RequestTraceMessage>(
  'routecontrollers.request',
)

/** True when somebody subscribes to an event of the channel. `hasSubscribers` of the whole is not in every Node that is supported. */
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
 * One request for those who trace: `start`, `end`, `asyncStart` and `asyncEnd`, once each and in this order, and `error` before
 * `asyncStart` where something was thrown. As in Node's `tracePromise`, what is sync has the last two as well.
 */
export class RequestTrace {
  readonly message: RequestTraceMessage
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
    this.message = { route, method: exchange.method, req }
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
    // An error passes several hands on its way to an answer.
    if (this.#isComplete || ('error' in message && message.error === error)) return
    message.error = error
    channel!.error.publish(message)
  }

  /** The answer is complete, or it is somebody else's to give. */
  complete(status: number | undefined): void {
    if (this.#isComplete) return
    this.#isComplete = true
    const { message } = this
    message.route = this.#routeAtEnd?.(message.route) ?? message.route
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
