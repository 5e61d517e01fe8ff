import type { IncomingMessage, ServerResponse } from 'node:http'
import { aborted } from '../body/body.js'
import { BoundedBytes } from '../body/limits.js'

/** Reads a request to its end. Rejects with 413 over the limit, and when the client goes away before the end. */
export function readBody(req: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new BoundedBytes(limit)
    // The listeners stay, which is cheaper than taking them off: a promise settles once.
    const onData = (chunk: Buffer | string): void => {
      try {
        bytes.add(typeof chunk === 'string' ? Buffer.from(chunk, req.readableEncoding ?? 'utf8') : chunk)
      } catch (error) {
        // Keeps reading into nothing, so that the client, which may still be sending, can read the answer.
        req.resume()
        reject(error)
      }
    }
    const onBreak = (cause?: unknown): void => {
      // `close` follows a complete body too, and an error is dear to make.
      if (!req.readableEnded) reject(aborted(cause))
    }
    if (req.destroyed && !req.readableEnded) return onBreak()
    req
      .on('data', onData)
      .on('end', () => resolve(bytes.join()))
      .on('error', onBreak)
      .on('close', onBreak)
    // Upstream somebody may have paused it, or listen for `readable`: then it does not flow by itself.
    if (req.isPaused()) req.resume()
    if (req.listenerCount('readable') > 0) readAll(req.on('readable', () => readAll(req)))
  })
}

/** Takes what is there; the listeners for `data` get it. */
function readAll(req: IncomingMessage): void {
  while (req.read() !== null);
}

const maxDrainedBytes = 4 * 1024 * 1024
const maxDrainMs = 5_000

/**
 * Reads what is left of a body once its answer is sent, because the next request of the connection comes after it.
 *
 * Within bounds: a client that goes on for longer is cut off, where Node alone would read for as long as it sends.
 */
export function drainAfter(res: ServerResponse, req: IncomingMessage): void {
  // Before Node's own listener, which dumps a body that nobody has begun to read, out of sight and without end.
  res.prependOnceListener('finish', () => {
    if (req.complete && req.readableEnded) return
    // Begins to read.
    req.read(0)
    if (req.listenerCount('readable') > 0) {
      // All that is to come has come: whoever still reads may go on.
      if (req.complete) return
      // An async iterator that has stopped half-way holds the stream. One that has not is told, for it would take the
      // rest for nothing.
      req.removeAllListeners('readable')
      if (req.listenerCount('error') > 0) req.emit('error', aborted(undefined))
    }
    let drained = 0
    const cut = (): void => void req.socket?.destroy()
    const timer = setTimeout(cut, maxDrainMs)
    timer.unref()
    req.once('close', () => clearTimeout(timer))
    req.on('data', (chunk: Buffer | string) => {
      drained += chunk.length
      if (drained > maxDrainedBytes) cut()
    })
    // A reader that has stopped half-way has left it paused.
    req.resume()
  })
}
