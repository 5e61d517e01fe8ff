/**
 * Routes, groups, middleware, answers and servers: what every program needs.
 *
 * @module routecontrollers
 */
// Define routes
export { Controller } from './controller.js'
export type { AnyController, Callback, ControllerOptions, RouteNotes } from './controller.js'
export { group } from './group.js'
export type { Group, GroupOptions, Joined, MakesRoute } from './group.js'
export { around, describeGuard, fromConnect } from './middleware.js'
export type { GuardNotes, SecurityRequirements } from './guard-notes.js'
export { conditional, etag } from './conditional.js'
export type { EtagOptions } from './conditional.js'
export type { Added, Middleware, MiddlewareResult, NextAnswer, ReservedName, With } from './middleware.js'
export type { CheckOutput, RefusedInput } from './schema.js'
export type {
  InputSchemas,
  OutputSchemas,
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
  StandardSchema,
} from './standard-schema.js'
export { RouteControllers } from './route-controllers.js'
export type { RouteDescription } from './describe-routes.js'
export type { HookOptions } from './global-hook.js'
export type { RouteControllersOptions } from './route-controllers.js'
export type { KnownName, RouteName, UrlOptions, UrlParameters, UrlQuery } from './route-url.js'
export type { RequestLimits } from './body/limits.js'

// Serve them
export { Server } from './server.js'
export type { ServerLimits, ServerOptions, ShutdownOptions, StopOptions } from './server/options.js'
export { toConnect } from './node/connect.js'
export { toListener } from './node/listener.js'

// What callbacks get and give
export type { Cookies, Query, RequestMembers, RouteRequest } from './request.js'
export type { MatchedRoute } from './matched-route.js'
export type { RequestTraceMessage } from './request-trace.js'
export type {
  Answer,
  AnswerFor,
  CookieOptions,
  ResponseBuilder,
  ResponseFor,
  TypedResponse,
} from './response.js'
export type { Payload } from './web-response.js'
export type { EventSource, EventStream, ServerSentEvent } from './sse.js'
export type { PathParams } from './routing/params.js'
export type { HeaderValue } from './headers.js'

// Errors
export { isRouteControllersError, RouteControllersError } from './errors.js'
export type { ErrorCode } from './errors.js'

// The glossary
export type {
  ConnectHandler,
  ErrorHook,
  FetchHandler,
  ForeignFetchHandler,
  Hook,
  Logger,
  MaybePromise,
  Next,
  NodeHandler,
  RouteCheckResult,
} from './types.js'
export type { TrustProxy } from './node/forwarded.js'

// The names of the specification
export type { RouteRequest as TypeRequestInternalObject } from './request.js'
export type {
  ResponseBuilder as TypeResponseInternalObject,
  Answer as TypeReturnCallback,
} from './response.js'
/** The web-standard request that `getCallback()` takes. */
export type TypeRequest = Request
