import type { IncomingMessage, ServerResponse } from 'node:http'
import { type SerializeOptions, serialize as serializeCookie } from 'cookie'
import { canonicalAddress } from './forwarded.js'
import { mergeVary } from './send-response.js'

/**
 * The few members of Express's `req` and `res` that Connect middleware asks for, where there is no Express.
 *
 * They are what real packages were seen to use (`res.redirect` of passport, `res.status().send()` of rate limiters,
 * `res.cookie` of CSRF guards, `req.secure` of sessions), with Express's meaning. Express's own are left as they are.
 */
export function addConnectMembers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!('send' in outgoing)) Object.defineProperties(outgoing, responseMembers)
  if (!('secure' in incoming)) Object.defineProperties(incoming, requestMembers)
}

type Headers = Readonly<Record<string, string | number | readonly string[]>>

interface CookieOptions extends Omit<SerializeOptions, 'maxAge'> {
  /** Milliseconds, as in Express. */
  maxAge?: number
}

interface Response extends ServerResponse {
  status(code: number): this
  set(name: string | Headers, value?: string | number | readonly string[]): this
  send(body?: unknown): this
  json(value: unknown): this
}

function members(functions: Record<string, (...parameters: never[]) => unknown>): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [name, { value, writable: true, configurable: true }]),
  )
}

/** Members that are computed at each reading, until somebody puts a value in their place. */
function computed<T>(getters: Record<string, (this: T) => unknown> & ThisType<T>): PropertyDescriptorMap {
  const descriptors = Object.entries(getters).map(([name, get]): [string, PropertyDescriptor] => [
    name,
    {
      configurable: true,
      get,
      set(value: unknown) {
        Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
      },
    },
  ])
  return Object.fromEntries(descriptors)
}

function setHeaders(
  this: Response,
  name: string | Headers,
  value?: string | number | readonly string[],
): Response {
  if (typeof name === 'string') return this.setHeader(name, value!)
  for (const [one, itsValue] of Object.entries(name)) this.setHeader(one, itsValue)
  return this
}

const responseMembers: PropertyDescriptorMap = {
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
    get(this: Response, name: string) {
      return this.getHeader(name)
    },
    append(this: Response, name: string, value: string | readonly string[]) {
      const earlier = this.getHeader(name)
      const values = earlier === undefined ? [] : Array.isArray(earlier) ? earlier : [String(earlier)]
      return this.setHeader(name, [...values, ...(typeof value === 'string' ? [value] : value)])
    },
    type(this: Response, value: string) {
      return this.setHeader('Content-Type', value)
    },
    vary(this: Response, field: string) {
      const value = mergeVary(this.getHeader('Vary'), field)
      return value === undefined ? this : this.setHeader('Vary', value)
    },
    cookie(this: Response, name: string, value: unknown, options: CookieOptions = {}) {
      const { maxAge, ...rest } = options
      const text = typeof value === 'string' ? value : `j:${JSON.stringify(value)}`
      const lifetime =
        maxAge === undefined
          ? {}
          : { maxAge: Math.floor(maxAge / 1000), expires: new Date(Date.now() + maxAge) }
      const earlier = this.getHeader('Set-Cookie')
      const values = earlier === undefined ? [] : Array.isArray(earlier) ? earlier : [String(earlier)]
      return this.setHeader('Set-Cookie', [
        ...values,
        serializeCookie(name, text, { path: '/', ...rest, ...lifetime }),
      ])
    },
    clearCookie(
      this: Response & { cookie(...all: unknown[]): Response },
      name: string,
      options: CookieOptions = {},
    ) {
      const { maxAge: _, ...rest } = options
      return this.cookie(name, '', { path: '/', ...rest, expires: new Date(1) })
    },
    redirect(this: Response, first: number | string, second?: string) {
      const [status, location] = typeof first === 'number' ? [first, second!] : [302, first]
      this.statusCode = status
      this.setHeader('Location', encodeURI(location).replace(/%25([0-9a-f]{2})/gi, '%$1'))
      this.setHeader('Content-Length', 0)
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
      if (typeof body === 'object' && body !== null && !ArrayBuffer.isView(body)) return this.json(body)
      const isText = !ArrayBuffer.isView(body)
      const bytes = isText
        ? Buffer.from(body === undefined || body === null ? '' : `${body as string}`)
        : body
      if (body !== undefined && body !== null && !this.hasHeader('Content-Type')) {
        this.setHeader('Content-Type', isText ? 'text/html; charset=utf-8' : 'application/octet-stream')
      }
      this.setHeader('Content-Length', bytes.byteLength)
      this.end(bytes)
      return this
    },
  }),
}

type Incoming = IncomingMessage & {
  realIp?: string
  socket: { encrypted?: boolean } | undefined
}

const requestMembers: PropertyDescriptorMap = computed<Incoming>({
  // In the socket's own spelling, in which IPv4 may be mapped into IPv6.
  ip() {
    const { realIp } = this
    const address = this.socket?.remoteAddress
    return address !== undefined && canonicalAddress(address) === realIp ? address : realIp
  },
  secure() {
    return this.socket?.encrypted === true
  },
  protocol() {
    return this.socket?.encrypted === true ? 'https' : 'http'
  },
  hostname() {
    return this.headers.host?.replace(/:\d*$/, '')
  },
  path() {
    return this.url?.split('?', 1)[0]
  },
})

function reasonOf(code: number): string {
  return globalThis.process.getBuiltinModule('node:http').STATUS_CODES[code] ?? String(code)
}
