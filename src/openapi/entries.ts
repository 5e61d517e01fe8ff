import type { AppRoute, PathPart } from '../define/app-routes.js'
import type { RouteDescription } from '../define/describe-routes.js'
import { RouteControllersError } from '../ground/errors.js'
import type { LeftOutRoute } from './options.js'
import { operationIdOf, partsOf, type PathTemplate, toTemplate } from './path-template.js'

/** A route in its place in the document. */
export interface Entry {
  readonly route: RouteDescription
  /** In lower case, as OpenAPI writes it. */
  readonly method: string
  readonly template: PathTemplate
  readonly operationId: string
  /** The method and the path, for messages. */
  readonly where: string
}

const knownMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** What a route of all methods is written as, where no other route has that method and path. */
const commonMethods = ['get', 'put', 'post', 'delete', 'patch']

type LeaveOut = (route: LeftOutRoute) => void

/**
 * The routes that OpenAPI has a form for, each with its place; `leaveOut` gets the others.
 *
 * @throws RouteControllersError `ERR_ROUTE_CONFLICT` for two operations of one `operationId`
 */
export function placeRoutes(routes: readonly RouteDescription[], leaveOut: LeaveOut): Entry[] {
  const shown = routes.filter(({ options }) => options.hidden !== true)
  const places = new Places(leaveOut)
  // The first route takes the place: a param before a wildcard, because both look the same in OpenAPI, and routes of all methods
  // last.
  for (const rank of [0, 1, 2]) for (const route of shown) if (rankOf(route) === rank) places.add(route)
  const order = new Map(shown.map((route, at) => [route, at]))
  places.found.sort((a, b) => order.get(a.route)! - order.get(b.route)!)
  return withOperationIds(places.found)
}

function rankOf({ method, path }: RouteDescription): number {
  if (method === '*') return 2
  return /(?:^|\/)\*\w*$/.test(path) ? 1 : 0
}

type Place = Omit<Entry, 'operationId'> & { readonly given: string | undefined }

class Places {
  readonly found: Place[] = []
  readonly #leaveOut: LeaveOut
  /** The names of the params of a shape: OpenAPI takes `/users/{id}` and `/users/{name}` for one path. */
  readonly #names = new Map<string, readonly string[]>()
  readonly #taken = new Set<string>()

  constructor(leaveOut: LeaveOut) {
    this.#leaveOut = leaveOut
  }

  add(route: RouteDescription): void {
    if (route.method === '*') return this.#addAll(route)
    if (!knownMethods.includes(route.method.toLowerCase())) {
      return this.#refuse(route, `OpenAPI 3.1 has no method ${route.method}`)
    }
    const templates = this.#templatesOf(route)
    if (templates === undefined) return
    const method = route.method.toLowerCase()
    const taken = templates.filter((template, at) =>
      this.#take(route, method, template, numbered(givenId(route), at)),
    )
    if (taken.length > 0) return
    this.#refuse(
      route,
      'another route has the same method and path in OpenAPI, where a wildcard and a param look the same',
    )
  }

  #addAll(route: RouteDescription): void {
    if (!isDescribed(route)) {
      return this.#refuse(route, 'a route of all methods that has no schemas, no name and no notes')
    }
    const templates = this.#templatesOf(route)
    if (templates === undefined) return
    const given = givenId(route)
    const taken = templates.flatMap((template, at) =>
      commonMethods.filter((method) => {
        const id = given && given + method[0]!.toUpperCase() + method.slice(1)
        return this.#take(route, method, template, numbered(id, at))
      }),
    )
    if (taken.length === 0) this.#refuse(route, 'other routes have all of its methods')
  }

  /** The templates of a route: of one of Express several, where a part of its path is optional. */
  #templatesOf(route: RouteDescription | AppRoute): PathTemplate[] | undefined {
    const paths = 'paths' in route ? route.paths : route.isForeign ? undefined : [partsOf(route.path)]
    if (paths === undefined) {
      this.#refuse(route, "a path in Express's grammar, which OpenAPI cannot express")
      return undefined
    }
    if (paths.flat().some((part) => typeof part === 'string' && /[{}]/.test(part))) {
      this.#refuse(route, 'a path with braces, which OpenAPI takes for a param')
      return undefined
    }
    return paths.map((parts) => this.#templateOf(parts))
  }

  #templateOf(parts: readonly PathPart[]): PathTemplate {
    const { shape } = toTemplate(parts)
    const template = toTemplate(parts, this.#names.get(shape))
    this.#names.set(
      shape,
      template.params.map(({ shown }) => shown),
    )
    return template
  }

  #take(route: RouteDescription, method: string, template: PathTemplate, given: string | undefined): boolean {
    const key = `${method} ${template.shape}`
    if (this.#taken.has(key)) return false
    this.#taken.add(key)
    this.found.push({ route, method, template, given, where: `${route.method} ${route.path}` })
    return true
  }

  #refuse({ method, path }: RouteDescription, reason: string): void {
    this.#leaveOut({ method, path, reason })
  }
}

function givenId({ options }: RouteDescription): string | undefined {
  return options.operationId ?? options.name
}

/** An operation of another way to write a path has an id of its own. */
function numbered(id: string | undefined, at: number): string | undefined {
  return id === undefined || at === 0 ? id : `${id}${at + 1}`
}

function isDescribed({ options }: RouteDescription): boolean {
  const { bodyLimit: _limit, body: _body, ...notes } = options
  return Object.values(notes).some((note) => note !== undefined)
}

function withOperationIds(places: readonly Place[]): Entry[] {
  const taken = new Map<string, string>()
  for (const { given, where } of places) {
    if (given === undefined) continue
    const other = taken.get(given)
    if (other !== undefined) {
      throw new RouteControllersError(
        'ERR_ROUTE_CONFLICT',
        `${other} and ${where} have the same operationId ${JSON.stringify(given)}: give one of them another operationId`,
      )
    }
    taken.set(given, where)
  }
  return places.map(({ given, ...place }) => {
    if (given !== undefined) return { ...place, operationId: given }
    const base = operationIdOf(place.method, place.template)
    let operationId = base
    for (let count = 2; taken.has(operationId); count++) operationId = base + count
    taken.set(operationId, place.where)
    return { ...place, operationId }
  })
}
