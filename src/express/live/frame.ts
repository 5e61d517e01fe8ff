import parseUrl from 'parseurl'
import { callHandler, maxDepth } from '../call-handler.js'
import { answerOptions } from '../routing/automatic-options.js'
import { innerUrl, type InnerUrl, isWhole, originOf } from '../routing/mount-path.js'
import { type CalledParams, runParamCallbacks } from '../routing/param-callbacks.js'
import type { PathMatch } from '../routing/path-matcher.js'
import { mergeParams } from './merge-params.js'
import {
  type Layer,
  mayBegin,
  type MountLayer,
  type RouteLayer,
  type Stack,
  type UseLayer,
} from './read-router.js'
import type { Next, Walk, WalkedRequest } from './walk.js'

/** One router that a request is in. */
export class Frame {
  readonly outer: Frame | undefined
  readonly next: Next
  readonly #walk: Walk
  readonly #stack: Stack
  readonly #app: object | undefined
  readonly #baseUrl: string
  readonly #params: WalkedRequest['params']
  readonly #next: Next | undefined
  #position = 0
  /** The URL that the layer has which runs now, where its mount path has taken something off. */
  #inner: InnerUrl | undefined
  readonly #origin: string
  /** The URL that the plan was made for. */
  #url = ''
  /** Of the plan that was last gone by: the positions of the layers to look at, and how many of them are behind. */
  #chosen: readonly number[] | undefined
  #passed = 0
  #called: CalledParams | undefined
  /** The methods of the routes that have matched, for an automatic answer to OPTIONS. */
  readonly #allowed: Set<string> | undefined

  constructor(walk: Walk, stack: Stack, outer?: Frame) {
    const { request } = walk
    this.#walk = walk
    this.#stack = stack
    this.outer = outer
    this.#app = walk.app
    this.#baseUrl = request.baseUrl || ''
    this.#params = outer && request.params
    this.#next = request.next
    this.#origin = originOf(request.url)
    if (request.method === 'OPTIONS') this.#allowed = new Set()
    this.next = (signal) => this.#go(signal)
    this.look()
  }

  /** The order of the layer that comes next. */
  get order(): number {
    return this.#stack.layers[this.#position]?.order ?? this.#stack.last + 1
  }

  /** Takes the URL for the one that the plan is for. */
  look(): void {
    const { request } = this.#walk
    this.#url = request.url
    request.next = this.next
    request.baseUrl = this.#baseUrl
  }

  /** The URL of the router, out of the one that a layer of it has. */
  restore(url: string): string {
    return this.#inner === undefined ? url : this.#inner.restore(url)
  }

  #putUrlBack(): void {
    if (this.#inner === undefined) return
    const { request } = this.#walk
    request.url = this.#inner.restore(request.url)
    request.baseUrl = this.#baseUrl
    this.#inner = undefined
  }

