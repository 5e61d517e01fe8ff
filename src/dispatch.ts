import { AnswerTimer } from './answer-timer.js'
import { type ChainContext, type HookEntry, isThenable, runHooks } from './chain.js'
import { connectHookOf, nodeCallbackOf, type RunnableController } from './controller.js'
import { isFailure, RouteControllersError, toFailure } from './errors.js'
import type { Exchange } from './exchange.js'
import { describeThrown, log } from './log.js'
import type { Profile } from './profile.js'
import type { RouteRequest } from './request.js'
import {
  type Answer,
  checkSendable,
  discardAnswer,
  endingAnswer,
  type LightResponse,
  ResponseBuilder,
  toAnswer,
  withHeaders,
} from './response.js'
import { decodeParams } from './routing/params.js'
import type { RouteIndex, RouteMatch } from './routing/route-index.js'
import { errorAnswer } from './error-answer.js'
import type { Logger, MaybePromise } from './types.js'

/** What a callback for errors or for misses may answer; undefined leaves it to the default. */
type Replacement = MaybePromise<Answer>

/** All that is known before a request comes. RouteControllers fills it; dispatch only reads. */
export interface Setup {
  index: RouteIndex<RunnableController>
  readonly hooks: readonly HookEntry[]
  /** Headers that every answer gets, names and values one after the other. */
  readonly headers: readonly string[]
  readonly bodyLimit: number
  /** For which an answer may fail to begin; 0 for ever. */
  readonly answerTimeoutMs: number
  readonly logger: Logger
  readonly onError: ((error: unknown, req: RouteRequest, res: ResponseBuilder) => Replacement) | undefined
  readonly onNotFound: ((req: RouteRequest, res: ResponseBuilder) => Replacement) | undefined
  /** Whose manners to keep, where not our own. */
  readonly profile: Profile | undefined
}

type Match = RouteMatch<RunnableController>

/**
 * Takes one request from its match to its answer: match → hooks → body → middleware → callback → send.
 *
 * Never throws and never rejects. What is sync stays sync: no step waits for a promise that nobody returned.
 */
export function dispatch(setup: Setup, exchange: Exchange): void {
  // Whoever called us after the answer has begun gets neither a second one nor a next().
  if (exchange.answered) return
  const match = setup.index.match(exchange.method, exchange.path)
  if (setup.profile !== undefined && (match !== undefined || exchange.pass === undefined)) {
    if (exchange.viaNode !== undefined) return exchange.viaNode()
    setup.profile.open(exchange)
  }
  if (setup.answerTimeoutMs > 0) startTimer(setup, exchange)
  if (setup.hooks.length > 0 && exchange.incoming !== undefined) return throughHooks(setup, exchange, match)
  route(setup, exchange, match)
}

function startTimer(setup: Setup, exchange: Exchange): void {
  const timer = new AnswerTimer(setup.answerTimeoutMs, () => {
    if (exchange.answered) return
    const after = `no answer after ${setup.answerTimeoutMs} ms`
    log(
      setup.logger,
      'error',
      `${exchange.method} ${exchange.path}: ${after}: ${timer.pending} has not settled`,
    )
    const error = new RouteControllersError('ERR_ANSWER_TIMEOUT', 'No answer came in time', { status: 503 })
    if (timer.pending === onErrorName) return refuse(setup, exchange, error)
    // For an onError that does not settle either.
    timer.start()
    fail(setup, exchange, error)
  })
  exchange.timer = timer
  exchange.outgoing?.once('close', () => timer.stop())
  timer.start()
}

const onErrorName = 'onError'

function route(setup: Setup, exchange: Exchange, match: Match | undefined): void {
  if (match === undefined && exchange.pass !== undefined) {
    exchange.timer?.stop()
    exchange.release()
    try {
      return exchange.pass()
    } catch (error) {
      // A fallback of plain Node may throw, and the hook whose next() has led here is not the one to catch it.
      return fail(setup, exchange, error)
    }
  }
  if (exchange.problem !== undefined) return refuse(setup, exchange, exchange.problem)
  if (match === undefined) return miss(setup, exchange)
  answer(setup, exchange, match)
}

