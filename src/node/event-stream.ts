import type { ServerResponse } from 'node:http'

/** True for an answer of server-sent events that has begun. */
export function isEventStream(res: ServerResponse): boolean {
  // What was given to writeHead alone is found nowhere but in the head itself; there is none before it is sent.
  const { _header: head } = res as { _header?: string | null }
  return typeof head === 'string' && /^content-type: *text\/event-stream/im.test(head)
}
