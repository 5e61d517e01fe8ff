import { runHooks, statusSetOn } from './chain.js'
import { isThenable } from '../ground/thenable.js'
import type { RunnableController } from '../define/controller.js'
import { type NodeCallback, nodeCallbackOf } from '../define/node-callback.js'
import { isFailure, isRouteControllersError, RouteControllersError } from '../ground/errors.js'
import {
  addReturned,
  connectHookOf,
  isAround,
  type Middleware,
  nameOfMiddleware,
} from '../define/middleware.js'
import { parseBody } from '../request/parse-body.js'
import type { RouteRequest } from '../request/request.js'
import type { RequestRun } from './request-run.js'
import {
  checkReturned,
  discardAnswer,
  discardUnread,
  endingAnswer,
  toAnswer,
  webBodyOf,
  withHeaders,
} from '../answer/answer.js'
import { isLight, LightResponse } from '../answer/light-response.js'
import { log } from '../ground/log.js'
import { ResponseBuilder } from '../answer/response.js'
import { isStream } from '../answer/streams.js'
import { unreadable, validateInput } from '../define/schema.js'
import { checkAnswer } from './output.js'
import type { MaybePromise } from '../ground/types.js'
import { typesWhenSent } from '../answer/web-response.js'

/** How the request of a Controller ends: in one of the first three. */
export interface Outcome {
  answer(answer: LightResponse | Response): void
  /** To whatever would have come next; `'router'` for past all Controllers. */
  pass(signal?: unknown): void
  fail(error: unknown): void
  /** Runs a callback that answers on Node's response, and that passes or fails by itself. */
  runOnNode(callback: NodeCallback): void
}

type Built = LightResponse | Response

/** What a Controller returns when other code sends its answer, if there is one. */
const handedOver = Symbol('handed over')

type ExpressStyle = (req: RouteRequest, res: ResponseBuilder, next: () => void) => unknown

/** What a `next()` came to. */
interface Inside {
  readonly answer: Built
  /** True where a handler of Node has sent it. */
  readonly isSent: boolean
  /** What `res` had built last, and the names and values of headers that it had. */
  readonly built: LightResponse | undefined
  readonly headers: readonly string[]
}

/** One Controller with one request: body → middleware → input → callback → output, to one of the outcomes. */
export class ControllerRun {
  readonly #run: RequestRun
  readonly #controller: RunnableController
  readonly #req: RouteRequest
  readonly #outcome: Outcome
  readonly #builder: ResponseBuilder
  /** Whether a middleware runs around what is under way. */
  #isInAround = false
  /** Whether the body is still to be parsed, behind the guards that come before it. */
  #isBodyDue = false
  /** Whether it has come to an outcome. */
  #isOver = false
  #closed: Promise<void> | undefined
  /** That of all Controllers, then that of this one. */
  readonly #middleware: readonly Middleware[]

  constructor(run: RequestRun, controller: RunnableController, req: RouteRequest, outcome: Outcome) {
    this.#run = run
    this.#controller = controller
    this.#req = req
    this.#outcome = outcome
    this.#builder = new ResponseBuilder(run.exchange)
    const { middleware } = run.config
    this.#middleware =
      middleware.length === 0 ? controller.middleware : [...middleware, ...controller.middleware]
  }

