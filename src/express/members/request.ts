import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import accepts from 'accepts'
import accepts4 from 'express4-accepts'
import fresh4 from 'express4-fresh'
import parseRange4 from 'express4-range-parser'
import typeIs4 from 'express4-type-is'
import fresh from 'fresh'
import parseUrl from 'parseurl'
import proxyAddress from 'proxy-addr'
import parseRange from 'range-parser'
import typeIs from 'type-is'
import { assignable, keep } from '../../assignable.js'
import { exchangeKey, profileQuery } from '../../exchange.js'
import type { NodeExchange } from '../../node/exchange.js'
import type { Application, ExpressVersion } from '../application.js'
import type { QueryParser, TrustFunction } from '../settings.js'

/**
 * Whose request it is: `'express'` under a profile; `'own'` without one, where `query` stays as RouteControllers reads it
 * and hooks may put a value of their own in place of any member.
 */
export type Manners = 'own' | 'express'

interface Incoming extends IncomingMessage {
  [exchangeKey]?: NodeExchange
  app: Application
  res: ServerResponse
  params?: Record<string, unknown>
  body?: Record<string, unknown>
  query?: Record<string, unknown>
  protocol: string
  host: string | undefined
  hostname: string | undefined
  fresh: boolean
  get(name: string): string | string[] | undefined
}

type Getters = Readonly<Record<string, (this: Incoming) => unknown>>
type Methods = Readonly<Record<string, (this: Incoming, ...parameters: never[]) => unknown>>

/** What Express adds to `req`. */
export function requestMembers(version: ExpressVersion, manners: Manners): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = {
    // The router of a mounted app says where it is mounted.
    baseUrl: { value: '', writable: true, configurable: true },
    res: assignable('res', responseOf),
  }
  const methods = { ...commonMethods, ...methodsOf(version), ...(version === 4 && methods4) }
  for (const [name, value] of Object.entries(methods)) {
    members[name] = { value, writable: true, configurable: true }
  }
  for (const [name, get] of Object.entries({ ...getters, ...gettersOf(version) })) {
    members[name] = manners === 'own' ? assignable(name, get) : { get, configurable: true }
  }
  if (manners === 'own') return members
  const query: PropertyDescriptor = version === 4 ? keptQuery : { get: currentQuery, configurable: true }
  return { ...members, query, [profileQuery]: { value: true } }
}

function responseOf(this: Incoming): ServerResponse | undefined {
  return this[exchangeKey]?.outgoing
}

function header(this: Incoming, name: string): string | string[] | undefined {
  if (!name) throw new TypeError('name argument is required to req.get')
  if (typeof name !== 'string') throw new TypeError('name must be a string to req.get')
  const { headers } = this
  const lower = name.toLowerCase()
  if (lower === 'referer' || lower === 'referrer') return headers['referrer'] || headers.referer
  // Node's headers inherit from Object: `constructor` is no header.
  return Object.hasOwn(headers, lower) ? headers[lower] : undefined
}

/** The methods that differ between the versions by the release of a library. */
function methodsOf(version: ExpressVersion): Methods {
  const [accept, isOfType] = version === 4 ? [accepts4, typeIs4] : [accepts, typeIs]
  const parse = version === 4 ? parseRange4 : parseRange
  return {
    accepts(...types: string[]) {
      return accept(this).types(...types)
    },
    acceptsCharsets(...charsets: string[]) {
      return accept(this).charsets(...charsets)
    },
    acceptsEncodings(...encodings: string[]) {
      return accept(this).encodings(...encodings)
    },
    acceptsLanguages(...languages: string[]) {
      return accept(this).languages(...languages)
    },
    range(size: number, options?: parseRange.Options) {
      const { range } = this.headers
      return range ? parse(size, range, options) : undefined
    },
    is(...types: (string | string[])[]) {
      return isOfType(this, Array.isArray(types[0]) ? types[0] : (types as string[]))
    },
  }
}

