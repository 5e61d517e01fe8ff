// Tells browsers what changes, as server-sent events: first all, then what has changed since. One look at the numbers serves all streams.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../states/clock.js'
import type { Migration, MigrationStatus, RouteStatus } from '../states/schema.js'

/** How often the numbers are sent. It is the heartbeat too: a proxy sees that the stream lives. */
const everyMs = 2000
/** What has happened is sent sooner. */
const soonMs = 50
/** The share of the time that is spent on it at the most, whatever the count of routes: one of so many. */
const pauseFactor = 20
const mostPauseMs = 15_000
/** A stream ends after that, so that who comes back is asked again who it is. */
const mostStreamMs = 600_000
/** Who does not read for so long is cut off. */
const stuckMs = 30_000

interface Stream {
  readonly res: ServerResponse
  readonly endsAt: number
  /** Since when it takes nothing more; what it misses is made up for by a whole status. */
  fullSince: number | undefined
  needsAll: boolean
}

export class PageStreams {
  readonly #switching: Pick<Migration, 'status' | 'on'>
  readonly #clock: Clock
  readonly #most: number
  readonly #streams = new Set<Stream>()
  readonly #undo: (() => void)[] = []
  /** What of a route was sent last. */
  readonly #sent = new Map<string, { readonly numbers: string; readonly differences: string }>()
  #sentHistory = new Set<string>()
  #stopTimer: (() => void) | undefined
  #timerAt = 0
  #pauseMs = 0
  #isClosed = false

  constructor(switching: Pick<Migration, 'status' | 'on'>, clock: Clock, most: number) {
    this.#switching = switching
    this.#clock = clock
    this.#most = most
    for (const event of ['change', 'rollback', 'difference', 'store'] as const)
      this.#undo.push(switching.on(event, () => this.#wake(soonMs)))
  }

  open(req: IncomingMessage, res: ServerResponse): void {
    // A browser that has gone while `authorize` was asked: nothing would tell that it is gone, and its place would stay taken.
    if (res.closed || res.destroyed) return
    if (this.#isClosed || this.#streams.size >= this.#most) {
      res.statusCode = 503
      res.setHeader('Retry-After', '30')
      res.setHeader('Content-Type', 'application/json; charset=utf-8')
      res.end(JSON.stringify({ error: 'There are as many streams as there may be' }))
      return
    }
    res.statusCode = 200
    res.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
    // nginx would hold them back.
    res.setHeader('X-Accel-Buffering', 'no')
    const stream: Stream = {
      res,
      endsAt: this.#clock.monotonic() + mostStreamMs,
      fullSince: undefined,
      needsAll: true,
    }
    const leave = (): void => void this.#streams.delete(stream)
    res.on('close', leave).on('error', leave)
    res.on('drain', () => (stream.fullSince = undefined))
    this.#streams.add(stream)
    res.write('retry: 2000\n\n')
    this.#look()
    // Node sets one for requests; a stream has none.
    req.socket.setTimeout?.(0)
  }

  /** Has the streams told after a while, or sooner where that is due already. */
  #wake(ms: number): void {
    if (this.#streams.size === 0 || this.#isClosed) return
    const pause = Math.max(ms, this.#pauseMs)
    const at = this.#clock.monotonic() + pause
    if (this.#stopTimer !== undefined && this.#timerAt <= at) return
    this.#stopTimer?.()
    this.#timerAt = at
    this.#stopTimer = this.#clock.after(pause, () => {
      this.#stopTimer = undefined
      try {
        this.#look()
      } catch {
        // Nothing may end the process from here. Browsers come back, and are answered with what has failed.
        for (const { res } of this.#streams) res.destroy()
      }
    })
  }

  #look(): void {
    const began = this.#clock.monotonic()
    const status = this.#switching.status()
    let all: string | undefined
    let update: string | undefined
    for (const stream of this.#streams) {
      if (began >= stream.endsAt) stream.res.end()
      else if (stream.fullSince !== undefined) {
        stream.needsAll = true
        if (began - stream.fullSince > stuckMs) stream.res.destroy()
      } else if (stream.needsAll) {
        stream.needsAll = false
        write(stream, (all ??= eventOf('status', status)), began)
      } else write(stream, (update ??= eventOf('update', this.#changesOf(status))), began)
    }
    // Without a stream that has asked for them they were not noted.
    if (update === undefined) this.#changesOf(status)
    this.#pauseMs = Math.min(mostPauseMs, pauseFactor * (this.#clock.monotonic() - began))
    this.#wake(everyMs)
  }

  /** The status with those of its routes and entries alone that were not sent yet. */
  #changesOf(status: MigrationStatus): object {
    const { routes, history, legacyOnly: _, ...rest } = status
    const fresh = history.filter(({ id }) => !this.#sentHistory.has(id))
    this.#sentHistory = new Set(history.map(({ id }) => id))
    const changed = routes.flatMap((route) => this.#changeOf(route) ?? [])
    return { ...rest, count: routes.length, routes: changed, history: fresh }
  }

  #changeOf(route: RouteStatus): Partial<RouteStatus> | undefined {
    const before = this.#sent.get(route.route)
    const numbers = numbersOf(route)
    const differences = differencesOf(route)
    if (before?.numbers === numbers && before.differences === differences) return undefined
    this.#sent.set(route.route, { numbers, differences })
    if (before?.differences !== differences) return route
    const { differences: _, ...rest } = route
    return rest
  }

  close(): void {
    this.#isClosed = true
    this.#stopTimer?.()
    for (const undo of this.#undo.splice(0)) undo()
    for (const { res } of this.#streams) res.end()
    this.#streams.clear()
  }
}

function write(stream: Stream, event: string, now: number): void {
  if (!stream.res.write(event)) stream.fullSince = now
}

/** JSON has no line ends. */
function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** A text that is another one when something of the route is; quicker than its JSON. */
function numbersOf(route: RouteStatus): string {
  const { legacy, native, shadow, state, setFor, heldBy, lastAskedAt, isDead, coolDownUntil, plan } = route
  const { compared, different, differenceRate, dropped, noise, notCopied } = shadow
  const sides = [legacy, native].map((side) => `${side.requests} ${side.watched} ${side.failureRate}`)
  const { fleet } = route
  const counted = fleet && [fleet.legacy, fleet.native].map((one) => `${one.requests} ${one.failures}`)
  const all = fleet && `${counted!.join(' ')} ${fleet.compared} ${fleet.different} ${fleet.openDifferences}`
  return `${sides.join(' ')} ${all} ${route.paused} ${compared} ${different} ${differenceRate} ${dropped} ${noise.length} ${notCopied.length} ${state} ${setFor} ${heldBy} ${lastAskedAt} ${isDead} ${coolDownUntil} ${plan?.next} ${plan?.notBefore} ${plan?.answers}`
}

function differencesOf({ differences }: RouteStatus): string {
  const count = differences.reduce((sum, one) => sum + one.count, 0)
  const accepted = differences.filter((one) => one.accepted !== undefined).length
  return `${differences.length} ${accepted} ${count} ${differences.at(-1)?.lastAt}`
}
