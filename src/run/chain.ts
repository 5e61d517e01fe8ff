import type { HookEntry } from '../define/hook-entry.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerTimer } from '../answer/answer-timer.js'
import { callInChain, type InContext } from './async-context.js'
import { toFailure } from '../ground/errors.js'
import { isThenable } from '../ground/thenable.js'
import type { ExpressLike } from '../request/exchange.js'
import { matchScope } from '../routing/scope.js'
import { describeThrown, log } from '../ground/log.js'
import { checkUngone } from './silent-hook.js'
import type { ErrorHook, Hook, Logger, Next } from '../ground/types.js'

/** What a chain needs of its request. */
export interface ChainContext {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly logger: Logger
  readonly timer?: AnswerTimer | undefined
  /** The raw path that routing would use now, after what hooks have written to `req.url`. */
  currentPath(): string
  /** The path that the host or the fallback may find in the target instead; undefined where all find the same. */
  lenientPath(): string | undefined
  /** Shows the request to an app of Express as a server of its own would, and gives what takes it back. */
  lend(app: ExpressLike): () => void
  /** Called before a URL is stripped, and before any function after the first hook gets the request. */
  settleUrl(): void
  /** Called before each hook, with the `next` that it gets. */
  entering?: ((next: Next, entry: HookEntry) => void) | undefined
  /** Called when a hook has begun an answer and goes on. */
  begun(name: string): void
  /**
   * Runs after all hooks, with the error that none has handled. `left` is what the last hook has called `next` with. `'router'` may
   * come from any hook, and has skipped the rest. `'handled'` says that an error hook has handled an error and called `next()`.
   */
  done(error: unknown, left?: unknown): void
}

/**
 * Runs Connect hooks one after the other, each within the `next()` of the one before. So no step waits a tick, and
 * AsyncLocalStorage reaches from a hook to the callback. If `error` is given, only the error hooks run.
 */
export function runHooks(entries: readonly HookEntry[], context: ChainContext, error?: unknown): void {
  step(entries, withNext(context), 0, error)
}

/**
 * What `next` was given, where `next(req, res)` goes on. The request without a response is an error, as in Express: a guard may have refused by
 * it.
 */
export function withoutRequest(given: unknown, response: unknown, incoming: unknown, name: string): unknown {
  if (given !== incoming) return given
  if (typeof (response as Partial<ServerResponse> | null)?.setHeader === 'function') return undefined
  const what = response === undefined ? 'alone' : 'and no response'
  return new Error(`The hook ${name} has given next() its request ${what}`)
}

/** A host's `req.next` is that of the chain while hooks run (`res.format` calls it with its error), and its own again after. */
function withNext(context: ChainContext): ChainContext {
  const incoming = context.incoming as IncomingMessage & { next?: unknown }
  const { next: outer } = incoming
  if (typeof outer !== 'function') return context
  return {
    ...context,
    entering(next, entry) {
      incoming.next = next
      context.entering?.(next, entry)
    },
    done(error, left) {
      incoming.next = outer
      context.done(error, left)
    },
  }
}

function step(
  entries: readonly HookEntry[],
  context: ChainContext,
  from: number,
  error: unknown,
  left?: unknown,
): void {
  for (let at = from; at < entries.length; at++) {
    const entry = entries[at]!
    if (entry.isErrorHook !== Boolean(error)) continue
    let mounted = 0
    if (entry.scope !== undefined) {
      mounted = matchScope(entry.scope, context.currentPath())
      const lenient = mounted < 0 && entry.every ? context.lenientPath() : undefined
      // It guards what stands behind too. Where that may find the mount in this target, the guard decides.
      if (lenient !== undefined) mounted = Math.max(matchScope(entry.scope, lenient), 0)
    }
    if (mounted < 0) continue
    callInChain(context, (inContext) => call(entries, context, at, error, mounted, inContext))
    return
  }
  context.done(error, left)
}

