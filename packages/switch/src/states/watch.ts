// Looks at how an answer ends: its status, how long it took, and whether there was one.
import type { ServerResponse } from 'node:http'
import type { Clock } from './clock.js'
import type { Outcome } from './decision/route-evidence.js'
import { isEventStream } from './event-stream.js'
import type { Side, SwitchedRoute } from './switched-route.js'

/** An answer that has not begun for so long is none. */
const hungMs = 30_000

/** Is told of each answer. */
export interface Ended {
  /** `counts` is false for a client that has counted in these seconds. */
  answered(route: SwitchedRoute, side: Side, outcome: Outcome, counts: boolean): void
}

export interface Watch {
  readonly began: number
  readonly route: SwitchedRoute
  readonly side: Side
  readonly counts: boolean
}

const key = Symbol('watch')

type Watched = ServerResponse & { [key]?: { readonly watches: Watches; readonly watch: Watch } | undefined }

/** All answers that are watched and have not ended. */
export class Watches {
  readonly #clock: Clock
  readonly #ended: Ended
  readonly #open = new Map<Watch, ServerResponse>()
  /** Those that count as failed, and may still end. */
  readonly #hung = new WeakSet<Watch>()

  constructor(clock: Clock, ended: Ended) {
    this.#clock = clock
    this.#ended = ended
  }

  /** Watches one response until it closes. Nothing of it is replaced. */
  add(outgoing: ServerResponse, watch: Watch): void {
    const watched = outgoing as Watched
    const before = watched[key]
    watched[key] = { watches: this, watch }
    this.#open.set(watch, outgoing)
    if (before === undefined) outgoing.on('close', onClose)
    else before.watches.#open.delete(before.watch)
  }

  /** Counts what has hung for too long; called once a second. */
  tick(): void {
    const since = this.#clock.monotonic() - hungMs
    for (const [watch, outgoing] of this.#open) {
      // They begin one after the other.
      if (watch.began > since) return
      this.#open.delete(watch)
      // A download or an event stream goes on.
      if (outgoing.headersSent) continue
      this.#hung.add(watch)
      this.#fail(watch)
    }
  }

  close(outgoing: ServerResponse, watch: Watch): void {
    const isOpen = this.#open.delete(watch)
    const { route, side, began, counts } = watch
    side.watched++
    // How long an event stream lasts is for the client to say.
    const isStream = isEventStream(outgoing)
    if (!outgoing.writableFinished) {
      side.aborted++
      if (isOpen && !(isStream && outgoing.headersSent)) this.#fail(watch)
      return
    }
    const ms = isStream ? undefined : this.#clock.monotonic() - began
    if (ms !== undefined) {
      side.timings.add(ms)
      side.times.add(ms)
    }
    const isFailure = outgoing.statusCode >= 500
    if (isFailure) side.failures++
    if (!this.#hung.has(watch)) side.add(isFailure)
    if (isOpen || ms !== undefined) this.#ended.answered(route, side, { isFailure, ms }, counts && isOpen)
  }

  #fail({ route, side, counts }: Watch): void {
    side.add(true)
    this.#ended.answered(route, side, { isFailure: true, ms: undefined }, counts)
  }
}

function onClose(this: Watched): void {
  const watched = this[key]
  if (watched === undefined) return
  this[key] = undefined
  watched.watches.close(this, watched.watch)
}
