import type { RunnableController } from '../../define/controller.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import { type Handle, handleOf, type Layer, type Route } from './layer.js'
import { placesOf } from './placed.js'

/** A native callback among the layers of a route. */
export interface NativeLayer {
  /** Where it stands among them. */
  readonly at: number
  readonly controller: RunnableController
  /** The handlers of Express that it was made of; undefined for a callback that returns its answer. */
  readonly handlers: readonly Handle[] | undefined
}

/**
 * The first native callback among layers of a route, which answers its requests; undefined where there is none. Of what stands behind it
 * in the route, error handlers alone run then.
 */
export function nativeAmong(route: Route, layers: readonly Layer[]): NativeLayer | undefined {
  for (const [at, layer] of layers.entries()) {
    const place = placesOf(handleOf(layer))?.at(route, layer)
    if (place === undefined) continue
    const { controller } = place
    return { at, controller, handlers: nodeCallbackOf(controller.callback)?.handlers }
  }
  return undefined
}