/** Hooks see the requests that are answered here, and only those; with `scope: 'every'` a hook sees all. */
function throughHooks(setup: Setup, exchange: Exchange, match: Match | undefined): void {
  const ours = exchange.pass === undefined || match !== undefined || isPreflight(setup, exchange)
  const entries = ours && !setup.profile ? setup.hooks : hooksFor(setup, (entry) => ours || entry.every)
  if (entries.length === 0) return route(setup, exchange, match)
  exchange.followUrl()
  // Params are there from the first hook on, as in Express; the values come with the route.
  exchange.prepare(match?.route.target.options.bodyLimit ?? setup.bodyLimit).params ??= {}
  const run = (some: readonly HookEntry[], after: (now: Match | undefined) => void): void => {
    runHooks(some, {
      ...chainContext(setup, exchange),
      done(error, left) {
        if (exchange.timer?.expired) return
        if (error) return setup.profile ? failRoute(setup, exchange, error) : fail(setup, exchange, error)
        if (exchange.answered) return
        if (left) return route(setup, exchange, undefined)
        exchange.retarget()
        after(setup.index.match(exchange.method, exchange.path))
      },
    })
  }
  run(entries, (now) => {
    // A rewritten request that has become ours has yet to pass the hooks that it skipped, guards among them.
    if (!ours && now !== undefined) {
      const skipped = hooksFor(setup, (entry) => !entry.every)
      return run(skipped, (then) => route(setup, exchange, then))
    }
    route(setup, exchange, now)
  })
}

/** Under a profile error hooks stand behind the routes: what they forgive is not routed after all. */
function hooksFor(setup: Setup, takes: (entry: HookEntry) => boolean): readonly HookEntry[] {
  return setup.hooks.filter((entry) => takes(entry) && !(setup.profile && entry.isErrorHook))
}

/** A CORS preflight counts as the route that it asks about, so that a cors hook can answer it. */
function isPreflight(setup: Setup, exchange: Exchange): boolean {
  if (exchange.method !== 'OPTIONS' || exchange.header('origin') === undefined) return false
  const asked = exchange.header('access-control-request-method')
  return asked !== undefined && setup.index.match(asked, exchange.path) !== undefined
}

function answer(setup: Setup, exchange: Exchange, match: Match): void {
  const controller = match.route.target
  const { options } = controller
  if (exchange.viaNode !== undefined && needsNode(controller)) {
    // It has one of its own there.
    exchange.timer?.stop()
    return exchange.viaNode()
  }
  if (exchange.timer !== undefined) exchange.timer.pending = `the Controller ${nameOf(match)}`
  let req: RouteRequest
  try {
    const params = match.params ? match.params() : decodeParams(match.route.pattern.names, match.values)
    req = exchange.prepare(
      options.bodyLimit ?? setup.bodyLimit,
      options.body === 'stream' ? Infinity : undefined,
    )
    req.params = params
    if (match.before !== undefined) {
      return void match.before(exchange.incoming!, exchange.outgoing!, (signal) => {
        if (signal) leave(setup, exchange, match, signal)
        else runRoute(setup, exchange, match, req)
      })
    }
  } catch (error) {
    return failRoute(setup, exchange, error, match)
  }
  runRoute(setup, exchange, match, req)
}

function runRoute(setup: Setup, exchange: Exchange, match: Match, req: RouteRequest): void {
  const builder = new ResponseBuilder(exchange)
  let returned: unknown
  try {
    returned = parsesBody(setup, exchange, match.route.target)
      ? withBody(exchange, req, () => runController(setup, exchange, match, req, builder, 0))
      : runController(setup, exchange, match, req, builder, 0)
    if (isThenable(returned)) {
      // Through resolve(), which leaves a promise as it is, and holds any other thenable to what a promise does.
      return void Promise.resolve(returned).then(
        (value) => finish(setup, exchange, match, builder, value),
        (error: unknown) => failRoute(setup, exchange, error, match),
      )
    }
  } catch (error) {
    return failRoute(setup, exchange, error, match)
  }
  finish(setup, exchange, match, builder, returned)
}

/** Under a profile, bodies of a host's handlers are for the host's middleware to parse. */
function parsesBody(setup: Setup, exchange: Exchange, controller: RunnableController): boolean {
  if (!exchange.hasBody || controller.options.body === 'stream') return false
  return setup.profile === undefined || nodeCallbackOf(controller.callback) === undefined
}

function needsNode(controller: RunnableController): boolean {
  return nodeCallbackOf(controller.callback) !== undefined || controller.middleware.some(connectHookOf)
}

/** Parses the body once, then runs the first middleware and the rest. Types that nobody parses stay a stream. */
function withBody(exchange: Exchange, req: RouteRequest, run: () => unknown): unknown {
  // Read upstream: req.body is what that reader made of it.
  if (exchange.bodyConsumed) return run()
  const { body, timer } = exchange
  body.checkHead()
  const { kind } = body.type
  if (kind === 'other' || kind === 'multipart') return run()
  body.checkCoding()
  // How long a client takes to send it is the server's to limit.
  timer?.stop()
  return body.bytes().then(
    (bytes) => {
      timer?.start()
      const value = body.parse(bytes)
      if (value !== undefined) {
        req.body = value
        exchange.parsedBytes = bytes
        // What a host has put there would hide it.
        if (Object.hasOwn(req, 'rawBody')) req.rawBody = bytes
      }
      return run()
    },
    (error: unknown) => {
      timer?.start()
      throw error
    },
  )
}

