import type { EventEmitter } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { PathParams } from '../../routing/params.js'

/* eslint-disable @typescript-eslint/no-explicit-any --
 * Handlers move here unchanged. What they do with a body, with locals and with settings compiles as it does with `@types/express`,
 * which has `any` there too; and a function that takes `express.Request` takes our request.
 */

declare global {
  // Packages declare here what they add to `req` and `res` (session, user, file, …).
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    /* eslint-disable @typescript-eslint/no-empty-object-type */
    interface Request {}
    interface Response {}
    interface Locals {}
    interface Application {}
    /* eslint-enable @typescript-eslint/no-empty-object-type */
  }
}

type AppMethod =
  | 'all'
  | 'checkout'
  | 'connect'
  | 'copy'
  | 'defaultConfiguration'
  | 'delete'
  | 'head'
  | 'init'
  | 'link'
  | 'listen'
  | 'lock'
  | 'm-search'
  | 'merge'
  | 'mkactivity'
  | 'mkcol'
  | 'move'
  | 'notify'
  | 'options'
  | 'param'
  | 'patch'
  | 'post'
  | 'propfind'
  | 'proppatch'
  | 'purge'
  | 'put'
  | 'report'
  | 'route'
  | 'search'
  | 'subscribe'
  | 'trace'
  | 'unlink'
  | 'unlock'
  | 'unsubscribe'
  | 'use'

/** The app's other members, so that it is one for functions that take an `express.Application`. */
type AppMembers = { [Name in AppMethod]: (...parameters: any[]) => any } & {
  [Name in '_router' | 'map' | 'resource' | 'router' | 'routes' | 'stack']: any
}

/** The type of `req.app` and `res.app`: the members of an Express app that handlers use. */
export interface Application extends EventEmitter, AppMembers, Express.Application {
  (req: any, res: any, next?: any): any
  query?: any
  readonly settings: Record<string, any>
  readonly locals: Record<string, any> & Express.Locals
  readonly mountpath: string | string[]
  get(setting: string): any
  get(...route: any[]): any
  set(setting: string, value: unknown): this
  enabled(setting: string): boolean
  disabled(setting: string): boolean
  enable(setting: string): this
  disable(setting: string): this
  path(): string
  engine(extension: string, engine: ViewEngine): this
  render(view: string, callback: (error: Error, html: string) => void): void
  render(view: string, options?: object, callback?: (error: Error, html: string) => void): void
  on: (event: any, listener: (...parameters: any[]) => void) => this
}

/** Gets the text of a rendered view. */
export type RenderCallback = (error: unknown, html?: string) => void

/** Renders the view in a file: `(path, options, callback)`, as the function `__express` of most engines. */
export type ViewEngine = (path: string, options: object, callback: RenderCallback) => void

/** What a query is parsed to: strings, and with the extended parser lists and objects of them. */
export interface ExpressQuery {
  [name: string]: string | ExpressQuery | (string | ExpressQuery)[] | undefined
}

/** What `@types/express` declares of a request, without which ours would be none for a function that takes an `express.Request`. */
interface DeclaredOfRequests {
  /** @deprecated No version has it. */
  accepted: { value: string; quality: number; type: string; subtype: string }[]
  /** @deprecated Express 5 does not have it: read `req.params`, `req.body` or `req.query`. */
  param(name: string, defaultValue?: any): string
}

interface DeclaredOfResponses {
  /** @deprecated No version has it. */
  charset: string
  /** @deprecated Express 5 does not have it: `res.sendFile`. */
  sendfile(path: string, ...optionsOrCallback: any[]): void
}

/** Byte ranges that a client asks for, with their unit; both ends are included. */
interface Ranges extends Array<{ start: number; end: number }> {
  type: string
}

/** The signatures of `req.accepts` and similar methods: all that is acceptable, or which of these the client prefers. */
interface Acceptance {
  (): string[]
  (offered: readonly string[]): string | false
  (...offered: string[]): string | false
}

/**
 * Node's request with the members that Express adds.
 *
 * What packages declare in the namespace `Express` (`session`, `user`, `file`) is there too, without `@types/express`.
 */
export interface ExpressRequest<
  Params = Record<string, string>,
  Body = any,
  Query = ExpressQuery,
  ResBody = any,
  Locals extends object = Record<string, any>,
