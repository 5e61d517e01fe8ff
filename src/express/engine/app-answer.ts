// Answers of callbacks, sent by the functions of an app.
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { isLight, type LightResponse, partsOf } from '../../answer/light-response.js'
import type { AnswerParts } from '../../answer/web-response.js'
import { jsonType } from '../../answer/response.js'
import { applyHeaders } from '../../node/send-response.js'
import { shortJsonOf } from '../members/short-json.js'
import type { App } from '../model/router.js'

/** What `res.send` can send. */
export interface Sendable extends AnswerParts {
  readonly payload: string | Uint8Array
}

/** The parts of an answer that `res.send` can send; undefined for streams, for no body and for a web Response. */
export function sendableOf(answer: LightResponse | Response): Sendable | undefined {
  if (!isLight(answer)) return undefined
  const parts = partsOf(answer)
  const { payload } = parts
  return typeof payload === 'string' || payload instanceof Uint8Array ? (parts as Sendable) : undefined
}

/** Sends an answer through `res.send`: with its charset and ETag, or as 304. JSON is sent as `res.json` sends it. */
export function sendByApp(
  response: ServerResponse,
  { status, statusText, headers, payload }: Sendable,
): void {
  const outgoing = response as ServerResponse & { send(body: string | Buffer): unknown }
  outgoing.statusCode = status
  if (statusText !== '') outgoing.statusMessage = statusText
  if (typeof payload === 'string' && headers[0] === 'Content-Type' && headers[1] === jsonType) {
    const short = shortJsonOf(outgoing)
    if (short !== undefined) {
      if (headers.length > 2) applyHeaders(outgoing, headers.slice(2))
      if (short.send(outgoing, payload)) return
    }
  }
  applyHeaders(outgoing, headers)
  outgoing.send(typeof payload === 'string' ? payload : Buffer.from(payload))
}

/** JSON as the app's `res.json` writes it, by its settings. */
export function stringifyByApp(outgoing: ServerResponse, value: unknown): string | undefined {
  if (shortJsonOf(outgoing)?.isPlain(outgoing)) return JSON.stringify(value)
  const { app, json } = outgoing as ServerResponse & { app: App; json: (value: unknown) => unknown }
  let text: string | undefined
  const standIn = { app, get: () => 'set already', send: (body: string | undefined) => (text = body) }
  json.call(standIn as never, value)
  return text
}
