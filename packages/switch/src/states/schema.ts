// What `migration()` takes and tells. All that `status()` gives and all events are plain objects that can be written as JSON.
import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type {
  ConnectHandler,
  FetchHandler,
  Logger,
  MaybePromise,
  NodeHandler,
} from '../../../../src/ground/types.js'
import type { SharedKind, StateKind } from './kinds.js'

export type { StateKind }

/** Who answers a route: `'canary 5%'` leads five per cent of the clients to the Controller. */
export type RouteState = Exclude<StateKind, SharedKind> | `${SharedKind} ${number}%`

/** One of the two that can answer a route. */
export type SideName = 'legacy' | 'native'

/** One change of a state, with who and why. */
export interface HistoryEntry {
  /** Unique, so that the same change is not listed twice. */
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** `'GET /users/:id'`, a group as `'/api'`, `'*'` for all routes, or `'!*'` for the off switch. */
  readonly route: string
  /** Undefined where nothing was set before. */
  readonly from: RouteState | undefined
  readonly to: RouteState
  readonly by: string
  readonly reason: string
  /** The version that the store got by it, where the store counts its changes. */
  readonly version?: number
  /** The replica that has made it. */
  readonly replica?: string
}

/** What a store holds. */
export interface StoredStates {
  /** States as texts by the key of what they are for: a route, a group or `'*'`. */
  readonly states: Readonly<Record<string, string>>
  /** The newest last. */
  readonly history?: readonly HistoryEntry[]
  /** Differences that persons have accepted. */
  readonly accepted?: readonly Acceptance[]
  /** Grows with each change, and is 0 before the first one; undefined for a store that does not count them. */
  readonly version?: number | undefined
  /**
   * True where the store has held states and has lost them: it counts as away then. False where it holds what it should, even if that is
   * nothing. Undefined: no states where there were some, or a smaller version than before, are lost.
   */
  readonly isLost?: boolean | undefined
}

/** What is to be written to a store. */
export interface StoreChange {
  readonly route: string
  readonly state: RouteState
  /** Keys whose own states are taken back: a state of a group replaces those of its routes. */
  readonly takeBack: readonly string[]
  readonly entry: HistoryEntry
  /** The version that the change was decided on. A store that has another one refuses it. Undefined where the store counts none. */
  readonly seen?: number | undefined
  /** The lease that the change was decided under. A store that has given another one since refuses it. */
  readonly lease?: string | undefined
}

/** What one replica tells the others: once a second, and sooner while its Controllers seem to do worse. */
export interface FleetReport {
  /** The name of the replica. */
  readonly replica: string
  /** Another text for each process: one that is started again may have the same name. */
  readonly run: string
  /** Of this report, from 1 on. One that was not answered is offered again with its number, and its figures are added once. */
  readonly number: number
  /** What it has counted since its last report, by name: added to what all have. */
  readonly counts: ReadonlyMap<string, number>
  /** The routes that it has had a request for since then. */
  readonly asked: readonly string[]
  /** False for a replica that has had no request yet: it knows no routes, and could lead no plan up. */
  readonly mayLead: boolean
  /** What the others are to know of it, as JSON. */
  readonly about: string
}

/** What all replicas have told. */
export interface FleetView {
  /** The lease of the replica that leads, with a number that grows with each leader. */
  readonly lease: string | undefined
  readonly leader: string | undefined
  /** Whether it is the one that has reported. */
  readonly isLeader: boolean
  /** What those have told of themselves that have reported in the last 15 seconds, by name. */
  readonly members: ReadonlyMap<string, string>
  /** The sums over all of them. */
  readonly counts: ReadonlyMap<string, number>
  /** When each route was asked for last, in milliseconds since 1970 by the clock of the store. */
  readonly askedAt: ReadonlyMap<string, number>
  /** Since when it counts, and now, by that clock. */
  readonly since: number
  readonly now: number
}

/** What a store says to a change. */
export interface StoreAnswer {
  /** False where the store has another version than the change has seen. It is read anew then. */
  readonly isStored: boolean
  /** True where it was decided under a lease that is over. It is not offered again. */
  readonly isLeaseOver?: boolean
  /** Why the change is made, and does not stand in the audit trail. */
  readonly auditProblem?: string
}

