import type { IncomingMessage, ServerResponse } from 'node:http'
import parseUrl from 'parseurl'
import { callHandler } from '../call-handler.js'
import type { Handle, LiveRoute } from './live-layer.js'
import { innerUrl, type InnerUrl, isWhole, originOf } from '../routing/mount-path.js'
import type { PathMatch } from '../routing/path-matcher.js'
import { type Layer, mayBegin, type MountLayer, type RouteLayer, type Stack } from './read-router.js'
import type { WalkPlan } from './walk-plan.js'

/** `next` of Express: on with nothing, behind the route or the router with `'route'` and `'router'`, else with an error. */
type Next = (signal?: unknown) => void

interface Request extends IncomingMessage {
  url: string
  baseUrl: string
  originalUrl?: string
  params: Record<string, unknown> | undefined
  next?: Next | undefined
  route?: object
  app?: object
}

interface Response extends ServerResponse {
  app?: object
  set?: (name: string, value: string) => void
  send?: (body: string) => void
}

/**
 * One request on its way through the layers of an app, in Express's order and with Express's effects.
 *
 * It is taken up by one Controller after another: each brings it to its own route, past what has been run already, and leaves it
 * there when that route calls `next()`.
 */
export class Walk {
  readonly request: Request
  readonly response: Response
  plan: WalkPlan
  /** Runs when the route of the plan has passed its request on, or when there is nothing left. */
  done: Next = () => {}
  /** The innermost router that the request is in. */
  frame: Frame
  /** True where no layer may be passed by unseen: what is decoded may fail, and a route is entered that does not answer the method. */
  careful = false
  method: string | undefined
  /** How many handlers are on the stack. */
  depth = 0
  ended = false
  /** The mounted app that is shown. */
  app: object | undefined
  /** What the request was like inside of its routers while somebody else has it. */
  #inside: Pick<Request, 'url' | 'baseUrl' | 'params' | 'next'> | undefined

  constructor(request: IncomingMessage, response: ServerResponse, plan: WalkPlan) {
    this.request = request as Request
    this.response = response
    this.plan = plan
    this.request.originalUrl ??= this.request.url
    this.frame = new Frame(this, plan.root)
  }

  /** Goes on to the route of a plan, unless it has been passed already. */
  goTo(plan: WalkPlan, done: Next): void {
    if (this.ended || this.frame.order > plan.order) return done()
    this.plan = plan
    this.done = done
    if (this.app !== undefined) this.#setApp(this.app)
    if (this.#inside !== undefined) {
      Object.assign(this.request, this.#inside)
      this.#inside = undefined
    }
    const { url, method } = this.request
    this.method = method
    this.careful ||= method === 'OPTIONS' || method === 'HEAD' || /%|\/\/|^[^/]/.test(url)
    this.frame.look()
    this.frame.next()
  }

  /** Leaves the request to whoever comes next, as it is outside of all routers. */
  handOver(): void {
    const { request, frame } = this
    if (frame.outer !== undefined) {
      const { url, baseUrl, params, next } = request
      this.#inside = { url, baseUrl, params, next }
      let outermost: Frame = frame
      for (; outermost.outer !== undefined; outermost = outermost.outer) {
        request.url = outermost.outer.unstripped(request.url)
      }
      outermost.giveBack()
    }
    if (this.app !== undefined) this.#setApp(undefined)
    this.done()
  }

  end(error: unknown): void {
    this.ended = true
    if (this.app !== undefined) this.#setApp(undefined)
    this.done(error)
  }

  /** Makes a mounted app what `req.app` and `res.app` are; undefined for the one that the profile was made of. */
  showApp(app: object | undefined): void {
    if (app === this.app) return
    this.app = app
    this.#setApp(app)
  }

  #setApp(app: object | undefined): void {
    const { request, response } = this
    // What the profile has stands on a prototype.
    delete request.app
    delete response.app
    if (app === undefined) return
    request.app = app
    response.app = app
  }
}

/** What has become of a param, whose callbacks run once for each value. */
interface ParamCall {
  readonly match: unknown
  value: unknown
  error: unknown
}

