// Keeps the states of this process and those of a store the same. A store that is away changes nothing: the last known states count.
import { isThenable } from '../../../../src/ground/thenable.js'
import { log } from '../../../../src/ground/log.js'
import type { Logger } from '../../../../src/ground/types.js'
import { printable } from '../../../../src/ground/printable.js'
import type { Clock } from '../states/clock.js'
import { lineOf } from '../states/error-line.js'
import { applied } from './memory-store.js'
import type { HistoryEntry, MigrationStore, StoreChange, StoredStates } from '../states/schema.js'
import { isForAny, parseState, type State } from '../states/states.js'
import { mostHistory, readHistory, readMap } from '../states/stored-states.js'

/** How often a store is read, whether it has told of a change or not. */
const readEveryMs = 1000
/** What takes longer counts as away; it is waited for all the same. */
const awayAfterMs = 3000

export interface KeeperParts {
  readonly store: MigrationStore
  readonly clock: Clock
  readonly logger: Logger
  /** The keys of all routes. */
  readonly routes: () => readonly string[]
  /** The states are other ones now. */
  readonly changed: (entries: readonly HistoryEntry[]) => void
  readonly awayChanged: () => void
}

/** A change on its way to the store. */
interface Held {
  change: StoreChange
  isStored: boolean
}

export class Keeper {
  readonly #parts: KeeperParts
  #states: Readonly<Record<string, string>> = {}
  #history: readonly HistoryEntry[] = []
  readonly #seen = new Set<string>()
  /** What the store has yet to take. */
  #pending: Held[] = []
  /** Set here where the store cannot be written: each counts until the store says something else for its key than it did. */
  readonly #local = new Map<string, { readonly change: StoreChange; readonly stored: string | undefined }>()
  #stored: Readonly<Record<string, string>> = {}
  #problem: string | undefined
  #busy: Promise<void> | undefined
  #isAskedAgain = false
  #isClosed = false
  readonly #undo: (() => void)[] = []
  /** True once something was read: from then on what changes is told. */
  #isRead = false
  /** True once the store has answered. */
  #isTaken = false

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  /** Reads the store, at once where that answers at once, and follows it from then on. Never rejects. */
  start(): Promise<void> {
    const { store, clock } = this.#parts
    const first = this.sync()
    try {
      const unwatch = store.watch?.(() => void this.sync())
      if (unwatch !== undefined) this.#undo.push(unwatch)
    } catch (error) {
      this.#fails(error)
    }
    this.#undo.push(clock.every(readEveryMs, () => void this.sync()))
    return first
  }

