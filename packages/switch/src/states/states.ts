// The states of routes: as texts, and which of several counts.
import { wrongOption, shown } from '../../../../src/ground/options.js'
import type { RouteState } from './schema.js'

/** A state, read. */
export interface State {
  readonly kind: 'legacy' | 'shadow' | 'canary' | 'native'
  /** The share of clients that the Controller answers. */
  readonly percent: number
  readonly text: RouteState
}

const fixed = {
  legacy: { kind: 'legacy', percent: 0, text: 'legacy' },
  shadow: { kind: 'shadow', percent: 0, text: 'shadow' },
  native: { kind: 'native', percent: 100, text: 'native' },
} as const satisfies Record<string, State>

/** A state of its text; undefined for what is none. */
export function parseState(text: unknown): State | undefined {
  if (typeof text !== 'string') return undefined
  const plain = text.trim()
  if (Object.hasOwn(fixed, plain)) return fixed[plain as keyof typeof fixed]
  const [, digits] = /^canary[ :]+(\d{1,3}(?:\.\d{1,2})?) *%?$/.exec(plain) ?? []
  const percent = Number(digits)
  if (digits === undefined || percent > 100) return undefined
  return { kind: 'canary', percent, text: `canary ${percent}%` }
}

/** What can be written, for messages. */
export const wantedState = "'legacy', 'shadow', 'canary 5%' or 'native'"

/** Throws ERR_OPTION_INVALID for what is no state. */
export function checkState(option: string, value: unknown): State {
  const state = parseState(value)
  if (state !== undefined) return state
  throw wrongOption(option, wantedState, shown(value))
}

/** True where a key is for a route: itself, a group that it stands in, or `'*'`. */
export function covers(key: string, route: string): boolean {
  if (key === '*' || key === route) return true
  // Two slashes begin a comment.
  if (!key.startsWith('/') || key.startsWith('//')) return false
  const path = route.slice(route.indexOf(' ') + 1)
  let end = key.length
  while (end > 0 && key[end - 1] === '/') end--
  const prefix = key.slice(0, end)
  return path === prefix || path.startsWith(`${prefix}/`)
}

/** True for a key that is for one of these routes. */
export function isForAny(key: string, routes: readonly string[]): boolean {
  return routes.some((route) => covers(key, route))
}

/** Of the keys that are for a route the narrowest: its own, the longest group, `'*'`. */
export function narrowest(keys: Iterable<string>, route: string): string | undefined {
  let best: string | undefined
  let bestRank = -1
  for (const key of keys) {
    const rank = key === route ? Infinity : key === '*' ? 0 : key.length
    if (rank > bestRank && covers(key, route)) {
      best = key
      bestRank = rank
    }
  }
  return best
}

/** The keys of what a wider one is for, itself left out. */
export function within(keys: Iterable<string>, wider: string): string[] {
  return [...keys].filter((key) => {
    if (key === wider || key === '*') return false
    return wider === '*' || covers(wider, key.startsWith('/') ? `* ${key}` : key)
  })
}
