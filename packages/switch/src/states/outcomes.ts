// The last answers of one side of a route: how many have failed, and how long they took.

/** A ring of the last yes or no answers. */
export class Ring {
  readonly #values: Uint8Array
  #at = 0
  #count = 0
  #sum = 0

  constructor(size: number) {
    this.#values = new Uint8Array(size)
  }

  add(isHit: boolean): void {
    const at = this.#at
    this.#sum += Number(isHit) - (this.#count < this.#values.length ? 0 : this.#values[at]!)
    this.#values[at] = Number(isHit)
    if (this.#count < this.#values.length) this.#count++
    this.#at = (at + 1) % this.#values.length
  }

  clear(): void {
    this.#at = this.#count = this.#sum = 0
  }

  get count(): number {
    return this.#count
  }

  get isFull(): boolean {
    return this.#count === this.#values.length
  }

  get rate(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }
}

/** A share of about the last answers, of which not each is known. */
export class Share {
  readonly #most: number
  #count = 0
  #hits = 0

  constructor(most: number) {
    this.#most = most
  }

  add(count: number, hits: number): void {
    // What is there is weighed less, so that with the new ones there are no more than that.
    const kept = Math.min(1, Math.max(0, this.#most - count) / Math.max(1, this.#count))
    const taken = Math.min(1, this.#most / Math.max(1, count))
    this.#count = this.#count * kept + count * taken
    this.#hits = this.#hits * kept + hits * taken
  }

  clear(): void {
    this.#count = this.#hits = 0
  }

  get count(): number {
    return Math.round(this.#count)
  }

  get rate(): number {
    return this.#count === 0 ? 0 : this.#hits / this.#count
  }
}

/** The times of the last answers, in milliseconds. */
export class Timings {
  readonly #values = new Float64Array(512)
  #at = 0
  #count = 0
  #sorted: Float64Array | undefined

  add(ms: number): void {
    this.#values[this.#at] = ms
    this.#at = (this.#at + 1) % this.#values.length
    if (this.#count < this.#values.length) this.#count++
    this.#sorted = undefined
  }

  clear(): void {
    this.#at = this.#count = 0
    this.#sorted = undefined
  }

  get count(): number {
    return this.#count
  }

  /** `share` 0.99 is the p99; undefined without any. */
  at(share: number): number | undefined {
    if (this.#count === 0) return undefined
    this.#sorted ??= this.#values.slice(0, this.#count).sort()
    return this.#sorted[Math.min(this.#count - 1, Math.floor(share * this.#count))]
  }
}

/** The upper bounds of the buckets, in seconds. */
export const buckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How many answers took how long, since the process was started. */
export class Histogram {
  /** Of each bucket, those that are in no smaller one. */
  readonly counts: number[] = buckets.map(() => 0)
  count = 0
  seconds = 0

  add(ms: number): void {
    const seconds = ms / 1000
    this.count++
    this.seconds += seconds
    const at = buckets.findIndex((most) => seconds <= most)
    if (at >= 0) this.counts[at]!++
  }
}
