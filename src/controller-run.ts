import { isThenable, runHooks } from './chain.js'
import { connectHookOf, type NodeCallback, nodeCallbackOf, type RunnableController } from './controller.js'
import { RouteControllersError } from './errors.js'
import { parseBody } from './parse-body.js'
import type { RouteRequest } from './request.js'
import type { RequestRun } from './request-run.js'
import { endingAnswer, toAnswer } from './answer.js'
import type { LightResponse } from './light-response.js'
import { ResponseBuilder } from './response.js'

/** What becomes of a request that a Controller has been given: it ends in one of the first three. */
export interface Outcome {
  answer(answer: LightResponse | Response): void
  /** To whatever would have come next; `'router'` for past all Controllers. */
  pass(signal?: unknown): void
  fail(error: unknown): void
  /** Runs a callback that answers on Node's response, and that passes or fails by itself. */
  runOnNode(callback: NodeCallback): void
}

/** What a Controller gives back whose answer, if any, is sent by somebody else. */
const handedOver = Symbol('handed over')

/** One Controller with one request: body → middleware → callback, to one of the outcomes. */
export class ControllerRun {
  readonly #run: RequestRun
  readonly #controller: RunnableController
  readonly #req: RouteRequest
  readonly #outcome: Outcome
  readonly #builder: ResponseBuilder

  constructor(run: RequestRun, controller: RunnableController, req: RouteRequest, outcome: Outcome) {
    this.#run = run
    this.#controller = controller
    this.#req = req
    this.#outcome = outcome
    this.#builder = new ResponseBuilder(run.exchange)
  }

  /** Never throws. What is sync stays sync: no step waits for a promise that nobody returned. */
  start(): void {
    let returned: unknown
    try {
      const parsing = this.#run.parsesBody(this.#controller) && parseBody(this.#run.exchange, this.#req)
      returned = parsing ? parsing.then(() => this.#step(0)) : this.#step(0)
      if (isThenable(returned)) {
        // Through resolve(), which leaves a promise as it is, and holds any other thenable to what a promise does.
        return void Promise.resolve(returned).then(
          (value) => this.#finish(value),
          (error: unknown) => this.#outcome.fail(error),
        )
      }
    } catch (error) {
      return this.#outcome.fail(error)
    }
    this.#finish(returned)
  }

  /** Middleware in the order of `use`, from one on, then the callback. */
  #step(from: number): unknown {
    const { middleware, callback } = this.#controller
    const builder = this.#builder
    this.#run.waitFor(this.#controller)
    this.#run.exchange.isNative = true
    for (let at = from; at < middleware.length; at++) {
      const one = middleware[at]!
      if (connectHookOf(one) !== undefined) return this.#throughConnect(at)
      const returned = one(this.#req, builder)
      if (isThenable(returned)) {
        return returned.then((value) => endingAnswer(value, builder) ?? this.#step(at + 1))
      }
      const ending = endingAnswer(returned, builder)
      if (ending !== undefined) return ending
    }
    const onNode = nodeCallbackOf(callback)
    if (onNode === undefined) return callback(this.#req, builder)
    this.#run.exchange.isNative = false
    this.#outcome.runOnNode(onNode)
    return handedOver
  }

  /**
   * Runs the Connect middleware at a position; the rest of the chain runs inside its `next()`.
   *
   * When it answers by itself the promise never settles, and nothing that waits for it is kept alive.
   */
  #throughConnect(at: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      runHooks([connectHookOf(this.#controller.middleware[at])!], {
        ...this.#run.chainContext(),
        done: (error, left) => {
          if (Boolean(error)) return reject(error)
          if (left !== undefined)
            return reject(new RouteControllersError('ERR_NOT_FOUND', 'Not Found', { status: 404 }))
          try {
            const returned = this.#step(at + 1)
            // Not resolve(promise), which would hold off an error that this hook may yet have.
            if (isThenable(returned)) returned.then(resolve, reject)
            else resolve(returned)
          } catch (thrown) {
            reject(thrown)
          }
        },
      })
    })
  }

  #finish(returned: unknown): void {
    if (returned === handedOver) return
    const builder = this.#builder
    const { exchange } = this.#run
    if (exchange.timer?.expired) return this.#run.comesLate(returned, builder)
    // Nothing returned, and sent all the same: somebody has used Node's response.
    if (returned === undefined && builder.built === undefined && exchange.answered) return
    let answer: LightResponse | Response
    try {
      answer = toAnswer(returned, builder)
    } catch (error) {
      return this.#outcome.fail(error)
    }
    this.#outcome.answer(answer)
  }
}
