import { RouteControllersError } from '../ground/errors.js'
import { createNote } from '../ground/introspection-key.js'
import { nameType } from '../ground/options.js'
import { standInFor } from '../ground/registration.js'
import type { ExtendClasses, FetchHandler, ForeignFetchHandler, Logger } from '../ground/types.js'
import { NodeExchange } from '../node/exchange.js'
import type { NodeEntry } from '../node/node-entry.js'
import type { Answering } from '../request/platform.js'
import type { Description } from './description.js'
import { ForeignRun } from './foreign-run.js'

/** What stands on a fetch handler of this package. */
interface Handler {
  readonly entry: NodeEntry
  readonly describe: (() => Description) | undefined
  readonly answer: Answering | undefined
}

const handlerNote = createNote<Handler>('handler')

/**
 * Gives a fetch handler an entry for Node requests, by which no web Request is made unless a callback uses one. `describe` says to tools what
 * it serves.
 */
export function withNodeEntry<F extends FetchHandler>(
  fetchHandler: F,
  entry: NodeEntry,
  describe?: () => Description,
  answer?: Answering,
): F {
  return handlerNote.write(fetchHandler, { entry, describe, answer })
}

/** How a fetch handler answers by a call; undefined for one that is not of RouteControllers. */
export function answeringOf(fetchHandler: object): Answering | undefined {
  return handlerNote.read(fetchHandler)?.answer
}

/** What a fetch handler serves; undefined for one that is not of RouteControllers. */
export function descriptionOf(fetchHandler: object): Description | undefined {
  return handlerNote.read(fetchHandler)?.describe?.()
}

/** Extends the classes of a server for this handler; undefined for most handlers. */
export function extendClassesOf(fetchHandler: ForeignFetchHandler): ExtendClasses | undefined {
  return handlerNote.read(fetchHandler)?.entry.extendClasses
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
  const own = handlerNote.read(fetchHandler)?.entry
  if (own !== undefined) return standInFor(own)
  return (...parameters) => void new ForeignRun(new NodeExchange(...parameters), logger).start(fetchHandler)
}

/** What stands on a function of `middleware()`, `toConnect`, `toListener` or a `Server`. */
export interface Serving {
  readonly fetchHandler: object
  readonly fallback: unknown
}

const servingNote = createNote<Serving>('serving', true)

/** Notes on a function what it serves, for tools, which read servers and apps without running them. */
export function withServing<F extends object>(serve: F, fetchHandler: object, fallback?: object): F {
  return servingNote.write(serve, { fetchHandler, fallback })
}

/** What a function serves, by what `withServing` has noted on it, also where another function is wrapped around it; else undefined. */
export function servingOf(value: unknown): Serving | undefined {
  if (typeof value !== 'function') return undefined
  return servingNote.read(value)
}
