// Which taken apps a request is in, and which it has been through. An app runs a request once, by its Controllers or by itself.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An app or a router that was taken over. */
type Taken = object & {
  readonly handle: (this: object, req: IncomingMessage, res: ServerResponse, done?: Done) => void
}

type Done = (signal?: unknown) => void

type Incoming = IncomingMessage & {
  baseUrl?: string
  originalUrl?: string
  [key]?: Passage | undefined
}

// By name: another copy of this package may serve the same request.
const key = Symbol.for('routecontrollers.passage')
const original = Symbol.for('routecontrollers.original-handle')

/** What a request is for an app: a middleware may rewrite it, and then it is another one, which has its guards before it again. */
interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly baseUrl: string
  readonly originalUrl: string | undefined
}

/** One way through an app. A request has the last one, which knows the one before. */
export interface Passage {
  readonly through: object
  readonly isByControllers: boolean
  readonly before: Passage | undefined
  /** The request as it has left the app; undefined while it is in there. */
  left: Seen | undefined
}

function seen({ method, url, baseUrl = '', originalUrl = url }: Incoming): Seen {
  return { method, url, baseUrl, originalUrl }
}

function isAsIt(left: Seen, request: Incoming): boolean {
  const now = seen(request)
  return (
    left.url === now.url &&
    left.method === now.method &&
    left.baseUrl === now.baseUrl &&
    left.originalUrl === now.originalUrl
  )
}

/** Notes that a request enters an app. `leave` notes that it has left it. */
export function enter(through: object, request: object, isByControllers: boolean): Passage {
  const incoming = request as Incoming
  const passage: Passage = { through, isByControllers, before: incoming[key], left: undefined }
  incoming[key] = passage
  return passage
}

export function leave(passage: Passage, request: object): void {
  passage.left = seen(request as Incoming)
}

/** Whether a request has been anywhere. */
export function hasPassed(request: object): boolean {
  return (request as Incoming)[key] !== undefined
}

/** Whether a request is in an app, or has been through it as it is now. */
export function isThrough(app: object, request: object): boolean {
  const incoming = request as Incoming
  for (let one = incoming[key]; one !== undefined; one = one.before) {
    if (one.through === app && (one.left === undefined || isAsIt(one.left, incoming))) return true
  }
  return false
}

/** The same, where the Controllers of the app have run it. */
export function isThroughControllers(app: object, request: object): boolean {
  const incoming = request as Incoming
  for (let one = incoming[key]; one !== undefined; one = one.before) {
    if (one.through !== app || !one.isByControllers || one.left === undefined) continue
    if (isAsIt(one.left, incoming)) return true
  }
  return false
}

/**
 * Has an app note which requests it has, and pass by those that its Controllers have run to their end.
 *
 * The app itself is told, because nothing else knows when a host, or a function of the user, calls it. What it runs and how stays Express's.
 */
export function watchPassages(app: Taken): void {
  const { handle } = app
  if (original in handle) return
  const watching = function (this: Taken, req: IncomingMessage, res: ServerResponse, done?: Done): void {
    if (isThroughControllers(app, req)) return passBy(this, handle, req, res, done)
    const passage = enter(app, req, false)
    if (done === undefined) return handle.call(this, req, res)
    handle.call(this, req, res, (signal?: unknown): void => {
      leave(passage, req)
      done(signal)
    })
  }
  Object.defineProperty(watching, 'name', { value: handle.name })
  Object.defineProperty(watching, original, { value: handle })
  // An app that is frozen is left as it is.
  Reflect.defineProperty(app, 'handle', {
    value: watching,
    writable: true,
    configurable: true,
    enumerable: true,
  })
}

/** The `handle` that Express has given to an app. */
export function ownHandle(app: object): Taken['handle'] {
  const { handle } = app as Taken
  return (handle as { [original]?: Taken['handle'] })[original] ?? handle
}

/** True where the `handle` of an app only notes what passes. */
export function isWatched(app: object): boolean {
  const { handle } = app as { handle?: unknown }
  return typeof handle === 'function' && original in handle
}

/** What an app does with a request that none of its layers takes: a router goes on, and an app without a host answers 404. */
function passBy(
  app: Taken,
  handle: Taken['handle'],
  req: IncomingMessage,
  res: ServerResponse,
  done: Done | undefined,
): void {
  if (done !== undefined) return done()
  const router = { handle: (_req: unknown, _res: unknown, end: Done) => end() }
  const passing = Object.create(app, { router: { value: router }, _router: { value: router } }) as Taken
  handle.call(passing, req, res)
}