/** Where states are kept, so that several processes follow one another. */
export interface MigrationStore {
  /** As it is named in log lines and in `status()`: `'file'`. */
  readonly name: string
  /** All that is set. `routes` are the keys of all routes, for a store that asks for each. What it throws is told, and read again later. */
  read(routes: readonly string[]): MaybePromise<StoredStates>
  /** Writes a change; left out by a store that is written elsewhere. One that counts no versions answers nothing. */
  write?(change: StoreChange): MaybePromise<StoreAnswer | void>
  /**
   * Puts back what the store has lost, unless it has another version than `seen` by now. Without it the states are written one by one.
   */
  restore?(stored: StoredStates, seen: number | undefined): MaybePromise<StoreAnswer | void>
  /** Keeps that a difference is accepted, or that this is taken back. Without it that counts in this process alone. */
  accept?(acceptance: Acceptance, isTakenBack: boolean): MaybePromise<void>
  /**
   * Takes the figures of a replica, gives those of all, and has one of them lead for a few seconds. A number that it has taken of a run
   * adds nothing a second time. Without it each replica decides by itself.
   */
  report?(report: FleetReport): MaybePromise<FleetView>
  /** Calls `changed` when something may have been written. Gives what ends that. */
  watch?(changed: () => void): () => void
}

/** How answers are compared that a client does not get. */
export interface ShadowOptions {
  /**
   * The share of requests that both sides answer, under `shadow` and under `canary`, from 0 to 1. Default 1. Under `canary` it is a
   * hundredth of that for answers of legacy, and ten a second at most, once the last comparisons were alike.
   */
  share?: number
  /** @deprecated Write `share`, which is the same. */
  sample?: number
  /** How many run at the same time. Default 2. */
  concurrency?: number
  /** How many wait; more are dropped. Default 100. */
  queue?: number
  /** Bytes of a request's body and of an answer, packed and unpacked; what is larger is not compared. Default 262 144. */
  maxBytes?: number
  /** Bytes that all requests and answers together may hold which wait to be compared. Default 33 554 432. */
  maxHeldBytes?: number
  /** None is run while timers of this process are late by more than this. Default 50. */
  maxDelayMs?: number
  /** None is run while the event loop is busy for more than this share of the time. Default 0.9. */
  maxUtilization?: number
  /** How long the other side may take. Default 10 000. */
  timeoutMs?: number
  /** Routes that write and are compared all the same, as `'POST /search'`. Without it, GET and HEAD alone are. */
  unsafe?: readonly string[]
  /** Routes that are never asked twice, as `'GET /counter'`, all below a path as `'/admin'`, or all as `'*'`. */
  exclude?: readonly string[]
  /** Names whose values are never stored, of fields, headers, params and elements, besides those that name secrets. */
  redact?: readonly string[]
  /** Headers that are not compared, besides those that never are. */
  ignoreHeaders?: readonly string[]
  /**
   * Members that a copy at the place of a native callback gets as they are, as `'req.user'` or `'res.locals.t'`. Name what cannot be copied,
   * and what no handler writes to: instances of classes, functions.
   */
  asIs?: readonly string[]
  /** How many different differences are kept of each route. Default 20. */
  maxDifferences?: number
}

/** When a route goes back to `legacy` by itself. */
export interface RollbackOptions {
  /** How much larger the share of answers that fail may be than that of legacy: 5xx, none, or not complete. Default 0.05. */
  errorRate?: number
  /** The share of compared answers that may differ. Default 0.05. */
  differenceRate?: number
  /**
   * How often a Controller that is no worse than legacy may be taken back: the share of plans in which that happens. Default 0.01. In a
   * state without a plan it is that of the state.
   */
  falseAlarmRate?: number
  /** How many times the p99 of legacy the p99 may be. Default 3. */
  p99Factor?: number
  /** By how many milliseconds it must be above that of legacy at the least. Default 100. */
  p99MarginMs?: number
  /** How many answers are needed to judge a share. Default 5. */
  minAnswers?: number
  /** @deprecated Write `minAnswers`, which is the same. */
  minSamples?: number
  /** How many answers of each side are needed to judge the p99. Default 100. */
  minTimings?: number
  /** The last answers that are looked at. Default 200. */
  window?: number
  /** For how long a plan does not go up again. Default 600 000. */
  coolDownMs?: number
}

