import { Buffer } from 'node:buffer'
import type { ServerResponse as NodeResponse } from 'node:http'
import { builtin } from '../../ground/builtin.js'
import type { Handle } from '../model/layer.js'
import { type App, versionOf } from '../model/router.js'
import { expressVersions } from '../model/versions.js'
import { ownMembersOf } from './own-members.js'

interface Outgoing extends Omit<NodeResponse, 'req'> {
  readonly app: App
  readonly req: { readonly method: string; readonly fresh: boolean }
  json: unknown
  get(name: string): unknown
  set(name: string, value: string): unknown
  send(body: string | undefined): unknown
  status(code: number): unknown
}

/**
 * Gives a class of responses a `res.json` that sends the same bytes as Express's own with less work: it knows the type, the charset
 * and the length, and hashes the text as it is.
 *
 * It leaves the response to Express's own functions wherever a setting, a header or a replaced member asks for another answer. The
 * prototype gets none where Express's own functions are replaced already.
 */
export function shortenJson(app: App, response: object): void {
  const own = ownMembersOf(app, response)
  if (own === undefined) return
  const { functions, makeETag } = own
  const { callsStatus } = expressVersions[versionOf(app)]
  const { ServerResponse } = builtin('node:http', 'createServer')
  const { setHeader, end } = ServerResponse.prototype as unknown as Readonly<Record<string, unknown>>

  /** True where `res.send` of a text would do what is done here. */
  const isPlain = (res: Outgoing): boolean =>
    res.send === functions.send &&
    res.set === functions.set &&
    res.get === functions.get &&
    res.setHeader === setHeader &&
    res.app.settings['etag fn'] === functions['etag fn'] &&
    // Its headers are of the version.
    res.statusCode !== 205 &&
    !res.getHeader('Content-Type') &&
    !res.getHeader('ETag') &&
    !res.getHeader('Transfer-Encoding')

  function json(this: Outgoing, value: unknown): unknown {
    const next = (Object.getPrototypeOf(response) as Outgoing).json
    const { app } = this
    const { settings } = app
    if (
      next !== functions.json ||
      arguments.length !== 1 ||
      app.get !== functions['app.get'] ||
      app.set !== functions['app.set'] ||
      settings['json escape'] ||
      settings['json replacer'] ||
      settings['json spaces']
    ) {
      // eslint-disable-next-line prefer-rest-params -- a list for each answer, which hardly one needs
      return Reflect.apply(next as Handle, this, arguments)
    }
    const text = JSON.stringify(value) as string | undefined
    // Not before: a toJSON may have set a header.
    if (text === undefined || !isPlain(this)) {
      if (!this.get('Content-Type')) this.set('Content-Type', 'application/json')
      return this.send(text)
    }
    const length = Buffer.byteLength(text)
    this.setHeader('Content-Type', 'application/json; charset=utf-8')
    this.setHeader('Content-Length', String(length))
    this.setHeader('ETag', makeETag(text, length))
    const { req } = this
    const isFresh = req.fresh
    if (isFresh && callsStatus) this.status(304)
    else if (isFresh) this.statusCode = 304
    const isEmpty = this.statusCode === 304 || this.statusCode === 204
    if (isEmpty) for (const name of describingBody) this.removeHeader(name)
    if (req.method === 'HEAD') this.end()
    // Node sends a head in Latin-1 and, where a text of UTF-8 comes with it, in UTF-8.
    else if (this.end === end && length === text.length && !isEmpty) this.end(text, 'latin1')
    // What has replaced `end` gets what Express gives it.
    else (this.end as (...parameters: unknown[]) => unknown)(isEmpty ? '' : Buffer.from(text), undefined)
    return this
  }

  Object.defineProperty(response, 'json', {
    value: json,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

const describingBody = ['Content-Type', 'Content-Length', 'Transfer-Encoding'] as const
