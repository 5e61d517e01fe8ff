import send4 from 'express4-send'
import mime from 'mime-types'
import type { ExpressVersion } from '../application.js'
import { inUtf8Of4, inUtf8Of5 } from './charset.js'

/** What a version of Express says of media types. */
export interface ContentTypes {
  /** The type of an extension, or of a name such as `json`. */
  named(name: string): string
  /** The Content-Type that is sent for one that was set; false, where Express 5 knows none, is sent as that word. */
  complete(type: string): string | false
  /** The same type with its charset replaced. Throws a TypeError for what is no media type. */
  inUtf8(type: string): string
  /** The type that `res.format` answers a key with. */
  ofKey(key: string): string
}

const bytes = 'application/octet-stream'

const types5: ContentTypes = {
  named: (name) => mime.contentType(name) || bytes,
  complete: (type) => mime.contentType(type),
  inUtf8: inUtf8Of5,
  ofKey: (key) => (key.includes('/') ? key.split(';', 1)[0]!.trim() : mime.lookup(key) || bytes),
}

const types4: ContentTypes = {
  named: (name) => send4.mime.lookup(name),
  complete(type) {
    if (/;\s*charset\s*=/.test(type)) return type
    const charset = send4.mime.charsets.lookup(type.split(';', 1)[0]!)
    return charset ? `${type}; charset=${charset.toLowerCase()}` : type
  },
  inUtf8: inUtf8Of4,
  ofKey: (key) => (key.includes('/') ? key.split(/ *; */, 1)[0]! : send4.mime.lookup(key)),
}

/** The media types of a version of Express, by its own table and rules. */
export function contentTypesOf(version: ExpressVersion): ContentTypes {
  return version === 4 ? types4 : types5
}
