import type { IncomingMessage } from 'node:http'
import { requestMembers } from '../exchange.js'

const brand = Symbol.for('routecontrollers.request-class')

/**
 * The class of our own servers' requests: Node's, with the members that callbacks read on its prototype, so that none is put
 * on each request.
 */
export function createRequestClass(Incoming: typeof IncomingMessage): typeof IncomingMessage {
  class RouteIncoming extends Incoming {}
  Object.defineProperties(RouteIncoming.prototype, {
    ...requestMembers,
    [brand]: { value: Incoming.prototype },
  })
  return RouteIncoming
}

/** Makes such a request one of Node's class again, before it goes to somebody else. */
export function restoreClass(request: IncomingMessage): void {
  const { [brand]: prototype } = request as { [brand]?: object }
  if (prototype !== undefined) Object.setPrototypeOf(request, prototype)
}
