import { closestName } from '../../ground/closest-name.js'
import type { RouteControllersError } from '../../ground/errors.js'
import { nameType } from '../../ground/options.js'
import { methodFor, methodsOf } from './methods.js'
import { invalid } from './router.js'
import type { RouteEntry } from './view.js'

/** One entry of `only` or `except`: `GET /account/**`. */
interface Wanted {
  readonly option: string
  readonly text: string
  /** Undefined for all methods. */
  readonly method: string | undefined
  readonly hasPath: (path: string) => boolean
}

/** Which routes of an app are to be taken over, by what its user has written in `only` and `except`. */
export class Selection {
  readonly #only: readonly Wanted[] | undefined
  readonly #except: readonly Wanted[]

  /** Throws ERR_OPTION_INVALID for anything but a list of entries, and for an empty `only`. */
  constructor(only: unknown, except: unknown) {
    this.#only = only === undefined ? undefined : parseList('only', only)
    this.#except = except === undefined ? [] : parseList('except', except)
    if (this.#only?.length === 0) {
      throw refused('only is empty, which takes nothing over: leave it out to take over all routes')
    }
  }

  /** Throws ERR_OPTION_INVALID for an entry that matches none of these routes. The message gives the closest route. */
  check(entries: readonly RouteEntry[]): void {
    for (const wanted of [...(this.#only ?? []), ...this.#except]) {
      const { method } = wanted
      const isFound = entries.some(
        (entry) =>
          (method === undefined || method === 'OPTIONS' || methodFor(entry.route, method)) &&
          namesOf(entry).some(wanted.hasPath),
      )
      if (!isFound) throw notFound(wanted, entries)
    }
  }

  /** The methods by which a route is taken over: those that it is registered for, as far as they were chosen. */
  methodsOf(entry: RouteEntry): readonly string[] {
    const takes = this.at(entry)
    const registered = methodsOf(entry.route).filter(takes)
    if (registered[0] === '*') return registered
    // Those that it takes by another name: GET of `app.all`, HEAD of a route of GET, OPTIONS by Express itself.
    const named = (this.#only ?? []).flatMap(({ method }) => method ?? [])
    const others = named.filter((one) => takes(one) && (one === 'OPTIONS' || methodFor(entry.route, one)))
    return [...new Set([...registered, ...others])]
  }

  /** Whether requests of a method are to be taken over at the path of a route. */
  at(entry: RouteEntry): (method: string) => boolean {
    const isHere = ({ hasPath }: Wanted): boolean => namesOf(entry).some(hasPath)
    const only = this.#only?.filter(isHere)
    const except = this.#except.filter(isHere)
    return (method) =>
      (only === undefined || only.some((wanted) => includes(wanted, method))) &&
      !except.some((wanted) => includes(wanted, method))
  }
}

/** The paths of a route, and all of them as `getPath()` gives them where there is a list: `[/one, /two]`. */
function namesOf({ path, paths }: RouteEntry): readonly string[] {
  return paths.includes(path) ? paths : [path, ...paths]
}

function includes({ method: wanted }: Wanted, method: string): boolean {
  return wanted === undefined || wanted === method || (wanted === 'GET' && method === 'HEAD')
}

function parseList(option: string, list: unknown): readonly Wanted[] {
  if (!Array.isArray(list)) {
    throw refused(`${option} is an array of 'GET /path' or '/path', not ${nameType(list)}`)
  }
  return list.map((text: unknown) => {
    const parts = typeof text === 'string' ? routePattern(text) : undefined
    if (parts === undefined) {
      const shown = typeof text === 'string' ? JSON.stringify(text) : nameType(text)
      throw refused(`an entry of ${option} is 'GET /path', or '/path' for all methods, not ${shown}`)
    }
    return { option, text: text as string, ...parts }
  })
}

/** Reads `GET /account/**`; undefined for what is none. The method is undefined for all. */
export function routePattern(text: string): Pick<Wanted, 'method' | 'hasPath'> | undefined {
  const parts = /^(?:([\w*-]+) +)?([/*([].*)$/.exec(text.trim())
  if (parts === null) return undefined
  const [, method = '*', path] = parts as unknown as [string, string | undefined, string]
  const pattern = new RegExp(`^${path.split('/').map(segmentSource).join('')}$`)
  return {
    method: method === '*' ? undefined : method.toUpperCase(),
    // A pattern may have signs of its own, as `/files/*name` of Express 5.
    hasPath: (candidate: string) => candidate === path || pattern.test(candidate),
  }
}

/** The source of a regular expression for one segment: `**` stands for any number of them, `*` for a part of one. */
function segmentSource(segment: string, at: number): string {
  if (segment === '**') return at === 0 ? '.*' : '(?:/[^/]*)*'
  const texts = segment.split('*').map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  return `${at === 0 ? '' : '/'}${texts.join('[^/]*')}`
}

function notFound(wanted: Wanted, entries: readonly RouteEntry[]): RouteControllersError {
  const routes = entries.flatMap(({ route, paths }) =>
    paths.flatMap((path) => methodsOf(route).map((method) => ({ method, path }))),
  )
  return refused(
    noRouteText(wanted, routes, 'the app has no routes yet: call toControllers when they are registered'),
  )
}

/** Says that a pattern finds none of some routes, and names the closest one as the pattern is written. `none` stands where there are no routes. */
export function noRouteText(
  { option, text, method }: Pick<Wanted, 'option' | 'text' | 'method'>,
  routes: readonly { readonly method: string; readonly path: string }[],
  none: string,
): string {
  const isPath = method === undefined && !text.startsWith('*')
  const names = routes.map((one) => (isPath || one.method === '*' ? one.path : `${one.method} ${one.path}`))
  const closest = closestName(text, names)
  const remedy = closest === undefined ? none : `the closest route is ${JSON.stringify(closest)}`
  return `${option} has ${JSON.stringify(text)}, which is no route of the app: ${remedy}`
}

function refused(reason: string): RouteControllersError {
  return invalid(`toControllers: ${reason}`)
}
