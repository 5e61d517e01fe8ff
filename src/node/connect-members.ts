import type { IncomingMessage, ServerResponse } from 'node:http'
import { type SerializeOptions, serialize as serializeCookie } from 'cookie'
import { encodeLocation } from '../answer/location.js'
import { isBodiless } from '../answer/web-response.js'
import { assignable } from '../ground/assignable.js'
import { builtin } from '../ground/builtin.js'
import { RouteControllersError } from '../ground/errors.js'
import { exchangeKey } from '../request/exchange.js'
import type { ExtendClasses } from '../ground/types.js'
import { canonicalAddress, clientHost, clientScheme, type Trust } from '../request/forwarded.js'
import { MemberLayer } from './member-layer.js'

/**
 * Adds the few members of Express's `req` and `res` that Connect middleware uses, where there is no Express.
 *
 * Real packages use them: passport uses `res.redirect`, rate limiters `res.status().send()`, CSRF guards `res.cookie`, sessions
 * `req.secure`. They have Express's meaning. Express's own members are left as they are.
 */
export function addConnectMembers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!('send' in outgoing)) responseLayer.addTo(outgoing)
  if (!('secure' in incoming)) requestLayer.addTo(incoming)
}

/** The classes of a server whose requests are to pass hooks: then nothing is put on each of them. */
export const extendClassesForHooks: ExtendClasses = ({ IncomingMessage, ServerResponse }) => ({
  IncomingMessage: requestLayer.extend(IncomingMessage),
  ServerResponse: responseLayer.extend(ServerResponse),
})

/** True for a request that has the members from here, and not from an Express. */
export function hasConnectMembers(incoming: IncomingMessage): boolean {
  return requestLayer.isOn(incoming)
}

type HeaderValue = string | number
type Headers = Readonly<Record<string, string | number | readonly string[]>>

interface CookieOptions extends Omit<SerializeOptions, 'maxAge'> {
  /** Milliseconds, as in Express, which takes numbers as text, and null for none. */
  maxAge?: number | string | null
  signed?: boolean
}

interface Response extends ServerResponse {
  status(code: number): this
  set(name: string | Headers, value?: string | number | readonly string[]): this
  append(name: string, value: HeaderValue | readonly HeaderValue[]): this
  send(body?: unknown): this
  json(value: unknown): this
}

function members(functions: Record<string, (...parameters: never[]) => unknown>): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [name, { value, writable: true, configurable: true }]),
  )
}

function computed<T extends object>(getters: Record<string, (this: T) => unknown>): PropertyDescriptorMap {
  return Object.fromEntries(Object.entries(getters).map(([name, get]) => [name, assignable(name, get)]))
}

function setHeaders(
  this: Response,
  name: string | Headers,
  value?: string | number | readonly string[],
): Response {
  // The setHeader of an adapter for a cloud function returns nothing.
  if (typeof name === 'string') this.setHeader(name, value!)
  else for (const [one, itsValue] of Object.entries(name)) this.setHeader(one, itsValue)
  return this
}

/** A length of another body would end a stream of HTTP/2 with an error. RFC 9113 8.1.1. */
function endBodiless(outgoing: Response): Response {
  if (outgoing.statusCode === 205) outgoing.setHeader('Content-Length', '0')
  else for (const name of ['Content-Type', 'Content-Length']) outgoing.removeHeader(name)
  outgoing.removeHeader('Transfer-Encoding')
  outgoing.end()
  return outgoing
}

const responseLayer = new MemberLayer('connect-response', {
  ...computed<Response & { locals: object }>({
    locals() {
      return (this.locals = Object.create(null) as object)
    },
  }),
  ...members({
    status(this: Response, code: number) {
      this.statusCode = code
      return this
    },
    set: setHeaders,
    header: setHeaders,
    append(this: Response, name: string, value: HeaderValue | readonly HeaderValue[]) {
      this.setHeader(name, [this.getHeader(name) ?? [], value].flat(2).map(String))
      return this
    },
    cookie(this: Response, name: string, value: string | object, options: CookieOptions = {}) {
      const { maxAge, path, signed, ...rest } = options
      // Unsigned it would be refused, or believed, where it comes back.
      if (signed)
        throw new RouteControllersError(
          'ERR_COOKIE_INVALID',
          `The cookie ${name} cannot be sent: outside of Express none is signed; sign its value, as by the package cookie-signature`,
        )
      const text = typeof value === 'object' ? `j:${JSON.stringify(value)}` : value
      const lifetime =
        maxAge === undefined || maxAge === null
          ? {}
          : { maxAge: Math.floor(Number(maxAge) / 1000), expires: new Date(Date.now() + Number(maxAge)) }
      return this.append(
        'Set-Cookie',
        serializeCookie(name, text, { path: path ?? '/', ...rest, ...lifetime }),
      )
    },
    redirect(this: Response, first: number | string, second?: string) {
      const [status, location] = typeof first === 'number' ? [first, second!] : [302, first]
      this.statusCode = status
      this.setHeader('Location', encodeLocation(String(location)))
      this.setHeader('Content-Length', '0')
      this.end()
    },
    sendStatus(this: Response, code: number) {
      this.statusCode = code
      return this.set('Content-Type', 'text/plain; charset=utf-8').send(reasonOf(code))
    },
    json(this: Response, value: unknown) {
      if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json; charset=utf-8')
      return this.send(JSON.stringify(value))
    },
    send(this: Response, body?: unknown) {
      if (typeof body !== 'string' && body !== undefined && body !== null && !ArrayBuffer.isView(body)) {
        return this.json(body)
      }
      const bytes = ArrayBuffer.isView(body) ? body : Buffer.from(body ?? '')
      const type = this.getHeader('Content-Type')
      if (typeof body === 'string') {
        const withoutCharset = String(type ?? 'text/html').replace(/;\s*charset=[^;]*/i, '')
        this.setHeader('Content-Type', `${withoutCharset}; charset=utf-8`)
      } else if (bytes === body && type === undefined) {
        this.setHeader('Content-Type', 'application/octet-stream')
      }
      if (isBodiless(this.statusCode)) return endBodiless(this)
      this.setHeader('Content-Length', String(bytes.byteLength))
      this.end(bytes)
      return this
    },
  }),
})

type Incoming = IncomingMessage & {
  [exchangeKey]: { readonly trust: Trust | undefined }
  realIp?: string
  protocol?: string
  socket: { encrypted?: boolean } | undefined
}

const requestLayer = new MemberLayer(
  'connect-request',
  computed<Incoming>({
    // In the spelling of the socket, where IPv4 may be mapped into IPv6.
    ip() {
      const { realIp } = this
      const address = this.socket?.remoteAddress
      return address !== undefined && canonicalAddress(address) === realIp ? address : realIp
    },
    secure() {
      return this.protocol === 'https'
    },
    protocol() {
      return clientScheme(this, this[exchangeKey].trust)
    },
    hostname() {
      return clientHost(this, this[exchangeKey].trust)?.replace(/:\d*$/, '')
    },
    path() {
      return this.url?.split('?', 1)[0]
    },
    // Rate limiters ask the app whether X-Forwarded-For counts.
    app() {
      const { trust } = this[exchangeKey]
      return { get: (setting: string) => (setting === 'trust proxy' ? (trust ?? false) : undefined) }
    },
  }),
)

function reasonOf(code: number): string {
  return builtin('node:http', 'A reason phrase').STATUS_CODES[code] ?? String(code)
}
