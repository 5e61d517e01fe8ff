import type { IncomingMessage, ServerResponse } from 'node:http'
import { RouteControllersError } from '../ground/errors.js'
import { createNote } from '../ground/introspection-key.js'
import type { Pattern } from '../routing/pattern.js'
import type { ExtendClasses } from '../ground/types.js'

/** A callback that answers on Node's own response, as Express's handlers do: `fromExpress` makes it. */
export interface NodeCallback {
  /**
   * Runs the handlers. `done()` and `done('route')` pass the request on to what comes next, and `done('router')` past all
   * Controllers. `done(error)` reports an error. None is called when the handlers answer. `route` is the route that has matched.
   */
  readonly run: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    route: { readonly method: string; readonly pattern: Pattern },
    done: (signal?: unknown) => void,
  ) => void
  /** Throws where what the handlers need is missing. Called when RouteControllers are made, so that no request finds out. */
  readonly check?: () => void
  /** The handlers that it runs, for an engine that runs them itself. */
  readonly handlers: readonly ((...parameters: never[]) => unknown)[]
  /** Adds what the handlers need to the classes of request and response. `Server` uses these classes from the beginning. */
  readonly extendClasses: ExtendClasses
}

const note = createNote<NodeCallback>('node-callback')

/** Makes a callback of a function that answers on Node's response. */
export function withNodeCallback(value: NodeCallback): () => never {
  // Dispatch reads the value behind it. A guard that went on because of this would let every request through.
  const call = (): never => {
    throw new RouteControllersError(
      'ERR_CONTROLLER_INVALID',
      'What fromExpress has made is the callback of a Controller, and nothing else calls it: where Express or Connect middleware is expected, give the handlers themselves',
    )
  }
  return note.write(call, value)
}

/** What `withNodeCallback` was given; undefined for a callback that returns its answer. */
export function nodeCallbackOf(callback: unknown): NodeCallback | undefined {
  return note.read(callback as object)
}
