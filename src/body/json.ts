import { parse } from 'secure-json-parse'
import { RouteControllersError } from '../ground/errors.js'
import { defaultLimits } from './limits.js'

/**
 * Parses a JSON body strictly: an object or an array at the top, no `__proto__` and no `constructor.prototype`
 * anywhere, at most `maxDepth` levels, each refused with 400.
 */
export function parseJson(text: string, maxDepth: number = defaultLimits.maxJsonDepth): unknown {
  let value: unknown
  try {
    value = isSuspect(text) ? parse(text, refuse) : JSON.parse(text)
  } catch (cause) {
    throw malformed('The body is not valid JSON', cause)
  }
  if (typeof value !== 'object' || value === null) {
    throw malformed('The JSON body is neither an object nor an array')
  }
  // Each level takes two characters.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) {
    throw malformed(`The JSON body has more than ${maxDepth} levels`)
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

/**
 * True for a value of more than `maxDepth` levels, in which code that walks by recursion could run out of stack. It goes level by
 * level, without recursion, and takes a fifth of the time of a look at the text.
 */
function isDeeper(value: object, maxDepth: number): boolean {
  let level: readonly object[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    const below: object[] = []
    for (const item of level) {
      if (Array.isArray(item)) {
        for (const inner of item as unknown[]) if (isObject(inner)) below.push(inner)
      } else {
        // Not Object.values(), which makes a list of each object. What is enumerable on a prototype is not in the body.
        for (const key in item) {
          const inner = (item as Record<string, unknown>)[key]
          if (isObject(inner) && Object.hasOwn(item, key)) below.push(inner)
        }
      }
    }
    level = below
  }
  return false
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
