import type { HookEntry } from '../../define/hook-entry.js'
import type { RunnableController } from '../../define/controller.js'
import type { App, Handle, Layer, Route, Router } from './router.js'

/** What a layer of a table's router stands for. */
export type StandsFor =
  | { readonly hook: HookEntry }
  /** A handler of Express; undefined for the Controller's own middleware and callback. */
  | { readonly controller: RunnableController; readonly handler: Handle | undefined }
  /** An app that was taken over, with the layers that a request meets there. */
  | {
      readonly app: App | undefined
      readonly router: Router | undefined
      readonly stack: readonly Layer[]
    }

// Not a map: another copy of this package may look.
const key = Symbol.for('routecontrollers.stands-for')

/** Notes what a layer stands for, for code that reads the router without a request. */
export function markLayer(layer: Layer, value: StandsFor): void {
  Object.defineProperty(layer, key, { value, configurable: true })
}

interface Marked {
  readonly [key]?: { readonly controller?: RunnableController }
}

/**
 * The Controller that a route was made of; undefined for a route of Express's own. Of several of one path the one for `method`, where
 * that is given.
 */
export function controllerOf(route: Route | undefined, method?: string): RunnableController | undefined {
  const stack = (route?.stack ?? []) as readonly Marked[]
  const made =
    method === undefined ? stack[0] : stack.find((layer) => layer[key]?.controller?.method === method)
  return made?.[key]?.controller
}
