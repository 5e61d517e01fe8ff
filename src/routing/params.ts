import { RouteControllersError } from '../ground/errors.js'

/**
 * The params of a literal pattern: `'/users/:userId/*rest'` gives `{ userId: string; rest: string }`.
 *
 * A path that is only known as `string` gives `Record<string, string>`.
 */
export type PathParams<Path extends string> = Path extends unknown
  ? IsLiteral<Path> extends true
    ? { [Name in ParamNames<Path>]: string }
    : Record<string, string>
  : never

// `string` and `/users/${string}` make an index signature, which an empty object satisfies; a literal a required key.
type IsLiteral<Path extends string> = Record<never, 1> extends Record<Path, 1> ? false : true

type ParamNames<
  Path extends string,
  Names extends string = never,
> = Path extends `${infer Segment}/${infer Rest}`
  ? ParamNames<Rest, Names | ParamName<Segment>>
  : Names | ParamName<Path>

/**
 * A literal path as it is, or the reason why it is no pattern, so that the compiler says it. `parsePattern` checks the rest.
 */
export type CheckedPath<Path extends string> = Path extends `${string}?${string}`
  ? 'a pattern has no optional param and no query: write two Controllers'
  : Path extends `${string}${'(' | ')'}${string}`
    ? "a pattern has no regular expression: write ':name', and check its value in the callback"
    : Path extends `${string}${'{' | '}'}${string}`
      ? 'a pattern has no groups: write a Controller for each form of the path'
      : Path extends `${string}${'+' | '[' | ']' | '#' | '\\'}${string}`
        ? "a pattern is made of static segments, ':name' and, last, '*name'"
        : Path

type ParamName<Segment extends string> = Segment extends `:${infer Name}`
  ? Name
  : Segment extends '*'
    ? '*'
    : Segment extends `*${infer Name}`
      ? Name
      : never

// No members and no prototype, so that `params.constructor` is undefined; frozen, because all params share it. An object
// that inherits from it keeps V8's fast properties, which one from `Object.create(null)` itself does not have.
const prototype = Object.freeze(Object.create(null) as object)

/**
 * Decodes the raw values of a match, once, and gives them their names.
 *
 * @throws RouteControllersError `ERR_PARAM_MALFORMED`, status 400, for an escape that is not one
 */
export function decodeParams(names: readonly string[], values: readonly string[]): Record<string, string> {
  const params = Object.create(prototype) as Record<string, string>
  for (let i = 0; i < names.length; i++) {
    const value = values[i] as string
    params[names[i] as string] = value.includes('%') ? decodeParam(value) : value
  }
  return params
}

function decodeParam(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    throw new RouteControllersError('ERR_PARAM_MALFORMED', `Failed to decode param '${value}'`, { cause })
  }
}
