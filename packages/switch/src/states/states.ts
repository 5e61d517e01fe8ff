// The states of routes: as texts, and which of several counts.
import { wrongOption, shown } from '../../../../src/ground/options.js'
import { covers, overrideKey } from '../../../compare/src/route-keys.js'
import { kindsOfStates, type SharedKind, type StateKind, stateKinds } from './kinds.js'
import type { RouteState } from './schema.js'

/** A state, read. */
export interface State {
  readonly kind: StateKind
  /** The share of clients that the Controller answers. */
  readonly percent: number
  readonly text: RouteState
}

/** Those that are written with a share. */
const shared: readonly StateKind[] = kindsOfStates.filter(isShared)
const fixed = new Map<string, State>(
  kindsOfStates
    .filter((kind) => !shared.includes(kind))
    .map((kind) => {
      const percent = stateKinds[kind].answers === 'native' ? 100 : 0
      return [kind, { kind, percent, text: kind as RouteState }]
    }),
)

/** A state with a share, as text of a regular expression. */
export const sharedForm: string = `(?:${shared.join('|')})[ :]+[\\d.]+ *%?`

const sharedState = new RegExp(`^(${shared.join('|')})[ :]+(\\d{1,3}(?:\\.\\d{1,2})?) *%?$`)

/** A state of its text; undefined for what is none. */
export function parseState(text: unknown): State | undefined {
  if (typeof text !== 'string') return undefined
  const plain = text.trim()
  const known = fixed.get(plain)
  if (known !== undefined) return known
  const [, kind, digits] = sharedState.exec(plain) ?? []
  const percent = Number(digits)
  if (kind === undefined || percent > 100) return undefined
  return { kind: kind as StateKind, percent, text: withShare(kind as SharedKind, percent) }
}

/**
 * The state that a key has; undefined where it cannot be read. At the key of the off switch everything is legacy: who has written another
 * text there wants no Controller to answer.
 */
export function stateAt(key: string, text: unknown): State | undefined {
  return parseState(key === overrideKey && text !== undefined ? 'legacy' : text)
}

/** The text of a state with its share. */
export function withShare(kind: SharedKind, percent: number): RouteState {
  return `${kind} ${percent}%`
}

/** True for a state that has a share. */
export function isShared(kind: StateKind): kind is SharedKind {
  return stateKinds[kind].answers === 'share'
}

/** What can be written, for messages. */
export const wantedState: string = kindsOfStates
  .map((kind) => (shared.includes(kind) ? `'${kind} 5%'` : `'${kind}'`))
  .join(', ')
  .replace(/, ([^,]*)$/, ' or $1')

/** Throws ERR_OPTION_INVALID for what is no state. */
export function checkState(option: string, value: unknown): State {
  const state = parseState(value)
  if (state !== undefined) return state
  throw wrongOption(option, wantedState, shown(value))
}

/** True where two keys are for the same routes, as far as that can be said of keys. */
export function overlap(one: string, other: string): boolean {
  return covers(one, routeOf(other)) || covers(other, routeOf(one))
}

/** A group as a route of no method. */
function routeOf(key: string): string {
  return key.startsWith('/') ? `* ${key}` : key
}

/** True for a key that is for one of these routes. */
export function isForAny(key: string, routes: readonly string[]): boolean {
  return routes.some((route) => covers(key, route))
}

/** The keys of what a wider one is for, itself left out. */
export function within(keys: Iterable<string>, wider: string): string[] {
  if (wider === overrideKey) return [...keys].filter((key) => key !== wider)
  return [...keys].filter((key) => {
    if (key === wider || key === '*') return false
    return wider === '*' || covers(wider, routeOf(key))
  })
}
