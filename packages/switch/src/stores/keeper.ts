// Keeps the states of this process and those of a store the same. A store that is away changes nothing: the last known states count.
import { isThenable } from '../../../../src/ground/thenable.js'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { log } from '../../../../src/ground/log.js'
import type { Logger } from '../../../../src/ground/types.js'
import { printable } from '../../../../src/ground/printable.js'
import { overrideKey } from '../../../compare/src/route-keys.js'
import type { Clock } from '../states/clock.js'
import { lineOf } from '../states/error-line.js'
import { nodeCrypto } from '../states/node-crypto.js'
import type { Acceptances } from './acceptances.js'
import { applied } from './memory-store.js'
import type { Snapshot } from './snapshot.js'
import type {
  FirstChange,
  HistoryEntry,
  MigrationStore,
  Readiness,
  RouteState,
  StatesSource,
  StoreAnswer,
  StoredStates,
} from '../states/schema.js'
import type { MaybePromise } from '../../../../src/ground/types.js'
import { awayAfterMs, limited } from './limited.js'
import { isForAny, overlap, type State, stateAt, within } from '../states/states.js'
import { mostHistory, readAccepted, readHistory, readMap } from '../states/stored-states.js'

/** How often a store is read, whether it has told of a change or not. */
const readEveryMs = 1000
/** How often a change is offered in a row to a store that others write to at the same time. */
const mostOffers = 50

export interface KeeperParts {
  readonly store: MigrationStore
  readonly acceptances: Acceptances
  readonly snapshot: Snapshot | undefined
  readonly startTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** The keys of all routes. */
  readonly routes: () => readonly string[]
  /** The states are other ones now. */
  readonly changed: (entries: readonly HistoryEntry[]) => void
  readonly awayChanged: () => void
  /** A change that has waited is not made: another user has said something since. */
  readonly dropped: (change: HistoryEntry, first: FirstChange) => void
}

/** What is to be set. */
export interface Change {
  readonly route: string
  readonly state: RouteState
  readonly entry: HistoryEntry
  /** The lease of who leads, for a change that it alone may make. */
  readonly lease?: string | undefined
}

/** What has become of a change. */
export interface ChangeOutcome {
  readonly isStored: boolean
  /** Who was first, where the change is not made for that. */
  readonly first?: FirstChange | undefined
}

/** A change on its way to the store. */
interface Held {
  readonly change: Change
  /** False for one that counts only once the store has it. */
  readonly countsAtOnce: boolean
  /** True where it was made before the store was read: who waits for it has seen what is read then. */
  readonly isBlind: boolean
  /** A caller waits for what becomes of it. */
  isAwaited: boolean
  isStored: boolean
  first: FirstChange | undefined
}

/** A change of this process alone. */
interface Local {
  readonly change: Change
  /** Narrower keys that count no more, until the store says something else for one. */
  takeBack: readonly string[]
}

type Written = 'stored' | 'refused' | 'failed'

