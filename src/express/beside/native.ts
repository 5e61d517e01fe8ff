import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerFor, ResponseFor } from '../../answer/response.js'
import { defaultBodyLimit } from '../../body/limits.js'
import { setAppReader } from '../../define/app-routes.js'
import {
  checkControllerOptions,
  type ControllerOptions,
  type RunnableController,
} from '../../define/controller.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import { defaultCheckOutput, defaultRefusedStatus } from '../../define/schema.js'
import { RouteControllersError } from '../../ground/errors.js'
import { nameType } from '../../ground/options.js'
import type { InputSchemas, OutputSchemas } from '../../ground/standard-schema.js'
import type { MaybePromise } from '../../ground/types.js'
import type { RequestWith, RouteRequest } from '../../request/request.js'
import type { PathParams } from '../../routing/params.js'
import type { EngineConfig } from '../../run/engine.js'
import type { KnownPath } from '../model/express-types.js'
import type { Done, Route } from '../model/layer.js'
import { BesideRun } from './beside-run.js'
import { nativeRoutesOf } from './native-routes.js'
import { Places, withPlaces } from '../model/placed.js'

/** A callback in a route of Express, whose types say what the params of that route are. */
export type NativeCallback<
  Params = Record<string, string>,
  Extra extends object = {},
  Input extends InputSchemas = {},
  Output extends OutputSchemas = {},
> = (
  req: RequestWith<KnownParams<Params>, Extra, Input>,
  res: ResponseFor<Output>,
) => MaybePromise<AnswerFor<Output>>

/** Where the types of a router do not say its params, they are texts of any names. */
type KnownParams<Params> = object extends Params ? Record<string, string> : Params

/** The params of a path of Express: those of a group may be absent, and where a path says more, they are texts of any names. */
type RouteParams<Path extends string> = Path extends `${infer Before}{${infer Group}}${infer After}`
  ? Flat<RouteParams<Before> & Partial<RouteParams<Group>> & RouteParams<After>>
  : PathParams<KnownPath<Path>>

/** Of a plain path it has the name by which TypeScript infers the path of `fromExpress(handler)` in its place. */
type RequestOf<Path extends string, Extra extends object, Input extends InputSchemas> =
  string extends KnownPath<Path>
    ? RequestWith<RouteParams<Path>, Extra, Input>
    : RouteRequest<Path, Extra, Input>

type Flat<Params> = { [Name in keyof Params]: Params[Name] }

/* eslint-disable @typescript-eslint/no-explicit-any --
 * It fits where `@types/express` takes a handler, of both versions. Where it does not know its params, a parameter of another type than
 * `any` would decide what those of the handlers behind it are.
 */

/** What `native` makes: a handler for a route of Express. */
export type NativeHandler<Params = Record<string, string>> = object extends Params
  ? (req: any, res: any, next: any) => void
  : (req: { params: Params }, res: any, next: any) => void

/**
 * Makes a handler for a route of Express that runs a Controller's callback, in its place among the handlers of that route.
 *
 * Guards, order, params, HEAD, OPTIONS and errors stay Express's. The callback gets the `req` and `res` of a Controller and returns its
 * answer, which the app's own `res.send` sends. Where it passes the request on, that goes to the next route, and no handler behind it in
 * this route runs. With `migration({ app })` of `@routecontrollers/switch` the state of the route decides: at `legacy` the next handler
 * runs, and nothing of this one.
 *
 * The options are those of a Controller. Params have the types that `@types/express` gives the route, or those of a path that is given:
 * `native<'/:id'>(…)`. Throws ERR_CONTROLLER_INVALID for anything but a function, and ERR_OPTION_INVALID. Outside of a route, or within
 * another function, it fails with ERR_NATIVE_PLACE.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { native } from 'routecontrollers/express'
 *
 * const app = express()
 * app.get(
 *   '/orders/:id',
 *   native((req, res) => res.json({ id: req.params.id })),
 *   (req, res) => void res.json({ id: req.params.id }), // what it replaces
 * )
 * ```
 */
export function native<
  Params extends object,
  Extra extends object = {},
  Input extends InputSchemas = {},
  Output extends OutputSchemas = {},
>(
  callback: NativeCallback<Params, Extra, Input, Output>,
  options?: ControllerOptions<Input, Output>,
): NativeHandler<Params>
/** With the path of its route: `native<'/:id'>((req, res) => …)`. */
export function native<
  Path extends string,
  Extra extends object = {},
  Input extends InputSchemas = {},
  Output extends OutputSchemas = {},
>(
  callback: (req: RequestOf<Path, Extra, Input>, res: ResponseFor<Output>) => MaybePromise<AnswerFor<Output>>,
  options?: ControllerOptions<Input, Output>,
): (req: any, res: any, next: any) => void
/* eslint-enable @typescript-eslint/no-explicit-any */
export function native(callback: unknown, options: ControllerOptions = {}): NativeHandler {
  if (typeof callback !== 'function') {
    throw new RouteControllersError(
      'ERR_CONTROLLER_INVALID',
      `native takes the callback of a Controller, (req, res) => …, not ${nameType(callback)}`,
    )
  }
  checkControllerOptions('native', options)
  setAppReader(nativeRoutesOf)
  nodeCallbackOf(callback)?.check?.()
  const places = new Places({ callback: callback as RunnableController['callback'], options })
  const config: EngineConfig = {
    hooks: [],
    headers: [],
    middleware: [],
    bodyLimit: defaultBodyLimit,
    answerTimeoutMs: 0,
    refusedStatus: defaultRefusedStatus,
    checkOutput: defaultCheckOutput(),
    logger: console,
  }
  const handle = (req: Incoming, res: ServerResponse, next: Done | undefined): void => {
    // A test may call what a stub of an app was given.
    if (next === undefined) throw misplaced()
    const place = places.find(req.route, req.method!) ?? places.findIn(req.app?.request?.app, req.method!)
    if (place === undefined) next(misplaced())
    else BesideRun.start(config, place, req, res, next)
  }
  Object.defineProperty(handle, 'name', { value: callback.name || 'native' })
  return withPlaces(handle as unknown as NativeHandler, places)
}

type Incoming = IncomingMessage & {
  readonly route?: Route
  /** With the option `trustProxy` a copy of the app. */
  readonly app?: { readonly request?: { readonly app?: unknown } }
}

function misplaced(): RouteControllersError {
  return new RouteControllersError(
    'ERR_NATIVE_PLACE',
    'What native() has made stands in a route by itself: app.get(path, native(…)). A function around it, as asyncHandler(native(…)), goes: it passes errors on without one. app.use takes routeControllers.middleware()',
  )
}
