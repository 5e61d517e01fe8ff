/** What came back on a connection, as the client of hostile requests judges it. */
export interface Answers {
  /** Statuses of the final answers; 0 for bytes that are none. */
  statuses: number[]
  /** True when the last answer is there to its last byte, and nothing after it. */
  complete: boolean
}

/**
 * Reads what a server has written so far, in Latin-1; `methods` are those of the requests, in order, for an answer to
 * HEAD has no body whatever its head says. An answer that is cut off counts only once the server has closed.
 */
export function readAnswers(received: string, methods: readonly string[], closed: boolean): Answers {
  const statuses: number[] = []
  let at = 0
  while (at < received.length) {
    // Allowed between messages.
    if (received.startsWith('\r\n', at)) {
      at += 2
      continue
    }
    const headEnd = received.indexOf('\r\n\r\n', at)
    if (headEnd === -1) return { statuses, complete: false }
    const head = received.slice(at, headEnd)
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
    if (status === 0) return { statuses: [...statuses, 0], complete: true }
    const bodyStart = headEnd + 4
    if (status < 200 && status !== 101) {
      at = bodyStart
      continue
    }
    const end = findBodyEnd(received, bodyStart, head, status, methods[statuses.length], closed)
    if (end === undefined) return { statuses: closed ? [...statuses, status] : statuses, complete: false }
    statuses.push(status)
    at = end
  }
  return { statuses, complete: statuses.length > 0 }
}

/** Where the body ends; undefined when its end has not come. */
function findBodyEnd(
  received: string,
  start: number,
  head: string,
  status: number,
  method: string | undefined,
  closed: boolean,
): number | undefined {
  if (method === 'HEAD' || status === 101 || status === 204 || status === 304) return start
  if (/^transfer-encoding:.*chunked/im.test(head)) return findLastChunk(received, start)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length === undefined) return closed ? received.length : undefined
  const end = start + Number(length)
  return end <= received.length ? end : undefined
}

function findLastChunk(received: string, start: number): number | undefined {
  for (let at = start; ;) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(received.slice(at, lineEnd), 16)
    if (Number.isNaN(size)) return undefined
    at = lineEnd + 2 + size + 2
    if (at > received.length) return undefined
    if (size === 0) return at
  }
}
