import { requestMembers } from '../exchange.js'
import type { ExtendClasses, NodeClasses } from '../types.js'
import { MemberLayer } from './member-layer.js'

/** What callbacks read, for Node's requests. Those that we make ourselves have it in their class. */
export const requestLayer: MemberLayer = new MemberLayer('request-members', requestMembers)

/** The classes of the requests and responses that we make, for a handler that may want more of them. */
export function ownClasses(
  { IncomingMessage, ServerResponse }: NodeClasses,
  extend: ExtendClasses | undefined,
): NodeClasses {
  const classes = { IncomingMessage: requestLayer.extend(IncomingMessage), ServerResponse }
  return extend?.(classes) ?? classes
}
