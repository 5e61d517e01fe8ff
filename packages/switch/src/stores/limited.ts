import type { Clock } from '../states/clock.js'

/** What takes longer counts as away. */
export const awayAfterMs = 3000

/** The answer of a store, or a rejection: one that waits for a lock or a connection must not keep others waiting. */
export function limited<T>(clock: Clock, answer: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`no answer within ${awayAfterMs} ms`))
    const stopWaiting = clock.after(awayAfterMs, late)
    const done =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        stopWaiting()
        settle(value)
      }
    answer.then(done(resolve), done(reject))
  })
}
