import { RouteControllersError } from './errors.js'

/** Refuses an option that does not exist: a misspelt limit must not silently be no limit. */
export function checkOptionNames(owner: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new RouteControllersError('ERR_OPTION_INVALID', `${owner} takes an object of options`)
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
  return typeof value === 'number' || value === null ? String(value) : typeof value
}

/** Throws ERR_OPTION_INVALID unless `value` is a function. */
export function checkFunction(option: string, value: unknown): void {
  if (typeof value !== 'function') {
    throw new RouteControllersError('ERR_OPTION_INVALID', `${option} is a function, not ${typeof value}`)
  }
}
