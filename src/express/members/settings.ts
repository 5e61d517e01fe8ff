import { nameType } from '../../ground/options.js'
import { type App, invalid } from '../model/router.js'

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
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const areStrings: Check = (value) => [value].flat().every((one) => isString(one) && one !== '')

const flag = { checks: [isBoolean], says: 'true or false' }
const text = { checks: [isString], says: 'a string' }

/** The values of Express's own settings: one of the checks must pass. */
const known: Readonly<Record<string, { readonly checks: readonly Check[]; readonly says: string }>> = {
  'case sensitive routing': flag,
  env: text,
  etag: {
    checks: [isBoolean, isFunction, (value) => value === 'weak' || value === 'strong'],
    says: "true, false, 'weak', 'strong' or a function (body, encoding) => string",
  },
  'json escape': flag,
  'json replacer': { checks: [isFunction, Array.isArray], says: 'a function or a list of names' },
  'json spaces': { checks: [isCount, isString], says: 'a number of spaces or a string' },
  'jsonp callback name': text,
  'query parser': {
    checks: [isBoolean, isFunction, (value) => value === 'simple' || value === 'extended'],
    says: "true, false, 'simple', 'extended' or a function (query) => object",
  },
  'strict routing': flag,
  'subdomain offset': { checks: [isCount], says: 'a whole number from 0 on' },
  'trust proxy': {
    checks: [isBoolean, isCount, isFunction, areStrings],
    says: "true, false, a number of hops, addresses as in ['10.0.0.0/8', 'loopback'] or a function (address, hops) => boolean",
  },
  'view cache': flag,
  'view engine': text,
  views: { checks: [areStrings], says: 'a folder or a list of folders' },
  'x-powered-by': flag,
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')
const knownByBareName = new Map(Object.keys(known).map((name) => [bare(name), name]))

/**
 * `app.set(name, value)`. Names that Express does not know are the application's own, but for those that are one of Express's
 * in another spelling. Throws ERR_OPTION_INVALID.
 */
export function applySetting(app: App, owner: string, name: string, value: unknown): void {
  const meant = knownByBareName.get(bare(name)) ?? name
  const quoted = JSON.stringify(name)
  if (meant !== name) {
    throw invalid(`${owner} has no setting ${quoted}; it is written ${JSON.stringify(meant)}`)
  }
  const { checks, says } = known[name] ?? {}
  if (checks?.some((check) => check(value)) === false) {
    const shown = typeof value === 'string' ? JSON.stringify(value) : nameType(value)
    throw invalid(`${owner}: ${quoted} is ${says!}, not ${shown}`)
  }
  try {
    app.set(name, value)
  } catch (cause) {
    throw invalid(`${owner}: ${quoted} cannot have this value: ${String((cause as Error).message)}`, cause)
  }
}
