import { RouteControllersError } from './errors.js'

/** Refuses an option that does not exist: a misspelt limit must not silently be no limit. */
export function checkOptionNames(owner: string, options: unknown, known: readonly string[]): void {
  if (!isOptions(options)) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `${owner} takes an object of options, not ${nameType(options)}`,
    )
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        `${owner} has no option ${JSON.stringify(name)}; it has ${known.join(', ')}`,
      )
    }
  }
}

/**
 * True for what can hold options. A list, a Map or a promise has none that anybody has set: what was meant would be lost.
 *
 * By the tag, which is the same in every realm.
 */
export function isOptions(value: unknown): value is object {
  const tag: unknown = Object.prototype.toString.call(value)
  return typeof value === 'object' && (tag === '[object Object]' || tag === '[object Module]')
}

/** What a value is, for a message that says what was given: `null`, `an array`, `a Map`, `undefined`. */
export function nameType(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  const name = Object.prototype.toString.call(value).slice(8, -1)
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name === 'Object' || name === 'Array' ? name.toLowerCase() : name}`
}

/** A whole number from `least` to `most`, which may be Infinity; throws ERR_OPTION_INVALID for NaN, '10 apples' and their like. */
export function checkCount(
  option: string,
  value: unknown,
  unit: string,
  least = 0,
  most: number = Infinity,
): number {
  if (typeof value === 'number' && value >= least && value <= most) {
    if (Number.isInteger(value) || value === Infinity) return value
  }
  const range = most === Infinity ? `from ${least} on` : `from ${least} to ${most}`
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${option} is ${unit}: a whole number ${range}, not ${shown(value)}`,
  )
}

// Not JSON, in which NaN is null and a BigInt throws.
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' ? String(value) : nameType(value)
}

/** Throws ERR_OPTION_INVALID unless `value` is a function. */
export function checkFunction(option: string, value: unknown): void {
  if (typeof value !== 'function') {
    throw new RouteControllersError('ERR_OPTION_INVALID', `${option} is a function, not ${nameType(value)}`)
  }
}
