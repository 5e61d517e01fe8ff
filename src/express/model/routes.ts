// Which routes there are, and the URL that shows for each what its requests pass.
import { isController, type RunnableController } from '../../define/controller.js'
import { describeServed, type Description } from '../../introspection.js'
import { isExpressOwn } from './initial-layers.js'
import {
  type ExpressVersion,
  handleOf,
  isNamedAsRouter,
  type Layer,
  namesOfKeys,
  type Route,
} from './layer.js'
import { routerBehind } from './mounted-app.js'
import { mayPass, skips } from './may-pass.js'
import { METHODS } from './methods.js'
import { readBack } from './read-back.js'
import { isApp, isRouter, type Router, versionOf } from './router.js'
import {
  candidatePath,
  candidatePath4,
  candidatePath5,
  candidateOfRegExp,
  type Taste,
  tastes,
} from './candidate-path.js'
import { isMarked, isWholeOf, type LayerIndex, type Step, takenBy, takenRoute, trace } from './trace.js'

/** What a request may meet. */
interface Live {
  /** The whole path, as it was written. */
  readonly path: string
  /** The layers that lead to it, its own included. */
  readonly through: readonly Layer[]
  /** The router that it stands in; undefined for a Controller. */
  readonly router: Router | undefined
  /** Paths that may match it. */
  readonly candidates: (taste: Taste) => string
  /** How many there are before it. */
  readonly position: number
}

/** A route of an app, or a Controller, and one of its methods. */
export interface LiveRoute extends Live {
  readonly method: string
  readonly route: Route | RunnableController
  /** All methods that its route knows, so that a witness of `*` is none of them. */
  readonly others: readonly string[]
}

/** A function of `use`. */
export interface LiveMount extends Live {
  readonly layer: Layer
  /** True for a router that a package has wrapped. */
  readonly isHidden: boolean
}

/** The path that `app.use` was given, where the layer itself does not show it. */
export type PathOf = (layer: Layer) => unknown

/** A layer that Express calls a router or an app, of which neither can be seen. */
export interface OpaqueLayer {
  readonly layer: Layer
  readonly path: string
}

/** What can be reached through what serves, in the order in which it is met. */
export interface Reachable {
  readonly routes: readonly LiveRoute[]
  /** Functions of `use`, error handlers left out. */
  readonly mounts: readonly LiveMount[]
  /** Error handlers of `use`. Each stands before the route or the function of `use` that has its position. */
  readonly errorHandlers: readonly LiveMount[]
  /** What hides routes. */
  readonly opaque: readonly OpaqueLayer[]
}

