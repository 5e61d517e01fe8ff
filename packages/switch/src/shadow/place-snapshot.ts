// What guards have left on a request and its response for the handlers behind them, as copies of its own.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Copier, type CopyLimits, define, isObject, type Members } from './copier.js'
import { nothing, storeOfCopy } from './copy-session.js'

/** What Node makes anew for each request, what Express sets on it, and what is copied in a way of its own. */
const ownOfRequest = new Set([
  ...Object.keys(new IncomingMessage(undefined as never)),
  ...['res', 'next', 'route', 'session', 'sessionStore', '_parsedUrl'],
])
/** Also what middleware replaces to see the answer: what handlers leave is compared, which comes before that. */
const ownOfResponse = new Set([
  ...Object.keys(new ServerResponse(new IncomingMessage(undefined as never))),
  ...['req', 'statusCode', 'statusMessage'],
  ...['write', 'end', 'writeHead', 'flush', 'flushHeaders', 'on', 'addListener', 'once'],
])
/** Methods of a session that write, or read it again. */
const writing = ['save', 'touch', 'reload', 'destroy', 'regenerate', 'commit']
const ownOfSession = new Set(['cookie', 'id', 'req', ...writing])

type Incoming = IncomingMessage & { route?: unknown; session?: unknown; sessionStore?: unknown }
type Next = (signal?: unknown) => void

/** One request with its response. Each that it is put on gets copies of its own. */
export class PlaceSnapshot {
  /** About what it holds. */
  readonly bytes: number
  readonly #limits: CopyLimits
  readonly #classes: readonly [request: object | null, response: object | null]
  readonly #request: Pick<Incoming, 'url' | 'method' | 'headers'>
  readonly #requestMembers: Members
  readonly #route: unknown
  /** True where what stands before has read the body. */
  readonly #isRead: boolean
  readonly #session: SessionSnapshot | undefined
  readonly #store: unknown
  /** What was set of its status. */
  readonly #response: Partial<Pick<ServerResponse, 'statusCode' | 'statusMessage'>>
  readonly #responseMembers: Members
  readonly #fields: readonly (readonly [name: string, value: number | string | readonly string[]])[]

  /** Throws TooLarge. */
  constructor(incoming: Incoming, outgoing: ServerResponse, limits: CopyLimits) {
    const { url, method, headers, route, session, sessionStore } = incoming
    const { statusCode, statusMessage } = outgoing
    const copier = new Copier(limits)
    this.#limits = limits
    this.#classes = [classOf(incoming), classOf(outgoing)]
    this.#request = { url, method, headers: { ...headers } }
    this.#requestMembers = copier.copyMembers(copier.members(incoming, 'req', ownOfRequest), 'req')
    this.#route = route
    this.#isRead = incoming.readableDidRead || incoming.readableEnded
    this.#session = isObject(session) ? new SessionSnapshot(session, copier) : undefined
    this.#store = sessionStore
    this.#response = {
      ...(Object.hasOwn(outgoing, 'statusCode') && { statusCode }),
      ...(Object.hasOwn(outgoing, 'statusMessage') && { statusMessage }),
    }
    this.#responseMembers = copier.copyMembers(copier.members(outgoing, 'res', ownOfResponse), 'res')
    this.#fields = Object.entries(outgoing.getHeaders()).map(([name, value]) => [name, value!])
    this.bytes = copier.bytes
  }

  /** Puts it on a request and a response that are new. `missed` is told what a handler looks for, and could not be copied. */
  putOn(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next: Next,
    missed: (name: string) => void,
  ): void {
    const copier = new Copier(this.#limits, missed)
    Object.setPrototypeOf(incoming, this.#classes[0])
    Object.setPrototypeOf(outgoing, this.#classes[1])
    Object.assign(incoming, this.#request, { headers: { ...this.#request.headers } })
    copier.put(incoming, this.#requestMembers, 'req')
    const added = {
      res: outgoing,
      next,
      route: this.#route,
      isShadow: true,
      ...(this.#isRead && { _body: true }),
    }
    for (const [name, value] of Object.entries(added)) define(incoming, name, value)
    if (isObject(this.#store)) define(incoming, 'sessionStore', storeOfCopy(this.#store))
    this.#session?.putOn(incoming, copier)
    Object.assign(outgoing, this.#response, { req: incoming })
    copier.put(outgoing, this.#responseMembers, 'res')
    for (const [name, value] of this.#fields) outgoing.setHeader(name, value)
  }
}

/** A session of any make: its data, and methods of its class. */
class SessionSnapshot {
  readonly #class: object | null
  readonly #id: unknown
  readonly #data: Members
  readonly #cookie: object | undefined
  readonly #silenced: readonly string[]

  constructor(session: object, copier: Copier) {
    const { id, cookie } = session as { id?: unknown; cookie?: unknown }
    this.#class = classOf(session)
    this.#id = id
    this.#data = copier.copyMembers(copier.members(session, 'req.session', ownOfSession), 'req.session')
    this.#cookie = isObject(cookie) ? copier.copyInstance(cookie, 'req.session.cookie') : undefined
    this.#silenced = writing.filter((name) => typeof Reflect.get(session, name) === 'function')
  }

  putOn(incoming: IncomingMessage, copier: Copier, data: Members = this.#data): void {
    const session = Object.create(this.#class) as object
    const hidden = { id: this.#id, req: incoming }
    for (const [name, value] of Object.entries(hidden))
      Object.defineProperty(session, name, { value, configurable: true, writable: true })
    copier.put(session, data, 'req.session')
    if (this.#cookie !== undefined)
      define(session, 'cookie', copier.copyInstance(this.#cookie, 'req.session.cookie'))
    for (const name of this.#silenced) {
      const silenced = (done?: unknown): object => {
        if (name === 'destroy') define(incoming, 'session', undefined)
        if (name === 'regenerate') this.putOn(incoming, copier, new Map())
        if (typeof done === 'function') void nothing(done)
        return session
      }
      Object.defineProperty(session, name, { value: silenced, configurable: true, writable: true })
    }
    define(incoming, 'session', session)
  }
}

function classOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null
}
