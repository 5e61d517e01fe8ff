// Who answers a request: the Controller or the legacy app. The answer is watched where its state wants that.
import type { Exchange, RunnableController } from 'routecontrollers/introspection'
import { describeThrown, log } from '../../../../src/ground/log.js'
import { nameType, wrongOption } from '../../../../src/ground/options.js'
import type { Subject } from '../legacy/subject.js'
import type { Shadow } from '../shadow/shadow.js'
import type { Clock } from '../states/clock.js'
import { addressOf, isMalformed } from '../states/decision/client-address.js'
import type { OneKeyWarning } from '../states/decision/one-key.js'
import { catchRejection } from '../states/error-line.js'
import { stateKinds } from '../states/kinds.js'
import type { MigrationSettings } from '../states/options.js'
import { sideOf } from '../states/side-key.js'
import { isAmong } from '../states/sticky.js'
import type { Side, SwitchedRoute } from '../states/switched-route.js'
import type { Watches } from '../states/watch.js'
import type { SwitchedRoutes } from './switched-routes.js'

interface Parts {
  readonly settings: MigrationSettings
  readonly clock: Clock
  readonly subject: Subject
  readonly routes: SwitchedRoutes
  readonly watches: Watches
  readonly oneKey: OneKeyWarning
  readonly shadow: Shadow | undefined
}

export class Choice {
  readonly #parts: Parts
  #hasStickyFailed = false
  #isClosed = false
  /** Whole seconds since the migration was made. */
  seconds = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Whether the Controller takes a request. It decides for `legacy` and `native` without making anything, and never throws.
   *
   * Where nothing stands behind, as for a web Request, there is nothing to choose.
   */
  readonly choose = (controller: RunnableController, exchange: Exchange): boolean => {
    const isNative = this.#isNative(controller, exchange)
    if (isNative) this.#parts.subject.begin(controller, exchange)
    return isNative
  }

  /** It goes on to choose by the last states, and watches no answer any more. */
  close(): void {
    this.#isClosed = true
  }

  #isNative(controller: RunnableController, exchange: Exchange): boolean {
    if (exchange.pass === undefined) return true
    const { routes, subject } = this.#parts
    const asked = sideOf(exchange.incoming)
    if (asked !== undefined) {
      const state = routes.get(controller)?.state.text
      if (state !== undefined) exchange.decision = { side: asked, state, isShadow: true }
      return asked === 'native'
    }
    const route = routes.get(controller) ?? routes.enroll(controller, mountOf(exchange))
    if (route === undefined) return subject.takesOthers
    const { answers } = stateKinds[route.state.kind]
    const isNative = answers === 'native' || (answers === 'share' && this.#isAmong(route, exchange))
    exchange.decision = isNative ? route.decisions.native : route.decisions.legacy
    // A preflight goes where the request goes that it asks for.
    if (exchange.method === 'OPTIONS' && controller.method !== 'OPTIONS') return isNative
    const side = isNative ? route.native : route.legacy
    side.requests++
    route.lastAsked = this.seconds
    if (route.isWatched()) this.#watch(route, side, isNative, exchange)
    return isNative
  }

  #isAmong(route: SwitchedRoute, exchange: Exchange): boolean {
    const key = this.#keyOf(exchange, addressOf)
    if (key === undefined) return false
    this.#parts.oneKey.add(key)
    return isAmong(key, route.state.percent)
  }

  /** What a client is told apart by: by `stickyBy`, else by its address. Undefined for who is to get legacy. */
  #keyOf(exchange: Exchange, address: (exchange: Exchange) => string | undefined): string | undefined {
    const { stickyBy, logger } = this.#parts.settings
    try {
      const key: unknown = stickyBy === undefined ? address(exchange) : stickyBy(exchange.incoming!)
      catchRejection(key, () => {})
      if (key === undefined) return undefined
      // Of a promise or an object all clients would have the same key.
      if (typeof key !== 'string' && typeof key !== 'number')
        throw wrongOption('what stickyBy gives', 'a text or a number', nameType(key))
      return String(key)
    } catch (error) {
      if (!this.#hasStickyFailed)
        log(logger, 'error', `migration: stickyBy has thrown: ${describeThrown(error)}`)
      this.#hasStickyFailed = true
      return undefined
    }
  }

  #watch(route: SwitchedRoute, side: Side, isNative: boolean, exchange: Exchange): void {
    const { outgoing, incoming } = exchange
    if (outgoing === undefined || incoming === undefined || this.#isClosed) return
    // What no path is of a route says nothing of either side.
    if (isMalformed(incoming)) return
    const { clock, shadow, watches } = this.#parts
    const began = clock.monotonic()
    // Never by a header that the client may forge: one client would count as many, and take a route back alone.
    const counts = route.clients.counts(this.#keyOf(exchange, ({ realIp }) => realIp) ?? '', began)
    const isProbe = !stateKinds[route.state.kind].isCompared
    if (!isProbe || (isNative && route.isAlarmed))
      shadow?.capture(route, isNative, exchange, { counts, isProbe })
    watches.add(outgoing, { began, route, side, counts })
  }
}

function mountOf({ incoming, fail }: Exchange): string {
  const { baseUrl } = (incoming ?? {}) as { baseUrl?: unknown }
  return fail !== undefined && typeof baseUrl === 'string' ? baseUrl : ''
}
