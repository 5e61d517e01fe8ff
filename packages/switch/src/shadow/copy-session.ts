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

/** The session of a client, as its copy has it. */
interface Kept {
  readonly request: WithSession
  id: unknown
  store: unknown
  hasHadSession: boolean
  safeSession: unknown
  safeStore: unknown
}

const keptKey = Symbol('routecontrollers.session')

type Copy = WithSession & { readonly [keptKey]: Kept }

// The same ones for all copies: accessors of its own would make each copy an object of another shape, and all code that touches a request
// slow, for clients, too.
const members: PropertyDescriptorMap = {
  sessionStore: accessor(
    ({ safeStore }) => safeStore,
    (kept, given) => {
      kept.store = given
      kept.safeStore = isObject(given) ? storeOfCopy(given) : given
      if (isObject(given)) leaveUntouched(given)
    },
  ),
  session: accessor(
    ({ safeSession }) => safeSession,
    (kept, given) => {
      if (isObject(given)) sessionsOfCopies.add(given)
      kept.hasHadSession ||= isObject(given)
      // One with a store writes by `req.sessionStore` alone.
      kept.safeSession = isObject(given) && kept.store === undefined ? sessionOfCopy(given) : given
    },
  ),
  sessionID: accessor(
    // express-session destroys the session of a request that has its ID and no session any more.
    ({ hasHadSession, request, id }) =>
      hasHadSession && (request.session ?? undefined) === undefined ? undefined : id,
    (kept, given) => void (kept.id = given),
  ),
}

function accessor(
  get: (kept: Kept) => unknown,
  set: (kept: Kept, given: unknown) => void,
): PropertyDescriptor {
  return {
    get(this: Copy) {
      return get(this[keptKey])
    },
    set(this: Copy, given: unknown) {
      set(this[keptKey], given)
    },
    // Middleware that defines such a member itself may do so.
    configurable: true,
    enumerable: true,
  }
}

/** Keeps what a copy does with its session from the session of the client. Give it the copy before anything has seen it. */
export function keepSession(copy: IncomingMessage): void {
  const kept: Kept = {
    request: copy as WithSession,
    id: undefined,
    store: undefined,
    hasHadSession: false,
    safeSession: undefined,
    safeStore: undefined,
  }
  Object.defineProperty(copy, keptKey, { value: kept })
  Object.defineProperties(copy, members)
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
