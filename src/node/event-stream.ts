import type { ServerResponse } from 'node:http'

/** True for an answer of server-sent events that has begun. */
export function isEventStream(res: ServerResponse): boolean {
  // A header that was given only to writeHead is found only in the head itself, which does not exist before it is sent.
  const { _header: head } = res as { _header?: string | null }
  return typeof head === 'string' && /^content-type: *text\/event-stream/im.test(head)
}
