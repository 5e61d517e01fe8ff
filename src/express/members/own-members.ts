import { Buffer } from 'node:buffer'
import { findBuiltin } from '../../ground/builtin.js'
import { type App, versionOf } from '../model/router.js'
import { expressVersions, type JsonMember } from '../model/versions.js'

/** Makes the value of a weak ETag, of a text. */
type MakeETag = (text: string, length: number) => string

/** What `res.json` of an app is made of, where all of it is Express's own. */
export interface OwnMembers {
  readonly functions: Readonly<Record<JsonMember, unknown>>
  readonly makeETag: MakeETag
}

/** Whether a function is certain to be what the Express of an app has for a member. */
export function isOwnMember(app: App, name: JsonMember, value: unknown): boolean {
  const hash = findBuiltin('node:crypto')?.hash
  if (hash === undefined || typeof value !== 'function') return false
  const text = hash('sha1', Function.prototype.toString.call(value), 'base64')
  return expressVersions[versionOf(app)].ownTexts[name].includes(text)
}

/**
 * The functions behind `res.json` of an app, whose responses have the prototype `response`.
 *
 * Undefined where one of them is not certain to be Express's own, as in a bundle that has rewritten its text. A name tells
 * nothing: a wrapper of `res.send` has that name, too.
 */
export function ownMembersOf(app: App, response: object): OwnMembers | undefined {
  const hash = findBuiltin('node:crypto')?.hash
  if (hash === undefined) return undefined
  const areOwn = (members: Partial<Record<JsonMember, unknown>>): boolean =>
    Object.entries(members).every(([name, value]) => isOwnMember(app, name as JsonMember, value))
  const { json, send, set, get } = response as Readonly<Record<string, unknown>>
  const { set: write, get: read } = app as unknown as Readonly<Record<string, unknown>>
  const members = { json, send, set, get, 'app.set': write, 'app.get': read }
  if (!areOwn(members)) return undefined
  const etag = defaultETagOf(app)
  if (!areOwn({ 'etag fn': etag })) return undefined
  const makeETag: MakeETag = (text, length) =>
    `W/"${length.toString(16)}-${hash('sha1', text, 'base64').slice(0, 27)}"`
  // The function for strong ones has the same text, and may stand in the place of this one.
  const sample = Buffer.from('"é"')
  if (etag(sample) !== makeETag(sample.toString(), sample.length)) return undefined
  return { functions: { ...members, 'etag fn': etag }, makeETag }
}

/** The function that the Express of an app has for the setting `etag` by default: its own `set` puts it into other settings. */
function defaultETagOf(app: App): (body: Buffer) => unknown {
  const settings = Object.create(null) as { 'etag fn': (body: Buffer) => unknown }
  const standIn = Object.create(app, { settings: { value: settings } }) as App
  standIn.set('etag', 'weak')
  return settings['etag fn']
}
