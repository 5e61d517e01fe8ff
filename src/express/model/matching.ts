// What a layer matches by: whether that is what Express makes of its path, and whether it is still the same.
import { candidatePath5, tastes } from './candidate-path.js'
import type { ExpressVersion, Handle, Layer } from './layer.js'

/** What a layer leads to, and what it matches by, as they were when they were read. */
export class Matching {
  readonly #handle: Handle
  readonly #match: unknown
  readonly #regexp: Layer['regexp']
  readonly #exec: unknown
  readonly #isForAll: boolean | undefined
  readonly #isStar: boolean | undefined
  readonly #matchers: Layer['matchers']
  readonly #matcher: unknown
  readonly #count: number | undefined
  readonly #slash: boolean | undefined

  constructor(layer: Layer) {
    const { handle, regexp, matchers, slash } = layer
    this.#handle = handle
    this.#match = matchOf(layer)
    this.#regexp = regexp
    this.#exec = execOf(layer)
    this.#isForAll = regexp?.fast_slash
    this.#isStar = regexp?.fast_star
    this.#matchers = matchers
    this.#matcher = matchers?.[0]
    this.#count = matchers?.length
    this.#slash = slash
  }

  /** Whether that is so still. It is asked for each request. */
  isOf(layer: Layer): boolean {
    const { handle, regexp, matchers, slash } = layer
    return (
      handle === this.#handle &&
      matchOf(layer) === this.#match &&
      regexp === this.#regexp &&
      execOf(layer) === this.#exec &&
      regexp?.fast_slash === this.#isForAll &&
      regexp?.fast_star === this.#isStar &&
      matchers === this.#matchers &&
      matchers?.[0] === this.#matcher &&
      matchers?.length === this.#count &&
      slash === this.#slash
    )
  }
}

/* eslint-disable @typescript-eslint/unbound-method -- they are compared, not called */
const matchOf = ({ match }: Layer): unknown => match
const execOf = ({ regexp }: Layer): unknown => regexp?.exec
/* eslint-enable @typescript-eslint/unbound-method */

/** `isOutside` says which paths no layer of this path matches. */
type IsMadeOf = (layer: Layer, path: string, isOutside: (path: string) => boolean) => boolean

/** Whether a layer matches as one that Express makes of a path: code may have given it something else to match by. */
export const isMadeOf: Readonly<Record<ExpressVersion, IsMadeOf>> = {
  4: (layer, path) => {
    const { regexp } = layer
    const isSame = (made: Layer): boolean => {
      const { regexp: again } = made
      return (
        execOf(made) === execOf(layer) &&
        again?.source === regexp?.source &&
        again?.flags === regexp?.flags &&
        again?.fast_slash === regexp?.fast_slash &&
        again?.fast_star === regexp?.fast_star
      )
    }
    return [false, true].some((strict) => isTrueOf(layer, path, strict, isSame))
  },

  // Its matcher is a closure. The text shows that Express has made it, and what it answers of which paths.
  5: (layer, path, isOutside) => {
    const { matchers, slash, route } = layer
    const matches = matchers?.[0] as (path: string) => unknown
    if (slash !== false || matchers?.length !== 1 || typeof matches !== 'function') return false
    const made = `${route ? 'route' : 'use'} ${path}`
    if (madeMatchers.get(matches) === made) return true
    const isMade = isTrueOf(layer, path, false, (again) => {
      if (textOf(matches) !== textOf(again.matchers?.[0])) return false
      const own = tastes.map((taste) => candidatePath5(path, taste)).find((one) => matches(one))
      return own !== undefined && withMore(own).every((one) => !isOutside(one) || !matches(one))
    })
    if (isMade) madeMatchers.set(matches, made)
    return isMade
  },
}

/** Matchers of which that is known. An app is read more than once, and what a closure answers does not change. */
const madeMatchers = new WeakMap<object, string>()

const textOf = (one: unknown): string => Function.prototype.toString.call(one)

/** Asks about a layer that Express makes of a path, by the class of another one. False where that fails. */
function isTrueOf(layer: Layer, path: string, strict: boolean, isTrue: (again: Layer) => boolean): boolean {
  const LayerClass = (Object.getPrototypeOf(layer) as { constructor?: unknown }).constructor
  const options = { sensitive: layer.regexp?.ignoreCase === false, strict, end: layer.route !== undefined }
  try {
    return isTrue(new (LayerClass as new (...some: unknown[]) => Layer)(path, options, () => {}))
  } catch {
    return false
  }
}

/** A path with a text put in anywhere, and with a segment: a param or a wildcard at that place would match it. */
function withMore(path: string): readonly string[] {
  return ['q', '/q'].flatMap((more) =>
    Array.from({ length: path.length + 1 }, (_, at) => path.slice(0, at) + more + path.slice(at)),
  )
}
