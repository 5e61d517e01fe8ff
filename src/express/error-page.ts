import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import finalHandler4 from 'express4-finalhandler'
import finalHandler from 'finalhandler'
import onFinished from 'on-finished'
import type { Application } from './application.js'

/**
 * Answers with the page that Express has for an error that nobody has handled, or for a path that nobody knows.
 *
 * When the request is complete, as there: until then a handler may still answer, though it has called `next()`.
 */
export function sendErrorPage(
  application: Application,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error?: unknown,
): void {
  const answer = version(application)(incoming, outgoing, { env: String(application.get('env')) })
  onFinished(incoming, () => {
    if (outgoing.headersSent) return
    try {
      answer(withValidHeaders(error))
    } catch {
      // A header that was set before cannot be sent, and then no answer can.
      outgoing.destroy()
    }
  })
  incoming.unpipe()
  incoming.resume()
}

function version(application: Application): typeof finalHandler {
  return application.version === 4 ? finalHandler4 : finalHandler
}

// Express lets one that is none end the process.
function withValidHeaders(error: unknown): unknown {
  const { headers } = (error ?? {}) as { headers?: Record<string, string> }
  if (typeof headers !== 'object' || headers === null) return error
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
