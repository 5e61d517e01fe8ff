import { builtin } from '../ground/builtin.js'
import { RouteControllersError } from '../ground/errors.js'
import type { PlatformFetchHandler } from '../ground/types.js'
import { peerPlatform } from '../request/runtime-platform.js'
import { fetchHandlerOf, type Served } from './served.js'

export type { Served } from './served.js'

/** An event of an HTTP API (format 2.0) or of a function URL: the fields that `toLambda` reads. */
export interface LambdaEventV2 {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly cookies?: readonly string[]
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: {
    readonly domainName?: string
    readonly http: { readonly method: string; readonly sourceIp?: string }
  }
}

/** An event of a REST API, or of an HTTP API with format 1.0: the fields that `toLambda` reads. */
export interface LambdaEventV1 {
  readonly httpMethod: string
  readonly path: string
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[] | undefined>> | null
  /** Read where there are no `multiValueQueryStringParameters`, as in an event that was written by hand. */
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null
  /** Read where there are no `multiValueHeaders`. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  readonly body: string | null
  readonly isBase64Encoded: boolean
  readonly requestContext: { readonly domainName?: string; readonly identity: { readonly sourceIp?: string } }
}

/** The events that `toLambda` takes. */
export type LambdaEvent = LambdaEventV1 | LambdaEventV2

/** What API Gateway and function URLs take as an answer. Format 1.0 has `multiValueHeaders`, format 2.0 `headers` and `cookies`. */
export interface LambdaResult {
  statusCode: number
  headers?: Record<string, string>
  cookies?: string[]
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: boolean
}

/** The function that Lambda calls. */
export type LambdaHandler = (event: LambdaEvent, context?: unknown) => Promise<LambdaResult>

/**
 * Serves RouteControllers on AWS Lambda: `export const handler = toLambda(routeControllers)`, behind API Gateway or a function URL.
 *
 * Without `trustProxy`, `req.realIp` is the `sourceIp` of the event. `req.platform.raw` is `{ event, context }`. A body that is UTF-8 is given as text, any
 * other in base64: a REST API needs a binary media type for it. Throws ERR_OPTION_INVALID for anything but a RouteControllers. The handler rejects
 * with ERR_RUNTIME_UNSUPPORTED for an event of another source, as that of a load balancer. It rejects with the error of a stream that fails.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { toLambda } from 'routecontrollers/lambda'
 *
 * const hello = new Controller('GET', '/hello/:name', (req) => `Hello ${req.params.name}`)
 * export const handler = toLambda(new RouteControllers([hello]))
 *
 * const answer = await handler({
 *   rawPath: '/hello/Ada',
 *   rawQueryString: '',
 *   headers: {},
 *   requestContext: { http: { method: 'GET' } },
 *   isBase64Encoded: false,
 * })
 * console.log(answer.body) // Hello Ada
 * ```
 */
export function toLambda(routeControllers: Served): LambdaHandler {
  const fetchHandler = fetchHandlerOf('toLambda', routeControllers)
  return async (event, context) => {
    const answer = await answerTo(event, context, fetchHandler)
    return {
      statusCode: answer.status,
      ...(isV2(event) ? fieldsOf(answer.headers) : fieldListsOf(answer.headers)),
      ...textOf(await answer.arrayBuffer()),
    }
  }
}

/** What Lambda gives to a function that streams: a Writable of Node. */
type ResponseStream = NodeJS.WritableStream

/** The global `awslambda` of Lambda's own runtime. */
interface LambdaRuntime {
  streamifyResponse<Handler>(handler: Handler): Handler
  HttpResponseStream: { from(stream: ResponseStream, head: object): ResponseStream }
}

/** The function that Lambda calls where answers are streamed. */
export type LambdaStreamHandler = (
  event: LambdaEventV2,
  stream: ResponseStream,
  context?: unknown,
) => Promise<void>

/**
 * Serves RouteControllers by a function URL with the invoke mode `RESPONSE_STREAM`: it sends each piece of an answer when it is written.
 *
 * Throws ERR_OPTION_INVALID for anything but a RouteControllers, and ERR_RUNTIME_UNSUPPORTED where there is no `awslambda`, which Lambda's own runtime for Node
 * sets.
 */
export function toLambdaStream(routeControllers: Served): LambdaStreamHandler {
  const fetchHandler = fetchHandlerOf('toLambdaStream', routeControllers)
  const { awslambda } = globalThis as { awslambda?: LambdaRuntime }
  if (awslambda === undefined) {
    throw new RouteControllersError(
      'ERR_RUNTIME_UNSUPPORTED',
      'toLambdaStream needs the global awslambda of AWS Lambda; use toLambda elsewhere',
    )
  }
  const { pipeline } = builtin('node:stream', 'toLambdaStream').promises
  return awslambda.streamifyResponse<LambdaStreamHandler>(async (event, stream, context) => {
    const { status, headers, body } = await answerTo(event, context, fetchHandler)
    const out = awslambda.HttpResponseStream.from(stream, { statusCode: status, ...fieldsOf(headers) })
    // Lambda sends the head with the first piece, also where that is empty.
    out.write('')
    if (body === null) out.end()
    else await pipeline(body as unknown as AsyncIterable<Uint8Array>, out)
  })
}

async function answerTo(
  event: LambdaEvent,
  context: unknown,
  fetchHandler: PlatformFetchHandler,
): Promise<Response> {
  if (!isKnown(event)) {
    throw new RouteControllersError(
      'ERR_RUNTIME_UNSUPPORTED',
      'toLambda and toLambdaStream take events of API Gateway and of function URLs; this event has neither requestContext.http nor requestContext.identity: call the function through one of these',
    )
  }
  const { requestContext } = event
  const peer = 'http' in requestContext ? requestContext.http.sourceIp : requestContext.identity.sourceIp
  let request: Request
  try {
    request = requestOf(event)
  } catch {
    // A method, a path or a header that a Request cannot have.
    return new Response('Bad Request', { status: 400 })
  }
  return fetchHandler(
    request,
    peerPlatform({ event, context }, undefined, () => peer),
  )
}

/** An event of a load balancer has `httpMethod` too, and other rules for its query and its headers. */
function isKnown(event: Partial<LambdaEvent> | null | undefined): boolean {
  const { http, identity } = (event?.requestContext ?? {}) as { http?: unknown; identity?: unknown }
  return [http, identity].some((one) => typeof one === 'object' && one !== null)
}

function isV2(event: LambdaEvent): event is LambdaEventV2 {
  return 'http' in event.requestContext
}

/** API Gateway may decode a path. In a URL these characters would end it, separate its segments, or be left out, as a tab and a last blank are. */
const lostInUrl = /[\0- ?#\\]/g
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i

function requestOf(event: LambdaEvent): Request {
  const [method, path, search] = isV2(event)
    ? [event.requestContext.http.method, event.rawPath, event.rawQueryString]
    : [
        event.httpMethod,
        event.path,
        searchOf(event.multiValueQueryStringParameters ?? event.queryStringParameters),
      ]
  // A URL takes the beginning of such a path for its host, and resolves dots. The router would then see another path than the authorizer of API Gateway.
  if (!path.startsWith('/') || dotSegment.test(path)) throw new TypeError('no path of a Request')
  // Not the Host field, which a client sets. It is among the headers.
  const origin = `https://${event.requestContext.domainName || 'localhost'}`
  const hasBody = event.body && method !== 'GET' && method !== 'HEAD'
  return new Request(`${origin}${path.replace(lostInUrl, encodeURIComponent)}${search ? `?${search}` : ''}`, {
    method,
    headers: headersOf(event),
    body: hasBody ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') : null,
  })
}

/** The query of format 1.0, which has been decoded. */
function searchOf(parameters: Fields | null = {}): string {
  const pairs = valuesOf(parameters).map((pair) => pair.map(encodeURIComponent).join('='))
  return pairs.join('&')
}

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** Each name with each of its values. */
function valuesOf(fields: Fields | null): [name: string, value: string][] {
  return Object.entries(fields ?? {}).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
}

function headersOf(event: LambdaEvent): Headers {
  const headers = new Headers()
  const fields = isV2(event) ? event.headers : (event.multiValueHeaders ?? event.headers ?? null)
  for (const [name, value] of valuesOf(fields)) headers.append(name, value)
  if (isV2(event) && event.cookies?.length) headers.set('cookie', event.cookies.join('; '))
  return headers
}

function fieldsOf(headers: Headers): { headers: Record<string, string>; cookies: string[] } {
  const fields = [...headers].filter(([name]) => name !== 'set-cookie')
  return { headers: Object.fromEntries(fields), cookies: headers.getSetCookie() }
}

function fieldListsOf(headers: Headers): { multiValueHeaders: Record<string, string[]> } {
  const { headers: fields, cookies } = fieldsOf(headers)
  const lists = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]))
  return { multiValueHeaders: { ...lists, ...(cookies.length > 0 && { 'set-cookie': cookies }) } }
}

/** Bytes that are UTF-8 are the same bytes as text. Base64 is larger, and a REST API decodes it only where it is told to. */
function textOf(bytes: ArrayBuffer): { body: string; isBase64Encoded: boolean } {
  try {
    return {
      body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      isBase64Encoded: false,
    }
  } catch {
    return { body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true }
  }
}
