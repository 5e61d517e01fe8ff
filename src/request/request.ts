import type { IncomingHttpHeaders } from 'node:http'
import type { Platform } from './platform.js'
import type { MatchedRoute } from './matched-route.js'
import type { PathParams } from '../routing/params.js'
import type { InputSchemas, SchemaInput, SchemaOutput } from '../ground/standard-schema.js'

declare global {
  // What @types/express, @types/passport, @types/multer and the like add their members to; empty without any of them.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface Request {}
  }
}

/** Names and values of a query; a repeated name has an array, and a name that was not sent is undefined. It has no prototype. */
export type Query = Record<string, string | string[] | undefined>

/** Names and values of cookies; the first value of a repeated name. It has no prototype. */
export type Cookies = Readonly<Record<string, string | undefined>>

/**
 * The members of a request that a callback reads, the same in every way of serving.
 *
 * It is not an interface. A type without an index signature fits one with an index signature only where no part of it is an
 * interface. So a `Middleware` of undeclared additions fits a Controller of declared ones.
 */
export type RequestMembers<Params, Input extends InputSchemas = {}> = {
  /** The method as it was sent. */
  method: string
  /** Path and query, as in Node and Express: without the mount path of the host. */
  url: string
  /** Path and query as they were sent. */
  originalUrl: string
  /** The headers of the request, by their names in lower case, as in Node. */
  headers: Checked<Input, 'headers', IncomingHttpHeaders>
  /** The values of the pattern's `:name` and `*name` segments, percent-decoded once. */
  params: Validated<Input, 'params', Params>
  /** The query: a name that is sent twice has an array. */
  query: Validated<Input, 'query', Query>
  /**
   * The route that has matched, the same object for all its requests. In `onNotFound` it is undefined, and in `onError` when no route
   * has matched.
   */
  readonly route: MatchedRoute
  /** The cookies of the request, percent-decoded, without a prototype. Where a cookie parser has set them before, its value. */
  readonly cookies: Checked<Input, 'cookies', Cookies>
  /** The parsed body: JSON, form fields or text; undefined when there is none or it is of another type. */
  body: Validated<Input, 'body', unknown>
  /** The bytes that `body` was parsed from. */
  rawBody: Uint8Array | undefined
  /** The client's address in canonical form; behind proxies only with `trustProxy`. Undefined where it is not known. */
  realIp: string | undefined
  /** What a runtime has told about the request by `getCallback()(request, platform({ … }))`; undefined on a server of Node. */
  readonly platform: Platform | undefined
  /** True for a copy of a request that `migration()` makes to compare answers. The answer to it is not sent. */
  readonly isShadow?: boolean
  /** Aborts when the client disconnects before the answer is complete. */
  readonly signal: AbortSignal
  /** One header by its name in any case; `Referer` and `Referrer` are the same. */
  get(name: string): string | undefined
  /** The body as text. Rejects with 413 over the limit. */
  text(): Promise<string>
  /** The body as JSON. Rejects with 415 for another type, 400 for malformed, 413 over the limit. */
  json<T = unknown>(): Promise<T>
  /** A multipart or urlencoded body. Rejects with 415, 400 and 413 as `json`. */
  formData(): Promise<FormData>
  /** The body as bytes. Rejects with 413 as `json`. */
  arrayBuffer(): Promise<ArrayBuffer>
  /** The body as it arrives, for types that are not parsed and for `body: 'stream'`. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>
}

/** What the schema of a part of the request returns; without a schema, the part as it is. */
type Validated<Input, Part extends keyof InputSchemas, Plain> =
  Input extends Record<Part, infer Schema> ? SchemaOutput<Schema> : Plain

/** A part of the request that is checked and left as it is. */
type Checked<Input, Part extends keyof InputSchemas, Plain> =
  Input extends Record<Part, infer Schema>
    ? unknown extends SchemaInput<Schema>
      ? Plain
      : Omit<Plain, keyof SchemaInput<Schema>> & SchemaInput<Schema>
    : Plain

/**
 * The request that a callback of the path `Path` gets. `Extra` is what middleware adds to it, and replaces what packages declare
 * for `Express.Request`. `Input` are the schemas of the route.
 */
export type RouteRequest<
  Path extends string = string,
  Extra extends object = {},
  Input extends InputSchemas = {},
> = RequestWith<PathParams<Path>, Extra, Input>

/** The same, where the params are known by their types. */
export type RequestWith<Params, Extra extends object = {}, Input extends InputSchemas = {}> = RequestMembers<
  Params,
  Input
> &
  Augmented<Extra> &
  Declared<Extra>

/** What packages such as @types/passport say that a request has. */
type Augmented<Extra> = Declared<Omit<Express.Request, keyof RequestMembers<unknown> | keyof Extra>>

/** The same members, as no interface even where the declaration is one; see RequestMembers. */
type Declared<Extra> = { [Name in keyof Extra]: Extra[Name] }
