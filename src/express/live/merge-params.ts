type Params = Record<string, unknown>

/** The params of the outer router under those of this one; the numbers of unnamed groups go on behind the outer ones. */
export function mergeParams(own: Params, outer: Params | undefined): Params {
  if (!outer) return own
  const merged = { ...outer }
  if (0 in own && 0 in outer) {
    const offset = countOf(outer)
    for (let index = countOf(own) - 1; index >= 0; index--) {
      own[index + offset] = own[index]
      if (index < offset) delete own[index]
    }
  }
  return Object.assign(merged, own)
}

function countOf(params: Params): number {
  let count = 0
  while (count in params) count++
  return count
}
