import { RouteControllersError } from '../ground/errors.js'
import { wrongPiece } from './streams.js'

/** One server-sent event. `data` that is not a string is sent as JSON; `retry` is in milliseconds. */
export interface ServerSentEvent {
  data: unknown
  event?: string
  id?: string
  retry?: number
}

/** Events as they come; a string is the data of one. */
export type EventStream = AsyncIterable<ServerSentEvent | string>

/** What `res.sse` takes: the events, or a function that is given the signal and gives the events. */
export type EventSource = EventStream | ((signal: AbortSignal) => EventStream)

/** The lines of each event, as https://html.spec.whatwg.org/multipage/server-sent-events.html reads them. */
export function encodeEvents(
  source: EventSource,
  client: { readonly signal: AbortSignal },
): AsyncIterable<string> & { return(): unknown } {
  return {
    // Where they are not read, as for HEAD: a function that has not been called has begun nothing.
    return: () => typeof source !== 'function' && source[Symbol.asyncIterator]().return?.(),
    [Symbol.asyncIterator]() {
      const given = typeof source === 'function' ? source(client.signal) : source
      const events = (given as Partial<EventStream> | undefined)?.[Symbol.asyncIterator]?.()
      if (events === undefined) throw wrongPiece(given, 'events')
      return {
        async next() {
          const result = await events.next()
          return result.done
            ? { done: true, value: undefined }
            : { done: false, value: encodeEvent(result.value) }
        },
        // Handed on at once: as a generator of its own this would wait for the event under way.
        async return() {
          await events.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function encodeEvent(event: ServerSentEvent | string): string {
  if (typeof event === 'string') return encodeData(event)
  if (!('data' in (Object(event) as object))) throw wrongPiece(event, 'a text or { data, event, id, retry }')
  let lines = ''
  if (event.event !== undefined) lines += `event: ${checkLine('event', event.event)}\n`
  if (event.id !== undefined) lines += `id: ${checkLine('id', event.id)}\n`
  if (event.retry !== undefined) {
    if (!Number.isInteger(event.retry) || event.retry < 0)
      throw invalid('retry', 'a whole number of milliseconds')
    lines += `retry: ${event.retry}\n`
  }
  const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
  return lines + encodeData(data ?? '')
}

// All three ends of a line are ends to a browser: a bare CR left in would start a field of its own.
function encodeData(data: string): string {
  return `data: ${data.split(/\r\n|\r|\n/).join('\ndata: ')}\n\n`
}

function checkLine(field: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw invalid(field, 'one line')
  return value
}

function invalid(field: string, wanted: string): RouteControllersError {
  return new RouteControllersError(
    'ERR_RESPONSE_INVALID',
    `The ${field} of a server-sent event has to be ${wanted}`,
  )
}
