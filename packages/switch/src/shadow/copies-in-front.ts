// Copies for Controllers in front of the app that they replace: each copy goes through the whole of one side.
import { AsyncResource } from 'node:async_hooks'
import type { Exchange } from 'routecontrollers/introspection'
import { toListener } from 'routecontrollers'
import type { FetchHandler, NodeHandler } from '../../../../src/ground/types.js'
import { type NoAnswer, type RequestCopy, runInMemory } from '../../../compare/src/memory-request.js'
import type { SideName } from '../states/schema.js'
import { markSide, wasReached } from '../states/side-key.js'
import { capture } from './capture.js'
import type { Asked, Copies, Keeping } from './copies.js'
import { keepSession } from './copy-session.js'

export interface FrontCopiesParts {
  readonly legacy: NodeHandler
  readonly fetchHandler: FetchHandler
  /** Whether the legacy app has added the ETag to the answer of the Controller to a request. */
  readonly isTagged: (request: object) => boolean
}

export class FrontCopies implements Copies {
  readonly #parts: FrontCopiesParts
  readonly #native: NodeHandler

  constructor(parts: FrontCopiesParts) {
    this.#parts = parts
    this.#native = toListener(parts.fetchHandler, { fallback: parts.legacy })
  }

  keep({ incoming, outgoing, fail }: Exchange, _first: SideName, { done, ...keeping }: Keeping): void {
    // It has come through `middleware()`, inside the legacy app.
    const isInside = fail !== undefined
    // What a copy calls has the trace of its client: instrumentation keeps that in an AsyncLocalStorage.
    const scope = new AsyncResource('routecontrollers.shadow', { requireManualDestroy: false })
    capture({
      ...keeping,
      incoming: incoming!,
      outgoing: outgoing!,
      done: (result) => {
        if (typeof result === 'string') return done(result)
        done({
          ...result,
          isTagged: this.#parts.isTagged(incoming!),
          isAtPlace: false,
          canAsk: () => true,
          ask: (side) => scope.runInAsyncScope(() => this.#ask(result.request, isInside, side, keeping)),
        })
      },
    })
  }

  async #ask(
    request: RequestCopy,
    isInside: boolean,
    side: SideName,
    { timeoutMs, maxBytes }: Pick<Keeping, 'timeoutMs' | 'maxBytes'>,
  ): Promise<Asked | NoAnswer> {
    const { legacy, isTagged } = this.#parts
    let copy: object = request
    const answer = await runInMemory(
      isInside || side === 'legacy' ? legacy : this.#native,
      // What a handler writes to its headers is its own.
      { ...request, headers: { ...request.headers } },
      {
        timeoutMs,
        maxBytes,
        prepare: (incoming) => {
          copy = incoming
          markSide(incoming, side)
          keepSession(incoming)
          Object.assign(incoming, { isShadow: true })
        },
      },
    )
    if (typeof answer === 'string') return answer
    // The legacy app that was given is not the one that `middleware()` stands in: what has answered is not the Controller.
    if (side === 'native' && !wasReached(copy)) return 'failed'
    return { answer, isTagged: isTagged(copy), missed: [] }
  }
}
