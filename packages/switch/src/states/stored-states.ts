// What another process or a person has written, as far as it can be read.
import { isOptions, nameType } from '../../../../src/ground/options.js'
import type { Acceptance, HistoryEntry, StoredStates } from './schema.js'
import { parseState } from './states.js'

/** How many entries of a history are kept. */
export const mostHistory = 200
/** How many entries of an audit trail are kept. */
export const mostAudited = 10_000

/** Takes states, history and version of a value that may be anything. Throws where it has no states: none at all is an empty object of them. */
export function readStates(content: unknown): StoredStates {
  if (!isOptions(content)) throw new Error(`it holds no object { "states": {…} }, but ${nameType(content)}`)
  // With a mistyped name all routes would lose their states.
  if (!Object.hasOwn(content, 'states')) throw new Error('it has no "states": write { "states": {…} }')
  const { states, history, version, accepted } = content as Record<string, unknown>
  return {
    states: readMap(states),
    history: readHistory(history),
    version: readVersion(version),
    ...(accepted !== undefined && { accepted: readAccepted(accepted) }),
  }
}

/** 0 for what is none: of a store of before there were any, or that a person has written. */
export function readVersion(version: unknown): number {
  const number = Number(version ?? 0)
  return Number.isSafeInteger(number) && number > 0 ? number : 0
}

/** Throws for anything but an object; what of it is no text counts as a state that cannot be read. */
export function readMap(states: unknown): Record<string, string> {
  // A Map has no states of its own as an object, so it would count as none at all.
  if (!isOptions(states)) throw new Error(`its states are no object, but ${nameType(states)}`)
  const { states: nested } = states as { states?: unknown }
  if (typeof nested === 'object' && nested !== null)
    throw new Error('its states stand in another "states": take one of the two away')
  return Object.fromEntries(
    Object.entries(states as Record<string, unknown>).map(([key, value]) => [key, textOf(value)]),
  )
}

/** A state as a text; of what is none, a text that is no state either. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return nameType(value)
  }
}

export function readHistory(history: unknown): HistoryEntry[] {
  return Array.isArray(history) ? history.filter(isEntry) : []
}

export function readAccepted(accepted: unknown): Acceptance[] {
  return Array.isArray(accepted) ? accepted.filter(isAcceptance) : []
}

function isAcceptance(value: unknown): value is Acceptance {
  if (typeof value !== 'object' || value === null) return false
  const names = ['route', 'place', 'by', 'reason', 'at'] as const
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'string')
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
