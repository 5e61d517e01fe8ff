// `migration`: leads each request of a route to the legacy app or to its Controller, while the server runs.
import { findBuiltin } from '../../../src/ground/builtin.js'
import { covers, narrowest, overrideKey } from '../../compare/src/route-keys.js'
import { RouteControllersError } from '../../../src/ground/errors.js'
import { likelyName } from '../../../src/ground/closest-name.js'
import type { RunnableController } from 'routecontrollers/introspection'
import type { Exchange } from 'routecontrollers/introspection'
import { describeThrown, log } from '../../../src/ground/log.js'
import { toConnect } from 'routecontrollers'
import { nameType, wrongOption } from '../../../src/ground/options.js'
import { toListener } from 'routecontrollers'
import type { ConnectHandler, Logger, NodeHandler } from '../../../src/ground/types.js'
import { type Clock, systemClock } from './states/clock.js'
import { catchRejection, lineOf } from './states/error-line.js'
import { AutomaticChanges, type Why } from './states/automatic-changes.js'
import { Acceptances, mostAccepted } from './stores/acceptances.js'
import { type Change, createEntry, Keeper } from './stores/keeper.js'
import { Beside } from './legacy/beside.js'
import { InFront } from './legacy/in-front.js'
import type { LegacyRoutes } from './legacy/legacy-routes.js'
import type { Subject } from './legacy/subject.js'
import { addressOf, isMalformed } from './states/decision/client-address.js'
import { noCounts } from './states/decision/counts.js'
import { CoolDowns } from './states/decision/cool-downs.js'
import { Fleet } from './states/decision/fleet.js'
import { OneKeyWarning } from './states/decision/one-key.js'
import { Listeners } from './states/listeners.js'
import { memoryStore } from './stores/memory-store.js'
import { Snapshot } from './stores/snapshot.js'
import { prometheusText } from './page/metrics.js'
import {
  checkAcceptOptions,
  checkMigrationOptions,
  checkSetOptions,
  invalid,
  type MigrationSettings,
  rollbackDefaults,
} from './states/options.js'
import { createPage, type Page } from './page/page.js'
import { type Placed, Placement } from './states/placement.js'
import type {
  AcceptOptions,
  BesideMigration,
  BesideOptions,
  FirstChange,
  HistoryEntry,
  Migration,
  MigrationEvents,
  MigrationOptions,
  MigrationStatus,
  PageOptions,
  Readiness,
  RouteState,
  SetOptions,
  UnreadSetting,
} from './states/schema.js'
import type { Copies } from './shadow/copies.js'
import { PlaceCopies } from './shadow/copies-at-place.js'
import { FrontCopies } from './shadow/copies-in-front.js'
import { isPlace, Shadow } from './shadow/shadow.js'
import { sideOf } from './states/side-key.js'
import { stateKinds } from './states/kinds.js'
import { checkState, isForAny, type State, wantedState } from './states/states.js'
import { migrationStatus } from './page/status.js'
import { isAmong } from './states/sticky.js'
import { type Side, SwitchedRoute, keyOf } from './states/switched-route.js'
import { printable } from '../../../src/ground/printable.js'
import { Watches } from './states/watch.js'

/**
 * Leads each route of an app to the app as it was, or to the Controller that replaces it. That can change while the server runs.
 *
 * Served in front (`server.start({ port, ...switching.serverOptions })`), inside (`app.use(switching.middleware())`), or over a plain
 * server (`http.createServer(switching.listener())`). Throws ERR_OPTION_INVALID, and ERR_MIGRATION_EXISTS where these RouteControllers have
 * one that is not closed.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { Controller, RouteControllers, Server } from 'routecontrollers'
 * import { migration } from '@routecontrollers/switch'
 *
 * const legacy = express().get('/users/:id', (req, res) => void res.json({ id: req.params.id }))
 * const routeControllers = new RouteControllers([
 *   new Controller('GET', '/users/:id', (req, res) => res.json({ id: req.params.id })),
 * ])
 * const switching = migration({ legacy, routeControllers })
 * const server = await new Server().start({ port: 0, ...switching.serverOptions })
 *
 * await switching.set('GET /users/:id', 'canary 5%', { reason: 'shadow was clean for a day', by: 'Ada' })
 * console.log(switching.status().routes[0]?.state) // canary 5%
 * await server.stop()
 * await switching.close()
 * ```
 */
