import type { RunnableController } from '../../define/controller.js'
import type { Engine, EngineView, Profile, EngineConfig } from '../../run/engine.js'
import { RouteControllersError } from '../../ground/errors.js'
import type { Exchange } from '../../request/exchange.js'
import { describeThrown, log } from '../../ground/log.js'
import type { Host, NodeExchange } from '../../node/exchange.js'
import type { Scope } from '../../routing/scope.js'
import type { ExtendClasses, RouteCheckResult } from '../../ground/types.js'
import { PlaceFinder } from './in-place.js'
import { canMount, Members, ofHttp2 } from '../members/members.js'
import { isTraced } from '../../run/request-trace.js'
import { checkedPath } from './own-routes.js'
import { hasPassed, isThrough } from '../model/passage.js'
import { ExpressRun, type RunParts } from './run.js'
import { createRouter } from '../model/own-router.js'
import { type App, type Router, versionOf } from '../model/router.js'
import { Table } from './table.js'
import { type TakenApp, takenPathOf, targetOf } from './taken-app.js'

/**
 * Up to so many layers that a request may be asked of, an app runs itself. A request is asked of half of them on the average. Asked of 40, it
 * costs the same both ways on Node 24 and 26, and 6 % less by this engine on Node 20. Asked of 80, it costs a fifth less by this engine on each
 * of them. So one bound does for all versions.
 */
const fewLayers = 80
/** How often one request may have apps read again. */
const maxRereads = 3

/** The Express whose behaviour an engine has. */
export interface ExpressHost {
  readonly name: string
  /** Of a router that was given without its app: made when it is first needed. */
  readonly app: App
  /** True where a host's app counts in place of that. */
  readonly followsHost: boolean
  /** The router of a host that Controllers with this profile may stand in. */
  readonly place: () => Router | undefined
  /** Of its Express's Router. */
  readonly prototype: object
  /** How paths match: `strict`, `caseSensitive`, `mergeParams`. */
  readonly settings: () => Pick<Router, 'strict' | 'caseSensitive' | 'mergeParams'>
  /** The callbacks of params, as they are now: a guard among them may be added later. */
  readonly params: () => Router['params']
}

export function createProfile(host: ExpressHost): Profile {
  return { name: host.name, createEngine: (config) => new ExpressEngine(config, host) }
}

/** The engine that is Express's own Router. It runs the layers that a request can match. */
class ExpressEngine implements Engine {
  readonly #config: EngineConfig
  readonly #host: ExpressHost
  readonly #parts: RunParts
  #madeMembers: Members | undefined
  readonly #key = Symbol('run')
  #controllers: readonly RunnableController[] = []
  #table: Table
  /** How many hooks the table has. */
  #hooks = 0
  /** Apps that have changed, and whose routes are left to whatever stands behind. */
  readonly #stale = new Set<unknown>()
  /** For requests that are in some of the apps that were taken over, or have been through them: by these apps, without their Controllers. */
  readonly #without = new Map<string, Table>()

  constructor(config: EngineConfig, host: ExpressHost) {
    this.#config = config
    this.#host = host
    // Before the table is made: an app that is wrong is told of at once.
    if (!host.followsHost) this.#madeMembers = new Members(host.app)
    const places = new PlaceFinder(host.place, (router) => router === this.#table.router)
    this.#parts = {
      members: this.#members,
      followsHost: host.followsHost,
      // Not where a switch may leave a request to the host: routes of it would answer all the same.
      placeOf: ({ fail }) => (fail === undefined || config.switch !== undefined ? undefined : places.find()),
      key: this.#key,
    }
    this.#table = this.#createTable([])
  }

  readonly #members = (): Members => (this.#madeMembers ??= new Members(this.#host.app))

