import { isThenable } from '../ground/thenable.js'
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
  if (!body.isParsed) return undefined
  body.checkCoding()
  // How long a client takes to send it is the server's to limit.
  timer?.stop()
  return body.bytes().then(
    (bytes) => {
      timer?.start()
      if (bytes.byteLength === 0) return undefined
      const set = (value: unknown): void => {
        req.body = value
        exchange.parsedBytes = bytes
        // What a host has put there would hide it.
        if (Object.hasOwn(req, 'rawBody')) req.rawBody = bytes
      }
      const value = body.parse(bytes)
      return isThenable(value) ? Promise.resolve(value).then(set) : set(value)
    },
    (error: unknown) => {
      timer?.start()
      throw error
    },
  )
}
