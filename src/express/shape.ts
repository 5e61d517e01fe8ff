import { type ExpressPath, isRegExp } from './path.js'
import type { ExpressVersion, Layer } from './router.js'

/**
 * What is known of all paths that a pattern matches: their segments, each a text in lower case or null for any, and, where
 * it is `open`, that more may follow of which nothing is known.
 *
 * It may say less than the pattern asks for, never more: a layer is left out of a request only where no path can be of both
 * shapes, and a layer that is left out in error would be a guard that is passed.
 */
export interface Shape {
  readonly segments: readonly (string | null)[]
  readonly open: boolean
}

/** Of paths of which nothing is known. */
export const anyShape: readonly Shape[] = Object.freeze([{ segments: [], open: true }])

// What stands for itself in both grammars. Other ASCII may mean something, and beyond ASCII letters of different case meet
// in ways that differ between a regular expression and toLowerCase.
const literal = /^[A-Za-z0-9_\-.~%@&=,;' ]*$/
const param = /^:[A-Za-z_]\w*$/

/** The shapes of a path, one for each of its alternatives. */
export function shapesOf(version: ExpressVersion, path: ExpressPath): readonly Shape[] {
  if (typeof path === 'string') return [shapeOf(version, path)]
  return isRegExp(path) ? anyShape : path.flatMap((one) => shapesOf(version, one))
}

function shapeOf(version: ExpressVersion, path: string): Shape {
  // `|` parts the whole expression that version 4 makes of its path.
  if (path[0] !== '/' || (version === 4 && path.includes('|'))) return anyShape[0]!
  const texts = path.slice(1).split('/')
  // A slash at the end, or several, may be left out.
  while (texts.at(-1) === '') texts.pop()
  const segments: (string | null)[] = []
  for (const text of texts) {
    if (literal.test(text)) segments.push(text.toLowerCase())
    else if (param.test(text)) segments.push(null)
    else {
      // In version 4 a quantifier may follow a slash, which then need not be there.
      if (version === 4 && /^[?+{]/.test(text)) segments.pop()
      return { segments, open: true }
    }
  }
  return { segments, open: false }
}

/** Whether one path can be of both shapes. */
export function mayMeet(some: readonly Shape[], others: readonly Shape[]): boolean {
  return some.some((one) => others.some((other) => meet(one, other)))
}

function meet(one: Shape, other: Shape): boolean {
  const [a, b] = one.segments.length <= other.segments.length ? [one, other] : [other, one]
  if (a.segments.length < b.segments.length && !a.open) return false
  return a.segments.every((segment, at) => {
    const its = b.segments[at]!
    return segment === its || segment === null || its === null
  })
}

/** A shape of more alternatives than this is not told apart any further. */
const maxShapes = 16

/** The shapes of what stands at `inner` in a router that is mounted at `outer`. */
export function joinShapes(
  version: ExpressVersion,
  outer: readonly Shape[],
  inner: readonly Shape[],
): readonly Shape[] {
  const joined = outer.flatMap((mount) => {
    if (mount.open) return [mount]
    // Version 4 counts a second slash behind a mount to the mount.
    const befores = version === 4 && mount.segments.length > 0 ? [[], ['']] : [[]]
    return inner.flatMap(({ segments, open }) =>
      befores.map((before) => ({ segments: [...mount.segments, ...before, ...segments], open })),
    )
  })
  if (joined.length <= maxShapes) return joined
  return outer.map(({ segments }) => ({ segments, open: true }))
}

/** The shapes that paths of `shapes` have within a router that is mounted at `mount`. */
export function shapesBelow(
  version: ExpressVersion,
  mount: readonly Shape[],
  shapes: readonly Shape[],
): readonly Shape[] {
  const [only] = mount
  if (mount.length !== 1 || only === undefined || only.open) return anyShape
  const depth = only.segments.length
  const below = shapes
    .filter((shape) => meet({ ...only, open: true }, shape))
    .map(({ segments, open }): Shape => {
      const rest = segments.slice(depth)
      if (version === 4 && depth > 0 && rest[0] === '' && rest.length > 1) rest.shift()
      return { segments: rest, open }
    })
  return below.length === 0 ? anyShape : below
}

/** The same text for the same shapes. */
export function keyOf(shapes: readonly Shape[]): string {
  return shapes
    .map(
      ({ segments, open }) =>
        segments.map((one) => (one === null ? '/:' : `/${one}`)).join('') + (open ? '*' : ''),
    )
    .join('|')
}

/**
 * The path that a layer was registered with; undefined where it cannot be known.
 *
 * Version 4 and routers before 2.3 keep it for routes alone. The regular expression of version 4 is read back, and believed
 * only if Express makes the same one of the outcome.
 */
export function pathOfLayer(version: ExpressVersion, layer: Layer): ExpressPath | undefined {
  // Somebody has replaced how it matches, and only it knows with what.
  if (Object.hasOwn(layer, 'match')) return undefined
  if (layer.route) return layer.route.path
  if (layer.rawPath !== undefined) return layer.rawPath
  if (layer.slash || layer.regexp?.fast_slash) return '/'
  return version === 4 ? readBack(layer) : undefined
}

const memory = new WeakMap<Layer, { path: ExpressPath | undefined }>()

function readBack(layer: Layer): ExpressPath | undefined {
  const known = memory.get(layer)
  if (known !== undefined) return known.path
  const path = guess(layer)
  memory.set(layer, { path })
  return path
}

function guess(layer: Layer): ExpressPath | undefined {
  const { regexp, keys } = layer
  if (regexp === undefined || keys === undefined) return undefined
  let at = 0
  const path = regexp.source
    .replace(/^\^/, '')
    .replace('\\/?(?=\\/|$)', '')
    .replace(/\(\?:\\\/\(\[\^\\?\/\]\+\?\)\)|\\\/\(\?:\(\[\^\\?\/\]\+\?\)\)/g, () => `/:${keys[at++]?.name}`)
    .replace(/\\([/.])/g, '$1')
  if (!path.startsWith('/') || !path.split('/').every((one) => literal.test(one) || param.test(one))) {
    return undefined
  }
  const LayerClass = (Object.getPrototypeOf(layer) as { constructor?: unknown }).constructor
  try {
    const options = { sensitive: !regexp.ignoreCase, strict: false, end: false }
    const again = new (LayerClass as new (...some: unknown[]) => Layer)(path, options, () => {})
    return again.regexp?.source === regexp.source && again.keys?.length === keys.length ? path : undefined
  } catch {
    return undefined
  }
}
