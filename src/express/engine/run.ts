import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RunnableController } from '../../define/controller.js'
import { nodeCallbackOf } from '../../define/node-callback.js'
import type { EngineConfig } from '../../run/engine.js'
import type { NodeExchange } from '../../node/exchange.js'
import type { MatchedRoute } from '../../request/matched-route.js'
import type { Exchange } from '../../request/exchange.js'
import { log } from '../../ground/log.js'
import { statusSetOn } from '../../run/chain.js'
import { RequestRun } from '../../run/request-run.js'
import { isTraced, RequestTrace } from '../../run/request-trace.js'
import type { LightResponse } from '../../answer/light-response.js'
import { sendableOf, sendByApp, stringifyByApp } from './app-answer.js'
import { sendErrorPage } from './error-page.js'
import { isOnlyPlace, type Place, runOptions } from './in-place.js'
import { canMount, expressLayer, type Members } from '../members/members.js'
import { enter, isThrough, leave, type Passage } from '../model/passage.js'
import type { Done, Route } from '../model/layer.js'
import type { App } from '../model/router.js'
import type { Table } from './table.js'
import { watchRoutes } from '../model/view.js'

/** What an engine gives to each of its runs. */
export interface RunParts {
  readonly members: () => Members
  /** True where the members of a host's app stay. */
  readonly followsHost: boolean
  /** Where the Controllers stand for a request as routes of the host; undefined where they are no such routes. */
  readonly placeOf: (exchange: Exchange) => Place | undefined
  readonly key: RunKey
}

/** On a request: the run of one engine that has it. */
export type RunKey = symbol
type Running = IncomingMessage & { [key: RunKey]: ExpressRun | undefined }

/** One request, run by Express's own Router. */
export class ExpressRun extends RequestRun {
  declare readonly exchange: NodeExchange
  readonly #members: () => Members
  readonly #followsHost: boolean
  readonly #placeOf: RunParts['placeOf']
  readonly #table: Table
  readonly #isKnownAsTaken: true | undefined
  readonly #key: RunKey
  readonly #incoming: Running
  readonly #outgoing: ServerResponse
  #restore: (() => void) | undefined
  /** The run that has the request around this one: a handler of that has rewritten it, and has given it to the host again. */
  #around: ExpressRun | undefined
  /** The target and the method with which the request has come here, or to a route. */
  #had = ''
  /** What was routed, and whether a route takes that; undefined until it is needed. */
  #routed: { url: string | undefined; method: string | undefined; isTaken: boolean | undefined } | undefined
  /** True once the request has entered an app that was taken over. It then ends there. */
  #isTaken = false
  /** The ways through apps that were taken over and have had the request. */
  #passages: Passage[] | undefined

  /** `isTaken` where it is known that a route takes the request. */
  constructor(
    config: EngineConfig,
    exchange: NodeExchange,
    parts: RunParts,
    table: Table,
    isTaken: true | undefined,
  ) {
    super(config, exchange)
    this.#members = parts.members
    this.#followsHost = parts.followsHost && exchange.fail !== undefined
    this.#placeOf = parts.placeOf
    this.#table = table
    this.#isKnownAsTaken = isTaken
    this.#key = parts.key
    this.#incoming = exchange.incoming as Running
    this.#outgoing = exchange.outgoing!
  }

  /** The run that has a request, if one has. */
  static of(request: object, key: RunKey): ExpressRun | undefined {
    return (request as { [key: RunKey]: ExpressRun | undefined })[key]
  }

  /** False for a request that a handler has rewritten: it is another one. In an app that was taken over it is of that app. */
  get hasAsItIs(): boolean {
    return this.#isTaken || this.#had === shown(this.#incoming)
  }