>
  extends IncomingMessage, Express.Request, DeclaredOfRequests {
  readonly app: Application
  /** The response to this request. */
  res: ExpressResponse<ResBody, Locals>
  /** Goes on behind the route. */
  next: NextFunction
  method: string
  /** Path and query, without the path that the host has mounted us at. */
  url: string
  /** Path and query as they were sent. */
  originalUrl: string
  /** The path that a router is mounted at; `''` for none. */
  baseUrl: string
  /** The values of the path's params, decoded. Under the profile of Express 5 a wildcard has a list: declare it. */
  params: Params
  query: Query
  /** What a middleware has parsed the body to; undefined, or with parsers of Express 4 `{}`, when there is none. */
  body: Body
  /** Set by `cookie-parser`. */
  cookies: Record<string, any>
  /** Set by `cookie-parser`. False stands for a cookie whose signature is wrong. */
  signedCookies: Record<string, any>
  /** The route that has matched. */
  route: { path: string | RegExp | (string | RegExp)[] } & Record<string, any>
  readonly path: string
  /** The Host, without its port in Express 4; that of X-Forwarded-Host behind a trusted proxy. */
  readonly host: string
  /** The Host without its port. */
  readonly hostname: string
  /** The client's address; behind trusted proxies the one that they report. */
  readonly ip: string | undefined
  /** The addresses in X-Forwarded-For, from the client's on, as far as its proxies are trusted. */
  readonly ips: string[]
  readonly protocol: string
  /** True for https. */
  readonly secure: boolean
  /** The labels of the host before its domain, from the nearest on. */
  readonly subdomains: string[]
  /** True when the client's copy is still valid, by the ETag and Last-Modified that are set on the response now. */
  readonly fresh: boolean
  readonly stale: boolean
  /** True for a request whose X-Requested-With says that a script has sent it. */
  readonly xhr: boolean
  /** One header by its name in any case; `Referer` and `Referrer` are the same. */
  get(name: 'set-cookie'): string[] | undefined
  get(name: string): string | undefined
  header(name: 'set-cookie'): string[] | undefined
  header(name: string): string | undefined
  accepts: Acceptance
  acceptsCharsets: Acceptance
  acceptsEncodings: Acceptance
  acceptsLanguages: Acceptance
  /** The type of the body among these; false for none of them, null without a body. */
  is(types: readonly string[]): string | false | null
  is(...types: string[]): string | false | null
  /** The requested ranges of `size` bytes: -1 when there are none such, -2 for what cannot be read. */
  range(size: number, options?: { combine?: boolean }): Ranges | -1 | -2 | undefined
}

// Options may be undefined too, as in `@types/express`, for those who set `exactOptionalPropertyTypes`.

/** Options of `res.cookie`. */
export interface CookieOptions {
  domain?: string | undefined
  encode?: ((value: string) => string) | undefined
  expires?: Date | undefined
  httpOnly?: boolean | undefined
  /** Milliseconds. */
  maxAge?: number | undefined
  partitioned?: boolean | undefined
  /** Default `/`. */
  path?: string | undefined
  priority?: 'low' | 'medium' | 'high' | undefined
  sameSite?: boolean | 'lax' | 'strict' | 'none' | undefined
  secure?: boolean | undefined
  /** Signs the value with the secret of `cookie-parser`. */
  signed?: boolean | undefined
}

/** Options of `res.sendFile` and `res.download`. */
export interface SendFileOptions {
  acceptRanges?: boolean | undefined
  cacheControl?: boolean | undefined
  dotfiles?: 'allow' | 'deny' | 'ignore' | undefined
  etag?: boolean | undefined
  headers?: OutgoingHttpHeaders | Record<string, unknown> | undefined
  immutable?: boolean | undefined
  lastModified?: boolean | undefined
  /** Milliseconds, or a text such as `'1 day'`. */
  maxAge?: number | string | undefined
  /** The folder that relative paths start from and cannot leave. */
  root?: string | undefined
}

type HeaderValue = string | number | readonly string[]
// Of any type: that of Express 4 always gets an error, that of Express 5 may get none.
type FileCallback = (error?: any) => void