export function migration(options: MigrationOptions): Migration
/**
 * Decides for each native callback of an app (`native` of `routecontrollers/express`) whether it answers, or the handler behind it.
 *
 * The app is served as it is. A native callback begins at `legacy` where another handler of its route stands behind it, or another route of
 * the same path. Nothing that is registered later answers by its native callback before that was said.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { native } from 'routecontrollers/express'
 * import { migration } from '@routecontrollers/switch'
 *
 * const app = express()
 * app.get(
 *   '/teas',
 *   native((req, res) => res.json(['Assam'])),
 *   (req, res) => void res.json(['Assam']),
 * )
 * const switching = migration({ app })
 * await switching.set('GET /teas', 'canary 5%', { reason: 'the tests pass', by: 'Ada' })
 * console.log(switching.status().routes[0]?.state) // canary 5%
 * await switching.close()
 * ```
 */
export function migration(options: BesideOptions): BesideMigration
export function migration(options: MigrationOptions | BesideOptions): BesideMigration {
  return createMigration(options as MigrationOptions, systemClock)
}

/** The same by another clock, for tests. */
export function createMigration(options: MigrationOptions, clock: Clock): Migration
export function createMigration(options: BesideOptions, clock: Clock): BesideMigration
export function createMigration(options: MigrationOptions | BesideOptions, clock: Clock): BesideMigration {
  const settings = checkMigrationOptions(options, memoryStore)
  if (!('app' in options)) return new FrontSwitching(settings, clock, options)
  const { app } = options
  const copies = (asIs: readonly string[]): Copies => new PlaceCopies(app, asIs)
  return new Switching(settings, clock, new Beside(app, settings.logger), copies)
}

type FrontOptions = Pick<MigrationOptions, 'legacy' | 'routeControllers'>
type CreateCopies = (asIs: readonly string[]) => Copies

class Switching implements BesideMigration {
  readonly #settings: MigrationSettings
  readonly #clock: Clock
  readonly #subject: Subject
  readonly #routes = new Map<RunnableController, SwitchedRoute>()
  readonly #listeners: Listeners
  readonly #keeper: Keeper
  readonly #acceptances: Acceptances
  readonly #placement = new Placement()
  readonly #automaticChanges: AutomaticChanges
  readonly #watches: Watches
  /** What all replicas have counted, where the store carries that. */
  readonly #fleet: Fleet | undefined
  /** Until when a rollback keeps plans from a route, by its key. */
  readonly #coolDowns: CoolDowns
  readonly #oneKey: OneKeyWarning
  readonly #shadow: Shadow | undefined
  readonly #began: number
  /** By how much the day's clock is ahead of the one that never goes back: another number once that clock is set. */
  #ahead: number
  readonly #stopTicking: () => void
  /** Lets another migration take the place of this one. */
  readonly #leave: () => void
  /** Read when the first request comes: an app has its routes by then. */
  #legacyRoutes: { readonly read: LegacyRoutes | undefined } | undefined
  #hasServed = false
  /** The path that `middleware()` stands at, which the first request tells. */
  #mount = ''
  /** Since the migration was made. */
  #seconds = 0
  #isClosed = false
  readonly ready: Promise<Readiness>

