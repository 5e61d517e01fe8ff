// Runs handlers of Express as a route of it runs them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeCallback } from '../../define/node-callback.js'
import { toFailure } from '../../ground/errors.js'
import { isThenable } from '../../ground/thenable.js'
import type { Done } from '../model/layer.js'

/** What is not to run is the rest of the route; `'router'` leaves more than that. */
export function signalOf(signal: unknown): unknown {
  return signal === 'router' ? signal : 'route'
}

/** Runs handlers of Express with its own `req` and `res`, as a route runs them, and then goes on behind the route. */
export function runHandlers(
  handlers: NodeCallback['handlers'],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next: Done,
): void {
  let at = 0
  const step: Done = (signal) => {
    const isError = Boolean(signal) && signal !== 'route' && signal !== 'router'
    const handler = isError || !signal ? handlers[at++] : undefined
    if (handler === undefined) return next(isError ? signal : signalOf(signal))
    // Express tells error handlers by their length, and calls no function of more parameters.
    if (handler.length > 4 || (handler.length === 4) !== isError) return step(signal)
    const given = isError ? [signal, incoming, outgoing, step] : [incoming, outgoing, step]
    try {
      const returned = (handler as (...all: readonly unknown[]) => unknown)(...given)
      if (isThenable(returned)) returned.then(undefined, (error: unknown) => step(toFailure(error)))
    } catch (error) {
      step(toFailure(error))
    }
  }
  step()
}
