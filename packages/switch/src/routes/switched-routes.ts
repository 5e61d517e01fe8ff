// The routes that can be switched: found with the first request, each in the state that counts for it.
import { describeThrown, log } from '../../../../src/ground/log.js'
import type { RunnableController } from 'routecontrollers/introspection'
import type { LegacyRoutes } from '../legacy/legacy-routes.js'
import type { Subject } from '../legacy/subject.js'
import type { Clock } from '../states/clock.js'
import { catchRejection, lineOf } from '../states/error-line.js'
import type { CoolDowns } from '../states/decision/cool-downs.js'
import { type MigrationSettings, rollbackDefaults } from '../states/options.js'
import { type Placed, Placement } from '../states/placement.js'
import type { HistoryEntry, RouteState, UnreadSetting } from '../states/schema.js'
import { checkState, type State } from '../states/states.js'
import { keyOf, SwitchedRoute } from '../states/switched-route.js'

interface Parts {
  readonly settings: MigrationSettings
  readonly clock: Clock
  readonly subject: Subject
  readonly coolDowns: CoolDowns
  /** False while the store has not been read: it may hold what was taken back. */
  readonly isKnown: () => boolean
  /** Is told of a route that has come to another state. */
  readonly entered: (route: SwitchedRoute) => void
  /** Is told once, when the first request has found the routes. */
  readonly found: () => void
}

export class SwitchedRoutes {
  readonly #parts: Parts
  readonly #routes = new Map<RunnableController, SwitchedRoute>()
  readonly #placement = new Placement()
  /** Keys for which `initial` has given no state. */
  readonly #wrongInitials = new Set<string>()
  /** Read when the first request comes: an app has its routes by then. */
  #legacy: { readonly read: LegacyRoutes | undefined } | undefined
  #hasServed = false
  /** The path that `middleware()` stands at, which the first request tells. */
  #mount = ''

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** That of a Controller which a request has come for. */
  get(controller: RunnableController): SwitchedRoute | undefined {
    return this.#routes.get(controller)
  }

  /** Those that requests have found. */
  served(): SwitchedRoute[] {
    return [...this.#routes.values()]
  }

  /** All that can be switched, as they are now. */
  all(): SwitchedRoute[] {
    const { controllers } = this.#parts.subject
    if (this.#hasServed) return controllers.map((one) => this.#routes.get(one) ?? this.enroll(one)!)
    // No request has come yet: the app may still get routes.
    this.#legacy = undefined
    return controllers.map((one) => {
      const route = this.#create(one, 1)
      this.#place(route)
      return route
    })
  }

  keys(): string[] {
    return this.#parts.subject.controllers.map(keyOf)
  }

  /** The route of a Controller that a request has come for first; undefined for one that is not switched. */
  enroll(controller: RunnableController, mount = ''): SwitchedRoute | undefined {
    const { settings, clock, subject, found } = this.#parts
    if (!subject.controllers.includes(controller)) return undefined
    // From now on a route of the app that is added later changes nothing.
    if (!this.#hasServed) {
      this.#legacy = undefined
      this.#hasServed = true
      this.#mount = mount
      for (const one of subject.controllers) if (!this.#routes.has(one)) this.enroll(one)
      found()
      return this.#routes.get(controller)
    }
    const { window } = settings.rollback ?? rollbackDefaults
    const route = this.#create(controller, window)
    route.since = clock.monotonic()
    this.#routes.set(controller, route)
    this.#place(route)
    return route
  }

  /** Takes the states that the store has now. */
  take(states: Readonly<Record<string, string>>, history: readonly HistoryEntry[]): void {
    const { coolDowns } = this.#parts
    this.#placement.take(states, this.keys())
    coolDowns.take(history)
    for (const route of this.#routes.values()) {
      this.#place(route)
      route.coolDownUntil = coolDowns.of(route.key)
    }
  }

  /** What counts for a route by what is set. */
  placed(key: string): Placed {
    return this.#placement.of(key)
  }

  /** What is set and has no meaning. */
  unread(): readonly UnreadSetting[] {
    return this.#placement.unread()
  }

  /** What the legacy app has for them; undefined where that cannot be read. */
  get legacy(): LegacyRoutes | undefined {
    if (this.#legacy !== undefined) return this.#legacy.read
    const { subject, settings } = this.#parts
    try {
      this.#legacy = { read: subject.readLegacy(this.#mount) }
    } catch (error) {
      this.#legacy = { read: undefined }
      const why = describeThrown(error)
      log(settings.logger, 'warn', `migration: the routes of the legacy app cannot be read: ${why}`)
    }
    return this.#legacy.read
  }

  #create(controller: RunnableController, window: number): SwitchedRoute {
    const canGoBack = this.legacy?.has(controller) ?? true
    const route = new SwitchedRoute(controller, this.#initialOf(controller), window, canGoBack)
    route.coolDownUntil = this.#parts.coolDowns.of(route.key)
    return route
  }

  /** Puts a route into the state that counts for it. */
  #place(route: SwitchedRoute): void {
    const { state, setFor, heldBy } = this.#placement.of(route.key)
    const isWrong = state === undefined && this.#wrongInitials.has(route.key)
    const before = route.state.text
    route.enter(
      state ?? this.#initialOf(route.controller),
      setFor,
      heldBy ?? (isWrong ? 'initial' : undefined),
      this.#parts.clock.monotonic(),
    )
    if (route.state.text !== before) this.#parts.entered(route)
  }

  #initialOf(controller: RunnableController): State {
    const { initial } = this.#parts.settings
    if (!this.#parts.isKnown()) return this.#usualInitialOf(controller)
    if (typeof initial === 'string') return checkState('initial', initial)
    if (initial !== undefined) return this.#initialBy(initial, keyOf(controller))
    return this.#usualInitialOf(controller)
  }

  #usualInitialOf(controller: RunnableController): State {
    const read = this.legacy
    return checkState('initial', read === undefined || read.has(controller) ? 'legacy' : 'native')
  }

  #initialBy(initial: (route: string) => RouteState, key: string): State {
    try {
      const state: unknown = initial(key)
      catchRejection(state, () => {})
      return checkState(`initial('${key}')`, state)
    } catch (error) {
      if (!this.#wrongInitials.has(key)) {
        const why = lineOf(error)
        log(this.#parts.settings.logger, 'error', `migration: ${why}; ${key} begins at legacy`)
      }
      this.#wrongInitials.add(key)
      return checkState('initial', 'legacy')
    }
  }
}