  start(): void {
    const { exchange } = this
    const table = this.#table
    const place = table.isOfRoutesAlone ? this.#placeOf(exchange) : undefined
    if (
      place !== undefined &&
      (exchange.method !== 'OPTIONS' || isOnlyPlace(place, table.router, this.#incoming))
    ) {
      return this.#runInPlace(place)
    }
    // A router that has only Controllers finds out itself, where there is no host and no fallback.
    const isTaken =
      this.#isKnownAsTaken ?? (exchange.pass !== undefined || table.isAppAlone ? this.#takes() : undefined)
    const isOurs = exchange.pass === undefined || isTaken || this.#isPreflight()
    if (!isOurs && !table.hasHooksForEvery) return this.leave()
    this.#open()
    if (isOurs) return this.#route(isTaken)
    const run = (): void =>
      table.runHooksForEvery(this.#incoming, this.#outgoing, (error) => this.#end(error))
    if (isTraced()) this.#traceFromRoute(run)
    else run()
  }

  /** Runs the Controllers as routes of the router that they stand in: what happens to a request is all the host's to say. */
  #runInPlace(place: Place): void {
    const { exchange } = this
    const { problem, path, method } = exchange
    const incoming = this.#incoming
    const leave = (goOn: () => void): void => {
      this.trace?.complete(undefined)
      exchange.timer?.stop()
      this.leaving()
      exchange.release()
      goOn()
    }
    if (method === 'OPTIONS' && (problem !== undefined || this.#table.takes(method, path))) {
      this.#open(true)
      // All that stands behind has run by then.
      const done: Done = (error) => leave(() => exchange.fail!(error || 'router'))
      return runOptions(place, this.#table.router, incoming, this.#outgoing, done)
    }
    this.#open(true)
    const done: Done = (error) => {
      if (!error) return leave(() => exchange.pass!())
      if (this.config.onError !== undefined) return this.failAtEnd(error)
      this.trace?.failed(error)
      leave(() => exchange.fail!(error))
    }
    const run = (): void => this.#table.run(incoming, this.#outgoing, done)
    if (isTraced()) this.#trace(run)
    else run()
  }

  /** Whether a route takes the request as it is now. */
  #takes(): boolean {
    const { method, problem } = this.exchange
    return problem === undefined && this.#takesAs(method)
  }

  /** Of several Controllers that take it, the first one says whether the request is left to whatever stands behind. */
  #takesAs(method: string): boolean {
    const { path } = this.exchange
    if (!this.#table.takes(method, path)) return false
    if (this.config.switch === undefined) return true
    const controller = this.#table.controllerFor(method, path)
    return controller === undefined || !this.isLeft(controller)
  }

  /** Whether hooks have rewritten a request so that a route takes it now. It must still pass the hooks that it skipped. */
  isTakenNow(): boolean {
    const { exchange } = this
    const isTaken = !exchange.over && exchange.retarget() && this.#takes()
    const { url, method } = this.#incoming
    if (isTaken) this.#routed = { url, method, isTaken }
    return isTaken
  }

  /**
   * Whether a switch leaves the request to whatever stands behind. It is asked again at the route: hooks may have rewritten the request, and
   * where nothing stands behind it has come here without being asked.
   */
  isLeftNow(): boolean {
    this.#had = shown(this.#incoming)
    if (this.config.switch === undefined) return false
    this.exchange.retarget()
    return !this.#takes()
  }

  /** A CORS preflight counts as the route that it asks about, so that a cors hook can answer it. */
  #isPreflight(): boolean {
    const { exchange } = this
    if (exchange.method !== 'OPTIONS' || exchange.header('origin') === undefined) return false
    const asked = exchange.header('access-control-request-method')
    return asked !== undefined && this.#takesAs(asked)
  }

  /** `keepsMembers` where the members stay that a request has, whatever app they are of. */
  #open(keepsMembers = this.#followsHost): void {
    const { exchange } = this
    const incoming = this.#incoming
    const isOfHost = exchange.fail !== undefined && 'app' in incoming
    this.#restore = keepsMembers ? nothing : this.#members().open(exchange)
    if (keepsMembers) exchange.members = expressLayer
    this.#around = incoming[this.#key]
    incoming[this.#key] = this
    this.#had = shown(incoming)
    // Another host than Express may begin with any status: Koa does with 404.
    if (isOfHost) exchange.status = statusSetOn(this.#outgoing, 200)
    const stringifyAsApp = (value: unknown): string | undefined => stringifyByApp(this.#outgoing, value)
    exchange.stringify = stringifyAsApp
  }

  /** Runs the layers that the request can match. */
  #route(isTaken: boolean | undefined): void {
    const { exchange } = this
    if (exchange.problem !== undefined) return this.refuse(exchange.problem)
    const incoming = this.#incoming
    this.#routed = { url: incoming.url, method: incoming.method, isTaken }
    if (this.#table.isAppAlone) {
      if (!isTaken) return this.#end(undefined)
      this.#enter(this.#table.appAlone!)
    }
    if (isTraced()) this.#trace(() => this.#runTable())
    else this.#runTable()
  }

  #runTable(): void {
    const done: Done = (error) => this.#end(error)
    try {
      this.#table.run(this.#incoming, this.#outgoing, done)
    } catch (error) {
      this.#end(error)
    }
  }

  #trace(run: () => void): void {
    const { method, path } = this.exchange
    const first = this.#table.routeFor(method, path)
    if (first === undefined) this.#traceFromRoute(run)
    else this.#traceFrom(first, run)
  }

  /** Publishes a request from where it reaches a route: a hook or the app's own middleware may rewrite it to one. */
  #traceFromRoute(run: () => void): void {
    const table = this.#table
    const incoming = this.#incoming as Running & { method: string; url: string; baseUrl: string }
    // Outside of a router it is not there yet.
    const mount = ((incoming.baseUrl as string | undefined) ?? '').length
    watchRoutes(incoming, (own, goOn) => {
      if (this.trace !== undefined) return goOn()
      const { method, baseUrl, url } = incoming
      const path = baseUrl.slice(mount) + url.split('?', 1)[0]!
      // It may be registered at several paths.
      const byPath = table.routeFor(method, path)
      const route = byPath?.own === own ? byPath.route : table.routeOf(own, method)
      if (route === undefined) goOn()
      else this.#traceFrom({ route, own }, goOn)
    })
    run()
  }

