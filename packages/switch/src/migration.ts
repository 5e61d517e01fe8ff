// `migration`: leads each request of a route to the legacy app or to its Controller, while the server runs.
import { findBuiltin } from '../../../src/ground/builtin.js'
import { narrowest, overrideKey } from '../../compare/src/route-keys.js'
import { RouteControllersError } from '../../../src/ground/errors.js'
import { likelyName } from '../../../src/ground/closest-name.js'
import { log } from '../../../src/ground/log.js'
import { toConnect, toListener } from 'routecontrollers'
import type { ConnectHandler, Logger, NodeHandler } from '../../../src/ground/types.js'
import { type Clock, systemClock } from './states/clock.js'
import { AutomaticChanges, type Why } from './states/automatic-changes.js'
import { Acceptances, mostAccepted } from './stores/acceptances.js'
import { type Change, createEntry, Keeper } from './stores/keeper.js'
import { Beside } from './legacy/beside.js'
import { InFront } from './legacy/in-front.js'
import type { Subject } from './legacy/subject.js'
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
} from './states/options.js'
import { createPage, type Page } from './page/page.js'
import { Announcements, firstText } from './routes/announcements.js'
import { Choice } from './routes/choice.js'
import { SwitchedRoutes } from './routes/switched-routes.js'
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
} from './states/schema.js'
import type { Copies } from './shadow/copies.js'
import { PlaceCopies } from './shadow/copies-at-place.js'
import { FrontCopies } from './shadow/copies-in-front.js'
import { isPlace, Shadow } from './shadow/shadow.js'
import { checkState, isForAny } from './states/states.js'
import { migrationStatus } from './page/status.js'
import type { SwitchedRoute } from './states/switched-route.js'
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
  readonly #routes: SwitchedRoutes
  readonly #announcements: Announcements
  readonly #choice: Choice
  readonly #listeners: Listeners
  readonly #keeper: Keeper
  readonly #acceptances: Acceptances
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
    this.#routes = new SwitchedRoutes({
      settings,
      clock,
      subject,
      coolDowns: this.#coolDowns,
      isKnown: () => this.#keeper.isKnown,
      entered: (route) => {
        route.comparedBefore = this.#shadow?.ofRoute(route).compared ?? 0
      },
      found: () => this.#announcements.newRoutes(),
    })
    this.#announcements = new Announcements(settings, this.#routes)
    this.#keeper = new Keeper({
      store: settings.store,
      acceptances: this.#acceptances,
      snapshot: settings.snapshot === undefined ? undefined : new Snapshot(settings.snapshot, logger),
      startTimeoutMs: settings.startTimeoutMs,
      clock,
      logger,
      routes: () => this.#routes.keys(),
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
      fleet: (route) => (this.#fleet?.isKnown === true ? route.evidence.joint.sums : undefined),
      urge: () => this.#tellFleet(),
      rolledBack: (evidence) => this.#listeners.tell('rollback', evidence),
    })
    this.#watches = new Watches(clock, this.#automaticChanges)
    this.#fleet = Fleet.of({
      settings,
      clock,
      stateVersion: () => this.#keeper.version,
      openDifferences: (route) => this.#openDifferences(route),
      changed: () => this.#automaticChanges.fleetCounted(this.#routes.served()),
    })
    this.#choice = new Choice({
      settings,
      clock,
      subject,
      routes: this.#routes,
      watches: this.#watches,
      oneKey: this.#oneKey,
      shadow: this.#shadow,
    })
    this.#leave = subject.setSwitch({
      choose: this.#choice.choose,
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
      this.#choice.seconds = Math.floor((now - this.#began) / 1000)
      // Not for each millisecond: all times of a status would be other ones each time.
      const ahead = clock.now() - now
      if (Math.abs(ahead - this.#ahead) > 1000) this.#ahead = ahead
      this.#watches.tick()
      this.#oneKey.tick()
      this.#automaticChanges.tick(this.#routes.served())
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
    if (!this.#isClosed) this.#fleet?.tick(this.#routes.served())
  }

  #openDifferences(route: SwitchedRoute): number {
    return this.#shadow?.openDifferences(route) ?? 0
  }

  #follow(entries: readonly HistoryEntry[]): void {
    this.#routes.take(this.#keeper.states, this.#keeper.history)
    this.#announcements.unread()
    for (const entry of entries) {
      this.#listeners.tell('change', entry)
      this.#announcements.changed(entry)
    }
  }

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
    const message = this.#announcements.dropped(change, first)
    this.#listeners.tell('dropped', { change, first, message })
  }

  #checkKey(key: string): void {
    const keys = this.#routes.keys()
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
    const now =
      this.#routes.all().find((one) => one.key === route)?.state ?? this.#keeper.settings().get(route)
    const from = now?.text
    const { replica } = this.#settings
    return { route, state, entry: createEntry(this.#clock, { route, from, to: state, by, reason, replica }) }
  }

  status(): MigrationStatus {
    const routes = this.#routes.all()
    return migrationStatus({
      routes,
      settings: this.#settings,
      keeper: this.#keeper,
      unread: this.#routes.unread(),
      shadow: this.#shadow,
      began: this.#began,
      monotonic: this.#clock.monotonic(),
      now: this.#clock.now(),
      ahead: this.#ahead,
      legacyOnly: this.#routes.legacy?.only ?? [],
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
    for (const one of this.#routes.served()) {
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
    if (!this.#routes.keys().includes(route))
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
    for (const one of this.#routes.served()) if (one.key === route) one.forgetDifferences()
    return { isStored }
  }

  async metrics(): Promise<string> {
    const durations = this.#routes.served().map(({ key, legacy, native, copyTimes }) => ({
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
    this.#choice.close()
    this.#automaticChanges.close()
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
