// What somebody else has written, as far as it can be read.
import type { HistoryEntry, StoredStates } from './schema.js'
import { parseState } from './states.js'

/** How many entries of a history are kept. */
export const mostHistory = 200

/** Takes states and history of a value that may be anything. Throws for what holds neither. */
export function readStates(content: { readonly states?: unknown; readonly history?: unknown }): StoredStates {
  const { states = {}, history = [] } = content
  return { states: readMap(states), history: readHistory(history) }
}

/** Throws for anything but an object; what of it is no text counts as a state that cannot be read. */
export function readMap(states: unknown): Record<string, string> {
  if (typeof states !== 'object' || states === null || Array.isArray(states)) {
    throw new Error('its states are no object')
  }
  return Object.fromEntries(
    Object.entries(states).map(([key, text]) => [
      key,
      typeof text === 'string' ? text : JSON.stringify(text),
    ]),
  )
}

export function readHistory(history: unknown): HistoryEntry[] {
  return Array.isArray(history) ? history.filter(isEntry) : []
}

function isEntry(value: unknown): value is HistoryEntry {
  if (typeof value !== 'object' || value === null) return false
  const entry = value as Record<string, unknown>
  const texts = ['id', 'at', 'route', 'by', 'reason'] as const
  return (
    texts.every((name) => typeof entry[name] === 'string') &&
    !Number.isNaN(Date.parse(entry['at'] as string)) &&
    parseState(entry['to']) !== undefined
  )
}
