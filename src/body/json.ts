import { parse } from 'secure-json-parse'
import { RouteControllersError } from '../ground/errors.js'
import { defaultLimits } from './limits.js'

/**
 * Parses a JSON body strictly: an object or an array at the top, no `__proto__` and no `constructor.prototype`
 * anywhere, at most `maxDepth` levels, each refused with 400.
 */
export function parseJson(text: string, maxDepth: number = defaultLimits.maxJsonDepth): unknown {
  // Before it is parsed: code that walks through the value by recursion must not run out of stack.
  if (isDeeper(text, maxDepth)) throw malformed(`The JSON body has more than ${maxDepth} levels`)
  let value: unknown
  try {
    value = isSuspect(text) ? parse(text, refuse) : JSON.parse(text)
  } catch (cause) {
    throw malformed('The body is not valid JSON', cause)
  }
  if (typeof value !== 'object' || value === null) {
    throw malformed('The JSON body is neither an object nor an array')
  }
  return value
}

function malformed(message: string, cause?: unknown): RouteControllersError {
  return new RouteControllersError('ERR_BODY_MALFORMED', message, { cause })
}

const refuse = { protoAction: 'error', constructorAction: 'error' } as const

/**
 * False for a text that has none of the keys that are refused: `prototype` and `__proto__` have a part in common. To look for it takes less
 * than the expressions of the library. The library finds a key that is written with escapes too, and takes off a byte order mark.
 */
function isSuspect(text: string): boolean {
  return text.includes('proto') || text.includes('\\') || text.startsWith('\ufeff')
}

/** True for JSON with more than `maxDepth` levels. Linear in the text. The parser refuses what is no JSON. */
function isDeeper(text: string, maxDepth: number): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * maxDepth) return false
  // And a bracket. Up to the limit they are counted in a hundredth of the time of what follows.
  const parts = (bracket: string): number => text.split(bracket, maxDepth + 2).length
  if (parts('{') + parts('[') - 2 <= maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    // `[` and `{`, `]` and `}`: they differ in one bit.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > maxDepth) return true
    } else if ((code | 0x20) === 0x7d) depth--
  }
  return false
}

const quote = 0x22
const backslash = 0x5c

/** Where the string ends that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}
