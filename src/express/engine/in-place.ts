// Controllers that stand in the very router whose profile they have: a request passes them as it would pass routes of that router.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOfOtherVersion } from '../../ground/introspection-key.js'
import type { EngineView } from '../../run/engine.js'
import { descriptionOf, servingOf } from '../../run/entry.js'
import type { Done, Layer, Route } from '../model/layer.js'
import { type App, type Router, routerOf } from '../model/router.js'
import { withStack } from '../model/view.js'

/** Where Controllers stand: a router of the host, and their own layer in it. */
export interface Place {
  readonly host: Router
  readonly at: number
}

/** Looks for the layer of some Controllers in the router of the host. */
export class PlaceFinder {
  readonly #host: () => Router | undefined
  readonly #isOwn: (router: object) => boolean
  #found:
    | {
        readonly host: Router
        readonly length: number
        readonly layer: Layer | undefined
        readonly at: number
      }
    | undefined

  /** `isOwn` says whether a router is the one that the Controllers were put into. */
  constructor(host: () => Router | undefined, isOwn: (router: object) => boolean) {
    this.#host = host
    this.#isOwn = isOwn
  }

  find(): Place | undefined {
    const host = this.#host()
    if (host === undefined) return undefined
    const known = this.#found
    const { stack } = host
    if (known?.host !== host || known.length !== stack.length || stack[known.at] !== known.layer) {
      const own = stack.filter((layer) => {
        const router = servedBy(layer)?.router
        return router !== undefined && this.#isOwn(router)
      })
      // Behind a path of their own they do not see the host's paths. At two places nothing says which one a request has come to.
      const [layer] = own.length === 1 && getsAll(own[0]!) ? own : []
      this.#found = { host, length: stack.length, at: layer === undefined ? -1 : stack.indexOf(layer), layer }
    }
    const { at } = this.#found!
    return at < 0 ? undefined : { host, at }
  }
}

/** Whether a function of `use` gets every request of its router, with the path as that has it. */
function getsAll({ slash, regexp }: Layer): boolean {
  return slash === true || regexp?.fast_slash === true
}

/**
 * Whether a request that has come to Controllers can only have come through their place: they may stand in another router of the app too, where
 * other guards stand before them.
 */
export function isOnlyPlace({ host }: Place, own: Router, req: IncomingMessage): boolean {
  const { app } = req as { app?: App }
  const root = app === undefined ? undefined : routerOf(app)
  if (root === undefined) return false
  // Not the routers: a package that wraps the functions of layers gives each wrapper the stack.
  const stacks = new Set([root.stack])
  let places = 0
  for (const stack of stacks) {
    for (const layer of stack) {
      if (servedBy(layer)?.router === own) places++
      const { stack: inner } = (layer.route ?? layer.handle) as Partial<Router>
      if (Array.isArray(inner)) stacks.add(inner)
    }
  }
  return places === 1 && stacks.has(host.stack)
}

function servedBy({ handle, route }: Layer): EngineView | undefined {
  if (route !== undefined || isOfOtherVersion(handle)) return undefined
  const fetchHandler = servingOf(handle)?.fetchHandler
  if (fetchHandler === undefined || isOfOtherVersion(fetchHandler)) return undefined
  return descriptionOf(fetchHandler)?.engine
}

/**
 * Runs an OPTIONS request through the rest of the host's router, with Controllers as routes of it.
 *
 * A router names the methods of all its routes when it comes to its end, and no function of `use` can add to them. So Express's own code runs
 * on a stack of its own: what has been passed and names methods, the Controllers, and all that stands behind them.
 */
export function runOptions(
  { host, at }: Place,
  own: Router,
  req: IncomingMessage,
  res: ServerResponse,
  done: Done,
): void {
  const before = host.stack.slice(0, at).flatMap((layer) => namingIn(layer, host))
  const stack: Layer[] = [...before, ...own.stack]
  stack.push(new Follower(stack, host, at + 1, req))
  withStack(host, stack).handle(req, res, done)
}

/**
 * Stands at the end of a stack, and takes turns there with the layers of the host's own, as that is at the time. A layer that comes
 * while the request is on its way may be a guard.
 */
class Follower implements Layer {
  readonly name = 'placeholder'
  readonly route = undefined
  readonly #stack: Layer[]
  readonly #host: Router
  /** That of the host when the request came, which Express itself follows. */
  readonly #live: readonly Layer[]
  readonly #req: IncomingMessage
  #at: number

  constructor(stack: Layer[], host: Router, at: number, req: IncomingMessage) {
    this.#stack = stack
    this.#host = host
    this.#live = host.stack
    this.#at = at
    this.#req = req
  }

  match(): false {
    const layer = this.#live[this.#at++]
    if (layer === undefined) return false
    // A handler may have made another request of it, which routes answer.
    const served = this.#req.method === 'OPTIONS' ? controllersIn(layer, this.#host) : undefined
    const naming = served?.filter(names) ?? []
    this.#stack.push(...naming)
    if (served === undefined || naming.length < served.length) this.#stack.push(layer)
    this.#stack.push(this)
    return false
  }

  /** Never called: it never matches. */
  handle(): void {}
}

/** The layers that do no more to an OPTIONS request than to name their methods. */
function namingIn(layer: Layer, host: Router): readonly Layer[] {
  if (layer.route !== undefined) return names(layer) ? [layer] : []
  return controllersIn(layer, host)?.filter(names) ?? []
}

/** The routes of other Controllers that stand in the same router. */
function controllersIn(layer: Layer, host: Router): readonly Layer[] | undefined {
  const served = getsAll(layer) ? servedBy(layer) : undefined
  return served?.place === host ? (served.router as Router).stack.filter(({ route }) => route) : undefined
}

function names({ route }: Layer): boolean {
  const { methods } = route as Route
  return !methods['options'] && !methods['_all']
}