  /** Never throws. Synchronous code stays synchronous: no step waits unless a promise was returned. */
  start(): void {
    if (!this.#run.parsesBody(this.#controller)) return this.#begin()
    if (this.#isGuardedFirst()) {
      this.#isBodyDue = true
      return this.#begin()
    }
    let parsing: Promise<void> | undefined
    try {
      parsing = parseBody(this.#run.exchange, this.#req)
    } catch (error) {
      return this.#fail(this.#unreadable(error))
    }
    if (parsing === undefined) return this.#begin()
    void parsing.then(
      () => this.#begin(),
      (error: unknown) => this.#fail(this.#unreadable(error)),
    )
  }

  async #parseBehindGuards(): Promise<void> {
    this.#isBodyDue = false
    try {
      await parseBody(this.#run.exchange, this.#req)
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  /** Whether a guard of Connect decides before the body is read: that of GET and HEAD says nothing to it, and may never come. */
  #isGuardedFirst(): boolean {
    const { method } = this.#run.exchange
    const [first] = this.#middleware
    return (
      (method === 'GET' || method === 'HEAD') && first !== undefined && connectHookOf(first) !== undefined
    )
  }

  /** The error of a body, with its place where the input has schemas. */
  #unreadable(error: unknown): unknown {
    return unreadable(error, 'body', this.#controller.options.input)
  }

  /** Runs all steps behind the body. */
  #begin(): void {
    let returned: unknown
    try {
      returned = this.#step(0)
      // Within: a look at what was returned may throw.
      if (isThenable(returned)) {
        // Through resolve(), which leaves a promise as it is, and holds any other thenable to what a promise does.
        return void Promise.resolve(returned).then(
          (value) => this.#finish(value),
          (error: unknown) => this.#fail(error),
        )
      }
    } catch (error) {
      return this.#fail(error)
    }
    this.#finish(returned)
  }

  /** Middleware in their order, from one on, then the callback. */
  #step(from: number): unknown {
    const middleware = this.#middleware
    if (this.#isBodyDue && (from === middleware.length || connectHookOf(middleware[from]) === undefined)) {
      return this.#parseBehindGuards().then(() => this.#step(from))
    }
    this.#run.waitFor(this.#controller)
    this.#run.exchange.isNative = true
    for (let at = from; at < middleware.length; at++) {
      const one = middleware[at]!
      if (connectHookOf(one) !== undefined) return this.#throughConnect(at)
      if (isAround(one)) return this.#around(at)
      // Of its own: what it does after it has returned must not change the answer of what is inside.
      const lent = this.#builder.lend()
      const returned = this.#callBefore(one, lent)
      if (isThenable(returned)) {
        // Through resolve(): another thenable need not chain, and may call back more than once.
        return Promise.resolve(returned).then(
          (value) => this.#endingBefore(value, one, lent) ?? this.#step(at + 1),
        )
      }
      const ending = this.#endingBefore(returned, one, lent)
      if (ending !== undefined) return ending
    }
    const { input } = this.#controller.options
    const validating =
      input && validateInput(input, this.#req, this.#run.config.refusedStatus, this.#run.exchange)
    return validating === undefined ? this.#call() : validating.then(() => this.#call())
  }

  /** Calls a middleware of at most two parameters. One that still calls `next()` is Connect middleware, and may be a guard. */
  #callBefore(one: Middleware, lent: ResponseBuilder): unknown {
    let problem: RouteControllersError | undefined
    const returned = one(this.#req, lent, () => {
      problem = new RouteControllersError(
        'ERR_NEXT_ARGUMENT',
        `The middleware ${nameOfMiddleware(one)} has called next(), which its parameters do not show: write around(middleware), or fromConnect(middleware) for one of Connect`,
      )
      // The request has gone on already, so this line is the only report.
      log(this.#run.config.logger, 'error', problem.message)
      return new Promise<never>(() => {})
    })
    if (problem !== undefined) throw problem
    return returned
  }

  /** As `#ending`, for a middleware with a `res` of its own, which it gives back where it goes on. */
  #endingBefore(returned: unknown, middleware: Middleware, lent: ResponseBuilder): Built | undefined {
    const ending = this.#ending(returned, middleware, lent)
    if (ending !== undefined) return ending
    let isReported = false
    this.#builder.takeBack(lent, (answer) => {
      if (answer !== undefined) discardAnswer(answer)
      if (isReported) return
      isReported = true
      this.#answersLate(middleware)
    })
    return undefined
  }

  /** A middleware that had gone on has answered. It may be a guard, so nothing is sent of a request that is still under way. */
  #answersLate(middleware: Middleware): void {
    const { exchange, config } = this.#run
    const problem = new RouteControllersError(
      'ERR_MIDDLEWARE_RETURN',
      `The middleware ${nameOfMiddleware(middleware)} has answered after it had returned nothing, which lets the request through: return the answer, or a promise of it, or write fromConnect(middleware) for one of Connect`,
    )
    if (this.#isOver || exchange.answered) return log(config.logger, 'error', problem.message)
    this.#builder.misuse ??= problem
    if (exchange.isNative) return
    // What runs on Node's response does not come back here.
    exchange.ignoreLateWrites?.()
    this.#fail(problem)
  }

  #call(): unknown {
    // A middleware may have answered late while another one ran, or while the input was checked.
    if (this.#builder.misuse !== undefined) throw this.#builder.misuse
    const { callback, options } = this.#controller
    const onNode = nodeCallbackOf(callback)
    if (onNode !== undefined) {
      this.#run.exchange.isNative = false
      this.#outcome.runOnNode(onNode)
      return handedOver
    }
    if (this.#run.begunError) throw this.#run.begunError
    const { output } = options
    const mode = this.#run.config.checkOutput
    if (output === undefined || mode === 'off') return this.#callWithNext(callback)
    const values = this.#builder.keepValues()
    const stringify = this.#run.exchange.stringify ?? JSON.stringify
    const check = (returned: unknown): MaybePromise<Built> => {
      const answer = toAnswer(returned, this.#builder)
      const refused = (error: unknown): never => {
        discardUnread(answer)
        throw error
      }
      try {
        const checked = checkAnswer(output, answer, { mode, values, stringify })
        return isThenable(checked) ? Promise.resolve(checked).catch(refused) : checked
      } catch (error) {
        return refused(error)
      }
    }
    const returned = this.#callWithNext(callback)
    return isThenable(returned) ? Promise.resolve(returned).then(check) : check(returned)
  }

  /** Calls the callback. One with a third parameter is probably a handler of Express, and may call it. */
  #callWithNext(callback: RunnableController['callback']): unknown {
    if (callback.length < 3) return callback(this.#req, this.#builder)
    return (callback as ExpressStyle)(this.#req, this.#builder, () => {
      // Not thrown: it may be called from a timer, where that ends the process.
      this.#builder.misuse = new RouteControllersError(
        'ERR_NEXT_ARGUMENT',
        'The callback has called next(), which it does not have: write fromExpress(handler) of routecontrollers/express for a handler of Express, or throw an error',
      )
    })
  }

  /** The answer with which a middleware has ended the chain; of anything else, what it has returned is on the request. */
  #ending(returned: unknown, middleware: Middleware, builder = this.#builder): Built | undefined {
    const ending = endingAnswer(returned, builder)
    if (ending === undefined) addReturned(this.#req, returned, middleware)
    return ending
  }

  /** Runs the middleware at a position around all that is inside of it. */
  async #around(at: number): Promise<unknown> {
    const one = this.#middleware[at]!
    const builder = this.#builder
    let inside: Promise<Inside> | undefined
    let ended: Inside | undefined
    let isOver = false
    let hasFailed = false
    let problem: RouteControllersError | undefined
    const next = (...given: readonly unknown[]): Promise<Response> => {
      problem ??= nextProblem(one, given, inside !== undefined, isOver || builder.built !== undefined)
      const answer =
        problem === undefined
          ? (inside = this.#inside(at + 1)).then((it) => (ended = it).answer)
          : Promise.reject(problem)
      // A middleware that ignores this promise leaves no rejection behind. The inside is awaited below.
      answer.catch(() => (hasFailed = true))
      return answer as Promise<Response>
    }
    try {
      const returned: unknown = await one(this.#req, builder, next)
      isOver = true
      if (problem !== undefined) throw problem
      if (inside === undefined) {
        const ending = this.#ending(returned, one)
        if (ending !== undefined) return ending
        throw noAnswer(one)
      }
      const own = this.#ownAnswer(returned, ended)
      if (own === undefined) {
        addReturned(this.#req, returned, one)
        return this.#insideAnswer(await inside)
      }
      if (own === ended?.answer) return this.#insideAnswer(ended)
      if (ended?.isSent) {
        throw new RouteControllersError(
          'ERR_RESPONSE_INVALID',
          `The middleware ${nameOfMiddleware(one)} has returned another Response, but the answer has been sent: a handler of Express or Connect sends it`,
        )
      }
      if (ended !== undefined) {
        this.#giveUp(ended.answer, own)
        return own
      }
      // What continues to run inside has no request left to answer.
      this.#run.exchange.ignoreLateWrites?.()
      this.#leave(inside, hasFailed)
      return own
    } catch (error) {
      isOver = true
      if (ended === undefined) this.#leave(inside, hasFailed)
      else if (!ended.isSent) this.#giveUp(ended.answer, undefined)
      throw error
    }
  }

  /** Leaves what is inside behind a middleware that has ended before it. An error that the middleware cannot have seen is logged. */
  #leave(inside: Promise<Inside> | undefined, hasFailed: boolean): void {
    void inside?.then(discardUnseen, (error: unknown) => {
      // One of this package says that there was nothing left to answer.
      if (!hasFailed && isFailure(error) && !isRouteControllersError(error)) this.#run.logFailure(error)
    })
  }

  /** Everything from a position on, to its answer. */
  async #inside(from: number): Promise<Inside> {
    const builder = this.#builder
    this.#isInAround = true
    const returned = await this.#step(from)
    const isSent = returned === handedOver || this.#handsOver(returned) || this.#isAnsweredOnNode(returned)
    const answer = isSent ? await this.#sentAnswer() : changeable(toAnswer(returned, builder))
    return { answer, isSent, built: builder.built, headers: [...builder.headerList] }
  }

  /** Runs what a callback has returned, where that is a handler that answers on Node's response; false for any other value. */
  #handsOver(returned: unknown): boolean {
    const onNode = typeof returned === 'function' ? nodeCallbackOf(returned) : undefined
    if (onNode === undefined) return false
    const { exchange, begunError } = this.#run
    const problem = this.#builder.misuse ?? begunError
    if (problem !== undefined) throw problem
    checkReturned(undefined, this.#builder)
    if (exchange.outgoing === undefined) {
      throw new RouteControllersError(
        'ERR_RESPONSE_INVALID',
        'The callback has returned a handler of Express, as sendFile(path) is one, which needs the request of Node: return res.stream(…), or give Controller(…) itself what fromExpress has made',
      )
    }
    this.#builder.putOn(exchange.outgoing)
    exchange.isNative = false
    this.#outcome.runOnNode(onNode)
    return true
  }

  /** True where nothing was returned and an answer was sent: other code has used Node's response. */
  #isAnsweredOnNode(returned: unknown): boolean {
    return returned === undefined && this.#builder.built === undefined && this.#run.exchange.answered
  }

  /** The answer that a middleware has made itself after it has called `next()`; undefined for that of what is inside. */
  #ownAnswer(returned: unknown, ended: Inside | undefined): Built | undefined {
    const builder = this.#builder
    if (typeof returned === 'object' && returned !== null && returned === ended?.answer) {
      checkReturned(ended.answer, builder)
      return ended.answer
    }
    const ending = endingAnswer(returned, builder)
    // What `res` has built last, without its being returned, may be that of what is inside.
    if (ending !== builder.built || ending === returned) return ending
    return ended === undefined || ending === ended.built ? undefined : ending
  }

  /** The answer of what is inside, with the headers that were set on `res` since. */
  #insideAnswer({ answer, isSent, headers }: Inside): unknown {
    if (isSent) return handedOver
    const since = setSince(headers, this.#builder.headerList)
    return since.length > 0 ? withHeaders(answer, since) : answer
  }

  /**
   * Discards an answer when another is sent instead. The other may be made of its body, which may be read until the other has
   * been sent.
   */
  #giveUp(answer: Built, own: Built | undefined): void {
    const readsNothing = own === undefined || (isLight(own) && !isStream(own.payload))
    // Without a look at it, no other answer can be made of its body.
    const isUnseen =
      isLight(answer) && answer.touched === undefined && !(isLight(own) && own.payload === answer.payload)
    const { outgoing } = this.#run.exchange
    if (readsNothing || isUnseen) discardUnread(answer)
    else if (outgoing === undefined) return
    else if (webBodyOf(own) === undefined || webBodyOf(own) !== webBodyOf(answer)) {
      outgoing.once('close', () => discardUnread(answer))
    }
  }

  /** What a handler that answers on Node's response has sent, without its body, once it has. */
  async #sentAnswer(): Promise<Built> {
    const outgoing = this.#run.exchange.outgoing!
    const isOver = outgoing.writableFinished || outgoing.destroyed
    if (!isOver) await new Promise((resolve) => outgoing.once('close', resolve))
    const headers = Object.entries(outgoing.getHeaders()).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((line) => [name, String(line)]),
    )
    return new LightResponse(outgoing.statusCode, headers, null)
  }

  /**
   * Runs the Connect middleware at a position; the rest of the chain runs inside its `next()`.
   *
   * When the middleware answers itself, the promise never settles, and nothing that waits for it is kept alive. With a middleware
   * that runs around it, the promise settles when the response is closed.
   */
  #throughConnect(at: number): Promise<unknown> {
    const outgoing = this.#run.exchange.outgoing!
    const { statusCode } = outgoing
    return new Promise((resolve, reject) => {
      if (this.#isInAround) void this.#closing().then(() => resolve(handedOver))
      runHooks([connectHookOf(this.#middleware[at])!], {
        ...this.#run.chainContext(),
        done: (error, left) => {
          if (Boolean(error)) return reject(error)
          const { exchange } = this.#run
          if (exchange.over) return
          // The callback must not run: a guard of a route of Express may refuse this way.
          if (left === 'route' || left === 'router') {
            this.#isOver = true
            return this.#outcome.pass(left)
          }
          try {
            const set = statusSetOn(outgoing, statusCode)
            if (set !== undefined) this.#builder.status(set)
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

  /** Settles once the response is closed. One promise for all middleware: Node warns of many listeners. */
  #closing(): Promise<void> {
    const outgoing = this.#run.exchange.outgoing!
    return (this.#closed ??= new Promise((resolve) => {
      if (outgoing.destroyed) resolve()
      else outgoing.once('close', () => resolve())
    }))
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    // A file that it has opened would stay open.
    for (const built of this.#builder.takeBuilt(undefined)) discardUnread(built)
    this.#outcome.fail(error)
  }

  #finish(returned: unknown): void {
    if (returned === handedOver) return
    const builder = this.#builder
    if (this.#isOver || this.#run.exchange.timer?.expired) return this.#run.comesLate(returned, builder)
    if (this.#isAnsweredOnNode(returned)) return
    let answer: LightResponse | Response
    try {
      if (this.#handsOver(returned)) return
      answer = toAnswer(returned, builder)
      if (this.#run.begunError) throw this.#run.begunError
    } catch (error) {
      return this.#fail(error)
    }
    this.#isOver = true
    this.#outcome.answer(answer)
  }
}

/** The names and values that were set since a list was another one. What is set again moves to the end of the list. */
function setSince(before: readonly string[], now: readonly string[]): readonly string[] {
  let kept = 0
  for (let at = 0; at < before.length; at += 2) {
    if (now[kept] === before[at] && now[kept + 1] === before[at + 1]) kept += 2
  }
  return now.slice(kept)
}

/**
 * The same answer with headers of its own, which can be changed. It may be made once and returned for each request, and those of
 * `fetch()` and `Response.redirect()` cannot be changed.
 */
function changeable(answer: Built): Built {
  if (isLight(answer)) {
    const { touched } = answer
    // One whose body is read cannot be sent, and a copy of it could.
    const isRead = touched !== undefined && (touched.bodyUsed || touched.body?.locked === true)
    return isRead ? answer : withHeaders(answer, [])
  }
  if (!canBeOfMany(answer) && hasChangeableHeaders(answer)) return answer
  const { body, status, statusText, headers } = answer
  return status === 0 ? answer : new Response(body, { status, statusText, headers })
}

/** Whether a Response can be sent to several requests: one with a body cannot. On Bun a look at the body would change its type. */
function canBeOfMany(answer: Response): boolean {
  return !typesWhenSent && answer.body === null && answer.status >= 200 && answer.status <= 599
}

function hasChangeableHeaders(answer: Response): boolean {
  try {
    // No answer has a header of this name. The call throws where the headers are immutable, and does nothing else.
    answer.headers.delete('x-routecontrollers-none')
    return true
  } catch {
    return false
  }
}

/**
 * Discards an answer that came after its middleware had ended. The body of one that the middleware got may be part of another
 * answer.
 */
function discardUnseen({ answer, isSent }: Inside): void {
  if (!isSent) discardAnswer(answer)
}

function nextProblem(
  middleware: Middleware,
  given: readonly unknown[],
  isSecond: boolean,
  isOver: boolean,
): RouteControllersError | undefined {
  const name = `The middleware ${nameOfMiddleware(middleware)}`
  if (given.length > 0) {
    return new RouteControllersError(
      'ERR_NEXT_ARGUMENT',
      `${name} has called next() with an argument, which is Connect's: write fromConnect(middleware) for one of Connect, and throw an error`,
    )
  }
  if (isSecond) {
    return new RouteControllersError(
      'ERR_NEXT_TWICE',
      `${name} has called next() twice: what is inside runs once`,
    )
  }
  if (!isOver) return undefined
  return new RouteControllersError(
    'ERR_NEXT_TWICE',
    `${name} has called next() after it had ended the chain: write \`return\` before its answer, and \`return next()\``,
  )
}

function noAnswer(middleware: Middleware): RouteControllersError {
  return new RouteControllersError(
    'ERR_MIDDLEWARE_NO_ANSWER',
    `The middleware ${nameOfMiddleware(middleware)} has neither returned an answer nor called next(): write \`return next()\`, two parameters for one that runs before, or fromConnect(middleware) for one of Connect`,
  )
}
