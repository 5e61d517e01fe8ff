/**
 * What a served function is, for tools that run no request: its Controllers, hooks, engine and routes. Unstable: it is for packages of
 * the same version. What another version has noted throws ERR_INTROSPECTION_VERSION.
 *
 * @module routecontrollers/introspection
 */
import type { Description } from './run/description.js'
import { descriptionOf, servingOf, withServing } from './run/entry.js'

export { withHeaders } from './answer/answer.js'
export { type LightResponse, partsOf } from './answer/light-response.js'
export { type ControllerOptions, type RunnableController, isController } from './define/controller.js'
export { nodeCallbackOf } from './define/node-callback.js'
export { type Decision, type Exchange } from './request/exchange.js'
export { createRouteIndex } from './routing/route-index.js'
export { type Description } from './run/description.js'
export { type EngineConfig, type EngineView, type Switch } from './run/engine.js'

/** What a function serves that `middleware()`, `toConnect`, `toListener` or a `Server` has made. */
export interface Served {
  /** Undefined where the fetch handler is not of RouteControllers. */
  readonly description: Description | undefined
  /** What gets the requests that are passed on, where it was given one. */
  readonly fallback: unknown
}

/** Describes what a function serves; undefined for one that serves no fetch handler. It may be wrapped in another one. */
export function describeServed(value: unknown): Served | undefined {
  const serving = servingOf(value)
  return serving && { description: descriptionOf(serving.fetchHandler), fallback: serving.fallback }
}

/** Describes the RouteControllers that have made a fetch handler; undefined for any other one. */
export function describeHandler(fetchHandler: object): Description | undefined {
  return descriptionOf(fetchHandler)
}

/** Stands for a fetch handler where something that is served is asked for. It serves nothing itself. */
export function standForHandler(fetchHandler: object): object {
  return withServing(() => {}, fetchHandler)
}