/** All routes and functions of `use` that can be reached through what serves. */
export function reachableIn(served: unknown, pathOf: PathOf): Reachable {
  const opaque: OpaqueLayer[] = []
  const routes: LiveRoute[] = []
  const mounts: LiveMount[] = []
  const errorHandlers: LiveMount[] = []
  const seen = new Set<unknown>()
  /** The RouteControllers that lead to what is visited. */
  const around = new Set<object>()
  // Of an app that was taken over route by route, its routes alone are reached.
  let isWhole = true
  /** Of a part of an app, which of its routes are among what was taken over. */
  let isTaken: IsTaken = () => true

  const visit = (
    one: unknown,
    prefix: string,
    through: readonly Layer[],
    candidate: (taste: Taste) => string,
  ): void => {
    const serving = describeServed(one)
    if (serving !== undefined) {
      // With something behind, that shows what an app has beside its routes.
      const isAlone = through.length === 0 && serving.fallback === undefined
      if (serving.description !== undefined)
        visitControllers(serving.description, prefix, through, candidate, isAlone)
      if (serving.fallback !== undefined) visit(serving.fallback, prefix, through, candidate)
      return
    }
    const router = routerBehind(one)
    // A router may stand in itself: one round of that shows all there is.
    const rounds = through.filter((layer) => handleOf(layer) === one).length
    if (!router || rounds > 1) return
    const version = versionOf(router)
    for (const layer of router.stack) {
      const path = pathOfLayer(layer, pathOf)
      // What stands before each path of a list is not the same.
      const each: readonly unknown[] = Array.isArray(path) ? path.flat(Infinity) : [path]
      for (const own of each)
        visitLayer(layer, own, each.length > 1, version, router, prefix, through, candidate)
    }
  }

  const visitLayer = (
    layer: Layer,
    own: unknown,
    isOfList: boolean,
    version: ExpressVersion,
    router: Router,
    prefix: string,
    through: readonly Layer[],
    candidate: (taste: Taste) => string,
  ): void => {
    const here = [...through, layer]
    const path = joinPaths(prefix, String(own))
    const candidates = (taste: Taste): string =>
      joinPaths(candidate(taste), candidateOfLayer(layer, own, isOfList, version, taste))
    const { route } = layer
    if (route === undefined) {
      const behind = handleOf(layer)
      const isHidden = isNamedAsRouter(layer) && !leadsOn(behind)
      if (isHidden) opaque.push({ layer, path })
      if (leadsOn(behind)) visit(behind, path, here, candidates)
      else if (isWhole && behind.length <= 4 && !isExpressOwn(layer, version, router.stack)) {
        const list = behind.length === 4 ? errorHandlers : mounts
        const last = list.at(-1)
        // Of a list of paths it stands at all.
        if (last?.layer === layer && isSameWay(last, here)) return
        const position = routes.length + mounts.length
        list.push({
          layer,
          path: mountOf(here, pathOf),
          through: here,
          router,
          candidates,
          position,
          isHidden,
        })
      }
      return
    }
    const others = Object.keys(route.methods).map((method) => method.toUpperCase())
    for (const method of rowsOf(route)) {
      if (isTaken(route, method, candidates))
        add({ method, path, route, through: here, router, candidates, others })
    }
    for (const inner of route.stack) {
      const behind = handleOf(inner)
      if (isApp(behind) || isRouter(behind)) visit(behind, prefix, [...here, inner], candidate)
    }
  }

  const visitControllers = (
    description: Description,
    prefix: string,
    through: readonly Layer[],
    candidate: (taste: Taste) => string,
    isAlone: boolean,
  ): void => {
    const { owner, controllers, engine } = description
    // They may stand in an app that they have taken over.
    if (around.has(owner)) return
    around.add(owner)
    const methods = new Map<string, string[]>()
    for (const { method, pattern } of controllers) {
      methods.set(pattern.source, [...(methods.get(pattern.source) ?? []), method])
    }
    for (const controller of controllers) {
      const { method, pattern } = controller
      const app = takenBy(controller)
      if (app !== undefined) {
        if (seen.has(app)) continue
        const before = { isWhole, isTaken }
        isWhole &&= pattern.source === '*' || (isAlone && takesRest(description, app))
        isTaken = takenOf(description, app, candidate)
        visit(app, prefix, through, candidate)
        ;({ isWhole, isTaken } = before)
        seen.add(app)
        continue
      }
      const others = methods.get(pattern.source)!
      // Each path of a list has a row, as those of a route of Express have.
      for (const own of pathsOf(pattern)) {
        const candidates = (taste: Taste): string =>
          joinPaths(candidate(taste), candidateOfController(controller, own, engine.router, taste))
        const path = joinPaths(prefix, String(own))
        add({ method, path, route: controller, through, router: undefined, candidates, others })
      }
    }
    around.delete(owner)
  }

  // An app that was taken over, and stands behind as well, has its routes once.
  const known = new Map<unknown, LiveRoute[]>()
  const add = (found: Omit<LiveRoute, 'position'>): void => {
    const same = known.get(found.route) ?? []
    known.set(found.route, same)
    if (same.some((one) => isSame(one, found))) return
    const one = { ...found, position: routes.length + mounts.length }
    same.push(one)
    routes.push(one)
  }

  visit(served, '', [], () => '')
  return { routes, mounts, errorHandlers, opaque }
}

