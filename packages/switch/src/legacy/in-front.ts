// Controllers that stand in front of the app that they replace, or inside of it.
import type { Exchange, LightResponse, RunnableController, Switch } from 'routecontrollers/introspection'
import { describeHandler, type Description } from 'routecontrollers/introspection'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import type { FetchHandler } from '../../../../src/ground/types.js'
import { LegacyApp } from './legacy-app.js'
import { isTakenOver, type LegacyRoutes, readLegacyRoutes } from './legacy-routes.js'
import type { Subject } from './subject.js'

export class InFront implements Subject {
  readonly takesOthers = true
  readonly emptyBecause =
    'each Controller of toControllers stands for a route of the legacy app. Write a Controller for that route first'
  readonly #legacy: unknown
  readonly #fetchHandler: FetchHandler
  readonly #described: Description
  readonly #legacyApp: LegacyApp
  #read: LegacyRoutes | undefined

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
    return this.#described.controllers.filter((one) => !isTakenOver(one))
  }

  setSwitch(one: Switch): () => void {
    return this.#described.setSwitch(one)
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
