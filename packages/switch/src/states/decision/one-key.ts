import { log } from '../../../../../src/ground/log.js'
import type { Logger } from '../../../../../src/ground/types.js'
import type { Clock } from '../clock.js'
import { bucketOf } from '../sticky.js'
import { MostFrequent } from './clients.js'

const windowMs = 60_000

/** Says once that nearly all requests of canaries have one key: their share is 0 or 100 % of the requests then. */
export class OneKeyWarning {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #most = new MostFrequent()
  #since: number
  #isTold = false
  isOne = false

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
    this.#since = clock.monotonic()
  }

  add(key: string): void {
    this.#most.add(bucketOf(key))
  }

  /** Called once a second. */
  tick(): void {
    const now = this.#clock.monotonic()
    if (now - this.#since < windowMs) return
    this.#since = now
    this.isOne = this.#most.isOne
    this.#most.clear()
    if (!this.isOne || this.#isTold) return
    this.#isTold = true
    log(
      this.#logger,
      'warn',
      'migration: nearly all requests of the canary had one client key in this minute, so its share is all or nothing. With a proxy in front set trustProxy, or tell clients apart by stickyBy',
    )
  }
}