type IsTaken = (route: Route, method: string, candidates: (taste: Taste) => string) => boolean

/** Whether an app was taken over with a Controller for all its requests. */
function takesRest({ controllers }: Description, app: unknown): boolean {
  return controllers.some((one) => takenBy(one) === app && one.pattern.source === '*')
}

/** Of an app behind the paths of `base`, which routes RouteControllers have taken over. */
function takenOf(description: Description, app: unknown, base: (taste: Taste) => string): IsTaken {
  const { controllers, engine } = description
  const own = controllers.filter((one) => takenBy(one) === app)
  if (takesRest(description, app) || isWholeOf(own)) return () => true
  const routes = new Set<unknown>(own.map(takenRoute))
  // A pattern of `only` takes what is registered later, too.
  const isMet = (method: string, candidates: (taste: Taste) => string): boolean =>
    tastes.some((taste) => engine.takes(method, candidates(taste).slice(base(taste).length) || '/'))
  return (route, method, candidates) =>
    routes.has(route) || isMet(method === '*' ? 'GET' : method, candidates)
}

/** True for what a request goes on in, and not for a function of which nothing is known. */
function leadsOn(behind: unknown): boolean {
  return routerBehind(behind) !== undefined || describeServed(behind)?.description !== undefined
}

/** All RouteControllers that stand in what serves. */
export function describedIn(served: unknown, seen: Set<unknown> = new Set<unknown>()): Description[] {
  if (seen.has(served)) return []
  seen.add(served)
  const serving = describeServed(served)
  if (serving !== undefined) {
    return [...(serving.description ? [serving.description] : []), ...describedIn(serving.fallback, seen)]
  }
  return (routerBehind(served)?.stack ?? []).flatMap((layer) => describedIn(handleOf(layer), seen))
}

type Identity = Pick<LiveRoute, 'method' | 'path' | 'through'>

function isSame(one: Identity, other: Identity): boolean {
  return one.method === other.method && one.path === other.path && isSameWay(one, other.through)
}

/** True where the same layers lead there. */
export function isSameWay({ through }: Pick<Live, 'through'>, other: readonly Layer[]): boolean {
  return through.length === other.length && through.every((layer, at) => layer === other[at])
}

function pathOfLayer(layer: Layer, pathOf: PathOf): unknown {
  if (layer.route !== undefined) return layer.route.path
  const given = layer.rawPath ?? pathOf(layer)
  if (given !== undefined) return given
  // Version 5 has none.
  const { regexp } = layer
  if (regexp === undefined || regexp.fast_slash) return '/'
  return regexp.fast_star ? '*' : (readBack(layer) ?? regexp)
}

/** Each method has a row. Unlike those of `methodsOf`, methods that were registered beside `all` are named. */
function rowsOf({ methods }: Route): readonly string[] {
  // `app.all` of version 4 registers each method that there is.
  if (METHODS.every((method) => methods[method.toLowerCase()])) return ['*']
  return Object.keys(methods).map((method) => (method === '_all' ? '*' : method.toUpperCase()))
}

/** The path that a function of `use` is mounted at, through all that leads to it. */
export function mountOf(through: readonly Layer[], pathOf: PathOf): string {
  // The layers of a route have the path of that.
  const isMount = (layer: Layer, at: number): boolean =>
    layer.route === undefined && through[at - 1]?.route === undefined && !isMarked(layer)
  const paths = through.filter(isMount).map((layer) => shownPath(pathOfLayer(layer, pathOf)))
  return paths.reduce(joinPaths, '') || '/'
}

