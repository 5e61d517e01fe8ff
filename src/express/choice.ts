import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Done,
  type ExpressVersion,
  type Handle,
  isPlainRouter,
  type Layer,
  type Router,
  routerPrototype,
  versionOfRouter,
} from './router.js'
import { anyShape, keyOf, mayMeet, pathOfLayer, type Shape, shapesBelow, shapesOf } from './shape.js'

/** A request that Express's Router runs, as far as it is looked at here. */
export type Routed = IncomingMessage & { [routedPath]?: string; baseUrl?: string }

/** On a request: the whole path that its layers were chosen for. */
export const routedPath: unique symbol = Symbol('routed path')

/** The path of a URL, where that is the text before its query; undefined where Express's parser might see another one. */
export function plainPath(url: string | undefined): string | undefined {
  if (url === undefined || url.charCodeAt(0) !== 0x2f) return undefined
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  return /[\t\n\f\r #\u00a0\ufeff]/.test(path) ? undefined : path
}

/** Makes of a layer one that runs only what a request of these shapes can meet. */
export type OpenLayer = (shapes: readonly Shape[]) => Layer

/** A router, and which of its layers requests can meet. */
export class RouterView {
  readonly router: Router
  readonly stack: readonly Layer[]
  readonly #prototype: object
  readonly #choices = new Map<string, Choice>()
  readonly #inner = new Map<Router, RouterView>()
  readonly #openers: ReadonlyMap<Layer, OpenLayer>

  /** `stack` is the router's own, or one in its place; `openers` are for layers that are no router of their own. */
  constructor(
    router: Router,
    stack: readonly Layer[],
    prototype: object,
    openers: ReadonlyMap<Layer, OpenLayer> = new Map(),
  ) {
    this.router = router
    this.stack = stack
    this.#prototype = prototype
    this.#openers = openers
  }

  get version(): ExpressVersion {
    return versionOfRouter(this.#prototype)
  }

  /** Which layers a request of these shapes can meet; made once for all routes of the same shapes. */
  choose(shapes: readonly Shape[]): Choice {
    const key = keyOf(shapes)
    let choice = this.#choices.get(key)
    if (choice === undefined) this.#choices.set(key, (choice = this.#choose(shapes)))
    return choice
  }

  /** Leaves out the layers from one position to another, as long as the path stays what it is. */
  chooseWithout(from: number, to: number): Choice {
    const { stack } = this
    return new Choice(this.router, stack, [...stack.slice(0, from), new Gap(from), ...stack.slice(to)])
  }

  #choose(shapes: readonly Shape[]): Choice {
    const { version } = this
    const items: (Layer | Gap)[] = []
    const { stack } = this
    for (const [at, layer] of stack.entries()) {
      const path = pathOfLayer(version, layer)
      const own = path === undefined ? anyShape : shapesOf(version, path)
      const whole = layer.route ? own : own.map(({ segments }) => ({ segments, open: true }))
      // What cannot be read is chosen, and never by its method, which a middleware may rewrite.
      if (mayMeet(whole, shapes)) items.push(this.#open(layer, own, shapes, version))
      else if (items.length === 0 || !(items.at(-1) instanceof Gap)) items.push(new Gap(at))
    }
    return new Choice(this.router, stack, items)
  }

  /** Runs all layers, whatever they match. */
  runWhole(req: IncomingMessage, res: ServerResponse, done: Done): void {
    const { router, stack } = this
    ;(stack === router.stack ? router : withStack(router, [...stack])).handle(req, res, done)
  }

  /** A copy of the layer of a router, which runs the chosen layers alone; the layer itself where there is nothing to leave out. */
  #open(layer: Layer, mount: readonly Shape[], shapes: readonly Shape[], version: ExpressVersion): Layer {
    const { handle } = layer as { handle: unknown }
    const opener = this.#openers.get(layer)
    if (opener !== undefined) return opener(shapes)
    if (layer.route || !isPlainRouter(handle, this.#prototype)) return layer
    let inner = this.#inner.get(handle)
    if (inner === undefined) {
      // A router that stands in itself is run whole by its own layer.
      if (routersAbove.includes(handle)) return layer
      inner = new RouterView(handle, handle.stack, this.#prototype)
      this.#inner.set(handle, inner)
    }
    routersAbove.push(handle)
    try {
      const choice = inner.choose(shapesBelow(version, mount, shapes))
      return choice.isWhole ? layer : openedLayer(layer, choice)
    } finally {
      routersAbove.pop()
    }
  }
}

const routersAbove: Router[] = []

/** Stands for layers that are left out, from one position of the stack on. */
class Gap {
  readonly from: number

  constructor(from: number) {
    this.from = from
  }
}

/** The layers of one router that a request can meet, in their order, and the gaps between them. */
export class Choice {
  readonly isWhole: boolean
  readonly #router: Router
  readonly #stack: readonly Layer[]
  readonly #items: readonly (Layer | Gap)[]
  /** For requests that are run whole. */
  readonly #wholeRouter: Router

  constructor(router: Router, stack: readonly Layer[], items: readonly (Layer | Gap)[]) {
    this.#router = router
    this.#stack = stack
    this.#items = items
    this.isWhole = items.length === stack.length && items.every((item, at) => item === stack[at])
    this.#wholeRouter = stack === router.stack ? router : withStack(router, [...stack])
  }

  /** Express's own `Router#handle`, on a copy of the stack. `path` is what the layers were chosen for. */
  run(req: IncomingMessage, res: ServerResponse, path: string, done: Done): void {
    if (this.isWhole) return this.runWhole(req, res, done)
    const stack: Layer[] = []
    for (const item of this.#items) {
      stack.push(item instanceof Gap ? new Placeholder(stack, this.#stack, item.from, path) : item)
    }
    withStack(this.#router, stack).handle(req, res, done)
  }

  runWhole(req: IncomingMessage, res: ServerResponse, done: Done): void {
    this.#wholeRouter.handle(req, res, done)
  }
}

function withStack(router: Router, stack: Layer[]): Router {
  const copy = Object.create(router) as Router
  copy.stack = stack
  return copy
}

/**
 * Stands in a stack for layers that were left out, because no path that was routed can meet them.
 *
 * Express asks it on its way for a match. Once a middleware has written another path to the request, all layers that are
 * still to come are brought back: without that a rewritten request would pass the guards of its new path.
 */
class Placeholder implements Layer {
  readonly name = 'placeholder'
  readonly route = undefined
  readonly #stack: Layer[]
  readonly #all: readonly Layer[]
  readonly #from: number
  readonly #path: string

  constructor(stack: Layer[], all: readonly Layer[], from: number, path: string) {
    this.#stack = stack
    this.#all = all
    this.#from = from
    this.#path = path
  }

  match(path: string): false {
    if (path !== this.#path) {
      const stack = this.#stack
      stack.length = stack.indexOf(this) + 1
      for (let at = this.#from; at < this.#all.length; at++) stack.push(this.#all[at]!)
    }
    return false
  }

  /** Never called: it never matches. */
  handle(): void {}
}

function openedLayer(layer: Layer, choice: Choice): Layer {
  const handle = (req: Routed, res: ServerResponse, next: Done): void => {
    const inner = plainPath(req.url)
    const whole = req[routedPath]
    // The layers were chosen for another path than this, if a callback of a param has rewritten it just now.
    const isSame = inner !== undefined && whole !== undefined && isBelow(whole, req.baseUrl ?? '', inner)
    if (isSame) choice.run(req, res, inner, next)
    else choice.runWhole(req, res, next)
  }
  return layerWith(layer, handle)
}

/** The same layer with another function. */
export function layerWith(layer: Layer, handle: Handle): Layer {
  return Object.create(layer, { handle: { value: handle, writable: true } }) as Layer
}

/** Whether a mount's path and the URL behind it make the whole path, but for the slash that Express adds. */
function isBelow(whole: string, baseUrl: string, inner: string): boolean {
  if (!whole.startsWith(baseUrl)) return false
  const rest = whole.slice(baseUrl.length)
  return (
    rest === inner || (rest === '' && inner === '/') || (rest.startsWith('//') && rest.slice(1) === inner)
  )
}

/** What has to be the same for choices to hold: the layers of every router that was opened, and their functions. */
export class Snapshot {
  readonly #stacks: { stack: Layer[]; layers: Layer[]; handles: unknown[]; lengths: number[] }[] = []

  constructor(router: Router | undefined) {
    if (router !== undefined) this.#add(router, new Set())
  }

  /** Notes a router and all routers in it that may be opened. */
  #add(router: Router, seen: Set<Router>): void {
    if (seen.has(router)) return
    seen.add(router)
    const { stack } = router
    this.#stacks.push({
      stack,
      layers: [...stack],
      handles: stack.map(({ handle }) => handle),
      lengths: stack.map(({ route }) => route?.stack.length ?? 0),
    })
    const prototype = routerPrototype(router)
    if (prototype === undefined) return
    for (const { handle } of stack) if (isPlainRouter(handle, prototype)) this.#add(handle, seen)
  }

  /** True once a layer has come, gone, moved or changed, or a route has got another handler. */
  get isStale(): boolean {
    for (const { stack, layers, handles, lengths } of this.#stacks) {
      if (stack.length !== layers.length) return true
      for (let at = 0; at < layers.length; at++) {
        const layer = stack[at]!
        if (layer !== layers[at] || layer.handle !== handles[at]) return true
        if (layer.route && layer.route.stack.length !== lengths[at]) return true
      }
    }
    return false
  }
}
