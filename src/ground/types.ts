import type { IncomingMessage, ServerResponse } from 'node:http'

/** A value, or a promise of it. Synchronous code stays synchronous. */
export type MaybePromise<T> = T | Promise<T>

/** Takes a web-standard Request and returns a web-standard Response. All adapters use this type. */
export type FetchHandler = (request: Request) => Promise<Response>

/**
 * A fetch handler that also takes what its runtime tells about a request. It reads only what `platform` has made, so a runtime may call it
 * with arguments of its own.
 */
export type PlatformFetchHandler = (request: Request, platform?: unknown) => Promise<Response>

/** Any fetch handler. It passes a request on by answering `undefined`. */
export type ForeignFetchHandler = (request: Request) => MaybePromise<Response | undefined>

/** The third parameter of Connect middleware. */
export interface Next {
  /**
   * Goes on to the next hook. With an error it goes to the error hooks, and with `'router'` out of RouteControllers. `'route'`
   * also goes on to the next hook.
   */
  (error?: unknown): void
  /** The form of the specification. It goes on with the request and the response of this chain. */
  (req: IncomingMessage, res: ServerResponse): void
}

// The parameters of Connect middleware are compared bivariantly: Express's own `Request` is a subtype of
// IncomingMessage, and its middleware must be accepted here although it asks for more than Node promises.
type Bivariant<F extends (...parameters: never[]) => unknown> = {
  bivariant(...parameters: Parameters<F>): ReturnType<F>
}['bivariant']

/** Connect middleware: `(req, res, next)`. */
export type Hook = Bivariant<(req: IncomingMessage, res: ServerResponse, next: Next) => unknown>

/** Connect error middleware, told apart by its four parameters: `(err, req, res, next)`. */
export type ErrorHook = Bivariant<
  (error: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => unknown
>

/** A request listener as `http.createServer` takes it. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void

/** The classes that a server makes its requests and responses of. */
export interface NodeClasses {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

/** Extends the classes of a server with more members. `fallback` gets what is not answered here. */
export type ExtendClasses = (classes: NodeClasses, fallback?: NodeHandler) => NodeClasses

/** A Connect-style function as `app.use` takes it; without `next` it answers 404 and 500 itself. */
export type ConnectHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/** Where log lines go. `console`, pino and winston have these methods. */
export interface Logger {
  /** Takes a line about the server, such as its start. */
  info(message: string): void
  /** Takes a line about what is probably a mistake. */
  warn(message: string): void
  /** Takes a line about a failure. */
  error(message: string): void
}

/** What `checkRoute` finds: whether a controller answers, with which params, and under which `METHOD:pattern`. */
export interface RouteCheckResult {
  exists: boolean
  params: Record<string, string>
  key: string
}
