// Hooks that cannot call next(), as middleware of this package does not: given to `addGlobal`, it would let every request wait without a word.
import type { ServerResponse } from 'node:http'
import { RouteControllersError } from '../ground/errors.js'
import { isLight, isResponse } from '../answer/light-response.js'
import { callLater } from '../ground/call-later.js'
import { log } from '../ground/log.js'
import { isPlain, nameType } from '../ground/options.js'
import type { Logger } from '../ground/types.js'

interface NamedHook {
  readonly hook: (...parameters: never[]) => unknown
  readonly name: string
}

/** After this time a hook that has returned should have answered. */
const silenceMs = 5000

/** The hooks that are being watched, or have been told of. One line for each is enough. */
const watched = new WeakSet<object>()

/**
 * Looks at a hook that has returned and has not called `next()`. One that has no third parameter cannot do so. Where it returns what middleware
 * of this package returns, or a function, `fail` gets an error. Where it returns nothing and does not answer, one line warns.
 */
export function checkUngone(
  { hook, name }: NamedHook,
  returned: unknown,
  outgoing: ServerResponse,
  logger: Logger,
  fail: (error: unknown) => void,
): void {
  const isMaker = typeof returned === 'function' && hook.length < 3 && !outgoing.headersSent
  if (!isMaker) {
    // One without parameters may have them as `...rest`.
    if (outgoing.headersSent || (hook.length !== 1 && hook.length !== 2)) return
  }
  const remedy = isMaker
    ? `write addGlobal(${name}())`
    : `add middleware of this package with use(${name}), and write a hook as (req, res, next)`
  if (isMaker || isOfMiddleware(returned)) {
    const what = `The hook ${name} has returned ${nameType(returned)} and has neither answered nor called next()`
    return fail(new RouteControllersError('ERR_MIDDLEWARE_RETURN', `${what}: ${remedy}`))
  }
  if (watched.has(hook)) return
  watched.add(hook)
  const tell = (): void => {
    if (outgoing.headersSent || outgoing.destroyed) watched.delete(hook)
    else
      log(
        logger,
        'warn',
        `The hook ${name} has not answered, and without a third parameter it cannot call next(): ${remedy}`,
      )
  }
  callLater(tell, silenceMs)
}

function isOfMiddleware(returned: unknown): boolean {
  if (typeof returned !== 'object' || returned === null) return false
  return isPlain(returned) || isLight(returned) || isResponse(returned)
}
