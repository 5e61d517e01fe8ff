import type { RunnableController } from '../../define/controller.js'
import type { Engine, EngineConfig, EngineView, Profile } from '../../run/engine.js'
import type { Exchange } from '../../request/exchange.js'
import { RequestRun } from '../../run/request-run.js'
import type { Scope } from '../../routing/scope.js'
import type { ExtendClasses, RouteCheckResult } from '../../ground/types.js'
import { checkUse, createProfile, type ExpressHost } from './engine.js'
import { type App, isApp } from '../model/router.js'

/** What a profile was given in the place of an app or a router. */
export interface Deferred {
  /** The app whose behaviour counts; `host` is the one in which a request has come. Throws where there is none. */
  readonly appOf: (host: App | undefined) => App
  readonly hostOf: (app: App) => ExpressHost
}

/** A profile whose app is not known before a request comes: nothing of it throws until then. */
export function createDeferredProfile(name: string, deferred: Deferred): Profile {
  return { name, createEngine: (config) => new DeferredEngine(config, deferred) }
}

/** Runs each request by the engine of the app that is found with it. */
class DeferredEngine implements Engine {
  readonly #config: EngineConfig
  readonly #deferred: Deferred
  #controllers: readonly RunnableController[] = []
  #engines = new WeakMap<App, Engine>()

  constructor(config: EngineConfig, deferred: Deferred) {
    this.#config = config
    this.#deferred = deferred
  }

  load(controllers: readonly RunnableController[]): void {
    this.#controllers = [...controllers]
    this.#engines = new WeakMap()
  }

  handle(exchange: Exchange): void {
    let engine: Engine
    try {
      // Elsewhere than inside Express `app` is whatever other middleware has put there.
      const { app } = (exchange.incoming ?? {}) as { readonly app?: unknown }
      engine = this.#engineFor(exchange.fail !== undefined && isApp(app) ? app : undefined)
    } catch (error) {
      // A guard may be among the Controllers: what cannot be routed ends here.
      return new RequestRun(this.#config, exchange).failAtEnd(error)
    }
    engine.handle(exchange)
  }

  #engineFor(host: App | undefined): Engine {
    const app = this.#deferred.appOf(host)
    let engine = this.#engines.get(app)
    if (engine === undefined) {
      engine = createProfile(this.#deferred.hostOf(app)).createEngine(this.#config)
      engine.load(this.#controllers)
      this.#engines.set(app, engine)
    }
    return engine
  }

  check(method: string | undefined, path: string): RouteCheckResult {
    return this.#engineFor(undefined).check(method, path)
  }

  checkUse(): void {
    checkUse(this.#controllers)
  }

  parseScope(path: string): Scope {
    return { source: path, segments: [] }
  }

  extendClasses(): ExtendClasses | undefined {
    return undefined
  }

  view(): EngineView {
    // Asked for by others in the same router too: it says nothing instead of throwing.
    return { takes: () => false }
  }
}