/** How `canary` goes up by itself. */
export interface PlanOptions {
  /**
   * Shares in per cent that grow, each with two decimals at the most. After the last one the route is `native`, also where that is less than 100.
   * Default `[1, 5, 25, 50, 100]`.
   */
  steps?: readonly number[]
  /** How long each step lasts at the least. Default 10. */
  minutes?: number
  /** How many answers of the Controller each step needs. Default 100. */
  answers?: number
  /** @deprecated Write `answers`, which is the same. */
  samples?: number
  /** The routes that it is for; a group or `'*'` too. Default all. */
  routes?: readonly string[]
}

/** What serves the legacy app: an Express app, any `(req, res)`, or an http.Server with its listener. */
export type LegacyApp = NodeHandler | HttpServer

/** Options of `migration`. A name that is not here, or a value that does not fit, throws ERR_OPTION_INVALID. */
export interface MigrationOptions extends SwitchOptions {
  /** The app as it was. Inside Express: the app that `middleware()` is used in. */
  legacy: LegacyApp
  /** The Controllers that replace it. */
  routeControllers: { getCallback(): FetchHandler }
}

/** Options of `migration({ app })`. */
export interface BesideOptions extends SwitchOptions {
  /** The app with the native callbacks, which stand in its routes before the handlers that they replace. */
  app: NodeHandler
}

/** Options of every migration. */
export interface SwitchOptions {
  /** Where states are kept. Default in the memory of this process. */
  store?: MigrationStore
  /**
   * What a route begins with: a state for all, or a function of its key. Default `'legacy'` where the legacy app has a route for it, else
   * `'native'`; where the routes of the legacy app cannot be read, `'legacy'`. The default counts as long as the store was not read.
   */
  initial?: RouteState | ((route: string) => RouteState)
  /** What a client is told apart by under `canary`: a user, a session. Default its address. Undefined is `legacy`. */
  stickyBy?: (req: IncomingMessage) => string | number | undefined
  /** False for no comparison. */
  shadow?: ShadowOptions | false
  /** False for no rollback. */
  rollback?: RollbackOptions | false
  /** Without a plan no share goes up by itself. */
  plan?: PlanOptions
  /** After how many days without a request, since the process was started, a route counts as dead. Default 30. */
  deadAfterDays?: number
  /** How long `ready` waits for a store that is away. Default 10 000. */
  startTimeoutMs?: number
  /**
   * A file of this machine that gets what was read of the store. A process that is started while the store is away begins with it.
   */
  snapshot?: string
  /** The version of your app, as `status().fleet` shows it of each replica. Default that of npm, where npm has started the process. */
  appVersion?: string
  /** The name of this process in the history and in `status().fleet`. Default its machine, its number, and a few letters. */
  replica?: string
  /**
   * True for one more line of each event of `on`, as JSON with the name of the event and of the replica. Default false.
   */
  logEvents?: boolean
  /** Gets a line about each change, a rollback, routes that the legacy app does not have, and a store that is away. Default `console`. */
  logger?: Logger
}

/** What is known of one side of a route, since this process was started; of its last answers the times. */
export interface SideStatus {
  /** How many requests it has got. */
  readonly requests: number
  /** How many of them were looked at: all under `canary` and `shadow`, else one of eight. */
  readonly watched: number
  /** Answers with 5xx among those. */
  readonly failures: number
  /** Clients that have gone before the answer was complete. */
  readonly aborted: number
  /** The share of failures among the last answers, from 0 to 1: 5xx, answers that did not come, and those that their client has not got whole. */
  readonly failureRate: number
  /** Undefined without an answer. */
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
}

/** One thing in which the answers of both sides differ. Values are clipped to a few letters, and those of secrets left out. */
export interface Difference {
  readonly what: 'status' | 'missing header' | 'new header' | 'header' | 'body'
  /** The header, or the place in a JSON body: `$.items[*].price`. */
  readonly name?: string
  readonly legacy?: string
  readonly native?: string
}

/** That a difference is meant, and why. */
export interface Acceptance {
  /** The key of the route. */
  readonly route: string
  /** `place` of the difference. */
  readonly place: string
  readonly by: string
  readonly reason: string
  /** ISO 8601. */
  readonly at: string
}

