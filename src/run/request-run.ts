import { AnswerTimer } from '../answer/answer-timer.js'
import { type ChainContext } from './chain.js'
import { isThenable } from '../ground/thenable.js'
import type { RunnableController } from '../define/controller.js'
import type { EngineConfig } from './engine.js'
import { errorAnswer } from '../answer/error-answer.js'
import {
  isFailure,
  isRouteControllersError,
  RouteControllersError,
  statusOf,
  toFailure,
} from '../ground/errors.js'
import type { Exchange } from '../request/exchange.js'
import { describeThrown, log } from '../ground/log.js'
import type { RouteRequest } from '../request/request.js'
import type { RequestTrace } from './request-trace.js'
import { checkSendable, discardAnswer, toAnswer, withHeaders } from '../answer/answer.js'
import type { LightResponse } from '../answer/light-response.js'
import { type Answer, ResponseBuilder } from '../answer/response.js'
import type { MaybePromise } from '../ground/types.js'

type Replacement = (req: RouteRequest, res: ResponseBuilder) => MaybePromise<Answer>

const onErrorName = 'onError'

/**
 * One request in flight. It has what both engines share, above all how a request ends.
 *
 * `deliver` sends an answer. `miss` answers where there is no host and no fallback. `failAtEnd` answers an error that no error
 * handler has handled: by the application's own callbacks, then by the host, then by the page of the engine.
 */
export class RequestRun {
  readonly config: EngineConfig
  readonly exchange: Exchange
  /** The Controller that has the request, or has failed with it, for messages. */
  controller: RunnableController | undefined
  /** The hook that has begun an answer and called `next()`. */
  begunBy: string | undefined
  /** For subscribers of the tracing channel, where a route has matched. */
  trace: RequestTrace | undefined

  /** The Controller that the switch was asked about last, and whether the request is left to whatever stands behind. */
  declare private asked: RunnableController | undefined
  declare private isLeftBehind: boolean

  constructor(config: EngineConfig, exchange: Exchange) {
    this.config = config
    this.exchange = exchange
    if (config.answerTimeoutMs > 0) this.#startTimer()
  }

  /** Whether a Controller that has matched leaves the request to whatever stands behind; the answer holds for the whole request. */
  protected isLeft(controller: RunnableController): boolean {
    const { switch: switching } = this.config
    if (switching === undefined) return false
    if (this.asked !== controller) {
      this.asked = controller
      this.isLeftBehind = !switching.choose(controller, this.exchange)
    }
    return this.isLeftBehind
  }

  /** Whether the body is parsed before this Controller runs. */
  parsesBody({ options }: RunnableController): boolean {
    return this.exchange.hasBody && options.body !== 'stream'
  }

  /** Sends an answer that has been checked. */
  protected send(answer: LightResponse | Response): ReturnType<Exchange['send']> {
    return this.exchange.send(answer, this.config.logger)
  }

  /** What is made of an answer of the application before it is sent. */
  protected finish(answer: LightResponse | Response): LightResponse | Response {
    const { switch: switching } = this.config
    return switching === undefined ? answer : switching.finish(answer, this.exchange)
  }

  /** Answers 404. */
  protected showMiss(): void {
    this.refuse(new RouteControllersError('ERR_NOT_FOUND', 'Not Found'))
  }

  /** Answers an error. */
  protected showError(error: unknown, failed: (error: unknown) => void): void {
    this.deliver(errorAnswer(error, this.exchange.header('accept')), failed)
  }

  /** Whether an unhandled error is logged. */
  protected isReported(error: unknown): boolean {
    return isFailure(error)
  }

  /** Called before the request goes to the host's error handlers. */
  protected leaving(): void {}

