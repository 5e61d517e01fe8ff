// How a shadow keeps a request of a client, and has the sides answer copies of it.
import type { Exchange } from 'routecontrollers/introspection'
import type { ReceivedAnswer } from '../../../compare/src/received-answer.js'
import type { NoAnswer } from '../../../compare/src/memory-request.js'
import type { SideName } from '../states/schema.js'
import type { Captured, CaptureParts, NotCaptured } from './capture.js'

/** Takes copies of requests, where a migration decides about them. */
export interface Copies {
  /** Begins to keep a request and its answer. Never throws. */
  keep(exchange: Exchange, first: SideName, keeping: Keeping): void
}

export interface Keeping extends Pick<CaptureParts, 'maxBytes' | 'hold' | 'release' | 'thrown'> {
  readonly timeoutMs: number
  /** Called once: with what was kept, or why nothing was. */
  readonly done: (result: Kept | NotCaptured) => void
}

/** A request with the answer that its client has got. */
export interface Kept extends Captured {
  /** Whether the answer has the ETag that its app adds. */
  readonly isTagged: boolean
  /** True for a callback in a route of the app itself: what the app adds to answers is added to both. */
  readonly isAtPlace: boolean
  /** True where a function behind the handlers of its route was called, as by `next()`: what the client has got may be of that. */
  readonly isLeft?: boolean
  /** Whether a side can answer a copy. */
  canAsk(side: SideName): boolean
  ask(side: SideName): Promise<Asked | NoAnswer>
}

/** The failure of a copy whose handler has called `next()`: what would answer it then is not asked. */
export const passedOn = 'passed on'

/** What one side has answered to a copy. */
export interface Asked {
  readonly answer: ReceivedAnswer
  readonly isTagged: boolean
  /** What it has looked for in the copy, and could not be copied: `req.user`. */
  readonly missed: readonly string[]
}
