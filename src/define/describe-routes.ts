import type { AnyController, ControllerOptions, RunnableController } from './controller.js'
import type { GuardNotes } from './guard-notes.js'
import { guardNotesOf, type Middleware, nameOfMiddleware } from './middleware.js'
import { nodeCallbackOf } from './node-callback.js'
import { registrationSource } from '../ground/registration.js'
import type { InputSchemas, OutputSchemas } from '../ground/standard-schema.js'

/** A route as `routeControllers.routes` describes it. */
export interface RouteDescription {
  /** The method in upper case, or `'*'`. */
  readonly method: string
  /** The path as it was given. */
  readonly path: string
  /** The name of the route, else that of its callback, or `'<anonymous>'`. */
  readonly name: string
  /** The names of its middleware: that of all Controllers, of its groups from the outer to the inner, its own. */
  readonly middleware: readonly string[]
  /**
   * Where the Controller was made, as `src/users.ts:12`. It is recorded only under the command `routecontrollers` and after
   * `recordRegistrations` of `@routecontrollers/cli`, because a stack trace for each Controller costs time.
   */
  readonly source: string | undefined
  /** The schemas of its input and its answers; undefined where it has none. */
  readonly input: InputSchemas | undefined
  readonly output: OutputSchemas | undefined
  /** The status of an answer to input that these schemas refuse. */
  readonly refusedStatus: number
  /** True where `onError` of the RouteControllers gets its errors, refused input included, and may answer them. */
  readonly hasOnError: boolean
  /** What its guards were said to ask for and to answer, in their order: see `describeGuard`. */
  readonly guards: readonly GuardNotes[]
  /** The options of the Controller, including those of its groups. */
  readonly options: ControllerOptions
  /** True for a path in Express's grammar, made by `expressPath`. */
  readonly isForeign: boolean
}

/** The routes of a list of Controllers, in its order. */
export function describeRoutes(
  controllers: readonly AnyController[],
  ofAll: readonly Middleware[],
  { refusedStatus, onError }: { readonly refusedStatus: number; readonly onError?: unknown },
): RouteDescription[] {
  return (controllers as readonly RunnableController[]).map((controller) => ({
    method: controller.method,
    path: controller.pattern.source,
    name:
      controller.options.name ??
      nameOf(nodeCallbackOf(controller.callback)?.handlers?.at(-1) ?? controller.callback),
    middleware: [...ofAll, ...controller.middleware].map(nameOfMiddleware),
    source: registrationSource(controller, controller.callback),
    input: controller.options.input,
    output: controller.options.output,
    refusedStatus,
    hasOnError: onError !== undefined,
    guards: [...ofAll, ...controller.middleware].flatMap(guardNotesOf),
    options: controller.options,
    isForeign: controller.pattern.foreign !== undefined,
  }))
}

function nameOf(named: unknown): string {
  return (named as { readonly name: string }).name || '<anonymous>'
}
