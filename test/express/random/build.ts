// Makes live apps of random parts: their functions tell whoever listens that they were called, and with what.
import { showPath } from '../../../src/express/path.js'
import type { Deed, LatePart, Part, Path, Version, Wrapping } from './parts.js'

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

  constructor(version: Version, calls: Calls) {
    this.#version = version
    this.#calls = calls
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
        res.statusCode = 401
        return res.end()
    }
  }
}

/** An app, and all routers and apps in it that something may be added to. */
export interface Built {
  app: any
  targets: { target: any; depth: number }[]
  fill: (target: any, parts: readonly Part[]) => void
  /** The names of what is made next. */
  names: { count: number }
}

export const at = (path: Path | undefined): Path[] => (path === undefined ? [] : [path])

export function build(
  express: any,
  version: Version,
  { sensitive, strict, parts }: { sensitive: boolean; strict: boolean; parts: readonly Part[] },
  calls: Calls,
  /** Called before each part of the app itself, with its position, and at its end. */
  before: (app: any, position: number) => void = () => {},
): Built {
  const maker = new Maker(version, calls)
  const names = { count: 0 }
  const app = express()
  const targets: Built['targets'] = [{ target: app, depth: 0 }]
  const named = (kind: string): string => `${kind}${++names.count}`

  const fill = (target: any, some: readonly Part[], depth = 0): void => {
    some.forEach((part, position) => {
      if (depth === 0) before(app, position)
      const path = 'path' in part ? at(part.path) : []
      switch (part.kind) {
        case 'use':
          target.use(
            ...path,
            ...part.deeds.map((deed) => maker.handler(deed, named(deed === 'guard' ? 'guard' : 'use'))),
          )
          break
        case 'errors':
          target.use(...path, maker.errorHandler(part.deed, named('errors')))
          break
        case 'param':
          target.param(part.name, maker.param(part.deed, named('param')))
          break
        case 'route': {
          const route = target.route(part.path)
          route[part.method](...part.deeds.map((deed) => maker.handler(deed, named(`route ${part.method}`))))
          for (const { method, deed } of part.further) {
            route[method](maker.handler(deed, named(`route ${method}`)))
          }
          break
        }
        case 'router': {
          const router = express.Router(part.options)
          targets.push({ target: router, depth: depth + 1 })
          fill(router, part.parts, depth + 1)
          target.use(...path, router)
          break
        }
        case 'app': {
          const inner = express()
          inner.locals.name = named('app')
          for (const [name, value] of Object.entries(part.options)) inner.set(name, value)
          targets.push({ target: inner, depth: depth + 1 })
          fill(inner, part.parts, depth + 1)
          target.use(...path, inner)
        }
      }
    })
  }

  app.set('env', 'production').set('case sensitive routing', sensitive).set('strict routing', strict)
  app.locals.name = 'root'
  // An app of version 4 prepares a request only where it has something to do with it.
  app.use(maker.handler('next', 'first'))
  fill(app, parts)
  before(app, parts.length)
  return { app, targets, fill: (target, some) => fill(target, some, 1), names }
}

/** Registers a part while the app is being served. */
export function addLate({ targets, fill }: Built, { target, part }: LatePart): void {
  fill(targets[target % targets.length]!.target, [part])
}

export function routerOf(version: Version, app: any): any {
  return version === 4 ? app._router : app.router
}

/** Wraps the functions of all layers, those in routers included, as packages do. */
export function wrap(wrapping: Wrapping, version: Version, { app, targets }: Built): void {
  if (wrapping === 'none') return
  const wrapLayer = wrapping === 'tracer' ? trace : copy
  for (const { target } of targets) {
    const stack = (target === app || target.set !== undefined ? routerOf(version, target) : target)?.stack
    for (const layer of stack ?? []) wrapLayer(layer)
  }
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
export function hidePaths(version: Version, { app, targets }: Built): void {
  for (const { target } of targets) {
    const router = target === app || target.set !== undefined ? routerOf(version, target) : target
    for (const layer of router?.stack ?? []) {
      if (Object.hasOwn(layer, 'match')) continue
      const { match } = layer
      layer.match = function (this: unknown, path: string): unknown {
        return match.call(this, path)
      }
    }
  }
}