/** A difference that has been seen, with the first request that has shown it. */
export interface OpenDifference extends Difference {
  /** What it is accepted by: `'header etag'`, `'body $.price'`, `'status 200 404'`. */
  readonly place: string
  /** Who has accepted it, and why; undefined for one that is open. */
  readonly accepted?: Acceptance
  /** What helps against it, where that is known. */
  readonly remedy?: string
  readonly method: string
  /** Path and query; secrets in the query left out. */
  readonly target: string
  readonly count: number
  readonly firstAt: string
  readonly lastAt: string
}

/** One route. */
export interface RouteStatus {
  /** `'GET /users/:id'` */
  readonly route: string
  readonly method: string
  readonly path: string
  readonly state: RouteState
  readonly kind: StateKind
  /** The share of clients that the Controller answers: 0 to 100. */
  readonly percent: number
  /** What the state was set for: the key of the route, a group, `'*'`, `'!*'` by the off switch, or `'initial'`. */
  readonly setFor: string
  /** The key of what cannot be read, for which the route stays where it is; undefined for most. */
  readonly heldBy: string | undefined
  readonly legacy: SideStatus
  readonly native: SideStatus
  readonly shadow: {
    readonly compared: number
    readonly different: number
    /** The share that differs among the last answers that were compared, also those before the state was set. */
    readonly differenceRate: number
    readonly dropped: number
    /** Names of what differs between two answers of legacy, and was not compared. */
    readonly noise: readonly string[]
    /**
     * Members of a request that a handler has looked for in a copy at the place of a native callback: `'req.user'`. They could not be copied.
     */
    readonly notCopied: readonly string[]
    /** The option `asIs`: members that a copy at the place of a native callback has as they are. */
    readonly asIs: readonly string[]
  }
  readonly differences: readonly OpenDifference[]
  /** What all replicas have counted; undefined for a store that carries no figures, and until it has answered. */
  readonly fleet: FleetRouteStatus | undefined
  /** How many rollbacks of the route this process has decided. */
  readonly rollbacks: number
  /** When the last request came; undefined before the first one. Where the store carries figures, requests to all replicas count, also those before a restart. */
  readonly lastAskedAt: string | undefined
  readonly isDead: boolean
  /** The next step of the plan; undefined where no plan leads the route up. */
  readonly plan: PlanStatus | undefined
  /** Until when a plan leaves the route alone. */
  readonly coolDownUntil: string | undefined
  /** What waits for a person: why a plan does not lead it up, or why a Controller that is slow is not taken back. */
  readonly paused: string | undefined
}

/** What a plan does next with a route, and what that waits for. */
export interface PlanStatus {
  readonly next: RouteState
  /** When the time of this step is over, and that of a cool-down. */
  readonly notBefore: string
  /** How many answers the Controller has given in this step: to clients of all replicas, where the store carries figures. */
  readonly answers: number
  /** How many answers this step needs. */
  readonly answersNeeded: number
}

/** A setting of a store that has no meaning. Its routes stay where they were; in a new process, at legacy. */
export interface UnreadSetting {
  readonly key: string
  /** As the store has it. */
  readonly state: string
  /** `'state'` where that is none; `'key'` where it is for no route, and is not `native`. */
  readonly what: 'state' | 'key'
  /** The key that was probably meant. */
  readonly meant: string | undefined
  /** The keys of the routes that stay where they are. */
  readonly routes: readonly string[]
}

/** Where the states of a migration are from. */
export type StatesSource = 'store' | 'snapshot'

/** What `ready` tells. */
export interface Readiness {
  /** `'snapshot'` where the store has not answered within `startTimeoutMs`. */
  readonly from: StatesSource
}

/** One replica, as it has told of itself. */
export interface ReplicaStatus {
  readonly replica: string
  /** The option `appVersion`. */
  readonly appVersion: string | undefined
  /** The version of the states that it has read last. */
  readonly stateVersion: number | undefined
  /** True where its routes have been in other states than here for three seconds. */
  readonly disagrees: boolean
}

/** What all replicas have counted of one route, since there are figures in the store: also before a restart. */
export interface FleetRouteStatus {
  readonly legacy: { readonly requests: number; readonly failures: number }
  readonly native: { readonly requests: number; readonly failures: number }
  readonly compared: number
  readonly different: number
  /** Differences that are open in the replica which has found most of them. */
  readonly openDifferences: number
}

/** What is known of all replicas. */
export interface FleetStatus {
  /** The name of this one. */
  readonly replica: string
  /** The one that leads plans up; undefined for none. */
  readonly leader: string | undefined
  readonly isLeader: boolean
  /** How many have reported in the last 15 seconds. */
  readonly replicas: number
  readonly members: readonly ReplicaStatus[]
  /** Since when its figures are counted; undefined before the store has answered. */
  readonly since: string | undefined
}

