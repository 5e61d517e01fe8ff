// Looks at how an answer ends: its status, and how long it took.
import type { ServerResponse } from 'node:http'
import type { Clock } from './clock.js'
import type { Side, SwitchedRoute } from './switched-route.js'

/** Is told of answers with 5xx. */
export interface Ended {
  failed(route: SwitchedRoute, side: Side): void
}

interface Watch {
  readonly clock: Clock
  readonly began: number
  readonly route: SwitchedRoute
  readonly side: Side
  readonly ended: Ended
}

const key = Symbol('watch')

type Watched = ServerResponse & { [key]?: Watch | undefined }

/** Watches one response until it closes. Nothing of it is replaced. */
export function watchAnswer(outgoing: ServerResponse, watch: Watch): void {
  const watched = outgoing as Watched
  const isFirst = watched[key] === undefined
  watched[key] = watch
  if (isFirst) outgoing.on('close', onClose)
}

function onClose(this: Watched): void {
  const watch = this[key]
  if (watch === undefined) return
  this[key] = undefined
  const { clock, began, route, side, ended } = watch
  side.watched++
  if (!this.writableFinished) {
    side.aborted++
    return
  }
  const isFailure = this.statusCode >= 500
  side.failed.add(isFailure)
  // How long an event stream lasts is for the client to say.
  if (!String(this.getHeader('content-type')).startsWith('text/event-stream')) {
    side.timings.add(clock.monotonic() - began)
  }
  if (!isFailure) return
  side.failures++
  ended.failed(route, side)
}
