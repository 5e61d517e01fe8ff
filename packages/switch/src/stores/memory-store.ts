import type { Acceptance, HistoryEntry, MigrationStore, RouteState } from '../states/schema.js'
import { withAcceptance } from './acceptances.js'
import { mostHistory } from '../states/stored-states.js'

/**
 * States in the memory of this process, which are gone when it ends; `states` are those to begin with.
 *
 * @example
 * ```ts
 * import { memoryStore } from '@routecontrollers/switch'
 *
 * const store = memoryStore({ '/api': 'shadow' })
 * console.log(store.name) // memory
 * ```
 */
export function memoryStore(states: Readonly<Record<string, RouteState>> = {}): MigrationStore {
  let held: Record<string, string> = { ...states }
  let history: readonly HistoryEntry[] = []
  let accepted: readonly Acceptance[] = []
  let version = 0
  return {
    name: 'memory',
    read: () => ({ states: held, history, version, accepted }),
    accept(acceptance, isTakenBack) {
      accepted = withAcceptance(accepted, acceptance, isTakenBack)
    },
    write({ route, state, takeBack, entry, seen }) {
      if (isOutdated(seen, version)) return { isStored: false }
      version++
      held = applied(held, route, state, takeBack)
      history = [...history, { ...entry, version }].slice(-mostHistory)
      return { isStored: true }
    },
  }
}

/** True where a store has another version than a change has seen. */
export function isOutdated(seen: number | undefined, version: number): boolean {
  return seen !== undefined && seen !== version
}

/** States with a change made to them. */
export function applied(
  states: Readonly<Record<string, string>>,
  route: string,
  state: string,
  takeBack: readonly string[],
): Record<string, string> {
  const rest = Object.entries(states).filter(([key]) => !takeBack.includes(key) && key !== route)
  return Object.fromEntries([...rest, [route, state]])
}
