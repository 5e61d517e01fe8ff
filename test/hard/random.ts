/** Chances that a seed decides: from 0 to just below 1. */
export type Random = () => number

/** Mulberry32: small, fast, and good enough to choose by. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** A whole number from 0 to just below `limit`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T
}
