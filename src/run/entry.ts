import { RouteControllersError } from '../ground/errors.js'
import { nameType } from '../ground/options.js'
import { standInFor } from '../ground/registration.js'
import type { ExtendClasses, FetchHandler, ForeignFetchHandler, Logger } from '../ground/types.js'
import { NodeExchange } from '../node/exchange.js'
import type { NodeEntry } from '../node/node-entry.js'
import { ForeignRun } from './foreign-run.js'

const key = Symbol.for('routecontrollers.node')

/** Gives a fetch handler an entry for Node requests, by which no web Request is made unless a callback uses one. */
export function withNodeEntry(fetchHandler: FetchHandler, entry: NodeEntry): FetchHandler {
  return Object.defineProperty(fetchHandler, key, { value: entry })
}

/** Extends the classes of a server for this handler; undefined for most handlers. */
export function extendClassesOf(fetchHandler: ForeignFetchHandler): ExtendClasses | undefined {
  return (fetchHandler as { [key]?: NodeEntry })[key]?.extendClasses
}

/** Throws ERR_OPTION_INVALID for anything but a function, with what to write instead. */
export function checkFetchHandler(owner: string, fetchHandler: unknown): void {
  if (typeof fetchHandler === 'function') return
  const { getCallback, fetch } = (fetchHandler ?? {}) as { getCallback?: unknown; fetch?: unknown }
  const instead =
    typeof getCallback === 'function'
      ? `: write ${owner}(routeControllers.getCallback())`
      : typeof fetch === 'function'
        ? `: write ${owner}((request) => app.fetch(request))`
        : ''
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${owner} takes a fetch handler (Request) => Response, not ${nameType(fetchHandler)}${instead}`,
  )
}

/** The entry of a fetch handler for Node requests: its own, which has a logger, or one through `Request` and `Response`. */
export function nodeEntryOf(fetchHandler: ForeignFetchHandler, logger: Logger = console): NodeEntry {
  const own = (fetchHandler as { [key]?: NodeEntry })[key]
  if (own !== undefined) return standInFor(own)
  return (...parameters) => void new ForeignRun(new NodeExchange(...parameters), logger).start(fetchHandler)
}

const serving = Symbol.for('routecontrollers.serving')
const listed = 'routecontrollers.serving'

interface Serving {
  readonly fetchHandler: object
  readonly fallback: unknown
}

/** Notes on a function what it serves, for the command `routecontrollers`, which reads servers and apps without running them. */
export function withServing<F extends object>(
  serve: F,
  fetchHandler: ForeignFetchHandler,
  fallback?: object,
): F {
  const value = { fetchHandler, fallback }
  Object.defineProperty(serve, serving, { value })
  // What wraps the layers of Express, as tracers and express-async-errors do, carries over only what can be listed by name.
  return Object.defineProperty(serve, listed, { get: () => value, enumerable: true })
}

/** What a function serves, by what `withServing` has noted on it, also where another function is wrapped around it; else undefined. */
export function servingOf(value: unknown): Serving | undefined {
  if (typeof value !== 'function') return undefined
  return (value as { [serving]?: Serving })[serving] ?? (value as { [listed]?: Serving })[listed]
}
