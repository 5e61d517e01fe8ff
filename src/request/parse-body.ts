import type { Exchange } from './exchange.js'
import type { RouteRequest } from './request.js'

/**
 * Parses a body by its type and sets the result on `req`; undefined where there is nothing to wait for.
 *
 * Types without a parser stay a stream. So does a body that a middleware upstream has read: `req.body` is what that middleware
 * has set.
 */
export function parseBody(exchange: Exchange, req: RouteRequest): Promise<void> | undefined {
  if (exchange.bodyConsumed) return undefined
  const { body, timer } = exchange
  body.checkHead()
  const { kind } = body.type
  if (kind === 'other' || kind === 'multipart') return undefined
  body.checkCoding()
  // How long a client takes to send it is the server's to limit.
  timer?.stop()
  return body.bytes().then(
    (bytes) => {
      timer?.start()
      const value = body.parse(bytes)
      if (value === undefined) return
      req.body = value
      exchange.parsedBytes = bytes
      // What a host has put there would hide it.
      if (Object.hasOwn(req, 'rawBody')) req.rawBody = bytes
    },
    (error: unknown) => {
      timer?.start()
      throw error
    },
  )
}
