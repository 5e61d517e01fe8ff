import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExtendClasses } from '../ground/types.js'
import type { Host } from './exchange.js'

/**
 * Serves one Node request. `pass` passes it on when it is not answered here, and `fail` gives an error to the host. Without them
 * both are answered here, with 404 and 500.
 */
export interface NodeEntry {
  (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    host: Host,
    pass?: () => void,
    fail?: (error: unknown) => void,
  ): void
  /** Extends the classes of `Server`'s requests and responses, where this is needed. */
  extendClasses?: ExtendClasses | undefined
}
