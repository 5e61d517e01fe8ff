import type { IncomingMessage, ServerResponse } from 'node:http'
import { assignable } from '../../ground/assignable.js'
import { RouteControllersError } from '../../ground/errors.js'
import { exchangeKey, requestMembers } from '../../request/exchange.js'
import type { NodeExchange } from '../../node/exchange.js'
import { canonicalAddress, type Trust } from '../../request/forwarded.js'
import { MemberLayer } from '../../node/member-layer.js'
import type { ExtendClasses, NodeClasses } from '../../ground/types.js'
import type { Handle, Layer } from '../model/layer.js'
import { freshRouter, routerLike } from '../model/own-router.js'
import { type App, isApp, versionOf } from '../model/router.js'
import { expressVersions } from '../model/versions.js'
import { classesOf } from './app-classes.js'
import { shortenJson } from './short-json.js'

type Incoming = IncomingMessage & { res?: ServerResponse; app?: object; originalUrl?: string }
type Outgoing = ServerResponse & { locals?: object; app?: object }

// Express has its own of these.
const { query: _query, get: _get, originalUrl: _originalUrl, route: _route, ...others } = requestMembers

/** What callbacks find on a request beside Express's own members. */
export const ownMembers: PropertyDescriptorMap = others

/** The members that are added to Express's requests: `rawBody`, `signal`, `json()` and others. */
export const expressLayer: MemberLayer = new MemberLayer('express-request-members', ownMembers)

/**
 * A member for `prototype` that a request has while a callback has the request. Otherwise it has what it inherits there.
 *
 * A handler of Express reads a body by Node's own iterator. It has what an app has put on `app.request`, and from Node 24 on Node's own
 * `signal`.
 */
export function whilePrepared(
  prototype: object,
  name: string | symbol,
  descriptor: PropertyDescriptor,
): PropertyDescriptor {
  return assignable<{ [exchangeKey]?: object }>(name, function () {
    if (this[exchangeKey] === undefined)
      return Reflect.get(Object.getPrototypeOf(prototype) as object, name, this)
    return 'value' in descriptor ? descriptor.value : descriptor.get!.call(this)
  })
}

/** False for those of a server of node:http2: Express's prototypes lead to node:http, whose methods throw on them and would end the process. */
export function canMount({ httpVersionMajor }: IncomingMessage, outgoing: ServerResponse): boolean {
  return httpVersionMajor < 2 || !('createPushResponse' in outgoing)
}

/** The error for the others. */
export function ofHttp2(): RouteControllersError {
  return new RouteControllersError(
    'ERR_RUNTIME_UNSUPPORTED',
    'Express does not work on the requests of a server of node:http2: serve by Server with http2: true, whose requests are those of node:http',
  )
}

/**
 * Express's members on Node's request and response. They are those of one app, by prototypes that lead to `app.request` and
 * `app.response`. So a member that the app adds later counts too.
 */
export class Members {
  readonly app: App
  readonly #layer: MemberLayer
  readonly #responseLayer: MemberLayer | undefined
  readonly #classes = new WeakMap<object, NodeClasses>()
  readonly #query: PropertyDescriptor | undefined
  readonly #runQuery: Handle | undefined

  /** The layers are the members that are added. */
  constructor(app: App, layer: MemberLayer = expressLayer, responseLayer?: MemberLayer) {
    this.app = app
    this.#layer = layer
    this.#responseLayer = responseLayer
    if (initialLayersOf(app).includes('query')) {
      const [first] = routerLike(app, 'express4').stack
      this.#runQuery = first?.name === 'query' ? first.handle : undefined
      // A wrapped function may read the request: it runs on the request, before all others.
      if (isInitial(app, 0, first)) this.#query = lazyQuery(first!.handle)
    }
  }

