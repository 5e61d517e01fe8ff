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
