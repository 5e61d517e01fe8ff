// Differences that persons have accepted: those of the store, and those that it has yet to take.
import type { Clock } from '../states/clock.js'
import type { Acceptance, MigrationStore } from '../states/schema.js'
import { limited } from './limited.js'

/** How many differences can be accepted: a store holds them all, and each process reads them. */
export const mostAccepted = 1000

interface Held {
  readonly acceptance: Acceptance
  readonly isTakenBack: boolean
}

export class Acceptances {
  readonly #store: MigrationStore
  readonly #clock: Clock
  #stored: ReadonlyMap<string, Acceptance> = new Map()
  /** Set here, by key: each counts until the store has it, or for good where it carries none. */
  readonly #held = new Map<string, Held>()
  /** What it was told since it is read, so that what is read may lack it. */
  readonly #toldMeanwhile = new Map<string, Held>()
  /** What the store is being told. */
  readonly #offers = new Map<Held, Promise<void>>()

  constructor(store: MigrationStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  of(route: string, place: string): Acceptance | undefined {
    const key = keyOf(route, place)
    const held = this.#held.get(key)
    if (held !== undefined) return held.isTakenBack ? undefined : held.acceptance
    return this.#stored.get(key)
  }

  /** What the store has. */
  get stored(): readonly Acceptance[] {
    return [...this.#stored.values()]
  }

  /** Whether a difference can be accepted: one that is already, or where there are not too many. */
  hasRoomFor(route: string, place: string): boolean {
    const others = [...this.#held].filter(([key, one]) => !one.isTakenBack && !this.#stored.has(key))
    return this.of(route, place) !== undefined || this.#stored.size + others.length < mostAccepted
  }

  /** The store is read from now on, once at a time. */
  beginRead(): void {
    this.#toldMeanwhile.clear()
  }

  /** Takes what was read, and offers what the store has not. */
  take(accepted: readonly Acceptance[] = []): void {
    this.#stored = new Map(accepted.map((one) => [keyOf(one.route, one.place), one]))
    for (const [key, held] of this.#toldMeanwhile) this.#isNowStored(key, held)
    void this.#offerAll()
  }

  /** Accepts a difference, or takes that back. It counts here at once. Tells whether the store has it; never rejects. */
  async set(acceptance: Acceptance, isTakenBack: boolean): Promise<boolean> {
    const key = keyOf(acceptance.route, acceptance.place)
    const held = { acceptance, isTakenBack }
    this.#held.set(key, held)
    await this.#offer(key, held)
    return this.#held.get(key) !== held
  }

  /** Once the store has answered what it is being told. */
  async offered(): Promise<void> {
    await Promise.all(this.#offers.values())
  }

  async #offerAll(): Promise<void> {
    for (const [key, held] of this.#held) await this.#offer(key, held)
  }

  /** Once for each: a store is read, and offered what it has not, while it is being told. */
  #offer(key: string, held: Held): Promise<void> {
    const known = this.#offers.get(held)
    if (known !== undefined) return known
    const offer = this.#tell(key, held).finally(() => this.#offers.delete(held))
    this.#offers.set(held, offer)
    return offer
  }

  async #tell(key: string, held: Held): Promise<void> {
    if (this.#store.accept === undefined) return
    const { acceptance, isTakenBack } = held
    try {
      await limited(this.#clock, Promise.resolve(this.#store.accept(acceptance, isTakenBack)))
    } catch {
      // The keeper tells of a store that is away. It is offered again once that was read.
      return
    }
    if (this.#held.get(key) === held) this.#held.delete(key)
    this.#toldMeanwhile.set(key, held)
    this.#isNowStored(key, held)
  }

  #isNowStored(key: string, { acceptance, isTakenBack }: Held): void {
    const stored = new Map(this.#stored)
    if (isTakenBack) stored.delete(key)
    else stored.set(key, acceptance)
    this.#stored = stored
  }
}

function keyOf(route: string, place: string): string {
  return `${route}\n${place}`
}

/** Those that were accepted, with another one. */
export function withAcceptance(
  accepted: readonly Acceptance[],
  acceptance: Acceptance,
  isTakenBack: boolean,
): readonly Acceptance[] {
  const key = keyOf(acceptance.route, acceptance.place)
  const others = accepted.filter(({ route, place }) => keyOf(route, place) !== key)
  return isTakenBack ? others : [...others, acceptance]
}
