// A copy of a request reads the session of its client, and writes none: by the time it runs, the client may have put more into it.
import { setImmediate } from 'node:timers'
import type { IncomingMessage } from 'node:http'

interface WithSession {
  session?: unknown
  sessionID?: unknown
  sessionStore?: unknown
}

type Method = (this: unknown, ...parameters: unknown[]) => unknown

/** Of a store in the way of express-session. The rest reads. */
const writingOfStore: readonly string[] = ['set', 'touch', 'destroy', 'clear']
/** Of a session that has no such store. */
const writingOfSession: readonly string[] = ['save', 'touch', 'destroy', 'regenerate', 'commit']

/** Keeps what a copy does with its session from the session of the client. Give it the copy before anything has seen it. */
export function keepSession(copy: IncomingMessage): void {
  const request = copy as WithSession
  let [session, id, store]: unknown[] = []
  let hasHadSession = false
  let safeSession: unknown
  let safeStore: unknown
  define(request, 'sessionStore', {
    get: () => safeStore,
    set(given: unknown) {
      store = given
      safeStore = isObject(given) ? storeOfCopy(given) : given
      if (isObject(given)) leaveUntouched(given)
    },
  })
  define(request, 'session', {
    get: () => safeSession,
    set(given: unknown) {
      session = given
      if (isObject(session)) sessionsOfCopies.add(session)
      hasHadSession ||= isObject(session)
      // One with a store writes by `req.sessionStore` alone.
      safeSession = isObject(session) && store === undefined ? sessionOfCopy(session) : session
    },
  })
  define(request, 'sessionID', {
    // express-session destroys the session of a request that has its ID and no session any more.
    get: () => (hasHadSession && (request.session ?? undefined) === undefined ? undefined : id),
    set: (given: unknown) => void (id = given),
  })
}

function define(request: WithSession, name: keyof WithSession, property: PropertyDescriptor): void {
  // Middleware that defines such a member itself may do so.
  Object.defineProperty(request, name, { ...property, configurable: true, enumerable: true })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Does nothing, and says that it is done. */
export const nothing: Method = (...parameters) => {
  const done = parameters.at(-1)
  if (typeof done !== 'function') return Promise.resolve()
  setImmediate(() => void (done as Method)(null))
  return undefined
}

export function storeOfCopy(store: object): object {
  const regenerate: Method = (request, done) => {
    ;(store as { generate?: Method }).generate?.(request)
    return nothing(done)
  }
  return withMethods(store, (name) =>
    name === 'regenerate' ? regenerate : writingOfStore.includes(name) ? nothing : undefined,
  )
}

function sessionOfCopy(session: object): object {
  return withMethods(session, (name) => (writingOfSession.includes(name) ? nothing : undefined))
}

/** The same object with other methods. Its own ones run on the object itself, whose private members a proxy does not have. */
function withMethods(target: object, methodOf: (name: string) => Method | undefined): object {
  return new Proxy(target, {
    get(_target, name) {
      const member: unknown = Reflect.get(target, name, target)
      // A member that cannot be changed must be shown as it is.
      const isFixed = Reflect.getOwnPropertyDescriptor(target, name)?.configurable === false
      if (typeof member !== 'function' || name === 'constructor' || isFixed) return member
      return (typeof name === 'string' ? methodOf(name) : undefined) ?? (member as Method).bind(target)
    },
  })
}

const sessionsOfCopies = new WeakSet<object>()
const untouched = new WeakSet<object>()

/** express-session touches the session of an answer by the store that it was given, not by that of the request. */
function leaveUntouched(store: { touch?: unknown }): void {
  const { touch } = store
  if (untouched.has(store) || typeof touch !== 'function') return
  untouched.add(store)
  const touchUnlessCopy: Method = function (...parameters) {
    const isOfCopy = parameters.some((one) => isObject(one) && sessionsOfCopies.has(one))
    return isOfCopy ? nothing(...parameters) : (touch as Method).apply(this, parameters)
  }
  try {
    Object.defineProperty(store, 'touch', { value: touchUnlessCopy, configurable: true, writable: true })
  } catch {
    // It is frozen. Touching moves the end of a session, and changes nothing in it.
  }
}
