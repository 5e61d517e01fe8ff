import { isThenable } from '../chain.js'

/**
 * Calls a function as Express does: what it throws, or rejects with, goes to its `next`.
 *
 * In version 4 too, where Express leaves a request whose handler rejects without an answer.
 */
export function callHandler<Given extends readonly unknown[]>(
  handler: (...given: Given) => unknown,
  next: (error: unknown) => void,
  ...given: Given
): void {
  try {
    const returned = handler(...given)
    if (isThenable(returned)) {
      returned.then(undefined, (thrown: unknown) => next(thrown || new Error('Rejected promise')))
    }
  } catch (thrown) {
    next(thrown)
  }
}

/** After this many handlers within each other a `next()` waits for the next turn, as in Express: ten thousand do not overflow the stack. */
export const maxDepth = 100
