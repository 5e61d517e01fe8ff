import type { ExpressVersion } from '../application.js'
import { type ExpressPath, isRegExp } from './path.js'

/**
 * The whole segments that every path must begin with to match, for each alternative of a path.
 *
 * It may promise less than the path asks for, never more: the index looks only at routes whose prefix fits.
 */
export function prefixesOf(version: ExpressVersion, path: ExpressPath): readonly (readonly string[])[] {
  if (typeof path === 'string') return [prefixOf(version, path)]
  return isRegExp(path) ? [[]] : path.flatMap((one) => prefixesOf(version, one))
}

// What stands for itself in both grammars. Other ASCII may mean something, and beyond ASCII letters of different case meet
// in ways that differ between a regular expression and toLowerCase.
const literal = /^[A-Za-z0-9_\-.~%@&=,;' ]*$/

function prefixOf(version: ExpressVersion, path: string): readonly string[] {
  // `|` parts the whole expression that version 4 makes of its path.
  if (path[0] !== '/' || (version === 4 && path.includes('|'))) return []
  const segments = path.slice(1).split('/')
  // A slash at the end, or several, may be left out.
  while (segments.at(-1) === '') segments.pop()
  const end = segments.findIndex((segment) => !literal.test(segment))
  if (end < 0) return segments
  // In version 4 a quantifier may follow a slash, which then need not be there.
  const optionalSlash = version === 4 && /^[?+{]/.test(segments[end]!)
  return segments.slice(0, optionalSlash ? Math.max(end - 1, 0) : end)
}
