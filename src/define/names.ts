import type { AnyController, ControllerOptions } from './controller.js'
import { likelyName } from '../ground/closest-name.js'
import { RouteControllersError } from '../ground/errors.js'
import { isOptions, nameType } from '../ground/options.js'
import type { PathParams } from '../routing/params.js'

/** The names of the routes of a list. */
export type RouteName<C> = C extends { readonly options: { readonly name?: infer Name } }
  ? string extends Name
    ? never
    : Extract<Name, string>
  : never

/** The names that `url` takes: any, where the list does not tell. */
export type KnownName<C> = [RouteName<C>] extends [never] ? string : RouteName<C>

/** The path of the route of this name. */
type PathOf<C, Name> = C extends {
  readonly pattern: { readonly source: infer Path }
  readonly options: { readonly name?: infer Own }
}
  ? string extends Own
    ? never
    : Name extends Own
      ? Extract<Path, string>
      : never
  : never

type Params<Path extends string> = { readonly [Name in keyof PathParams<Path>]: string | number | bigint }

/** The values of a query. An undefined one is left out, and a list repeats its name. */
export type UrlQuery = Readonly<Record<string, UrlQueryValue | readonly UrlQueryValue[]>>
type UrlQueryValue = string | number | bigint | boolean | undefined

/** Options of `routeControllers.url`. */
export interface UrlOptions {
  /** What stands behind the `?`. A value of undefined is left out, and a list becomes several fields. */
  readonly query?: UrlQuery
}

/** The parameters of `url` after the name: the params, which are optional only for a path without any; then options. */
export type UrlParameters<C, Name> = [PathOf<C, Name>] extends [never]
  ? [params?: Readonly<Record<string, string | number | bigint>>, options?: UrlOptions]
  : keyof PathParams<PathOf<C, Name>> extends never
    ? [params?: Readonly<Record<string, never>>, options?: UrlOptions]
    : [params: Params<PathOf<C, Name>>, options?: UrlOptions]

/** The Controllers that have names, by them. Throws ERR_ROUTE_NAME for two of one name. */
export function indexNames(controllers: readonly AnyController[]): Map<string, AnyController> {
  const index = new Map<string, AnyController>()
  for (const controller of controllers) {
    const { name } = controller.options as ControllerOptions
    if (name === undefined) continue
    const other = index.get(name)
    if (other !== undefined && other !== controller) {
      throw new RouteControllersError(
        'ERR_ROUTE_NAME',
        `Two routes are called ${JSON.stringify(name)}: ${shown(other)} and ${shown(controller)}; give one another name`,
      )
    }
    index.set(name, controller)
  }
  return index
}

function shown({ method, pattern }: AnyController): string {
  return `Controller(${method}, ${pattern.source})`
}

/**
 * The URL of a named route, from the root of RouteControllers on.
 *
 * @throws RouteControllersError `ERR_ROUTE_NAME` for an unknown name, `ERR_URL_INVALID` for params or a query that fit no URL
 */
export function urlOf(
  names: ReadonlyMap<string, AnyController>,
  name: string,
  params: unknown = {},
  options: unknown = {},
): string {
  const controller = names.get(name)
  if (controller === undefined) {
    const close = typeof name === 'string' ? likelyName(name, [...names.keys()]) : undefined
    throw new RouteControllersError(
      'ERR_ROUTE_NAME',
      `No route is called ${typeof name === 'string' ? JSON.stringify(name) : nameType(name)}${close === undefined ? '' : `: did you mean ${JSON.stringify(close)}?`}`,
    )
  }
  const { segments, names: wanted, source, foreign } = controller.pattern
  const where = `url(${JSON.stringify(name)})`
  if (foreign !== undefined || source === '*') {
    throw invalid(`${where}: ${source} is not a path that a URL can be made of`)
  }
  if (!isOptions(params)) throw invalid(`${where} takes the params as an object, not ${nameType(params)}`)
  for (const given of Object.keys(params)) {
    if (!wanted.includes(given)) throw invalid(`${where}: ${source} has no param ${JSON.stringify(given)}`)
  }
  const path = segments
    .map((segment) => {
      if (segment.kind === 'static') return segment.text
      const value = Object.hasOwn(params, segment.name)
        ? (params as Record<string, unknown>)[segment.name]
        : undefined
      return encodeParam(`${where}: ${segment.name}`, value, segment.kind === 'wildcard')
    })
    .join('/')
  // `//host` is another origin.
  if (path.startsWith('/')) throw invalid(`${where}: a path that begins with // leads to another host`)
  return `/${path}${encodeQuery(where, options)}`
}

/** One segment, or for a wildcard several. */
function encodeParam(where: string, value: unknown, isWildcard: boolean): string {
  const text = textOf(where, value)
  const parts = isWildcard ? text.split('/') : [text]
  return parts
    .map((part) => {
      // A client resolves dots against the path, also where they are percent-encoded (the URL standard, 4.4), and an empty param
      // matches none.
      if (/^(?:\.|%2e){1,2}$/i.test(part) || (part === '' && !isWildcard)) {
        throw invalid(
          `${where} is ${JSON.stringify(part)}, which does not stay a segment of its own in a URL`,
        )
      }
      return encode(where, part)
    })
    .join('/')
}

function textOf(where: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  throw invalid(
    `${where} is a string or a number, not ${typeof value === 'number' ? String(value) : nameType(value)}`,
  )
}

function encodeQuery(where: string, options: unknown): string {
  const query = isOptions(options) ? (options as { query?: unknown }).query : options
  if (!isOptions(options) || (query !== undefined && !isOptions(query))) {
    throw invalid(`${where} takes { query } behind the params, an object, not ${nameType(query)}`)
  }
  const unknown = Object.keys(options).find((name) => name !== 'query')
  if (unknown !== undefined) throw invalid(`${where} has no option ${JSON.stringify(unknown)}; it has query`)
  const fields: string[] = []
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one === undefined) continue
      const at = `${where}: query.${name}`
      fields.push(
        `${encode(at, name)}=${encode(at, typeof one === 'boolean' ? String(one) : textOf(at, one))}`,
      )
    }
  }
  return fields.length === 0 ? '' : `?${fields.join('&')}`
}

function encode(where: string, text: string): string {
  try {
    return encodeURIComponent(text)
  } catch (cause) {
    throw new RouteControllersError('ERR_URL_INVALID', `${where} has half of a surrogate pair`, { cause })
  }
}

function invalid(message: string): RouteControllersError {
  return new RouteControllersError('ERR_URL_INVALID', message)
}
