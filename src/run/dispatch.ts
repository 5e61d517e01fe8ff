import { type ChainContext, runHooks } from './chain.js'
import { type HookEntry } from '../define/hook-entry.js'
import { checkRoute } from './check-route.js'
import type { RunnableController } from '../define/controller.js'
import { type NodeCallback, nodeCallbackOf } from '../define/node-callback.js'
import { ControllerRun, type Outcome } from './controller-run.js'
import type { Engine, EngineView, EngineConfig } from './engine.js'
import { RouteControllersError, toFailure } from '../ground/errors.js'
import type { Exchange } from '../request/exchange.js'
import { log } from '../ground/log.js'
import { matchedRouteOf } from '../request/matched-route.js'
import { isOnNode, needsNode } from './needs-node.js'
import { RequestRun } from './request-run.js'
import { isTraced, RequestTrace } from './request-trace.js'
import type { RouteRequest } from '../request/request.js'
import type { LightResponse } from '../answer/light-response.js'
import { ResponseBuilder } from '../answer/response.js'
import { decodeParams } from '../routing/params.js'
import { createRouteIndex, type RouteIndex, type RouteMatch } from '../routing/route-index.js'
import { parseScope, type Scope } from '../routing/scope.js'
import { unreadable } from '../define/schema.js'
import { passedOver } from '../routing/specificity.js'
import type { ExtendClasses, RouteCheckResult } from '../ground/types.js'

type Match = RouteMatch<RunnableController>

/** The package's own engine: the most specific route answers. The order of the list does not matter. */
export class Dispatch implements Engine {
  readonly #config: EngineConfig
  readonly #extendForHooks: ExtendClasses
  #controllers: readonly RunnableController[] = []
  #index: RouteIndex<RunnableController> = createRouteIndex([])

  /** `extendForHooks` makes of a server's classes what hooks expect. */
  constructor(config: EngineConfig, extendForHooks: ExtendClasses) {
    this.#config = config
    this.#extendForHooks = extendForHooks
  }

  load(controllers: readonly RunnableController[]): void {
    for (const { callback } of controllers) nodeCallbackOf(callback)?.check?.()
    this.#index = createRouteIndex(
      controllers.map((target) => ({ method: target.method, pattern: target.pattern, target })),
    )
    if (this.#controllers.length === 0) this.#warnOfGuards(controllers)
    this.#controllers = [...controllers]
  }

