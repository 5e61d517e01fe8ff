import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

// One function for all responses. An accessor in the place of `chunkedEncoding` gives each of them a shape of its own as soon as Express
// sets another prototype. Then all code that touches a response is slow, for other requests, too.
function writeHeadWithoutChunks(this: ServerResponse, ...parameters: unknown[]): ServerResponse {
  const { writeHead } = Object.getPrototypeOf(this) as { writeHead: (...parameters: unknown[]) => unknown }
  // Without chunks Node throws for a Trailer field.
  this.chunkedEncoding = true
  try {
    writeHead.apply(this, parameters)
  } finally {
    // What is written there is the body itself, not chunks of it, whatever a header says (a proxy copies them). A second head is refused.
    this.chunkedEncoding = false
  }
  return this
}

/** Makes a response write to a stream that is no socket of HTTP/1, from which an `AnswerHeadReader` reads. */
export function writeTo(outgoing: ServerResponse, socket: Duplex): void {
  outgoing.writeHead = writeHeadWithoutChunks
  outgoing.assignSocket(socket as never)
  // As a server does it: code that streams waits for the drain of the response.
  socket.on('drain', () => outgoing.emit('drain'))
}

/** A head as Node's ServerResponse writes it. */
export interface AnswerHead {
  readonly status: number
  readonly reason: string
  /** Names and values as they were written, one pair for each line; without what speaks of the connection. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/**
 * Reads the heads that a ServerResponse writes to its socket, for answers that are not sent by HTTP/1.
 *
 * Heads of 1xx come before the last one; what is written after that is the body itself.
 */
export class AnswerHeadReader {
  #text = Buffer.alloc(0)
  #done = false

  /** The heads that end in this chunk, and what of it is body. */
  read(chunk: Buffer): { heads: readonly AnswerHead[]; body: Buffer } {
    const heads: AnswerHead[] = []
    if (this.#done) return { heads, body: chunk }
    this.#text = Buffer.concat([this.#text, chunk])
    for (;;) {
      const end = this.#text.indexOf('\r\n\r\n')
      if (end < 0) return { heads, body: Buffer.alloc(0) }
      const head = parseHead(this.#text.toString('latin1', 0, end))
      this.#text = this.#text.subarray(end + 4)
      heads.push(head)
      if (head.status >= 200) {
        this.#done = true
        return { heads, body: this.#text }
      }
    }
  }
}

function parseHead(text: string): AnswerHead {
  const [first, ...lines] = text.split('\r\n') as [string, ...string[]]
  const fields = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  return {
    // `HTTP/1.1 200 OK`
    status: Number(first.slice(9, 12)),
    reason: first.slice(13),
    // The connection for which it was written is internal: headers about it are not part of the answer.
    fields: fields.filter(
      ([name]) => !/^(?:connection|http2-settings|keep-alive|trailer|transfer-encoding)$/i.test(name),
    ),
  }
}
