import type { IncomingMessage } from 'node:http'
import { aborted } from './body.js'
import { BoundedBytes } from './limits.js'

/** Reads a request to its end. Rejects with 413 over the limit, and when the client disconnects before the end. */
export function readBody(req: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new BoundedBytes(limit)
    // The listeners stay once all is read, which is cheaper than taking them off: a promise settles once.
    const onData = (chunk: Buffer | string): void => {
      try {
        bytes.add(typeof chunk === 'string' ? Buffer.from(chunk, req.readableEncoding!) : chunk)
      } catch (error) {
        // Keeps reading into nothing, so that the client, which may still be sending, can read the answer.
        req.off('data', onData).resume()
        reject(error)
      }
    }
    const onBreak = (cause?: unknown): void => {
      // `close` follows a complete body too, and an error is expensive to make.
      if (!req.readableEnded) reject(aborted(cause))
    }
    if (req.destroyed) return onBreak()
    req
      .on('data', onData)
      .on('end', () => resolve(bytes.join()))
      .on('error', onBreak)
      .on('close', onBreak)
    // A middleware upstream may have paused it, or listen for `readable`: then it does not flow by itself.
    if (req.isPaused()) req.resume()
    if (req.listenerCount('readable') > 0) readAll(req.on('readable', () => readAll(req)))
  })
}

/** Reads what is buffered; the listeners for `data` get it. */
function readAll(req: IncomingMessage): void {
  while (req.read() !== null);
}
