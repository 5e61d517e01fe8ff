import { RouteControllersError } from '../ground/errors.js'
import { type HeaderValue, isHopByHop, setHeader } from './headers.js'

// The headers that every answer gets stand in a list, names and values one after the other.

/** Adds one. Throws ERR_HEADER_INVALID. */
export function addAnswerHeader(list: string[], name: string, value: HeaderValue): void {
  if (typeof name === 'string' && (isHopByHop(name) || name.toLowerCase() === 'content-length')) {
    throw new RouteControllersError(
      'ERR_HEADER_INVALID',
      `addHeader: ${name} is not for every answer; it belongs to one connection or one body`,
    )
  }
  setHeader(list, name, value)
}

/** The list as an object without a prototype. */
export function toHeaderObject(list: readonly string[]): Record<string, string | string[]> {
  const headers = Object.create(null) as Record<string, string | string[]>
  for (let at = 0; at < list.length; at += 2) {
    const name = list[at]!
    const value = list[at + 1]!
    headers[name] = name in headers ? [headers[name]!, value].flat() : value
  }
  return headers
}
