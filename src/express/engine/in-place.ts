// Controllers that stand in the very router whose profile they have: a request passes them as it would pass routes of that router.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOfOtherVersion } from '../../ground/introspection-key.js'
import type { EngineView } from '../../run/engine.js'
import { descriptionOf, servingOf } from '../../run/entry.js'
import type { Done, Layer, Route } from '../model/layer.js'
import type { Router } from '../model/router.js'
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
      const at = stack.findIndex((layer) => {
        const router = servedBy(layer)?.router
        return router !== undefined && this.#isOwn(router)
      })
      this.#found = { host, length: stack.length, at, layer: stack[at] }
    }
    const { at } = this.#found!
    return at < 0 ? undefined : { host, at }
  }
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
 * on a copy of the stack: what has been passed and names methods, the Controllers, and all that stands behind them.
 */
export function runOptions(
  { host, at }: Place,
  own: Router,
  req: IncomingMessage,
  res: ServerResponse,
  done: Done,
): void {
  const { stack } = host
  const before = stack.slice(0, at).flatMap((layer) => namingIn(layer, host))
  const behind = stack.slice(at + 1).flatMap((layer) => {
    const served = controllersIn(layer, host)
    if (served !== undefined) {
      const naming = served.filter(names)
      return naming.length < served.length ? [...naming, layer] : naming
    }
    return [layer]
  })
  withStack(host, [...before, ...own.stack, ...behind]).handle(req, res, done)
}

/** The layers that do no more to an OPTIONS request than to name their methods. */
function namingIn(layer: Layer, host: Router): readonly Layer[] {
  if (layer.route !== undefined) return names(layer) ? [layer] : []
  return controllersIn(layer, host)?.filter(names) ?? []
}

/** The routes of other Controllers that stand in the same router. */
function controllersIn(layer: Layer, host: Router): readonly Layer[] | undefined {
  const served = servedBy(layer)
  return served?.place === host ? (served.router as Router).stack.filter(({ route }) => route) : undefined
}

function names({ route }: Layer): boolean {
  const { methods } = route as Route
  return !methods['options'] && !methods['_all']
}
