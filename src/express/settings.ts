import { parse as parseSimple } from 'node:querystring'
import proxyAddress from 'proxy-addr'
import qs from 'qs'
import { RouteControllersError } from '../errors.js'
import type { ExpressVersion } from './application.js'
import { type EtagFunction, strongEtag, weakEtag } from './members/etag.js'

/** Makes `req.query` of a query string, which is null where the URL has no `?`: the setting `query parser fn`. */
export type QueryParser = (query: string | null) => unknown

/** True for the address of a proxy whose word is taken, `hops` away from here: the setting `trust proxy fn`. */
export type TrustFunction = (address: string, hops: number) => boolean

/** Settings of an Express application, by Express's names, and any others that the application keeps there. */
export interface ExpressSettings {
  'case sensitive routing'?: boolean
  env?: string
  etag?: boolean | 'weak' | 'strong' | EtagFunction
  'json escape'?: boolean
  'json replacer'?: ((this: unknown, key: string, value: unknown) => unknown) | readonly (string | number)[]
  'json spaces'?: number | string
  'jsonp callback name'?: string
  'query parser'?: boolean | 'simple' | 'extended' | QueryParser
  'strict routing'?: boolean
  'subdomain offset'?: number
  'trust proxy'?: boolean | number | string | readonly string[] | TrustFunction
  'view cache'?: boolean
  'view engine'?: string
  views?: string | readonly string[]
  'x-powered-by'?: boolean
  [name: string]: unknown
}

/** Compiles the setting `etag`. Throws for what is none. */
export function compileEtag(value: unknown): EtagFunction | undefined {
  if (typeof value === 'function') return value as EtagFunction
  if (value === false) return undefined
  if (value === true || value === 'weak') return weakEtag
  if (value === 'strong') return strongEtag
  throw new TypeError(`unknown value for etag function: ${String(value)}`)
}

/** Compiles the setting `query parser`. Throws for what is none. */
export function compileQueryParser(value: unknown, version: ExpressVersion): QueryParser | undefined {
  if (typeof value === 'function') return value as QueryParser
  if (value === true || value === 'simple') return (query) => parseSimple(query ?? '')
  if (value === 'extended') return (query) => qs.parse(query ?? '', extended[version])
  if (value === false) return version === 4 ? () => ({}) : undefined
  throw new TypeError(`unknown value for query parser function: ${String(value)}`)
}

const extended = {
  4: { allowPrototypes: true, arrayLimit: 1000 },
  5: { allowPrototypes: true },
} as const

/** Compiles the setting `trust proxy`. Throws for what is no address. */
export function compileTrustProxy(value: unknown): TrustFunction {
  if (typeof value === 'function') return value as TrustFunction
  if (value === true) return () => true
  if (typeof value === 'number') return (_address, hops) => hops < value
  const addresses = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value
  return proxyAddress.compile((addresses || []) as string[])
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
const compiles =
  (compile: (value: unknown) => unknown): Check =>
  (value) => {
    try {
      compile(value)
      return true
    } catch {
      return false
    }
  }

/** What Express's own settings may be: the check, and how to say it. */
const known: Readonly<Record<string, readonly [Check, string]>> = {
  'case sensitive routing': [isBoolean, 'true or false'],
  env: [isString, 'a string'],
  etag: [compiles(compileEtag), "true, false, 'weak', 'strong' or a function (body, encoding) => string"],
  'json escape': [isBoolean, 'true or false'],
  'json replacer': [oneOf(isFunction, isList), 'a function or a list of names'],
  'json spaces': [oneOf(isCount, isString), 'a number of spaces or a string'],
  'jsonp callback name': [isString, 'a string'],
  'query parser': [
    compiles((value) => compileQueryParser(value, 5)),
    "true, false, 'simple', 'extended' or a function (query) => object",
  ],
  'strict routing': [isBoolean, 'true or false'],
  'subdomain offset': [isCount, 'a whole number from 0 on'],
  'trust proxy': [
    oneOf(isBoolean, isCount, isFunction, (value) => areStrings(value) && compiles(compileTrustProxy)(value)),
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
