// Answers of callbacks, sent by the functions of an app.
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { isLight, type LightResponse, partsOf } from '../../answer/light-response.js'
import type { AnswerParts } from '../../answer/web-response.js'
import { withoutHeaders } from '../../answer/headers.js'
import { jsonType } from '../../answer/response.js'
import { applyHeaders } from '../../node/send-response.js'
import { isOwnMember } from '../members/own-members.js'
import { shortJsonOf } from '../members/short-json.js'
import type { App } from '../model/router.js'
import { isBytes } from '../../ground/bytes.js'

/** What an app can send: a body by `res.send`, a redirect by `res.redirect`, and what has no body by `res.end`. */
export interface Sendable extends AnswerParts {
  readonly payload: string | Uint8Array | null
  /** Where a redirect leads. */
  readonly location: string | undefined
}

/** The parts of an answer that an app can send; undefined for streams and for a web Response. */
export function sendableOf(answer: LightResponse | Response): Sendable | undefined {
  if (!isLight(answer)) return undefined
  const parts = partsOf(answer)
  const { payload } = parts
  if (payload === null) {
    // What has been used as a web Response may have been changed.
    return answer.touched === undefined ? { ...parts, payload, location: answer.location } : undefined
  }
  return typeof payload === 'string' || isBytes(payload)
    ? { ...parts, payload, location: undefined }
    : undefined
}

/** What a `res.json` that was replaced is to get, and the text that stands for it until then. */
interface Held {
  readonly text: string
  readonly value: unknown
}

const held = new WeakMap<object, Held>()

/**
 * Sends an answer through `res.send`: with its charset and ETag, or as 304. JSON is sent as `res.json` sends it, by that itself where it was
 * replaced. A redirect has the page of `res.redirect`.
 */
export function sendByApp(
  response: ServerResponse,
  { status, statusText, headers, payload, location }: Sendable,
): void {
  const outgoing = response as Outgoing
  if (location !== undefined) {
    applyHeaders(outgoing, withoutHeaders(headers, ['location']))
    outgoing.redirect(status, location)
    return
  }
  outgoing.statusCode = status
  if (statusText !== '') outgoing.statusMessage = statusText
  const { text, value } = held.get(outgoing) ?? {}
  if (text !== undefined && text === payload) {
    applyHeaders(outgoing, headers)
    outgoing.json(value)
    return
  }
  if (typeof payload === 'string' && headers[0] === 'Content-Type' && headers[1] === jsonType) {
    const short = shortJsonOf(outgoing)
    if (short !== undefined) {
      if (headers.length > 2) applyHeaders(outgoing, headers.slice(2))
      if (short.send(outgoing, payload)) return
    }
  }
  applyHeaders(outgoing, headers)
  if (payload === null) outgoing.end()
  else outgoing.send(typeof payload === 'string' ? payload : Buffer.from(payload))
}

/** JSON by the settings of the app. */
export function stringifyByApp(response: ServerResponse, value: unknown): string | undefined {
  const outgoing = response as Outgoing
  const short = shortJsonOf(outgoing)
  if (short?.isPlain(outgoing)) return JSON.stringify(value)
  const { app } = outgoing
  const replacer = app.get('json replacer') as undefined
  const spaces = app.get('json spaces') as undefined
  const plain = JSON.stringify(value, replacer, spaces) as string | undefined
  const text = app.get('json escape') ? plain?.replace(/[<>&]/g, escaped) : plain
  // It may be bound to the response, and would send a value at once: it gets it when the status and all headers are known.
  if (text !== undefined && !isOwnJson(outgoing)) held.set(outgoing, { text, value })
  return text
}

type Outgoing = ServerResponse & {
  readonly app: App
  readonly json: (value: unknown) => unknown
  send(body: string | Buffer): unknown
  redirect(status: number, location: string): unknown
}

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`
}

const areOwn = new WeakMap<object, boolean>()

/** Whether `res.json` is Express's own, or the shorter one that leads to it. */
function isOwnJson(outgoing: Outgoing): boolean {
  const { app, json } = outgoing
  if (Object.hasOwn(outgoing, 'json')) return false
  const short = shortJsonOf(outgoing)
  if (short !== undefined) return short.isOwn(outgoing)
  const known = areOwn.get(json)
  if (known !== undefined) return known
  const isOwn = isOwnMember(app, 'json', json)
  areOwn.set(json, isOwn)
  return isOwn
}
