import type { RunnableController } from '../define/controller.js'
import type { HookEntry } from '../define/hook-entry.js'
import type { Middleware } from '../define/middleware.js'
import type { EngineConfig, EngineView, Switch } from './engine.js'

/** What RouteControllers are, for tools. Nothing of it runs a hook or a callback. */
export interface Description {
  /** The RouteControllers themselves. */
  readonly owner: object
  readonly config: EngineConfig
  readonly controllers: readonly RunnableController[]
  readonly hooks: readonly HookEntry[]
  /** Of all Controllers. */
  readonly middleware: readonly Middleware[]
  readonly engine: EngineView
  /**
   * Has a switch decide from now on. Throws ERR_MIGRATION_EXISTS where another one does that has not left.
   *
   * The function that this gives has the switch leave: another one may then take its place. Until one does, it goes on to decide, because
   * without a switch all Controllers would answer at once.
   */
  setSwitch(one: Switch): () => void
}
