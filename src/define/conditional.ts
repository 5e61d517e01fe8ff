import { withHeaders } from '../answer/answer.js'
import { RouteControllersError } from '../ground/errors.js'
import { headerOf, withoutHeaders } from '../answer/headers.js'
import { isLight, LightResponse, partsOf } from '../answer/light-response.js'
import { around, type Middleware } from './middleware.js'
import type { RouteRequest } from '../request/request.js'
import { checkBoolean, checkOptions } from '../ground/options.js'
import { isStream } from '../answer/streams.js'

/** Options of `etag`. */
export interface EtagOptions {
  /** False for a strong tag, which says that an answer is the same byte by byte. Default true, as in Express. */
  weak?: boolean
}

/**
 * A middleware that gives answers of status 200 an ETag, which is the one that Express gives the same body.
 *
 * It tags texts, JSON and bytes that answer GET or HEAD. It leaves a stream, a Response that you have made, and an answer with an
 * ETag as they are. With `conditional()` a client that has the answer already gets 304:
 * `use(conditional(), etag())`, in either order. Throws ERR_OPTION_INVALID.
 *
 * @example
 * ```ts
 * import { conditional, Controller, etag, RouteControllers } from 'routecontrollers'
 *
 * const tea = new Controller('GET', '/tea', () => ({ tea: 'oolong' })).use(conditional(), etag())
 * const fetchHandler = new RouteControllers([tea]).getCallback()
 * const first = await fetchHandler(new Request('http://x/tea'))
 * const tag = first.headers.get('ETag')!
 * const again = await fetchHandler(new Request('http://x/tea', { headers: { 'If-None-Match': tag } }))
 * console.log(tag, again.status) // W/"10-tE3dbP6lwoyaL6WawCaX8BiogLw" 304
 * ```
 */
export function etag(options: EtagOptions = {}): Middleware {
  const { weak = true } = checkOptions('etag', options, { weak: checkBoolean }, 'etag: ')
  return around(async (req, _res, next) => {
    const answer = await next()
    if (!isRead(req.method) || !isLight(answer)) return answer
    const { status, headers, payload } = partsOf(answer)
    if (status !== 200 || payload === null || isStream(payload) || headerOf(headers, 'etag') !== undefined) {
      return answer
    }
    const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
    const tag = await tagOf(bytes)
    const tagged = withHeaders(answer, ['ETag', weak ? `W/${tag}` : tag])
    return decided.has(req) ? unlessFresh(req, tagged) : tagged
  })
}

/** Requests that a `conditional()` has decided before their answer had its tag: it stands inside of `etag()`. */
const decided = new WeakSet<object>()

/**
 * A middleware that answers 304 when the client has the answer already, as Express does. It compares `If-None-Match` with the
 * ETag of the answer, or `If-Modified-Since` with its `Last-Modified`.
 *
 * It applies to answers to GET and HEAD that have a body. The callback still runs, so this saves the bytes and not the work.
 * `If-Match`, which guards a write, is for the callback, because the callback has the version that it replaces.
 */
export function conditional(): Middleware {
  return around(async (req, _res, next) => {
    const answer = await next()
    if (!isRead(req.method)) return answer
    decided.add(req)
    return unlessFresh(req, answer)
  })
}

/** The answer, or 304 where the client has it already. */
function unlessFresh(
  req: Pick<RouteRequest, 'get'>,
  answer: LightResponse | Response,
): LightResponse | Response {
  const { status, headers, payload } = partsOf(answer)
  // What a handler of Express has sent has no body here, and cannot be taken back.
  if (status < 200 || status > 299 || payload === null || !isFresh(req.get.bind(req), headers)) return answer
  // RFC 9110 15.4.5: a 304 has the headers of the answer, but for those of the body.
  return new LightResponse(304, withoutHeaders(headers, ['content-type', 'content-length']), null)
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** As the package `etag`: the length and the SHA-1 of the body. That package needs Node. */
async function tagOf(bytes: Uint8Array): Promise<string> {
  const { crypto } = globalThis as { crypto?: typeof globalThis.crypto }
  if (crypto?.subtle === undefined) {
    throw new RouteControllersError('ERR_RUNTIME_UNSUPPORTED', 'etag() needs Web Crypto, which is not here')
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', bytes))
  return `"${bytes.byteLength.toString(16)}-${btoa(String.fromCharCode(...digest)).slice(0, 27)}"`
}

/** RFC 9110 13.1.2, 13.1.3, and 13.2.2 for which of both counts. */
function isFresh(get: (name: string) => string | undefined, headers: readonly string[]): boolean {
  // A client that reloads requests the whole answer.
  if (/(?:^|,)\s*no-cache\s*(?:,|$)/i.test(get('cache-control') ?? '')) return false
  const noneMatch = get('if-none-match')
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return true
    const tag = headerOf(headers, 'etag')
    const known: readonly string[] = noneMatch.match(/"[^"]*"/g) ?? []
    // The weak comparison: without the W/ of both.
    return tag !== undefined && known.includes(tag.replace(/^W\//, ''))
  }
  const since = Date.parse(get('if-modified-since') ?? '')
  // Dates that are none are not smaller than anything.
  return Date.parse(headerOf(headers, 'last-modified') ?? '') <= since
}
