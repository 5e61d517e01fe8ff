// Which answers count as evidence. Failures come in runs of one client: so it is one client in ten seconds that counts, by its first answer.
import { bucketOf } from '../sticky.js'

const unitMs = 10_000
/** After so many requests of fewer clients than that there are no more clients: then each answer counts. */
const manyRequests = 10
const fewClients = 5
/** Of so few requests it cannot be said that one client makes most of them. */
const leastRequests = 20
/** By how much the most frequent one is ahead of all others together, of 90 % of the requests. */
const lead = 0.8

/** Whether one key makes nearly all requests, by one counter: it goes up for the key that leads, and down for all others. */
export class MostFrequent {
  #key: number | undefined
  #lead = 0
  #requests = 0

  add(key: number): void {
    this.#requests++
    if (this.#lead === 0) this.#key = key
    this.#lead += key === this.#key ? 1 : -1
  }

  get isOne(): boolean {
    return this.#requests >= leastRequests && this.#lead >= lead * this.#requests
  }

  clear(): void {
    this.#lead = this.#requests = 0
  }
}

/** The clients of one route in these ten seconds. */
export class Clients {
  readonly #seen = new Set<number>()
  readonly #most = new MostFrequent()
  #requests = 0
  #unit = -1
  /** What was so in the ten seconds before: they have most likely the same clients. */
  #isByAnswer = false

  /** Whether the answer to a request of this client counts. */
  counts(key: string, now: number): boolean {
    const unit = Math.floor(now / unitMs)
    if (unit !== this.#unit) {
      this.#isByAnswer = this.#unit === unit - 1 && this.#areFew
      this.#unit = unit
      this.#seen.clear()
      this.#most.clear()
      this.#requests = 0
    }
    const bucket = bucketOf(key)
    this.#requests++
    this.#most.add(bucket)
    const isFirst = !this.#seen.has(bucket)
    this.#seen.add(bucket)
    return isFirst || this.#isByAnswer || this.#areFew
  }

  get #areFew(): boolean {
    return this.#most.isOne || (this.#requests >= manyRequests && this.#seen.size < fewClients)
  }
}