/** Middleware in the order of `use`, then the callback. */
function runController(
  setup: Setup,
  exchange: Exchange,
  match: Match,
  req: RouteRequest,
  builder: ResponseBuilder,
  from: number,
): unknown {
  const controller = match.route.target
  const { middleware } = controller
  if (exchange.timer !== undefined) exchange.timer.pending = `the Controller ${nameOf(match)}`
  for (let at = from; at < middleware.length; at++) {
    const one = middleware[at]!
    const hook = connectHookOf(one)
    if (hook !== undefined) {
      return throughConnect(setup, exchange, hook, () =>
        runController(setup, exchange, match, req, builder, at + 1),
      )
    }
    const returned = one(req, builder)
    if (isThenable(returned)) {
      return returned.then(
        (value) =>
          endingAnswer(value, builder) ?? runController(setup, exchange, match, req, builder, at + 1),
      )
    }
    const ending = endingAnswer(returned, builder)
    if (ending !== undefined) return ending
  }
  const onNode = nodeCallbackOf(controller.callback)
  if (onNode === undefined) return controller.callback(req, builder)
  onNode.run(exchange.incoming!, exchange.outgoing!, match.route, (signal) =>
    leave(setup, exchange, match, signal),
  )
  return handedOver
}

/** What a controller gives back whose answer, if any, is sent by somebody else. */
const handedOver = Symbol('handed over')

/** A route has called `done`: with an error, or to pass its request on. */
function leave(setup: Setup, exchange: Exchange, match: Match, signal: unknown): void {
  if (!signal || signal === 'route') passOn(setup, exchange, match)
  else if (signal !== 'router') failRoute(setup, exchange, signal, match)
  else if (!exchange.answered) route(setup, exchange, undefined)
}

/** A route has passed its request on: to the next one that matches, where there is an order, or to whatever stands behind. */
function passOn(setup: Setup, exchange: Exchange, match: Match): void {
  if (exchange.answered) return
  exchange.retarget()
  const next = setup.profile && setup.index.match(exchange.method, exchange.path, match)
  route(setup, exchange, next)
}

/**
 * Runs Connect middleware of one controller; the rest of the chain runs inside its `next()`.
 *
 * When it answers by itself the promise never settles, and nothing that waits for it is kept alive.
 */
