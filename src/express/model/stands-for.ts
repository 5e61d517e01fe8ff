import type { HookEntry } from '../../define/hook-entry.js'
import type { RunnableController } from '../../define/controller.js'
import { createNote } from '../../ground/introspection-key.js'
import type { Handle, Layer, Route } from './layer.js'
import type { App, Router } from './router.js'

/** What a layer of a table's router stands for: a hook, a Controller, or an app that was taken over. */
export interface StandsFor {
  readonly hook?: HookEntry
  readonly controller?: RunnableController
  /** A handler of Express; undefined for the Controller's own middleware and callback. */
  readonly handler?: Handle | undefined
  readonly app?: App | undefined
  readonly router?: Router | undefined
  /** The layers that a request meets in the app. */
  readonly stack?: readonly Layer[]
}

const note = createNote<StandsFor>('stands-for')

/** Notes what a layer stands for, for code that reads the router without a request. */
export function markLayer(layer: Layer, value: StandsFor): void {
  note.write(layer, value)
}

/** What a layer stands for in the router of an engine; undefined for a layer of an app. */
export function standsForOf(layer: object): StandsFor | undefined {
  return note.read(layer)
}

/**
 * The Controller that a route was made of; undefined for a route of Express's own. Of several of one path the one for `method`, where
 * that is given.
 */
export function controllerOf(route: Route | undefined, method?: string): RunnableController | undefined {
  const stack = (route?.stack ?? []) as readonly object[]
  const made =
    method === undefined ? stack[0] : stack.find((layer) => controllerBehind(layer)?.method === method)
  return made && controllerBehind(made)
}

function controllerBehind(layer: object): RunnableController | undefined {
  return standsForOf(layer)?.controller
}
