import { Buffer } from 'node:buffer'
import statuses from 'statuses'
import type { ExpressApp, ExpressVersion } from '../application.js'
import { contentTypesOf } from './content-type.js'
import type { EtagFunction } from './etag.js'
import type { ExpressRequest, ExpressResponse } from '../handler.js'
import type { ResponseMethods } from './response.js'
import { sendAtOnce } from './send-at-once.js'

/** The members of `res` that send a body. */
export function bodyMethods(version: ExpressVersion): ResponseMethods {
  const send = version === 4 ? send4 : send5
  const json: ResponseMethod = function (...given) {
    const value = version === 4 ? takeStatus(this, given, isNumber(given[1])) : given[0]
    const text = stringify(this, value)
    // Through `send`, in whose place a middleware may have put its own.
    if (this.send === send && text !== undefined && sendAtOnce(this, jsonUtf8, text)) return this
    if (!this.get('Content-Type')) this.set('Content-Type', 'application/json')
    return this.send(text)
  }
  const jsonp: ResponseMethod = function (...given) {
    const value = version === 4 ? takeStatus(this, given, isNumber(given[1])) : given[0]
    return this.send(wrapped(this, stringify(this, value)))
  }
  return { send, json, jsonp }
}

type ResponseMethod = (this: ExpressResponse, ...given: unknown[]) => ExpressResponse

const htmlUtf8 = 'text/html; charset=utf-8'
const jsonUtf8 = 'application/json; charset=utf-8'

function send5(this: ExpressResponse, body?: unknown): ExpressResponse {
  if (typeof body === 'string') {
    if (sendAtOnce(this, htmlUtf8, body)) return this
    setTextType(this, 5)
  } else if (isJson(body)) {
    if (!ArrayBuffer.isView(body)) return this.json(body)
    if (!this.get('Content-Type')) this.type('bin')
  }
  return sendWhole(this, 5, body)
}

function send4(this: ExpressResponse, ...given: unknown[]): ExpressResponse {
  let body = takeStatus(this, given, isNumber(given[1]) && !isNumber(given[0]))
  if (given.length === 1 && typeof body === 'number') {
    if (!this.get('Content-Type')) this.type('txt')
    this.statusCode = body
    body = statuses.message[body]
  }
  if (typeof body === 'string') {
    if (sendAtOnce(this, htmlUtf8, body)) return this
    setTextType(this, 4)
  } else if (isJson(body)) {
    if (!Buffer.isBuffer(body)) return this.json(body)
    if (!this.get('Content-Type')) this.type('bin')
  }
  return sendWhole(this, 4, body)
}

function isJson(body: unknown): boolean {
  return typeof body === 'number' || typeof body === 'boolean' || (typeof body === 'object' && body !== null)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

/** The body of `send(body, status)` or `send(status, body)`, whose status is taken. */
function takeStatus(response: ExpressResponse, given: readonly unknown[], isLast: boolean): unknown {
  const [first, second] = given
  if (given.length !== 2) return first
  response.statusCode = (isLast ? second : first) as number
  return isLast ? first : second
}

/** A text is sent in UTF-8, whatever its type has said. */
function setTextType(response: ExpressResponse, version: ExpressVersion): void {
  const type = response.get('Content-Type')
  if (typeof type === 'string' && (type !== '' || version === 5)) {
    response.set('Content-Type', contentTypesOf(version).inUtf8(type))
  } else if (!type || version === 5) {
    response.type('html')
  }
}

type Body = string | Buffer | undefined

/** Sends a body with its length and its ETag, or as what its status and the client's copy make of it. */
function sendWhole(response: ExpressResponse, version: ExpressVersion, given: unknown): ExpressResponse {
  const request = response.req as ExpressRequest
  let body = (given === null ? '' : given) as Body
  let encoding: BufferEncoding | undefined = typeof given === 'string' ? 'utf8' : undefined
  const makeEtag = response.app.get('etag fn') as EtagFunction | undefined
  const hasEtag = typeof makeEtag === 'function' && !response.get('ETag')
  if (body !== undefined) {
    let length: number
    if (!Buffer.isBuffer(body) && !hasEtag && body.length < 1000) {
      length = Buffer.byteLength(body, encoding)
    } else {
      if (!Buffer.isBuffer(body)) body = Buffer.from(body, encoding)
      encoding = undefined
      length = body.length
    }
    // A length beside chunks is no HTTP, but version 4 sends it.
    if (version === 4 || !response.get('Transfer-Encoding')) response.set('Content-Length', length)
    const etag = hasEtag && makeEtag(body, encoding)
    if (etag) response.set('ETag', etag)
  }
  if (request.fresh) response.statusCode = 304
  const { statusCode } = response
  if (statusCode === 204 || statusCode === 304) {
    for (const name of ['Content-Type', 'Content-Length', 'Transfer-Encoding']) response.removeHeader(name)
    body = ''
  } else if (statusCode === 205) {
    response.set('Content-Length', '0')
    response.removeHeader('Transfer-Encoding')
    body = ''
  }
  if (request.method === 'HEAD') response.end()
  else response.end(body, encoding!)
  return response
}

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** JSON by the settings of the application; undefined for what has none. */
export function stringify({ app }: { app: Pick<ExpressApp, 'get'> }, value: unknown): string | undefined {
  const replacer = app.get('json replacer') as (string | number)[] | undefined
  const spaces = app.get('json spaces') as string | number | undefined
  const text =
    replacer || spaces
      ? JSON.stringify(value, replacer, spaces)
      : (JSON.stringify(value) as string | undefined)
  if (text === undefined || !app.get('json escape')) return text
  return text.replace(/[<>&]/g, (character) => escapes[character]!)
}

/** What `jsonp` sends: a call of the function that the query names; without one, the JSON as it is. */
function wrapped(response: ExpressResponse, text: string | undefined): string | undefined {
  const { query } = response.req as ExpressRequest
  const named = query[response.app.get('jsonp callback name') as string]
  if (!response.get('Content-Type')) {
    response.set('X-Content-Type-Options', 'nosniff')
    response.set('Content-Type', 'application/json')
  }
  const name: unknown = Array.isArray(named) ? named[0] : named
  if (typeof name !== 'string' || name === '') return text
  response.set('X-Content-Type-Options', 'nosniff')
  response.set('Content-Type', 'text/javascript')
  const callee = name.replace(/[^[\]\w$.]/g, '')
  const argument = (text ?? '').replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')
  // The comment keeps the beginning of the answer out of a client's hand.
  return `/**/ typeof ${callee} === 'function' && ${callee}(${argument});`
}