  #warnOfGuards(controllers: readonly RunnableController[]): void {
    const pairs = passedOver(controllers)
    if (pairs.length === 0) return
    const [wide, narrow] = pairs[0]!.map(({ method, pattern }) => `Controller(${method}, ${pattern.source})`)
    const path = pairs[0]![0].pattern.source.replace(/\/?\*[^/]*$/, '')
    const more = pairs.length === 1 ? '' : ` (${pairs.length} such pairs)`
    log(
      this.#config.logger,
      'warn',
      `${wide} does not run before ${narrow}, which is more specific and answers alone${more}. If it is a guard, add it with addGlobal(${path === '' ? '' : `'${path}', `}guard) or with use() of each Controller. If it answers what no other does, list it after them`,
    )
  }

  handle(exchange: Exchange): void {
    // After an answer there is neither a second one nor a next(). One that has only begun may be ended by what follows.
    if (!exchange.over) new OwnRun(this.#config, exchange, this.#index).start()
  }

  check(method: string | undefined, path: string): RouteCheckResult {
    return checkRoute(this.#index, method, path)
  }

  parseScope(path: string): Scope {
    return parseScope(path)
  }

  view(): EngineView {
    return { index: this.#index, takes: (method, path) => this.#index.match(method, path) !== undefined }
  }

  extendClasses(): ExtendClasses | undefined {
    for (const { callback } of this.#controllers) {
      const onNode = nodeCallbackOf(callback)
      if (onNode !== undefined) return onNode.extendClasses
    }
    return this.#config.hooks.length > 0 ? this.#extendForHooks : undefined
  }
}

/** One request: match → hooks → body → middleware → callback → send. */
class OwnRun extends RequestRun implements Outcome {
  readonly #index: RouteIndex<RunnableController>
  #match: Match | undefined
  /** The methods that the path has, where the one that was sent is to be refused. */
  #allowed: readonly string[] | undefined

  constructor(config: EngineConfig, exchange: Exchange, index: RouteIndex<RunnableController>) {
    super(config, exchange)
    this.#index = index
  }

  start(): void {
    this.#findRoute()
    if (isTraced()) this.#trace(() => this.#begin())
    else this.#begin()
  }

  #begin(): void {
    if (this.config.hooks.length > 0 && this.exchange.incoming !== undefined) this.#throughHooks()
    else this.#route()
  }

  /**
   * Continues with the matched route, and publishes it to the tracing channel. A hook may have rewritten the request to another
   * route, or to its first one.
   */
  #trace(goOn: () => void): void {
    const { exchange } = this
    const target = this.#match?.route.target
    // What starts again with a Node request is traced there.
    if (target === undefined || (exchange.viaNode !== undefined && this.#isForNode(target))) return goOn()
    const route = matchedRouteOf(target)
    if (this.trace !== undefined) {
      this.trace.message.route = route
      return goOn()
    }
    const req = exchange.incoming ?? exchange.prepare(this.config.bodyLimit)
    this.trace = new RequestTrace(exchange, req, route)
    this.trace.run(goOn)
  }

  #findRoute(): void {
    const { exchange } = this
    const match = this.#index.match(exchange.method, exchange.path)
    const isLeft = match !== undefined && this.isLeft(match.route.target)
    this.#match = isLeft ? undefined : match
    exchange.routed = this.#match?.route.target
    if (this.config.strictMethods && !isLeft) this.#findAllowed()
  }

  #findAllowed(): void {
    const { path, problem } = this.exchange
    this.#allowed = undefined
    if (this.#match !== undefined || problem !== undefined || path === '*') return
    const methods = this.#index.methodsAt(path)
    if (methods.length > 0) this.#allowed = methods
  }

  /** Hooks run for the requests that are answered here, and only for those. With `scope: 'every'` a hook runs for all. */
  #throughHooks(): void {
    const { config, exchange } = this
    const isOurs = exchange.pass === undefined || this.#isAnswered() || this.#isPreflight()
    const entries = isOurs ? config.hooks : config.hooks.filter((entry) => entry.every)
    if (entries.length === 0) return this.#route()
    exchange.followUrl()
    // Params are there from the first hook on, as in Express; the values come with the route.
    const bodyLimit = this.#match?.route.target.options.bodyLimit ?? config.bodyLimit
    exchange.prepare(bodyLimit).params ??= {}
    this.#runHooks(entries, () => {
      // A rewritten request that has become ours has yet to pass the hooks that it skipped, guards among them.
      if (isOurs || !this.#isAnswered()) return this.#route()
      const skipped = config.hooks.filter((entry) => !entry.every)
      this.#runHooks(skipped, () => this.#route())
    })
  }

  #isAnswered(): boolean {
    return this.#match !== undefined || this.#allowed !== undefined
  }

  #runHooks(entries: readonly HookEntry[], after: () => void): void {
    const { exchange } = this
    runHooks(entries, {
      ...this.chainContext(),
      done: (error, left) => {
        if (error) return this.failAtEnd(error)
        if (left === 'handled') return this.#afterHandledError()
        if (exchange.over) return
        if (left === 'router') return this.pass()
        exchange.retarget()
        this.#findRoute()
        if (isTraced()) this.#trace(after)
        else after()
      },
    })
  }

  /** A CORS preflight counts as the route that it asks about, so that a cors hook can answer it. */
  #isPreflight(): boolean {
    const { exchange } = this
    if (exchange.method !== 'OPTIONS' || exchange.header('origin') === undefined) return false
    const asked = exchange.header('access-control-request-method')
    const match = asked === undefined ? undefined : this.#index.match(asked, exchange.path)
    return match !== undefined && !this.isLeft(match.route.target)
  }

  #route(): void {
    const { exchange } = this
    const match = this.#match
    if (match === undefined && exchange.open && (this.#allowed ?? !exchange.fail)) {
      return this.fail(this.begunError)
    }
    if (this.#allowed !== undefined) return this.#refuseMethod(this.#allowed)
    if (match === undefined && exchange.pass !== undefined) return this.#leave()
    if (exchange.problem !== undefined) return this.refuse(exchange.problem)
    if (match === undefined) return this.miss()
    this.#runController(match)
  }

  /** Passes the request on to the host or the fallback. */
  #leave(): void {
    const { exchange } = this
    exchange.timer?.stop()
    this.trace?.complete(undefined)
    exchange.release()
    try {
      exchange.pass!()
    } catch (error) {
      // A fallback of plain Node may throw, and the hook whose next() has led here is not the one to catch it.
      this.failAtEnd(error)
    }
  }

  #runController({ route, values }: Match): void {
    const { exchange, config } = this
    const { target } = route
    const { options } = target
    if (exchange.viaNode !== undefined && this.#isForNode(target)) {
      // It has one of its own there.
      exchange.timer?.stop()
      return exchange.viaNode()
    }
    this.controller = target
    let req: RouteRequest
    try {
      const params = decodeParams(route.pattern.names, values)
      const streamLimit = options.body === 'stream' ? Infinity : undefined
      req = exchange.prepare(options.bodyLimit ?? config.bodyLimit, streamLimit)
      req.params = params
    } catch (error) {
      return this.fail(unreadable(error, 'params', options.input))
    }
    new ControllerRun(this, target, req, this).start()
  }

  #isForNode(controller: RunnableController): boolean {
    return needsNode(controller) || this.config.middleware.some(isOnNode)
  }

  runOnNode(callback: NodeCallback): void {
    const { incoming, outgoing } = this.exchange
    callback.run(incoming!, outgoing!, this.#match!.route, (signal) => {
      if (!signal || signal === 'route' || signal === 'router') this.pass()
      else this.fail(signal)
    })
  }

  answer(answer: LightResponse | Response): void {
    this.deliver(answer, (error) => this.fail(error), true)
  }

  /** A Controller has passed its request on: there is no other behind it, the most specific one had it. */
  pass(): void {
    if (this.exchange.over) return
    this.exchange.retarget()
    this.#match = undefined
    this.#allowed = undefined
    this.exchange.routed = undefined
    this.trace?.complete(undefined)
    this.#route()
  }

  /** A Controller has failed: the error hooks are asked first, as those that stand behind the routes of Express. */
  fail(error: unknown): void {
    const { exchange, config } = this
    this.trace?.failed(error)
    if (exchange.timer?.expired) return this.logFailure(error)
    const hooks = config.hooks.filter((entry) => entry.isErrorHook)
    // A web-standard request that had begun before the first hook was added has no Node request for it.
    const isBeforeHooks = hooks.length === 0 || exchange.incoming === undefined
    if (isBeforeHooks || (exchange.answered && !exchange.begun)) return this.failAtEnd(error)
    // Again, because a hook that is an app of Express gives it another prototype, and a route has another limit.
    exchange.prepare(config.bodyLimit)
    const context: ChainContext = {
      ...this.chainContext(),
      done: (unhandled) => {
        if (unhandled) this.failAtEnd(unhandled)
        else this.#afterHandledError()
      },
    }
    runHooks(hooks, context, toFailure(error))
  }

  /** An error hook has taken the error and called `next()`: it goes on behind the routes. */
  #afterHandledError(): void {
    const { exchange } = this
    if (!exchange.answered) return this.pass()
    // Begun: an application that takes whole requests, as a fallback does, cannot end it, but what follows inside a host can.
    if (exchange.fail === undefined) exchange.destroy()
    else if (exchange.open) this.#leave()
  }

  override miss(): void {
    const { exchange } = this
    // RFC 9110 9.3.7: about the server as a whole, so it is not asked for a path that may be missing.
    if (exchange.method === 'OPTIONS' && exchange.path === '*') this.#allow(this.#index.methods)
    else super.miss()
  }

  /** RFC 9110 9.3.7 */
  #allow(methods: readonly string[]): void {
    const answer = new ResponseBuilder(this.exchange).header('Allow', methods.join(', ')).send(null)
    this.deliver(answer, (error) => this.refuse(error))
  }

  /** The path has controllers only for other methods, and the request is not passed on. RFC 9110 15.5.6 */
  #refuseMethod(allowed: readonly string[]): void {
    const methods = [...new Set([...allowed, 'OPTIONS'])].sort()
    if (this.exchange.method === 'OPTIONS') return this.#allow(methods)
    const headers = { Allow: methods.join(', ') }
    const message = 'Method Not Allowed'
    this.fail(new RouteControllersError('ERR_METHOD_NOT_ALLOWED', message, { headers }))
  }
}
