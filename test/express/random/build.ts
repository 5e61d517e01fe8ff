// Makes live apps of random parts: their functions tell whoever listens that they were called, and with what.
import { showPath } from '../../../src/express/model/path.js'
import type { Deed, LatePart, Part, Path, RoutePart, Version, Wrapping } from './parts.js'

/** What a function has seen when it was called. */
export interface Call {
  name: string
  [seen: string]: unknown
}

/** Where calls are noted, by the number of their request. */
export type Calls = Map<string, Call[]>

type Next = (signal?: unknown) => void

/** Makes the functions of one app. */
export class Maker {
  readonly #version: Version
  readonly #calls: Calls
  readonly #called: ((id: string) => void) | undefined

  /** `called` is told of each call, before its function does anything. */
  constructor(version: Version, calls: Calls, called?: (id: string) => void) {
    this.#version = version
    this.#calls = calls
    this.#called = called
  }

  handler(deed: Deed, name: string): any {
    return (req: any, res: any, next: Next) => this.#act(deed, name, req, res, next)
  }

  errorHandler(deed: Deed, name: string): any {
    return (error: any, req: any, res: any, next: Next) => this.#act(deed, name, req, res, next, { error })
  }

  param(deed: Deed, name: string): any {
    return (req: any, res: any, next: Next, value: unknown, param: string) =>
      this.#act(deed, `${name} ${param}=${String(value)}`, req, res, next)
  }

  /** A callback of a Controller that is no handler of Express. */
  callback(name: string): any {
    return (req: any) => {
      this.#note(name, req)
      return `<p>${name}</p>`
    }
  }

  #note(name: string, req: any): void {
    const { url, method, originalUrl, baseUrl, params, query, route, app } = req
    const id = String(req.headers['x-id'])
    const seen: Call = {
      name,
      url,
      method,
      originalUrl,
      baseUrl,
      params: { ...params },
      bare: params !== undefined && Object.getPrototypeOf(params) === null,
      query: { ...query },
      // A native callback has a list of paths as one text.
      route: route && (Array.isArray(route.path) ? showPath(route.path) : String(route.path)),
      app: app?.locals.name,
    }
    const known = this.#calls.get(id)
    if (known === undefined) this.#calls.set(id, [seen])
    else known.push(seen)
    this.#called?.(id)
  }

  #act(deed: Deed, name: string, req: any, res: any, next: Next, failed?: { error: any }): unknown {
    this.#note(
      failed === undefined ? name : `${name} (${String(failed.error?.message ?? failed.error)})`,
      req,
    )
    switch (deed) {
      case 'next':
        return failed === undefined ? next() : next(failed.error)
      case 'later':
        return void setImmediate(next)
      case 'answer':
        res.statusCode = 200
        return res.end(req.method === 'HEAD' ? undefined : name)
      case 'fail':
        return next(Object.assign(new Error(`failed in ${name}`), { status: 418 }))
      case 'throw':
        throw Object.assign(new Error(`thrown in ${name}`), { status: 409 })
      case 'reject':
        // One of version 4 would wait for ever.
        return this.#version === 5 ? Promise.reject(new Error(`rejected in ${name}`)) : next()
      case 'route':
      case 'router':
        return next(deed)
      case 'rewrite':
        req.url = req.url.startsWith('/b') ? '/' : '/b/b?rewritten'
        return next()
      case 'method':
        req.method = req.method === 'GET' ? 'POST' : 'GET'
        return next()
      case 'recover':
        return next()
      case 'guard':
        // As guards do that must know the whole path.
        if (req.headers['x-token'] !== undefined || !String(req.originalUrl).startsWith('/')) return next()
        return refuse(res)
      case 'guard of proxies':
        return req.ip === 'forbidden' ? refuse(res) : next()
      case 'guard of queries':
        return typeof req.query?.q === 'object' ? refuse(res) : next()
    }
  }
}

function refuse(res: any): void {
  res.statusCode = 401
  res.end()
}

/** An app or a router, and the app that it is of. */
export interface Target {
  target: any
  owner: any
}

/** Registers a route with functions for its deeds. */
type AddRoute = (at: Target, part: RoutePart, handlerFor: (deed: Deed, method: string) => any) => void

const addToExpress: AddRoute = ({ target }, { path, method, deeds, further }, handlerFor) => {
  const route = target.route(path)
  route[method](...deeds.map((deed) => handlerFor(deed, method)))
  for (const { method, deed } of further) route[method](handlerFor(deed, method))
}

/** An app, and all routers and apps in it that something may be added to. */
export interface Built {
  app: any
  targets: Target[]
  fill: (at: Target, parts: readonly Part[]) => void
  /** The names of what is made next. */
  names: { count: number }
  maker: Maker
  /** Told of each call. */
  onCall: ((id: string) => void) | undefined
  /** The numbers of the changes that it has had. */
  done: Set<number>
}

