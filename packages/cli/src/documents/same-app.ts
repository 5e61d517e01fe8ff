// Which app of an entry is which: servers that begin to listen in another order are not others.
import type { RouteRow } from './inventory.js'

/** A row, as far as it tells its app. */
export interface Placed {
  readonly app: number
  /** Its kind, its method and its path. */
  readonly place: string
  /** A hash of its handler; undefined where that was not kept. */
  readonly handler?: string | undefined
}

/** The kind, the method and the path of a row. */
export function appPlaceOf({
  kind,
  method,
  path,
}: {
  readonly kind?: string | undefined
  readonly method: string
  readonly path: string
}): string {
  return JSON.stringify([kind === 'mount', method, path])
}

/** Rows of an inventory, as far as they tell their apps: one with a native callback is known by the handler that this replaces, too. */
export function placedRows(rows: readonly RouteRow[]): Placed[] {
  return rows.flatMap((row) =>
    handlersOf(row).map((handler) => ({ app: row.app, place: appPlaceOf(row), handler })),
  )
}

/** The hashes of what answers for a row: of its handler, and of the one that a native callback replaces. */
export function handlersOf({ own: { source, behind = [] } }: RouteRow): readonly (string | undefined)[] {
  const last = behind.at(-1)
  return last === undefined ? [source] : [source, last.source]
}

/** Whether a row has a handler, of which the hash is given. */
export function hasHandler(row: RouteRow, handler: string | undefined): boolean {
  return handlersOf(row).includes(handler)
}

/**
 * For each app of `before` the number that it has among `now`: that of the app with most of its routes, and with most of their handlers.
 * Apps that are not to be told apart keep their order. One that has gone is looked for where its routes are, else in the first.
 */
export function appsNow(before: readonly Placed[], now: readonly Placed[], apps: number): readonly number[] {
  const own = before.reduce((most, { app }) => Math.max(most, app + 1), 0)
  const handlers = new Map<string, Set<string | undefined>>()
  for (const { app, place, handler } of now) {
    const key = `${app} ${place}`
    handlers.set(key, (handlers.get(key) ?? new Set()).add(handler))
  }
  const scores = Array.from({ length: own }, () => new Array<number>(apps).fill(0))
  for (const { app, place, handler } of before) {
    for (let at = 0; at < apps; at++) {
      const found = handlers.get(`${at} ${place}`)
      if (found !== undefined) scores[app]![at]! += handler !== undefined && found.has(handler) ? 2 : 1
    }
  }
  const pairs = scores.flatMap((row, app) => row.map((score, at) => ({ app, at, score })))
  const isOwn = ({ app, at }: { app: number; at: number }): number => Number(app === at)
  pairs.sort((a, b) => b.score - a.score || isOwn(b) - isOwn(a) || a.app - b.app || a.at - b.at)
  const found = new Map<number, number>()
  const taken = new Set<number>()
  for (const { app, at, score } of pairs) {
    if (found.has(app) || taken.has(at) || (score === 0 && app !== at)) continue
    found.set(app, at)
    taken.add(at)
  }
  return scores.map((row, app) => found.get(app) ?? Math.max(0, row.indexOf(Math.max(...row))))
}
