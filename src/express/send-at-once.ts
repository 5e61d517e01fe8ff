import { Buffer } from 'node:buffer'
import { ServerResponse } from 'node:http'
import { type EtagFunction, strongEtag, weakEtag } from './etag.js'
import type { ExpressRequest, ExpressResponse } from './handler.js'

// Node's own, to be compared with: what a middleware has patched is another.
const { end, getHeader, setHeader, write, writeHead } = ServerResponse.prototype as unknown as Record<
  string,
  unknown
>

/**
 * Sends a text in one piece, with one `writeHead` and one `end`; false when there may be more to the answer: a header that was
 * set, a middleware that has patched the response or waits for its end, a condition in the request, a status without a body.
 */
export function sendAtOnce(response: ExpressResponse, type: string, text: string): boolean {
  if (!isUntouched(response) || !carriesText(response.statusCode)) return false
  const request = response.req as ExpressRequest
  if (isConditional(request)) return false
  const makeEtag = response.app.get('etag fn') as EtagFunction | undefined
  if (makeEtag !== undefined && makeEtag !== weakEtag && makeEtag !== strongEtag) return false
  const headers = ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(text))]
  if (makeEtag !== undefined) headers.push('ETag', makeEtag(text)!)
  response.writeHead(response.statusCode, headers)
  if (request.method === 'HEAD') response.end()
  else response.end(text, 'utf8')
  return true
}

function isUntouched(response: ExpressResponse): boolean {
  return (
    response.writeHead === writeHead &&
    response.end === end &&
    response.write === write &&
    response.setHeader === setHeader &&
    response.getHeader === getHeader &&
    !response.headersSent &&
    // One that is not ASCII would make Node write head and text in two encodings.
    !response.statusMessage &&
    // The server's own listener, and whoever reads the headers when they have been sent.
    response.listenerCount('finish') <= 1 &&
    response.listenerCount('close') === 0 &&
    response.getHeaderNames().length === 0
  )
}

function carriesText(status: number): boolean {
  return (
    (status >= 200 && status < 300 && status !== 204 && status !== 205) || (status >= 400 && status < 600)
  )
}

function isConditional({ headers }: ExpressRequest): boolean {
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
}
