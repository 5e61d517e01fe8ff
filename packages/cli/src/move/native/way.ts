// What one part of the walk over a handler tells another one.
import type { Node } from '../../syntax/parser.js'

/** Where a statement stands. */
export interface Way {
  /** Those beside it. */
  readonly list: readonly Node[]
  /** Nothing runs behind it. */
  readonly isTail: boolean
  /** In a try, or before a catch of a promise, that does something else than to give errors on. */
  readonly isCaught: boolean
}

/** Runs over what a part of the walk has found within it. */
export interface Walker {
  /** A function that answers: the handler, or a callback of its promise. */
  readonly function: (one: Node, isCaught: boolean) => void
  /** Statements; true where each path through them has ended. */
  readonly block: (statements: readonly Node[], way: Way) => boolean
}

/** The promise that stands around a call which answers from its callbacks. */
export interface Promised {
  readonly resolve: string
  readonly reject: string
  /** True where an error is given on. */
  rejects: boolean
}