export class Keeper {
  readonly #parts: KeeperParts
  #states: Readonly<Record<string, string>> = {}
  #history: readonly HistoryEntry[] = []
  readonly #seen = new Set<string>()
  /** What the store has told last: none of it is news. */
  #toldByStore: readonly HistoryEntry[] = []
  /** What the store has yet to take. What another user says is compared with each, so that none is older than what the store has. */
  #pending: readonly Held[] = []
  /** Set here where the store cannot be written: each counts until the store says something else for its key than it did. */
  readonly #local = new Map<string, Local>()
  #stored: Readonly<Record<string, string>> = {}
  #version: number | undefined
  /** Why it cannot be read, and why it cannot be written. */
  #problem: string | undefined
  #refusal: string | undefined
  #busy: Promise<void> | undefined
  #isAskedAgain = false
  #isClosed = false
  readonly #undo: (() => void)[] = []
  /** True once something was read: from then on what changes is told. */
  #isRead = false
  /** When the store has answered last. */
  #takenAt: number | undefined
  #isFromSnapshot = false
  /** Ends the wait for the first answer. */
  #ready:
    { readonly resolve: (readiness: Readiness) => void; readonly reject: (error: Error) => void } | undefined
  /** What it holds after it has lost its states. */
  #lost: { readonly version: number | undefined } | undefined

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  /**
   * Reads the store, at once where that answers at once, and follows it from then on. Until then what was kept of it counts, and a store that is
   * written and holds nothing has lost it. One that is not written is set elsewhere, where nothing may be meant.
   *
   * Rejects where neither is there after a while.
   */
  start(): Promise<Readiness> {
    const { store, clock } = this.#parts
    const ready = this.#waitForFirst()
    if (this.canWrite) this.#beginWithSnapshot()
    void this.sync()
    if (!this.canWrite && this.#takenAt === undefined) this.#beginWithSnapshot()
    try {
      const unwatch = store.watch?.(() => void this.sync())
      if (unwatch !== undefined) this.#undo.push(unwatch)
    } catch (error) {
      this.#fails(error)
    }
    this.#undo.push(clock.every(readEveryMs, () => void this.sync()))
    return ready
  }

  #waitForFirst(): Promise<Readiness> {
    const { clock, startTimeoutMs } = this.#parts
    return new Promise((resolve, reject) => {
      const stopWaiting = clock.after(startTimeoutMs, () => {
        if (this.#isFromSnapshot) settle(() => resolve({ from: 'snapshot' }))
        else settle(() => reject(this.#isMissing(`within ${startTimeoutMs} ms`)))
      })
      const settle = (say: () => void): void => {
        stopWaiting()
        this.#ready = undefined
        say()
      }
      this.#ready = {
        resolve: (readiness) => settle(() => resolve(readiness)),
        reject: (error) => settle(() => reject(error)),
      }
    })
  }

  #isMissing(when: string): Error {
    const { store } = this.#parts
    const why = this.#problem === undefined ? '' : ` (${this.#problem})`
    return new RouteControllersError(
      'ERR_STORE_AWAY',
      `migration: the store ${printable(store.name)} was not read ${when}${why}: with the option snapshot a process begins with what was read before`,
    )
  }

  #beginWithSnapshot(): void {
    const kept = this.#parts.snapshot?.read()
    if (kept === undefined) return
    this.#isFromSnapshot = true
    this.#stored = kept.states
    this.#version = kept.version
    this.#parts.acceptances.take(kept.accepted)
    this.#apply(kept.history ?? [], false, true)
  }

