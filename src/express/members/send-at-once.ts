import { Buffer } from 'node:buffer'
import { ServerResponse } from 'node:http'
import { type EtagFunction, strongEtag, weakEtag } from './etag.js'
import type { ExpressRequest, ExpressResponse } from '../handler.js'

// Node's own, to be compared with: what a middleware has patched is another.
const { end, getHeader, setHeader, write, writeHead } = ServerResponse.prototype as unknown as Record<
  string,
  unknown
>

/**
 * Sends a text of a whole Content-Type as `send` does, without asking what need not be asked; false, with nothing done, when
 * there may be more to the answer: a header of the body that was set, a middleware that has patched the response, a condition
 * in the request, a status without a body.
 */
export function sendAtOnce(response: ExpressResponse, type: string, text: string): boolean {
  const request = response.req as ExpressRequest
  if (!isUntouched(response) || !carriesText(response.statusCode) || isConditional(request)) return false
  const makeEtag = response.app.get('etag fn') as EtagFunction | undefined
  if (makeEtag !== undefined && makeEtag !== weakEtag && makeEtag !== strongEtag) return false
  // Not by a flat array of writeHead, which saves little and leaves nothing for getHeader, which loggers read when all is sent.
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', String(Buffer.byteLength(text)))
  if (makeEtag !== undefined) response.setHeader('ETag', makeEtag(text)!)
  if (request.method === 'HEAD') response.end()
  else response.end(hasAsciiHead(response) ? text : Buffer.from(text), 'utf8')
  return true
}

function isUntouched(response: ExpressResponse): boolean {
  return (
    !response.headersSent &&
    response.getHeader === getHeader &&
    response.setHeader === setHeader &&
    response.writeHead === writeHead &&
    response.write === write &&
    response.end === end &&
    !bodyHeaders.some((name) => response.hasHeader(name))
  )
}

const bodyHeaders = ['content-type', 'content-length', 'etag', 'transfer-encoding']

function carriesText(status: number): boolean {
  return (
    (status >= 200 && status < 300 && status !== 204 && status !== 205) || (status >= 400 && status < 600)
  )
}

function isConditional({ headers }: ExpressRequest): boolean {
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
}

// Node writes a head and a text in one piece, in UTF-8, in which a character of Latin-1 in the head becomes two.
function hasAsciiHead(response: ExpressResponse): boolean {
  if (response.statusMessage && !isAscii(response.statusMessage)) return false
  for (const name of response.getHeaderNames()) if (!isAscii(response.getHeader(name))) return false
  return true
}

function isAscii(value: unknown): boolean {
  return !/[^\x20-\x7e]/.test(String(value))
}
