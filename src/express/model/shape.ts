import type { ExpressPath } from './path.js'
import type { ExpressVersion, Layer } from './layer.js'
import { isMadeOf } from './matching.js'
import { readBack } from './read-back.js'

/**
 * What is known of all paths that a pattern matches. `segments` has each segment as a text in lower case, or null for any. If it
 * is `open`, any further segments may follow.
 *
 * A shape may be wider than its pattern, never narrower. A layer is left out of a request whose path is not of its shape. A guard
 * that is left out by mistake would let requests through.
 */
export interface Shape {
  readonly segments: readonly (string | null)[]
  readonly open: boolean
}

/** Of paths of which nothing is known. */
const anyShape: Shape = Object.freeze({ segments: [], open: true })

// What stands for itself in both grammars. Other ASCII may mean something, and beyond ASCII letters of different case meet
// in ways that differ between a regular expression and toLowerCase.
const literal = /^[A-Za-z0-9_\-.~%@&=,;' ]*$/
const param = /^:[A-Za-z_]\w*$/

/**
 * The shape of the paths that a layer of this path matches; one that is no route also matches what lies below.
 *
 * Nothing is known of a list either: Express has read it, and the program may have changed it since.
 */
export function shapeOfPath(version: ExpressVersion, path: ExpressPath | undefined, isRoute: boolean): Shape {
  if (typeof path !== 'string') return anyShape
  const shape = shapeOf(version, path)
  return isRoute ? shape : { ...shape, open: true }
}

/** The same of a layer. Nothing is known of one that matches by something else than Express makes of its path. */
export function shapeOfLayer(version: ExpressVersion, layer: Layer): Shape {
  const path = pathOfLayer(version, layer)
  const shape = shapeOfPath(version, path, layer.route !== undefined)
  if (typeof path !== 'string' || (shape.open && shape.segments.length === 0)) return shape
  return isMadeOf[version](layer, path, (one) => !hasShape(shape, one)) ? shape : anyShape
}

/** Whether a path is of a shape. */
function hasShape({ segments, open }: Shape, path: string): boolean {
  const texts = path.replace(/\/+$/, '').slice(1).toLowerCase().split('/')
  const isLong = open ? texts.length >= segments.length : texts.length === segments.length
  return isLong && segments.every((one, at) => one === null || one === texts[at])
}

interface Grammar {
  /** What parts the whole expression that is made of a path. */
  readonly parting?: RegExp
  /** What may follow a slash, which then need not be there. */
  readonly quantifier?: RegExp
}

const grammars: Readonly<Record<ExpressVersion, Grammar>> = {
  4: { parting: /\|/, quantifier: /^[?+{]/ },
  5: {},
}

function shapeOf(version: ExpressVersion, path: string): Shape {
  const { parting, quantifier } = grammars[version]
  if (path[0] !== '/' || parting?.test(path)) return anyShape
  const texts = path.slice(1).split('/')
  // A slash at the end, or several, may be left out.
  while (texts.at(-1) === '') texts.pop()
  const segments: (string | null)[] = []
  for (const text of texts) {
    if (literal.test(text)) segments.push(text.toLowerCase())
    else if (param.test(text)) segments.push(null)
    else {
      if (quantifier?.test(text)) segments.pop()
      // What follows may be nothing, and then these slashes are the last ones.
      while (segments.at(-1) === '') segments.pop()
      return { segments, open: true }
    }
  }
  return { segments, open: false }
}

/**
 * The path that a layer was registered with; undefined where it cannot be known.
 *
 * Version 4 and routers before 2.3 keep it for routes alone. The regular expression of version 4 is read back, and believed
 * only if Express makes the same one of the outcome.
 */
export function pathOfLayer(version: ExpressVersion, layer: Layer): ExpressPath | undefined {
  // Its `match` has been replaced, and what it matches is unknown.
  if (Object.hasOwn(layer, 'match')) return undefined
  if (layer.route) return layer.route.path
  if (layer.rawPath !== undefined) return layer.rawPath
  if (layer.slash || layer.regexp?.fast_slash) return '/'
  return pathOfMount[version](layer)
}

/** The path of a function of `use` that its layer does not keep. */
const pathOfMount: Readonly<Record<ExpressVersion, (layer: Layer) => string | undefined>> = {
  4: provedPath,
  5: () => undefined,
}

/** The path that the regular expression of a layer was made of, where Express makes the same one of it again. */
function provedPath(layer: Layer): string | undefined {
  const path = readBack(layer)
  if (path?.startsWith('/') !== true) return undefined
  if (!path.split('/').every((one) => literal.test(one) || param.test(one))) return undefined
  return isMadeOf[4](layer, path, () => false) ? path : undefined
}
