/** The params of a path by their names. */
export type Params = Record<string, string | undefined>

/** Params of a router with `mergeParams`, as Express puts those of its mount among them. */
export function mergeParams(own: Params, parent: Params | undefined): Params {
  if (parent === undefined) return own
  const merged = { ...parent }
  if (!('0' in own) || !('0' in parent)) return Object.assign(merged, own)
  const shifted = { ...own }
  const ownCount = countUnnamed(own)
  const parentCount = countUnnamed(parent)
  for (let at = ownCount - 1; at >= 0; at--) {
    shifted[at + parentCount] = shifted[at]
    if (at < parentCount) delete shifted[at]
  }
  return Object.assign(merged, shifted)
}

/** How many params have a number for a name. */
function countUnnamed(params: Params): number {
  let at = 0
  while (at in params) at++
  return at
}