/** What `status()` gives. */
export interface MigrationStatus {
  readonly version: 1
  readonly at: string
  /** Since when this process has counted. */
  readonly since: string
  /** Requests for routes of the list, and how many of them a Controller has got. */
  readonly requests: number
  readonly nativeRequests: number
  /** `nativeRequests / requests`; 0 without any. */
  readonly nativeShare: number
  readonly routes: readonly RouteStatus[]
  /** What is set: by route, group, `'*'`, and `'!*'` for the off switch. */
  readonly settings: Readonly<Record<string, RouteState>>
  readonly store: {
    readonly name: string
    readonly isAway: boolean
    /** Where the states are from: `'nothing'` as long as neither the store nor a snapshot was read. */
    readonly from: StatesSource | 'nothing'
    /** Why it is away, or why it takes no changes. */
    readonly problem: string | undefined
    /** What was read last; undefined for a store that counts no changes. */
    readonly version: number | undefined
    /** Changes of this process that it does not have yet. */
    readonly pending: number
    readonly canWrite: boolean
    /** Of its states those that are for no route, or cannot be read. */
    readonly ignored: readonly string[]
    /** Why routes stay where they are. */
    readonly unread: readonly UnreadSetting[]
  }
  readonly shadow: {
    readonly running: number
    readonly waiting: number
    readonly heldBytes: number
    readonly dropped: Readonly<Record<DropReason, number>>
  }
  /** Keys of routes that have had no request for `deadAfterDays`. */
  readonly dead: readonly string[]
  /** Routes of the legacy app that no Controller has: `'GET /old'`. */
  readonly legacyOnly: readonly string[]
  /** True where nearly all requests under `canary` had one key: the share is all or nothing then. */
  readonly hasOneClientKey: boolean
  /** What the replicas have told one another; undefined for a store that carries no figures. */
  readonly fleet: FleetStatus | undefined
  /** The newest last. */
  readonly history: readonly HistoryEntry[]
}

/**
 * Why an answer was not compared. `'changed'`: the side that was first has answered in another way the second time, as the other side has.
 * `'error'`: the comparison has thrown; one log line of each route says what. `'passed'`: both sides have called `next()` for a request that
 * may write.
 */
export type DropReason = 'load' | 'queue' | 'size' | 'body' | 'failed' | 'changed' | 'error' | 'passed'

/** What a rollback was made for. */
export interface RollbackEvidence {
  readonly route: string
  readonly from: RouteState
  /** `'slow'`: by the answers of all replicas, of which it is known how many took longer than those of legacy may take. */
  readonly cause: 'errors' | 'differences' | 'p99' | 'slow'
  /** What was measured, and what is allowed. */
  readonly measured: number
  readonly limit: number
  /** How many answers were looked at. */
  readonly answers: number
  /** @deprecated Read `answers`, which is the same. */
  readonly samples: number
  /** The log line. */
  readonly message: string
}

/** A change that was not made, and what was said in its place. */
export interface DroppedChange {
  readonly change: HistoryEntry
  readonly first: FirstChange
  /** The log line. */
  readonly message: string
}

/** What another user has said for the same routes. */
export interface FirstChange {
  readonly route: string
  /** Undefined where the key was taken out of the store. */
  readonly to: string | undefined
  /** Who; the name of the store where it does not say. */
  readonly by: string
}

/** What `on` tells. */
export interface MigrationEvents {
  /** The state of a route, a group or all was set, here or in another process. */
  change: HistoryEntry
  rollback: RollbackEvidence
  /** A difference that was not seen before. */
  difference: OpenDifference & { readonly route: string }
  /** A change that has waited for the store is not made: another user has said something since it was decided. */
  dropped: DroppedChange
  /** The store has gone away or has come back, or takes no changes, or takes them again. */
  store: { readonly name: string; readonly isAway: boolean; readonly problem: string | undefined }
}

/** Why and by whom a state is set. */
export interface SetOptions {
  reason: string
  /** Default `'unknown'`. */
  by?: string
  /**
   * True for the off switch, as `set('*', 'legacy', { override: true, reason })`: all that is set is taken back, and all routes stay at legacy whatever is set later
   * for a part. A state that is set for `'*'` without `override` ends the off switch. Default false.
   */
  override?: boolean
  /** `status().store.version` that the decision was made on. Default what this process has read last. */
  seen?: number
}

