import type { IncomingMessage, ServerResponse } from 'node:http'

/** A value, or a promise of it: what is sync stays sync. */
export type MaybePromise<T> = T | Promise<T>

/** A web-standard request in, a web-standard response out: the type that all adapters meet in. */
export type FetchHandler = (request: Request) => Promise<Response>

/** A fetch handler of anybody's making. It passes a request on by answering `undefined`. */
export type ForeignFetchHandler = (request: Request) => MaybePromise<Response | undefined>

/** The third parameter of Connect middleware. */
export interface Next {
  /** Goes on: with an error, to the error hooks; with `'route'`, as without; with `'router'`, out of RouteControllers. */
  (error?: unknown): void
  /** The form of the specification: goes on with the request and the response of this very chain. */
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

/** Makes classes with more members of those that a server would otherwise use. */
export type ExtendClasses = (classes: NodeClasses) => NodeClasses

/** A Connect-style function as `app.use` takes it; without `next` it answers 404 and 500 itself. */
export type ConnectHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/** Where log lines go; `console`, pino and winston fit as they are. */
export interface Logger {
  /** Takes a line about the server, such as its start. */
  info(message: string): void
  /** Takes a line about what is probably a mistake. */
  warn(message: string): void
  /** Takes a line about a failure. */
  error(message: string): void
}

/** What `checkRoute` finds: whether a controller answers, with which params, under which `METHOD:pattern`. */
export interface RouteCheckResult {
  exists: boolean
  params: Record<string, string>
  key: string
}
