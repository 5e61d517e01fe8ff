import { parseJson } from './json.js'
import type { RequestLimits } from './limits.js'
import { ByMediaType } from './media-types.js'
import { parseForm, writeForm } from './urlencoded.js'

/** The kinds of bodies that this package reads; `'other'` is the rest. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'other'

interface BodyType {
  /** Its media types. */
  readonly mediaTypes: readonly string[]
  /** RFC 8259 8.1: JSON is UTF-8; UTF-16 is read for those who still send it, as Express does. */
  readonly charsets: 'all' | 'utf'
  /** Makes `req.body`; undefined where the body stays a stream. */
  readonly parse: ((text: string, limits: Readonly<Required<RequestLimits>>) => unknown) | undefined
  /** Writes a value as such a body again, after a middleware has read it; undefined where nothing can. */
  readonly write: ((value: object) => string) | undefined
}

/** What each kind of body is. The compiler asks for all of it where there is a new kind. */
export const bodyTypes: Readonly<Record<BodyKind, BodyType>> = {
  json: {
    mediaTypes: ['application/json', '*/*+json'],
    charsets: 'utf',
    parse: (text, { maxJsonDepth }) => parseJson(text, maxJsonDepth),
    write: (value) => JSON.stringify(value),
  },
  form: {
    mediaTypes: ['application/x-www-form-urlencoded'],
    charsets: 'all',
    parse: (text, { maxFormFields }) => parseForm(text, maxFormFields),
    write: writeForm,
  },
  // `req.formData()` reads it.
  multipart: {
    mediaTypes: ['multipart/form-data'],
    charsets: 'all',
    parse: undefined,
    write: undefined,
  },
  text: { mediaTypes: ['text/*'], charsets: 'all', parse: (text) => text, write: undefined },
  other: { mediaTypes: [], charsets: 'all', parse: undefined, write: undefined },
}

const kinds = new ByMediaType<BodyKind>(
  (Object.keys(bodyTypes) as BodyKind[]).flatMap((kind) =>
    bodyTypes[kind].mediaTypes.map((mediaType) => [mediaType, kind] as const),
  ),
)

/** The kind of a media type in lower case, without parameters. */
export function kindOf(essence: string): BodyKind {
  return kinds.get(essence) ?? 'other'
}
