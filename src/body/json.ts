import { parse } from 'secure-json-parse'
import { RouteControllersError } from '../errors.js'

/**
 * Parses a JSON body strictly: an object or an array at the top, no `__proto__` and no `constructor.prototype`
 * anywhere, each refused with 400.
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    throw new RouteControllersError('ERR_BODY_MALFORMED', 'The body is not valid JSON', {
      status: 400,
      cause,
    })
  }
  if (typeof value !== 'object' || value === null) {
    throw new RouteControllersError('ERR_BODY_MALFORMED', 'The JSON body is neither an object nor an array', {
      status: 400,
    })
  }
  return value
}
