import type { Pattern, Segment } from './pattern.js'

const rank: Record<Segment['kind'], number> = { static: 0, param: 1, wildcard: 2 }

/**
 * Orders patterns from the most specific to the least: segment by segment static, then param, then wildcard.
 *
 * Of all patterns that match one path, the first in this order wins, whatever the order of registration. Patterns that
 * match no path in common compare in some stable way without a meaning.
 */
export function compareSpecificity(a: Pattern, b: Pattern): number {
  const shared = Math.min(a.segments.length, b.segments.length)
  for (let i = 0; i < shared; i++) {
    const difference = rank[(a.segments[i] as Segment).kind] - rank[(b.segments[i] as Segment).kind]
    if (difference !== 0) return difference
  }
  return a.segments.length - b.segments.length
}

/** True when every path that `narrow` matches is one that `wide` matches too. */
export function covers(wide: Pattern, narrow: Pattern): boolean {
  for (const [at, segment] of wide.segments.entries()) {
    const other = narrow.segments[at]
    if (other === undefined) return false
    if (segment.kind === 'wildcard') return true
    if (other.kind === 'wildcard') return false
    if (segment.kind === 'static' && !(other.kind === 'static' && other.text === segment.text)) return false
    // A param takes no empty segment.
    if (segment.kind === 'param' && other.kind === 'static' && other.text === '') return false
  }
  return wide.segments.length === narrow.segments.length
}

interface Listed {
  readonly method: string
  readonly pattern: Pattern
}

/**
 * Pairs of a route for every method and all that is below a path, and a route after it in the list that it covers.
 *
 * In Express the first would run before the second. Where the most specific route wins, and alone, it is no guard of it.
 */
export function passedOver<R extends Listed>(routes: readonly R[]): (readonly [R, R])[] {
  const wide: R[] = []
  const pairs: (readonly [R, R])[] = []
  for (const route of routes) {
    for (const one of wide) if (covers(one.pattern, route.pattern)) pairs.push([one, route])
    if (route.method === '*' && route.pattern.segments.at(-1)?.kind === 'wildcard') wide.push(route)
  }
  return pairs
}
