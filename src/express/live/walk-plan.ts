import { type Layer, prefixesOfLayer, type RouteLayer, type Stack, textOf } from './read-router.js'

/**
 * Which layers of each router a request for a route has to look at; all others cannot match its path.
 *
 * It may name more than match, never fewer. Without a target it is for requests that no route of the index has matched.
 */
export class WalkPlan {
  readonly target: RouteLayer | undefined
  readonly root: Stack
  #layers: Map<Stack, readonly number[]> | undefined

  constructor(root: Stack, target?: RouteLayer) {
    this.root = root
    this.target = target
  }

  /** The order of the target; Infinity for the end of the walk. */
  get order(): number {
    return this.target?.order ?? Infinity
  }

  /** The positions in a router, rising. */
  positionsIn(stack: Stack): readonly number[] {
    // Made when the first request comes: of a thousand routes most are asked for rarely.
    this.#layers ??= this.#choose()
    return this.#layers.get(stack)!
  }

  #choose(): Map<Stack, readonly number[]> {
    const chosen = new Map<Stack, readonly number[]>()
    const { target } = this
    const prefixes = target && textsOf(target)
    const chooseIn = (stack: Stack): boolean => {
      const positions: number[] = []
      stack.layers.forEach((layer, position) => {
        if (layer.order > this.order || !this.#matters(layer, chooseIn)) return
        if (prefixes === undefined || mayMeet(prefixes, textsOf(layer))) positions.push(position)
      })
      chosen.set(stack, positions)
      return positions.length > 0
    }
    chooseIn(this.root)
    return chosen
  }

  #matters(layer: Layer, chooseIn: (stack: Stack) => boolean): boolean {
    // The params of a layer have callbacks to run, whatever the layer itself does.
    const hasCallbacks = layer.stack.params.size > 0
    if (layer.kind === 'use') return layer.handle.length <= 3 || hasCallbacks
    // Also where nothing in it matters for what it matches.
    if (layer.kind === 'mount')
      return chooseIn(layer.mounted) || hasCallbacks || layer.mounted.app !== undefined
    return true
  }
}

/** The texts that a path must begin with to reach a layer, in lower case. */
function textsOf(layer: Layer): readonly string[] {
  return prefixesOfLayer(layer, false).map(textOf)
}

function mayMeet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => one.startsWith(other) || other.startsWith(one)))
}
