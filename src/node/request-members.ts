import { requestMembers } from '../request/exchange.js'
import type { ExtendClasses, NodeClasses, NodeHandler } from '../ground/types.js'
import { MemberLayer } from './member-layer.js'

/** The members for callbacks, on Node's requests. Requests of `Server` have them in their class. */
export const requestLayer: MemberLayer = new MemberLayer('request-members', requestMembers)

/** The classes of `Server`'s requests and responses, for a handler that may extend them. */
export function ownClasses(
  { IncomingMessage, ServerResponse }: NodeClasses,
  extend: ExtendClasses | undefined,
  fallback?: NodeHandler,
): NodeClasses {
  const classes = { IncomingMessage: requestLayer.extend(IncomingMessage), ServerResponse }
  return extend?.(classes, fallback) ?? classes
}