/** Node's response with the members that Express adds. */
export interface ExpressResponse<Body = any, Locals extends object = Record<string, any>>
  extends ServerResponse, Express.Response, DeclaredOfResponses {
  readonly app: Application
  readonly req: ExpressRequest
  /** Variables for the views of this response, and values that middleware shares. */
  locals: Locals & Express.Locals
  status(code: number): this
  /** Sends the status with its name as the body. */
  sendStatus(code: number): this
  /** Sends text as HTML, bytes as they are, anything else as JSON. */
  send(body?: Body): this
  json(body?: Body): this
  jsonp(body?: Body): this
  redirect(url: string): void
  redirect(status: number, url: string): void
  location(url: string): this
  set(name: string, value?: HeaderValue): this
  set(headers: Readonly<Record<string, HeaderValue>>): this
  header(name: string, value?: HeaderValue): this
  header(headers: Readonly<Record<string, HeaderValue>>): this
  /** One header as it is set now. What was set as a list comes as one. */
  get(name: string): string | undefined
  append(name: string, value?: string | readonly string[]): this
  /** Sets Content-Type by an extension or a type. */
  type(type: string): this
  contentType(type: string): this
  vary(name: string | readonly string[]): this
  links(links: Readonly<Record<string, string | readonly string[]>>): this
  cookie(name: string, value: unknown, options?: CookieOptions): this
  clearCookie(name: string, options?: CookieOptions): this
  attachment(filename?: string): this
  sendFile(path: string, callback?: FileCallback): void
  sendFile(path: string, options: SendFileOptions, callback?: FileCallback): void
  download(path: string, callback?: FileCallback): void
  download(path: string, filename: string, callback?: FileCallback): void
  download(path: string, filename: string, options: SendFileOptions, callback?: FileCallback): void
  /** Answers by the type that the client prefers; 406 when there is none of these. */
  format(
    byType: Readonly<
      Record<string, (req: ExpressRequest, res: ExpressResponse, next: NextFunction) => unknown>
    >,
  ): this
  /** Renders a view and sends it, or gives it to `callback`. */
  render(view: string, callback: (error: Error, html: string) => void): void
  render(view: string, options?: object, callback?: (error: Error, html: string) => void): void
}

/** The third parameter of an Express handler. */
export interface NextFunction {
  (error?: unknown): void
  (skip: 'route' | 'router'): void
}

// Compared bivariantly: a handler may be declared with narrower params, body or query than are promised here.
type Bivariant<F extends (...parameters: never[]) => unknown> = {
  bivariant(...parameters: Parameters<F>): ReturnType<F>
}['bivariant']

/** An Express handler: `(req, res, next)`. Its parameters are those of `express.RequestHandler`. */
export type Handler<
  Params = Record<string, string>,
  ResBody = any,
  ReqBody = any,
  Query = ExpressQuery,
  Locals extends object = Record<string, any>,
> = Bivariant<
  (
    req: ExpressRequest<Params, ReqBody, Query, ResBody, Locals>,
    res: ExpressResponse<ResBody, Locals>,
    next: NextFunction,
  ) => unknown
>

/** An Express error handler, told apart by its four parameters: `(err, req, res, next)`. */
export type ErrorHandler<
  Params = Record<string, string>,
  ResBody = any,
  ReqBody = any,
  Query = ExpressQuery,
  Locals extends object = Record<string, any>,
> = Bivariant<
  (
    error: any,
    req: ExpressRequest<Params, ReqBody, Query, ResBody, Locals>,
    res: ExpressResponse<ResBody, Locals>,
    next: NextFunction,
  ) => unknown
>

/** A handler or an error handler with other types: those of `@types/express`, or those of Connect middleware. */
interface ForeignHandler {
  readonly length: number
  bind(self: undefined): unknown
}

/** What `app.get(path, …handlers)` takes: a handler, an error handler, or an array of them, nested at will. */
export type Handlers<
  Params = Record<string, string>,
  ResBody = any,
  ReqBody = any,
  Query = ExpressQuery,
  Locals extends object = Record<string, any>,
> =
  | Handler<Params, ResBody, ReqBody, Query, Locals>
  | ForeignHandler
  | readonly Handlers<Params, ResBody, ReqBody, Query, Locals>[]

// Characters that mean something to one of Express's path grammars, and what ends a name in it.
type Grammar = ':' | '*' | '(' | ')' | '{' | '}' | '[' | ']' | '?' | '+' | '!' | '"' | '\\'
type AfterName = Grammar | '-' | '.' | '~' | '@'

/** The path, where its params are known by our grammar too; `string` where only a profile can read it. */
export type KnownPath<Path extends string> = IsPlain<Path> extends true ? Path : string

type IsPlain<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? IsPlainSegment<Segment> extends true
    ? IsPlain<Rest>
    : false
  : IsPlainSegment<Path>

type IsPlainSegment<Segment extends string> = Segment extends `:${infer Name}`
  ? Name extends `${string}${AfterName}${string}`
    ? false
    : true
  : Segment extends `${string}${Grammar}${string}`
    ? false
    : true

/** The params of a path of plain segments and `:name`s; of any other, which a profile reads, whatever is asked for. */
export type ExpressParams<Path extends string> =
  IsPlain<Path> extends true ? PathParams<Path> : Record<string, string>
