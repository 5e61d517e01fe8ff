import type { Exchange, LightResponse, RunnableController, Switch } from 'routecontrollers/introspection'
import type { LegacyRoutes } from './legacy-routes.js'

/** What a migration decides for: Controllers in front of an app or inside of it, or native callbacks in its routes. */
export interface Subject {
  /** The Controllers that can be switched, as they are now. */
  readonly controllers: readonly RunnableController[]
  /** Whether any other Controller answers: in front of an app there are some that stand for its own routes. */
  readonly takesOthers: boolean
  /** Why there may be nothing to switch, and what to write. */
  readonly emptyBecause: string
  /** Has a switch decide from now on. The function that this gives has it leave: then another one may take its place. */
  setSwitch(one: Switch): () => void
  /** What the app has for the Controllers; undefined where its routes cannot be read. `mount` is the path that they stand at in the app. */
  readLegacy(mount: string): LegacyRoutes | undefined
  /** Begins the answer of a Controller as the app would. */
  begin(controller: RunnableController, exchange: Exchange): void
  /** The answer of a Controller as the app would send it. */
  finish(answer: LightResponse | Response, exchange: Exchange): LightResponse | Response
}
