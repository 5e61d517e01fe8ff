import type { IncomingMessage, ServerResponse } from 'node:http'

/** What Express adds to Node's request. */
export interface ExpressRequest extends IncomingMessage {
  params: Record<string, string>
  query: Record<string, unknown>
  body: unknown
}

/** What Express adds to Node's response. */
export interface ExpressResponse extends ServerResponse {
  status(code: number): this
  json(body?: unknown): this
  send(body?: unknown): this
}

/** The third parameter of an Express handler. */
export interface NextFunction {
  (error?: unknown): void
  (skip: 'route' | 'router'): void
}

// Compared bivariantly: a handler that is typed with @types/express asks for more than these interfaces promise.
type Bivariant<F extends (...parameters: never[]) => unknown> = {
  bivariant(...parameters: Parameters<F>): ReturnType<F>
}['bivariant']

/** An Express handler: `(req, res, next)`. */
export type Handler = Bivariant<(req: ExpressRequest, res: ExpressResponse, next: NextFunction) => unknown>

/** An Express error handler, told apart by its four parameters: `(err, req, res, next)`. */
export type ErrorHandler = Bivariant<
  (error: unknown, req: ExpressRequest, res: ExpressResponse, next: NextFunction) => unknown
>

/** What `app.get(path, …handlers)` takes: a handler, an error handler, or an array of them, nested at will. */
export type Handlers = Handler | ErrorHandler | readonly Handlers[]
