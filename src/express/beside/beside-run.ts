import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LightResponse } from '../../answer/light-response.js'
import type { RunnableController } from '../../define/controller.js'
import { type NodeCallback, nodeCallbackOf } from '../../define/node-callback.js'
import { toFailure } from '../../ground/errors.js'
import { NodeExchange } from '../../node/exchange.js'
import { matchedRouteOf } from '../../request/matched-route.js'
import { statusSetOn } from '../../run/chain.js'
import { ControllerRun, type Outcome } from '../../run/controller-run.js'
import type { EngineConfig } from '../../run/engine.js'
import { RequestRun } from '../../run/request-run.js'
import { isTraced, RequestTrace } from '../../run/request-trace.js'
import { sendableOf, sendByApp, stringifyByApp } from '../engine/app-answer.js'
import { runHandlers, signalOf } from '../engine/run-handlers.js'
import { expressLayer } from '../members/members.js'
import { shareMembers } from '../members/shared-members.js'
import type { Done, Route } from '../model/layer.js'
import type { Place } from '../model/placed.js'

type Incoming = IncomingMessage & {
  route: Route
  app?: { readonly request?: object }
}

// Express has had the request first: it handles errors, and it alone has matched.
const inRoute = { owned: false, hasMatched: true }

/** One request in a route of Express: a native callback answers it, or passes it on to what stands behind the route. */
export class BesideRun extends RequestRun implements Outcome {
  declare readonly exchange: NodeExchange
  override readonly controller: RunnableController
  readonly #incoming: Incoming
  readonly #place: Place
  readonly #next: Done

  constructor(config: EngineConfig, exchange: NodeExchange, place: Place, next: Done) {
    super(config, exchange)
    this.controller = place.controller
    this.#incoming = exchange.incoming as Incoming
    this.#place = place
    this.#next = next
  }

  /** Runs the callback, unless a switch leaves the request to the next handler of the route. Never throws. */
  static start(
    config: EngineConfig,
    place: Place,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next: Done,
  ): void {
    const exchange = new NodeExchange(
      incoming,
      outgoing,
      inRoute,
      () => next(),
      (error) => next(error),
    )
    const { controller } = place
    const switching = place.switchIn((incoming as Incoming).app)
    if (switching !== undefined && !switching.choose(controller, exchange)) return next()
    const { callback, options } = controller
    const handlers = options.input === undefined ? nodeCallbackOf(callback)?.handlers : undefined
    if (handlers !== undefined && !isTraced()) return runHandlers(handlers, incoming, outgoing, next)
    const run = new BesideRun(config, exchange, place, next)
    if (isTraced()) run.#trace()
    else run.#run()
  }

  #trace(): void {
    const { exchange, controller } = this
    this.trace = new RequestTrace(exchange, this.#incoming, matchedRouteOf(controller))
    this.trace.run(() => this.#run())
  }

  #run(): void {
    const { exchange, controller, config } = this
    const { options } = controller
    const streamLimit = options.body === 'stream' ? Infinity : undefined
    exchange.members = expressLayer
    shareMembers(this.#incoming)
    const outgoing = exchange.outgoing!
    const stringify = (value: unknown): string | undefined => stringifyByApp(outgoing, value)
    exchange.stringify = stringify
    // A middleware before it may have set one that its handler leaves as it is.
    exchange.status = statusSetOn(outgoing, 200)
    const req = exchange.prepare(options.bodyLimit ?? config.bodyLimit, streamLimit)
    this.#incoming.route = this.#place.shownRoute
    new ControllerRun(this, controller, req, this).start()
  }

  answer(answer: LightResponse | Response): void {
    this.deliver(answer, (error) => this.fail(error), true)
  }

  /** The callback has passed the request on: the handler that it replaces must not run after it. */
  pass(signal?: unknown): void {
    this.trace?.complete(undefined)
    this.exchange.release()
    this.#next(signalOf(signal))
  }

  fail(error: unknown): void {
    // The client has gone. The app's error handlers get it all the same, as that of any handler: one of them may report it.
    if (this.exchange.outgoing!.destroyed) {
      this.trace?.failed(error)
      this.exchange.release()
      this.#next(toFailure(error))
    } else this.failAtEnd(error)
  }

  runOnNode(callback: NodeCallback): void {
    const { incoming, outgoing } = this.exchange
    callback.run(incoming, outgoing!, this.controller, (signal) => {
      if (!signal || signal === 'route' || signal === 'router') this.pass(signal)
      else this.fail(signal)
    })
  }

  /** The host's middleware parses the bodies for the host's handlers. */
  override parsesBody(controller: RunnableController): boolean {
    return super.parsesBody(controller) && nodeCallbackOf(controller.callback) === undefined
  }

  protected override send(answer: LightResponse | Response): ReturnType<NodeExchange['send']> {
    const { exchange, config } = this
    const sendable = sendableOf(answer)
    if (sendable === undefined) return exchange.send(answer, config.logger)
    sendByApp(exchange.outgoing!, sendable)
    return undefined
  }
}