  #go(signal?: unknown): void {
    const walk = this.#walk
    // A late next() of a router that has been left already.
    walk.frame = this
    let error = signal === 'route' ? undefined : signal
    this.#putUrlBack()
    if (error === 'router') return this.#leave()
    if (++walk.depth > maxDepth) return void setImmediate(this.next, signal)
    const { request } = walk
    const path = pathnameOf(request)
    if (path === undefined) return this.#leave(error)
    const { plan } = walk
    walk.careful ||= request.url !== this.#url || request.method !== walk.method
    const chosen = walk.careful || error ? undefined : plan.positionsIn(this.#stack)
    let folded: string | undefined
    for (let layer = this.#nextOf(chosen); layer !== undefined; layer = this.#nextOf(chosen)) {
      if (!error && layer.order > plan.order) return walk.handOver()
      this.#position++
      if (layer.kind === 'route' && (error || (!walk.careful && !handles(layer, request.method)))) continue
      if (!mayBegin(layer, (folded ??= path.toLowerCase()))) continue
      let match: PathMatch | undefined
      try {
        match = layer.matcher(path)
      } catch (thrown) {
        error ||= thrown
        continue
      }
      if (match === undefined || (layer.kind === 'route' && !this.#isEntered(layer))) continue
      this.#reach(layer, match, path, error)
      walk.depth = 0
      return
    }
    if (!error && plan.order <= this.#stack.last) return walk.handOver()
    this.#leave(error)
  }

  /** The layer that comes next of the chosen ones, or of all. */
  #nextOf(chosen: readonly number[] | undefined): Layer | undefined {
    if (chosen !== undefined) {
      if (chosen !== this.#chosen) this.#passed = 0
      this.#chosen = chosen
      while (chosen[this.#passed]! < this.#position) this.#passed++
      if (this.#passed === chosen.length) return undefined
      this.#position = chosen[this.#passed]!
    }
    return this.#stack.layers[this.#position]
  }

  /** Whether a route whose path has matched is entered: for its methods, and for HEAD whatever it has. */
  #isEntered(layer: RouteLayer): boolean {
    const { method } = this.#walk.request
    if (handles(layer, method)) return true
    if (method === 'OPTIONS') this.#allow(layer)
    return method === 'HEAD'
  }

  #allow({ route: { methods } }: RouteLayer): void {
    for (const method of Object.keys(methods)) this.#allowed?.add(method.toUpperCase())
    if (methods['get']) this.#allowed?.add('HEAD')
  }

  #reach(layer: Layer, match: PathMatch, path: string, error: unknown): void {
    const { mergeParams: merges, params } = this.#stack
    const { request, response } = this.#walk
    if (layer.kind === 'route') request.route = layer.route
    request.params = merges ? mergeParams(match.params, this.#params) : match.params
    if (match.names.length === 0 || params.size === 0) return this.#enter(layer, match.path, path, error)
    // Once in this router for each value.
    this.#called ??= new Map()
    runParamCallbacks(params, match.names, this.#called, request as never, response as never, (thrown) => {
      if (thrown) this.#go(error || thrown)
      else this.#enter(layer, match.path, path, error)
      this.#walk.depth = 0
    })
  }

  #enter(layer: Layer, matched: string, path: string, error: unknown): void {
    if (layer.kind === 'route') return this.#runRoute(layer)
    if (matched !== '' && !this.#strip(matched, path)) return this.#go(error)
    if (layer.kind === 'mount') return error ? this.#go(error) : this.#mount(layer)
    const { handle } = layer
    if (error ? handle.length !== 4 : handle.length > 3) return this.#go(error)
    this.#call(handle, error, this.next)
  }

  #mount({ mounted }: MountLayer): void {
    const walk = this.#walk
    const frame = new Frame(walk, mounted, this)
    walk.frame = frame
    if (mounted.app !== undefined) {
      if (mounted.app.enabled('x-powered-by')) walk.response.setHeader('X-Powered-By', 'Express')
      walk.showApp(mounted.app)
    }
    frame.next()
  }

  /** Takes what a mount path has matched off the URL; false where that is no beginning of it that ends with a segment. */
  #strip(matched: string, path: string): boolean {
    if (!isWhole(this.#stack.version, matched, path)) return false
    const { request } = this.#walk
    const inner = innerUrl(this.#stack.version, this.#origin, request.url, matched)
    this.#inner = inner
    request.url = inner.url
    request.baseUrl = this.#baseUrl + inner.baseUrl
    return true
  }

  #call(handle: UseLayer['handle'], error: unknown, next: Next): void {
    const { request, response } = this.#walk
    if (error) callHandler(handle, next, error, request, response, next)
    else callHandler(handle, next, request, response, next)
  }

  /** Runs the handlers of a route, as Express does: each within the `next()` of the one before, and all with the same `next`. */
  #runRoute({ route }: RouteLayer): void {
    const { stack, methods } = route
    const walk = this.#walk
    const sent = walk.request.method.toLowerCase()
    const method = sent === 'head' && !methods['head'] ? 'get' : sent
    let at = 0
    const next: Next = (signal) => {
      if (signal === 'route') return this.#go()
      if (signal === 'router') return this.#go(signal)
      if (++walk.depth > maxDepth) return void setImmediate(next, signal)
      while (at < stack.length) {
        const { method: own, handle } = stack[at++]!
        if (own !== undefined && own !== method) continue
        if (signal ? handle.length !== 4 : handle.length > 3) continue
        this.#call(handle, signal, next)
        walk.depth = 0
        return
      }
      this.#go(signal)
    }
    next()
  }

  #leave(error?: unknown): void {
    const walk = this.#walk
    if (!error && this.#allowed?.size) return this.#answerOptions(this.#allowed)
    this.giveBack()
    if (this.outer === undefined) return walk.end(error)
    if (this.#stack.mount!.restoresApp) walk.showApp(this.#app)
    walk.frame = this.outer
    this.outer.next(error)
  }

  /** Puts back what the request was before it came into this router. */
  giveBack(): void {
    const { request } = this.#walk
    request.baseUrl = this.#baseUrl
    request.params = this.#params ?? {}
    request.next = this.#next
  }

  #answerOptions(methods: ReadonlySet<string>): void {
    try {
      answerOptions(this.#stack.version, this.#walk.response, methods)
    } catch (thrown) {
      this.#leave(thrown)
    }
  }
}

function handles({ route }: RouteLayer, method: string): boolean {
  const { methods } = route
  if (methods['_all']) return true
  const name = method.toLowerCase()
  return Boolean(methods[name === 'head' && !methods['head'] ? 'get' : name])
}

/** Undefined for a URL without one, or one that is none. */
function pathnameOf(request: WalkedRequest): string | undefined {
  try {
    return parseUrl(request)?.pathname ?? undefined
  } catch {
    return undefined
  }
}
