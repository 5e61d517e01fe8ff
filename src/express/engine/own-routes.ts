import { isThenable } from '../../ground/thenable.js'
import type { RunnableController } from '../../define/controller.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import { ControllerRun } from '../../run/controller-run.js'
import { runHandlers } from './run-handlers.js'
import { RouteControllersError, toFailure } from '../../ground/errors.js'
import { matchedRouteOf } from '../../request/matched-route.js'
import type { RequestRun } from '../../run/request-run.js'
import type { RouteRequest } from '../../request/request.js'
import type { Pattern } from '../../routing/pattern.js'
import type { ExpressPath, RoutePath } from '../model/path.js'
import type { Done, ExpressVersion, Handle, Layer, Route } from '../model/layer.js'
import { type App, type Router, versionOf } from '../model/router.js'
import { markLayer } from '../model/stands-for.js'
import { translationOf } from '../model/translate-path.js'
import { expressVersions } from '../model/versions.js'

type Handler = (req: object, res: object, next: Done) => unknown

/** Where Controllers are registered, and which run executes them. */
export interface Source {
  /** The profile's app. */
  readonly app: App
  /** A router of the profile's Express, with its settings and the callbacks of its params. */
  readonly router: Router
  readonly runOf: (request: object) => RequestRun
  /** Whether a request, as it is now, is for an app that was taken over, which then runs it to its end. */
  readonly enters: (request: object, app: object) => boolean
  /** Whether hooks have rewritten a request to a route that a switch leaves to whatever stands behind. */
  readonly isLeftNow: (request: object) => boolean
}

/** Fills a router with Controllers, as `router.route(path)[method](…handlers)`, and returns the layer of each. */
export function addRoutes(controllers: readonly RunnableController[], source: Source): readonly Layer[] {
  const { router } = source
  const version = versionOf(router)
  const shared = new Map<unknown, { route: Route; layer: Layer }>()
  return controllers.map((controller) => {
    const { method, pattern } = controller
    let made = shared.get(pattern.foreign)
    if (made === undefined) {
      const route = createRoute(router, version, pattern)
      made = { route, layer: router.stack.at(-1)! }
      if (pattern.foreign !== undefined) shared.set(pattern.foreign, made)
    }
    const handlers = handlersOf(controller, version, source, made.route)
    const own = nodeCallbackOf(controller.callback)?.handlers ?? []
    const { stack } = made.route
    const from = stack.length
    if (!addHandlers(made.route, method, handlers)) {
      throw new RouteControllersError(
        'ERR_METHOD_INVALID',
        `Controller(${method}, ${pattern.source}): Express routes no method ${method}; it has those of http.METHODS`,
      )
    }
    // For `all`, version 4 registers each handler for each method.
    stack.slice(from).forEach((layer, at) => {
      const handler = own[(at % handlers.length) - (handlers.length - own.length)]
      markLayer(layer, { controller, handler })
    })
    return made.layer
  })
}

/** `route[method](…handlers)`; false for a method that this Express does not know. */
export function addHandlers(route: Route, method: string, handlers: readonly Handle[]): boolean {
  const name = method === '*' ? 'all' : method.toLowerCase()
  const add = (route as unknown as Record<string, unknown>)[name]
  if (typeof add !== 'function') return false
  add.call(route, ...handlers)
  return true
}

/** Registers the path of a Controller. Throws ERR_PATTERN_INVALID for a path that this version does not accept. */
function createRoute(router: Router, version: ExpressVersion, pattern: Pattern): Route {
  const foreign = pattern.foreign as RoutePath | undefined
  if (foreign === undefined) return router.route(written(version, pattern))
  return checkedPath(version, foreign.path, (path) => router.route(path))
}

/** Gives a path to Express. Throws ERR_PATTERN_INVALID, with what to write instead, for one of the other version. */
export function checkedPath<T>(
  version: ExpressVersion,
  path: ExpressPath,
  register: (path: ExpressPath) => T,
): T {
  const { foreignPath } = expressVersions[version]
  for (const one of foreignPath === undefined ? [] : stringsOf(path)) {
    const foreign = foreignPath!.form.exec(one)
    if (foreign) {
      const grammar = `Express ${foreignPath!.of}'s grammar`
      throw refusal(version, one, `${foreign[0]} at index ${foreign.index} is of ${grammar}`)
    }
  }
  try {
    return register(path)
  } catch (cause) {
    const [first = String(path)] = stringsOf(path)
    throw refusal(version, first, String((cause as Error).message).split(/[:;] /, 1)[0]!, cause)
  }
}

function stringsOf(path: ExpressPath): readonly string[] {
  if (typeof path === 'string') return [path]
  return Array.isArray(path) ? path.flatMap(stringsOf) : []
}

function refusal(
  version: ExpressVersion,
  path: string,
  reason: string,
  cause?: unknown,
): RouteControllersError {
  return new RouteControllersError(
    'ERR_PATTERN_INVALID',
    `'${path}' is no path of Express ${version}: ${reason}; write ${translationOf(version, path)}`,
    { cause },
  )
}

