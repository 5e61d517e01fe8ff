import { type AnyController, connectHookOf, nodeCallbackOf, type RunnableController } from './controller.js'
import { registrationSource } from './registration.js'

/** A route as `routeControllers.routes` tells it. */
export interface RouteDescription {
  /** The method in upper case, or `'*'`. */
  readonly method: string
  /** The path as it was given. */
  readonly path: string
  /** The name of the callback, or `'<anonymous>'`. */
  readonly name: string
  /** The names of its middleware, in the order of `use`. */
  readonly middleware: readonly string[]
  /**
   * Where the Controller was made, as `src/users.ts:12`. Known only where that is recorded, under the command `routecontrollers` and
   * after `recordRegistrations` of `routecontrollers/migrate`: a stack trace for each Controller costs time.
   */
  readonly source: string | undefined
}

/** The routes of a list of Controllers, in its order. */
export function describeRoutes(controllers: readonly AnyController[]): RouteDescription[] {
  return (controllers as readonly RunnableController[]).map((controller) => ({
    method: controller.method,
    path: controller.pattern.source,
    name: nameOf(nodeCallbackOf(controller.callback)?.handlers?.at(-1) ?? controller.callback),
    middleware: controller.middleware.map((one) => nameOf(connectHookOf(one)?.hook ?? one)),
    source: registrationSource(controller, controller.callback),
  }))
}

function nameOf(named: unknown): string {
  return (named as { readonly name: string }).name || '<anonymous>'
}