/** One router that a request is in. */
export class Frame {
  readonly outer: Frame | undefined
  readonly next: Next
  readonly #walk: Walk
  readonly #stack: Stack
  readonly #app: object | undefined
  readonly #baseUrl: string
  readonly #params: Request['params']
  readonly #next: Next | undefined
  #position = 0
  /** The URL that the layer has which runs now, where its mount path has taken something off. */
  #inner: InnerUrl | undefined
  readonly #origin: string
  /** The URL that the plan was made for. */
  #url: string
  #called: Record<string, ParamCall> | undefined
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
    this.#url = request.url
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
  unstripped(url: string): string {
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
    const { layers } = this.#stack
    const { plan } = walk
    if (!walk.careful && (request.url !== this.#url || request.method !== walk.method)) walk.careful = true
    const positions = walk.careful ? undefined : plan.positionsIn(this.#stack)
    let at = 0
    let folded: string | undefined
    while (this.#position < layers.length) {
      if (positions !== undefined && !error) {
        while (at < positions.length && positions[at]! < this.#position) at++
        if (at === positions.length) break
        this.#position = positions[at]!
      }
      const layer = layers[this.#position]!
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
      if (match === undefined) continue
      if (layer.kind === 'route') {
        const { method } = request
        if (!handles(layer, method)) {
          if (method === 'OPTIONS') this.#allow(layer.route)
          if (method !== 'HEAD') continue
        }
        request.route = layer.route
      }
      this.#reach(layer, match, path, error)
      walk.depth = 0
      return
    }
    if (!error && plan.order <= this.#stack.last) return walk.handOver()
    this.#leave(error)
  }

  #allow({ methods }: LiveRoute): void {
    for (const method of Object.keys(methods)) this.#allowed?.add(method.toUpperCase())
    if (methods['get']) this.#allowed?.add('HEAD')
  }

  #reach(layer: Layer, match: PathMatch, path: string, error: unknown): void {
    const { mergeParams, params } = this.#stack
    const { request } = this.#walk
    request.params = mergeParams ? merge(match.params, this.#params) : match.params
    if (match.names.length === 0 || isEmpty(params)) return this.#enter(layer, match.path, path, error)
    this.#callParams(match.names, (thrown) => {
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

  #call(handle: Handle, error: unknown, next: Next): void {
    const { request, response } = this.#walk
    if (error) callHandler(handle, next, error, request, response, next)
    else callHandler(handle, next, request, response, next)
  }

  #runRoute({ route }: RouteLayer): void {
    const { stack, methods } = route
    if (stack.length === 0) return this.#go()
    const walk = this.#walk
    let method = walk.request.method?.toLowerCase()
    if (method === 'head' && !methods['head']) method = 'get'
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

  /** Runs the callbacks of params, in the order of the path: once in this router for each value, whose outcome is kept. */
  #callParams(names: readonly string[], done: Next): void {
    const { request, response } = this.#walk
    const { params } = this.#stack
    const called = (this.#called ??= Object.create(null) as Record<string, ParamCall>)
    let at = 0
    const nextParam: Next = (error) => {
      if (error) return done(error)
      while (at < names.length) {
        const name = names[at++]!
        const value = request.params![name]
        const callbacks = params[name]
        if (value === undefined || !callbacks) continue
        const before = called[name]
        if (before && (before.match === value || (before.error && before.error !== 'route'))) {
          request.params![name] = before.value
          if (before.error) return done(before.error)
          continue
        }
        return callAll(name, value, callbacks)
      }
      done()
    }
    const callAll = (name: string, value: unknown, callbacks: (typeof params)[string]): void => {
      const call: ParamCall = { match: value, value, error: undefined }
      called[name] = call
      let index = 0
      const nextCallback: Next = (error) => {
        const callback = callbacks[index++]
        call.value = request.params![name]
        if (error) {
          call.error = error
          return nextParam(error)
        }
        if (callback === undefined) return nextParam()
        callHandler(callback, nextCallback, request, response, nextCallback, value, name)
      }
      nextCallback()
    }
    nextParam()
  }

  #leave(error?: unknown): void {
    const walk = this.#walk
    if (!error && this.#allowed !== undefined && this.#allowed.size > 0)
      return this.#answerOptions(this.#allowed)
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

  #answerOptions(allowed: ReadonlySet<string>): void {
    const { response } = this.#walk
    try {
      if (this.#stack.version === 4) {
        const list = [...allowed].join(',')
        response.set!('Allow', list)
        response.send!(list)
        return
      }
      const list = [...allowed].sort().join(', ')
      response.setHeader('Allow', list)
      response.setHeader('Content-Length', Buffer.byteLength(list))
      response.setHeader('Content-Type', 'text/plain')
      response.setHeader('X-Content-Type-Options', 'nosniff')
      response.end(list)
    } catch (thrown) {
      this.#allowed!.clear()
      this.#leave(thrown)
    }
  }
}

// As in Express: after this many calls within each other a next() waits for the next turn.
const maxDepth = 100

function handles({ route }: RouteLayer, method: string | undefined): boolean {
  const { methods } = route
  if (methods['_all']) return true
  const name = method?.toLowerCase() ?? ''
  return Boolean(methods[name === 'head' && !methods['head'] ? 'get' : name])
}

function pathnameOf(request: Request): string | undefined {
  try {
    return parseUrl(request)?.pathname ?? undefined
  } catch {
    return undefined
  }
}

function isEmpty(object: object): boolean {
  for (const _name in object) return false
  return true
}

/** The params of the outer router under those of this one; the numbers of unnamed groups go on behind the outer ones. */
function merge(
  own: Record<string, unknown>,
  outer: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (typeof outer !== 'object') return own
  const merged = { ...outer }
  if (0 in own && 0 in outer) {
    let count = 0
    while (count in own) count++
    let offset = 0
    while (offset in outer) offset++
    for (let index = count - 1; index >= 0; index--) {
      own[index + offset] = own[index]
      if (index < offset) delete own[index]
    }
  }
  return Object.assign(merged, own)
}
