// Plays API Gateway and function URLs in front of a function of AWS Lambda.
import { buffer } from 'node:stream/consumers'

/** A listener of node:http that gives `handler` each request as an event, in the format 2.0 or 1.0, or with a stream for the answer. */
export function playLambda(handler, format) {
  return async (req, res) => {
    const body = await buffer(req)
    const event = format === '1.0' ? eventV1(req, body) : eventV2(req, body)
    if (format === 'streams') return handler(event, res, {}).catch(() => res.destroy())
    try {
      const {
        statusCode,
        headers,
        cookies,
        multiValueHeaders,
        body: text,
        isBase64Encoded,
      } = await handler(event, {})
      const bytes = Buffer.from(text ?? '', isBase64Encoded ? 'base64' : 'utf8')
      res.writeHead(statusCode, {
        ...headers,
        ...multiValueHeaders,
        ...(cookies?.length > 0 && { 'Set-Cookie': cookies }),
      })
      res.end(bytes)
    } catch {
      res.writeHead(502).end('{"message":"Internal server error"}')
    }
  }
}

export async function toServerless(listener) {
  const { default: serverless } = await import('serverless-http')
  return serverless(listener)
}

const bodyOf = (bytes) => {
  if (bytes.length === 0) return { isBase64Encoded: false }
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes)
    ? { body: text, isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true }
}

const targetOf = ({ url }) => {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

function eventV2(req, bytes) {
  const [rawPath, rawQueryString] = targetOf(req)
  const { cookie, ...headers } = req.headers
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers,
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    requestContext: {
      domainName: req.headers.host,
      http: { method: req.method, path: rawPath, sourceIp: req.socket.remoteAddress },
    },
    ...bodyOf(bytes),
  }
}

function eventV1(req, bytes) {
  const [path, query] = targetOf(req)
  const parameters = {}
  for (const [name, value] of new URLSearchParams(query)) (parameters[name] ??= []).push(value)
  const fields = Object.entries(req.headers).map(([name, value]) => [name, [value].flat()])
  return {
    httpMethod: req.method,
    path,
    multiValueQueryStringParameters: query === '' ? null : parameters,
    multiValueHeaders: Object.fromEntries(fields),
    requestContext: { domainName: req.headers.host, identity: { sourceIp: req.socket.remoteAddress } },
    body: null,
    ...bodyOf(bytes),
  }
}
