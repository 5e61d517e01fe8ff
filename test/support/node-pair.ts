import { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

interface PairOptions {
  method?: string
  url?: string
  /** Names and values, one after the other. */
  headers?: readonly string[]
  remoteAddress?: string
  encrypted?: boolean
  /** A client that takes nothing before `take()`. */
  slow?: boolean
}

/** Node's own request and response over a connection in memory. */
export interface NodePair {
  req: IncomingMessage
  res: ServerResponse
  socket: Duplex
  /** What was written to the connection so far, piece by piece, in Latin-1. */
  pieces: string[]
  /** The lines of the head that was sent. */
  head: () => string[]
  /** What was sent after the head, in Latin-1. */
  body: () => string
  /** Lets a slow client take what was sent to it, and all that comes. */
  take: () => void
  /** Ends the request, after these bytes of its body. */
  finish: (bytes?: string) => void
}

/** Waits until all that goes on in memory has come to its end, or to where it waits for somebody else. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

export function nodePair({
  method = 'GET',
  url = '/',
  headers = [],
  remoteAddress,
  encrypted,
  slow = false,
}: PairOptions = {}): NodePair {
  const pieces: string[] = []
  let isSlow = slow
  let taken = (): void => {}
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, written) {
      if (chunk.length > 0) pieces.push(chunk.toString('latin1'))
      if (isSlow) taken = written
      else written()
    },
    destroy(_error, done) {
      // There is nobody at the other end who could listen to an error.
      done(null)
    },
  })
  Object.assign(socket, { remoteAddress, encrypted })

  const req = new IncomingMessage(socket as never)
  const fields: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) fields[headers[at]!.toLowerCase()] = headers[at + 1]!
  const version = { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 }
  Object.assign(req, version, { method, url, rawHeaders: [...headers], headers: fields })

  const res = new ServerResponse(req)
  res.sendDate = false
  res.assignSocket(socket as never)
  // What a server of node:http does for its connections.
  socket.on('drain', () => res.emit('drain'))
  res.once('finish', () => process.nextTick(() => res.emit('close')))

  const text = (): string => pieces.join('')
  return {
    req,
    res,
    socket,
    pieces,
    head: () => text().split('\r\n\r\n', 1)[0]!.split('\r\n'),
    body: () => text().slice(text().indexOf('\r\n\r\n') + 4),
    take() {
      isSlow = false
      taken()
    },
    finish(bytes) {
      if (bytes !== undefined) req.push(bytes)
      req.complete = true
      req.push(null)
    },
  }
}
