// Work that holds the event loop for a few milliseconds at a time, so that clients are answered in between.
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'

/** Work in steps, each of which is short; between two of them it may be left for a while. */
export type Steps<Result> = Generator<undefined, Result>

/** How long steps are run one after the other. A step may take as long again, more where the machine is busy. */
const sliceMs = 4

/** Runs the steps without a stop. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs the steps, and lets others run in between. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + sliceMs
    do {
      const { done, value } = steps.next()
      if (done === true) return value
    } while (performance.now() < end)
    await timers.promises.setImmediate()
  }
}
