// Paths that are others with each start of an app, as those with a hash of that start. Two starts tell which these are.
import { appsNow, placedRows } from '../documents/same-app.js'
import { keyOf } from '../documents/same-pass.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'

/** The rows whose paths vary, with the path that stands for all of them: `*` where they differ. */
export type Varying = ReadonlyMap<RouteRow, string>

/** What two starts tell. */
export interface TwoStarts {
  readonly varying: Varying
  /** Routes that only one of the starts has, for no such reason. */
  readonly once: readonly RouteRow[]
}

/** Compares two starts of one app. */
export function compareStarts(first: Inventory, second: Inventory): TwoStarts {
  const apps = appsNow(placedRows(first.routes), placedRows(second.routes), second.apps.length)
  const others = second.routes.map((row) => ({ row, app: apps.indexOf(row.app) }))
  const own = first.routes.map((row) => ({ row, app: row.app }))
  const [lone, met] = [without(own, others), without(others, own)]
  const varying = new Map<RouteRow, string>()
  const once: RouteRow[] = []
  const groups = groupBy(lone)
  const otherGroups = groupBy(met)
  for (const [key, rows] of groups) {
    const twins = otherGroups.get(key) ?? []
    otherGroups.delete(key)
    const patterns = rows.map(({ path }, at) => patternOf(path, twins[at]?.path))
    if (rows.length !== twins.length || patterns.includes(undefined)) once.push(...rows, ...twins)
    else rows.forEach((row, at) => varying.set(row, patterns[at]!))
  }
  return { varying, once: [...once, ...[...otherGroups.values()].flat()] }
}

interface Counted {
  readonly row: RouteRow
  readonly app: number
}

/** Those of some rows that others have not. */
function without(rows: readonly Counted[], others: readonly Counted[]): Counted[] {
  const keyOfRow = ({ row, app }: Counted): string => JSON.stringify([app, row.kind, row.method, row.path])
  const known = new Map<string, number>()
  for (const one of others) known.set(keyOfRow(one), (known.get(keyOfRow(one)) ?? 0) + 1)
  return rows.filter((one) => {
    const left = known.get(keyOfRow(one)) ?? 0
    known.set(keyOfRow(one), left - 1)
    return left <= 0
  })
}

/** Rows that may be one and the same: with the same handler, behind the same functions. */
function groupBy(rows: readonly Counted[]): Map<string, RouteRow[]> {
  const groups = new Map<string, RouteRow[]>()
  for (const { row, app } of rows) {
    const { kind, method, own, passes } = row
    const key = JSON.stringify([app, kind, method, own.source, passes.map(keyOf)])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return groups
}

/** The path that stands for two: `/main-*.js`; undefined for two that are not alike. */
function patternOf(one: string, other: string | undefined): string | undefined {
  const [segments, others] = [one.split('/'), other?.split('/') ?? []]
  if (segments.length !== others.length) return undefined
  return segments.map((segment, at) => segmentOf(segment, others[at]!)).join('/')
}

function segmentOf(one: string, other: string): string {
  if (one === other) return one
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  const shortest = Math.min(one.length, other.length) - start
  while (end < shortest && one.at(-1 - end) === other.at(-1 - end)) end++
  // Letters and digits that two hashes have in common by chance are a part of them.
  const before = one.slice(0, start).replace(/[a-z\d]+$/i, '')
  const after = one.slice(one.length - end).replace(/^[a-z\d]+/i, '')
  return `${before}*${after}`
}

/** An inventory whose paths that vary are those that stand for them. */
export function renamed(inventory: Inventory, varying: Varying): Inventory {
  if (varying.size === 0) return inventory
  const names = new Map(
    [...varying].map(([{ method, path }, name]) => [`${method} ${path}`, `${method} ${name}`]),
  )
  const routes = inventory.routes.map((row) => {
    const { answer } = row
    const route = answer.route && (names.get(answer.route) ?? answer.route)
    return { ...row, path: varying.get(row) ?? row.path, answer: { ...answer, route } }
  })
  return { ...inventory, routes }
}
