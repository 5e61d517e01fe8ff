import { createRandom } from '../hard/random.js'

/** Numbers that look random and are the same for the same seed. */
export class Random {
  /** From 0 on, below 1. */
  readonly next: () => number

  constructor(seed: number) {
    this.next = createRandom(seed)
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make)
  }
}
