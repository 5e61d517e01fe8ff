import type { IncomingMessage } from 'node:http'
import { requestMembers } from '../exchange.js'

/**
 * The class of our own servers' requests: Node's, with the members that callbacks read on its prototype, so that none is put
 * on each request. An Express behind us gives its requests a prototype of its own.
 */
export function createRequestClass(Incoming: typeof IncomingMessage): typeof IncomingMessage {
  class RouteIncoming extends Incoming {}
  Object.defineProperties(RouteIncoming.prototype, requestMembers)
  return RouteIncoming
}
