// Where each route of an inventory stands on its road, and what leads it on.
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { NextStep, Stand, StatusReport, StatusRow } from '../documents/status.js'
import { keyFor, type StoredStates } from '../entry/stored-states.js'

/** The share of clients that a canary begins with. */
const firstShare = 'canary 5%'

/** Without states it is not known who answers a route that has both. */
export function statusOf({ routes }: Inventory, states: StoredStates | undefined): StatusReport {
  const rows = routes.filter((row) => row.kind === 'route')
  const inFront = new Set(rows.filter(isController).map(placeOf))
  const isCopy = (row: RouteRow): boolean => !isController(row) && inFront.has(placeOf(row))
  const copies = new Set(rows.filter(isCopy).map(placeOf))
  const used = new Set<string>()
  const stands = rows
    .filter((row) => !isCopy(row))
    .map((row) => {
      const isSwitched = row.own.stage === 'beside' || copies.has(placeOf(row))
      const key = isSwitched && states !== undefined ? keyFor(states, nameOf(row)) : undefined
      if (key !== undefined) used.add(key)
      return { row, ...standOf(row, isSwitched, states, key) }
    })
  const told = stands.map(({ row, stands: at, state }): StatusRow => ({
    app: row.app,
    method: row.method,
    path: row.path,
    stands: at,
    state,
    guards: row.passes.filter(({ kind }) => kind !== 'error').length,
    at: row.own.at,
    next: nextOf(row, at),
  }))
  const counts = { legacy: 0, beside: 0, shadow: 0, canary: 0, native: 0, retired: 0, lifted: 0 }
  for (const { stands: at } of told) counts[at]++
  const unused = Object.keys(states ?? {}).filter((key) => !used.has(key) && !key.startsWith('//'))
  return { version: 1, counts, routes: told, unused }
}

const nameOf = ({ method, path }: RouteRow): string => `${method} ${path}`
const placeOf = (row: RouteRow): string => `${row.app} ${nameOf(row)}`

/** True for a Controller of the user's own: one that `toControllers` has made is a route of the app. */
function isController({ own }: RouteRow): boolean {
  return own.stage === undefined
}

function standOf(
  { own: { stage } }: RouteRow,
  isSwitched: boolean,
  states: StoredStates | undefined,
  key: string | undefined,
): Pick<StatusRow, 'stands' | 'state'> {
  if (stage === 'legacy' || stage === 'native') {
    return { stands: stage === 'legacy' ? 'legacy' : 'retired', state: undefined }
  }
  if (!isSwitched) return { stands: 'lifted', state: undefined }
  if (states === undefined) return { stands: 'beside', state: undefined }
  // What has both begins at legacy.
  const state = key === undefined ? 'legacy' : states[key]!.trim()
  const kind = /^(legacy|shadow|canary|native)(?![a-z])/.exec(state)?.[1]
  return { stands: kind === undefined || kind === 'legacy' ? 'beside' : (kind as Stand), state }
}

function nextOf(row: RouteRow, stands: Stand): NextStep | undefined {
  const route = nameOf(row)
  switch (stands) {
    case 'legacy':
      return { by: 'move', route }
    case 'beside':
      return { by: 'set', route, state: 'shadow' }
    case 'shadow':
      return { by: 'set', route, state: firstShare }
    case 'canary':
      return { by: 'set', route, state: 'native' }
    case 'native':
      // In front of an app there is no handler behind it in its route.
      return { by: row.own.stage === 'beside' ? 'retire' : 'delete', route }
    case 'retired':
    case 'lifted':
      return undefined
  }
}
