/**
 * Routes, groups, middleware, answers and servers: what every program needs.
 *
 * @module routecontrollers
 */
// Define routes
export { Controller } from './define/controller.js'
export type { AnyController, Callback, ControllerOptions, RouteNotes } from './define/controller.js'
export { group } from './define/group.js'
export type { Group, GroupOf, GroupOptions, GroupWithSchemas, Joined, MakesRoute } from './define/group.js'
export { around, describeGuard, fromConnect, guard } from './define/middleware.js'
export type { GuardNotes, SecurityRequirements } from './define/guard-notes.js'
export { conditional, etag } from './define/conditional.js'
export type { EtagOptions } from './define/conditional.js'
export type {
  Added,
  Middleware,
  MiddlewareResult,
  NextAnswer,
  ReservedName,
  With,
} from './define/middleware.js'
export type { CheckOutput, RefusedInput } from './define/schema.js'
export type {
  InputSchemas,
  OutputSchemas,
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
  StandardSchema,
} from './ground/standard-schema.js'
export { RouteControllers } from './route-controllers.js'
export type { RouteDescription } from './define/describe-routes.js'
export type { HookOptions } from './define/hooks.js'
export type { RouteControllersOptions } from './route-controllers.js'
export type { KnownName, RouteName, UrlOptions, UrlParameters, UrlQuery } from './define/names.js'
export type { RequestLimits } from './body/limits.js'
export type { BodyParser, BodyParsers, BodyToParse } from './body/body-parsers.js'

// Serve them
export { serve } from './serve.js'
export type { RouteList, Routes, ServeOptions } from './serve.js'
export { Server } from './server.js'
export type { ServerLimits, ServerOptions, ShutdownOptions, StopOptions } from './server/options.js'
export { toConnect } from './run/connect.js'
export { toListener } from './run/listener.js'
export { platform } from './request/platform.js'
export type { Platform, PlatformOptions } from './request/platform.js'

// What callbacks get and give
export type { Cookies, Query, RequestMembers, RouteRequest } from './request/request.js'
export type { MatchedRoute } from './request/matched-route.js'
export type { RequestTraceMessage } from './run/request-trace.js'
export type {
  Answer,
  AnswerFor,
  CookieOptions,
  ResponseBuilder,
  ResponseFor,
  TypedResponse,
} from './answer/response.js'
export type { Payload } from './answer/web-response.js'
export type { EventSource, EventStream, ServerSentEvent } from './answer/sse.js'
export type { PathParams } from './routing/params.js'
export type { HeaderValue } from './answer/headers.js'

// Errors
export { isRouteControllersError, RouteControllersError } from './ground/errors.js'
export type { ErrorCode } from './ground/error-codes.js'

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
  PlatformFetchHandler,
  RouteCheckResult,
} from './ground/types.js'
export type { TrustProxy } from './request/forwarded.js'

// The names of the specification
export type { RouteRequest as TypeRequestInternalObject } from './request/request.js'
export type {
  ResponseBuilder as TypeResponseInternalObject,
  Answer as TypeReturnCallback,
} from './answer/response.js'
/** The web-standard request that `getCallback()` takes. */
export type TypeRequest = Request