  constructor(settings: MigrationSettings, clock: Clock, subject: Subject, createCopies: CreateCopies) {
    const { logger } = settings
    this.#settings = settings
    this.#clock = clock
    this.#subject = subject
    this.#began = clock.monotonic()
    this.#ahead = clock.now() - this.#began
    this.#listeners = new Listeners(logger, settings.logEvents ? settings.replica : undefined)
    this.#acceptances = new Acceptances(settings.store, clock)
    this.#shadow =
      settings.shadow &&
      new Shadow({
        settings: settings.shadow,
        copies: createCopies(settings.shadow.asIs),
        clock,
        logger,
        compared: (route, isDifferent, counts) => this.#automaticChanges.compared(route, isDifferent, counts),
        legacyAnswered: (route, outcome) => this.#automaticChanges.legacyAnswered(route, outcome),
        acceptanceOf: (route, place) => this.#acceptances.of(route, place),
        found: (route, difference) => this.#listeners.tell('difference', { route: route.key, ...difference }),
      })
    this.#coolDowns = new CoolDowns(settings.rollback?.coolDownMs ?? 0, clock)
    this.#oneKey = new OneKeyWarning(clock, logger)
    this.#keeper = new Keeper({
      store: settings.store,
      acceptances: this.#acceptances,
      snapshot: settings.snapshot === undefined ? undefined : new Snapshot(settings.snapshot, logger),
      startTimeoutMs: settings.startTimeoutMs,
      clock,
      logger,
      routes: () => this.#keys(),
      changed: (entries) => this.#follow(entries),
      awayChanged: () => {
        const { isAway, problem } = this.#keeper
        this.#listeners.tell('store', { name: settings.store.name, isAway, problem })
      },
      dropped: (change, first) => this.#tellDropped(change, first),
    })
    this.#automaticChanges = new AutomaticChanges({
      settings,
      clock,
      change: (route, state, why) => void this.#changeItself(route.key, state, why),
      mayLeadUp: (route) =>
        this.#keeper.isUpToDate && !this.#keeper.isChanging(route.key) && this.#fleet?.isLeader !== false,
      differences: (route) => this.#shadow?.ofRoute(route).differences ?? [],
      compared: (route) => this.#shadow?.ofRoute(route).compared ?? 0,
      canProbe: (route) => this.#shadow?.canProbe(route) === true,
      isProbing: (route) => this.#shadow?.isProbing(route) === true,
      openElsewhere: (route) => this.#fleet?.openDifferences(route) ?? 0,
      replicas: () => this.#fleet?.replicas ?? 1,
      fleet: (route) => (this.#fleet?.isKnown === true ? this.#fleet.of(route) : undefined),
      urge: () => this.#tellFleet(),
      rolledBack: (evidence) => this.#listeners.tell('rollback', evidence),
    })
    this.#watches = new Watches(clock, this.#automaticChanges)
    this.#fleet = Fleet.of({
      settings,
      clock,
      stateVersion: () => this.#keeper.version,
      openDifferences: (route) => this.#openDifferences(route),
      changed: () => this.#automaticChanges.fleetCounted(this.#routes.values()),
    })
    this.#leave = subject.setSwitch({
      choose: this.#choose,
      finish: (answer, exchange) => subject.finish(answer, exchange),
    })
    if (settings.store.name === 'memory' && findBuiltin('node:cluster')?.isWorker === true) {
      log(
        logger,
        'warn',
        'migration: this is one of several workers, and a state that is set in its memory counts in it alone: use fileStore({ file })',
      )
    }
    this.ready = this.#keeper.start()
    // Who does not wait for it goes on without the store.
    this.ready.catch(() => {})
    this.#stopTicking = clock.every(1000, () => {
      const now = clock.monotonic()
      this.#seconds = Math.floor((now - this.#began) / 1000)
      // Not for each millisecond: all times of a status would be other ones each time.
      const ahead = clock.now() - now
      if (Math.abs(ahead - this.#ahead) > 1000) this.#ahead = ahead
      this.#watches.tick()
      this.#oneKey.tick()
      this.#automaticChanges.tick(this.#routes.values())
      this.#tellFleet()
    })
    if (settings.store.write === undefined && settings.rollback !== undefined) {
      log(
        logger,
        'warn',
        `migration: the store ${printable(settings.store.name)} is not written, so a rollback holds in this process alone, and until it ends: other processes go on. Where there are any, use a store that is written, as redisStore`,
      )
    }
  }

  #tellFleet(): void {
    if (!this.#isClosed) this.#fleet?.tick([...this.#routes.values()])
  }

  #openDifferences(route: SwitchedRoute): number {
    return this.#shadow?.openDifferences(route) ?? 0
  }

  /**
   * Whether the Controller takes a request. It decides for `legacy` and `native` without making anything, and never throws.
   *
   * Where nothing stands behind, as for a web Request, there is nothing to choose.
   */
  readonly #choose = (controller: RunnableController, exchange: Exchange): boolean => {
    const isNative = this.#isChosen(controller, exchange)
    if (isNative) this.#subject.begin(controller, exchange)
    return isNative
  }

  #isChosen(controller: RunnableController, exchange: Exchange): boolean {
    if (exchange.pass === undefined) return true
    const asked = sideOf(exchange.incoming)
    if (asked !== undefined) {
      const state = this.#routes.get(controller)?.state.text
      if (state !== undefined) exchange.decision = { side: asked, state, isShadow: true }
      return asked === 'native'
    }
    const route = this.#routes.get(controller) ?? this.#enroll(controller, mountOf(exchange))
    if (route === undefined) return this.#subject.takesOthers
    const { answers } = stateKinds[route.state.kind]
    const isNative = answers === 'native' || (answers === 'share' && this.#isAmong(route, exchange))
    exchange.decision = isNative ? route.decisions.native : route.decisions.legacy
    // A preflight goes where the request goes that it asks for.
    if (exchange.method === 'OPTIONS' && controller.method !== 'OPTIONS') return isNative
    const side = isNative ? route.native : route.legacy
    side.requests++
    route.lastAsked = this.#seconds
    if (route.isWatched()) this.#watch(route, side, isNative, exchange)
    return isNative
  }

  #isAmong(route: SwitchedRoute, exchange: Exchange): boolean {
    const key = this.#keyOf(exchange, addressOf)
    if (key === undefined) return false
    this.#oneKey.add(key)
    return isAmong(key, route.state.percent)
  }

  /** What a client is told apart by: by `stickyBy`, else by its address. Undefined for who is to get legacy. */
  #keyOf(exchange: Exchange, address: (exchange: Exchange) => string | undefined): string | undefined {
    const { stickyBy, logger } = this.#settings
    try {
      const key: unknown = stickyBy === undefined ? address(exchange) : stickyBy(exchange.incoming!)
      catchRejection(key, () => {})
      if (key === undefined) return undefined
      // Of a promise or an object all clients would have the same key.
      if (typeof key !== 'string' && typeof key !== 'number')
        throw wrongOption('what stickyBy gives', 'a text', nameType(key))
      return String(key)
    } catch (error) {
      if (!this.#hasStickyFailed)
        log(logger, 'error', `migration: stickyBy has thrown: ${describeThrown(error)}`)
      this.#hasStickyFailed = true
      return undefined
    }
  }
  #hasStickyFailed = false

  #watch(route: SwitchedRoute, side: Side, isNative: boolean, exchange: Exchange): void {
    const { outgoing, incoming } = exchange
    if (outgoing === undefined || incoming === undefined || this.#isClosed) return
    // What no path is of a route says nothing of either side.
    if (isMalformed(incoming)) return
    const began = this.#clock.monotonic()
    // Never by a header that the client may forge: one client would count as many, and take a route back alone.
    const counts = route.clients.counts(this.#keyOf(exchange, ({ realIp }) => realIp) ?? '', began)
    const isProbe = !stateKinds[route.state.kind].isCompared
    if (!isProbe || (isNative && route.isAlarmed))
      this.#shadow?.capture(route, isNative, exchange, { counts, isProbe })
    this.#watches.add(outgoing, { began, route, side, counts })
  }

  #enroll(controller: RunnableController, mount = ''): SwitchedRoute | undefined {
    if (!this.#subject.controllers.includes(controller)) return undefined
    // From now on a route of the app that is added later changes nothing.
    if (!this.#hasServed) {
      this.#legacyRoutes = undefined
      this.#hasServed = true
      this.#mount = mount
      for (const one of this.#subject.controllers) if (!this.#routes.has(one)) this.#enroll(one)
      this.#tellOfNewRoutes()
      return this.#routes.get(controller)
    }
    const { window } = this.#settings.rollback ?? rollbackDefaults
    const route = this.#createRoute(controller, window)
    route.since = this.#clock.monotonic()
    this.#routes.set(controller, route)
    this.#place(route)
    return route
  }

  /** A user who believes that the legacy app has these routes would count on a way back; or that it has not, on the Controller. */
  #tellOfNewRoutes(): void {
    const { logger } = this.#settings
    const routes = [...this.#routes.values()]
    const fresh = routes.filter(({ canGoBack }) => !canGoBack)
    if (fresh.length > 0) {
      const go = fresh.length === 1 ? 'it goes' : 'they go'
      const message = `migration: the legacy app has no route for ${someOf(fresh)}: ${go} back by nothing but set()`
      log(logger, 'info', message)
    }
    this.#tellOfNothingBehind(fresh)
    const byMount = routes.filter(({ controller, setFor, state }) => {
      const isMount = this.#readLegacy()?.byMount.has(controller) === true
      return isMount && setFor === 'initial' && state.kind === 'legacy'
    })
    if (byMount.length === 0) return
    const [begin, is] = byMount.length === 1 ? ['it begins', 'is'] : ['they begin', 'are']
    const message = `migration: the legacy app has no route for ${someOf(byMount)}, but functions of use at paths of their own that may answer: ${begin} at legacy; where none does, set what ${is} new to native`
    log(logger, 'info', message)
  }

  #createRoute(controller: RunnableController, window: number): SwitchedRoute {
    const canGoBack = this.#readLegacy()?.has(controller) ?? true
    const route = new SwitchedRoute(controller, this.#initialOf(controller), window, canGoBack)
    route.coolDownUntil = this.#coolDowns.of(route.key)
    return route
  }

  #readLegacy(): LegacyRoutes | undefined {
    if (this.#legacyRoutes !== undefined) return this.#legacyRoutes.read
    const { logger } = this.#settings
    try {
      this.#legacyRoutes = { read: this.#subject.readLegacy(this.#mount) }
    } catch (error) {
      this.#legacyRoutes = { read: undefined }
      log(logger, 'warn', `migration: the routes of the legacy app cannot be read: ${describeThrown(error)}`)
    }
    return this.#legacyRoutes.read
  }

  #initialOf(controller: RunnableController): State {
    const { initial } = this.#settings
    // A store that cannot be read yet may hold what was taken back.
    if (!this.#keeper.isKnown) return this.#usualInitialOf(controller)
    if (typeof initial === 'string') return checkState('initial', initial)
    if (initial !== undefined) return this.#initialBy(initial, keyOf(controller))
    return this.#usualInitialOf(controller)
  }

  #usualInitialOf(controller: RunnableController): State {
    const read = this.#readLegacy()
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
        log(this.#settings.logger, 'error', `migration: ${why}; ${key} begins at legacy`)
      }
      this.#wrongInitials.add(key)
      return checkState('initial', 'legacy')
    }
  }
  /** Keys for which `initial` has given no state. */
  readonly #wrongInitials = new Set<string>()

  /** All routes that can be switched, as they are now. */
  #all(): SwitchedRoute[] {
    const { controllers } = this.#subject
    if (this.#hasServed) return controllers.map((one) => this.#routes.get(one) ?? this.#enroll(one)!)
    // No request has come yet: the app may still get routes.
    this.#legacyRoutes = undefined
    return controllers.map((one) => {
      const route = this.#createRoute(one, 1)
      this.#place(route)
      return route
    })
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
      this.#clock.monotonic(),
    )
    if (route.state.text === before) return
    route.comparedBefore = this.#shadow?.ofRoute(route).compared ?? 0
    route.fleetBefore = this.#fleet?.of(route) ?? noCounts()
  }

  #follow(entries: readonly HistoryEntry[]): void {
    const keys = this.#keys()
    this.#placement.take(this.#keeper.states, keys)
    this.#coolDowns.take(this.#keeper.history)
    for (const route of this.#routes.values()) {
      this.#place(route)
      route.coolDownUntil = this.#coolDowns.of(route.key)
    }
    this.#tellOfUnread()
    for (const entry of entries) {
      this.#listeners.tell('change', entry)
      const { route, to, by, reason } = printable(entry)
      // A rollback has a line of its own. And another process may have routes that this one has not.
      if (by !== 'rollback' && isForAny(entry.route, keys))
        log(
          this.#settings.logger,
          'info',
          `migration: ${route === overrideKey ? 'by the off switch everything' : route} is at ${to} now, by ${by}: ${reason}`,
        )
      this.#tellOfDifferences(entry)
      const routes = [...this.#routes.values()]
      this.#tellOfNothingBehind(
        routes.filter((one) => !one.canGoBack && one.setFor === entry.route && covers(entry.route, one.key)),
      )
    }
  }

  /** What was set for all may take a route from clients that only a Controller answers, as one whose old handler was deleted. */
  #tellOfNothingBehind(routes: readonly SwitchedRoute[]): void {
    const gone = routes.filter(({ state }) => stateKinds[state.kind].answers !== 'native')
    if (gone.length === 0) return
    const [are, have] = gone.length === 1 ? ['is', 'it has'] : ['are', 'they have']
    const message = `migration: ${someOf(gone)} ${are} not at native now, and ${have} nothing else to answer: clients get what the app answers without that route, mostly 404. Set what is to answer to native`
    log(this.#settings.logger, 'warn', message)
  }

  /** A Controller may be set to answer clients though it was seen to answer otherwise. */
  #tellOfDifferences({ route, by }: HistoryEntry): void {
    if (by === 'rollback' || by === 'plan') return
    const { differenceRate: limit } = this.#settings.rollback ?? rollbackDefaults
    const different = [...this.#routes.values()].filter(
      ({ key, setFor, state, differenceRate }) =>
        setFor === route && covers(route, key) && state.percent > 0 && differenceRate > limit,
    )
    const [first] = different
    if (first === undefined) return
    const share = `${Math.round(first.differenceRate * 100)}%`
    const more = different.length === 1 ? '' : `, and so of ${different.length - 1} more`
    const message = `migration: ${first.key} is at ${first.state.text} now, though ${share} of its last comparisons differed${more}: status() and the page show the differences`
    log(this.#settings.logger, 'warn', message)
  }

  /** One line for all, once: a file may have many, and is read each second. */
  #tellOfUnread(): void {
    const unread = this.#placement.unread()
    const told = JSON.stringify(unread.map(({ key, state }) => [key, state]))
    if (told === this.#toldUnread) return
    this.#toldUnread = told
    if (unread.length === 0) return
    const { logger, store } = this.#settings
    const some = unread.slice(0, 3).map((one) => unreadText(one, (route) => this.#placement.of(route)))
    const more = unread.length > 3 ? `; and ${unread.length - 3} more, which status() names` : ''
    const name = printable(store.name)
    log(logger, 'warn', `migration: the store ${name} has what cannot be read: ${some.join('; ')}${more}`)
  }
  #toldUnread = '[]'

  async set(route: string, state: RouteState, options: SetOptions): Promise<{ isStored: boolean }> {
    checkSetOptions(options)
    const { text } = checkState('set: state', state)
    this.#checkKey(route)
    const { reason, by = 'unknown', seen, override = false } = options
    if (override && (route !== '*' || text !== 'legacy'))
      throw invalid("set: override is for set('*', 'legacy', { override: true, reason }) alone")
    if (route !== '*') this.#checkOff(route)
    const key = override ? overrideKey : route
    const { isStored, first } = await this.#keeper.set(this.#changeOf(key, text, { reason, by }), { seen })
    if (first === undefined) return { isStored }
    throw new RouteControllersError(
      'ERR_STATE_CHANGED',
      `set: ${firstText(first)}: look at it, then set ${route} again`,
    )
  }

  /** What would count for nothing is refused. */
  #checkOff(route: string): void {
    if (!this.#keeper.settings().has(overrideKey)) return
    const by = this.#keeper.history.findLast((entry) => entry.route === overrideKey)
    const who = by === undefined ? '' : printable(` (${by.by}: ${by.reason})`)
    throw new RouteControllersError(
      'ERR_STATE_CHANGED',
      `set: everything is at legacy by the off switch${who}, so ${route} stays there: set '*' to end that`,
    )
  }

  /** By a plan or a rollback, which decide anew where another user was first. */
  async #changeItself(route: string, state: RouteState, why: Why): Promise<void> {
    const isPlan = why.by === 'plan'
    const change = { ...this.#changeOf(route, state, why), lease: isPlan ? this.#fleet?.lease : undefined }
    // Up, it counts once the store has it: a process that was stopped may wake up with what a user has taken back since.
    const countsAtOnce = !isPlan
    const { first } = await this.#keeper.set(change, { countsAtOnce })
    if (first !== undefined && countsAtOnce) this.#tellDropped(change.entry, first)
  }

  #tellDropped(change: HistoryEntry, first: FirstChange): void {
    // Another one has said the same.
    if (first.route === change.route && first.to === change.to) return
    const { route, to, by, reason } = printable(change)
    const message = `migration: ${firstText(first)}, so what ${by} had set before is dropped: ${route} to ${to} (${reason})`
    log(this.#settings.logger, 'warn', message)
    this.#listeners.tell('dropped', { change, first, message })
  }

  #keys(): string[] {
    return this.#subject.controllers.map(keyOf)
  }

  #checkKey(key: string): void {
    const keys = this.#keys()
    if (key === overrideKey)
      throw invalid(`set: the off switch is set('*', 'legacy', { override: true, reason })`)
    if (typeof key === 'string' && isForAny(key, keys)) return
    if (keys.length === 0) throw invalid(`set: there is no route to switch: ${this.#subject.emptyBecause}`)
    const meant = likelyName(String(key), keys)
    throw invalid(
      `set: ${JSON.stringify(key)} is no route: name one as 'GET /users/:id', all below a path as '/api', or all as '*'${meant === undefined ? '' : `; did you mean '${meant}'?`}`,
    )
  }

  #changeOf(route: string, state: RouteState, { reason, by }: Why): Change {
    const now = this.#all().find((one) => one.key === route)?.state ?? this.#keeper.settings().get(route)
    const from = now?.text
    const { replica } = this.#settings
    return { route, state, entry: createEntry(this.#clock, { route, from, to: state, by, reason, replica }) }
  }

  status(): MigrationStatus {
    const routes = this.#all()
    return migrationStatus({
      routes,
      settings: this.#settings,
      keeper: this.#keeper,
      unread: this.#placement.unread(),
      shadow: this.#shadow,
      began: this.#began,
      monotonic: this.#clock.monotonic(),
      now: this.#clock.now(),
      ahead: this.#ahead,
      legacyOnly: this.#readLegacy()?.only ?? [],
      hasOneClientKey: this.#oneKey.isOne,
      fleet: this.#fleet,
      nextStep: (route) => this.#automaticChanges.nextStep(route),
    })
  }

  on<Name extends keyof MigrationEvents>(
    event: Name,
    listener: (event: MigrationEvents[Name]) => unknown,
  ): () => void {
    return this.#listeners.add(event, listener)
  }

  forgetDifferences(route?: string): void {
    for (const one of this.#routes.values()) {
      if (route !== undefined && narrowest([route], one.key) === undefined) continue
      one.forgetDifferences()
      this.#shadow?.forget(one)
    }
  }

  async acceptDifference(
    route: string,
    place: string,
    options: AcceptOptions,
  ): Promise<{ isStored: boolean }> {
    checkAcceptOptions(options)
    if (!this.#keys().includes(route))
      throw invalid(`acceptDifference: ${JSON.stringify(route)} is no route: name one as 'GET /users/:id'`)
    if (!isPlace(place))
      throw invalid(
        `acceptDifference: ${JSON.stringify(place)} is no place: take place of a difference of status()`,
      )
    const { reason, by = 'unknown', takeBack = false } = options
    if (!takeBack && !this.#acceptances.hasRoomFor(route, place))
      throw invalid(
        `acceptDifference: ${mostAccepted} differences are accepted, which is the most: take some back by { takeBack: true }, or mend them`,
      )
    const at = new Date(this.#clock.now()).toISOString()
    const isStored = await this.#acceptances.set({ route, place, by, reason, at }, takeBack)
    const what = takeBack ? 'is not accepted any more' : 'is accepted'
    const line = printable(`the difference ${place} of ${route} ${what}, by ${by}: ${reason}`)
    log(this.#settings.logger, 'info', `migration: ${line}`)
    for (const one of this.#routes.values()) if (one.key === route) one.forgetDifferences()
    return { isStored }
  }

  async metrics(): Promise<string> {
    const durations = [...this.#routes.values()].map(({ key, legacy, native, copyTimes }) => ({
      route: key,
      legacy: legacy.times,
      native: native.times,
      shadow: copyTimes,
    }))
    return prometheusText(this.status(), durations)
  }

  page(options: PageOptions): ConnectHandler {
    const page = createPage({ switching: this, clock: this.#clock, logger: this.#settings.logger }, options)
    this.#pages.push(page)
    return page.handler
  }
  readonly #pages: Page[] = []

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const page of this.#pages) page.close()
    // It goes on to decide by the last states: without it all routes would be native at once.
    this.#leave()
    this.#stopTicking()
    const kept = this.#keeper.close()
    await Promise.all([this.#shadow?.close(), kept])
    this.#listeners.clear()
  }
}

/** With what serves Controllers in front of the app, and inside of it. */
class FrontSwitching extends Switching implements Migration {
  readonly serverOptions: Migration['serverOptions']
  readonly #logger: Logger

  constructor(settings: MigrationSettings, clock: Clock, { legacy, routeControllers }: FrontOptions) {
    const fetchHandler = routeControllers.getCallback()
    const subject = new InFront(legacy, fetchHandler)
    const handler = handlerOf(legacy)
    super(
      settings,
      clock,
      subject,
      () => new FrontCopies({ legacy: handler, fetchHandler, isTagged: (one) => subject.isTagged(one) }),
    )
    this.#logger = settings.logger
    this.serverOptions = { routeControllers, fallback: handler }
  }

  middleware(): ConnectHandler {
    return toConnect(this.serverOptions.routeControllers.getCallback())
  }

  listener(): NodeHandler {
    const { routeControllers, fallback } = this.serverOptions
    const logger = this.#logger
    return toListener(routeControllers.getCallback(), { fallback: passingOnce(fallback, logger), logger })
  }
}

function someOf(routes: readonly SwitchedRoute[]): string {
  const some = routes.slice(0, 5).map(({ key }) => key)
  return some.join(', ') + (routes.length > 5 ? `, and ${routes.length - 5} more` : '')
}

function firstText(first: FirstChange): string {
  const { route, to, by } = printable(first)
  return `${by} has ${to === undefined ? `taken ${route} back` : `set ${route} to ${to}`}`
}

/** What is wrong with a setting, what comes of it, and the remedy. */
function unreadText(
  { key, state, what, meant, routes }: UnreadSetting,
  placed: (route: string) => Placed,
): string {
  const [name, text] = [key, state].map((one) => printable(JSON.stringify(one)))
  const [first] = routes
  const comes =
    first === undefined
      ? 'it changes nothing'
      : routes.length === 1
        ? `${first} stays ${placed(first).state === undefined ? 'where it is' : `at ${placed(first).state!.text}`}`
        : `${routes.length} routes stay where they are, as ${first}`
  if (what === 'state') return `${name} is at ${text}, so ${comes}: write ${wantedState}`
  return `${name} is for no route, so ${comes}: ${meant === undefined ? 'take it out' : `did you mean ${printable(JSON.stringify(meant))}?`}`
}

function mountOf({ incoming, fail }: Exchange): string {
  const { baseUrl } = (incoming ?? {}) as { baseUrl?: unknown }
  return fail !== undefined && typeof baseUrl === 'string' ? baseUrl : ''
}

const passed = Symbol('routecontrollers.passed')

/** A legacy app that leads to `listener()` itself would pass the same request round and round. */
function passingOnce(legacy: NodeHandler, logger: Logger): NodeHandler {
  return (req, res) => {
    const request = req as { [passed]?: true }
    if (request[passed] !== true) {
      request[passed] = true
      return legacy(req, res)
    }
    log(
      logger,
      'error',
      'migration: legacy leads to listener() again; inside of the legacy app use middleware()',
    )
    res.writeHead(508).end()
  }
}

function handlerOf(legacy: FrontOptions['legacy']): NodeHandler {
  if (typeof legacy === 'function') return legacy
  return (req, res) => {
    // With a listener that is gone there would be no answer.
    if (!legacy.emit('request', req, res)) res.writeHead(404).end()
  }
}
