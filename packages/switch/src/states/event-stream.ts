// Whether an answer is a stream of events, which has no end of its own.
import type { ServerResponse } from 'node:http'

export function isEventStream(outgoing: ServerResponse): boolean {
  const type = outgoing.getHeader('content-type')
  if (type !== undefined) return /^\s*text\/event-stream/i.test(String(type))
  // What was given to writeHead alone stands in the head itself.
  const { _header: head } = outgoing as { _header?: unknown }
  return typeof head === 'string' && /^content-type:\s*text\/event-stream/im.test(head)
}
