import { RouteControllersError } from '../ground/errors.js'
import { findHeader } from './headers.js'
import { isLight, isResponse, LightResponse, partsOf } from './light-response.js'
import type { ResponseBuilder } from './response.js'
import { discard, isReadableStream } from './streams.js'
import { typesWhenSent } from './web-response.js'

/**
 * Makes an answer of what a callback has returned. Throws ERR_NO_ANSWER when there is none, and ERR_ANSWER_TWICE where `res` has built a
 * refusal besides.
 */
export function toAnswer(returned: unknown, builder: ResponseBuilder): LightResponse | Response {
  const answer = madeOf(returned, builder)
  checkReturned(answer, builder)
  return answer
}

/**
 * Discards what `res` has built besides an answer. Throws ERR_ANSWER_TWICE where that has a status from 300: it may be that of a check
 * without `return`, and the answer what stands behind it.
 */
export function checkReturned(answer: LightResponse | Response | undefined, builder: ResponseBuilder): void {
  let refusal: LightResponse | undefined
  for (const built of builder.takeBuilt(answer)) {
    if (isPartOf(built, answer)) continue
    discardUnread(built)
    if (built.statusCode >= 300) refusal ??= built
  }
  if (refusal === undefined) return
  if (answer !== undefined) discardUnread(answer)
  throw new RouteControllersError(
    'ERR_ANSWER_TWICE',
    `made an answer of status ${refusal.statusCode}, and then another one: write \`return\` before each, as in \`return res.status(${refusal.statusCode}).end()\``,
  )
}

/** True where the body of an answer may be that of another one. */
function isPartOf(built: LightResponse, answer: LightResponse | Response | undefined): boolean {
  const { touched, payload } = built
  if (built.isRead) return true
  const sent = bodyOf(answer)
  if (typeof sent !== 'object' || sent === null) return touched?.bodyUsed === true
  return (
    sent === payload ||
    (touched !== undefined && (touched.bodyUsed || touched.body === sent || touched.body?.locked === true))
  )
}

function bodyOf(answer: LightResponse | Response | undefined): unknown {
  if (answer === undefined) return undefined
  return isLight(answer) && answer.touched === undefined ? answer.payload : (answer as Response).body
}

function madeOf(returned: unknown, builder: ResponseBuilder): LightResponse | Response {
  if (builder.misuse !== undefined) throw builder.misuse
  if (returned === undefined || returned === builder) {
    if (builder.built) return builder.built
    throw new RouteControllersError(
      'ERR_NO_ANSWER',
      returned === builder
        ? 'returned `res` without an answer: did you forget `.end()`, as in `return res.status(204).end()`?'
        : 'returned nothing: did you forget `return res.json(…)`? For a handler of Express, which answers later or calls next(), write fromExpress(handler) of routecontrollers/express',
    )
  }
  if (isLight(returned)) return returned
  if (typeof returned === 'object' && returned !== null && isResponse(returned)) {
    const response = withoutUndoneCoding(returned)
    return builder.headerList.length === 0 ? response : withHeaders(response, builder.headerList)
  }
  return builder.send(returned as object)
}

/** Throws ERR_RESPONSE_INVALID, before anything is sent, for an answer that has no body left or never was one. */
export function checkSendable(answer: LightResponse | Response): void {
  const response = isLight(answer) ? answer.touched : answer
  const payload =
    response === undefined ? (answer as LightResponse).payload : typesWhenSent ? null : response.body
  const locked =
    typeof payload === 'object' && payload !== null && isReadableStream(payload) && payload.locked
  if (locked || response?.bodyUsed) {
    throw new RouteControllersError(
      'ERR_RESPONSE_INVALID',
      'The body of this Response has been read already: read response.clone() and return the response',
    )
  }
  if (response?.status === 0) {
    throw new RouteControllersError('ERR_RESPONSE_INVALID', 'Response.error() cannot be sent: throw an error')
  }
  // That of other makers may have any.
  if (response !== undefined && !(response.status >= 200 && response.status <= 599)) {
    throw new RouteControllersError(
      'ERR_RESPONSE_INVALID',
      `A Response of status ${response.status} cannot be sent: a last answer has 200 to 599`,
    )
  }
}

