import { hasStatus, RouteControllersError } from '../ground/errors.js'
import { isOptions, nameType, shown, wrongOption } from '../ground/options.js'
import { isThenable } from '../ground/thenable.js'
import { ByMediaType, isMediaRange } from './media-types.js'

/** A body that a parser of the option `bodyParsers` gets: it is within its limit, and has at least one byte. */
export interface BodyToParse {
  readonly bytes: Uint8Array
  /** The media type in lower case, without parameters. */
  readonly type: string
  /** The bytes as text, by the charset of the Content-Type. Throws 400 for bytes that are none, 415 for an unknown charset. */
  text(): string
}

/**
 * Makes `req.body`, or a promise of it. What it throws is answered with 400 and without detail. An error with a status of its own is
 * answered as any other error.
 */
export type BodyParser = (body: BodyToParse) => unknown

/** Parsers by media types: `application/xml`, `application/*+xml`, `text/*`. */
export type BodyParsers = Readonly<Record<string, BodyParser>>

const wantedType = 'media types without parameters, as application/xml, application/*+xml or text/*'

/** The option `bodyParsers`, for look-ups. Throws ERR_OPTION_INVALID. */
export function compileParsers(parsers: BodyParsers): ByMediaType<BodyParser> {
  if (!isOptions(parsers))
    throw wrongOption('bodyParsers', 'an object of functions by media type', nameType(parsers))
  const byType = new Map<string, BodyParser>()
  for (const [name, parser] of Object.entries(parsers)) {
    const range = name.toLowerCase()
    if (!isMediaRange(range)) throw wrongOption('A key of bodyParsers', `one of ${wantedType}`, shown(name))
    if (byType.has(range)) {
      throw new RouteControllersError('ERR_OPTION_INVALID', `bodyParsers has ${range} twice`)
    }
    if (typeof parser !== 'function') {
      throw wrongOption(`bodyParsers[${shown(name)}]`, 'a function', nameType(parser))
    }
    byType.set(range, parser)
  }
  return new ByMediaType(byType)
}

/** What a parser makes of a body. */
export function runParser(parser: BodyParser, body: BodyToParse): unknown {
  const failed = (cause: unknown): never => {
    if (hasStatus(cause)) throw cause
    throw new RouteControllersError('ERR_BODY_MALFORMED', `The body is not valid ${body.type}`, { cause })
  }
  try {
    const value = parser(body)
    return isThenable(value) ? Promise.resolve(value).catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}
