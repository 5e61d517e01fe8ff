import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { builtin } from '../../ground/builtin.js'
import { ownHandle } from '../model/passage.js'
import type { Done } from '../model/layer.js'
import type { App } from '../model/router.js'

/**
 * Answers with the page that the app has for an unhandled error, or for a path without a route.
 *
 * The app's own `handle` makes it, with a router that passes every request on. What it would print goes to the user's logger. As
 * in Express, this happens when the request is complete: until then a handler may still answer, though it has called `next()`.
 */
export function sendErrorPage(
  app: App,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error?: unknown,
): void {
  const send = (): void => {
    if (outgoing.headersSent || outgoing.destroyed) return
    try {
      sendNow(app, incoming, outgoing, error)
    } catch {
      // A header that was set before cannot be sent, and then no answer can.
      outgoing.destroy()
    }
  }
  // Here and not by the page, which waits for the same event, and whose throw could not be caught then.
  if (incoming.complete && !incoming.readable) return send()
  finished(incoming, { writable: false }, send)
  incoming.unpipe()
  incoming.resume()
}

function sendNow(app: App, incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): void {
  const router = {
    handle: (_req: unknown, _res: unknown, done: Done) => done(error && withValidHeaders(error)),
  }
  let asked = 0
  // For its page the app asks at once; later only to know whether it is to print the error.
  const get = (name: string): unknown => (name === 'env' && asked++ > 0 ? 'test' : app.get(name))
  // The request had its X-Powered-By when it was opened, and a middleware such as helmet may have removed that.
  const enabled = (name: string): boolean => name !== 'x-powered-by' && app.enabled(name)
  const standIn = Object.create(app, {
    router: { value: router },
    _router: { value: router },
    // Its own, so that it stays what it is.
    request: { value: Object.getPrototypeOf(incoming) as object },
    response: { value: Object.getPrototypeOf(outgoing) as object },
    get: { value: get },
    enabled: { value: enabled },
  }) as App
  ownHandle(app).call(standIn, incoming, outgoing)
}

// Express lets one that is none end the process.
function withValidHeaders(error: unknown): unknown {
  const { headers } = error as { headers?: Record<string, string> }
  if (typeof headers !== 'object' || headers === null) return error
  const { validateHeaderName, validateHeaderValue } = builtin('node:http', 'An error page')
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    return error
  } catch (invalid) {
    return invalid
  }
}