  #traceFrom(first: { readonly route: MatchedRoute; readonly own: Route }, run: () => void): void {
    const incoming = this.#incoming as Running & { method: string; route?: Route }
    // A route may pass a request on to the next one; Express notes the last.
    const routeAtEnd = (route: MatchedRoute): MatchedRoute => {
      const { route: noted, method } = incoming
      if (noted === undefined) return route
      // The `req.route` of a Controller's callback inherits from Express's own.
      for (const own of [noted, Object.getPrototypeOf(noted) as Route]) {
        // It may be registered at several paths, of which the first one has been found by that of the request.
        if (own === first.own) return route
        const described = this.#table.routeOf(own, method)
        if (described !== undefined) return described
      }
      return route
    }
    this.trace = new RequestTrace(this.exchange, incoming, first.route, routeAtEnd)
    this.trace.run(run)
  }

  /**
   * Whether the request, as it is now, is for the app that was taken over, which then has it to its end.
   *
   * A request without a route is here for the hooks alone, or was rewritten by one of them.
   */
  entersTaken(app: object): boolean {
    const { url, method } = this.#incoming
    const routed = this.#routed!
    if (routed.url !== url || routed.method !== method) this.#routed = { url, method, isTaken: undefined }
    this.exchange.retarget()
    this.#routed!.isTaken ??= this.#takes()
    if (!this.#routed!.isTaken) return false
    // A hook may have rewritten the request to what the app has had before. Or there are two lists of Controllers of one app, and the
    // first has run the whole app.
    if (isThrough(app, this.#incoming)) return false
    this.#enter(app)
    return true
  }

  #enter(app: object): void {
    this.#isTaken = true
    this.#passages ??= []
    this.#passages.push(enter(app, this.#incoming, true))
  }

  /** Every layer has been passed, or one has failed and no error handler has handled the error. */
  #end(error: unknown): void {
    const { exchange } = this
    if (exchange.timer?.expired) return error ? this.logFailure(error) : undefined
    if (error) return this.failAtEnd(error)
    if (exchange.over) return
    if (exchange.open && exchange.fail === undefined) {
      // As in Express it stays open: the hook may yet end it.
      log(this.config.logger, 'warn', this.begunError!.message)
      return
    }
    this.trace?.complete(undefined)
    exchange.retarget()
    // In front of an app, a request that has entered a part of it ends here: in the app the part would run again.
    const isInFront = exchange.fail === undefined
    if (exchange.pass === undefined || (isInFront && this.#isTaken)) this.miss()
    else this.leave()
  }

  /** Passes the request on as it has come. */
  leave(): void {
    const { exchange } = this
    exchange.timer?.stop()
    this.leaving()
    exchange.release()
    try {
      exchange.pass!()
    } catch (error) {
      // A fallback of plain Node may throw, and the hook whose next() has led here is not the one to catch it.
      this.failAtEnd(error)
    }
  }

  protected override leaving(): void {
    if (this.#passages !== undefined) {
      for (const passage of this.#passages) leave(passage, this.#incoming)
    }
    if (this.#restore === undefined) return
    this.#incoming[this.#key] = this.#around
    this.#restore()
    this.#restore = undefined
  }

  /** The host's middleware parses the bodies for the host's handlers. */
  override parsesBody({ callback, options }: RunnableController): boolean {
    return this.exchange.hasBody && options.body !== 'stream' && nodeCallbackOf(callback) === undefined
  }

  /** `res.send` of the app does it. */
  protected override finish(answer: LightResponse | Response): LightResponse | Response {
    return answer
  }

  /** Sends the answer of a Controller's callback through `res.send`, where there is an app. */
  protected override send(answer: LightResponse | Response): ReturnType<NodeExchange['send']> {
    const { exchange, config } = this
    const sendable = sendableOf(answer)
    if (sendable === undefined || (this.#restore === undefined && this.#app() === undefined)) {
      return exchange.send(answer, config.logger)
    }
    if (this.#restore === undefined) this.#open()
    sendByApp(this.#outgoing, sendable)
    return undefined
  }

  protected override showMiss(): void {
    this.refuse(undefined)
  }

  protected override showError(error: unknown, failed: (error: unknown) => void): void {
    const app = this.#app()
    if (app === undefined) return super.showError(error, failed)
    if (this.#restore === undefined) this.#open()
    sendErrorPage(app, this.#incoming, this.#outgoing, error)
  }

  protected override isReported(): boolean {
    return this.#app()?.get('env') !== 'test'
  }

  /** Undefined where the Express of a router is not installed, and where it does not work on this request. */
  #app(): App | undefined {
    if (!canMount(this.#incoming, this.#outgoing)) return undefined
    try {
      return this.#members().app
    } catch {
      return undefined
    }
  }
}

function nothing(): void {}

/** What a request asks for, whatever mounts it is in. */
function shown({ method = '', url = '', baseUrl = '' }: IncomingMessage & { baseUrl?: string }): string {
  return `${method} ${baseUrl}${url}`
}