/** Whether a request for a path may be one below a mount, as far as what is written in both says. With `isMount` one below the path, too. */
export function mayMeet(path: string, mount: string, isMount: boolean): boolean {
  // A list of paths is shown with commas.
  if (mount.includes(',')) return true
  const segments = path.split('/').filter(Boolean)
  for (const [at, own] of mount.split('/').filter(Boolean).entries()) {
    const segment = segments[at]
    if (segment === undefined) return isMount
    // A wildcard or a regular expression may stand for several of them.
    if (![own, segment].every((one) => plainSegment.test(one))) return true
    const areTexts = !own.startsWith(':') && !segment.startsWith(':')
    if (areTexts && own.toLowerCase() !== segment.toLowerCase()) return false
  }
  return true
}

const plainSegment = /^:?[\w.~@-]+$/

/** A path as it is shown; a list of them with commas. */
function shownPath(path: unknown): string {
  if (Array.isArray(path)) return path.map(shownPath).join(', ')
  return String(path)
}

/** One path below another. */
function joinPaths(prefix: string, path: string): string {
  if (path === '' || path === '/') return prefix === '' ? path : prefix
  if (prefix === '' || prefix === '/') return path
  return `${prefix.replace(/\/$/, '')}${/^[/*]/.test(path) ? '' : '/'}${path}`
}

/** A text that the grammar of a version matches with a path. */
const candidateText: Readonly<Record<ExpressVersion, (path: string, taste: Taste) => string>> = {
  4: candidatePath4,
  5: candidatePath5,
}

function candidateOfLayer(
  layer: Layer,
  path: unknown,
  isOfList: boolean,
  version: ExpressVersion,
  taste: Taste,
): string {
  const { regexp } = layer
  if (path instanceof RegExp && (isOfList || regexp === undefined)) return candidateOfRegExp(path, [], taste)
  if (regexp === undefined || isOfList) return candidateText[version](String(path), taste)
  if (regexp.fast_slash) return '/'
  if (regexp.fast_star) return '/x'
  return candidateOfRegExp(regexp, namesOfKeys(layer), taste)
}

/** The paths of a Controller: of one with `expressPath(list)`, each. */
function pathsOf({ source, foreign }: RunnableController['pattern']): readonly unknown[] {
  const { path } = (foreign ?? {}) as { path?: unknown }
  return Array.isArray(path) ? (path as unknown[]) : [path ?? source]
}

function candidateOfController(
  { pattern }: RunnableController,
  path: unknown,
  router: object | undefined,
  taste: Taste,
): string {
  if (pattern.foreign === undefined) {
    return pattern.source === '*'
      ? `/${candidatePath([{ kind: 'param', name: 'any' }], taste).slice(1)}`
      : candidatePath(pattern.segments, taste)
  }
  if (typeof path !== 'string') return candidateOfRegExp(path as RegExp, [], taste)
  return candidateText[router === undefined ? 5 : versionOf(router)](path, taste)
}

/** What the witness of a route shows. */
export interface Witness {
  readonly method: string
  /** Undefined where no path was found that reaches the route. */
  readonly url: string | undefined
  readonly steps: readonly Step[]
  /** How many of them a request passes before one answers; that one is not counted. */
  readonly end: number
}

const usualMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'SEARCH', 'LINK']

/** Finds a URL that reaches a route, if there is one that no other function answers before. */
export function findWitness(served: unknown, live: LiveRoute, index: LayerIndex, without?: object): Witness {
  const { method: asked, others, candidates } = live
  const method = asked === '*' ? (usualMethods.find((one) => !others.includes(one)) ?? 'GET') : asked
  return firstWitness(served, [method], [candidates], (step) => isOf(live, step), index, without)
}

/** Finds a request that reaches a function of `use`: for its path, or for one below that. */
export function findMountWitness(served: unknown, mount: LiveMount, index: LayerIndex): Witness {
  const { candidates } = mount
  const below = (taste: Taste): string => joinPaths(candidates(taste), '/any-1')
  return firstWitness(served, ['GET', 'POST'], [candidates, below], (step) => isOfMount(mount, step), index)
}

