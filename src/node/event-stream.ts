import type { ServerResponse } from 'node:http'

/** True for an answer of server-sent events that has begun. */
export function isEventStream(res: ServerResponse): boolean {
  // On Node a header that was given only to writeHead is found only in the head itself. Bun keeps no such text: there the headers
  // have it.
  const { _header: head } = res as { _header?: string | null }
  return typeof head === 'string'
    ? /^content-type: *text\/event-stream/im.test(head)
    : res.headersSent && /^text\/event-stream/i.test(String(res.getHeader('content-type')))
}