/** A pattern of this package in the grammar of Express: a wildcard is `*name` there, or `*` in version 4. */
function written(version: ExpressVersion, pattern: Pattern): string {
  const { everything, rest } = expressVersions[version]
  if (pattern.source === '*' && everything !== undefined) return everything
  return pattern.segments
    .map((segment) => {
      if (segment.kind === 'static') return `/${segment.text.replace(/[!$]/g, '\\$&')}`
      if (segment.kind === 'param') return `/:${segment.name}`
      return rest(restName(pattern))
    })
    .join('')
}

/** What version 5 calls the rest of the path: it needs a name, which no param of the pattern has. */
function restName({ names }: Pattern): string {
  const name = names.at(-1)!
  return name === '*' ? `rest${names.join('')}`.slice(0, -1) : name
}

/** The params of a Controller's callback: a wildcard has the rest of the path, as one text. */
function ownParams(pattern: Pattern, params: Record<string, unknown>): Record<string, string> {
  const last = pattern.segments.at(-1)
  if (last?.kind !== 'wildcard') return params as Record<string, string>
  const { [restName(pattern)]: ofVersion5 = [], 0: ofVersion4, ...others } = params
  const rest = (ofVersion4 as string | undefined) ?? (ofVersion5 as readonly string[]).join('/')
  return {
    ...(others as Record<string, string>),
    // The pattern `*` is for the whole path.
    [last.name]: pattern.source === '*' && ofVersion4 === undefined ? `/${rest}` : rest,
  }
}

function handlersOf(
  controller: RunnableController,
  version: ExpressVersion,
  { runOf, isLeftNow }: Source,
  route: Route,
): readonly Handle[] {
  const handlers = nodeCallbackOf(controller.callback)?.handlers
  const step: Handler = (req, _res, next) => runStep(runOf(req), controller, req, next)
  if (handlers === undefined) {
    const shown = shownRoute(controller, route)
    return [
      (req: { route: object }, _res: unknown, next: Done) => {
        if (isLeftNow(req)) return next('router')
        req.route = shown
        runStep(runOf(req), controller, req, next)
      },
    ]
  }
  const express = catchingAll(version, handlers)
  // Read for each request: a guard may be added later.
  const before: Handler = (req, res, next) => {
    if (isLeftNow(req)) return next('router')
    const run = runOf(req)
    const isBare =
      controller.middleware.length === 0 &&
      run.config.middleware.length === 0 &&
      controller.options.input === undefined &&
      run.exchange.timer === undefined
    if (isBare) next()
    else step(req, res, next)
  }
  return [before, ...express]
}

/** The `req.route` of a Controller's callback: the members that it has everywhere, in addition to Express's own. */
function shownRoute(controller: RunnableController, route: Route): object {
  const members = Object.getOwnPropertyDescriptors(matchedRouteOf(controller))
  return Object.freeze(Object.create(route, members) as object)
}

/** Runs the native parts of a Controller: its middleware, and its callback unless that is made of Express's handlers. */
function runStep(run: RequestRun, controller: RunnableController, req: object, next: Done): void {
  const { exchange, config } = run
  const { options, pattern } = controller
  const streamLimit = options.body === 'stream' ? Infinity : undefined
  const request = exchange.prepare(options.bodyLimit ?? config.bodyLimit, streamLimit)
  const own = nodeCallbackOf(controller.callback)
  if (own === undefined && pattern.foreign === undefined) {
    request.params = ownParams(pattern, request.params)
  }
  const fail = (error: unknown): void => {
    run.controller = controller
    run.trace?.failed(error)
    next(toFailure(error))
  }
  new ControllerRun(run, controller, req as RouteRequest, {
    answer: (answer) => run.deliver(answer, fail),
    pass: next,
    fail,
    runOnNode: (callback) => {
      // Its own handlers are those of the route behind it.
      if (callback === own) next()
      else runHandlers(callback.handlers, exchange.incoming!, exchange.outgoing!, next)
    },
  }).start()
}

/** Handlers that never leave a request without an answer by rejecting. */
export function catchingAll(version: ExpressVersion, handlers: readonly Handle[]): readonly Handle[] {
  return expressVersions[version].catchesRejections ? handlers : handlers.map(catching)
}

function catching(handler: Handle): Handle {
  // Express calls no function of more parameters.
  if (handler.length > 4) return handler
  const call = (parameters: readonly unknown[], next: Done): unknown => {
    const returned = (handler as (...some: readonly unknown[]) => unknown)(...parameters)
    if (isThenable(returned)) returned.then(undefined, (error: unknown) => next(toFailure(error)))
    return returned
  }
  return handler.length === 4
    ? (error: unknown, req: unknown, res: unknown, next: Done) => call([error, req, res, next], next)
    : (req: unknown, res: unknown, next: Done) => call([req, res, next], next)
}