  /** What counts, by key. */
  settings(): Map<string, State> {
    const settings = new Map<string, State>()
    for (const [key, text] of Object.entries(this.#states)) {
      const state = parseState(text)
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
    return Object.keys(this.#states).filter((key) => parseState(this.#states[key]) === undefined)
  }

  get history(): readonly HistoryEntry[] {
    return this.#history
  }

  get problem(): string | undefined {
    return this.#problem
  }

  get pending(): number {
    return this.#pending.length
  }

  get canWrite(): boolean {
    return this.#parts.store.write !== undefined
  }

  /** Makes a change here at once, and in the store as soon as that takes it. Never rejects. */
  async set(change: StoreChange): Promise<{ isStored: boolean }> {
    const { store } = this.#parts
    if (store.write === undefined) {
      for (const key of change.takeBack) this.#local.delete(key)
      this.#local.set(change.route, { change, stored: this.#stored[change.route] })
      this.#apply([change.entry])
      return { isStored: false }
    }
    const held = { change, isStored: false }
    this.#pending.push(held)
    if (this.#pending.length > mostHistory) this.#pending = combine(this.#pending)
    this.#apply([change.entry])
    // A client that waits for its connection may never answer.
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#parts.clock.after(awayAfterMs, resolve)
      void this.sync().then(() => {
        stopWaiting()
        resolve()
      })
    })
    return { isStored: held.isStored }
  }

  /** Writes what is pending, and reads; one after the other. */
  async sync(): Promise<void> {
    if (this.#isClosed) return
    if (this.#busy !== undefined) {
      this.#isAskedAgain = true
      return this.#busy
    }
    const working = this.#syncUntilDone()
    this.#busy = working
    await working
  }

  async #syncUntilDone(): Promise<void> {
    try {
      do {
        this.#isAskedAgain = false
        await this.#sync()
      } while (this.#isAskedAgain && !this.#isClosed)
    } finally {
      this.#busy = undefined
    }
  }

  /** Stays sync up to the first promise of the store. */
  #sync(): Promise<void> {
    const { clock } = this.#parts
    const late = clock.after(awayAfterMs, () => this.#fails(new Error(`no answer within ${awayAfterMs} ms`)))
    const done = (): void => {
      late()
      this.#isBack()
    }
    const failed = (error: unknown): void => {
      late()
      this.#fails(error)
    }
    try {
      if (this.#pending.length > 0) return this.#writeAndRead().then(done, failed)
      const read = this.#read()
      if (read !== undefined) return read.then(done, failed)
      done()
    } catch (error) {
      failed(error)
    }
    return Promise.resolve()
  }

  async #writeAndRead(): Promise<void> {
    for (let held = this.#pending[0]; held !== undefined; held = this.#pending[0]) {
      const { change } = held
      await this.#parts.store.write!(change)
      held.isStored = true
      // Not by `shift`: it stays until the read, so that nothing older shows in between.
      this.#stored = applied(this.#stored, change.route, change.state, change.takeBack)
      this.#pending = this.#pending.filter((one) => one !== held)
    }
    await this.#read()
  }

  #read(): Promise<void> | undefined {
    const found = this.#parts.store.read(this.#parts.routes())
    if (isThenable(found)) return found.then((one) => this.#take(one))
    this.#take(found)
    return undefined
  }

  #take({ states, history }: StoredStates): void {
    // After close nothing is told any more.
    if (this.#isClosed) return
    this.#stored = readMap(states)
    for (const [key, { stored }] of this.#local) if (this.#stored[key] !== stored) this.#local.delete(key)
    // What was changed before this process was there is no news.
    this.#apply(readHistory(history), this.#isTaken)
    this.#isTaken = true
  }

  #apply(entries: readonly HistoryEntry[], isTold = true): void {
    let states = this.#stored
    const own = [...this.#local.values(), ...this.#pending]
    for (const { change } of own) {
      const { route, state, takeBack } = change
      states = applied(states, route, state, takeBack)
    }
    const isOther = !isSame(states, this.#states)
    const fresh = [
      ...entries.filter(({ id }) => !this.#seen.has(id)),
      ...this.#changesElsewhere(states, entries),
    ]
    this.#isRead = true
    if (!isOther && fresh.length === 0 && this.#isTaken) return
    for (const { id } of fresh) this.#seen.add(id)
    this.#history = [...this.#history, ...fresh]
      .sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))
      .slice(-mostHistory)
    if (this.#seen.size > 10 * mostHistory) {
      this.#seen.clear()
      for (const { id } of [...this.#history, ...entries]) this.#seen.add(id)
    }
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
    const { store, clock } = this.#parts
    const routes = this.#parts.routes()
    return Object.entries(states).flatMap(([route, text]) => {
      const state = parseState(text)
      if (state === undefined || text === this.#states[route] || told.has(route)) return []
      // It moves nothing.
      if (!isForAny(route, routes)) return []
      return createEntry(clock, {
        route,
        from: parseState(this.#states[route])?.text,
        to: state.text,
        by: `store ${store.name}`,
        reason: 'was set in the store',
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

  close(): void {
    this.#isClosed = true
    for (const undo of this.#undo.splice(0)) undo()
  }
}

/**
 * Leaves out what a later change of the same key overrides, so that a store that is away for long does not fill the memory. What such a
 * change takes back the next one takes back in its place. The first one stays as it is: the store may have it already.
 */
function combine(pending: readonly Held[]): Held[] {
  const last = new Map(pending.map(({ change }, at) => [change.route, at]))
  return pending.filter(({ change }, at) => {
    if (at === 0 || last.get(change.route) === at) return true
    const next = pending[at + 1]!
    const takeBack = [...new Set([...change.takeBack, ...next.change.takeBack])]
    next.change = { ...next.change, takeBack }
    return false
  })
}

/** An entry of now. */
export function createEntry(clock: Clock, change: Omit<HistoryEntry, 'id' | 'at'>): HistoryEntry {
  return { id: crypto.randomUUID(), at: new Date(clock.now()).toISOString(), ...change }
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
