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

/** The parts of a short `res.json`, for answers that are no handler's. */
interface ShortJson {
  /** Whether `res.json` is the short one, and would be Express's own without it. */
  isOwn(response: object): boolean
  /** Whether `res.json` of a value writes it as `JSON.stringify` does. */
  isPlain(response: object): boolean
  /** Sends a text of JSON. False where that is left to Express's own functions, and nothing was done. */
  send(response: object, text: string): boolean
}

const shortKey = Symbol('short json')

/** Undefined for a response whose class has no short `res.json`. */
export function shortJsonOf(response: object): ShortJson | undefined {
  return (response as { readonly [shortKey]?: ShortJson })[shortKey]
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
  const inherited = (): unknown => (Object.getPrototypeOf(response) as Outgoing).json

  /** True where Express's own `res.json` would write what `JSON.stringify` does. */
  const writesPlainly = ({ app }: Outgoing): boolean => {
    const { settings } = app
    return (
      inherited() === functions.json &&
      app.get === functions['app.get'] &&
      app.set === functions['app.set'] &&
      !settings['json escape'] &&
      !settings['json replacer'] &&
      !settings['json spaces']
    )
  }

  /** True where `res.send` of a text would do what is done here. */
  const sendsPlainly = (res: Outgoing): boolean =>
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

  const send = (res: Outgoing, text: string): void => {
    const length = Buffer.byteLength(text)
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    res.setHeader('Content-Length', String(length))
    res.setHeader('ETag', makeETag(text, length))
    const { req } = res
    const isFresh = req.fresh
    if (isFresh && callsStatus) res.status(304)
    else if (isFresh) res.statusCode = 304
    const isEmpty = res.statusCode === 304 || res.statusCode === 204
    if (isEmpty) for (const name of describingBody) res.removeHeader(name)
    if (req.method === 'HEAD') res.end()
    // Node sends a head in Latin-1 and, where a text of UTF-8 comes with it, in UTF-8.
    else if (res.end === end && length === text.length && !isEmpty) res.end(text, 'latin1')
    // What has replaced `end` gets what Express gives it.
    else (res.end as (...parameters: unknown[]) => unknown)(isEmpty ? '' : Buffer.from(text), undefined)
  }

  function json(this: Outgoing, value: unknown): unknown {
    if (arguments.length !== 1 || !writesPlainly(this)) {
      // eslint-disable-next-line prefer-rest-params -- a list for each answer, which hardly one needs
      return Reflect.apply(inherited() as Handle, this, arguments)
    }
    const text = JSON.stringify(value) as string | undefined
    // Not before: a toJSON may have set a header.
    if (text === undefined || !sendsPlainly(this)) {
      if (!this.get('Content-Type')) this.set('Content-Type', 'application/json')
      return this.send(text)
    }
    send(this, text)
    return this
  }

  const short: ShortJson = {
    isOwn: (res) => (res as Outgoing).json === json && inherited() === functions.json,
    isPlain: (res) => (res as Outgoing).json === json && writesPlainly(res as Outgoing),
    send: (res, text) => {
      if (!sendsPlainly(res as Outgoing)) return false
      send(res as Outgoing, text)
      return true
    },
  }
  Object.defineProperty(response, shortKey, { value: short })
  Object.defineProperty(response, 'json', {
    value: json,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

const describingBody = ['Content-Type', 'Content-Length', 'Transfer-Encoding'] as const