  #startTimer(): void {
    const { config, exchange } = this
    const { answerTimeoutMs: ms } = config
    const timer = new AnswerTimer(ms, () => {
      if (exchange.answered) return
      const what = `${exchange.method} ${exchange.path}: no answer after ${ms} ms`
      log(config.logger, 'error', `${what}: ${timer.pending} has not settled`)
      exchange.ignoreLateWrites?.()
      const error = new RouteControllersError('ERR_ANSWER_TIMEOUT', 'No answer came in time')
      if (timer.pending === onErrorName) return this.refuse(error)
      // For an onError that does not settle either.
      timer.start()
      this.failAtEnd(error)
    })
    exchange.timer = timer
    exchange.outgoing?.once('close', () => timer.end())
    timer.start()
  }

  /** Notes which Controller has the request from here on. */
  waitFor(controller: RunnableController): void {
    const { timer } = this.exchange
    if (timer !== undefined) timer.pending = `the Controller ${nameOf(controller)}`
  }

  chainContext(): Omit<ChainContext, 'done'> {
    const { exchange, config } = this
    exchange.prepareHooks()
    return {
      incoming: exchange.incoming!,
      outgoing: exchange.outgoing!,
      logger: config.logger,
      timer: exchange.timer,
      currentPath() {
        exchange.retarget()
        return exchange.path
      },
      lenientPath: () => exchange.lenientPath,
      lend: (app) => exchange.lend(app),
      begun: (name) => {
        this.begunBy ??= name
      },
      settleUrl() {
        exchange.settleUrl()
      },
    }
  }

  /**
   * Sends an answer with the headers that every answer gets; `failed` gets the reason why it cannot be sent, while nothing has been.
   * `isOfApplication` where the application has made it, and not this package.
   */
  deliver(answer: LightResponse | Response, failed: (error: unknown) => void, isOfApplication = false): void {
    try {
      checkSendable(answer)
      const { headers } = this.config
      const whole = headers.length === 0 ? answer : withHeaders(answer, headers)
      const sending = this.send(isOfApplication ? this.finish(whole) : whole)
      const { timer } = this.exchange
      if (sending === undefined) return timer?.stop()
      sending.then(
        () => timer?.stop(),
        // A source may fail with undefined.
        (error: unknown) => (timer && error === timer ? timer.onExpire(timer) : failed(error)),
      )
    } catch (error) {
      failed(error)
    }
  }

  /** Drops an answer that comes after the time for it. */
  comesLate(returned: unknown, builder: ResponseBuilder): void {
    try {
      discardAnswer(toAnswer(returned, builder))
    } catch {
      // It would have been none.
    }
  }

  /** The error of a request whose answer other code has begun: what comes next would answer from the head on. */
  get begunError(): RouteControllersError | undefined {
    if (!this.exchange.open) return undefined
    return new RouteControllersError(
      'ERR_ANSWER_BEGUN',
      `The hook ${this.begunBy ?? 'of the host'} has begun an answer that nothing ends`,
    )
  }

  /** Nothing matches, and there is no host or fallback. */
  miss(): void {
    const { onNotFound } = this.config
    if (onNotFound === undefined) return this.showMiss()
    const { timer } = this.exchange
    if (timer !== undefined) timer.pending = 'onNotFound'
    this.#replace(onNotFound, 404, () => this.showMiss())
  }

  /**
   * Something was thrown: the application's handler is asked, then the host, then it is answered here.
   *
   * The host also gets an error after an answer has begun, as error handlers of Express do; `onError` does not, since it answers.
   */
  failAtEnd(error: unknown): void {
    const { exchange, config } = this
    this.trace?.failed(error)
    if (exchange.answered) {
      if (!exchange.begun || !this.#tellHost(error)) this.#endHere(error)
      return
    }
    const rest = (): void => {
      exchange.timer?.stop()
      // With all reasons, the same in each way of serving: the error page of a host would say less.
      if (isRouteControllersError(error) && error.errors !== undefined) return this.#answerProblem(error)
      if (!this.#tellHost(error)) this.#endHere(error)
    }
    const { onError } = config
    if (onError === undefined) return rest()
    if (exchange.timer !== undefined) exchange.timer.pending = onErrorName
    this.#replace((req, res) => onError(error, req, res), statusOf(error), rest)
  }

  /** False where there is no host, or where the host has thrown. */
  #tellHost(error: unknown): boolean {
    const { exchange } = this
    if (exchange.fail === undefined) return false
    this.leaving()
    exchange.release()
    try {
      exchange.fail(toFailure(error))
      return true
    } catch (thrown) {
      // polka takes `error.code`, which is a string in Node's errors and in ours, for the status, and throws. The process must
      // not end over one request.
      this.logFailure(thrown, 'next(error) has thrown: ')
      return false
    }
  }

  #answerProblem(error: RouteControllersError): void {
    this.deliver(errorAnswer(error, undefined), (failure) => this.refuse(failure))
  }

  #endHere(error: unknown): void {
    // A callback that waits with the signal ends like this each time a client disconnects.
    if (this.isReported(error) && !this.exchange.isAbort(error)) this.logFailure(error)
    if (this.exchange.answered) this.exchange.destroy()
    else this.refuse(error)
  }

  /** Answers with what `handler` answers, with `status` unless it says another; with nothing from it, or when it fails too, as without it. */
  #replace(handler: Replacement, status: number, otherwise: () => void): void {
    const builder = new ResponseBuilder(this.exchange).status(status)
    const done = (returned: unknown): void => {
      if (returned === undefined && builder.built === undefined) return otherwise()
      let answer: LightResponse | Response
      try {
        answer = toAnswer(returned, builder)
      } catch (error) {
        return broken(error)
      }
      this.deliver(answer, broken, true)
    }
    const broken = (error: unknown): void => {
      this.logFailure(error)
      otherwise()
    }
    try {
      const req = this.exchange.prepare(this.config.bodyLimit)
      req.params ??= {}
      this.exchange.isNative = true
      const returned: unknown = handler(req, builder)
      if (isThenable(returned)) returned.then(done, broken)
      else done(returned)
    } catch (error) {
      broken(error)
    }
  }

  /** Answers an error that no host handles. */
  protected refuse(error: unknown): void {
    // Even the plain answer cannot be sent: a middleware upstream has set an invalid header.
    const failed = (sendError: unknown): void => {
      this.logFailure(sendError)
      this.exchange.destroy()
    }
    try {
      this.showError(error, failed)
    } catch (sendError) {
      failed(sendError)
    }
  }

  logFailure(error: unknown, what = ''): void {
    const { exchange, controller } = this
    const by = controller === undefined ? '' : ` (Controller ${nameOf(controller)})`
    // Without the query, which may hold secrets.
    log(
      this.config.logger,
      'error',
      `${exchange.method} ${exchange.path}${by}: ${what}${describeThrown(error)}`,
    )
  }
}

function nameOf({ method, pattern }: RunnableController): string {
  return `${method}:${pattern.source}`
}