const commonMethods: Methods = {
  get: header,
  header,
}

/** Of version 4 alone. */
const methods4: Methods = {
  acceptsCharset(...charsets: string[]) {
    return accepts4(this).charsets(...charsets)
  },
  acceptsEncoding(...encodings: string[]) {
    return accepts4(this).encodings(...encodings)
  },
  acceptsLanguage(...languages: string[]) {
    return accepts4(this).languages(...languages)
  },
  param(name: string, otherwise?: unknown) {
    const { params = {}, body, query } = this
    if (params[name] != null && Object.hasOwn(params, name)) return params[name]
    return body?.[name] ?? query?.[name] ?? otherwise
  },
}

const getters: Getters = {
  protocol() {
    const own = (this.socket as Socket & { encrypted?: boolean }).encrypted ? 'https' : 'http'
    return trustsPeer(this) ? firstOf(this.headers['x-forwarded-proto'] || own).trim() : own
  },
  secure() {
    return this.protocol === 'https'
  },
  ip() {
    return proxyAddress(this, trustOf(this))
  },
  ips() {
    // From the farthest on, without the address of the socket.
    return proxyAddress.all(this, trustOf(this)).slice(1).reverse()
  },
  hostname() {
    const host = hostOf(this)
    if (!host) return undefined
    // An IPv6 address has colons of its own.
    const colon = host.indexOf(':', host.startsWith('[') ? host.indexOf(']') + 1 : 0)
    return colon < 0 ? host : host.slice(0, colon)
  },
  subdomains() {
    const { hostname } = this
    if (!hostname) return []
    const parts = isIP(hostname) === 0 ? hostname.split('.').reverse() : [hostname]
    return parts.slice(this.app.get('subdomain offset') as number)
  },
  path() {
    return parseUrl(this)?.pathname
  },
  stale() {
    return !this.fresh
  },
  xhr() {
    return String(this.headers['x-requested-with']).toLowerCase() === 'xmlhttprequest'
  },
}

function gettersOf(version: ExpressVersion): Getters {
  const isFresh = version === 4 ? fresh4 : fresh
  return {
    host() {
      return version === 4 ? this.hostname : hostOf(this)
    },
    fresh() {
      const { method, res } = this
      if (method !== 'GET' && method !== 'HEAD' && method !== 'QUERY') return false
      const { statusCode } = res
      if ((statusCode < 200 || statusCode >= 300) && statusCode !== 304) return false
      return isFresh(this.headers, {
        etag: res.getHeader('etag'),
        'last-modified': res.getHeader('last-modified'),
      })
    },
  }
}

function trustOf(request: Incoming): TrustFunction {
  return request.app.get('trust proxy fn') as TrustFunction
}

function trustsPeer(request: Incoming): boolean {
  return trustOf(request)(request.socket.remoteAddress!, 0)
}

function firstOf(list: string | string[]): string {
  return String(list).split(',', 1)[0]!
}

function hostOf(request: Incoming): string | undefined {
  const forwarded = request.headers['x-forwarded-host']
  const host = forwarded && trustsPeer(request) ? firstOf(forwarded).trimEnd() : request.headers.host
  return host || undefined
}

/** The query of the URL as it is now, read anew each time. */
function currentQuery(this: Incoming): unknown {
  return queryOf(this, parseUrl(this))
}

function queryOf(request: Incoming, url: { query?: unknown } | undefined): unknown {
  const parse = request.app.get('query parser fn') as QueryParser | undefined
  return parse ? parse(url?.query as string | null) : Object.create(null)
}

/** The query of the URL as it came, read once: in version 4 it belongs to the request, and to whoever changes it. */
const keptQuery: PropertyDescriptor = assignable<Incoming>('query', function () {
  const sent = this[exchangeKey]?.sentUrl
  const url = parseUrl(sent === undefined || sent === this.url ? this : ({ url: sent } as IncomingMessage))
  return keep(this, 'query', queryOf(this, url))
})