function throughConnect(
  setup: Setup,
  exchange: Exchange,
  hook: HookEntry,
  goOn: () => unknown,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    runHooks([hook], {
      ...chainContext(setup, exchange),
      done(error, left) {
        if (Boolean(error)) return reject(error)
        if (left) return reject(notFound())
        try {
          const returned = goOn()
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

function chainContext(setup: Setup, exchange: Exchange): Omit<ChainContext, 'done'> {
  exchange.prepareHooks()
  const { profile } = setup
  return {
    incoming: exchange.incoming!,
    outgoing: exchange.outgoing!,
    logger: setup.logger,
    timer: exchange.timer,
    currentPath() {
      exchange.retarget()
      return exchange.path
    },
    settleUrl() {
      exchange.settleUrl()
    },
    entering: profile && ((next, entry) => profile.enter(exchange, next, entry.scope !== undefined)),
  }
}

function finish(
  setup: Setup,
  exchange: Exchange,
  match: Match,
  builder: ResponseBuilder,
  returned: unknown,
): void {
  if (returned === handedOver) return
  if (exchange.timer?.expired) return comesLate(returned, builder)
  // Nothing returned, and sent all the same: somebody has used Node's response.
  if (returned === undefined && builder.built === undefined && exchange.answered) return
  const failed = (error: unknown): void => failRoute(setup, exchange, error, match)
  send(setup, exchange, () => toAnswer(returned, builder), failed)
}

/** An answer for which nobody has waited any longer. */
function comesLate(returned: unknown, builder: ResponseBuilder): void {
  try {
    discardAnswer(toAnswer(returned, builder))
  } catch {
    // It would have been none.
  }
}

/** Sends what `make` makes; `failed` is told why it cannot be made or sent, while nothing has been sent. */
function send(
  setup: Setup,
  exchange: Exchange,
  make: () => LightResponse | Response,
  failed: (error: unknown) => void,
): void {
  try {
    const answer = make()
    checkSendable(answer)
    const whole = setup.headers.length === 0 ? answer : withHeaders(answer, setup.headers)
    const sending =
      setup.profile === undefined
        ? exchange.send(whole, setup.logger)
        : setup.profile.send(exchange, whole, setup.logger)
    exchange.timer?.stop()
    sending?.catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** Nothing matches and nobody stands behind. */
function miss(setup: Setup, exchange: Exchange): void {
  const { profile } = setup
  if (profile === undefined && exchange.method === 'OPTIONS' && exchange.path === '*') {
    return allowAll(setup, exchange)
  }
  const byDefault = (): void => {
    if (profile === undefined) refuse(setup, exchange, notFound())
    else profile.miss(exchange)
  }
  if (setup.onNotFound === undefined) return byDefault()
  if (exchange.timer !== undefined) exchange.timer.pending = 'onNotFound'
  replace(setup, exchange, setup.onNotFound, byDefault)
}

function notFound(): RouteControllersError {
  return new RouteControllersError('ERR_NOT_FOUND', 'Not Found', { status: 404 })
}

// RFC 9110 9.3.7: about the server as a whole.
function allowAll(setup: Setup, exchange: Exchange): void {
  const builder = new ResponseBuilder(exchange)
  const methods = new Set(setup.index.methods)
  if (methods.has('GET')) methods.add('HEAD')
  const answerOf = (): Response => builder.header('Allow', [...methods].sort().join(', ')).send(null)
  send(setup, exchange, answerOf, (error) => refuse(setup, exchange, error))
}

/** A route has thrown: the error hooks are asked first, as those that stand behind the routes of Express. */
function failRoute(setup: Setup, exchange: Exchange, error: unknown, match?: Match): void {
  if (exchange.timer?.expired) return logFailure(setup, exchange, error, match)
  const hooks = setup.hooks.filter((entry) => entry.isErrorHook)
  if (hooks.length === 0 || exchange.answered) return fail(setup, exchange, error, match)
  // A route whose params could not be decoded has not prepared it.
  const req = exchange.prepare(setup.bodyLimit)
  req.params = (setup.profile === undefined ? req.params : undefined) ?? {}
  const context: ChainContext = {
    ...chainContext(setup, exchange),
    done(unhandled) {
      if (unhandled) fail(setup, exchange, unhandled, match)
      // Taken by an error hook that has not answered: it goes on behind the routes.
      else if (!exchange.answered) route(setup, exchange, undefined)
    },
  }
  runHooks(hooks, context, toFailure(error))
}

/** Something was thrown: the application's handler is asked, then the host, then it is answered here. */
function fail(setup: Setup, exchange: Exchange, error: unknown, match?: Match): void {
  if (exchange.answered) {
    if (isReported(setup, error)) logFailure(setup, exchange, error, match)
    return exchange.destroy()
  }
  const rest = (): void => {
    exchange.timer?.stop()
    if (exchange.fail !== undefined) return exchange.fail(toFailure(error))
    if (isReported(setup, error)) logFailure(setup, exchange, error, match)
    refuse(setup, exchange, error)
  }
  const { onError } = setup
  if (onError === undefined) return rest()
  if (exchange.timer !== undefined) exchange.timer.pending = onErrorName
  replace(setup, exchange, (req, res) => onError(error, req, res), rest)
}

function isReported(setup: Setup, error: unknown): boolean {
  return setup.profile === undefined ? isFailure(error) : setup.profile.reports(error)
}

/** Answers with what `handler` answers; with nothing from it, or when it fails too, as without it. */
function replace(
  setup: Setup,
  exchange: Exchange,
  handler: (req: RouteRequest, res: ResponseBuilder) => Replacement,
  otherwise: () => void,
): void {
  const builder = new ResponseBuilder(exchange)
  const done = (returned: unknown): void => {
    if (returned === undefined && builder.built === undefined) return otherwise()
    send(setup, exchange, () => toAnswer(returned, builder), broken)
  }
  const broken = (error: unknown): void => {
    logFailure(setup, exchange, error)
    otherwise()
  }
  try {
    const req = exchange.prepare(setup.bodyLimit)
    req.params ??= {}
    const returned: unknown = handler(req, builder)
    if (isThenable(returned)) returned.then(done, broken)
    else done(returned)
  } catch (error) {
    broken(error)
  }
}

/** Answers with the status of an error, and with its message only when that was meant for the client. */
function refuse(setup: Setup, exchange: Exchange, error: unknown): void {
  // Even the plain answer cannot be sent: a header that somebody upstream has set is broken.
  const failed = (sendError: unknown): void => {
    logFailure(setup, exchange, sendError)
    exchange.destroy()
  }
  if (setup.profile === undefined) {
    return send(setup, exchange, () => errorAnswer(error, exchange.header('accept')), failed)
  }
  try {
    setup.profile.refuse(exchange, error)
  } catch (sendError) {
    failed(sendError)
  }
}

function logFailure(setup: Setup, exchange: Exchange, error: unknown, match?: Match): void {
  const by = match === undefined ? '' : ` (Controller ${nameOf(match)})`
  // Without the query, which may carry what a log must not.
  log(setup.logger, 'error', `${exchange.method} ${exchange.path}${by}: ${describeThrown(error)}`)
}

function nameOf({ route }: Match): string {
  return `${route.method}:${route.pattern.source}`
}
