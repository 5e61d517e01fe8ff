// What an app would make of an answer that is not its own. Express's own code says so, run on objects that stand in for a request and a response.
import { Buffer } from 'node:buffer'
import type { Exchange } from '../../request/exchange.js'
import { isLight, LightResponse, partsOf } from '../../answer/light-response.js'
import type { App } from '../model/router.js'
import { isBytes } from '../../ground/bytes.js'

interface StandIn {
  statusCode: number
  send(body: string | Buffer): unknown
}

/**
 * The answer as `res.send` of an app sends it: with the charset of a text, the ETag of the app's setting, or as 304.
 *
 * What Express pipes or ends stays as it is: a stream, a Response of the program, and an answer without a body. Throws what a function for
 * the setting `etag` throws.
 */
export function sentByApp(
  app: App,
  answer: LightResponse | Response,
  exchange: Exchange,
): LightResponse | Response {
  if (!isLight(answer)) return answer
  const { status, statusText, headers: given, payload } = partsOf(answer)
  if (typeof payload !== 'string' && !isBytes(payload)) return answer
  const { method, incoming, outgoing } = exchange
  const headers = [...given]
  let body: string | Uint8Array | null = payload
  const find = (name: string): number =>
    headers.findIndex((one, at) => at % 2 === 0 && one.toLowerCase() === name.toLowerCase())
  const getHeader = (name: string): unknown => {
    const at = find(name)
    return at < 0 ? outgoing?.getHeader(name) : headers[at + 1]
  }
  const removeHeader = (name: string): void => {
    for (let at = find(name); at >= 0; at = find(name)) headers.splice(at, 2)
    // A hook has set it.
    outgoing?.removeHeader(name)
  }
  const request = standIn(app.request, {
    app,
    method,
    headers:
      incoming?.headers ??
      Object.fromEntries(validators.map((name) => [name, exchange.header(name)] as const)),
  })
  const response = standIn(app.response, {
    app,
    req: request,
    statusCode: status,
    getHeader,
    removeHeader,
    hasHeader: (name: string) => getHeader(name) !== undefined,
    setHeader(name: string, value: unknown) {
      const at = find(name)
      if (at < 0) headers.push(name, String(value))
      else headers[at + 1] = String(value)
      return response
    },
    end(chunk?: string | Buffer) {
      body = chunk === undefined || chunk === '' ? null : chunk
      return response
    },
  }) as StandIn
  Object.defineProperty(request, 'res', { value: response })
  response.send(typeof payload === 'string' ? payload : Buffer.from(payload))
  return new LightResponse(response.statusCode, headers, body, statusText)
}

/** What Express reads of a request to tell whether its client has the answer already. */
const validators = ['if-none-match', 'if-modified-since', 'cache-control'] as const

/** An object with the members of an app, and own ones in place of Node's. */
function standIn(prototype: object, own: Readonly<Record<string, unknown>>): object {
  const properties = Object.entries(own).map(
    ([name, value]) => [name, { value, writable: true, enumerable: true, configurable: true }] as const,
  )
  return Object.create(prototype, Object.fromEntries(properties)) as object
}