export const listed = (path: Path | undefined): Path[] => (path === undefined ? [] : [path])

export function build(
  express: any,
  version: Version,
  { sensitive, strict, parts }: { sensitive: boolean; strict: boolean; parts: readonly Part[] },
  calls: Calls,
  /** Called before each part of the app itself, with its position, and at its end. */
  before: (app: any, position: number) => void = () => {},
  { called, addRoute = addToExpress }: { called?: (id: string) => void; addRoute?: AddRoute } = {},
): Built {
  const maker = new Maker(version, calls, called)
  const names = { count: 0 }
  const app = express()
  const targets: Target[] = [{ target: app, owner: app }]
  const named = (kind: string): string => `${kind}${++names.count}`

  const fill = (at: Target, some: readonly Part[], isOutermost: boolean): void => {
    const { target, owner } = at
    some.forEach((part, position) => {
      if (isOutermost) before(app, position)
      const path = 'path' in part ? listed(part.path) : []
      switch (part.kind) {
        case 'use':
          target.use(
            ...path,
            ...part.deeds.map((deed) => maker.handler(deed, named(deed.startsWith('guard') ? deed : 'use'))),
          )
          break
        case 'errors':
          target.use(...path, maker.errorHandler(part.deed, named('errors')))
          break
        case 'param':
          target.param(part.name, maker.param(part.deed, named('param')))
          break
        case 'route':
          addRoute(at, part, (deed, method) =>
            maker.handler(deed, named(deed.startsWith('guard') ? deed : `route ${method}`)),
          )
          break
        case 'router': {
          const inner = { target: express.Router(part.options), owner }
          targets.push(inner)
          fill(inner, part.parts, false)
          target.use(...path, inner.target)
          break
        }
        case 'app': {
          const app = express()
          app.locals.name = named('app')
          for (const [name, value] of Object.entries(part.options)) app.set(name, value)
          const inner = { target: app, owner: app }
          targets.push(inner)
          fill(inner, part.parts, false)
          target.use(...path, app)
        }
      }
    })
  }

  app.set('env', 'production').set('case sensitive routing', sensitive).set('strict routing', strict)
  app.locals.name = 'root'
  // An app of version 4 prepares a request only where it has something to do with it.
  app.use(maker.handler('next', 'first'))
  fill(targets[0]!, parts, true)
  before(app, parts.length)
  return {
    app,
    targets,
    fill: (at, some) => fill(at, some, false),
    names,
    maker,
    onCall: undefined,
    done: new Set(),
  }
}

/** Registers a part while the app is being served. */
export function addLate({ targets, fill }: Built, { target, part }: LatePart): void {
  fill(targets[target % targets.length]!, [part])
}

export function routerOf(version: Version, app: any): any {
  return version === 4 ? app._router : app.router
}

/** The router of an app or a router that was built; undefined where an app of version 4 has none yet. */
export function routerAt(version: Version, { target, owner }: Target): any {
  return target === owner ? routerOf(version, target) : target
}

/** Wraps the functions of all layers, those in routers included, as packages do. */
export function wrap(wrapping: Wrapping, version: Version, { targets }: Built): void {
  if (wrapping === 'none') return
  const wrapLayer = wrapping === 'tracer' ? trace : copy
  for (const one of targets) for (const layer of routerAt(version, one)?.stack ?? []) wrapLayer(layer)
}

// As OpenTelemetry's instrumentation of Express does.
function trace(layer: any): void {
  const original = layer.handle
  if (original.length === 4) return
  const patched = function (this: unknown): unknown {
    // eslint-disable-next-line prefer-rest-params
    return original.apply(this, arguments)
  }
  for (const key in original) {
    Object.defineProperty(patched, key, { get: () => original[key], set: (value) => (original[key] = value) })
  }
  Object.defineProperty(patched, '__original', { value: original, configurable: true })
  layer.handle = patched
}

// As express-async-errors does.
function copy(layer: any): void {
  const original = layer.handle
  const newFn = function newFn(this: unknown, ...given: unknown[]): unknown {
    return original.apply(this, given)
  }
  Object.defineProperty(newFn, 'length', { value: original.length })
  for (const key of Object.keys(original)) (newFn as any)[key] = original[key]
  layer.handle = newFn
}

/** Lets nobody read what a layer matches, so that it is chosen for every request. */
export function hidePaths(version: Version, { targets }: Built): void {
  for (const one of targets) {
    for (const layer of routerAt(version, one)?.stack ?? []) {
      if (Object.hasOwn(layer, 'match')) continue
      const { match } = layer
      layer.match = function (this: unknown, path: string): unknown {
        return match.call(this, path)
      }
    }
  }
}