/** Why and by whom a difference is accepted. */
export interface AcceptOptions {
  reason: string
  /** Default `'unknown'`. */
  by?: string
  /** True to take it back. Default false. */
  takeBack?: boolean
}

/** Who looks at the page. */
export interface PageVisitor {
  /** The name that stands in the history. */
  readonly by: string
  /** False for a user who may only look. Default true. A member with another value is refused: the answer is 500. */
  readonly canChange?: boolean
}

/** Options of `page`. */
export interface PageOptions {
  /**
   * Tells who asks: a name, or `{ by, canChange }`. It is asked for each request to the page. `undefined` is answered with 401: it
   * is not known who asks. `false` is answered with 403: that user may not see it. Where it throws, rejects or takes more than 30 seconds, the page is not shown.
   */
  authorize(this: void, req: IncomingMessage): MaybePromise<string | PageVisitor | false | null | undefined>
  /** The path of the page where it stays in the URL, as over a plain server: `'/migration'`. Inside Express, `app.use` takes it off. */
  path?: string
  /** WWW-Authenticate of a 401: `'Basic realm="migration"'`. Default none. */
  challenge?: string
  /** How many browsers are told at the same time of what changes; others ask every few seconds. Default 20. */
  maxStreams?: number
}

/** What `migration` gives. */
export interface Migration extends BesideMigration {
  /** For `server.start({ port, ...switching.serverOptions })`. */
  readonly serverOptions: {
    readonly routeControllers: { getCallback(): FetchHandler }
    readonly fallback: NodeHandler
  }
  /** For `app.use`: what goes to legacy goes to `next()`. */
  middleware(): ConnectHandler
  /** For `http.createServer`. */
  listener(): NodeHandler
}

/** What `migration({ app })` gives: the app is served as it is. */
export interface BesideMigration {
  /**
   * Resolves when the store was read for the first time. After `startTimeoutMs` without that it resolves with the states of `snapshot`, or
   * rejects with ERR_STORE_AWAY. Who does not wait for it needs no `catch`; the store is read on all the same.
   */
  readonly ready: Promise<Readiness>
  /** What is known at this moment, as a plain object. */
  status(): MigrationStatus
  /**
   * Sets the state of a route (`'GET /users/:id'`), of a group (`'/api'`: all routes at or below that path) or of all (`'*'`); states that
   * were set for its parts are taken back. It counts here at once; the promise tells whether the store has it. A store that is away gets it
   * when it is back, unless another user has said something by then. Rejects with ERR_STATE_CHANGED where another user was first or the off switch is on, and
   * with ERR_OPTION_INVALID.
   */
  set(route: string, state: RouteState, options: SetOptions): Promise<{ isStored: boolean }>
  /** Calls a listener; gives what ends that. One that throws or rejects is logged, and none is waited for. */
  on<Name extends keyof MigrationEvents>(
    event: Name,
    listener: (event: MigrationEvents[Name]) => unknown,
  ): () => void
  /** Clears the differences of a route, or of all, and what is known of noise, in this process. Call it once they are mended. */
  forgetDifferences(route?: string): void
  /**
   * Accepts a difference of a route: one that is meant. `place` is that of the difference in `status()`. It is kept in the store, for all replicas. From
   * then on it counts for no rollback, and no plan waits for it. Rejects with ERR_OPTION_INVALID, also where 1000 are accepted already.
   */
  acceptDifference(route: string, place: string, options: AcceptOptions): Promise<{ isStored: boolean }>
  /** The numbers as Prometheus text, by the package prom-client. Rejects with ERR_PROM_CLIENT_MISSING. */
  metrics(): Promise<string>
  /**
   * A page that shows the routes, and changes their states: for `app.use('/migration', …)`, or `http.createServer` on a port of its own.
   * Below it are `status.json`, `metrics`, `events`, and `off` for programs. What is not the page's goes to `next()`, and without that is 404. Throws
   * ERR_OPTION_INVALID, also without `authorize`.
   */
  page(options: PageOptions): ConnectHandler
  /** Stops timers, comparisons and the watch of the store. Routes stay in their states. */
  close(): Promise<void>
}
