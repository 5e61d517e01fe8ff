/**
 * What a served function is, for tools that run no request: its Controllers, hooks, engine and routes. Unstable: it is for packages of
 * the same version.
 *
 * @module routecontrollers/introspection
 */
export { withHeaders } from './answer/answer.js'
export { type LightResponse, partsOf } from './answer/light-response.js'
export { type ControllerOptions, type RunnableController, isController } from './define/controller.js'
export { nodeCallbackOf } from './define/node-callback.js'
export { type Exchange } from './request/exchange.js'
export { type EngineConfig } from './run/engine.js'