  /**
   * The classes of `Server`. Their prototypes lead to those of the app from the beginning. Express gives each request another
   * prototype. Up to Node 22 each object then has a shape of its own, which slows every access.
   */
  readonly extendClasses: ExtendClasses = (classes, fallback) => {
    const { IncomingMessage, ServerResponse } = classes
    // An app of version 4 behind makes its own query where a request has none, before it replaces the prototype.
    if ('query' in this.app.request && isApp(fallback) && !('query' in fallback.request)) return classes
    const known = this.#classes.get(IncomingMessage)
    if (known !== undefined) return known
    const Request = class extends IncomingMessage {}
    const Response = class extends (ServerResponse as unknown as new () => object) {}
    this.#layer.define(Request.prototype)
    if (this.#layer === expressLayer) {
      for (const name of Reflect.ownKeys(ownMembers)) {
        const member = whilePrepared(Request.prototype, name, ownMembers[name as string]!)
        Object.defineProperty(Request.prototype, name, member)
      }
    }
    this.#responseLayer?.define(Response.prototype)
    leadTo(Request, this.app.request, IncomingMessage)
    leadTo(Response, this.app.response, ServerResponse)
    shortenJson(this.app, Response.prototype)
    const extended = {
      IncomingMessage: Request,
      ServerResponse: Response as unknown as typeof ServerResponse,
    }
    this.#classes.set(IncomingMessage, extended)
    return extended
  }

  /**
   * The same, for a server that needs no members besides those of the app. Where the app itself is the fallback, requests are of its
   * own classes. Then Express need not replace the prototypes of what it is left.
   */
  readonly extendClassesInFront: ExtendClasses = (classes, fallback) => {
    const { app } = this
    if (!isApp(fallback) || fallback.request !== app.request || fallback.response !== app.response) {
      return this.extendClasses(classes, fallback)
    }
    const own = classesOf(app)
    const areMade =
      own.IncomingMessage.prototype === app.request && own.ServerResponse.prototype === app.response
    return areMade ? own : this.extendClasses(classes, fallback)
  }

  /** True for a request that has the app's members already. */
  isOn(incoming: IncomingMessage): boolean {
    return Object.prototype.isPrototypeOf.call(this.app.request, incoming)
  }

  /**
   * Prepares a request as the app does it before its first layer, and returns a function that restores what the host had set.
   *
   * In a host that is not the app, this is what a mounted app does.
   */
  open(exchange: NodeExchange): () => void {
    const incoming = exchange.incoming as Incoming
    const outgoing = exchange.outgoing as Outgoing
    exchange.members = this.#layer
    let restore = nothing
    if (!this.isOn(incoming)) restore = this.mount(incoming, outgoing)
    // Inside the app itself, which has prepared the request.
    else if (incoming.res === outgoing && outgoing.locals !== undefined) return restore
    else {
      if (this.#query !== undefined) Object.defineProperty(incoming, 'query', this.#query)
      this.#begin(incoming, outgoing)
      if (this.#query === undefined) this.#readQuery(incoming, outgoing)
    }
    const { trust } = exchange
    if (trust === undefined) return restore
    const app = trustingApp(trust)
    for (const one of [incoming, outgoing]) Object.defineProperty(one, 'app', app)
    return () => {
      for (const one of [incoming, outgoing]) Reflect.deleteProperty(one, 'app')
      restore()
    }
  }

  /** Does what the app does first, where it is mounted in another app or runs alone. */
  mount(incoming: Incoming, outgoing: Outgoing): () => void {
    const { app } = this
    const request = Object.getPrototypeOf(incoming) as object
    const response = Object.getPrototypeOf(outgoing) as object
    // Before: it leaves a query alone that the host has put there.
    this.#readQuery(incoming, outgoing)
    Object.setPrototypeOf(incoming, app.request)
    Object.setPrototypeOf(outgoing, app.response)
    // A host of version 5 had a query of its own.
    if (!('query' in incoming)) this.#readQuery(incoming, outgoing)
    this.#begin(incoming, outgoing)
    return () => {
      Object.setPrototypeOf(incoming, request)
      Object.setPrototypeOf(outgoing, response)
    }
  }

  /** A target that is no URL, or a query at which the app's parser throws, is an error when the query is read. */
  #readQuery(incoming: Incoming, outgoing: Outgoing): void {
    const run = this.#runQuery
    if (run === undefined) return
    try {
      run(incoming as never, outgoing as never, nothing as never)
    } catch {
      Object.defineProperty(incoming, 'query', lazyQuery(run))
    }
  }

  #begin(incoming: Incoming, outgoing: Outgoing): void {
    if (this.app.enabled('x-powered-by')) outgoing.setHeader('X-Powered-By', 'Express')
    incoming.res = outgoing
    ;(outgoing as { req: IncomingMessage }).req = incoming
    outgoing.locals ??= Object.create(null) as object
  }

