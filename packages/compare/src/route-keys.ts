// Keys of states: a route, a group of paths, or all.

/** The key of the off switch: it counts above all others. */
export const overrideKey = '!*'

/** True where a key is for a route: itself, a group that it stands in, or `'*'`. */
export function covers(key: string, route: string): boolean {
  if (key === '*' || key === overrideKey || key === route) return true
  // Two slashes begin a comment.
  if (!key.startsWith('/') || key.startsWith('//')) return false
  const path = route.slice(route.indexOf(' ') + 1)
  let end = key.length
  while (end > 0 && key[end - 1] === '/') end--
  const prefix = key.slice(0, end)
  return path === prefix || path.startsWith(`${prefix}/`)
}

/** Of the keys that are for a route the one that counts: the off switch, else the narrowest: its own, the longest group, `'*'`. */
export function narrowest(keys: Iterable<string>, route: string): string | undefined {
  let best: string | undefined
  let bestRank = -1
  for (const key of keys) {
    const rank =
      key === overrideKey ? Infinity : key === route ? Number.MAX_VALUE : key === '*' ? 0 : key.length
    if (rank > bestRank && covers(key, route)) {
      best = key
      bestRank = rank
    }
  }
  return best
}