function call(
  entries: readonly HookEntry[],
  context: ChainContext,
  at: number,
  error: unknown,
  mounted: number,
  inContext: InContext,
): void {
  const entry = entries[at]!
  const { incoming, outgoing, logger, timer } = context
  if (timer !== undefined) timer.pending = `the hook ${entry.name}`
  if (mounted > 0) context.settleUrl()
  const unstrip = mounted > 0 ? strip(incoming, mounted) : undefined
  const takeBack = entry.app && context.lend(entry.app)
  let called = false
  let late = false
  const next: Next = (given?: unknown, response?: unknown) => {
    // The request has been answered instead.
    if (timer?.expired) return
    const argument = withoutRequest(given, response, incoming, entry.name)
    const isError = Boolean(argument) && argument !== 'route' && argument !== 'router'
    if (called && (!isError || outgoing.headersSent || late)) {
      log(logger, 'warn', `The hook ${entry.name} has called next() twice; the second call is ignored`)
      return
    }
    // An error after next() still counts while there is no answer: connect-timeout ends a request that way.
    if (called) late = true
    else {
      takeBack?.()
      unstrip?.()
    }
    called = true
    if (outgoing.headersSent) context.begun(entry.name)
    context.settleUrl()
    // After a handled error the request goes on behind the routes: a guard that has refused by `next(error)` must not be passed.
    const left = argument === 'router' ? 'router' : entry.isErrorHook && !isError ? 'handled' : undefined
    if (left !== undefined) return inContext(() => context.done(undefined, left))
    // As in Express, where a function of `app.use` has no route to skip: a guard that follows must still run.
    inContext(() => step(entries, context, at + 1, isError ? argument : undefined, argument))
  }
  const failed = (thrown: unknown): void => {
    if (called || timer?.expired) {
      const after = called ? 'next()' : 'the answer of its time limit'
      log(logger, 'error', `The hook ${entry.name} has failed after ${after}: ${describeThrown(thrown)}`)
    } else {
      next(
        thrown === incoming
          ? new Error(`The hook ${entry.name} has thrown its own request`)
          : toFailure(thrown),
      )
    }
  }
  context.entering?.(next, entry)
  // The server, as Node's own listeners have it.
  const self = (incoming.socket as { server?: unknown } | undefined)?.server
  try {
    const result: unknown = entry.isErrorHook
      ? (entry.hook as ErrorHook).call(self, error, incoming, outgoing, next)
      : (entry.hook as Hook).call(self, incoming, outgoing, next)
    const settled = (returned: unknown): void => {
      if (!called) checkUngone(entry, returned, outgoing, logger, failed)
    }
    if (isThenable(result)) result.then(settled, failed)
    else settled(result)
  } catch (thrown) {
    failed(thrown)
  }
}

/** Takes the mount path off `req.url`, as Connect does; gives back what puts it on again. */
function strip(incoming: IncomingMessage, length: number): () => void {
  const url = incoming.url!
  // An absolute-form target keeps its scheme and host: only the path is cut.
  const [origin] = url.charCodeAt(0) === 0x2f ? [''] : /^(?:[^/?#]+:\/\/[^/\\?#]*)?/.exec(url)!
  const start = origin.length
  const removed = url.slice(start, start + length)
  const rest = url.slice(start + length)
  // As Express: behind a scheme and host a backslash is as good as a slash.
  const slashAdded = rest.charCodeAt(0) !== 0x2f && !(origin !== '' && rest.charCodeAt(0) === 0x5c)
  incoming.url = origin + (slashAdded ? '/' : '') + rest
  return () => {
    // From what the URL is now: the hook may have rewritten it.
    const { url: rewritten } = incoming
    // Something else than a text matches no route, and is no reason to lose the request here.
    if (typeof rewritten !== 'string') return
    const path = rewritten.slice(origin.length)
    incoming.url = origin + removed + (slashAdded && path.charCodeAt(0) === 0x2f ? path.slice(1) : path)
  }
}

/** The status that a hook has set; undefined where it has set none of an answer. A host may have begun with another than 200: Koa does with 404. */
export function statusSetOn({ statusCode }: ServerResponse, before: number): number | undefined {
  // As Node sends it: of a text its number, of 203.5 the whole.
  const status = statusCode | 0
  return statusCode !== before && status >= 200 && status < 600 ? status : undefined
}
