import { RouteControllersError } from '../errors.js'

/** Settings of an Express application, by Express's names, and any others that the application keeps there. */
export interface ExpressSettings {
  'case sensitive routing'?: boolean
  env?: string
  etag?: boolean | 'weak' | 'strong' | ((body: string | Buffer, encoding?: string) => string | undefined)
  'json escape'?: boolean
  'json replacer'?: ((this: unknown, key: string, value: unknown) => unknown) | readonly (string | number)[]
  'json spaces'?: number | string
  'jsonp callback name'?: string
  'query parser'?: boolean | 'simple' | 'extended' | ((query: string | null) => unknown)
  'strict routing'?: boolean
  'subdomain offset'?: number
  'trust proxy'?: boolean | number | string | readonly string[] | ((address: string, hops: number) => boolean)
  'view cache'?: boolean
  'view engine'?: string
  views?: string | readonly string[]
  'x-powered-by'?: boolean
  [name: string]: unknown
}

type Check = (value: unknown) => boolean

const isBoolean: Check = (value) => typeof value === 'boolean'
const isString: Check = (value) => typeof value === 'string'
const isFunction: Check = (value) => typeof value === 'function'
const isList: Check = (value) => Array.isArray(value)
const areStrings: Check = (value) => [value].flat().every((one) => isString(one) && one !== '')
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const oneOf =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
/** What Express's own settings may be: the check, and how to say it. */
const known: Readonly<Record<string, readonly [Check, string]>> = {
  'case sensitive routing': [isBoolean, 'true or false'],
  env: [isString, 'a string'],
  'json escape': [isBoolean, 'true or false'],
  'json replacer': [oneOf(isFunction, isList), 'a function or a list of names'],
  'json spaces': [oneOf(isCount, isString), 'a number of spaces or a string'],
  'jsonp callback name': [isString, 'a string'],
  etag: [
    oneOf(isBoolean, isFunction, (value) => value === 'weak' || value === 'strong'),
    "true, false, 'weak', 'strong' or a function (body, encoding) => string",
  ],
  'query parser': [
    oneOf(isBoolean, isFunction, (value) => value === 'simple' || value === 'extended'),
    "true, false, 'simple', 'extended' or a function (query) => object",
  ],
  'strict routing': [isBoolean, 'true or false'],
  'subdomain offset': [isCount, 'a whole number from 0 on'],
  'trust proxy': [
    oneOf(isBoolean, isCount, isFunction, areStrings),
    "true, false, a number of hops, addresses as in ['10.0.0.0/8', 'loopback'] or a function (address, hops) => boolean",
  ],
  'view cache': [isBoolean, 'true or false'],
  'view engine': [isString, 'a string'],
  views: [areStrings, 'a folder or a list of folders'],
  'x-powered-by': [isBoolean, 'true or false'],
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')
const knownByBareName = new Map(Object.keys(known).map((name) => [bare(name), name]))

/**
 * Checks one setting of an option `settings`. Names that Express does not know are the application's own, but for those
 * that are one of Express's in another spelling.
 *
 * @throws RouteControllersError `ERR_OPTION_INVALID`
 */
export function checkSetting(owner: string, name: string, value: unknown): void {
  const meant = knownByBareName.get(bare(name))
  if (meant === undefined) return
  if (meant !== name) {
    throw new RouteControllersError(
      'ERR_OPTION_INVALID',
      `${owner} has no setting ${JSON.stringify(name)}; it is written ${JSON.stringify(meant)}`,
    )
  }
  const [check, expected] = known[name]!
  if (check(value)) return
  const shown =
    typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? 'this list' : typeof value
  throw new RouteControllersError(
    'ERR_OPTION_INVALID',
    `${owner}: ${JSON.stringify(name)} is ${expected}, not ${shown}`,
  )
}
