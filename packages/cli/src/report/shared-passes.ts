// What the requests of all routes of an app pass first: it is told once.
import type { Pass, RouteRow } from '../documents/inventory.js'

/** The functions that all routes of an app pass first. */
export function sharedBy(rows: readonly RouteRow[]): readonly Pass[] {
  const [first, ...others] = rows
  if (first === undefined || others.length === 0) return []
  const shared = others.reduce((least, { passes }) => Math.min(least, alike(first.passes, passes)), Infinity)
  return first.passes.slice(0, shared)
}

/** How many functions two requests pass alike, first. */
export function alike(one: readonly Pass[], other: readonly Pass[]): number {
  const differs = one.findIndex((pass, at) => {
    const { kind, name, at: place, source, mount } = other[at] ?? {}
    const isSame = name === pass.name && place === pass.at && source === pass.source && mount === pass.mount
    return kind !== pass.kind || !isSame
  })
  return differs < 0 ? one.length : differs
}

/** What a request passes before the function or the route that a row is of. */
export function passedBefore({ kind, shadowed, passes }: RouteRow): readonly Pass[] {
  return kind === 'mount' && !shadowed ? passes.slice(0, -1) : passes
}