function firstWitness(
  served: unknown,
  methods: readonly string[],
  candidates: readonly LiveRoute['candidates'][],
  isIt: (step: Step) => boolean,
  index: LayerIndex,
  without?: object,
): Witness {
  let reached: Witness | undefined
  const tried = new Set<string>()
  for (const method of methods) {
    for (const [candidate, taste] of candidates.flatMap((one) =>
      tastes.map((taste) => [one, taste] as const),
    )) {
      const path = candidate(taste)
      const url = path.startsWith('/') ? path : `/${path}`
      if (tried.has(`${method} ${url}`)) continue
      tried.add(`${method} ${url}`)
      const steps = trace(served, method, url, index, without)
      const at = steps.findIndex(isIt)
      if (at < 0) continue
      const end = endOf(steps)
      const witness = { method, url, steps, end }
      if (end < 0 || at <= end) return witness
      reached ??= witness
    }
  }
  return reached ?? { method: methods[0]!, url: undefined, steps: [], end: 0 }
}

/** True for a handler of this very route, by this way. Its error handlers are none. */
export function isOf({ route, through }: LiveRoute, step: Step): boolean {
  if (step.route !== route || step.kind === 'error') return false
  return through.every((layer, at) => step.through[at] === layer)
}

/** True for this very function of `use`, by this way. */
export function isOfMount(mount: LiveMount, { owner, kind, through }: Step): boolean {
  return kind === 'middleware' && owner === mount.layer && isSameWay(mount, through)
}

/** The number of the step that answers, as far as the text of the functions says; -1 where each may pass its request on. */
export function endOf(steps: readonly Step[]): number {
  return steps.findIndex((step, at) => ends(step) && !mayBeSkipped(steps, at))
}

/** True where a function before a step may send its request past it, by `next('route')` or `next('router')`. */
function mayBeSkipped(steps: readonly Step[], at: number): boolean {
  const { route, through } = steps[at]!
  const isBelow = (way: readonly Layer[]): boolean => way.every((layer, depth) => through[depth] === layer)
  return steps.slice(0, at).some((one) => {
    if (one.kind === 'error' || one.returns) return false
    const known = skips(one.run)
    const isOfRoute = route !== undefined && one.route === route && isBelow(around(one))
    if (known.route && (isOfRoute || (one.kind === 'param' && isBelow(one.through)))) return true
    const router = known.router ? wayOfRouter(one) : []
    return router.length > 0 && isBelow(router)
  })
}

function around({ through }: Pick<Step, 'through'>): readonly Layer[] {
  return through.slice(0, -1)
}

/** The layers that lead to the router of a step; none for the outermost one, which nothing stands behind. */
function wayOfRouter({ kind, through, route }: Step): readonly Layer[] {
  if (kind === 'middleware' || kind === 'param') return around({ through })
  return kind === 'handler' && !isController(route!) ? through.slice(0, -2) : []
}

/** True for a step that keeps its request. */
export function ends({ kind, run, isLast, isAnswer, returns }: Step): boolean {
  if (isAnswer || kind === 'options') return true
  if (kind === 'param' || kind === 'error' || returns) return false
  return !mayPass(run, isLast)
}

/** A path without the names of its params, which other code may have other ones for. */
export function shapeOf(path: string): string {
  const shape = path.replace(/:(?:"[^"]*"|\w+)/g, ':').replace(/\{?\*\w*\}?/g, '*')
  return shape.length > 1 ? shape.replace(/\/$/, '') : shape
}

/** True for the same route, or one of all methods in its place. */
export function isSameAnswer(expected: string, found: string): boolean {
  const [method, ...path] = expected.split(' ')
  const [otherMethod, ...otherPath] = found.split(' ')
  return (
    shapeOf(path.join(' ')) === shapeOf(otherPath.join(' ')) &&
    (method === otherMethod || otherMethod === '*')
  )
}
