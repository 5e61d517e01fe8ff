// What native callback the machine makes for a route, as it is handed from what makes it to what shows it.
import type { LeftRow } from './rows.js'

/** Where the callback of a route is written, and what the machine would write there. */
export interface RowForm {
  /** The absolute path of the file; undefined where that is not known. */
  readonly file: string | undefined
  /** `'/orders/:id'` as the call has it; undefined where the types of the route say its params. */
  readonly path: string | undefined
  /** What stands in the parentheses of `native(…)`; undefined where none is made. */
  readonly native: string | undefined
  /** The type that the handler has given its request. */
  readonly type: string | undefined
  /** What it needs of `routecontrollers/express` besides `native`. */
  readonly imports: readonly string[]
  /** The native forms of functions that the callback calls, and that no file has yet: `failNative`. */
  readonly helpers?: readonly string[]
  /** Why none is made. */
  readonly left: LeftRow | undefined
  /** What stands before the handler already: a callback, or the handler as it is. */
  readonly written?: 'callback' | 'as it is' | undefined
}
