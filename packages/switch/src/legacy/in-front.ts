// Controllers that stand in front of the app that they replace, or inside of it.
import type { Exchange, LightResponse, RunnableController, Switch } from 'routecontrollers/introspection'
import { describeHandler, type Description } from 'routecontrollers/introspection'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import type { FetchHandler } from '../../../../src/ground/types.js'
import { LegacyApp } from './legacy-app.js'
import { isTakenOver, type LegacyRoutes, readLegacyRoutes } from './legacy-routes.js'
import { keyOf } from '../states/switched-route.js'
import type { Subject } from './subject.js'

/** Controllers by their first one of the same key, which has the state of all of them. */
interface Firsts {
  readonly count: number
  readonly controllers: readonly RunnableController[]
  readonly of: ReadonlyMap<RunnableController, RunnableController>
}

export class InFront implements Subject {
  readonly takesOthers = true
  readonly emptyBecause = 'routeControllers has no Controller. Write one, or take some of toControllers(app)'
  readonly #legacy: unknown
  readonly #fetchHandler: FetchHandler
  readonly #described: Description
  readonly #legacyApp: LegacyApp
  #read: LegacyRoutes | undefined
  #firsts: Firsts | undefined

  constructor(legacy: unknown, fetchHandler: FetchHandler) {
    const described = describeHandler(fetchHandler)
    if (described === undefined) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        'migration: routeControllers is new RouteControllers([…])',
      )
    }
    this.#legacy = legacy
    this.#fetchHandler = fetchHandler
    this.#described = described
    this.#legacyApp = new LegacyApp({ legacy, appsOf: (one) => this.#read?.appsOf(one) ?? [] })
  }

  get controllers(): readonly RunnableController[] {
    return this.#readFirsts().controllers
  }

  setSwitch(one: Switch): () => void {
    return this.#described.setSwitch({
      choose: (controller, exchange) => one.choose(this.#firstOf(controller), exchange),
      finish: one.finish,
    })
  }

  #firstOf(controller: RunnableController): RunnableController {
    return this.#readFirsts().of.get(controller) ?? controller
  }

  #readFirsts(): Firsts {
    const { controllers } = this.#described
    // A list may get more, until `processAllControllers` has them served.
    if (this.#firsts?.count !== controllers.length) this.#firsts = firstsOf(controllers)
    return this.#firsts
  }

  readLegacy(mount: string): LegacyRoutes | undefined {
    this.#read = undefined
    this.#read = readLegacyRoutes(this.#legacy, this.#fetchHandler, this.#described, mount)
    return this.#read
  }

  begin(controller: RunnableController, exchange: Exchange): void {
    // An app of a profile begins its answers itself.
    const isOwnEngine = this.#described.engine.index !== undefined
    if (isOwnEngine && !isTakenOver(controller)) this.#legacyApp.begin(controller, exchange)
  }

  finish(answer: LightResponse | Response, exchange: Exchange): LightResponse | Response {
    return this.#legacyApp.finish(answer, exchange)
  }

  /** True where an ETag in the answer of the Controller to a request is the app's. */
  isTagged(request: object): boolean {
    return this.#legacyApp.isTagged(request)
  }
}

/** An app may have a route twice, and a Controller in front of its route. What passes on leads to the second one without another choice. */
function firstsOf(controllers: readonly RunnableController[]): Firsts {
  const byKey = new Map<string, RunnableController>()
  const of = new Map<RunnableController, RunnableController>()
  for (const one of controllers) {
    const key = keyOf(one)
    const first = byKey.get(key) ?? one
    byKey.set(key, first)
    of.set(one, first)
  }
  return { count: controllers.length, controllers: [...byKey.values()], of }
}
