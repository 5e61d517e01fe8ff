// Not the global ones: jsdom has timers without unref(), and Jest 26 no performance.
import { performance } from 'node:perf_hooks'
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers'

/** What tells the time; a test has one of its own. */
export interface Clock {
  /** Milliseconds of the day's clock. */
  now(): number
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number
  /** Calls again and again, and keeps no process alive. Gives what ends it. */
  every(ms: number, call: () => void): () => void
  after(ms: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  every(ms, call) {
    const timer = setInterval(call, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
  after(ms, call) {
    const timer = setTimeout(call, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
