import { likelyName } from './closest-name.js'
import { RouteControllersError } from './errors.js'

/** Refuses an option that does not exist: a misspelt limit must not silently be no limit. */
export function checkOptionNames(owner: string, options: unknown, known: readonly string[]): void {
  if (!isOptions(options)) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `${owner} takes an object of options, not ${nameType(options)}; it has ${known.join(', ')}`,
    )
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const likely = likelyName(name, known)
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `${owner} has no option ${JSON.stringify(name)}; it has ${known.join(', ')}${likely === undefined ? '' : `. Did you mean ${likely}?`}`,
    )
  }
}

/** Throws ERR_OPTION_INVALID unless `value` fits the option of this name. */
export type OptionCheck = (option: string, value: unknown) => void

/** A check for each option of a type: the compiler refuses a name that is missing here, or one too many. */
export type OptionChecks<Options extends object> = { readonly [Name in keyof Options]-?: OptionCheck }

/**
 * Checks options by a table, which also says which there are; `prefix` stands before their names in messages. What is undefined
 * has not been given, and is not among what this returns.
 */
export function checkOptions<Options extends object>(
  owner: string,
  options: Options,
  checks: OptionChecks<NoInfer<Options>>,
  prefix = '',
): Partial<Options> {
  const names = Object.keys(checks) as (keyof Options & string)[]
  checkOptionNames(owner, options, names)
  const given: Partial<Options> = {}
  for (const name of names) {
    const value = options[name]
    if (value === undefined) continue
    checks[name](prefix + name, value)
    given[name] = value
  }
  return given
}

/**
 * True for what can hold options. A list, a Map or a promise holds none, and to accept it would lose the options that were meant.
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
  // It is refused, so no code waits for it. A rejection that no code handles would end the process.
  if (name === 'Promise') Promise.resolve(value).catch(() => {})
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name === 'Object' || name === 'Array' ? name.toLowerCase() : name}`
}

/** A whole number from `least` to `most`, which may be Infinity; throws ERR_OPTION_INVALID for NaN, '10 apples' and the like. */
export function checkCount(
  option: string,
  value: unknown,
  unit: string,
  least: number,
  most: number = Infinity,
): number {
  if (typeof value === 'number' && value >= least && value <= most) {
    if (Number.isInteger(value) || value === Infinity) return value
  }
  const range = most === Infinity ? `from ${least} on` : `from ${least} to ${most}`
  throw wrongOption(option, `${unit}: a whole number ${range}`, shown(value))
}

/** A value for a message. Not as JSON, in which NaN is null and a BigInt throws. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' ? String(value) : nameType(value)
}

/** Checks that a value is a whole number in a range. */
export function count(unit: string, least = 0, most?: number): OptionCheck {
  return (option, value) => checkCount(option, value, unit, least, most)
}

/** The most that a timer of Node takes. */
export const maxTimerMs: number = 2 ** 31 - 1

/** Throws ERR_OPTION_INVALID unless `value` is a function. */
export function checkFunction(option: string, value: unknown): void {
  if (typeof value !== 'function') throw wrongOption(option, 'a function', nameType(value))
}

/** Throws ERR_OPTION_INVALID for no function, and for a Router of Express, which cannot answer what none of its routes does. */
export function checkFallback(option: string, value: unknown): void {
  checkFunction(option, value)
  const { stack, params } = value as { stack?: unknown; params?: unknown }
  if (stack && params) throw wrongOption(option, 'an app, express().use(router)', 'a Router')
}

/** Throws ERR_OPTION_INVALID unless `value` is a boolean. */
export function checkBoolean(option: string, value: unknown): void {
  if (typeof value !== 'boolean') throw wrongOption(option, 'true or false', shown(value))
}

/** Throws ERR_OPTION_INVALID unless `value` is a string of at least one character. */
export function checkText(option: string, value: unknown): void {
  if (typeof value !== 'string' || value === '')
    throw wrongOption(option, 'a string that is not empty', shown(value))
}

/** Throws ERR_OPTION_INVALID unless `value` is a list of such strings. */
export function checkTexts(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw wrongOption(option, 'an array of strings', shown(value))
  value.forEach((one, at) => checkText(`${option}[${at}]`, one))
}

/** Checks that a value is one of these. */
export function oneOf(...values: readonly string[]): OptionCheck {
  return (option, value) => {
    if (!values.includes(value as string)) {
      throw wrongOption(option, values.map((one) => `'${one}'`).join(' or '), shown(value))
    }
  }
}

/** Throws ERR_OPTION_INVALID unless `value` has the methods of a Logger. */
export function checkLogger(option: string, value: unknown): void {
  for (const level of ['info', 'warn', 'error']) {
    checkFunction(`${option}.${level}`, (value as Record<string, unknown> | null)?.[level])
  }
}

/** For an option that is checked where it is read. */
export const checkedByReader: OptionCheck = () => {}

/** The error of an option that is not what it should be. */
export function wrongOption(option: string, wanted: string, value: string): RouteControllersError {
  return new RouteControllersError('ERR_OPTION_INVALID', `${option} is ${wanted}, not ${value}`)
}

/** True for what has these methods. A value of another realm, or of another copy of a package, fails `instanceof`. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return names.every(
    (name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function',
  )
}

/** Throws ERR_OPTION_INVALID, with what a method takes and what it was given, unless that fits. */
export function checkArgument(method: string, wanted: string, value: unknown, fits: boolean): void {
  if (fits) return
  throw new RouteControllersError('ERR_OPTION_INVALID', `${method} takes ${wanted}, not ${nameType(value)}`)
}

/** True for an object that is written out, of any realm: its prototype is none, or the one that has none itself. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
