/** The name that is the fewest changes away from what was given; undefined where there is no name. */
export function closestName(given: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Infinity
  for (const name of names) {
    const distance = distanceOf(given.toLowerCase(), name.toLowerCase())
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/** To compare longer names would hold requests up, and a client may give them. */
const longestCompared = 200

/** The closest name, if it takes so few changes that a slip of the pen explains them. */
export function likelyName(given: string, names: Iterable<string>): string | undefined {
  if (given.length > longestCompared) return undefined
  const name = closestName(given, names)
  if (name === undefined) return undefined
  return distanceOf(given.toLowerCase(), name.toLowerCase()) <= Math.max(2, given.length / 2)
    ? name
    : undefined
}

/** How many letters must be put in, taken out or replaced. */
export function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_value, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]!
}