  load(controllers: readonly RunnableController[]): void {
    if (this.#config.middleware.length > 0) checkUse(controllers)
    this.#table = this.#createTable(controllers)
    this.#without.clear()
    this.#controllers = [...controllers]
  }

  checkUse(): void {
    checkUse(this.#controllers)
  }

  #createRouter(): Router {
    return createRouter(this.#host.prototype, this.#host.settings())
  }

  #createTable(controllers: readonly RunnableController[]): Table {
    const { hooks } = this.#config
    const host = this.#host
    const router = this.#createRouter()
    Object.defineProperty(router, 'params', { get: host.params })
    const runOf = (request: object): ExpressRun => ExpressRun.of(request, this.#key)!
    return new Table({
      get app() {
        return host.app
      },
      router,
      controllers,
      hooks,
      runOf,
      enters: (request, taken) => runOf(request).entersTaken(taken),
      isLeftNow: (request) => runOf(request).isLeftNow(),
      isTakenNow: (request) => runOf(request).isTakenNow(),
    })
  }

  /** Makes the table again, of all Controllers before the first one of an app that has changed. */
  #renew(): void {
    // A Controller that is listed behind such an app would be answered without the guards of that app.
    const end = this.#controllers.findIndex((one) => this.#stale.has(takenPathOf(one)?.taken))
    this.#table = this.#createTable(end < 0 ? this.#controllers : this.#controllers.slice(0, end))
    this.#without.clear()
  }

  handle(exchange: Exchange): void {
    // A host that gives an answered request on means it: what follows may be a log.
    if (exchange.over && this.#parts.placeOf(exchange) === undefined) return
    if (exchange.viaNode !== undefined) return exchange.viaNode()
    // A layer of an app that was taken over leads back here, and this run already has the request.
    const isHere = ExpressRun.of(exchange.incoming!, this.#key)?.hasAsItIs === true
    if (isHere && exchange.pass !== undefined) return exchange.pass()
    let table: Table
    let isTaken: true | undefined
    try {
      if (!canMount(exchange.incoming!, exchange.outgoing!)) throw ofHttp2()
      // Outside of a host: the Express of a router may not be installed.
      if (exchange.fail === undefined) this.#members()
      this.#addHooks()
      isTaken = this.#isKnownAsTaken(exchange as NodeExchange)
      table = this.#tableFor(exchange, isTaken === undefined)
    } catch (error) {
      // The app is not used until it is what it was.
      return this.fail(exchange, error)
    }
    this.#createRun(exchange, table, isTaken).start()
  }

  #createRun(exchange: Exchange, table: Table, isTaken?: true): ExpressRun {
    return new ExpressRun(this.#config, exchange as NodeExchange, this.#parts, table, isTaken)
  }

  fail(exchange: Exchange, error: unknown): void {
    this.#createRun(exchange, this.#table).failAtEnd(error)
  }

  /**
   * True where the app itself, which is the fallback, does the same for less. An index of a few layers costs more than Express takes to ask
   * each of them. What an option, a trace or a log of its own asks for is done here.
   */
  leaves({ fallback, trust }: Host): boolean {
    if (trust !== undefined || isTraced()) return false
    const table = this.#table
    if (table.mostLayers > fewLayers || !table.isWholeOf(fallback) || !table.isReadAgain) return false
    const { hooks, answerTimeoutMs, onError, onNotFound, switch: states, logger } = this.#config
    const isPlain = hooks.length === 0 && answerTimeoutMs === 0
    return isPlain && (onError ?? onNotFound ?? states) === undefined && logger === console
  }

  /**
   * True where a request is for the apps of the table, also where a part of them has changed that it does not enter. Whether it is for
   * them is said of all other requests by apps as they are now.
   */
  #isKnownAsTaken(exchange: NodeExchange): true | undefined {
    const table = this.#table
    const { switch: states } = this.#config
    if (!table.hasApps || states !== undefined || isTraced() || exchange.problem !== undefined)
      return undefined
    if (hasPassed(exchange.incoming)) return undefined
    if (table.isWholeOf(exchange.fallback)) return true
    // Where a route is gone, another handler behind is to have its requests.
    const isAlone = table.isAppAlone && (exchange.pass === undefined || exchange.fallback === table.appAlone)
    const isAsked = isAlone || exchange.fail !== undefined
    return (isAsked && table.takes(exchange.method, exchange.path)) || undefined
  }

  #tableFor(exchange: Exchange, isWhole: boolean): Table {
    let rereads = 0
    for (;;) {
      const changed = this.#table.staleApp(isWhole)
      if (changed === undefined) break
      this.#reread(changed, rereads++)
    }
    if (this.#stale.size > 0 && exchange.pass === undefined) throw changedApp(503)
    return hasPassed(exchange.incoming!) ? this.#tableWithout(exchange.incoming!) : this.#table
  }

  /** The table without the apps that have the request already, or have had it: an app runs a request once. */
  #tableWithout(request: object): Table {
    const apps = [...new Set(this.#controllers.flatMap((one) => takenPathOf(one)?.taken ?? []))]
    const passed = apps.filter((taken) => isThrough(targetOf(taken) ?? taken, request))
    if (passed.length === 0) return this.#table
    const name = passed.map((taken) => apps.indexOf(taken)).join()
    let table = this.#without.get(name)
    if (table === undefined) {
      const isLeft = (one: RunnableController): boolean =>
        !passed.includes(takenPathOf(one)?.taken as TakenApp)
      table = this.#createTable(this.#controllers.filter(isLeft))
      this.#without.set(name, table)
    }
    return table
  }

  #addHooks(): void {
    if (this.#hooks !== this.#config.hooks.length) this.#renew()
    this.#hooks = this.#config.hooks.length
  }

  /** Makes the table again of an app that has changed. Where that is not possible, the app itself answers. */
  #reread(changed: TakenApp, rereads: number): void {
    if (changed.onStale === 'throw') throw changedApp(500)
    if (changed.onStale === 'reread') {
      try {
        // A getter may give another function each time, and then this would not end.
        if (rereads === maxRereads) throw new Error('it is another one each time that it is read')
        return this.#renew()
      } catch (error) {
        const what = 'An app that toControllers has taken over has changed, and cannot be read again'
        log(this.#config.logger, 'error', `${what}: ${describeThrown(error)}`)
      }
    }
    this.#stale.add(changed)
    this.#renew()
  }

  check(method: string | undefined, path: string): RouteCheckResult {
    return this.#table.check(method, path)
  }

  parseScope(path: string): Scope {
    const router = this.#createRouter()
    checkedPath(versionOf(router), path, (one) => router.use(one, () => {}))
    return { source: path, segments: [] }
  }

  view(): EngineView {
    this.#addHooks()
    const table = this.#table
    // Hooks and a switch are asked for more than routes are.
    const isInPlace = table.isOfRoutesAlone && this.#config.switch === undefined
    const place = isInPlace ? this.#host.place() : undefined
    return { router: table.router, place, takes: (method, path) => table.takes(method, path) }
  }

  extendClasses(): ExtendClasses {
    const members = this.#members()
    // Controllers of the user's own have members that the app has not.
    const isOfApps = this.#controllers.every((one) => takenPathOf(one) !== undefined)
    return isOfApps ? members.extendClassesInFront : members.extendClasses
  }
}

/** Throws ERR_CONTROLLER_ORDER where an app was taken over: its routes run in its own chain, without a guard that is added here. */
export function checkUse(controllers: readonly RunnableController[]): void {
  const taken = controllers.find((one) => takenPathOf(one) !== undefined)
  if (taken === undefined) return
  throw new RouteControllersError(
    'ERR_CONTROLLER_ORDER',
    `RouteControllers.use would not run before ${taken.method} ${taken.pattern.source}, which toControllers has taken over with its own chain: use addGlobal(hook), which runs before all`,
  )
}

function changedApp(status: number): RouteControllersError {
  const message =
    'An app that toControllers has taken over has changed since, and onStale does not let it be read again'
  return new RouteControllersError('ERR_APP_CHANGED', message, { status })
}