  /** What counts, by key. */
  settings(): Map<string, State> {
    const settings = new Map<string, State>()
    for (const [key, text] of Object.entries(this.#states)) {
      const state = stateAt(key, text)
      if (state !== undefined) settings.set(key, state)
    }
    return settings
  }

  /** The same as the store has it, also what cannot be read. */
  get states(): Readonly<Record<string, string>> {
    return this.#states
  }

  /** Keys whose states cannot be read. */
  unreadable(): string[] {
    return Object.keys(this.#states).filter((key) => stateAt(key, this.#states[key]) === undefined)
  }

  get history(): readonly HistoryEntry[] {
    return this.#history
  }

  get version(): number | undefined {
    return this.#version
  }

  /** Whether it is known what the store holds. */
  get isKnown(): boolean {
    return this.source !== undefined
  }

  get source(): StatesSource | undefined {
    if (this.#takenAt !== undefined) return 'store'
    return this.#isFromSnapshot ? 'snapshot' : undefined
  }

  get isAway(): boolean {
    return this.#problem !== undefined
  }

  get problem(): string | undefined {
    return this.#problem ?? this.#refusal
  }

  get pending(): number {
    return this.#pending.length
  }

  get canWrite(): boolean {
    return this.#parts.store.write !== undefined
  }

  /** Whether the states here are those of the store: a process that was stopped for a while knows nothing of what was said meanwhile. */
  get isUpToDate(): boolean {
    return this.#takenAt !== undefined && this.#parts.clock.monotonic() - this.#takenAt <= awayAfterMs
  }

  /** Whether a change is on its way for a route. */
  isChanging(route: string): boolean {
    return this.#pending.some(({ change }) => change.route === route)
  }

  /**
   * Makes a change, and in the store as soon as that takes it; unless another user has said something since `seen`. Never rejects.
   *
   * It counts here at once. With `countsAtOnce: false` it counts once the store has it, and is not offered a second time.
   */
  async set(
    change: Change,
    { seen, countsAtOnce = true }: { seen?: number | undefined; countsAtOnce?: boolean } = {},
  ): Promise<ChangeOutcome> {
    if (seen !== undefined) {
      // Another process, which is ahead of this one, may have told it.
      if (seen > (this.#version ?? 0)) await this.#waitFor(this.sync())
      const first = this.#saidSince(seen, change.route)
      if (first !== undefined) return { isStored: false, first }
    }
    if (!this.canWrite) {
      for (const key of within(this.#local.keys(), change.route)) this.#local.delete(key)
      this.#local.set(change.route, { change, takeBack: within(Object.keys(this.#stored), change.route) })
      this.#apply([change.entry])
      return { isStored: false }
    }
    const isBlind = !this.isKnown
    const held: Held = { change, countsAtOnce, isBlind, isAwaited: true, isStored: false, first: undefined }
    this.#pending = [...this.#pending, held]
    if (this.#pending.length > mostHistory) this.#pending = combine(this.#pending)
    if (countsAtOnce) this.#apply([change.entry])
    await this.#waitFor(this.sync())
    held.isAwaited = false
    return { isStored: held.isStored, first: held.first }
  }

  /** Waits for what may never end: a client that waits for its connection does not answer. */
  #waitFor(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stopWaiting = this.#parts.clock.after(awayAfterMs, resolve)
      void work.then(() => {
        stopWaiting()
        resolve()
      })
    })
  }

  /** What was said for the same routes after a version. */
  #saidSince(seen: number, route: string): FirstChange | undefined {
    const since = this.#history.filter(({ version }) => version !== undefined && version > seen)
    const first = since.findLast((entry) => overlap(entry.route, route))
    if (first !== undefined) return first
    // The history has an end: what was said before it is not known.
    const oldest = this.#history.find(({ version }) => version !== undefined)?.version
    const isCut = this.#history.length >= mostHistory && oldest !== undefined && oldest > seen + 1
    return isCut ? { route, to: this.#stored[route], by: this.#ofStore() } : undefined
  }

  /** Who has said what the history says nothing of. */
  #ofStore(): string {
    return `store ${this.#parts.store.name}`
  }

  /** Reads, and writes what is pending; one after the other. */
  async sync(): Promise<void> {
    if (this.#isClosed) return
    if (this.#busy !== undefined) {
      this.#isAskedAgain = true
      return this.#busy
    }
    let done = (): void => {}
    // Before it begins: with a store that answers at once it is done before it has given a promise.
    this.#busy = new Promise((resolve) => (done = resolve))
    try {
      do {
        this.#isAskedAgain = false
        const round = this.#round()
        if (round !== undefined) await round
      } while (this.#isAskedAgain && !this.#isClosed)
    } finally {
      this.#busy = undefined
      done()
    }
  }

  /** Reads before anything is written: a store that takes no changes is followed all the same. Sync up to the first promise of the store. */
  #round(): Promise<void> | undefined {
    const read = this.#read()
    const next = (isRead: boolean): Promise<void> | undefined => (isRead ? this.#offerAll() : this.#putBack())
    return isThenable(read) ? read.then(next) : next(read)
  }

  /** Puts back what the store has lost; the first replica that may write does. */
  #putBack(): Promise<void> | undefined {
    if (this.#lost === undefined || !this.canWrite || this.#isClosed) return undefined
    // A process that knows nothing of what was there has nothing but what a user says now.
    if (Object.keys(this.#stored).length === 0) return this.#offerAll()
    const next = (written: Written): Promise<void> | undefined => {
      if (written === 'failed') return undefined
      const { store, logger } = this.#parts
      if (written === 'stored')
        log(logger, 'info', `migration: the states of the store ${printable(store.name)} were put back`)
      const read = this.#read()
      if (isThenable(read)) return read.then((isRead) => (isRead ? this.#offerAll() : undefined))
      return read ? this.#offerAll() : undefined
    }
    const { version } = this.#lost
    const written = this.#writing(() => this.#restore(version))
    return isThenable(written) ? written.then(next) : next(written)
  }

  #restore(seen: number | undefined): MaybePromise<StoreAnswer | void> {
    const { store, clock } = this.#parts
    const pending = new Set(this.#pending.map(({ change }) => change.entry.id))
    const history = this.#history.filter(({ id }) => !pending.has(id))
    const accepted = this.#parts.acceptances.stored
    const stored = { states: this.#stored, history, accepted, version: this.#version }
    if (store.restore !== undefined) return store.restore(stored, seen)
    return this.#restoreEach(Object.entries(this.#stored), clock)
  }

  async #restoreEach(states: readonly (readonly [string, string])[], clock: Clock): Promise<void> {
    for (const [route, text] of states) {
      const to = text as RouteState
      const why = { by: 'migration', reason: 'the store had lost it' }
      const entry = createEntry(clock, { route, from: undefined, to, ...why })
      await this.#parts.store.write!({ route, state: to, takeBack: [], entry })
    }
  }

  /** Offers what is pending, one after the other, with what has been read last. */
  #offerAll(offers = mostOffers): Promise<void> | undefined {
    const [held] = this.#pending
    if (held === undefined || this.#isClosed || offers === 0) return undefined
    const next = (written: Written): Promise<void> | undefined => {
      if (!this.#took(held, written)) return undefined
      // A change that is stored is no reason to end.
      const left = written === 'stored' ? mostOffers : offers - 1
      const read = this.#read()
      if (isThenable(read)) return read.then((isRead) => (isRead ? this.#offerAll(left) : undefined))
      return read ? this.#offerAll(left) : undefined
    }
    const written = this.#write(held)
    return isThenable(written) ? written.then(next) : next(written)
  }

  #write({ change }: Held): MaybePromise<Written> {
    const takeBack = within(Object.keys(this.#stored), change.route)
    return this.#writing(() => this.#parts.store.write!({ ...change, takeBack, seen: this.#version }))
  }

  #writing(write: () => MaybePromise<StoreAnswer | void>): MaybePromise<Written> {
    const outcomeOf = (answer: StoreAnswer | void): Written => {
      this.#takesChanges()
      if (answer?.auditProblem !== undefined) this.#tellOfAudit(answer.auditProblem)
      if (answer?.isLeaseOver === true) return 'failed'
      return answer?.isStored === false ? 'refused' : 'stored'
    }
    const failed = (error: unknown): Written => {
      this.#refuses(error)
      return 'failed'
    }
    const { clock } = this.#parts
    try {
      const answer = write()
      return isThenable(answer) ? limited(clock, answer).then(outcomeOf, failed) : outcomeOf(answer)
    } catch (error) {
      return failed(error)
    }
  }

  /** Once: what is changed is changed all the same. */
  #tellOfAudit(problem: string): void {
    if (this.#hasToldOfAudit) return
    this.#hasToldOfAudit = true
    const { store, logger } = this.#parts
    const why = printable(problem)
    log(
      logger,
      'error',
      `migration: a change does not stand in the audit trail of the store ${printable(store.name)}: ${why}`,
    )
  }
  #hasToldOfAudit = false

  /** Notes what has become of an offer. True where the store is to be read again. */
  #took(held: Held, written: Written): boolean {
    if (written !== 'failed') {
      if (written === 'stored') this.#isNowStored(held)
      return true
    }
    // It was decided on what counts now.
    if (!held.countsAtOnce) this.#pending = this.#pending.filter((one) => one !== held)
    return false
  }

  #isNowStored(held: Held): void {
    const { route, state } = held.change
    held.isStored = true
    this.#stored = applied(this.#stored, route, state, within(Object.keys(this.#stored), route))
    this.#pending = this.#pending.filter((one) => one !== held)
  }

  /** True where that has given states. */
  #read(): MaybePromise<boolean> {
    const { clock, store, routes, acceptances } = this.#parts
    acceptances.beginRead()
    const late = clock.after(awayAfterMs, () => this.#fails(new Error(`no answer within ${awayAfterMs} ms`)))
    const failed = (error: unknown): boolean => {
      late()
      this.#fails(error)
      return false
    }
    const taken = (found: StoredStates): boolean => {
      const isTaken = this.#take(found)
      late()
      if (isTaken) this.#isBack()
      else this.#fails(new Error('it has lost its states'))
      return isTaken
    }
    try {
      const found = store.read(routes())
      return isThenable(found) ? found.then(taken).then(undefined, failed) : taken(found)
    } catch (error) {
      return failed(error)
    }
  }

  /** True where these are states to follow: not what is left of some that were lost. */
  #take(found: StoredStates): boolean {
    // After close nothing is told any more.
    if (this.#isClosed) return true
    const states = readMap(found.states)
    this.#lost = this.#isLostIn(found, states) ? { version: found.version } : undefined
    if (this.#lost !== undefined) return false
    const history = readHistory(found.history)
    // The store may have taken what it has not answered.
    const ids = new Set(history.map(({ id }) => id))
    for (const held of this.#pending) if (ids.has(held.change.entry.id)) this.#isNowStored(held)
    this.#dropOverruled(states, history)
    this.#dropLocal(states)
    this.#toldByStore = history
    this.#stored = states
    this.#version = found.version
    // What was changed before this process was there is no news.
    const isFirst = this.#takenAt === undefined
    this.#takenAt = this.#parts.clock.monotonic()
    const accepted = readAccepted(found.accepted)
    this.#parts.acceptances.take(accepted)
    this.#apply(history, !isFirst, isFirst)
    this.#parts.snapshot?.keep({ states, history, accepted, version: found.version })
    this.#ready?.resolve({ from: 'store' })
    return true
  }

  #isLostIn({ isLost, version = 0 }: StoredStates, states: Readonly<Record<string, string>>): boolean {
    if (isLost !== undefined || !this.isKnown) return isLost === true
    const isEmpty = Object.keys(states).length === 0 && Object.keys(this.#stored).length > 0
    // After a failover, too, which may take the last changes with it. A snapshot may be of another store.
    return isEmpty || (this.#takenAt !== undefined && version < (this.#version ?? 0))
  }

  /** Takes out what is pending and was decided before another user has said something for the same routes. */
  #dropOverruled(states: Readonly<Record<string, string>>, history: readonly HistoryEntry[]): void {
    if (this.#pending.length === 0) return
    const own = new Set(this.#pending.map(({ change }) => change.entry.id))
    const said: FirstChange[] = history.filter(({ id }) => !this.#seen.has(id) && !own.has(id))
    const told = new Set(said.map(({ route }) => route))
    // By hand, or by a store without a history.
    const keys = new Set([...Object.keys(states), ...Object.keys(this.#stored)])
    for (const route of keys)
      if (states[route] !== this.#stored[route] && !told.has(route))
        said.push({ route, to: states[route], by: this.#ofStore() })
    const isFirstRead = this.#takenAt === undefined
    for (const held of this.#pending) {
      if (isFirstRead && held.isBlind && held.isAwaited) continue
      held.first = said.findLast(
        (one) => overlap(one.route, held.change.route) && overrules(one, held.change),
      )
    }
    const overruled = this.#pending.filter(({ first }) => first !== undefined)
    if (overruled.length === 0) return
    this.#pending = this.#pending.filter(({ first }) => first === undefined)
    const ended = new Set(overruled.map(({ change }) => change.entry.id))
    this.#history = this.#history.filter(({ id }) => !ended.has(id))
    for (const { isAwaited, change, first } of overruled)
      if (!isAwaited) this.#parts.dropped(change.entry, first!)
  }

  /** What the store says now is newer than what was set here. */
  #dropLocal(states: Readonly<Record<string, string>>): void {
    const isSaid = (key: string): boolean => states[key] !== this.#stored[key]
    for (const [key, local] of this.#local) {
      if (isSaid(key)) this.#local.delete(key)
      else local.takeBack = local.takeBack.filter((narrower) => !isSaid(narrower))
    }
  }

  #apply(entries: readonly HistoryEntry[], isTold = true, isFirst = false): void {
    let states = this.#stored
    for (const { change, takeBack } of this.#local.values())
      states = applied(states, change.route, change.state, takeBack)
    for (const { change, countsAtOnce } of this.#pending) {
      const { route, state } = change
      if (countsAtOnce) states = applied(states, route, state, within(Object.keys(states), route))
    }
    const isOther = !isSame(states, this.#states)
    const fresh = [
      ...entries.filter(({ id }) => !this.#seen.has(id)),
      ...(isFirst ? [] : this.#changesElsewhere(states, entries)),
    ]
    this.#isRead = true
    for (const { id } of fresh) this.#seen.add(id)
    // What the store has of an entry counts: its time is that of one clock for all.
    const stored = new Map(entries.map((entry) => [entry.id, entry]))
    const known = this.#history.map((entry) => stored.get(entry.id) ?? entry)
    this.#history = [...known, ...fresh].sort(inOrder).slice(-mostHistory)
    if (this.#seen.size > 10 * mostHistory) {
      this.#seen.clear()
      // A change that waits for long may stand in no history until the store has it, and then it is no other user's.
      const waiting = this.#pending.map(({ change }) => change.entry)
      for (const { id } of [...this.#toldByStore, ...this.#history, ...entries, ...waiting])
        this.#seen.add(id)
    }
    if (!isOther && fresh.length === 0 && !isFirst) return
    this.#states = states
    this.#parts.changed(isTold ? fresh : [])
  }

  /** What was written to the store by hand, or the store does not keep a history of. */
  #changesElsewhere(
    states: Readonly<Record<string, string>>,
    entries: readonly HistoryEntry[],
  ): HistoryEntry[] {
    if (!this.#isRead) return []
    const told = new Set(entries.filter(({ id }) => !this.#seen.has(id)).map(({ route }) => route))
    const { clock } = this.#parts
    const routes = this.#parts.routes()
    return Object.entries(states).flatMap(([route, text]) => {
      const state = stateAt(route, text)
      if (state === undefined || text === this.#states[route] || told.has(route)) return []
      // It moves nothing.
      if (!isForAny(route, routes)) return []
      return createEntry(clock, {
        route,
        from: stateAt(route, this.#states[route])?.text,
        to: state.text,
        by: this.#ofStore(),
        reason: 'was set in the store',
        ...(this.#version !== undefined && { version: this.#version }),
      })
    })
  }

  #fails(error: unknown): void {
    if (this.#isClosed) return
    const isFirst = this.#problem === undefined
    this.#problem = lineOf(error)
    if (!isFirst) return
    const { store, logger, awayChanged } = this.#parts
    log(
      logger,
      'warn',
      `migration: the store ${printable(store.name)} is away (${this.#problem}); the last known states count until it is back`,
    )
    awayChanged()
  }

  #isBack(): void {
    if (this.#problem === undefined || this.#isClosed) return
    this.#problem = undefined
    const { store, logger, awayChanged } = this.#parts
    log(logger, 'info', `migration: the store ${printable(store.name)} is back`)
    awayChanged()
  }

  /** A store that can be read and not written is followed: it is not away. */
  #refuses(error: unknown): void {
    if (this.#isClosed) return
    const isFirst = this.#refusal === undefined
    this.#refusal = lineOf(error)
    if (!isFirst) return
    const { store, logger, awayChanged } = this.#parts
    log(
      logger,
      'warn',
      `migration: the store ${printable(store.name)} takes no changes (${this.#refusal}); they are offered again once a second, and what it holds counts`,
    )
    awayChanged()
  }

  #takesChanges(): void {
    if (this.#refusal === undefined || this.#isClosed) return
    this.#refusal = undefined
    const { store, logger, awayChanged } = this.#parts
    log(logger, 'info', `migration: the store ${printable(store.name)} takes changes again`)
    awayChanged()
  }

  /** Once all that is on its way to a store in touch is there: a process that ends in between would leave the lock of a file behind. */
  async close(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo()
    this.#ready?.reject(this.#isMissing('before it was closed'))
    if (this.problem === undefined) {
      const changes = this.#pending.length > 0 ? this.sync() : undefined
      await this.#waitFor(Promise.all([changes, this.#parts.acceptances.offered()]).then(() => undefined))
    }
    this.#isClosed = true
    await this.#parts.snapshot?.written()
  }
}

/**
 * Leaves out what a later change of the same key overrides, so that a store that is away for long does not fill the memory. The first one
 * stays as it is: the store may have it already.
 */
function combine(pending: readonly Held[]): readonly Held[] {
  const last = new Map(pending.map(({ change }, at) => [change.route, at]))
  return pending.filter(({ change }, at) => at === 0 || last.get(change.route) === at)
}

/** A plan that goes on is no reason to leave a route where it fails. Nothing that others set keeps the off switch from being set. */
function overrules({ route, by }: FirstChange, change: Change): boolean {
  if (change.route === overrideKey) return route === overrideKey
  return !(change.entry.by === 'rollback' && by === 'plan')
}

/** By the versions, as clocks may differ; by the times where the store has not taken one yet. */
function inOrder(one: HistoryEntry, other: HistoryEntry): number {
  if (one.version !== undefined && other.version !== undefined) return one.version - other.version
  return one.at < other.at ? -1 : Number(one.at > other.at)
}

/** An entry of now. A text that was cut may end with half of a surrogate pair, which not every store can read. */
export function createEntry(clock: Clock, change: Omit<HistoryEntry, 'id' | 'at'>): HistoryEntry {
  const [by, reason] = [change.by, change.reason].map((text) => text.replace(/\p{Surrogate}/gu, '\uFFFD'))
  const at = new Date(clock.now()).toISOString()
  return { id: nodeCrypto().randomUUID(), at, ...change, by: by!, reason: reason! }
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
