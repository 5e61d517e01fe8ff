import type { IncomingMessage } from 'node:http'
import { RouteControllersError } from '../ground/errors.js'
import { fieldLines } from './field-lines.js'

/** A request target cut into what routing needs. `host` is set where the target names one (absolute-form). */
export interface Target {
  readonly path: string
  readonly search: string
  readonly scheme?: string
  readonly host?: string
}

/**
 * Cuts `req.url` into path and query, as sent: nothing is decoded, collapsed or resolved.
 *
 * It never uses `new URL(req.url, base)`, which throws on `//`, takes `//evil/x` for a host, and resolves `/\x` and `%2e%2e`. Its
 * path would not be the path that a guard before it has read. RFC 9112 3.2.
 *
 * Throws ERR_TARGET_INVALID (400).
 */
export function parseTarget(url: string): Target {
  if (url.charCodeAt(0) === slash) return cut(url)
  if (url === '*') return { path: '*', search: '' }
  return parseAbsolute(url)
}

const slash = 0x2f

/**
 * The path that a lenient parser finds in a target, where it need not be the one of `parseTarget`; else undefined.
 *
 * Express passes a target to `url.parse` unless it is a plain path. That drops a fragment and user information, trims, and takes
 * `\` for `/`. It then finds `/admin/secret`, where this package refuses the target or reads another path.
 */
export function lenientPath(url: string): string | undefined {
  if (url.charCodeAt(0) === slash ? !/[#\s]/.test(url) : isHost(plainAbsolute.exec(url)?.[1] ?? '')) {
    return undefined
  }
  const [origin] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*)?/i.exec(url) as unknown as [string]
  const [path] = url.slice(origin.length).split(/[?#]/, 1) as [string]
  return path.trimEnd().replaceAll('\\', '/')
}

// Of anything else in its path `url.parse` makes another path.
const plainAbsolute = /^https?:\/\/([a-z0-9\-._:[\]]+)(?:\/[\w\-.~!$&()*+,;=:@%/]*)?(?:\?[^#\s]*)?$/i

function cut(url: string): Target {
  const mark = url.indexOf('?')
  if (url.includes('#')) throw invalidTarget('a request target has no fragment')
  if (mark < 0) return { path: url, search: '' }
  return { path: url.slice(0, mark), search: url.slice(mark + 1) }
}

// RFC 9112 3.2.2: the host of an absolute-form target replaces the Host field.
function parseAbsolute(url: string): Target {
  const match = /^(https?):\/\/([^/?#]*)/i.exec(url)
  if (match === null) throw invalidTarget('it is neither a path nor an http URL')
  const [whole, scheme, host] = match as unknown as [string, string, string]
  if (host.includes('@')) throw invalidTarget('it carries user information')
  // Narrower than a Host field. A URL may carry `;`, `'` and `%` there, which `url.parse` takes for the beginning of the path. By that
  // Express finds the path that its guards look at.
  if (!isHost(host) || !/^[A-Za-z0-9\-._:[\]]+$/.test(host)) throw invalidTarget('its host is malformed')
  const { path, search } = cut(url.slice(whole.length))
  return { path: path === '' ? '/' : path, search, scheme: scheme.toLowerCase(), host }
}

export function invalidTarget(reason: string, cause?: unknown): RouteControllersError {
  const message = `The request target is malformed: ${reason}`
  return new RouteControllersError('ERR_TARGET_INVALID', message, cause === undefined ? {} : { cause })
}

// RFC 3986 3.2.2: a reg-name (percent-encodings included) or IPv4, or an IP literal in brackets; then a port.
const hostForm =
  /^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+(?::[0-9]{0,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](?::[0-9]{0,5})?$/

/** True for what may stand in a Host field. */
export function isHost(host: string): boolean {
  if (host.length > 255 || !hostForm.test(host)) return false
  const port = /:([0-9]+)$/.exec(host)
  return port === null || Number(port[1]) <= 65535
}

// Nearly every request of a connection, and of a server, names the same host.
let lastGoodHost: string | undefined

/**
 * Refuses a request whose head is not one: a Host that is double or malformed (400, RFC 9112 3.2), a version that is not
 * spoken here (505), more than `maxFields` header fields (431).
 *
 * The client writes the Host field. Two parsers read a malformed one (`evil:x@t`, `t/admin?`) differently.
 */
export function checkHead(req: IncomingMessage, maxFields: number): void {
  const lines = fieldLines(req)
  if (lines.length > 2 * maxFields) {
    throw new RouteControllersError(
      'ERR_HEADERS_TOO_LARGE',
      `The request has more than ${maxFields} header fields`,
    )
  }
  // Node's parser takes the version line of HTTP/2.0 for HTTP/1; a real HTTP/2 request has a stream.
  if (majorOf(req) !== 1 && !('stream' in req)) {
    throw new RouteControllersError('ERR_HTTP_VERSION', `HTTP/${req.httpVersion} is not spoken here`)
  }
  checkHost(lines)
}

/**
 * The major version of HTTP. Adapters for cloud functions make requests whose version is a text, or which have none: those have
 * come as an event, and have the meaning of HTTP/1.1.
 */
function majorOf({ httpVersionMajor, method, url }: IncomingMessage): number {
  const major: unknown = httpVersionMajor
  if (typeof major === 'number') return major
  if (major === undefined || major === null) return method && url ? 1 : 0
  return Number(major)
}

// In the lines, where the second of two can still be seen, and without building `req.headers` for it.
function checkHost(lines: readonly string[]): void {
  let host: string | undefined
  for (let at = 0; at < lines.length; at += 2) {
    if (!isField(lines[at]!, 'host')) continue
    if (host !== undefined) throw invalidHost('sent twice')
    host = lines[at + 1]!
  }
  // Node itself refuses HTTP/1.1 without Host; HTTP/1.0 has none, and HTTP/2 has :authority.
  if (host === undefined || host === lastGoodHost) return
  if (!isHost(host)) throw invalidHost('malformed')
  lastGoodHost = host
}

/** True when a request of HTTP/1 has a body, by its framing: RFC 9112 6.3. */
export function announcesBody(req: IncomingMessage): boolean {
  const lines = fieldLines(req)
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at]!
    if (isField(name, 'transfer-encoding')) return true
    if (isField(name, 'content-length')) return Number(lines[at + 1]) > 0
  }
  return false
}

function isField(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase
}

function invalidHost(reason: string): RouteControllersError {
  return new RouteControllersError('ERR_HOST_INVALID', `The Host field is ${reason}`)
}
