// Where a handler stands, as those say who ask for its native form.
import type { Node } from '../../syntax/parser.js'
import type { CheckedScript } from '../../edit/checked-scripts.js'
import type { FindWrapper, Wrapper } from './handler.js'
import type { FindHelper } from './helper.js'
import type { NativeReasonId } from './reasons.js'

/** Where a handler stands. */
export interface HandlerPlace {
  /** The tree of its file. With it a handler may be a name, a method or what a wrapper of async handlers is given. */
  readonly program?: Node
  /** Finds wrappers of async handlers in other files; without it what they make is left. */
  readonly findWrapper?: FindWrapper
  /** Why a function, with these wrappers around it, is another one than what runs; without it that is not asked. */
  readonly whyOther?: (
    found: Node,
    wrappers: readonly Wrapper[],
  ) => { readonly id: NativeReasonId; readonly name?: string } | undefined
  /** True for a method that is bound to its object, whose native form stands beside it. */
  readonly keepsThis?: boolean
  /** The method of its route, `GET` or `*`; any, unless given. */
  readonly method?: string
  /** True in TypeScript: what the types of a native request do not have is left. */
  readonly isTyped?: boolean
  /** How the compiler checks its file, where that is JavaScript: its types are comments. */
  readonly script?: CheckedScript | undefined
  /** True where the caller writes the `type` that a form needs; without it such a handler is left. */
  readonly takesType?: boolean
  /** Finds the functions that it hands its response to; without it such a handler is left. */
  readonly findHelper?: FindHelper
  /** The type that validators before it give its request; it counts where the handler has given it none. */
  readonly validatedType?: string | undefined
  /** True where the caller writes the `imports` that a form needs; without it such a handler is left. */
  readonly takesImports?: boolean
}
