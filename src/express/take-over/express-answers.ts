// Answers of native callbacks that only Express makes: files with ranges and tags, and values of any type.
import { Buffer } from 'node:buffer'
import type { ResponseBuilder } from '../../answer/response.js'
import type { ExpressResponse, SendFileOptions } from '../model/express-types.js'
import { fromExpress } from './from-express.js'

/**
 * Answers with a file as Express's `res.sendFile` does, for a callback that returns it: with its type, `ETag`, `Last-Modified` and ranges.
 *
 * The path is absolute, or `options.root` says where it starts. The status and the headers that the callback has set on `res` are sent with
 * it. What is no file goes to what comes next, and an error to the error handlers, as in Express. It needs the request of Node: where
 * `getCallback()` gets a web Request, the answer is 500.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { native, sendFile } from 'routecontrollers/express'
 *
 * const app = express()
 * app.get(
 *   '/terms',
 *   native(() => sendFile('terms.pdf', { root: '/srv/files' })),
 * )
 * ```
 */
export function sendFile(path: string, options: SendFileOptions = {}): object {
  return byExpress((res) => res.sendFile(path, options))
}

/** Answers as Express's `res.download` does: as `sendFile`, with a Content-Disposition that has the name of the file, or `filename`. */
export function download(path: string, filename?: string, options: SendFileOptions = {}): object {
  return byExpress((res) => res.download(path, filename!, options))
}

/**
 * Answers with a value of any type as Express's `res.send` does: a string is HTML, bytes are `application/octet-stream`, and an object is
 * JSON. Whatever else there is, such as null, goes to `res.send` itself, which needs the request of Node.
 *
 * Where the type of a value is known, write `res.html(value)`, `res.text(value)` or `res.json(value)`.
 */
export function sendValue(res: ResponseBuilder, value: unknown): object {
  if (typeof value === 'string') return res.html(value)
  if (Buffer.isBuffer(value)) return res.send(value)
  // Of other bytes Express 4 makes JSON.
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) return res.json(value)
  return byExpress((response) => response.send(value))
}

function byExpress(answer: (res: ExpressResponse) => unknown): object {
  return fromExpress((_req, res) => answer(res))
}