  /** The app. Where the option `trustProxy` is set, it is a copy of the app that trusts these proxies. */
  appFor(trust: Trust | undefined): App {
    return trust === undefined ? this.app : copyOf(this.app, trust)
  }
}

function nothing(): void {}

const appsOf = new WeakMap<Trust, PropertyDescriptor>()

/** The `app` of a request or a response with the option `trustProxy`. A mounted app puts one of its own there, by another prototype. */
function trustingApp(trust: Trust): PropertyDescriptor {
  let member = appsOf.get(trust)
  if (member === undefined) {
    member = assignable('app', function () {
      const { app } = Object.getPrototypeOf(this) as { readonly app?: App }
      return app && copyOf(app, trust)
    })
    // One for all requests: V8 would make a shape of its own for each.
    appsOf.set(trust, member)
  }
  return member
}

const copies = new WeakMap<Trust, WeakMap<App, App>>()

/** A copy of an app that trusts these proxies. */
function copyOf(app: App, trust: Trust): App {
  let ofTrust = copies.get(trust)
  if (ofTrust === undefined) copies.set(trust, (ofTrust = new WeakMap<App, App>()))
  let copy = ofTrust.get(app)
  if (copy === undefined) {
    const isTrusted = (address: string): boolean => Boolean(address) && trust(canonicalAddress(address))
    const get = (name: string): unknown =>
      name === 'trust proxy' || name === 'trust proxy fn' ? isTrusted : app.get(name)
    const enabled = (name: string): boolean => name === 'trust proxy' || app.enabled(name)
    copy = Object.create(app, { get: { value: get }, enabled: { value: enabled } }) as App
    ofTrust.set(app, copy)
  }
  return copy
}

/** Gives the objects of a class the prototype of the app from the beginning, and that of `original` once the layer is removed. */
function leadTo(Class: object, prototype: object, original: object): void {
  const own = (Class as { prototype: object }).prototype
  Object.setPrototypeOf(own, prototype)
  MemberLayer.removable(own, (original as { prototype: object }).prototype)
}

/** In version 4 a layer makes `req.query`. This makes it when it is first read, of the URL as it came. */
function lazyQuery(run: Handle): PropertyDescriptor {
  const query = assignable<Incoming>('query', function () {
    const standIn: { url: string | undefined; query?: unknown } = { url: this.originalUrl || this.url }
    run(standIn as never, undefined as never, nothing as never)
    query.set!.call(this, standIn.query)
    return standIn.query
  })
  return { ...query, enumerable: true }
}

/**
 * The layers that an app's router begins with and that prepare a request: version 4 has two, which `open` stands in for.
 *
 * Zero unless it is certain that both are Express's: a package may have wrapped them, or removed them.
 */
export function countInitialLayers(app: App, stack: readonly Layer[]): number {
  const names = initialLayersOf(app)
  return names.every((_name, at) => isInitial(app, at, stack[at])) ? names.length : 0
}

function initialLayersOf(app: App): readonly string[] {
  return expressVersions[versionOf(app)].initialLayers
}

function isInitial(app: App, at: number, layer: Layer | undefined): boolean {
  if (layer === undefined || !Object.hasOwn(layer, 'handle') || '__original' in layer.handle) return false
  const own = freshRouter(app).stack[at]!.handle
  const text = (one: Handle): string => Function.prototype.toString.call(one)
  return layer.handle.name === initialLayersOf(app)[at] && text(layer.handle) === text(own)
}
