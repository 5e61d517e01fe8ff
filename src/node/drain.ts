import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { aborted } from '../body/body.js'
import { isLight, type LightResponse } from '../answer/light-response.js'
import { callLater } from '../ground/call-later.js'
import { hasMethods } from '../ground/options.js'
import { isStream } from '../answer/streams.js'

/** So much is read of an unwanted body, and for so long. */
export const maxDrainedBytes: number = 4 * 1024 * 1024
export const maxDrainMs = 5_000

/**
 * Reads what is left of a body once its answer is sent, because the next request of the connection comes after it.
 *
 * It reads within bounds. A client that sends for longer is cut off; Node alone would read for as long as it sends. Where that
 * can be expected the answer says `Connection: close`, which tells the client to stop. RFC 9112 9.5, 9.6.
 */
export function drainAfter(
  res: ServerResponse,
  req: IncomingMessage,
  answer: LightResponse | Response,
): void {
  if (!isConnection(req.socket)) return
  if (isLast(answer, req)) res.shouldKeepAlive = false
  // Before Node's own listener, which discards an unread body silently and without a limit.
  res.prependOnceListener('finish', () => {
    if (req.complete && req.readableEnded) return
    // Begins to read.
    req.read(0)
    if (req.listenerCount('readable') > 0) {
      // All bytes have arrived: a reader may go on.
      if (req.complete) return
      // An async iterator that has stopped half-way holds the stream. One that still reads gets an error, because it would get
      // nothing of the rest.
      req.removeAllListeners('readable')
      if (req.listenerCount('error') > 0) req.emit('error', aborted(undefined))
    }
    const { socket } = req
    // Node's listener, which comes next, closes by `_last` a connection whose answer was the last, and does it at once.
    if ((res as { _last?: boolean })._last && !req.complete) {
      return void Object.assign(socket, { destroySoon: () => closeInStages(socket, req) })
    }
    cutLater(req)
    // A reader that has stopped half-way has left it paused.
    req.resume()
  })
}

/**
 * True for a stream. An adapter for cloud functions may put an object in its place: then all of the body is there, and no request follows.
 * To destroy such a request throws, in an event that nothing catches.
 */
function isConnection(socket: unknown): boolean {
  return hasMethods(socket, 'on', 'write')
}

/** True where the answer must tell the client to stop: more will come than is read, or the length of a refused body is unknown. */
function isLast(answer: LightResponse | Response, { complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  const isRefusal = (isLight(answer) ? answer.statusCode : answer.status) >= 400
  const { 'content-length': length } = headers
  if (length === undefined) return isRefusal
  // An answer that is streamed may be made of the rest of the body.
  return Number(length) > maxDrainedBytes && (isRefusal || (isLight(answer) && !isStream(answer.payload)))
}

/** Destroys the connection, or that of the request, when more bytes come than the bounds allow, or for longer. */
function cutLater(source: Readable): void {
  let drained = 0
  const cut = (): void => void source.destroy()
  const timer = callLater(cut, maxDrainMs)
  source.once('close', () => clearTimeout(timer))
  source.on('data', (chunk: Buffer | string) => {
    drained += chunk.length
    if (drained > maxDrainedBytes) cut()
  })
}

/**
 * Ends the server's side of a connection, and discards what arrives until the client has ended the other side. A connection that
 * is closed with unread bytes is reset, and its client may lose the answer. RFC 9112 9.6.
 */
function closeInStages(socket: Socket, req: IncomingMessage): void {
  socket.end()
  socket.resume()
  process.nextTick(() => {
    // Removes the parser, which has begun to read again: what arrives is no request any more.
    socket.removeAllListeners('data').removeAllListeners('end')
    cutLater(socket)
    socket.once('end', () => socket.destroy())
    // A reader that still waits for the body gets an error.
    socket.once('close', () => req.destroy())
  })
}