const undoneCodings = new Set(['gzip', 'x-gzip', 'deflate', 'br'])

/**
 * Returns the same Response. From a Response of `fetch()` whose body is decompressed, it removes the headers that describe the
 * compressed body.
 *
 * A Response of `fetch()` has a URL, and one that is made by hand has none. Each fetch decompresses these codings, unless one
 * among them is unknown to it.
 */
export function withoutUndoneCoding(response: Response): Response {
  if (!response.url) return response
  const codings = response.headers.get('Content-Encoding')
  if (!codings?.split(',').every((coding) => undoneCodings.has(coding.trim().toLowerCase()))) return response
  const { status, statusText, body } = response
  const headers = new Headers(response.headers)
  headers.delete('Content-Encoding')
  headers.delete('Content-Length')
  return new Response(body, { status, statusText, headers })
}

/** Discards an answer that will not be sent. */
export function discardAnswer(answer: LightResponse | Response): void {
  discard(isLight(answer) && answer.touched === undefined ? answer.payload : (answer as Response).body)
}

/** Discards an answer that will not be sent, unless its body has been read or is being read. */
export function discardUnread(answer: LightResponse | Response): void {
  const body = webBodyOf(answer)
  if (body === undefined) discardAnswer(answer)
  else if (!(answer as Response).bodyUsed && !body?.locked) discard(body)
}

/** The body of an answer as the web's Response has it; undefined for an answer of `res` that has not been read. */
export function webBodyOf(answer: LightResponse | Response): Response['body'] | undefined {
  return isLight(answer) && answer.touched === undefined ? undefined : (answer as Response).body
}

/** The Response that ends a chain of middleware, or undefined when the middleware only went on. */
export function endingAnswer(
  returned: unknown,
  builder: ResponseBuilder,
): LightResponse | Response | undefined {
  if (builder.misuse !== undefined) throw builder.misuse
  if (isLight(returned) || (typeof returned === 'object' && returned !== null && isResponse(returned)))
    return toAnswer(returned, builder)
  // A guard without its `.end()` would let the request through, with its status on the answer.
  if (returned === builder && builder.built === undefined) {
    throw new RouteControllersError(
      'ERR_NO_ANSWER',
      'a middleware returned `res` without an answer: did you forget `.end()`, as in `return res.status(401).end()`? One that only sets a status or headers returns nothing',
    )
  }
  // A guard that answered without `return` has answered: going on would let the request through.
  if (builder.built !== undefined) checkReturned(builder.built, builder)
  return builder.built
}

/** The same answer with those headers added that it does not have itself; cookies are added to its own. */
export function withHeaders(
  answer: LightResponse | Response,
  added: readonly string[],
): LightResponse | Response {
  if (isLight(answer)) {
    const { status, statusText, headers: own, payload } = partsOf(answer)
    // Of its own: the answer may be made once, and returned for each request.
    const all = [...own]
    for (let at = 0; at < added.length; at += 2) {
      if (!hasHeader(own, added[at]!)) all.push(added[at]!, added[at + 1]!)
    }
    const changed = new LightResponse(status, all, payload, statusText)
    changed.location = answer.location
    return changed
  }
  // Another one, because a Response of fetch() or Response.redirect() has immutable headers. Made of it, on Workers it also knows whether its
  // body has been encoded.
  const changed = copyOf(answer)
  for (let at = 0; at < added.length; at += 2) {
    const name = added[at]!
    const value = added[at + 1]!
    // The same cookie once: the answer may have been made of another that had it.
    const isMissing =
      name.toLowerCase() === 'set-cookie'
        ? !answer.headers.getSetCookie().includes(value)
        : !answer.headers.has(name)
    if (isMissing) changed.headers.append(name, value)
  }
  return changed
}

function copyOf(answer: Response): Response {
  if (!typesWhenSent || answer.bodyUsed || answer.headers.has('content-type'))
    return new Response(answer.body, answer)
  const copy = answer.clone()
  // Of a stream there are two from here on, and only the copy is read.
  answer.body?.cancel().catch(() => {})
  return copy
}

function hasHeader(list: readonly string[], name: string): boolean {
  return name.toLowerCase() !== 'set-cookie' && findHeader(list, name) >= 0
}
